//! A snapshot of a [`Workspace`](super::Workspace): how it is cancelled and guarded, and what it says of files beside their
//! findings. What it finds is in `reports`, what it costs in `costs`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashSet;

use crate::check::{library_of, reachable_from};
use crate::db::AnalysisDatabase;
use crate::fixing::tool_fixes;
use crate::fragments::file_of;
use crate::inputs::SourceFile;
use crate::language::Language;
use crate::panics::answer_or_problem;
use crate::report::{CrateLibrary, DiagnosticFix, Problem, fitted};
use crate::suppression::{Allowed, allowing_fixes};

/// A snapshot of a workspace. Clones are cheap; each thread needs its own.
#[derive(Clone)]
pub struct Analysis {
    pub(super) db: AnalysisDatabase,
    /// Whether no answer is awaited any more; clones share it.
    pub(super) withdrawn: Arc<AtomicBool>,
}

/// Cancels the questions to one snapshot and its clones: they are answered with [`Problem::Cancelled`]. What runs on the
/// snapshot itself stops at its next query, what runs on a clone at its next item.
pub struct Canceller {
    token: salsa::CancellationToken,
    withdrawn: Arc<AtomicBool>,
}

impl Canceller {
    /// Cancels what is asked and will be asked.
    pub fn cancel(&self) {
        self.withdrawn.store(true, Ordering::SeqCst);
        self.token.cancel();
    }
}

impl Analysis {
    /// The crate of a file, and the library that it is written for.
    ///
    /// # Errors
    ///
    /// There is no such file, a newer edit overtook the question, or the engine failed.
    pub fn library_of(&self, path: &str) -> Result<CrateLibrary, Problem> {
        let parts = self.parts(path);
        let file = parts.first().copied().ok_or(Problem::NoSuchFile)?;
        if file.language(&self.db).has_front_end() {
            return Err(Problem::NotAnalysed(
                "only kernels in Rust are written for a library".to_owned(),
            ));
        }
        self.guarded(|db| library_of(db, file))
    }

    /// What the engine holds of a file: the file itself, then the blocks in it.
    pub(super) fn parts(&self, path: &str) -> Vec<SourceFile> {
        let Some(project) = crate::inputs::Project::try_get(&self.db) else {
            return Vec::new();
        };
        if let Some(file) = project.front_end_files(&self.db).get(path) {
            return vec![*file];
        }
        let files = project.files(&self.db);
        let from = (std::ops::Bound::Included(path), std::ops::Bound::Unbounded);
        files
            .range::<str, _>(from)
            .take_while(|(held, _)| file_of(held) == path)
            .map(|(_, file)| *file)
            .collect()
    }

    /// The files whose findings may depend on some files, those themselves included: what may call each other.
    pub fn related_files(&self, wanted: &[String]) -> Vec<String> {
        let groups: FxHashSet<_> = wanted
            .iter()
            .flat_map(|path| self.parts(path))
            .filter(|file| !file.language(&self.db).has_front_end())
            .filter_map(|file| self.guarded(|db| reachable_from(db, file)).ok())
            .collect();
        let related = self.files().into_iter().filter(|(_, file)| {
            let group = self.guarded(|db| reachable_from(db, *file));
            group.is_ok_and(|group| groups.contains(&group))
        });
        let mut paths: Vec<String> = related.map(|(path, _)| file_of(&path).to_owned()).collect();
        // Blocks follow the file that they are in.
        paths.dedup();
        // A file in another language says all of itself.
        let alone = |path: &&String| {
            let mut parts = self.parts(path).into_iter();
            parts.any(|file| file.language(&self.db).has_front_end())
        };
        paths.extend(wanted.iter().filter(alone).cloned());
        paths
    }

