//! The form of a suppression that all languages have: a comment `visa-lint: allow(RULE)` at the end of a line, or on lines of its own
//! before it.
//!
//! Knows how comments and literals of each language are told apart, and the words of a suppressing comment. Attributes are Rust's
//! own and not known here.

use std::ops::Range;

use super::{COMMENT, Covered, Suppression, SuppressionKind};
use crate::language::Language;
use crate::libraries::TOOLS;

/// A comment of a file.
pub(super) struct Comment<'a> {
    /// Its text, with what it starts with.
    pub(super) text: &'a str,
    /// Its first byte in the file.
    pub(super) start: u32,
    /// Its first line.
    pub(super) line: u32,
}

/// Adds what a comment allows, taken to cover its own line; what follows the bracket is a remark.
pub(super) fn push_allowed(comment: &Comment<'_>, leads: &[&str], found: &mut Vec<Suppression>) {
    let text = comment.text;
    let Some(at) = text.find(COMMENT) else { return };
    let before = text.get(..at).unwrap_or("").trim_end();
    let Some(lead) = leads.iter().find(|lead| before.ends_with(**lead)) else {
        return;
    };
    let Some((open, close)) = bracket(text, at + COMMENT.len()) else {
        return;
    };
    let whole = comment.start..comment.start.saturating_add(text_length(text));
    let inside = text.get(open..close).unwrap_or("");
    let count = inside
        .split(',')
        .filter(|name| !name.trim().is_empty())
        .count();
    let mut start = open;
    for part in inside.split(',') {
        let name = part.trim();
        let skipped = part.len() - part.trim_start().len();
        let first = comment
            .start
            .saturating_add(u32::try_from(start + skipped).unwrap_or(u32::MAX));
        if !name.is_empty() {
            let name = TOOLS
                .iter()
                .find_map(|tool| name.strip_prefix(tool)?.strip_prefix("::"))
                .unwrap_or(name);
            found.push(Suppression {
                kind: SuppressionKind::Comment,
                name: name.into(),
                place: first..first.saturating_add(text_length(part.trim())),
                covered: Covered::Line(comment.line),
                whole: (count == 1 && before.len() <= lead.len()).then(|| whole.clone()),
            });
        }
        start += part.len() + 1;
    }
}

fn text_length(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(0)
}

/// The inside of the brackets of `allow(…)` after an offset.
fn bracket(text: &str, from: usize) -> Option<(usize, usize)> {
    let rest = text.get(from..)?;
    let word = rest.trim_start();
    let arguments = word.strip_prefix("allow")?.trim_start().strip_prefix('(')?;
    let open = text.len() - arguments.len();
    Some((open, open + arguments.find(')')?))
}

/// The suppressions of a text in a language whose comments all go to the end of a line, in the order in which they are written.
pub(super) fn in_text(
    language: Language,
    text: &str,
    line: impl Fn(u32) -> u32,
) -> Vec<Suppression> {
    let mut found = Vec::new();
    if !text.contains(COMMENT) {
        return found;
    }
    let pieces = text_pieces(language, text);
    for (number, piece) in pieces.iter().enumerate() {
        if piece.kind != PieceKind::Comment {
            continue;
        }
        let Some(start) = u32::try_from(piece.bytes.start).ok() else {
            break;
        };
        let comment = Comment {
            text: text.get(piece.bytes.clone()).unwrap_or_default(),
            start,
            line: line(start),
        };
        let first = found.len();
        push_allowed(&comment, &[language.comment()], &mut found);
        if found.len() == first || is_behind_code(text, piece.bytes.start) {
            continue;
        }
        let rest = pieces.get(number + 1..).unwrap_or_default();
        if let Some(code) = code_behind(text, piece.bytes.end, rest) {
            let line = line(u32::try_from(code).unwrap_or(u32::MAX));
            let comments = found.iter_mut().skip(first);
            comments.for_each(|comment| comment.covered = Covered::Line(line));
        }
    }
    found
}

/// Whether a line has something before one of its bytes.
fn is_behind_code(text: &str, byte: usize) -> bool {
    let before = text.get(..byte).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    !line.trim_start_matches('\u{feff}').trim().is_empty()
}

/// The first byte of code from some byte on, with the pieces behind that.
fn code_behind(text: &str, from: usize, pieces: &[Piece]) -> Option<usize> {
    let mut at = from;
    let mut pieces = pieces.iter();
    loop {
        let rest = text.get(at..)?;
        at += rest.len() - rest.trim_start().len();
        match pieces.next() {
            Some(piece) if piece.kind == PieceKind::Comment && piece.bytes.start == at => {
                at = piece.bytes.end;
            }
            _ => return (at < text.len()).then_some(at),
        }
    }
}

