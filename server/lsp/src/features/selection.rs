//! What a selection grows to.

use tower_lsp::ls_types::{Range, SelectionRange, SelectionRangeParams};
use visa_analysis::EditorQuestions as _;

use crate::project::engine::Answer;
use crate::state::Snapshot;

/// `textDocument/selectionRange`
pub(crate) fn selection_ranges(
    snapshot: &Snapshot,
    params: &SelectionRangeParams,
) -> Answer<Option<Vec<SelectionRange>>> {
    let path = snapshot.path(&params.text_document.uri);
    let file = snapshot.file(&path)?;
    let selections = params.positions.iter().map(|position| {
        let ranges = snapshot
            .analysis
            .selection_ranges(&path, file.offset(*position))?;
        let outward = ranges.into_iter().rev().map(|range| file.range(range));
        let grown = outward.fold(None, |parent, range| {
            Some(SelectionRange {
                range,
                parent: parent.map(Box::new),
            })
        });
        // The protocol wants one answer a place.
        Ok(grown.unwrap_or(SelectionRange {
            range: Range {
                start: *position,
                end: *position,
            },
            parent: None,
        }))
    });
    selections.collect::<Answer<Vec<_>>>().map(Some)
}
