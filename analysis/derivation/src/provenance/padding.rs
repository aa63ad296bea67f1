//! Padded positions that a reduction takes in (book: Masking, Padding Strategy).
//!
//! Padding holds arbitrary data. Three things keep it out of a sum: the mask of the Fetch Engine, which cuts one axis; the valid counts of an intra-slice reduce; and zeros in the other operand. Judged are the
//! reductions that none of them reaches: a reduction across slices over an axis whose slices are padded, and a contraction
//! over a padded axis that the fetch cannot mask, with an operand that the sub context loaded as it was. How far the mask
//! itself reaches is `masking`'s business.

use std::sync::Arc;

use crate::conventions::Conventions;
use crate::forms;
use crate::hardware::{ElementType, Function, OperationGroup, VectorOperation, vector_operation};
use crate::items::Span;
use crate::kernel::{
    Body, Context, Operation, OperationId, OperationKind, Origin, Pass, Position, Stage, StageKind,
    StreamShape, TensorId,
};
use crate::mapping::{Form, Mapping, PaddingKind, project};
use crate::valid_count::{self, Placement};

/// Lanes of the narrow part of the Vector Engine.
const NARROW_LANES: u64 = 4;

/// Padded positions that a reduction or contraction takes in and that nothing masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaddingRead {
    /// The pass.
    pub operation: OperationId,
    /// Why nothing masks them.
    pub cause: PaddingCause,
    /// The axis that is reduced.
    pub axis: String,
    /// Its positions, padded ones included.
    pub positions: u64,
    /// Those that hold data.
    pub live: u64,
    /// Where the padded mapping is written.
    pub span: Span,
    /// The method that takes them in.
    pub method: Span,
    /// The mappings of the pass with the axis unpadded, where that is enough: their places and what they become.
    pub unpadded: Vec<(Span, Mapping)>,
    /// For a reduction across slices, the intra-slice reduce that would gate the empty slices before it.
    pub gate: Option<Gate>,
}

/// An intra-slice reduce over an axis that only the slices have: its valid counts leave the empty ones out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Gate {
    /// Time and packet of four lanes.
    pub narrow: (Mapping, Mapping),
    /// Time and packet of eight lanes, as they were.
    pub wide: (Mapping, Mapping),
    /// The operation of the intra-slice reduce.
    pub operation: &'static VectorOperation,
}

/// Why nothing masks padded positions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PaddingCause {
    /// They are in slices of their own, and the reduction goes across slices.
    Slices,
    /// The fetch masks another axis, and it has one mask.
    SecondAxis {
        /// The axis that it masks.
        masked: String,
    },
    /// Only some slices had them when they were fetched, and a mask is the same in all slices; the Switch Engine brought
    /// them into the time.
    Switched,
}

/// Finds them in one operation.
pub(crate) fn of_operation(body: &Body, operation: &Operation) -> Vec<PaddingRead> {
    let mut found = Vec::new();
    if let OperationKind::Pass(pass) = &operation.kind {
        found.extend(across_slices(operation.id, pass));
        found.extend(contracted_padding(body, operation.id, pass));
    }
    found
}

/// What a mapping holds of an axis: data, and positions with padding. `None` where it has none of it, no padding, zeros, or
/// in no plain digits.
fn padded_reach(forms: &[&Form], axis: &str) -> Option<(u64, u64)> {
    let mut reach = 0_u64;
    let mut size = None;
    for form in forms {
        let zero = form.digits().iter().any(|digit| {
            digit.padding_kind() == PaddingKind::Zero
                && digit
                    .term
                    .as_ref()
                    .is_some_and(|term| term.atom.axis().is_some_and(|found| found.name() == axis))
        });
        if zero {
            return None;
        }
        for part in project(form, axis)? {
            size = Some(part.axis.size());
            let last = part.axis_stride.checked_mul(part.extent.checked_sub(1)?)?;
            reach = reach.checked_add(last)?;
        }
    }
    let (live, positions) = (size?, reach.checked_add(1)?);
    (positions > live).then_some((live, positions))
}

