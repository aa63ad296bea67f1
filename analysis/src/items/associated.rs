//! Associated functions, constants and types of the types of a file.
//!
//! `Type::name` is looked up among the `impl` blocks of the file that declares the type, by the type's last name: which trait
//! a block implements, and what bounds it has, is not asked. Where two blocks have one name, neither is meant. A constant that
//! a block leaves to its trait is the trait's, if that is in the same file.

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

/// The associated function, constant or type of a type.
pub fn associated(db: &dyn Db, ty: ItemId, name: &str) -> Option<ItemId> {
    *associated_in(db, ty.file(db))
        .get(&ty.name(db))?
        .get(name)?
}

#[salsa::tracked(returns(clone))]
fn associated_in(db: &dyn Db, file: SourceFile) -> Arc<BTreeMap<Arc<str>, Names>> {
    let mut types: BTreeMap<Arc<str>, Names> = BTreeMap::new();
    let items = file_items(db, file);
    let mut defaults = Vec::new();
    for item in &items.items {
        if item.kind(db) != ItemKind::Implementation {
            continue;
        }
        let Some((name, found)) = of_block(db, *item) else {
            continue;
        };
        defaults.extend(trait_name(db, *item).map(|of| (Arc::clone(&name), of)));
        let names = types.entry(name).or_default();
        for id in found {
            names
                .entry(id.name(db))
                .and_modify(|known| *known = None)
                .or_insert(Some(id));
        }
    }
    for (ty, of) in defaults {
        let is_trait = |item: &&ItemId| item.kind(db) == ItemKind::Type && item.name(db) == of;
        let Some(declared) = items.items.iter().find(is_trait) else {
            continue;
        };
        let names = types.entry(ty).or_default();
        for id in constants_of_trait(db, *declared) {
            names.entry(id.name(db)).or_insert(Some(id));
        }
    }
    Arc::new(types)
}

/// The last name of the trait that an `impl` block implements.
fn trait_name(db: &dyn Db, item: ItemId) -> Option<Arc<str>> {
    let block = parse_item(db, item).cast::<ast::Impl>()?;
    match block.trait_()? {
        ast::Type::PathType(ty) => path_segments(&ty.path()?).pop(),
        _ => None,
    }
}

/// The constants that a trait gives a value.
fn constants_of_trait(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let Some(list) = parse_item(db, item)
        .cast::<ast::Trait>()
        .and_then(|declared| declared.assoc_item_list())
    else {
        return Vec::new();
    };
    let starts: Vec<u32> = list
        .assoc_items()
        .filter_map(|inner| match inner {
            ast::AssocItem::Const(constant) => constant.body().map(|_| constant),
            _ => None,
        })
        .map(|constant| constant.syntax().text_range().start().into())
        .collect();
    block_scopes(db, item).starting_at(&starts)
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
