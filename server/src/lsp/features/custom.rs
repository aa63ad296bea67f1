//! The requests that are ours alone: cost, memory map and stage table of the kernel at a place, the library of a document.
//!
//! Their answers are those of `visa-lint cost --format json`, written by the same code; files are the engine's paths.

use serde_json::{Value, json};
use tower_lsp::ls_types::{TextDocumentIdentifier, TextDocumentPositionParams};

use super::at;
use crate::json::cost::{chosen_document, operation};
use crate::json::dialect::Dialect;
use crate::json::memory_map::document;
use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// What the kernel at a place costs: the object of `visa-lint cost --format json`, of one kernel.
pub(crate) fn kernel_cost(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Answer<Option<Value>> {
    let (path, _, offset) = at(snapshot, params)?;
    let cost = snapshot.analysis.kernel_cost_at(&path, offset)?;
    Ok(cost.map(|cost| json!(chosen_document(std::slice::from_ref(&cost)))))
}

/// What is where and when in the memories of the kernel at a place.
pub(crate) fn memory_map(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Answer<Option<Value>> {
    let (path, _, offset) = at(snapshot, params)?;
    let map = snapshot.analysis.memory_map(&path, offset)?;
    Ok(map.as_ref().map(|map| json!(document(map))))
}

/// The stages of the operation at a place, or of all operations of its kernel.
pub(crate) fn stage_table(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Answer<Option<Value>> {
    let (path, _, offset) = at(snapshot, params)?;
    let table = snapshot.analysis.stage_table(&path, offset)?;
    Ok(table.map(|table| {
        json!({
            "version": 1,
            "kernel": table.kernel,
            "operations": table.operations.iter().map(operation).collect::<Vec<_>>(),
        })
    }))
}

/// The library that a document is written for: the object of `visa-lint --format json` about its crate, without the files.
pub(crate) fn dialect(
    snapshot: &Snapshot,
    document: &TextDocumentIdentifier,
) -> Answer<Option<Value>> {
    let path = snapshot.path(&document.uri);
    let known = snapshot.analysis.library_of(&path)?;
    let library = &known.library;
    let release = library.dialect.release.to_string();
    let answer = Dialect {
        version: 1,
        krate: known.krate.package.as_ref().unwrap_or(&known.krate.root),
        dialect: library.dialect.library.name(),
        release: library.release.as_deref(),
        because: &library.because,
        read_as: library.is_unknown.then_some(release),
    };
    Ok(Some(json!(answer)))
}
