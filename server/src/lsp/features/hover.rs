//! Hovers.

use tower_lsp::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// What to show beside the pointer.
pub(crate) fn hover(snapshot: &Snapshot, params: HoverParams) -> Answer<Option<Hover>> {
    let place = params.text_document_position_params;
    let path = snapshot.path(&place.text_document.uri);
    let file = snapshot.file(&path)?;
    let hover = snapshot
        .analysis
        .hover(&path, file.offset(place.position))?;
    let kind = if snapshot.view.client.hover_markdown {
        MarkupKind::Markdown
    } else {
        MarkupKind::PlainText
    };
    Ok(hover.map(|hover| Hover {
        range: Some(file.range(hover.range)),
        contents: HoverContents::Markup(MarkupContent {
            kind,
            value: hover.markdown,
        }),
    }))
}
