//! Fixes that are guesses, whatever their rule says: they reach beyond the function, or rest on a stream that is not known.

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
    for fix in fixes {
        if fix.applicability == Applicability::Machine && is_guess(db, function, &fix.edits) {
            fix.applicability = Applicability::Maybe;
        }
    }
}

/// Whether edits may not be meant: they change what may serve other functions, or they are worked out from an unknown stream.
pub(crate) fn is_guess(db: &dyn Db, function: ItemId, edits: &[Edit]) -> bool {
    edits_outside(db, function, edits) || edits_after_unknown_stream(&body(db, function), edits)
}

/// Whether edits change a stage of a pass after one whose Time or Packet could not be followed.
fn edits_after_unknown_stream(body: &Body, edits: &[Edit]) -> bool {
    let mut passes = body
        .operations
        .iter()
        .filter_map(|operation| match &operation.kind {
            OperationKind::Pass(pass) => Some(pass),
            OperationKind::Copy(_) | OperationKind::Collective(_) => None,
        });
    passes.any(|pass| {
        let is_unknown = |stage: &Stage| {
            stage.output.time.get().is_none() || stage.output.packet.get().is_none()
        };
        let Some(unknown) = pass.stages.iter().position(is_unknown) else {
            return false;
        };
        let later = pass.stages.get(unknown + 1..).unwrap_or_default();
        let places = later.iter().flat_map(|stage| {
            let StreamShape { time, packet, .. } = &stage.output;
            [stage.span, time.span, packet.span]
        });
        let places: Vec<Span> = places.collect();
        edits.iter().any(|edit| {
            let mut places = places.iter();
            places.any(|place| place.item == edit.span.item && place.start == edit.span.start)
        })
    })
}

/// Whether edits change something in the same item and outside of the function.
fn edits_outside(db: &dyn Db, function: ItemId, edits: &[Edit]) -> bool {
    let owner = function.owner(db);
    let outside = |span: Span| span.item == owner && !is_inside(db, span, function);
    edits.iter().any(|edit| outside(edit.span))
}
