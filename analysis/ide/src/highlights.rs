//! The places of one file that mean the axis or alias at a cursor.
//!
//! Names outside of mappings count as well; what a name means elsewhere is not looked at, so that the answer takes time by the file
//! and not by the project.

use crate::db::Db;
use crate::inputs::SourceFile;

use super::names::{Role, all_in};
use super::navigation::named_at;
use super::{ByteRange, Highlight};

/// The places, in the order of the text; none where the cursor is at nothing that is known.
pub(super) fn highlights_at(db: &dyn Db, file: SourceFile, offset: u32) -> Vec<Highlight> {
    let Some((named, ..)) = named_at(db, file, offset) else {
        return Vec::new();
    };
    let found = all_in(db, &named, &[file]).into_iter();
    let highlight = |range: ByteRange, role| Highlight {
        range,
        declares: matches!(role, Role::AxisDeclaration | Role::AliasDeclaration),
    };
    found
        .map(|found| highlight(found.range, found.role))
        .collect()
}
