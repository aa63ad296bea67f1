//! The remarks of a file that say something to us: `# visa-lint: target(trn1)`, `nki(0.6)`, `args(x: bfloat16[128, 512])`; and which
//! lines have a comment at all.
//!
//! Suppressions (`allow`) are the business of the room that all languages share.

use super::super::types::Span;

/// A remark in a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// What it says: `target`, `nki`, `args`.
    pub word: String,
    /// What is in its brackets.
    pub argument: String,
    /// The line that it is in, from 0.
    pub line: u32,
    /// The words and their brackets.
    pub span: Span,
}

/// Comments of a file by line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remarks {
    /// Those addressed to us, in the file's order.
    pub said: Vec<Remark>,
    /// The first byte of each line.
    line_starts: Vec<u32>,
    /// Lines with a comment, in order, and whether nothing else is in the line.
    commented: Vec<(u32, bool)>,
}

/// Reads the comments of a text. A `#` in a string counts as a string's where the line up to it has an odd number of quotes; this is a
/// search and no parser.
pub fn read(text: &str) -> Remarks {
    let byte = |place: usize| u32::try_from(place).unwrap_or(u32::MAX);
    let mut remarks = Remarks::default();
    remarks.line_starts.push(0);
    let mut start = 0_usize;
    // Most lines have no `#`: those are not looked at.
    let mut has_sign = false;
    let ends = memchr::memchr2_iter(b'\n', b'#', text.as_bytes());
    for at in ends.chain(std::iter::once(text.len())) {
        if text.as_bytes().get(at) == Some(&b'#') {
            has_sign = true;
            continue;
        }
        if has_sign {
            let line = text.get(start..at).unwrap_or_default();
            let number = byte(remarks.line_starts.len() - 1);
            if let Some(place) = comment_start(line) {
                let before = line.get(..place).unwrap_or_default();
                remarks.commented.push((number, before.trim().is_empty()));
                read_comment(line, place, start, number, &mut remarks.said);
            }
            has_sign = false;
        }
        if at < text.len() {
            start = at + 1;
            remarks.line_starts.push(byte(start));
        }
    }
    remarks
}

fn comment_start(line: &str) -> Option<usize> {
    let mut quote = None;
    let mut escaped = false;
    for (place, letter) in line.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match (quote, letter) {
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if open == letter => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '#') => return Some(place),
            _ => {}
        }
    }
    None
}

fn read_comment(line: &str, place: usize, line_start: usize, number: u32, said: &mut Vec<Remark>) {
    let comment = line.get(place..).unwrap_or_default();
    let Some(lead) = comment.find("visa-lint:") else {
        return;
    };
    if !comment.get(1..lead).unwrap_or_default().trim().is_empty() {
        return;
    }
    let from = place + lead + "visa-lint:".len();
    let mut rest = line.get(from..).unwrap_or_default();
    let mut at = from;
    while let Some(open) = rest.find('(') {
        let word = rest.get(..open).unwrap_or_default();
        let Some(length) = closing_bracket(rest.get(open + 1..).unwrap_or_default()) else {
            return;
        };
        let lead = word.len() - word.trim_start_matches([' ', ',', '\t']).len();
        let end = at + open + 1 + length + 1;
        let byte = |place: usize| u32::try_from(line_start + place).unwrap_or(u32::MAX);
        said.push(Remark {
            word: word.trim_matches([' ', ',', '\t']).to_owned(),
            argument: rest
                .get(open + 1..open + 1 + length)
                .unwrap_or_default()
                .to_owned(),
            line: number,
            span: Span {
                start: byte(at + lead),
                end: byte(end),
            },
        });
        at = end;
        rest = line.get(end..).unwrap_or_default();
    }
}

/// Bytes up to the bracket that closes the one before the text.
fn closing_bracket(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (place, letter) in text.char_indices() {
        match letter {
            '(' | '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ')' if depth == 0 => return Some(place),
            ')' => depth -= 1,
            _ => {}
        }
    }
    None
}

impl Remarks {
    /// The line of a byte, from 0.
    pub fn line(&self, byte: u32) -> u32 {
        let behind = self.line_starts.partition_point(|start| *start <= byte);
        u32::try_from(behind.saturating_sub(1)).unwrap_or(u32::MAX)
    }

    /// Whether a line has a comment.
    pub fn has_comment(&self, line: u32) -> bool {
        self.commented
            .binary_search_by_key(&line, |(at, _)| *at)
            .is_ok()
    }

    /// Whether a line is a comment and nothing else.
    pub fn is_comment(&self, line: u32) -> bool {
        let found = self.commented.binary_search_by_key(&line, |(at, _)| *at);
        found.is_ok_and(|place| self.commented.get(place).is_some_and(|(_, alone)| *alone))
    }

    /// The first remark of a word.
    pub fn first(&self, word: &str) -> Option<&Remark> {
        self.said.iter().find(|remark| remark.word == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remarks_are_read_with_their_brackets() {
        let text = "x = '# no'  # visa-lint: target(trn1), nki(0.6)\n# visa-lint: args(x: bfloat16[128, (4)], y: f)\n# other\n";
        let remarks = read(text);
        let said: Vec<(&str, &str, u32)> = remarks
            .said
            .iter()
            .map(|remark| (remark.word.as_str(), remark.argument.as_str(), remark.line))
            .collect();
        assert_eq!(
            said,
            [
                ("target", "trn1", 0),
                ("nki", "0.6", 0),
                ("args", "x: bfloat16[128, (4)], y: f", 1)
            ]
        );
        assert_eq!(
            remarks.said.first().map(|remark| remark.span.text_in(text)),
            Some("target(trn1)")
        );
        assert!(!remarks.is_comment(0) && remarks.has_comment(0) && remarks.is_comment(2));
        assert_eq!(remarks.line(text.len() as u32), 3);
    }
}
