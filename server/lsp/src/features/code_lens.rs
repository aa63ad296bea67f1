//! The line above each kernel.

use serde_json::json;
use tower_lsp::ls_types::{CodeLens, CodeLensParams, Command};
use visa_analysis::EditorQuestions as _;

use super::places::client_location;
use super::running;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// The command of an editor that shows when a kernel does what. Its arguments: the document and the place of the kernel.
const SHOW_TIMELINE: &str = "visa.showTimeline";

/// The command of an editor that goes to a place: what has to be mended before a kernel has cycles. Its arguments: the document
/// and the place.
const GO_TO: &str = "visa.goTo";

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
    let mut lenses = Vec::new();
    let runs = snapshot.view.client.code_action_literals;
    for lens in snapshot.analysis.lenses(&path)? {
        let range = file.range(lens.range);
        let (command, arguments) = match &lens.mend {
            Some(place) => {
                let to = client_location(snapshot, place)?;
                (GO_TO, vec![json!(to.uri), json!(to.range.start)])
            }
            None => {
                let arguments = vec![json!(params.text_document.uri), json!(range.start)];
                (SHOW_TIMELINE, arguments)
            }
        };
        lenses.push(CodeLens {
            range,
            command: Some(Command {
                title: lens.title,
                command: command.to_owned(),
                arguments: Some(arguments),
            }),
            data: None,
        });
        if runs {
            lenses.push(running::lens(
                &params.text_document.uri,
                range,
                &lens.kernel,
            ));
        }
    }
    Ok(Some(lenses))
}
