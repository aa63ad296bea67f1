// What the server answers, as it writes it: made from docs/cost.schema.json by the tests of the repository.
// Do not edit: run `UPDATE_EXPECT=1 cargo test -p visa-tests --test repository`.

/** A bound. */
export interface Bar {
  readonly bound: string;
  readonly cycles: number | null;
  /** What it is made of. */
  readonly detail: string;
  /** What it is called in tables. */
  readonly name: string;
}

/** What the schedule of a release says of a kernel. */
export interface Calibrated {
  readonly basis: string;
  readonly high: number | null;
  readonly low: number | null;
  readonly model: string;
  readonly total: number | null;
}

/** What it says of an operation. */
export interface CalibratedOperation {
  readonly basis: string;
  /** Its slowest engine by the schedule. */
  readonly bottleneck: string | null;
  readonly class: string;
  readonly cycles: number;
  readonly high: number | null;
  readonly low: number | null;
  /** In percent. */
  readonly median_error: number | null;
  readonly samples: number;
}

/** Bytes a slice of a memory. */
export interface Capacity {
  readonly bytes: number;
  readonly tier: string;
}

export interface Cycles {
  readonly calibrated: Calibrated;
  readonly dma: number | null;
  readonly least: number | null;
  readonly main: number | null;
  readonly overlap: number | null;
  readonly sub: number | null;
  readonly total: number | null;
}

/** What `visa/dialect` answers with: the object of `visa-lint --format json` about a document's crate, without the files. */
export interface Dialect {
  /** What decided. */
  readonly because: string;
  /** The crate's package, or its root. */
  readonly crate: string;
  /** As settings write it: `opt-std`. */
  readonly dialect: string;
  /** The known release that is read in the place of one that is not known. */
  readonly read_as: string | null;
  /** As the lock file or the manifest writes it; null for a library of one release. */
  readonly release: string | null;
  readonly version: number;
}

export interface Edit {
  readonly end_byte: number;
  readonly file: string;
  readonly start_byte: number;
  readonly text: string;
}

export interface Engine {
  readonly cycles: number | null;
  readonly detail: string;
  readonly engine: string;
  readonly formula: string;
  readonly heading: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly latency: number;
  readonly method: string | null;
  /** Whether it is the `bottleneck` of its operation. */
  readonly slowest: boolean;
}

/** A stretch of a memory that nothing occupies all the while. */
export interface Free {
  readonly address: number;
  readonly bytes: number;
  readonly tier: string;
}

/** What one function moves. */
export interface FunctionTransfers {
  readonly file: string;
  /** The lanes that they run in, in the order in which they are shown. */
  readonly lanes: readonly LaneSum[];
  readonly line: number;
  readonly name: string;
  readonly notes: readonly string[];
  /** The most bytes in use at once, by memory. */
  readonly peaks: Readonly<Record<string, unknown>>;
  /** When each of them runs, in the unit of times, and the end of the last; null where figures or a step are not known. */
  readonly schedule: Schedule | null;
  /** The sum of all times, at least. */
  readonly time: number | null;
  /** Bytes by direction, all runs together. */
  readonly totals: Readonly<Record<string, unknown>>;
  readonly transfers: readonly Transfer[];
  /** The unit of times: cycles by figures of the settings, nanoseconds by published figures. */
  readonly unit: string | null;
}

export interface Idle {
  readonly context: string;
  readonly end: number;
  readonly start: number;
  readonly until: number | null;
  readonly wait: Wait | null;
}

export interface Kernel {
  readonly assumptions: readonly string[];
  readonly chips: number | null;
  readonly critical_path: readonly number[];
  readonly cycles: Cycles;
  readonly file: string;
  readonly idle: readonly Idle[];
  readonly memory: readonly Memory[];
  readonly name: string;
  readonly operations: readonly Operation[];
  readonly peak: Peak | null;
  readonly proposals: readonly Proposal[];
  readonly range: Range;
  readonly roofline: Roofline | null;
  /** Null where there is a total, and where more than loops is in its way. */
  readonly runs: Runs | null;
  /** Null where only the rules were asked. */
  readonly searched: Searched | null;
  readonly unresolved: readonly Unresolved[];
}

/** A row of a picture: what runs one after another. */
export interface LaneSum {
  /** Bytes that it moves, all runs together. */
  readonly bytes: Quantity;
  /** Its colour, `#rrggbb`. */
  readonly colour: string;
  readonly name: string;
  /** What it is called in a picture. */
  readonly track: string;
}

/** A loop of which some runs are scheduled. */
export interface Loop {
  /** The fewest cycles of a further run. */
  readonly best: number;
  readonly file: string;
  readonly range: Range;
  readonly runs: number | null;
  readonly scheduled: number;
  readonly worst: number;
}

export interface Memory {
  readonly address: number | null;
  /** Left out where the address is written. */
  readonly assumed_address?: number | null;
  readonly bytes: number | null;
  readonly file: string | null;
  readonly from: number;
  readonly range: Range | null;
  readonly shape: string;
  readonly tensor: string;
  readonly tier: string;
  readonly to: number;
}

/** What `visa/memoryMap` answers with. */
export interface MemoryMap {
  readonly capacity: readonly Capacity[];
  readonly free: readonly Free[];
  /** The kernel's name. */
  readonly kernel: string;
  readonly memory: readonly Memory[];
  readonly peak: Peak | null;
  /** Its cycles; null where they are not known. */
  readonly total: number | null;
  readonly version: number;
}

