//! Bytes of a text to lines and columns of the protocol, and back.
//!
//! Columns count UTF-8 bytes or UTF-16 code units, as negotiated. Lines end with `\n`, `\r\n` or a lone `\r`. Places that are
//! nowhere clamp: a column behind its line to the line's end, a line behind the text to the text's end, a column inside of a
//! character to the character's start. A byte-order mark counts as a character where the client sent it, and as nothing in
//! files that are read from disk, since editors keep it to themselves.

use tower_lsp::ls_types::{Position, PositionEncodingKind, Range};
use visa_analysis::ByteRange;

/// What a column counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Encoding {
    /// Bytes.
    Utf8,
    /// UTF-16 code units: what a client means that says nothing.
    #[default]
    Utf16,
}

impl Encoding {
    /// The encoding for what a client offers: bytes if it can, since the engine counts bytes.
    pub(crate) fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Self {
        if offered.is_some_and(|offered| offered.contains(&PositionEncodingKind::UTF8)) {
            Self::Utf8
        } else {
            Self::Utf16
        }
    }

    /// Its name in the protocol.
    pub(crate) const fn kind(self) -> PositionEncodingKind {
        match self {
            Self::Utf8 => PositionEncodingKind::UTF8,
            Self::Utf16 => PositionEncodingKind::UTF16,
        }
    }

    /// The columns that a part of a line takes.
    pub(crate) fn columns_of(self, text: &str) -> u32 {
        u32::try_from(self.columns(text)).unwrap_or(u32::MAX)
    }

    /// The columns that a text takes.
    fn columns(self, text: &str) -> usize {
        if self == Self::Utf8 || text.is_ascii() {
            text.len()
        } else {
            text.chars().map(char::len_utf16).sum()
        }
    }
}

/// Where the lines of a text start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LineTable {
    /// The first byte of each line, never empty.
    starts: Vec<usize>,
}

impl LineTable {
    /// The lines of a text that a client sent.
    pub(crate) fn of_document(text: &str) -> Self {
        Self::from(text, 0)
    }

    /// The lines of a text that was read from disk: its byte-order mark is no character of the first line.
    pub(crate) fn of_file(text: &str) -> Self {
        let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
        Self::from(text, mark)
    }

    fn from(text: &str, first: usize) -> Self {
        let mut starts = vec![first];
        starts.extend(line_starts(text.as_bytes(), 0..text.len()));
        Self { starts }
    }

    /// Follows an edit: `text` is the text after it, in which `inserted` bytes are at `start` in the place of `removed`.
    /// Looks at what was inserted and moves the lines behind it, so its time does not grow with the text's length as a new
    /// table's does.
    pub(crate) fn follow_edit(
        &mut self,
        text: &str,
        start: usize,
        removed: usize,
        inserted: usize,
    ) {
        // A `\r` right before the edit ends a line or not depending on what follows it; so does one at the edit's end.
        let from = start.saturating_sub(1);
        let kept = self.starts.partition_point(|line| *line <= from).max(1);
        let behind = start + removed;
        let moved = self.starts.partition_point(|line| *line <= behind).max(1);
        let end = start + inserted;
        let tail: Vec<usize> = self.starts.get(moved..).unwrap_or_default().to_vec();
        self.starts.truncate(kept);
        self.starts.extend(line_starts(text.as_bytes(), from..end));
        let moved = tail
            .into_iter()
            .map(|line| line.saturating_sub(removed).saturating_add(inserted));
        self.starts.extend(moved);
    }

