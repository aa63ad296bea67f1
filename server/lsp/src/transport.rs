//! The loop between a byte stream and the service: reads frames, calls the service in their order, writes answers.
//!
//! It is where the library has a loop of its own, which ends after one malformed message or one panic, and waits for all
//! requests before it exits (`library_tests` shows each). Here a handler runs on the task that reads up to its first pause only, so
//! that handlers begin in the order of the messages; what a call leaves unfinished becomes a task; one task writes.

use std::sync::Arc;

use futures::{SinkExt, StreamExt};
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::{Notify, mpsc};
use tower_lsp::ClientSocket;
use tower_lsp::jsonrpc::{Error, ErrorCode, Id, Request, Response};
use tower_service::Service;

use super::framing::{Frame, FrameReader, write_frame};
use super::service::Reply;
use super::trace::{Trace, Traced};

/// How long answers may take to be written after the last message, before the process ends without them.
const LAST_WORDS: std::time::Duration = std::time::Duration::from_millis(500);

/// Why the loop ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The client sent `exit`.
    Exit,
    /// The client closed the stream.
    Closed,
    /// The stream holds what cannot be read.
    Unreadable,
}

/// A message to the client.
type Outgoing = mpsc::UnboundedSender<Vec<u8>>;

/// Runs the loop until the client ends it.
pub(crate) async fn run<S, E>(
    input: impl AsyncRead + Unpin,
    output: impl AsyncWrite + Unpin + Send + 'static,
    mut service: S,
    socket: ClientSocket,
    trace: &Trace,
) -> Ending
where
    S: Service<Request, Response = Option<Response>, Error = E, Future = Reply<E>>,
    E: Send + 'static,
{
    let (outgoing, written) = mpsc::unbounded_channel();
    let exits = Arc::new(Notify::new());
    let writer = tokio::spawn(write(output, written, Arc::clone(&exits)));
    let (mut ours, mut theirs) = socket.split();
    let asking = tokio::spawn({
        let outgoing = outgoing.clone();
        async move {
            while let Some(request) = ours.next().await {
                send(&outgoing, &request);
            }
        }
    });
    let mut reader = FrameReader::new(input);
    let ending = loop {
        let body = match reader.next().await {
            Frame::Body(body) => body,
            Frame::Damaged(why) => {
                refuse_request(&outgoing, ErrorCode::ParseError, Id::Null, why);
                continue;
            }
            Frame::TooLarge(length) => {
                let why = format!("a message of {length} bytes is too large");
                refuse_request(&outgoing, ErrorCode::ParseError, Id::Null, &why);
                break Ending::Unreadable;
            }
            Frame::End => break Ending::Closed,
        };
        match Incoming::read(&body) {
            Ok(Incoming::Request(request)) => {
                let exit = request.method() == "exit";
                let ready = std::future::poll_fn(|context| service.poll_ready(context));
                if ready.await.is_err() {
                    break Ending::Exit;
                }
                let traced = trace.begin_timing(&request);
                send_reply(service.call(request), traced, &outgoing);
                if exit {
                    break Ending::Exit;
                }
            }
            Ok(Incoming::Response(response)) => {
                // No request is waiting for it any more if it fails.
                let _ = theirs.send(response).await;
            }
            Err(Unread { code, id, why }) => {
                if code == ErrorCode::ParseError {
                    reader.reject();
                }
                refuse_request(&outgoing, code, id, &why);
            }
        }
    };
    asking.abort();
    drop(outgoing);
    if ending == Ending::Exit {
        // Unfinished requests hold the channel open.
        exits.notify_one();
    }
    let _ = tokio::time::timeout(LAST_WORDS, writer).await;
    ending
}

/// Sends a reply, now if it is there, else from a task of its own.
fn send_reply<E: Send + 'static>(mut reply: Reply<E>, traced: Option<Traced>, outgoing: &Outgoing) {
    let finish = |reply: Result<Option<Response>, E>, traced: Option<Traced>, to: &Outgoing| {
        let response = reply.ok().flatten();
        if let Some(response) = &response {
            send(to, response);
        }
        if let Some(traced) = traced {
            send(to, &traced.end_timing(response.as_ref()));
        }
    };
    if let Some(reply) = futures::FutureExt::now_or_never(&mut reply) {
        finish(reply, traced, outgoing);
        return;
    }
    let outgoing = outgoing.clone();
    tokio::spawn(async move { finish(reply.await, traced, &outgoing) });
}

fn send(outgoing: &Outgoing, message: &impl serde::Serialize) {
    if let Ok(body) = serde_json::to_vec(message) {
        // A client that does not read any more does not write either.
        let _ = outgoing.send(body);
    }
}

fn refuse_request(outgoing: &Outgoing, code: ErrorCode, id: Id, why: &str) {
    let mut error = Error::new(code);
    error.message = format!("{}: {why}", code.description()).into();
    send(outgoing, &Response::from_error(id, error));
}

/// Writes messages until nothing can send any more; behind an `exit`, what was sent before it.
async fn write(
    mut output: impl AsyncWrite + Unpin,
    mut messages: mpsc::UnboundedReceiver<Vec<u8>>,
    exits: Arc<Notify>,
) {
    loop {
        tokio::select! {
            biased;
            message = messages.recv() => {
                let Some(body) = message else { return };
                if write_frame(&mut output, &body).await.is_err() {
                    return;
                }
            }
            () = exits.notified() => messages.close(),
        }
    }
}

/// A message of the client.
enum Incoming {
    Request(Request),
    Response(Response),
}

/// Why a body is no message, and whom to tell.
struct Unread {
    code: ErrorCode,
    id: Id,
    why: String,
}

impl Incoming {
    fn read(body: &[u8]) -> Result<Self, Unread> {
        let mut value: Value = serde_json::from_slice(body).map_err(|error| Unread {
            code: ErrorCode::ParseError,
            id: Id::Null,
            why: error.to_string(),
        })?;
        let id = value
            .get("id")
            .and_then(|id| serde_json::from_value(id.clone()).ok())
            .unwrap_or(Id::Null);
        let unread = |error: serde_json::Error| Unread {
            code: ErrorCode::InvalidRequest,
            id,
            why: error.to_string(),
        };
        if value.get("method").is_none() {
            return serde_json::from_value(value)
                .map(Self::Response)
                .map_err(|error| Unread {
                    // An answer is not answered, not even a bad one: no request is waiting under this id here.
                    id: Id::Null,
                    ..unread(error)
                });
        }
        if value
            .get("method")
            .is_some_and(|method| method == "shutdown")
            && let Some(message) = value.as_object_mut()
        {
            // Some clients send empty parameters, which the library refuses.
            message.remove("params");
        }
        serde_json::from_value(value)
            .map(Self::Request)
            .map_err(unread)
    }
}
