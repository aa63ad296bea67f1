//! What a module or a block declares: names, imports, globs.

use std::collections::BTreeMap;
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxNode};
use rowan::GreenNodeData;

use super::file::{classify, macro_name, parse_item, plain_name};
use super::ids::{ItemId, ItemKind, ModuleId, ModulePath};
use super::modules::{ModuleTarget, including_module, module_target};
use super::resolve::{AxisDefinition, Namespace};
use crate::db::Db;
use crate::mapping::parse_axes;

use crate::file::{ItemText, file_items};
use crate::scopes::local_module_scope;

/// A path as an import writes it; the first segment is empty for a path that starts with `::`.
pub(super) type ImportPath = Arc<[Arc<str>]>;

/// One declaration of a name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Declared {
    Axis(AxisDefinition),
    Item(ItemId, ItemKind),
    Module(ModuleId),
    /// `mod x;` without a file.
    MissingModule,
    Import(ImportPath),
    /// A generic parameter.
    Parameter {
        /// Whether it is a constant: a value, which hides no type of the same name.
        constant: bool,
    },
}

impl Declared {
    /// Whether the declaration can be in a namespace. Imports can in both; what they import decides.
    pub(super) fn in_namespace(&self, namespace: Namespace) -> bool {
        match self {
            Self::Axis(_) | Self::Import(_) | Self::Parameter { constant: false } => true,
            Self::Parameter { constant: true } => namespace == Namespace::Value,
            Self::Module(_) | Self::MissingModule => namespace == Namespace::Type,
            Self::Item(_, kind) => match kind {
                ItemKind::Alias => namespace == Namespace::Type,
                // Tuple and unit structs are values as well; no kernel calls them, so only types matter.
                ItemKind::Type => true,
                _ => namespace == Namespace::Value,
            },
        }
    }
}

/// The names of one scope.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Declarations {
    names: BTreeMap<Arc<str>, Vec<Declared>>,
    globs: Vec<ImportPath>,
    /// A macro of the project may declare more here.
    open: bool,
}

/// What the module that includes a text is called in it.
const INCLUDING: &str = "include!";

/// Macros of the library and of Rust that declare no names where they are called. None of them is one of the project's.
pub(super) const QUIET_MACROS: &[&str] = &[
    "assert",
    "assert_eq",
    "assert_ne",
    "cfg",
    "column",
    "compile_error",
    "concat",
    "dbg",
    "debug_assert",
    "debug_assert_eq",
    "debug_assert_ne",
    "env",
    "eprint",
    "eprintln",
    "file",
    "format",
    "i",
    "include_bytes",
    "include_str",
    "line",
    "m",
    "matches",
    "module_path",
    "panic",
    "print",
    "println",
    "stringify",
    "thread_local",
    "todo",
    "unimplemented",
    "unreachable",
    "vec",
    "write",
    "writeln",
];

impl Declarations {
    /// The declarations of a name, in source order.
    pub(super) fn declared_as(&self, name: &str) -> &[Declared] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// The paths of the glob imports, in source order.
    pub(super) fn globs(&self) -> &[ImportPath] {
        &self.globs
    }

    /// All names.
    pub(super) fn names(&self) -> impl Iterator<Item = (&Arc<str>, &[Declared])> {
        self.names
            .iter()
            .map(|(name, declared)| (name, declared.as_slice()))
    }

    /// Whether nothing is declared.
    pub(super) fn is_empty(&self) -> bool {
        self.names.is_empty() && self.globs.is_empty() && !self.open
    }

    /// Whether a name can come from here.
    pub(super) fn may_declare(&self, name: &str) -> bool {
        self.open || !self.globs.is_empty() || !self.declared_as(name).is_empty()
    }

    /// Whether a macro may declare names that we do not see.
    pub(super) fn is_open(&self) -> bool {
        self.open
    }

    /// A macro is called where items may be: one that we do not know may declare anything.
    pub(super) fn add_macro(&mut self, name: &str) {
        self.open |= !QUIET_MACROS.contains(&name);
    }

    pub(super) fn add(&mut self, name: &str, declared: Declared) {
        if !name.is_empty() && name != "_" {
            self.names
                .entry(Arc::from(name))
                .or_default()
                .push(declared);
        }
    }

    /// Adds the axes of a call of `axes!`; `text` is the item whose text the call is in.
    pub(super) fn add_axes(&mut self, call: &ast::MacroCall, text: &ItemText) {
        let Some(arguments) = MacroArguments::of(call) else {
            return;
        };
        let (axes, _) = parse_axes(&arguments.text);
        for axis in axes {
            let definition = AxisDefinition {
                name: Arc::from(axis.name.as_str()),
                size: axis.size.filter(|size| *size > 0),
                span: arguments.span(text, &axis.name_span),
            };
            self.add(&axis.name, Declared::Axis(definition));
        }
    }

