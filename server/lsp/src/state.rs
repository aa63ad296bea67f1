//! What the server knows: the open documents and what the client can and wants, beside the engine.
//!
//! The order of the protocol rests on three habits. Who changes a document, or asks about one, holds the lock while it queues
//! its write or question with the engine, so that texts and the engine's files always agree. The lock is not held across an
//! `.await`, nor while anything is computed. And a snapshot of the engine exists only inside of a question.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use tokio::sync::watch;
use tower_lsp::Client;
use tower_lsp::jsonrpc::{Error, ErrorCode, Result};
use tower_lsp::ls_types::{MessageType, Uri};
use visa_analysis::{Analysis, KernelCost, RunReport};

use super::abilities::ClientAbilities;
use super::advice::Advice;
use super::loader::Loader;
use super::lock::lock_ignoring_poison;
use super::positions::{Encoding, FileText, LineTable};
use super::publisher::Publisher;
use super::runs::Runs;
use super::trace::Trace;
use super::uris;
use crate::project::engine::{Answer, Engine, Failure, Reading, Urgency};
use crate::project::workspace_settings::Settings;

/// A document that the client has open.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    /// Its address as the client writes it.
    pub(crate) uri: Uri,
    /// The version of the last change.
    pub(crate) version: i32,
    /// Its text.
    pub(crate) text: Arc<str>,
    /// The text's lines.
    pub(crate) lines: Arc<LineTable>,
    /// Whether a change could not be read: then the text is empty until the client sends all of it.
    pub(crate) lost: bool,
}

/// What a question may look at beside the engine. Cheap to share; a change makes a new one.
#[derive(Debug, Clone, Default)]
pub(crate) struct View {
    /// Open documents by the engine's path.
    pub(crate) documents: BTreeMap<Arc<str>, Document>,
    /// What a column counts.
    pub(crate) encoding: Encoding,
    /// What the client can.
    pub(crate) client: Arc<ClientAbilities>,
    /// What the client wants.
    pub(crate) settings: Arc<Settings>,
}

impl View {
    /// The text of a document; none if it is not open.
    pub(crate) fn text(&self, path: &str) -> Option<&Arc<str>> {
        self.documents.get(path).map(|document| &document.text)
    }

    /// Whether a document still has a text that it had, or still is not open: whether the client changed nothing since.
    pub(crate) fn has_text(&self, path: &str, text: Option<&Arc<str>>) -> bool {
        match (self.text(path), text) {
            (Some(now), Some(then)) => Arc::ptr_eq(now, then),
            (None, None) => true,
            _ => false,
        }
    }

    /// Whether what is checked of the open documents was read: else nothing can be said of them yet.
    pub(crate) fn knows_documents(&self) -> bool {
        !self
            .documents
            .keys()
            .any(|path| self.settings.awaits_document(path))
    }
}

/// What changes while the server runs.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// What questions look at.
    pub(crate) view: Arc<View>,
    /// How often the client opened, changed or closed a document.
    pub(crate) edits: u64,
    /// The folders of the workspace, as paths of the engine.
    pub(crate) roots: Vec<Arc<str>>,
    /// What the client sent with `initialize` as `initializationOptions`: its settings, if it cannot be asked for them.
    pub(crate) options: Option<serde_json::Value>,
    /// Whether `shutdown` was asked for.
    pub(crate) shut_down: bool,
}

impl State {
    /// The documents, to change them for the client.
    pub(crate) fn documents_mut(&mut self) -> &mut BTreeMap<Arc<str>, Document> {
        self.edits = self.edits.wrapping_add(1);
        &mut self.view_mut().documents
    }

    /// What questions look at, to change it: questions that run keep what they have.
    pub(crate) fn view_mut(&mut self) -> &mut View {
        Arc::make_mut(&mut self.view)
    }
}

