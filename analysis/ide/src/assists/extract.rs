//! A mapping, or a part of one, gets a name of its own.
//!
//! The alias is before the item, or, where the mapping needs names of a block, before the statement. It is written as the
//! author wrote the mapping. An alias in a mapping is a type among axes, so it is in braces there.
//!
//! Of a list its last parts may be named together: a list is the pair of its first part and the rest, so that its type stays
//! the same. With other neighbours named it would map the same but be another type for the compiler, so these are left.

use std::ops::Range;

use ra_ap_syntax::SyntaxKind;
use ra_ap_syntax::ast::{self, AstNode};

use crate::items::{
    ItemId, MappingParts, MappingSite, Namespace, Resolution, ScopeRef, Span, file_items,
    item_text, mapping_parts, mapping_sites, resolve_mapping_text, resolve_path, scope_at,
};
use crate::mapping::{self, Mapping, SyntaxNode};
use crate::report::FileEdit;

use super::super::names::{files_around, word_places};
use super::super::{Assist, AssistKind, ByteRange};
use super::{Here, is_type, line_break, line_indentation, macro_type, slice, token_from};

/// Names that are tried for an alias.
const NAMES: u32 = 100;
/// Nodes of an expression inside each other that are looked at.
const DEPTH: u32 = 64;

/// What is named.
struct Chosen {
    site: MappingSite,
    /// The mapping as it is normalised, without brackets around it.
    text: String,
    /// The same without white space, for comparing.
    squeezed: String,
    /// The same as it is in the file.
    written: String,
    mapping: Mapping,
    /// Where it is: the whole call, or a part of the body.
    place: Use,
    /// Whether it is the end of a list.
    is_tail: bool,
}

/// A part of a mapping, in bytes of the body.
struct Part {
    /// With the groups around it.
    place: Range<usize>,
    /// Without them.
    inner: Range<usize>,
    mapping: Mapping,
    /// Whether it is the end of a list.
    is_tail: bool,
}

/// A place where the name is to be.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Use {
    range: ByteRange,
    /// In a mapping, not in its place.
    inside: bool,
}

/// The text that the alias is added to.
struct Room {
    /// Where its declaration starts.
    at: u32,
    /// What is written before and behind the declaration.
    around: (String, String),
    /// The block that sees it, in bytes of the item's file; `None` for the module.
    block: Option<ByteRange>,
}

/// Names the mapping at the selection.
pub(super) fn extract(here: &Here<'_>) -> Vec<Assist> {
    let Some(chosen) = choose_part(here) else {
        return Vec::new();
    };
    let Some(room) = alias_room(here, &chosen) else {
        return Vec::new();
    };
    let Some(name) = free_name(here, &chosen.site) else {
        return Vec::new();
    };
    let declaration = here.file_edit(
        ByteRange {
            start: room.at,
            end: room.at,
        },
        format!(
            "{}type {name} = m![{}];{}",
            room.around.0, chosen.written, room.around.1
        ),
    );
    let put = |place: &Use| {
        let text = if place.inside {
            format!("{{ {name} }}")
        } else {
            name.clone()
        };
        here.file_edit(place.range, text)
    };
    let assist = |title: String, uses: &[Use]| Assist {
        title,
        kind: AssistKind::Extract,
        edits: std::iter::once(declaration.clone())
            .chain(uses.iter().map(put))
            .collect::<Vec<FileEdit>>(),
    };
    let mut assists = vec![assist(
        format!("Extract to the alias `{name}`"),
        std::slice::from_ref(&chosen.place),
    )];
    let all = occurrences(here, &chosen, &room);
    if all.len() > 1 && all.contains(&chosen.place) {
        assists.push(assist(
            format!("Extract to the alias `{name}`, replacing all {}", all.len()),
            &all,
        ));
    }
    assists
}

