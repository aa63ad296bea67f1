//! What an editor may hide: chains, macros, groups of aliases.

use crate::db::{Db, SourceFile};

use super::Folding;

/// What can be hidden in a file.
pub(super) fn folding_ranges(_db: &dyn Db, _file: SourceFile) -> Vec<Folding> {
    Vec::new()
}
