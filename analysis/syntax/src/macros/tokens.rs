//! The tokens of macros: lexed flat, brackets included, and written back.

use std::sync::Arc;

use super::{Copied, DefinitionKey, Written};
use ra_ap_parser::LexedStr;
use ra_ap_syntax::SyntaxKind;

use crate::EDITION;

/// A token; punctuation is a token a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: SyntaxKind,
    pub(super) text: Arc<str>,
    /// Whether nothing is between it and the token in front of it.
    pub(super) joint: bool,
    /// Where an argument of the call has it; none for what a definition writes.
    pub(super) origin: Option<Origin>,
    /// Where a definition has it, or the variable that stands for it.
    pub(super) place: Option<Place>,
}

/// The place of a token between the braces of a definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    definition: DefinitionKey,
    start: u32,
    end: u32,
}

impl Place {
    /// From the start of this place to the end of another of the same definition.
    pub(super) fn span_to(self, last: Self) -> Self {
        Self {
            end: last.end.max(self.end),
            ..self
        }
    }
}

/// The place of a token in the arguments of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Origin {
    /// How many tokens are before it.
    index: usize,
    /// Its first byte.
    offset: u32,
}

/// The tokens of the arguments of a call, each with its place.
pub(super) fn lex_arguments(text: &str) -> Vec<Token> {
    let mut tokens = lex_tokens(text);
    let lexed = LexedStr::new(EDITION, text);
    let starts = (0..lexed.len()).filter(|at| !lexed.kind(*at).is_trivia());
    for (index, (token, at)) in tokens.iter_mut().zip(starts).enumerate() {
        let offset = u32::try_from(lexed.text_start(at)).ok();
        token.origin = offset.map(|offset| Origin { index, offset });
    }
    tokens
}

/// The tokens of a definition, each with its place.
pub(super) fn lex_definition(text: &str, definition: DefinitionKey) -> Vec<Token> {
    let mut tokens = lex_tokens(text);
    let lexed = LexedStr::new(EDITION, text);
    let ranges = (0..lexed.len()).filter(|at| !lexed.kind(*at).is_trivia());
    for (token, at) in tokens.iter_mut().zip(ranges) {
        let range = lexed.text_range(at);
        let byte = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        token.place = Some(Place {
            definition,
            start: byte(range.start),
            end: byte(range.end),
        });
    }
    tokens
}

/// The tokens of a text without comments.
pub(super) fn lex_tokens(text: &str) -> Vec<Token> {
    let lexed = LexedStr::new(EDITION, text);
    let mut tokens = Vec::with_capacity(lexed.len());
    let mut joint = false;
    for at in 0..lexed.len() {
        let kind = lexed.kind(at);
        if kind.is_trivia() {
            joint = false;
            continue;
        }
        tokens.push(Token {
            kind,
            text: lexed.text(at).into(),
            joint,
            origin: None,
            place: None,
        });
        joint = true;
    }
    tokens
}

/// The text of tokens.
pub(super) fn write(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        append_token(&mut text, token);
    }
    text
}

/// The text of tokens, which parts of it are copied from the arguments of the call, and where definitions have them.
pub(super) fn write_with_places(tokens: &[Token]) -> (String, Vec<Copied>, Vec<Written>) {
    let mut text = String::new();
    let mut copied: Vec<Copied> = Vec::new();
    let mut written: Vec<Written> = Vec::new();
    let mut before: Option<Origin> = None;
    for token in tokens {
        append_token(&mut text, token);
        let length = token.text.len();
        if let Some(place) = token.place {
            let part = Written {
                at: u32::try_from(text.len() - length).unwrap_or(u32::MAX),
                length: u32::try_from(length).unwrap_or(u32::MAX),
                definition: place.definition,
                start: place.start,
                end: place.end,
            };
            match written.last_mut() {
                Some(last) if last.touches_next(part) => {
                    last.length += part.length;
                    last.end = part.end;
                }
                _ => written.push(part),
            }
        }
        if let Some(origin) = token.origin {
            let follows = before.is_some_and(|before| before.index + 1 == origin.index);
            let part = Copied {
                at: u32::try_from(text.len() - length).unwrap_or(u32::MAX),
                from: origin.offset,
                length: u32::try_from(length).unwrap_or(u32::MAX),
                follows,
            };
            match copied.last_mut() {
                Some(last) if follows && last.touches_next(part) => last.length += part.length,
                _ => copied.push(part),
            }
        }
        before = token.origin;
    }
    (text, copied, written)
}

fn append_token(text: &mut String, token: &Token) {
    if !token.joint && !text.is_empty() {
        text.push(' ');
    }
    text.push_str(&token.text);
}

/// Whether a token is a name or a keyword.
pub(super) fn is_word(token: &Token) -> bool {
    let mut letters = token.text.chars();
    let begins = letters
        .next()
        .is_some_and(|first| first.is_alphabetic() || first == '_');
    begins && &*token.text != "_" && token.kind != SyntaxKind::STRING && !is_literal(token)
}

/// Whether a token is a literal by itself.
pub(super) fn is_literal(token: &Token) -> bool {
    use SyntaxKind::{
        BYTE, BYTE_STRING, C_STRING, CHAR, FALSE_KW, FLOAT_NUMBER, INT_NUMBER, STRING, TRUE_KW,
    };
    matches!(
        token.kind,
        BYTE | BYTE_STRING
            | C_STRING
            | CHAR
            | FLOAT_NUMBER
            | INT_NUMBER
            | STRING
            | FALSE_KW
            | TRUE_KW
    )
}

/// The token behind the bracket that closes the one at a place; none where none is there, or none closes it.
pub(super) fn group_end(tokens: &[Token], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match &*token.text {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 {
            return (at > open).then_some(at + 1);
        }
    }
    None
}

/// The tokens of one operator that is made of several characters, longest first.
const OPERATORS: [&str; 24] = [
    "<<=", ">>=", "...", "..=", "::", "->", "=>", "==", "!=", "<=", ">=", "&&", "||", "+=", "-=",
    "*=", "/=", "%=", "^=", "&=", "|=", "..", "<<", ">>",
];

/// The token behind the token tree at a place: a group in brackets, an operator, or one token.
pub(super) fn tree_end(tokens: &[Token], at: usize) -> Option<usize> {
    let first = tokens.get(at)?;
    match &*first.text {
        "(" | "[" | "{" => return group_end(tokens, at),
        ")" | "]" | "}" => return None,
        _ => {}
    }
    for operator in OPERATORS {
        let joined = tokens.get(at..at + operator.len());
        let fits = joined.is_some_and(|joined| {
            joined.iter().skip(1).all(|token| token.joint)
                && joined
                    .iter()
                    .zip(operator.chars())
                    .all(|(token, letter)| token.text.chars().eq([letter]))
        });
        if fits {
            return Some(at + operator.len());
        }
    }
    Some(at + 1)
}

/// Tokens in parentheses.
pub(super) fn parenthesised(tokens: Vec<Token>) -> Vec<Token> {
    let bracket = |kind, text: &str| Token {
        kind,
        text: text.into(),
        joint: false,
        origin: None,
        place: None,
    };
    let mut result = Vec::with_capacity(tokens.len() + 2);
    result.push(bracket(SyntaxKind::L_PAREN, "("));
    result.extend(tokens);
    result.push(bracket(SyntaxKind::R_PAREN, ")"));
    result
}
