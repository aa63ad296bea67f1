//! The ways of tensors through the memories: detours, journeys in many small parts, and journeys between chips.
//!
//! Each of these needs several transfers at once, so a rule that looks at one transfer cannot see it. A detour is proven only if the first
//! transfer's result has a single reader and its source is unchanged until then; otherwise the shorter way would read something else. The
//! cycles before and after come from one model: a published figure beside one of the book would compare two clocks.

use std::sync::Arc;

use crate::dma_performance::{CHIP_TRANSFER, DMA_MANY_SMALL, DMA_UNNECESSARY_HOP};
use rustc_hash::FxHashMap;

use crate::items::Span;
use crate::kernel::{Body, Copy as Transfer, Operation, OperationKind, Origin, TensorId, Tier};
use crate::simulation::dma::{DmaCost, PCIE_BYTES, START_CYCLES, alternatives};
use crate::simulation::what_if::{Known, what_if_costs};

use super::super::{Checked, Finding, Saving};
use super::{SAVED_CYCLES, is_too_large, is_worth};

/// Transfers of parts that are worth joining.
const PARTS: usize = 6;
/// Cycles of data of a part that is small beside the 500 of its start.
const SMALL_DATA_CYCLES: u64 = 250;
/// The share of a slice's DM that a tensor loaded whole may take: a quarter.
const DM_SHARE: u64 = 4;

/// A transfer of known cost.
struct Trip<'a> {
    operation: &'a Operation,
    copy: &'a Transfer,
    cost: &'a DmaCost,
}

/// Checks the transfers of a body against each other.
pub(super) fn check_journeys(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    let trips: Vec<Trip<'_>> = checked
        .body
        .operations
        .iter()
        .zip(&checked.simulation().operations)
        .filter_map(|(operation, cost)| match (&operation.kind, &cost.dma) {
            (OperationKind::Copy(copy), Some(cost)) => Some(Trip {
                operation,
                copy,
                cost,
            }),
            _ => None,
        })
        .collect();
    // The runs of a loop are alike: the first one speaks for all.
    let places = grouped_by_key(trips.iter().map(|trip| (trip.copy.span, trip)));
    let first_runs = places.iter().filter_map(|(_, group)| group.first());
    findings.extend(first_runs.filter_map(|trip| hop(checked, &trips, trip)));
    findings.extend(many_small(checked, &trips));
    findings.extend(between_chips(checked));
}

/// A tensor that one transfer writes and only the next one reads.
fn hop(checked: &Checked<'_>, trips: &[Trip<'_>], second: &Trip<'_>) -> Option<Finding> {
    let body = checked.body;
    let middle = body.tensor(second.copy.source)?;
    let Origin::Operation(maker) = middle.origin else {
        return None;
    };
    // Operations are in the order of their numbers.
    let made = trips.binary_search_by_key(&maker, |trip| trip.operation.id);
    let first = trips.get(made.ok()?)?;
    if first.copy.target != middle.id || !passes_through(checked, first, second) {
        return None;
    }
    let (source, target) = (
        body.tensor(first.copy.source)?,
        body.tensor(second.copy.target)?,
    );
    let ids = [first.copy.source, middle.id, second.copy.target];
    if source.tier == Tier::Host
        || target.tier == Tier::Host
        || ids.into_iter().any(|id| is_too_large(body, id))
    {
        return None;
    }
    // Whether a transfer inside of DM repeats anything is not known: what it may repeat is not stored from fewer places.
    if source.tier == Tier::Dm
        && middle.levels.position_count()? > source.levels.position_count()?
    {
        return None;
    }
    let direct = alternatives::cost_between(body, source, target, checked.model, |_, _| {})?;
    // A figure without evidence is the book's: the two that it takes the place of are compared by the book as well.
    let known = |cost: &DmaCost| cost.figure.is_none_or(|figure| figure.class.is_some());
    let alike = known(&direct);
    let cycles = |cost: &DmaCost| if alike { cost.cycles } else { cost.book_cycles };
    let before = cycles(first.cost).checked_add(cycles(second.cost))?;
    let after = cycles(&direct);
    if !is_worth(before, after) {
        return None;
    }
    let name = |id: TensorId| body.tensor(id).and_then(|tensor| tensor.name.clone());
    let named =
        |id: TensorId| name(id).map_or_else(|| "the tensor".to_owned(), |name| format!("`{name}`"));
    let middle_name = named(middle.id);
    let finding = Finding::new(
        &DMA_UNNECESSARY_HOP,
        second.copy.span,
        format!(
            "{middle_name} only passes through {}: two transfers take {before} cycles, one from {} takes {after}",
            memory_name(middle.tier),
            memory_name(source.tier)
        ),
    )
    .help(format!("transfer {} directly to its destination", named(first.copy.source)))
    .related(first.copy.span, "the first transfer")
    .saves(Saving {
        operation_before: before,
        operation_after: after,
        kernel: total_when_joined(checked.as_known(), &[first, second], after),
        simulated: true,
    });
    Some(finding)
}

