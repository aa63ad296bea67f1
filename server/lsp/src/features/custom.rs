//! The requests that are ours alone: cost, memory map and stage table of the kernel at a place, the library of a document.
//!
//! Their answers are those of `visa-lint cost --format json`, written by the same code; files are the engine's paths.

use std::sync::Arc;
use visa_analysis::EditorQuestions as _;

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::ls_types::{
    Position, TextDocumentIdentifier, TextDocumentPositionParams, WorkspaceEdit,
};
use visa_analysis::KernelCost;

use super::edits::{of_files, workspace_edit};
use super::places::resolve_position;
use crate::documents::json::cost::chosen_document;
use crate::documents::json::dialect::dialect_document;
use crate::documents::json::memory_map::memory_map_document;
use crate::project::engine::{Answer, Failure};
use crate::state::Snapshot;

/// What the kernel at a place costs: the object of `visa-lint cost --format json`, of one kernel; with what a search proposes where
/// one was made.
pub(crate) fn kernel_cost(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Answer<Option<Value>> {
    let (path, _, offset) = resolve_position(snapshot, params)?;
    let Some(cost) = snapshot.analysis.kernel_cost_at(&path, offset)? else {
        return Ok(None);
    };
    let searched = advised_kernel(snapshot, &cost.file, &cost.name);
    let cost = searched.as_deref().unwrap_or(&cost);
    Ok(Some(json!(chosen_document(std::slice::from_ref(cost)))))
}

/// A kernel with what a search proposes, if one was made of the texts of now.
fn advised_kernel(snapshot: &Snapshot, file: &str, name: &str) -> Option<Arc<KernelCost>> {
    let mut known = snapshot.advised().into_iter();
    known.find(|cost| *cost.file == *file && cost.name == name)
}

/// A proposal that a view shows, by its words.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ProposalParams {
    text_document: TextDocumentIdentifier,
    position: Position,
    message: String,
}

/// The edits of a proposal that a search made of the kernel at a place.
pub(crate) fn proposal_edit(
    snapshot: &Snapshot,
    params: &ProposalParams,
) -> Answer<Option<WorkspaceEdit>> {
    let place = TextDocumentPositionParams {
        text_document: params.text_document.clone(),
        position: params.position,
    };
    let (path, _, offset) = resolve_position(snapshot, &place)?;
    let kernel = snapshot.analysis.kernel_cost_at(&path, offset)?;
    let known = kernel.and_then(|cost| advised_kernel(snapshot, &cost.file, &cost.name));
    let Some(known) = known else {
        // The text changed since the view was drawn.
        return Err(Failure::Outdated);
    };
    let pair = known.searched.as_ref().and_then(|made| made.pair.as_ref());
    let mut all = known.proposals.iter().chain(pair);
    let meant = all.find(|one| one.message == params.message && !one.edits.is_empty());
    let proposal = meant.ok_or(Failure::Outdated)?;
    let documents = of_files(snapshot, &proposal.edits)?;
    Ok(Some(workspace_edit(&snapshot.view, documents)))
}

/// What is where and when in the memories of the kernel at a place.
pub(crate) fn memory_map(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Answer<Option<Value>> {
    let (path, _, offset) = resolve_position(snapshot, params)?;
    let map = snapshot.analysis.memory_map(&path, offset)?;
    Ok(map.as_ref().map(|map| json!(memory_map_document(map))))
}

/// The stages of the operation at a place, or of all operations of its kernel.
pub(crate) fn stage_table(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Answer<Option<Value>> {
    let (path, _, offset) = resolve_position(snapshot, params)?;
    let table = snapshot.analysis.stage_table(&path, offset)?;
    Ok(table.map(|table| {
        json!({
            "version": 1,
            "kernel": table.kernel,
            "operations": table.operations,
        })
    }))
}

/// The library that a document is written for: the object of `visa-lint --format json` about its crate, without the files.
pub(crate) fn document_dialect(
    snapshot: &Snapshot,
    document: &TextDocumentIdentifier,
) -> Answer<Option<Value>> {
    let path = snapshot.path(&document.uri);
    let known = snapshot.analysis.library_of(&path)?;
    Ok(Some(json!(dialect_document(&known))))
}
