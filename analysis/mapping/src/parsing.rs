//! From the text of a macro's body to its tree, with what is wrong beside it. It reads with `syn` over the tokens of `proc_macro2`, as the
//! real macros do.

use syn::parse::{ParseStream, Parser};

use super::grammar::Grammar;
use super::reader::{Reader, drain};
use super::repair;
use super::syntax::{AxisDeclaration, GrammarError, IndexEntry, Instead, SyntaxNode};

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
#[path = "parsing_tests.rs"]
mod tests;
