//! Where a file uses an axis or an alias: how often in which function or alias, and in which lines.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::db::{Db, SourceFile};
use crate::items::{ItemId, ItemKind};
use crate::syntax::line_index;

use super::super::names::{FileNames, Named, Occurrence, Role};
use super::page::{Page, code};

/// Places that a name is looked at, at the most: more take longer than a reader waits.
const LOOKED_AT: usize = 512;
/// Functions and aliases that are named.
const ITEMS: usize = 6;
/// Lines of one of them that are told.
const LINES: usize = 4;

/// The uses in the reader's file under the name that it has there; `None` where there are none.
pub(super) fn page(db: &dyn Db, named: &Named, name: &str, reader: SourceFile) -> Option<String> {
    let names = FileNames::new(db, reader)?;
    let lines = line_index(db, reader);
    let tokens = names.tokens_named(name);
    let more = tokens.len() > LOOKED_AT;
    let mut uses: IndexMap<ItemId, Vec<u32>> = IndexMap::new();
    for token in tokens.iter().take(LOOKED_AT) {
        let Some(occurrence) = Occurrence::of(token) else {
            continue;
        };
        let declares = matches!(
            occurrence.role,
            Role::AxisDeclaration | Role::AliasDeclaration | Role::Import | Role::ImportRename
        );
        if declares || names.named(&occurrence).as_ref() != Some(named) {
            continue;
        }
        let Some((item, _)) = names.item(token) else {
            continue;
        };
        let line = lines.line(names.range(token).start);
        uses.entry(item).or_default().push(line);
    }
    let total: usize = uses.values().map(Vec::len).sum();
    if total == 0 {
        return None;
    }
    let listed: Vec<String> = uses
        .iter()
        .take(ITEMS)
        .map(|(item, lines)| format!("{}: {}", owner(db, *item), in_lines(lines)))
        .collect();
    let times = if total == 1 {
        "once".to_owned()
    } else {
        format!("{}{total} times", if more { "at least " } else { "" })
    };
    let mut page = Page::default();
    page.add_list(&format!("Used {times} in this file:"), &listed);
    if uses.len() > ITEMS {
        page.add(format!("and in {} more places", uses.len() - ITEMS));
    }
    Some(page.into_markdown())
}

/// What an item is called.
fn owner(db: &dyn Db, item: ItemId) -> String {
    let name: Arc<str> = item.name(db);
    match item.kind(db) {
        ItemKind::Implementation => "`impl`".to_owned(),
        _ if name.is_empty() => "elsewhere".to_owned(),
        _ => code(&name),
    }
}

/// `3 times, lines 4, 9, …`; a line that holds it twice is told once.
fn in_lines(lines: &[u32]) -> String {
    let mut told = lines.to_vec();
    told.dedup();
    let shown: Vec<String> = told.iter().take(LINES).map(ToString::to_string).collect();
    let rest = if told.len() > LINES { ", …" } else { "" };
    let what = if told.len() == 1 { "line" } else { "lines" };
    let times = if lines.len() == 1 {
        String::new()
    } else {
        format!("{} times, ", lines.len())
    };
    format!("{times}{what} {}{rest}", shown.join(", "))
}
