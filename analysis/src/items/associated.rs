//! Associated functions and constants of the types of a file.
//!
//! `Type::name` is looked up among the `impl` blocks of the file that declares the type, by the type's last name: which trait
//! a block implements, and what bounds it has, is not asked. Where two blocks have one name, neither is meant.

use std::collections::BTreeMap;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};

use super::declarations::path_segments;
use super::file::{file_items, parse_item};
use super::ids::{ItemId, ItemKind};
use super::scopes::block_scopes;
use crate::db::Db;
use crate::inputs::SourceFile;

/// The names of a type, with the item where there is one of that name.
type Names = BTreeMap<Arc<str>, Option<ItemId>>;

/// The associated function or constant of a type.
pub fn associated(db: &dyn Db, ty: ItemId, name: &str) -> Option<ItemId> {
    *associated_in(db, ty.file(db))
        .get(&ty.name(db))?
        .get(name)?
}

#[salsa::tracked(returns(clone))]
fn associated_in(db: &dyn Db, file: SourceFile) -> Arc<BTreeMap<Arc<str>, Names>> {
    let mut types: BTreeMap<Arc<str>, Names> = BTreeMap::new();
    let items = file_items(db, file);
    for item in &items.items {
        if item.kind(db) != ItemKind::Implementation {
            continue;
        }
        let Some((name, found)) = of_block(db, *item) else {
            continue;
        };
        let names = types.entry(name).or_default();
        for id in found {
            names
                .entry(id.name(db))
                .and_modify(|known| *known = None)
                .or_insert(Some(id));
        }
    }
    Arc::new(types)
}

/// The type that an `impl` block is for, and what is in it.
fn of_block(db: &dyn Db, item: ItemId) -> Option<(Arc<str>, Vec<ItemId>)> {
    let block = parse_item(db, item).cast::<ast::Impl>()?;
    let name = self_path(&block)?.pop()?;
    let list = block.assoc_item_list()?;
    let scopes = block_scopes(db, item);
    let starts: Vec<u32> = list
        .assoc_items()
        .map(|inner| inner.syntax().text_range().start().into())
        .collect();
    Some((name, scopes.starting_at(&starts)))
}

/// The path of the type that an `impl` block is for.
pub(super) fn self_path(block: &ast::Impl) -> Option<Vec<Arc<str>>> {
    match block.self_ty()? {
        ast::Type::PathType(ty) => Some(path_segments(&ty.path()?)),
        _ => None,
    }
}
