//! Proposals inside of `m!` and `i!`: axes and aliases with their sizes, operators, and right operands that fit.

use std::sync::Arc;

use crate::db::Db;
use crate::items::{
    ItemId, Namespace, Resolution, alias_mapping, item_text, resolve_path, visible_type_names,
};
use crate::kernel::Level;
use crate::mapping::Mapping;
use crate::numbers::thousands;
use crate::{Completion, CompletionKind};

use super::context::{Around, Bracket, Owner};
use super::expression::Expression;
use super::half::{Expects, expected_at_end, names_in_text};
use super::made::{Names, made_mappings};
use super::place::{MappingPlace, item_part};
use super::{annotated, numbers, word_proposal};

/// Bytes of an expression behind the cursor that are looked at.
const RIGHT_LIMIT: usize = 2_000;

/// Proposals for the macro that is the opener of that number.
pub(super) fn propose_mappings(db: &dyn Db, around: &Around, at: usize) -> Option<Vec<Completion>> {
    let opener = around.openers.get(at).copied()?;
    let Owner::Macro(name) = around.owner(opener) else {
        return None;
    };
    if name == "axes" {
        // A size is a literal, and which one is unknown.
        return None;
    }
    let (item, start) = around.item_end(db, opener.index)?;
    let (_, end) = around.item_here(db)?;
    let left = item_part(db, item, start, end.max(start));
    let expects = expected_at_end(&left);
    let expression = Expression {
        names: Names::at(db, item, start, end),
        right: right_of(db, item, end, &around.word),
        left,
        place: MappingPlace::of(db, around, at, item),
    };
    Some(match expects {
        Expects::Term => term_completions(around, &expression, item, Wrap::Escape),
        Expects::Type => term_completions(around, &expression, item, Wrap::Plain),
        Expects::Number { operator, operand } => {
            let operand = expression.left.get(operand)?.trim().to_owned();
            numbers::propose_numbers(around, &expression, operator, &operand)
        }
        Expects::Operator { operand } => {
            let operand = expression.left.get(operand)?.trim().to_owned();
            operators(around, &expression, &operand)
        }
        Expects::Other => Vec::new(),
    })
}

/// What follows the word under the cursor, up to the bracket that closes the macro.
fn right_of(db: &dyn Db, item: ItemId, end: u32, word: &str) -> String {
    let text = item_text(db, item);
    let rest = text.text.get(end as usize..).unwrap_or("").trim_start();
    let rest = rest.strip_prefix(word).unwrap_or(rest);
    let mut depth = 0_usize;
    let close = rest.char_indices().find(|(at, character)| {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return true,
            },
            _ => {}
        }
        *character == ';' || *at >= RIGHT_LIMIT
    });
    let end = close.map_or(rest.len(), |(at, _)| at);
    rest.get(..end).unwrap_or("").to_owned()
}

/// How an alias is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wrap {
    /// In braces: the macro takes a bare name for an axis.
    Escape,
    /// As it is: the braces are already.
    Plain,
}

fn term_completions(
    around: &Around,
    expression: &Expression<'_>,
    item: ItemId,
    wrap: Wrap,
) -> Vec<Completion> {
    let db = expression.names.db;
    let mut proposals = Vec::new();
    for name in visible_type_names(db, expression.names.scope()) {
        match resolve_path(db, expression.names.scope(), &[&name], Namespace::Type) {
            Resolution::Axis(axis) if wrap == Wrap::Escape => {
                let rank = axis_rank(expression, &name);
                let mut found = word_proposal(around, &*name, CompletionKind::Axis, rank);
                found.detail = axis.size.map(|size| format!("= {}", thousands(size)));
                proposals.push(found);
            }
            Resolution::Alias(alias) if alias != item => {
                proposals.extend(alias_proposal(around, expression, &name, alias, wrap));
            }
            _ => {}
        }
    }
    if wrap == Wrap::Escape {
        proposals.extend(fillers(around, expression));
        proposals.extend(whole_mapping(around, expression));
    }
    proposals
}

/// The whole mapping, where it follows from what is before it.
fn whole_mapping(around: &Around, expression: &Expression<'_>) -> Vec<Completion> {
    let place = &expression.place;
    let is_empty = expression.left.trim().is_empty() && expression.right.trim().is_empty();
    if !is_empty {
        return Vec::new();
    }
    let found = match (&place.receiver, place.method) {
        (Some(receiver), Some(method)) => {
            made_mappings(receiver, method, &place.arguments, &expression.names)
        }
        (None, None) if place.is_type => {
            let here = around.item_here(expression.names.db);
            here.and_then(|(item, offset)| {
                annotated::made_in_annotation(expression.names.db, item, offset)
            })
            .into_iter()
            .collect()
        }
        _ => Vec::new(),
    };
    let found = found.into_iter().zip(0_u32..);
    found
        .filter_map(|(made, rank)| {
            let text = expression.names.text(&made.mapping)?;
            let mut found = word_proposal(around, text, CompletionKind::Value, rank);
            found.detail = Some(made.words.to_string());
            Some(found)
        })
        .collect()
}

