//! What can be hidden.

use tower_lsp::ls_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};
use visa_analysis::EditorQuestions as _;
use visa_analysis::Folding;

use crate::positions::FileText;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// `textDocument/foldingRange`
pub(crate) fn folding_ranges(
    snapshot: &Snapshot,
    params: &FoldingRangeParams,
) -> Answer<Option<Vec<FoldingRange>>> {
    let path = snapshot.path(&params.text_document.uri);
    let file = snapshot.file(&path)?;
    let client = &snapshot.view.client;
    let limit = client.folding_limit.map(usize::try_from);
    let foldings = snapshot.analysis.folding_ranges(&path)?;
    let foldings = foldings
        .into_iter()
        .filter_map(|folding| folding_range(&file, folding, client.folds_lines_only))
        .take(limit.and_then(Result::ok).unwrap_or(usize::MAX));
    Ok(Some(foldings.collect()))
}

fn folding_range(file: &FileText, folding: Folding, lines_only: bool) -> Option<FoldingRange> {
    let range = file.range(folding.range);
    let mut end_line = range.end.line;
    // A line that is hidden in whole must not hold what follows the closing bracket.
    if lines_only && line_continues(file, folding.range.end) {
        end_line = end_line.checked_sub(1)?;
    }
    (end_line > range.start.line).then(|| FoldingRange {
        start_line: range.start.line,
        start_character: (!lines_only).then_some(range.start.character),
        end_line,
        end_character: (!lines_only).then_some(range.end.character),
        kind: Some(FoldingRangeKind::Region),
        collapsed_text: folding.collapsed,
    })
}

/// Whether more than blanks follow a byte on its line.
fn line_continues(file: &FileText, offset: u32) -> bool {
    let rest = file.text.get(offset as usize..).unwrap_or_default();
    rest.lines()
        .next()
        .is_some_and(|line| !line.trim().is_empty())
}
