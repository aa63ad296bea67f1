//! Open documents: their texts follow the client's edits, and the engine's files follow the texts.
//!
//! All of it runs in notification handlers, without waiting for anything: the next message already sees the new text.

use std::path::Path;
use std::sync::Arc;

use tower_lsp::ls_types::{MessageType, TextDocumentContentChangeEvent, Uri};
use visa_analysis::Workspace;

use super::positions::{Encoding, LineTable};
use super::publishing;
use super::state::{Document, Server};
use super::uris;
use crate::project::regular::{SOURCE_BYTES, read_text};

/// Puts a document in place.
pub(crate) fn open_document(server: &Server, uri: Uri, version: i32, text: String) -> Arc<str> {
    let path: Arc<str> = uris::path_of(&uri).into();
    let text: Arc<str> = text.into();
    publishing::forget_published(server, &path);
    let mut state = server.lock();
    let document = Document {
        uri,
        version,
        lines: Arc::new(LineTable::of_document(&text)),
        text: Arc::clone(&text),
        lost: false,
    };
    state.documents_mut().insert(Arc::clone(&path), document);
    let file = Arc::clone(&path);
    server.engine.write(move |workspace| {
        workspace.set_file(&file, &text);
        workspace.open_file(&file);
    });
    path
}

/// Applies the changes of one notification, in their order. None if no such document is open.
pub(crate) fn change_document(
    server: &Server,
    uri: &Uri,
    version: i32,
    changes: Vec<TextDocumentContentChangeEvent>,
) -> Option<Arc<str>> {
    let path: Arc<str> = uris::path_of(uri).into();
    let mut state = server.lock();
    let encoding = state.view.encoding;
    let Some(document) = state.documents_mut().get_mut(&path) else {
        drop(state);
        server.log(
            MessageType::WARNING,
            format!("a change of {} which is not open", uri.as_str()),
        );
        return None;
    };
    document.version = version;
    let mut text = String::from(&*document.text);
    for change in changes {
        // A part of a text that is not known is none.
        document.lost &= change.range.is_some();
        if !document.lost {
            apply_change(&mut text, &mut document.lines, change, encoding);
        }
    }
    document.text = text.into();
    let (file, text) = (Arc::clone(&path), Arc::clone(&document.text));
    server
        .engine
        .write(move |workspace| workspace.set_file(&file, &text));
    Some(path)
}

/// Forgets the text of a document, a change of which could not be read. None if no such document is open.
pub(crate) fn lose(server: &Server, uri: &Uri) -> Option<Arc<str>> {
    let path: Arc<str> = uris::path_of(uri).into();
    let mut state = server.lock();
    let document = state.documents_mut().get_mut(&path)?;
    document.lost = true;
    document.text = "".into();
    document.lines = Arc::new(LineTable::of_document(""));
    let file = Arc::clone(&path);
    server
        .engine
        .write(move |workspace| workspace.set_file(&file, ""));
    Some(path)
}

/// Forgets a document: of a file that the workspace holds what is on disk holds again, if anything is; others are gone.
pub(crate) fn close_document(server: &Server, uri: &Uri) -> Option<Arc<str>> {
    let path: Arc<str> = uris::path_of(uri).into();
    let mut state = server.lock();
    state.documents_mut().remove(&path)?;
    let held = state.view.settings.loaded.contains(&path);
    let file = Arc::clone(&path);
    server.engine.write(move |workspace| {
        if held {
            take_from_disk(workspace, &file);
        } else {
            workspace.remove_file(&file);
        }
    });
    Some(path)
}

/// Gives the engine what is on disk of a file.
pub(crate) fn take_from_disk(workspace: &mut Workspace, path: &str) {
    match read_text(Path::new(path), SOURCE_BYTES) {
        Ok(text) => workspace.set_file(path, &text),
        Err(_) => workspace.remove_file(path),
    }
}

/// Applies one change to a text and its lines.
fn apply_change(
    text: &mut String,
    lines: &mut Arc<LineTable>,
    change: TextDocumentContentChangeEvent,
    encoding: Encoding,
) {
    let Some(range) = change.range else {
        *text = change.text;
        *lines = Arc::new(LineTable::of_document(text));
        return;
    };
    let start = lines.offset(text, range.start, encoding);
    let end = lines.offset(text, range.end, encoding).max(start);
    text.replace_range(start..end, &change.text);
    Arc::make_mut(lines).follow_edit(text, start, end - start, change.text.len());
}