const fn memory_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Host => "the host",
        Tier::Hbm => "HBM",
        Tier::Dm => "DM",
        Tier::Trf => "the TRF",
        Tier::Vrf => "the VRF",
        Tier::Spm => "the scratchpad",
    }
}

/// Whether the second transfer alone reads what the first one writes, and nothing else writes it or outlives the body.
fn passes_through(checked: &Checked<'_>, first: &Trip<'_>, second: &Trip<'_>) -> bool {
    let memory = &checked.derivation().memory;
    let Some((allocation, lifetime)) = memory
        .lifetimes
        .iter()
        .enumerate()
        .find(|(_, lifetime)| lifetime.tensor == first.copy.target)
    else {
        return false;
    };
    let others = memory
        .touches
        .iter()
        .enumerate()
        .any(|(operation, touches)| {
            touches.iter().any(|touch| {
                let own = if touch.writes { first } else { second };
                touch.allocation == allocation && operation != own.operation.id.0 as usize
            })
        });
    // What the source holds must be the same when the second transfer would read it.
    let source_kept = memory
        .touches
        .iter()
        .enumerate()
        .all(|(operation, touches)| {
            let between = (first.operation.id.0 as usize + 1..second.operation.id.0 as usize)
                .contains(&operation);
            !between || touches.iter().all(|touch| !touch.writes)
        });
    let same_runs = first.operation.loops == second.operation.loops
        && first.operation.branches == second.operation.branches;
    !lifetime.outlives_body && !others && source_kept && same_runs
}

/// The tensor that a view is taken of.
fn base_tensor(body: &Body, id: TensorId) -> TensorId {
    let mut current = id;
    // A view is made after what it is taken of, so the chain ends; the bound holds for any input.
    for _ in 0..=body.tensors.len() {
        match body.tensor(current).map(|tensor| &tensor.origin) {
            Some(Origin::View { of, .. }) => current = *of,
            _ => break,
        }
    }
    current
}

/// Things by what they have in common, in the order of the first of each.
fn grouped_by_key<K: Copy + Eq + std::hash::Hash, T>(
    things: impl IntoIterator<Item = (K, T)>,
) -> Vec<(K, Vec<T>)> {
    let mut places = FxHashMap::<K, usize>::default();
    let mut groups: Vec<(K, Vec<T>)> = Vec::new();
    for (key, thing) in things {
        let place = *places.entry(key).or_insert_with(|| {
            groups.push((key, Vec::new()));
            groups.len() - 1
        });
        if let Some((_, group)) = groups.get_mut(place) {
            group.push(thing);
        }
    }
    groups
}

/// Cycles of a transfer that no byte takes, by the model that its cycles are of.
fn start_cycles(cost: &DmaCost) -> u64 {
    let Some(figure) = cost.figure.filter(|figure| figure.class.is_some()) else {
        return START_CYCLES;
    };
    let table = &figure.calibration.table().transfer;
    let start = if cost.engines > 1 {
        table.load_start
    } else {
        table.load_start_one_engine
    };
    start.min(cost.cycles)
}

/// Groups of transfers of parts of one tensor whose start-up is most of them.
fn many_small(checked: &Checked<'_>, trips: &[Trip<'_>]) -> Vec<Finding> {
    let body = checked.body;
    let mut parts = Vec::new();
    for trip in trips {
        let whole = base_tensor(body, trip.copy.source);
        let is_part = whole != trip.copy.source;
        let makes = body.tensor(trip.copy.target).is_some_and(|target| {
            target.tier == Tier::Dm && matches!(target.origin, Origin::Operation(_))
        });
        if is_part && makes && alternatives::data_cycles(trip.cost) < SMALL_DATA_CYCLES {
            parts.push((whole, trip));
        }
    }
    grouped_by_key(parts)
        .into_iter()
        .filter_map(|(whole, group)| joined_finding(checked, whole, &group))
        .collect()
}

