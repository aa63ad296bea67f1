//! Moves of tensors: whether the target holds what the source holds.
//!
//! A move is a function on tensors, not on bytes (book: Tensor Functions): a target may hold the elements in any order
//! and with any padding, and an axis that the source lacks is a broadcast. It may not hold an index that the source does
//! not, nor lose one without a resize that says so. Decided an axis at a time by the strided parts of both sides; where
//! an axis has none (composites), by the index functions; where these are too large, not at all.

mod collectives;
mod values;

use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::items::Span;
use crate::kernel::{
    Body, Level, Operation, OperationId, OperationKind, Origin, PassEnd, StageKind, StreamShape,
    SwitchConfig, Tensor, TensorId, Tier, holds_each_element_once, tensors_varying_along,
};
use crate::mapping::{
    Answer, Atom, Cell, Form, IndexFunction, Mapping, MappingKind, equal_forms,
    holds_every_element, project,
};

use super::conventions::Conventions;
use super::forms;
use super::thread_memo::ThreadMemo;
use values::{Values, missing_value};

pub(super) use collectives::moved_at_once;

/// Positions that a comparison of two paddings may enumerate.
const ENUMERATED_POSITIONS: u64 = 65_536;

/// What moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MoveKind {
    /// A DMA transfer.
    Copy(OperationId),
    /// The fetch of a pass: its stage's index.
    Fetch(OperationId, usize),
    /// A custom switch of a pass: its stage's index.
    Switch(OperationId, usize),
    /// The commit of a pass.
    Commit(OperationId),
    /// A scatter.
    Scatter(OperationId),
    /// A parallel copy.
    ParallelCopy(OperationId),
    /// A trim before a commit: its stage's index.
    Trim(OperationId, usize),
    /// A reshape.
    Reshape,
}

/// What a move does to a tensor that it must not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MoveViolation {
    /// What moves.
    pub kind: MoveKind,
    /// What goes wrong.
    pub fault: MoveFault,
    /// What the source holds.
    pub source: Mapping,
    /// What the target holds.
    pub target: Mapping,
    /// Where the target's mapping is written.
    pub span: Span,
    /// The method that moves.
    pub method: Span,
    /// Whether the library takes it anyway: what is claimed is a copy to it, or it does not look at what is left out.
    pub accepted: bool,
}

/// What goes wrong in a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MoveFault {
    /// The source holds an element that no position of the target holds.
    Lost {
        /// The axis, if one alone is at fault.
        axis: Option<String>,
        /// A value of the axis that is lost.
        value: Option<u64>,
    },
    /// The target claims an element that the source does not hold.
    Invented {
        /// The axis, if one alone is at fault.
        axis: Option<String>,
        /// A value of the axis that is claimed.
        value: Option<u64>,
    },
    /// A scatter into a tensor that has no axis for its rows: all of them go to the same place.
    OnePlace {
        /// The key, which counts the rows.
        key: Mapping,
        /// A row's own elements.
        row: Mapping,
    },
    /// The indices of a scatter have none for some rows: the source of the move is the key then, the target the indices.
    NoIndex {
        /// The key, which counts the rows.
        key: Mapping,
        /// An axis of it.
        axis: String,
        /// A value of the axis without an index.
        value: u64,
    },
    /// A reshape of one level to another number of positions.
    Size {
        /// Positions before.
        before: u64,
        /// Positions after.
        after: u64,
    },
    /// A reshape takes padding for data.
    PaddingBecomesData {
        /// A position of the level.
        position: u64,
    },
    /// A reshape takes data for padding.
    DataBecomesPadding {
        /// A position of the level.
        position: u64,
    },
}

/// Derives all moves of a body.
#[cfg(test)]
pub(super) fn derive_moves(body: &Body) -> Vec<MoveViolation> {
    let operations = body.operations.iter();
    let mut violations: Vec<MoveViolation> = operations
        .flat_map(|operation| of_operation(body, operation))
        .collect();
    violations.extend(of_tensors(body));
    violations
}

