//! What earlier checks found, kept on disk by the content of all that they read.
//!
//! It knows bytes by keys, and nothing of findings. What cannot be read or written, is cut short, was changed or comes from
//! another program counts as not kept: nothing is said, and the check works the answer out. An entry is written beside its
//! place and renamed, so that another process sees all of it or nothing.

mod clean;
mod key;
mod place;
mod program;

pub(crate) use self::clean::run as clean;
pub(crate) use self::key::Key;
pub(crate) use self::program::program_hasher;

use std::fs::{DirEntry, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use self::key::KEY_BYTES;
use super::arguments::CacheArguments;
use crate::project::regular::read_bytes;

/// What an entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Reports of files.
    Report,
    /// The hash of a program.
    Program,
}

impl Kind {
    /// The ending of an entry's name, behind the hexadecimal digits of its key.
    const fn ending(self) -> &'static str {
        match self {
            Self::Report => ".report",
            Self::Program => ".program",
        }
    }
}

/// The ending of the name of an entry that is being written.
const UNFINISHED: &str = ".report-part";
/// The most bytes that all entries of a folder have together.
const FOLDER_BYTES: u64 = 64 << 20;
/// The most bytes of an entry. A larger answer is not kept.
const ENTRY_BYTES: u64 = FOLDER_BYTES / 4;
/// How long an entry that is used counts as just used.
const FRESH: Duration = Duration::from_secs(60 * 60);
/// After how long what is still being written was left behind by a process that ended.
const LEFT_BEHIND: Duration = Duration::from_secs(60 * 60);

/// The answers of earlier checks in a folder.
#[derive(Debug)]
pub(crate) struct Cache {
    folder: PathBuf,
    /// Whether something could not be written: then nothing more is tried.
    refuses: AtomicBool,
}

impl Cache {
    /// The cache of a check of some paths; none where the options or the environment want none, or there is no place for one.
    pub(crate) fn of_check(options: &CacheArguments, paths: &[PathBuf]) -> Option<Self> {
        let folder = place::folder_of_check(options, paths)?;
        Some(Self {
            folder,
            refuses: AtomicBool::new(false),
        })
    }

    /// What was kept by a key.
    pub(crate) fn kept(&self, kind: Kind, key: &Key) -> Option<Vec<u8>> {
        let path = self.folder.join(entry_name(kind, key));
        let bytes = read_bytes(&path, ENTRY_BYTES).ok()?;
        let (head, content) = bytes.split_at_checked(2 * KEY_BYTES)?;
        if head != head_of(key, content) {
            return None;
        }
        note_use(&path);
        Some(content.to_vec())
    }

    /// Keeps something by a key, if the folder lets it.
    pub(crate) fn keep(&self, kind: Kind, key: &Key, content: &[u8]) {
        let bytes = content.len() + 2 * KEY_BYTES;
        if self.refuses.load(Ordering::Relaxed) || bytes as u64 > ENTRY_BYTES {
            return;
        }
        if self.write(kind, key, content).is_err() {
            self.refuses.store(true, Ordering::Relaxed);
        }
    }

    fn write(&self, kind: Kind, key: &Key, content: &[u8]) -> std::io::Result<()> {
        place::prepare(&self.folder)?;
        let mut file = tempfile::Builder::new()
            .suffix(UNFINISHED)
            .tempfile_in(&self.folder)?;
        file.write_all(&head_of(key, content))?;
        file.write_all(content)?;
        file.persist(self.folder.join(entry_name(kind, key)))
            .map(drop)
            .map_err(|error| error.error)
    }

    /// Removes entries, those first that were not used for the longest time, until all have room.
    pub(crate) fn make_room(&self) {
        make_room(&self.folder, FOLDER_BYTES);
    }
}

/// What stands before the content of an entry: its key, and the hash of the content.
fn head_of(key: &Key, content: &[u8]) -> [u8; 2 * KEY_BYTES] {
    let mut head = [0; 2 * KEY_BYTES];
    let (own, check) = head.split_at_mut(KEY_BYTES);
    own.copy_from_slice(key.bytes());
    check.copy_from_slice(blake3::hash(content).as_bytes());
    head
}

fn entry_name(kind: Kind, key: &Key) -> String {
    format!("{key}{}", kind.ending())
}

