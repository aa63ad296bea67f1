//! The outline of a file, and declarations by name.

use crate::db::{Db, SourceFile};

use super::{Symbol, WorkspaceSymbol};

/// The outline of a file.
pub(super) fn document_symbols(_db: &dyn Db, _file: SourceFile) -> Vec<Symbol> {
    Vec::new()
}

/// The declarations of all files that fit a query.
pub(super) fn workspace_symbols(_db: &dyn Db, _query: &str) -> Vec<WorkspaceSymbol> {
    Vec::new()
}