/// The server: its state, the engine and the client.
pub(crate) struct Server {
    /// How long a whole answer about a file is waited for before one without costs is given first.
    pub(super) prompt: Duration,
    state: Mutex<State>,
    /// The engine. Queue with it while the state is locked.
    pub(crate) engine: Engine,
    /// The client. Its methods are async: call them from spawned tasks only.
    pub(crate) client: Client,
    /// The task that reads the workspace's folders.
    pub(crate) loader: Loader,
    /// The task that publishes diagnostics.
    pub(crate) publisher: Publisher,
    /// What searches of kernels found.
    pub(crate) advice: Arc<Advice>,
    /// What runs of kernels found.
    pub(crate) runs: Arc<Runs>,
    /// How much the client wants to be told of what happens.
    pub(crate) trace: Trace,
    /// The folder of pages that the client was asked to open, once there is one.
    pub(crate) pages: Mutex<Option<tempfile::TempDir>>,
    process: watch::Sender<Option<u32>>,
    runtime: tokio::runtime::Handle,
}

impl Server {
    /// A server of a client; must be called on the runtime.
    pub(crate) fn new(client: Client, engine: Engine, prompt: Duration) -> Self {
        Self {
            prompt,
            state: Mutex::default(),
            engine,
            client,
            loader: Loader::default(),
            publisher: Publisher::default(),
            advice: Arc::default(),
            runs: Arc::default(),
            trace: Trace::default(),
            pages: Mutex::default(),
            process: watch::Sender::new(None),
            runtime: tokio::runtime::Handle::current(),
        }
    }

    /// Takes in which process the client is.
    pub(crate) fn set_client_process(&self, process: u32) {
        self.process.send_replace(Some(process));
    }

    /// The client's process, once it told; for ever pending if it does not.
    pub(crate) async fn client_process(&self) -> u32 {
        let mut told = self.process.subscribe();
        loop {
            if let Some(process) = *told.borrow_and_update() {
                return process;
            }
            // The sender lives as long as the server.
            let _ = told.changed().await;
        }
    }

    /// The state. Hold it briefly, and never across an `.await`.
    pub(crate) fn lock(&self) -> MutexGuard<'_, State> {
        lock_ignoring_poison(&self.state)
    }

    /// Queues a question about the texts of this moment.
    pub(crate) fn question<T: Send + 'static>(
        &self,
        urgency: Urgency,
        ask: impl FnOnce(&Snapshot) -> Answer<T> + Send + 'static,
    ) -> Reading<T> {
        let state = self.lock();
        let view = Arc::clone(&state.view);
        let advice = Arc::clone(&self.advice);
        let runs = Arc::clone(&self.runs);
        self.engine.read(urgency, move |analysis, writes| {
            ask(&Snapshot {
                analysis,
                view,
                writes,
                advice,
                runs,
                files: RefCell::default(),
            })
        })
    }

    /// Asks for a request. The first poll takes the question's place in the queue, so the request sees exactly the texts that
    /// the messages before it made. What the client did not change itself (a file was read from disk) overtakes nothing in its
    /// eyes: then the question is asked again.
    ///
    /// # Errors
    ///
    /// Those of the question; [`Failure::Overtaken`] only if the client changed a document since.
    pub(crate) async fn ask_engine<T: Send + 'static>(
        &self,
        urgency: Urgency,
        ask: impl Fn(&Snapshot) -> Answer<T> + Send + Sync + 'static,
    ) -> Answer<T> {
        let ask = Arc::new(ask);
        let queue = || {
            let ask = Arc::clone(&ask);
            self.question(urgency, move |snapshot| ask(snapshot))
        };
        let edits = self.lock().edits;
        let mut answer = queue().await;
        for _ in 0..MOST_REPETITIONS {
            if !matches!(answer, Err(Failure::Overtaken)) || self.lock().edits != edits {
                break;
            }
            answer = queue().await;
        }
        answer
    }

    /// As [`Self::ask_engine`], in the protocol's words. A request about an unknown document has an empty answer.
    ///
    /// # Errors
    ///
    /// Those of the protocol: the question was overtaken, withdrawn or refused, or met a defect.
    pub(crate) async fn answer_request<T: Default + Send + 'static>(
        &self,
        ask: impl Fn(&Snapshot) -> Answer<T> + Send + Sync + 'static,
    ) -> Result<T> {
        match self.ask_engine(Urgency::Waiting, ask).await {
            Err(Failure::NoSuchFile) => Ok(T::default()),
            answer => answer.map_err(|failure| self.error_of(failure)),
        }
    }

    /// A failure in the protocol's words; defects go to the client's log as well.
    pub(crate) fn error_of(&self, failure: Failure) -> Error {
        match failure {
            Failure::Overtaken | Failure::Outdated => Error::content_modified(),
            Failure::Withdrawn => Error::request_cancelled(),
            Failure::NoSuchFile => Error::invalid_params("no such document"),
            Failure::Refused(why) => Error {
                code: ErrorCode::ServerError(REQUEST_FAILED),
                message: why.into(),
                data: None,
            },
            Failure::Defect(what) => {
                self.log_defect(&what);
                Error {
                    message: what.into(),
                    ..Error::internal_error()
                }
            }
        }
    }

    /// Tells the client something for its log; returns at once.
    pub(crate) fn log(&self, kind: MessageType, words: impl Into<String>) {
        let (client, words) = (self.client.clone(), words.into());
        self.runtime
            .spawn(async move { client.log_message(kind, words).await });
    }

    /// Tells the client's log of a defect.
    pub(crate) fn log_defect(&self, what: &str) {
        self.log(MessageType::ERROR, format!("a defect of visa-lsp: {what}"));
    }

    /// Starts a task on the server's runtime, from any thread.
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.spawn_task(task);
    }

    /// As [`Self::spawn`]; what it returns ends the task.
    pub(crate) fn spawn_task(
        &self,
        task: impl Future<Output = ()> + Send + 'static,
    ) -> tokio::task::AbortHandle {
        self.runtime.spawn(task).abort_handle()
    }
}

