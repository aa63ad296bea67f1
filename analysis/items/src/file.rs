//! The items of one file, their normalised text, and the way back to the file's bytes.

use std::ops::Range;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasModuleItem, HasName};
use ra_ap_syntax::{
    GreenNode, NodeOrToken, SourceFile as SourceTree, SyntaxKind, SyntaxNode, TextRange, TextSize,
};
use rustc_hash::FxHashMap;

use super::held::pinned_items;
use super::ids::{ItemId, ItemKind, ModulePath, Span};
use super::macros::{self, DefinitionId, ExpandedItems};

use super::recent::recently_parsed;
use super::scopes::local_item_text;
use crate::db::Db;
use crate::inputs::{Project, SourceFile, file_conditions, parse};
use crate::syntax::{
    Conditional, Copied, ItemSource, ItemTextReader, Normalised, TokenRuns, Unanalysed, Written,
    green_child, modules_around, parse_text, without_raw,
};

/// The items of a file in source order, those of inline modules after their header. Items in blocks are not among them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileItems {
    /// The items.
    pub items: Box<[ItemId]>,
    /// The same by module, in source order.
    modules: FxHashMap<ModulePath, Vec<ItemId>>,
    /// Why the file has none, if it was not analysed.
    pub unanalysed: Option<Unanalysed>,
    /// The number of functions that conditions leave out.
    pub left_out_functions: u64,
    /// The `mod x;` that conditions leave out.
    pub left_out_modules: Box<[LeftOutModule]>,
}

/// A `mod x;` that a condition leaves out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutModule {
    /// The inline modules around it.
    pub module_path: ModulePath,
    /// Its name.
    pub name: Arc<str>,
    /// Its `#[path = "…"]`.
    pub path: Option<Arc<str>>,
}

impl FileItems {
    /// The items of one module of the file, in source order.
    pub fn of_module(&self, path: &ModulePath) -> &[ItemId] {
        self.modules.get(path).map_or(&[], Vec::as_slice)
    }
}

/// The normalised text of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemText {
    /// The tokens, with one space wherever the file has whitespace or comments between two of them.
    pub text: Arc<str>,
    /// The item that spans name: the item itself, or its parent for an item in a block.
    pub owner: ItemId,
    /// Where `text` starts in the owner's text; 0 but for items in blocks.
    pub base: u32,
    /// What the text was made of, where the tree of `text` can be made of it.
    pub(super) source: ItemSource,
}

impl ItemText {
    /// The span of a range of `text`.
    pub fn span(&self, start: u32, end: u32) -> Span {
        Span {
            item: self.owner,
            start: self.base.saturating_add(start),
            end: self.base.saturating_add(end),
        }
    }

    /// The span of a range of the tree of `text`.
    pub fn span_of(&self, range: TextRange) -> Span {
        self.span(range.start().into(), range.end().into())
    }

    /// The span of the whole text.
    pub fn full_span(&self) -> Span {
        self.span(0, u32::try_from(self.text.len()).unwrap_or(u32::MAX))
    }
}

/// For every item of a file, where its tokens are in the file. Changes with every edit: only for reporting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenMap {
    runs: FxHashMap<ItemId, TokenRuns>,
}

impl TokenMap {
    /// The file's byte range of a span; none if the item is no longer in the file.
    pub fn range(&self, span: Span) -> Option<(u32, u32)> {
        let runs = self.runs.get(&span.item)?;
        Some(runs.original_range(span.start, span.end))
    }

    /// Whether a span is written in the file as it is, and no part of it comes from a macro.
    pub fn is_written(&self, span: Span) -> bool {
        let runs = self.runs.get(&span.item);
        runs.is_some_and(|runs| runs.is_written(span.start, span.end))
    }

    /// The definition that writes a span, and the range between its braces; see [`TokenRuns::range_in_definition`].
    pub fn range_in_definition(&self, span: Span) -> Option<(DefinitionId, u32, u32)> {
        let runs = self.runs.get(&span.item)?;
        let (key, start, end) = runs.range_in_definition(span.start, span.end)?;
        Some((DefinitionId::of_key(key), start, end))
    }

    /// The file's byte range of a whole item.
    pub fn item_range(&self, item: ItemId) -> Option<(u32, u32)> {
        self.runs.get(&item).map(TokenRuns::full_range)
    }

