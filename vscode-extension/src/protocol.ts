// What the server answers to `visa/kernelCost`, `visa/kernelAdvice`, `visa/memoryMap` and `visa/dialect`, as the views need it.
//
// The shapes are those of `visa-lint cost --format json` and of a crate in `visa-lint --format json`. An answer is read field by field, so that a server of another
// version leaves a view empty and does not break it.

import { CONTEXTS, type Context } from './lanes';
import type * as wire from './wire';

/** A place in a text: lines and columns from 1, columns in characters. */
export interface Point {
  readonly line: number;
  readonly column: number;
}

export interface Range {
  readonly start: Point;
  readonly end: Point;
}

export interface Wait {
  /** The number of the operation that is waited for. */
  readonly operation: number;
  /** Why: `read after write`, `context busy`. */
  readonly cause: string;
  readonly tensor: string | null;
}

export interface Engine {
  readonly engine: string;
  /** The method that asks for it; `null` where none does. */
  readonly method: string | null;
  readonly cycles: number | null;
  /** Whether it is the bottleneck of its operation. */
  readonly slowest: boolean;
  readonly latency: number;
  readonly detail: string;
  readonly formula: string;
}

/** The stream behind a method of a pass. */
export interface Stage {
  readonly method: string;
  readonly elementType: string | null;
  readonly time: string | null;
  readonly packet: string | null;
  readonly iterations: number | null;
  readonly packetBytes: number | null;
  readonly flits: number | null;
  readonly way: number | null;
  readonly cycles: number | null;
}

export interface Operation {
  readonly id: number;
  readonly name: string;
  readonly context: Context;
  readonly file: string;
  readonly range: Range;
  readonly statement: Range;
  readonly loops: readonly number[];
  readonly start: number | null;
  readonly end: number | null;
  readonly cycles: number | null;
  readonly bottleneck: string | null;
  readonly stages: readonly Engine[];
  readonly waits: readonly Wait[];
  readonly reads: readonly string[];
  readonly writes: readonly string[];
  /** The stream stage by stage; empty for a transfer. */
  readonly stream: readonly Stage[];
}

export interface Pause {
  readonly context: Context;
  readonly start: number;
  readonly end: number;
  readonly until: number | null;
  readonly wait: Wait | null;
}

export interface MemoryRow {
  readonly tensor: string;
  readonly tier: string;
  readonly address: number | null;
  /** Where it is drawn, if the library chooses its address. */
  readonly assumed: number | null;
  readonly bytes: number | null;
  readonly shape: string;
  readonly from: number;
  readonly to: number;
  readonly file: string | null;
  readonly range: Range | null;
}

/** The most bytes a slice that are occupied at once. */
export interface Peak {
  readonly dm: number;
  readonly trf: number;
  readonly vrf: number;
  /** Why a peak is above the size of its memory, by the memory's name. */
  readonly overfull: Readonly<Record<string, string>>;
}

export interface Proposal {
  readonly rule: string;
  readonly message: string;
  readonly help: string | null;
  readonly saves: number | null;
  readonly file: string;
  readonly range: Range;
  /** Cycles of the kernel with the change; `null` where it was not tried. */
  readonly after: number | null;
  /** Whether it saves something wherever the figures are within their bounds. */
  readonly certain: boolean;
  /** Whether it is a whole change, which the server can make. */
  readonly applicable: boolean;
}

/** How a search for changes went. */
export interface Searched {
  readonly tried: number;
  readonly limit: number;
  readonly stopped: boolean;
  /** The two changes that save most together, as one. */
  readonly pair: Proposal | null;
}

/** A bound of a kernel, in cycles; `null` is what is not known. */
export interface Bar {
  readonly bound: string;
  readonly name: string;
  readonly cycles: number | null;
  readonly detail: string;
}

/** What bounds a kernel from below. */
export interface Roofline {
  readonly bars: readonly Bar[];
  readonly binds: string;
  /** The same for a list, with its share of the kernel. */
  readonly bindsWords: string;
  readonly sentence: string;
}

