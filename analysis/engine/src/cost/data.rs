//! The rows of a cost, as programs and people read them.
//!
//! Each row exists once: tables, pages and editors read the fields, and JSON is these structs as they are. So the order of the
//! fields, the `serde` names and the sentences of the fields are the document and its schema.

use std::collections::BTreeMap;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use crate::hardware::Model;
use crate::lanes::Lane;
use crate::numbers::thousands;
use crate::report::{FileEdit, Range, UnresolvedPlace};
use crate::simulation::Peak;
use crate::simulation::roofline::Roofline;

/// What a kernel costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelCost {
    /// The kernel's name.
    pub name: String,
    /// Its file.
    pub file: Arc<str>,
    /// Its name's place.
    pub range: Range,
    /// Chips, as `#[device(chip = N)]` says.
    pub chips: Option<u64>,
    /// What cycles and proposals are made of.
    pub model: Model,
    /// What the schedule of a release would say, whichever model the other fields are of.
    pub calibrated: CalibratedTotal,
    /// The same kernel by the book, where the other fields are not.
    pub book: Option<Box<Self>>,
    /// What it takes with some runs of its loops and with each further one, where only loops keep it from a total.
    pub runs: Option<RunsRow>,
    /// Cycles from its start to its end; none if `unresolved` is not empty.
    pub total: Option<u64>,
    /// Cycles that the main context is busy.
    pub main: Option<u64>,
    /// Cycles that the sub context is busy.
    pub sub: Option<u64>,
    /// Cycles that the DMA engines are busy, Tensor DMA and PCIe DMA together.
    pub dma: Option<u64>,
    /// Cycles in which at least two contexts are busy at once.
    pub overlap: Option<u64>,
    /// Cycles of the busiest context: what the same operations would take if nothing else held them.
    pub least: Option<u64>,
    /// Operations in program order, helpers that are called and runs of loops included.
    pub operations: Vec<OperationRow>,
    /// Pauses of the contexts, in the order of contexts and cycles.
    pub idle: Vec<IdleRow>,
    /// The numbers of the operations that decide the total, first to last.
    pub critical_path: Vec<u32>,
    /// What is where and when.
    pub memory: Vec<MemoryRow>,
    /// The most bytes a slice that are occupied at once.
    pub peak: Option<Peak>,
    /// The memories whose peaks are above their sizes, each with the reason.
    pub overfull: Vec<OverfullRow>,
    /// The changes that would save most, the best first.
    pub proposals: Vec<Proposal>,
    /// What bounds it from below; none without a total.
    pub roofline: Option<Roofline>,
    /// How the search for them went; none where only the rules were asked.
    pub searched: Option<Searched>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// Why there is no total.
    pub unresolved: Vec<UnresolvedPlace>,
}

/// The schedule of a kernel by a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct CalibratedTotal {
    /// Cycles from its start to its end.
    pub total: Option<u64>,
    /// The fewest that are likely.
    pub low: Option<u64>,
    /// The most that are likely.
    pub high: Option<u64>,
    /// The release whose schedule it is; `schedule 0.6` in documents.
    #[serde(rename = "basis", serialize_with = "schedule_of")]
    pub release: &'static str,
}

/// The schedule of an operation by a release.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "CalibratedOperation")]
pub struct CalibratedRow {
    /// Cycles.
    pub cycles: u64,
    /// The fewest that are likely; none where there is no evidence.
    pub low: Option<u64>,
    /// The most that are likely.
    pub high: Option<u64>,
    /// Its slowest engine by the schedule.
    pub bottleneck: Option<&'static str>,
    /// The release whose schedule it is; `schedule 0.6` in documents.
    #[serde(rename = "basis", serialize_with = "schedule_of")]
    pub release: &'static str,
    /// What it is: `load_copies`; `uncalibrated` where there is no evidence and the figure is the book's.
    pub class: &'static str,
    /// Rows of published schedules that the class was compared with.
    pub samples: u64,
    /// The median of the errors over those rows: tenths of a percent here, percent in documents; none without rows.
    #[serde(serialize_with = "percent")]
    #[schemars(with = "Option<f64>")]
    pub median_error: Option<u64>,
}