    /// The offset in an item's normalised text of a byte of the file; none where that byte is no token of the item.
    pub fn offset_in(&self, item: ItemId, offset: u32) -> Option<u32> {
        self.runs.get(&item)?.normalised_offset(offset)
    }

    /// The item whose token is at a byte of the file, and the offset in its normalised text.
    pub fn item_at(&self, offset: u32) -> Option<(ItemId, u32)> {
        self.runs
            .iter()
            .find_map(|(item, runs)| Some((*item, runs.normalised_offset(offset)?)))
    }
}

/// The normalised text of an item of a module, with what it was made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SourceText {
    pub(super) text: Arc<str>,
    pub(super) source: ItemSource,
}

/// Everything that one walk over a file's tree collects; changes with every edit, so queries project parts of it.
#[derive(Clone, Debug, Default)]
struct Collected {
    items: Vec<ItemId>,
    texts: FxHashMap<ItemId, SourceText>,
    runs: FxHashMap<ItemId, TokenRuns>,
    left_out_functions: u64,
    left_out_modules: Vec<LeftOutModule>,
    /// The bytes of the file that no text was made of, because a condition leaves them out.
    unread: Vec<Range<u32>>,
    /// Those of them that hold functions, with the condition.
    left_out_code: Vec<(Range<u32>, Arc<str>)>,
}

/// The items that a file declares; equal across edits inside items.
#[salsa::tracked(returns(clone))]
pub fn file_items(db: &dyn Db, file: SourceFile) -> Arc<FileItems> {
    match pinned_items(db, file) {
        Some(held) => Arc::clone(&held.items),
        None => Arc::new(file_texts(db, file).0),
    }
}

/// The items of a file as its text has them, with their normalised texts.
pub(super) fn file_texts(
    db: &dyn Db,
    file: SourceFile,
) -> (FileItems, &FxHashMap<ItemId, SourceText>) {
    let Collected {
        items,
        texts,
        left_out_functions,
        left_out_modules,
        ..
    } = collected(db, file);
    let mut modules: FxHashMap<ModulePath, Vec<ItemId>> = FxHashMap::default();
    for item in items {
        modules.entry(item.module_path(db)).or_default().push(*item);
    }
    let items = FileItems {
        items: items.clone().into_boxed_slice(),
        modules,
        unanalysed: parse(db, file).unanalysed(),
        left_out_functions: *left_out_functions,
        left_out_modules: left_out_modules.clone().into_boxed_slice(),
    };
    (items, texts)
}

/// The normalised text of an item; equal across edits of other items, of comments and of whitespace. Empty for an item that
/// is no longer there.
#[salsa::tracked(returns(clone))]
pub fn item_text(db: &dyn Db, item: ItemId) -> Arc<ItemText> {
    if let Some(parent) = item.parent(db) {
        return Arc::new(local_item_text(db, parent, item));
    }
    let file = item.file(db);
    let text = match pinned_items(db, file) {
        Some(held) => held.text(db, item),
        None => collected(db, file).texts.get(&item).cloned(),
    };
    let SourceText { text, source } = text.unwrap_or_default();
    Arc::new(ItemText {
        text,
        owner: item,
        base: 0,
        source,
    })
}

/// Where the tokens of a file's items are.
#[salsa::tracked(returns(clone))]
pub fn token_map(db: &dyn Db, file: SourceFile) -> Arc<TokenMap> {
    Arc::new(TokenMap {
        runs: collected(db, file).runs.clone(),
    })
}

/// The file and the byte range of a span; an empty range at the start of the file if the item is no longer there.
pub fn file_range(db: &dyn Db, span: Span) -> (SourceFile, u32, u32) {
    let file = span.item.file(db);
    let (start, end) = token_map(db, file).range(span).unwrap_or((0, 0));
    (file, start, end)
}

/// The item (of a module) whose token is at a byte of a file, and the offset in its normalised text.
pub fn item_at(db: &dyn Db, file: SourceFile, offset: u32) -> Option<(ItemId, u32)> {
    token_map(db, file).item_at(offset)
}

/// A tree of the normalised text of one item. Trees are not kept in the database, which would hold one for each item of the
/// project: the queries of an item follow each other, and share what [`parse_item`] keeps.
#[derive(Clone, Debug)]
pub struct ParsedItem {
    /// The text that offsets of the tree count in.
    pub text: Arc<ItemText>,
    pub(super) tree: Option<GreenNode>,
}

