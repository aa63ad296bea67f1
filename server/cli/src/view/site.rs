//! The site: pages, events and data over HTTP on the loopback address.

use std::convert::Infallible;
use std::net::{Ipv4Addr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use futures::stream;
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Bytes, Frame, Incoming};
use hyper::header::{HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;

use super::feed::{State, States};
use super::guard::{Own, Refusal, random_word};
use super::scratch;
use crate::project::Failure;
use crate::project::paths::system_reason;

/// The pages are made of the views of the editor's extension, as the one of `cost --format html`: see `cost::html`.
const LIVE: &str = include_str!("live.html");
const SCRATCH: &str = include_str!("scratch.html");
/// Where the scratch page has the word that lets styles of its text editor in.
const NONCE: &str = "@NONCE@";

/// How long to wait where the system has no room for another connection.
const NO_ROOM: Duration = Duration::from_millis(100);

/// What every answer says: it is for nobody else, and for now.
const HEADERS: [(&str, &str); 6] = [
    ("cache-control", "no-store"),
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-resource-policy", "same-origin"),
    ("referrer-policy", "no-referrer"),
    ("x-content-type-options", "nosniff"),
    ("x-frame-options", "DENY"),
];

pub(super) type Body = UnsyncBoxBody<Bytes, Infallible>;

/// What is served.
pub(super) enum Content {
    /// A view of files.
    Live(States),
    /// A text editor.
    Scratch,
}

/// A site at its address.
pub(super) struct Site {
    listener: TcpListener,
    own: Own,
}

impl Site {
    /// Takes a port of the loopback address; a free one for 0.
    ///
    /// # Errors
    ///
    /// The port is taken, or not to be had.
    pub(super) fn bind_port(port: u16) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| {
            let words = if error.kind() == std::io::ErrorKind::AddrInUse {
                "another program has it; without --port a free one is taken".to_owned()
            } else {
                system_reason(&error)
            };
            Failure::new(format!("cannot serve at port {port} of 127.0.0.1: {words}"))
        };
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let port = listener.local_addr().map_err(failed)?.port();
        let own = Own::new(port)?;
        Ok(Self { listener, own })
    }

    /// Where it is, secret included.
    pub(super) fn address(&self) -> String {
        self.own.address()
    }

    /// Answers until the program ends.
    ///
    /// # Errors
    ///
    /// The system has no threads for it.
    pub(super) fn serve(self, content: Content) -> Result<(), Failure> {
        let failed = |error: std::io::Error| Failure::new(format!("cannot serve: {error}"));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(failed)?;
        let served = Arc::new(Served {
            own: self.own,
            content,
        });
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(self.listener).map_err(failed)?;
            loop {
                match listener.accept().await {
                    Ok((stream, _)) => {
                        tokio::spawn(connection(stream, Arc::clone(&served)));
                    }
                    Err(_) => tokio::time::sleep(NO_ROOM).await,
                }
            }
        })
    }
}

/// What a connection needs.
struct Served {
    own: Own,
    content: Content,
}

async fn connection(stream: TcpStream, served: Arc<Served>) {
    let service = service_fn(move |request| {
        let answer = served.answer_page_request(request);
        async move { Ok::<_, Infallible>(answer) }
    });
    // A browser that goes away in the middle of an answer is no fault.
    let _ = http1::Builder::new()
        .timer(TokioTimer::new())
        .serve_connection(TokioIo::new(stream), service)
        .with_upgrades()
        .await;
}

impl Served {
    fn answer_page_request(&self, request: Request<Incoming>) -> Response<Body> {
        let (method, path) = (request.method(), request.uri().path());
        let asked = match self.own.admit(method, request.headers(), path) {
            Ok(asked) => asked,
            Err(refusal) => return refusal_response(refusal),
        };
        match (asked, &self.content) {
            (None, _) => redirect_response(&self.own.address()),
            (Some(""), Content::Live(_)) => {
                text_response("text/html; charset=utf-8", LIVE.to_owned())
            }
            (Some("events"), Content::Live(states)) => events(states.clone()),
            (Some("data"), Content::Live(states)) => {
                let document = states.borrow().document.to_string();
                text_response("application/json", document)
            }
            (Some(""), Content::Scratch) => match random_word() {
                Ok(nonce) => {
                    text_response("text/html; charset=utf-8", SCRATCH.replace(NONCE, &nonce))
                }
                Err(_) => refusal_response((
                    StatusCode::INTERNAL_SERVER_ERROR,
                    "There are no random bytes.",
                )),
            },
            (Some("language-server"), Content::Scratch) => match scratch::join_websocket(request) {
                Some(answer) => with_headers(answer.map(|()| Full::default().boxed_unsync())),
                None => refusal_response((StatusCode::BAD_REQUEST, "This is for WebSockets.")),
            },
            _ => refusal_response((StatusCode::NOT_FOUND, "There is no such page.")),
        }
    }
}

/// A stream of server-sent events: the state of now, and each that follows.
fn events(states: States) -> Response<Body> {
    let states = stream::unfold((states, true), |(mut states, first)| async move {
        if !first {
            states.changed().await.ok()?;
        }
        let event = event(&states.borrow_and_update());
        Some((Ok(Frame::data(Bytes::from(event))), (states, false)))
    });
    new_response(
        StatusCode::OK,
        "text/event-stream",
        StreamBody::new(states).boxed_unsync(),
    )
}

fn event(state: &State) -> String {
    let State { number, work, .. } = state;
    let told = serde_json::json!({ "number": number, "work": work });
    format!("data: {told}\n\n")
}

fn refusal_response((status, words): Refusal) -> Response<Body> {
    let words = Full::from(format!("{words}\n")).boxed_unsync();
    new_response(status, "text/plain; charset=utf-8", words)
}

fn text_response(kind: &'static str, text: String) -> Response<Body> {
    new_response(StatusCode::OK, kind, Full::from(text).boxed_unsync())
}

fn redirect_response(address: &str) -> Response<Body> {
    let mut answer = refusal_response((StatusCode::PERMANENT_REDIRECT, "The page is a folder."));
    if let Ok(address) = HeaderValue::from_str(address) {
        answer.headers_mut().insert("location", address);
    }
    answer
}

fn new_response(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut answer = Response::new(body);
    *answer.status_mut() = status;
    let kind = HeaderValue::from_static(kind);
    answer.headers_mut().insert("content-type", kind);
    with_headers(answer)
}

fn with_headers(mut answer: Response<Body>) -> Response<Body> {
    for (name, value) in HEADERS {
        let (name, value) = (
            HeaderName::from_static(name),
            HeaderValue::from_static(value),
        );
        answer.headers_mut().insert(name, value);
    }
    answer
}
