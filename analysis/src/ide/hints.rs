//! Words between the text's own: sizes, streams, cycles.

use crate::db::{Db, SourceFile};

use super::{ByteRange, HintLevel, InlayHint};

/// The hints whose places are in a range.
pub(super) fn inlay_hints(
    _db: &dyn Db,
    _file: SourceFile,
    _range: ByteRange,
    _level: HintLevel,
) -> Vec<InlayHint> {
    Vec::new()
}
