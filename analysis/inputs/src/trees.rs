//! The trees and lines of the files that were put in.

use super::SourceFile;
use visa_base::db::Db;
use visa_syntax::{LineIndex, ParsedFile};

/// Parses a file. Re-runs on every edit of the file; what reads it should be a query whose result stays equal.
#[salsa::tracked(no_eq, lru = 256)]
pub fn parse(db: &dyn Db, file: SourceFile) -> ParsedFile {
    // An edit inside a function comes with its tree, made of the one before.
    file.tree(db)
        .unwrap_or_else(|| ParsedFile::new(&file.text(db)))
}

/// The number of syntax errors of a file. `rustc` words them; we only need to know that there are some.
#[salsa::tracked(returns(copy))]
pub fn syntax_error_count(db: &dyn Db, file: SourceFile) -> usize {
    parse(db, file).error_count()
}

/// The line index of a file.
#[salsa::tracked]
pub fn line_index(db: &dyn Db, file: SourceFile) -> LineIndex {
    LineIndex::new(&file.text(db))
}
