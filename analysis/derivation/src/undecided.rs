//! What could not be decided although everything that it takes is known: it is said, with its place, and no rule judges it.
//!
//! Knows where a derivation gave up. Why digits are too entangled for it (mostly groups that a size cuts across), it does not
//! say further than that.

use crate::kernel::{
    Body, Operation, OperationId, OperationKind, PassEnd, Unresolved, UnresolvedReason,
};

use super::sequencer::{Misfit, SequenceReport, SequencerViolation};
use super::{BodyDerivation, EndDerivation, OperationDerivation, StageDerivation};

/// The operations of a body of which a derivation left something open, each place with what it is.
pub fn undecided(body: &Body, derivation: &BodyDerivation) -> Vec<(OperationId, Unresolved)> {
    let operations = body.operations.iter().zip(&derivation.operations);
    operations
        .flat_map(|(operation, derived)| {
            let places = of_operation(operation, derived);
            places.into_iter().map(|place| (operation.id, place))
        })
        .collect()
}

/// At how many places a derivation left something of an operation open.
pub fn open_places(operation: &Operation, derived: &OperationDerivation) -> usize {
    of_operation(operation, derived).len()
}

fn of_operation(operation: &Operation, derived: &OperationDerivation) -> Vec<Unresolved> {
    let open = |what: String, span| Unresolved::at(UnresolvedReason::Undecided(what), span);
    let mut places = Vec::new();
    match (&operation.kind, derived) {
        (OperationKind::Copy(copy), OperationDerivation::Copy(derived)) if derived.undecided => {
            places.push(open(
                "which loops move the transfer's elements is not known".to_owned(),
                copy.span,
            ));
        }
        (OperationKind::Pass(pass), OperationDerivation::Pass(derived)) => {
            for (stage, derived) in pass.stages.iter().zip(&derived.stages) {
                if let StageDerivation::Fetch(derived) = derived
                    && is_open(derived.sequence.as_ref())
                {
                    places.push(open(
                        "which positions the fetch reads is not known".to_owned(),
                        stage.span,
                    ));
                }
            }
            for reduce in &derived.valid_counts.undecided {
                let why = if reduce.grouped {
                    format!("`{}` is in a group that a size cuts across", reduce.axis)
                } else {
                    "its parts are too entangled".to_owned()
                };
                let axis = &reduce.axis;
                places.push(open(
                    format!("the valid counts of `{axis}` are not known: {why}"),
                    reduce.span,
                ));
            }
            if let PassEnd::Commit { span, .. } | PassEnd::CommitView { span, .. } = &pass.end
                && let EndDerivation::Commit(derived) = &derived.end
                && is_open(derived.sequence.as_ref())
            {
                places.push(open(
                    "which positions the commit writes is not known".to_owned(),
                    *span,
                ));
            }
        }
        _ => {}
    }
    places
}

fn is_open(report: Option<&SequenceReport>) -> bool {
    report.is_some_and(|report| {
        report
            .violations
            .contains(&SequencerViolation::Misfit(Misfit::Unknown))
    })
}
