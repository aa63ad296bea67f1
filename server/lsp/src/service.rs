//! The service around the library's own: what one message does costs no other message.
//!
//! A handler that panics answers its own request with an internal error, a request that the library lets fall is refused, and
//! addresses that an editor did not encode are made readable. `library_tests` shows what happens without each of them.

use std::panic::AssertUnwindSafe;
use std::task::{Context, Poll};

use futures::FutureExt;
use futures::future::BoxFuture;
use tower_lsp::jsonrpc::{Error, Request, Response};
use tower_service::Service;

use super::uris;

/// What a message is answered with: nothing if it is a notification.
pub(crate) type Reply<E> = BoxFuture<'static, Result<Option<Response>, E>>;

/// Keeps what goes wrong with a message to that message.
pub(crate) struct Guarded<S> {
    inner: S,
    before: Before,
}

/// Is shown each message before it is handled.
type Before = Box<dyn Fn(&Request) + Send>;

impl<S> Guarded<S> {
    /// Wraps a service.
    pub(crate) fn new(inner: S, before: impl Fn(&Request) + Send + 'static) -> Self {
        Self {
            inner,
            before: Box::new(before),
        }
    }
}

impl<S, E> Service<Request> for Guarded<S>
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
        let request = with_readable_addresses(request);
        (self.before)(&request);
        // A defect in a handler costs its own request an answer and nothing else.
        AssertUnwindSafe(self.inner.call(request))
            .catch_unwind()
            .map(move |reply| {
                let answer = |error| id.map(|id| Response::from_error(id, error));
                match reply {
                    // The library lets unknown `$/` requests fall as it does notifications, and their client waits.
                    Ok(Ok(None)) => Ok(answer(Error::method_not_found())),
                    Ok(reply) => reply,
                    Err(_) => Ok(answer(Error::internal_error())),
                }
            })
            .boxed()
    }
}

/// A message whose addresses can be read.
fn with_readable_addresses(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let mut mended = Request::build(method);
    if let Some(mut params) = params {
        uris::mend_addresses(&mut params);
        mended = mended.params(params);
    }
    if let Some(id) = id {
        mended = mended.id(id);
    }
    mended.finish()
}
