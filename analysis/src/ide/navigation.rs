//! Definition, references and rename of axes and aliases across files.

use crate::db::{Db, SourceFile};

use crate::report::FileEdit;

use super::{ByteRange, Place, RenameProblem};

/// Where the name at a cursor is declared.
pub(super) fn definition(_db: &dyn Db, _file: SourceFile, _offset: u32) -> Vec<Place> {
    Vec::new()
}

/// Where the name at a cursor is used.
pub(super) fn references(
    _db: &dyn Db,
    _file: SourceFile,
    _offset: u32,
    _with_declaration: bool,
) -> Vec<Place> {
    Vec::new()
}

/// The name at a cursor, if it can be changed.
pub(super) fn prepare_rename(
    _db: &dyn Db,
    _file: SourceFile,
    _offset: u32,
) -> Result<(ByteRange, String), RenameProblem> {
    Err(RenameProblem(String::new()))
}

/// The edits that give the name at a cursor another form everywhere.
pub(super) fn rename(
    _db: &dyn Db,
    _file: SourceFile,
    _offset: u32,
    _name: &str,
) -> Result<Vec<FileEdit>, RenameProblem> {
    Err(RenameProblem(String::new()))
}
