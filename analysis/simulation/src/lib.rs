//! Time: what an operation costs a stage at a time, how a kernel's operations follow each other, and what is in memory
//! while they run.
//!
//! Every figure is a prediction from the book's model, worked out from the derivations and never by walking elements. It
//! knows cycles, contexts and addresses; it judges nothing and words nothing beyond the detail of a figure. What is unknown
//! stays unknown: an operation that cannot be costed names its gaps, and a kernel with a gap has no total.
//! Rules of the group `performance` read these results, and ask the same functions what a changed operation would cost.
//! It reads derivations. Costs, proposals and editors read it too.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

// The crates below, by the names of their rooms.
use visa_base::lanes;
use visa_base::numbers;
use visa_base::threads;
use visa_derivation as derivation;
use visa_hardware as hardware;
#[cfg(test)]
use visa_inputs::db;
use visa_items as items;
use visa_kernel as kernel;
#[cfg(test)]
use visa_libraries as libraries;
use visa_mapping as mapping;
use visa_transfer as transfer;

/// The texts of the fixtures, as the crate that parses them reads them.
#[cfg(test)]
#[path = "../../syntax/src/fixture_tests.rs"]
mod fixture_tests;
#[cfg(test)]
#[path = "../../kernel/src/testing.rs"]
mod testing;
#[cfg(test)]
#[path = "../../kernel/src/testing_body.rs"]
mod testing_body;

mod addresses;
pub mod calibrated;
pub mod dma;
pub mod memory;
pub mod overfull;
pub mod overlap;
pub mod pass;
pub mod roofline;
pub mod runs;
pub mod schedule;
pub mod stage_table;
pub mod trf;
pub mod what_if;

use std::sync::{Arc, LazyLock};

use crate::derivation::content::{Content, operation_content};
use crate::derivation::conventions::Conventions;
use crate::derivation::memo::Memo;
use crate::derivation::{BodyDerivation, OperationDerivation};
use crate::hardware::{CalibrationId, Model, Target};
use crate::items::Span;
use crate::kernel::{Body, Operation, OperationKind};
use crate::threads::par_map;

pub use crate::kernel::Engine;
pub use calibrated::Figure;
use calibrated::ranges::Taken;
pub use dma::DmaCost;
pub use memory::{MemoryTimeline, Occupancy, Peak};
use schedule::Conflicts;
pub use schedule::{Schedule, Slot, Wait, WaitCause, lane_of};
#[cfg(test)]
pub use stage_table::stage_tables;
pub use stage_table::{StageRow, stage_table};
pub use what_if::{
    Changed, Effect, Known, what_if, what_if_costs, what_if_one_pass, what_if_stages,
    what_if_without_lookup,
};

/// What one stage of an operation costs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageCost {
    /// The engine.
    pub engine: Engine,
    /// The stage's number in the pass; `None` for a pass's end and the stages of a transfer.
    pub stage: Option<usize>,
    /// Cycles that the engine is busy; `None` if something it depends on is unknown.
    pub busy: Option<u64>,
    /// The same by the schedule of a release with its reason, where the schedule counts more than the formula.
    pub scheduled: Option<(u64, &'static str)>,
    /// Cycles that its output trails its input, beyond being busy.
    pub latency: u64,
    /// How `busy` is worked out, as a formula over the names of `inputs`: `ring * time * packet / 32`.
    pub formula: &'static str,
    /// The formula's inputs with their values.
    pub inputs: Vec<(&'static str, u64)>,
    /// The derived configuration or pattern, as the book writes it: `[256:65536, 256:1]:256`; may be empty.
    pub detail: String,
    /// The book's heading that gives the formula.
    pub heading: &'static str,
}

impl StageCost {
    /// Cycles that the engine is busy by the model of its operation: the figure of every table. `None` if unknown.
    pub fn cycles(&self) -> Option<u64> {
        self.scheduled.map(|(cycles, _)| cycles).or(self.busy)
    }
}

/// What an operation costs.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct OperationCost {
    /// Its stages in order.
    pub stages: Vec<StageCost>,
    /// Cycles from its start to its end, by the model that was asked for; `None` if a stage is unknown.
    pub cycles: Option<u64>,
    /// The same by the book: the largest busy time of the stages that overlap, plus what does not overlap.
    pub book: Option<u64>,
    /// The same by the schedule of a release, with bounds, where that was asked for.
    pub figure: Option<Figure>,
    /// The slowest stage, as an index into `stages`: none has more [`StageCost::cycles`].
    pub bottleneck: Option<usize>,
    /// A transfer's pattern in memory.
    pub dma: Option<DmaCost>,
    /// While it runs, no DMA transfer starts: bank starvation, or the set-up of a custom switch (book: Compiler scheduling
    /// behavior, Configuration Overhead).
    pub holds_dma: bool,
    /// While it runs, the sub context waits: the set-up of a custom switch (book: Configuration Overhead).
    pub holds_sub: bool,
    /// What was taken for granted: an HBM parameter's alignment, a sampled access pattern.
    pub assumptions: Vec<String>,
    /// Why a figure is missing.
    pub gaps: Vec<Gap>,
}

