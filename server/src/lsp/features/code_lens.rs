//! The line above each kernel.

use serde_json::json;
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Command};

use crate::lsp::engine::Answer;
use crate::lsp::state::Snapshot;

/// The command of an editor that shows when a kernel does what. Its arguments: the document and the place of the kernel.
const SHOW_TIMELINE: &str = "visa.showTimeline";

/// `textDocument/codeLens`
pub(crate) fn code_lens(
    snapshot: &Snapshot,
    params: &CodeLensParams,
) -> Answer<Option<Vec<CodeLens>>> {
    if !snapshot.view.settings.client.lenses {
        return Ok(Some(Vec::new()));
    }
    let path = snapshot.path(&params.text_document.uri);
    let file = snapshot.file(&path)?;
    let lenses = snapshot.analysis.lenses(&path)?.into_iter().map(|lens| {
        let range = file.range(lens.range);
        CodeLens {
            range,
            command: Some(Command {
                title: lens.title,
                command: SHOW_TIMELINE.to_owned(),
                arguments: Some(vec![json!(params.text_document.uri), json!(range.start)]),
            }),
            data: None,
        }
    });
    Ok(Some(lenses.collect()))
}
