//! What the release names and has no body for: calling it stops a run of the kernel (library: 5.10, `todo!`).

use crate::hardware::{Alu, vector_operation};
use crate::items::Span;
use crate::kernel::dialect::Dialect;
use crate::kernel::{AluOperation, Collective, StageKind};

use super::{LibraryLimit, LibraryLimitKind};

/// What has no body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unimplemented {
    /// A method, by its name.
    Method(&'static str),
    /// A branch mode, by its name.
    BranchMode(&'static str),
    /// An operation of an ALU.
    Operation {
        /// The enum.
        enumeration: String,
        /// The variant.
        variant: String,
        /// The ALU that runs it.
        alu: Option<Alu>,
    },
}

/// A collective without a body.
pub(super) fn collective(library: &Dialect, collective: &Collective) -> Option<LibraryLimit> {
    let method = collective.method;
    library.is_without_body(method).then(|| LibraryLimit {
        kind: LibraryLimitKind::Unimplemented(Unimplemented::Method(method)),
        span: collective.span,
        method: collective.span,
    })
}

/// A stage without a body; `span` is its method.
pub(super) fn stage(
    library: &Dialect,
    kind: &StageKind,
    span: Span,
) -> Option<(LibraryLimitKind, Span)> {
    let (found, span) = match kind {
        StageKind::VectorBranch(mode) if library.words.modes_without_body.contains(mode) => (
            Unimplemented::BranchMode(library.words.branch_mode_name(mode)),
            span,
        ),
        StageKind::VectorAlu(operation) => (of_alu(library, operation)?, operation.operation_span),
        kind => {
            let method = library.name_of(kind.canonical());
            if !library.is_without_body(method) {
                return None;
            }
            (Unimplemented::Method(method), span)
        }
    };
    Some((LibraryLimitKind::Unimplemented(found), span))
}

/// An operation that is evaluated: one that every group skips is not.
fn of_alu(library: &Dialect, operation: &AluOperation) -> Option<Unimplemented> {
    let named = (operation.enumeration.as_str(), operation.variant.as_str());
    if !library.words.operations_without_body.contains(&named) || operation.is_skipped() {
        return None;
    }
    let argument = operation.argument.as_deref();
    let known = vector_operation(named.0, named.1, argument);
    Some(Unimplemented::Operation {
        enumeration: operation.enumeration.clone(),
        variant: operation.variant.clone(),
        alu: known.and_then(|known| known.alu),
    })
}
