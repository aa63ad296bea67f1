//! Words between the text's own.

use tower_lsp::ls_types::{
    InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, InlayHintTooltip,
};
use visa_analysis::EditorQuestions as _;
use visa_analysis::{HintKind, HintLevel};

use super::markup::Format;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// `textDocument/inlayHint`
pub(crate) fn inlay_hints(
    snapshot: &Snapshot,
    params: &InlayHintParams,
) -> Answer<Option<Vec<InlayHint>>> {
    let level = snapshot.view.settings.client.hints;
    if level == HintLevel::Off {
        return Ok(Some(Vec::new()));
    }
    let path = snapshot.path(&params.text_document.uri);
    let file = snapshot.file(&path)?;
    let range = file.byte_range(params.range);
    let hints = snapshot.analysis.inlay_hints(&path, range, level)?;
    let hints = hints.into_iter().map(|hint| InlayHint {
        position: file.position(hint.offset),
        label: InlayHintLabel::String(hint.label),
        kind: matches!(hint.kind, HintKind::Size | HintKind::Stream).then_some(InlayHintKind::TYPE),
        text_edits: None,
        // Who shows hints shows Markdown: the protocol has no capability for their format.
        tooltip: hint
            .tooltip
            .map(|words| InlayHintTooltip::MarkupContent(Format::Markdown.content(&words))),
        padding_left: Some(true),
        padding_right: None,
        data: None,
    });
    Ok(Some(hints.collect()))
}
