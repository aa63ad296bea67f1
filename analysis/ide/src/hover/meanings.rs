//! The names in an item's text that mean an axis or an alias.

use std::sync::Arc;

use ra_ap_syntax::NodeOrToken;
use ra_ap_syntax::ast::AstNode;

use crate::db::Db;
use crate::items::{ItemId, ItemNames, Resolution, Span, parse_item};

use super::super::names::{Named, Occurrence, Role};

/// What a name means, by its declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Meaning {
    /// An axis, by its name in its `axes!`.
    Axis(Span),
    /// An alias.
    Alias(ItemId),
}

impl Meaning {
    /// What tells an axis or alias from all others.
    pub(super) const fn of(named: &Named) -> Self {
        match named {
            Named::Axis(axis) => Self::Axis(axis.span),
            Named::Alias(alias) => Self::Alias(*alias),
        }
    }
}

/// The names of axes and aliases that an item uses, by their places in its normalised text. Declarations and imports are no
/// uses.
#[salsa::tracked(returns(clone))]
pub(super) fn item_uses(db: &dyn Db, item: ItemId) -> Arc<[(Span, Meaning)]> {
    let parsed = parse_item(db, item);
    let Some(root) = parsed.root() else {
        return Arc::from([]);
    };
    let tokens = root
        .syntax()
        .descendants_with_tokens()
        .filter_map(NodeOrToken::into_token);
    let names = ItemNames::of(db, item);
    let uses = tokens.filter_map(|token| {
        let occurrence = Occurrence::of(&token)?;
        let declares = matches!(
            occurrence.role,
            Role::AxisDeclaration | Role::AliasDeclaration | Role::Import | Role::ImportRename
        );
        if declares {
            return None;
        }
        let span = parsed.text.span_of(token.text_range());
        let path: Vec<&str> = occurrence.path.iter().map(|segment| &**segment).collect();
        let meaning = match names.resolve_path(db, &path, span.start, occurrence.namespace) {
            Resolution::Axis(axis) => Meaning::Axis(axis.span),
            Resolution::Alias(alias) => Meaning::Alias(alias),
            _ => return None,
        };
        Some((span, meaning))
    });
    uses.collect()
}
