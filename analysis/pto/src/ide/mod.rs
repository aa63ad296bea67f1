//! What an editor asks about a PTO file: hovers, names, proposals, the outline. Derives nothing of its own.

mod assists;
mod completion;
mod hover;
mod names;
mod outline;
mod tables;
#[cfg(test)]
mod tests;

use std::ops::Deref;

use super::analysis::Analysis;
use super::syntax::{OperationId, Place, Token};
use visa_findings::answers::ByteRange;
use visa_findings::front_end::Placing;

pub(super) use assists::assists_at;
pub(super) use completion::completions_at;
pub(super) use hover::hover_at;
pub(super) use names::{
    name_highlights, name_places, nothing_to_rename, rename_place, renamed_places,
};
pub(super) use outline::{
    file_symbols, folding_ranges, function_lenses, highest_ub_byte, inlay_hints,
};

/// A part of a file, and where it is: lines are those of the file.
pub(super) struct Seen<'a> {
    /// The part.
    pub(super) analysis: &'a Analysis,
    /// The text of the file.
    pub(super) text: &'a str,
    /// Where the part is in it.
    pub(super) placing: &'a Placing,
}

impl Deref for Seen<'_> {
    type Target = Analysis;

    fn deref(&self) -> &Analysis {
        self.analysis
    }
}

/// Asks about a text that is looked at as one part.
#[cfg(test)]
pub(super) fn ask_whole_text<T>(text: &str, ask: impl FnOnce(&Seen<'_>) -> T) -> T {
    ask(&Seen {
        analysis: &Analysis::of(text),
        text,
        placing: &Placing::of(std::iter::once(0..text.len())),
    })
}

impl Seen<'_> {
    /// The number of the file's line that a byte of the part is in, from 1.
    fn line(&self, offset: u32) -> usize {
        let before = self.text.as_bytes();
        let before = before.get(..self.placing.byte(offset) as usize);
        1 + memchr::memchr_iter(b'\n', before.unwrap_or_default()).count()
    }
}

/// A place as editors have it.
pub(super) const fn byte_range(place: Place) -> ByteRange {
    ByteRange {
        start: place.start,
        end: place.end,
    }
}

/// The token that an offset is in or right behind, and its number: of two that touch it, the one that begins there.
fn token_at(analysis: &Analysis, offset: u32) -> Option<(u32, Token)> {
    let tokens = &analysis.file.tokens;
    let behind = tokens.partition_point(|token| token.place.start <= offset);
    let index = behind.checked_sub(1)?;
    let token = *tokens.get(index)?;
    token
        .place
        .touches_offset(offset)
        .then_some((u32::try_from(index).ok()?, token))
}

/// The operation whose text an offset is in, the innermost.
fn operation_at(analysis: &Analysis, offset: u32) -> Option<OperationId> {
    let operations = &analysis.file.operations;
    let behind = operations.partition_point(|operation| operation.place.start <= offset);
    let index = behind.checked_sub(1)?;
    let mut id = OperationId(u32::try_from(index).ok()?);
    loop {
        let operation = analysis.file.operation(id);
        if operation.place.touches_offset(offset) {
            return Some(id);
        }
        id = analysis.file.region(operation.region).owner?;
    }
}
