//! The grammars of `axes!`, `m!` and `i!`: from the text of a macro's body to a tree with byte spans.
//!
//! Names are not resolved here and sizes not known; a tree may ask for what has no meaning. Parsing never fails: what
//! is wrong is returned beside as much of the tree as could be read, so that the rest of a half-typed expression still
//! counts. The grammars are token streams, read with `syn` over the tokens of `proc_macro2` as the real macros do.

use std::ops::Range;

use syn::parse::{ParseStream, Parser};

use super::PaddingKind;
use super::grammar::Grammar;
use super::reader::{Reader, drain};
use super::repair;

/// The deepest nesting of brackets in a macro's body that is read.
pub(super) const NESTING_LIMIT: usize = 64;

/// A part of a mapping expression as written.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct SyntaxNode {
    /// What is written.
    pub kind: SyntaxKind,
    /// Bytes of the macro's body.
    pub span: Range<usize>,
}

/// The forms of a mapping expression (book: Mapping Expressions).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SyntaxKind {
    /// `1`, the identity.
    One,
    /// Another number: that many positions that name no axis.
    Number(u64),
    /// An axis, or in the position of a type an alias.
    Name(String),
    /// `{ … }`: a type pasted verbatim. The range is what is between the braces, without outer white space.
    Escape {
        /// Bytes of the escaped type.
        content: Range<usize>,
    },
    /// An operator and its right operand.
    Binary {
        /// Which.
        operator: Operator,
        /// The operator's own bytes, with a padding kind.
        operator_span: Range<usize>,
        /// What it works on.
        left: Box<SyntaxNode>,
        /// By how much.
        factor: FactorNode,
    },
    /// Parts separated by commas, outermost first; at least two.
    Pair(Vec<SyntaxNode>),
    /// Parentheses or square brackets.
    Group(Box<SyntaxNode>),
    /// Nothing where something must be.
    Missing,
}

/// The operators of a mapping expression.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Operator {
    /// `/`.
    Stride,
    /// `%`.
    Modulo,
    /// `=`.
    Resize,
    /// `#`, `#{0}`, `#{!}`.
    Pad(PaddingKind),
}

/// A right operand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FactorNode {
    /// What is written.
    pub kind: FactorKind,
    /// Bytes of the macro's body.
    pub span: Range<usize>,
}

/// The forms of a right operand.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum FactorKind {
    /// A number.
    Literal(u64),
    /// `{ constant }` (the successor's library).
    Constant {
        /// Bytes of the expression between the braces.
        content: Range<usize>,
    },
    /// An axis, meaning its size (the successor's library).
    Name(String),
    /// A parenthesised mapping, meaning its size (the successor's library).
    Mapping(Box<SyntaxNode>),
    /// Nothing, or a literal that is no number of 64 bits.
    Missing,
}

/// What the macro would refuse, at the offending token.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct GrammarError {
    /// What is there and what could.
    pub message: String,
    /// Bytes of the macro's body; empty at its end.
    pub span: Range<usize>,
    /// What says the same in the macro's own words, where that is plain.
    pub instead: Option<Instead>,
}

/// Another text for a part of a macro's body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Instead {
    /// The bytes of the macro's body that it replaces.
    pub span: Range<usize>,
    /// The text.
    pub text: String,
}

impl GrammarError {
    pub(super) fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self {
            message: message.into(),
            span,
            instead: None,
        }
    }
}

/// One entry of `axes!`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct AxisDeclaration {
    /// The axis's name.
    pub name: String,
    /// The name's bytes.
    pub name_span: Range<usize>,
    /// The size, if it is a literal or arithmetic of literals that fits 64 bits.
    pub size: Option<u64>,
    /// The size's bytes; empty where it is missing.
    pub size_span: Range<usize>,
}

/// One entry of `i!`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct IndexEntry {
    /// The mapping before the colon.
    pub mapping: SyntaxNode,
    /// Bytes of the value after it; empty where it is missing.
    pub value_span: Range<usize>,
}

