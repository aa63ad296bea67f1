//! What a change of one operation would be worth: the same derivation, cost and schedule, asked about a changed copy.
//!
//! Performance rules carry these numbers. A change is given as what it does to a pass; every run of a loop around the
//! operation, and every call of a helper that holds it, changes with it, as they do when its text is changed.

use std::sync::Arc;

use crate::derivation::{BodyDerivation, OperationDerivation, derive_operation};
use crate::hardware::Target;
use crate::kernel::{Body, Operation, OperationId, OperationKind, Pass, StageKind};

use super::schedule::Variation;
use super::{BodySimulation, OperationCost, StageCost, operation_cost, pass, schedule};

/// Cycles before and after a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Effect {
    /// Cycles of one run of the operation, before and after.
    pub operation: (u64, u64),
    /// Cycles of the whole body, before and after; `None` where it has no total.
    pub body: Option<(u64, u64)>,
}

/// A body with everything that is known of it.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The body.
    pub body: &'a Body,
    /// What the engines make of it.
    pub derivation: &'a BodyDerivation,
    /// What it costs.
    pub simulation: &'a BodySimulation,
    /// The chip.
    pub target: Target,
}

/// An operation's cost after a change, its own cycles known and those of the body not asked for yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// Cycles of one run of the operation, before and after.
    pub operation: (u64, u64),
    id: OperationId,
    cost: OperationCost,
}

impl Changed {
    /// The cycles of the body too: schedules it again.
    pub fn effect(&self, known: Known<'_>) -> Effect {
        Effect {
            operation: self.operation,
            body: rescheduled(known, self.id, &self.cost),
        }
    }
}

/// What a change of a pass would do to its cycles. `None` where the operation is no pass of known cost, or the changed pass
/// breaks a rule of the hardware or cannot be costed.
pub fn what_if(
    known: Known<'_>,
    id: OperationId,
    change: impl FnOnce(&mut Pass),
) -> Option<Changed> {
    let mut changed = known.body.operation(id)?.clone();
    let OperationKind::Pass(pass) = &mut changed.kind else {
        return None;
    };
    change(Arc::make_mut(pass));
    let derived = derive_operation(known.body, &changed, known.target);
    let OperationDerivation::Pass(found) = &derived else {
        return None;
    };
    if !found.is_legal() {
        return None;
    }
    let model = known.simulation.model;
    let cost = operation_cost(known.body, &changed, &derived, known.target, model);
    with_cost(known, id, cost)
}

/// What it would be worth if a pass had these stage costs instead: for changes that reach beyond the pass, whose stages
/// can be counted without building them.
pub fn what_if_stages(known: Known<'_>, id: OperationId, stages: &[StageCost]) -> Option<Changed> {
    let index = usize::try_from(id.0).ok()?;
    let before = known.simulation.operations.get(index)?;
    let OperationKind::Pass(pass) = &known.body.operation(id)?.kind else {
        return None;
    };
    let cost = pass::with_stages(known.body, pass, before, stages.to_vec());
    with_cost(known, id, cost)
}

/// What it would be worth if a pass looked nothing up in a table, its stages as they are. The transfer and the pass that bring the
/// table stay. `None` where the operation is no pass of known cost.
pub fn what_if_without_lookup(known: Known<'_>, id: OperationId) -> Option<Changed> {
    let index = usize::try_from(id.0).ok()?;
    let before = known.simulation.operations.get(index)?;
    let OperationKind::Pass(pass) = &known.body.operation(id)?.kind else {
        return None;
    };
    let mut changed = Pass::clone(pass);
    for stage in &mut changed.stages {
        match &mut stage.kind {
            StageKind::Fetch { table, .. } => *table = false,
            kind @ StageKind::FetchTable => *kind = StageKind::FetchCast,
            _ => {}
        }
    }
    let cost = pass::with_stages(known.body, &changed, before, before.stages.clone());
    with_cost(known, id, cost)
}

fn with_cost(known: Known<'_>, id: OperationId, cost: OperationCost) -> Option<Changed> {
    let index = usize::try_from(id.0).ok()?;
    let before = known.simulation.operations.get(index)?.cycles?;
    Some(Changed {
        operation: (before, cost.cycles?),
        id,
        cost,
    })
}

