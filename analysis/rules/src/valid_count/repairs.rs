//! Repairs of placements that the Valid Count Generator cannot count: the placement that works, carried through everything
//! that speaks of the old one.
//!
//! A new time and packet of the flit are written from the fetch to the end of the Vector Engine's block; a new slice goes to
//! all tensors that are over the old one; a new padding of the axis goes wherever the old one is written. What else follows is
//! left to the code that completes a fix.

use crate::derivation::valid_count::{Alternative, Placement, ReduceCounts, Refusal};
use crate::kernel::{
    Body, OperationKind, Origin, Pass, PassSource, StageKind, StreamShape, Tier, Written,
};
use crate::mapping::{Digit, Form, Mapping, MappingKind, PaddingKind};

use super::super::lanes::{Edits, follow_lanes};
use super::super::wording::mapping_macro_text;
use super::super::{Applicability, Fix};

/// The repair of a refused placement, if there is one.
pub(super) fn placement_fix(body: &Body, pass: &Pass, reduce: &ReduceCounts) -> Option<Fix> {
    let mut edits = Edits::default();
    let title = match (&reduce.placement, &reduce.alternative) {
        (Placement::Refused(Refusal::TransposedTime { padded, .. }), _) => {
            pad_anew(body, &reduce.axis, *padded, &mut edits);
            format!("Pad `{0}` to {padded}: `{0} # {padded}`", reduce.axis)
        }
        (Placement::Refused(_), Some(alternative)) => {
            place_anew(body, pass, reduce, alternative, &mut edits)?;
            format!(
                "Place `{}` where it can be counted: Slice `{}`, Time `{}`, Packet `{}`",
                reduce.axis,
                mapping_macro_text(&alternative.slice),
                mapping_macro_text(&alternative.time),
                mapping_macro_text(&alternative.packet)
            )
        }
        _ => return None,
    };
    (!edits.list.is_empty()).then_some(Fix {
        title,
        applicability: Applicability::Maybe,
        edits: edits.list,
        cost: None,
    })
}

// ---- Another padding. ----

fn pad_anew(body: &Body, axis: &str, padded: u64, edits: &mut Edits) {
    for place in written_mappings(body) {
        if let Some(mapping) = place.get()
            && let Some(again) = padded_anew(mapping, axis, padded)
            && again != *mapping
        {
            edits.text(place.span, &again);
        }
    }
}

/// All mappings that a body writes down.
pub(in super::super) fn written_mappings(body: &Body) -> Vec<&Written<Mapping>> {
    let mut places = Vec::new();
    for tensor in &body.tensors {
        places.extend(tensor.levels.iter().map(|(_, level)| level));
        if let Origin::View {
            tile: Some(tile), ..
        } = &tensor.origin
        {
            places.extend([&tile.index, &tile.output]);
        }
    }
    for operation in &body.operations {
        let OperationKind::Pass(pass) = &operation.kind else {
            continue;
        };
        for StreamShape {
            slice,
            time,
            packet,
            ..
        } in pass.stages.iter().map(|stage| &stage.output)
        {
            places.extend([slice, time, packet]);
        }
    }
    places
}

/// The expression with another padding of an axis.
fn padded_anew(mapping: &Mapping, axis: &str, padded: u64) -> Option<Mapping> {
    let again = mapping.rewritten(&|part| match part.kind() {
        MappingKind::Pad(inner, _, PaddingKind::Top) if matches!(inner.kind(), MappingKind::Axis(own) if own.name() == axis) => {
            inner.pad_to(padded, PaddingKind::Top).map(Some)
        }
        _ => Ok(None),
    });
    again.ok()
}

// ---- Another placement. ----

fn place_anew(
    body: &Body,
    pass: &Pass,
    reduce: &ReduceCounts,
    alternative: &Alternative,
    edits: &mut Edits,
) -> Option<()> {
    let entry = (0..reduce.stage).rev().find(|&before| {
        matches!(
            pass.stages.get(before).map(|stage| &stage.kind),
            Some(StageKind::VectorBranch(_))
        )
    })?;
    let flit = pass.input_of(entry);
    let (slice, time, packet) = (
        alternative.slice.form(),
        alternative.time.form(),
        alternative.packet.form(),
    );
    let before = flit.slice.get()?.form();
    if before != slice {
        move_slices(body, &reduce.axis, (before, slice), edits);
        hold_anew(body, pass, &reduce.axis, time, edits);
    }
    if flit.time.get()?.form() != time || flit.packet.get()?.form() != packet {
        for stage in pass.stages.get(..entry)? {
            match stage.kind {
                StageKind::Fetch { .. } | StageKind::Collect => {
                    edits.declare_mapping(&stage.output.time, time);
                    edits.declare_mapping(&stage.output.packet, packet);
                }
                StageKind::VectorInit => {}
                _ => return None,
            }
        }
        let later = pass.stages.get(entry.checked_add(1)?..)?;
        let followed = follow_lanes(pass.library(), later, (time.clone(), packet.clone()), edits)?;
        // Behind other methods the stream has to be the one that was there: such a fix is not completed.
        if followed.renamed && !followed.same {
            return None;
        }
    }
    Some(())
}

/// Everything over the old slices goes to the new ones, and what was stored by the axis's parts in the slice too.
fn move_slices(body: &Body, axis: &str, (from, to): (&Form, &Form), edits: &mut Edits) {
    let (old, new) = (digits_of_axis(from, axis), digits_of_axis(to, axis));
    let mut terms: Vec<_> = old.iter().map(|digit| digit.term.clone()).collect();
    terms.sort_by_key(|term| term.as_ref().map(|term| term.stride));
    for tensor in &body.tensors {
        if let Some(slice) = &tensor.levels.slice
            && slice.get().is_some_and(|slice| slice.form() == from)
        {
            edits.declare_mapping(slice, to);
        }
        let element = &tensor.levels.element;
        if tensor.tier == Tier::Hbm
            && let Some(form) = element.get().map(Mapping::form)
        {
            let mut held: Vec<_> = digits_of_axis(form, axis)
                .into_iter()
                .map(|digit| digit.term)
                .collect();
            held.sort_by_key(|term| term.as_ref().map(|term| term.stride));
            if held == terms
                && old.len() == new.len()
                && let Some(again) = with_axis_digits(form, axis, &new)
            {
                edits.declare_mapping(element, &again);
            }
        }
    }
}

/// The tensor that the pass reads holds the axis's parts that are in time now.
fn hold_anew(body: &Body, pass: &Pass, axis: &str, time: &Form, edits: &mut Edits) {
    let PassSource::Tensor(source) = pass.source else {
        return;
    };
    let element = body.tensor(source).map(|tensor| &tensor.levels.element);
    if let Some(element) = element
        && let Some(form) = element.get().map(Mapping::form)
        && let Some(again) = with_axis_digits(form, axis, &digits_of_axis(time, axis))
    {
        edits.declare_mapping(element, &again);
    }
}

/// The digits of an axis.
fn digits_of_axis(form: &Form, axis: &str) -> Vec<Digit> {
    let digits = form.digits().iter();
    digits
        .filter(|digit| digit.is_part_of(axis))
        .cloned()
        .collect()
}

/// The form with other digits of an axis, all at the place of its innermost one.
fn with_axis_digits(form: &Form, axis: &str, new: &[Digit]) -> Option<Form> {
    let mut digits = Vec::new();
    let mut placed = false;
    for digit in form.digits() {
        if !digit.is_part_of(axis) {
            digits.push(digit.clone());
        } else if !placed {
            digits.extend(new.iter().cloned());
            placed = true;
        }
    }
    Form::from_digits(digits)
}
