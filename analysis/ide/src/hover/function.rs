//! The page of a function: what a kernel costs, or which kernels reach a helper.

use std::sync::Arc;

use crate::check::{function_derivation, function_simulation};
use crate::cost::rows::Names;
use crate::cost::{KernelCost, runs_of};
use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::items::{ItemId, ItemKind, Span, is_inside};
use crate::kernel::Body;
use crate::lanes::Lane;
use crate::lowering::{body, callgraph};
use crate::numbers::thousands;
use crate::simulation::BodySimulation;
use crate::syntax::without_raw;

use super::super::operations::operation_methods;
use super::operation::distinct;
use super::page::{Page, code, counted, line_of, markdown_table, percent_text, prose};
use super::saving::{best, larger, searched_of_kernel};

/// Operations of the critical path that are named.
const PATH: usize = 8;
/// Reasons for a missing total that are shown.
const REASONS: usize = 5;
/// Kernels that are named.
const KERNELS: usize = 5;

/// The page of a function by the name that it is declared with; `None` for one that neither is a kernel nor does anything with
/// tensors. `searched` are the costs of kernels with what a search found of them.
pub(super) fn function_page(
    db: &dyn Db,
    function: ItemId,
    name: &str,
    searched: &[&KernelCost],
) -> Option<String> {
    let declared = function.name(db);
    let plain = without_raw(name);
    if function.kind(db) != ItemKind::Function || &*declared != plain {
        return None;
    }
    let body = body(db, function);
    if body.device.is_some() {
        return Some(kernel_page(db, function, &body, searched));
    }
    helper_page(db, function, &body)
}

fn kernel_page(db: &dyn Db, function: ItemId, body: &Body, searched: &[&KernelCost]) -> String {
    let simulation = function_simulation(db, function);
    let total = simulation.total();
    let words = match total {
        Some(total) => format!("{} predicted", counted(total, "cycle")),
        None => runs_of(db, function)
            .map_or_else(|| "cycles unknown".to_owned(), |runs| runs.sentence()),
    };
    let mut page = Page::headed(format!("kernel **{}**: {words}", code(&body.name)));
    match total {
        Some(total) => {
            let by_rules = best(db, function, None, function.file(db));
            let file = function.file(db).path(db);
            let own = |cost: &&&KernelCost| cost.name == body.name && cost.file == file;
            let by_search = searched.iter().find(own);
            let by_search = by_search.and_then(|cost| searched_of_kernel(cost));
            let saving = larger(by_rules, by_search);
            let cause =
                longest_operation(&function_derivation(db, function), body, &simulation, total);
            page.add_lines(&cause.into_iter().chain(saving).collect::<Vec<_>>());
            page.add(contexts(&simulation, total));
            page.add_lines(&facts(&simulation, total));
            page.add(critical_path_text(db, function, body, &simulation, total));
            page.add(peaks(&simulation));
        }
        None => {
            page.add_list("No total, because", &reasons(db, function, &simulation));
        }
    }
    let assumptions = simulation.operations.iter();
    let assumptions = assumptions.flat_map(|cost| &cost.assumptions);
    page.add_list("Assumes", &distinct(assumptions));
    page.into_markdown()
}

/// The operation that takes most of the chain that decides the total.
fn longest_operation(
    derivation: &Arc<BodyDerivation>,
    body: &Body,
    simulation: &BodySimulation,
    total: u64,
) -> Option<String> {
    let names = Names::of(body, derivation);
    let path = simulation.schedule.critical_path().into_iter();
    let slots = path.filter_map(|id| simulation.schedule.slot(id));
    let longest = slots.max_by_key(|slot| (slot.cycles(), std::cmp::Reverse(slot.operation)))?;
    let operation = body.operation(longest.operation)?;
    Some(format!(
        "Most of it: {}, {} ({})",
        code(&names.operation(operation)),
        counted(longest.cycles(), "cycle"),
        percent_text(longest.cycles(), total)
    ))
}

fn contexts(simulation: &BodySimulation, total: u64) -> String {
    let schedule = &simulation.schedule;
    let dma = schedule
        .busy(Lane::TENSOR_DMA)
        .saturating_add(schedule.busy(Lane::PCIE_DMA));
    let rows: Vec<Vec<String>> = [
        ("main", schedule.busy(Lane::MAIN)),
        ("sub", schedule.busy(Lane::SUB)),
        ("dma", dma),
    ]
    .into_iter()
    .map(|(context, busy)| {
        vec![
            context.to_owned(),
            thousands(busy),
            percent_text(busy, total),
        ]
    })
    .collect();
    markdown_table(&["context", "busy cycles", "share"], 1, &rows)
}

fn facts(simulation: &BodySimulation, total: u64) -> Vec<String> {
    let schedule = &simulation.schedule;
    let least = schedule.least_total();
    vec![
        format!(
            "Overlap: {} with two contexts or more at work",
            counted(schedule.overlap(), "cycle")
        ),
        format!(
            "Lower bound with perfect overlap: {} (-{})",
            counted(least, "cycle"),
            thousands(total.saturating_sub(least))
        ),
    ]
}

