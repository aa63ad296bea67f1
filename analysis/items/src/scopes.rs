//! Scopes in the text of one item: blocks with the items declared in them, and generic parameters.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use rustc_hash::FxHashMap;

use super::associated::self_path;
use super::declarations::{Declarations, Declared, generic_names};
use super::file::file_items;
use super::file::{ItemText, classify, item_text, macro_name, parse_item};
use super::ids::{ItemId, ItemKind, ModuleId, Span};
use super::modules::is_left_out;
use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::syntax::{ItemSource, VisitedNode, nodes_of};

/// The blocks of an item of a module, from its normalised text. Offsets count in that text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockScopes {
    /// The item.
    pub item: ItemId,
    /// Blocks that declare something and modules in blocks, each before those inside of it.
    blocks: Vec<Block>,
    /// The items in blocks, methods and other associated functions among them, in the order of the text.
    pub locals: Vec<LocalItem>,
    /// Places in `locals`.
    places: FxHashMap<ItemId, usize>,
}

/// A stretch of text in which some names are declared.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Block {
    start: u32,
    end: u32,
    parent: Option<u32>,
    /// For a module in a block: its item. What is around it is not in sight of what is in it.
    module: Option<ItemId>,
    declarations: Declarations,
}

/// An item in a block, or an associated function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalItem {
    /// The item.
    pub id: ItemId,
    /// Where it starts in the text of the item around it.
    pub start: u32,
    /// Where it ends.
    pub end: u32,
}

impl LocalItem {
    /// The bytes of its text.
    pub(super) fn bytes(&self) -> usize {
        self.end.saturating_sub(self.start) as usize
    }
}

impl BlockScopes {
    /// The innermost block with declarations, or module in a block, around an offset.
    fn block_around(&self, offset: u32) -> Option<u32> {
        let after = self.blocks.partition_point(|block| block.start <= offset);
        let mut current = after
            .checked_sub(1)
            .and_then(|index| u32::try_from(index).ok());
        while let Some(index) = current {
            let block = self.blocks.get(index as usize)?;
            if offset < block.end {
                return Some(index);
            }
            current = block.parent;
        }
        None
    }

    /// The next block with declarations around a block, up to the module that it is in.
    pub(super) fn parent(&self, block: u32) -> Option<u32> {
        let parent = self.blocks.get(block as usize)?.parent?;
        self.module(parent).is_none().then_some(parent)
    }

    /// The item of a block that is a module.
    fn module(&self, block: u32) -> Option<ItemId> {
        self.blocks.get(block as usize)?.module
    }

    /// The innermost module in a block around a block, or the block itself if it is one.
    fn module_around(&self, block: u32) -> Option<ItemId> {
        let parent = |block: &u32| self.blocks.get(*block as usize)?.parent;
        std::iter::successors(Some(block), parent).find_map(|block| self.module(block))
    }

    /// What a block declares.
    pub(super) fn declarations(&self, block: u32) -> Option<&Declarations> {
        self.blocks
            .get(block as usize)
            .map(|block| &block.declarations)
    }

    /// The items in blocks that start at some offsets.
    pub(super) fn starting_at(&self, starts: &[u32]) -> Vec<ItemId> {
        let locals = self.locals.iter();
        locals
            .filter(|local| starts.contains(&local.start))
            .map(|local| local.id)
            .collect()
    }

    /// The place of an item in a block.
    pub fn local_item(&self, item: ItemId) -> Option<LocalItem> {
        self.locals.get(*self.places.get(&item)?).copied()
    }
}

/// Where a name is looked up: the blocks around a place, then the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScopeRef {
    /// The module.
    pub module: ModuleId,
    /// The innermost block with declarations around the place, if any.
    pub block: Option<(Arc<BlockScopes>, u32)>,
}

/// Tells scopes of one revision apart: the module, and the item with the number of the innermost block.
pub type ScopeKey = (ModuleId, Option<(ItemId, u32)>);

impl ScopeRef {
    /// The scope of a module.
    pub fn module(module: ModuleId) -> Self {
        Self {
            module,
            block: None,
        }
    }

    /// The module and the block, which tell scopes of one revision apart.
    pub fn key(&self) -> ScopeKey {
        let block = self
            .block
            .as_ref()
            .map(|(scopes, block)| (scopes.item, *block));
        (self.module, block)
    }
}

