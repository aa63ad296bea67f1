//! Kernels that leave most of the machine idle: slices, or a whole cluster.

use std::sync::Arc;

use crate::derivation::OperationDerivation;
use crate::hardware::Machine;
use crate::items::Span;
use crate::kernel::{Body, Operation, OperationKind, Pass, PassEnd, StreamShape, Written};
use crate::mapping::Mapping;
use crate::simulation::{OperationCost, pass, what_if_costs};

use super::super::{Checked, Finding, Rule, Saving, rule};
use super::MANY_CYCLES;

pub(crate) static IDLE_CLUSTER: Rule = rule!(
    "idle_cluster",
    Performance,
    Schedule,
    "Size Constraint",
    "most of a kernel's cycles are passes that use one of the two clusters",
    "A chip has two clusters of 256 slices, and a pass can run on both at once. `1 # 2` leaves the second one idle \
     during the pass. An axis split over the clusters (`A / n` of 2 positions) halves the iterations. Reported on a \
     kernel that spends three quarters of its cycles on passes on one cluster, with iterations to split. Kernels that \
     mostly wait for transfers, and savings of less than 500 cycles, are left alone.",
);

pub(crate) static IDLE_SLICES: Rule = rule!(
    "idle_slices",
    Performance,
    Schedule,
    "Size Constraint",
    "most of a kernel's cycles are passes that use a quarter of the 256 slices or fewer",
    "Each slice has its own DM, MAC array and Vector Engine, and all 256 work in step. Slices that hold padding are \
     idle during the pass. Spread an axis of the time over the slices; half the iterations on twice the slices take \
     half the cycles. Reported on a kernel that spends three quarters of its cycles on passes on at most 64 slices, \
     with iterations to spread. Kernels that mostly wait for transfers, and savings of less than 500 cycles, are left \
     alone.",
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&IDLE_CLUSTER, &IDLE_SLICES];

/// So many times as many slices are many.
const MANY_TIMES: u64 = 4;

pub(in super::super) fn check_machine_performance(
    checked: &Checked<'_>,
    findings: &mut Vec<Finding>,
) {
    if checked.body.device.is_none() {
        return;
    }
    let machine = checked.body.machine;
    let idle = |factor: fn(Machine, &StreamShape) -> Option<u64>| mostly(checked, factor);
    if let Some(found) = idle(idle_clusters) {
        findings.push(found.idle_finding(
            &IDLE_CLUSTER,
            |shape| &shape.cluster,
            "one of the two clusters works for most of the kernel",
        ));
    }
    if let Some(found) = idle(idle_slices) {
        let slices = live_positions(&found.shape.slice).unwrap_or(machine.slices);
        findings.push(found.idle_finding(
            &IDLE_SLICES,
            |shape| &shape.slice,
            &format!(
                "{slices} of the {} slices work for most of the kernel",
                machine.slices
            ),
        ));
    }
}

/// Positions that hold something.
fn live_positions(mapping: &Written<Mapping>) -> Option<u64> {
    let mapping = mapping.get()?;
    (!mapping.is_opaque()).then(|| mapping.form().live_size())
}

/// How many times as many clusters there are.
fn idle_clusters(machine: Machine, shape: &StreamShape) -> Option<u64> {
    (machine.clusters > 1 && live_positions(&shape.cluster)? == 1).then_some(machine.clusters)
}

/// How many times as many slices there are, if that is many.
fn idle_slices(machine: Machine, shape: &StreamShape) -> Option<u64> {
    let live = live_positions(&shape.slice)?;
    (live <= machine.slices / MANY_TIMES).then(|| machine.slices / live.max(1))
}

/// Passes that leave a part of the machine idle for most of a kernel.
struct Mostly {
    /// The longest one's shape.
    shape: StreamShape,
    /// Where it begins.
    begin: Span,
    /// Cycles of the passes as they are and spread out; of the kernel.
    saving: Saving,
}

impl Mostly {
    fn idle_finding(
        self,
        rule: &'static Rule,
        level: fn(&StreamShape) -> &Written<Mapping>,
        what: &str,
    ) -> Finding {
        let before = self.saving.operation_before;
        let (total, _) = self.saving.kernel.unwrap_or((before, before));
        let written = level(&self.shape);
        let finding = Finding::new(
            rule,
            written.span,
            format!("{what}: {before} of its {total} cycles"),
        )
        .saves(self.saving)
        .related(self.begin, "the longest of these passes");
        match written.used_at {
            Some(used) => finding.related(used, "used here"),
            None => finding,
        }
    }
}

