//! Changes on request: extract, inline, pad, move.
//!
//! Nothing is wrong before a change and nothing may be afterwards: a change of mappings is offered where every name means
//! the same at its new place, a change of numbers where the rules find nothing new in the changed kernel. What cannot be
//! told is not offered.

mod extract;
mod inline;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode};
use ra_ap_syntax::{SyntaxNode, SyntaxToken, TextSize};

use crate::db::Db;
use crate::inputs::{SourceFile, parse};
use crate::items::{ItemId, MappingSite, SiteKind, Span, TokenMap, file_items, token_map};
use crate::report::FileEdit;

use super::operations::bodies_with;
use super::{Assist, ByteRange};

/// The refactorings that are possible at a selection.
pub(super) fn assists_at(db: &dyn Db, file: SourceFile, selection: ByteRange) -> Vec<Assist> {
    let mut found = Vec::new();
    if let Some(here) = Here::new(db, file, selection) {
        found.extend(extract::extract(&here));
        found.extend(values::pad_packet(&here));
        found.extend(values::move_tensor(&here));
    }
    found.extend(inline::inline_alias(db, file, selection));
    found
}

/// A selection in an item.
struct Here<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    path: Arc<str>,
    text: Arc<str>,
    tokens: Arc<TokenMap>,
    item: ItemId,
    selection: ByteRange,
}

impl<'a> Here<'a> {
    fn new(db: &'a dyn Db, file: SourceFile, selection: ByteRange) -> Option<Self> {
        let tokens = token_map(db, file);
        let items = file_items(db, file);
        let mut around = items.items.iter().copied().filter(|item| {
            tokens.item_range(*item).is_some_and(|(start, end)| {
                let range = ByteRange { start, end };
                range.touches(selection.start) && range.touches(selection.end)
            })
        });
        Some(Self {
            db,
            file,
            path: file.path(db),
            text: file.text(db),
            item: around.next_back()?,
            tokens,
            selection,
        })
    }

    /// Bytes of the file of a span in it; `None` for other files.
    fn range(&self, span: Span) -> Option<ByteRange> {
        if span.item.file(self.db) != self.file {
            return None;
        }
        let (start, end) = self.tokens.range(span)?;
        Some(ByteRange { start, end })
    }

    /// The functions in whose bodies the selection is followed, see [`bodies_with`].
    fn bodies(&self) -> Vec<ItemId> {
        let at = self.selection.start;
        // Behind a token, the token is meant.
        let offset = [at, at.saturating_sub(1)]
            .into_iter()
            .find_map(|at| self.tokens.offset_in(self.item, at));
        bodies_with(self.db, self.item, offset.unwrap_or(0))
    }

    /// Whether a span holds or touches the selection.
    fn is_at(&self, span: Span) -> bool {
        span.item == self.item
            && self.range(span).is_some_and(|range| {
                range.touches(self.selection.start) && range.touches(self.selection.end)
            })
    }

    fn file_edit(&self, range: ByteRange, text: String) -> FileEdit {
        FileEdit {
            file: Arc::clone(&self.path),
            start_byte: range.start,
            end_byte: range.end,
            text,
        }
    }
}

/// The part of a text.
fn slice(text: &str, range: ByteRange) -> Option<&str> {
    text.get(range.start as usize..range.end as usize)
}

/// The white space before a byte on its line; nothing if something else is there.
fn line_indentation(text: &str, at: u32) -> &str {
    let before = text.get(..at as usize).unwrap_or_default();
    let line = before.rsplit('\n').next().unwrap_or_default();
    let line = line.trim_start_matches('\u{feff}');
    if line.trim().is_empty() { line } else { "" }
}

/// The line break of a text.
fn line_break(text: &str) -> &'static str {
    match text.find('\n') {
        Some(at) if text.get(..at).is_some_and(|line| line.ends_with('\r')) => "\r\n",
        _ => "\n",
    }
}

/// The token that starts at a byte of a file, and the bytes before the file's tree.
fn token_from(db: &dyn Db, file: SourceFile, start: u32) -> Option<(SyntaxToken, u32)> {
    let parsed = parse(db, file);
    let root: SyntaxNode = parsed.tree()?.syntax().clone();
    let base = parsed.offset();
    let at = TextSize::from(start.checked_sub(base)?);
    if !root.text_range().contains_inclusive(at) {
        return None;
    }
    Some((root.token_at_offset(at).right_biased()?, base))
}

/// Whether an `m!` is written in full and is where a type is, and not among the tokens of another macro.
fn is_type(db: &dyn Db, file: SourceFile, site: &MappingSite, range: ByteRange) -> bool {
    let closed = slice(&file.text(db), range).is_some_and(|text| text.ends_with([']', ')', '}']));
    site.kind == SiteKind::Mapping
        && closed
        && macro_type(db, file, range).is_some_and(|(node, base)| {
            let own = node.syntax().text_range();
            u32::from(own.end()).saturating_add(base) == range.end
        })
}

/// The type that starts with the macro's name at a place.
fn macro_type(db: &dyn Db, file: SourceFile, range: ByteRange) -> Option<(ast::MacroType, u32)> {
    let (token, base) = token_from(db, file, range.start)?;
    let node = token.parent_ancestors().find_map(ast::MacroType::cast)?;
    let start = u32::from(node.syntax().text_range().start()).saturating_add(base);
    (start == range.start).then_some((node, base))
}
