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

use super::uris;

/// What a message is answered with: nothing if it is a notification.
pub(crate) type Reply<E> = BoxFuture<'static, Result<Option<Response>, E>>;

/// Polls the future of each message once inside of `call`.
pub(crate) struct Eager<S> {
    inner: S,
    before: Before,
}

/// Is shown each message before it is handled.
type Before = Box<dyn Fn(&Request) + Send>;

impl<S> Eager<S> {
    /// Wraps a service.
    pub(crate) fn new(inner: S, before: impl Fn(&Request) + Send + 'static) -> Self {
        Self {
            inner,
            before: Box::new(before),
        }
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
        let request = with_readable_addresses(request);
        (self.before)(&request);
        // A defect in a handler costs its own request an answer and nothing else.
        let mut reply = AssertUnwindSafe(self.inner.call(request))
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
            .boxed();
        // The task that takes the unfinished future polls it again, which is when its waker counts.
        match reply.poll_unpin(&mut Context::from_waker(std::task::Waker::noop())) {
            Poll::Ready(reply) => future::ready(reply).boxed(),
            Poll::Pending => reply,
        }
    }
}

/// A message whose addresses can be read.
fn with_readable_addresses(request: Request) -> Request {
    let (method, id, params) = request.into_parts();
    let mut mended = Request::build(method);
    if let Some(mut params) = params {
        uris::mend(&mut params);
        mended = mended.params(params);
    }
    if let Some(id) = id {
        mended = mended.id(id);
    }
    mended.finish()
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex, PoisonError};
    use std::task::{Context, Poll};

    use tower_lsp::jsonrpc::{ErrorCode, Request, Response};
    use tower_service::Service;

    use super::{Eager, Reply};

    /// Notes each method when its handler begins; `slow` never ends, `broken` panics before and `late` after a pause.
    struct Notes(Arc<Mutex<Vec<String>>>);

    impl Service<Request> for Notes {
        type Response = Option<Response>;
        type Error = ();
        type Future = Reply<()>;

        fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), ()>> {
            Poll::Ready(Ok(()))
        }

        fn call(&mut self, request: Request) -> Reply<()> {
            let notes = Arc::clone(&self.0);
            Box::pin(async move {
                let method = request.method().to_owned();
                notes
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(method.clone());
                match method.as_str() {
                    "slow" => std::future::pending::<()>().await,
                    "broken" => std::panic::panic_any("broken"),
                    "late" => {
                        tokio::task::yield_now().await;
                        std::panic::panic_any("late");
                    }
                    _ => {}
                }
                Ok(None)
            })
        }
    }

    #[test]
    fn handlers_begin_in_the_order_of_the_calls_whoever_is_polled_later() {
        let notes = Arc::new(Mutex::new(Vec::new()));
        let mut service = Eager::new(Notes(Arc::clone(&notes)), |_| {});
        let methods = ["slow", "hover", "slow", "didChange", "hover"];
        let replies: Vec<_> = methods
            .map(|method| service.call(Request::build(method).finish()))
            .into();
        // They have not been polled yet.
        assert_eq!(
            *notes.lock().unwrap_or_else(PoisonError::into_inner),
            methods
        );
        drop(replies);
    }

    #[test]
    fn a_request_that_nobody_answers_is_refused() {
        let mut service = Eager::new(Notes(Arc::default()), |_| {});
        let request = Request::build("$/nothing").id(7).finish();
        let reply = futures::executor::block_on(service.call(request));
        let response = reply.ok().flatten();
        let error = response.as_ref().and_then(Response::error);
        assert_eq!(
            error.map(|error| error.code),
            Some(ErrorCode::MethodNotFound)
        );
    }

    #[test]
    fn a_panic_is_an_internal_error_of_its_request() {
        let mut service = Eager::new(Notes(Arc::default()), |_| {});
        for method in ["broken", "late"] {
            let request = Request::build(method).id(7).finish();
            let reply = futures::executor::block_on(service.call(request));
            let response = reply.ok().flatten();
            let error = response.as_ref().and_then(Response::error);
            assert_eq!(
                error.map(|error| error.code),
                Some(ErrorCode::InternalError)
            );
            // A notification has no answer.
            let reply = futures::executor::block_on(service.call(Request::build(method).finish()));
            assert_eq!(reply, Ok(None));
        }
    }
}