/// An operation of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Operation")]
pub struct OperationRow {
    /// Its number, from 0 in program order.
    pub id: u32,
    /// What it does, in the kernel's words: `to_dm lhs`, `commit result`.
    pub name: String,
    /// Where it runs.
    #[serde(rename = "context")]
    #[schemars(with = "&'static str")]
    pub lane: Lane,
    /// The file that it is written in: a helper's may be another one.
    pub file: Arc<str>,
    /// Its method's place.
    pub range: Range,
    /// The place of the statement around it, in the same file.
    pub statement: Range,
    /// The statement's text, for tools that show it; white space joined.
    #[serde(skip)]
    pub source: String,
    /// The runs of the loops around it, outermost first, from 0.
    pub loops: Vec<u64>,
    /// First cycle; none without a schedule.
    pub start: Option<u64>,
    /// Cycle after the last; none without a schedule.
    pub end: Option<u64>,
    /// Cycles that it takes; none if unknown.
    pub cycles: Option<u64>,
    /// The schedule by a release, whichever model the other fields are of.
    pub calibrated: Option<CalibratedRow>,
    /// Its slowest engine: no row of `engines` has more cycles.
    pub bottleneck: Option<&'static str>,
    /// Its engines.
    #[serde(rename = "stages")]
    pub engines: Vec<EngineRow>,
    /// What it waits for, the last to end first; documents list the operations alone as well.
    #[serde(flatten, serialize_with = "waits")]
    #[schemars(with = "Waits<'static>")]
    pub waits: Vec<WaitRow>,
    /// Tensors that it reads.
    pub reads: Vec<String>,
    /// Tensors that it writes.
    pub writes: Vec<String>,
    /// The numbers of the tensors in `KernelCost::memory` that it reads.
    #[serde(skip)]
    pub reads_memory: Vec<usize>,
    /// The numbers of the tensors in `KernelCost::memory` that it writes.
    #[serde(skip)]
    pub writes_memory: Vec<usize>,
    /// The stream stage by stage; empty for a transfer.
    #[serde(rename = "stream")]
    pub stages: Vec<StageRow>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
}

