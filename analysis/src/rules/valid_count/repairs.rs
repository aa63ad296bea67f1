//! Repairs of placements that the Valid Count Generator cannot count: the placement that works, carried through everything
//! that speaks of the old one.
//!
//! A new time and packet of the flit are written from the fetch to the end of the Vector Engine's block; a new slice goes to
//! all tensors that lie over the old one; a new padding of the axis goes wherever the old one is written. What else follows is
//! the business of whoever completes a fix.

use rustc_hash::FxHashSet;

use crate::derivation::valid_count::{Alternative, Placement, ReduceCounts, Refusal};
use crate::items::Span;
use crate::kernel::{
    Body, OperationKind, Origin, Pass, PassSource, Stage, StageKind, StreamShape, Tier, Written,
};
use crate::mapping::{Atom, Digit, Form, Mapping, MappingKind, PaddingKind};

use super::super::wording::written;
use super::super::{Applicability, Edit, Fix};

/// Lanes of half a flit.
const HALF: u64 = 4;
/// Lanes of a flit.
const FULL: u64 = 8;
/// The deepest expression that is rewritten.
const DEPTH: u32 = 64;

/// The repair of a refused placement, if there is one.
pub(super) fn fix(body: &Body, pass: &Pass, reduce: &ReduceCounts) -> Option<Fix> {
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
                written(&alternative.slice),
                written(&alternative.time),
                written(&alternative.packet)
            )
        }
        _ => return None,
    };
    (!edits.list.is_empty()).then_some(Fix {
        title,
        applicability: Applicability::Maybe,
        edits: edits.list,
    })
}

/// Edits, each place once.
#[derive(Default)]
struct Edits {
    list: Vec<Edit>,
    places: FxHashSet<Span>,
}

impl Edits {
    fn text(&mut self, span: Span, text: String) {
        if self.places.insert(span) {
            self.list.push(Edit { span, text });
        }
    }

    /// Declares a mapping otherwise, where it is another one.
    fn declare(&mut self, place: &Written<Mapping>, form: &Form) {
        if place.get().is_some_and(|declared| declared.form() != form) {
            self.text(place.span, written(&form.to_mapping()));
        }
    }
}

// ---- Another padding. ----

fn pad_anew(body: &Body, axis: &str, padded: u64, edits: &mut Edits) {
    for place in places(body) {
        if let Some(mapping) = place.get()
            && let Some(anew) = padded_anew(mapping, axis, padded, 0)
            && anew != *mapping
        {
            edits.text(place.span, written(&anew));
        }
    }
}

/// All mappings that a body writes down.
fn places(body: &Body) -> Vec<&Written<Mapping>> {
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
fn padded_anew(mapping: &Mapping, axis: &str, padded: u64, depth: u32) -> Option<Mapping> {
    if depth > DEPTH {
        return None;
    }
    let inside = |inner: &Mapping| padded_anew(inner, axis, padded, depth + 1);
    match mapping.kind() {
        MappingKind::Identity | MappingKind::Axis(_) | MappingKind::Broadcast(_) => {
            Some(mapping.clone())
        }
        MappingKind::Pad(inner, _, PaddingKind::Top) if matches!(inner.kind(), MappingKind::Axis(own) if own.name() == axis) => {
            inner.pad_to(padded, PaddingKind::Top).ok()
        }
        MappingKind::Stride(inner, n) => inside(inner)?.stride(n).ok(),
        MappingKind::Modulo(inner, n) => inside(inner)?.modulo(n).ok(),
        MappingKind::Resize(inner, n) => inside(inner)?.resize(n).ok(),
        MappingKind::Pad(inner, n, kind) => inside(inner)?.pad_to(n, kind).ok(),
        MappingKind::Product(parts) => {
            let parts: Option<Vec<Mapping>> = parts.iter().map(inside).collect();
            Mapping::product(&parts?).ok()
        }
    }
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
                    edits.declare(&stage.output.time, time);
                    edits.declare(&stage.output.packet, packet);
                }
                StageKind::VectorInit => {}
                _ => return None,
            }
        }
        let later = pass.stages.get(entry.checked_add(1)?..)?;
        follow(later, (time.clone(), packet.clone()), edits)?;
    }
    Some(())
}

