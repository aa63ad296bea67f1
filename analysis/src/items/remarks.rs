//! Remarks about mapping expressions that have a meaning: what one library does not take, and what says more than it needs.
//!
//! Knows the tree of an expression as it is written. What is wrong with an expression stands in its problems instead.

use std::ops::Range;

use super::ids::Span;
use crate::mapping::{Grammar, SyntaxKind, SyntaxNode};

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
}

/// The remarks about an expression of that tree.
pub(super) fn remarks(tree: &SyntaxNode, grammar: Grammar, body: Span) -> Vec<MappingRemark> {
    let mut found = Vec::new();
    if grammar == Grammar::VisaStd {
        for (count, place) in numbers(tree) {
            found.push(MappingRemark {
                kind: MappingRemarkKind::BareNumber(count),
                span: body.inside(&place),
            });
        }
    }
    found
}

/// The bare numbers of a tree with their places.
fn numbers(tree: &SyntaxNode) -> Vec<(u64, Range<usize>)> {
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
mod tests {
    use super::numbers;
    use crate::mapping::parse_mapping;

    #[test]
    fn bare_numbers_are_found_in_groups_and_pairs() {
        let (tree, errors) = parse_mapping("[A, 4] # 16 / 2, 1, (8 % 2)");
        assert!(errors.is_empty());
        let mut found: Vec<u64> = numbers(&tree.expect("a tree"))
            .into_iter()
            .map(|(count, _)| count)
            .collect();
        found.sort_unstable();
        assert_eq!(found, [4, 8]);
    }
}
