//! What the engines refuse of an operation, by kind and counted, so that an operation and a changed copy of it can be compared.
//!
//! Knows the names of violations, not what they mean: numbers in them may differ although the fault is the same.

use std::fmt::{Debug, Write};

use rustc_hash::FxHashMap;

use crate::kernel::{Body, Operation};

use super::moves::{self, MoveKind};
use super::sequencer::{SequenceReport, SequencerViolation};
use super::{EndDerivation, OperationDerivation, PassDerivation, StageDerivation};

/// Violations by the stage that meets them and their names, counted.
pub type Refusals = FxHashMap<(usize, String), usize>;

/// The number in the place of a stage's that stands for the whole pass, or the operation.
const WHOLE: usize = usize::MAX;

/// What is refused of an operation of a body, or of a changed copy of one, as which it was derived.
#[must_use]
pub fn refusals(body: &Body, operation: &Operation, derived: &OperationDerivation) -> Refusals {
    let mut found = Refusals::default();
    match derived {
        OperationDerivation::Copy(derived) => add(&mut found, WHOLE, &derived.violations),
        OperationDerivation::Pass(derived) => of_pass(&mut found, derived),
        OperationDerivation::Collective => {}
    }
    for moved in moves::of_operation(body, operation) {
        let stage = match moved.kind {
            MoveKind::Fetch(_, stage) | MoveKind::Switch(_, stage) => stage,
            _ => WHOLE,
        };
        // What its engine refuses anyway is refused once.
        if !found.keys().any(|(refusing, _)| *refusing == stage) {
            add(&mut found, stage, &[moved.fault]);
        }
    }
    found
}

fn of_pass(found: &mut Refusals, derived: &PassDerivation) {
    add(found, WHOLE, &derived.pipeline.violations);
    for violation in &derived.vector.violations {
        add(
            found,
            violation.stage,
            std::slice::from_ref(&violation.fault),
        );
    }
    for (number, stage) in derived.stages.iter().enumerate() {
        add(found, number, &stage.violations());
        if let StageDerivation::Fetch(derived) = stage {
            add(found, number, limits(derived.sequence.as_ref()));
        }
        if derived.valid_counts.refuses(number) {
            add(found, number, &["NotCounted"]);
        }
    }
    match &derived.end {
        EndDerivation::Commit(derived) => {
            add(found, WHOLE, &derived.violations);
            add(found, WHOLE, limits(derived.sequence.as_ref()));
        }
        EndDerivation::Trf(derived) => add(found, WHOLE, &derived.violations),
        EndDerivation::Vrf(derived) => add(found, WHOLE, &derived.violations),
        EndDerivation::Open => {}
    }
}

/// The limits that a sequencer breaks.
fn limits(sequence: Option<&SequenceReport>) -> &[SequencerViolation] {
    sequence.map_or(&[], |sequence| &sequence.violations)
}

fn add<T: Debug>(found: &mut Refusals, stage: usize, violations: &[T]) {
    for violation in violations {
        let mut name = Name(String::new());
        // It fails behind the name, on purpose: the numbers are not wanted.
        let _ = write!(name, "{violation:?}");
        *found.entry((stage, name.0)).or_default() += 1;
    }
}

/// Takes text up to the first space or brace, and no more.
struct Name(String);

impl Write for Name {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        match text.find([' ', '{']) {
            Some(end) => {
                self.0.push_str(text.get(..end).unwrap_or_default());
                Err(std::fmt::Error)
            }
            None => {
                self.0.push_str(text);
                Ok(())
            }
        }
    }
}

/// Whether something is refused that was not before.
#[must_use]
pub fn more_is_refused(before: &Refusals, after: &Refusals) -> bool {
    after
        .iter()
        .any(|(refusal, count)| before.get(refusal).is_none_or(|before| count > before))
}
