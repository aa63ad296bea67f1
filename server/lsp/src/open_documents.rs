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
        workspace.share_file(&file, text);
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
    let mut edited = None::<String>;
    for change in changes {
        // A part of a text that is not known is none.
        document.lost &= change.range.is_some();
        if !document.lost {
            let before = edited.as_deref().unwrap_or(&document.text);
            edited = Some(changed_text(before, &mut document.lines, change, encoding));
        }
    }
    // One text from here on: the document, the engine's files and its database share it.
    if let Some(edited) = edited {
        document.text = edited.into();
    }
    let (file, text) = (Arc::clone(&path), Arc::clone(&document.text));
    server
        .engine
        .write(move |workspace| workspace.share_file(&file, text));
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
        Ok(text) => workspace.share_file(path, text.into()),
        Err(_) => workspace.remove_file(path),
    }
}

/// The text after one change; the lines become those of that text.
fn changed_text(
    text: &str,
    lines: &mut Arc<LineTable>,
    change: TextDocumentContentChangeEvent,
    encoding: Encoding,
) -> String {
    let Some(range) = change.range else {
        *lines = Arc::new(LineTable::of_document(&change.text));
        return change.text;
    };
    let start = lines.offset(text, range.start, encoding);
    let end = lines.offset(text, range.end, encoding).max(start);
    let (before, rest) = text.split_at(start);
    let (_, after) = rest.split_at(end - start);
    let edited = [before, &change.text, after].concat();
    Arc::make_mut(lines).follow_edit(&edited, start, end - start, change.text.len());
    edited
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use tower_lsp::LspService;
    use tower_lsp::ls_types::{Position, Range, TextDocumentContentChangeEvent, Uri};

    use super::super::handlers::Handlers;
    use super::super::state::Server;
    use super::super::uris;
    use super::{change_document, open_document};
    use crate::project::engine::{Engine, Urgency};

    fn typed(line: u32, from: u32, to: u32, text: &str) -> TextDocumentContentChangeEvent {
        TextDocumentContentChangeEvent {
            range: Some(Range::new(
                Position::new(line, from),
                Position::new(line, to),
            )),
            range_length: None,
            text: text.to_owned(),
        }
    }

    /// Whether the document and the engine's database hold one and the same text, and what it is.
    async fn shared_text(server: &Server, path: &str) -> (bool, String) {
        let held = server.lock().view.text(path).map(Arc::clone);
        let path = path.to_owned();
        let asked = server.engine.read(Urgency::Waiting, move |analysis, _| {
            Ok(analysis.text(&path)?)
        });
        let (held, known) = (held.unwrap_or_default(), asked.await.unwrap_or_default());
        (Arc::ptr_eq(&held, &known), held.to_string())
    }

    #[tokio::test]
    async fn a_document_and_the_engine_share_one_text() {
        for (name, text) in [
            ("k.rs", "fn f() {\n    1;\n}\n"),
            ("k.md", "```rust\nfn f() {}\n```\n"),
            ("k.pto", "fn f() {\n    1;\n}\n"),
        ] {
            let engine = Engine::start(|_| {}).unwrap_or_else(|error| unreachable!("{error}"));
            let (service, _socket) = LspService::new(|client| {
                Handlers::new(Server::new(client, engine, Duration::ZERO))
            });
            let server = service.inner().server();
            let uri: Uri = format!("file:///work/{name}")
                .parse()
                .unwrap_or_else(|_| unreachable!());
            let path = uris::path_of(&uri);
            open_document(server, uri.clone(), 1, text.to_owned());
            let opened = shared_text(server, &path).await;
            assert_eq!(opened, (true, text.to_owned()), "{name}");
            // A keystroke, and two changes in one notification.
            change_document(server, &uri, 2, vec![typed(1, 4, 4, "x")]);
            let mut expected = text.to_owned();
            let line = text.find('\n').map_or(0, |end| end + 1);
            expected.insert(line + 4, 'x');
            let changed = shared_text(server, &path).await;
            assert_eq!(changed, (true, expected.clone()), "{name}");
            let changes = vec![typed(1, 4, 5, ""), typed(1, 0, 0, "  ")];
            change_document(server, &uri, 3, changes);
            expected.remove(line + 4);
            expected.insert_str(line, "  ");
            let changed = shared_text(server, &path).await;
            assert_eq!(changed, (true, expected), "{name}");
        }
    }
}
