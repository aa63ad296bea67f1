//! The generics of the method at the cursor.

use crate::db::{Db, SourceFile};

use super::SignatureHelp;

/// The method that the cursor is in the turbofish or arguments of.
pub(super) fn signature_help(
    _db: &dyn Db,
    _file: SourceFile,
    _offset: u32,
) -> Option<SignatureHelp> {
    None
}