/// Everything over the old slices goes to the new ones, and what was stored by the axis's parts in the slice too.
fn move_slices(body: &Body, axis: &str, (from, to): (&Form, &Form), edits: &mut Edits) {
    let (old, new) = (own(from, axis), own(to, axis));
    let mut terms: Vec<_> = old.iter().map(|digit| digit.term.clone()).collect();
    terms.sort_by_key(|term| term.as_ref().map(|term| term.stride));
    for tensor in &body.tensors {
        if let Some(slice) = &tensor.levels.slice
            && slice.get().is_some_and(|slice| slice.form() == from)
        {
            edits.declare(slice, to);
        }
        let element = &tensor.levels.element;
        if tensor.tier == Tier::Hbm
            && let Some(form) = element.get().map(Mapping::form)
        {
            let mut held: Vec<_> = own(form, axis)
                .into_iter()
                .map(|digit| digit.term)
                .collect();
            held.sort_by_key(|term| term.as_ref().map(|term| term.stride));
            if held == terms
                && old.len() == new.len()
                && let Some(anew) = replaced(form, axis, &new)
            {
                edits.declare(element, &anew);
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
        && let Some(anew) = replaced(form, axis, &own(time, axis))
    {
        edits.declare(element, &anew);
    }
}

fn is_own(digit: &Digit, axis: &str) -> bool {
    matches!(
        digit.term.as_ref().map(|term| &term.atom),
        Some(Atom::Axis(own) | Atom::PaddedRun(own)) if own.name() == axis
    )
}

/// The digits of an axis.
fn own(form: &Form, axis: &str) -> Vec<Digit> {
    let digits = form.digits().iter();
    digits
        .filter(|digit| is_own(digit, axis))
        .cloned()
        .collect()
}

/// The form without an axis.
fn without(form: &Form, axis: &str) -> Option<Form> {
    let digits = form.digits().iter();
    Form::from_digits(digits.filter(|digit| !is_own(digit, axis)).cloned())
}

/// The form with other digits of an axis, all at the place of its innermost one.
fn replaced(form: &Form, axis: &str, new: &[Digit]) -> Option<Form> {
    let mut digits = Vec::new();
    let mut placed = false;
    for digit in form.digits() {
        if !is_own(digit, axis) {
            digits.push(digit.clone());
        } else if !placed {
            digits.extend(new.iter().cloned());
            placed = true;
        }
    }
    Form::from_digits(digits)
}

/// Goes through the block with other flits: each narrowing, reduction and widening declares what it makes of them. `None`
/// where a stage cannot be followed, or where what leaves is another stream than before although methods had to change.
fn follow(stages: &[Stage], mut shape: (Form, Form), edits: &mut Edits) -> Option<()> {
    let mut split = false;
    let mut renamed = false;
    for stage in stages {
        let output = &stage.output;
        match &stage.kind {
            StageKind::VectorAlu(_) | StageKind::VectorConvert { .. } | StageKind::VectorStash => {}
            StageKind::VectorSplit | StageKind::VectorTrim => {
                let (upper, lower) = shape.1.split_at(HALF)?;
                split = upper.has_terms();
                let time = if split {
                    Form::multiply(&shape.0, &upper)?
                } else {
                    shape.0
                };
                shape = (time, lower);
                let was = matches!(stage.kind, StageKind::VectorSplit);
                renamed |= was != split;
                regroup(
                    stage,
                    (was, split),
                    ("vector_split", "vector_trim_way4"),
                    &shape,
                    edits,
                );
            }
            StageKind::VectorIntraReduce { axis, .. } => {
                let axis = axis.get()?.name();
                let packet = if shape.1.contains_axis(axis) {
                    Mapping::identity()
                        .pad_to(HALF, PaddingKind::Top)
                        .ok()?
                        .form()
                        .clone()
                } else {
                    shape.1
                };
                shape = (without(&shape.0, axis)?, packet);
                edits.declare(&output.time, &shape.0);
                edits.declare(&output.packet, &shape.1);
            }
            StageKind::VectorConcat | StageKind::VectorPad => {
                let concat = split && shape.1.has_terms();
                shape = if concat {
                    let (outer, inner) = shape.0.split_at(FULL / HALF)?;
                    (outer, Form::multiply(&inner, &shape.1)?)
                } else {
                    (shape.0, shape.1.pad(FULL)?)
                };
                let was = matches!(stage.kind, StageKind::VectorConcat);
                renamed |= was != concat;
                regroup(
                    stage,
                    (was, concat),
                    ("vector_concat", "vector_pad_way8"),
                    &shape,
                    edits,
                );
                let same = output.time.get()?.form() == &shape.0
                    && output.packet.get()?.form() == &shape.1;
                return (same || !renamed).then_some(());
            }
            _ => return None,
        }
    }
    None
}

/// Declares a narrowing or widening anew: by the method that takes two mappings, or by the one that takes one.
fn regroup(
    stage: &Stage,
    (was, two): (bool, bool),
    (with_two, with_one): (&str, &str),
    shape: &(Form, Form),
    edits: &mut Edits,
) {
    let (time, packet) = (&stage.output.time, &stage.output.packet);
    let text = |form: &Form| written(&form.to_mapping());
    match (was, two) {
        (true, true) => {
            edits.declare(time, &shape.0);
            edits.declare(packet, &shape.1);
        }
        (false, false) => edits.declare(packet, &shape.1),
        (false, true) => {
            edits.text(stage.span, with_two.to_owned());
            let both = format!("{}, {}", text(&shape.0), text(&shape.1));
            edits.text(packet.span, both);
        }
        (true, false) => {
            edits.text(stage.span, with_one.to_owned());
            let both = Span {
                end: packet.span.end,
                ..time.span
            };
            edits.text(both, text(&shape.1));
        }
    }
}