/// Something that is in the way of a figure.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Gap {
    /// Why, in a clause: `the address of a is computed`.
    pub reason: String,
    /// Where.
    pub span: Span,
}

/// Everything about the time of one body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodySimulation {
    /// What the figures are made of.
    pub model: Model,
    /// One entry an operation, by operation number.
    pub operations: Vec<Arc<OperationCost>>,
    /// Who runs when.
    pub schedule: Schedule,
    /// What is where and when.
    pub memory: MemoryTimeline,
    /// Everything that is in the way of a total.
    pub gaps: Vec<Gap>,
    /// What each operation must not run beside.
    pub conflicts: Conflicts,
}

impl BodySimulation {
    /// Cycles of the whole body; `None` if there is a gap.
    pub fn total(&self) -> Option<u64> {
        if self.gaps.is_empty() {
            self.schedule.total
        } else {
            None
        }
    }
}

/// The fewest and the most cycles that a schedule is likely to have: the same schedule with the lowest and the highest figure
/// of each operation, and without the arms of branchings that run time decides, and what the order may be off. `None` without a total, by the book, and where
/// an operation is of a kind without evidence: nothing is known of how far off it may be.
pub fn total_bounds(
    body: &Body,
    derivation: &BodyDerivation,
    simulation: &BodySimulation,
) -> Option<(u64, u64)> {
    let total = simulation.total()?;
    let id = model_calibration(body, simulation.model)?;
    let operations = simulation.operations.iter();
    let figures: Vec<&Figure> = operations
        .map(|cost| cost.figure.as_ref().filter(|figure| figure.is_bounded()))
        .collect::<Option<_>>()?;
    let with = |end: fn(&Figure) -> u64, no_arms: bool| {
        let cycles: Vec<u64> = figures.iter().map(|figure| end(figure)).collect();
        schedule::total_with(body, derivation, simulation, &cycles, no_arms)
    };
    // Another order of transfers may turn the two around.
    let low = with(|figure| figure.low, true)?;
    let high = with(|figure| figure.high, false)?;
    // The order of operations is not the compiler's to the cycle, where it has a choice.
    let chooses = !Conventions::of(body.dialect).keeps_order_of_transfers();
    let (below, above) = id.table().kernel.order;
    let part = |cycles: u64, percent: u64| {
        let part = u128::from(cycles) * u128::from(percent) / 100;
        u64::try_from(part).unwrap_or(u64::MAX)
    };
    let (low, high) = if chooses && body.operations.len() > 1 {
        let low = low.saturating_sub(part(low, below));
        (low, high.saturating_add(part(high, above)))
    } else {
        (low, high)
    };
    Some((low.min(total), high.max(total)))
}

/// Simulates one body.
pub fn simulate(
    body: &Body,
    derivation: &BodyDerivation,
    target: Target,
    model: Model,
) -> BodySimulation {
    simulate_watching(body, derivation, target, model, &|| ())
}

