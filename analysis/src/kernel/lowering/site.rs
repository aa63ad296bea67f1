//! A text that lowering reads: an item's tree, where its names are looked up, and its generic parameters.

use std::collections::BTreeMap;
use std::rc::Rc;

use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode};

use crate::db::Db;
use crate::items::{self, ConstValue, ItemId, Namespace, ParsedItem, Resolution, Span};
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
}

impl Site {
    /// An item without generic parameters.
    pub(super) fn new(db: &dyn Db, item: ItemId) -> Self {
        Self::of(item, Rc::new(items::parse_item(db, item)))
    }

    /// A parsed item without generic parameters.
    pub(super) fn of(item: ItemId, parsed: Rc<ParsedItem>) -> Self {
        Self {
            item,
            parsed,
            generics: Rc::new(Generics::new()),
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
        let segments = segments(path);
        let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
        self.resolve_names(
            db,
            &segments,
            path.syntax().text_range().start().into(),
            namespace,
        )
    }

    /// What segments mean at an offset of the item's text.
    pub(super) fn resolve_names(
        &self,
        db: &dyn Db,
        segments: &[&str],
        offset: u32,
        namespace: Namespace,
    ) -> Resolution {
        let scope = items::scope_at(db, self.item, offset);
        items::resolve(db, &scope, segments, namespace)
    }
}

/// The segments of a path without generics.
pub(in crate::kernel) fn segments(path: &ast::Path) -> Vec<String> {
    let mut segments = Vec::new();
    let mut rest = Some(path.clone());
    // A path is bounded by the text; qualifiers are walked, not recursed into.
    while let Some(path) = rest {
        if let Some(name) = path.segment().and_then(|segment| segment.name_ref()) {
            segments.push(name.text().trim_start_matches("r#").to_owned());
        }
        rest = path.qualifier();
    }
    segments.reverse();
    segments
}
