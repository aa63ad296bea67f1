//! Reductions inside a slice and across slices: what they make of the stream, and the slots they need.

use crate::conventions::Conventions;
use crate::forms::{
    axis_names, differ, divide_relaxed, form_without_axis, join, keeps_order, known_form,
    selection_text, term_mapping, term_name,
};
use crate::items::Span;
use crate::kernel::{Stage, StageKind, StreamShape, Way};
use crate::mapping::{Answer, Atom, Form, Mapping, PaddingKind, holds_every_element};

use super::lanes::reduced_shape;
use super::shapes::parameter_mismatch;
use super::violation::{InterFault, VectorFault};

/// Accumulator slots of the IntraSliceReduce stage (book: Accumulator Slot Limit).
pub const ACCUMULATOR_SLOTS: u64 = 8;
/// Lanes of the reduction tree (book: Architectural Parameters).
const TREE_LANES: u64 = Way::Way4.lanes();

/// The terms of a form with their live counts, innermost first: what it holds, padding left aside.
fn live_terms(form: &Form) -> Vec<(crate::mapping::Term, u64)> {
    form.terms_with_stride()
        .into_iter()
        .map(|placed| (placed.term, placed.live))
        .collect()
}

/// The fault in the output of an intra-slice reduce.
pub(super) fn intra_output(input: &StreamShape, stage: &Stage) -> Option<(Span, VectorFault)> {
    let StageKind::VectorIntraReduce { axis, .. } = &stage.kind else {
        return None;
    };
    let axis = axis.get()?.name().to_owned();
    let (time, packet) = (known_form(&input.time)?, known_form(&input.packet)?);
    if packet.size() != TREE_LANES {
        return None;
    }
    let mut mismatches = Vec::new();
    let mut mixed = Vec::new();
    let shape = (time.clone(), packet.clone());
    let (expected_time, expected_packet) = reduced_shape(&shape, &axis)?;
    if let Some(declared) = known_form(&stage.output.time)
        && live_terms(declared) != live_terms(&expected_time)
    {
        mismatches.extend(parameter_mismatch(
            "Time",
            &stage.output.time,
            &expected_time,
        ));
    }
    if packet.contains_axis(&axis) {
        mixed = axis_names(packet)
            .into_iter()
            .filter(|name| *name != axis)
            .collect();
    }
    if mixed.is_empty() {
        mismatches.extend(parameter_mismatch(
            "Packet",
            &stage.output.packet,
            &expected_packet,
        ));
    }
    let span = match mismatches.first() {
        Some(first) if mixed.is_empty() => first.span,
        _ if !mixed.is_empty() => input.packet.span,
        _ => return None,
    };
    Some((
        span,
        VectorFault::IntraMapping {
            axis,
            mismatches,
            mixed,
        },
    ))
}

/// Accumulator slots that a reduce over an axis needs: the steps of time inside the outermost reduced factor that are
/// not its own. With them the factors, outermost first. `None` where a group holds the axis.
pub fn accumulator_slots(time: &Form, axis: &str) -> Option<(u64, Vec<Mapping>)> {
    let mut slots = 1_u64;
    let mut inner = Vec::new();
    // What is inside a factor of the axis that is yet to be met.
    let (mut pending, mut pending_inner) = (1_u64, Vec::new());
    for digit in time.digits() {
        let held = match digit.term.as_ref().map(|term| &term.atom) {
            Some(Atom::Axis(own) | Atom::PaddedRun(own)) => own.name() == axis,
            Some(Atom::Composite(group)) if group.contains_axis(axis) => return None,
            _ => false,
        };
        if held {
            slots = slots.checked_mul(pending)?;
            inner.append(&mut pending_inner);
            pending = 1;
        } else {
            pending = pending.checked_mul(digit.extent)?;
            pending_inner.push(Form::from_digits([digit.clone()])?.to_mapping());
        }
    }
    inner.reverse();
    Some((slots, inner))
}

