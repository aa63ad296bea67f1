//! What kernels cost, as plain data: cycles by operation and stage, the schedule, memory over time, what would save most.
//!
//! Takes the simulation's numbers and the rules' proposals and places them in files; computes no cycle itself. Every
//! figure is a prediction from the book's model. A kernel with an operation that could not be followed has no total, and
//! says why.

mod assumptions;
pub(crate) mod rows;
mod runs;
mod stages;
mod transfers;

use self::assumptions::assumptions;
pub(crate) use self::runs::runs_of;
use self::runs::runs_row;
pub use self::runs::{LoopRow, RunsRow};
pub use self::transfers::transfer_costs;

use std::sync::Arc;

use crate::check::{
    all_time_findings, function_derivation, function_simulation, function_simulation_by, functions,
};
use crate::db::{AnalysisDatabase, Db};
use crate::derivation::conventions::Conventions;
use crate::hardware::Model;
use crate::inputs::SourceFile;
use crate::items::ItemId;
use crate::kernel::{Body, body};
use crate::lanes::Lane;
use crate::numbers::thousands;
use crate::places::Places;
use crate::report::{FileEdit, Range, UnresolvedPlace};
use crate::rules::Group;
use crate::simulation::roofline::{Roofline, roofline};
use crate::simulation::{BodySimulation, Peak, total_bounds};
use crate::threads::{PARALLEL_THRESHOLD, join};

pub(crate) use rows::{overfull, tier as tier_name};
pub use stages::StageRow;

/// Proposals that a cost names at most.
const PROPOSALS: usize = 3;

/// A proposal saves at least one part in so many of the kernel.
const LEAST_PART: u64 = 100;

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
    /// Cycles from its start to its end; `None` if `unresolved` is not empty.
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
    /// What bounds it from below; `None` without a total.
    pub roofline: Option<Roofline>,
    /// How the search for them went; none where only the rules were asked.
    pub searched: Option<Searched>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
    /// Why there is no total.
    pub unresolved: Vec<UnresolvedPlace>,
}

/// What the schedule of a release says of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalibratedTotal {
    /// The release.
    pub release: &'static str,
    /// Cycles from its start to its end.
    pub total: Option<u64>,
    /// The fewest that are likely.
    pub low: Option<u64>,
    /// The most that are likely.
    pub high: Option<u64>,
}

/// What the schedule of a release says of an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CalibratedRow {
    /// Cycles.
    pub cycles: u64,
    /// The fewest that are likely; `None` where there is no evidence.
    pub low: Option<u64>,
    /// The most that are likely.
    pub high: Option<u64>,
    /// Its slowest engine.
    pub bottleneck: Option<&'static str>,
    /// The release.
    pub release: &'static str,
    /// What it is: `load_copies`; `uncalibrated` where there is no evidence and the figure is the book's.
    pub class: &'static str,
    /// Rows of published schedules that the class was compared with.
    pub samples: u64,
    /// The median of the errors over those rows, in tenths of a percent; `None` without rows.
    pub median_error: Option<u64>,
}

/// An operation of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OperationRow {
    /// Its number, from 0 in program order.
    pub id: u32,
    /// What it does, in the kernel's words: `to_dm lhs`, `commit result`.
    pub name: String,
    /// Where it runs.
    pub lane: Lane,
    /// The file that it is written in: a helper's may be another one.
    pub file: Arc<str>,
    /// Its method's place.
    pub range: Range,
    /// The place of the statement around it, in the same file.
    pub statement: Range,
    /// The statement's text, for tools that show it; white space joined.
    pub source: String,
    /// The runs of the loops around it, outermost first, from 0.
    pub loops: Vec<u64>,
    /// First cycle; `None` without a schedule.
    pub start: Option<u64>,
    /// Cycle after the last; `None` without a schedule.
    pub end: Option<u64>,
    /// Cycles that it takes; `None` if unknown.
    pub cycles: Option<u64>,
    /// What the schedule of a release says, whichever model the other fields are of.
    pub calibrated: Option<CalibratedRow>,
    /// Its slowest engine: no row of `engines` has more cycles.
    pub bottleneck: Option<&'static str>,
    /// Its engines.
    pub engines: Vec<EngineRow>,
    /// What it waits for, the last to end first.
    pub waits: Vec<WaitRow>,
    /// Tensors that it reads.
    pub reads: Vec<String>,
    /// Tensors that it writes.
    pub writes: Vec<String>,
    /// The numbers of the tensors in `KernelCost::memory` that it reads.
    pub reads_memory: Vec<usize>,
    /// The numbers of the tensors in `KernelCost::memory` that it writes.
    pub writes_memory: Vec<usize>,
    /// The stream stage by stage; empty for a transfer.
    pub stages: Vec<StageRow>,
    /// What was taken for granted.
    pub assumptions: Vec<String>,
}

