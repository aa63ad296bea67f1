//! Reductions inside a slice and across slices: what they make of the stream, and the slots they need.

use crate::derivation::forms::{
    axis_names, differ, divide_relaxed, join, keeps_order, known, term_name,
};
use crate::items::Span;
use crate::kernel::{Stage, StageKind, StreamShape};
use crate::mapping::{Answer, Atom, Form, Mapping, PaddingKind, holds};

use super::shapes::{mismatch, without};
use super::violation::{InterFault, VectorFault};

/// Accumulator slots of the IntraSliceReduce stage (book: Accumulator Slot Limit).
pub const ACCUMULATOR_SLOTS: u64 = 8;
/// Lanes of the reduction tree (book: Architectural Parameters).
const TREE_LANES: u64 = 4;

/// The terms of a form with their live counts, innermost first: what it holds, padding left aside.
fn contents(form: &Form) -> Vec<(crate::mapping::Term, u64)> {
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
    let (time, packet) = (known(&input.time)?, known(&input.packet)?);
    if packet.size() != TREE_LANES {
        return None;
    }
    let mut mismatches = Vec::new();
    let mut mixed = Vec::new();
    let expected_time = without(time, &axis, false)?;
    if let Some(declared) = known(&stage.output.time)
        && contents(declared) != contents(&expected_time)
    {
        mismatches.extend(mismatch("Time", &stage.output.time, &expected_time));
    }
    let expected_packet = if packet.contains_axis(&axis) {
        mixed = axis_names(packet)
            .into_iter()
            .filter(|name| *name != axis)
            .collect();
        Mapping::identity()
            .pad_to(TREE_LANES, PaddingKind::Top)
            .ok()?
            .form()
            .clone()
    } else {
        packet.clone()
    };
    if mixed.is_empty() {
        mismatches.extend(mismatch("Packet", &stage.output.packet, &expected_packet));
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
#[must_use]
pub fn slots(time: &Form, axis: &str) -> Option<(u64, Vec<Mapping>)> {
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
pub(super) fn padded(input: &StreamShape, stage: &Stage) -> Option<(Span, VectorFault)> {
    let StageKind::VectorIntraReduce { axis, .. } = &stage.kind else {
        return None;
    };
    let name = axis.get()?.name();
    [&input.packet, &input.time]
        .into_iter()
        .find_map(|written| {
            let digits = known(written)?.digits().iter();
            let mut own = digits.filter(|digit| match digit.term.as_ref().map(|term| &term.atom) {
                Some(Atom::Axis(own) | Atom::PaddedRun(own)) => own.name() == name,
                _ => false,
            });
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
    let (Some(axis), Some(time)) = (axis.get(), known(&input.time)) else {
        return (None, None);
    };
    let Some((slots, inner)) = slots(time, axis.name()) else {
        return (None, None);
    };
    if slots <= ACCUMULATOR_SLOTS {
        return (Some(slots), None);
    }
    let fault = VectorFault::IntraSlots {
        axis: axis.name().to_owned(),
        slots,
        inner,
        reordered: innermost(time, axis.name()).map(|form| form.to_mapping()),
    };
    (Some(slots), Some((input.time.span, fault)))
}

/// The time with an axis's factors innermost, in their order.
fn innermost(time: &Form, axis: &str) -> Option<Form> {
    let rest = without(time, axis, false)?;
    let own = time.digits().iter().filter(|digit| {
        matches!(digit.term.as_ref().map(|term| &term.atom), Some(Atom::Axis(own) | Atom::PaddedRun(own)) if own.name() == axis)
    });
    join(&[&rest, &Form::from_digits(own.cloned())?])
}

/// Iterations of which an intra-slice reduce makes one; 1 where the axis is in the packet only.
pub(super) fn reduced_iterations(input: &StreamShape, stage: &Stage) -> Option<u64> {
    let StageKind::VectorIntraReduce { axis, .. } = &stage.kind else {
        return None;
    };
    let time = known(&input.time)?;
    let kept = without(time, axis.get()?.name(), false)?;
    time.size().checked_div(kept.size())
}

/// Slices of which a reduction across slices makes one: those of the parts that the output's slices no longer hold.
pub(super) fn reduced_slices(input: &StreamShape, stage: &Stage) -> Option<u64> {
    let (slice, slice_out) = (known(&input.slice)?, known(&stage.output.slice)?);
    divide_relaxed(slice, slice_out)
        .dividend_residue
        .terms_with_stride()
        .into_iter()
        .try_fold(1_u64, |product, placed| product.checked_mul(placed.live))
}

/// The fault in the output of a reduction across slices.
pub(super) fn inter_output(input: &StreamShape, stage: &Stage) -> Option<(Span, VectorFault)> {
    let (slice, time) = (known(&input.slice)?, known(&input.time)?);
    let (slice_out, time_out) = (known(&stage.output.slice)?, known(&stage.output.time)?);
    let (fault, span) = inter_fault(input, stage, (slice, time), (slice_out, time_out))?;
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
    if let (Some(before), Some(after)) = (known(&input.packet), known(&output.packet))
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
    if !division.exact() && holds(&kept, time) == Answer::No {
        let lost = left_over(&division.divisor_residue);
        return Some((InterFault::LostFromTime(lost), output.time.span));
    }
    let order = divide_relaxed(time, time_out);
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
    gone.iter()
        .try_fold(slice.clone(), |form, axis| without(&form, axis, true))
}
