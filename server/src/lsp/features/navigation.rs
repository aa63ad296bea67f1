//! Definition, references and rename.

use tower_lsp::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, PrepareRenameResponse, ReferenceParams,
    RenameParams, TextDocumentPositionParams, WorkspaceEdit,
};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// Where a name is declared.
pub(crate) fn definition(
    _snapshot: &Snapshot,
    _params: GotoDefinitionParams,
) -> Answer<Option<GotoDefinitionResponse>> {
    Ok(None)
}

/// Where a name is used.
pub(crate) fn references(
    _snapshot: &Snapshot,
    _params: ReferenceParams,
) -> Answer<Option<Vec<Location>>> {
    Ok(None)
}

/// The name at the cursor, if it can be changed.
pub(crate) fn prepare_rename(
    _snapshot: &Snapshot,
    _params: TextDocumentPositionParams,
) -> Answer<Option<PrepareRenameResponse>> {
    Ok(None)
}

/// The edits that change a name everywhere.
pub(crate) fn rename(_snapshot: &Snapshot, _params: RenameParams) -> Answer<Option<WorkspaceEdit>> {
    Ok(None)
}
