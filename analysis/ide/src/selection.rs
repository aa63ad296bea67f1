//! The ranges around a cursor, through the grammar of mappings.
//!
//! From the token to the term with its operators, the part of a pair, the body of the macro and its call, then the nodes of
//! Rust's own tree up to the file. Outside of `m!`, `i!` and `axes!` it answers nothing: there Rust's grammar is all there is,
//! and another server knows it.

#[cfg(test)]
mod tests;

use ra_ap_syntax::{SyntaxNode, TextRange};

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{SiteKind, file_grammar};
use crate::mapping::{
    FactorKind, FactorNode, Grammar, SyntaxKind, SyntaxNode as Term, parse_axes, parse_index_in,
    parse_mapping_in,
};

use super::ByteRange;
use super::cursor::{Cursor, MacroAt};

/// Terms that may be in each other.
const MAXIMUM_DEPTH: usize = 256;

/// The ranges around a byte of a macro's arguments, from the inside out, each larger than the one before.
pub(super) fn selection_ranges(db: &dyn Db, file: SourceFile, offset: u32) -> Vec<ByteRange> {
    ranges_around(db, file, offset).unwrap_or_default()
}

fn ranges_around(db: &dyn Db, file: SourceFile, offset: u32) -> Option<Vec<ByteRange>> {
    let cursor = Cursor::at(db, file, offset)?;
    let inside = |at: &MacroAt| at.body.touches(offset);
    // Of two tokens at a boundary the one in a macro counts, and a name before what is none.
    let (token, around) = cursor
        .token()
        .into_iter()
        .chain(&cursor.tokens)
        .find_map(|token| Some((token, cursor.macro_around(token).filter(inside)?)))?;
    let mut ranges = Vec::new();
    if !token.kind().is_trivia() {
        ranges.push(cursor.range_of(token));
    }
    let text = file.text(db);
    let body = text.get(around.body.start as usize..around.body.end as usize)?;
    let grammar = file_grammar(db, file);
    let mut parts = Parts {
        body: around.body,
        offset,
        ranges: &mut ranges,
    };
    parts.collect(around.kind, body, grammar);
    ranges.push(around.body);
    let call = call_of(&around.tree);
    ranges.push(cursor.file_range(around.tree.text_range()));
    ranges.push(cursor.file_range(call));
    let nodes = around.tree.ancestors().map(|node| node.text_range());
    ranges.extend(nodes.map(|range| cursor.file_range(range)));
    Some(growing(ranges, offset))
}

/// The ranges that hold an offset, from the smallest on, each inside of the next.
fn growing(mut ranges: Vec<ByteRange>, offset: u32) -> Vec<ByteRange> {
    ranges.retain(|range| range.touches(offset) && range.start < range.end);
    ranges.sort_by_key(|range| range.end.saturating_sub(range.start));
    let mut chain: Vec<ByteRange> = Vec::new();
    for range in ranges {
        let around = |inner: &ByteRange| {
            *inner != range && range.start <= inner.start && inner.end <= range.end
        };
        if chain.last().is_none_or(around) {
            chain.push(range);
        }
    }
    chain
}

/// From a macro's name to the end of its arguments.
fn call_of(tree: &SyntaxNode) -> TextRange {
    let whole = tree.text_range();
    let mut before = std::iter::successors(
        tree.first_token().and_then(|open| open.prev_token()),
        ra_ap_syntax::SyntaxToken::prev_token,
    )
    .filter(|token| !token.kind().is_trivia());
    let name = before.nth(1);
    name.map_or(whole, |name| whole.cover(name.text_range()))
}

/// The parts of a macro's arguments around an offset.
struct Parts<'a> {
    body: ByteRange,
    offset: u32,
    ranges: &'a mut Vec<ByteRange>,
}

impl Parts<'_> {
    fn collect(&mut self, kind: SiteKind, text: &str, grammar: Grammar) {
        match kind {
            SiteKind::Mapping => {
                if let (Some(term), _) = parse_mapping_in(text, grammar) {
                    self.term(&term, 0);
                }
            }
            SiteKind::Index => {
                for entry in parse_index_in(text, grammar).0 {
                    self.term(&entry.mapping, 0);
                    self.push_part(&entry.value_span);
                    self.push_part(&(entry.mapping.span.start..entry.value_span.end));
                }
            }
            SiteKind::Axes => {
                for axis in parse_axes(text).0 {
                    self.push_part(&axis.size_span);
                    self.push_part(&(axis.name_span.start..axis.size_span.end));
                }
            }
        }
    }

    /// A range of the macro's body.
    fn push_part(&mut self, range: &std::ops::Range<usize>) {
        let place = |offset: usize| {
            let offset = u32::try_from(offset).unwrap_or(u32::MAX);
            self.body.start.saturating_add(offset).min(self.body.end)
        };
        let range = ByteRange {
            start: place(range.start),
            end: place(range.end),
        };
        self.ranges.push(range);
    }

    fn holds_offset(&self, range: &std::ops::Range<usize>) -> bool {
        let Some(offset) = self.offset.checked_sub(self.body.start) else {
            return false;
        };
        range.start <= offset as usize && offset as usize <= range.end
    }

    fn term(&mut self, term: &Term, depth: usize) {
        // A chain of operators nests to the left: it is walked as a loop.
        let mut current = term;
        while self.holds_offset(&current.span) && depth < MAXIMUM_DEPTH {
            self.push_part(&current.span);
            match &current.kind {
                SyntaxKind::Binary {
                    left,
                    factor,
                    operator_span,
                    ..
                } => {
                    self.push_part(&(operator_span.start..factor.span.end.max(operator_span.end)));
                    self.push_factor(factor, depth);
                    current = left;
                }
                SyntaxKind::Group(inner) => {
                    self.term(inner, depth.saturating_add(1));
                    return;
                }
                SyntaxKind::Pair(parts) => {
                    for part in parts {
                        self.term(part, depth.saturating_add(1));
                    }
                    return;
                }
                SyntaxKind::Escape { content } => {
                    self.push_part(content);
                    return;
                }
                _ => return,
            }
        }
    }

    fn push_factor(&mut self, factor: &FactorNode, depth: usize) {
        if !self.holds_offset(&factor.span) {
            return;
        }
        self.push_part(&factor.span);
        match &factor.kind {
            FactorKind::Mapping(term) => self.term(term, depth.saturating_add(1)),
            FactorKind::Constant { content } => self.push_part(content),
            _ => {}
        }
    }
}
