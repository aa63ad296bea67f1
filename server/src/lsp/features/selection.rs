//! Selection ranges.

use tower_lsp::ls_types::{SelectionRange, SelectionRangeParams};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// The ranges around each place, from the inside out.
pub(crate) fn selection_ranges(
    _snapshot: &Snapshot,
    _params: SelectionRangeParams,
) -> Answer<Option<Vec<SelectionRange>>> {
    Ok(None)
}
