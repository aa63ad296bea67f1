//! Stages: alignment, accumulation, custom rings, and the Vector Engine (library: 5.5, 5.7, 5.9, 5.10).

use crate::hardware::{ElementType, OperationGroup};
use crate::items::Span;
use crate::kernel::{
    AccumulationKind, AluOperation, Body, Pass, Position, Stage, StageKind, StreamShape,
    SwitchConfig,
};
use crate::mapping::{DivisionMode, Form, PaddingKind, divide, project};
use crate::{PassDerivation, StageDerivation, forms};

use super::{LibraryLimit, LibraryLimitKind, is_plain, truncated, unimplemented};

/// Integer bits of a conversion from which on the library stops.
const INTEGER_BITS: u32 = 32;

/// What the library refuses of a stage without violations.
pub(super) fn judge_stage(
    body: &Body,
    pass: &Pass,
    index: usize,
    derived: &PassDerivation,
) -> Option<LibraryLimit> {
    let stage = pass.stages.get(index)?;
    let input = pass.input_of(index);
    let found = |(kind, span): (LibraryLimitKind, Span)| LibraryLimit {
        kind,
        span,
        method: stage.span,
    };
    let faulty = |index: usize| {
        let vector = &derived.vector.violations;
        vector.iter().any(|violation| violation.stage == index)
    };
    let sound = match derived.stages.get(index)? {
        StageDerivation::Vector => !faulty(index),
        stage => stage.is_legal(),
    };
    if !sound {
        return None;
    }
    let of_shapes = derived.stages.get(index)?.library_limit(input, stage);
    if of_shapes.is_some() {
        return of_shapes.map(found);
    }
    match &stage.kind {
        StageKind::Fetch { .. } => fetched(input, stage),
        StageKind::Switch(config) => {
            let Some(SwitchConfig::CustomBroadcast { ring_size }) = &config.value else {
                return None;
            };
            let StageDerivation::Switch(derived) = derived.stages.get(index)? else {
                return None;
            };
            let size = (*ring_size.get()?, ring_size.span);
            custom_ring_limit(input, stage, size, derived.least_ring)
        }
        StageKind::Align { .. } => align_limit(body, input, stage),
        StageKind::Accumulate(kind) => accumulate_limit(input, stage, *kind.get()?),
        StageKind::VectorConvert { integer_bits, .. } => {
            let bits = *integer_bits.get()?;
            (bits >= u64::from(INTEGER_BITS))
                .then_some((LibraryLimitKind::IntegerBits { bits }, integer_bits.span))
        }
        StageKind::VectorTrim | StageKind::VectorPad => {
            let pair = matches!(input.position, Position::VectorPair(_));
            pair.then_some((LibraryLimitKind::PairLanes, stage.span))
        }
        StageKind::VectorAlu(operation) => {
            unimplemented::unimplemented_stage(body.library(), &stage.kind, stage.span)
                .or_else(|| alu_operand_limit(pass, index, operation))
        }
        StageKind::VectorInterReduce { .. } => partial_reduction(input, stage),
        other => unimplemented::unimplemented_stage(body.library(), other, stage.span),
    }
    .map(found)
}

/// What the library asks of the operands of an operation.
fn alu_operand_limit(
    pass: &Pass,
    index: usize,
    operation: &AluOperation,
) -> Option<(LibraryLimitKind, Span)> {
    let span = pass.stages.get(index)?.span;
    if operation.always > 1 {
        let operands = operation.operands.iter().flatten().next();
        return Some((
            LibraryLimitKind::AlwaysOperands {
                operands: operation.always,
            },
            operands.map_or(span, |operand| operand.span),
        ));
    }
    let names = pass.library().operations();
    let group = names.enumeration(&operation.enumeration)?.group;
    if group != OperationGroup::FloatTernary {
        return None;
    }
    let single = !matches!(pass.input_of(index).position, Position::VectorPair(_));
    let entered = entered_type(pass, index)?;
    (single && entered == ElementType::I32)
        .then_some((LibraryLimitKind::TernaryAfterConversion, span))
}

fn fetched(input: &StreamShape, stage: &Stage) -> Option<(LibraryLimitKind, Span)> {
    let kind = truncated(&input.full_mapping()?, &stage.output.full_mapping()?)?;
    Some((kind, stage.output.time.span))
}

/// A custom ring: exactly the least one, copies each one whole axis without padding, nothing cut off.
fn custom_ring_limit(
    input: &StreamShape,
    stage: &Stage,
    (ring_size, ring_span): (u64, Span),
    least: Option<u64>,
) -> Option<(LibraryLimitKind, Span)> {
    let (before, after) = (
        forms::known_form(&input.slice)?,
        forms::known_form(&stage.output.slice)?,
    );
    if !is_plain(before) || !is_plain(after) {
        return None;
    }
    if let Some(copies) = ring_copies(before, after) {
        return Some((copies, stage.output.slice.span));
    }
    if let Some(kind) = truncated(&input.full_mapping()?, &stage.output.full_mapping()?) {
        return Some((kind, stage.output.time.span));
    }
    let least = least.filter(|least| *least != ring_size)?;
    Some((LibraryLimitKind::RingSize { ring_size, least }, ring_span))
}