/// What one engine does in an operation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Engine")]
pub struct EngineRow {
    /// The engine's name.
    pub engine: &'static str,
    /// The method that asks for it; none where none does.
    pub method: Option<String>,
    /// Cycles that it is busy; none if unknown.
    pub cycles: Option<u64>,
    /// Whether it is the slowest: the `bottleneck` of its operation.
    #[serde(rename = "slowest")]
    pub is_slowest: bool,
    /// Cycles of latency.
    pub latency: u64,
    /// The derived configuration.
    pub detail: String,
    /// The formula of the cycles.
    pub formula: &'static str,
    /// The formula's inputs.
    #[serde(serialize_with = "inputs_by_name")]
    #[schemars(with = "BTreeMap<String, u64>")]
    pub inputs: Vec<(&'static str, u64)>,
    /// The book's heading.
    pub heading: &'static str,
}

/// What an operation waits for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Wait")]
pub struct WaitRow {
    /// The other operation's number.
    pub operation: u32,
    /// Why: `read after write`, `context busy`.
    pub cause: &'static str,
    /// The tensor that both touch, if that is why.
    pub tensor: Option<String>,
}

/// A pause of a context.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Idle")]
pub struct IdleRow {
    /// The context.
    #[serde(rename = "context")]
    #[schemars(with = "&'static str")]
    pub lane: Lane,
    /// First cycle.
    pub start: u64,
    /// Cycle after the last.
    pub end: u64,
    /// The operation that ends it; none after the last one.
    pub until: Option<u32>,
    /// What that operation waits for.
    pub wait: Option<WaitRow>,
}

/// A tensor in memory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Memory")]
pub struct MemoryRow {
    /// Its variable, or what made it.
    pub tensor: String,
    /// Its memory: `dm`, `trf`, `vrf`, `hbm`.
    pub tier: &'static str,
    /// First byte, in the slice or chip; none if it is no constant.
    pub address: Option<u64>,
    /// Where it is assumed to begin, if the library chooses its address; left out of documents where the address is written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assumed_address: Option<u64>,
    /// Bytes; none if unknown.
    pub bytes: Option<u64>,
    /// Its type's mapping, for tools that show it.
    pub shape: String,
    /// First cycle.
    pub from: u64,
    /// Cycle after the last.
    pub to: u64,
    /// The file that it is made in: a helper's may be another one.
    pub file: Option<Arc<str>>,
    /// Where it is made.
    pub range: Option<Range>,
}

impl MemoryRow {
    /// Where it is drawn: at its address, or where it is assumed to begin.
    pub fn place(&self) -> Option<u64> {
        self.address.or(self.assumed_address)
    }
}

/// A memory whose peak is above its size.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Overfull")]
pub struct OverfullRow {
    /// The memory: `dm`, `trf`, `vrf`.
    pub tier: &'static str,
    /// Bytes a slice at the peak.
    pub bytes: u64,
    /// Bytes of the memory, a slice.
    pub capacity: u64,
    /// The rule that reports it; none where nothing is proven.
    pub rule: Option<&'static str>,
    /// What the figure means.
    pub sentence: String,
}

/// A change that would save cycles: a finding of the group `performance`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Proposal {
    /// The rule.
    pub rule: &'static str,
    /// Its message.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Cycles that the kernel would save; none where what is proposed was not simulated.
    pub saves: Option<u64>,
    /// The file.
    pub file: Arc<str>,
    /// Where.
    pub range: Range,
    /// What it does, where it was searched: `split`, `gather`; none where a rule alone says it.
    #[serde(rename = "move")]
    pub by: Option<&'static str>,
    /// Cycles of the kernel before and after, where the change was made in a copy and asked about; documents have those after.
    #[serde(rename = "after", serialize_with = "cycles_after")]
    #[schemars(with = "Option<u64>")]
    pub total: Option<(u64, u64)>,
    /// Whether it saves something also where the figures of both are at their other ends.
    #[serde(rename = "certain")]
    pub is_certain: bool,
    /// The replacements that make the whole change; empty where it is given in words.
    pub edits: Vec<FileEdit>,
}

/// How a search of a kernel went.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Searched {
    /// Candidates that were tried.
    pub tried: usize,
    /// The most that were to be tried.
    pub limit: usize,
    /// Whether there were more candidates than were tried.
    pub stopped: bool,
    /// The two changes that save most together, as one; none where no second adds anything to the best.
    pub pair: Option<Proposal>,
}

impl Searched {
    /// Of a kernel in a file whose other kernels took all candidates that are tried of a file.
    pub(crate) const fn not_at_all() -> Self {
        Self {
            tried: 0,
            limit: 0,
            stopped: true,
            pair: None,
        }
    }

    /// How far it went, in a sentence.
    pub fn sentence(&self) -> String {
        if self.limit == 0 {
            return "not searched: the file has many kernels that take longer".to_owned();
        }
        let tried = thousands(self.tried as u64);
        let words = if self.tried == 1 {
            "candidate"
        } else {
            "candidates"
        };
        if self.stopped {
            format!(
                "searched {tried} {words}, stopped at the limit of {}",
                thousands(self.limit as u64)
            )
        } else {
            format!("searched {tried} {words}")
        }
    }
}

/// The stream behind one stage.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Stage")]
pub struct StageRow {
    /// The method: `begin`, `fetch`, …, `commit`.
    pub method: String,
    /// The element type.
    pub element_type: Option<&'static str>,
    /// The slices' mapping.
    pub slice: Option<String>,
    /// The mapping of the iterations.
    pub time: Option<String>,
    /// The mapping of one iteration; of a tensor at rest its element.
    pub packet: Option<String>,
    /// Iterations.
    pub iterations: Option<u64>,
    /// Bytes of a packet, rounded up.
    pub packet_bytes: Option<u64>,
    /// Flits of a packet, the last one perhaps partly used.
    pub flits: Option<u64>,
    /// Lanes, inside the Vector Engine: 8 or 4.
    pub way: Option<u64>,
    /// The engine, where the stage has a cost of its own.
    pub engine: Option<&'static str>,
    /// Cycles that the engine is busy.
    pub cycles: Option<u64>,
}

