//! Signature help.

use tower_lsp::ls_types::{SignatureHelp, SignatureHelpParams};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// The generics of the method at the cursor.
pub(crate) fn signature_help(
    _snapshot: &Snapshot,
    _params: SignatureHelpParams,
) -> Answer<Option<SignatureHelp>> {
    Ok(None)
}