/// The operations that decide the total in their order, those of one name as one.
fn critical_path_text(
    db: &dyn Db,
    function: ItemId,
    body: &Body,
    simulation: &BodySimulation,
    total: u64,
) -> Option<String> {
    let derivation = function_derivation(db, function);
    let names = Names::of(body, &derivation);
    let mut steps: Vec<(String, u64, u64)> = Vec::new();
    for id in simulation.schedule.critical_path() {
        let name = names.operation(body.operation(id)?);
        let cycles = simulation.schedule.slot(id)?.cycles();
        match steps.iter_mut().find(|(other, ..)| *other == name) {
            Some((_, sum, runs)) => {
                *sum = sum.saturating_add(cycles);
                *runs += 1;
            }
            None => steps.push((name, cycles, 1)),
        }
    }
    if steps.is_empty() {
        return None;
    }
    let shown: Vec<String> = steps
        .iter()
        .take(PATH)
        .map(|(name, cycles, runs)| {
            let runs = if *runs > 1 {
                format!(" x{runs}")
            } else {
                String::new()
            };
            format!(
                "{}{runs}, {} ({})",
                code(name),
                counted(*cycles, "cycle"),
                percent_text(*cycles, total)
            )
        })
        .collect();
    let mut page = Page::default();
    let rest = steps.len().saturating_sub(PATH);
    page.add_list("Critical path:", &shown);
    if rest > 0 {
        page.add(format!("and {rest} more"));
    }
    Some(page.into_markdown())
}

fn peaks(simulation: &BodySimulation) -> String {
    let peak = simulation.memory.peak;
    let machine = simulation.memory.machine;
    let rows: Vec<Vec<String>> = [
        ("DM", peak.dm_bytes, machine.dm_bytes),
        ("TRF", peak.trf_bytes, machine.trf_bytes),
        ("VRF", peak.vrf_bytes, machine.vrf_bytes),
    ]
    .into_iter()
    .map(|(memory, bytes, capacity)| {
        vec![
            memory.to_owned(),
            thousands(bytes),
            thousands(capacity),
            if bytes > capacity {
                "too much".to_owned()
            } else {
                percent_text(bytes, capacity)
            },
        ]
    })
    .collect();
    let mut text = markdown_table(&["peak a slice", "bytes", "of", "share"], 1, &rows);
    for overfull in &simulation.memory.overfull {
        text.push_str(&format!("\n\nNote: {}.", overfull.sentence()));
    }
    text
}

fn reasons(db: &dyn Db, function: ItemId, simulation: &BodySimulation) -> Vec<String> {
    let file = function.file(db);
    let mut reasons: Vec<String> = simulation
        .gaps
        .iter()
        .take(REASONS)
        .map(|gap| format!("{} ({})", prose(&gap.reason), line_of(db, gap.span, file)))
        .collect();
    let rest = simulation.gaps.len().saturating_sub(REASONS);
    if rest > 0 {
        reasons.push(format!("and {rest} more"));
    }
    reasons
}

fn helper_page(db: &dyn Db, function: ItemId, body: &Body) -> Option<String> {
    let kernels = callgraph::kernels_reaching(db, function);
    if kernels.is_empty() && body.operations.is_empty() && body.tensors.is_empty() {
        return None;
    }
    let mut page = Page::headed(format!("function **{}**", code(&body.name)));
    let file = function.file(db);
    let mut lines: Vec<String> = kernels
        .iter()
        .take(KERNELS)
        .map(|kernel| {
            let place = line_of(db, crate::lowering::body(db, *kernel).span, file);
            let share = share_of(db, *kernel, function);
            format!("{} ({place}): {share}", code(&kernel.name(db)))
        })
        .collect();
    if kernels.len() > KERNELS {
        lines.push(format!("and {} more", kernels.len() - KERNELS));
    }
    if lines.is_empty() {
        let operations = counted(body.operations.len() as u64, "operation");
        page.add(format!("{operations}; no kernel reaches it."));
    }
    page.add_list("In the kernels that reach it:", &lines);
    Some(page.into_markdown())
}

/// What the operations that are written in a function, or in what it calls, take in a kernel, all calls together.
fn share_of(db: &dyn Db, kernel: ItemId, function: ItemId) -> String {
    let body = body(db, kernel);
    let simulation = function_simulation(db, kernel);
    let inside = |span: Span| is_inside(db, span, function);
    let own: Vec<Option<u64>> = body
        .operations
        .iter()
        .zip(&simulation.operations)
        .filter(|(operation, _)| {
            operation_methods(operation).any(|(span, _)| inside(span))
                || operation.calls.iter().any(|call| inside(*call))
        })
        .map(|(_, cost)| cost.cycles)
        .collect();
    let operations = counted(own.len() as u64, "operation");
    let cycles = own
        .into_iter()
        .try_fold(0_u64, |sum, cycles| sum.checked_add(cycles?));
    match cycles {
        Some(cycles) => format!("{operations}, {}", counted(cycles, "cycle")),
        None => format!("{operations}, cycles unknown"),
    }
}