/// The moves of a body that are no operations: its reshapes.
pub(super) fn of_tensors(body: &Body) -> Vec<MoveViolation> {
    let mut violations = Vec::new();
    for tensor in &body.tensors {
        if let Origin::Reshape { of } = tensor.origin {
            violations.extend(judge_reshape(body, of, tensor.id));
        }
    }
    violations
}

/// The moves of one operation of a body, or of a changed copy of one.
pub(super) fn of_operation(body: &Body, operation: &Operation) -> Vec<MoveViolation> {
    let mut violations = Vec::new();
    match &operation.kind {
        OperationKind::Copy(copy) => {
            let judged = (|| {
                let source = body.tensor(copy.source)?.levels.full_mapping()?;
                let target = body.tensor(copy.target)?;
                let full = target.levels.full_mapping()?;
                let conventions = Conventions::of(body.dialect);
                let excused = conventions.drops_by_resize();
                let fault = lost(&source, &full, excused).or_else(|| invented(&source, &full))?;
                let accepted = match &fault {
                    MoveFault::Invented { .. } => {
                        conventions.copies_missing_parts() && is_copied(&source, &full)
                    }
                    MoveFault::Lost { .. } => {
                        !conventions.checks_what_is_left_out()
                            && target.tier != Tier::Dm
                            && lost(&source, &full, true).is_none()
                    }
                    _ => false,
                };
                let span = target.levels.element.span;
                Some((fault, source, full, span, accepted))
            })();
            violations.extend(judged.map(|(fault, source, target, span, accepted)| {
                MoveViolation {
                    kind: MoveKind::Copy(operation.id),
                    fault,
                    source,
                    target,
                    span,
                    method: copy.span,
                    accepted,
                }
            }));
        }
        OperationKind::Pass(pass) => {
            for (index, stage) in pass.stages.iter().enumerate() {
                let (kind, span) = match &stage.kind {
                    StageKind::Fetch { .. } => {
                        (MoveKind::Fetch(operation.id, index), stage.output.time.span)
                    }
                    StageKind::Switch(config)
                        if matches!(config.value, Some(SwitchConfig::CustomBroadcast { .. })) =>
                    {
                        (
                            MoveKind::Switch(operation.id, index),
                            stage.output.slice.span,
                        )
                    }
                    StageKind::CommitTrim => (
                        MoveKind::Trim(operation.id, index),
                        stage.output.packet.span,
                    ),
                    _ => continue,
                };
                // What a switch may leave out, its own rules say; a trim leaves out what a resize says.
                let excused = matches!(kind, MoveKind::Switch(..) | MoveKind::Trim(..))
                    || Conventions::of(body.dialect).drops_by_resize();
                let found = stream_loss(
                    (pass.input_of(index), &stage.output),
                    kind,
                    (span, stage.span),
                    excused,
                );
                // Early releases put copies into the place of what a custom switch moves.
                let takes = matches!(kind, MoveKind::Switch(..))
                    && Conventions::of(body.dialect).replaces_by_copies();
                violations.extend(found.map(|mut found| {
                    found.accepted |= takes;
                    found
                }));
            }
            violations.extend(commit_loss(body, operation.id, pass.output(), &pass.end));
        }
        OperationKind::Collective(collective) => {
            violations.extend(collectives::judge_collective(
                body,
                operation.id,
                collective,
            ));
        }
    }
    violations
}

fn stream_loss(
    (source, target): (&StreamShape, &StreamShape),
    kind: MoveKind,
    (span, method): (Span, Span),
    excused: bool,
) -> Option<MoveViolation> {
    let (source, target) = (source.full_mapping()?, target.full_mapping()?);
    let fault = lost(&source, &target, excused)?;
    Some(MoveViolation {
        kind,
        fault,
        source,
        target,
        span,
        method,
        accepted: matches!(kind, MoveKind::Trim(..)),
    })
}