impl ParsedItem {
    /// The root of the tree; none if the text is nested too deeply or empty.
    pub fn root(&self) -> Option<SourceTree> {
        SourceTree::cast(SyntaxNode::new_root(self.tree.clone()?))
    }

    /// The item's own node.
    pub fn item(&self) -> Option<ast::Item> {
        self.root()?.items().next()
    }

    /// Whether the item's node has a child of a kind.
    pub fn has_child(&self, kind: SyntaxKind) -> bool {
        let nodes = self.tree.iter().flat_map(|tree| tree.children());
        let mut nodes = nodes.filter_map(NodeOrToken::into_node);
        let item = nodes.find(|node| ast::Item::can_cast(SyntaxKind::from(node.kind().0)));
        item.is_some_and(|item| green_child(item, kind).is_some())
    }

    /// The item's node as one kind of item.
    pub fn cast<N: AstNode>(&self) -> Option<N> {
        N::cast(self.item()?.syntax().clone())
    }

    /// The span of a node of the tree.
    pub fn span(&self, node: &SyntaxNode) -> Span {
        self.text.span_of(node.text_range())
    }
}

/// The tree of the normalised text of an item: the one that this thread made a moment ago, else made of the file's tree or, where
/// that is gone or does not settle it, parsed.
pub fn parse_item(db: &dyn Db, item: ItemId) -> ParsedItem {
    // Asked for in every case: a reader of the tree depends on the text.
    recently_parsed(item_text(db, item))
}

/// The text of a function as far as its callers need it: its body is empty. A digit typed into the body changes nothing here.
#[salsa::tracked(returns(clone))]
fn signature_text(db: &dyn Db, function: ItemId) -> Arc<ItemText> {
    // Its file may be typed into: what is as restless from the start stays what it was at the first key.
    if let Some(project) = Project::try_get(db) {
        project.restless(db);
    }
    let parsed = parse_item(db, function);
    let body = parsed.cast::<ast::Fn>().and_then(|node| node.body());
    let end = body.map(|body| usize::from(body.syntax().text_range().start()));
    let head = end.and_then(|end| parsed.text.text.get(..end));
    let Some(head) = head else {
        return parsed.text;
    };
    Arc::new(ItemText {
        text: format!("{head}{{}}").into(),
        owner: parsed.text.owner,
        base: parsed.text.base,
        source: ItemSource::default(),
    })
}

/// The tree of a function with an empty body: what is in front of the body has the places that it has in the function.
pub fn parse_signature(db: &dyn Db, function: ItemId) -> ParsedItem {
    recently_parsed(signature_text(db, function))
}

/// The call of the method whose name is at a place.
pub fn method_call(db: &dyn Db, name: Span) -> Option<ast::MethodCallExpr> {
    let parsed = parse_item(db, name.item);
    let root = parsed.root()?;
    let place = TextSize::from(name.start.checked_sub(parsed.text.base)?);
    if !root.syntax().text_range().contains(place) {
        return None;
    }
    let token = root.syntax().token_at_offset(place).right_biased()?;
    let mut calls = token
        .parent_ancestors()
        .filter_map(ast::MethodCallExpr::cast);
    calls.find(|call| {
        let own = call.name_ref();
        own.is_some_and(|own| parsed.span(own.syntax()) == name)
    })
}

/// The bytes of a file that conditions leave out; changes with every edit.
pub fn unread_bytes(db: &dyn Db, file: SourceFile) -> &[Range<u32>] {
    &collected(db, file).unread
}

/// The bytes of a file with functions that conditions leave out, and the conditions; changes with every edit.
pub fn left_out_code(db: &dyn Db, file: SourceFile) -> &[(Range<u32>, Arc<str>)] {
    &collected(db, file).left_out_code
}

#[salsa::tracked(no_eq)]
fn collected(db: &dyn Db, file: SourceFile) -> Collected {
    let parsed = parse(db, file);
    let mut collector = Collector {
        db,
        file,
        offset: parsed.offset(),
        ordinals: FxHashMap::default(),
        texts: parsed.texts().reader(),
        conditional: Conditional::default(),
        expanded: FxHashMap::default(),
        collected: Collected::default(),
    };
    if let Some(tree) = parsed.tree() {
        collector.conditions(&tree);
        collector.macros(&tree);
        collector.items(tree.items(), &ModulePath::from([]), None);
    }
    collector.collected
}