    /// The byte of a place.
    pub(crate) fn offset(&self, text: &str, position: Position, encoding: Encoding) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(start) = self.starts.get(line).copied() else {
            return text.len();
        };
        let wanted = usize::try_from(position.character).unwrap_or(usize::MAX);
        let content = self.content(text, line);
        if encoding == Encoding::Utf8 || content.is_ascii() {
            return start + content.floor_char_boundary(wanted);
        }
        let mut column = 0;
        for (index, character) in content.char_indices() {
            column += character.len_utf16();
            if column > wanted {
                return start + index;
            }
        }
        start + content.len()
    }

    /// The place of a byte; inside of a character, of the character's start.
    pub(crate) fn position(&self, text: &str, offset: usize, encoding: Encoding) -> Position {
        let after = self.starts.partition_point(|start| *start <= offset);
        let line = after.saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or_default();
        let mut end = offset.min(text.len());
        while end > start && !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = text.get(start..end).unwrap_or_default();
        Position {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            character: u32::try_from(encoding.columns(before)).unwrap_or(u32::MAX),
        }
    }

    /// A line without what ends it.
    fn content<'text>(&self, text: &'text str, line: usize) -> &'text str {
        let start = self.starts.get(line).copied().unwrap_or_default();
        let Some(next) = self.starts.get(line + 1).copied() else {
            return text.get(start..).unwrap_or_default();
        };
        let whole = text.get(start..next).unwrap_or_default();
        let whole = whole.strip_suffix('\n').unwrap_or(whole);
        whole.strip_suffix('\r').unwrap_or(whole)
    }
}

/// Where a line starts behind the end of another, for ends in a range.
fn line_starts(bytes: &[u8], range: std::ops::Range<usize>) -> impl Iterator<Item = usize> {
    let ends = bytes.get(range.clone()).unwrap_or_default();
    let ends = ends
        .iter()
        .enumerate()
        .map(move |(index, byte)| (range.start + index + 1, *byte));
    ends.filter(|(next, byte)| match byte {
        b'\n' => true,
        b'\r' => bytes.get(*next) != Some(&b'\n'),
        _ => false,
    })
    .map(|(next, _)| next)
}

/// A text with its lines, in the columns of the client.
#[derive(Debug, Clone)]
pub(crate) struct FileText {
    /// The text.
    pub(crate) text: std::sync::Arc<str>,
    /// Its lines.
    pub(crate) lines: std::sync::Arc<LineTable>,
    /// What a column counts.
    pub(crate) encoding: Encoding,
}

impl FileText {
    /// The byte of a place.
    pub(crate) fn offset(&self, position: Position) -> u32 {
        let offset = self.lines.offset(&self.text, position, self.encoding);
        u32::try_from(offset).unwrap_or(u32::MAX)
    }

    /// The place of a byte.
    pub(crate) fn position(&self, offset: u32) -> Position {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        self.lines.position(&self.text, offset, self.encoding)
    }

    /// The bytes of a range; an end before the start counts as the start.
    pub(crate) fn byte_range(&self, range: Range) -> ByteRange {
        let start = self.offset(range.start);
        ByteRange {
            start,
            end: self.offset(range.end).max(start),
        }
    }