fn choose_part(here: &Here<'_>) -> Option<Chosen> {
    let sites = mapping_sites(here.db, here.item);
    // The innermost: an escape may hold another call, which is not a site of its own.
    let site = sites.iter().rev().find(|site| here.is_at(site.span))?;
    let range = here.range(site.span)?;
    if !is_type(here.db, here.file, site, range) || !site.problems.is_empty() {
        return None;
    }
    let whole = site.mappings.first().cloned().flatten()?;
    let parts = mapping_parts(here.db, site);
    let tree = parts.tree.as_ref()?;
    let selection = here.selection;
    if selection.start < selection.end && selection != range {
        let part = selected(here, site, &parts, tree, 0)?;
        let place = Use {
            range: here.range(site.body.span_inside(&part.place))?,
            inside: true,
        };
        return chosen_part(here, site, part, place);
    }
    let plain = matches!(
        tree.kind,
        mapping::SyntaxKind::Name(_) | mapping::SyntaxKind::Escape { .. }
    );
    if plain || is_alias_of(here, range) {
        return None;
    }
    let body = 0..(site.body.end.saturating_sub(site.body.start)) as usize;
    let part = Part {
        place: body.clone(),
        inner: body,
        mapping: whole,
        is_tail: false,
    };
    let inside = false;
    chosen_part(here, site, part, Use { range, inside })
}

fn chosen_part(here: &Here<'_>, site: &MappingSite, part: Part, place: Use) -> Option<Chosen> {
    let span = site.body.span_inside(&part.inner);
    let text = source_text(here, span)?.trim().to_owned();
    let written = slice(&here.text, here.range(span)?)?.trim().to_owned();
    // A comment at the end of a line would swallow what follows.
    (!written.contains("//")).then_some(Chosen {
        site: site.clone(),
        squeezed: squeezed(&text),
        text,
        written,
        mapping: part.mapping,
        place,
        is_tail: part.is_tail,
    })
}

fn squeezed(text: &str) -> String {
    text.split_whitespace().collect()
}

fn source_text(here: &Here<'_>, span: Span) -> Option<String> {
    let text = item_text(here.db, span.item);
    let text = text.text.get(span.start as usize..span.end as usize)?;
    Some(text.to_owned())
}

/// The part that is exactly selected, white space aside; no single name, number or escape: it has a name already.
fn selected(
    here: &Here<'_>,
    site: &MappingSite,
    parts: &MappingParts,
    node: &SyntaxNode,
    depth: u32,
) -> Option<Part> {
    if depth > DEPTH {
        return None;
    }
    let wanted = trimmed_selection(here)?;
    let range = here.range(site.body.span_inside(&node.span))?;
    if range == wanted {
        let inner = without_groups(node);
        return worth_a_name(inner).then_some(Part {
            place: node.span.clone(),
            inner: inner.span.clone(),
            mapping: parts.mapping(&inner.span)?.clone(),
            is_tail: false,
        });
    }
    if range.end < wanted.end || wanted.start < range.start {
        return None;
    }
    let is_wanted = |tail: &&[SyntaxNode]| {
        let place = span_of(tail).and_then(|span| here.range(site.body.span_inside(&span)));
        place == Some(wanted)
    };
    if let Some(tail) = list_tails(node).find(is_wanted) {
        return tail_part(parts, tail);
    }
    children(node)
        .into_iter()
        .find_map(|child| selected(here, site, parts, child, depth + 1))
}

/// The ends of a list that are lists themselves, but not the whole one.
fn list_tails(node: &SyntaxNode) -> impl Iterator<Item = &[SyntaxNode]> {
    let parts = match &node.kind {
        mapping::SyntaxKind::Pair(parts) => parts.as_slice(),
        _ => &[],
    };
    (1..parts.len().saturating_sub(1)).filter_map(|from| parts.get(from..))
}

fn span_of(parts: &[SyntaxNode]) -> Option<Range<usize>> {
    Some(parts.first()?.span.start..parts.last()?.span.end)
}

fn tail_part(parts: &MappingParts, tail: &[SyntaxNode]) -> Option<Part> {
    let span = span_of(tail)?;
    let each = tail.iter().map(|part| parts.mapping(&part.span).cloned());
    let each: Vec<Mapping> = each.collect::<Option<_>>()?;
    Some(Part {
        place: span.clone(),
        inner: span,
        mapping: Mapping::product(&each).ok()?,
        is_tail: true,
    })
}

