//! Plans of transfers: whether a redistribution, a gather or a scatter can be carried out as it is described, and whether a view
//! with other padding is the tensor that it is taken of (library: redistribution, gather, scatter, views).
//!
//! Judges what is written of a plan, step by step. The values of an index list are not known before the kernel runs, and
//! how long a transfer takes is not known here.

mod pads;
mod regions;
mod rows;
mod slices;
#[cfg(test)]
mod tests;

use crate::items::Span;
use crate::kernel::{Body, CollectiveWork, Level, OperationId, OperationKind};
use crate::mapping::Mapping;

pub use regions::RegionFault;
pub use rows::{IndexFault, RowsFault};
pub use slices::{LayoutFault, PatternFault};

/// One thing that a plan cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanViolation {
    /// What.
    pub fault: PlanFault,
    /// Where it is written.
    pub span: Span,
    /// The method that carries the plan out, or that takes the view.
    pub method: Span,
    /// The operation; `None` for a view.
    pub operation: Option<OperationId>,
}

/// What is wrong with a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlanFault {
    /// The elements that a slice leaves.
    Layout(LayoutFault),
    /// Who takes what.
    Pattern(PatternFault),
    /// The rows that a gather reads.
    Gather(RowsFault),
    /// The rows that a scatter writes.
    Scatter(RowsFault),
    /// Where the index list is.
    Index(IndexFault),
    /// A list in the scratchpad that is larger than it.
    IndexSize {
        /// Bytes of the list.
        bytes: u64,
        /// Bytes of the scratchpad.
        capacity: u64,
    },
    /// The slice of an axis whose positions are no multiple of the memory's words apart.
    Stride {
        /// The axis.
        axis: Mapping,
        /// Bits from one of its positions to the next.
        bits: u64,
    },
    /// Rows that end inside of a word of the memory.
    Tail {
        /// Elements that a row and the target have in a line.
        elements: u64,
        /// Their bits.
        bits: u64,
    },
    /// A view with more padding that has fewer positions.
    Narrower {
        /// Whether more padding is asked for; else less.
        widens: bool,
        /// Positions before.
        before: u64,
        /// Positions after.
        after: u64,
    },
    /// A view that differs in more than one padding behind everything else.
    Padding {
        /// Whether more padding is asked for; else less.
        widens: bool,
        /// The side with less padding, padded to the positions of the other.
        expected: Mapping,
        /// The side with more padding.
        found: Mapping,
    },
}

/// Derives what the plans and the padded views of a body cannot do.
pub fn derive_plans(body: &Body) -> Vec<PlanViolation> {
    let mut found = Vec::new();
    for operation in &body.operations {
        if let OperationKind::Copy(copy) = &operation.kind {
            found.extend(rows::from_scratchpad(body, operation.id, copy));
        }
        let OperationKind::Collective(collective) = &operation.kind else {
            continue;
        };
        let mut add = |fault, span| {
            found.push(PlanViolation {
                fault,
                span,
                method: collective.span,
                operation: Some(operation.id),
            });
        };
        match &collective.work {
            CollectiveWork::Redistribute { steps, asymmetric } => {
                slices::judge_redistribution(body, collective, steps, *asymmetric, &mut add);
            }
            CollectiveWork::GatherRows(rows) => {
                rows::judge_gather(body, collective, rows, &mut add);
            }
            CollectiveWork::ScatterRows(rows) => {
                rows::judge_scatter(body, collective, rows, &mut add);
            }
            CollectiveWork::Gather | CollectiveWork::Scatter { .. } => {
                rows::list_size(body, collective, &mut add);
            }
            CollectiveWork::Fill { .. }
            | CollectiveWork::Shuffle(_)
            | CollectiveWork::ParallelCopy { .. } => {}
        }
    }
    for tensor in &body.tensors {
        found.extend(pads::judge_resized_view(body, tensor));
    }
    found
}

/// The words for a level's parts.
pub(super) fn level_size(levels: &crate::kernel::Levels, level: Level) -> Option<u64> {
    let mut levels = levels.iter();
    let (_, written) = levels.find(|(candidate, _)| *candidate == level)?;
    Some(written.get()?.size())
}