/// What one engine does in an operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EngineRow {
    /// The engine's name.
    pub engine: &'static str,
    /// The method that asks for it; `None` where none does.
    pub method: Option<String>,
    /// Cycles that it is busy; `None` if unknown.
    pub cycles: Option<u64>,
    /// Whether it is the slowest: the `bottleneck` of its operation.
    pub is_slowest: bool,
    /// Cycles of latency.
    pub latency: u64,
    /// The formula of the cycles.
    pub formula: &'static str,
    /// The formula's inputs.
    pub inputs: Vec<(&'static str, u64)>,
    /// The derived configuration.
    pub detail: String,
    /// The book's heading.
    pub heading: &'static str,
}

/// What an operation waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WaitRow {
    /// The other operation's number.
    pub operation: u32,
    /// Why: `read after write`, `context busy`.
    pub cause: &'static str,
    /// The tensor that both touch, if that is why.
    pub tensor: Option<String>,
}

/// A pause of a context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleRow {
    /// The context.
    pub lane: Lane,
    /// First cycle.
    pub start: u64,
    /// Cycle after the last.
    pub end: u64,
    /// The operation that ends it; `None` behind the last one.
    pub until: Option<u32>,
    /// What that operation waits for.
    pub wait: Option<WaitRow>,
}

/// A tensor in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryRow {
    /// Its variable, or what made it.
    pub tensor: String,
    /// Its memory: `dm`, `trf`, `vrf`, `hbm`.
    pub tier: &'static str,
    /// First byte, in the slice or chip; `None` if it is no constant.
    pub address: Option<u64>,
    /// Where it is assumed to begin, if the library chooses its address.
    pub assumed_address: Option<u64>,
    /// Bytes; `None` if unknown.
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
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverfullRow {
    /// The memory: `dm`, `trf`, `vrf`.
    pub tier: &'static str,
    /// Bytes a slice at the peak.
    pub bytes: u64,
    /// Bytes of the memory, a slice.
    pub capacity: u64,
    /// The rule that reports it; `None` where nothing is proven.
    pub rule: Option<&'static str>,
    /// What the figure means.
    pub sentence: String,
}

/// A change that would save cycles: a finding of the group `performance`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The rule.
    pub rule: &'static str,
    /// What it says.
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
    pub by: Option<&'static str>,
    /// Cycles of the kernel before and after, where the change was made in a copy and asked about.
    pub total: Option<(u64, u64)>,
    /// Whether it saves something also where the figures of both are at their other ends.
    pub is_certain: bool,
    /// The replacements that make the whole change; empty where it is given in words.
    pub edits: Vec<FileEdit>,
}

/// How a search of a kernel went.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searched {
    /// Candidates that were tried.
    pub tried: usize,
    /// The most that were to be tried.
    pub limit: usize,
    /// Whether there were more candidates than were tried.
    pub stopped: bool,
    /// The two changes that save most together, as one; `None` where no second adds anything to the best.
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

/// What the kernels of a file cost, in the order of the file.
pub fn kernel_costs(db: &AnalysisDatabase, file: SourceFile) -> Vec<KernelCost> {
    let mut places = Places::new(db);
    functions(db, file)
        .into_iter()
        .filter_map(|function| {
            let body = body(db, function);
            if body.device.is_some() && body.operations.len() >= PARALLEL_THRESHOLD {
                return large_kernel_cost(db, function, &mut places);
            }
            kernel_cost(db, function, &mut places)
        })
        .collect()
}

