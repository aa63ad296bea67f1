//! The service around the library's own, which keeps the order of the wire.
//!
//! The library polls the future of a message when it comes to it: a handler that was called later can be polled first. A
//! handler's first statements (apply an edit, take a place in the engine's queue) must run in the order of the wire, so the
//! future of **every** message, requests too, is polled once inside of `call`, and returned if it is unfinished.

use std::panic::AssertUnwindSafe;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use tower_lsp::jsonrpc::{Error, Request, Response};
use tower_service::Service;

/// What a message is answered with: nothing if it is a notification.
pub(crate) type Reply<E> = BoxFuture<'static, Result<Option<Response>, E>>;

/// Polls the future of each message once inside of `call`.
pub(crate) struct Eager<S> {
    inner: S,
}

impl<S> Eager<S> {
    /// Wraps a service.
    pub(crate) const fn new(inner: S) -> Self {
        Self { inner }
    }
}

impl<S, E> Service<Request> for Eager<S>
where
    S: Service<Request, Response = Option<Response>, Error = E, Future = Reply<E>>,
    E: Send + 'static,
{
    type Response = Option<Response>;
    type Error = E;
    type Future = Reply<E>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), E>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let id = request.id().cloned();
        // A defect in a handler costs its own request an answer and nothing else.
        let mut reply = AssertUnwindSafe(self.inner.call(request))
            .catch_unwind()
            .map(move |reply| {
                reply.unwrap_or_else(|_| {
                    Ok(id.map(|id| Response::from_error(id, Error::internal_error())))
                })
            })
            .boxed();
        // The task that takes the unfinished future polls it again, which is when its waker counts.
        match reply.poll_unpin(&mut Context::from_waker(std::task::Waker::noop())) {
            Poll::Ready(reply) => future::ready(reply).boxed(),
            Poll::Pending => reply,
        }
    }
}
