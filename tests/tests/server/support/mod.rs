//! A client for tests: typed requests and notifications, a queue of what the server sent, and an assertion at the end that
//! all of it was consumed.
//!
//! The same client speaks to a server in the process ([`Setup::in_process`]) and to the program ([`Setup::program`]). It
//! pulls diagnostics unless told otherwise, so that tests about other things are not sent any.

mod wire;

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tower_lsp::ls_types::notification::{
    DidChangeTextDocument, DidCloseTextDocument, DidOpenTextDocument, Exit, Initialized,
    Notification,
};
use tower_lsp::ls_types::request::{Initialize, Request, Shutdown};
use tower_lsp::ls_types::{
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams,
    InitializeResult, InitializedParams, Position, Range, TextDocumentContentChangeEvent,
    TextDocumentIdentifier, TextDocumentItem, TextDocumentPositionParams, Uri,
    VersionedTextDocumentIdentifier,
};

pub(crate) use self::wire::{Wire, in_process, in_process_without_costs_first, program, started};

/// How long a message may take before the test fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A client before its `initialize`.
#[derive(Clone)]
pub(crate) struct Setup {
    /// The parameters of `initialize`.
    pub(crate) initialize: Value,
}

impl Setup {
    /// A client of today, that counts UTF-16 code units as VS Code does, without a folder.
    pub(crate) fn utf16() -> Self {
        Self::counting(&["utf-16"])
    }

    /// The same that counts bytes.
    pub(crate) fn utf8() -> Self {
        Self::counting(&["utf-8", "utf-16"])
    }

    /// Both, for tests that run with either.
    pub(crate) fn both() -> [Self; 2] {
        [Self::utf8(), Self::utf16()]
    }

    fn counting(encodings: &[&str]) -> Self {
        let markdown = json!(["markdown", "plaintext"]);
        Self {
            initialize: json!({
                "processId": null,
                "rootUri": null,
                // Searches cost more than most tests do; those about them say so.
                "initializationOptions": { "effort": 0 },
                "capabilities": {
                    "general": { "positionEncodings": encodings },
                    "textDocument": {
                        "diagnostic": {},
                        "publishDiagnostics": {
                            "relatedInformation": true,
                            "codeDescriptionSupport": true,
                            "dataSupport": true,
                            "tagSupport": { "valueSet": [1, 2] },
                            "versionSupport": true,
                        },
                        "hover": { "contentFormat": markdown },
                        "codeAction": {
                            "codeActionLiteralSupport": { "codeActionKind": { "valueSet": [""] } },
                            "dataSupport": true,
                        },
                        "completion": {
                            "completionItem": {
                                "snippetSupport": true,
                                "documentationFormat": markdown,
                            },
                        },
                        "signatureHelp": {
                            "signatureInformation": {
                                "documentationFormat": markdown,
                                "parameterInformation": { "labelOffsetSupport": true },
                            },
                        },
                        "documentSymbol": { "hierarchicalDocumentSymbolSupport": true },
                        "rename": { "prepareSupport": true },
                        "foldingRange": { "foldingRange": { "collapsedText": true } },
                    },
                    "workspace": { "workspaceEdit": { "documentChanges": true } },
                },
            }),
        }
    }

    /// Sets something in the parameters of `initialize`, by JSON pointer; objects on the way are made.
    pub(crate) fn with(mut self, pointer: &str, value: Value) -> Self {
        let mut place = &mut self.initialize;
        for key in pointer.split('/').skip(1) {
            if !place.is_object() {
                *place = json!({});
            }
            place = &mut place[key];
        }
        *place = value;
        self
    }

    /// Opens a folder.
    pub(crate) fn folder(self, folder: &std::path::Path) -> Self {
        let uri = uri_of(folder);
        let folders = json!([{ "uri": uri.as_str(), "name": "folder" }]);
        self.with("/workspaceFolders", folders)
    }

    /// A client that cannot pull diagnostics: it is sent them.
    pub(crate) fn pushed(self) -> Self {
        self.with("/capabilities/textDocument/diagnostic", Value::Null)
    }

