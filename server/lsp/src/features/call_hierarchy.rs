//! Who calls whom among the functions that handle tensors.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams, Range,
    SymbolKind,
};
use visa_analysis::EditorQuestions as _;
use visa_analysis::{ByteRange, CallItem};

use super::places::resolve_position;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// What an item carries to be found again.
#[derive(Serialize, Deserialize)]
struct Handle {
    path: String,
    /// The first byte of the function's name.
    offset: u32,
}

/// `textDocument/prepareCallHierarchy`
pub(crate) fn prepare_call_hierarchy(
    snapshot: &Snapshot,
    params: &CallHierarchyPrepareParams,
) -> Answer<Option<Vec<CallHierarchyItem>>> {
    let (path, _, offset) = resolve_position(snapshot, &params.text_document_position_params)?;
    let items = snapshot.analysis.call_items(&path, offset)?;
    let items = items
        .into_iter()
        .map(|found| hierarchy_item(snapshot, found));
    let items = items.collect::<Answer<Vec<_>>>()?;
    Ok((!items.is_empty()).then_some(items))
}

/// `callHierarchy/incomingCalls`
pub(crate) fn incoming_calls(
    snapshot: &Snapshot,
    params: &CallHierarchyIncomingCallsParams,
) -> Answer<Option<Vec<CallHierarchyIncomingCall>>> {
    let handle = handle(snapshot, &params.item)?;
    let calls = snapshot
        .analysis
        .incoming_calls(&handle.path, handle.offset)?;
    let calls = calls.into_iter().map(|call| {
        Ok(CallHierarchyIncomingCall {
            from_ranges: site_ranges(snapshot, &call.item.place.file, &call.sites)?,
            from: hierarchy_item(snapshot, call.item)?,
        })
    });
    calls.collect::<Answer<Vec<_>>>().map(Some)
}

/// `callHierarchy/outgoingCalls`
pub(crate) fn outgoing_calls(
    snapshot: &Snapshot,
    params: &CallHierarchyOutgoingCallsParams,
) -> Answer<Option<Vec<CallHierarchyOutgoingCall>>> {
    let handle = handle(snapshot, &params.item)?;
    let calls = snapshot
        .analysis
        .outgoing_calls(&handle.path, handle.offset)?;
    let calls = calls.into_iter().map(|call| {
        Ok(CallHierarchyOutgoingCall {
            from_ranges: site_ranges(snapshot, &handle.path, &call.sites)?,
            to: hierarchy_item(snapshot, call.item)?,
        })
    });
    calls.collect::<Answer<Vec<_>>>().map(Some)
}

/// Where an item was found. A client that drops the item's data still tells its place.
fn handle(snapshot: &Snapshot, item: &CallHierarchyItem) -> Answer<Handle> {
    let data = item.data.clone();
    if let Some(handle) = data.and_then(|data| serde_json::from_value(data).ok()) {
        return Ok(handle);
    }
    let path = snapshot.path(&item.uri);
    let offset = snapshot.file(&path)?.offset(item.selection_range.start);
    Ok(Handle { path, offset })
}

fn hierarchy_item(snapshot: &Snapshot, found: CallItem) -> Answer<CallHierarchyItem> {
    let file = snapshot.file(&found.place.file)?;
    let handle = Handle {
        path: found.place.file.to_string(),
        offset: found.selection.start,
    };
    Ok(CallHierarchyItem {
        name: found.name,
        kind: SymbolKind::FUNCTION,
        tags: None,
        detail: found.detail,
        uri: snapshot.uri(&found.place.file)?,
        range: file.range(found.place.range),
        selection_range: file.range(found.selection),
        data: serde_json::to_value(handle).ok(),
    })
}

fn site_ranges(snapshot: &Snapshot, path: &str, sites: &[ByteRange]) -> Answer<Vec<Range>> {
    let file = snapshot.file(path)?;
    Ok(sites.iter().map(|site| file.range(*site)).collect())
}
