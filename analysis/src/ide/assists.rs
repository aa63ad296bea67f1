//! Changes on request: extract, inline, pad, move.

use crate::db::{Db, SourceFile};

use super::{Assist, ByteRange};

/// The refactorings that are possible at a selection.
pub(super) fn assists(_db: &dyn Db, _file: SourceFile, _selection: ByteRange) -> Vec<Assist> {
    Vec::new()
}
