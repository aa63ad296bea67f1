//! Associated functions, constants and types of the types of the project.
//!
//! `Type::name` is looked up among the `impl` blocks for the type, wherever in the project they are: first those of the type
//! alone, then those of traits, then what traits leave to their defaults. Which bounds a block has is not asked. Where two
//! blocks of one of these kinds have a name, neither is meant.

use std::collections::BTreeMap;
use std::sync::Arc;

use ra_ap_syntax::SyntaxKind;
use ra_ap_syntax::ast::{self, AstNode};
use rustc_hash::FxHashMap;

use super::declarations::path_segments;
use super::file::{file_items, parse_item};
use super::ids::{ItemId, ItemKind};
use super::resolve::module_type;
use super::scopes::block_scopes;
use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::syntax::nodes_of;

/// The names of a type's blocks, with the item where there is one of that name.
type Names = BTreeMap<Arc<str>, Option<ItemId>>;

/// An `impl` block.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    item: ItemId,
    /// The path of its type.
    of: Vec<Arc<str>>,
    /// The path of its trait.
    of_trait: Option<Vec<Arc<str>>>,
    /// What is in it.
    names: Names,
}

/// The associated function, constant or type of a type.
pub fn associated_item(db: &dyn Db, ty: ItemId, name: &str) -> Option<ItemId> {
    let blocks = blocks_of(db, ty);
    let (traits, own): (Vec<&Block>, Vec<&Block>) =
        blocks.iter().partition(|block| block.of_trait.is_some());
    for blocks in [&own, &traits] {
        let mut found = blocks.iter().filter_map(|block| block.names.get(name));
        if let Some(first) = found.next() {
            return first.filter(|_| found.next().is_none());
        }
    }
    let mut defaults = traits
        .iter()
        .filter_map(|block| trait_of(db, block))
        .filter_map(|declared| *defaults_of_trait(db, declared).get(name)?);
    let first = defaults.next()?;
    defaults.all(|other| other == first).then_some(first)
}

/// What an `impl` block of a module has of a name.
pub fn in_block(db: &dyn Db, block: ItemId, name: &str) -> Option<ItemId> {
    if block.kind(db) != ItemKind::Implementation {
        return None;
    }
    let blocks = blocks_in(db, block.file(db));
    let block = blocks.iter().find(|known| known.item == block)?;
    *block.names.get(name)?
}

/// The blocks for a type.
fn blocks_of(db: &dyn Db, ty: ItemId) -> Vec<Block> {
    let name = ty.name(db);
    if let Some(owner) = ty.parent(db) {
        let blocks = blocks_in_body(db, owner);
        let of_type = |block: &&Block| block.of.last() == Some(&name);
        return blocks.iter().filter(of_type).cloned().collect();
    }
    let is_of = |block: &&Block| {
        if block.item.file(db) == ty.file(db) {
            return block.of.last() == Some(&name);
        }
        module_type(db, block.item.module(db), &block.of) == Some(ty)
    };
    match Project::try_get(db) {
        Some(project) => {
            let all = blocks_by_name(db, project);
            let blocks = all.get(&name).into_iter().flatten();
            blocks.filter(is_of).cloned().collect()
        }
        None => {
            let blocks = blocks_in(db, ty.file(db));
            blocks.iter().filter(is_of).cloned().collect()
        }
    }
}

/// The trait of a block, where the project declares it.
fn trait_of(db: &dyn Db, block: &Block) -> Option<ItemId> {
    module_type(db, block.item.module(db), block.of_trait.as_ref()?)
}

/// The `impl` blocks of a trait of the project, wherever in it they are but in the bodies of functions.
#[salsa::tracked(returns(clone))]
pub fn implementations(db: &dyn Db, declared: ItemId) -> Arc<[ItemId]> {
    let Some(project) = Project::try_get(db) else {
        return Arc::from([]);
    };
    // Any block of the project may be typed into.
    project.restless(db);
    let name = declared.name(db);
    let mut found = Vec::new();
    for file in project.files(db).values() {
        for block in blocks_in(db, *file).iter() {
            let of_name = block.of_trait.as_ref().and_then(|path| path.last()) == Some(&name);
            if of_name && trait_of(db, block) == Some(declared) {
                found.push(block.item);
            }
        }
    }
    found.into()
}