/// A pass that has a factor of the machine idle and iterations to spread over it.
struct Idle<'a> {
    number: usize,
    pass: &'a Pass,
    span: Span,
    cycles: u64,
    factor: u64,
}

impl<'a> Idle<'a> {
    fn of(
        number: usize,
        operation: &'a Operation,
        cost: &OperationCost,
        factor: fn(Machine, &StreamShape) -> Option<u64>,
    ) -> Option<Self> {
        let OperationKind::Pass(pass) = &operation.kind else {
            return None;
        };
        // Loads of register files have no work of their own to spread.
        let commits = matches!(
            pass.end,
            PassEnd::Commit { .. } | PassEnd::CommitView { .. }
        );
        let cycles = cost.cycles.filter(|_| commits)?;
        let factor =
            least_factor(pass, factor).filter(|factor| fewest_iterations(pass) >= *factor)?;
        Some(Self {
            number,
            pass,
            span: operation.span,
            cycles,
            factor,
        })
    }
}

/// The passes that have a factor of the machine idle and iterations to spread over it, if they are most of the kernel.
fn mostly(
    checked: &Checked<'_>,
    factor: fn(Machine, &StreamShape) -> Option<u64>,
) -> Option<Mostly> {
    let known = checked.as_known();
    let total = known.simulation.total()?;
    let operations = checked.body.operations.iter();
    let derived = &checked.derivation().operations;
    let costs = known.simulation.operations.iter();
    let idle = operations.zip(derived).zip(costs).enumerate();
    let idle: Vec<Idle<'_>> = idle
        .filter_map(|(number, ((operation, derived), cost))| {
            let OperationDerivation::Pass(derived) = derived else {
                return None;
            };
            let found = Idle::of(number, operation, cost, factor)?;
            derived.is_legal().then_some(found)
        })
        .collect();
    let all = |passes: &[Idle<'_>]| {
        passes
            .iter()
            .fold(0_u64, |sum, pass| sum.saturating_add(pass.cycles))
    };
    // What they take spread out is worked out where they are most of the kernel.
    if all(&idle) < total / 4 * 3 {
        return None;
    }
    let mut costs = known.simulation.operations.clone();
    let mut longest: Option<(u64, &Pass, Span)> = None;
    let (mut before, mut after) = (0_u64, 0_u64);
    for Idle {
        number,
        pass,
        span,
        cycles,
        factor,
    } in idle
    {
        let Some(cost) = costs.get_mut(number) else {
            continue;
        };
        let Some(spread) = spread_cost(known.body, pass, cost, factor) else {
            continue;
        };
        before = before.saturating_add(cycles);
        after = after.saturating_add(spread.cycles.unwrap_or(cycles));
        if longest.is_none_or(|(most, ..)| most < cycles) {
            longest = Some((cycles, pass, span));
        }
        *cost = Arc::new(spread);
    }
    let (_, pass, begin) = longest?;
    if before < total / 4 * 3 {
        return None;
    }
    let kernel = what_if_costs(known, &costs)?;
    if kernel.0.saturating_sub(kernel.1) < MANY_CYCLES {
        return None;
    }
    Some(Mostly {
        shape: pass.begin.clone(),
        begin,
        saving: Saving {
            operation_before: before,
            operation_after: after,
            kernel: Some(kernel),
            simulated: false,
        },
    })
}

/// The least factor over a pass's stream: copies made on the way keep slices busy too.
fn least_factor(pass: &Pass, factor: fn(Machine, &StreamShape) -> Option<u64>) -> Option<u64> {
    let outputs = pass.stages.iter().map(|stage| &stage.output);
    outputs
        .chain([&pass.begin])
        .map(|shape| factor(pass.machine, shape))
        .try_fold(u64::MAX, |least, factor| Some(least.min(factor?)))
        .filter(|factor| *factor > 1)
}

/// The fewest iterations on the way through a pass.
fn fewest_iterations(pass: &Pass) -> u64 {
    let times = pass
        .stages
        .iter()
        .filter_map(|stage| stage.output.time.get());
    times.map(Mapping::size).min().unwrap_or(1)
}

/// The cost with each stage's work spread over so many times the slices or clusters.
fn spread_cost(
    body: &Body,
    pass: &Pass,
    cost: &OperationCost,
    factor: u64,
) -> Option<OperationCost> {
    let mut stages = cost.stages.clone();
    for stage in &mut stages {
        stage.busy = Some(stage.busy?.div_ceil(factor));
    }
    Some(pass::with_stages(body, pass, cost, stages)).filter(|cost| cost.cycles.is_some())
}
