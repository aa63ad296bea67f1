//! Folding ranges.

use tower_lsp::ls_types::{FoldingRange, FoldingRangeParams};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// What can be hidden.
pub(crate) fn folding_ranges(
    _snapshot: &Snapshot,
    _params: FoldingRangeParams,
) -> Answer<Option<Vec<FoldingRange>>> {
    Ok(None)
}
