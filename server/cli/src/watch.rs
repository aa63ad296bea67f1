//! `check --watch` and `view`: the same again whenever a file changes, through one engine that keeps what it knows.
//!
//! Each folder that holds a file of the run is watched by itself, so that build output costs nothing; settings files are
//! waited for in all folders above. Where folders cannot be watched the files are looked at once a second.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, EventKind, ModifyKind};
use notify::{Event, RecommendedWatcher, RecursiveMode, Watcher};

use super::arguments::CheckArguments;
use super::session::Session;
use crate::project::Failure;
use crate::project::files::folders_below;
use crate::project::languages::is_known;
use crate::project::notes::write_warning;
use crate::project::paths::absolute;
use crate::project::settings::FILE_NAME;

/// How long nothing must happen before the files are read: editors write in several steps.
const QUIET: Duration = Duration::from_millis(100);
/// Changes that are waited for at most, so that a program that writes all the time does not keep the check away.
const CHANGES: usize = 10_000;
/// Files that decide what is checked and how.
const SETTINGS: [&str; 5] = [
    FILE_NAME,
    "Cargo.toml",
    "Cargo.lock",
    ".gitignore",
    ".ignore",
];
/// How often files are looked at where no event says when they change.
const POLLING: Duration = Duration::from_secs(1);

/// What is watched: the paths of a run, and the files beside kernels that its options name.
#[derive(Debug)]
pub(crate) struct Subject<'a> {
    /// Files, folders or crates.
    pub(crate) paths: &'a [PathBuf],
    /// A baseline, settings.
    pub(crate) named: Vec<&'a Path>,
}

impl<'a> From<&'a CheckArguments> for Subject<'a> {
    fn from(options: &'a CheckArguments) -> Self {
        let baseline = options.baseline.baseline.iter();
        let named = baseline.chain(&options.settings.config);
        Self {
            paths: &options.paths,
            named: named.map(PathBuf::as_path).collect(),
        }
    }
}

/// Refuses standard input among paths: it does not change.
///
/// # Errors
///
/// It is among them.
pub(crate) fn refuse_standard_input(paths: &[PathBuf]) -> Result<(), Failure> {
    if paths.iter().any(|path| path.as_os_str() == "-") {
        return Err(Failure::new("standard input cannot be watched"));
    }
    Ok(())
}

/// What is done whenever files change.
pub(crate) trait Follower {
    /// Does it with the files of now; whether to go on.
    fn pass(&mut self, session: &mut Session<'_>) -> bool;

    /// The files or their settings cannot be read: those of the last pass stay.
    fn is_stuck(&mut self, failure: &Failure);
}

/// Does something with the files, and again whenever they change, until the program is interrupted or the follower ends it.
///
/// # Errors
///
/// Standard input is among the paths, or the files cannot be read before the first pass.
pub(crate) fn run(
    subject: Subject<'_>,
    session: &mut Session<'_>,
    follower: &mut dyn Follower,
) -> Result<(), Failure> {
    refuse_standard_input(subject.paths)?;
    let mut watched = Watched::new(subject);
    watched.extend(session);
    // What changed before the folders were watched would be missed.
    session.reload()?;
    // What the next pass asks again is kept.
    session.workspace();
    while follower.pass(session) {
        loop {
            let settings = watched.wait_for_change();
            match session.reload() {
                Ok(changed) => {
                    if watched.extend(session) {
                        // A new folder may have got more files before it was watched.
                        watched.look_again();
                    }
                    if changed || settings {
                        break;
                    }
                }
                Err(failure) => follower.is_stuck(&failure),
            }
        }
    }
    Ok(())
}

/// The folders that are watched.
struct Watched<'a> {
    subject: Subject<'a>,
    here: PathBuf,
    /// None where watching does not work.
    watcher: Option<RecommendedWatcher>,
    /// With whether kernels are looked for in them, beside settings.
    folders: BTreeMap<PathBuf, bool>,
    sender: Sender<notify::Result<Event>>,
    changes: Receiver<notify::Result<Event>>,
}

impl<'a> Watched<'a> {
    fn new(subject: Subject<'a>) -> Self {
        let (sender, changes) = channel();
        let to = sender.clone();
        let watcher = notify::recommended_watcher(move |event| {
            // No change is awaited any more when the program ends.
            let _ = to.send(event);
        });
        let mut watched = Self {
            subject,
            here: std::env::current_dir().unwrap_or_default(),
            watcher: None,
            folders: BTreeMap::new(),
            sender,
            changes,
        };
        match watcher {
            Ok(watcher) => watched.watcher = Some(watcher),
            Err(error) => watched.poll(&error),
        }
        watched
    }

