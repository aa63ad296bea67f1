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

/** The schedule of a kernel by a release. */
export interface Calibrated {
  /** The release whose schedule it is; `schedule 0.6` in documents. */
  readonly basis: string;
  /** The most that are likely. */
  readonly high: number | null;
  /** The fewest that are likely. */
  readonly low: number | null;
  readonly model: string;
  /** Cycles from its start to its end. */
  readonly total: number | null;
}

/** The schedule of an operation by a release. */
export interface CalibratedOperation {
  /** The release whose schedule it is; `schedule 0.6` in documents. */
  readonly basis: string;
  /** Its slowest engine by the schedule. */
  readonly bottleneck: string | null;
  /** What it is: `load_copies`; `uncalibrated` where there is no evidence and the figure is the book's. */
  readonly class: string;
  /** Cycles. */
  readonly cycles: number;
  /** The most that are likely. */
  readonly high: number | null;
  /** The fewest that are likely; none where there is no evidence. */
  readonly low: number | null;
  /** The median of the errors over those rows: tenths of a percent here, percent in documents; none without rows. */
  readonly median_error: number | null;
  /** Rows of published schedules that the class was compared with. */
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

/** A replacement in a file. */
export interface Edit {
  /** After the last byte that is replaced. */
  readonly end_byte: number;
  /** The file. */
  readonly file: string;
  /** First byte that is replaced. */
  readonly start_byte: number;
  /** By what. */
  readonly text: string;
}

/** What one engine does in an operation. */
export interface Engine {
  /** Cycles that it is busy; none if unknown. */
  readonly cycles: number | null;
  /** The derived configuration. */
  readonly detail: string;
  /** The engine's name. */
  readonly engine: string;
  /** The formula of the cycles. */
  readonly formula: string;
  /** The book's heading. */
  readonly heading: string;
  /** The formula's inputs. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Cycles of latency. */
  readonly latency: number;
  /** The method that asks for it; none where none does. */
  readonly method: string | null;
  /** Whether it is the slowest: the `bottleneck` of its operation. */
  readonly slowest: boolean;
}

/** A stretch of a memory that nothing occupies while something of the kernel runs. */
export interface Free {
  /** First byte, in the slice. */
  readonly address: number;
  /** Bytes. */
  readonly bytes: number;
  /** The memory: `dm`, `trf`, `vrf`. */
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

/** A pause of a context. */
export interface Idle {
  /** The context. */
  readonly context: string;
  /** Cycle after the last. */
  readonly end: number;
  /** First cycle. */
  readonly start: number;
  /** The operation that ends it; none after the last one. */
  readonly until: number | null;
  /** What that operation waits for. */
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

/** A loop with some of its runs scheduled. */
export interface Loop {
  /** The fewest cycles of a further run: those of its busiest context. */
  readonly best: number;
  /** Its file: a helper's may be another one. */
  readonly file: string;
  /** Its keyword. */
  readonly range: Range;
  /** How often it runs; none if that is decided at run time. */
  readonly runs: number | null;
  /** Runs that are scheduled. */
  readonly scheduled: number;
  /** The most: all of its operations one after another. */
  readonly worst: number;
}

/** A tensor in memory. */
export interface Memory {
  /** First byte, in the slice or chip; none if it is no constant. */
  readonly address: number | null;
  /** Where it is assumed to begin, if the library chooses its address; left out of documents where the address is written. */
  readonly assumed_address?: number | null;
  /** Bytes; none if unknown. */
  readonly bytes: number | null;
  /** The file that it is made in: a helper's may be another one. */
  readonly file: string | null;
  /** First cycle. */
  readonly from: number;
  /** Where it is made. */
  readonly range: Range | null;
  /** Its type's mapping, for tools that show it. */
  readonly shape: string;
  /** Its variable, or what made it. */
  readonly tensor: string;
  /** Its memory: `dm`, `trf`, `vrf`, `hbm`. */
  readonly tier: string;
  /** Cycle after the last. */
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

/** An operation of a kernel. */
export interface Operation {
  /** What was taken for granted. */
  readonly assumptions: readonly string[];
  /** Its slowest engine: no row of `engines` has more cycles. */
  readonly bottleneck: string | null;
  /** The schedule by a release, whichever model the other fields are of. */
  readonly calibrated: CalibratedOperation | null;
  /** Where it runs. */
  readonly context: string;
  /** Cycles that it takes; none if unknown. */
  readonly cycles: number | null;
  /** Cycle after the last; none without a schedule. */
  readonly end: number | null;
  /** The file that it is written in: a helper's may be another one. */
  readonly file: string;
  /** Its number, from 0 in program order. */
  readonly id: number;
  /** The runs of the loops around it, outermost first, from 0. */
  readonly loops: readonly number[];
  /** What it does, in the kernel's words: `to_dm lhs`, `commit result`. */
  readonly name: string;
  /** Its method's place. */
  readonly range: Range;
  /** Tensors that it reads. */
  readonly reads: readonly string[];
  /** Its engines. */
  readonly stages: readonly Engine[];
  /** First cycle; none without a schedule. */
  readonly start: number | null;
  /** The place of the statement around it, in the same file. */
  readonly statement: Range;
  /** The stream stage by stage; empty for a transfer. */
  readonly stream: readonly Stage[];
  /** The same with the causes. */
  readonly waits: readonly Wait[];
  /** The operations that it waits for. */
  readonly waits_for: readonly number[];
  /** Tensors that it writes. */
  readonly writes: readonly string[];
}

/** A memory whose peak is above its size. */
export interface Overfull {
  /** Bytes a slice at the peak. */
  readonly bytes: number;
  /** Bytes of the memory, a slice. */
  readonly capacity: number;
  /** The rule that reports it; none where nothing is proven. */
  readonly rule: string | null;
  /** What the figure means. */
  readonly sentence: string;
  /** The memory: `dm`, `trf`, `vrf`. */
  readonly tier: string;
}

/** The most bytes that are occupied at once. */
export interface Peak {
  /** Bytes of DM a slice. */
  readonly dm_bytes: number;
  /** The memories whose peaks are above their sizes. */
  readonly overfull: readonly Overfull[];
  /** Bytes of TRF a slice. */
  readonly trf_bytes: number;
  /** Bytes of VRF a slice. */
  readonly vrf_bytes: number;
}

/** A place in a file. */
export interface Position {
  /** Byte offset in the file's UTF-8 text, its byte-order mark included. */
  readonly byte: number;
  /** The column in characters, from 1. */
  readonly column: number;
  /** The line, from 1. */
  readonly line: number;
}

/** A change that would save cycles: a finding of the group `performance`. */
export interface Proposal {
  /** Cycles of the kernel before and after, where the change was made in a copy and asked about; documents have those after. */
  readonly after: number | null;
  /** Whether it saves something also where the figures of both are at their other ends. */
  readonly certain: boolean;
  /** The replacements that make the whole change; empty where it is given in words. */
  readonly edits: readonly Edit[];
  /** The file. */
  readonly file: string;
  /** What to do. */
  readonly help: string | null;
  /** Its message. */
  readonly message: string;
  /** What it does, where it was searched: `split`, `gather`; none where a rule alone says it. */
  readonly move: string | null;
  /** Where. */
  readonly range: Range;
  /** The rule. */
  readonly rule: string;
  /** Cycles that the kernel would save; none where what is proposed was not simulated. */
  readonly saves: number | null;
}

export type Quantity = number | string | null;

/** A range of a file. */
export interface Range {
  /** After the last byte. */
  readonly end: Position;
  /** The first byte. */
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
  /** The most. */
  readonly high: number | null;
  /** The loops. */
  readonly loops: readonly Loop[];
  /** The fewest cycles of all runs; none where how often a loop runs is decided at run time. */
  readonly low: number | null;
  /** Cycles with the runs that are scheduled. */
  readonly scheduled: number;
  readonly sentence: string;
}

/** When the transfers of a function run. */
export interface Schedule {
  /** All runs, in the order in which the function asks for them. */
  readonly slots: readonly Slot[];
  /** The end of the last. */
  readonly total: number;
}

/** How a search of a kernel went. */
export interface Searched {
  /** The most that were to be tried. */
  readonly limit: number;
  /** The two changes that save most together, as one; none where no second adds anything to the best. */
  readonly pair: Proposal | null;
  /** Whether there were more candidates than were tried. */
  readonly stopped: boolean;
  /** Candidates that were tried. */
  readonly tried: number;
}

/** One run of a transfer, in the unit of its function. */
export interface Slot {
  /** When it has ended. */
  readonly end: number;
  /** Where it runs. */
  readonly lane: string;
  /** When it starts. */
  readonly start: number;
  /** The number of its row, from 0. */
  readonly transfer: number;
  /** What its lane waited for before it, beyond the end of the transfer before. */
  readonly waits: readonly SlotWait[];
}

/** A flag that holds a lane up. */
export interface SlotWait {
  /** What is waited for, as messages write it. */
  readonly cause: string;
  /** The lane that ends the wait, if it has one. */
  readonly lane: string | null;
  /** When that is. */
  readonly until: number;
}

/** The stream behind one stage. */
export interface Stage {
  /** Cycles that the engine is busy. */
  readonly cycles: number | null;
  /** The element type. */
  readonly element_type: string | null;
  /** The engine, where the stage has a cost of its own. */
  readonly engine: string | null;
  /** Flits of a packet, the last one perhaps partly used. */
  readonly flits: number | null;
  /** Iterations. */
  readonly iterations: number | null;
  /** The method: `begin`, `fetch`, …, `commit`. */
  readonly method: string;
  /** The mapping of one iteration; of a tensor at rest its element. */
  readonly packet: string | null;
  /** Bytes of a packet, rounded up. */
  readonly packet_bytes: number | null;
  /** The slices' mapping. */
  readonly slice: string | null;
  /** The mapping of the iterations. */
  readonly time: string | null;
  /** Lanes, inside the Vector Engine: 8 or 4. */
  readonly way: number | null;
}

/** What one transfer moves. */
export interface Transfer {
  /** Who makes its addresses or carries it out, where that is known: a pipe, an engine, a mode. */
  readonly by: string | null;
  /** Bytes that a transfer reads. */
  readonly bytes: Quantity;
  /** From where to where: `GM to UB`, `HBM to SBUF`. */
  readonly direction: string;
  /** The lane that it runs in, where that is known. */
  readonly lane: string | null;
  readonly line: number;
  /** What the figures leave out, or why there are none. */
  readonly notes: readonly string[];
  /** Rows of a transfer, all its loops multiplied. */
  readonly rows: Quantity;
  /** Bytes in a line of a row. */
  readonly run: Quantity;
  /** Time of one transfer in the unit of its function, at least; none without figures. */
  readonly time: number | null;
  /** How often it runs in its function. */
  readonly times: Quantity;
  /** Its name as it is written. */
  readonly what: string;
  /** Bytes that it writes, padding included. */
  readonly written: Quantity;
}

export interface Unresolved {
  readonly range: Range;
  readonly reason: string;
}

/** What an operation waits for. */
export interface Wait {
  /** Why: `read after write`, `context busy`. */
  readonly cause: string;
  /** The other operation's number. */
  readonly operation: number;
  /** The tensor that both touch, if that is why. */
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
