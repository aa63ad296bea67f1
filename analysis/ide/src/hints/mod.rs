//! Words between the text's own: sizes of aliases, streams behind stages, cycles of operations.
//!
//! A number is there only where it is known. The words of an item are a query of their own that sees normalised text
//! alone: a request places those of the items that it touches.

mod operations;
mod sizes;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{ItemId, Span, file_items, functions_of, token_map};

use super::{ByteRange, HintKind, HintLevel, InlayHint};

/// A hint at a place of normalised text.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ItemHint {
    /// Stands behind it.
    place: Span,
    label: String,
    tooltip: String,
    kind: HintKind,
}

/// The hints whose places are in a range.
pub(super) fn inlay_hints(
    db: &dyn Db,
    file: SourceFile,
    range: ByteRange,
    level: HintLevel,
) -> Vec<InlayHint> {
    if level == HintLevel::Off {
        return Vec::new();
    }
    let tokens = token_map(db, file);
    let mut hints = Vec::new();
    for item in file_items(db, file).items.iter().copied() {
        let touched = tokens
            .item_range(item)
            .filter(|(start, end)| *start <= range.end && range.start <= *end);
        if touched.is_none() {
            continue;
        }
        let of_item = sizes::of_item(db, item);
        let functions = functions_of(db, item).into_iter();
        let of_functions: Vec<_> = functions.map(|function| hints_of(db, function)).collect();
        let found = of_item
            .iter()
            .chain(of_functions.iter().flat_map(|hints| hints.iter()));
        for hint in found {
            if hint.kind == HintKind::Stream && level != HintLevel::Line {
                continue;
            }
            // What a macro wrote has no text to put a hint at.
            let place = tokens.range(hint.place).map(|(_, end)| end);
            let place = place.filter(|_| tokens.is_written(hint.place));
            if let Some(offset) = place.filter(|at| range.touches(*at)) {
                hints.push(InlayHint {
                    offset,
                    label: hint.label.clone(),
                    tooltip: Some(hint.tooltip.clone()).filter(|words| !words.is_empty()),
                    kind: hint.kind,
                });
            }
        }
    }
    hints.sort_by_key(|hint| hint.offset);
    hints
}

/// The streams and cycles of a function.
#[salsa::tracked(returns(clone))]
fn hints_of(db: &dyn Db, function: ItemId) -> Arc<[ItemHint]> {
    operations::of_function(db, function).into()
}