impl std::hash::Hash for ScopeRef {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        // The blocks themselves would take time in the length of the item.
        self.key().hash(state);
    }
}

/// The blocks of an item of a module.
#[salsa::tracked(returns(clone))]
pub fn block_scopes(db: &dyn Db, item: ItemId) -> Arc<BlockScopes> {
    // Who names the item in another file asks for them too: at the first key in it they stay what they were.
    if let Some(project) = Project::try_get(db) {
        project.restless(db);
    }
    let parsed = parse_item(db, item);
    let mut builder = Builder {
        db,
        text: &parsed.text,
        ordinals: FxHashMap::default(),
        open: Vec::new(),
        modules: FxHashMap::default(),
        scopes: BlockScopes {
            item,
            blocks: Vec::new(),
            locals: Vec::new(),
            places: FxHashMap::default(),
        },
    };
    if item.kind(db) != ItemKind::MacroDefinition
        && let Some(root) = parsed.root()
    {
        builder.walk_blocks(root.syntax());
    }
    let mut scopes = builder.scopes;
    scopes.locals.sort_by_key(|local| local.start);
    let places = scopes.locals.iter().enumerate();
    scopes.places = places.map(|(index, local)| (local.id, index)).collect();
    Arc::new(scopes)
}

/// The scopes of one item, for who asks about many of its places.
#[derive(Clone, Debug)]
pub(super) struct ItemScopes {
    module: ModuleId,
    scopes: Arc<BlockScopes>,
    /// Where the item starts in the text of the item around it.
    base: u32,
}

impl ItemScopes {
    /// The scopes of an item, also of one in a block.
    pub(super) fn of(db: &dyn Db, item: ItemId) -> Self {
        let owner = item.owner(db);
        let base = if owner == item {
            0
        } else {
            item_text(db, item).base
        };
        Self {
            module: owner.module(db),
            scopes: block_scopes(db, owner),
            base,
        }
    }

    /// The scope of a place. `offset` counts in the text of the item ([`super::item_text`]).
    pub(super) fn scope_at_offset(&self, db: &dyn Db, offset: u32) -> ScopeRef {
        let around = self.block_at(offset);
        let module = around.and_then(|block| self.scopes.module_around(block));
        let block = around.filter(|block| self.scopes.module(*block).is_none());
        ScopeRef {
            module: module.map_or(self.module, |item| ModuleId::in_block(db, item)),
            block: block.map(|block| (Arc::clone(&self.scopes), block)),
        }
    }

    /// The innermost block with declarations, or module in a block, around a place: two places with the same one see the same
    /// names.
    pub(super) fn block_at(&self, offset: u32) -> Option<u32> {
        self.scopes.block_around(self.base.saturating_add(offset))
    }
}

/// The scope of a place in an item. `offset` counts in the text of that item ([`super::item_text`]), also for an item in a
/// block.
pub fn scope_at(db: &dyn Db, item: ItemId, offset: u32) -> ScopeRef {
    ItemScopes::of(db, item).scope_at_offset(db, offset)
}

/// What a module in a block declares, by its item.
pub(super) fn local_module_scope(db: &dyn Db, module: ItemId) -> Declarations {
    let scopes = block_scopes(db, module.owner(db));
    let mut blocks = scopes.blocks.iter();
    let block = blocks.find(|block| block.module == Some(module));
    block.map_or_else(Declarations::default, |block| block.declarations.clone())
}

/// The module around a module in a block: what `super` means in it. Blocks are none.
pub(super) fn module_around_local(db: &dyn Db, module: ItemId) -> ModuleId {
    let scopes = block_scopes(db, module.owner(db));
    let mut blocks = scopes.blocks.iter();
    let around = blocks
        .find(|block| block.module == Some(module))
        .and_then(|block| scopes.module_around(block.parent?));
    around.map_or_else(|| module.module(db), |outer| ModuleId::in_block(db, outer))
}

/// The functions in the blocks of an item of a module, methods and other associated functions included, in the order of the
/// text; equal across edits that make none and remove none.
#[salsa::tracked(returns(clone))]
fn functions_in_blocks(db: &dyn Db, item: ItemId) -> Arc<[ItemId]> {
    let scopes = block_scopes(db, item);
    let locals = scopes.locals.iter().map(|local| local.id);
    locals
        .filter(|local| local.kind(db) == ItemKind::Function)
        .collect()
}

