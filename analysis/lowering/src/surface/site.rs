//! A text that the walk reads: an item's tree, where its names are looked up, and its generic parameters.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxKind, SyntaxNode};
use rowan::GreenNodeData;

use crate::db::Db;
use crate::items::{
    self, ConstValue, ItemId, ItemNames, Namespace, ParsedItem, Resolution, ScopeRef, Span,
};
use crate::syntax::{green_child, green_name, without_raw};

use super::Elaborate;

/// What a generic parameter stands for in one call, as far as the walk asks.
pub(crate) trait Bound: Clone + std::fmt::Debug {
    /// Its value, as a constant.
    fn constant(&self) -> Option<&ConstValue>;
    /// Whether it is declared as a constant: no mapping, and no axis of the same name is hidden by it.
    fn is_constant(&self) -> bool;
    /// The type of the project that it stands for.
    fn owner(&self) -> Option<ItemId>;
}

/// Generic parameters by name.
pub(crate) type Generics<L> = BTreeMap<String, <L as Elaborate>::Binding>;

/// A text that the walk reads.
#[derive(Debug, Clone)]
pub(crate) struct Site<L: Elaborate> {
    /// The item.
    pub(crate) item: ItemId,
    /// Its tree.
    pub(crate) parsed: Rc<ParsedItem>,
    /// Whether that is the tree of a function whose body is left out.
    pub(crate) is_signature: bool,
    /// Its generic parameters.
    pub(crate) generics: Rc<Generics<L>>,
    /// What its names mean; not there before the first is asked for.
    names: Rc<OnceCell<ItemNames>>,
}

impl<L: Elaborate> Site<L> {
    /// An item without generic parameters.
    pub(crate) fn new(db: &dyn Db, item: ItemId) -> Self {
        Self::with_tree(item, items::parse_item(db, item))
    }

    /// A function with an empty body: who reads it does not depend on what the function does.
    pub(crate) fn of_signature(db: &dyn Db, function: ItemId) -> Self {
        Self {
            is_signature: true,
            ..Self::with_tree(function, items::parse_signature(db, function))
        }
    }

    fn with_tree(item: ItemId, parsed: ParsedItem) -> Self {
        Self {
            item,
            parsed: Rc::new(parsed),
            is_signature: false,
            generics: Rc::new(BTreeMap::new()),
            names: Rc::default(),
        }
    }

    /// What a generic type parameter stands for.
    pub(crate) fn type_parameter(&self, name: &str) -> Option<&L::Binding> {
        self.generics
            .get(name)
            .filter(|binding| !binding.is_constant())
    }

    /// The place of a node of the tree.
    pub(crate) fn span(&self, node: &SyntaxNode) -> Span {
        self.parsed.span(node)
    }

    /// What a path means where it is.
    pub(crate) fn resolve_path(
        &self,
        db: &dyn Db,
        path: &ast::Path,
        namespace: Namespace,
    ) -> Resolution {
        self.resolve_at(db, path, &path_segments(path), namespace)
    }

    /// As [`Self::resolve_path`], for who knows the path's segments.
    pub(crate) fn resolve_at(
        &self,
        db: &dyn Db,
        path: &ast::Path,
        segments: &[String],
        namespace: Namespace,
    ) -> Resolution {
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        let start = path.syntax().text_range().start();
        self.resolve_names(db, &segments, start.into(), namespace)
    }

    /// What segments mean at an offset of the item's text.
    pub(crate) fn resolve_names(
        &self,
        db: &dyn Db,
        segments: &[&str],
        offset: u32,
        namespace: Namespace,
    ) -> Resolution {
        if let [owner, name] = segments
            && let Some(owner) = self.owner(owner)
        {
            let found = items::associated_name(db, owner, name, namespace);
            return found.unwrap_or(Resolution::External);
        }
        self.item_names(db)
            .resolve_path(db, segments, offset, namespace)
    }

    /// The type of the project that a generic parameter stands for.
    pub(crate) fn owner(&self, name: &str) -> Option<ItemId> {
        self.generics.get(name).and_then(Bound::owner)
    }

    /// The scope of a place in the item.
    pub(crate) fn scope_at(&self, db: &dyn Db, offset: u32) -> ScopeRef {
        self.item_names(db).scope_at(db, offset)
    }

    fn item_names(&self, db: &dyn Db) -> &ItemNames {
        self.names.get_or_init(|| ItemNames::of(db, self.item))
    }
}

/// The segments of a path without generics; a type in front of it gives its own, its trait none. They are read from the shared nodes, which takes no allocation a node.
pub(crate) fn path_segments(path: &ast::Path) -> Vec<String> {
    let mut segments = Vec::new();
    let mut rest = Some(path.syntax().green());
    // A path is bounded by the text; qualifiers are walked, not recursed into.
    while let Some(path) = rest {
        segments.extend(segment_of(path).map(|name| without_raw(name).to_owned()));
        rest = green_child(path, SyntaxKind::PATH).or_else(|| anchor_of(path));
    }
    segments.reverse();
    segments
}

/// The name of a path of one segment, as [`path_segments`] has it.
pub(super) fn only_segment(path: &ast::Path) -> Option<&str> {
    let path = path.syntax().green();
    let name = segment_of(path).map(without_raw)?;
    green_child(path, SyntaxKind::PATH)
        .is_none()
        .then_some(name)
}

/// The name of a path's last segment.
fn segment_of(path: &GreenNodeData) -> Option<&str> {
    let segment = green_child(path, SyntaxKind::PATH_SEGMENT)?;
    green_name(green_child(segment, SyntaxKind::NAME_REF)?)
}

/// The path of the type in `<Type as Trait>::name` and `<Type>::name`, for the path that begins with it.
fn anchor_of(path: &GreenNodeData) -> Option<&GreenNodeData> {
    let segment = green_child(path, SyntaxKind::PATH_SEGMENT)?;
    let anchor = green_child(segment, SyntaxKind::TYPE_ANCHOR)?;
    green_child(
        green_child(anchor, SyntaxKind::PATH_TYPE)?,
        SyntaxKind::PATH,
    )
}
