//! What is shown beside the pointer.

use crate::db::{Db, SourceFile};

use super::Hover;

/// What to show at a byte of a file.
pub(super) fn hover(_db: &dyn Db, _file: SourceFile, _offset: u32) -> Option<Hover> {
    None
}
