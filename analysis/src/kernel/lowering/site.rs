//! A text that lowering reads: an item's tree, where its names are looked up, and its generic parameters.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};
use rowan::{GreenNodeData, GreenTokenData};

use crate::db::Db;
use crate::items::{
    self, ConstValue, ItemId, ItemNames, Namespace, ParsedItem, Resolution, ScopeRef, Span,
};
use crate::kernel::Context;
use crate::mapping::Axis;

use super::slots::{MappingSlot, ScalarSlot};

/// What a generic parameter stands for in one call. Which of the readings is meant, its uses say.
#[derive(Debug, Clone)]
pub(super) struct Binding {
    /// As a mapping.
    pub(super) mapping: MappingSlot,
    /// As an element type.
    pub(super) scalar: ScalarSlot,
    /// As an axis.
    pub(super) axis: Option<Axis>,
    /// As a context, `main` or `sub`.
    pub(super) context: Option<Context>,
    /// As a constant.
    pub(super) constant: Option<ConstValue>,
    /// Whether it is declared as a constant: no mapping, and no axis of the same name is hidden by it.
    pub(super) is_constant: bool,
}

/// Generic parameters by name.
pub(super) type Generics = BTreeMap<String, Binding>;

/// A text that lowering reads.
#[derive(Debug, Clone)]
pub(super) struct Site {
    /// The item.
    pub(super) item: ItemId,
    /// Its tree.
    pub(super) parsed: Rc<ParsedItem>,
    /// Its generic parameters.
    pub(super) generics: Rc<Generics>,
    /// What its names mean; not there before the first is asked for.
    names: Rc<OnceCell<ItemNames>>,
}

impl Site {
    /// An item without generic parameters.
    pub(super) fn new(db: &dyn Db, item: ItemId) -> Self {
        Self {
            item,
            parsed: Rc::new(items::parse_item(db, item)),
            generics: Rc::new(Generics::new()),
            names: Rc::default(),
        }
    }

    /// Whether mappings in the text may change from call to call.
    pub(super) fn has_type_parameters(&self) -> bool {
        self.generics.values().any(|binding| !binding.is_constant)
    }

    /// What a generic type parameter stands for.
    pub(super) fn type_parameter(&self, name: &str) -> Option<&Binding> {
        self.generics
            .get(name)
            .filter(|binding| !binding.is_constant)
    }

    /// The place of a node of the tree.
    pub(super) fn span(&self, node: &SyntaxNode) -> Span {
        self.parsed.span(node)
    }

    /// What a path means where it stands.
    pub(super) fn resolve(
        &self,
        db: &dyn Db,
        path: &ast::Path,
        namespace: Namespace,
    ) -> Resolution {
        self.resolve_at(db, path, &segments(path), namespace)
    }

    /// As [`Self::resolve`], for who knows the path's segments.
    pub(super) fn resolve_at(
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
    pub(super) fn resolve_names(
        &self,
        db: &dyn Db,
        segments: &[&str],
        offset: u32,
        namespace: Namespace,
    ) -> Resolution {
        self.names(db).resolve(db, segments, offset, namespace)
    }

    /// The scope of a place in the item.
    pub(super) fn scope_at(&self, db: &dyn Db, offset: u32) -> ScopeRef {
        self.names(db).scope_at(db, offset)
    }

    fn names(&self, db: &dyn Db) -> &ItemNames {
        self.names.get_or_init(|| ItemNames::of(db, self.item))
    }
}

/// The segments of a path without generics. They are read from the shared nodes, which takes no allocation a node.
pub(in crate::kernel) fn segments(path: &ast::Path) -> Vec<String> {
    let mut segments = Vec::new();
    let mut rest = Some(path.syntax().green());
    // A path is bounded by the text; qualifiers are walked, not recursed into.
    while let Some(path) = rest {
        segments.extend(segment_of(path).map(|name| name.trim_start_matches("r#").to_owned()));
        rest = child(path, SyntaxKind::PATH);
    }
    segments.reverse();
    segments
}

/// The name of a path's last segment.
pub(super) fn segment_of(path: &GreenNodeData) -> Option<&str> {
    let segment = child(path, SyntaxKind::PATH_SEGMENT)?;
    let name = child(segment, SyntaxKind::NAME_REF)?;
    name.children()
        .find_map(NodeOrToken::into_token)
        .map(GreenTokenData::text)
}

/// The first child of a kind.
pub(super) fn child(node: &GreenNodeData, kind: SyntaxKind) -> Option<&GreenNodeData> {
    let nodes = node.children().filter_map(NodeOrToken::into_node);
    nodes
        .into_iter()
        .find(|node| SyntaxKind::from(node.kind().0) == kind)
}
