//! Places in texts as a client counts them, found by hand: the tests' own measure.

use serde_json::Value;
use tower_lsp::ls_types::{Position, Range, TextEdit, Uri};

use super::support::Setup;

/// Letters of two and four bytes, which are one and two UTF-16 code units.
pub(crate) const LETTERS: &str = "/* é𝄞 */ ";

/// A kernel without findings, with [`LETTERS`] before everything and lines that end as Windows ends them.
///
/// A load, a pass of the main context and a store. `Block` is 4 * 16 elements of 4 bytes in a slice; the fetch reads 4
/// packets of 64 bytes.
pub(crate) fn kernel() -> String {
    spiced(
        "use furiosa_visa_std::prelude::*;

axes![S = 256, T = 4, P = 16];

type Chip = m![1];
type Half = m![1 # 2];
type Block = DmTensor<i32, Chip, Half, m![S], m![T, P]>;

#[device(chip = 1)]
fn raise(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![S, T, P]>) -> HbmTensor<i32, Chip, m![S, T, P]> {
    let block: Block = x.to_dm(&mut ctx.tdma, 0);
    let sum: Block = ctx
        .main
        .begin(block.view())
        .fetch::<i32, m![T], m![P]>()
        .collect::<m![T, P / 8], m![P % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::AddFxp, 1)
        .vector_final()
        .commit(0x1000);
    sum.to_hbm(&mut ctx.tdma, 1 << 28)
}
",
    )
}

/// The text with [`LETTERS`] at the start of every line that is not empty, and with `\r\n`.
pub(crate) fn spiced(text: &str) -> String {
    let lines = text.lines().map(|line| {
        let letters = if line.is_empty() { "" } else { LETTERS };
        format!("{letters}{line}\r\n")
    });
    lines.collect()
}

/// A text as a client counts it.
#[derive(Debug, Clone)]
pub(crate) struct Text {
    pub(crate) text: String,
    utf8: bool,
}

impl Text {
    /// A text for a client that counts bytes, or UTF-16 code units.
    pub(crate) fn new(text: impl Into<String>, utf8: bool) -> Self {
        Self {
            text: text.into(),
            utf8,
        }
    }

    /// The place of a byte.
    pub(crate) fn place(&self, byte: usize) -> Position {
        let before = &self.text[..byte];
        let line = before.matches('\n').count();
        let column = before.rsplit('\n').next().unwrap();
        let column = if self.utf8 {
            column.len()
        } else {
            column.encode_utf16().count()
        };
        Position::new(u32::try_from(line).unwrap(), u32::try_from(column).unwrap())
    }

    /// The byte of a place.
    pub(crate) fn byte(&self, place: Position) -> usize {
        (0..=self.text.len())
            .filter(|byte| self.text.is_char_boundary(*byte))
            .find(|byte| self.place(*byte) == place)
            .unwrap_or_else(|| panic!("no such place: {place:?}"))
    }

    /// The place behind the first letters of a needle: of `let bl|ock` behind `let bl`.
    pub(crate) fn caret(&self, needle: &str) -> Position {
        let (before, after) = needle.split_once('|').unwrap();
        let whole = format!("{before}{after}");
        let found = self.text.find(&whole);
        self.place(found.unwrap_or_else(|| panic!("no {whole}")) + before.len())
    }

    /// The first stretch that reads so.
    pub(crate) fn range_of(&self, needle: &str) -> Range {
        let start = self.text.find(needle).unwrap();
        Range {
            start: self.place(start),
            end: self.place(start + needle.len()),
        }
    }

    /// What is at a range.
    pub(crate) fn at(&self, range: Range) -> &str {
        &self.text[self.byte(range.start)..self.byte(range.end)]
    }

    /// The text after edits that do not meet.
    pub(crate) fn edited(&self, edits: &[TextEdit]) -> String {
        let mut edits: Vec<_> = edits
            .iter()
            .map(|edit| (self.byte(edit.range.start), self.byte(edit.range.end), edit))
            .collect();
        edits.sort_by_key(|(start, end, _)| (*start, *end));
        let mut text = self.text.clone();
        for (start, end, edit) in edits.into_iter().rev() {
            text.replace_range(start..end, &edit.new_text);
        }
        text
    }
}

/// A client of each encoding, and whether it counts bytes.
pub(crate) fn both() -> [(Setup, bool); 2] {
    let [utf8, utf16] = Setup::both();
    [(utf8, true), (utf16, false)]
}

/// The edits of a workspace edit with versions: the document, its version, its edits.
pub(crate) fn versioned(edit: &Value) -> Vec<(Uri, Option<i64>, Vec<TextEdit>)> {
    let changes = edit["documentChanges"].as_array().unwrap();
    let changes = changes.iter().map(|change| {
        let document = &change["textDocument"];
        (
            document["uri"].as_str().unwrap().parse().unwrap(),
            document["version"].as_i64(),
            serde_json::from_value(change["edits"].clone()).unwrap(),
        )
    });
    changes.collect()
}