fn commit_loss(
    body: &Body,
    id: OperationId,
    stream: &StreamShape,
    end: &PassEnd,
) -> Option<MoveViolation> {
    let (PassEnd::Commit { target, span } | PassEnd::CommitView { target, span }) = end else {
        return None;
    };
    let source = stream.full_mapping()?;
    let target = body.tensor(*target)?;
    let full = target.levels.full_mapping()?;
    let fault = lost(&source, &full, true)?;
    Some(MoveViolation {
        kind: MoveKind::Commit(id),
        fault,
        source,
        target: full,
        span: target.levels.element.span,
        method: *span,
        accepted: false,
    })
}

/// What a move is asked for: the source, the target.
type Faults = ThreadMemo<(Mapping, Mapping), Option<MoveFault>>;

/// As [`Faults`], and whether a resize of the target excuses what is lost.
type Losses = ThreadMemo<(Mapping, Mapping, bool), Option<MoveFault>>;

thread_local! {
    static LOST: Losses = Losses::default();
    static INVENTED: Faults = Faults::default();
}

/// What the target lacks of the source, unless a resize of the target says so and excuses it.
fn lost(source: &Mapping, target: &Mapping, excused: bool) -> Option<MoveFault> {
    let question = (source.clone(), target.clone(), excused);
    LOST.with(|known| {
        known.answer_or_find(question, |(source, target, excused)| {
            find_lost(source, target, *excused)
        })
    })
}

fn find_lost(source: &Mapping, target: &Mapping, excused: bool) -> Option<MoveFault> {
    let mentions_resize = |target: &Mapping, axis: &str| excused && mentions_resize(target, axis);
    let mut composite = false;
    for axis in source.form().axis_names() {
        match (project(source.form(), &axis), project(target.form(), &axis)) {
            (Some(source_parts), Some(target_parts)) => {
                if let Some(value) = missing_value(&source_parts, &target_parts)
                    && !mentions_resize(target, &axis)
                {
                    return Some(MoveFault::Lost {
                        axis: Some(axis.to_string()),
                        value: Some(value),
                    });
                }
            }
            _ if mentions_resize(target, &axis) => return None,
            _ => composite = true,
        }
    }
    (composite
        && !broadcasts(source, target)
        && holds_every_element(target.form(), source.form()) == Answer::No)
        .then_some(MoveFault::Lost {
            axis: None,
            value: None,
        })
}

/// The first axis of which the target lacks a value that the source holds, whether or not a resize says so; the axes of a
/// group where one is unknown from the other.
pub(super) fn dropped_axis(source: &Form, target: &Form) -> Option<String> {
    let mut grouped = Vec::new();
    for axis in source.axis_names() {
        match (project(source, &axis), project(target, &axis)) {
            (Some(held), Some(kept)) if missing_value(&held, &kept).is_some() => {
                return Some(axis.to_string());
            }
            (Some(_), Some(_)) => {}
            _ => grouped.push(axis.to_string()),
        }
    }
    // Of groups the elements decide, as far as they can be counted.
    let foreign = target.axis_names().difference(&source.axis_names()).count();
    let decided =
        !grouped.is_empty() && foreign == 0 && holds_every_element(target, source) == Answer::No;
    decided.then(|| grouped.join(", "))
}

/// What the target claims of the source's axes beyond the source.
fn invented(source: &Mapping, target: &Mapping) -> Option<MoveFault> {
    let question = (source.clone(), target.clone());
    INVENTED.with(|known| {
        known.answer_or_find(question, |(source, target)| find_invented(source, target))
    })
}

