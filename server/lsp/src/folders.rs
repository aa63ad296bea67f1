//! The files and packages of the workspace's folders, and what their settings say: read in the background, again when they
//! change.
//!
//! One task does all of it, so that what was read later always holds. Open documents win over the disk.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tower_lsp::ls_types::{
    ConfigurationItem, DidChangeWatchedFilesRegistrationOptions, FileSystemWatcher, GlobPattern,
    MessageType, Registration,
};

use super::loader::Pending;
use super::lock::lock_ignoring_poison;
use super::open_documents::take_from_disk;
use super::publishing;
use super::state::Server;
use crate::project::client_settings::{ClientSettings, SECTION};
use crate::project::workspace_settings::{Reading, Settings, Wanted};
use visa_analysis::{ENDINGS, ending_of, language_of};

use crate::project::files::{LoadedFile, Sources};
use crate::project::paths::{self, slashes};
use crate::project::regular::{SOURCE_BYTES, read_text};
use crate::project::settings::FILE_NAME;

/// How long changes of files are collected before they are read: they come in bursts.
const QUIET: Duration = Duration::from_millis(30);

/// How long the client's settings are waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// How long a request waits for the first reading at most.
const LONGEST_WAIT: Duration = Duration::from_secs(10);

/// Files that decide what is checked and how, beside the settings files.
const DECIDING: [&str; 5] = [
    FILE_NAME,
    "Cargo.toml",
    "Cargo.lock",
    ".gitignore",
    ".ignore",
];

/// Returns when the workspace's folders have been read: before, findings would be about a part of the code.
pub(crate) async fn wait_until_read(server: &Server) {
    let mut ready = server.loader.ready.subscribe();
    // A disk that does not answer must not keep the client waiting.
    let _ = tokio::time::timeout(LONGEST_WAIT, ready.wait_for(|ready| *ready)).await;
}

/// The client is ready: find the folders' files.
pub(crate) fn initialized(server: &Arc<Server>) {
    let options = server.lock().options.take().unwrap_or_default();
    take_settings(server, &options);
    *lock_ignoring_poison(&server.loader.options) = options;
    // What needs no file holds for the first request, which may come before the folders are read.
    let client = lock_ignoring_poison(&server.loader.client).0.clone();
    server.lock().view_mut().settings = Arc::new(Settings::unread(client));
    server.spawn(run(Arc::clone(server)));
    server.spawn(publishing::run(Arc::clone(server)));
}

/// A document was opened; its text is in place.
pub(crate) fn document_opened(server: &Arc<Server>, path: &str) {
    if server.lock().view.settings.awaits_document(path) {
        server.loader.want_now();
    }
}

/// A document was saved.
pub(crate) fn saved(server: &Arc<Server>, path: &str) {
    let only = lock_ignoring_poison(&server.loader.client)
        .0
        .arguments
        .config
        .clone();
    let only = only.is_some_and(|only| Path::new(path).ends_with(only));
    if only || is_deciding(path) {
        server.loader.want(|pending| pending.everything = true);
    }
}

/// A document was closed; the text on disk is in place again.
pub(crate) fn document_closed(server: &Arc<Server>, path: &str) {
    lock_ignoring_poison(&server.loader.stamp).take();
    let settings = Arc::clone(&server.lock().view.settings);
    let stays = settings.reported.contains(path) && !settings.only_open.contains(path);
    if paths::is_source(path) && (!stays || !Path::new(path).is_file()) {
        server.loader.want(|pending| pending.everything = true);
    }
}

/// Files changed on disk, of the engine's paths.
pub(crate) fn files_changed(server: &Arc<Server>, paths: &[String]) {
    let settings = Arc::clone(&server.lock().view.settings);
    server.loader.want(|pending| {
        for path in paths {
            if settings.loaded.contains(path.as_str()) && Path::new(path).is_file() {
                pending.files.insert(path.clone());
            } else if settings.loaded.contains(path.as_str()) || concerns(path) {
                pending.everything = true;
            }
        }
    });
}

/// Whether a file that is not held may be one of the workspace now. Of endings that most files of others have, the text says it.
fn concerns(path: &str) -> bool {
    match ending_of(path) {
        Some(known) if known.by_text => read_text(Path::new(path), SOURCE_BYTES)
            .is_ok_and(|text| language_of(path, &text).is_some()),
        _ => true,
    }
}

/// The client's settings changed; what it sent of them.
pub(crate) fn configuration_changed(server: &Arc<Server>, settings: &Value) {
    if server.lock().view.client.configuration {
        server.loader.want(|pending| pending.configuration = true);
    } else if ClientSettings::concerns_settings(settings) {
        take_settings(server, settings);
        server.loader.want(|pending| pending.everything = true);
    }
}

/// The workspace's folders changed; the state's roots hold the new ones.
pub(crate) fn folders_changed(server: &Arc<Server>) {
    server.loader.want(|pending| pending.everything = true);
}