export interface Unresolved {
  readonly reason: string;
  readonly range: Range;
}

export interface KernelCost {
  readonly name: string;
  readonly file: string;
  readonly range: Range | null;
  readonly chips: number | null;
  readonly total: number | null;
  readonly busy: Readonly<Record<Context, number | null>>;
  readonly overlap: number | null;
  readonly operations: readonly Operation[];
  readonly idle: readonly Pause[];
  readonly criticalPath: readonly number[];
  readonly memory: readonly MemoryRow[];
  readonly peak: Peak | null;
  readonly proposals: readonly Proposal[];
  /** `null` where only the rules were asked yet. */
  readonly searched: Searched | null;
  /** `null` without a total, and from a server that does not say. */
  readonly roofline: Roofline | null;
  readonly assumptions: readonly string[];
  readonly unresolved: readonly Unresolved[];
}

/** A stretch of a memory that nothing occupies all the while. */
export interface Free {
  readonly tier: string;
  readonly address: number;
  readonly bytes: number;
}

export interface MemoryMap {
  readonly kernel: string;
  readonly total: number | null;
  readonly memory: readonly MemoryRow[];
  readonly peak: Peak | null;
  /** Bytes a slice of each memory, by its tier. */
  readonly capacity: Readonly<Record<string, number>>;
  readonly free: readonly Free[];
}

/** The library that a document is written for. */
export interface Dialect {
  /** As settings write it: `opt-std`. */
  readonly library: string;
  /** As the lock file or the manifest writes it; `null` for a library of one release. */
  readonly release: string | null;
  /** The known release that is read in the place of one that is not known. */
  readonly readAs: string | null;
  /** What decided. */
  readonly because: string;
}

/** What may be in an answer: the members that the server of this version writes, of any value. */
type Fields<T> = Readonly<Partial<Record<keyof T, unknown>>>;

function fields<T>(value: unknown): Fields<T> {
  return (typeof value === 'object' && value !== null ? value : {}) as Fields<T>;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? (value as readonly unknown[]) : [];
}

