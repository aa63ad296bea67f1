//! Right operands: what may follow `/`, `%`, `=` and `#`, by the release of the macro.
//!
//! Knows what each release takes there, and of a mapping in parentheses which operators have a size to take; whether the
//! names in it are axes is not known here.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenTree};
use syn::parse::ParseStream;

use super::PaddingKind;
use super::grammar::Construct;
use super::reader::Reader;
use super::syntax::{FactorKind, FactorNode, Instead, Operator, SyntaxKind, SyntaxNode};

impl Reader<'_> {
    /// `{*}`, `{!}` or `{0}` after `#`; anything else in braces is a right operand.
    pub(super) fn padding_kind(
        &mut self,
        input: ParseStream<'_>,
        operator_span: &mut Range<usize>,
    ) -> PaddingKind {
        let Some((TokenTree::Group(group), _)) = input.cursor().token_tree() else {
            return PaddingKind::Top;
        };
        if group.delimiter() != Delimiter::Brace {
            return PaddingKind::Top;
        }
        let kind = match group.stream().to_string().as_str() {
            "*" => PaddingKind::Top,
            "!" => PaddingKind::Bottom,
            "0" => PaddingKind::Zero,
            _ => return PaddingKind::Top,
        };
        let Some((_, span)) = self.bump(input) else {
            return kind;
        };
        operator_span.end = span.end;
        if !self.grammar.reads_construct(Construct::PaddingKind) {
            let found = self.text.get(span.clone()).unwrap_or_default();
            let message = format!(
                "the right operand is {}, found `{found}`",
                self.grammar.factors()
            );
            let message = self
                .grammar
                .refusal_message(message, Construct::PaddingKind);
            // What `#{*}` means, `#` says in every release.
            let instead = (kind == PaddingKind::Top).then(|| Instead {
                span: span.clone(),
                text: String::new(),
            });
            self.error_instead(message, span, instead);
        }
        kind
    }

    /// What follows an operator.
    pub(super) fn read_factor(&mut self, input: ParseStream<'_>) -> FactorNode {
        let at = self.position(input);
        let kind = match input.cursor().token_tree() {
            Some((TokenTree::Literal(_), _)) => {
                let (value, _) = self.literal(input);
                value.map_or(FactorKind::Missing, FactorKind::Literal)
            }
            Some((TokenTree::Ident(identifier), _)) => {
                self.bump(input);
                let found = format!("the name `{identifier}`");
                self.refuse_operand(&found, Construct::AxisFactor, &at);
                FactorKind::Name(identifier.to_string())
            }
            Some((TokenTree::Group(group), _)) if group.delimiter() == Delimiter::Brace => {
                let content = self.brace_content(input);
                self.refuse_operand("`{`", Construct::ConstantFactor, &at);
                if content.is_empty() && self.grammar.reads_construct(Construct::ConstantFactor) {
                    self.error("the braces of a right operand hold a constant", at.clone());
                }
                FactorKind::Constant { content }
            }
            Some((TokenTree::Group(group), _)) if group.delimiter() == Delimiter::Parenthesis => {
                self.refuse_operand("`(`", Construct::MappingFactor, &at);
                self.mapping_factor(input, &at)
            }
            Some((TokenTree::Group(group), _))
                if group.delimiter() == Delimiter::Bracket && !self.grammar.is_book() =>
            {
                self.bracket_factor(input, &at)
            }
            Some(_) => {
                let (found, span) = self.describe(input);
                self.error(self.expected_factor(&found), span);
                return FactorNode {
                    kind: FactorKind::Missing,
                    span: at.start..at.start,
                };
            }
            None => {
                let factors = self.grammar.factors();
                let message = format!("the right operand is {factors}; nothing is here");
                self.error(message, at.clone());
                FactorKind::Missing
            }
        };
        FactorNode { kind, span: at }
    }

    fn expected_factor(&self, found: &str) -> String {
        let factors = self.grammar.factors();
        format!("the right operand is {factors}, found {found}")
    }

    /// An error at an operand that other releases read.
    fn refuse_operand(&mut self, found: &str, construct: Construct, at: &Range<usize>) {
        if !self.grammar.reads_construct(construct) {
            let message = self.expected_factor(found);
            let message = self.grammar.refusal_message(message, construct);
            self.error(message, at.clone());
        }
    }

    fn mapping_factor(&mut self, input: ParseStream<'_>, at: &Range<usize>) -> FactorKind {
        let missing = SyntaxNode {
            kind: SyntaxKind::Missing,
            span: at.clone(),
        };
        let before = self.errors.len();
        let node = self.group(input, at.clone(), missing);
        if !self.grammar.is_book() && !self.grammar.reads_construct(Construct::MappingFactor) {
            // Nothing in an operand that is not read is a fault of its own.
            self.errors.truncate(before);
        }
        if self.grammar.reads_construct(Construct::MappingFactor) {
            self.countable(&node);
        }
        FactorKind::Mapping(Box::new(node))
    }

    /// Square brackets group mappings, but no right operand.
    fn bracket_factor(&mut self, input: ParseStream<'_>, at: &Range<usize>) -> FactorKind {
        let message = self.expected_factor("`[`");
        let inner = at.start.saturating_add(1)..at.end.saturating_sub(1);
        let instead = self
            .grammar
            .reads_construct(Construct::MappingFactor)
            .then(|| {
                let inner = self.text.get(inner).unwrap_or_default();
                Instead {
                    span: at.clone(),
                    text: format!("({inner})"),
                }
            });
        self.bump(input);
        self.error_instead(message, at.clone(), instead);
        FactorKind::Missing
    }

    /// A right operand has a size that is counted: a number, an axis, or a quotient of such. The first other operator is
    /// reported. An escaped type may be anything.
    fn countable(&mut self, node: &SyntaxNode) {
        let mut node = node;
        loop {
            match &node.kind {
                SyntaxKind::Group(inner) => node = inner,
                SyntaxKind::Binary {
                    operator: Operator::Stride,
                    left,
                    ..
                } => node = left,
                SyntaxKind::Binary { operator_span, .. } => {
                    let found = self.text.get(operator_span.clone()).unwrap_or_default();
                    let message = uncountable(&format!("`{found}`"));
                    self.error(message, operator_span.clone());
                    return;
                }
                SyntaxKind::Pair(parts) => {
                    // The comma is what makes it a pair.
                    let comma = parts.first().map_or(node.span.start, |part| part.span.end);
                    let span = comma..node.span.end;
                    let offset = self
                        .text
                        .get(span)
                        .and_then(|text| text.find(','))
                        .unwrap_or(0);
                    let comma = comma.saturating_add(offset);
                    self.error(uncountable("`,`"), comma..comma.saturating_add(1));
                    return;
                }
                SyntaxKind::One
                | SyntaxKind::Number(_)
                | SyntaxKind::Name(_)
                | SyntaxKind::Escape { .. }
                | SyntaxKind::Missing => return,
            }
        }
    }
}

/// What is said of a right operand whose size cannot be taken.
pub fn uncountable(found: &str) -> String {
    format!(
        "a right operand in parentheses is a number, an axis, or a quotient of them, found {found}"
    )
}
