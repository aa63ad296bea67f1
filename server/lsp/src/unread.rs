//! Notifications about documents whose parameters cannot be read, such as a column below zero.
//!
//! The library lets them fall without a word, and from a lost change on the server would answer about a text that the client
//! does not have. So the client's log names the document, and a document that lost a change counts as empty until the client
//! sends all of its text again: nothing is said of it rather than something wrong.

use std::str::FromStr;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;
use tower_lsp::jsonrpc::Request;
use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidOpenTextDocumentParams, MessageType, Uri,
};

use super::state::Server;
use super::{open_documents, publishing};

/// Looks whether a message is such a notification.
pub(crate) fn notice_unreadable(server: &Arc<Server>, request: &Request) {
    let params = request.params().unwrap_or(&Value::Null);
    let why = match request.method() {
        "textDocument/didOpen" => unreadable_reason::<DidOpenTextDocumentParams>(params),
        "textDocument/didChange" => unreadable_reason::<DidChangeTextDocumentParams>(params),
        _ => None,
    };
    let Some(why) = why else { return };
    let uri = params.pointer("/textDocument/uri").and_then(Value::as_str);
    let words = format!(
        "`{}` of {} cannot be read: {why}; no findings until the whole text is sent again",
        request.method(),
        uri.unwrap_or("no document")
    );
    server.log(MessageType::ERROR, words);
    let document = uri.and_then(|uri| Uri::from_str(uri).ok());
    if let Some(path) = document.and_then(|uri| open_documents::lose(server, &uri)) {
        publishing::document_changed(server, &path);
    }
}

/// Why parameters cannot be read, if they cannot.
fn unreadable_reason<'params, P: Deserialize<'params>>(params: &'params Value) -> Option<String> {
    P::deserialize(params).err().map(|error| error.to_string())
}
