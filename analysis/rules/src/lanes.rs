//! Edits of a repair, and those that declare a block's narrowing, reduction and widening again for other flits.

use rustc_hash::FxHashSet;

use crate::derivation::vector::{self, Shape};
use crate::items::Span;
use crate::kernel::dialect::Dialect;
use crate::kernel::{Stage, StageKind, Written};
use crate::mapping::{Form, Mapping};

use super::wording::mapping_macro_text;
use super::{Edit, IntoReplacement, Value};

/// Edits, each place once.
#[derive(Default)]
pub(super) struct Edits {
    /// Them all.
    pub(super) list: Vec<Edit>,
    places: FxHashSet<Span>,
}

impl Edits {
    /// Replaces a place, if it was not before.
    pub(super) fn text(&mut self, span: Span, with: impl IntoReplacement<Value>) {
        if self.places.insert(span) {
            self.list.push(Edit::new(span, with));
        }
    }

    /// Declares a mapping otherwise, where it is another one.
    pub(super) fn declare_mapping(&mut self, place: &Written<Mapping>, form: &Form) {
        if place.get().is_some_and(|declared| declared.form() != form) {
            self.text(place.span, &form.to_mapping());
        }
    }
}

/// A block with other flits, up to its widening.
pub(super) struct Followed {
    /// Time and packet behind the widening.
    pub(super) shape: Shape,
    /// They are those that were declared before.
    pub(super) same: bool,
    /// A narrowing or widening became another method.
    pub(super) renamed: bool,
    /// The stage behind the widening, counted from the first that was followed.
    pub(super) next: usize,
}

/// Goes through the block with other flits: each narrowing, reduction and widening declares what it makes of them. `None`
/// where a stage cannot be followed.
pub(super) fn follow_lanes(
    library: Dialect,
    stages: &[Stage],
    shape: Shape,
    edits: &mut Edits,
) -> Option<Followed> {
    let followed = vector::follow_block(stages, shape)?;
    let mut renamed = false;
    for step in &followed {
        let stage = stages.get(step.stage)?;
        match &step.change {
            Some(change) => {
                renamed |= *change != stage.kind;
                regroup(library, stage, change, &step.shape, edits);
            }
            None => {
                edits.declare_mapping(&stage.output.time, &step.shape.0);
                edits.declare_mapping(&stage.output.packet, &step.shape.1);
            }
        }
    }
    let last = followed.last()?;
    let output = &stages.get(last.stage)?.output;
    let shape = last.shape.clone();
    Some(Followed {
        same: output.time.get()?.form() == &shape.0 && output.packet.get()?.form() == &shape.1,
        shape,
        renamed,
        next: last.stage + 1,
    })
}

/// Whether a change of lanes declares time and packet; the others declare the packet alone.
const fn declares_time(change: &StageKind) -> bool {
    matches!(change, StageKind::VectorSplit | StageKind::VectorConcat)
}

/// Declares a narrowing or widening again: by the method that takes two mappings, or by the one that takes one.
fn regroup(library: Dialect, stage: &Stage, change: &StageKind, shape: &Shape, edits: &mut Edits) {
    let (time, packet) = (&stage.output.time, &stage.output.packet);
    let text = |form: &Form| mapping_macro_text(&form.to_mapping());
    match (declares_time(&stage.kind), declares_time(change)) {
        (true, true) => {
            edits.declare_mapping(time, &shape.0);
            edits.declare_mapping(packet, &shape.1);
        }
        (false, false) => edits.declare_mapping(packet, &shape.1),
        (false, true) => {
            edits.text(stage.span, change_name(library, change).to_owned());
            let both = format!("{}, {}", text(&shape.0), text(&shape.1));
            edits.text(packet.span, both);
        }
        (true, false) => {
            edits.text(stage.span, change_name(library, change).to_owned());
            let both = Span {
                end: packet.span.end,
                ..time.span
            };
            edits.text(both, &shape.1.to_mapping());
        }
    }
}

fn change_name(library: Dialect, change: &StageKind) -> &'static str {
    library.name_of(change.canonical())
}