fn trimmed_selection(here: &Here<'_>) -> Option<ByteRange> {
    let text = slice(&here.text, here.selection)?;
    let before = u32::try_from(text.len() - text.trim_start().len()).ok()?;
    let behind = u32::try_from(text.len() - text.trim_end().len()).ok()?;
    Some(ByteRange {
        start: here.selection.start.checked_add(before)?,
        end: here.selection.end.checked_sub(behind)?,
    })
}

fn children(node: &SyntaxNode) -> Vec<&SyntaxNode> {
    match &node.kind {
        mapping::SyntaxKind::Pair(parts) => parts.iter().collect(),
        mapping::SyntaxKind::Group(inner) => vec![inner],
        mapping::SyntaxKind::Binary { left, .. } => vec![left],
        _ => Vec::new(),
    }
}

/// What is inside of groups.
fn without_groups(node: &SyntaxNode) -> &SyntaxNode {
    let mut node = node;
    while let mapping::SyntaxKind::Group(inner) = &node.kind {
        node = inner;
    }
    node
}

fn worth_a_name(node: &SyntaxNode) -> bool {
    matches!(
        node.kind,
        mapping::SyntaxKind::Pair(_) | mapping::SyntaxKind::Binary { .. }
    )
}

/// Whether the call is all that an alias stands for: it has a name then.
fn is_alias_of(here: &Here<'_>, range: ByteRange) -> bool {
    macro_type(here.db, here.file, range)
        .and_then(|(node, _)| node.syntax().parent())
        .is_some_and(|parent| ast::TypeAlias::can_cast(parent.kind()))
}

/// Where the alias can be so that all its names mean what they mean now: in the module, else in the block.
fn alias_room(here: &Here<'_>, chosen: &Chosen) -> Option<Room> {
    let module = ScopeRef::module(here.item.module(here.db));
    let there = resolve_mapping_text(here.db, &module, &chosen.text, chosen.site.body);
    if there.problems.is_empty() && there.mapping.as_ref() == Some(&chosen.mapping) {
        return before_item(here);
    }
    before_statement(here, chosen)
}

fn before_item(here: &Here<'_>) -> Option<Room> {
    let (start, _) = here.tokens.item_range(here.item)?;
    let (token, base) = token_from(here.db, here.file, start)?;
    let item = token.parent_ancestors().find(|node| {
        let around = node.parent().map(|parent| parent.kind());
        ast::Item::can_cast(node.kind())
            && matches!(
                around,
                Some(SyntaxKind::SOURCE_FILE | SyntaxKind::ITEM_LIST)
            )
    })?;
    let at = u32::from(item.text_range().start()).checked_add(base)?;
    let next = line_break(&here.text);
    let indent = line_indentation(&here.text, at);
    // Aliases are together, other items apart.
    let apart = if ast::TypeAlias::can_cast(item.kind()) {
        ""
    } else {
        next
    };
    Some(Room {
        at,
        around: (String::new(), format!("{next}{apart}{indent}")),
        block: None,
    })
}

fn before_statement(here: &Here<'_>, chosen: &Chosen) -> Option<Room> {
    let range = here.range(chosen.site.span)?;
    let (token, base) = token_from(here.db, here.file, range.start)?;
    let (statement, list) = token.parent_ancestors().find_map(|node| {
        let list = node.parent()?;
        ast::StmtList::can_cast(list.kind()).then_some((node, list))
    })?;
    let file_byte = |at: ra_ap_syntax::TextSize| u32::from(at).checked_add(base);
    let at = file_byte(statement.text_range().start())?;
    let block = ByteRange {
        start: file_byte(list.text_range().start())?,
        end: file_byte(list.text_range().end())?,
    };
    let next = line_break(&here.text);
    let indent = line_indentation(&here.text, at);
    let behind = if indent.is_empty() && !starts_line(&here.text, at) {
        " ".to_owned()
    } else {
        format!("{next}{indent}")
    };
    Some(Room {
        at,
        around: (String::new(), behind),
        block: Some(block),
    })
}

