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

    /// The columns that a character takes.
    fn width(self, character: char) -> usize {
        match self {
            Self::Utf8 => character.len_utf8(),
            Self::Utf16 => character.len_utf16(),
        }
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
        let bytes = text.as_bytes();
        let ends = bytes.iter().enumerate().filter(|(index, byte)| {
            **byte == b'\n' || (**byte == b'\r' && bytes.get(index + 1) != Some(&b'\n'))
        });
        let mut starts = vec![first];
        starts.extend(ends.map(|(index, _)| index + 1));
        Self { starts }
    }

    /// The byte of a place.
    pub(crate) fn offset(&self, text: &str, position: Position, encoding: Encoding) -> usize {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        let Some(start) = self.starts.get(line).copied() else {
            return text.len();
        };
        let wanted = usize::try_from(position.character).unwrap_or(usize::MAX);
        let content = self.content(text, line);
        if encoding == Encoding::Utf16 && content.is_ascii() {
            return start + wanted.min(content.len());
        }
        let mut column = 0;
        for (index, character) in content.char_indices() {
            column += encoding.width(character);
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
