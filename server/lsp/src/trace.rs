//! What the server did with each message and how long it took, for clients that want to be told (`$/setTrace`, `$/logTrace`).
//!
//! The time of a request is from its reading to its answer, its wait in the engine's queue included: what the user felt.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::Instant;

use tower_lsp::jsonrpc::{Id, Request, Response};
use tower_lsp::ls_types::notification::{LogTrace, Notification};
use tower_lsp::ls_types::{LogTraceParams, TraceValue};

/// How much of a message's parameters is given.
const LONGEST_PARAMETERS: usize = 2_000;

/// How much the client wants to be told, shared by all who tell and who set it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Trace(Arc<AtomicU8>);

impl Trace {
    /// Sets what the client wants.
    pub(crate) fn set(&self, value: TraceValue) {
        let level = match value {
            TraceValue::Off => 0,
            TraceValue::Messages => 1,
            TraceValue::Verbose => 2,
        };
        self.0.store(level, Ordering::Relaxed);
    }

    /// Begins to time a message; nothing where the client does not want to be told.
    pub(crate) fn begin_timing(&self, request: &Request) -> Option<Traced> {
        let level = self.0.load(Ordering::Relaxed);
        let parameters = || {
            let words = request
                .params()
                .map(ToString::to_string)
                .unwrap_or_default();
            match words.get(..words.floor_char_boundary(LONGEST_PARAMETERS)) {
                Some(short) if short.len() < words.len() => format!("{short} …"),
                _ => words,
            }
        };
        (level > 0).then(|| Traced {
            method: request.method().to_owned(),
            id: request.id().cloned(),
            parameters: (level > 1).then(parameters),
            since: Instant::now(),
        })
    }
}

/// A message that is being timed.
pub(crate) struct Traced {
    method: String,
    id: Option<Id>,
    parameters: Option<String>,
    since: Instant,
}

impl Traced {
    /// What is to be told of the message, now that it has its answer.
    pub(crate) fn end_timing(self, response: Option<&Response>) -> Request {
        let time = self.since.elapsed().as_secs_f64() * 1e3;
        let method = self.method;
        let what = match (self.id, response.and_then(Response::error)) {
            (None, _) => format!("{method} took {time:.2} ms"),
            (Some(id), None) => format!("{method} ({id}) answered in {time:.2} ms"),
            (Some(id), Some(error)) => format!("{method} ({id}) failed in {time:.2} ms: {error}"),
        };
        let params = LogTraceParams {
            message: what,
            verbose: self.parameters,
        };
        Request::build(LogTrace::METHOD)
            .params(serde_json::to_value(params).unwrap_or_default())
            .finish()
    }
}
