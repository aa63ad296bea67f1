//! What each part around the library's own loop cures: the same messages to the library's loop and to ours.
//!
//! A test that fails at the library's half tells that a newer release needs the part no longer, and the part goes. What ours does over
//! real streams is tested where the programs are (`tests/tests/server/{damage,order}.rs`).

use std::convert::Infallible;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};

use futures::FutureExt;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, DuplexStream};
use tokio::task::JoinHandle;
use tower_lsp::jsonrpc::{Request, Response, Result};
use tower_lsp::ls_types::{Hover, HoverParams, InitializeParams, InitializeResult};
use tower_lsp::{ClientSocket, LanguageServer, LspService, Server};
use tower_service::Service;

use super::framing::{Frame, FrameReader, MAXIMUM_BODY_BYTES};
use super::lock::lock_ignoring_poison;
use super::service::{Guarded, Reply};
use super::trace::Trace;
use super::transport;

/// How often the tasks may go on behind each piece of the messages before what has not happened is taken not to happen: all streams are in memory.
const ROUNDS: usize = 2_000;

/// A service whose handlers `slow` never end, `broken` panic, `late` panic after a pause, and others answer with `null`.
#[derive(Clone, Default)]
struct Mock {
    /// The methods, in the order in which their handlers began.
    begun: Arc<Mutex<Vec<String>>>,
}

impl Service<Request> for Mock {
    type Response = Option<Response>;
    type Error = Infallible;
    type Future = Reply<Infallible>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let begun = Arc::clone(&self.begun);
        Box::pin(async move {
            lock_ignoring_poison(&begun).push(request.method().to_owned());
            match request.method() {
                "slow" => std::future::pending::<()>().await,
                "broken" => std::panic::panic_any("broken"),
                "late" => {
                    tokio::task::yield_now().await;
                    std::panic::panic_any("late");
                }
                _ => {}
            }
            Ok(request
                .id()
                .cloned()
                .map(|id| Response::from_ok(id, Value::Null)))
        })
    }
}

/// The library's own service with the least that it asks for.
struct Least;

