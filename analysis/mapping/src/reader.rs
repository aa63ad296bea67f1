//! The reader behind the macro grammars: tokens to trees, with an error at each token that does not belong.
//!
//! Knows the grammars and how to go on after an error; the trees it builds are declared in [`super::syntax`].

use std::ops::Range;

use proc_macro2::{Delimiter, Group, Span, TokenTree};
use syn::buffer::Cursor;
use syn::ext::IdentExt;
use syn::parse::ParseStream;

use super::grammar::{Construct, Grammar};
use super::literals::{integer_value, shown_letters};
use super::syntax::{FactorKind, GrammarError, Instead, Operator, SyntaxKind, SyntaxNode};

/// The most operators after one operand that are read.
const OPERATOR_LIMIT: usize = 64;

/// Leaves nothing behind: `syn` reports unread tokens as an error of its own.
pub(super) fn drain(input: ParseStream<'_>) {
    while take_token(input).is_some() {}
}

pub(super) fn take_token(input: ParseStream<'_>) -> Option<TokenTree> {
    input
        .step(|cursor| cursor.token_tree().ok_or_else(|| cursor.error("end")))
        .ok()
}

fn is_punctuation(cursor: Cursor<'_>, character: char) -> bool {
    cursor
        .punct()
        .is_some_and(|(punctuation, _)| punctuation.as_char() == character)
}

/// How a group begins, in a sentence.
pub(super) fn opening_text(group: &Group) -> &'static str {
    match group.delimiter() {
        Delimiter::Parenthesis => "`(`",
        Delimiter::Brace => "`{`",
        Delimiter::Bracket => "`[`",
        Delimiter::None => "a group",
    }
}

/// State of one reading.
pub(super) struct Reader<'a> {
    /// What is read.
    pub(super) text: &'a str,
    pub(super) errors: Vec<GrammarError>,
    pub(super) grammar: Grammar,
    /// Where the text ends: the place of what is missing at its end.
    pub(super) end: usize,
}