/// As [`kernel_cost`], on two threads.
fn large_kernel_cost(
    db: &AnalysisDatabase,
    function: ItemId,
    places: &mut Places<'_>,
) -> Option<KernelCost> {
    // Both threads need it first.
    let _ = function_simulation(db, function);
    let beside = db.clone();
    let find = move || {
        let _ = all_time_findings(&beside, function);
    };
    let (cost, ()) = join(|| cost_without_proposals(db, function, places), find);
    let proposals = proposals(db, function, places);
    cost.map(|cost| KernelCost { proposals, ..cost })
}

/// What one kernel costs; `None` for a function that is none.
pub(crate) fn kernel_cost_of(db: &dyn Db, function: ItemId) -> Option<KernelCost> {
    kernel_cost(db, function, &mut Places::new(db))
}

/// The operations of a function that need not be a kernel, in program order.
pub(crate) fn operations_of(db: &dyn Db, function: ItemId) -> Vec<OperationRow> {
    let body = body(db, function);
    let derivation = function_derivation(db, function);
    let names = rows::Names::of(&body, &derivation);
    let simulation = function_simulation(db, function);
    let calibrated = function_simulation_by(db, function, Model::Schedule);
    rows::operations(
        db,
        &body,
        (&simulation, &calibrated),
        &names,
        &mut Places::new(db),
    )
}

/// The tensors of a function that need not be a kernel, in the order in which they are made.
pub(crate) fn memory_of(db: &dyn Db, function: ItemId) -> Vec<MemoryRow> {
    let body = body(db, function);
    let derivation = function_derivation(db, function);
    let names = rows::Names::of(&body, &derivation);
    let simulation = function_simulation(db, function);
    rows::memory(&body, &simulation, &names, &mut Places::new(db))
}

fn kernel_cost(db: &dyn Db, function: ItemId, places: &mut Places<'_>) -> Option<KernelCost> {
    let cost = cost_without_proposals(db, function, places)?;
    let proposals = proposals(db, function, places);
    Some(KernelCost { proposals, ..cost })
}

fn cost_without_proposals(
    db: &dyn Db,
    function: ItemId,
    places: &mut Places<'_>,
) -> Option<KernelCost> {
    let simulation = function_simulation(db, function);
    let cost = cost_by(db, function, &simulation, places)?;
    let book = match simulation.model {
        Model::Book => None,
        Model::Schedule => {
            let book = function_simulation_by(db, function, Model::Book);
            by_other_model(db, function, &book, &cost, places).map(Box::new)
        }
    };
    Some(KernelCost { book, ..cost })
}

/// The same kernel with the figures of another model.
fn by_other_model(
    db: &dyn Db,
    function: ItemId,
    simulation: &BodySimulation,
    chosen: &KernelCost,
    places: &mut Places<'_>,
) -> Option<KernelCost> {
    let mut rows = chosen.operations.clone();
    let (body, derivation) = (body(db, function), function_derivation(db, function));
    let names = rows::Names::of(&body, &derivation);
    rows::with_figures(&mut rows, simulation, &names);
    let total = chosen.calibrated.clone();
    of_simulation(db, function, simulation, (rows, total), places)
}

fn cost_by(
    db: &dyn Db,
    function: ItemId,
    simulation: &BodySimulation,
    places: &mut Places<'_>,
) -> Option<KernelCost> {
    let body = body(db, function);
    body.device.as_ref()?;
    let derivation = function_derivation(db, function);
    let calibrated = function_simulation_by(db, function, Model::Schedule);
    let names = rows::Names::of(&body, &derivation);
    let rows = rows::operations(db, &body, (simulation, &calibrated), &names, places);
    let bounds = total_bounds(&body, &derivation, &calibrated);
    let total = CalibratedTotal {
        release: Conventions::of(body.dialect).calibration().table().release,
        total: calibrated.total(),
        low: bounds.map(|(low, _)| low),
        high: bounds.map(|(_, high)| high),
    };
    of_simulation(db, function, simulation, (rows, total), places)
}

