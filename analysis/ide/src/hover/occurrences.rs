//! Where a file uses an axis or an alias: how often in which function or alias, and in which lines; and how often others do.

use std::sync::Arc;

use indexmap::IndexMap;
use ra_ap_syntax::NodeOrToken;
use ra_ap_syntax::ast::AstNode;

use crate::db::Db;
use crate::inputs::{SourceFile, line_index};
use crate::items::{
    ItemId, ItemKind, ItemNames, Resolution, Span, file_items, item_text, parse_item, token_map,
};

use super::super::names::{Named, Occurrence, Role};
use super::elsewhere::{self, times_text};
use super::page::{Page, code};

/// Functions and aliases that are named.
const ITEMS: usize = 6;
/// Lines of one of them that are shown.
const LINES: usize = 4;

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

/// The uses in the reader's file, which calls it by a name of its own perhaps, then those in others; `None` where there are
/// none.
pub(super) fn occurrences_page(
    db: &dyn Db,
    named: &Named,
    name: &str,
    reader: SourceFile,
) -> Option<String> {
    let mut page = Page::default();
    page.add(in_file(db, named, name, reader));
    page.add(elsewhere::uses_elsewhere_page(db, named, reader));
    Some(page.into_markdown()).filter(|page| !page.is_empty())
}

fn in_file(db: &dyn Db, named: &Named, name: &str, reader: SourceFile) -> Option<String> {
    let wanted = Meaning::of(named);
    let declared = named.name(db);
    let (lines, places) = (line_index(db, reader), token_map(db, reader));
    let mut uses: IndexMap<ItemId, Vec<u32>> = IndexMap::new();
    let items = file_items(db, reader);
    // An import may give it a third name.
    let renamed = items
        .items
        .iter()
        .any(|item| item.kind(db) == ItemKind::Use && item_text(db, *item).text.contains(" as "));
    for item in items.items.iter().copied() {
        let text = item_text(db, item);
        if !renamed && !text.text.contains(name) && !text.text.contains(&*declared) {
            continue;
        }
        let found = item_uses(db, item);
        let own = found.iter().filter(|(_, meaning)| *meaning == wanted);
        let own: Vec<u32> = own
            .filter_map(|(span, _)| Some(lines.line(places.range(*span)?.0)))
            .collect();
        if !own.is_empty() {
            uses.insert(item, own);
        }
    }
    let total: usize = uses.values().map(Vec::len).sum();
    if total == 0 {
        return None;
    }
    let listed: Vec<String> = uses
        .iter()
        .take(ITEMS)
        .map(|(item, lines)| format!("{}: {}", item_label(db, *item), in_lines(lines)))
        .collect();
    let mut page = Page::default();
    page.add_list(
        &format!("Used {} in this file:", times_text(total)),
        &listed,
    );
    if uses.len() > ITEMS {
        page.add(format!("and in {} more places", uses.len() - ITEMS));
    }
    Some(page.into_markdown())
}

/// What an item is called.
fn item_label(db: &dyn Db, item: ItemId) -> String {
    let name: Arc<str> = item.name(db);
    match item.kind(db) {
        ItemKind::Implementation => "`impl`".to_owned(),
        _ if name.is_empty() => "elsewhere".to_owned(),
        _ => code(&name),
    }
}

/// `3 times, lines 4, 9, …`; a line that holds it twice is given once.
fn in_lines(lines: &[u32]) -> String {
    let mut told = lines.to_vec();
    told.dedup();
    let shown: Vec<String> = told.iter().take(LINES).map(ToString::to_string).collect();
    let rest = if told.len() > LINES { ", …" } else { "" };
    let what = if told.len() == 1 { "line" } else { "lines" };
    let often = if lines.len() == 1 {
        String::new()
    } else {
        format!("{}, ", times_text(lines.len()))
    };
    format!("{often}{what} {}{rest}", shown.join(", "))
}
