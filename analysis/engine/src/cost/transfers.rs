//! What the functions of files in other languages than Rust move: asked of the file's front end.

use crate::catalogue::front_end;
use crate::db::Db;
use crate::front_end::TransferCost;
use crate::inputs::SourceFile;

/// What the functions of a file move, in the order of the file; nothing of one in Rust.
pub fn transfer_costs(db: &dyn Db, file: SourceFile) -> Vec<TransferCost> {
    let front_end = front_end(file.language(db));
    front_end.map_or_else(Vec::new, |front_end| front_end.costs(db, file))
}