fn of_simulation(
    db: &dyn Db,
    function: ItemId,
    simulation: &BodySimulation,
    (operations, calibrated): (Vec<OperationRow>, CalibratedTotal),
    places: &mut Places<'_>,
) -> Option<KernelCost> {
    let body = body(db, function);
    let device = body.device.as_ref()?;
    let derivation = function_derivation(db, function);
    let (file, range) = places.range(body.span)?;
    let names = rows::Names::of(&body, &derivation);
    let schedule = &simulation.schedule;
    let known = simulation.total().is_some();
    let scheduled = |value: u64| known.then_some(value);
    let busy = |lane| schedule.busy(lane);
    Some(KernelCost {
        name: body.name.clone(),
        file,
        range,
        chips: device.chips,
        model: simulation.model,
        calibrated,
        book: None,
        runs: runs_row(&body, simulation, places),
        total: simulation.total(),
        main: scheduled(busy(Lane::MAIN)),
        sub: scheduled(busy(Lane::SUB)),
        dma: scheduled(busy(Lane::TENSOR_DMA).saturating_add(busy(Lane::PCIE_DMA))),
        overlap: scheduled(schedule.overlap()),
        least: scheduled(schedule.least_total()),
        operations,
        idle: if known {
            rows::idle(simulation, &names)
        } else {
            Vec::new()
        },
        critical_path: if known {
            schedule.critical_path().iter().map(|id| id.0).collect()
        } else {
            Vec::new()
        },
        memory: rows::memory(&body, simulation, &names, places),
        peak: known.then_some(simulation.memory.peak),
        overfull: if known {
            rows::overfull(simulation)
        } else {
            Vec::new()
        },
        proposals: Vec::new(),
        roofline: roofline(&body, &derivation, simulation),
        searched: None,
        assumptions: assumptions(&body, simulation),
        unresolved: unresolved(&body, simulation, places),
    })
}

fn proposals(db: &dyn Db, function: ItemId, places: &mut Places<'_>) -> Vec<Proposal> {
    let found = all_time_findings(db, function);
    let total = function_simulation(db, function).total();
    let mut proposals: Vec<(u64, Proposal)> = found
        .findings
        .iter()
        .filter_map(|finding| {
            let rule = finding.rule;
            let saving = finding
                .saving
                .filter(|_| rule.group == Group::Performance)?;
            let (file, range) = places.range(finding.span)?;
            let proposal = Proposal {
                rule: rule.name,
                message: finding.message.clone(),
                help: finding.advice(),
                saves: saving.simulated.then(|| saving.cycles()),
                file,
                range,
                by: None,
                total: None,
                is_certain: false,
                edits: Vec::new(),
            };
            Some((saving.cycles(), proposal))
        })
        .filter(|(cycles, proposal)| *cycles > 0 && is_worth_a_line(proposal.saves, total))
        .collect();
    proposals.sort_by_key(|(cycles, proposal)| {
        (std::cmp::Reverse(*cycles), proposal.range, proposal.rule)
    });
    proposals.truncate(PROPOSALS);
    proposals
        .into_iter()
        .map(|(_, proposal)| proposal)
        .collect()
}

/// Whether a proposal saves as much as is worth its line of a kernel: one part in so many, where both are known.
fn is_worth_a_line(saves: Option<u64>, total: Option<u64>) -> bool {
    match (saves, total) {
        (Some(saves), Some(total)) => saves.saturating_mul(LEAST_PART) >= total,
        _ => true,
    }
}

fn unresolved(
    body: &Body,
    simulation: &BodySimulation,
    places: &mut Places<'_>,
) -> Vec<UnresolvedPlace> {
    let gaps = simulation.gaps.iter().filter_map(|gap| {
        let (_, range) = places.range(gap.span).or_else(|| places.range(body.span))?;
        Some(UnresolvedPlace {
            what: crate::rules::what(places.db(), gap.span),
            reason: gap.reason.clone(),
            said_once: false,
            counts: true,
            range,
        })
    });
    gaps.collect()
}