/// What a stretch of a text is that is no plain code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// A comment, without the end of its line.
    Comment,
    /// A literal in quotes.
    Literal,
}

/// A stretch of a text that is no plain code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    pub(super) kind: PieceKind,
    pub(super) bytes: Range<usize>,
}

/// The comments and literals of a text, in their order.
pub(super) fn text_pieces(language: Language, text: &str) -> Vec<Piece> {
    let lead = language.comment().as_bytes();
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(letter) = bytes.get(at) {
        let rest = bytes.get(at..).unwrap_or_default();
        let (kind, end) = if rest.starts_with(lead) {
            (PieceKind::Comment, end_of_line(bytes, at))
        } else if *letter == b'"' || (*letter == b'\'' && language == Language::Nki) {
            (PieceKind::Literal, end_of_literal(language, bytes, at))
        } else {
            at += 1;
            continue;
        };
        found.push(Piece {
            kind,
            bytes: at..end,
        });
        at = end.max(at + 1);
    }
    found
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let end = memchr::memchr(b'\n', rest).map_or(bytes.len(), |length| from + length);
    let is_return = end.checked_sub(1).and_then(|last| bytes.get(last)) == Some(&b'\r');
    if is_return && end > from {
        end - 1
    } else {
        end
    }
}

/// The end of a literal that starts with a quote: behind the same quote, or three of them in Python, or at the end of its line.
fn end_of_literal(language: Language, bytes: &[u8], from: usize) -> usize {
    let quote = bytes.get(from).copied().unwrap_or(b'"');
    let triple = [quote; 3];
    let is_triple =
        language == Language::Nki && bytes.get(from..).is_some_and(|at| at.starts_with(&triple));
    let mut at = from + if is_triple { 3 } else { 1 };
    while let Some(letter) = bytes.get(at) {
        match *letter {
            b'\\' => at += 1,
            b'\n' if !is_triple => return at,
            letter if letter == quote => {
                if !is_triple {
                    return at + 1;
                }
                if bytes
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with(&triple))
                {
                    return at + 3;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is allowed in a text, each name with the line that it covers.
    fn allowed(language: Language, text: &str) -> Vec<(String, u32)> {
        let line = |byte: u32| {
            let before = &text[..byte as usize];
            u32::try_from(before.matches('\n').count()).unwrap() + 1
        };
        let found = in_text(language, text, line);
        let covered = found.iter().map(|found| match found.covered {
            Covered::Line(line) => (found.name.to_string(), line),
            Covered::Bytes(_) => unreachable!("comments cover lines"),
        });
        covered.collect()
    }

    fn names_at_lines(names: &[(&str, u32)]) -> Vec<(String, u32)> {
        let names = names.iter();
        names
            .map(|(name, line)| ((*name).to_owned(), *line))
            .collect()
    }

    #[test]
    fn a_comment_covers_its_line_or_the_next_one_with_code() {
        let text =
            "x()  # visa-lint: allow(a, b): so\r\n# visa-lint: allow(c)\r\n\r\n# more\r\ny()\r\n";
        assert_eq!(
            allowed(Language::Nki, text),
            names_at_lines(&[("a", 1), ("b", 1), ("c", 5)])
        );
        let text = "\u{feff}// visa-lint: allow(a)\n%0 = x.y // visa-lint: allow(b)\n// visa-lint: allow(c)";
        assert_eq!(
            allowed(Language::Pto, text),
            names_at_lines(&[("a", 2), ("b", 2), ("c", 3)])
        );
    }

    #[test]
    fn literals_and_other_comments_allow_nothing() {
        for text in [
            "'# visa-lint: allow(a)'",
            "f(\"\\\"# visa-lint: allow(a)\")",
            "\"\"\"\n\"# visa-lint: allow(a)\n\"\"\"",
            "# see visa-lint: allow(a)",
            "# visa-lint: allow a",
            "// visa-lint: allow(a)",
        ] {
            assert_eq!(allowed(Language::Nki, text), [], "{text}");
        }
        let quoted = "%0 = \"// visa-lint: allow(a)\"() // visa-lint: allow(b)";
        assert_eq!(allowed(Language::Pto, quoted), names_at_lines(&[("b", 1)]));
        assert_eq!(allowed(Language::Pto, "# visa-lint: allow(a)"), []);
        // A quote alone is no literal of MLIR, and one that is not closed ends with its line.
        let open = "'\n\"\n// visa-lint: allow(b)\n";
        assert_eq!(allowed(Language::Pto, open), names_at_lines(&[("b", 3)]));
    }
}
