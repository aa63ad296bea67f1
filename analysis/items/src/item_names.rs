//! What the names of one item mean, for who asks about many of its places: kernels write the same few again and again.
//!
//! Remembers what was looked up, for as long as its owner, one run of a query, lasts; decides nothing by itself.

use std::borrow::Cow;
use std::cell::RefCell;

use rustc_hash::FxHashMap;

use super::ids::ItemId;
use super::resolve::{Namespace, Resolution, resolve_path};
use super::scopes::{ItemScopes, ScopeRef};
use crate::db::Db;

/// The names of one item, as far as they were looked up.
#[derive(Debug)]
pub struct ItemNames {
    scopes: ItemScopes,
    /// By innermost block and namespace.
    known: RefCell<FxHashMap<(Option<u32>, Namespace), Meanings>>,
}

/// What paths mean in one place, by their texts.
type Meanings = FxHashMap<Box<str>, Resolution>;

impl ItemNames {
    /// The names of an item, also of one in a block.
    pub fn of(db: &dyn Db, item: ItemId) -> Self {
        Self {
            scopes: ItemScopes::of(db, item),
            known: RefCell::default(),
        }
    }

    /// The scope of a place. `offset` counts in the text of the item ([`super::item_text`]).
    pub fn scope_at(&self, db: &dyn Db, offset: u32) -> ScopeRef {
        self.scopes.scope_at_offset(db, offset)
    }

    /// What a path means at an offset of the item's text, as [`resolve_path`] says.
    pub fn resolve_path(
        &self,
        db: &dyn Db,
        path: &[&str],
        offset: u32,
        namespace: Namespace,
    ) -> Resolution {
        let text = match path {
            [name] => Cow::Borrowed(*name),
            _ => Cow::Owned(path.join("::")),
        };
        let mut known = self.known.borrow_mut();
        let known = known
            .entry((self.scopes.block_at(offset), namespace))
            .or_default();
        if let Some(resolution) = known.get(&*text) {
            return resolution.clone();
        }
        let resolution = resolve_path(
            db,
            &self.scopes.scope_at_offset(db, offset),
            path,
            namespace,
        );
        known.insert(text.into(), resolution.clone());
        resolution
    }
}
