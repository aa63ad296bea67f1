//! The meaning of the tokens in macros.

use tower_lsp::ls_types::{
    SemanticTokenModifier, SemanticTokenType, SemanticTokensLegend, SemanticTokensParams,
    SemanticTokensRangeParams, SemanticTokensRangeResult, SemanticTokensResult,
};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// The tokens of a document.
pub(crate) fn full(
    _snapshot: &Snapshot,
    _params: SemanticTokensParams,
) -> Answer<Option<SemanticTokensResult>> {
    Ok(None)
}

/// The tokens of a range.
pub(crate) fn range(
    _snapshot: &Snapshot,
    _params: SemanticTokensRangeParams,
) -> Answer<Option<SemanticTokensRangeResult>> {
    Ok(None)
}

/// What the numbers of a token stand for.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: vec![
            SemanticTokenType::TYPE_PARAMETER,
            SemanticTokenType::TYPE,
            SemanticTokenType::NUMBER,
            SemanticTokenType::OPERATOR,
            SemanticTokenType::MACRO,
        ],
        token_modifiers: vec![SemanticTokenModifier::DECLARATION],
    }
}