struct Collector<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    offset: u32,
    texts: ItemTextReader<'a>,
    conditional: Conditional,
    /// What calls of macros among items stand for, by the place of the call.
    expanded: FxHashMap<TextRange, ExpandedItems>,
    ordinals: FxHashMap<(ItemKind, ModulePath, Arc<str>), u32>,
    collected: Collected,
}

impl Collector<'_> {
    /// Finds what conditions leave out.
    fn conditions(&mut self, tree: &SourceTree) {
        let text = self.file.text(self.db);
        let text = text.get(self.offset as usize..).unwrap_or("");
        // Most files have no conditions, and depend on none.
        if !text.contains("cfg") {
            return;
        }
        let known = file_conditions(self.db, self.file);
        let found = Conditional::of(tree, text, &|name, value| known.truth(name, value));
        let shifted = |byte: u32| byte.saturating_add(self.offset);
        let unread = found.unread();
        self.collected.unread = unread
            .map(|range| shifted(range.start)..shifted(range.end))
            .collect();
        self.collected.left_out_functions = found.functions();
        let code = found.code();
        self.collected.left_out_code = code
            .map(|(range, condition)| (shifted(range.start)..shifted(range.end), condition.into()))
            .collect();
        let modules = found.modules().into_iter().map(|module| LeftOutModule {
            module_path: modules_around(module.syntax())
                .iter()
                .map(|name| plain_name(name))
                .collect(),
            name: module
                .name()
                .map_or_else(|| Arc::from(""), |name| plain_name(name.text())),
            path: path_attribute(&module),
        });
        self.collected.left_out_modules = modules.collect();
        self.conditional = found;
    }

    /// Finds the calls of the project's macros, and what they stand for.
    fn macros(&mut self, tree: &SourceTree) {
        let text = self.file.text(self.db);
        let text = text.get(self.offset as usize..).unwrap_or("");
        let calls = macros::expanded_calls(self.db, self.file, tree, text);
        self.expanded = calls.items.into_iter().collect();
        self.conditional.with_calls(calls.inside);
    }

    /// The items that a macro call stands for: what its arguments say is there, all else where the call is.
    fn expanded_items(&mut self, items: &ExpandedItems, module: &ModulePath) {
        let Some(tree) = parse_text(&items.text).ok().map(|parse| parse.tree()) else {
            return;
        };
        let name = items.origin.name;
        let shifted = |byte: u32| byte.saturating_add(self.offset);
        let copied = items.origin.copied.iter().map(|part| Copied {
            from: shifted(part.from),
            ..*part
        });
        let call = CallOfItems {
            written: items.origin.written.clone(),
            name: (shifted(name.start().into()), shifted(name.end().into())),
            copied: copied.collect(),
        };
        let known = file_conditions(self.db, self.file);
        let conditional =
            Conditional::of(&tree, &items.text, &|name, value| known.truth(name, value));
        let around = std::mem::replace(&mut self.conditional, conditional);
        // Places of what is read now count in what the call stands for.
        let offset = std::mem::take(&mut self.offset);
        self.items(tree.items(), module, Some(&call));
        self.offset = offset;
        self.conditional = around;
    }

    /// Nesting of inline modules is bounded by the limit on brackets that the file passed. `call` is the macro call that stands for
    /// the items, if one does.
    fn items(
        &mut self,
        items: impl Iterator<Item = ast::Item>,
        module: &ModulePath,
        call: Option<&CallOfItems>,
    ) {
        for item in items {
            if self.conditional.leaves_out(item.syntax()) {
                continue;
            }
            if call.is_none()
                && let Some(items) = self.expanded.remove(&item.syntax().text_range())
            {
                self.expanded_items(&items, module);
                continue;
            }
            let (kind, name) = classify(&item);
            let body = match &item {
                ast::Item::Module(module) => module.item_list(),
                _ => None,
            };
            let mut normalised = self.normalised(item.syntax(), body.as_ref());
            if let Some(call) = call {
                let (runs, text) = (&normalised.runs, &normalised.text);
                normalised.runs = runs.of_call(text, call.name, &call.copied, &call.written);
            }
            self.item(normalised, kind, &name, module);
            if let Some(body) = body {
                let inside: ModulePath = module.iter().cloned().chain([name]).collect();
                self.items(body.items(), &inside, call);
            }
        }
    }

    fn normalised(&mut self, node: &SyntaxNode, body: Option<&ast::ItemList>) -> Normalised {
        let left_out = self.conditional.left_out_in(node.text_range());
        match body {
            None if left_out.is_empty() => self.texts.normalise(node, self.offset),
            None => {
                let end = node.text_range().end();
                self.texts
                    .normalise_until(node, end, left_out, "", self.offset)
            }
            // The header alone; braces keep it an item of its own.
            Some(body) => {
                let end = body.syntax().text_range().start();
                self.texts
                    .normalise_until(node, end, left_out, " {}", self.offset)
            }
        }
    }

    fn item(
        &mut self,
        normalised: Normalised,
        kind: ItemKind,
        name: &Arc<str>,
        module: &ModulePath,
    ) {
        let key = (kind, Arc::clone(module), Arc::clone(name));
        let next = self.ordinals.entry(key).or_insert(0);
        let ordinal = *next;
        *next += 1;
        let id = ItemId::new(
            self.db,
            self.file,
            kind,
            Arc::clone(module),
            Arc::clone(name),
            ordinal,
            None,
        );
        self.collected.items.push(id);
        let text = SourceText {
            text: normalised.text,
            source: normalised.source,
        };
        self.collected.texts.insert(id, text);
        self.collected.runs.insert(id, normalised.runs);
    }
}