export interface Operation {
  readonly assumptions: readonly string[];
  readonly bottleneck: string | null;
  readonly calibrated: CalibratedOperation | null;
  readonly context: string;
  readonly cycles: number | null;
  readonly end: number | null;
  readonly file: string;
  readonly id: number;
  readonly loops: readonly number[];
  readonly name: string;
  readonly range: Range;
  readonly reads: readonly string[];
  readonly stages: readonly Engine[];
  readonly start: number | null;
  readonly statement: Range;
  readonly stream: readonly Stage[];
  readonly waits: readonly Wait[];
  readonly waits_for: readonly number[];
  readonly writes: readonly string[];
}

/** A memory whose peak is above its size. */
export interface Overfull {
  readonly bytes: number;
  readonly capacity: number;
  /** The rule that reports it; null where nothing is proven. */
  readonly rule: string | null;
  /** What the figure means. */
  readonly sentence: string;
  readonly tier: string;
}

export interface Peak {
  readonly dm_bytes: number;
  /** The memories whose peaks are above their sizes. */
  readonly overfull: readonly Overfull[];
  readonly trf_bytes: number;
  readonly vrf_bytes: number;
}

/** A place in a file. */
export interface Position {
  /** From 0. */
  readonly byte: number;
  /** From 1, in characters. */
  readonly column: number;
  /** From 1. */
  readonly line: number;
}

export interface Proposal {
  /** Cycles of the kernel with the change as it was tried. */
  readonly after: number | null;
  /** Whether it saves something wherever the figures are within their bounds. */
  readonly certain: boolean;
  /** The whole change; empty where it is given in words. */
  readonly edits: readonly Edit[];
  readonly file: string;
  readonly help: string | null;
  readonly message: string;
  /** What a searched change does; null for what a rule alone says. */
  readonly move: string | null;
  readonly range: Range;
  readonly rule: string;
  readonly saves: number | null;
}

export type Quantity = number | string | null;

/** A range of a file. */
export interface Range {
  readonly end: Position;
  readonly start: Position;
}

/** The bounds as scripts and views read them; `null` is what is not known. */
export interface Roofline {
  /** All bounds, as they are drawn. */
  readonly bars: readonly Bar[];
  /** The bound that explains most of the kernel's cycles. */
  readonly binds: string;
  /** The same for a list of kernels: with its share of the kernel's cycles. */
  readonly binds_words: string;
  readonly critical_path_cycles: number;
  readonly hbm_bytes: number | null;
  readonly hbm_bytes_a_cycle: number;
  readonly hbm_cycles: number | null;
  readonly multiply_accumulate_cycles: number | null;
  readonly multiply_accumulates: number | null;
  /** What the machine does in a cycle, by element type. */
  readonly multiply_accumulates_a_cycle: Readonly<Record<string, unknown>>;
  readonly sentence: string;
}

/** What a kernel takes whose loops are not unrolled to their end. */
export interface Runs {
  readonly high: number | null;
  readonly loops: readonly Loop[];
  /** The fewest cycles of all runs; null where run time decides how often a loop runs. */
  readonly low: number | null;
  /** Cycles with the runs that are scheduled. */
  readonly scheduled: number;
  readonly sentence: string;
}

/** When the transfers of a function run. */
export interface Schedule {
  readonly slots: readonly Slot[];
  readonly total: number;
}

/** How the search for changes went. */
export interface Searched {
  readonly limit: number;
  /** The two changes that save most together. */
  readonly pair: Proposal | null;
  readonly stopped: boolean;
  readonly tried: number;
}

/** One run of a transfer. */
export interface Slot {
  readonly end: number;
  readonly lane: string;
  readonly start: number;
  /** Its place among the function's transfers, from 0. */
  readonly transfer: number;
  readonly waits: readonly SlotWait[];
}

/** What a lane waited for before a run. */
export interface SlotWait {
  readonly cause: string;
  /** The lane that ends the wait, if it is shown. */
  readonly lane: string | null;
  readonly until: number;
}

export interface Stage {
  readonly cycles: number | null;
  readonly element_type: string | null;
  readonly engine: string | null;
  readonly flits: number | null;
  readonly iterations: number | null;
  readonly method: string;
  readonly packet: string | null;
  readonly packet_bytes: number | null;
  readonly slice: string | null;
  readonly time: string | null;
  readonly way: number | null;
}

/** What one transfer moves. */
export interface Transfer {
  readonly by: string | null;
  readonly bytes: Quantity;
  readonly direction: string;
  readonly lane: string | null;
  readonly line: number;
  readonly notes: readonly string[];
  readonly rows: Quantity;
  readonly run: Quantity;
  readonly time: number | null;
  readonly times: Quantity;
  readonly what: string;
  readonly written: Quantity;
}

export interface Unresolved {
  readonly range: Range;
  readonly reason: string;
}

export interface Wait {
  readonly cause: string;
  readonly operation: number;
  readonly tensor: string | null;
}

export interface Document {
  /** What could not be read, so that its kernels are missing here. */
  readonly errors?: readonly string[];
  readonly kernels: readonly Kernel[];
  /** What functions in other languages than Rust move. */
  readonly transfers?: readonly FunctionTransfers[];
  readonly version: number;
}
