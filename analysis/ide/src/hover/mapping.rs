//! The page of an `m!`, or of a part of one.

use std::ops::Range;

use crate::db::Db;
use crate::items::{
    MappingParts, MappingProblemKind, MappingSite, NameRole, Namespace, Resolution, Span,
    item_text, mapping_parts, resolve_path, scope_at,
};
use crate::mapping::{FactorKind, FactorNode, SyntaxKind, SyntaxNode};

use super::super::Hover;
use super::layout::{ToldApart, layout_text};
use super::page::{Page, code, counted, prose};
use super::uses::{Use, mapping_uses};
use super::{alias, axis, range_of};

/// The page of what a token of an `m!` belongs to: a name, an operator with what it works on, a group; on the macro's name
/// and its brackets the whole.
pub(super) fn mapping_page(db: &dyn Db, site: &MappingSite, token: Span) -> Option<Hover> {
    let parts = mapping_parts(db, site);
    let inside = site.body.start <= token.start && token.end <= site.body.end;
    let place = inside.then(|| {
        let from = token.start.saturating_sub(site.body.start) as usize;
        let to = token.end.saturating_sub(site.body.start) as usize;
        (parts.tree.as_ref()).map(|tree| innermost_meant(tree, &(from..to)))
    });
    let node = place.flatten();
    if let Some(Meant::Name(name, span)) = &node
        && let Some(markdown) = name_page(db, site, name)
    {
        return Some(Hover {
            range: range_of(db, site.body.span_inside(span))?,
            markdown,
        });
    }
    let uses = mapping_uses(db, site.span.item, site.span);
    let (span, written, mapping) = match node {
        Some(Meant::Part(span)) => {
            let mapping = parts.mapping(&span).cloned();
            let place = site.body.span_inside(&span);
            (place, text_of(db, place), mapping)
        }
        _ => (
            site.span,
            text_of(db, site.body),
            parts.result.mapping.clone(),
        ),
    };
    let written = written.split_whitespace().collect::<Vec<_>>().join(" ");
    let markdown = match mapping {
        Some(mapping) => {
            let whole = span == site.span;
            let apart = ToldApart::at(db, site.span, &mapping);
            known_mapping_page(&written, &apart, uses.first(), whole)
        }
        None => unknown_mapping_page(&written, &parts, &uses),
    };
    Some(Hover {
        range: range_of(db, span)?,
        markdown,
    })
}

/// What a token of an expression belongs to.
enum Meant {
    /// A name.
    Name(String, Range<usize>),
    /// A part that its text stands for.
    Part(Range<usize>),
}

/// The innermost part around a token.
fn innermost_meant(tree: &SyntaxNode, token: &Range<usize>) -> Meant {
    let around = |span: &Range<usize>| span.start <= token.start && token.end <= span.end;
    let mut node = tree;
    // Each step goes to a part of the tree, whose depth the grammar bounds.
    loop {
        let next = match &node.kind {
            SyntaxKind::Name(name) => return Meant::Name(name.clone(), node.span.clone()),
            SyntaxKind::Pair(parts) => parts.iter().find(|part| around(&part.span)),
            SyntaxKind::Group(inner) => Some(&**inner).filter(|inner| around(&inner.span)),
            SyntaxKind::Binary { left, factor, .. } => {
                if around(&left.span) {
                    Some(&**left)
                } else {
                    match in_factor(factor, token) {
                        Some(Ok(node)) => Some(node),
                        Some(Err(name)) => return name,
                        None => None,
                    }
                }
            }
            SyntaxKind::One
            | SyntaxKind::Number(_)
            | SyntaxKind::Escape { .. }
            | SyntaxKind::Missing => None,
        };
        match next {
            Some(next) => node = next,
            None => return Meant::Part(node.span.clone()),
        }
    }
}

/// What a right operand holds that means something by itself: a mapping, or a name.
fn in_factor<'a>(
    factor: &'a FactorNode,
    token: &Range<usize>,
) -> Option<Result<&'a SyntaxNode, Meant>> {
    match &factor.kind {
        FactorKind::Mapping(node)
            if node.span.start <= token.start && token.end <= node.span.end =>
        {
            Some(Ok(node))
        }
        FactorKind::Name(name)
            if factor.span.start <= token.start && token.end <= factor.span.end =>
        {
            Some(Err(Meant::Name(name.clone(), factor.span.clone())))
        }
        _ => None,
    }
}