/// An inter-slice reduction over an axis of which some slices hold nothing. An intra-slice reduce over the same axis gates
/// those slices before.
fn across_slices(id: OperationId, pass: &Pass) -> Vec<PaddingRead> {
    let mut found = Vec::new();
    for (index, stage) in pass.stages.iter().enumerate() {
        if !matches!(stage.kind, StageKind::VectorInterReduce { .. }) {
            continue;
        }
        let input = pass.input_of(index);
        let (Some(before), Some(after)) = (
            forms::known_form(&input.slice),
            stage
                .output
                .full_mapping()
                .filter(|mapping| !mapping.is_opaque()),
        ) else {
            continue;
        };
        let gated = |axis: &str| {
            pass.stages
                .iter()
                .take(index)
                .any(|stage| match &stage.kind {
                    StageKind::VectorIntraReduce { axis: reduced, .. } => {
                        reduced.get().is_none_or(|reduced| reduced.name() == axis)
                    }
                    _ => false,
                })
        };
        for axis_argument in before.axis_names() {
            if after.form().contains_axis(&axis_argument) || gated(&axis_argument) {
                continue;
            }
            let inner = reduced_slices(before, forms::known_form(&stage.output.slice));
            let mut taken = inner.unwrap_or_else(|| before.clone());
            if Conventions::of(pass.dialect).leaves_idle_slices_out() {
                taken = taken.remove_padding();
            }
            if let Some((live, positions)) = padded_reach(&[&taken], &axis_argument) {
                found.push(PaddingRead {
                    operation: id,
                    cause: PaddingCause::Slices,
                    axis: axis_argument.to_string(),
                    positions,
                    live,
                    span: stage.span,
                    method: stage.span,
                    unpadded: Vec::new(),
                    gate: gate(pass, index, &axis_argument),
                });
            }
        }
    }
    found
}

/// The inner part of the slices that a reduction across them takes in, where its results are told apart by an axis: what is
/// outside of it is the same before and after.
pub fn reduced_slices(before: &Form, after: Option<&Form>) -> Option<Form> {
    let after = after.filter(|after| after.has_terms() && after.size() == before.size())?;
    let powers = (0..before.size().checked_ilog2()?).map(|power| 1_u64 << power);
    powers.into_iter().find_map(|inside| {
        let (outer, inner) = before.split_at(inside)?;
        let (kept, _) = after.split_at(inside)?;
        (!forms::differ(&outer, &kept)).then_some(inner)
    })
}

/// The intra-slice reduce before the reduction at a stage that would gate empty slices of an axis, where the stream comes
/// straight from the entry of the engine and the generator can count so.
fn gate(pass: &Pass, index: usize, axis: &str) -> Option<Gate> {
    let input = pass.input_of(index);
    let StageKind::VectorInterReduce { operation } = &pass.stages.get(index)?.kind else {
        return None;
    };
    let (time, packet) = (
        forms::known_form(&input.time)?,
        forms::known_form(&input.packet)?,
    );
    let placement = valid_count::place_axis(forms::known_form(&input.slice)?, time, packet, axis)?;
    if input.position != Position::VectorInit || !matches!(placement, Placement::Supported(_)) {
        return None;
    }
    let (enumeration, variant) = operation.get()?;
    let names = pass.library().operations();
    let across = names.find(enumeration, variant, None)?.operation;
    let operation = in_slice(across)?;
    let (outer, inner) = packet.split_at(NARROW_LANES)?;
    Some(Gate {
        narrow: (
            Form::multiply(time, &outer)?.to_mapping(),
            inner.to_mapping(),
        ),
        wide: (time.to_mapping(), packet.to_mapping()),
        operation,
    })
}

/// The reduction inside of a slice that computes what one across slices does; sums of integers saturate there.
fn in_slice(across: &VectorOperation) -> Option<&'static VectorOperation> {
    if across.group != OperationGroup::ReduceAcross {
        return None;
    }
    let function = match (across.element_type, across.function) {
        (ElementType::I32, Function::Add) => Function::AddSaturated,
        (_, function) => function,
    };
    vector_operation(OperationGroup::ReduceInSlice, across.element_type, function)
}

/// The stages of a contraction that the judgement needs.
struct Contraction<'a> {
    fetch: &'a Stage,
    aligned: &'a Stage,
    accumulated: &'a Stage,
}

impl<'a> Contraction<'a> {
    fn of(pass: &'a Pass) -> Option<(Self, TensorId)> {
        let fetch = pass
            .stages
            .first()
            .filter(|stage| matches!(stage.kind, StageKind::Fetch { .. }))?;
        let (aligned, operand) = pass.stages.iter().find_map(|stage| match stage.kind {
            StageKind::Align { operand, .. } => Some((stage, operand?)),
            _ => None,
        })?;
        let accumulated = pass
            .stages
            .iter()
            .find(|stage| matches!(stage.kind, StageKind::Accumulate(_)))?;
        let contraction = Self {
            fetch,
            aligned,
            accumulated,
        };
        Some((contraction, operand))
    }
}

