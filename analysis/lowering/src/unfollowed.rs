//! Arguments of a stage that could not be followed: what depends on them is not checked, so the operation is unresolved.
//!
//! A name that is no variant of the library's (an alias of an enum, a variable) leaves an operation of an ALU without its
//! ALU, a switch without its topology. A number that only the machine sees (a scalar operand) is no such argument.

use crate::items::Span;
use crate::kernel::dialect::Dialect;
use crate::kernel::{
    AluOperation, BranchMode, OperandSource, Parts, StageKind, SwitchConfig, SwitchParameter,
    Unresolved, UnresolvedReason, Written,
};

use super::collectives::{CollectiveDraft, StepDraft, WorkDraft};

/// What of a stage could not be followed. `span` is the method's.
pub(super) fn of_stage(kind: &StageKind, span: Span, library: Dialect) -> Option<Unresolved> {
    match kind {
        StageKind::Switch(config) => match config.get() {
            Some(known) => switch_parameters(known)
                .find_map(|parameter| unfollowed_number(parameter, "a parameter of a switch")),
            None => unfollowed("the configuration of a switch", config.span),
        },
        StageKind::Accumulate(written) => {
            unfollowed_value(written, "the layout of an accumulation")
        }
        StageKind::Align {
            operand,
            operand_span,
        } => match operand {
            Some(_) => None,
            None => unfollowed("the operand of an alignment", *operand_span),
        },
        StageKind::VectorBranch(BranchMode::Unknown) => unfollowed("a branch mode", span),
        StageKind::VectorUnzip { axis, .. } => unfollowed_value(axis, "the axis of two groups"),
        StageKind::VectorIntraReduce { axis, operation } => {
            unfollowed_value(axis, "the axis of a reduction")
                .or_else(|| unfollowed_value(operation, "the operation of a reduction"))
        }
        StageKind::VectorInterReduce { operation } => {
            unfollowed_value(operation, "the operation of a reduction")
        }
        StageKind::VectorAlu(operation) => of_alu(operation, library),
        // The mapping that leaves a filter depends on the data; neither the book nor the library says more.
        StageKind::VectorFilter => unfollowed("what a filter lets through", span),
        // What the others are given is read of mappings, or only the machine sees it.
        _ => None,
    }
}

/// What of a collective could not be followed.
pub(super) fn of_collective(draft: &CollectiveDraft) -> Option<Unresolved> {
    let parts: Vec<&Parts> = match &draft.work {
        WorkDraft::Shuffle(parts) | WorkDraft::ParallelCopy { parts, .. } => vec![parts],
        WorkDraft::Redistribute { steps, .. } => steps.iter().map(StepDraft::parts).collect(),
        _ => return None,
    };
    parts.into_iter().find_map(|parts| {
        unfollowed_number(
            parts.dimension.as_ref()?,
            "the number of parts of a collective",
        )
    })
}

/// The length of a tile, which its mapping is checked against.
pub(super) fn of_length(length: &Written<u64>) -> Option<Unresolved> {
    unfollowed_number(length, "the length of a tile")
}

fn of_alu(operation: &AluOperation, library: Dialect) -> Option<Unresolved> {
    if operation.known_operation(library).is_none() {
        return unfollowed("the operation of an ALU", operation.operation_span);
    }
    let mut operands = operation.operands.iter().flatten();
    let operand = operands.find(|operand| operand.source == OperandSource::Unknown)?;
    unfollowed("an operand", operand.span)
}

fn switch_parameters(config: &SwitchConfig) -> impl Iterator<Item = &Written<u64>> {
    use SwitchParameter::{RingSize, Slice0, Slice1, Time0};
    [Slice1, Slice0, Time0, RingSize]
        .into_iter()
        .filter_map(|parameter| config.parameter(parameter))
}

fn unfollowed_number(written: &Written<u64>, what: &str) -> Option<Unresolved> {
    match written.value {
        Some(_) => None,
        None => unfollowed(&format!("{what} that is not a constant"), written.span),
    }
}

fn unfollowed_value<T>(written: &Written<T>, what: &str) -> Option<Unresolved> {
    match written.value {
        Some(_) => None,
        None => unfollowed(what, written.span),
    }
}

fn unfollowed(what: &str, span: Span) -> Option<Unresolved> {
    let reason = UnresolvedReason::UnsupportedExpression(what.to_owned());
    Some(Unresolved::at(reason, span))
}