    /// The range of bytes.
    pub(crate) fn range(&self, range: ByteRange) -> Range {
        Range {
            start: self.position(range.start),
            end: self.position(range.end),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tower_lsp::ls_types::Position;

    use super::{Encoding, LineTable};

    /// The lines of a text, without and with what ends them, found a character at a time.
    fn naive_lines(text: &str) -> Vec<(String, String)> {
        let mut lines = vec![(String::new(), String::new())];
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            let last = lines.len() - 1;
            lines[last].1.push(letter);
            match letter {
                '\r' if letters.peek() == Some(&'\n') => {}
                '\r' | '\n' => lines.push(Default::default()),
                _ => lines[last].0.push(letter),
            }
        }
        lines
    }

    /// The byte of a place, by walking over all places of its line.
    fn naive_offset(text: &str, line: usize, column: usize, encoding: Encoding) -> usize {
        let lines = naive_lines(text);
        let before: usize = lines.iter().take(line).map(|(_, whole)| whole.len()).sum();
        let Some((content, _)) = lines.get(line) else {
            return text.len();
        };
        let mut best = 0;
        for end in (0..=content.len()).filter(|end| content.is_char_boundary(*end)) {
            let columns = match encoding {
                Encoding::Utf8 => end,
                Encoding::Utf16 => content[..end].encode_utf16().count(),
            };
            if columns <= column {
                best = end;
            }
        }
        before + best
    }

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    #[test]
    fn places_that_are_nowhere_clamp() {
        // A letter of two bytes and one unit, one of four bytes and two units, then the line's end.
        let text = "a\u{e9}\u{1f600}b\r\nc";
        let lines = LineTable::of_document(text);
        let utf16 = |line, column| lines.offset(text, at(line, column), Encoding::Utf16);
        assert_eq!([utf16(0, 2), utf16(0, 3), utf16(0, 4)], [3, 3, 7]);
        assert_eq!([utf16(0, 5), utf16(0, 6), utf16(0, 99)], [8, 8, 8]);
        assert_eq!([utf16(1, 0), utf16(1, 7), utf16(2, 0)], [10, 11, 11]);
        assert_eq!(utf16(u32::MAX, u32::MAX), 11);
        let utf8 = |column| lines.offset(text, at(0, column), Encoding::Utf8);
        assert_eq!(
            [utf8(1), utf8(2), utf8(3), utf8(6), utf8(7)],
            [1, 1, 3, 3, 7]
        );
        assert_eq!(lines.position(text, 5, Encoding::Utf16), at(0, 2));
        assert_eq!(lines.position(text, 999, Encoding::Utf16), at(1, 1));
    }

    #[test]
    fn a_mark_is_a_character_of_documents_and_not_of_files() {
        let text = "\u{feff}ab\n";
        let document = LineTable::of_document(text);
        assert_eq!(document.offset(text, at(0, 1), Encoding::Utf16), 3);
        assert_eq!(document.position(text, 4, Encoding::Utf8), at(0, 4));
        let file = LineTable::of_file(text);
        assert_eq!(file.offset(text, at(0, 1), Encoding::Utf16), 4);
        assert_eq!(file.position(text, 4, Encoding::Utf8), at(0, 1));
        assert_eq!(file.position(text, 0, Encoding::Utf8), at(0, 0));
    }

    fn texts() -> impl Strategy<Value = String> {
        let letters = prop::sample::select(vec![
            "a",
            "b",
            " ",
            "\n",
            "\r\n",
            "\r",
            "\u{e9}",
            "\u{4e2d}",
            "\u{1f600}",
            "\u{feff}",
        ]);
        prop::collection::vec(letters, 0..40).prop_map(|letters| letters.concat())
    }

    fn encodings() -> impl Strategy<Value = Encoding> {
        prop::sample::select(vec![Encoding::Utf8, Encoding::Utf16])
    }

    proptest! {
        #[test]
        fn places_are_those_of_a_naive_reading(
            text in texts(), line in 0_u32..12, column in 0_u32..20, encoding in encodings(),
        ) {
            let lines = LineTable::of_document(&text);
            let found = lines.offset(&text, at(line, column), encoding);
            prop_assert_eq!(found, naive_offset(&text, line as usize, column as usize, encoding));
        }

        #[test]
        fn every_byte_has_a_place_that_leads_back(text in texts(), encoding in encodings()) {
            let lines = LineTable::of_document(&text);
            for offset in (0..=text.len()).filter(|offset| text.is_char_boundary(*offset)) {
                let place = lines.position(&text, offset, encoding);
                let back = lines.offset(&text, place, encoding);
                // Only the inside of `\r\n` is no place: it leads to the line's end.
                let inside = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                prop_assert_eq!(back, if inside { offset - 1 } else { offset });
            }
        }

        #[test]
        fn an_edited_table_is_that_of_the_edited_text(
            text in texts(), inserted in texts(), start in 0_usize..60, removed in 0_usize..30,
        ) {
            let start = text.floor_char_boundary(start);
            let end = text.floor_char_boundary(start + removed);
            let mut lines = LineTable::of_document(&text);
            let mut edited = text.clone();
            edited.replace_range(start..end, &inserted);
            lines.follow_edit(&edited, start, end - start, inserted.len());
            prop_assert_eq!(lines, LineTable::of_document(&edited));
        }
    }
}
