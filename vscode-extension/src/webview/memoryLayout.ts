// Where everything of a memory map is: pure, from tensors to rectangles over cycles and addresses.

import type { Free, MemoryMap, MemoryRow } from '../protocol';
import { address, bytes, fitted, thousands, tierName } from '../words';
import { addressTicks, Scale, type Span } from './scale';
import { axisTicks, type Box, type Tick } from './timelineLayout';

/** Sizes in pixels. */
export const LEFT = 76;
export const RIGHT = 14;
const TOP = 6;
const AXIS = 22;
const HEAD = 18;
const GAP = 10;
const TIER_LEAST = 64;
const CHARACTER = 6.3;
const SMALL_CHARACTER = 5.6;
/** The room of a memory's name, in front of the words about it. */
export const HEAD_NAME = 36;
/** A tensor of few bytes is still seen. */
const LEAST = 3;
/** The height of a line of words. */
const LINE = 13;
/** Where more tensors are, words are only in those that have room for them. */
const CROWD = 120;
/** Overlaps that are drawn at most. */
const MOST_OVERLAPS = 400;

/** The memories that are drawn, from the largest to the smallest. */
const TIERS = ['dm', 'trf', 'vrf'] as const;
export type Tier = (typeof TIERS)[number];

export interface TensorBox extends Box {
  /** Its number in the map. */
  readonly row: number;
  readonly tensor: MemoryRow;
  readonly label: string | null;
  /** Where the label is: in the box, or beside one that is too thin. */
  readonly labelX: number;
  readonly labelY: number;
}

/** Bytes that nothing occupies all the while. */
export interface FreeBox extends Box {
  readonly address: number;
  readonly bytes: number;
  readonly label: string | null;
  /** Where its words are, where nothing else is. */
  readonly labelX: number;
}

export interface TierRow {
  readonly tier: Tier;
  readonly name: string;
  readonly words: string;
  readonly headY: number;
  readonly box: Box;
  readonly scale: Scale;
  readonly tensors: readonly TensorBox[];
  readonly free: readonly FreeBox[];
  /** Where two tensors share bytes while both are needed. */
  readonly overlaps: readonly Box[];
  readonly marks: readonly { readonly y: number; readonly label: string }[];
  /** Where the most bytes are occupied at once. */
  readonly peakX: number | null;
  /** Whether the places of its tensors are assumed. */
  readonly assumed: boolean;
}

export interface MemoryLayout {
  readonly width: number;
  readonly height: number;
  readonly scale: Scale;
  readonly tiers: readonly TierRow[];
  readonly ticks: readonly Tick[];
}

/** A tensor that is drawn: where it is, or where it is assumed to be. */
interface Lying {
  readonly row: number;
  readonly tensor: MemoryRow;
  readonly address: number;
  readonly bytes: number;
}

function lying(map: MemoryMap, tier: Tier): Lying[] {
  return map.memory.flatMap((tensor, row) => {
    const place = tensor.address ?? tensor.assumed;
    return tensor.tier === tier && place !== null && tensor.bytes !== null
      ? [{ row, tensor, address: place, bytes: tensor.bytes }]
      : [];
  });
}

/** Where a tensor is, in words: its bytes, and its addresses unless the library chooses them. */
export function placeWords({ address: first, assumed, bytes: size }: MemoryRow): string {
  if (size === null) return 'of unknown size';
  if (first !== null) return `${bytes(size)} at ${address(first)} to ${address(first + size)}`;
  return assumed === null ? bytes(size) : `${bytes(size)}, placed by the compiler`;
}

/** All cycles of a map. */
export function wholeOf(map: MemoryMap): Span {
  const last = map.memory.reduce((most, row) => Math.max(most, row.to), 1);
  return { from: 0, to: Math.max(map.total ?? 0, last) };
}

