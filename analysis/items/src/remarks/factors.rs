//! Neighbouring factors that are one again: `A / 4, A % 4` is `A`, and `A / 8, A / 4 % 2` is `A / 4`.
//!
//! Factors are compared as they are written, so that the merged one keeps the names of its place; whether both stand for
//! the same is asked of their forms.

use std::ops::Range;

use super::Expression;
use crate::mapping::{
    Answer, FactorKind, Mapping, Operator, SyntaxKind, SyntaxNode, mappings_equal,
};

/// Neighbours that are one factor.
pub(super) struct Run {
    /// Their bytes, the commas between them included.
    pub place: Range<usize>,
    /// The one factor.
    pub merged: String,
}

/// The runs of an expression; none is in another.
pub(super) fn find(expression: &Expression<'_>, tree: &SyntaxNode) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut pending = vec![tree];
    while let Some(node) = pending.pop() {
        match &node.kind {
            SyntaxKind::Binary { left, .. } => pending.push(left),
            SyntaxKind::Group(inner) => pending.push(inner),
            SyntaxKind::Pair(parts) => {
                let found = runs_of(expression, parts);
                let inside = |part: &&SyntaxNode| {
                    let within = |run: &Run| run.place.contains(&part.span.start);
                    !found.iter().any(within)
                };
                pending.extend(parts.iter().filter(inside));
                runs.extend(found);
            }
            SyntaxKind::One
            | SyntaxKind::Number(_)
            | SyntaxKind::Name(_)
            | SyntaxKind::Escape { .. }
            | SyntaxKind::Missing => {}
        }
    }
    runs.sort_by_key(|run| run.place.start);
    runs
}

fn runs_of(expression: &Expression<'_>, parts: &[SyntaxNode]) -> Vec<Run> {
    let mut runs = Vec::new();
    let mut last: Option<(Part<'_>, bool)> = None;
    for node in parts {
        let next = Part::of(expression, node);
        let merged = match (&last, &next) {
            (Some((last, _)), Some(next)) => last.merge(next),
            _ => None,
        };
        match merged {
            Some(merged) => last = Some((merged, true)),
            None => {
                runs.extend(last.take().and_then(finished));
                last = next.map(|next| (next, false));
            }
        }
    }
    runs.extend(last.and_then(finished));
    runs
}

fn finished((part, merged): (Part<'_>, bool)) -> Option<Run> {
    merged.then(|| Run {
        merged: part.text(),
        place: part.place,
    })
}

/// A factor: a base, `/ stride`, and `% modulo`.
struct Part<'a> {
    place: Range<usize>,
    /// What is cut, as it is written.
    base: &'a str,
    cut: Mapping,
    stride: u64,
    modulo: Option<u64>,
    mapping: Mapping,
}

impl<'a> Part<'a> {
    /// Reads the last strides and moduli of a chain of operators: one of each at most.
    fn of(expression: &'a Expression<'_>, node: &SyntaxNode) -> Option<Self> {
        let (mut stride, mut modulo) = (None, None);
        let mut base = node;
        while let SyntaxKind::Binary {
            operator,
            left,
            factor,
            ..
        } = &base.kind
        {
            let FactorKind::Literal(count) = factor.kind else {
                break;
            };
            match operator {
                Operator::Modulo if modulo.is_none() && stride.is_none() => modulo = Some(count),
                Operator::Stride if stride.is_none() => stride = Some(count),
                _ => break,
            }
            base = left;
        }
        Some(Self {
            place: node.span.clone(),
            base: expression.source_text(&base.span),
            cut: expression.mapping(base)?.clone(),
            stride: stride.unwrap_or(1),
            modulo,
            mapping: expression.mapping(node)?.clone(),
        })
    }

    /// This factor and the one inside of it as one, if they are one.
    fn merge(&self, inner: &Self) -> Option<Self> {
        if self.base != inner.base || self.cut != inner.cut {
            return None;
        }
        let inner_steps = inner.modulo?;
        if inner.stride.checked_mul(inner_steps)? != self.stride {
            return None;
        }
        let modulo = match self.modulo {
            Some(modulo) => Some(modulo.checked_mul(inner_steps)?),
            None => None,
        };
        let mut mapping = self.cut.clone();
        if inner.stride > 1 {
            mapping = mapping.stride(inner.stride).ok()?;
        }
        // The own size behind `%` would be redundant.
        let modulo = modulo.filter(|modulo| *modulo != mapping.size());
        if let Some(modulo) = modulo {
            mapping = mapping.modulo(modulo).ok()?;
        }
        let whole = self.mapping.pair(&inner.mapping).ok()?;
        (mappings_equal(&whole, &mapping) == Answer::Yes).then(|| Self {
            place: self.place.start..inner.place.end,
            base: self.base,
            cut: self.cut.clone(),
            stride: inner.stride,
            modulo,
            mapping,
        })
    }

    fn text(&self) -> String {
        let mut text = self.base.to_owned();
        if self.stride > 1 {
            text.push_str(&format!(" / {}", self.stride));
        }
        if let Some(modulo) = self.modulo {
            text.push_str(&format!(" % {modulo}"));
        }
        text
    }
}