    /// Adds all that a module declares, under a name that no program can write: `include!` makes one module of two texts.
    fn add_shared(&mut self, name: &str, module: ModuleId) {
        self.add(name, Declared::Module(module));
        self.globs.push(Arc::from([Arc::from(name)]));
    }

    /// Adds what a `use` imports.
    pub(super) fn add_use(&mut self, item: &ast::Use) {
        if let Some(tree) = item.use_tree() {
            self.add_use_tree(&tree, &[]);
        }
    }

    /// Adds `extern crate a as b;`.
    pub(super) fn add_extern_crate(&mut self, item: &ast::ExternCrate) {
        let Some(name) = item.name_ref() else {
            return;
        };
        let name = plain_name(name.text());
        let alias = item.rename().and_then(|rename| rename.name());
        let alias = alias.map_or_else(|| Arc::clone(&name), |alias| plain_name(alias.text()));
        self.add(&alias, Declared::Import(Arc::from([Arc::from(""), name])));
    }

    /// Nesting of groups is bounded by the limit on brackets that the text passed.
    fn add_use_tree(&mut self, tree: &ast::UseTree, prefix: &[Arc<str>]) {
        let mut path = prefix.to_vec();
        if prefix.is_empty()
            && tree
                .syntax()
                .first_token()
                .is_some_and(|token| token.text() == "::")
        {
            path.push(Arc::from(""));
        }
        if let Some(written) = tree.path() {
            path.extend(path_segments(&written));
        }
        if let Some(list) = tree.use_tree_list() {
            for inner in list.use_trees() {
                self.add_use_tree(&inner, &path);
            }
        } else if tree.star_token().is_some() {
            self.globs.push(path.into());
        } else {
            // `use a::{self}` imports `a`.
            if path.len() > 1 && path.last().is_some_and(|last| &**last == "self") {
                path.pop();
            }
            let renamed = tree.rename().map(|rename| rename.name());
            let name = match renamed {
                Some(Some(name)) => plain_name(name.text()),
                Some(None) => return,
                None => path.last().cloned().unwrap_or_else(|| Arc::from("")),
            };
            self.add(&name, Declared::Import(path.into()));
        }
    }

    /// Adds an item of a block, which has an identity with the item around it as its parent.
    pub(super) fn add_local(&mut self, db: &dyn Db, item: &ast::Item, id: ItemId, text: &ItemText) {
        match item {
            ast::Item::Use(item) => self.add_use(item),
            ast::Item::ExternCrate(item) => self.add_extern_crate(item),
            ast::Item::MacroCall(call) if macro_name(call).as_deref() == Some("axes") => {
                self.add_axes(call, text);
            }
            ast::Item::MacroCall(call) => self.add_macro(macro_name(call).as_deref().unwrap_or("")),
            _ => {
                let (kind, name) = classify(item);
                match kind {
                    ItemKind::InlineModule => {
                        let module = ModuleId::in_block(db, id);
                        self.add(&name, Declared::Module(module));
                    }
                    ItemKind::ModuleDeclaration => self.add(&name, Declared::MissingModule),
                    ItemKind::MacroDefinition => {}
                    _ => self.add(&name, Declared::Item(id, kind)),
                }
            }
        }
    }
}

/// The segments of a path without generic arguments; `crate`, `self`, `super` as written.
pub(super) fn path_segments(path: &ast::Path) -> Vec<Arc<str>> {
    let mut segments: Vec<Arc<str>> = Vec::new();
    let mut current = Some(path.clone());
    while let Some(path) = current {
        if let Some(name) = path.segment().and_then(|segment| segment.name_ref()) {
            segments.push(plain_name(name.text()));
        }
        current = path.qualifier();
    }
    segments.reverse();
    segments
}

/// The tokens between the delimiters of a macro call, in the text that the call was parsed from.
pub(super) struct MacroArguments {
    pub(super) text: String,
    start: u32,
}

impl MacroArguments {
    pub(super) fn of(call: &ast::MacroCall) -> Option<Self> {
        Self::of_tree(call.token_tree()?.syntax())
    }

    /// What a tree of tokens holds between its delimiters; the closing one may be missing.
    pub(super) fn of_tree(tree: &SyntaxNode) -> Option<Self> {
        let text = text_of(tree.green());
        let start = tree.text_range().start().into();
        let filled = tree.green().children().count() > 1;
        let written = WrittenArguments::of(&text, start, filled)?;
        Some(Self {
            text: written.text.to_owned(),
            start: written.start,
        })
    }

    /// The same, borrowed.
    pub(super) fn written(&self) -> WrittenArguments<'_> {
        WrittenArguments {
            text: &self.text,
            start: self.start,
        }
    }

    /// The span of a range of the arguments.
    pub(super) fn span(&self, text: &ItemText, range: &std::ops::Range<usize>) -> super::ids::Span {
        self.full_span(text).span_inside(range)
    }

    /// The span of the arguments, from the span whose start the offsets of the call's tree count from.
    pub(super) fn shifted_span(&self, from: super::ids::Span) -> super::ids::Span {
        let start = from.start.wrapping_add(self.start);
        super::ids::Span {
            item: from.item,
            start,
            end: start.saturating_add(u32::try_from(self.text.len()).unwrap_or(u32::MAX)),
        }
    }

    /// The span of the arguments, without the delimiters.
    pub(super) fn full_span(&self, text: &ItemText) -> super::ids::Span {
        self.written().full_span(text)
    }
}

