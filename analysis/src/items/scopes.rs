//! Scopes in the text of one item: blocks with the items declared in them.

use std::sync::Arc;

use super::ids::{ItemId, ModuleId};
use crate::db::Db;

/// The blocks of an item of a module, from its normalised text. Offsets count in that text.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct BlockScopes {
    /// The item.
    pub item: ItemId,
}

/// Where a name is looked up: the blocks around a place, then the module.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ScopeRef {
    /// The module.
    pub module: ModuleId,
    /// The innermost block with declarations around the place, if any.
    pub block: Option<(Arc<BlockScopes>, u32)>,
}

impl ScopeRef {
    /// The scope of a module.
    pub fn module(module: ModuleId) -> Self {
        Self {
            module,
            block: None,
        }
    }
}

/// The blocks of an item of a module.
#[salsa::tracked(returns(clone))]
pub fn block_scopes(_db: &dyn Db, item: ItemId) -> Arc<BlockScopes> {
    Arc::new(BlockScopes { item })
}

/// The scope of a place in an item. `offset` counts in the text of that item ([`super::item_text`]), also for an item in a
/// block.
pub fn scope_at(db: &dyn Db, item: ItemId, _offset: u32) -> ScopeRef {
    ScopeRef::module(item.module(db))
}
