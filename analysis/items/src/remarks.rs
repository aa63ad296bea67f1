//! Remarks about mapping expressions that have a meaning: what one library does not take, and what says more than it needs.
//!
//! Knows the tree of an expression as it is written, and what each part of it stands for. What is wrong with an
//! expression is in its problems instead.

mod factors;
mod redundant;

use std::ops::Range;

use super::ids::Span;
use super::mappings::Observed;
use crate::mapping::{Grammar, Mapping, SyntaxKind, SyntaxNode};

/// Something to remark about a mapping expression.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MappingRemark {
    /// What.
    pub kind: MappingRemarkKind,
    /// Where.
    pub span: Span,
}

/// What there is to remark.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MappingRemarkKind {
    /// A number that stands for so many positions without an axis. The book's text writes it, its library refuses it.
    BareNumber(u64),
    /// Operators or factors that change nothing.
    Redundant {
        /// The first of them as it is written.
        written: String,
        /// How many there are in the expression.
        count: usize,
        /// The expression without them.
        simpler: String,
        /// The whole expression.
        whole: Span,
    },
    /// Neighbouring factors that are one again.
    Unmerged {
        /// The factors as they are written.
        written: String,
        /// The one that they are.
        merged: String,
    },
}

impl MappingRemark {
    /// The remark about the same text in another place: `from` is where it was read, `to` where it is.
    pub(super) fn moved_remark(mut self, from: Span, to: Span) -> Self {
        self.span = self.span.moved_span(from, to);
        if let MappingRemarkKind::Redundant { whole, .. } = &mut self.kind {
            *whole = whole.moved_span(from, to);
        }
        self
    }
}

/// An expression as it is written.
struct Expression<'a> {
    text: &'a str,
    observed: &'a Observed,
}

impl Expression<'_> {
    /// The text of some bytes.
    fn source_text(&self, place: &Range<usize>) -> &str {
        self.text.get(place.clone()).unwrap_or_default()
    }

    /// What a part stands for.
    fn mapping(&self, node: &SyntaxNode) -> Option<&Mapping> {
        self.observed.get(&(node.span.start, node.span.end))
    }
}

/// The remarks about an expression. What is redundant is remarked first: factors are compared once nothing is.
pub(super) fn mapping_remarks(
    tree: &SyntaxNode,
    text: &str,
    observed: &Observed,
    grammar: Grammar,
    body: Span,
) -> Vec<MappingRemark> {
    let expression = Expression { text, observed };
    // For the successor a number is positions that name no axis.
    let bare = if grammar.is_book() {
        bare_numbers(tree)
    } else {
        Vec::new()
    };
    let mut found: Vec<MappingRemark> = bare
        .into_iter()
        .map(|(count, place)| MappingRemark {
            kind: MappingRemarkKind::BareNumber(count),
            span: body.span_inside(&place),
        })
        .collect();
    if let Some(redundant) = redundant::find(&expression, tree) {
        let (first, count) = (&redundant.first, redundant.count);
        found.push(MappingRemark {
            span: body.span_inside(first),
            kind: MappingRemarkKind::Redundant {
                written: expression.source_text(first).to_owned(),
                count,
                simpler: redundant.simpler,
                whole: body.span_inside(&tree.span),
            },
        });
        return found;
    }
    for run in factors::find(&expression, tree) {
        found.push(MappingRemark {
            span: body.span_inside(&run.place),
            kind: MappingRemarkKind::Unmerged {
                written: expression.source_text(&run.place).to_owned(),
                merged: run.merged,
            },
        });
    }
    found
}

/// The bare numbers of a tree with their places.
fn bare_numbers(tree: &SyntaxNode) -> Vec<(u64, Range<usize>)> {
    let mut found = Vec::new();
    let mut pending = vec![tree];
    while let Some(node) = pending.pop() {
        match &node.kind {
            SyntaxKind::Number(count) => found.push((*count, node.span.clone())),
            SyntaxKind::Binary { left, .. } => pending.push(left),
            SyntaxKind::Pair(parts) => pending.extend(parts),
            SyntaxKind::Group(inner) => pending.push(inner),
            SyntaxKind::One
            | SyntaxKind::Name(_)
            | SyntaxKind::Escape { .. }
            | SyntaxKind::Missing => {}
        }
    }
    found
}

#[cfg(test)]
mod tests;