/// The fault of a reduce over an axis that has padding: nothing leaves it out of the sum. Padding of zeros adds nothing.
pub(super) fn padded_axis_fault(input: &StreamShape, stage: &Stage) -> Option<(Span, VectorFault)> {
    let StageKind::VectorIntraReduce { axis, .. } = &stage.kind else {
        return None;
    };
    let name = axis.get()?.name();
    [&input.packet, &input.time]
        .into_iter()
        .find_map(|written| {
            let digits = known_form(written)?.digits().iter();
            let mut own = digits.filter(|digit| digit.is_part_of(name));
            let part = own.find(|digit| {
                let mut paddings = digit.paddings().iter();
                paddings.any(|padding| padding.kind != PaddingKind::Zero)
            })?;
            let part = Form::from_digits([part.clone()])?.to_mapping();
            let fault = VectorFault::ReducePadding {
                axis: name.to_owned(),
                part,
            };
            Some((written.span, fault))
        })
}

/// The fault of a reduce that needs more slots than there are.
pub(super) fn intra_slots(
    input: &StreamShape,
    stage: &Stage,
) -> (Option<u64>, Option<(Span, VectorFault)>) {
    let StageKind::VectorIntraReduce { axis, .. } = &stage.kind else {
        return (None, None);
    };
    let (Some(axis), Some(time)) = (axis.get(), known_form(&input.time)) else {
        return (None, None);
    };
    let Some((slots, inner)) = accumulator_slots(time, axis.name()) else {
        return (None, None);
    };
    if slots <= ACCUMULATOR_SLOTS {
        return (Some(slots), None);
    }
    let fault = VectorFault::IntraSlots {
        axis: axis.name().to_owned(),
        slots,
        inner,
        reordered: with_axis_innermost(time, axis.name()).map(|form| form.to_mapping()),
    };
    (Some(slots), Some((input.time.span, fault)))
}

/// The time with an axis's factors innermost, in their order.
fn with_axis_innermost(time: &Form, axis: &str) -> Option<Form> {
    let rest = form_without_axis(time, axis, false)?;
    let own = time.digits().iter().filter(|digit| digit.is_part_of(axis));
    join(&[&rest, &Form::from_digits(own.cloned())?])
}

/// Iterations of which an intra-slice reduce makes one; 1 where the axis is in the packet only.
pub(super) fn reduced_iterations(input: &StreamShape, stage: &Stage) -> Option<u64> {
    let StageKind::VectorIntraReduce { axis, .. } = &stage.kind else {
        return None;
    };
    let time = known_form(&input.time)?;
    let kept = form_without_axis(time, axis.get()?.name(), false)?;
    time.size().checked_div(kept.size())
}

/// Slices of which a reduction across slices makes one: those of the parts that the output's slices no longer hold.
pub(super) fn reduced_slices(input: &StreamShape, stage: &Stage) -> Option<u64> {
    let (slice, slice_out) = (known_form(&input.slice)?, known_form(&stage.output.slice)?);
    divide_relaxed(slice, slice_out)
        .dividend_residue
        .terms_with_stride()
        .into_iter()
        .try_fold(1_u64, |product, placed| product.checked_mul(placed.live))
}

/// The fault in the output of a reduction across slices.
pub(super) fn inter_output(
    input: &StreamShape,
    stage: &Stage,
    conventions: Conventions,
) -> Option<(Span, VectorFault)> {
    let (slice, time) = (known_form(&input.slice)?, known_form(&input.time)?);
    let (slice_out, time_out) = (
        known_form(&stage.output.slice)?,
        known_form(&stage.output.time)?,
    );
    let Some((fault, span)) = inter_fault(input, stage, (slice, time), (slice_out, time_out))
    else {
        if !conventions.reduces_innermost_slices() {
            return None;
        }
        let fault = outer_slices(slice, slice_out)?;
        let expected = None;
        return Some((
            stage.output.slice.span,
            VectorFault::InterMapping { fault, expected },
        ));
    };
    let expected = dummy(slice, slice_out).map(|slice| (slice.to_mapping(), time.to_mapping()));
    Some((span, VectorFault::InterMapping { fault, expected }))
}