/// The functions in an item of a module: itself, then those in its blocks.
pub fn functions_of(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    let kind = item.kind(db);
    let mut functions = Vec::new();
    if kind == ItemKind::Function {
        functions.push(item);
    }
    let has_blocks = match kind {
        ItemKind::Function
        | ItemKind::Constant
        | ItemKind::Static
        | ItemKind::Type
        | ItemKind::Implementation
        | ItemKind::Alias => true,
        ItemKind::Axes
        | ItemKind::Use
        | ItemKind::InlineModule
        | ItemKind::ModuleDeclaration
        | ItemKind::MacroDefinition
        | ItemKind::Other => false,
    };
    if has_blocks {
        functions.extend(functions_in_blocks(db, item).iter());
    }
    functions
}

/// The functions of a file, wherever they are in it: those of its modules in the order of the file, each followed by those
/// in its blocks. None of a file that a condition leaves out.
pub fn file_functions(db: &dyn Db, file: SourceFile) -> Vec<ItemId> {
    if is_left_out(db, file) {
        return Vec::new();
    }
    all_functions(db, file)
}

/// As [`file_functions`], also of a file that a condition leaves out.
pub fn all_functions(db: &dyn Db, file: SourceFile) -> Vec<ItemId> {
    let items = file_items(db, file);
    let items = items.items.iter();
    items.flat_map(|item| functions_of(db, *item)).collect()
}

/// Whether a function is the innermost one around a place, its own signature included.
pub fn is_inside(db: &dyn Db, place: Span, function: ItemId) -> bool {
    place.item == function.owner(db)
        && functions_around(db, place.item, place.start).first() == Some(&function)
}

/// The functions around an offset of the text of an item of a module, the innermost first.
pub fn functions_around(db: &dyn Db, item: ItemId, offset: u32) -> Vec<ItemId> {
    let scopes = block_scopes(db, item);
    let around = scopes.locals.iter().rev().filter(|local| {
        local.start <= offset && offset < local.end && local.id.kind(db) == ItemKind::Function
    });
    let own = Some(item).filter(|item| item.kind(db) == ItemKind::Function);
    around.map(|local| local.id).chain(own).collect()
}

/// The text of an item in a block.
pub(super) fn local_item_text(db: &dyn Db, owner: ItemId, item: ItemId) -> ItemText {
    let scopes = block_scopes(db, owner);
    let text = scopes.local_item(item).and_then(|local| {
        let text = item_text(db, owner);
        let text = text.text.get(local.start as usize..local.end as usize)?;
        Some((Arc::from(text), local.start))
    });
    let (text, base) = text.unwrap_or_else(|| (Arc::from(""), 0));
    ItemText {
        text,
        owner,
        base,
        source: ItemSource::default(),
    }
}

/// Whether nodes of a kind are read by [`Builder::declarations`].
fn may_declare(kind: SyntaxKind) -> bool {
    ast::StmtList::can_cast(kind)
        || ast::ItemList::can_cast(kind)
        || ast::AssocItemList::can_cast(kind)
        || ast::AnyHasGenericParams::can_cast(kind)
}

struct Builder<'a> {
    db: &'a dyn Db,
    text: &'a ItemText,
    ordinals: FxHashMap<(ItemKind, Arc<str>), u32>,
    /// The open blocks: index and end.
    open: Vec<(u32, u32)>,
    /// The modules in blocks that are still ahead, by the start of their lists of items.
    modules: FxHashMap<u32, ItemId>,
    scopes: BlockScopes,
}

