//! What an item declares that an outline shows, with places in its normalised text.

use std::sync::Arc;

use indexmap::IndexSet;
use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode};

use crate::SymbolKind;
use crate::cursor::macro_kind;
use crate::db::Db;
use crate::items::{
    ItemId, ItemKind, Namespace, Resolution, SiteKind, Span, block_scopes, device_attribute,
    functions_around, item_text, mapping_sites, parse_item, resolve_path, scope_at,
};
use crate::mapping::parse_axes;
use crate::names::{Occurrence, Role};

/// A declaration in an item.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Declared {
    /// Its name.
    pub(super) name: Arc<str>,
    /// What it is.
    pub(super) kind: SymbolKind,
    /// The item that declares it: itself, or for an axis the `axes!`.
    pub(super) item: ItemId,
    /// The function around it.
    pub(super) container: Option<Arc<str>>,
    /// An axis's positions.
    pub(super) size: Option<u64>,
    /// All of it.
    pub(super) range: Span,
    /// Its name.
    pub(super) selection: Span,
}

/// What an item of a module declares, what is in its blocks included, in the order of the text.
#[salsa::tracked(returns(clone))]
pub(super) fn item_declarations(db: &dyn Db, item: ItemId) -> Arc<[Declared]> {
    let mut declared = Vec::new();
    if item.parent(db).is_none() && item.kind(db) != ItemKind::MacroDefinition {
        push_item(db, item, None, &mut declared);
        let container = item.name(db);
        let container = Some(container).filter(|name| !name.is_empty());
        let text = item_text(db, item);
        for local in &block_scopes(db, item).locals {
            let around = functions_around(db, item, local.start);
            let around = around.into_iter().find(|function| *function != local.id);
            let around = around.map(|function| function.name(db));
            let around = around.or_else(|| container.clone());
            push_item(
                db,
                local.id,
                around.or_else(|| Some(Arc::from(""))),
                &mut declared,
            );
        }
        if text.text.contains("axes") {
            push_axes(db, item, container, &mut declared);
        }
    }
    declared.sort_by_key(|entry| (entry.range.start, entry.range.end));
    declared.into()
}

fn push_item(db: &dyn Db, item: ItemId, container: Option<Arc<str>>, declared: &mut Vec<Declared>) {
    let Some(kind) = kind_of(db, item) else {
        return;
    };
    let parsed = parse_item(db, item);
    let name = match parsed.item() {
        Some(ast::Item::Fn(item)) => item.name(),
        Some(ast::Item::TypeAlias(item)) => item.name(),
        Some(ast::Item::Const(item)) => item.name(),
        _ => None,
    };
    let Some(name) = name else {
        return;
    };
    declared.push(Declared {
        name: item.name(db),
        kind,
        item,
        container,
        size: None,
        range: parsed.text.full_span(),
        selection: parsed.span(name.syntax()),
    });
}

fn kind_of(db: &dyn Db, item: ItemId) -> Option<SymbolKind> {
    let text = item_text(db, item);
    let tensors = || text.text.contains("Tensor") || text.text.contains("m![");
    match item.kind(db) {
        ItemKind::Function if device_attribute(db, item).is_some() => Some(SymbolKind::Kernel),
        ItemKind::Function if tensors() || text.text.contains("Context") => {
            Some(SymbolKind::Function)
        }
        ItemKind::Alias if tensors() || names_mapping(db, item) => Some(SymbolKind::Alias),
        ItemKind::Constant => Some(SymbolKind::Constant),
        _ => None,
    }
}

/// Whether an alias that is written without a macro stands for a mapping: another alias, an axis.
fn names_mapping(db: &dyn Db, alias: ItemId) -> bool {
    crate::items::alias_mapping(db, alias).mapping.is_some()
}

/// The axes of all calls of `axes!` in an item.
fn push_axes(db: &dyn Db, item: ItemId, container: Option<Arc<str>>, declared: &mut Vec<Declared>) {
    let text = item_text(db, item);
    let container =
        (item.kind(db) != ItemKind::Axes).then(|| container.unwrap_or_else(|| Arc::from("")));
    for site in mapping_sites(db, item).iter() {
        let body = text
            .text
            .get(site.body.start as usize..site.body.end as usize);
        let Some(body) = body.filter(|_| site.kind == SiteKind::Axes) else {
            continue;
        };
        for axis in parse_axes(body).0 {
            let end = axis.size_span.end.max(axis.name_span.end);
            declared.push(Declared {
                name: Arc::from(axis.name.as_str()),
                kind: SymbolKind::Axis,
                item,
                container: container.clone(),
                size: axis.size,
                range: site.body.span_inside(&(axis.name_span.start..end)),
                selection: site.body.span_inside(&axis.name_span),
            });
        }
    }
}

/// The constants that the macros of mappings in an item name.
#[salsa::tracked(returns(clone))]
pub(super) fn constants_in_macros(db: &dyn Db, item: ItemId) -> Arc<[ItemId]> {
    let mut found = IndexSet::new();
    let text = item_text(db, item);
    if item.kind(db) == ItemKind::MacroDefinition || !text.text.contains('!') {
        return Arc::from([]);
    }
    let parsed = parse_item(db, item);
    let trees = parsed.root().map(|root| {
        root.syntax()
            .descendants()
            .filter(|node| node.kind() == SyntaxKind::TOKEN_TREE && macro_kind(node).is_some())
            .collect::<Vec<SyntaxNode>>()
    });
    for tree in trees.into_iter().flatten() {
        let tokens = tree.descendants_with_tokens();
        for token in tokens.filter_map(NodeOrToken::into_token) {
            let Some(occurrence) = Occurrence::of(&token) else {
                continue;
            };
            if !matches!(occurrence.role, Role::Tree { ours: true }) {
                continue;
            }
            let scope = scope_at(db, item, token.text_range().start().into());
            let path: Vec<&str> = occurrence.path.iter().map(|segment| &**segment).collect();
            if let Resolution::Const(constant) = resolve_path(db, &scope, &path, Namespace::Value) {
                found.insert(constant);
            }
        }
    }
    found.into_iter().collect()
}