/// Whether a file decides what is checked and how.
fn is_deciding(path: &str) -> bool {
    path.rsplit('/')
        .next()
        .is_some_and(|name| DECIDING.contains(&name))
}

/// Takes the client's settings, and tells it what cannot be used, once.
fn take_settings(server: &Arc<Server>, value: &Value) {
    let (settings, problems) = ClientSettings::read(value);
    let mut client = lock_ignoring_poison(&server.loader.client);
    client.0 = settings;
    let told = std::mem::replace(&mut client.1, problems.iter().cloned().collect());
    drop(client);
    for problem in problems {
        if !told.contains(&problem) {
            tell_user(server, MessageType::WARNING, problem);
        }
    }
}

/// Shows the user something.
fn tell_user(server: &Arc<Server>, kind: MessageType, words: String) {
    let client = server.client.clone();
    server.spawn(async move { client.show_message(kind, words).await });
}

/// The task: reads what is wanted until the server ends.
async fn run(server: Arc<Server>) {
    register_notifications(&server).await;
    let mut wanted = Pending {
        configuration: server.lock().view.client.configuration,
        everything: true,
        files: BTreeSet::new(),
    };
    loop {
        if wanted.configuration {
            wanted.everything |= pull_settings(&server).await;
        }
        let changed = if wanted.everything {
            read_everything(&server).await
        } else {
            read_files(&server, wanted.files).await
        };
        server.loader.settle_reading();
        if changed {
            publishing::everything_changed(&server);
        }
        // What is to be published waited until all was read.
        server.publisher.wake();
        server.loader.wake.notified().await;
        if server.loader.is_ready() {
            tokio::time::sleep(QUIET).await;
        }
        wanted = std::mem::take(&mut lock_ignoring_poison(&server.loader.pending));
    }
}

/// Asks the client to tell of changed files and settings, where it can be asked.
async fn register_notifications(server: &Arc<Server>) {
    let client = Arc::clone(&server.lock().view.client);
    let mut registrations = Vec::new();
    if client.watches_files {
        let sources = ENDINGS.iter().map(|known| format!("**/*.{}", known.ending));
        let deciding = [
            "**/Cargo.toml",
            "**/Cargo.lock",
            "**/visa-lint.toml",
            "**/.gitignore",
        ];
        let watchers = sources.chain(deciding.map(str::to_owned));
        let options = DidChangeWatchedFilesRegistrationOptions {
            watchers: watchers
                .map(|pattern| FileSystemWatcher {
                    glob_pattern: GlobPattern::String(pattern),
                    kind: None,
                })
                .collect(),
        };
        registrations.push(Registration {
            id: "visa-files".to_owned(),
            method: "workspace/didChangeWatchedFiles".to_owned(),
            register_options: serde_json::to_value(options).ok(),
        });
    }
    if client.registers_configuration {
        registrations.push(Registration {
            id: "visa-settings".to_owned(),
            method: "workspace/didChangeConfiguration".to_owned(),
            register_options: Some(json!({ "section": SECTION })),
        });
    }
    if !registrations.is_empty() {
        let to = server.client.clone();
        // Nothing waits for the client's answer.
        server.spawn(async move {
            let _ = to.register_capability(registrations).await;
        });
    }
}

/// Asks the client for its settings; whether it has told any, or has others by now.
async fn pull_settings(server: &Arc<Server>) -> bool {
    let items = vec![ConfigurationItem {
        scope_uri: None,
        section: Some(SECTION.to_owned()),
    }];
    let answer = tokio::time::timeout(PATIENCE, server.client.configuration(items)).await;
    let untold = match answer {
        Ok(Ok(values)) => {
            let value = values.into_iter().next().unwrap_or_default();
            let before = lock_ignoring_poison(&server.loader.client).0.clone();
            if value.is_null() {
                // It has none, or none any more.
                let options = lock_ignoring_poison(&server.loader.options).clone();
                take_settings(server, &options);
            } else {
                take_settings(server, &value);
            }
            return !value.is_null() || lock_ignoring_poison(&server.loader.client).0 != before;
        }
        Ok(Err(error)) => format!("the client does not tell its settings: {error}"),
        Err(_) => "the client does not tell its settings".to_owned(),
    };
    // What it told before holds.
    server.log(MessageType::WARNING, untold);
    false
}