    /// Starts a server in this process and initialises it.
    pub(crate) fn in_process(self) -> Client {
        self.start(wire::in_process())
    }

    /// Starts the program and initialises it.
    pub(crate) fn program(self) -> Client {
        self.start(wire::program())
    }

    /// Initialises a server.
    pub(crate) fn start(self, wire: Wire) -> Client {
        let mut client = Client::new(wire);
        let id = client.send_raw("initialize", Some(self.initialize));
        client.initialized = client.response::<Initialize>(id).unwrap();
        client.notify::<Initialized>(InitializedParams {});
        client
    }
}

/// An error that a request was answered with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ResponseError {
    pub(crate) code: i64,
    pub(crate) message: String,
    pub(crate) data: Option<Value>,
}

/// A client of a server.
pub(crate) struct Client {
    pub(crate) wire: Wire,
    /// What the server said of itself.
    pub(crate) initialized: InitializeResult,
    next_id: i64,
    /// Answers that nobody asked for yet, by the request's number.
    responses: HashMap<i64, Value>,
    /// Requests and notifications of the server in the order they came.
    queue: VecDeque<Value>,
    ignored: BTreeSet<&'static str>,
    ignores_errors: bool,
    over: bool,
}

/// The error of a request whose files changed before it was answered.
const CONTENT_MODIFIED: &str = "-32801";

impl Client {
    /// A client that has not sent anything.
    pub(crate) fn new(wire: Wire) -> Self {
        Self {
            wire,
            initialized: InitializeResult::default(),
            next_id: 0,
            responses: HashMap::new(),
            queue: VecDeque::new(),
            ignored: BTreeSet::new(),
            ignores_errors: false,
            over: false,
        }
    }

    /// Sends a request; its answer is asked for by the number.
    pub(crate) fn send<R: Request>(&mut self, params: R::Params) -> i64 {
        self.send_raw(R::METHOD, Some(serde_json::to_value(params).unwrap()))
    }

    /// Sends a request whose method or parameters need not be the protocol's.
    pub(crate) fn send_raw(&mut self, method: &str, params: Option<Value>) -> i64 {
        self.next_id += 1;
        let mut message = json!({ "jsonrpc": "2.0", "id": self.next_id, "method": method });
        if let Some(params) = params.filter(|params| !params.is_null()) {
            message["params"] = params;
        }
        self.wire.send(&message);
        self.next_id
    }

    /// The answer to a request that was sent.
    pub(crate) fn response<R: Request>(&mut self, id: i64) -> Result<R::Result, ResponseError> {
        self.response_raw(id)
            .map(|result| serde_json::from_value(result).unwrap())
    }

    /// The answer to a request that was sent, as it is.
    pub(crate) fn response_raw(&mut self, id: i64) -> Result<Value, ResponseError> {
        let deadline = Instant::now() + PATIENCE;
        let mut message = loop {
            if let Some(message) = self.responses.remove(&id) {
                break message;
            }
            assert!(self.receive(deadline), "no answer to request {id}");
        };
        if let Some(error) = message.get("error") {
            return Err(ResponseError {
                code: error["code"].as_i64().unwrap(),
                message: error["message"].as_str().unwrap().to_owned(),
                data: error.get("data").cloned(),
            });
        }
        Ok(message["result"].take())
    }

    /// Sends a request and waits for its answer, which is no error. As editors do, it asks again where what it asked about
    /// changed meanwhile: files of the folder may still be read.
    pub(crate) fn request<R: Request>(&mut self, params: R::Params) -> R::Result {
        let params = serde_json::to_value(params).expect("parameters");
        for _ in 0..20 {
            let id = self.send_raw(R::METHOD, Some(params.clone()));
            match self.response::<R>(id) {
                Ok(result) => return result,
                Err(error) if format!("{error:?}").contains(CONTENT_MODIFIED) => {}
                Err(error) => panic!("{}: {error:?}", R::METHOD),
            }
        }
        panic!("{}: the content never rests", R::METHOD)
    }