fn inter_fault(
    input: &StreamShape,
    stage: &Stage,
    (slice, time): (&Form, &Form),
    (slice_out, time_out): (&Form, &Form),
) -> Option<(InterFault, Span)> {
    let output = &stage.output;
    if let (Some(before), Some(after)) = (known_form(&input.packet), known_form(&output.packet))
        && differ(before, after)
    {
        return Some((InterFault::Packet, output.packet.span));
    }
    let before = axis_names(time);
    let new: Vec<String> = axis_names(time_out)
        .into_iter()
        .filter(|axis| !before.contains(axis))
        .collect();
    if !new.is_empty() {
        return Some((InterFault::NewInTime(new), output.time.span));
    }
    let kept = join(&[slice_out, time_out])?;
    let division = divide_relaxed(&kept, time);
    if !division.exact() && holds_every_element(&kept, time) == Answer::No {
        let lost = left_over(&division.divisor_residue);
        return Some((InterFault::LostFromTime(lost), output.time.span));
    }
    let order = divide_relaxed(time, time_out);
    // A part of an axis of time that is no part of time, as the digits that the packet has.
    let new = left_over(&order.divisor_residue);
    if !order.exact() && !new.is_empty() && holds_every_element(time, time_out) == Answer::No {
        return Some((InterFault::NewInTime(new), output.time.span));
    }
    if order.exact() && !keeps_order(&order) {
        return Some((InterFault::TimeOrder, output.time.span));
    }
    if slice.size() == slice_out.size() {
        let places = divide_relaxed(slice, slice_out);
        let moved: Vec<String> = places
            .matches
            .iter()
            .filter(|place| place.dividend_stride != place.divisor_stride)
            .map(|place| term_name(&place.term))
            .collect();
        if !moved.is_empty() {
            return Some((InterFault::MovedInSlice(moved), output.slice.span));
        }
    }
    None
}

/// What is inside of the slice's reduced part: axes that stay, or padding. Copies name no axis and are left aside.
fn outer_slices(slice: &Form, slice_out: &Form) -> Option<InterFault> {
    let division = divide_relaxed(slice, slice_out);
    let mut reduced = division.dividend_residue.terms_with_stride();
    reduced.retain(|placed| placed.term.atom != Atom::Broadcast);
    let outer = reduced.last()?;
    let inside: Vec<String> = division
        .matches
        .iter()
        .filter(|kept| {
            kept.term.atom != Atom::Broadcast && kept.dividend_stride < outer.buffer_stride
        })
        .map(selection_text)
        .collect();
    let is_padding_innermost = slice
        .digits()
        .first()
        .is_some_and(|digit| digit.term.is_none());
    if inside.is_empty() && !is_padding_innermost {
        return None;
    }
    let reduced = reduced.iter().rev().map(|placed| {
        let part = term_mapping(&placed.term, placed.live);
        part.map_or_else(
            || term_name(&placed.term),
            |part| part.form().to_mapping().to_string(),
        )
    });
    Some(InterFault::NotInnermost {
        reduced: reduced.collect(),
        inside,
    })
}

fn left_over(residue: &Form) -> Vec<String> {
    axis_names(residue)
}

/// The slice with holes in place of the axes that the output does not have; `None` if it has them all.
fn dummy(slice: &Form, slice_out: &Form) -> Option<Form> {
    let gone: Vec<String> = axis_names(slice)
        .into_iter()
        .filter(|axis| !slice_out.contains_axis(axis))
        .collect();
    if gone.is_empty() {
        return None;
    }
    gone.iter().try_fold(slice.clone(), |form, axis| {
        form_without_axis(&form, axis, true)
    })
}
