//! What the release names and has no body for: calling it stops a run of the kernel (library: 5.10, `todo!`).

use crate::hardware::VectorOperation;
use crate::items::Span;
use crate::kernel::dialect::Dialect;
use crate::kernel::{AluOperation, Collective, CollectiveWork, Level, StageKind};

use super::{LibraryLimit, LibraryLimitKind};

/// What has no body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unimplemented {
    /// A gather, by its method.
    Gather(&'static str),
    /// A shuffle of the parts of a level that tensors in the chips' memories take part in, by its method.
    Shuffle(&'static str, Level),
    /// A stage, by its method.
    Stage(&'static str),
    /// A branch mode, by its name.
    BranchMode(&'static str),
    /// An operation of an ALU.
    Operation(&'static VectorOperation),
}

/// A collective without a body.
pub(super) fn unimplemented_collective(
    library: Dialect,
    collective: &Collective,
) -> Option<LibraryLimit> {
    let method = collective.method;
    let what = match &collective.work {
        CollectiveWork::Shuffle(parts) => Unimplemented::Shuffle(method, parts.level),
        _ => Unimplemented::Gather(method),
    };
    library.is_without_body(method).then(|| LibraryLimit {
        kind: LibraryLimitKind::Unimplemented(what),
        span: collective.span,
        method: collective.span,
    })
}

/// A stage without a body; `span` is its method.
pub(super) fn unimplemented_stage(
    library: Dialect,
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
            (Unimplemented::Stage(method), span)
        }
    };
    Some((LibraryLimitKind::Unimplemented(found), span))
}

/// An operation that is evaluated: one that every group skips is not.
fn of_alu(library: Dialect, operation: &AluOperation) -> Option<Unimplemented> {
    let known = operation.known_operation(library)?;
    let missing = library.operations().is_without_body(known) && !operation.is_skipped();
    missing.then_some(Unimplemented::Operation(known))
}