/// The page of a name in a mapping.
fn name_page(db: &dyn Db, site: &MappingSite, name: &str) -> Option<String> {
    let scope = scope_at(db, site.span.item, site.span.start);
    match resolve_path(db, &scope, &[name], Namespace::Type) {
        Resolution::Axis(found) => Some(axis::axis_page(db, &found, name, site.span.item.file(db))),
        Resolution::Alias(found) => alias::alias_page(db, found, name, site.span.item.file(db)),
        Resolution::Parameter(_) => {
            let uses = mapping_uses(db, site.span.item, site.span);
            let mut page = Page::headed(format!(
                "{}: a generic parameter, whose mapping each call gives",
                code(name)
            ));
            page.add_list("The whole mapping is", &by_kernel(&uses));
            Some(page.into_markdown())
        }
        _ => None,
    }
}

fn text_of(db: &dyn Db, span: Span) -> String {
    let text = item_text(db, span.item);
    let text = text.text.get(span.start as usize..span.end as usize);
    text.unwrap_or_default().to_owned()
}

/// The page of a mapping: what it is for, its size, its digits, the shortest way to write it.
fn known_mapping_page(
    written: &str,
    shown: &ToldApart<'_>,
    used: Option<&Use>,
    whole: bool,
) -> String {
    let size = shown.mapping.size();
    let sized = match used.filter(|_| whole) {
        Some(used) => used.size(size),
        None => counted(size, "position"),
    };
    let mut headline = format!("**{}**: {sized}", code(&format!("m![{written}]")));
    if let Some(bytes) = used.and_then(|used| used.bytes(size)) {
        headline.push_str(&format!(", {bytes}"));
    }
    let mut page = Page::headed(headline);
    if let Some(used) = used {
        let part = if whole { "The" } else { "Part of the" };
        page.add(format!("{part} {}.", used.use_in_words()));
    }
    page.add(layout_text(shown));
    page.into_markdown()
}

/// The page of a mapping without a value: why, and what the kernels make of it.
fn unknown_mapping_page(written: &str, parts: &MappingParts, uses: &[Use]) -> String {
    let mut page = Page::headed(format!("**{}**", code(&format!("m![{written}]"))));
    let mut reasons: Vec<String> = Vec::new();
    for problem in &parts.result.problems {
        let reason = prose(&problem_reason(&problem.kind));
        if !reasons.contains(&reason) {
            reasons.push(reason);
        }
    }
    let given = by_kernel(uses);
    if given.is_empty() && reasons.is_empty() {
        reasons.push("a name in it has no known mapping".to_owned());
    }
    page.add_list("No size, because", &reasons);
    page.add_list("As kernels call it", &given);
    page.into_markdown()
}

/// What a mapping with generic parameters is in each kernel, as far as they say.
fn by_kernel(uses: &[Use]) -> Vec<String> {
    let given = uses.iter().filter_map(|used| {
        let mapping = used.mapping.as_ref()?;
        let mut words = format!(
            "in {}: {}, {}",
            code(&used.kernel),
            code(&format!("m![{mapping}]")),
            used.size(mapping.size())
        );
        if let Some(bytes) = used.bytes(mapping.size()) {
            words.push_str(&format!(", {bytes}"));
        }
        Some(words)
    });
    given.collect()
}

fn problem_reason(kind: &MappingProblemKind) -> String {
    match kind {
        MappingProblemKind::Grammar { message, .. } => message.clone(),
        MappingProblemKind::NamedConstant { text, .. } => {
            format!("`{text}` is a constant, which the macro does not take here")
        }
        MappingProblemKind::UnknownAxis { name, .. } => format!("`{name}` names no axis in scope"),
        MappingProblemKind::OtherRole {
            name,
            wanted: NameRole::Axis,
            ..
        } => format!("`{name}` is a mapping, not an axis"),
        MappingProblemKind::OtherRole { name, .. } => {
            format!("`{name}` is an axis, not a mapping")
        }
        MappingProblemKind::Invalid(error) => error.to_string(),
        MappingProblemKind::CyclicAlias { name } => format!("`{name}` needs itself"),
        MappingProblemKind::UnresolvedEscape => {
            "it depends on a generic parameter or a constant that is not known here".to_owned()
        }
        MappingProblemKind::DuplicateAxis { name, .. } => format!("`{name}` is declared twice"),
        MappingProblemKind::AxisSizeZero { name } => format!("the axis `{name}` has no values"),
        MappingProblemKind::AxisSizeOverflow { name } => {
            format!("the size of `{name}` exceeds 64 bits")
        }
    }
}