fn joined_finding(checked: &Checked<'_>, whole: TensorId, group: &[&Trip<'_>]) -> Option<Finding> {
    let body = checked.body;
    if group.len() < PARTS {
        return None;
    }
    let first = group.first()?;
    let part = body.tensor(first.copy.target)?;
    let bits = part.element_type.value?.bits();
    let count = group.len() as u64;
    let bytes = part
        .levels
        .element
        .get()?
        .size()
        .checked_mul(bits)?
        .div_ceil(8)
        .checked_mul(count)?;
    if bytes > body.machine.dm_bytes / DM_SHARE {
        return None;
    }
    let start = start_cycles(first.cost);
    let before: u64 = group.iter().map(|trip| trip.cost.cycles).sum();
    let data = before.checked_sub(start.checked_mul(count)?)?;
    let after = start.checked_add(data)?;
    let (total, changed) = total_when_joined(checked.as_known(), group, after)?;
    if !is_worth(total, changed) {
        return None;
    }
    let name = body
        .tensor(whole)
        .and_then(|tensor| tensor.name.clone())
        .map_or_else(|| "one tensor".to_owned(), |name| format!("`{name}`"));
    Some(
        Finding::new(
            &DMA_MANY_SMALL,
            first.copy.span,
            format!(
                "{count} transfers of parts of {name} take {before} cycles, {} of them to start; one transfer of the whole takes \
                 {after}",
                start.saturating_mul(count)
            ),
        )
        .note(format!("the kernel takes {total} cycles, {changed} with the change"))
        .help("load the whole before the loop and take tiles of it")
        .saves(Saving {
            operation_before: before,
            operation_after: after,
            kernel: Some((total, changed)),
            simulated: true,
        }),
    )
}

/// The body's total, and the total if only the first run of the transfer at a place were made.
fn total_when_once(known: Known<'_>, span: Span) -> Option<(u64, u64)> {
    let mut costs = known.simulation.operations.clone();
    let runs = known.body.operations.iter().zip(&mut costs);
    let at_place = runs.filter(|(operation, _)| match &operation.kind {
        OperationKind::Copy(copy) => copy.span == span,
        OperationKind::Collective(collective) => collective.span == span,
        OperationKind::Pass(_) => false,
    });
    for (_, cost) in at_place.skip(1) {
        Arc::make_mut(cost).cycles = Some(0);
    }
    what_if_costs(known, &costs)
}

/// The body's total, and the total if the first transfer of the group made all of them.
fn total_when_joined(known: Known<'_>, group: &[&Trip<'_>], cycles: u64) -> Option<(u64, u64)> {
    let mut costs = known.simulation.operations.clone();
    for (number, trip) in group.iter().enumerate() {
        let cost = costs.get_mut(trip.operation.id.0 as usize)?;
        Arc::make_mut(cost).cycles = Some(if number == 0 { cycles } else { 0 });
    }
    what_if_costs(known, &costs)
}

/// Transfers and shuffles between chips within loops.
fn between_chips(checked: &Checked<'_>) -> Vec<Finding> {
    let body = checked.body;
    let mut runs = Vec::new();
    for (operation, cost) in body.operations.iter().zip(&checked.simulation().operations) {
        let (ids, span) = match &operation.kind {
            OperationKind::Copy(copy) => (vec![copy.source, copy.target], copy.span),
            OperationKind::Collective(collective) => (collective.sources.clone(), collective.span),
            OperationKind::Pass(_) => continue,
        };
        let is_host = |id: &TensorId| {
            body.tensor(*id)
                .is_none_or(|tensor| tensor.tier == Tier::Host)
        };
        if let Some(cost) = &cost.dma
            && cost.link_bytes > 0
            && !operation.loops.is_empty()
            && !ids.iter().any(is_host)
        {
            runs.push((span, cost));
        }
    }
    let word = |(span, group): (Span, Vec<&DmaCost>)| {
        let first = group.first()?;
        let link = first.link_bytes.div_ceil(PCIE_BYTES);
        let decides = link > first.read.cycles().max(first.write.cycles());
        let runs = group.len() as u64;
        let all = link.saturating_mul(runs);
        if runs < 2 || !decides || all < SAVED_CYCLES {
            return None;
        }
        Some(
            Finding::new(
                &CHIP_TRANSFER,
                span,
                format!(
                    "each run of the loop moves {} bytes over a link between chips, {PCIE_BYTES} bytes a cycle: {all} cycles in \
                     {runs} runs, {link} if they were moved once",
                    first.link_bytes
                ),
            )
            .help("move the data once before the loop, or split it over chips so that each keeps its own")
            .saves(Saving {
                operation_before: all,
                operation_after: link,
                kernel: total_when_once(checked.as_known(), span),
                simulated: true,
            }),
        )
    };
    grouped_by_key(runs).into_iter().filter_map(word).collect()
}
