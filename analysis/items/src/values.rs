//! The values of `const` and `static` items, and of paths in the text of an item.

use ra_ap_syntax::ast::{self, AstNode};

use super::bindings::Bindings;
use super::constants::{ConstEnvironment, ConstValue, evaluate_as};
use super::declarations::path_segments;
use super::file::parse_item;
use super::ids::{ItemId, ItemKind};
use super::integers::IntegerType;
use super::mappings::{size_of_path, size_of_type};
use super::references::{ReferenceOrder, reference_order};
use super::resolve::{Namespace, Resolution, resolve_path};
use super::scopes::{ScopeRef, scope_at};
use crate::db::Db;

/// The value of a `const` or `static` item. A constant that needs itself is unknown.
#[salsa::tracked(cycle_result = const_value_cycle)]
pub fn const_value(db: &dyn Db, item: ItemId) -> ConstValue {
    match reference_order(db, item) {
        ReferenceOrder::Sound => {}
        ReferenceOrder::Cyclic => return ConstValue::Unknown("a constant that needs itself"),
        ReferenceOrder::NeedsCyclic => {
            return ConstValue::Unknown("a constant that needs one that needs itself");
        }
        ReferenceOrder::TooDeep => return ConstValue::Unknown("constants nested too deeply"),
    }
    let parsed = parse_item(db, item);
    let (body, written) = match item.kind(db) {
        ItemKind::Constant => {
            let item = parsed.cast::<ast::Const>();
            (
                item.as_ref().and_then(ast::Const::body),
                item.and_then(|item| item.ty()),
            )
        }
        ItemKind::Static => {
            let item = parsed
                .cast::<ast::Static>()
                .filter(|item| item.mut_token().is_none());
            (
                item.as_ref().and_then(ast::Static::body),
                item.and_then(|item| item.ty()),
            )
        }
        _ => (None, None),
    };
    let Some(body) = body else {
        return ConstValue::Unknown("a constant without a value");
    };
    let integer = written.and_then(|written| IntegerType::of_type(&written));
    evaluate_as(&body, integer, &ItemEnvironment { db, item })
}

fn const_value_cycle(_db: &dyn Db, _id: salsa::Id, _item: ItemId) -> ConstValue {
    ConstValue::Unknown("a constant that needs itself")
}

/// Paths in a tree of an item's normalised text (see [`parse_item`]), looked up where they are. It has no variables; an
/// environment that has some asks this one for paths.
pub struct ItemEnvironment<'a> {
    /// The database.
    pub db: &'a dyn Db,
    /// The item whose text the expressions were parsed from.
    pub item: ItemId,
}

impl ConstEnvironment for ItemEnvironment<'_> {
    fn local(&self, _name: &str) -> Option<ConstValue> {
        None
    }

    fn path(&self, path: &ast::Path) -> ConstValue {
        let offset = path.syntax().text_range().start().into();
        path_value(self.db, &scope_at(self.db, self.item, offset), path, &())
    }
}

/// Paths looked up in one scope, wherever they are.
pub struct ScopeEnvironment<'a> {
    /// The database.
    pub db: &'a dyn Db,
    /// The scope.
    pub scope: ScopeRef,
    /// What generic parameters stand for.
    pub bindings: &'a dyn Bindings,
}

impl ConstEnvironment for ScopeEnvironment<'_> {
    fn local(&self, name: &str) -> Option<ConstValue> {
        self.bindings.constant(name)
    }

    fn path(&self, path: &ast::Path) -> ConstValue {
        path_value(self.db, &self.scope, path, self.bindings)
    }
}

/// The value of a path: a constant, or the `SIZE` of a mapping or an axis.
fn path_value(
    db: &dyn Db,
    scope: &ScopeRef,
    path: &ast::Path,
    bindings: &dyn Bindings,
) -> ConstValue {
    let segments = path_segments(path);
    let segments: Vec<&str> = segments.iter().map(|segment| &**segment).collect();
    let anchor = path
        .first_segment()
        .and_then(|segment| segment.type_anchor());
    if anchor.is_none()
        && let Resolution::Const(item) = resolve_path(db, scope, &segments, Namespace::Value)
    {
        return const_value(db, item).clone();
    }
    let size = match (segments.split_last(), anchor) {
        (Some((&"SIZE", [])), Some(anchor)) => anchor
            .ty()
            .and_then(|written| size_of_type(db, scope, &written, bindings)),
        (Some((&"SIZE", [name])), None) if bindings.mapping(name).is_some() => {
            bindings.mapping(name).map(|bound| bound.size())
        }
        (Some((&"SIZE", before)), None) if !before.is_empty() => size_of_path(db, scope, before),
        _ => return ConstValue::Unknown("a name that is not a constant"),
    };
    size.map_or(ConstValue::Unknown("a size that is not known"), |size| {
        ConstValue::Int(i128::from(size))
    })
}
