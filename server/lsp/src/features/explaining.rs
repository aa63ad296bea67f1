//! The page of a rule, from the server itself: no network is asked.
//!
//! A client that opens such pages by itself asks `visa/rulePage` for the text. For others there is the command
//! [`EXPLAIN`]: it writes the page to a folder of the server for temporary files, which goes with the server, and asks the client to
//! open it.

use std::path::PathBuf;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types::{
    CodeAction, CodeActionKind, Command, Diagnostic, ExecuteCommandParams, MessageType,
    ShowDocumentParams, TextDocumentIdentifier, Uri,
};
use visa_analysis::{find_rule, find_run_rule};

use crate::documents::{pages, rule_words};
use crate::lock::lock_ignoring_poison;
use crate::project::engine::{Answer, Failure};
use crate::project::paths::slashes;
use crate::project::settings::Dialect;
use crate::state::{Server, Snapshot};
use crate::uris;

/// The command that opens the page of a rule; its arguments are the rule, and the address of the document that it is asked from.
pub(crate) const EXPLAIN: &str = "visa.explainRule";

/// What `visa/rulePage` is asked for.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RulePageParams {
    /// The rule.
    rule: String,
    /// The document that it is asked from: kernels of the page are for its library.
    text_document: Option<TextDocumentIdentifier>,
}

/// `visa/rulePage`: the page of a rule as Markdown.
pub(crate) fn rule_page(snapshot: &Snapshot, params: &RulePageParams) -> Answer<Option<Value>> {
    let markdown = rule_page_text(snapshot, params)?;
    Ok(Some(
        json!({ "version": 1, "rule": params.rule, "markdown": markdown }),
    ))
}

fn rule_page_text(snapshot: &Snapshot, params: &RulePageParams) -> Answer<String> {
    if let Some(rule) = find_run_rule(&params.rule) {
        return Ok(rule_words::run_markdown(rule));
    }
    let Some(rule) = find_rule(&params.rule) else {
        return Err(Failure::Refused(rule_words::nothing_found_text(
            &params.rule,
        )));
    };
    let document = params.text_document.as_ref();
    let library = document.and_then(|document| {
        let path = snapshot.path(&document.uri);
        snapshot.analysis.library_of(&path).ok()
    });
    let asked = library.map_or_else(Dialect::default, |known| Dialect {
        library: Some(known.library.dialect.library),
        release: Some(known.library.dialect.release),
    });
    Ok(pages::page_markdown(rule, asked))
}

/// The menu entry that opens the page of a finding's rule.
pub(super) fn explain_action(uri: &Uri, rule: &str, diagnostic: &Diagnostic) -> CodeAction {
    let title = format!("Explain `{rule}`");
    CodeAction {
        title: title.clone(),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![diagnostic.clone()]),
        command: Some(Command {
            title,
            command: EXPLAIN.to_owned(),
            arguments: Some(vec![json!(rule), json!(uri)]),
        }),
        ..CodeAction::default()
    }
}

/// `workspace/executeCommand`: the client opens the page of a rule.
pub(crate) async fn show_page(server: &Arc<Server>, params: ExecuteCommandParams) -> Result<()> {
    if params.command != EXPLAIN {
        let words = format!("no command is called `{}`", params.command);
        return Err(Error::invalid_params(words));
    }
    let mut arguments = params.arguments.into_iter();
    let Some(Value::String(rule)) = arguments.next() else {
        return Err(Error::invalid_params("the first argument is a rule's name"));
    };
    let uri = arguments
        .next()
        .and_then(|uri| serde_json::from_value(uri).ok());
    let asked = RulePageParams {
        rule: rule.clone(),
        text_document: uri.map(|uri| TextDocumentIdentifier { uri }),
    };
    let markdown = server
        .answer_request(move |snapshot| rule_page_text(snapshot, &asked))
        .await?;
    let path = write_page(server, &rule, &markdown).map_err(|error| {
        let words = format!("the page of `{rule}` cannot be written: {error}");
        server.error_of(Failure::Refused(words))
    })?;
    let shows = server.lock().view.client.shows_documents;
    let uri = uris::uri_of(&slashes(&path)).filter(|_| shows);
    let client = server.client.clone();
    server.spawn(async move {
        let shown = match uri {
            Some(uri) => client
                .show_document(ShowDocumentParams {
                    uri,
                    external: Some(false),
                    take_focus: Some(true),
                    selection: None,
                })
                .await
                .unwrap_or(false),
            None => false,
        };
        if !shown {
            let words = format!("the page of `{rule}` is in {}", path.display());
            client.show_message(MessageType::INFO, words).await;
        }
    });
    Ok(())
}

/// Writes a page to the server's folder for pages, which is made with the first of them.
fn write_page(server: &Server, rule: &str, markdown: &str) -> std::io::Result<PathBuf> {
    let mut folder = lock_ignoring_poison(&server.pages);
    let folder = match &mut *folder {
        Some(folder) => folder,
        none => none.insert(
            tempfile::Builder::new()
                .prefix("visa-lint-rules-")
                .tempdir()?,
        ),
    };
    let path = folder.path().join(format!("{rule}.md"));
    std::fs::write(&path, markdown)?;
    Ok(path)
}