/// Whether a contraction takes in no padding, as far as this module judges.
pub fn masks_contracted_padding(body: &Body, pass: &Pass) -> bool {
    contracted_padding(body, OperationId(0), pass).is_none()
}

/// A contraction over padded axes that its fetch cannot mask.
fn contracted_padding(body: &Body, id: OperationId, pass: &Pass) -> Option<PaddingRead> {
    let (contraction, operand) = Contraction::of(pass)?;
    if !is_loaded_unmasked(body, operand) {
        return None;
    }
    let fetched = &contraction.fetch.output;
    let (time, packet) = (
        forms::known_form(&fetched.time)?,
        forms::known_form(&fetched.packet)?,
    );
    let slice = forms::known_form(&fetched.slice)?;
    let aligned = &contraction.aligned.output;
    let (aligned_time, aligned_packet) = (
        forms::known_form(&aligned.time)?,
        forms::known_form(&aligned.packet)?,
    );
    let kept = contraction.accumulated.output.full_mapping()?;
    let reduced: Vec<Arc<str>> = aligned_time
        .axis_names()
        .into_iter()
        .chain(aligned_packet.axis_names())
        .filter(|axis| !kept.form().contains_axis(axis))
        .collect();
    let read = |cause, axis: &Arc<str>, (live, positions), span| PaddingRead {
        operation: id,
        cause,
        axis: axis.to_string(),
        positions,
        live,
        span,
        method: contraction.aligned.span,
        unpadded: Vec::new(),
        gate: None,
    };
    // A mask is the same in all slices: what only some of them have to mask is beyond it.
    for axis in &reduced {
        if slice.contains_axis(axis)
            && padded_reach(&[time, packet], axis).is_none()
            && padded_reach(&[slice, time, packet], axis).is_some()
            && let Some(extent) = padded_reach(&[aligned_time, aligned_packet], axis)
        {
            return Some(read(
                PaddingCause::Switched,
                axis,
                extent,
                contraction.aligned.output.time.span,
            ));
        }
    }
    let mut masks: Vec<(Arc<str>, (u64, u64))> = reduced
        .into_iter()
        .filter(|axis| !slice.contains_axis(axis))
        .filter_map(|axis| {
            let extent = padded_reach(&[time, packet], &axis)?;
            padded_reach(&[aligned_time, aligned_packet], &axis)?;
            Some((axis, extent))
        })
        .collect();
    masks.sort();
    masks.dedup();
    // The axis in the packet is what the mask is for; one of the others is left.
    masks.sort_by_key(|(axis, _)| !packet.contains_axis(axis));
    let [(masked, _), (axis, extent), ..] = masks.as_slice() else {
        return None;
    };
    let masked = masked.to_string();
    let found = read(
        PaddingCause::SecondAxis { masked },
        axis,
        *extent,
        fetched.time.span,
    );
    let unpadded = without_padding(pass, &found.axis).unwrap_or_default();
    Some(PaddingRead { unpadded, ..found })
}

/// Whether an operand was loaded by the sub context of this body, which masks nothing.
fn is_loaded_unmasked(body: &Body, operand: TensorId) -> bool {
    let Some(Origin::Operation(load)) = body.tensor(operand).map(|tensor| &tensor.origin) else {
        return false;
    };
    let load = body.operation(*load).map(|operation| &operation.kind);
    matches!(load, Some(OperationKind::Pass(pass)) if pass.context == Some(Context::Sub))
}

/// The pass's times with the padding of an axis left out, up to the alignment; `None` where the axis is more than one
/// digit of them.
fn without_padding(pass: &Pass, axis: &str) -> Option<Vec<(Span, Mapping)>> {
    let mut changed = Vec::new();
    for stage in &pass.stages {
        if matches!(stage.kind, StageKind::Contract | StageKind::ContractMax) {
            break;
        }
        let StreamShape { time, packet, .. } = &stage.output;
        if forms::known_form(packet)?.contains_axis(axis) {
            return None;
        }
        let form = forms::known_form(time)?;
        let mut digits = Vec::new();
        let mut found = 0;
        for digit in form.digits() {
            let own = digit
                .term
                .as_ref()
                .is_some_and(|term| term.atom.axis().is_some_and(|found| found.name() == axis));
            found += usize::from(own);
            digits.push(if own { digit.unpadded() } else { digit.clone() });
        }
        if found != 1 {
            return None;
        }
        changed.push((time.span, Form::from_digits(digits)?.to_mapping()));
    }
    Some(changed)
}
