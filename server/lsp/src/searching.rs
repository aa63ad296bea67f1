//! Searches of kernels in the background.
//!
//! A search runs on a thread of its own, on a copy of what the kernel is made of, so that it holds up neither a question nor an edit; an
//! edit ends it within a candidate. One runs at a time: that of the kernel that the client asked about last.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use visa_analysis::EditorQuestions as _;

use tokio::sync::oneshot;
use tower_lsp::ls_types::{Position, Uri};

use super::advice::Known;
use super::lock::lock_ignoring_poison;
use super::state::{Server, Snapshot};
use crate::project::engine::{Answer, Failure, STACK_BYTES, Urgency};

/// How long nothing must be asked before a search in the background begins.
const QUIET: Duration = Duration::from_millis(250);

/// How long a menu that a person opened waits for a search.
const MENU: Duration = Duration::from_millis(300);

/// Ends a search that nobody waits for any more.
struct Waiting(Arc<AtomicBool>);

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// Searches the kernel at a place, unless that was done. Returns once what was found is at hand.
///
/// # Errors
///
/// An edit overtook it, there is no such document, or the engine failed.
pub(crate) async fn search_kernel(server: &Server, uri: &Uri, position: Position) -> Answer<()> {
    let (uri, asked) = (uri.clone(), Urgency::Waiting);
    let question = move |snapshot: &Snapshot| {
        let path = snapshot.path(&uri);
        let offset = snapshot.file(&path)?.offset(position);
        let kernel = snapshot.analysis.searchable_at(&path, offset)?;
        let effort = snapshot.view.settings.client.effort;
        Ok((kernel, effort, snapshot.writes))
    };
    let (kernel, effort, writes) = server.question(asked, question).await?;
    let Some(kernel) = kernel.filter(|_| effort > 0) else {
        return Ok(());
    };
    let _turn = server.advice.turn.lock().await;
    if server.advice.has_answer(&kernel, effort, writes) {
        return Ok(());
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let _waiting = Waiting(Arc::clone(&dropped));
    let now = server.engine.write_count();
    let (sender, found) = oneshot::channel();
    let begun = std::thread::Builder::new()
        .name("visa-advice".to_owned())
        .stack_size(STACK_BYTES)
        .spawn(move || {
            let stop = || dropped.load(Ordering::SeqCst) || now.load(Ordering::SeqCst) != writes;
            let cost = kernel.search(effort, &stop);
            let _ = sender.send(cost.map(|cost| (kernel, cost)));
        });
    begun.map_err(|error| Failure::Refused(format!("cannot start a search: {error}")))?;
    let (kernel, cost) = found.await.map_err(|_| Failure::Withdrawn)??;
    server.advice.keep_answer(Known {
        kernel,
        effort,
        cost: cost.map(Arc::new),
        writes,
    });
    Ok(())
}

/// The client looked at a place: its kernel is searched once it asks nothing else for a while.
pub(crate) fn looked_at(server: &Arc<Server>, uri: &Uri, position: Position) {
    if server.lock().view.settings.client.effort == 0 {
        return;
    }
    let (own, uri) = (Arc::clone(server), uri.clone());
    let task = server.spawn_task(async move {
        tokio::time::sleep(QUIET).await;
        // What it finds is there for the next question; that it failed is said when it is asked for.
        let _ = search_kernel(&own, &uri, position).await;
    });
    if let Some(before) = lock_ignoring_poison(&server.advice.unasked).replace(task) {
        before.abort();
    }
}

/// Waits for a search as long as a person waits for a menu.
pub(crate) async fn for_a_menu(server: &Arc<Server>, uri: &Uri, position: Position) {
    let done = tokio::time::timeout(MENU, search_kernel(server, uri, position)).await;
    if done.is_err() {
        looked_at(server, uri, position);
    }
}