fn starts_line(text: &str, at: u32) -> bool {
    let before = text.get(..at as usize).unwrap_or_default();
    before.is_empty() || before.ends_with('\n')
}

/// A name that nothing has where the alias can be seen.
fn free_name(here: &Here<'_>, site: &MappingSite) -> Option<String> {
    let scope = scope_at(here.db, here.item, site.span.start);
    let texts: Vec<_> = files_around(here.db, here.file)
        .into_iter()
        .map(|file| file.text(here.db))
        .collect();
    (1..=NAMES)
        .map(|number| format!("Mapping{number}"))
        .find(|name| {
            let unknown = matches!(
                resolve_path(here.db, &scope, &[name.as_str()], Namespace::Type),
                Resolution::Unknown { .. }
            );
            unknown
                && texts
                    .iter()
                    .all(|text| word_places(text, name).next().is_none())
        })
}

/// All places that see the alias and say the same, in the order of the file.
fn occurrences(here: &Here<'_>, chosen: &Chosen, room: &Room) -> Vec<Use> {
    let module = here.item.module(here.db);
    let items: Vec<ItemId> = match room.block {
        Some(_) => vec![here.item],
        None => {
            let items = file_items(here.db, here.file);
            let own = items.items.iter().copied();
            own.filter(|item| item.module(here.db) == module).collect()
        }
    };
    let mut uses = Vec::new();
    for item in items {
        here.db.unwind_if_revision_cancelled();
        for site in mapping_sites(here.db, item).iter() {
            let Some(range) = here.range(site.span) else {
                continue;
            };
            let seen = room
                .block
                .is_none_or(|block| block.start <= range.start && range.end <= block.end);
            if seen && site.problems.is_empty() && is_type(here.db, here.file, site, range) {
                in_site(here, chosen, site, range, &mut uses);
            }
        }
    }
    uses.sort_by_key(|place| place.range);
    uses
}

fn in_site(
    here: &Here<'_>,
    chosen: &Chosen,
    site: &MappingSite,
    range: ByteRange,
    uses: &mut Vec<Use>,
) {
    let Some(body) =
        source_text(here, site.body).map(|push_macro_tokens| squeezed(&push_macro_tokens))
    else {
        return;
    };
    if !body.contains(&chosen.squeezed) {
        return;
    }
    let says_it = |span: Span| {
        source_text(here, span).is_some_and(|given_text| squeezed(&given_text) == chosen.squeezed)
    };
    let same = |mapping: Option<&Mapping>| mapping == Some(&chosen.mapping);
    if says_it(site.body) && same(site.mappings.first().and_then(Option::as_ref)) {
        if !is_alias_of(here, range) {
            let inside = false;
            uses.push(Use { range, inside });
        }
        return;
    }
    let parts = mapping_parts(here.db, site);
    let mut pending: Vec<&SyntaxNode> = parts.tree.iter().collect();
    while let Some(node) = pending.pop() {
        let inner = without_groups(node);
        let mut put = |part: &Range<usize>| {
            let inside = true;
            let range = here.range(site.body.span_inside(part));
            uses.extend(range.map(|range| Use { range, inside }));
        };
        if worth_a_name(inner)
            && says_it(site.body.span_inside(&inner.span))
            && same(parts.mapping(&inner.span))
        {
            put(&node.span);
            continue;
        }
        let tail = list_tails(node)
            .filter(|_| chosen.is_tail)
            .find_map(|tail| {
                let part = tail_part(&parts, tail)?;
                let fits = says_it(site.body.span_inside(&part.inner)) && same(Some(&part.mapping));
                fits.then_some((tail.len(), part.place))
            });
        let mut inside = children(node);
        if let Some((length, place)) = tail {
            put(&place);
            inside.truncate(inside.len().saturating_sub(length));
        }
        pending.extend(inside);
    }
}