/// A kernel whose loops are not unrolled to their end.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Runs")]
pub struct RunsRow {
    /// Cycles with the runs that are scheduled.
    pub scheduled: u64,
    /// The fewest cycles of all runs; none where how often a loop runs is decided at run time.
    pub low: Option<u64>,
    /// The most.
    pub high: Option<u64>,
    /// The loops.
    pub loops: Vec<LoopRow>,
}

/// A loop with some of its runs scheduled.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "Loop")]
pub struct LoopRow {
    /// Its file: a helper's may be another one.
    pub file: Arc<str>,
    /// Its keyword.
    pub range: Range,
    /// Runs that are scheduled.
    pub scheduled: u64,
    /// How often it runs; none if that is decided at run time.
    pub runs: Option<u64>,
    /// The fewest cycles of a further run: those of its busiest context.
    pub best: u64,
    /// The most: all of its operations one after another.
    pub worst: u64,
}

impl RunsRow {
    /// `30,000 to 40,000 cycles: 2,900 with 3 runs of the loop in line 7, 350 to 410 for each further one`.
    pub fn sentence(&self) -> String {
        let between = |low: u64, high: u64| {
            if low == high {
                thousands(low)
            } else {
                format!("{} to {}", thousands(low), thousands(high))
            }
        };
        let all = match (self.low, self.high) {
            (Some(low), Some(high)) => format!("{} cycles: ", between(low, high)),
            _ => "cycles unknown: ".to_owned(),
        };
        let mut text = format!("{all}{} with ", thousands(self.scheduled));
        let mut further = Vec::new();
        let loops: Vec<String> = self
            .loops
            .iter()
            .map(|one| {
                further.push(between(one.best, one.worst));
                let line = one.range.start.line;
                let runs = if one.scheduled == 1 { "run" } else { "runs" };
                let of = one
                    .runs
                    .map_or_else(String::new, |all| format!(" of {}", thousands(all)));
                format!("{}{of} {runs} of the loop in line {line}", one.scheduled)
            })
            .collect();
        let behind = if further.len() == 1 {
            ""
        } else {
            ", in this order"
        };
        let (loops, further) = (loops.join(" and "), further.join(" and "));
        text.push_str(&format!("{loops}, {further} for each further one{behind}"));
        text
    }
}

/// What an operation waits for, as documents have it.
#[derive(Serialize, JsonSchema)]
struct Waits<'a> {
    /// The operations that it waits for.
    waits_for: Vec<u32>,
    /// The same with the causes.
    waits: &'a [WaitRow],
}

fn waits<S: Serializer>(waits: &[WaitRow], serializer: S) -> Result<S::Ok, S::Error> {
    let waits_for = waits.iter().map(|wait| wait.operation).collect();
    Waits { waits_for, waits }.serialize(serializer)
}

fn schedule_of<S: Serializer>(release: &str, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("schedule {release}"))
}

/// Tenths of a percent as percent.
#[expect(clippy::ref_option, reason = "serde gives a reference")]
fn percent<S: Serializer>(tenths: &Option<u64>, serializer: S) -> Result<S::Ok, S::Error> {
    let percent = tenths.map(|tenths| tenths as f64 / 10.0);
    percent.serialize(serializer)
}

/// The inputs of a formula, in the order of their names.
fn inputs_by_name<S: Serializer>(
    inputs: &[(&'static str, u64)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    let by_name: BTreeMap<&str, u64> = inputs.iter().copied().collect();
    by_name.serialize(serializer)
}

#[expect(clippy::ref_option, reason = "serde gives a reference")]
fn cycles_after<S: Serializer>(
    total: &Option<(u64, u64)>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    total.map(|(_, after)| after).serialize(serializer)
}
