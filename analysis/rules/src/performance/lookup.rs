//! Table lookups that decide how long a pass takes, where the same values can be had without one or without a copy of them.

use crate::derivation::memory::Touch;
use crate::hardware::ElementType;
use crate::items::Span;
use crate::kernel::{Operation, OperationKind, Pass, PassEnd, PassSource, StageKind, TensorId};
use crate::simulation::{what_if_one_pass, what_if_without_lookup};
use crate::wording::thousands;

use super::super::{Checked, Finding, Rule, rule};
use super::{Costed, weighty_passes, with_estimate, worth, worth_for_kernel};

pub(crate) static SLOW_LOOKUP: Rule = rule!(
    "slow_lookup",
    Performance,
    Fetch,
    "Type Casting",
    "a table lookup that decides how long a pass takes",
    "A flit after a table lookup takes longer than the cycle that the engines need for it. The table itself is loaded \
     and put in place by a transfer and a pass of the sub context. A decoded copy that one contraction reads is not \
     needed: the contraction's own fetch can look the elements up. `f8` weights need no lookup at all, where the \
     other operand is split into two `f8` terms. Reported where that saves 2 % and 100 cycles of the kernel (without \
     a total, 500 cycles), and of a lookup in front of a contraction a tenth of the pass. Not reported where a copy \
     has several readers, and not for 4-bit weights in a contraction.",
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&SLOW_LOOKUP];

pub(in super::super) fn check_lookup_performance(
    checked: &Checked<'_>,
    findings: &mut Vec<Finding>,
) {
    for costed in weighty_passes(checked) {
        findings.extend(lookup_finding(checked, &costed));
    }
}

fn lookup_finding(checked: &Checked<'_>, costed: &Costed<'_>) -> Option<Finding> {
    let mut stages = costed.pass.stages.iter();
    let lookup = stages.find(|stage| stage.kind.looks_up())?.span;
    if contracts(costed.pass) {
        before_contraction(checked, costed, lookup)
    } else {
        decoded_copy(checked, costed, lookup)
    }
}

/// A lookup in front of a contraction, of `f8` elements: these can be contracted as they are.
fn before_contraction(checked: &Checked<'_>, costed: &Costed<'_>, lookup: Span) -> Option<Finding> {
    let PassSource::Tensor(source) = costed.pass.source else {
        return None;
    };
    let element = checked.body.tensor(source)?.element_type.value?;
    if !matches!(element, ElementType::F8E4M3 | ElementType::F8E5M2) {
        return None;
    }
    let changed = what_if_without_lookup(costed.known, costed.operation.id)?;
    let saving = worth(costed.known, &changed)?;
    let finding = Finding::new(
        &SLOW_LOOKUP,
        lookup,
        format!(
            "the table lookup decides the pass: it takes {} cycles, and {} without it",
            thousands(saving.operation_before),
            thousands(saving.operation_after)
        ),
    );
    let finding = finding.help(
        "contract the `f8` elements as they are, with the other operand split into two `f8` terms",
    );
    Some(with_estimate(finding, saving))
}

/// A copy of looked-up elements that one contraction reads: its own fetch can look them up.
fn decoded_copy(checked: &Checked<'_>, costed: &Costed<'_>, lookup: Span) -> Option<Finding> {
    let PassEnd::Commit { target, .. } = costed.pass.end else {
        return None;
    };
    let reader = only_contraction(checked, target)?;
    let effect = what_if_one_pass(costed.known, costed.operation.id, reader.id)?;
    let saving = worth_for_kernel(effect)?;
    let decoding = costed.cost.cycles?;
    let finding = Finding::new(
        &SLOW_LOOKUP,
        lookup,
        format!(
            "a pass of {} cycles decodes a copy, and a contraction of {} reads it; one pass for both takes about {}",
            thousands(decoding),
            thousands(saving.operation_before.saturating_sub(decoding)),
            thousands(saving.operation_after)
        ),
    );
    let finding = finding.related(reader.span, "the contraction");
    let finding =
        finding.help("look the elements up in the fetch of the contraction, and commit no copy");
    let finding = match saving.kernel {
        Some((total, _)) => finding.note(format!(
            "the two take {} of the kernel's {} cycles",
            thousands(saving.operation_before),
            thousands(total)
        )),
        None => finding,
    };
    Some(finding.saves(saving.as_estimate()))
}

fn contracts(pass: &Pass) -> bool {
    let mut stages = pass.stages.iter();
    stages.any(|stage| matches!(stage.kind, StageKind::Contract))
}

/// The only operation that reads a tensor, where that is a contraction whose fetch has no steps of its own.
fn only_contraction<'a>(checked: &Checked<'a>, tensor: TensorId) -> Option<&'a Operation> {
    if checked.body.escaping.contains(&tensor) {
        return None;
    }
    let memory = &checked.derivation().memory;
    let number = (memory.lifetimes.iter()).position(|lifetime| lifetime.tensor == tensor)?;
    let reads = |touches: &[Touch]| {
        let mut touches = touches.iter();
        touches.any(|touch| touch.allocation == number && !touch.writes)
    };
    let operations = checked.body.operations.iter().zip(&memory.touches);
    let mut readers = operations.filter(|(_, touches)| reads(touches));
    let (only, _) = readers.next().filter(|_| readers.next().is_none())?;
    let OperationKind::Pass(pass) = &only.kind else {
        return None;
    };
    let is_plain = !pass.stages.iter().any(|stage| stage.kind.adapts());
    (is_plain && contracts(pass)).then_some(only)
}