/// As [`simulate`], for callers that may lose interest: `pause` is called before each operation and may unwind.
pub fn simulate_watching(
    body: &Body,
    derivation: &BodyDerivation,
    target: Target,
    model: Model,
    pause: &dyn Fn(),
) -> BodySimulation {
    let pairs = body.operations.iter().zip(&derivation.operations);
    let pairs: Vec<_> = pairs.enumerate().collect();
    let operations = par_map(&pairs, pause, |(number, (operation, derived))| {
        let known = derivation.content(*number);
        let key = known.unwrap_or_else(|| operation_content(body, operation, target));
        known_cost(body, operation, derived, (target, model), key)
    });
    let conflicts = Conflicts::default();
    let schedule = schedule::derive(body, derivation, &operations, model, &conflicts);
    let memory = memory::derive_timeline(body, derivation, &schedule);
    let gaps = schedule::total_gaps(body, &operations, model);
    BodySimulation {
        model,
        operations,
        schedule,
        memory,
        gaps,
        conflicts,
    }
}

/// By [`content`] what names no place.
static COSTS: LazyLock<[Memo<Arc<OperationCost>>; 4]> = LazyLock::new(Default::default);

/// The constants that a model takes for a body; `None` for the book's figures.
pub fn model_calibration(body: &Body, model: Model) -> Option<CalibrationId> {
    match model {
        Model::Book => None,
        Model::Schedule => Some(Conventions::of(body.dialect).calibration()),
    }
}

/// What an operation costs that is derived as its body holds it. `key` is what it is made of.
fn known_cost(
    body: &Body,
    operation: &Operation,
    derivation: &OperationDerivation,
    (target, model): (Target, Model),
    key: Content,
) -> Arc<OperationCost> {
    let [book, oldest, older, newer] = &*COSTS;
    let costs = match model_calibration(body, model) {
        None => book,
        Some(CalibrationId::Release0_5_1) => oldest,
        Some(CalibrationId::Release0_6_0) => older,
        Some(CalibrationId::Release0_8_1) => newer,
    };
    if let Some(cost) = costs.get(key) {
        return cost;
    }
    let cost = Arc::new(operation_cost(body, operation, derivation, target, model));
    if cost.gaps.is_empty() {
        costs.keep_answer(key, Arc::clone(&cost));
    }
    cost
}

/// What one operation costs. Pure in its arguments: a rule asks it about a changed operation too.
pub fn operation_cost(
    body: &Body,
    operation: &Operation,
    derivation: &OperationDerivation,
    target: Target,
    model: Model,
) -> OperationCost {
    match (&operation.kind, derivation) {
        (OperationKind::Pass(pass), OperationDerivation::Pass(derived)) => {
            pass::pass_cost(body, pass, derived, target, model)
        }
        (OperationKind::Copy(copy), OperationDerivation::Copy(derived)) => {
            dma::transfer_cost(body, copy, derived, model)
        }
        (OperationKind::Collective(collective), _)
            if let Some(cost) = dma::shuffle_cost(body, collective, model) =>
        {
            cost
        }
        (OperationKind::Collective(collective), _)
            if let Some(taken) = model_calibration(body, model)
                .and_then(|id| calibrated::ranges::of_collective(body, collective, id)) =>
        {
            ranged(taken)
        }
        _ => OperationCost {
            gaps: vec![Gap {
                reason: match model {
                    Model::Book => {
                        "the book gives no cycles of collectives; the schedule model does"
                    }
                    Model::Schedule => "the bytes of the collective are not known",
                }
                .to_owned(),
                span: operation.span,
            }],
            ..OperationCost::default()
        },
    }
}

/// The cost of an operation that has a figure and no stages.
fn ranged((figure, taken): Taken) -> OperationCost {
    OperationCost {
        cycles: Some(figure.cycles),
        figure: Some(figure),
        assumptions: taken.into_iter().collect(),
        ..OperationCost::default()
    }
}

#[cfg(test)]
mod tests;
