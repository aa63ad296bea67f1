//! A file a feature: the engine's answers in the protocol's types.
//!
//! A feature is a function of a snapshot and a request's parameters. It turns the place into a byte, asks the engine, and
//! turns the bytes of the answer into places. It waits for nothing and decides nothing about kernels.

pub(crate) mod call_hierarchy;
pub(crate) mod code_actions;
pub(crate) mod code_lens;
pub(crate) mod completion;
pub(crate) mod custom;
pub(crate) mod diagnostics;
mod edits;
pub(crate) mod explaining;
mod fix_all;
mod fixes;
pub(crate) mod folding;
pub(crate) mod highlights;
pub(crate) mod hover;
pub(crate) mod inlay_hints;
mod markup;
pub(crate) mod navigation;
mod reports;
pub(crate) mod running;
pub(crate) mod selection;
pub(crate) mod semantic_tokens;
mod settings_file;
pub(crate) mod signature;
pub(crate) mod symbols;
pub(crate) mod view_file_text;

use tower_lsp::ls_types::{Location, TextDocumentPositionParams};
use visa_analysis::Place;

use super::positions::FileText;
use super::state::Snapshot;
use crate::project::engine::Answer;

/// The engine's path, the text and the byte of a place in a document.
fn resolve_position(
    snapshot: &Snapshot,
    place: &TextDocumentPositionParams,
) -> Answer<(String, FileText, u32)> {
    let path = snapshot.path(&place.text_document.uri);
    let file = snapshot.file(&path)?;
    let offset = file.offset(place.position);
    Ok((path, file, offset))
}

/// A place of the engine for the client.
fn client_location(snapshot: &Snapshot, place: &Place) -> Answer<Location> {
    Ok(Location {
        uri: snapshot.uri(&place.file)?,
        range: snapshot.file(&place.file)?.range(place.range),
    })
}
