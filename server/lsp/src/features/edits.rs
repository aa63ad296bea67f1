//! Edits of the engine as edits of the protocol: of the versions that the client has, with the line breaks of each file.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use tower_lsp::ls_types::{
    DocumentChanges, OneOf, OptionalVersionedTextDocumentIdentifier, TextDocumentEdit, TextEdit,
    Uri, WorkspaceEdit,
};
use visa_analysis::{ByteRange, FileEdit, with_line_breaks_of};

use crate::project::engine::Answer;
use crate::state::{Snapshot, View};

/// The edits of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DocumentEdits {
    /// The file.
    pub(crate) uri: Uri,
    /// Its version; none where it is not open.
    pub(crate) version: Option<i32>,
    /// The replacements, none of them twice.
    pub(crate) edits: Vec<TextEdit>,
}

/// The edits by file.
pub(crate) fn of_files(snapshot: &Snapshot, edits: &[FileEdit]) -> Answer<Vec<DocumentEdits>> {
    let mut by_file: BTreeMap<&str, Vec<&FileEdit>> = BTreeMap::new();
    for edit in edits {
        let known = by_file.entry(&edit.file).or_default();
        if !known.contains(&edit) {
            known.push(edit);
        }
    }
    let documents = by_file.into_iter().map(|(path, edits)| {
        let file = snapshot.file(path)?;
        let edits = edits.into_iter().map(|edit| {
            let bytes = ByteRange {
                start: edit.start_byte,
                end: edit.end_byte,
            };
            TextEdit {
                range: file.range(bytes),
                new_text: with_line_breaks_of(&file.text, &edit.text).into_owned(),
            }
        });
        Ok(DocumentEdits {
            uri: snapshot.uri(path)?,
            version: snapshot.version(path),
            edits: edits.collect(),
        })
    });
    documents.collect()
}

/// Edits as the client takes them: with versions where it knows those.
pub(crate) fn workspace_edit(view: &View, documents: Vec<DocumentEdits>) -> WorkspaceEdit {
    if !view.client.document_changes {
        let changes: HashMap<Uri, Vec<TextEdit>> = documents
            .into_iter()
            .map(|document| (document.uri, document.edits))
            .collect();
        return WorkspaceEdit {
            changes: Some(changes),
            ..WorkspaceEdit::default()
        };
    }
    let documents = documents.into_iter().map(|document| TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier {
            uri: document.uri,
            version: document.version,
        },
        edits: document.edits.into_iter().map(OneOf::Left).collect(),
    });
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(documents.collect())),
        ..WorkspaceEdit::default()
    }
}
