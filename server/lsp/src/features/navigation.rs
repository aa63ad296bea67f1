//! Declarations, uses and new names of axes and aliases.

use tower_lsp::ls_types::{
    GotoDefinitionParams, GotoDefinitionResponse, Location, PrepareRenameResponse, ReferenceParams,
    RenameParams, TextDocumentPositionParams, WorkspaceEdit,
};
use visa_analysis::EditorQuestions as _;
use visa_analysis::{Place, RenameProblem};

use super::edits::{of_files, workspace_edit};
use super::places::{client_location, resolve_position};
use crate::project::engine::{Answer, Failure};
use crate::state::Snapshot;

/// `textDocument/definition`
pub(crate) fn definition(
    snapshot: &Snapshot,
    params: &GotoDefinitionParams,
) -> Answer<Option<GotoDefinitionResponse>> {
    let (path, _, offset) = resolve_position(snapshot, &params.text_document_position_params)?;
    let places = snapshot.analysis.definition(&path, offset)?;
    let places = locations(snapshot, &places)?;
    Ok((!places.is_empty()).then_some(GotoDefinitionResponse::Array(places)))
}

/// `textDocument/references`
pub(crate) fn references(
    snapshot: &Snapshot,
    params: &ReferenceParams,
) -> Answer<Option<Vec<Location>>> {
    let (path, _, offset) = resolve_position(snapshot, &params.text_document_position)?;
    let declaration = params.context.include_declaration;
    let places = snapshot.analysis.references(&path, offset, declaration)?;
    locations(snapshot, &places).map(Some)
}

/// `textDocument/prepareRename`
pub(crate) fn prepare_rename(
    snapshot: &Snapshot,
    params: &TextDocumentPositionParams,
) -> Answer<Option<PrepareRenameResponse>> {
    let (path, file, offset) = resolve_position(snapshot, params)?;
    match snapshot.analysis.prepare_rename(&path, offset)? {
        Ok((range, placeholder)) => Ok(Some(PrepareRenameResponse::RangeWithPlaceholder {
            range: file.range(range),
            placeholder,
        })),
        Err(RenameProblem(why)) => Err(Failure::Refused(why)),
    }
}

/// `textDocument/rename`
pub(crate) fn rename(snapshot: &Snapshot, params: &RenameParams) -> Answer<Option<WorkspaceEdit>> {
    let (path, _, offset) = resolve_position(snapshot, &params.text_document_position)?;
    match snapshot.analysis.rename(&path, offset, &params.new_name)? {
        Ok(edits) => {
            let documents = of_files(snapshot, &edits)?;
            Ok(Some(workspace_edit(&snapshot.view, documents)))
        }
        Err(RenameProblem(why)) => Err(Failure::Refused(why)),
    }
}

fn locations(snapshot: &Snapshot, places: &[Place]) -> Answer<Vec<Location>> {
    let places = places.iter().map(|place| client_location(snapshot, place));
    places.collect()
}
