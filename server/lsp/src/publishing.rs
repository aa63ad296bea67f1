//! Diagnostics for clients that do not ask for them, and the first check of the workspace for all.
//!
//! One task publishes, so that what is said later of a file always arrives later: open documents whose text changed at
//! once, and only while the text is still the one that was checked; the rest of the workspace when nothing happens.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use visa_analysis::EditorQuestions as _;

use tower_lsp::ls_types::{Diagnostic, MessageType, ProgressToken, Uri};
use visa_analysis::counted;

use super::early::{self, Early, Part};
use super::features::diagnostics::{of_file, of_workspace, result_id};
use super::lock::lock_ignoring_poison;
use super::publisher::Published;
use super::state::{Server, Snapshot};
use super::status;
use crate::project::client_settings::Scope;
use crate::project::engine::{Answer, Failure, Reading, Urgency};

/// How long nothing must happen before the rest of the workspace is checked.
const QUIET: Duration = Duration::from_millis(250);

/// How often progress is given at most.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Tells the client what there is to do in the workspace, where it wants to be told and there is news.
pub(crate) async fn tell_status(server: &Server, known: status::Known) {
    if !server.lock().view.client.shows_status {
        return;
    }
    let news = lock_ignoring_poison(&server.publisher.status).news(known);
    if let Some(status) = news {
        server
            .client
            .send_notification::<status::StatusNotification>(status)
            .await;
    }
}

/// A document is about to be opened: whatever was told of it before was about another text, even one of the same version.
pub(crate) fn forget_published(server: &Server, path: &str) {
    if let Some(known) = lock_ignoring_poison(&server.publisher.published).get_mut(path) {
        known.version = None;
    }
    lock_ignoring_poison(&server.publisher.early).remove(path);
}

/// A document was opened, changed or closed; its text is in place.
pub(crate) fn document_changed(server: &Arc<Server>, path: &str) {
    if server.lock().view.client.pulls_diagnostics {
        return;
    }
    let mut waiting = lock_ignoring_poison(&server.publisher.waiting);
    waiting.files.insert(path.into(), true);
    waiting.rest = true;
    drop(waiting);
    server.publisher.wake.notify_one();
}

/// Files, settings or folders changed.
pub(crate) fn everything_changed(server: &Arc<Server>) {
    let view = Arc::clone(&server.lock().view);
    let mut waiting = lock_ignoring_poison(&server.publisher.waiting);
    if !view.client.pulls_diagnostics {
        for path in view.documents.keys() {
            waiting.files.entry(Arc::clone(path)).or_insert(false);
        }
    }
    waiting.rest = true;
    drop(waiting);
    server.publisher.wake.notify_one();
    refresh(server);
}

/// Asks the client to ask again for all that it shows.
fn refresh(server: &Arc<Server>) {
    let client = Arc::clone(&server.lock().view.client);
    let to = server.client.clone();
    server.spawn(async move {
        // A client that refuses shows what it has.
        if client.pulls_diagnostics && client.refreshes_diagnostics {
            let _ = to.workspace_diagnostic_refresh().await;
        }
        if client.refreshes_inlay_hints {
            let _ = to.inlay_hint_refresh().await;
        }
        if client.refreshes_code_lenses {
            let _ = to.code_lens_refresh().await;
        }
        if client.refreshes_semantic_tokens {
            let _ = to.semantic_tokens_refresh().await;
        }
    });
}

/// The task: publishes until the server ends.
pub(crate) async fn run(server: Arc<Server>) {
    let publisher = &server.publisher;
    while !server.loader.is_ready() {
        publisher.wake.notified().await;
    }
    // The first time nothing was typed yet, and the client is shown how far it is. All threads work on what the files that are
    // open ask for, too.
    publish_open(&server).await;
    let mut first = Some(Check::begin_check(&server, true));
    let mut done = false;
    let mut told = false;
    loop {
        while let Some((path, always)) = next(&server) {
            publish_file(&server, path, always).await;
        }
        if let Some(check) = first.take() {
            done = !matches!(check.finish_check(&server).await, Err(Failure::Overtaken));
            publisher.is_checked.store(done, Ordering::Relaxed);
            prepare_hovers_later(&server);
            continue;
        }
        if !lock_ignoring_poison(&publisher.waiting).rest || !server.loader.is_ready() {
            publisher.wake.notified().await;
            continue;
        }
        // A client that pulls needs no second check: what it pulls is at hand.
        let pulls = server.lock().view.client.pulls_diagnostics;
        if pulls && done {
            lock_ignoring_poison(&publisher.waiting).rest = false;
            continue;
        }
        let quiet = if done && !told { Duration::ZERO } else { QUIET };
        if tokio::time::timeout(quiet, publisher.wake.notified())
            .await
            .is_ok()
        {
            continue;
        }
        lock_ignoring_poison(&publisher.waiting).rest = false;
        match Check::begin_check(&server, false)
            .finish_check(&server)
            .await
        {
            Ok(files) if !pulls => tell_all(&server, files).await,
            Err(Failure::Overtaken) => {
                lock_ignoring_poison(&publisher.waiting).rest = true;
                continue;
            }
            Ok(_) | Err(_) => {}
        }
        (done, told) = (true, true);
        publisher.is_checked.store(true, Ordering::Relaxed);
    }
}

