//! Two answers to one question about a file: first what needs no costs, then all.
//!
//! Knows when the first one is worth its while: where the whole answer takes long enough to be noticed, in a file of many
//! operations. What is asked, and how it is said to the client, is the business of who asks.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::lock::lock_ignoring_poison;
use super::state::{Server, Snapshot};
use crate::project::engine::{Answer, Urgency};

/// How long a whole answer is waited for before a first one is asked for.
pub(super) const PROMPT: Duration = Duration::from_millis(25);

/// With fewer operations in a file costs are not what takes long.
pub(crate) const MANY_OPERATIONS: u64 = 100;

/// With fewer files in a project the functions of other files are not what takes long.
pub(crate) const MANY_FILES: usize = 24;

/// How much an answer about a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// What the file's own functions say without costs; nothing in projects of few files, where the others take no time.
    Own,
    /// What is found without costs; nothing for files of few operations.
    WithoutCosts,
    /// All.
    Whole,
}

/// A question that is asked of the engine, again where something other than the client overtook it.
pub(crate) type Asked<T> = Pin<Box<dyn Future<Output = Answer<T>> + Send>>;

/// The answer to a question that has two.
pub(crate) enum Early<T> {
    /// All of it.
    Whole(Answer<T>),
    /// What is found without costs, and the whole answer, which is still being worked out. Dropping that cancels it.
    First(T, Asked<T>),
}

/// The answer to a pull for what is said of a document: first what is found without costs, where that pays and the client can be
/// asked to pull again once all is known. It is not given twice of one version: that could go on for ever.
pub(crate) async fn pulled<T: Send + 'static>(
    server: &Arc<Server>,
    path: Arc<str>,
    question: impl Fn(&Snapshot, Part) -> Answer<Option<T>> + Send + Sync + 'static,
) -> Answer<T> {
    let question = Arc::new(question);
    let question = move |snapshot: &Snapshot, part| question(snapshot, part);
    let view = Arc::clone(&server.lock().view);
    let version = view.documents.get(&path).map(|document| document.version);
    let may_be_early = view.client.refreshes_diagnostics
        && version.is_some()
        && lock_ignoring_poison(&server.publisher.early).get(&path) != version.as_ref();
    if !may_be_early {
        return ask_whole(server, question).await;
    }
    match ask_early(Arc::clone(server), question).await {
        Early::Whole(answer) => answer,
        Early::First(first, rest) => {
            let mut early = lock_ignoring_poison(&server.publisher.early);
            early.retain(|path, _| view.documents.contains_key(path));
            early.extend(version.map(|version| (path, version)));
            let client = server.client.clone();
            server.spawn(async move {
                // Who overtook it asks again.
                if rest.await.is_ok() {
                    let _ = client.workspace_diagnostic_refresh().await;
                }
            });
            Ok(first)
        }
    }
}

async fn ask_whole<T: Send + 'static>(
    server: &Arc<Server>,
    question: impl Fn(&Snapshot, Part) -> Answer<Option<T>> + Clone + Send + Sync + 'static,
) -> Answer<T> {
    let ask = move |snapshot: &Snapshot| question(snapshot, Part::Whole);
    server
        .ask_engine(Urgency::Waiting, ask)
        .await
        .and_then(require_answer)
}

/// Asks for all and, if that takes long, for what is found without costs as well. The first poll takes the place in the queue. Where no
/// time is waited, what is found without costs is always first.
pub(crate) async fn ask_early<T: Send + 'static>(
    server: Arc<Server>,
    question: impl Fn(&Snapshot, Part) -> Answer<Option<T>> + Clone + Send + Sync + 'static,
) -> Early<T> {
    let asked = |part: Part| -> Asked<Option<T>> {
        let (server, question) = (Arc::clone(&server), question.clone());
        Box::pin(async move {
            let ask = move |snapshot: &Snapshot| question(snapshot, part);
            server.ask_engine(Urgency::Waiting, ask).await
        })
    };
    // Until the folder was checked once, what the functions of other files find takes longest.
    let first = match server.publisher.is_checked.load(Ordering::Relaxed) {
        true => Part::WithoutCosts,
        false => Part::Own,
    };
    if server.prompt.is_zero() {
        return match asked(Part::WithoutCosts).await {
            Ok(Some(first)) => {
                let rest = asked(Part::Whole);
                Early::First(
                    first,
                    Box::pin(async move { rest.await.and_then(require_answer) }),
                )
            }
            Ok(None) | Err(_) => Early::Whole(asked(Part::Whole).await.and_then(require_answer)),
        };
    }
    let mut whole = asked(Part::Whole);
    if let Ok(answer) = tokio::time::timeout(server.prompt, &mut whole).await {
        return Early::Whole(answer.and_then(require_answer));
    }
    tokio::select! {
        biased;
        answer = &mut whole => Early::Whole(answer.and_then(require_answer)),
        first = asked(first) => match first {
            Ok(Some(first)) => Early::First(first, Box::pin(async move { whole.await.and_then(require_answer) })),
            // What is wrong with the question is said by the whole answer.
            Ok(None) | Err(_) => Early::Whole(whole.await.and_then(require_answer)),
        },
    }
}

/// A whole answer always says something.
fn require_answer<T>(answer: Option<T>) -> Answer<T> {
    answer.ok_or(crate::project::engine::Failure::Withdrawn)
}