fn alias_proposal(
    around: &Around,
    expression: &Expression<'_>,
    name: &Arc<str>,
    alias: ItemId,
    wrap: Wrap,
) -> Option<Completion> {
    let db = expression.names.db;
    let result = alias_mapping(db, alias);
    let size = result.mapping.as_ref()?.size();
    let mut found = word_proposal(around, &**name, CompletionKind::Alias, 150);
    let text = item_text(db, alias);
    let expansion = text
        .text
        .split_once('=')
        .map(|(_, expansion)| expansion.trim().trim_end_matches(';').trim_end());
    found.detail = Some(match expansion {
        Some(expansion) => format!("{expansion} = {}", thousands(size)),
        None => format!("= {}", thousands(size)),
    });
    if wrap == Wrap::Escape {
        found.insert = format!("{{ {name} }}");
    }
    Some(found)
}

/// The lower, the likelier: what the receiver holds, before what it does not, before what is in the mapping already.
fn axis_rank(expression: &Expression<'_>, name: &str) -> u32 {
    let place = &expression.place;
    let holds = |mapping: &Option<Mapping>| {
        mapping
            .as_ref()
            .is_some_and(|mapping| mapping.form().contains_axis(name))
    };
    let is_used = |text: &str| names_in_text(text).any(|other| other == name);
    let base = if holds(&place.inner) {
        40
    } else if holds(&place.source) {
        60
    } else {
        100
    };
    if is_used(&expression.left) || is_used(&expression.right) {
        return base + 200;
    }
    let elsewhere = place.arguments.iter().rev().skip(1);
    base + if elsewhere.into_iter().any(|text| is_used(text)) {
        10
    } else {
        0
    }
}

/// The identity, and a level that is filled with nothing.
fn fillers(around: &Around, expression: &Expression<'_>) -> Vec<Completion> {
    let mut identity = word_proposal(around, "1", CompletionKind::Value, 160);
    identity.detail = Some("= 1".to_owned());
    let mut proposals = vec![identity];
    let machine = expression.place.machine;
    let whole = match expression.place.level {
        Some(Level::Cluster) => Some((machine.clusters, "clusters")),
        Some(Level::Slice) => Some((machine.slices, "slices")),
        _ => None,
    };
    if let Some((size, what)) = whole
        && expression.left.trim().is_empty()
        && expression.right.trim().is_empty()
    {
        let mut filler = word_proposal(around, format!("1 # {size}"), CompletionKind::Value, 120);
        filler.detail = Some(format!("one of the {size} {what} works"));
        proposals.push(filler);
    }
    proposals
}

/// Operators behind a whole term.
fn operators(around: &Around, expression: &Expression<'_>, operand: &str) -> Vec<Completion> {
    let Some(mapping) = expression.evaluate(operand) else {
        return Vec::new();
    };
    let size = thousands(mapping.size());
    let touches = around
        .before
        .first()
        .is_some_and(|token| around.end_of(token) == around.offset);
    let space = if touches { " " } else { "" };
    let rows = [
        (
            "/",
            format!("the outer part of {size}"),
            "`E / n`: one position for every `n` of `E`, which `n` divides.",
        ),
        (
            "%",
            format!("the inner part of {size}"),
            "`E % n`: the innermost `n` positions of `E`, which `n` divides.",
        ),
        (
            "#",
            format!("padded from {size}"),
            "`E # n`: `E` padded to `n` positions in total.",
        ),
        (
            "=",
            format!("the first of {size}"),
            "`E = n`: the first `n` positions of `E`.",
        ),
        (
            ",",
            "another part inside of it".to_owned(),
            "`E, F`: for each position of `E` all of `F`.",
        ),
    ];
    let in_group = around
        .openers
        .first()
        .is_some_and(|opener| opener.bracket == Bracket::Curly);
    if in_group {
        return Vec::new();
    }
    let rows = rows.into_iter().zip(0_u32..);
    rows.map(|((operator, detail, words), rank)| {
        let mut found = word_proposal(around, operator, CompletionKind::Keyword, rank);
        found.insert = if operator == "," {
            ", ".to_owned()
        } else {
            format!("{space}{operator} ")
        };
        found.detail = Some(detail);
        found.documentation = Some(words.to_owned());
        found
    })
    .collect()
}