/// Reads all that is below the folders and around the open documents; whether something is different.
async fn read_everything(server: &Arc<Server>) -> bool {
    let wanted = wanted_sources(server);
    let given: BTreeSet<String> = wanted.open.keys().map(|path| slashes(path)).collect();
    let before = Arc::clone(&wanted.before);
    let read = tokio::task::spawn_blocking(move || Settings::read(wanted)).await;
    let Ok(Reading {
        settings,
        sources,
        stamp,
    }) = read
    else {
        let words = "a defect of visa-lsp: the workspace could not be read";
        server.log(MessageType::ERROR, words);
        return false;
    };
    log_unread(server, &sources);
    let known = lock_ignoring_poison(&server.loader.stamp).replace(stamp);
    if known == Some(stamp) && settings.client == before.client {
        return false;
    }
    tell_problems(server, &settings);
    put_in_place(server, settings, sources.files, &given);
    true
}

/// Writes into the log what could not be read, when that is new.
fn log_unread(server: &Server, sources: &Sources) {
    let errors = sources
        .errors
        .iter()
        .map(|words| (MessageType::WARNING, words));
    let warnings = sources
        .warnings
        .iter()
        .map(|words| (MessageType::INFO, words));
    let said: Vec<_> = errors.chain(warnings).collect();
    let now = said.iter().map(|(_, words)| (*words).clone()).collect();
    let before = std::mem::replace(&mut *lock_ignoring_poison(&server.loader.logged), now);
    for (kind, words) in said
        .into_iter()
        .filter(|(_, words)| !before.contains(*words))
    {
        server.log(kind, words);
    }
}

/// What there is to read, as of now.
fn wanted_sources(server: &Server) -> Wanted {
    let client = lock_ignoring_poison(&server.loader.client).0.clone();
    let state = server.lock();
    let open = state.view.documents.iter();
    let open = open.filter(|(path, _)| paths::is_source(path));
    Wanted {
        roots: state
            .roots
            .iter()
            .map(|root| PathBuf::from(&**root))
            .collect(),
        open: open
            .map(|(path, document)| (PathBuf::from(&**path), document.text.to_string()))
            .collect(),
        client,
        before: Arc::clone(&state.view.settings),
    }
}

/// Gives the engine what was read. The texts of documents are the client's. Of those that were `given` when the reading began
/// and are closed by now nothing was read; what is on disk takes their places. Where other documents are open than the reading
/// knew, it is wanted once more: which files are checked depends on them.
fn put_in_place(
    server: &Server,
    settings: Settings,
    mut files: Vec<LoadedFile>,
    given: &BTreeSet<String>,
) {
    let settings = Arc::new(settings);
    let mut state = server.lock();
    state.view_mut().settings = Arc::clone(&settings);
    let documents = &state.view.documents;
    files.retain(|file| !given.contains(&file.path) && !documents.contains_key(file.path.as_str()));
    let open: BTreeSet<Arc<str>> = documents.keys().cloned().collect();
    let closed = given.iter().filter(|path| !open.contains(path.as_str()));
    let closed: Vec<String> = closed.cloned().collect();
    if open.iter().any(|path| settings.awaits_document(path)) {
        server.loader.want_now();
    } else if closed
        .iter()
        .any(|path| settings.only_open.contains(path.as_str()))
    {
        server.loader.want(|pending| pending.everything = true);
    }
    server.engine.write(move |workspace| {
        workspace.keep_files(|path| open.contains(path) || settings.loaded.contains(path));
        let files = files.iter();
        workspace.set_files(files.map(|file| (file.path.as_str(), file.text.as_str())));
        for path in closed {
            if settings.loaded.contains(path.as_str()) {
                take_from_disk(workspace, &path);
            }
        }
        settings.tell_engine(workspace);
    });
}

/// Shows the user that settings files are wrong, when that is new.
fn tell_problems(server: &Arc<Server>, settings: &Settings) {
    let before = Arc::clone(&server.lock().view.settings);
    for (path, problems) in &settings.problems {
        if let Some(first) = problems
            .first()
            .filter(|_| before.problems.get(path) != Some(problems))
        {
            let words = format!("{first}; the settings before hold until it is right");
            tell_user(server, MessageType::ERROR, words);
        }
    }
}

/// Reads files whose texts changed; whether there were any. One that cannot be read is no file like the others any more.
async fn read_files(server: &Arc<Server>, paths: BTreeSet<String>) -> bool {
    let texts = tokio::task::spawn_blocking(move || {
        let texts = paths.into_iter().map(|path| {
            let text = read_text(Path::new(&path), SOURCE_BYTES);
            (path, text)
        });
        texts.collect::<Vec<_>>()
    });
    let mut texts = texts.await.unwrap_or_default();
    if texts.iter().any(|(_, text)| text.is_err()) {
        server.loader.want(|pending| pending.everything = true);
    }
    let state = server.lock();
    texts.retain(|(path, _)| !state.view.documents.contains_key(path.as_str()));
    let changed = !texts.is_empty();
    if changed {
        lock_ignoring_poison(&server.loader.stamp).take();
    }
    server.engine.write(move |workspace| {
        for (path, text) in texts {
            if let Ok(text) = text {
                workspace.set_file(&path, &text);
            }
        }
    });
    changed
}
