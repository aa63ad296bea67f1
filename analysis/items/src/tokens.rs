//! The tokens of a text, as far as shapes are looked for in them: words, numbers, and single characters.
//!
//! A lexer of Rust without meaning: strings are one token each, and what is no Rust gives some tokens anyway.

use crate::names::is_word_letter;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) text: &'t str,
    /// The byte where it begins.
    pub(super) start: u32,
}

impl Token<'_> {
    /// The byte behind it.
    pub(super) fn token_end(&self) -> u32 {
        let length = u32::try_from(self.text.len()).unwrap_or(u32::MAX);
        self.start.saturating_add(length)
    }
}

/// The tokens of a text in their order. Punctuation is a token a character.
pub(super) fn lex_tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::with_capacity(text.len() / 4);
    let mut rest = text;
    loop {
        rest = rest.trim_start();
        let Some(first) = rest.chars().next() else {
            return tokens;
        };
        let length = token_length(rest, first).clamp(first.len_utf8(), rest.len());
        let start = text.len() - rest.len();
        let (token, behind) = rest.split_at_checked(length).unwrap_or((rest, ""));
        tokens.push(Token {
            text: token,
            start: u32::try_from(start).unwrap_or(u32::MAX),
        });
        rest = behind;
    }
}

/// The bytes of the token that a text begins with.
fn token_length(text: &str, first: char) -> usize {
    match first {
        '"' => string_length(text, 0),
        'r' | 'b' | 'c' if opens_string(text) => raw_or_prefixed(text),
        '\'' => character_or_lifetime(text),
        first if is_word_letter(first) => {
            let end = text.find(|letter| !is_word_letter(letter));
            let end = end.unwrap_or(text.len());
            let fraction = text.get(end..).unwrap_or("");
            let is_number = first.is_ascii_digit();
            let digits = fraction
                .strip_prefix('.')
                .filter(|rest| is_number && rest.starts_with(|next: char| next.is_ascii_digit()));
            match digits {
                Some(digits) => {
                    let more = digits.find(|letter| !is_word_letter(letter));
                    end + 1 + more.unwrap_or(digits.len())
                }
                None => end,
            }
        }
        other => other.len_utf8(),
    }
}

/// Whether a text begins with the prefix of a string, and the string behind it.
fn opens_string(text: &str) -> bool {
    let prefix = text.trim_start_matches(['r', 'b', 'c']);
    let hashes = prefix.trim_start_matches('#');
    text.len() - prefix.len() <= 2 && hashes.starts_with('"')
}

/// The bytes of a string with a prefix, which a text begins with.
fn raw_or_prefixed(text: &str) -> usize {
    let behind = text.trim_start_matches(['r', 'b', 'c']);
    let prefix = text.len() - behind.len();
    let raw = text
        .get(..prefix)
        .is_some_and(|prefix| prefix.contains('r'));
    if !raw {
        return string_length(text, prefix);
    }
    let hashes = behind.len() - behind.trim_start_matches('#').len();
    let end = format!("\"{}", "#".repeat(hashes));
    let inside = prefix + hashes + 1;
    let length = text.get(inside..).and_then(|rest| rest.find(&end));
    length.map_or(text.len(), |length| inside + length + end.len())
}

/// The bytes up to the end of a string whose quote is at a byte.
fn string_length(text: &str, quote: usize) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().filter(|(at, _)| *at > quote) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// The bytes of a character in quotes, or of a lifetime.
fn character_or_lifetime(text: &str) -> usize {
    let mut letters = text.char_indices().skip(1);
    match letters.next() {
        Some((_, '\\')) => {
            let closed = letters.skip(1).find(|(_, letter)| *letter == '\'');
            closed.map_or(text.len(), |(at, _)| at + 1)
        }
        Some((_, letter)) => match letters.next() {
            Some((at, '\'')) => at + 1,
            _ if is_word_letter(letter) => {
                let name = text.get(1..).unwrap_or("");
                1 + name
                    .find(|letter| !is_word_letter(letter))
                    .unwrap_or(name.len())
            }
            _ => 1,
        },
        None => 1,
    }
}

/// Tokens behind a bracket among which the one that closes it is looked for: calls and mappings are shorter, and what does not
/// parse would be read to its end from each of its brackets.
const LONGEST: usize = 1 << 14;

/// The bracket that closes the one at a place; none if it is no bracket, or none closes it soon.
pub(super) fn closing_bracket(tokens: &[Token<'_>], open: usize) -> Option<usize> {
    let angled = tokens.get(open)?.text == "<";
    // Generics are short.
    let longest = if angled { LONGEST >> 4 } else { LONGEST };
    let mut depth = 0_usize;
    let mut braces = 0_usize;
    for (at, token) in tokens.iter().enumerate().skip(open).take(longest) {
        match token.text {
            "(" | "[" | "{" => {
                depth += 1;
                braces += 1;
            }
            ")" | "]" | "}" => {
                depth = depth.checked_sub(1)?;
                braces = braces.checked_sub(1)?;
            }
            // Elsewhere they compare.
            "<" if angled && braces == 0 => depth += 1,
            ">" if angled && braces == 0 && !is_arrow(tokens, at) => {
                depth = depth.checked_sub(1)?;
            }
            ";" if angled && braces == 0 => return None,
            _ => {}
        }
        if depth == 0 {
            return (at > open).then_some(at);
        }
    }
    None
}

/// Whether a `>` is that of `->`.
fn is_arrow(tokens: &[Token<'_>], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| tokens.get(before));
    before.is_some_and(|before| before.text == "-")
}

#[cfg(test)]
mod tests {
    use super::{closing_bracket, lex_tokens};

    fn texts(text: &str) -> Vec<&str> {
        lex_tokens(text).iter().map(|token| token.text).collect()
    }

    #[test]
    fn words_numbers_and_strings_are_tokens() {
        assert_eq!(
            texts("a.b::<'x, 1.5>(0..4) r#\"a \"b\"# \"\\\"\" 'y' '\\n' b\"z\""),
            [
                "a",
                ".",
                "b",
                ":",
                ":",
                "<",
                "'x",
                ",",
                "1.5",
                ">",
                "(",
                "0",
                ".",
                ".",
                "4",
                ")",
                "r#\"a \"b\"#",
                "\"\\\"\"",
                "'y'",
                "'\\n'",
                "b\"z\""
            ]
        );
        assert_eq!(texts("\"open"), ["\"open"]);
        assert_eq!(texts("é'"), ["é", "'"]);
        assert_eq!(texts("r r2 b"), ["r", "r2", "b"]);
    }

    #[test]
    fn brackets_are_closed() {
        let close = |text: &str| closing_bracket(&lex_tokens(text), 0);
        assert_eq!(close("<A, [B; 2], fn() -> C<D>>"), Some(18));
        assert_eq!(close("(a < b, c)"), Some(6));
        assert_eq!(close("<a; b>"), None);
        assert_eq!(close("(a"), None);
        assert_eq!(close("a"), None);
        assert_eq!(close("<a)"), None);
    }
}
