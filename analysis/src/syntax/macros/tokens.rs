//! The tokens of macros: lexed flat, brackets included, and written back.

use std::sync::Arc;

use ra_ap_parser::LexedStr;
use ra_ap_syntax::SyntaxKind;

use crate::syntax::EDITION;

/// A token; punctuation is a token a character.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: SyntaxKind,
    pub(super) text: Arc<str>,
    /// Whether nothing is between it and the token in front of it.
    pub(super) joint: bool,
}

/// The tokens of a text without comments.
pub(super) fn lex(text: &str) -> Vec<Token> {
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
        });
        joint = true;
    }
    tokens
}

/// The text of tokens.
pub(super) fn write(tokens: &[Token]) -> String {
    let mut text = String::new();
    for token in tokens {
        if !token.joint && !text.is_empty() {
            text.push(' ');
        }
        text.push_str(&token.text);
    }
    text
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
    };
    let mut result = Vec::with_capacity(tokens.len() + 2);
    result.push(bracket(SyntaxKind::L_PAREN, "("));
    result.extend(tokens);
    result.push(bracket(SyntaxKind::R_PAREN, ")"));
    result
}
