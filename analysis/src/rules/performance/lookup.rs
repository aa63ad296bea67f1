//! Table lookups that decide how long a pass takes, where the same values can be had without one or without a copy of them.

use crate::derivation::conventions::Conventions;
use crate::derivation::memory::Touch;
use crate::hardware::ElementType;
use crate::hardware::calibration::PassConstants;
use crate::items::Dialect;
use crate::kernel::{OperationKind, PassEnd, PassSource, StageKind, TensorId};
use crate::rules::wording::thousands;
use crate::simulation::calibrated::looked_up_flits;
use crate::simulation::what_if_without_lookup;

use super::super::{Checked, Finding, Rule, rule};
use super::{Costed, weighty_passes, with_estimate, worth};

pub(in crate::rules) static SLOW_LOOKUP: Rule = rule!(
    "slow_lookup",
    Performance,
    Fetch,
    "Type Casting",
    "a table lookup that decides how long a pass takes",
    "Behind a table lookup a pass waits 2.5 cycles for each flit, where the engines take one. The table itself is loaded and put in \
     place by a transfer and a pass of the sub context. A decoded copy that one contraction reads is not needed: the contraction's \
     own fetch can look the elements up. `f8` weights need no lookup at all, where the other operand is split into two `f8` terms. \
     Reported where the pass would be a tenth faster without the lookup, and the kernel 2 % and 100 cycles (without a total, the \
     pass 500 cycles). Not reported where a copy has several readers, and not for 4-bit weights in a contraction.",
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&SLOW_LOOKUP];

pub(in super::super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for costed in weighty_passes(checked) {
        findings.extend(finding(checked, &costed));
    }
}

fn finding(checked: &Checked<'_>, costed: &Costed<'_>) -> Option<Finding> {
    let flits = looked_up_flits(costed.pass).filter(|flits| *flits > 0)?;
    let help = help(checked, costed)?;
    let changed = what_if_without_lookup(costed.known, costed.operation.id)?;
    let saving = worth(costed.known, &changed)?;
    let mut stages = costed.pass.stages.iter();
    let place = stages.find(|stage| stage.kind.looks_up())?;
    let (of_flits, cycles) = constants(checked.body.dialect).lookup;
    let finding = Finding::new(
        &SLOW_LOOKUP,
        place.span,
        format!(
            "the table lookup takes {cycles} cycles for every {of_flits} of {} flits: the pass takes {} cycles, and {} without it",
            thousands(flits),
            thousands(saving.operation_before),
            thousands(saving.operation_after)
        ),
    );
    Some(with_estimate(finding.help(help), saving))
}

fn constants(dialect: Dialect) -> &'static PassConstants {
    &Conventions::of(dialect).calibration().table().pass
}

/// What to do instead; none where nothing is known.
fn help(checked: &Checked<'_>, costed: &Costed<'_>) -> Option<&'static str> {
    let mut stages = costed.pass.stages.iter();
    if stages.any(|stage| matches!(stage.kind, StageKind::Contract)) {
        let PassSource::Tensor(source) = costed.pass.source else {
            return None;
        };
        let element = checked.body.tensor(source)?.element_type.value?;
        let is_f8 = matches!(element, ElementType::F8E4M3 | ElementType::F8E5M2);
        return is_f8.then_some(
            "contract the `f8` elements as they are, with the other operand split into two `f8` terms",
        );
    }
    let PassEnd::Commit { target, .. } = costed.pass.end else {
        return None;
    };
    is_only_contracted(checked, target).then_some(
        "look the elements up in the fetch of the contraction that reads them, instead of committing a decoded copy",
    )
}

/// Whether a tensor has one reader, which contracts it.
fn is_only_contracted(checked: &Checked<'_>, tensor: TensorId) -> bool {
    let memory = &checked.derivation().memory;
    let number = (memory.lifetimes.iter()).position(|lifetime| lifetime.tensor == tensor);
    let reads = |touches: &[Touch]| {
        let mut touches = touches.iter();
        touches.any(|touch| Some(touch.allocation) == number && !touch.writes)
    };
    let operations = checked.body.operations.iter().zip(&memory.touches);
    let mut readers = operations.filter(|(_, touches)| reads(touches));
    let only = readers.next().filter(|_| readers.next().is_none());
    only.is_some_and(|(operation, _)| match &operation.kind {
        OperationKind::Pass(pass) => pass
            .stages
            .iter()
            .any(|stage| matches!(stage.kind, StageKind::Contract)),
        _ => false,
    })
}