/** The addresses that are drawn: to the last byte in use, rounded up a little, or the whole memory. */
export function extent(used: number, capacity: number, all: boolean): number {
  if (all) return Math.max(capacity, used);
  // An eighth of the power of two above, so that the end is as round as the marks.
  const step = Math.max(1, 2 ** Math.ceil(Math.log2(Math.max(used, 16))) / 8);
  return Math.ceil(Math.max(used, 16) / step) * step;
}

/** The picture of some cycles of a memory map. */
export function layoutMemory(
  map: MemoryMap,
  shown: Span,
  width: number,
  height: number,
  all: boolean,
): MemoryLayout {
  const scale = new Scale(shown, { start: LEFT, end: Math.max(width - RIGHT, LEFT + 40) });
  const used = TIERS.map((tier) => ({ tier, tensors: lying(map, tier) })).filter(
    ({ tensors }) => tensors.length > 0,
  );
  const shares = used.map(({ tier }) => (tier === 'dm' ? 2 : 1));
  const parts = shares.reduce<number>((sum, part) => sum + part, 0);
  const room = height - TOP - AXIS - used.length * (HEAD + GAP);
  const tiers: TierRow[] = [];
  let y = TOP;
  for (const [at, { tier, tensors }] of used.entries()) {
    const tall = Math.max((room * (shares[at] ?? 1)) / Math.max(parts, 1), TIER_LEAST);
    const box = { x: LEFT, y: y + HEAD, width: scale.room.end - LEFT, height: tall };
    tiers.push(tierRow(map, tier, tensors, box, scale, all));
    y += HEAD + tall + GAP;
  }
  return {
    width,
    height: y + AXIS - GAP,
    scale,
    tiers,
    ticks: axisTicks(scale, width),
  };
}

function tierRow(
  map: MemoryMap,
  tier: Tier,
  tensors: readonly Lying[],
  box: Box,
  cycles: Scale,
  all: boolean,
): TierRow {
  const capacity = map.capacity[tier] ?? 0;
  const last = tensors.reduce((most, one) => Math.max(most, one.address + one.bytes), 0);
  const shown = { from: 0, to: extent(last, capacity, all) };
  // Higher addresses are higher.
  const scale = new Scale(shown, { start: box.y + box.height, end: box.y });
  const assumed = tensors.every(({ tensor }) => tensor.address === null);
  const peak = map.peak?.[tier] ?? null;
  const count = Math.max(2, Math.floor(box.height / 26));
  const at = peak === null ? null : peakCycle(tensors, peak);
  const seen = at !== null && at >= cycles.shown.from && at <= cycles.shown.to;
  const boxes = labelled(
    tensors.flatMap((one) => bareBox(one, cycles, scale)),
    box,
  );
  return {
    tier,
    name: tierName(tier),
    words: fitted(headWords(peak, at, capacity), box.width - HEAD_NAME, SMALL_CHARACTER) ?? '',
    headY: box.y - HEAD,
    box,
    scale,
    tensors: boxes,
    free: freeBoxes(
      map.free.filter((free) => free.tier === tier),
      boxes,
      box,
      scale,
    ),
    overlaps: overlapBoxes(tensors, cycles, scale),
    // Where the compiler chooses, a place says how much is occupied and no more.
    marks: addressTicks(shown, count).map((value) => ({
      y: scale.place(value),
      label: assumed ? bytes(value) : address(value),
    })),
    peakX: seen ? cycles.place(at) : null,
    assumed,
  };
}

/** Two tensors that share bytes while both are needed: the other, the cycles and the bytes. */
export interface Overlap {
  readonly row: number;
  readonly tensor: MemoryRow;
  readonly cycles: Span;
  readonly bytes: Span;
}

function overlap(one: Lying, other: Lying): Overlap | null {
  const cycles = {
    from: Math.max(one.tensor.from, other.tensor.from),
    to: Math.min(one.tensor.to, other.tensor.to),
  };
  const shared = {
    from: Math.max(one.address, other.address),
    to: Math.min(one.address + one.bytes, other.address + other.bytes),
  };
  if (cycles.from >= cycles.to || shared.from >= shared.to) return null;
  return { row: other.row, tensor: other.tensor, cycles, bytes: shared };
}