/// A macro call that stands for items. Places count in the file.
struct CallOfItems {
    /// The macro's name and its sign.
    name: (u32, u32),
    /// What its arguments say.
    copied: Vec<Copied>,
    /// Where definitions have it; places between their braces.
    written: Vec<Written>,
}

/// What an item is and what it is called.
pub(super) fn classify(item: &ast::Item) -> (ItemKind, Arc<str>) {
    let name = |name: Option<ast::Name>| -> Arc<str> {
        name.map_or_else(|| Arc::from(""), |name| plain_name(name.text()))
    };
    match item {
        ast::Item::Fn(item) => (ItemKind::Function, name(item.name())),
        ast::Item::TypeAlias(item) => (ItemKind::Alias, name(item.name())),
        ast::Item::Const(item) => (ItemKind::Constant, name(item.name())),
        ast::Item::Static(item) => (ItemKind::Static, name(item.name())),
        ast::Item::Module(item) if item.item_list().is_some() => {
            (ItemKind::InlineModule, name(item.name()))
        }
        ast::Item::Module(item) => (ItemKind::ModuleDeclaration, name(item.name())),
        ast::Item::Struct(item) => (ItemKind::Type, name(item.name())),
        ast::Item::Enum(item) => (ItemKind::Type, name(item.name())),
        ast::Item::Union(item) => (ItemKind::Type, name(item.name())),
        ast::Item::Trait(item) => (ItemKind::Type, name(item.name())),
        ast::Item::MacroRules(item) => (ItemKind::MacroDefinition, name(item.name())),
        ast::Item::MacroDef(item) => (ItemKind::MacroDefinition, name(item.name())),
        ast::Item::MacroCall(call) if macro_name(call).as_deref() == Some("axes") => {
            (ItemKind::Axes, Arc::from(""))
        }
        ast::Item::Use(_) | ast::Item::ExternCrate(_) => (ItemKind::Use, Arc::from("")),
        ast::Item::Impl(_) => (ItemKind::Implementation, Arc::from("")),
        ast::Item::MacroCall(_) | ast::Item::AsmExpr(_) | ast::Item::ExternBlock(_) => {
            (ItemKind::Other, Arc::from(""))
        }
    }
}

/// The value of `#[path = "…"]` on a `mod`.
pub(super) fn path_attribute(module: &ast::Module) -> Option<Arc<str>> {
    module.attrs().find_map(|attribute| {
        let Some(ast::Meta::KeyValueMeta(meta)) = attribute.meta() else {
            return None;
        };
        if meta.path()?.as_single_name_ref()?.text() != "path" {
            return None;
        }
        let Some(ast::Expr::Literal(literal)) = meta.expr() else {
            return None;
        };
        let ast::LiteralKind::String(value) = literal.kind() else {
            return None;
        };
        let value = value.value().ok()?.replace('\\', "/");
        Some(Arc::from(value))
    })
}

/// The last segment of a macro call's path.
pub(super) fn macro_name(call: &ast::MacroCall) -> Option<String> {
    let name = call.path()?.segment()?.name_ref()?;
    Some(plain_name(name.text()).to_string())
}

/// A name without the `r#` of a raw identifier.
pub(super) fn plain_name(text: &str) -> Arc<str> {
    Arc::from(without_raw(text))
}
