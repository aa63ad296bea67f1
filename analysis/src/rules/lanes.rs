//! Lanes of the Vector Engine in repairs: a block's narrowing, reduction and widening declared anew for other flits.

use rustc_hash::FxHashSet;

use crate::items::Span;
use crate::kernel::dialect::Dialect;
use crate::kernel::{CanonicalStage, Stage, StageKind, Way, Written};
use crate::mapping::{Atom, Digit, Form, Mapping, PaddingKind};

use super::wording::written;
use super::{Edit, Replacement};

/// Lanes of half a flit.
const HALF: u64 = Way::Way4.lanes();
/// Lanes of a flit.
const FULL: u64 = Way::Way8.lanes();

/// Edits, each place once.
#[derive(Default)]
pub(super) struct Edits {
    /// Them all.
    pub(super) list: Vec<Edit>,
    places: FxHashSet<Span>,
}

impl Edits {
    /// Replaces a place, if it was not before.
    pub(super) fn text(&mut self, span: Span, with: impl Into<Replacement>) {
        if self.places.insert(span) {
            self.list.push(Edit::new(span, with));
        }
    }

    /// Declares a mapping otherwise, where it is another one.
    pub(super) fn declare(&mut self, place: &Written<Mapping>, form: &Form) {
        if place.get().is_some_and(|declared| declared.form() != form) {
            self.text(place.span, &form.to_mapping());
        }
    }
}

/// A block with other flits, up to its widening.
pub(super) struct Followed {
    /// Time and packet behind the widening.
    pub(super) shape: (Form, Form),
    /// They are those that were declared before.
    pub(super) same: bool,
    /// A narrowing or widening became another method.
    pub(super) renamed: bool,
    /// The stage behind the widening, counted from the first that was followed.
    pub(super) next: usize,
}

/// Goes through the block with other flits: each narrowing, reduction and widening declares what it makes of them. `None`
/// where a stage cannot be followed.
pub(super) fn follow(
    library: Dialect,
    stages: &[Stage],
    mut shape: (Form, Form),
    edits: &mut Edits,
) -> Option<Followed> {
    let mut split = false;
    let mut renamed = false;
    for (at, stage) in stages.iter().enumerate() {
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
                    (
                        library.name_of(CanonicalStage::VectorSplit),
                        library.name_of(CanonicalStage::VectorTrim),
                    ),
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
                    (
                        library.name_of(CanonicalStage::VectorConcat),
                        library.name_of(CanonicalStage::VectorPad),
                    ),
                    &shape,
                    edits,
                );
                let same = output.time.get()?.form() == &shape.0
                    && output.packet.get()?.form() == &shape.1;
                return Some(Followed {
                    shape,
                    same,
                    renamed,
                    next: at + 1,
                });
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
            edits.text(both, &shape.1.to_mapping());
        }
    }
}

/// Whether a digit is one of an axis.
pub(super) fn is_own(digit: &Digit, axis: &str) -> bool {
    matches!(
        digit.term.as_ref().map(|term| &term.atom),
        Some(Atom::Axis(own) | Atom::PaddedRun(own)) if own.name() == axis
    )
}

/// The form without an axis.
fn without(form: &Form, axis: &str) -> Option<Form> {
    let digits = form.digits().iter();
    Form::from_digits(digits.filter(|digit| !is_own(digit, axis)).cloned())
}