/// Marks an entry as used now, so that others are removed before it. It stays as it is where that is not allowed.
fn note_use(path: &Path) {
    let now = SystemTime::now();
    let used = std::fs::metadata(path).and_then(|data| data.modified());
    let is_fresh = used.is_ok_and(|used| now.duration_since(used).is_ok_and(|ago| ago < FRESH));
    if !is_fresh {
        let file = File::options().append(true).open(path);
        let _ = file.and_then(|file| file.set_modified(now));
    }
}

/// The files in a folder that are entries or were to become some, each with when it was used and its bytes.
fn own_files(folder: &Path) -> Vec<(SystemTime, u64, PathBuf)> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let own = |entry: DirEntry| {
        let metadata = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
        let used = metadata.modified().unwrap_or(SystemTime::UNIX_EPOCH);
        is_own(&entry.file_name().to_string_lossy()).then(|| (used, metadata.len(), entry.path()))
    };
    entries.filter_map(own).collect()
}

/// Whether a file's name is that of an entry, or of one that is being written.
fn is_own(name: &str) -> bool {
    let is_key = |name: &str| {
        name.len() == 2 * KEY_BYTES && name.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    let is_entry = |kind: Kind| name.strip_suffix(kind.ending()).is_some_and(is_key);
    name.ends_with(UNFINISHED) || is_entry(Kind::Report) || is_entry(Kind::Program)
}

fn make_room(folder: &Path, most: u64) {
    let now = SystemTime::now();
    let is_unfinished = |path: &Path| path.to_string_lossy().ends_with(UNFINISHED);
    let (unfinished, mut entries): (Vec<_>, Vec<_>) = own_files(folder)
        .into_iter()
        .partition(|(_, _, path)| is_unfinished(path));
    for (begun, _, path) in unfinished {
        if now
            .duration_since(begun)
            .is_ok_and(|since| since > LEFT_BEHIND)
        {
            let _ = std::fs::remove_file(path);
        }
    }
    let mut all: u64 = entries.iter().map(|(_, bytes, _)| bytes).sum();
    if all <= most {
        return;
    }
    // The oldest first. Some more than needed, so that not each check has to remove one.
    entries.sort();
    for (_, bytes, path) in entries {
        if all <= most / 4 * 3 {
            break;
        }
        if std::fs::remove_file(path).is_ok() {
            all -= bytes;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, SystemTime};

    use super::{is_own, make_room, own_files};

    #[test]
    fn the_oldest_are_removed_until_three_quarters_are_left_and_strangers_stay() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let names: Vec<String> = (0..8).map(|at| format!("{at:064x}.report")).collect();
        let now = SystemTime::now();
        for (age, name) in names.iter().enumerate() {
            std::fs::write(path(name), [0; 10]).unwrap();
            let file = std::fs::File::options().append(true).open(path(name));
            let used = now - Duration::from_secs(60 * age as u64);
            file.unwrap().set_modified(used).unwrap();
        }
        std::fs::write(path("notes.report"), [0; 1000]).unwrap();
        make_room(folder.path(), 80);
        assert_eq!(own_files(folder.path()).len(), 8);
        // 80 bytes are more than 79; three quarters of it have room for five entries.
        make_room(folder.path(), 79);
        for (age, name) in names.iter().enumerate() {
            assert_eq!(path(name).exists(), age < 5, "{age}");
        }
        assert!(path("notes.report").exists());
    }

    #[test]
    fn what_a_process_left_behind_is_removed_after_an_hour() {
        let folder = tempfile::tempdir().unwrap();
        let hour = Duration::from_secs(60 * 60);
        for (name, age) in [("a", hour / 2), ("b", hour * 2)] {
            let path = folder.path().join(format!("{name}.report-part"));
            std::fs::write(&path, "x").unwrap();
            let file = std::fs::File::options().append(true).open(&path).unwrap();
            file.set_modified(SystemTime::now() - age).unwrap();
        }
        make_room(folder.path(), 100);
        let left = own_files(folder.path());
        assert!(matches!(&left[..], [(_, 1, path)] if path.ends_with("a.report-part")));
    }

    #[test]
    fn only_keys_and_unfinished_files_are_own() {
        assert!(is_own(&format!("{:064x}.report", 7)));
        assert!(is_own(".tmpXyz.report-part"));
        assert!(!is_own(&format!("{:063x}.report", 7)));
        assert!(!is_own(&format!("{:064x}.rs", 7)));
        assert!(!is_own("thesis.report"));
    }
}
