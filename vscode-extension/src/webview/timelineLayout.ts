// Where everything of a timeline is: pure, from a kernel's cost and a stretch of cycles to rectangles and lines.
//
// Operations that are too narrow to be told apart are drawn as one, so that a picture has no more marks than pixels, however
// many operations a kernel has.

import { CONTEXTS, CONTEXT_NAMES, type Context } from '../lanes';
import type { KernelCost, Operation, Pause, Wait } from '../protocol';
import { cause, fitted, fittedName, share, thousands } from '../words';
import { Scale, ticks, type Span } from './scale';

/** Sizes in pixels. */
export const LEFT = 76;
export const RIGHT = 14;
const TOP = 6;
const AXIS = 22;
const LANE_GAP = 8;
const LANE_LEAST = 26;
const LANE_MOST = 54;
const CHARACTER = 6.3;
const SMALL_CHARACTER = 5.6;
/** Narrower operations are drawn together with their neighbours. */
const NARROW = 2;
/** Waits of operations that are too narrow for an arrow are drawn up to this number of operations. */
const FEW = 60;
const ARROW = 6;

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface LaneRow {
  readonly context: Context;
  readonly name: string;
  /** Its share of the kernel's cycles. */
  readonly busy: string;
  readonly y: number;
  readonly height: number;
}

/** An operation, or several that are too narrow to be told apart. */
export interface Block extends Box {
  readonly operations: readonly Operation[];
  readonly label: string | null;
  readonly critical: boolean;
}

export interface PauseBox extends Box {
  readonly pause: Pause;
  readonly label: string | null;
}

/** A line from the end of what is waited for to the start of what waits. */
export interface WaitLine {
  readonly from: number;
  readonly to: number;
  readonly wait: Wait;
  readonly path: string;
  readonly head: string;
}

export interface Tick {
  readonly x: number;
  readonly labelX: number;
  readonly label: string;
}

export interface TimelineLayout {
  readonly width: number;
  readonly height: number;
  readonly scale: Scale;
  readonly lanes: readonly LaneRow[];
  readonly blocks: readonly Block[];
  readonly pauses: readonly PauseBox[];
  readonly waits: readonly WaitLine[];
  readonly ticks: readonly Tick[];
}

/** An operation with its cycles. */
type Placed = Operation & { readonly start: number; readonly end: number };

function isPlaced(operation: Operation): operation is Placed {
  return operation.start !== null && operation.end !== null;
}

/** All cycles of a kernel. */
export function wholeOf(cost: KernelCost): Span {
  const ends = cost.operations.map((operation) => operation.end ?? 0);
  return {
    from: 0,
    to: Math.max(
      cost.total ?? 0,
      ends.reduce((most, end) => Math.max(most, end), 0),
      1,
    ),
  };
}

/** The picture of some cycles of a kernel; the waits of the operations `near` are drawn in any crowd. */
export function layoutTimeline(
  cost: KernelCost,
  shown: Span,
  width: number,
  height: number,
  near: ReadonlySet<number> = new Set(),
): TimelineLayout {
  const scale = new Scale(shown, { start: LEFT, end: Math.max(width - RIGHT, LEFT + 40) });
  const lanes = laneRows(cost, height);
  const placed = cost.operations.filter(isPlaced);
  const critical = new Set(cost.criticalPath);
  const bottom = lanes.reduce((last, lane) => Math.max(last, lane.y + lane.height), TOP);
  return {
    width,
    height: bottom + AXIS,
    scale,
    lanes,
    blocks: lanes.flatMap((lane) => laneBlocks(lane, placed, critical, scale)),
    pauses: lanes.flatMap((lane) => lanePauses(lane, cost.idle, scale)),
    waits: waitLines(lanes, placed, scale, near),
    ticks: axisTicks(scale, width),
  };
}

function laneRows(cost: KernelCost, height: number): LaneRow[] {
  const used = CONTEXTS.filter((context) =>
    cost.operations.some((operation) => operation.context === context),
  );
  const room = (height - TOP - AXIS) / Math.max(used.length, 1) - LANE_GAP;
  const lane = Math.min(Math.max(room, LANE_LEAST), LANE_MOST);
  const { to } = wholeOf(cost);
  return used.map((context, at) => ({
    context,
    name: CONTEXT_NAMES[context],
    busy: share(cost.busy[context] ?? 0, cost.total ?? to),
    y: TOP + at * (lane + LANE_GAP),
    height: lane,
  }));
}

function laneBlocks(
  lane: LaneRow,
  placed: readonly Placed[],
  critical: ReadonlySet<number>,
  scale: Scale,
): Block[] {
  const own = placed.filter((operation) => operation.context === lane.context);
  own.sort((one, other) => one.start - other.start || one.id - other.id);
  const blocks: Block[] = [];
  for (const operation of own) {
    const stretch = scale.stretch(operation.start, operation.end);
    if (stretch === null) continue;
    const isCritical = critical.has(operation.id);
    const last = blocks.at(-1);
    const narrow = stretch.size < NARROW;
    if (last !== undefined && narrow && last.width < 2 * NARROW && stretch.at - (last.x + last.width) < 1) {
      blocks[blocks.length - 1] = {
        ...last,
        operations: [...last.operations, operation],
        width: Math.max(stretch.at + stretch.size - last.x, 1),
        critical: last.critical || isCritical,
      };
      continue;
    }
    blocks.push({
      x: stretch.at,
      y: lane.y,
      width: Math.max(stretch.size, 1),
      height: lane.height,
      operations: [operation],
      label: fittedName(operation.name, stretch.size - 10, CHARACTER),
      critical: isCritical,
    });
  }
  return blocks;
}

