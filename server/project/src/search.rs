//! What is found below a folder: sources and folders that neither `.gitignore` nor a leading dot hides.
//!
//! Knows what Cargo builds and which files say what to leave out. Those are read by the library that searches, whatever they
//! are; so they are looked at first, and where one of them cannot be read only what is hidden is left out.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::WalkBuilder;

use super::languages::is_searched;
use super::paths::slashes;
use super::regular::{DECIDING_BYTES, unfit};

/// Files of a folder that say what a search leaves out.
const PATTERNS: [&str; 3] = [".gitignore", ".ignore", ".git/info/exclude"];

/// The `.rs` files below a folder, sorted, and what could not be read.
pub fn sources_below(folder: &Path) -> (Vec<PathBuf>, Vec<String>) {
    let mut search = Search::default();
    search.search_all(folder);
    search.sources.sort();
    (search.sources, search.errors)
}

/// A folder and those below it that are searched for `.rs` files; nothing where it is none.
pub fn folders_below(folder: &Path) -> Vec<PathBuf> {
    if !folder.is_dir() {
        return Vec::new();
    }
    let mut search = Search::default();
    search.search_all(folder);
    search.folders
}

#[derive(Default)]
struct Search {
    sources: Vec<PathBuf>,
    folders: Vec<PathBuf>,
    errors: Vec<String>,
}

impl Search {
    fn search_all(&mut self, folder: &Path) {
        let whole = std::path::absolute(folder).unwrap_or_else(|_| folder.to_path_buf());
        // The library reads those of the folders above as well.
        let above = whole.ancestors().skip(1).find_map(unfit_patterns);
        let unfit = above.or_else(|| unfit_patterns(folder));
        let fit = unfit.is_none();
        self.errors.extend(unfit);
        for folder in self.search_below(folder, fit) {
            self.errors.extend(unfit_patterns(&folder));
            self.search_below(&folder, false);
        }
    }

    /// Searches a folder, by its `patterns` and those around it or without any; the folders that were passed over, because theirs
    /// cannot be read.
    fn search_below(&mut self, folder: &Path, patterns: bool) -> Vec<PathBuf> {
        let passed = Arc::new(Mutex::new(Vec::new()));
        let pass = Arc::clone(&passed);
        let mut walker = WalkBuilder::new(folder);
        walker
            .standard_filters(patterns)
            .hidden(true)
            .require_git(false)
            .filter_entry(move |entry| {
                if entry.depth() == 0 {
                    return true;
                }
                let folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                if patterns && folder && unfit_patterns(entry.path()).is_some() {
                    let mut pass = pass.lock().unwrap_or_else(PoisonError::into_inner);
                    pass.push(entry.path().to_path_buf());
                    return false;
                }
                !is_build_output(entry.path())
            })
            .sort_by_file_path(Path::cmp);
        for entry in walker.build() {
            match entry {
                Ok(entry) if entry.file_type().is_some_and(|kind| kind.is_dir()) => {
                    self.folders.push(entry.into_path());
                }
                // A link to a file is followed, a link to a folder is not: it may lead back.
                Ok(entry) => self.file(entry.into_path()),
                Err(error) => self.errors.push(unreadable_text(folder, &error)),
            }
        }
        let mut passed = passed.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::take(&mut *passed)
    }

    fn file(&mut self, path: PathBuf) {
        if is_searched(&path) && path.is_file() {
            self.sources.push(path);
        }
    }
}

/// What is wrong with a file of a folder that says what to leave out, if the library cannot be let read it.
fn unfit_patterns(folder: &Path) -> Option<String> {
    PATTERNS.iter().find_map(|name| {
        let path = folder.join(name);
        let why = unfit(&path, DECIDING_BYTES)?;
        let (path, folder) = (slashes(&path), slashes(folder));
        Some(format!(
            "cannot read `{path}`: {why}; nothing in `{folder}` is left out"
        ))
    })
}

/// What a search could not read, and why, without the words that the search puts around it.
fn unreadable_text(folder: &Path, error: &ignore::Error) -> String {
    let mut path = folder;
    let mut inner = error;
    loop {
        match inner {
            ignore::Error::WithPath { path: at, err } => (path, inner) = (at, err),
            ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => {
                inner = err;
            }
            // The cause's own words are those of the search, which name the path once more.
            ignore::Error::Io(cause) => {
                return format!("cannot read `{}`: {}", path.display(), cause.kind());
            }
            _ => return format!("cannot read `{}`: {inner}", path.display()),
        }
    }
}

/// Cargo's build folder: named `target` and marked as a cache, or beside a manifest.
fn is_build_output(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == "target")
        && path.is_dir()
        && (path.join("CACHEDIR.TAG").exists()
            || path
                .parent()
                .is_some_and(|parent| parent.join("Cargo.toml").exists()))
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};
    use std::path::Path;

    use super::unreadable_text;

    #[test]
    fn what_a_search_could_not_read_is_named_once() {
        let words = Error::new(
            ErrorKind::PermissionDenied,
            "IO error for operation on k/a: no",
        );
        let error = ignore::Error::WithPath {
            path: "k/a".into(),
            err: Box::new(ignore::Error::WithDepth {
                depth: 1,
                err: Box::new(words.into()),
            }),
        };
        assert_eq!(
            unreadable_text(Path::new("k"), &error),
            "cannot read `k/a`: permission denied"
        );
    }
}