    /// Sends a request of a method that the protocol does not have, and waits for its answer; asks again like [`Self::request`].
    #[allow(
        clippy::needless_pass_by_value,
        reason = "callers make the parameters in place"
    )]
    pub(crate) fn request_raw(&mut self, method: &str, params: Value) -> Value {
        for _ in 0..20 {
            let id = self.send_raw(method, Some(params.clone()));
            match self.response_raw(id) {
                Ok(result) => return result,
                Err(error) if format!("{error:?}").contains(CONTENT_MODIFIED) => {}
                Err(error) => panic!("{method}: {error:?}"),
            }
        }
        panic!("{method}: the content never rests")
    }

    /// Sends a notification.
    pub(crate) fn notify<N: Notification>(&mut self, params: N::Params) {
        self.notify_raw(N::METHOD, serde_json::to_value(params).unwrap());
    }

    /// Sends a notification whose method or parameters need not be the protocol's.
    pub(crate) fn notify_raw(&mut self, method: &str, params: Value) {
        let mut message = json!({ "jsonrpc": "2.0", "method": method });
        if !params.is_null() {
            message["params"] = params;
        }
        self.wire.send(&message);
    }

    /// The next notification of a kind.
    pub(crate) fn notification<N: Notification>(&mut self) -> N::Params {
        let mut message = self.next_of(N::METHOD);
        serde_json::from_value(message["params"].take()).unwrap()
    }

    /// The next request of the server of a kind, with its number, to be answered by [`Self::answer`].
    pub(crate) fn server_request<R: Request>(&mut self) -> (Value, R::Params) {
        let mut message = self.next_of(R::METHOD);
        let params = serde_json::from_value(message["params"].take()).unwrap();
        (message["id"].take(), params)
    }

    /// Answers a request of the server.
    pub(crate) fn answer(&mut self, id: &Value, result: &Value) {
        self.wire
            .send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }));
    }

    /// Whether a message of a kind comes within a time; it stays in the queue.
    pub(crate) fn comes_within(&mut self, method: &str, time: Duration) -> bool {
        let deadline = Instant::now() + time;
        loop {
            if self.queue.iter().any(|message| message["method"] == method) {
                return true;
            }
            if !self.receive(deadline) {
                return false;
            }
        }
    }

    /// The next request or notification of the server of a method.
    pub(crate) fn next_of(&mut self, method: &str) -> Value {
        assert!(self.comes_within(method, PATIENCE), "no {method}");
        let index = self
            .queue
            .iter()
            .position(|message| message["method"] == method);
        self.queue.remove(index.unwrap()).unwrap()
    }

    /// The next answer under no number, as damage is answered.
    pub(crate) fn complaint(&mut self) -> ResponseError {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let found = self.queue.iter().position(|message| {
                message.get("method").is_none() && message.get("error").is_some()
            });
            if let Some(index) = found {
                let message = self.queue.remove(index).unwrap();
                let error = &message["error"];
                return ResponseError {
                    code: error["code"].as_i64().unwrap(),
                    message: error["message"].as_str().unwrap().to_owned(),
                    data: error.get("data").cloned(),
                };
            }
            assert!(self.receive(deadline), "no complaint");
        }
    }

    /// Does not mind messages of a method.
    pub(crate) fn ignore(&mut self, method: &'static str) {
        self.ignored.insert(method);
    }

    /// Does not mind that requests are answered with errors that nobody asks for.
    pub(crate) fn ignore_errors(&mut self) {
        self.ignores_errors = true;
    }

    /// Whether a request was answered before what was last waited for.
    pub(crate) fn is_answered(&self, id: i64) -> bool {
        self.responses.contains_key(&id)
    }

    /// Takes one message in; `false` if none comes.
    fn receive(&mut self, deadline: Instant) -> bool {
        let Some(message) = self.wire.receive(deadline) else {
            return false;
        };
        match message.get("id").and_then(Value::as_i64) {
            Some(id) if message.get("method").is_none() => {
                let known = self.responses.insert(id, message);
                assert!(known.is_none(), "two answers to request {id}");
            }
            _ => self.queue.push_back(message),
        }
        true
    }

    /// Ends the server as an editor does, and asserts that nothing it sent is left over.
    pub(crate) fn finish(mut self) {
        self.request::<Shutdown>(());
        self.notify::<Exit>(());
        self.assert_ends_with(0);
    }

    /// Asserts that the server ends by itself with an exit code, and that nothing it sent is left over.
    pub(crate) fn assert_ends_with(mut self, code: u8) {
        self.over = true;
        let deadline = Instant::now() + PATIENCE;
        while self.receive(deadline) {}
        assert_eq!(self.wire.exit_code(deadline), Some(code));
        let left: Vec<&Value> = self
            .queue
            .iter()
            .filter(|message| !self.is_ignored(message))
            .chain(
                self.responses
                    .values()
                    .filter(|answer| !self.ignores_errors || answer.get("error").is_none()),
            )
            .collect();
        assert!(left.is_empty(), "not consumed: {left:#?}");
    }

    fn is_ignored(&self, message: &Value) -> bool {
        let method = message["method"].as_str().unwrap_or_default();
        // What goes wrong (1 error, 2 warning) is to be expected by the test.
        let chatter = method == "window/logMessage"
            && message["params"]["type"]
                .as_i64()
                .is_some_and(|kind| kind > 2);
        chatter || self.ignored.contains(method)
    }

    // Documents.

    /// Opens a document, version 1.
    pub(crate) fn open(&mut self, uri: &Uri, text: &str) {
        self.open_version(uri, 1, text);
    }

    /// Opens a document of any version.
    pub(crate) fn open_version(&mut self, uri: &Uri, version: i32, text: &str) {
        self.notify::<DidOpenTextDocument>(DidOpenTextDocumentParams {
            text_document: TextDocumentItem {
                uri: uri.clone(),
                language_id: "rust".to_owned(),
                version,
                text: text.to_owned(),
            },
        });
    }

    /// Replaces all of a document's text.
    pub(crate) fn replace(&mut self, uri: &Uri, version: i32, text: &str) {
        self.change(uri, version, vec![whole(text)]);
    }

    /// Changes a document.
    pub(crate) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        content_changes: Vec<TextDocumentContentChangeEvent>,
    ) {
        self.notify::<DidChangeTextDocument>(DidChangeTextDocumentParams {
            text_document: VersionedTextDocumentIdentifier {
                uri: uri.clone(),
                version,
            },
            content_changes,
        });
    }

    /// Closes a document.
    pub(crate) fn close(&mut self, uri: &Uri) {
        self.notify::<DidCloseTextDocument>(DidCloseTextDocumentParams {
            text_document: document(uri),
        });
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        if !self.over && !std::thread::panicking() {
            panic!("a client that was neither finished nor asserted to end");
        }
    }
}