/// How often a question is asked again that something other than the client overtook.
const MOST_REPETITIONS: u32 = 100;

/// `RequestFailed` of the protocol: valid, but cannot be done; editors show the words.
const REQUEST_FAILED: i64 = -32803;

/// What a question is answered from: the engine and the documents at its place in the order of the wire.
pub(crate) struct Snapshot {
    /// The engine.
    pub(crate) analysis: Analysis,
    /// The open documents and what the client can and wants.
    pub(crate) view: Arc<View>,
    /// How many writes of the engine it sees.
    pub(crate) writes: u64,
    advice: Arc<Advice>,
    runs: Arc<Runs>,
    /// Texts of files that are not open, as they were asked for.
    files: RefCell<BTreeMap<Arc<str>, FileText>>,
}

impl Snapshot {
    /// The kernels that a search was made of, as they are now, with what it proposes.
    pub(crate) fn advised(&self) -> Vec<Arc<KernelCost>> {
        self.advice.known_answers(self.writes)
    }

    /// The runs of kernels since the last edit.
    pub(crate) fn ran(&self) -> Vec<Arc<RunReport>> {
        self.runs.known(self.writes)
    }

    /// Keeps a run until the next edit.
    pub(crate) fn keep_run(&self, report: RunReport) {
        self.runs.keep(report, self.writes);
    }

    /// The engine's path of a document.
    pub(crate) fn path(&self, uri: &Uri) -> String {
        uris::path_of(uri)
    }

    /// The address of a file: the client's own spelling if it is open.
    pub(crate) fn uri(&self, path: &str) -> Answer<Uri> {
        let open = self.view.documents.get(path);
        open.map(|document| document.uri.clone())
            .or_else(|| uris::uri_of(path))
            .ok_or(Failure::NoSuchFile)
    }

    /// The version of a document; none if it is not open.
    pub(crate) fn version(&self, path: &str) -> Option<i32> {
        self.view
            .documents
            .get(path)
            .map(|document| document.version)
    }

    /// The text of a file with its lines, to turn places into bytes and back.
    pub(crate) fn file(&self, path: &str) -> Answer<FileText> {
        let encoding = self.view.encoding;
        if let Some(document) = self.view.documents.get(path) {
            return Ok(FileText {
                text: Arc::clone(&document.text),
                lines: Arc::clone(&document.lines),
                encoding,
            });
        }
        if let Some(file) = self.files.borrow().get(path) {
            return Ok(file.clone());
        }
        let text = self.analysis.text(path)?;
        let file = FileText {
            lines: Arc::new(LineTable::of_file(&text)),
            text,
            encoding,
        };
        self.files.borrow_mut().insert(path.into(), file.clone());
        Ok(file)
    }
}