fn find_invented(source: &Mapping, target: &Mapping) -> Option<MoveFault> {
    let mut composite = false;
    let source_axes = source.form().axis_names();
    for axis in &source_axes {
        match (project(source.form(), axis), project(target.form(), axis)) {
            (Some(source_parts), Some(target_parts)) => {
                if let Some(value) = missing_value(&target_parts, &source_parts) {
                    return Some(MoveFault::Invented {
                        axis: Some(axis.to_string()),
                        value: Some(value),
                    });
                }
            }
            _ => composite = true,
        }
    }
    (composite
        && !broadcasts(source, target)
        && holds_every_element(source.form(), target.form()) == Answer::No)
        .then_some(MoveFault::Invented {
            axis: None,
            value: None,
        })
}

/// Whether what the target claims beyond the source is whole digits of its axes: the library reads the source again for
/// each of their steps.
fn is_copied(source: &Mapping, target: &Mapping) -> bool {
    source.form().axis_names().iter().all(|axis| {
        let parts = |mapping: &Mapping| {
            let parts = project(mapping.form(), axis)?;
            let size = parts.iter().map(|part| part.axis.size()).max()?;
            Some(Values::of(&parts, size)?.digits)
        };
        let (Some(held), Some(claimed)) = (parts(source), parts(target)) else {
            return false;
        };
        let covers = |(stride, count): &(u64, u64), (low, steps): &(u64, u64)| {
            let (end, border) = (stride.checked_mul(*count), low.checked_mul(*steps));
            stride.is_multiple_of(*low)
                && end
                    .zip(border)
                    .is_some_and(|(end, border)| border.is_multiple_of(end))
        };
        held.iter()
            .all(|digit| claimed.iter().any(|of| covers(digit, of)))
    })
}

/// Whether the target has an axis of its own: its indices are then no indices of the source as a whole.
fn broadcasts(source: &Mapping, target: &Mapping) -> bool {
    let axes = source.form().axis_names();
    target
        .form()
        .axis_names()
        .iter()
        .any(|axis| !axes.contains(axis))
}

/// Whether the mapping resizes an expression that mentions the axis: the author says that the rest goes.
fn mentions_resize(mapping: &Mapping, axis: &str) -> bool {
    let mut pending = vec![mapping];
    while let Some(next) = pending.pop() {
        match next.kind() {
            MappingKind::Resize(inner, _) => {
                if inner
                    .axes()
                    .iter()
                    .any(|mentioned| mentioned.name() == axis)
                {
                    return true;
                }
            }
            MappingKind::Stride(inner, _)
            | MappingKind::Modulo(inner, _)
            | MappingKind::Pad(inner, _, _) => {
                pending.push(inner);
            }
            MappingKind::Product(parts) => pending.extend(parts),
            MappingKind::Identity | MappingKind::Axis(_) | MappingKind::Broadcast(_) => {}
        }
    }
    false
}

/// Judges a reshape a level at a time: the bytes stay, so each level keeps its positions and their padding.
fn judge_reshape(body: &Body, before: TensorId, after: TensorId) -> Option<MoveViolation> {
    let (before, after) = (body.tensor(before)?, body.tensor(after)?);
    for ((level, source), (_, target)) in before.levels.iter().zip(after.levels.iter()) {
        let (Some(source), Some(mapping)) = (&source.value, &target.value) else {
            continue;
        };
        let first_lost = |dropped: &[u64], kept: &[u64]| {
            first_lost_element(body, (before.id, level), dropped, kept)
        };
        if let Some(fault) = reshape_fault(source, mapping, first_lost) {
            return Some(MoveViolation {
                kind: MoveKind::Reshape,
                fault,
                source: source.clone(),
                target: mapping.clone(),
                span: target.span,
                method: after.span,
                accepted: false,
            });
        }
    }
    None
}

