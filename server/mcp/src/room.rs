//! The workspace of a session: its files in one engine that keeps what it worked out.
//!
//! Questions run side by side. A change of a text on disk runs alone. Texts that are only tried never come here: they are tried in a
//! copy ([`Copied`](crate::project::copied::Copied)).

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::{RwLock, RwLockReadGuard, RwLockWriteGuard};
use visa_analysis::{Analysis, FileEdit};

use super::disk::{Difference, Disk};
use super::offers::{Offer, Offers};
use super::places::Root;
use crate::project::engine::{Answer, Engine, Failure, Urgency};
use crate::project::paths::slashes;
use crate::project::regular::{SOURCE_BYTES, read_text};
use crate::project::workspace_settings::{Settings, Wanted};

/// The most bytes of a text that a caller gives.
pub(super) const TEXT_BYTES: usize = 4 << 20;

/// The files of a session.
pub(super) struct Room {
    pub(super) root: Root,
    engine: Arc<Engine>,
    held: RwLock<Held>,
    offers: Mutex<Offers>,
    writing: tokio::sync::Mutex<()>,
}

/// What was read of the workspace.
#[derive(Default)]
pub(super) struct Held {
    pub(super) settings: Arc<Settings>,
    /// The files in the engine, those that only give names among them.
    loaded: Arc<BTreeSet<PathBuf>>,
    disk: Option<Arc<Disk>>,
    /// What could not be read, and settings that could not be used.
    pub(super) problems: Vec<String>,
}

impl Held {
    /// The files that are checked, of one file, below a folder, or all.
    pub(super) fn reported(&self, at: Option<&Path>) -> Vec<String> {
        let at = at.map(slashes);
        let below = |path: &str| {
            at.as_deref().is_none_or(|at| {
                let rest = path.strip_prefix(at);
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
            })
        };
        let reported = self.settings.reported.iter();
        reported
            .filter(|path| below(path))
            .map(ToString::to_string)
            .collect()
    }

    /// Whether a file is in the engine.
    pub(super) fn knows(&self, path: &str) -> bool {
        self.settings.loaded.contains(path)
    }
}

/// Words for a caller.
pub(super) fn failure_words(failure: Failure) -> String {
    match failure {
        Failure::Overtaken | Failure::Outdated => {
            "files changed while the answer was worked out; call again".to_owned()
        }
        Failure::Withdrawn => "the call was cancelled".to_owned(),
        Failure::NoSuchFile => "there is no such file in the workspace".to_owned(),
        Failure::Refused(why) => why,
        Failure::Defect(what) => format!("a defect of visa-lint: {what}"),
    }
}

fn lock_ignoring_poison<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Work that waits for the disk.
async fn on_disk<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, String> {
    let done = tokio::task::spawn_blocking(work).await;
    done.map_err(|_| "a defect of visa-lint: the workspace could not be read".to_owned())
}

/// The texts of files by their paths.
type FileTexts = Vec<(String, String)>;

impl Room {
    /// A session of a folder, given by its canonical path.
    pub(super) fn start(root: &Path) -> std::io::Result<Self> {
        // What a write panics with is noticed by the question behind it.
        let engine = Engine::start(|what| eprintln!("error: a defect of visa-lint: {what}"))?;
        Ok(Self {
            root: Root::new(root),
            engine: Arc::new(engine),
            held: RwLock::default(),
            offers: Mutex::default(),
            writing: tokio::sync::Mutex::default(),
        })
    }