    /// The edits that make comments of a file allow some of its findings, given by first byte and rule, each its own fix.
    /// The reason follows the names in new comments.
    pub fn allowing(&self, path: &str, wanted: &[Allowed<'_>], reason: &str) -> Vec<DiagnosticFix> {
        let of_part = |file: SourceFile| {
            let origin = file.origin(&self.db);
            let here: Vec<Allowed<'_>> = match &origin {
                None => wanted.to_vec(),
                Some(origin) => wanted
                    .iter()
                    .copied()
                    .filter(|(byte, _)| origin.holds_byte(*byte))
                    .collect(),
            };
            let found = self.guarded(|db| allowing_fixes(db, file, &here, reason));
            let found = found.unwrap_or_default();
            match origin {
                None => found,
                Some(origin) => fitted(found, &file.text(&self.db), &origin),
            }
        };
        self.parts(path).into_iter().flat_map(of_part).collect()
    }

    /// The edits that give the attributes of a file the tool of the library that it is written for.
    pub fn tool_fixes(&self, path: &str) -> Vec<DiagnosticFix> {
        let of_part = |file: SourceFile| match file.origin(&self.db) {
            // A block of another text registers nothing.
            Some(_) => Vec::new(),
            None => self.guarded(|db| tool_fixes(db, file)).unwrap_or_default(),
        };
        self.parts(path).into_iter().flat_map(of_part).collect()
    }

    /// The text of a file as this snapshot knows it.
    ///
    /// # Errors
    ///
    /// There is no such file, or a newer edit overtook the question.
    pub fn text(&self, path: &str) -> Result<Arc<str>, Problem> {
        let file = self
            .parts(path)
            .first()
            .copied()
            .ok_or(Problem::NoSuchFile)?;
        self.guarded(|db| match file.origin(db) {
            Some(origin) => Arc::clone(&origin.text),
            None => file.text(db),
        })
    }

    /// What cancels the questions to this snapshot and its clones from another thread.
    pub fn canceller(&self) -> Canceller {
        Canceller {
            token: salsa::Database::cancellation_token(&self.db),
            withdrawn: Arc::clone(&self.withdrawn),
        }
    }

    /// The file of a path.
    #[doc(hidden)]
    pub fn file(&self, path: &str) -> Option<SourceFile> {
        self.db.file(path)
    }

    /// Whether a file is held and takes no part.
    #[doc(hidden)]
    pub fn is_aside(&self, path: &str) -> bool {
        let project = crate::inputs::Project::try_get(&self.db);
        project.is_some_and(|project| project.aside(&self.db).contains(path))
    }

    /// The files in Rust, and the blocks in others.
    pub(super) fn files(&self) -> Vec<(Arc<str>, SourceFile)> {
        let project = crate::inputs::Project::try_get(&self.db);
        let files = project
            .map(|project| project.files(&self.db))
            .unwrap_or_default();
        files
            .iter()
            .map(|(path, file)| (Arc::clone(path), *file))
            .collect()
    }

    /// The files in other languages.
    pub(super) fn front_end_files(&self) -> Vec<Arc<str>> {
        let project = crate::inputs::Project::try_get(&self.db);
        let files = project
            .map(|project| project.front_end_files(&self.db))
            .unwrap_or_default();
        files.keys().cloned().collect()
    }

    /// The language of a file that the engine holds; `None` for one that takes no part.
    ///
    /// # Errors
    ///
    /// There is no such file.
    pub fn language(&self, path: &str) -> Result<Option<Language>, Problem> {
        match self.parts(path).first() {
            Some(file) => self.guarded(|db| Some(file.language(db))),
            None if self.is_aside(path) => Ok(None),
            None => Err(Problem::NoSuchFile),
        }
    }

    /// Answers a question; a cancellation or a panic becomes a problem.
    #[doc(hidden)]
    pub fn guarded<T>(&self, ask: impl FnOnce(&AnalysisDatabase) -> T) -> Result<T, Problem> {
        if self.withdrawn.load(Ordering::SeqCst) {
            return Err(Problem::Cancelled);
        }
        answer_or_problem(|| {
            // Also a question that asks no query notices that it is overtaken.
            salsa::Database::unwind_if_revision_cancelled(&self.db);
            ask(&self.db)
        })
    }
}