impl LanguageServer for Least {
    async fn initialize(&self, _: InitializeParams) -> Result<InitializeResult> {
        Ok(InitializeResult::default())
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn hover(&self, _: HoverParams) -> Result<Option<Hover>> {
        Ok(None)
    }
}

/// What a client saw whose stream is still open.
#[derive(Debug, PartialEq)]
struct Seen {
    /// The answers: the request's number and the number of the error, 0 where there is none.
    answers: Vec<(Option<u64>, i64)>,
    /// How the loop ended.
    end: End,
}

#[derive(Debug, PartialEq)]
enum End {
    Runs,
    Returned,
    Panicked,
}

impl Seen {
    fn answered(&self, id: u64) -> bool {
        self.answers.contains(&(Some(id), 0))
    }
}

/// Runs something on a runtime of one thread.
fn alone<T>(run: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        .build();
    runtime
        .unwrap_or_else(|error| unreachable!("{error}"))
        .block_on(run)
}

/// What the library's loop makes of messages, with as many unfinished requests as it allows at most.
fn library<S>(make: impl FnOnce() -> (S, ClientSocket), messages: &[&str]) -> Seen
where
    S: Service<Request, Response = Option<Response>> + Send + 'static,
    S::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
    S::Future: Send,
{
    alone(seen(messages, |input, output| {
        let (service, socket) = make();
        let server = Server::new(input, output, socket).concurrency_level(1 << 20);
        tokio::spawn(server.serve(service))
    }))
}

/// What our loop makes of them.
fn served<S, E>(make: impl FnOnce() -> (S, ClientSocket), messages: &[&str]) -> Seen
where
    S: Service<Request, Response = Option<Response>, Error = E, Future = Reply<E>> + Send + 'static,
    E: Send + 'static,
{
    alone(seen(messages, |input, output| {
        let (service, socket) = make();
        tokio::spawn(async move {
            let service = Guarded::new(service, |_| {});
            transport::run(input, output, service, socket, &Trace::default()).await;
        })
    }))
}

async fn seen(
    messages: &[&str],
    serve: impl FnOnce(DuplexStream, DuplexStream) -> JoinHandle<()>,
) -> Seen {
    let (mut client, input) = tokio::io::duplex(1 << 20);
    let (output, answers) = tokio::io::duplex(1 << 20);
    let task = serve(input, output);
    for piece in messages {
        let written = client.write_all(piece.as_bytes()).await;
        written.unwrap_or_else(|error| unreachable!("{error}"));
        for _ in 0..ROUNDS {
            tokio::task::yield_now().await;
        }
    }
    let end = if task.is_finished() {
        match task.await {
            Ok(()) => End::Returned,
            Err(_) => End::Panicked,
        }
    } else {
        task.abort();
        let _ = task.await;
        End::Runs
    };
    Seen {
        answers: read(answers),
        end,
    }
}

/// The answers on a stream whose other end is gone.
fn read(stream: DuplexStream) -> Vec<(Option<u64>, i64)> {
    let mut reader = FrameReader::new(stream);
    let mut answers = Vec::new();
    while let Some(Frame::Body(body)) = reader.next().now_or_never() {
        let answer: Value = serde_json::from_slice(&body).unwrap_or_default();
        let error = answer.pointer("/error/code").and_then(Value::as_i64);
        answers.push((answer["id"].as_u64(), error.unwrap_or(0)));
    }
    answers
}

fn mock() -> (Mock, ClientSocket) {
    let (_, socket) = LspService::new(|_| Least);
    (Mock::default(), socket)
}

fn least() -> (LspService<Least>, ClientSocket) {
    LspService::new(|_| Least)
}

/// A frame around a body.
fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

/// The frame of a request, or of a notification.
fn message(method: &str, id: Option<u64>, params: Option<Value>) -> String {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if let Some(id) = id {
        message["id"] = id.into();
    }
    if let Some(params) = params {
        message["params"] = params;
    }
    framed(&message.to_string())
}

fn request(method: &str, id: u64) -> String {
    message(method, Some(id), None)
}

/// `framing`: the library stops reading.
#[test]
fn a_malformed_message_ends_the_library_s_loop() {
    for malformed in [
        "Content-Length: x\r\n\r\n{}".to_owned(),
        framed("{\"jsonrpc\":"),
    ] {
        let messages = malformed + &request("hover", 1);
        assert!(!library(mock, &[&messages]).answered(1));
        let ours = served(mock, &[&messages]);
        assert!(ours.answered(1) && ours.end == End::Runs, "{ours:?}");
    }
}

/// `framing`: the library waits for bytes that never come, and would hold them all.
#[test]
fn the_library_waits_for_a_message_of_any_length() {
    let messages = format!("Content-Length: {}\r\n\r\n{{", MAXIMUM_BODY_BYTES + 1);
    assert_eq!(
        library(mock, &[&messages]),
        Seen {
            answers: vec![],
            end: End::Runs
        }
    );
    let ours = served(mock, &[&messages]);
    assert_eq!(
        ours,
        Seen {
            answers: vec![(None, -32700)],
            end: End::Returned
        }
    );
}

/// `transport`: the library waits for all requests before it ends.
#[test]
fn the_library_does_not_exit_while_a_request_runs() {
    let messages = request("slow", 1) + &message("exit", None, None);
    assert_eq!(library(mock, &[&messages]).end, End::Runs);
    assert_eq!(served(mock, &[&messages]).end, End::Returned);
}

/// `service`: a panic is the end of the library's loop, and an internal error of its request in ours.
#[test]
fn a_panic_ends_the_library_s_loop() {
    for method in ["broken", "late"] {
        let messages = request(method, 1) + &request("hover", 2);
        assert_eq!(library(mock, &[&messages]).end, End::Panicked);
        let ours = served(mock, &[&messages]);
        assert_eq!(ours.end, End::Runs);
        assert!(ours.answers.contains(&(Some(1), -32603)), "{ours:?}");
        assert!(ours.answered(2));
        // A notification has no answer.
        let messages = message(method, None, None) + &request("hover", 2);
        assert_eq!(served(mock, &[&messages]).answers, [(Some(2), 0)]);
    }
}

/// `transport`: handlers begin in the order of the messages, whatever those before them leave unfinished.
#[test]
fn handlers_begin_in_the_order_of_the_messages() {
    let methods = ["slow", "hover", "late", "slow", "didChange", "hover"];
    let messages: String = (1..)
        .zip(methods)
        .map(|(id, method)| request(method, id))
        .collect();
    let service = Mock::default();
    let begun = Arc::clone(&service.begun);
    served(|| (service, mock().1), &[&messages]);
    assert_eq!(*lock_ignoring_poison(&begun), methods);
}

/// `service` and `transport`: messages that the library's service refuses or lets fall without an answer.
#[test]
fn requests_that_the_library_does_not_take() {
    const REFUSED: i64 = -32602;
    const UNKNOWN: i64 = -32601;
    let unencoded = json!({
        "textDocument": { "uri": "file:///a b.rs" },
        "position": { "line": 0, "character": 0 },
    });
    let begin = message("initialize", Some(1), Some(json!({ "capabilities": {} })));
    let rest = request("$/nothing", 2)
        + &message("textDocument/hover", Some(3), Some(unencoded))
        + &message("shutdown", Some(4), Some(json!({})));
    let messages = [begin.as_str(), rest.as_str()];
    let sorted = |mut seen: Seen| {
        seen.answers.sort_unstable();
        seen.answers
    };
    assert_eq!(
        sorted(library(least, &messages)),
        [(Some(1), 0), (Some(3), REFUSED), (Some(4), REFUSED)]
    );
    assert_eq!(
        sorted(served(least, &messages)),
        [(Some(1), 0), (Some(2), UNKNOWN), (Some(3), 0), (Some(4), 0)]
    );
}
