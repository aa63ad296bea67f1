//! The generics of the method at the cursor.

use tower_lsp::ls_types::{
    ParameterInformation, ParameterLabel, SignatureHelp, SignatureHelpParams, SignatureInformation,
};
use visa_analysis::EditorQuestions as _;

use super::markup::Format;
use super::places::resolve_position;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// `textDocument/signatureHelp`
pub(crate) fn signature_help(
    snapshot: &Snapshot,
    params: &SignatureHelpParams,
) -> Answer<Option<SignatureHelp>> {
    let (path, _, offset) = resolve_position(snapshot, &params.text_document_position_params)?;
    let Some(help) = snapshot.analysis.signature_help(&path, offset)? else {
        return Ok(None);
    };
    let client = &snapshot.view.client;
    let format = Format::of(client.signature_markdown);
    let label = &help.label;
    let parameters = help.parameters.iter().map(|parameter| {
        let (start, end) = parameter.label;
        let words = label.get(start as usize..end as usize).unwrap_or_default();
        ParameterInformation {
            label: if client.label_offsets {
                // These count UTF-16 code units, whatever columns count.
                let units = |end: u32| {
                    let before = label.get(..end as usize).unwrap_or(label);
                    u32::try_from(before.encode_utf16().count()).unwrap_or(u32::MAX)
                };
                ParameterLabel::LabelOffsets([units(start), units(end)])
            } else {
                ParameterLabel::Simple(words.to_owned())
            },
            documentation: parameter
                .documentation
                .as_deref()
                .map(|words| format.documentation(words)),
        }
    });
    let parameters = parameters.collect();
    let documentation = help.documentation.as_deref();
    Ok(Some(SignatureHelp {
        signatures: vec![SignatureInformation {
            documentation: documentation.map(|words| format.documentation(words)),
            parameters: Some(parameters),
            active_parameter: help.active,
            label: help.label,
        }],
        active_signature: Some(0),
        active_parameter: help.active,
    }))
}
