//! Allowing a rule in the settings file that holds for a document, or in a new one.
//!
//! The file is read from the disk when a menu is opened: the client does not tell the server of it. An entry is offered only where
//! the rule is allowed by it: not where an override of the file, or a setting of the editor, has the last word.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, CreateFile, CreateFileOptions, Diagnostic, DocumentChangeOperation,
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, ResourceOp, TextDocumentEdit,
    WorkspaceEdit,
};
use visa_analysis::{Level, find_rule};

use super::edits::{DocumentEdits, workspace_edit};
use super::fix_all::line_edits;
use crate::positions::{FileText, LineTable};
use crate::project::paths::{self, slashes};
use crate::project::regular::{DECIDING_BYTES, is_meant, read_text};
use crate::project::settings::{FILE_NAME, Resolver, text_allowing_rule};
use crate::state::Snapshot;

/// A settings file as it is and as it would be.
struct Change {
    path: PathBuf,
    /// Its text; none where there is no file yet.
    before: Option<String>,
    after: String,
}

/// The menu entry that allows a rule in the settings file of a document.
pub(super) fn allow_rule_action(
    snapshot: &Snapshot,
    document: &str,
    rule: &str,
    diagnostic: &Diagnostic,
) -> Option<CodeAction> {
    let change = settings_change(snapshot, document, rule)?;
    let edit = settings_edit(snapshot, &change)?;
    let shown = shown_settings_path(&change.path, Path::new(document));
    let title = match change.before {
        Some(_) => format!("Allow `{rule}` in `{shown}`"),
        None => format!("Allow `{rule}` in a new `{shown}`"),
    };
    Some(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        edit: Some(edit),
        ..CodeAction::default()
    })
}

/// What becomes of the settings file; none where a rule would not be allowed by it.
fn settings_change(snapshot: &Snapshot, document: &str, name: &str) -> Option<Change> {
    let rule = find_rule(name)?;
    if !paths::is_file_path(document) {
        return None;
    }
    let settings = &snapshot.view.settings;
    let of_document = settings.table.settings_of(document);
    let file = Path::new(document);
    let (path, root, before) = match of_document.file() {
        Some((path, root)) => {
            let text = read_text(path, DECIDING_BYTES).ok()?;
            (path.to_path_buf(), root.to_path_buf(), Some(text))
        }
        None => {
            let root = home(file)?;
            let path = root.join(FILE_NAME);
            // One that is there and does not hold is wrong, or was written since.
            if is_meant(&path) || !snapshot.view.client.creates_files {
                return None;
            }
            (path, root, None)
        }
    };
    let after = text_allowing_rule(before.as_deref().unwrap_or_default(), name)?;
    let levels = settings.client.levels.clone();
    let then = Resolver::with_text(&after, (&path, &root), levels, file)?;
    let graver = rule.graver.map(|(_, group)| group);
    let mut groups = std::iter::once(rule.group).chain(graver);
    let is_allowed = groups.all(|group| then.level_of_rule(rule, group) == Level::Allow);
    is_allowed.then_some(Change {
        path,
        before,
        after,
    })
}

/// Where a settings file for a document is made: in the nearest folder with a manifest, else beside the document.
fn home(file: &Path) -> Option<PathBuf> {
    let mut folders = file.ancestors().skip(1);
    let with_manifest = folders.find(|folder| is_meant(&folder.join("Cargo.toml")));
    with_manifest
        .or_else(|| file.parent())
        .map(Path::to_path_buf)
}

/// A settings file as people see it from a document: `visa-lint.toml` beside it, `kernels/visa-lint.toml` else.
fn shown_settings_path(path: &Path, document: &Path) -> String {
    let folder = path.parent();
    let name = folder
        .filter(|folder| document.parent() != Some(*folder))
        .and_then(Path::file_name);
    let file = path.file_name().unwrap_or_default();
    let near = name.map_or_else(PathBuf::new, PathBuf::from).join(file);
    slashes(&near)
}

fn settings_edit(snapshot: &Snapshot, change: &Change) -> Option<WorkspaceEdit> {
    let view = &snapshot.view;
    let uri = snapshot.uri(&slashes(&change.path)).ok()?;
    let text: Arc<str> = change.before.as_deref().unwrap_or_default().into();
    let file = FileText {
        lines: Arc::new(LineTable::of_file(&text)),
        text,
        encoding: view.encoding,
    };
    let edits = line_edits(&file, &change.after);
    if change.before.is_some() {
        let document = DocumentEdits {
            uri,
            version: None,
            edits,
        };
        return Some(workspace_edit(view, vec![document]));
    }
    let create = DocumentChangeOperation::Op(ResourceOp::Create(CreateFile {
        uri: uri.clone(),
        options: Some(CreateFileOptions {
            overwrite: None,
            ignore_if_exists: Some(true),
        }),
        annotation_id: None,
    }));
    let write = DocumentChangeOperation::Edit(TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version: None },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    });
    Some(WorkspaceEdit {
        document_changes: Some(DocumentChanges::Operations(vec![create, write])),
        ..WorkspaceEdit::default()
    })
}
