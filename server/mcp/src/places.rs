//! Paths that callers give, and paths that they are given.
//!
//! A caller names files below the workspace's folder, whatever links and `..` the name leads through: where it ends is what
//! counts. What is answered names them from there too, with `/`; no answer says where the folder itself is.

use std::path::{Path, PathBuf};

use super::quotes::shortened_quotes;
use crate::project::languages::{is_known, known_endings};
use crate::project::paths::{absolute, end_of, slashes};

/// The folder that is served: canonical, and UTF-8.
#[derive(Debug, Clone)]
pub(super) struct Root {
    path: PathBuf,
    /// The same as the engine writes it, with `/` behind it.
    prefix: String,
}

impl Root {
    /// `path` is canonical.
    pub(super) fn new(path: &Path) -> Self {
        let mut prefix = slashes(path);
        if !prefix.ends_with('/') {
            prefix.push('/');
        }
        Self {
            path: path.to_path_buf(),
            prefix,
        }
    }

    /// The folder.
    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The absolute path of what a caller names, which need not be there. The words of an error name it as the caller did.
    pub(super) fn path_inside(&self, given: &str) -> Result<PathBuf, String> {
        if given.trim().is_empty() {
            return Err("`path` is empty; `.` is the whole workspace".to_owned());
        }
        if given.contains("://") {
            return Err(format!(
                "`{given}` is an address: `path` is a path below the workspace"
            ));
        }
        if given.contains('\0') {
            return Err("`path` has a NUL character".to_owned());
        }
        let outside = || format!("`{given}` is outside of the workspace");
        let named = absolute(&self.path, Path::new(given));
        let ends = end_of(&named).ok_or_else(outside)?;
        if !ends.starts_with(&self.path) {
            return Err(outside());
        }
        // One that leads into the workspace from outside of it is known by where it ends.
        Ok(if named.starts_with(&self.path) {
            named
        } else {
            ends
        })
    }

    /// The absolute path of a source that a caller names.
    pub(super) fn source_path(&self, given: &str) -> Result<PathBuf, String> {
        let path = self.path_inside(given)?;
        if !is_known(&path) {
            return Err(format!(
                "`{given}` is not a source file: tools read {} files",
                known_endings()
            ));
        }
        Ok(path)
    }

    /// Whether a file that is named inside of the workspace ends there.
    pub(super) fn ends_inside(&self, path: &Path) -> bool {
        end_of(path).is_some_and(|ends| ends.starts_with(&self.path))
    }

    /// Whether a file is named inside of the workspace.
    pub(super) fn is_named_inside(&self, path: &Path) -> bool {
        path.starts_with(&self.path)
    }

    /// The engine's path as callers see it.
    pub(super) fn shown_path(&self, path: &str) -> String {
        if let Some(below) = path.strip_prefix(&self.prefix) {
            return below.to_owned();
        }
        let path = Path::new(path);
        if path == self.path {
            return ".".to_owned();
        }
        if !path.is_absolute() {
            return slashes(path);
        }
        let both = self.path.components().zip(path.components());
        let shared = both.take_while(|(one, other)| one == other).count();
        let up = self.path.components().count() - shared;
        let rest: PathBuf = path.components().skip(shared).collect();
        format!("{}{}", "../".repeat(up), slashes(&rest))
    }

    /// Words that name files, without the place of the folder, and with what they quote in short.
    pub(super) fn without_place(&self, words: &str) -> String {
        let folder = self.prefix.trim_end_matches('/');
        if folder.is_empty() {
            return shortened_quotes(words);
        }
        shortened_quotes(&words.replace(&self.prefix, "").replace(folder, "."))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::Root;

    #[test]
    fn a_name_counts_by_where_it_ends() {
        let folder = tempfile::tempdir().unwrap();
        let all = folder.path().canonicalize().unwrap();
        let (inner, outer) = (all.join("in"), all.join("out"));
        std::fs::create_dir_all(inner.join("src")).unwrap();
        std::fs::create_dir_all(&outer).unwrap();
        std::fs::write(outer.join("k.rs"), "").unwrap();
        let root = Root::new(&inner);
        for good in ["src/k.rs", "./src/../k.rs", "new/folder/k.rs", "."] {
            assert!(root.path_inside(good).is_ok(), "{good}");
        }
        let absolute = inner.join("k.rs");
        assert_eq!(
            root.path_inside(absolute.to_str().unwrap()).unwrap(),
            absolute
        );
        let outside = outer.join("k.rs");
        for bad in [
            "..",
            "../out/k.rs",
            "src/../../out/k.rs",
            "/etc/passwd",
            outside.to_str().unwrap(),
            "",
            "a\0b",
            "file:///x",
            "file://server/k.rs",
            // Another folder whose name begins as this one's.
            "../in2/k.rs",
        ] {
            assert!(root.path_inside(bad).is_err(), "{bad}");
        }
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink(&outer, inner.join("link")).unwrap();
            symlink(outer.join("k.rs"), inner.join("k2.rs")).unwrap();
            symlink(outer.join("nothing.rs"), inner.join("k3.rs")).unwrap();
            symlink(inner.join("src"), outer.join("back")).unwrap();
            for bad in ["link/k.rs", "k2.rs", "k3.rs", "link/new.rs"] {
                assert!(root.path_inside(bad).is_err(), "{bad}");
            }
            let back = outer.join("back/k.rs");
            let ends = root.path_inside(back.to_str().unwrap()).unwrap();
            assert_eq!(ends, inner.join("src/k.rs"));
        }
    }

    #[test]
    fn no_answer_says_where_the_folder_is() {
        let root = Root::new(std::path::Path::new("/home/a/in"));
        assert_eq!(root.shown_path("/home/a/in/src/k.rs"), "src/k.rs");
        assert_eq!(root.shown_path("/home/a/other/k.rs"), "../other/k.rs");
        assert_eq!(root.shown_path("/home/a/in2/k.rs"), "../in2/k.rs");
        assert_eq!(root.shown_path("/home/a/in"), ".");
        let words = root.without_place("cannot read `/home/a/in/k.rs` in `/home/a/in`");
        assert_eq!(words, "cannot read `k.rs` in `.`");
    }
}
