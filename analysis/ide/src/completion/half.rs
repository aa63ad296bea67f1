//! Half a mapping expression: what its grammar expects at the end of a text.
//!
//! The grammar's own reader wants whole expressions; this one reads from the left and stops where the cursor is. Knows the
//! grammar of `m!` and `i!`; does not know what a name means.

use std::ops::Range;
use visa_base::names::is_word_letter;

/// What may be next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expects {
    /// A term: an axis, `1`, a group or an escaped type.
    Term,
    /// A type, inside of `{ … }`.
    Type,
    /// The right operand of an operator.
    Number {
        /// The operator.
        operator: char,
        /// Bytes of what it works on.
        operand: Range<usize>,
    },
    /// An operator or a comma behind a term.
    Operator {
        /// Bytes of the term with its operators.
        operand: Range<usize>,
    },
    /// Something that is no mapping: the value of an index.
    Other,
}

/// What stood last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    /// The start, an opening bracket, a comma.
    Opening,
    /// An operator at a byte.
    Operator(char, usize),
    /// A whole term.
    Operand,
    /// A colon in `i!`, or something behind it.
    Value,
}

/// Reads a text up to its end.
pub(super) fn expected_at_end(text: &str) -> Expects {
    let mut starts = vec![0_usize];
    let mut last = Last::Opening;
    let mut rest = text.char_indices().peekable();
    while let Some((at, character)) = rest.next() {
        let mut start_here = || {
            if let Some(start) = starts.last_mut() {
                *start = at;
            }
        };
        match character {
            _ if character.is_whitespace() => {}
            ',' => last = Last::Opening,
            _ if last == Last::Value => {}
            ':' => last = Last::Value,
            '{' => {
                if last == Last::Opening {
                    start_here();
                }
                // Braces are never groups: an escaped type, or behind `#` the kind of a padding.
                let Some((end, _)) = rest.by_ref().find(|(_, inner)| *inner == '}') else {
                    return Expects::Type;
                };
                // Behind `#` a kind of padding, or a constant as behind any operator.
                let inside = text.get(at + 1..end).map_or("", str::trim);
                let is_kind = matches!(inside, "*" | "!" | "0");
                if !(is_kind && matches!(last, Last::Operator('#', _))) {
                    last = Last::Operand;
                }
            }
            '(' | '[' => {
                if last == Last::Opening {
                    start_here();
                }
                starts.push(at + character.len_utf8());
                last = Last::Opening;
            }
            ')' | ']' => {
                if starts.len() > 1 {
                    starts.pop();
                }
                last = Last::Operand;
            }
            '/' | '%' | '#' | '=' if last == Last::Operand => {
                last = Last::Operator(character, at);
            }
            _ if is_word_letter(character) => {
                if last == Last::Opening {
                    start_here();
                }
                while rest.next_if(|(_, next)| is_word_letter(*next)).is_some() {}
                last = Last::Operand;
            }
            _ => {}
        }
    }
    let start = starts.last().copied().unwrap_or(0);
    match last {
        Last::Opening => Expects::Term,
        Last::Operand => Expects::Operator {
            operand: start..text.len(),
        },
        Last::Operator(operator, at) => Expects::Number {
            operator,
            operand: start..at.max(start),
        },
        Last::Value => Expects::Other,
    }
}

/// The names in a text.
pub(super) fn names_in_text(text: &str) -> impl Iterator<Item = &str> {
    text.split(|character: char| !is_word_letter(character))
        .filter(|word| word.starts_with(|first: char| !first.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(text: &str) -> Option<(char, &str)> {
        match expected_at_end(text) {
            Expects::Number { operator, operand } => Some((operator, text.get(operand)?.trim())),
            _ => None,
        }
    }

    #[test]
    fn terms_stand_at_the_start_and_behind_commas_and_brackets() {
        for text in ["", "A,", "A / 4 , ", "[", "[A, B] # 64, (", "A % 2, [ B ,"] {
            assert_eq!(expected_at_end(text), Expects::Term, "{text}");
        }
        assert_eq!(expected_at_end("A, { "), Expects::Type);
        assert_eq!(
            expected_at_end("A, { E } "),
            Expects::Operator { operand: 3..9 }
        );
    }

    #[test]
    fn an_operator_works_on_the_chain_before_it() {
        assert_eq!(number("A /"), Some(('/', "A")));
        assert_eq!(number("A, B % 8 / "), Some(('/', "B % 8")));
        assert_eq!(number("A, [B, C] #"), Some(('#', "[B, C]")));
        assert_eq!(number("[A, B # 4 %"), Some(('%', "B # 4")));
        assert_eq!(number("A #{!} "), Some(('#', "A")));
        assert_eq!(number("A #{ 0 } "), Some(('#', "A")));
        assert_eq!(number("A # { N } / "), Some(('/', "A # { N }")));
        assert_eq!(
            expected_at_end("A # { N } "),
            Expects::Operator { operand: 0..10 }
        );
        assert_eq!(number("A: 3, B ="), Some(('=', "B")));
        assert_eq!(expected_at_end("A: "), Expects::Other);
    }

    #[test]
    fn names_leave_numbers_out() {
        assert_eq!(
            names_in_text("Aé / 16, [B_2]").collect::<Vec<_>>(),
            ["Aé", "B_2"]
        );
    }
}