/** The tensors that share bytes with one while both are needed. What the compiler places shares none. */
export function overlapsOf(map: MemoryMap, row: number): Overlap[] {
  const tier = TIERS.find((one) => one === map.memory[row]?.tier);
  if (tier === undefined) return [];
  const placed = lying(map, tier).filter(({ tensor }) => tensor.address !== null);
  const one = placed.find((other) => other.row === row);
  if (one === undefined) return [];
  return placed.flatMap((other) => (other === one ? [] : (overlap(one, other) ?? [])));
}

/** The parts of the picture that two tensors share. Sorted by their first cycles, only those that live together are compared. */
function overlapBoxes(tensors: readonly Lying[], cycles: Scale, scale: Scale): Box[] {
  const placed = tensors.filter(({ tensor }) => tensor.address !== null);
  placed.sort((one, other) => one.tensor.from - other.tensor.from);
  const boxes: Box[] = [];
  for (const [at, one] of placed.entries()) {
    for (let next = at + 1; next < placed.length && boxes.length < MOST_OVERLAPS; next += 1) {
      const other = placed[next];
      if (other === undefined || other.tensor.from >= one.tensor.to) break;
      const shared = overlap(one, other);
      const across = shared === null ? null : cycles.stretch(shared.cycles.from, shared.cycles.to);
      const down = shared === null ? null : scale.stretch(shared.bytes.from, shared.bytes.to);
      if (across === null || down === null) continue;
      boxes.push({
        x: across.at,
        y: down.at,
        width: Math.max(across.size, 2),
        height: Math.max(down.size, 2),
      });
    }
  }
  return boxes;
}

function headWords(peak: number | null, cycle: number | null, capacity: number): string {
  if (peak === null) return `${bytes(capacity)} a slice`;
  const when = cycle === null ? '' : ` from cycle ${thousands(cycle)}`;
  const of = peak > capacity ? 'more than its' : 'of';
  return `peak ${bytes(peak)}${when}, ${of} ${bytes(capacity)} a slice`;
}

/** A box with a place for its words; they are known when all boxes are. */
interface Bare extends Box {
  readonly one: Lying;
}

function bareBox(one: Lying, cycles: Scale, scale: Scale): Bare[] {
  const across = cycles.stretch(one.tensor.from, one.tensor.to);
  const down = scale.stretch(one.address, one.address + one.bytes);
  if (across === null || down === null) return [];
  const height = Math.max(down.size, LEAST);
  const width = Math.max(across.size, LEAST);
  return [{ one, x: across.at, y: down.at + down.size - height, width, height }];
}

function crosses(one: Box, other: Box): boolean {
  return (
    one.x < other.x + other.width &&
    other.x < one.x + one.width &&
    one.y < other.y + other.height &&
    other.y < one.y + one.height
  );
}

/** Gives boxes their words: in them, else above or below where nothing else is. */
function labelled(bare: readonly Bare[], tier: Box): TensorBox[] {
  const taken: Box[] = bare.length > CROWD ? [] : [...bare];
  return bare.map(({ one, ...box }) => {
    const { row, tensor } = one;
    const whole = `${tensor.tensor}  ${bytes(one.bytes)}`;
    const own = { ...box, row, tensor, labelX: box.x + 6, labelY: box.y + box.height / 2 + 4 };
    if (box.height >= LINE) {
      const fits = whole.length * CHARACTER <= box.width - 10;
      return { ...own, label: fits ? whole : fitted(tensor.tensor, box.width - 10, CHARACTER) };
    }
    if (bare.length > CROWD) return { ...own, label: null };
    const width = whole.length * CHARACTER;
    const x = Math.max(Math.min(box.x, tier.x + tier.width - width), tier.x);
    for (const y of [box.y - LINE, box.y + box.height]) {
      const words = { x, y, width, height: LINE };
      const inside = y >= tier.y && y + LINE <= tier.y + tier.height;
      if (!inside || taken.some((other) => crosses(words, other))) continue;
      taken.push(words);
      return { ...own, label: whole, labelX: x + 1, labelY: y + LINE - 3 };
    }
    return { ...own, label: null };
  });
}

