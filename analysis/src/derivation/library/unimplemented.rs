//! What the release names and has no body for: calling it stops a run of the kernel (library: 5.10, `todo!`).

use crate::hardware::{Alu, vector_operation};
use crate::items::Span;
use crate::kernel::{AluOperation, BranchMode, Collective, StageKind};

use super::{LibraryLimit, LibraryLimitKind};

/// What has no body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Unimplemented {
    /// A method, by its name.
    Method(&'static str),
    /// A mode of `BranchMode`, by its name.
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

/// Operations without a body, by enum and variant.
const OPERATIONS: &[(&str, &str)] = &[
    ("FxpBinaryOp", "ArithRightShiftRound"),
    ("FpUnaryOp", "Erf"),
    ("FpBinaryOp", "MaskMulF"),
    ("FpTernaryOp", "MaskFmaF"),
];

/// Collectives without a body.
const COLLECTIVES: &[&str] = &["dma_gather", "hbm_cluster_shuffle", "hbm_chip_shuffle"];

/// A collective without a body.
pub(super) fn collective(collective: &Collective) -> Option<LibraryLimit> {
    let method = collective.method;
    COLLECTIVES.contains(&method).then(|| LibraryLimit {
        kind: LibraryLimitKind::Unimplemented(Unimplemented::Method(method)),
        span: collective.span,
        method: collective.span,
    })
}

/// A stage without a body; `span` is its method.
pub(super) fn stage(kind: &StageKind, span: Span) -> Option<(LibraryLimitKind, Span)> {
    let (found, span) = match kind {
        StageKind::VectorFilter => (Unimplemented::Method("vector_filter"), span),
        StageKind::VectorBranch(BranchMode::ValidCount) => {
            (Unimplemented::BranchMode("ValidCount"), span)
        }
        StageKind::VectorBranch(BranchMode::Vrf) => (Unimplemented::BranchMode("Vrf"), span),
        StageKind::VectorAlu(operation) => (of_alu(operation)?, operation.operation_span),
        _ => return None,
    };
    Some((LibraryLimitKind::Unimplemented(found), span))
}

/// An operation that is evaluated: one that every group skips is not.
fn of_alu(operation: &AluOperation) -> Option<Unimplemented> {
    let named = (operation.enumeration.as_str(), operation.variant.as_str());
    if !OPERATIONS.contains(&named) || operation.is_skipped() {
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
