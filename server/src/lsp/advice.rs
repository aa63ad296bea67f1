//! Searches of kernels in the background, and what they found.
//!
//! A search runs on a thread of its own, on a copy of what the kernel is made of, so that it holds up neither a question nor an edit; an
//! edit ends it within a candidate. One runs at a time: that of the kernel that the client asked about last. What it found is
//! kept as long as nothing changes, and beyond that where nothing changed that the kernel is made of.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::sync::oneshot;
use tower_lsp::ls_types::{Position, Uri};
use visa_analysis::{KernelCost, Searchable};

use super::engine::{Answer, Failure, STACK_BYTES, Urgency};
use super::lock::locked;
use super::state::Server;

/// How long nothing must be asked before a search that nobody waits for begins.
const QUIET: Duration = Duration::from_millis(250);

/// How long a menu that a person opened waits for a search.
const MENU: Duration = Duration::from_millis(300);

/// Kernels whose answers are kept.
const KEPT: usize = 16;

/// What searches found.
#[derive(Default)]
pub(crate) struct Advice {
    /// The last answers, the newest first.
    known: Mutex<VecDeque<Known>>,
    /// One search at a time.
    turn: tokio::sync::Mutex<()>,
    /// The search that nobody waits for.
    unasked: Mutex<Option<tokio::task::AbortHandle>>,
}

/// The answer about a kernel.
struct Known {
    kernel: Searchable,
    effort: usize,
    /// None for a kernel without a total.
    cost: Option<Arc<KernelCost>>,
    /// The writes of the engine that it was compared with last.
    writes: u64,
}

impl Advice {
    /// The answers that hold after so many writes.
    pub(crate) fn known(&self, writes: u64) -> Vec<Arc<KernelCost>> {
        let known = locked(&self.known);
        let current = known.iter().filter(|one| one.writes == writes);
        current.filter_map(|one| one.cost.clone()).collect()
    }

    /// Whether a kernel was searched already; then its answer holds after so many writes, too.
    fn has(&self, kernel: &Searchable, effort: usize, writes: u64) -> bool {
        let mut known = locked(&self.known);
        let same = known
            .iter_mut()
            .find(|one| one.effort == effort && one.kernel == *kernel);
        same.map(|one| one.writes = one.writes.max(writes))
            .is_some()
    }

    fn keep(&self, found: Known) {
        let mut known = locked(&self.known);
        known.push_front(found);
        known.truncate(KEPT);
    }
}

/// Ends the search of whoever waits no more.
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
pub(crate) async fn search(server: &Server, uri: &Uri, position: Position) -> Answer<()> {
    let (uri, asked) = (uri.clone(), Urgency::Waiting);
    let question = move |snapshot: &super::state::Snapshot| {
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
    if server.advice.has(&kernel, effort, writes) {
        return Ok(());
    }
    let dropped = Arc::new(AtomicBool::new(false));
    let _waiting = Waiting(Arc::clone(&dropped));
    let now = server.engine.writes();
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
    server.advice.keep(Known {
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
        // What it finds is there for the next question; that it failed is said where somebody asks for it.
        let _ = search(&own, &uri, position).await;
    });
    if let Some(before) = locked(&server.advice.unasked).replace(task) {
        before.abort();
    }
}

/// Waits for a search as long as a person waits for a menu.
pub(crate) async fn for_a_menu(server: &Arc<Server>, uri: &Uri, position: Position) {
    let done = tokio::time::timeout(MENU, search(server, uri, position)).await;
    if done.is_err() {
        looked_at(server, uri, position);
    }
}
