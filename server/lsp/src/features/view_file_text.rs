//! The text of a document as the engine knows it, to find out whether editor and server have drifted apart.

use tower_lsp::ls_types::TextDocumentIdentifier;

use crate::project::engine::Answer;
use crate::state::Snapshot;

/// The text of a document.
pub(crate) fn view_file_text(
    snapshot: &Snapshot,
    document: &TextDocumentIdentifier,
) -> Answer<Option<String>> {
    let text = snapshot.analysis.text(&snapshot.path(&document.uri))?;
    Ok(Some(text.to_string()))
}
