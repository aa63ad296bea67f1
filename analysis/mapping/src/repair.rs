//! From text to tokens, also where the text is half typed.
//!
//! Knows brackets and the characters a Rust lexer takes; nothing of the grammars. Every byte keeps its place: what is
//! dropped becomes blanks, what is missing is added at the end, so that spans stay true.

use proc_macro2::TokenStream;

use super::syntax::{GrammarError, NESTING_LIMIT};

/// The tokens of a macro's body, with errors for brackets and characters that had to be mended.
pub(super) fn mended_tokens(text: &str) -> (TokenStream, Vec<GrammarError>) {
    let nesting = deepest_nesting(text);
    if nesting > NESTING_LIMIT {
        let message =
            format!("brackets nest {nesting} deep; more than {NESTING_LIMIT} are not read");
        return (
            TokenStream::new(),
            vec![GrammarError::new(message, 0..text.len())],
        );
    }
    if let Ok(tokens) = text.parse() {
        return (tokens, Vec::new());
    }
    let (mended, errors) = mend_text(text);
    match mended.parse() {
        Ok(tokens) => (tokens, errors),
        Err(_) => {
            let message = "these characters are not Rust tokens".to_owned();
            (
                TokenStream::new(),
                vec![GrammarError::new(message, 0..text.len())],
            )
        }
    }
}

fn deepest_nesting(text: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for byte in text.bytes() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// Blanks out what no lexer takes and unmatched closing brackets, and closes what is open.
fn mend_text(text: &str) -> (String, Vec<GrammarError>) {
    let mut mended = String::with_capacity(text.len() + 8);
    let mut errors = Vec::new();
    let mut open: Vec<(char, usize)> = Vec::new();
    for (offset, character) in text.char_indices() {
        let span = offset..offset + character.len_utf8();
        let keep = match character {
            '(' | '[' | '{' => {
                open.push((character, offset));
                true
            }
            ')' | ']' | '}' => match open.last() {
                Some((opening, _)) if closing_bracket(*opening) == character => {
                    open.pop();
                    true
                }
                _ => {
                    errors.push(GrammarError::new(
                        format!("`{character}` closes nothing"),
                        span.clone(),
                    ));
                    false
                }
            },
            '"' | '\'' | '\\' | '`' => {
                errors.push(GrammarError::new(
                    format!("`{character}` has no place here"),
                    span.clone(),
                ));
                false
            }
            _ if character.is_whitespace()
                || character.is_ascii_graphic()
                || character.is_alphanumeric() =>
            {
                true
            }
            _ => {
                errors.push(GrammarError::new(
                    format!("`{character}` has no place here"),
                    span.clone(),
                ));
                false
            }
        };
        if keep {
            mended.push(character);
        } else {
            mended.extend(std::iter::repeat_n(' ', character.len_utf8()));
        }
    }
    while let Some((opening, offset)) = open.pop() {
        mended.push(closing_bracket(opening));
        errors.push(GrammarError::new(
            format!("`{opening}` is never closed"),
            offset..offset + 1,
        ));
    }
    (mended, errors)
}

const fn closing_bracket(opening: char) -> char {
    match opening {
        '(' => ')',
        '[' => ']',
        _ => '}',
    }
}