/// Reads the body of `m!` in the book's dialect.
pub fn parse_mapping(text: &str) -> (Option<SyntaxNode>, Vec<GrammarError>) {
    parse_mapping_in(text, Grammar::VisaStd)
}

/// Reads the body of `m!`. The tree is `None` only where no token could be read.
pub fn parse_mapping_in(text: &str, grammar: Grammar) -> (Option<SyntaxNode>, Vec<GrammarError>) {
    with_tokens(text, grammar, |reader, input| {
        if input.is_empty() && !reader.errors.is_empty() {
            return None;
        }
        if input.is_empty() {
            let message = "an empty mapping; write `m![1]` for a single position".to_owned();
            let place = reader.end..reader.end;
            let instead = (!grammar.is_book()).then(|| Instead {
                span: place.clone(),
                text: "1".to_owned(),
            });
            reader.error_instead(message, place, instead);
            return None;
        }
        Some(reader.pair(input, None))
    })
}

/// Reads the body of `axes!` in the book's dialect. The declarations are the same in every other.
pub fn parse_axes(text: &str) -> (Vec<AxisDeclaration>, Vec<GrammarError>) {
    parse_axes_in(text, Grammar::VisaStd)
}

/// Reads the body of `axes!`.
pub fn parse_axes_in(text: &str, grammar: Grammar) -> (Vec<AxisDeclaration>, Vec<GrammarError>) {
    with_tokens(text, grammar, |reader, input| {
        let mut declarations = Vec::new();
        while !input.is_empty() {
            declarations.extend(reader.axis(input));
            reader.comma_or_skip(input);
        }
        declarations
    })
}

/// Reads the body of `i!`.
#[cfg(test)]
pub fn parse_index(text: &str) -> (Vec<IndexEntry>, Vec<GrammarError>) {
    parse_index_in(text, Grammar::VisaStd)
}

/// Reads the body of `i!` by the grammar of one library.
pub fn parse_index_in(text: &str, grammar: Grammar) -> (Vec<IndexEntry>, Vec<GrammarError>) {
    with_tokens(text, grammar, |reader, input| {
        let mut entries = Vec::new();
        while !input.is_empty() {
            let before = reader.errors.len();
            let mapping = if grammar.is_book() {
                reader.unary_until(input, Some(':'))
            } else {
                reader.pair_until(input, None, Some(':'))
            };
            // What is wrong before a colon that is missing says enough.
            let faulty = !grammar.is_book() && reader.errors.len() > before;
            let mut colon = true;
            let value_span = if input.peek(syn::Token![:]) {
                reader.bump(input);
                reader.skip_to_comma(input)
            } else {
                colon = false;
                let at = reader.position(input);
                if !faulty {
                    reader.error("an index entry is `mapping: value`; the `:` is missing", at);
                }
                reader.skip_to_comma(input)
            };
            if value_span.is_empty() && (colon || grammar.is_book()) {
                reader.error(
                    "an index entry is `mapping: value`; the value is missing",
                    value_span.clone(),
                );
            }
            entries.push(IndexEntry {
                mapping,
                value_span,
            });
            reader.comma_or_skip(input);
        }
        entries
    })
}

/// Lexes, reads, and forgets the thread's source map, which would otherwise grow with every macro.
fn with_tokens<T: Default>(
    text: &str,
    grammar: Grammar,
    read: impl FnOnce(&mut Reader<'_>, ParseStream<'_>) -> T,
) -> (T, Vec<GrammarError>) {
    let (tokens, errors) = repair::mended_tokens(text);
    let mut reader = Reader {
        text,
        errors,
        grammar,
        end: text.trim_end().len(),
    };
    let result = (|input: ParseStream<'_>| {
        let value = read(&mut reader, input);
        drain(input);
        Ok(value)
    })
    .parse2(tokens)
    .unwrap_or_default();
    proc_macro2::extra::invalidate_current_thread_spans();
    let mut errors = reader.errors;
    errors.sort_by_key(|error| (error.span.start, error.span.end));
    errors.dedup();
    (result, errors)
}

#[cfg(test)]
#[path = "syntax_tests.rs"]
mod tests;