    /// The workspace as the disk has it now. What is held of it keeps changes away.
    pub(super) async fn fresh_workspace(&self) -> Result<RwLockReadGuard<'_, Held>, String> {
        let (known, loaded) = {
            let held = self.held.read().await;
            (held.disk.clone(), Arc::clone(&held.loaded))
        };
        let root = self.root.path().to_path_buf();
        let (later, difference) = on_disk(move || {
            let later = Disk::look_at_folder(&root, &loaded, SystemTime::now());
            let difference = known.map_or(Difference::Everything, |known| {
                known.difference(&later, &loaded)
            });
            (later, difference)
        })
        .await?;
        if difference == Difference::Nothing {
            return Ok(self.held.read().await);
        }
        let mut held = self.held.write().await;
        match difference {
            Difference::Nothing => {}
            Difference::Texts(paths) => {
                let texts = on_disk(move || read_all(paths)).await?;
                match texts {
                    Some(texts) => {
                        held.disk = Some(Arc::new(later));
                        self.engine.write(move |workspace| {
                            for (path, text) in texts {
                                workspace.set_file(&path, &text);
                            }
                        });
                    }
                    None => self.read_everything(&mut held).await?,
                }
            }
            Difference::Everything => self.read_everything(&mut held).await?,
        }
        Ok(RwLockWriteGuard::downgrade(held))
    }

    async fn read_everything(&self, held: &mut Held) -> Result<(), String> {
        let wanted = Wanted::of_folder(self.root.path().to_path_buf(), Arc::clone(&held.settings));
        let root = self.root.clone();
        let (found, files) = on_disk(move || read_everything(wanted, &root)).await?;
        let told = Arc::clone(&found.settings);
        self.engine.write(move |workspace| {
            workspace.keep_files(|path| told.loaded.contains(path));
            workspace.set_files(
                files
                    .iter()
                    .map(|(path, text)| (path.as_str(), text.as_str())),
            );
            told.tell_engine(workspace);
        });
        *held = found;
        Ok(())
    }

    /// The right to write files: who has it writes alone.
    pub(super) async fn writing(&self) -> tokio::sync::MutexGuard<'_, ()> {
        self.writing.lock().await
    }

    /// Asks the engine. Dropping the future cancels the question.
    pub(super) async fn ask_engine<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Analysis) -> Answer<T> + Send + 'static,
    ) -> Result<T, String> {
        let answer = self
            .engine
            .read(Urgency::Waiting, move |analysis, _| question(&analysis))
            .await;
        answer.map_err(failure_words)
    }

    /// Keeps a change that is offered, by the engine's paths; its name. None where it leads out of the workspace.
    pub(super) fn keep_change(
        &self,
        analysis: &Analysis,
        title: &str,
        edits: &[FileEdit],
    ) -> Option<String> {
        lock_ignoring_poison(&self.offers).keep_offer(&self.root, analysis, title, edits)
    }

    /// What was offered under a name.
    pub(super) fn offer_named(&self, name: &str) -> Option<Offer> {
        lock_ignoring_poison(&self.offers).get(name)
    }
}

/// The texts of sources that changed; none where one of them cannot be read any more.
fn read_all(paths: Vec<PathBuf>) -> Option<Vec<(String, String)>> {
    let texts = paths.into_iter().map(|path| {
        let text = read_text(&path, SOURCE_BYTES).ok()?;
        Some((slashes(&path), text))
    });
    texts.collect()
}

fn read_everything(wanted: Wanted, root: &Root) -> (Held, FileTexts) {
    let before = SystemTime::now();
    let reading = Settings::read(wanted);
    let (mut settings, mut sources) = (reading.settings, reading.sources);
    // A link that leads out of the workspace is none of its sources.
    let leads_out =
        |path: &str| root.is_named_inside(path.as_ref()) && !root.ends_inside(path.as_ref());
    sources.files.retain(|file| !leads_out(&file.path));
    settings.loaded = sources
        .files
        .iter()
        .map(|file| file.path.as_str().into())
        .collect();
    let loaded: BTreeSet<PathBuf> = settings
        .loaded
        .iter()
        .map(|path| PathBuf::from(&**path))
        .collect();
    let kept = settings.loaded.clone();
    settings.reported.retain(|path| kept.contains(path));
    let of_settings = settings.problems.values().flatten();
    let problems = of_settings.map(ToString::to_string);
    let problems: Vec<String> = problems
        .chain(sources.errors.iter().cloned())
        .map(|words| root.without_place(&words))
        .collect();
    let files = sources.files.into_iter();
    let held = Held {
        disk: Some(Arc::new(Disk::look_at_folder(root.path(), &loaded, before))),
        settings: Arc::new(settings),
        loaded: Arc::new(loaded),
        problems,
    };
    (held, files.map(|file| (file.path, file.text)).collect())
}
