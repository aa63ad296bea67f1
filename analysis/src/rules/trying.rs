//! Fixes of faulty mappings, tried in the functions that hold them.
//!
//! What is wrong in an `m!` is worded where the expression stands, and there nobody knows what the engines make of a repair.
//! Here each repair is put into the functions, and one with which something else is refused is not proposed. Looks at
//! functions of the expression's own file, and at the first few of them.

use crate::db::Db;
use crate::items::{
    ItemId, ItemKind, MappingSite, Span, file_items, item_text, mapping_sites, resolve_edited,
};
use crate::mapping::Mapping;

use super::{Alternative, Edit, Finding, Level, find, words};

/// What is said where no repair of the expression alone fits the function around it.
const GENERAL: &str =
    "write what fits all places of the axis: the same padding, or parts of the same size";

/// How many functions a fix is tried in.
const FUNCTION_LIMIT: usize = 8;

/// Drops the fixes with which something is refused that was not before.
///
/// `breaks_nothing` asks a function whether it takes mappings at their places.
pub(crate) fn keep_what_holds(
    db: &dyn Db,
    item: ItemId,
    findings: &mut [Finding],
    breaks_nothing: impl Fn(ItemId, &[(Span, Mapping)]) -> bool,
) {
    if !findings.iter().any(denied) {
        return;
    }
    let sites = mapping_sites(db, item);
    let functions = users(db, item);
    for finding in findings.iter_mut().filter(|finding| denied(finding)) {
        finding.fixes.retain(|fix| {
            let Some(mappings) = repaired(db, &sites, &fix.edits) else {
                return true;
            };
            functions
                .iter()
                .all(|function| breaks_nothing(*function, &mappings))
        });
        if finding.fixes.is_empty() {
            finding.help = Some(GENERAL.to_owned());
        }
    }
}

/// States what the fixes of faulty expressions write.
pub(crate) fn state_fixes(findings: &mut [Finding]) {
    for finding in findings.iter_mut().filter(|finding| denied(finding)) {
        let stated = finding.fixes.iter().map(|fix| {
            let mut texts: Vec<&str> = Vec::new();
            for edit in &fix.edits {
                if !texts.contains(&&*edit.text) {
                    texts.push(&edit.text);
                }
            }
            Alternative {
                text: format!("{}: {}", fix.title, words::names(&texts)),
                edits: fix.edits.clone(),
            }
        });
        let stated: Vec<Alternative> = stated.collect();
        *finding = finding.clone().alternatives("", stated);
    }
}

/// Whether it is refused what a fix of the finding mends, and its fixes are no guesses of names.
fn denied(finding: &Finding) -> bool {
    let rule = find(finding.rule);
    finding.rule != "unknown_axis"
        && rule.is_some_and(|rule| rule.default_level() == Level::Deny)
        && !finding.fixes.is_empty()
}

/// The functions that hold the mappings of an item: itself, or those of its file that name it.
fn users(db: &dyn Db, item: ItemId) -> Vec<ItemId> {
    if item.kind(db) == ItemKind::Function {
        return vec![item];
    }
    let name = item.name(db);
    let names_it = |function: &ItemId| {
        let text = item_text(db, *function);
        let mut words = text
            .text
            .split(|letter: char| !letter.is_alphanumeric() && letter != '_');
        function.kind(db) == ItemKind::Function && words.any(|word| *word == *name)
    };
    let items = file_items(db, item.file(db));
    let functions = items.items.iter().copied();
    functions.filter(names_it).take(FUNCTION_LIMIT).collect()
}

/// The mappings of the calls that edits change; `None` where one of them changes something else.
fn repaired(db: &dyn Db, sites: &[MappingSite], edits: &[Edit]) -> Option<Vec<(Span, Mapping)>> {
    let mut repaired: Vec<(Span, Mapping)> = Vec::new();
    for edit in edits {
        let inside = |site: &&MappingSite| {
            site.body.item == edit.span.item
                && site.body.start <= edit.span.start
                && edit.span.end <= site.body.end
        };
        // Of nested calls the innermost.
        let site = sites
            .iter()
            .filter(inside)
            .min_by_key(|site| site.body.end.saturating_sub(site.body.start))?;
        if repaired.iter().any(|(place, _)| *place == site.span) {
            continue;
        }
        let body = item_text(db, site.body.item);
        let mut text = body
            .text
            .get(site.body.start as usize..site.body.end as usize)?
            .to_owned();
        let mut own: Vec<&Edit> = edits
            .iter()
            .filter(|edit| {
                edit.span.item == site.body.item
                    && site.body.start <= edit.span.start
                    && edit.span.end <= site.body.end
            })
            .collect();
        own.sort_by_key(|edit| std::cmp::Reverse(edit.span.start));
        for edit in own {
            let start = edit.span.start.checked_sub(site.body.start)? as usize;
            let end = edit.span.end.checked_sub(site.body.start)? as usize;
            text.get(start..end)?;
            text.replace_range(start..end, &edit.text);
        }
        let mapping = resolve_edited(db, site, &text).mapping?;
        repaired.push((site.span, mapping));
    }
    Some(repaired)
}