/// What is wrong with a level of a reshape. `first_lost` is asked for the first position whose element is lost: of those that
/// become padding, given those that stay data.
fn reshape_fault(
    before: &Mapping,
    after: &Mapping,
    first_lost: impl FnOnce(&[u64], &[u64]) -> Option<u64>,
) -> Option<MoveFault> {
    if before.size() != after.size() {
        return Some(MoveFault::Size {
            before: before.size(),
            after: after.size(),
        });
    }
    let same_padding = match (padding_of(before.form()), padding_of(after.form())) {
        (Some(before), Some(after)) => before == after,
        _ => false,
    };
    if same_padding
        || equal_forms(before.form(), after.form()) == Answer::Yes
        || before.size() > ENUMERATED_POSITIONS
    {
        return None;
    }
    let size = before.size();
    let resized = after
        .axes()
        .iter()
        .any(|axis| mentions_resize(after, axis.name()));
    let (before, after) = (before.form().function(), after.form().function());
    let (mut dropped, mut kept) = (Vec::new(), Vec::new());
    for position in 0..size {
        let holds_data =
            |function: &IndexFunction| matches!(function.cell_at(position), Cell::Index(_));
        match (holds_data(&before), holds_data(&after)) {
            (false, true) => return Some(MoveFault::PaddingBecomesData { position }),
            (true, false) if !resized => dropped.push(position),
            (true, true) => kept.push(position),
            _ => {}
        }
    }
    let position = first_lost(&dropped, &kept)?;
    Some(MoveFault::DataBecomesPadding { position })
}

/// The first of the dropped positions of a level whose element no kept position holds. Copies of an element are told from other
/// elements by where they come from: an axis that no parameter has counts copies. Where that is not known, nothing is lost.
fn first_lost_element(
    body: &Body,
    (tensor, level): (TensorId, Level),
    dropped: &[u64],
    kept: &[u64],
) -> Option<u64> {
    if dropped.is_empty() {
        return None;
    }
    let form_of = |tensor: &Tensor| {
        let (_, written) = tensor.levels.iter().find(|(found, _)| *found == level)?;
        forms::known_form(written).cloned()
    };
    // A reshape moves nothing: what is at a position is what the tensor holds there that an operation made.
    let mut made = body.tensor(tensor)?;
    let mut form = form_of(made)?;
    while let Origin::Reshape { of } = made.origin {
        let source = body.tensor(of)?;
        let source_form = form_of(source).filter(|source| source.size() == form.size())?;
        (made, form) = (source, source_form);
    }
    let names = form.axis_names().into_iter();
    let telling: Vec<Arc<str>> = names
        .filter(|axis| {
            tensors_varying_along(body, axis, holds_each_element_once).contains(&made.id)
        })
        .collect();
    let function = form.function();
    let element_at = |position: u64| match function.cell_at(position) {
        Cell::Index(index) => {
            let values = telling.iter().map(|axis| index.value(axis));
            Some(values.collect::<Vec<u64>>())
        }
        Cell::Padding(_) | Cell::OutOfBounds => None,
    };
    let held: FxHashSet<Vec<u64>> = kept.iter().filter_map(|at| element_at(*at)).collect();
    dropped
        .iter()
        .copied()
        .find(|at| element_at(*at).is_some_and(|element| !held.contains(&element)))
}

/// `(live, extent)` of the digits, innermost first, where a full digit is one with the digit outside of it: two forms
/// with equal lists have padding at the same positions. `None` if a digit is no plain run.
fn padding_of(form: &Form) -> Option<Vec<(u64, u64)>> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for digit in form.digits() {
        let atom = digit.term.as_ref().map(|term| &term.atom);
        if matches!(atom, Some(Atom::PaddedRun(_) | Atom::Composite(_))) {
            return None;
        }
        let (live, extent) = (digit.live, digit.extent);
        match runs.last_mut() {
            Some((inner_live, inner_extent)) if inner_live == inner_extent => {
                *inner_live = live.checked_mul(*inner_extent)?;
                *inner_extent = extent.checked_mul(*inner_extent)?;
            }
            _ => runs.push((live, extent)),
        }
    }
    Some(runs)
}

#[cfg(test)]
mod tests;
