//! The tokens in the macros of mappings with their meanings.
//!
//! What is outside of them is Rust's language server's business. An editor that takes the tokens of one server alone would show
//! none of that server's beside an empty list: a file without such macros is answered with nothing.

use tower_lsp::ls_types::{
    SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend,
    SemanticTokensParams, SemanticTokensRangeParams, SemanticTokensRangeResult,
    SemanticTokensResult, Uri,
};
use visa_analysis::EditorQuestions as _;
use visa_analysis::TokenKind;

use crate::project::engine::Answer;
use crate::state::Snapshot;

/// The bit of a token that declares its name.
const DECLARATION: u32 = 1;

/// What the numbers of tokens mean.
pub(crate) fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: vec![
            SemanticTokenType::TYPE_PARAMETER,
            SemanticTokenType::TYPE,
            SemanticTokenType::NUMBER,
            SemanticTokenType::OPERATOR,
            SemanticTokenType::MODIFIER,
        ],
        token_modifiers: vec![SemanticTokenModifier::DECLARATION],
    }
}

/// The place of a kind among the legend's types.
const fn token_type(kind: TokenKind) -> u32 {
    match kind {
        TokenKind::Axis => 0,
        TokenKind::Alias => 1,
        TokenKind::Number => 2,
        TokenKind::Operator => 3,
        TokenKind::Padding => 4,
    }
}

/// `textDocument/semanticTokens/full`
pub(crate) fn full_tokens(
    snapshot: &Snapshot,
    params: &SemanticTokensParams,
) -> Answer<Option<SemanticTokensResult>> {
    let tokens = encoded_tokens(snapshot, &params.text_document.uri, None)?;
    Ok(tokens.map(SemanticTokensResult::Tokens))
}

/// `textDocument/semanticTokens/range`
pub(crate) fn range_tokens(
    snapshot: &Snapshot,
    params: &SemanticTokensRangeParams,
) -> Answer<Option<SemanticTokensRangeResult>> {
    let range = Some(params.range);
    let tokens = encoded_tokens(snapshot, &params.text_document.uri, range)?;
    Ok(tokens.map(SemanticTokensRangeResult::Tokens))
}

fn encoded_tokens(
    snapshot: &Snapshot,
    uri: &Uri,
    range: Option<tower_lsp::ls_types::Range>,
) -> Answer<Option<SemanticTokens>> {
    let path = snapshot.path(uri);
    let file = snapshot.file(&path)?;
    let range = range.map(|range| file.byte_range(range));
    let (mut line, mut character) = (0, 0);
    let mut data = Vec::new();
    for token in snapshot.analysis.semantic_tokens(&path, range)? {
        let range = file.range(token.range);
        let behind = (range.start.line, range.start.character) >= (line, character);
        // Tokens of several lines, and tokens inside of others, are nothing that every client can show.
        if range.start.line != range.end.line || !behind {
            continue;
        }
        let delta_line = range.start.line - line;
        let before = if delta_line == 0 { character } else { 0 };
        data.push(SemanticToken {
            delta_line,
            delta_start: range.start.character - before,
            length: range.end.character.saturating_sub(range.start.character),
            token_type: token_type(token.kind),
            token_modifiers_bitset: if token.declaration { DECLARATION } else { 0 },
        });
        (line, character) = (range.start.line, range.start.character);
    }
    Ok((!data.is_empty()).then_some(SemanticTokens {
        result_id: None,
        data,
    }))
}
