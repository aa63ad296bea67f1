//! Where a file uses an axis or an alias: how often in which function or alias, and in which lines; and how often others do.

use std::sync::Arc;

use indexmap::IndexMap;

use crate::db::Db;
use crate::inputs::{SourceFile, line_index};
use crate::items::{ItemId, ItemKind, file_items, item_text, token_map};

use super::super::names::Named;
use super::elsewhere::{self, times_text};
use super::meanings::{Meaning, item_uses};
use super::page::{Page, code};

/// Functions and aliases that are named.
const ITEMS: usize = 6;
/// Lines of one of them that are shown.
const LINES: usize = 4;

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