/// Has the engine work out what hovers read of all files, once no other request is waiting.
fn prepare_hovers_later(server: &Arc<Server>) {
    let to = Arc::clone(server);
    server.spawn(async move {
        let question = |snapshot: &Snapshot| Ok(snapshot.analysis.prepare_hovers()?);
        while let Err(Failure::Overtaken) = to.question(Urgency::Background, question).await {
            tokio::time::sleep(QUIET).await;
        }
    });
}

/// The next file that changed, once the workspace's folders were read.
fn next(server: &Server) -> Option<(Arc<str>, bool)> {
    if !server.loader.is_ready() {
        return None;
    }
    lock_ignoring_poison(&server.publisher.waiting)
        .files
        .pop_first()
}

/// Tells the client of what is open what that says by itself, before the check of the folders takes all threads. In projects of few files
/// that takes no time, and nothing is said twice.
async fn publish_open(server: &Arc<Server>) {
    let view = Arc::clone(&server.lock().view);
    if view.client.pulls_diagnostics {
        return;
    }
    for path in view.documents.keys() {
        let asked = Arc::clone(path);
        let question = move |snapshot: &Snapshot| {
            let items = of_file(snapshot, &asked, Part::Own)?;
            let told =
                items.map(|items| Ok((snapshot.version(&asked), snapshot.uri(&asked)?, items)));
            told.transpose()
        };
        // Whatever hinders it, the whole answer follows.
        if let Ok(Some((version, uri, items))) = server.ask_engine(Urgency::Waiting, question).await
            && version.is_some()
        {
            publish_findings(server, path, (uri, version, items), Part::Own, false).await;
        }
    }
}

/// Checks a file and tells the client.
async fn publish_file(server: &Arc<Server>, path: Arc<str>, always: bool) {
    let asked = Arc::clone(&path);
    let question = move |snapshot: &Snapshot, part: Part| {
        let version = snapshot.version(&asked);
        let client = &snapshot.view.settings.client;
        let shown = version.is_some() || client.scope == Scope::Workspace;
        let items = match of_file(snapshot, &asked, part) {
            Ok(items) if shown => items,
            Ok(_) | Err(Failure::NoSuchFile) => Some(Vec::new()),
            Err(failure) => return Err(failure),
        };
        let Some(items) = items else { return Ok(None) };
        Ok(Some((version, snapshot.uri(&asked)?, items)))
    };
    let answer = match early::ask_early(Arc::clone(server), question).await {
        Early::Whole(answer) => answer,
        Early::First((version, uri, items), whole) => {
            let first = (uri, version, items);
            publish_findings(server, &path, first, Part::WithoutCosts, always).await;
            whole.await
        }
    };
    match answer {
        Ok((version, uri, items)) => {
            publish_findings(server, &path, (uri, version, items), Part::Whole, always).await;
        }
        Err(Failure::Overtaken) => {
            // By this file, which is then waiting anyway, or by another one.
            let mut waiting = lock_ignoring_poison(&server.publisher.waiting);
            *waiting.files.entry(path).or_default() |= always;
        }
        Err(failure) => log_failure(server, &path, &failure),
    }
}

/// What is said of a file: the version of its text if it is open, its path and address, and the diagnostics.
type Told = (Option<i32>, String, Uri, Vec<Diagnostic>);

/// A check of the whole workspace that runs.
struct Check {
    /// What is said of each file, and what is known of all, with what the log says of that.
    answer: Reading<(Vec<Told>, status::Known, String)>,
    progress: Progress,
}

impl Check {
    /// Begins a check; `shown` to the client where it shows such things.
    fn begin_check(server: &Arc<Server>, shown: bool) -> Self {
        let view = Arc::clone(&server.lock().view);
        let progress =
            Progress::begin_progress(server, shown && !view.settings.reported.is_empty());
        let counter = Arc::clone(&progress.items);
        let question = move |snapshot: &Snapshot| {
            let checked = of_workspace(snapshot, &|done, total| {
                counter.0.store(done, Ordering::Relaxed);
                counter.1.store(total, Ordering::Relaxed);
            })?;
            let operations = checked
                .operations
                .resolved
                .saturating_add(checked.operations.unresolved);
            let words = format!(
                "{}, {}, {}, {} not understood",
                counted(checked.files.len() as u64, "file"),
                counted(checked.kernels, "kernel"),
                counted(operations, "operation"),
                checked.operations.unresolved
            );
            let known = checked.known_of_workspace(snapshot);
            let told = checked.files.into_iter().map(|(path, items)| {
                let uri = snapshot.uri(&path)?;
                Ok((snapshot.version(&path), path, uri, items))
            });
            Ok((told.collect::<Result<Vec<_>, Failure>>()?, known, words))
        };
        Self {
            answer: server.question(Urgency::Background, question),
            progress,
        }
    }

