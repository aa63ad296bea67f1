//! Right operands with their names resolved: the number that `/ { N }`, `% Axis` or `# (A / 2)` stands for.
//!
//! Knows which operands a release reads, and which mappings have a size to take; how a name is looked up is the resolver's.

use super::{MappingProblemKind, Resolver, grammar_of};
use crate::ids::Span;
use crate::mapping::{Construct, FactorKind, FactorNode, Mapping, MappingKind, uncountable_factor};
use crate::resolve::{Namespace, resolve_path};

impl Resolver<'_> {
    pub(super) fn factor_value(&mut self, factor: &FactorNode, body: Span) -> Option<u64> {
        let grammar = grammar_of(self.db, body);
        match &factor.kind {
            FactorKind::Literal(value) => Some(*value),
            FactorKind::Missing => None,
            FactorKind::Name(name) => {
                let span = body.span_inside(&factor.span);
                if self.is_constant(name) {
                    self.named_constant(span, span, true);
                    return None;
                }
                let known = grammar.reads_construct(Construct::AxisFactor);
                let found = resolve_path(self.db, self.scope, &[name], Namespace::Type);
                let named =
                    self.only_if(known, |resolver| resolver.found_mapping(name, found, span))?;
                self.operand_size(&named, span)
            }
            FactorKind::Mapping(node) => {
                let known = grammar.reads_construct(Construct::MappingFactor);
                let mapping = self.only_if(known, |resolver| resolver.node(node, body))?;
                self.operand_size(&mapping, body.span_inside(&factor.span))
            }
            FactorKind::Constant { content } => {
                let span = body.span_inside(content);
                if !grammar.reads_construct(Construct::ConstantFactor) {
                    self.named_constant(span, body.span_inside(&factor.span), true);
                    return None;
                }
                let value = self.constant(span);
                if value.is_none() {
                    self.push_problem(MappingProblemKind::UnresolvedEscape, span);
                }
                value
            }
        }
    }

    /// Reads an operand that only some releases take: in the others the operand itself is what is wrong, and nothing in it
    /// is a fault of its own.
    fn only_if(
        &mut self,
        known: bool,
        read: impl FnOnce(&mut Self) -> Option<Mapping>,
    ) -> Option<Mapping> {
        let before = self.problems.len();
        let mapping = read(self);
        if !known {
            self.problems.truncate(before);
            return None;
        }
        mapping
    }

    /// The size of a mapping as a right operand: what an alias or an escaped type stands for may have none to take.
    fn operand_size(&mut self, mapping: &Mapping, span: Span) -> Option<u64> {
        let Some(found) = uncountable_operator(mapping) else {
            return Some(mapping.size());
        };
        let reported = self.problems.iter().any(|problem| {
            matches!(problem.kind, MappingProblemKind::Grammar { .. })
                && problem.span.item == span.item
                && problem.span.start >= span.start
                && problem.span.end <= span.end
        });
        if !reported {
            let kind = MappingProblemKind::Grammar {
                message: uncountable_factor(found),
                instead: None,
            };
            self.push_problem(kind, span);
        }
        None
    }
}

/// The first operator of a mapping that has no size for a right operand to take.
fn uncountable_operator(mapping: &Mapping) -> Option<&'static str> {
    let mut mapping = mapping;
    loop {
        mapping = match mapping.kind() {
            MappingKind::Stride(inner, _) => inner,
            MappingKind::Identity | MappingKind::Axis(_) | MappingKind::Broadcast(_) => {
                return None;
            }
            MappingKind::Modulo(..) => return Some("`%`"),
            MappingKind::Resize(..) => return Some("`=`"),
            MappingKind::Pad(..) => return Some("`#`"),
            MappingKind::Product(_) => return Some("`,`"),
        };
    }
}
