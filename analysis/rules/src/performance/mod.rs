//! Rules of the group `performance` about passes: what a change of a line or two would save.
//!
//! Every finding asks the simulation what the changed pass would cost and what the whole kernel would, and carries both.
//! A warning has to be worth an author's minute: see [`worth`]. Nothing is said about a pass that breaks a rule.

pub(super) mod commit;
pub(super) mod contraction;
pub(super) mod fetch;
pub(super) mod lookup;
pub(super) mod machine;
pub(super) mod slow;
pub(super) mod switch;
pub(super) mod vector;

use rustc_hash::{FxHashMap, FxHashSet};

pub(super) use self::vector::round_trip_fix;

use super::{Checked, Finding, Saving};
use crate::derivation::{OperationDerivation, PassDerivation, StageDerivation};
use crate::items::Span;
use crate::kernel::{Operation, OperationKind, Pass, Stage};
use crate::simulation::{Changed, Effect, Known, OperationCost};

/// The least share of a kernel's cycles that a change must save, in percent.
const KERNEL_SHARE: u64 = 2;
/// The least share of an operation's cycles that a change must save, in percent.
const OPERATION_SHARE: u64 = 10;
/// The least cycles that a change must save: less is noise beside the 500 that the start of a transfer takes.
const LEAST_CYCLES: u64 = 100;
/// The least cycles that a change must save where the kernel has no total or much of it changes: the start of a transfer.
const MANY_CYCLES: u64 = 500;

/// A pass that no engine refuses, with its cost.
pub(super) struct Costed<'a> {
    pub(super) known: Known<'a>,
    pub(super) operation: &'a Operation,
    pass: &'a Pass,
    derived: &'a PassDerivation,
    pub(super) cost: &'a OperationCost,
}

impl<'a> Costed<'a> {
    /// The stages with what was derived of them.
    pub(super) fn stages(
        &self,
    ) -> impl Iterator<Item = (usize, &'a Stage, &'a StageDerivation)> + use<'a> {
        self.pass
            .stages
            .iter()
            .zip(&self.derived.stages)
            .enumerate()
            .map(|(index, (stage, derived))| (index, stage, derived))
    }
}

/// The passes of known cost that no engine refuses, each text once: further runs of a loop change with the first.
fn costed_passes<'a>(checked: &Checked<'a>) -> Vec<Costed<'a>> {
    passes_of(checked, |_| true)
}

/// As [`costed_passes`], those of the operations that are asked for.
fn passes_of<'a>(
    checked: &Checked<'a>,
    is_asked_for: impl Fn(&Operation) -> bool,
) -> Vec<Costed<'a>> {
    let known = checked.as_known();
    let mut seen = FxHashSet::default();
    let operations = checked.body.operations.iter();
    let derived = checked.derivation().operations.iter();
    operations
        .zip(derived.zip(&checked.simulation().operations))
        .filter_map(
            |(operation, (derived, cost))| match (&operation.kind, derived) {
                (OperationKind::Pass(pass), OperationDerivation::Pass(derived)) => Some(Costed {
                    known,
                    operation,
                    pass,
                    derived,
                    cost,
                }),
                _ => None,
            },
        )
        .filter(|costed| costed.cost.cycles.is_some() && is_asked_for(costed.operation))
        .filter(|costed| costed.derived.is_legal())
        .filter(|costed| seen.insert((costed.operation.span, costed.cost.cycles)))
        .collect()
}

/// Those of the passes that are so much of their kernel that a change of them can be worth a warning: the others are not
/// tried, which bounds the work for long kernels.
pub(super) fn weighty_passes<'a>(checked: &Checked<'a>) -> Vec<Costed<'a>> {
    let Some(total) = checked.simulation().total() else {
        return costed_passes(checked);
    };
    let mut runs: FxHashMap<Span, u64> = FxHashMap::default();
    let costs = &checked.simulation().operations;
    for (operation, cost) in checked.body.operations.iter().zip(costs) {
        let all = runs.entry(operation.span).or_default();
        *all = all.saturating_add(cost.cycles.unwrap_or(0));
    }
    // In a long kernel hardly one is: this is asked first.
    passes_of(checked, |operation| {
        let cycles = runs.get(&operation.span).copied().unwrap_or(0);
        saves_percent(total, total.saturating_sub(cycles), KERNEL_SHARE)
    })
}

/// Whether a change is worth a warning: it saves a tenth of the operation's cycles, and 2 % and 100 cycles of the kernel's;
/// where the kernel has no total, 500 cycles of the operation.
pub(super) fn worth(known: Known<'_>, changed: &Changed) -> Option<Saving> {
    let (before, after) = changed.operation;
    if !saves_percent(before, after, OPERATION_SHARE) {
        return None;
    }
    worth_for_kernel(changed.effect(known))
}

/// The same without a look at the operation alone.
fn worth_for_kernel(effect: Effect) -> Option<Saving> {
    let (before, after) = effect.operation;
    let enough = match effect.body {
        Some((before, after)) => {
            saves_percent(before, after, KERNEL_SHARE)
                && before.saturating_sub(after) >= LEAST_CYCLES
        }
        None => before.saturating_sub(after) >= MANY_CYCLES,
    };
    enough.then(|| effect_saving(effect))
}

/// Whether so many percent are saved.
fn saves_percent(before: u64, after: u64, percent: u64) -> bool {
    let saved = u128::from(before.saturating_sub(after));
    saved > 0 && saved * 100 >= u128::from(before) * u128::from(percent)
}

/// The cycles of a change as a finding carries them.
const fn effect_saving(effect: Effect) -> Saving {
    Saving {
        operation_before: effect.operation.0,
        operation_after: effect.operation.1,
        kernel: effect.body,
        simulated: true,
    }
}

/// The cycles of a change in words: `the pass takes 512 cycles, 128 so; the kernel 2,000 and 1,616`.
fn in_words(saving: &Saving) -> String {
    let pass = format!(
        "the pass takes {} cycles as it is and {} then",
        saving.operation_before, saving.operation_after
    );
    match saving.kernel {
        Some((before, after)) => format!("{pass}, the kernel {before} and {after}"),
        None => pass,
    }
}

/// Adds what a pass takes, where a change is given in words: what that would save was not simulated.
pub(super) fn with_estimate(finding: Finding, saving: Saving) -> Finding {
    let words = format!("the pass takes {} cycles", saving.operation_before);
    let words = match saving.kernel {
        Some((total, _)) => format!("{words} of the kernel's {total}"),
        None => words,
    };
    finding.note(words).saves(saving.as_estimate())
}

/// Adds what a change saves.
fn with_saving(finding: Finding, saving: Saving) -> Finding {
    let words = in_words(&saving);
    finding.note(words).saves(saving)
}
