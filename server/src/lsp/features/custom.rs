//! The requests that are ours alone: cost, memory map, stage table.

use tower_lsp::ls_types::TextDocumentPositionParams;

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// What the kernel at a place costs: the object of `visa-lint cost --format json`.
pub(crate) fn kernel_cost(
    _snapshot: &Snapshot,
    _params: TextDocumentPositionParams,
) -> Answer<Option<serde_json::Value>> {
    Ok(None)
}

/// What lies where and when in the memories of the kernel at a place.
pub(crate) fn memory_map(
    _snapshot: &Snapshot,
    _params: TextDocumentPositionParams,
) -> Answer<Option<serde_json::Value>> {
    Ok(None)
}

/// The stages of the operation at a place, or of all of its kernel.
pub(crate) fn stage_table(
    _snapshot: &Snapshot,
    _params: TextDocumentPositionParams,
) -> Answer<Option<serde_json::Value>> {
    Ok(None)
}
