//! Operators that change nothing: a stride of 1, and the own size after `%`, `#` or `=`; factors of one position in a pair.

use std::ops::Range;

use super::Expression;
use crate::mapping::{FactorKind, Operator, SyntaxKind, SyntaxNode};

/// What is redundant in an expression.
pub(super) struct Redundant {
    /// The first place of it.
    pub first: Range<usize>,
    /// How many places there are.
    pub count: usize,
    /// The expression without it.
    pub simpler: String,
}

/// What is redundant in an expression, if anything.
pub(super) fn find(expression: &Expression<'_>, tree: &SyntaxNode) -> Option<Redundant> {
    let mut writer = Writer {
        expression,
        places: Vec::new(),
    };
    let simpler = writer.write(tree);
    let first = writer
        .places
        .iter()
        .min_by_key(|place| place.start)?
        .clone();
    Some(Redundant {
        first,
        count: writer.places.len(),
        simpler,
    })
}

struct Writer<'a> {
    expression: &'a Expression<'a>,
    places: Vec<Range<usize>>,
}

impl Writer<'_> {
    /// The text of a part without what is redundant in it. Brackets nest no deeper than the grammar's limit.
    fn write(&mut self, node: &SyntaxNode) -> String {
        match &node.kind {
            SyntaxKind::Binary { .. } => self.chain(node),
            SyntaxKind::Pair(parts) => self.pair(parts),
            SyntaxKind::Group(inner) => {
                let source = self.expression.source_text(&node.span);
                let open = if source.starts_with('(') {
                    ('(', ')')
                } else {
                    ('[', ']')
                };
                format!("{}{}{}", open.0, self.write(inner), open.1)
            }
            SyntaxKind::One
            | SyntaxKind::Number(_)
            | SyntaxKind::Name(_)
            | SyntaxKind::Escape { .. }
            | SyntaxKind::Missing => self.expression.source_text(&node.span).to_owned(),
        }
    }

    /// Operators nest to the left; they are walked as a loop.
    fn chain(&mut self, node: &SyntaxNode) -> String {
        let mut steps = Vec::new();
        let mut current = node;
        while let SyntaxKind::Binary {
            operator,
            operator_span,
            left,
            factor,
        } = &current.kind
        {
            let place = operator_span.start..factor.span.end.max(operator_span.end);
            let redundant = match factor.kind {
                FactorKind::Literal(count) => self.changes_nothing(*operator, left, count),
                _ => false,
            };
            steps.push((place, redundant));
            current = left;
        }
        let mut text = self.write(current);
        for (place, redundant) in steps.into_iter().rev() {
            if redundant {
                self.places.push(place);
            } else {
                text.push(' ');
                text.push_str(self.expression.source_text(&place));
            }
        }
        text
    }

    fn changes_nothing(&self, operator: Operator, left: &SyntaxNode, count: u64) -> bool {
        match operator {
            Operator::Stride => count == 1,
            Operator::Modulo | Operator::Resize | Operator::Pad(_) => self
                .expression
                .mapping(left)
                .is_some_and(|mapping| mapping.size() == count),
        }
    }

    fn pair(&mut self, parts: &[SyntaxNode]) -> String {
        let mut kept = Vec::new();
        for part in parts {
            if is_one(part) {
                self.places.push(part.span.clone());
            } else {
                kept.push(self.write(part));
            }
        }
        if kept.is_empty() {
            "1".to_owned()
        } else {
            kept.join(", ")
        }
    }
}

/// `1`, or a part that ends in `% 1`.
fn is_one(part: &SyntaxNode) -> bool {
    match &part.kind {
        SyntaxKind::One => true,
        SyntaxKind::Binary {
            operator: Operator::Modulo,
            factor,
            ..
        } => factor.kind == FactorKind::Literal(1),
        _ => false,
    }
}