fn ring_copies(before: &Form, after: &Form) -> Option<LibraryLimitKind> {
    let gained = divide(after, before, DivisionMode::Strict).dividend_residue;
    let copies = gained.terms_with_stride();
    let name = |at: usize| {
        let term = &copies.get(at)?.term;
        Some(term.atom.axis()?.name().to_owned())
    };
    let names: Vec<String> = (0..copies.len()).filter_map(name).collect();
    let split = names
        .iter()
        .enumerate()
        .find(|(at, name)| names.iter().skip(at + 1).any(|other| other == *name));
    if let Some((_, axis)) = split {
        return Some(LibraryLimitKind::RingCopies {
            axis: axis.clone(),
            padded: false,
        });
    }
    // Padding that the author wrote behind the copies; the holes of what stayed are none of it.
    let padded = after.digits().iter().find(|digit| {
        let own = digit
            .term
            .as_ref()
            .and_then(|term| term.atom.axis())
            .is_some_and(|axis| names.iter().any(|name| name == axis.name()));
        own && digit
            .paddings()
            .iter()
            .any(|padding| padding.kind == PaddingKind::Top)
    })?;
    Some(LibraryLimitKind::RingCopies {
        axis: padded.term.as_ref()?.atom.axis()?.name().to_owned(),
        padded: true,
    })
}

/// Tiling innermost, counted with the second collected flit as an iteration.
fn align_limit(
    body: &Body,
    input: &StreamShape,
    stage: &Stage,
) -> Option<(LibraryLimitKind, Span)> {
    let StageKind::Align { operand, .. } = &stage.kind else {
        return None;
    };
    body.tensor((*operand)?)?;
    let (time, packet) = (
        forms::known_form(&input.time)?,
        forms::known_form(&input.packet)?,
    );
    let (out_time, out_packet) = (
        forms::known_form(&stage.output.time)?,
        forms::known_form(&stage.output.packet)?,
    );
    if ![time, packet, out_time, out_packet]
        .into_iter()
        .all(is_plain)
    {
        return None;
    }
    let (second, _) = out_packet.split_at(packet.size())?;
    let iterations = Form::multiply(out_time, &second.remove_padding())?;
    let tiling = iterations.size() / time.size().max(1);
    let found = forms::divide_relaxed(&iterations, time);
    let innermost = || {
        let inside = |stride: u64| stride < tiling;
        !found
            .matches
            .iter()
            .any(|part| inside(part.dividend_stride))
    };
    (!found.exact() || !innermost()).then_some((
        LibraryLimitKind::AlignTiling { tiling },
        stage.output.time.span,
    ))
}

/// The packet without its outer padding innermost in the output time (interleaved), or up to the next eight (sequential).
fn accumulate_limit(
    input: &StreamShape,
    stage: &Stage,
    kind: AccumulationKind,
) -> Option<(LibraryLimitKind, Span)> {
    const LANES: u64 = 8;
    let row = input.row.as_ref().and_then(forms::known_form)?;
    let live = forms::known_form(&input.packet)?.remove_padding();
    let out_time = forms::known_form(&stage.output.time)?;
    if !is_plain(&live) || !is_plain(out_time) || !is_plain(row) {
        return None;
    }
    let inner = match kind {
        AccumulationKind::Interleaved => live.clone(),
        AccumulationKind::Sequential => {
            let padded = live.size().checked_next_multiple_of(LANES)?;
            let (pieces, _) = live.pad(padded)?.split_at(LANES)?;
            Form::multiply(row, &pieces)?
        }
    };
    let fits = out_time.size().is_multiple_of(inner.size().max(1))
        && out_time
            .split_at(inner.size())
            .is_some_and(|(_, found)| !forms::differ(&found, &inner));
    (!fits).then_some((
        LibraryLimitKind::AccumulatedPadding { live: live.size() },
        stage.output.time.span,
    ))
}

/// The element type with which the stream entered the Vector Engine's part that a stage belongs to.
fn entered_type(pass: &Pass, index: usize) -> Option<ElementType> {
    let entry = pass
        .stages
        .get(..index)?
        .iter()
        .rposition(|stage| matches!(stage.kind, StageKind::VectorBranch(_)))?;
    let unzipped = pass
        .stages
        .get(entry..index)?
        .iter()
        .any(|stage| matches!(stage.kind, StageKind::VectorUnzip { .. }));
    if unzipped {
        return None;
    }
    pass.input_of(entry).element_type.value
}

/// A reduction across slices of a part of an axis, of which the rest stays in the tensor.
fn partial_reduction(input: &StreamShape, stage: &Stage) -> Option<(LibraryLimitKind, Span)> {
    let (before, after) = (input.full_mapping()?, stage.output.full_mapping()?);
    let axes = before.form().axis_names();
    let axis = axes.into_iter().find(|axis| {
        let values = |form| {
            let mut parts: Vec<(u64, u64)> = project(form, axis)?
                .iter()
                .map(|part| (part.axis_stride, part.count))
                .collect();
            parts.sort_unstable();
            let mut merged: Vec<(u64, u64)> = Vec::new();
            for (stride, count) in parts {
                match merged.last_mut() {
                    Some((inner, steps)) if inner.checked_mul(*steps) == Some(stride) => {
                        *steps = steps.checked_mul(count)?;
                    }
                    _ => merged.push((stride, count)),
                }
            }
            Some(merged)
        };
        let (Some(before), Some(after)) = (values(before.form()), values(after.form())) else {
            return false;
        };
        // A whole run of the axis may go; a part of one may not.
        !after.is_empty() && after.iter().any(|run| !before.contains(run))
    })?;
    Some((
        LibraryLimitKind::PartialReduction {
            axis: axis.to_string(),
        },
        stage.output.slice.span,
    ))
}