/** Free bytes with their words, where no tensor and no other words are. */
function freeBoxes(free: readonly Free[], tensors: readonly TensorBox[], tier: Box, scale: Scale): FreeBox[] {
  const taken: Box[] = tensors.length > CROWD ? [] : tensors.flatMap((one) => [one, wordsOf(one)]);
  return free.flatMap(({ address: first, bytes: size }) => {
    const down = scale.stretch(first, first + size);
    if (down === null || down.size < 2) return [];
    const box = { x: tier.x, y: down.at, width: tier.width, height: down.size, address: first, bytes: size };
    const words = `free ${bytes(size)}`;
    const width = words.length * SMALL_CHARACTER;
    const y = down.at + down.size / 2 - LINE / 2;
    const middles = [tier.width / 2, tier.width - width / 2 - 6, width / 2 + 6].map((at) => tier.x + at);
    const labelX = middles.find((at) => {
      const place = { x: at - width / 2, y, width, height: LINE };
      return !taken.some((other) => crosses(place, other));
    });
    const roomy = down.size >= LINE && tensors.length <= CROWD && labelX !== undefined;
    return [{ ...box, label: roomy ? words : null, labelX: labelX ?? 0 }];
  });
}

function wordsOf(one: TensorBox): Box {
  const width = (one.label?.length ?? 0) * CHARACTER;
  return { x: one.labelX, y: one.labelY - LINE + 3, width, height: LINE };
}

/** The first cycle in which as many bytes are occupied as a peak says; `null` if the tensors alone do not say which. */
export function peakCycle(
  tensors: readonly { tensor: MemoryRow; bytes: number }[],
  peak: number,
): number | null {
  const events = tensors.flatMap(({ tensor, bytes: size }) => [
    { cycle: tensor.from, change: size },
    { cycle: tensor.to, change: -size },
  ]);
  // What ends in a cycle makes room for what begins in it.
  events.sort((one, other) => one.cycle - other.cycle || one.change - other.change);
  let occupied = 0;
  for (const { cycle, change } of events) {
    occupied += change;
    if (change > 0 && occupied === peak) return cycle;
  }
  return null;
}

/** The free bytes around an address in a cycle; `null` if something is there. */
export function holeAt(map: MemoryMap, tier: Tier, cycle: number, place: number): Span | null {
  let [from, to] = [0, map.capacity[tier] ?? 0];
  if (place < from || place >= to) return null;
  for (const one of lying(map, tier)) {
    if (one.tensor.from > cycle || one.tensor.to <= cycle) continue;
    const end = one.address + one.bytes;
    if (place >= one.address && place < end) return null;
    if (end <= place) from = Math.max(from, end);
    else to = Math.min(to, one.address);
  }
  return { from, to };
}

/** Where the keyboard goes from a tensor: the next or the last in the order of memories, cycles and addresses. */
export function neighbour(
  map: MemoryMap,
  from: number | null,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End',
): number | null {
  const byTime = TIERS.flatMap((tier) =>
    lying(map, tier).sort((one, other) => one.tensor.from - other.tensor.from || one.address - other.address),
  );
  const current = byTime.find((one) => one.row === from);
  if (current === undefined || key === 'Home') return byTime[0]?.row ?? null;
  if (key === 'End') return byTime.at(-1)?.row ?? null;
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const at = byTime.indexOf(current) + (key === 'ArrowLeft' ? -1 : 1);
    return byTime[at]?.row ?? current.row;
  }
  // Up is a higher address of the same memory, and behind its last one the memory above.
  const byPlace = TIERS.flatMap((tier) => lying(map, tier).sort((one, other) => other.address - one.address));
  const at = byPlace.indexOf(byPlace.find((one) => one.row === from) ?? current);
  return byPlace[at + (key === 'ArrowUp' ? -1 : 1)]?.row ?? current.row;
}
