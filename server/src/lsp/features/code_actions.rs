//! Quick fixes, fix-all, suppressions and refactorings.

use tower_lsp::ls_types::{CodeAction, CodeActionParams, CodeActionResponse};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// What can be done at a selection.
pub(crate) fn code_actions(
    _snapshot: &Snapshot,
    _params: CodeActionParams,
) -> Answer<Option<CodeActionResponse>> {
    Ok(None)
}

/// A code action with its edit.
pub(crate) fn resolve(_snapshot: &Snapshot, action: CodeAction) -> Answer<CodeAction> {
    Ok(action)
}
