//! Fixes of faulty mappings, tried in the functions that hold them.
//!
//! What is wrong in an `m!` is worded where the expression is, and there it is unknown what the engines make of a repair.
//! Here each repair, with all its places, is put into the functions, and one with which something else is refused is not
//! proposed, or takes the tensors along that would be overrun. Looks at functions of the file, and at the first few of them.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, ItemKind, Span, functions_of, item_text, mapping_sites, resolve_edited,
};
use crate::mapping::Mapping;

use super::padded_tensors::{PaddedTensors, functions_naming, padded_tensors};
use crate::rules::{
    Alternative, Edit, FOLLOWING, Finding, Fix, Level, is_guess_of_a_name, padding_of,
};

/// What is said where no repair of the expression alone fits the function around it.
const GENERAL: &str = "write what fits all places of the axis, and all tensors that are declared over it: the same padding, or \
                       parts of the same size";

/// How many functions a fix is tried in.
const FUNCTION_LIMIT: usize = 8;

/// Asks a function whether it takes mappings at their places.
type BreaksNothing<'a> = dyn Fn(ItemId, &[(Span, Mapping)]) -> bool + 'a;

/// Asks several.
type Holds<'a> = dyn Fn(&[ItemId], &[(Span, Mapping)]) -> bool + 'a;

/// Whether a finding has fixes that are tried.
pub(crate) fn is_tried(finding: &Finding) -> bool {
    denied(finding)
}

/// Drops the fixes with which something is refused that was not before; one that pads an axis may pad tensors as well.
///
/// `breaks_nothing` asks a function whether it takes mappings at their places.
pub(crate) fn keep_what_holds(
    db: &dyn Db,
    file: SourceFile,
    findings: &mut [Finding],
    breaks_nothing: &BreaksNothing<'_>,
) {
    for finding in findings.iter_mut().filter(|finding| denied(finding)) {
        let padding = padding_of(db, finding);
        let fixes = std::mem::take(&mut finding.fixes);
        let fixes = fixes.into_iter();
        let held = fixes.filter_map(|fix| holding(db, file, fix, padding.as_ref(), breaks_nothing));
        finding.fixes = held.collect();
        if finding.fixes.is_empty() {
            finding.help = Some(GENERAL.to_owned());
        }
    }
}

/// The fix, or what it becomes with the tensors that it needs; none where functions refuse both.
fn holding(
    db: &dyn Db,
    file: SourceFile,
    fix: Fix,
    padding: Option<&(Mapping, u64)>,
    breaks_nothing: &BreaksNothing<'_>,
) -> Option<Fix> {
    let Some(mappings) = repaired(db, &fix.edits) else {
        return Some(fix);
    };
    let mut functions = users(db, &fix.edits);
    functions.truncate(FUNCTION_LIMIT);
    let holds = |functions: &[ItemId], mappings: &[(Span, Mapping)]| {
        let mut functions = functions.iter();
        functions.all(|function| breaks_nothing(*function, mappings))
    };
    if holds(&functions, &mappings) {
        return Some(fix);
    }
    let (base, size) = padding?;
    [false, true].into_iter().find_map(|streams| {
        let padded = padded_tensors(db, file, &functions, (base, *size), streams)?;
        with_tensors(db, &fix, &functions, padded, &holds)
    })
}

/// The fix with the tensors that it needs, if all functions take both.
fn with_tensors(
    db: &dyn Db,
    fix: &Fix,
    functions: &[ItemId],
    padded: PaddedTensors,
    holds: &Holds<'_>,
) -> Option<Fix> {
    let mut functions = functions.to_vec();
    let mut edits = fix.edits.clone();
    let known: FxHashSet<Span> = edits.iter().map(|edit| edit.span).collect();
    let named: FxHashSet<Span> = padded.mappings.iter().map(|(place, _)| *place).collect();
    let others = padded.edits.into_iter();
    edits.extend(others.filter(|edit| !known.contains(&edit.span)));
    let of_macros: Vec<Edit> = edits
        .iter()
        .filter(|edit| !named.contains(&edit.span))
        .cloned()
        .collect();
    let mut mappings = repaired(db, &of_macros)?;
    mappings.extend(padded.mappings);
    functions.extend(padded.functions);
    functions.extend(users(db, &edits));
    let mut seen = FxHashSet::default();
    functions.retain(|function| seen.insert(*function));
    // What is not tried is not proposed.
    if functions.len() > FUNCTION_LIMIT.saturating_mul(2) || !holds(&functions, &mappings) {
        return None;
    }
    let types = match padded.types {
        0 => None,
        1 => Some("the type of a tensor".to_owned()),
        types => Some(format!("{types} types of tensors")),
    };
    let streams = padded
        .streams
        .then(|| "the streams that carry all of it".to_owned());
    let also: Vec<String> = types.into_iter().chain(streams).collect();
    Some(Fix {
        title: format!("{}, and in {}", fix.title, also.join(" and ")),
        applicability: fix.applicability,
        edits,
        cost: None,
    })
}

/// States what the fixes of faulty expressions write; of fixes that were not tried in the functions that hold them, that more
/// may follow.
pub(crate) fn state_fixes(findings: &mut [Finding], tried: bool) {
    let behind = if tried { "" } else { FOLLOWING };
    for finding in findings.iter_mut().filter(|finding| denied(finding)) {
        let stated = finding.fixes.iter().map(|fix| Alternative {
            text: format!("{}{behind}", fix.in_words()),
            edits: fix.edits.clone(),
        });
        let stated: Vec<Alternative> = stated.collect();
        *finding = finding.clone().alternatives("", stated);
    }
}

/// Whether it is refused what a fix of the finding mends, and its fixes are no guesses of names.
fn denied(finding: &Finding) -> bool {
    !is_guess_of_a_name(finding.rule)
        && finding.rule.default_level() == Level::Deny
        && !finding.fixes.is_empty()
}

/// The functions that hold the mappings that edits change: those they are in, or those of the file that name an alias.
fn users(db: &dyn Db, edits: &[Edit]) -> Vec<ItemId> {
    let mut items: Vec<ItemId> = Vec::new();
    for edit in edits {
        if !items.contains(&edit.span.item) {
            items.push(edit.span.item);
        }
    }
    let functions = items.into_iter().flat_map(|item| match item.kind(db) {
        ItemKind::Alias => functions_naming(db, item),
        _ => functions_of(db, item),
    });
    let mut seen = FxHashSet::default();
    functions
        .filter(|function| seen.insert(*function))
        .collect()
}

/// The mappings of the calls that edits change; `None` where one of them changes something else.
fn repaired(db: &dyn Db, edits: &[Edit]) -> Option<Vec<(Span, Mapping)>> {
    let mut repaired: Vec<(Span, Mapping)> = Vec::new();
    let mut of_items = FxHashMap::default();
    for edit in edits {
        let sites = of_items
            .entry(edit.span.item)
            .or_insert_with(|| mapping_sites(db, edit.span.item));
        // Of nested calls the innermost.
        let site = sites
            .iter()
            .filter(|site| site.holds(edit.span))
            .min_by_key(|site| site.body.end.saturating_sub(site.body.start))?;
        if repaired.iter().any(|(place, _)| *place == site.span) {
            continue;
        }
        let body = item_text(db, site.body.item);
        let mut text = body
            .text
            .get(site.body.start as usize..site.body.end as usize)?
            .to_owned();
        let mut own: Vec<&Edit> = edits.iter().filter(|edit| site.holds(edit.span)).collect();
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
