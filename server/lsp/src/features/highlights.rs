//! The other places of a name in its file.

use tower_lsp::ls_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};
use visa_analysis::EditorQuestions as _;

use super::places::resolve_position;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// `textDocument/documentHighlight`: nothing rather than an empty list where another server may know the name.
pub(crate) fn document_highlights(
    snapshot: &Snapshot,
    params: &DocumentHighlightParams,
) -> Answer<Option<Vec<DocumentHighlight>>> {
    let (path, file, offset) = resolve_position(snapshot, &params.text_document_position_params)?;
    let highlights = snapshot.analysis.highlights(&path, offset)?;
    let highlights = highlights.into_iter().map(|highlight| DocumentHighlight {
        range: file.range(highlight.range),
        kind: Some(if highlight.declares {
            DocumentHighlightKind::WRITE
        } else {
            DocumentHighlightKind::READ
        }),
    });
    let highlights: Vec<_> = highlights.collect();
    Ok((!highlights.is_empty()).then_some(highlights))
}
