//! Forms that the book describes and the library refuses: what the hardware takes and a run of the kernel stops at.
//!
//! Knows the library's own checks where they are narrower than the machine (library: 5.4 to 5.11). A stage with a
//! violation of its own is left out: what the machine refuses is no question of a release. Where the library's answer
//! depends on groups that a size cuts across, or on runs with ragged ends, nothing is said.

mod commit;
mod stages;
pub(super) mod transpose;
mod unimplemented;

use crate::items::Span;
use crate::kernel::{
    Body, Collective, Operation, OperationKind, Origin, Pass, PassEnd, StageKind, Tensor, TensorId,
};
use crate::mapping::{Answer, Atom, Form, Mapping, equal_forms};

use super::memory::{MoveKind, MoveViolation};
use super::moves::{dropped_axis, moved_at_once};
use super::tensors::repeated_selections;
use super::thread_memo::ThreadMemo;
use super::{EndDerivation, OperationDerivation, PassDerivation, forms};
pub use transpose::TransposeRows;
pub use unimplemented::Unimplemented;

/// One thing that the library refuses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LibraryLimit {
    /// What.
    pub kind: LibraryLimitKind,
    /// Where it is written.
    pub span: Span,
    /// The method that the library stops at.
    pub method: Span,
}

/// What the library refuses although the machine takes it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LibraryLimitKind {
    /// An element whose iterations are not as many as the stream's: padding is among them, or inside the packet.
    CommitPadding {
        /// Positions of the element.
        positions: u64,
        /// Iterations of the stream.
        time: u64,
        /// Elements of a packet that are committed.
        packet: u64,
    },
    /// An element whose innermost part is not the packet in its own order.
    CommitPacket {
        /// The part of the element that is where the packet is looked for.
        found: Mapping,
        /// The packet.
        packet: Mapping,
    },
    /// A move to a mapping that holds only a part of what is moved.
    Truncation {
        /// The first axis of which a part goes.
        axis: String,
    },
    /// A move of a mapping that selects digits of an axis twice, to one that holds them once: a selection finds no partner.
    Repetition {
        /// The axis.
        axis: String,
        /// The two selections: values of the axis a step, and steps; the finer one first.
        parts: [(u64, u64); 2],
    },
    /// Iterations that only the TRF has, outside a second collected flit.
    AlignTiling {
        /// Repetitions of each packet.
        tiling: u64,
    },
    /// Columns of the contracted packet's padding that stay in the accumulator's output.
    AccumulatedPadding {
        /// Columns that hold data.
        live: u64,
    },
    /// A custom ring larger than the exchange needs.
    RingSize {
        /// Slices of the ring.
        ring_size: u64,
        /// The only size that the library takes.
        least: u64,
    },
    /// Copies of a custom ring that are split into several parts of one axis, or padded.
    RingCopies {
        /// The axis.
        axis: String,
        /// Its copies are padded, not split.
        padded: bool,
    },
    /// `vector_trim_way4` or `vector_pad_way8` on a pair.
    PairLanes,
    /// An operation with three arguments in a pass that was entered as `i32`.
    TernaryAfterConversion,
    /// A reduction across slices that takes a part of an axis of which the rest stays.
    PartialReduction {
        /// The axis.
        axis: String,
    },
    /// A matrix whose rows the library does not find in the input's iterations.
    TransposeRows(TransposeRows),
    /// A scatter of a single row into a tensor without an axis for it.
    ScatterAxis,
    /// More bits of an integer part than the library converts.
    IntegerBits {
        /// As written.
        bits: u64,
    },
    /// Several operands of one operation that are there for all branches.
    AlwaysOperands {
        /// How many.
        operands: u64,
    },
    /// A method, mode or operation that the release names and has no body for.
    Unimplemented(Unimplemented),
    /// A reshape between mappings of different numbers of factors.
    Reshape {
        /// Factors before.
        before: usize,
        /// Factors after.
        after: usize,
    },
}

/// Derives what the library refuses of a body, given what the engines make of it.
#[cfg(test)]
pub fn derive_library_limits(
    body: &Body,
    operations: &[OperationDerivation],
    moves: &[MoveViolation],
) -> Vec<LibraryLimit> {
    let mut limits = Vec::new();
    for (operation, derived) in body.operations.iter().zip(operations) {
        limits.extend(of_operation(body, operation, derived, moves));
    }
    limits.extend(of_tensors(body, moves));
    limits
}

/// What it refuses of one operation, given moves of which the operation's own are among.
pub(super) fn of_operation(
    body: &Body,
    operation: &Operation,
    derived: &OperationDerivation,
    moves: &[MoveViolation],
) -> Vec<LibraryLimit> {
    let mut limits = Vec::new();
    let lost = |kind: MoveKind| moves.iter().any(|found| found.kind == kind);
    match (&operation.kind, derived) {
        (OperationKind::Copy(copy), OperationDerivation::Copy(derived))
            if derived.violations.is_empty() && !lost(MoveKind::Copy(operation.id)) =>
        {
            limits.extend(copied(body, copy.source, copy.target, copy.span));
        }
        (OperationKind::Collective(collective), _) => {
            limits.extend(unimplemented::unimplemented_collective(
                body.library(),
                collective,
            ));
            let lost =
                lost(MoveKind::Scatter(operation.id)) || lost(MoveKind::ParallelCopy(operation.id));
            if !lost {
                limits.extend(collective_resize_limit(body, collective));
            }
        }
        (OperationKind::Pass(pass), OperationDerivation::Pass(derived)) => {
            for (index, stage) in pass.stages.iter().enumerate() {
                let kind = match stage.kind {
                    StageKind::Fetch { .. } => MoveKind::Fetch(operation.id, index),
                    _ => MoveKind::Switch(operation.id, index),
                };
                if !lost(kind) {
                    limits.extend(stages::judge_stage(body, pass, index, derived));
                }
            }
            if !lost(MoveKind::Commit(operation.id)) {
                limits.extend(ended(body, pass, derived));
            }
        }
        _ => {}
    }
    limits
}