impl Reader<'_> {
    pub(super) fn error(&mut self, message: impl Into<String>, span: Range<usize>) {
        self.errors.push(GrammarError::new(message, span));
    }

    /// An error at a token, with another text for a part of the body around it where one is plain.
    pub(super) fn error_instead(
        &mut self,
        message: String,
        span: Range<usize>,
        instead: Option<Instead>,
    ) {
        self.errors.push(GrammarError {
            message,
            span,
            instead,
        });
    }

    fn bytes(&self, span: Span) -> Range<usize> {
        let range = span.byte_range();
        range.start.min(self.end)..range.end.min(self.end)
    }

    /// The next token's bytes, or the empty end of the text or group.
    pub(super) fn position(&self, input: ParseStream<'_>) -> Range<usize> {
        if input.is_empty() {
            let end = self.bytes(input.span()).start;
            // At the end of a group this is its closing bracket; at the end of the text the call site.
            if end == 0 {
                self.end..self.end
            } else {
                end..end
            }
        } else {
            self.bytes(input.cursor().span())
        }
    }

    pub(super) fn bump(&mut self, input: ParseStream<'_>) -> Option<(TokenTree, Range<usize>)> {
        let token = take_token(input)?;
        let span = self.bytes(token.span());
        Some((token, span))
    }

    /// Skips to the next comma of this level; the bytes skipped.
    pub(super) fn skip_to_comma(&mut self, input: ParseStream<'_>) -> Range<usize> {
        let start = self.position(input).start;
        let mut skipped = start..start;
        while !input.is_empty() && !input.peek(syn::Token![,]) {
            if let Some((_, span)) = self.bump(input) {
                skipped.end = span.end;
            }
        }
        skipped
    }

    /// Between the entries of a list: a comma, else an error at what is there, and on to the next comma.
    pub(super) fn comma_or_skip(&mut self, input: ParseStream<'_>) {
        if input.is_empty() {
            return;
        }
        if !input.peek(syn::Token![,]) {
            let (found, span) = self.describe(input);
            self.error(format!("expected `,`, found {found}"), span);
            self.skip_to_comma(input);
        }
        self.bump(input);
    }

    pub(super) fn describe(&self, input: ParseStream<'_>) -> (String, Range<usize>) {
        let span = self.position(input);
        let found = match input.cursor().token_tree() {
            Some((TokenTree::Group(group), _)) => opening_text(&group).to_owned(),
            Some((token, _)) => format!("`{token}`"),
            None => "the end".to_owned(),
        };
        (found, span)
    }

    /// `unary { "," unary }`. `closing` is the bracket's bytes after which an empty group is reported.
    pub(super) fn pair(
        &mut self,
        input: ParseStream<'_>,
        closing: Option<Range<usize>>,
    ) -> SyntaxNode {
        self.pair_until(input, closing, None)
    }

    /// As [`Self::pair`], up to `stop` where that ends it.
    pub(super) fn pair_until(
        &mut self,
        input: ParseStream<'_>,
        closing: Option<Range<usize>>,
        stop: Option<char>,
    ) -> SyntaxNode {
        let stopped = |input: ParseStream<'_>| {
            stop.is_some_and(|character| is_punctuation(input.cursor(), character))
        };
        let mut parts = vec![self.unary_until(input, stop)];
        while input.peek(syn::Token![,]) {
            let comma = self
                .bump(input)
                .map_or(self.end..self.end, |(_, span)| span);
            if input.is_empty() || stopped(input) {
                if !self.grammar.reads_construct(Construct::TrailingComma) {
                    let message = "a mapping has no trailing comma";
                    let message = self
                        .grammar
                        .refusal_message(message, Construct::TrailingComma);
                    self.error(message, comma);
                }
                break;
            }
            parts.push(self.unary_until(input, stop));
        }
        let span = match (parts.first(), parts.last()) {
            (Some(first), Some(last)) => first.span.start..last.span.end,
            _ => closing.unwrap_or(self.end..self.end),
        };
        if parts.len() == 1 {
            return parts.pop().unwrap_or(SyntaxNode {
                kind: SyntaxKind::Missing,
                span,
            });
        }
        SyntaxNode {
            kind: SyntaxKind::Pair(parts),
            span,
        }
    }

    /// `primary { operator factor }`, then on to the next comma (or `stop`), with an error at what does not belong.
    pub(super) fn unary_until(&mut self, input: ParseStream<'_>, stop: Option<char>) -> SyntaxNode {
        let mut node = self.primary(input);
        let mut count = 0;
        while let Some(character) = self.operator(input) {
            count += 1;
            if count > OPERATOR_LIMIT {
                let at = self.position(input);
                self.error(
                    format!("more than {OPERATOR_LIMIT} operators after one operand"),
                    at,
                );
                break;
            }
            node = self.binary(input, node, character);
        }
        let ended = |input: ParseStream<'_>| {
            input.is_empty()
                || input.peek(syn::Token![,])
                || stop.is_some_and(|character| is_punctuation(input.cursor(), character))
        };
        if !ended(input) {
            let reported = match &node.kind {
                SyntaxKind::Missing => true,
                SyntaxKind::Binary { factor, .. } => {
                    !self.grammar.is_book() && factor.kind == FactorKind::Missing
                }
                _ => false,
            };
            if count <= OPERATOR_LIMIT && !reported {
                let (found, span) = self.describe(input);
                self.error(
                    format!("expected `,` or one of `/`, `%`, `=`, `#`, found {found}"),
                    span,
                );
            }
            while !ended(input) {
                self.bump(input);
            }
        }
        node
    }

    fn operator(&self, input: ParseStream<'_>) -> Option<char> {
        let (punctuation, _) = input.cursor().punct()?;
        let character = punctuation.as_char();
        matches!(character, '/' | '%' | '=' | '#').then_some(character)
    }

    fn primary(&mut self, input: ParseStream<'_>) -> SyntaxNode {
        let at = self.position(input);
        let missing = SyntaxNode {
            kind: SyntaxKind::Missing,
            span: at.start..at.start,
        };
        match input.cursor().token_tree() {
            Some((TokenTree::Ident(_), _)) => self.name(input, missing),
            Some((TokenTree::Literal(_), _)) => self.number(input),
            Some((TokenTree::Group(group), _)) => match group.delimiter() {
                Delimiter::Brace => self.read_escape(input, at),
                Delimiter::Parenthesis | Delimiter::Bracket | Delimiter::None => {
                    self.group(input, at, missing)
                }
            },
            Some((TokenTree::Punct(_), _)) => {
                let (found, span) = self.describe(input);
                let operands = self.grammar.operands();
                self.error(format!("expected {operands}, found {found}"), span);
                missing
            }
            None => {
                let operands = self.grammar.operands();
                self.error(format!("expected {operands}"), at);
                missing
            }
        }
    }

    fn name(&mut self, input: ParseStream<'_>, missing: SyntaxNode) -> SyntaxNode {
        let Ok(identifier) = input.call(syn::Ident::parse_any) else {
            self.bump(input);
            return missing;
        };
        let span = self.bytes(identifier.span());
        SyntaxNode {
            kind: SyntaxKind::Name(identifier.unraw().to_string()),
            span,
        }
    }

    fn number(&mut self, input: ParseStream<'_>) -> SyntaxNode {
        let (value, span) = self.literal(input);
        if let Some(value) = value.filter(|value| *value != 1)
            && !self.grammar.reads_construct(Construct::Number)
        {
            let operands = self.grammar.operands();
            let message = format!("expected {operands}, found `{value}`");
            let message = self.grammar.refusal_message(message, Construct::Number);
            self.error(message, span.clone());
        }
        let kind = match value {
            Some(1) => SyntaxKind::One,
            Some(value) => SyntaxKind::Number(value),
            None => SyntaxKind::Missing,
        };
        SyntaxNode { kind, span }
    }

    /// A plain decimal literal. Other spellings of a number are errors that keep their value.
    pub(super) fn literal(&mut self, input: ParseStream<'_>) -> (Option<u64>, Range<usize>) {
        let Some((token, span)) = self.bump(input) else {
            return (None, self.end..self.end);
        };
        let text = token.to_string();
        if text.bytes().all(|byte| byte.is_ascii_digit()) {
            let value = text.parse().ok();
            if value.is_none() {
                let text = shown_letters(&text);
                self.error(format!("`{text}` does not fit 64 bits"), span.clone());
            }
            return (value, span);
        }
        let value = integer_value(&text);
        let instead = value.map(|value| Instead {
            span: span.clone(),
            text: value.to_string(),
        });
        let text = shown_letters(&text);
        let message = format!("`{text}` is not a plain decimal number");
        self.error_instead(message, span.clone(), instead);
        (value, span)
    }

    fn read_escape(&mut self, input: ParseStream<'_>, at: Range<usize>) -> SyntaxNode {
        let content = self.brace_content(input);
        if content.is_empty() {
            self.error("an escape `{ … }` holds a type", at.clone());
        }
        SyntaxNode {
            kind: SyntaxKind::Escape { content },
            span: at,
        }
    }

    /// Consumes a brace group; the bytes from its first to its last token.
    pub(super) fn brace_content(&mut self, input: ParseStream<'_>) -> Range<usize> {
        let Some((TokenTree::Group(group), span)) = self.bump(input) else {
            return self.end..self.end;
        };
        let empty = (span.start + 1).min(span.end);
        let mut content = empty..empty;
        for (index, token) in group.stream().into_iter().enumerate() {
            let bytes = self.bytes(token.span());
            if index == 0 {
                content.start = bytes.start;
            }
            content.end = bytes.end;
        }
        content
    }

    pub(super) fn group(
        &mut self,
        input: ParseStream<'_>,
        at: Range<usize>,
        missing: SyntaxNode,
    ) -> SyntaxNode {
        let inner = |reader: &mut Self, content: ParseStream<'_>| {
            if content.is_empty() {
                reader.error(
                    "an empty group; write `1` for a single position",
                    at.clone(),
                );
                return SyntaxNode {
                    kind: SyntaxKind::Missing,
                    span: at.clone(),
                };
            }
            let node = reader.pair(content, Some(at.clone()));
            drain(content);
            node
        };
        match self.read_inside(input, inner) {
            Some(node) => SyntaxNode {
                kind: SyntaxKind::Group(Box::new(node)),
                span: at,
            },
            None => missing,
        }
    }

    /// Reads the inside of a parenthesis or bracket.
    fn read_inside<T>(
        &mut self,
        input: ParseStream<'_>,
        read: impl FnOnce(&mut Self, ParseStream<'_>) -> T,
    ) -> Option<T> {
        fn content<'a>(input: ParseStream<'a>) -> syn::Result<syn::parse::ParseBuffer<'a>> {
            let content;
            if input.peek(syn::token::Bracket) {
                syn::bracketed!(content in input);
            } else {
                syn::parenthesized!(content in input);
            }
            Ok(content)
        }
        let content = content(input).ok()?;
        Some(read(self, &content))
    }

    fn binary(&mut self, input: ParseStream<'_>, left: SyntaxNode, character: char) -> SyntaxNode {
        let mut operator_span = self
            .bump(input)
            .map_or(self.end..self.end, |(_, span)| span);
        let operator = match character {
            '/' => Operator::Stride,
            '%' => Operator::Modulo,
            '=' => Operator::Resize,
            _ => Operator::Pad(self.padding_kind(input, &mut operator_span)),
        };
        let factor = self.read_factor(input);
        let end = factor.span.end.max(operator_span.end);
        let span = left.span.start..end;
        SyntaxNode {
            kind: SyntaxKind::Binary {
                operator,
                operator_span,
                left: Box::new(left),
                factor,
            },
            span,
        }
    }
}
