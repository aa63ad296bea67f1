//! Diagnostics: pushed to old clients, pulled by the others.

use std::sync::Arc;

use tower_lsp::ls_types::{
    DocumentDiagnosticParams, DocumentDiagnosticReport, DocumentDiagnosticReportResult,
    RelatedFullDocumentDiagnosticReport, Uri, WorkspaceDiagnosticParams, WorkspaceDiagnosticReport,
    WorkspaceDiagnosticReportResult,
};

use crate::lsp::engine::Answer;
use crate::lsp::state::{Server, Snapshot};

/// A document was opened or changed; its text is in place.
pub(crate) fn changed(_server: &Arc<Server>, _path: &str) {}

/// A document was closed.
pub(crate) fn closed(_server: &Arc<Server>, _uri: &Uri, _path: &str) {}

/// The diagnostics of a document.
pub(crate) fn document(
    _snapshot: &Snapshot,
    _params: DocumentDiagnosticParams,
) -> Answer<DocumentDiagnosticReportResult> {
    let empty = RelatedFullDocumentDiagnosticReport::default();
    Ok(DocumentDiagnosticReport::Full(empty).into())
}

/// The diagnostics of the workspace.
pub(crate) fn workspace(
    _snapshot: &Snapshot,
    _params: WorkspaceDiagnosticParams,
) -> Answer<WorkspaceDiagnosticReportResult> {
    Ok(WorkspaceDiagnosticReport::default().into())
}