function count(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function texts(value: unknown): string[] {
  return list(value).filter((one): one is string => typeof one === 'string');
}

function counts(value: unknown): number[] {
  return list(value).filter((one): one is number => typeof one === 'number');
}

function point(value: unknown): Point | null {
  const { line, column } = fields<wire.Position>(value);
  const [readLine, readColumn] = [count(line), count(column)];
  return readLine === null || readColumn === null ? null : { line: readLine, column: readColumn };
}

function range(value: unknown): Range | null {
  const { start, end } = fields<wire.Range>(value);
  const [readStart, readEnd] = [point(start), point(end)];
  return readStart === null || readEnd === null ? null : { start: readStart, end: readEnd };
}

const NOWHERE: Range = { start: { line: 1, column: 1 }, end: { line: 1, column: 1 } };

function context(value: unknown): Context | null {
  return CONTEXTS.find((context) => context === value) ?? null;
}

function wait(value: unknown): Wait | null {
  const { operation, cause, tensor } = fields<wire.Wait>(value);
  const number = count(operation);
  return number === null ? null : { operation: number, cause: text(cause), tensor: textOrNull(tensor) };
}

function present<T>(values: readonly (T | null)[]): T[] {
  return values.filter((value) => value !== null);
}

function engine(value: unknown): Engine {
  const one = fields<wire.Engine>(value);
  return {
    engine: text(one.engine),
    method: textOrNull(one.method),
    cycles: count(one.cycles),
    slowest: one.slowest === true,
    latency: count(one.latency) ?? 0,
    detail: text(one.detail),
    formula: text(one.formula),
  };
}

function stage(value: unknown): Stage {
  const one = fields<wire.Stage>(value);
  return {
    method: text(one.method),
    elementType: textOrNull(one.element_type),
    time: textOrNull(one.time),
    packet: textOrNull(one.packet),
    iterations: count(one.iterations),
    packetBytes: count(one.packet_bytes),
    flits: count(one.flits),
    way: count(one.way),
    cycles: count(one.cycles),
  };
}

function operation(value: unknown): Operation | null {
  const one = fields<wire.Operation>(value);
  const [id, lane, place] = [count(one.id), context(one.context), range(one.range)];
  if (id === null || lane === null || place === null) return null;
  return {
    id,
    name: text(one.name),
    context: lane,
    file: text(one.file),
    range: place,
    statement: range(one.statement) ?? place,
    loops: counts(one.loops),
    start: count(one.start),
    end: count(one.end),
    cycles: count(one.cycles),
    bottleneck: textOrNull(one.bottleneck),
    stages: list(one.stages).map(engine),
    waits: present(list(one.waits).map(wait)),
    reads: texts(one.reads),
    writes: texts(one.writes),
    stream: list(one.stream).map(stage),
  };
}

function pause(value: unknown): Pause | null {
  const one = fields<wire.Idle>(value);
  const [lane, start, end] = [context(one.context), count(one.start), count(one.end)];
  if (lane === null || start === null || end === null) return null;
  return { context: lane, start, end, until: count(one.until), wait: wait(one.wait) };
}

function memoryRow(value: unknown): MemoryRow | null {
  const one = fields<wire.Memory>(value);
  const [from, to] = [count(one.from), count(one.to)];
  if (from === null || to === null) return null;
  return {
    tensor: text(one.tensor),
    tier: text(one.tier),
    address: count(one.address),
    assumed: count(one.assumed_address),
    bytes: count(one.bytes),
    shape: text(one.shape),
    from,
    to,
    file: textOrNull(one.file),
    range: range(one.range),
  };
}

function peak(value: unknown): Peak | null {
  const one = fields<wire.Peak>(value);
  const [dm, trf, vrf] = [count(one.dm_bytes), count(one.trf_bytes), count(one.vrf_bytes)];
  if (dm === null || trf === null || vrf === null) return null;
  const overfull = Object.fromEntries(
    list(one.overfull).map((row) => {
      const { tier, sentence } = fields<wire.Overfull>(row);
      return [text(tier), text(sentence)];
    }),
  );
  return { dm, trf, vrf, overfull };
}

function proposal(value: unknown): Proposal {
  const one = fields<wire.Proposal>(value);
  return {
    rule: text(one.rule),
    message: text(one.message),
    help: textOrNull(one.help),
    saves: count(one.saves),
    file: text(one.file),
    range: range(one.range) ?? NOWHERE,
    after: count(one.after),
    certain: one.certain === true,
    applicable: list(one.edits).length > 0,
  };
}

function searched(value: unknown): Searched | null {
  const one = fields<wire.Searched>(value);
  const [tried, limit] = [count(one.tried), count(one.limit)];
  if (tried === null || limit === null) return null;
  const pair = typeof one.pair === 'object' && one.pair !== null ? proposal(one.pair) : null;
  return { tried, limit, stopped: one.stopped === true, pair };
}

function bar(value: unknown): Bar {
  const one = fields<wire.Bar>(value);
  return {
    bound: text(one.bound),
    name: text(one.name),
    cycles: count(one.cycles),
    detail: text(one.detail),
  };
}

function roofline(value: unknown): Roofline | null {
  const one = fields<wire.Roofline>(value);
  const bars = list(one.bars).map(bar);
  if (bars.length === 0) return null;
  return { bars, binds: text(one.binds), bindsWords: text(one.binds_words), sentence: text(one.sentence) };
}

/** The one kernel of an answer: bare, or in the document that the command line prints. */
function onlyKernel(value: unknown): Fields<wire.Kernel> | null {
  const document = fields<wire.Document>(value);
  const kernel = fields<wire.Kernel>('kernels' in document ? list(document.kernels)[0] : value);
  return typeof kernel.name === 'string' ? kernel : null;
}

/** Reads the answer to `visa/kernelCost`; `null` where the cursor is in no kernel. */
export function readKernelCost(value: unknown): KernelCost | null {
  const kernel = onlyKernel(value);
  if (kernel === null) return null;
  const cycles = fields<wire.Cycles>(kernel.cycles);
  return {
    name: text(kernel.name),
    file: text(kernel.file),
    range: range(kernel.range),
    chips: count(kernel.chips),
    total: count(cycles.total),
    busy: { main: count(cycles.main), sub: count(cycles.sub), dma: count(cycles.dma) },
    overlap: count(cycles.overlap),
    operations: present(list(kernel.operations).map(operation)),
    idle: present(list(kernel.idle).map(pause)),
    criticalPath: counts(kernel.critical_path),
    memory: present(list(kernel.memory).map(memoryRow)),
    peak: peak(kernel.peak),
    proposals: list(kernel.proposals).map(proposal),
    searched: searched(kernel.searched),
    roofline: roofline(kernel.roofline),
    assumptions: texts(kernel.assumptions),
    unresolved: list(kernel.unresolved).map((one) => ({
      reason: text(fields<wire.Unresolved>(one).reason),
      range: range(fields<wire.Unresolved>(one).range) ?? NOWHERE,
    })),
  };
}

/** Bytes a slice, as the hardware has them, for a server that does not say. */
const CAPACITY: Readonly<Record<string, number>> = { dm: 512 * 1024, trf: 64 * 1024, vrf: 8 * 1024 };

function capacity(value: unknown): Record<string, number> {
  const sizes: Record<string, number> = { ...CAPACITY };
  for (const { tier, bytes } of list(value).map((one) => fields<wire.Capacity>(one))) {
    const size = count(bytes);
    if (size !== null && size > 0) sizes[text(tier)] = size;
  }
  return sizes;
}

/** Reads the answer to `visa/memoryMap`; `null` where the cursor is in no kernel. */
export function readMemoryMap(value: unknown): MemoryMap | null {
  const one = fields<wire.MemoryMap & wire.Kernel>(value);
  if (!Array.isArray(one.memory)) return null;
  return {
    kernel: text(one.kernel) || text(one.name),
    total: count(one.total) ?? count(fields<wire.Cycles>(one.cycles).total),
    memory: present(list(one.memory).map(memoryRow)),
    peak: peak(one.peak),
    capacity: capacity(one.capacity),
    free: present(
      list(one.free).map((entry): Free | null => {
        const { tier, address, bytes } = fields<wire.Free>(entry);
        const [first, size] = [count(address), count(bytes)];
        return first === null || size === null ? null : { tier: text(tier), address: first, bytes: size };
      }),
    ),
  };
}

/** Reads the answer to `visa/dialect`; `null` where the server does not say. */
export function readDialect(value: unknown): Dialect | null {
  const one = fields<wire.Dialect>(value);
  const library = text(one.dialect);
  if (library === '') return null;
  return {
    library,
    release: textOrNull(one.release),
    readAs: textOrNull(one.read_as),
    because: text(one.because),
  };
}

/** Reads the answer to `visa/rulePage`; `null` where the server has no such page. */
export function readRulePage(value: unknown): string | null {
  return textOrNull(fields<{ markdown: unknown }>(value).markdown);
}

/** The name and the cycles of the kernel that an answer to `visa/kernelCost` is about. */
export interface KernelTotal {
  readonly name: string;
  /** Null where something of the kernel cannot be followed. */
  readonly total: number | null;
}

/** How many kernels the workspace has, of `visa/status`; `null` where the server does not know. */
export function readStatus(value: unknown): number | null {
  return count(fields<{ kernels: number | null }>(value).kernels);
}

/** Reads them alone, without all else that the answer holds; `null` where there is no kernel. */
export function readKernelTotal(value: unknown): KernelTotal | null {
  const kernel = onlyKernel(value);
  if (kernel === null) return null;
  return { name: text(kernel.name), total: count(fields<wire.Cycles>(kernel.cycles).total) };
}
