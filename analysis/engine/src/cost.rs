//! What kernels cost, as plain data: cycles by operation and stage, the schedule, memory over time, what would save most.
//!
//! Takes the simulation's numbers and the rules' proposals and places them in files; computes no cycle itself. Every
//! figure is a prediction from the book's model. A kernel with an operation that could not be followed has no total, and
//! says why.

mod assumptions;
pub mod data;
pub mod rows;
mod runs;
mod stages;
mod transfers;

use self::assumptions::kernel_assumptions;
pub use self::runs::runs_of;
use self::runs::runs_row;
pub use self::transfers::transfer_costs;

use crate::check::{
    all_time_findings, function_derivation, function_simulation, function_simulation_by,
};
use crate::db::{AnalysisDatabase, Db};
use crate::derivation::conventions::Conventions;
use crate::hardware::Model;
use crate::inputs::SourceFile;
use crate::items::ItemId;
use crate::items::functions_of_file;
use crate::kernel::Body;
use crate::lanes::Lane;
use crate::lowering::body;
use crate::places::Places;
use crate::report::UnresolvedPlace;
use crate::rules::Group;
use crate::simulation::roofline::derive_roofline;
use crate::simulation::{BodySimulation, total_bounds};
use crate::threads::{PARALLEL_THRESHOLD, join};

pub use data::{
    CalibratedRow, CalibratedTotal, EngineRow, IdleRow, KernelCost, LoopRow, MemoryRow,
    OperationRow, OverfullRow, Proposal, RunsRow, Searched, StageRow, WaitRow,
};
pub use rows::{overfull_rows, tier_name};

/// Proposals that a cost names at most.
const PROPOSALS: usize = 3;

/// A proposal saves at least one part in so many of the kernel.
const LEAST_PART: u64 = 100;

/// What the kernels of a file cost, in the order of the file.
pub fn kernel_costs(db: &AnalysisDatabase, file: SourceFile) -> Vec<KernelCost> {
    let mut places = Places::new(db);
    functions_of_file(db, file)
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
    let proposals = function_proposals(db, function, places);
    cost.map(|cost| KernelCost { proposals, ..cost })
}

/// What one kernel costs; `None` for a function that is none.
pub fn kernel_cost_of(db: &dyn Db, function: ItemId) -> Option<KernelCost> {
    kernel_cost(db, function, &mut Places::new(db))
}

/// The operations of a function that need not be a kernel, in program order.
pub fn operations_of(db: &dyn Db, function: ItemId) -> Vec<OperationRow> {
    let body = body(db, function);
    let derivation = function_derivation(db, function);
    let names = rows::Names::of(&body, &derivation);
    let simulation = function_simulation(db, function);
    let calibrated = function_simulation_by(db, function, Model::Schedule);
    rows::operation_rows(
        db,
        &body,
        (&simulation, &calibrated),
        &names,
        &mut Places::new(db),
    )
}

/// The tensors of a function that need not be a kernel, in the order in which they are made.
pub fn memory_of(db: &dyn Db, function: ItemId) -> Vec<MemoryRow> {
    let body = body(db, function);
    let derivation = function_derivation(db, function);
    let names = rows::Names::of(&body, &derivation);
    let simulation = function_simulation(db, function);
    rows::memory_rows(&body, &simulation, &names, &mut Places::new(db))
}

fn kernel_cost(db: &dyn Db, function: ItemId, places: &mut Places<'_>) -> Option<KernelCost> {
    let cost = cost_without_proposals(db, function, places)?;
    let proposals = function_proposals(db, function, places);
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
    let rows = rows::operation_rows(db, &body, (simulation, &calibrated), &names, places);
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
            rows::idle_rows(simulation, &names)
        } else {
            Vec::new()
        },
        critical_path: if known {
            schedule.critical_path().iter().map(|id| id.0).collect()
        } else {
            Vec::new()
        },
        memory: rows::memory_rows(&body, simulation, &names, places),
        peak: known.then_some(simulation.memory.peak),
        overfull: if known {
            rows::overfull_rows(simulation)
        } else {
            Vec::new()
        },
        proposals: Vec::new(),
        roofline: derive_roofline(&body, &derivation, simulation),
        searched: None,
        assumptions: kernel_assumptions(&body, simulation),
        unresolved: unresolved_places(&body, simulation, places),
    })
}

fn function_proposals(db: &dyn Db, function: ItemId, places: &mut Places<'_>) -> Vec<Proposal> {
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

fn unresolved_places(
    body: &Body,
    simulation: &BodySimulation,
    places: &mut Places<'_>,
) -> Vec<UnresolvedPlace> {
    let gaps = simulation.gaps.iter().filter_map(|gap| {
        let (_, range) = places.range(gap.span).or_else(|| places.range(body.span))?;
        Some(UnresolvedPlace {
            what: crate::rules::text_at_span(places.db(), gap.span),
            reason: gap.reason.clone(),
            said_once: false,
            counts: true,
            range,
        })
    });
    gaps.collect()
}

#[cfg(test)]
mod tests;
