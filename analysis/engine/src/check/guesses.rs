//! Fixes that are guesses, whatever their rule says: they reach beyond the function, or rest on a stream that is not known.

use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::items::{ItemId, Span, is_inside};
use crate::kernel::{Body, OperationKind, Stage, StreamShape};
use crate::lowering::body;
use crate::rules::{Applicability, Edit, Fix};

/// A fix that may change more than its function, or that rests on a stream that is not known, is not applied without looking.
pub(crate) fn keep_fixes_inside<'a>(
    db: &dyn Db,
    function: ItemId,
    fixes: impl IntoIterator<Item = &'a mut Fix>,
) {
    let sure = fixes
        .into_iter()
        .filter(|fix| fix.applicability == Applicability::Machine);
    let mut sure = sure.peekable();
    if sure.peek().is_none() {
        return;
    }
    let unsure = places_after_unknown_streams(&body(db, function));
    for fix in sure {
        if edits_outside(db, function, &fix.edits) || edits_some_of(&unsure, &fix.edits) {
            fix.applicability = Applicability::Maybe;
        }
    }
}

/// Whether edits may not be meant: they change what may serve other functions, or they are worked out from an unknown stream.
pub(crate) fn is_guess(db: &dyn Db, function: ItemId, edits: &[Edit]) -> bool {
    let unsure = || places_after_unknown_streams(&body(db, function));
    edits_outside(db, function, edits) || edits_some_of(&unsure(), edits)
}

/// Beginnings of places, by the items that they are in.
type Places = FxHashSet<(ItemId, u32)>;

/// The stages of passes after one whose Time or Packet could not be followed.
fn places_after_unknown_streams(body: &Body) -> Places {
    let mut places = Places::default();
    for operation in &body.operations {
        let OperationKind::Pass(pass) = &operation.kind else {
            continue;
        };
        let is_unknown = |stage: &Stage| {
            stage.output.time.get().is_none() || stage.output.packet.get().is_none()
        };
        let Some(unknown) = pass.stages.iter().position(is_unknown) else {
            continue;
        };
        let later = pass.stages.get(unknown + 1..).unwrap_or_default();
        places.extend(later.iter().flat_map(|stage| {
            let StreamShape { time, packet, .. } = &stage.output;
            [stage.span, time.span, packet.span].map(|place| (place.item, place.start))
        }));
    }
    places
}

fn edits_some_of(places: &Places, edits: &[Edit]) -> bool {
    let mut edits = edits.iter();
    edits.any(|edit| places.contains(&(edit.span.item, edit.span.start)))
}

/// Whether edits change something in the same item and outside of the function.
fn edits_outside(db: &dyn Db, function: ItemId, edits: &[Edit]) -> bool {
    let owner = function.owner(db);
    let outside = |span: Span| span.item == owner && !is_inside(db, span, function);
    edits.iter().any(|edit| outside(edit.span))
}