/// What it refuses of the reshapes of a body.
pub(super) fn of_tensors(body: &Body, moves: &[MoveViolation]) -> Vec<LibraryLimit> {
    let mut limits = Vec::new();
    for tensor in &body.tensors {
        if let Origin::Reshape { of } = tensor.origin
            && !moves.iter().any(|found| found.method == tensor.span)
        {
            limits.extend(reshape_limit(body, of, tensor));
        }
    }
    limits
}

fn copied(body: &Body, source: TensorId, target: TensorId, method: Span) -> Option<LibraryLimit> {
    let source = body.tensor(source)?.levels.full_mapping()?;
    let target = body.tensor(target)?;
    let kind = truncated(&source, &target.levels.full_mapping()?)?;
    Some(LibraryLimit {
        kind,
        span: target.levels.element.span,
        method,
    })
}

/// A resize in the target of a scatter or a parallel copy.
fn collective_resize_limit(body: &Body, collective: &Collective) -> Option<LibraryLimit> {
    let moved = moved_at_once(body, collective)?;
    let kind = match truncated(&moved.source, &moved.target) {
        Some(kind) => kind,
        None if moved.has_no_axis_for(collective) => LibraryLimitKind::ScatterAxis,
        None => return None,
    };
    Some(LibraryLimit {
        kind,
        span: moved.span,
        method: collective.span,
    })
}

fn ended(body: &Body, pass: &Pass, derived: &PassDerivation) -> Option<LibraryLimit> {
    let (PassEnd::Commit { target, span } | PassEnd::CommitView { target, span }) = &pass.end
    else {
        return None;
    };
    let EndDerivation::Commit(derived) = &derived.end else {
        return None;
    };
    if !derived.violations.is_empty() {
        return None;
    }
    let element = &body.tensor(*target)?.levels.element;
    let kind = commit::judge_commit(pass, element, derived)?;
    Some(LibraryLimit {
        kind,
        span: element.span,
        method: *span,
    })
}

/// The first axis of which the target of a move holds a part only, where the library would look for all of it
/// (library: 5.5), and why. Where runs are ragged or groups are cut, only a value that is gone is said.
fn truncated(source: &Mapping, target: &Mapping) -> Option<LibraryLimitKind> {
    let question = (source.clone(), target.clone());
    TRUNCATED.with(|known| {
        known.answer_or_find(question, |(source, target)| {
            find_truncated(source.form(), target.form())
        })
    })
}

thread_local! {
    static TRUNCATED: ThreadMemo<(Mapping, Mapping), Option<LibraryLimitKind>> = ThreadMemo::default();
}

fn find_truncated(source: &Form, target: &Form) -> Option<LibraryLimitKind> {
    // A value that is gone is found by no division, whatever the digits look like.
    if let Some(axis) = dropped_axis(source, target) {
        return Some(partly_moved(source, axis));
    }
    if !is_plain(source) || !is_plain(target) {
        return None;
    }
    let division = forms::divide_relaxed(target, source);
    if division.exact() {
        return None;
    }
    let residue = &division.divisor_residue;
    let axis = residue
        .axis_names()
        .into_iter()
        .find(|axis| target.contains_axis(axis) && !is_ragged(source, target, axis))?;
    Some(partly_moved(source, axis.to_string()))
}

/// Why only a part of an axis arrives.
fn partly_moved(source: &Form, axis: String) -> LibraryLimitKind {
    match repeated_selections(source, &axis) {
        Some(parts) => LibraryLimitKind::Repetition { axis, parts },
        None => LibraryLimitKind::Truncation { axis },
    }
}

/// Whether an axis is cut in padded runs on one side at least: parts of it may be there although a division misses them.
fn is_ragged(source: &Form, target: &Form, axis: &str) -> bool {
    [source, target].into_iter().any(|form| {
        form.terms_with_stride().iter().any(|placed| {
            placed.term.atom.axis().is_some_and(|found| {
                found.name() == axis
                    && placed
                        .term
                        .stride
                        .checked_mul(placed.term.modulo)
                        .is_none_or(|reach| !found.size().is_multiple_of(reach))
            })
        })
    })
}

/// Whether every term runs over a whole axis or a divisor of it.
fn is_plain(form: &Form) -> bool {
    form.digits()
        .iter()
        .filter_map(|digit| digit.term.as_ref())
        .all(|term| matches!(term.atom, Atom::Axis(_) | Atom::Broadcast))
}

/// A reshape of one level at a time: the library asks for as many factors before as after (library: 5.11).
fn reshape_limit(body: &Body, of: TensorId, tensor: &Tensor) -> Option<LibraryLimit> {
    let before = body.tensor(of)?;
    let pairs = before.levels.iter().zip(tensor.levels.iter());
    pairs.into_iter().find_map(|((_, source), (_, target))| {
        let (from, to) = (source.value.as_ref()?, target.value.as_ref()?);
        let same = equal_forms(from.form(), to.form()) != Answer::No;
        let (before, after) = (factor_count(from.form()), factor_count(to.form()));
        (!same && before != after && is_plain(from.form()) && is_plain(to.form())).then_some(
            LibraryLimit {
                kind: LibraryLimitKind::Reshape { before, after },
                span: target.span,
                method: tensor.span,
            },
        )
    })
}

/// Terms and paddings of a form, each counted as one.
fn factor_count(form: &Form) -> usize {
    form.digits()
        .iter()
        .map(|digit| usize::from(digit.term.is_some()) + digit.paddings().len())
        .sum()
}
