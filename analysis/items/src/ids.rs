//! Identities that survive edits: items, modules, and places in items.

#![allow(
    missing_docs,
    reason = "salsa generates undocumented constructors and setters"
)]

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use salsa::plumbing::AsId;

use crate::db::Db;
use crate::inputs::SourceFile;

/// The inline modules around an item, outermost first; empty at the top of a file.
pub type ModulePath = Arc<[Arc<str>]>;

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ItemKind {
    /// `fn`.
    Function,
    /// A call of `axes!`, which declares axes.
    Axes,
    /// `type X = …;`.
    Alias,
    /// `const X: T = …;`.
    Constant,
    /// `static X: T = …;`.
    Static,
    /// `use …;` and `extern crate …;`.
    Use,
    /// `mod x { … }`: the item is the header, what is inside are items of their own.
    InlineModule,
    /// `mod x;`.
    ModuleDeclaration,
    /// `struct`, `enum`, `union`, `trait`.
    Type,
    /// `impl … { … }`.
    Implementation,
    /// `macro_rules!` and `macro`: a template of code, not code.
    MacroDefinition,
    /// Anything else: other macro calls, `extern` blocks.
    Other,
}

/// An item: a place where something is declared, whatever its text says at the moment.
///
/// An item in a block has the item around it as `parent`; spans in it are spans of the outermost parent, see
/// [`super::ItemText`].
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug)]
pub struct ItemId {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// What it is.
    #[returns(copy)]
    pub kind: ItemKind,
    /// The inline modules around it.
    #[returns(clone)]
    pub module_path: ModulePath,
    /// Its name; empty for items without one (`use`, `axes!`, `impl`).
    #[returns(clone)]
    pub name: Arc<str>,
    /// Its place among the items that are equal in all other fields, from 0.
    #[returns(copy)]
    pub ordinal: u32,
    /// For an item in a block: the item of the module whose text it is written in.
    #[returns(copy)]
    pub parent: Option<ItemId>,
}

impl ItemId {
    /// The item of a module whose normalised text holds this one: itself, or its parent.
    pub fn owner(self, db: &dyn Db) -> ItemId {
        self.parent(db).unwrap_or(self)
    }

    /// The module that the item is in, or its parent: modules in blocks do not count.
    pub fn module(self, db: &dyn Db) -> ModuleId {
        ModuleId::new(db, self.file(db), self.module_path(db))
    }
}

/// A module: a file, an inline module in one, or a module in a block.
#[salsa::interned(unsafe(no_lifetime), revisions = usize::MAX, debug, constructor = intern)]
pub struct ModuleId {
    /// The file.
    #[returns(copy)]
    pub file: SourceFile,
    /// The inline modules on the way from the top of the file; empty for the file itself. Of a module in a block those around
    /// the item that the block belongs to.
    #[returns(clone)]
    pub path: ModulePath,
    /// For a module in a block: its item.
    #[returns(copy)]
    pub local: Option<ItemId>,
}

impl ModuleId {
    /// A file, or an inline module in one.
    pub fn new(db: &dyn Db, file: SourceFile, path: ModulePath) -> Self {
        Self::intern(db, file, path, None)
    }

    /// A module in a block, by its item.
    pub fn in_block(db: &dyn Db, item: ItemId) -> Self {
        Self::intern(db, item.file(db), item.module_path(db), Some(item))
    }
}

/// A place in the normalised text of an item of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// The item; never one in a block.
    pub item: ItemId,
    /// Byte offset of the first byte.
    pub start: u32,
    /// Byte offset after the last byte.
    pub end: u32,
}

/// As an `i128`, which nothing else hands over: a hash of what a kernel does may leave out where it is written.
impl Hash for Span {
    fn hash<H: Hasher>(&self, state: &mut H) {
        let place = u64::from(self.start) << 32 | u64::from(self.end);
        let bits = u128::from(self.item.as_id().as_bits()) << 64 | u128::from(place);
        state.write_i128(bits.cast_signed());
    }
}

impl Span {
    /// A place inside this one, from offsets relative to its start.
    pub fn span_inside(self, range: &std::ops::Range<usize>) -> Span {
        let offset = |value: usize| {
            self.start
                .saturating_add(u32::try_from(value).unwrap_or(u32::MAX))
        };
        Span {
            item: self.item,
            start: offset(range.start),
            end: offset(range.end),
        }
    }

    /// This place inside of `from`, where the same text is at `to`.
    pub const fn moved_span(self, from: Span, to: Span) -> Span {
        Span {
            item: to.item,
            start: to
                .start
                .saturating_add(self.start.saturating_sub(from.start)),
            end: to.start.saturating_add(self.end.saturating_sub(from.start)),
        }
    }

    /// From the start of this place to the end of another in the same item.
    pub fn span_to(self, other: Span) -> Span {
        Span {
            item: self.item,
            start: self.start,
            end: other.end.max(self.start),
        }
    }
}