/// A document by its address.
pub(crate) fn document(uri: &Uri) -> TextDocumentIdentifier {
    TextDocumentIdentifier { uri: uri.clone() }
}

/// A place in a document.
pub(crate) fn place(uri: &Uri, line: u32, character: u32) -> TextDocumentPositionParams {
    TextDocumentPositionParams {
        text_document: document(uri),
        position: Position { line, character },
    }
}

/// A change of all of a text.
pub(crate) fn whole(text: &str) -> TextDocumentContentChangeEvent {
    TextDocumentContentChangeEvent {
        range: None,
        range_length: None,
        text: text.to_owned(),
    }
}

/// A change of a range, as `(line, column)` from 0.
pub(crate) fn edit(
    start: (u32, u32),
    end: (u32, u32),
    text: &str,
) -> TextDocumentContentChangeEvent {
    TextDocumentContentChangeEvent {
        range: Some(Range {
            start: Position::new(start.0, start.1),
            end: Position::new(end.0, end.1),
        }),
        range_length: None,
        text: text.to_owned(),
    }
}

/// The address of a file or folder.
pub(crate) fn uri_of(path: &std::path::Path) -> Uri {
    Uri::from_file_path(path).unwrap()
}

/// The address of a document that is on no disk.
pub(crate) fn untitled(name: &str) -> Uri {
    format!("untitled:{name}").parse().unwrap()
}