function lanePauses(lane: LaneRow, idle: readonly Pause[], scale: Scale): PauseBox[] {
  const boxes: PauseBox[] = [];
  for (const pause of idle) {
    if (pause.context !== lane.context) continue;
    const stretch = scale.stretch(pause.start, pause.end);
    if (stretch === null || stretch.size < 1) continue;
    const words = pause.wait === null ? '' : cause(pause.wait);
    boxes.push({
      x: stretch.at,
      y: lane.y,
      width: stretch.size,
      height: lane.height,
      pause,
      label: words === '' ? null : fitted(words, stretch.size - 12, SMALL_CHARACTER),
    });
  }
  return boxes;
}

/** Waits between contexts; inside one the operations are one behind the other anyway. */
function waitLines(
  lanes: readonly LaneRow[],
  placed: readonly Placed[],
  scale: Scale,
  near: ReadonlySet<number>,
): WaitLine[] {
  const byId = new Map(placed.map((operation) => [operation.id, operation]));
  const laneOf = new Map(lanes.map((lane) => [lane.context, lane]));
  const { from, to } = scale.shown;
  const crowd = placed.filter((one) => one.end >= from && one.start <= to).length > FEW;
  const wide = (one: Placed): boolean => scale.place(one.end) - scale.place(one.start) >= ARROW;
  const lines: WaitLine[] = [];
  for (const operation of placed) {
    for (const wait of operation.waits) {
      const other = byId.get(wait.operation);
      if (other === undefined || other.context === operation.context) continue;
      if (operation.start < from || other.end > to) continue;
      const meant = near.has(operation.id) || near.has(other.id);
      if (crowd && !meant && !(wide(operation) && wide(other))) continue;
      const [above, below] = [laneOf.get(other.context), laneOf.get(operation.context)];
      if (above === undefined || below === undefined) continue;
      lines.push({ from: other.id, to: operation.id, wait, ...arrow(above, below, other, operation, scale) });
    }
  }
  return lines;
}

function arrow(
  from: LaneRow,
  to: LaneRow,
  other: Placed,
  operation: Placed,
  scale: Scale,
): { path: string; head: string } {
  const down = to.y > from.y;
  const x1 = scale.place(other.end);
  const x2 = scale.place(operation.start);
  const y1 = down ? from.y + from.height : from.y;
  const y2 = down ? to.y : to.y + to.height;
  const middle = (y1 + y2) / 2;
  const tip = down ? -5 : 5;
  const path = `M${x1.toFixed(1)} ${y1}C${x1.toFixed(1)} ${middle} ${x2.toFixed(1)} ${middle} ${x2.toFixed(1)} ${y2 + tip}`;
  const head = `M${x2.toFixed(1)} ${y2}l-3 ${tip}h6z`;
  return { path, head };
}

/** The marks below a picture, their words kept within its width. */
export function axisTicks(scale: Scale, width: number): Tick[] {
  const room = scale.room.end - scale.room.start;
  return ticks(scale.shown, Math.max(2, Math.floor(room / 90))).map((cycle) => {
    const label = thousands(cycle);
    const half = (label.length * SMALL_CHARACTER) / 2 + 2;
    const x = scale.place(cycle);
    return { x, label, labelX: Math.min(x, width - half) };
  });
}

/** Where the keyboard goes from an operation: along its context, or to the one at the same time in the next context. */
export function neighbour(
  cost: KernelCost,
  from: number | null,
  key: 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown' | 'Home' | 'End',
): number | null {
  const placed = cost.operations.filter(isPlaced);
  placed.sort((one, other) => one.start - other.start || one.id - other.id);
  const current = placed.find((operation) => operation.id === from);
  if (current === undefined || key === 'Home') return placed[0]?.id ?? null;
  if (key === 'End') return placed.at(-1)?.id ?? null;
  if (key === 'ArrowLeft' || key === 'ArrowRight') {
    const lane = placed.filter((operation) => operation.context === current.context);
    const at = lane.indexOf(current) + (key === 'ArrowLeft' ? -1 : 1);
    return lane[at]?.id ?? current.id;
  }
  const used = CONTEXTS.filter((context) => placed.some((operation) => operation.context === context));
  const lane = used[used.indexOf(current.context) + (key === 'ArrowUp' ? -1 : 1)];
  const middle = (current.start + current.end) / 2;
  let best: Placed | null = null;
  for (const operation of placed) {
    if (operation.context !== lane) continue;
    if (best === null || apart(operation, middle) < apart(best, middle)) best = operation;
  }
  return best?.id ?? current.id;
}

function apart(operation: Placed, cycle: number): number {
  return Math.max(operation.start - cycle, cycle - operation.end, 0);
}