/// The `impl` blocks of the project by the last name of their type.
#[salsa::tracked(returns(clone))]
fn blocks_by_name(db: &dyn Db, project: Project) -> Arc<FxHashMap<Arc<str>, Vec<Block>>> {
    project.restless(db);
    let mut named: FxHashMap<Arc<str>, Vec<Block>> = FxHashMap::default();
    for file in project.files(db).values() {
        for block in blocks_in(db, *file).iter() {
            if let Some(name) = block.of.last() {
                named
                    .entry(Arc::clone(name))
                    .or_default()
                    .push(block.clone());
            }
        }
    }
    Arc::new(named)
}

#[salsa::tracked(returns(clone))]
fn blocks_in(db: &dyn Db, file: SourceFile) -> Arc<[Block]> {
    let items = file_items(db, file);
    let blocks = items.items.iter();
    let blocks = blocks.filter(|item| item.kind(db) == ItemKind::Implementation);
    blocks.filter_map(|item| block_of(db, *item)).collect()
}

/// The `impl` blocks inside of an item: in the body of a function.
#[salsa::tracked(returns(clone))]
fn blocks_in_body(db: &dyn Db, owner: ItemId) -> Arc<[Block]> {
    let parsed = parse_item(db, owner);
    let nodes = parsed.root().map(|root| {
        nodes_of(
            root.syntax(),
            |met| ast::Impl::can_cast(met.kind),
            |met| met.kind != SyntaxKind::TOKEN_TREE,
        )
    });
    let blocks = nodes.into_iter().flatten().filter_map(ast::Impl::cast);
    blocks
        .filter_map(|block| block_in(db, owner, &block))
        .collect()
}

fn block_of(db: &dyn Db, item: ItemId) -> Option<Block> {
    block_in(db, item, &parse_item(db, item).cast::<ast::Impl>()?)
}

/// A block, which is an item of a module or inside of one.
fn block_in(db: &dyn Db, item: ItemId, block: &ast::Impl) -> Option<Block> {
    let of = self_path(block)?;
    let of_trait = match block.trait_() {
        Some(ast::Type::PathType(ty)) => Some(path_segments(&ty.path()?)),
        _ => None,
    };
    let list = block.assoc_item_list()?;
    let all = |_: &ast::AssocItem| true;
    Some(Block {
        item,
        of,
        of_trait,
        names: names_in(db, item, &list, all),
    })
}

/// What a trait gives a value or a body.
#[salsa::tracked(returns(clone))]
fn defaults_of_trait(db: &dyn Db, declared: ItemId) -> Arc<Names> {
    let parsed = parse_item(db, declared).cast::<ast::Trait>();
    let Some(list) = parsed.and_then(|declared| declared.assoc_item_list()) else {
        return Arc::default();
    };
    let has_default = |inner: &ast::AssocItem| match inner {
        ast::AssocItem::Const(constant) => constant.body().is_some(),
        ast::AssocItem::Fn(function) => function.body().is_some(),
        ast::AssocItem::TypeAlias(alias) => alias.ty().is_some(),
        ast::AssocItem::MacroCall(_) => false,
    };
    Arc::new(names_in(db, declared, &list, has_default))
}

fn names_in(
    db: &dyn Db,
    item: ItemId,
    list: &ast::AssocItemList,
    is_wanted: impl Fn(&ast::AssocItem) -> bool,
) -> Names {
    let starts: Vec<u32> = list
        .assoc_items()
        .filter(is_wanted)
        .map(|inner| inner.syntax().text_range().start().into())
        .collect();
    let mut names = Names::new();
    for id in block_scopes(db, item).starting_at(&starts) {
        names
            .entry(id.name(db))
            .and_modify(|known| *known = None)
            .or_insert(Some(id));
    }
    names
}

/// Whether an item is a trait.
pub fn is_trait(db: &dyn Db, item: ItemId) -> bool {
    item.kind(db) == ItemKind::Type && parse_item(db, item).cast::<ast::Trait>().is_some()
}

/// The path of the type that an `impl` block is for.
pub(super) fn self_path(block: &ast::Impl) -> Option<Vec<Arc<str>>> {
    match block.self_ty()? {
        ast::Type::PathType(ty) => Some(path_segments(&ty.path()?)),
        _ => None,
    }
}
