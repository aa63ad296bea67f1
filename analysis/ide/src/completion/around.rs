//! The items and functions around the cursor.

use crate::db::Db;
use crate::items::{ItemId, ItemKind, block_scopes};

/// The items around an offset of an item's text, the innermost first: those in its blocks, then the item itself.
pub(super) fn items_around(db: &dyn Db, item: ItemId, offset: u32) -> impl Iterator<Item = ItemId> {
    let scopes = block_scopes(db, item);
    let around = scopes
        .locals
        .iter()
        .filter(|local| local.start < offset && offset <= local.end);
    let mut found: Vec<ItemId> = around.map(|local| local.id).collect();
    // Each is before those inside of it.
    found.reverse();
    found.into_iter().chain([item])
}

/// The functions around an offset of an item's text, the innermost first.
pub(super) fn functions_around(
    db: &dyn Db,
    item: ItemId,
    offset: u32,
) -> impl Iterator<Item = ItemId> {
    items_around(db, item, offset).filter(move |item| item.kind(db) == ItemKind::Function)
}