    /// Waits for its end, and writes into the log what is new there.
    async fn finish_check(self, server: &Arc<Server>) -> Answer<Vec<Told>> {
        let answer = self.answer.await;
        let files = answer.as_ref().ok().map(|(files, ..)| files.len());
        self.progress.end_progress(files);
        let (files, status, words) =
            answer.inspect_err(|failure| log_failure(server, "the workspace", failure))?;
        tell_status(server, status).await;
        let logged = &server.publisher.logged;
        let known = std::mem::replace(&mut *lock_ignoring_poison(logged), words.clone());
        if known != words {
            server.log(MessageType::LOG, words);
        }
        Ok(files)
    }
}

/// Tells the client what is new of the workspace: first of open documents, also that a new version changes nothing, since the check may
/// have seen a version before the task did.
async fn tell_all(server: &Arc<Server>, mut files: Vec<Told>) {
    let mut before = lock_ignoring_poison(&server.publisher.published).clone();
    files.sort_by_key(|(version, ..)| version.is_none());
    for (version, path, uri, items) in files {
        before.remove(&path);
        let always = version.is_some();
        publish_findings(server, &path, (uri, version, items), Part::Whole, always).await;
    }
    // Files that are gone or no longer checked.
    for (path, gone) in before {
        publish_findings(
            server,
            &path,
            (gone.uri, None, Vec::new()),
            Part::Whole,
            false,
        )
        .await;
    }
}

/// Tells the client what is said of a file, if the text is still the one that it is about. `always` also where the client
/// was told just that of an earlier version of an open document; never twice of one version, which a check of the
/// workspace and one of the document may both have seen first. Nor a part of the answer behind all of it.
async fn publish_findings(
    server: &Arc<Server>,
    path: &str,
    (uri, version, items): (Uri, Option<i32>, Vec<Diagnostic>),
    part: Part,
    always: bool,
) {
    let documents = server
        .lock()
        .view
        .documents
        .get(path)
        .map(|known| known.version);
    if documents != version {
        return;
    }
    let result_id = result_id(&items);
    {
        let mut published = lock_ignoring_poison(&server.publisher.published);
        match published.get(path) {
            // A check of the workspace may have been faster.
            Some(known) if part != Part::Whole && known.is_whole && known.version == version => {
                return;
            }
            Some(known) if known.result_id == result_id => {
                let new = version.is_some() && known.version != version;
                if !(always && new) {
                    return;
                }
            }
            None if items.is_empty() && version.is_none() => return,
            Some(_) | None => {}
        }
        if items.is_empty() && version.is_none() {
            published.remove(path);
        } else {
            let uri = uri.clone();
            let told = Published {
                uri,
                result_id,
                version,
                is_whole: part == Part::Whole,
            };
            published.insert(path.to_owned(), told);
        }
    }
    server.client.publish_diagnostics(uri, items, version).await;
}

fn log_failure(server: &Server, what: &str, failure: &Failure) {
    let words = match failure {
        Failure::Refused(words) | Failure::Defect(words) => words,
        Failure::Overtaken | Failure::Outdated | Failure::Withdrawn | Failure::NoSuchFile => return,
    };
    server.log(MessageType::ERROR, format!("{what}: {words}"));
}

/// How far the first check is, for clients that show it.
struct Progress {
    /// How many items are checked, and of how many.
    items: Arc<(AtomicUsize, AtomicUsize)>,
    /// Ends the telling; says how many files were checked, if the check was not overtaken.
    done: Option<tokio::sync::oneshot::Sender<Option<usize>>>,
}

impl Progress {
    fn begin_progress(server: &Arc<Server>, shown: bool) -> Self {
        let items = Arc::new((AtomicUsize::new(0), AtomicUsize::new(0)));
        if !shown || !server.lock().view.client.work_done_progress {
            return Self { items, done: None };
        }
        let (done, mut ended) = tokio::sync::oneshot::channel();
        let (client, tally) = (server.client.clone(), Arc::clone(&items));
        server.spawn(async move {
            let token = ProgressToken::String("visa-check".to_owned());
            if client
                .create_work_done_progress(token.clone())
                .await
                .is_err()
            {
                return;
            }
            let progress = client.progress(token, "visa-lint: checking kernels");
            let progress = progress.with_percentage(0).begin().await;
            let files = loop {
                if let Ok(files) = tokio::time::timeout(PROGRESS_EVERY, &mut ended).await {
                    break files.unwrap_or_default();
                }
                let done = tally.0.load(Ordering::Relaxed);
                let total = tally.1.load(Ordering::Relaxed);
                let percentage = done.saturating_mul(100).checked_div(total).unwrap_or(0);
                let percentage = u32::try_from(percentage.min(100)).unwrap_or(100);
                let words = format!("{done}/{total} items");
                progress.report_with_message(words, percentage).await;
            };
            match files {
                Some(files) => {
                    progress
                        .finish_with_message(counted(files as u64, "file"))
                        .await;
                }
                None => progress.finish().await,
            }
        });
        Self {
            items,
            done: Some(done),
        }
    }

    fn end_progress(self, files: Option<usize>) {
        if let Some(done) = self.done {
            let _ = done.send(files);
        }
    }
}