    /// Looks at the files from time to time instead.
    fn poll(&mut self, error: &notify::Error) {
        if self.watcher.take().is_some() || self.folders.is_empty() {
            write_warning(&format!(
                "cannot watch folders, so the files are looked at once a second: {error}"
            ));
        }
    }

    /// Watches the folders of a session that are not watched yet; whether there are any.
    fn extend(&mut self, session: &Session<'_>) -> bool {
        let mut folders: BTreeSet<PathBuf> = session
            .loaded_paths()
            .filter_map(|path| Path::new(path).parent())
            .map(Path::to_path_buf)
            .collect();
        for path in self.subject.paths {
            let path = absolute(&self.here, path);
            folders.extend(folders_below(&path));
            folders.extend(path.parent().map(Path::to_path_buf));
        }
        for file in self.named_files() {
            folders.extend(file.parent().map(Path::to_path_buf));
        }
        let above = folders.iter().flat_map(|folder| folder.ancestors().skip(1));
        let above: Vec<PathBuf> = above.map(Path::to_path_buf).collect();
        let mut grown = false;
        for folder in folders {
            grown |= self.watch(folder, true);
        }
        for folder in above {
            self.watch(folder, false);
        }
        grown
    }

    /// Watches a folder; whether it is new among those with kernels.
    fn watch(&mut self, folder: PathBuf, kernels: bool) -> bool {
        if let Some(known) = self.folders.get_mut(&folder) {
            let new = kernels && !*known;
            *known |= kernels;
            return new;
        }
        let Some(watcher) = &mut self.watcher else {
            return false;
        };
        match watcher.watch(&folder, RecursiveMode::NonRecursive) {
            Ok(()) => {
                self.folders.insert(folder, kernels);
                kernels
            }
            Err(error) => {
                if kernels && folder.is_dir() {
                    self.poll(&error);
                }
                false
            }
        }
    }

    /// Files beside kernels that the options name.
    fn named_files(&self) -> impl Iterator<Item = PathBuf> {
        let named = self.subject.named.iter();
        named.map(|path| absolute(&self.here, path))
    }

    /// Makes the next wait end at once.
    fn look_again(&self) {
        let _ = self.sender.send(Ok(Event::new(EventKind::Any)));
    }

    /// Waits until something changes that a check may depend on, and then until nothing has changed for a moment. Whether
    /// anything changed that is no kernel.
    fn wait_for_change(&mut self) -> bool {
        let mut settings = false;
        let mut relevant = false;
        for _ in 0..CHANGES {
            let patience = match (&self.watcher, relevant) {
                (_, true) => Some(QUIET),
                (None, false) => Some(POLLING),
                (Some(_), false) => None,
            };
            let change = match patience {
                Some(patience) => self.changes.recv_timeout(patience),
                None => self
                    .changes
                    .recv()
                    .map_err(|_| RecvTimeoutError::Disconnected),
            };
            match change {
                Ok(Ok(event)) => {
                    let (counts, is_setting) = self.judge_event(&event);
                    relevant |= counts;
                    settings |= is_setting;
                }
                // Events were lost, or a folder is gone: what is on disk decides.
                Ok(Err(_)) => relevant = true,
                Err(RecvTimeoutError::Timeout) => break,
                Err(RecvTimeoutError::Disconnected) => {
                    self.watcher = None;
                    std::thread::sleep(POLLING);
                    break;
                }
            }
        }
        settings
    }

    /// Whether an event may change what a check says, and whether it is about something else than a kernel.
    fn judge_event(&mut self, event: &Event) -> (bool, bool) {
        let named = match event.kind {
            EventKind::Access(AccessKind::Close(AccessMode::Write)) => false,
            // Our own reading, above all.
            EventKind::Access(_) => return (false, false),
            EventKind::Create(_)
            | EventKind::Remove(_)
            | EventKind::Modify(ModifyKind::Name(_)) => true,
            EventKind::Any | EventKind::Modify(_) | EventKind::Other => false,
        };
        if event.paths.is_empty() || event.need_rescan() {
            return (true, false);
        }
        let files: BTreeSet<PathBuf> = self.named_files().collect();
        let (mut relevant, mut settings) = (false, false);
        for path in &event.paths {
            let name = path.file_name().and_then(OsStr::to_str).unwrap_or("");
            settings |= SETTINGS.contains(&name) || files.contains(path);
            let source = is_known(path);
            let folder = named && (path.is_dir() || self.folders.contains_key(path));
            let among_kernels = path
                .parent()
                .is_some_and(|parent| self.folders.get(parent) == Some(&true));
            relevant |= settings || (among_kernels && (source || folder));
            if folder {
                // One that comes back under its name has to be watched again.
                self.folders.retain(|folder, _| !folder.starts_with(path));
            }
        }
        (relevant, settings)
    }
}