impl Builder<'_> {
    fn walk_blocks(&mut self, root: &SyntaxNode) {
        // Of tokens nothing is known to be a block. What declares something inside of a statement is in braces, which most
        // statements of a kernel do not have.
        let text = &self.text.text;
        let is_flat = |met: VisitedNode<'_>| {
            let is_statement = matches!(met.kind, SyntaxKind::LET_STMT | SyntaxKind::EXPR_STMT);
            is_statement && memchr::memchr(b'{', met.text(text).as_bytes()).is_none()
        };
        let places = nodes_of(
            root,
            |met| may_declare(met.kind),
            |met| met.kind != SyntaxKind::TOKEN_TREE && !is_flat(met),
        );
        for node in places {
            let start = u32::from(node.text_range().start());
            while self.open.last().is_some_and(|(_, end)| *end <= start) {
                self.open.pop();
            }
            let declarations = self.declarations(&node);
            let module = self.modules.remove(&start);
            if declarations.is_empty() && module.is_none() {
                continue;
            }
            let index = u32::try_from(self.scopes.blocks.len()).unwrap_or(u32::MAX);
            let end = u32::from(node.text_range().end());
            self.scopes.blocks.push(Block {
                start,
                end,
                parent: self.open.last().map(|(index, _)| *index),
                module,
                declarations,
            });
            self.open.push((index, end));
        }
    }

    fn declarations(&mut self, node: &SyntaxNode) -> Declarations {
        let mut declarations = Declarations::default();
        if let Some(list) = ast::StmtList::cast(node.clone()) {
            self.statements(&list, &mut declarations);
        } else if let Some(list) = ast::ItemList::cast(node.clone()) {
            // A module in a block.
            for item in ast::HasModuleItem::items(&list) {
                self.item(&item, &mut declarations);
            }
        } else if let Some(list) = ast::AssocItemList::cast(node.clone()) {
            // What is associated has no name in the block: paths through the type name it.
            for item in list.assoc_items() {
                let item = match item {
                    ast::AssocItem::Fn(function) => ast::Item::Fn(function),
                    ast::AssocItem::Const(constant) => ast::Item::Const(constant),
                    ast::AssocItem::TypeAlias(alias) if alias.ty().is_some() => {
                        ast::Item::TypeAlias(alias)
                    }
                    ast::AssocItem::MacroCall(_) | ast::AssocItem::TypeAlias(_) => continue,
                };
                let (kind, name) = classify(&item);
                self.local_item_id(kind, &name, item.syntax());
            }
        } else if let Some(item) = ast::AnyHasGenericParams::cast(node.clone()) {
            for (name, constant) in generic_names(&item) {
                declarations.add(&name, Declared::Parameter { constant });
            }
            if let Some(path) = ast::Impl::cast(node.clone()).as_ref().and_then(self_path) {
                declarations.add("Self", Declared::Import(path.into()));
            }
        }
        declarations
    }

    fn statements(&mut self, list: &ast::StmtList, declarations: &mut Declarations) {
        for statement in list.statements() {
            match statement {
                ast::Stmt::Item(item) => self.item(&item, declarations),
                ast::Stmt::ExprStmt(statement) => {
                    if let Some(expression) = statement.expr() {
                        self.expression(&expression, declarations);
                    }
                }
                ast::Stmt::LetStmt(_) => {}
            }
        }
        if let Some(expression) = list.tail_expr() {
            self.expression(&expression, declarations);
        }
    }

    fn item(&mut self, item: &ast::Item, declarations: &mut Declarations) {
        let (kind, name) = classify(item);
        let id = self.local_item_id(kind, &name, item.syntax());
        if let ast::Item::Module(module) = item
            && let Some(list) = module.item_list()
        {
            let start = list.syntax().text_range().start();
            self.modules.insert(start.into(), id);
        }
        declarations.add_local(self.db, item, id, self.text);
    }

    /// A call of `axes!` in a block reads as an expression.
    fn expression(&mut self, expression: &ast::Expr, declarations: &mut Declarations) {
        if let ast::Expr::MacroExpr(expression) = expression
            && let Some(call) = expression.macro_call()
        {
            match macro_name(&call).as_deref() {
                Some("axes") => {
                    self.local_item_id(ItemKind::Axes, &Arc::from(""), call.syntax());
                    declarations.add_axes(&call, self.text);
                }
                Some(name) => declarations.add_macro(name),
                None => {}
            }
        }
    }

    fn local_item_id(&mut self, kind: ItemKind, name: &Arc<str>, node: &SyntaxNode) -> ItemId {
        let item = self.scopes.item;
        let next = self.ordinals.entry((kind, Arc::clone(name))).or_insert(0);
        let ordinal = *next;
        *next += 1;
        let path = item.module_path(self.db);
        let file = item.file(self.db);
        let id = ItemId::new(
            self.db,
            file,
            kind,
            path,
            Arc::clone(name),
            ordinal,
            Some(item),
        );
        self.scopes.locals.push(LocalItem {
            id,
            start: node.text_range().start().into(),
            end: node.text_range().end().into(),
        });
        id
    }
}
