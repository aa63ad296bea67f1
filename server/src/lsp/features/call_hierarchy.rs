//! The call hierarchy of kernels.

use tower_lsp::ls_types::{
    CallHierarchyIncomingCall, CallHierarchyIncomingCallsParams, CallHierarchyItem,
    CallHierarchyOutgoingCall, CallHierarchyOutgoingCallsParams, CallHierarchyPrepareParams,
};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// The function at the cursor.
pub(crate) fn prepare(
    _snapshot: &Snapshot,
    _params: CallHierarchyPrepareParams,
) -> Answer<Option<Vec<CallHierarchyItem>>> {
    Ok(None)
}

/// Who calls a function.
pub(crate) fn incoming(
    _snapshot: &Snapshot,
    _params: CallHierarchyIncomingCallsParams,
) -> Answer<Option<Vec<CallHierarchyIncomingCall>>> {
    Ok(None)
}

/// Whom a function calls.
pub(crate) fn outgoing(
    _snapshot: &Snapshot,
    _params: CallHierarchyOutgoingCallsParams,
) -> Answer<Option<Vec<CallHierarchyOutgoingCall>>> {
    Ok(None)
}
