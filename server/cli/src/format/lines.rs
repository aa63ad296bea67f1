//! Lines and columns of edits, which the engine gives in bytes alone.

use std::collections::HashMap;

use visa_analysis::{Diagnostic, FileEdit, LineIndex, Position};

use crate::documents::edit_places::elsewhere_text;
use crate::outline::Texts;

/// Lines of files, each file indexed when it is first asked for.
pub(super) struct LineIndices<'a> {
    texts: &'a Texts<'a>,
    indices: HashMap<String, LineIndex>,
}

impl<'a> LineIndices<'a> {
    pub(super) fn new(texts: &'a Texts<'a>) -> Self {
        Self {
            texts,
            indices: HashMap::new(),
        }
    }

    /// Where a change edits, where that is not where a finding is: the end of its title.
    pub(super) fn elsewhere_text(&mut self, finding: &Diagnostic, edits: &[FileEdit]) -> String {
        let line_of = |file: &str, byte| self.position(file, byte).line;
        elsewhere_text(&finding.file, finding.range, edits, line_of)
    }

    /// The place of a byte in a file; the start of a file that is not there.
    pub(super) fn position(&mut self, file: &str, byte: u32) -> Position {
        let text = self.texts.get(file).copied().unwrap_or("");
        if !self.indices.contains_key(file) {
            self.indices.insert(file.to_owned(), LineIndex::new(text));
        }
        let index = self.indices.get(file);
        let place = index.map(|index| index.line_column(byte));
        Position {
            byte,
            line: place.map_or(1, |place| place.line),
            column: place.map_or(1, |place| place.column),
        }
    }
}