/// The arguments of a macro call where the text of the call is at hand.
#[derive(Clone, Copy, Debug)]
pub(super) struct WrittenArguments<'a> {
    pub(super) text: &'a str,
    start: u32,
}

impl<'a> WrittenArguments<'a> {
    /// What the text of a tree of tokens holds between its delimiters. `start` is where the tree is, `filled` whether it has more
    /// than one token or tree in it: the closing delimiter may be missing.
    pub(super) fn of(tree: &'a str, start: u32, filled: bool) -> Option<Self> {
        let inner = tree.strip_prefix(['(', '[', '{'])?;
        let closing = inner.strip_suffix([')', ']', '}']).filter(|_| filled);
        Some(Self {
            text: closing.unwrap_or(inner),
            start: start.saturating_add(1),
        })
    }

    /// The span of the arguments, without the delimiters.
    pub(super) fn full_span(&self, text: &ItemText) -> super::ids::Span {
        let length = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        text.span(self.start, self.start.saturating_add(length))
    }
}

/// The text of a tree. Files have tens of thousands of small ones, for which a formatter takes most of the time.
fn text_of(tree: &GreenNodeData) -> String {
    let mut text = String::with_capacity(tree.text_len().into());
    let mut open = vec![tree.children()];
    while let Some(children) = open.last_mut() {
        match children.next() {
            Some(NodeOrToken::Token(token)) => text.push_str(token.text()),
            Some(NodeOrToken::Node(node)) => open.push(node.children()),
            None => {
                open.pop();
            }
        }
    }
    text
}

/// What a module declares.
#[salsa::tracked(returns(clone))]
pub fn module_scope(db: &dyn Db, module: ModuleId) -> Arc<Declarations> {
    if let Some(item) = module.local(db) {
        return Arc::new(local_module_scope(db, item));
    }
    let mut declarations = Declarations::default();
    let path = module.path(db);
    if path.is_empty()
        && let Some(around) = including_module(db, module.file(db))
    {
        declarations.add_shared(INCLUDING, around);
    }
    let items = file_items(db, module.file(db));
    for item in items.of_module(&path) {
        let item = *item;
        let kind = item.kind(db);
        match kind {
            ItemKind::Axes => {
                let parsed = parse_item(db, item);
                if let Some(call) = parsed.cast::<ast::MacroCall>() {
                    declarations.add_axes(&call, &parsed.text);
                }
            }
            ItemKind::Use => match parse_item(db, item).item() {
                Some(ast::Item::Use(item)) => declarations.add_use(&item),
                Some(ast::Item::ExternCrate(item)) => declarations.add_extern_crate(&item),
                _ => {}
            },
            ItemKind::InlineModule => {
                let name = item.name(db);
                let inside: ModulePath = path.iter().cloned().chain([Arc::clone(&name)]).collect();
                let inside = ModuleId::new(db, module.file(db), inside);
                declarations.add(&name, Declared::Module(inside));
            }
            ItemKind::ModuleDeclaration => {
                let declared = match module_target(db, item) {
                    ModuleTarget::File(file) => {
                        Declared::Module(ModuleId::new(db, file, ModulePath::from([])))
                    }
                    ModuleTarget::Missing => Declared::MissingModule,
                };
                declarations.add(&item.name(db), declared);
            }
            ItemKind::Other => {
                if let ModuleTarget::File(file) = module_target(db, item) {
                    let included = ModuleId::new(db, file, ModulePath::from([]));
                    let name = format!("{INCLUDING} {}", file.path(db));
                    declarations.add_shared(&name, included);
                } else if let Some(call) = parse_item(db, item).cast::<ast::MacroCall>() {
                    declarations.add_macro(macro_name(&call).as_deref().unwrap_or(""));
                }
            }
            ItemKind::Implementation | ItemKind::MacroDefinition => {}
            _ => declarations.add(&item.name(db), Declared::Item(item, kind)),
        }
    }
    Arc::new(declarations)
}

/// The names of the generic parameters of an item, and whether each is a constant.
pub(super) fn generic_names(item: &impl ast::HasGenericParams) -> Vec<(Arc<str>, bool)> {
    let Some(list) = item.generic_param_list() else {
        return Vec::new();
    };
    list.generic_params()
        .filter_map(|parameter| match parameter {
            ast::GenericParam::ConstParam(parameter) => Some((parameter.name()?, true)),
            ast::GenericParam::TypeParam(parameter) => Some((parameter.name()?, false)),
            ast::GenericParam::LifetimeParam(_) => None,
        })
        .map(|(name, constant)| (plain_name(name.text()), constant))
        .collect()
}
