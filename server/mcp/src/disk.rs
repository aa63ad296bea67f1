//! What tells that files changed on disk, without reading them: length, times and identity of each.
//!
//! A file that changed shortly before it was looked at may change once more within the same tick of the file system's clock. So its
//! mark is not trusted, and it is read again the next time.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Metadata;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::project::files::sources_below;
use crate::project::settings::FILE_NAME;

/// Files that decide what is checked and how.
const DECIDING: [&str; 5] = [
    FILE_NAME,
    "Cargo.toml",
    "Cargo.lock",
    ".gitignore",
    ".ignore",
];

/// The coarsest tick of a file system's clock.
const TICK: Duration = Duration::from_secs(2);

/// The state of the files that are read, and of those that decide which.
#[derive(Debug, Clone, Default)]
pub(super) struct Disk {
    marks: BTreeMap<PathBuf, Option<Mark>>,
    /// Files that changed so shortly before that they are looked at again.
    recent: BTreeSet<PathBuf>,
}

/// What a file has while it stays the same.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    modified: Option<SystemTime>,
    bytes: u64,
    identity: (u64, i64, i64),
}

/// What is different on disk.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Difference {
    /// Nothing.
    Nothing,
    /// The texts of some sources.
    Texts(Vec<PathBuf>),
    /// Which files there are, or what decides about them.
    Everything,
}

impl Disk {
    /// The sources below a folder, those that are loaded beside them, and what decides about all. `before` is when the reading of
    /// their texts began.
    pub(super) fn look_at_folder(
        root: &Path,
        loaded: &BTreeSet<PathBuf>,
        before: SystemTime,
    ) -> Self {
        let mut files: BTreeSet<PathBuf> = sources_below(root).0.into_iter().collect();
        files.extend(loaded.iter().cloned());
        let mut folders: BTreeSet<PathBuf> = root.ancestors().map(Path::to_path_buf).collect();
        for file in &files {
            for folder in file.ancestors().skip(1) {
                if !folders.insert(folder.to_path_buf()) {
                    break;
                }
            }
        }
        let deciding = folders
            .iter()
            .flat_map(|folder| DECIDING.map(|name| folder.join(name)));
        let mut disk = Self::default();
        for path in files.iter().cloned().chain(deciding) {
            let mark = std::fs::metadata(&path).ok().map(|found| file_mark(&found));
            let modified = mark.as_ref().and_then(|mark| mark.modified);
            if modified.is_some_and(|modified| modified + TICK >= before) {
                disk.recent.insert(path.clone());
            }
            disk.marks.insert(path, mark);
        }
        disk
    }

    /// What is different from here to a later look.
    pub(super) fn difference(&self, later: &Self, loaded: &BTreeSet<PathBuf>) -> Difference {
        let mut texts = Vec::new();
        let all: BTreeSet<&PathBuf> = self.marks.keys().chain(later.marks.keys()).collect();
        for path in all {
            let (before, after) = (self.marks.get(path), later.marks.get(path));
            if before == after && !self.recent.contains(path) {
                continue;
            }
            let there = |mark: Option<&Option<Mark>>| mark.is_some_and(Option::is_some);
            if !there(before) && !there(after) {
                continue;
            }
            if there(before) && there(after) && loaded.contains(path) {
                texts.push(path.clone());
            } else {
                return Difference::Everything;
            }
        }
        if texts.is_empty() {
            Difference::Nothing
        } else {
            Difference::Texts(texts)
        }
    }
}

fn file_mark(metadata: &Metadata) -> Mark {
    Mark {
        modified: metadata.modified().ok(),
        bytes: metadata.len(),
        identity: file_identity(metadata),
    }
}

#[cfg(unix)]
fn file_identity(metadata: &Metadata) -> (u64, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    (metadata.ino(), metadata.ctime(), metadata.ctime_nsec())
}

#[cfg(not(unix))]
fn file_identity(_: &Metadata) -> (u64, i64, i64) {
    (0, 0, 0)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::collections::BTreeSet;
    use std::fs::File;
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::{Difference, Disk};

    /// Writes a file that was changed an hour ago.
    fn write(path: &Path, text: &str) {
        std::fs::write(path, text).unwrap();
        let file = File::options().write(true).open(path).unwrap();
        let hour = Duration::from_secs(3600);
        file.set_modified(SystemTime::now() - hour).unwrap();
    }

    #[test]
    fn only_what_changed_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        let (one, two) = (root.join("one.rs"), root.join("two.rs"));
        write(&one, "fn f() {}");
        write(&two, "fn f() {}");
        let loaded = BTreeSet::from([one.clone(), two.clone()]);
        let look = || Disk::look_at_folder(root, &loaded, SystemTime::now());
        let first = look();
        assert_eq!(first.difference(&look(), &loaded), Difference::Nothing);
        // Of the same length and time: the system's own time of change tells.
        write(&two, "fn g() {}");
        if cfg!(unix) {
            let changed = Difference::Texts(vec![two.clone()]);
            assert_eq!(first.difference(&look(), &loaded), changed);
        }
        let second = look();
        write(&root.join("three.rs"), "");
        assert_eq!(second.difference(&look(), &loaded), Difference::Everything);
        let third = look();
        std::fs::remove_file(&one).unwrap();
        assert_eq!(third.difference(&look(), &loaded), Difference::Everything);
        let fourth = look();
        write(&root.join("visa-lint.toml"), "");
        assert_eq!(fourth.difference(&look(), &loaded), Difference::Everything);
    }

    #[test]
    fn what_changed_just_now_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let one = folder.path().join("one.rs");
        std::fs::write(&one, "fn f() {}").unwrap();
        let loaded = BTreeSet::from([one.clone()]);
        let look = || Disk::look_at_folder(folder.path(), &loaded, SystemTime::now());
        let changed = Difference::Texts(vec![one]);
        assert_eq!(look().difference(&look(), &loaded), changed);
    }
}
