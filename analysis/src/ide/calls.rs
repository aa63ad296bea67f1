//! The call hierarchy of kernels and the functions they reach.

use crate::db::{Db, SourceFile};

use super::{CallItem, CallLink};

/// The function at a cursor.
pub(super) fn call_items(_db: &dyn Db, _file: SourceFile, _offset: u32) -> Vec<CallItem> {
    Vec::new()
}

/// Who calls the function whose name stands at an offset.
pub(super) fn incoming_calls(_db: &dyn Db, _file: SourceFile, _offset: u32) -> Vec<CallLink> {
    Vec::new()
}

/// Whom the function calls whose name stands at an offset.
pub(super) fn outgoing_calls(_db: &dyn Db, _file: SourceFile, _offset: u32) -> Vec<CallLink> {
    Vec::new()
}
