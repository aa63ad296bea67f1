//! What is shown beside the pointer.

use tower_lsp::ls_types::{Hover, HoverContents, HoverParams};
use visa_analysis::EditorQuestions as _;

use super::markup::Format;
use super::places::resolve_position;
use super::running;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// `textDocument/hover`
pub(crate) fn hover(snapshot: &Snapshot, params: &HoverParams) -> Answer<Option<Hover>> {
    let (path, file, offset) = resolve_position(snapshot, &params.text_document_position_params)?;
    let format = Format::of(snapshot.view.client.hover_markdown);
    let searched = snapshot.advised();
    let searched: Vec<_> = searched.iter().map(|cost| &**cost).collect();
    let hover = snapshot.analysis.hover_with(&path, offset, &searched)?;
    Ok(hover.map(|mut hover| {
        if let Some(words) = running::hover(snapshot, &path, offset) {
            hover.markdown.push_str(&format!("\n\n{words}"));
        }
        Hover {
            contents: HoverContents::Markup(format.content(&hover.markdown)),
            range: Some(file.range(hover.range)),
        }
    }))
}