/// The body's total before, and with other costs of its operations.
pub fn what_if_costs(known: Known<'_>, costs: &[Arc<OperationCost>]) -> Option<(u64, u64)> {
    let before = known.simulation.total()?;
    Some((before, total_with(known, costs)?))
}

fn total_with(known: Known<'_>, costs: &[Arc<OperationCost>]) -> Option<u64> {
    let Known {
        body,
        derivation,
        simulation,
        ..
    } = known;
    let (model, conflicts) = (simulation.model, &simulation.conflicts);
    let occupies = |cost: &OperationCost| (cost.holds_sub, cost.holds_dma);
    let mut pairs = costs.iter().zip(&simulation.operations);
    if pairs.all(|(cost, before)| occupies(cost) == occupies(before)) {
        let cycles = costs.iter().map(|cost| cost.cycles);
        let cycles = cycles.collect::<Option<Vec<u64>>>()?;
        return schedule::total_with_cycles(body, derivation, simulation, &cycles);
    }
    let variation = Variation {
        conflicts: Some(conflicts),
        ..Variation::default()
    };
    schedule::total_varied(body, derivation, costs, model, variation)
}

/// The body's total before, and after all operations at the same place with the same shapes have the changed cost.
fn rescheduled(known: Known<'_>, id: OperationId, changed: &OperationCost) -> Option<(u64, u64)> {
    let operation = known.body.operation(id)?;
    let mut costs = known.simulation.operations.clone();
    let changed = Arc::new(changed.clone());
    for (other, cost) in known.body.operations.iter().zip(&mut costs) {
        if is_same_text(operation, other) {
            *cost = Arc::clone(&changed);
        }
    }
    what_if_costs(known, &costs)
}

/// Whether a change of the text of one pass changes the other alike: another run of a loop or call of a helper.
pub fn is_same_text(one: &Operation, other: &Operation) -> bool {
    let (OperationKind::Pass(left), OperationKind::Pass(right)) = (&one.kind, &other.kind) else {
        return false;
    };
    one.span == other.span
        && left.begin == right.begin
        && left.stages.len() == right.stages.len()
        && left
            .stages
            .iter()
            .zip(&right.stages)
            .all(|(left, right)| left.output == right.output)
}

/// What it would be worth if two passes were one that takes as long as the longer of them; their other runs change with them.
/// `None` where the cycles of one are unknown.
pub fn what_if_one_pass(
    known: Known<'_>,
    first: OperationId,
    second: OperationId,
) -> Option<Effect> {
    let cycles = |id: OperationId| known.simulation.operations.get(id.0 as usize)?.cycles;
    let place = |id: OperationId| Some(known.body.operation(id)?.span);
    let (one, other) = (cycles(first)?, cycles(second)?);
    let (first, second) = (place(first)?, place(second)?);
    let longer = one.max(other);
    Some(Effect {
        operation: (one.checked_add(other)?, longer),
        body: with_cycles(known, |operation, cycles| match operation.span {
            span if span == first => longer,
            span if span == second => 0,
            _ => cycles,
        }),
    })
}

/// The body's total before, and after the transfers at the place of this one take so many cycles. `None` where it has no
/// total or the operation is no transfer.
pub fn after_transfer(known: Known<'_>, id: OperationId, cycles: u64) -> Option<(u64, u64)> {
    let span = known.body.operation(id)?.span;
    with_cycles(known, |operation, before| {
        let is_changed = operation.span == span && matches!(operation.kind, OperationKind::Copy(_));
        before.min(if is_changed { cycles } else { u64::MAX })
    })
}

/// The body's total before, and after its operations take other cycles. `None` where it has none.
fn with_cycles(known: Known<'_>, change: impl Fn(&Operation, u64) -> u64) -> Option<(u64, u64)> {
    let Known {
        body,
        derivation,
        simulation,
        ..
    } = known;
    let before = simulation.total()?;
    let operations = body.operations.iter().zip(&simulation.operations);
    let changed = operations.map(|(operation, cost)| Some(change(operation, cost.cycles?)));
    let changed = changed.collect::<Option<Vec<u64>>>()?;
    let after = schedule::total_with_cycles(body, derivation, simulation, &changed)?;
    Some((before, after))
}
