//! The fixes of a finding as they travel: in the `data` of its diagnostic, and from there into code actions.

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{CodeAction, CodeActionKind, Diagnostic};
use visa_analysis::{Applicability, ByteRange};

use super::edits::{DocumentEdits, of_files, workspace_edit};
use crate::lsp::engine::Answer;
use crate::lsp::state::{Snapshot, View};

/// What a diagnostic carries for the code actions about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Carried {
    /// The version of the document that the diagnostic is about; none where it is not open.
    pub(crate) version: Option<i32>,
    /// The first byte of the finding.
    pub(crate) start: u32,
    /// Code actions that mend it.
    pub(crate) fixes: Vec<Fix>,
}

/// A code action that mends a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Fix {
    /// What it does, as a menu entry.
    pub(crate) title: String,
    /// Whether it is the one to take without looking.
    pub(crate) preferred: bool,
    /// Its replacements.
    pub(crate) documents: Vec<DocumentEdits>,
}

impl Carried {
    /// What the diagnostic of a finding carries.
    pub(crate) fn of(snapshot: &Snapshot, finding: &visa_analysis::Diagnostic) -> Answer<Self> {
        let sure = |fix: &visa_analysis::DiagnosticFix| fix.applicability == Applicability::Machine;
        let only = finding.fixes.iter().filter(|fix| sure(fix)).count() == 1;
        let fixes = finding.fixes.iter().map(|fix| {
            Ok(Fix {
                title: fix.title.clone(),
                preferred: only && sure(fix),
                documents: of_files(snapshot, &fix.edits)?,
            })
        });
        Ok(Self {
            version: snapshot.version(&finding.file),
            start: finding.range.start.byte,
            fixes: fixes.collect::<Answer<_>>()?,
        })
    }

    /// What a diagnostic that the client sends back carries, if that is about the texts that it has now.
    pub(crate) fn back(view: &View, path: &str, diagnostic: &Diagnostic) -> Option<Self> {
        let data = diagnostic.data.clone()?;
        let carried: Self = serde_json::from_value(data).ok()?;
        let version = |path: &str| view.documents.get(path).map(|document| document.version);
        let current = carried.version == version(path)
            && carried.fixes.iter().all(|fix| {
                fix.documents.iter().all(|document| {
                    let path = crate::lsp::uris::path_of(&document.uri);
                    document.version.is_some() && document.version == version(&path)
                })
            });
        // A file that is not open has no version: what was said of it may be old.
        (current && carried.version.is_some()).then_some(carried)
    }
}

impl Fix {
    /// The code action.
    pub(crate) fn action(self, view: &View, diagnostic: &Diagnostic) -> CodeAction {
        CodeAction {
            title: self.title,
            kind: Some(CodeActionKind::QUICKFIX),
            diagnostics: Some(vec![diagnostic.clone()]),
            edit: Some(workspace_edit(view, self.documents)),
            is_preferred: self.preferred.then_some(true),
            ..CodeAction::default()
        }
    }
}

/// Whether two stretches share a byte or touch, as a caret counts.
pub(crate) fn touch(one: ByteRange, other: ByteRange) -> bool {
    one.start <= other.end && other.start <= one.end
}
