//! Byte offsets to lines and columns.

use line_index::{LineCol, TextSize, WideEncoding};

/// A place as people count: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LineColumn {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters (Unicode scalar values), from 1.
    pub column: u32,
}

/// Where the lines of a text start. A line ends with `\n`, so `\r\n` counts once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineIndex {
    index: line_index::LineIndex,
    /// Bytes of the byte-order mark, which is no character of the first line.
    mark: u32,
    length: u32,
}

impl LineIndex {
    /// Indexes a text.
    pub fn new(text: &str) -> Self {
        let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
        Self {
            index: line_index::LineIndex::new(text),
            mark: u32::try_from(mark).unwrap_or(0),
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
        }
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        self.place(offset).line.saturating_add(1)
    }

    /// The byte offsets of a line (from 1), its line break included.
    pub fn line_range(&self, line: u32) -> Option<(u32, u32)> {
        let range = self.index.line(line.checked_sub(1)?)?;
        let mark = if line == 1 { self.mark } else { 0 };
        Some((u32::from(range.start()) + mark, range.end().into()))
    }

    /// Line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let place = self.place(offset.max(self.mark));
        let wide = self.index.to_wide(WideEncoding::Utf32, place);
        let col = wide.map_or(place.col, |wide| wide.col);
        // The mark is one character.
        let mark = u32::from(place.line == 0 && self.mark > 0);
        LineColumn {
            line: place.line.saturating_add(1),
            column: col.saturating_sub(mark).saturating_add(1),
        }
    }

    /// Line and column of a byte offset, from 0 and in bytes; inside of a character those of its start.
    fn place(&self, offset: u32) -> LineCol {
        let offset = offset.min(self.length);
        // A character has four bytes at most.
        let mut starts = (offset.saturating_sub(3)..=offset).rev();
        let place = starts.find_map(|start| self.index.try_line_col(TextSize::new(start)));
        place.unwrap_or(LineCol { line: 0, col: 0 })
    }
}
