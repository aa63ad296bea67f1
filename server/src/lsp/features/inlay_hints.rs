//! Inlay hints.

use tower_lsp::ls_types::{InlayHint, InlayHintParams};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// Words between the text's own.
pub(crate) fn inlay_hints(
    _snapshot: &Snapshot,
    _params: InlayHintParams,
) -> Answer<Option<Vec<InlayHint>>> {
    Ok(None)
}
