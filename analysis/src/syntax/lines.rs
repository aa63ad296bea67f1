//! Byte offsets to lines and columns.

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
    /// Byte offset of the start of each line; the first is the length of the byte-order mark.
    starts: Box<[u32]>,
    /// Byte offsets that continue a character of several bytes, so that no column needs its line counted.
    continuations: Box<[u32]>,
    length: u32,
}

impl LineIndex {
    /// Indexes a text. A byte-order mark is no character of the first line.
    pub fn new(text: &str) -> Self {
        let mark = text.len() - text.strip_prefix('\u{feff}').unwrap_or(text).len();
        let breaks = text
            .bytes()
            .enumerate()
            .filter(|(_, byte)| *byte == b'\n')
            .map(|(index, _)| index + 1);
        let starts = std::iter::once(mark)
            .chain(breaks)
            .filter_map(|start| u32::try_from(start).ok())
            .collect();
        let continuations = if text.is_ascii() {
            Box::default()
        } else {
            let bytes = text.bytes().enumerate();
            bytes
                .filter(|(_, byte)| byte & 0b1100_0000 == 0b1000_0000)
                .filter_map(|(index, _)| u32::try_from(index).ok())
                .collect()
        };
        Self {
            starts,
            continuations,
            length: u32::try_from(text.len()).unwrap_or(u32::MAX),
        }
    }

    /// The number of lines, one more than the number of line breaks.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// The line of a byte offset, from 1.
    pub fn line(&self, offset: u32) -> u32 {
        let after = self.starts.partition_point(|start| *start <= offset);
        u32::try_from(after.max(1)).unwrap_or(u32::MAX)
    }

    /// The byte offsets of a line (from 1), its line break included.
    pub fn line_range(&self, line: u32) -> Option<(u32, u32)> {
        let index = usize::try_from(line.checked_sub(1)?).ok()?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.length);
        Some((start, end))
    }

    /// Line and column of a byte offset.
    pub fn line_column(&self, offset: u32) -> LineColumn {
        let line = self.line(offset);
        let start = self.line_range(line).map_or(0, |(start, _)| start);
        let offset = offset.clamp(start, self.length.max(start));
        let continued = |end: u32| self.continuations.partition_point(|byte| *byte < end);
        let skipped = continued(offset).saturating_sub(continued(start));
        let column = (offset - start).saturating_sub(u32::try_from(skipped).unwrap_or(u32::MAX));
        LineColumn {
            line,
            column: column.saturating_add(1),
        }
    }
}
