//! Places of a request for the engine, and places of the engine for the client.

use tower_lsp::ls_types::{Location, TextDocumentPositionParams};
use visa_analysis::Place;

use crate::positions::FileText;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// The engine's path, the text and the byte of a place in a document.
pub(super) fn resolve_position(
    snapshot: &Snapshot,
    place: &TextDocumentPositionParams,
) -> Answer<(String, FileText, u32)> {
    let path = snapshot.path(&place.text_document.uri);
    let file = snapshot.file(&path)?;
    let offset = file.offset(place.position);
    Ok((path, file, offset))
}

/// A place of the engine for the client.
pub(super) fn client_location(snapshot: &Snapshot, place: &Place) -> Answer<Location> {
    Ok(Location {
        uri: snapshot.uri(&place.file)?,
        range: snapshot.file(&place.file)?.range(place.range),
    })
}
