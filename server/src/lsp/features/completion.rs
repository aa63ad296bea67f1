//! Completion.

use tower_lsp::ls_types::{CompletionParams, CompletionResponse};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// Proposals for the text at the cursor.
pub(crate) fn completion(
    _snapshot: &Snapshot,
    _params: CompletionParams,
) -> Answer<Option<CompletionResponse>> {
    Ok(None)
}
