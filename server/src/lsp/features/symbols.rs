//! The outline of a document and the names of the workspace.

use tower_lsp::ls_types::{
    DocumentSymbolParams, DocumentSymbolResponse, WorkspaceSymbolParams, WorkspaceSymbolResponse,
};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// The outline of a document.
pub(crate) fn document(
    _snapshot: &Snapshot,
    _params: DocumentSymbolParams,
) -> Answer<Option<DocumentSymbolResponse>> {
    Ok(None)
}

/// The names of the workspace that fit a query.
pub(crate) fn workspace(
    _snapshot: &Snapshot,
    _params: WorkspaceSymbolParams,
) -> Answer<Option<WorkspaceSymbolResponse>> {
    Ok(None)
}
