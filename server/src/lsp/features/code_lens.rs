//! Code lenses.

use tower_lsp::ls_types::{CodeLens, CodeLensParams};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// The lines above kernels.
pub(crate) fn code_lens(
    _snapshot: &Snapshot,
    _params: CodeLensParams,
) -> Answer<Option<Vec<CodeLens>>> {
    Ok(None)
}
