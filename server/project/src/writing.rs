//! Writing files: a file gets its new text whole, or stays as it was.
//!
//! The text is written to a file beside it, which then takes the name. What a rename would destroy is written through
//! instead: devices, pipes, files with several names, files of an owner whom this user cannot give files to, and those with
//! attributes that cannot be copied. A link is
//! followed and stays a link. Files beside the target that are not in place yet are removed when a signal ends the program.
//!
//! Knows paths and bytes, nothing about what the texts mean.

#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
mod attributes;
mod signals;

use std::collections::BTreeSet;
use std::fs::{File, Metadata, OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use crate::Failure;
use crate::paths::system_reason;
use crate::regular::{SOURCE_BYTES, read_bytes};
use signals::Unplaced;

/// Why a file is not written over.
const CHANGED: &str = "the file has changed since it was read";

/// How many links a path may lead through, as on Linux.
const LINKS: usize = 40;

/// Writes a text to what a path names, as the shell's `>` would, but whole or not at all where it is a regular file.
pub fn write_file(path: &Path, text: &str) -> Result<(), Failure> {
    write_files(&[(path, text.as_bytes())])
}

/// Writes several files as [`write_file`] writes one: none is in its place before all of them are written.
pub fn write_files(files: &[(&Path, &[u8])]) -> Result<(), Failure> {
    let mut staged = Vec::new();
    for (path, bytes) in files {
        staged.extend(staged_or_written(path, bytes)?);
    }
    put_in_place(staged)
}

/// Prepares a regular file, or writes at once to what is none.
fn staged_or_written(path: &Path, bytes: &[u8]) -> Result<Option<Staged>, Failure> {
    let shown = path.display().to_string();
    let failed = |error: &std::io::Error| write_failure(&shown, &system_reason(error));
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(failed(&error)),
    };
    match metadata {
        Some(metadata) if metadata.is_dir() => Err(write_failure(&shown, "it is a folder")),
        Some(metadata) if !metadata.is_file() => OpenOptions::new()
            .write(true)
            .open(path)
            .and_then(|mut file| file.write_all(bytes).and_then(|()| file.flush()))
            .map(|()| None)
            .map_err(|error| failed(&error)),
        // A name of standard output, which a shell may have led to a file: the file is the shell's.
        Some(_) if is_standard_output(path) => {
            let mut output = std::io::stdout().lock();
            let written = output.write_all(bytes);
            written
                .and_then(|()| output.flush())
                .map(|()| None)
                .map_err(|error| failed(&error))
        }
        Some(metadata) => {
            let target = path.canonicalize().map_err(|error| failed(&error))?;
            let old = read_bytes(&target, SOURCE_BYTES).ok();
            Staged::replacing(&shown, target, &metadata, old.as_deref(), bytes).map(Some)
        }
        None => {
            let target = end_of_links(path).map_err(|error| failed(&error))?;
            Staged::creating(&shown, target, bytes).map(Some)
        }
    }
}

/// A new text that is ready to take its file's place.
pub struct Staged {
    shown: String,
    /// The file that the path, or the link that it names, leads to.
    target: PathBuf,
    /// What the target must still hold when its new text takes its place: what was read before. None where that is nobody's work.
    expected: Option<Vec<u8>>,
    how: How,
}

/// How a new text gets into its place.
enum How {
    /// A file beside the target takes its name.
    Rename(TempPath),
    /// The target is written over: it has properties that another file cannot get.
    Over {
        new: Vec<u8>,
        /// What it held, to go back to where writing fails.
        old: Option<Vec<u8>>,
    },
}

impl Staged {
    /// Prepares another text for a file that was read. A file that may not be written or no longer holds the text that was
    /// read is refused.
    pub fn new(shown: &str, path: &str, old: &str, new: &str) -> Result<Self, Failure> {
        let failed = |error: &std::io::Error| write_failure(shown, &system_reason(error));
        let target = Path::new(path)
            .canonicalize()
            .map_err(|error| failed(&error))?;
        let metadata = std::fs::metadata(&target).map_err(|error| failed(&error))?;
        if !metadata.is_file() {
            return Err(write_failure(shown, "it is not a regular file"));
        }
        if metadata.permissions().readonly() {
            return Err(write_failure(shown, "the file is read-only"));
        }
        let held = read_bytes(&target, SOURCE_BYTES).map_err(|why| write_failure(shown, &why))?;
        if held != old.as_bytes() {
            return Err(write_failure(shown, CHANGED));
        }
        let staged = Self::replacing(shown, target, &metadata, Some(&held), new.as_bytes())?;
        Ok(Self {
            expected: Some(held),
            ..staged
        })
    }

    fn replacing(
        shown: &str,
        target: PathBuf,
        metadata: &Metadata,
        old: Option<&[u8]>,
        new: &[u8],
    ) -> Result<Self, Failure> {
        let over = || How::Over {
            new: new.to_vec(),
            old: old.map(<[u8]>::to_vec),
        };
        let how = if has_other_names(metadata) {
            over()
        } else {
            match write_beside(&target, None, new, |file| {
                inherit_properties(file, &target, metadata)
            }) {
                Ok(Some(file)) => How::Rename(file),
                Ok(None) => over(),
                // The folder takes no new file; the file itself may still be written.
                Err(error) if error.kind() == ErrorKind::PermissionDenied => over(),
                Err(error) => return Err(write_failure(shown, &system_reason(&error))),
            }
        };
        Ok(Self {
            shown: shown.to_owned(),
            target,
            expected: None,
            how,
        })
    }

    fn creating(shown: &str, target: PathBuf, new: &[u8]) -> Result<Self, Failure> {
        let file = write_beside(&target, plain_permissions(), new, |_| Ok(true));
        match file {
            Ok(Some(file)) => Ok(Self {
                shown: shown.to_owned(),
                target,
                expected: None,
                how: How::Rename(file),
            }),
            Ok(None) => Err(write_failure(shown, "it cannot be created")),
            Err(error) => Err(write_failure(shown, &system_reason(&error))),
        }
    }

    /// Refuses to overwrite what somebody has saved since the file was read.
    fn still_holds(&self) -> Result<(), Failure> {
        let Some(expected) = &self.expected else {
            return Ok(());
        };
        match read_bytes(&self.target, SOURCE_BYTES) {
            Ok(held) if held == *expected => Ok(()),
            Ok(_) => Err(write_failure(&self.shown, CHANGED)),
            Err(why) => Err(write_failure(&self.shown, &why)),
        }
    }

    fn put_staged_file(self, unplaced: &mut Unplaced) -> Result<(), Failure> {
        self.still_holds()?;
        let failed = |error: &std::io::Error| write_failure(&self.shown, &system_reason(error));
        match self.how {
            How::Rename(file) => {
                let name = file.to_path_buf();
                let done = file.persist(&self.target);
                unplaced.forget_path(&name);
                done.map_err(|error| failed(&error.error))
            }
            How::Over { new, old } => write_over(&self.target, &new).map_err(|error| {
                if let Some(old) = old {
                    let _ = write_over(&self.target, &old);
                }
                failed(&error)
            }),
        }
    }
}

/// Puts prepared texts in their places. A signal that arrives meanwhile waits until all of them are there.
pub fn put_in_place(mut staged: Vec<Staged>) -> Result<(), Failure> {
    // A file that a link names too is written once.
    let mut targets = BTreeSet::new();
    staged.retain(|file| targets.insert(file.target.clone()));
    // Before the first one, so that none is written where one would not be.
    staged.iter().try_for_each(Staged::still_holds)?;
    let mut unplaced = signals::unplaced();
    let all = staged.len();
    for (done, file) in staged.into_iter().enumerate() {
        if let Err(failure) = file.put_staged_file(&mut unplaced) {
            return Err(match done {
                0 => failure,
                _ => failure.with_message(format!("{done} of {all} files were written before it")),
            });
        }
    }
    Ok(())
}

/// Writes a text to a new file in the folder of another. `finish` gives it the other's properties and says whether it
/// could; where it could not, the file is gone again.
fn write_beside(
    target: &Path,
    permissions: Option<Permissions>,
    text: &[u8],
    finish: impl FnOnce(&File) -> std::io::Result<bool>,
) -> std::io::Result<Option<TempPath>> {
    let folder = target
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let mut builder = tempfile::Builder::new();
    builder.prefix(".visa-lint-");
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    signals::watch_signals();
    let mut unplaced = signals::unplaced();
    let mut file = builder.tempfile_in(folder.unwrap_or_else(|| Path::new(".")))?;
    unplaced.remember_path(file.path());
    drop(unplaced);
    let written = file
        .write_all(text)
        .and_then(|()| finish(file.as_file()))
        .and_then(|alike| file.as_file().sync_all().map(|()| alike));
    // Closed here: a run may change more files than it may have open.
    let file = file.into_temp_path();
    match written {
        Ok(true) => Ok(Some(file)),
        other => {
            signals::unplaced().forget_path(&file);
            other.map(|_| None)
        }
    }
}

fn write_over(target: &Path, text: &[u8]) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(target)?;
    file.write_all(text)?;
    file.set_len(text.len() as u64)?;
    file.sync_all()
}

/// The target of a dangling link: the file that a write through the link creates.
fn end_of_links(path: &Path) -> std::io::Result<PathBuf> {
    let mut path = path.to_path_buf();
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            Ok(next) => path = path.parent().unwrap_or_else(|| Path::new("")).join(next),
            Err(_) => return Ok(path),
        }
    }
    Err(std::io::Error::other("too many links"))
}

fn is_standard_output(path: &Path) -> bool {
    let output = same_file::Handle::stdout();
    output.is_ok_and(|output| same_file::Handle::from_path(path).is_ok_and(|file| file == output))
}

#[cfg(unix)]
fn has_other_names(metadata: &Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(metadata) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &Metadata) -> bool {
    false
}

/// Gives a file the owner, group, permissions and attributes of another; whether that is possible.
#[cfg(unix)]
fn inherit_properties(file: &File, target: &Path, from: &Metadata) -> std::io::Result<bool> {
    use std::os::unix::fs::{MetadataExt, fchown};
    let own = file.metadata()?;
    let other = |own: u32, from: u32| (own != from).then_some(from);
    let (owner, group) = (other(own.uid(), from.uid()), other(own.gid(), from.gid()));
    if (owner.is_some() || group.is_some()) && fchown(file, owner, group).is_err() {
        return Ok(false);
    }
    // After the owner, whose change takes some of the permissions away.
    file.set_permissions(from.permissions())?;
    // And after the permissions: they are a part of an access list.
    inherit_attributes(file, target)
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "macos"))]
use attributes::inherit_attributes;

/// Other systems have none that this program knows of.
#[cfg(all(
    unix,
    not(any(target_os = "linux", target_os = "android", target_os = "macos"))
))]
#[expect(clippy::unnecessary_wraps, reason = "as where there are some")]
fn inherit_attributes(_: &File, _: &Path) -> std::io::Result<bool> {
    Ok(true)
}

#[cfg(not(unix))]
fn inherit_properties(file: &File, _: &Path, from: &Metadata) -> std::io::Result<bool> {
    file.set_permissions(from.permissions())?;
    Ok(true)
}

/// What a plain new file gets: the user's mask applies.
#[cfg(unix)]
fn plain_permissions() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn plain_permissions() -> Option<Permissions> {
    None
}

fn write_failure(shown: &str, why: &str) -> Failure {
    Failure::new(format!("cannot write `{shown}`: {why}"))
}

#[cfg(all(test, unix))]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use std::io::Read;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};

    use super::{Staged, put_in_place, write_file};

    fn entry_names(folder: &std::path::Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).unwrap().flatten();
        let mut names: Vec<String> = entries
            .map(|entry| entry.file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn links_stay_links_also_those_that_lead_nowhere_yet() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("old"), "before").unwrap();
        symlink("old", at("link")).unwrap();
        symlink("new", at("second")).unwrap();
        symlink("second", at("first")).unwrap();
        for (link, target) in [("link", "old"), ("first", "new")] {
            write_file(&at(link), "after").unwrap();
            assert!(std::fs::symlink_metadata(at(link)).unwrap().is_symlink());
            assert_eq!(std::fs::read_to_string(at(target)).unwrap(), "after");
            assert!(!std::fs::symlink_metadata(at(target)).unwrap().is_symlink());
        }
        symlink("circle", at("circle")).unwrap();
        assert!(write_file(&at("circle"), "after").is_err());
        assert_eq!(
            entry_names(folder.path()),
            ["circle", "first", "link", "new", "old", "second"]
        );
    }

    #[test]
    fn a_pipe_is_written_through() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let reading = {
            let pipe = pipe.clone();
            std::thread::spawn(move || {
                let mut text = String::new();
                std::fs::File::open(pipe)
                    .and_then(|mut file| file.read_to_string(&mut text))
                    .map(|_| text)
            })
        };
        write_file(&pipe, "answer").unwrap();
        assert_eq!(reading.join().unwrap().unwrap(), "answer");
        assert!(!std::fs::metadata(&pipe).unwrap().is_file());
    }

    #[test]
    fn other_names_and_permissions_of_a_file_stay() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("a"), "a longer text before").unwrap();
        std::fs::hard_link(at("a"), at("b")).unwrap();
        std::fs::write(at("c"), "before").unwrap();
        std::fs::set_permissions(at("c"), std::fs::Permissions::from_mode(0o640)).unwrap();
        let path = |name: &str| at(name).to_string_lossy().into_owned();
        let staged = vec![
            Staged::new("a", &path("a"), "a longer text before", "after").unwrap(),
            Staged::new("c", &path("c"), "before", "after").unwrap(),
        ];
        put_in_place(staged).unwrap();
        for name in ["a", "b", "c"] {
            assert_eq!(std::fs::read_to_string(at(name)).unwrap(), "after");
        }
        assert_eq!(std::fs::metadata(at("a")).unwrap().nlink(), 2);
        assert_eq!(std::fs::metadata(at("c")).unwrap().mode() & 0o777, 0o640);
        assert!(Staged::new("c", &path("c"), "before", "later").is_err());
        assert_eq!(entry_names(folder.path()), ["a", "b", "c"]);
    }

    #[test]
    fn what_an_editor_saves_meanwhile_stays() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("b"), "before").unwrap();
        std::fs::hard_link(at("b"), at("c")).unwrap();
        for name in ["a", "d"] {
            std::fs::write(at(name), "before").unwrap();
        }
        let path = |name: &str| at(name).to_string_lossy().into_owned();
        for saved in ["a", "b"] {
            // One that is renamed, and one that is written over; a third that would have been written before or after it.
            let staged = ["d", saved].map(|name| Staged::new(name, &path(name), "before", "after"));
            std::fs::write(at(saved), "saved").unwrap();
            let failure = put_in_place(staged.into_iter().flatten().collect()).unwrap_err();
            let words = format!("cannot write `{saved}`: the file has changed since it was read");
            assert_eq!(failure.messages, [words]);
            assert_eq!(std::fs::read_to_string(at(saved)).unwrap(), "saved");
            assert_eq!(std::fs::read_to_string(at("d")).unwrap(), "before");
        }
        assert_eq!(entry_names(folder.path()), ["a", "b", "c", "d"]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn attributes_stay() {
        use rustix::fs::{XattrFlags, getxattr, setxattr};
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "before").unwrap();
        if setxattr(&file, "user.origin", b"a\0b", XattrFlags::empty()).is_err() {
            eprintln!("not tested: the file system of temporary files has no attributes");
            return;
        }
        let path = file.to_string_lossy();
        put_in_place(vec![Staged::new("a", &path, "before", "after").unwrap()]).unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "after");
        let mut value = [0; 8];
        let length = getxattr(&file, "user.origin", &mut value).unwrap();
        assert_eq!(&value[..length], b"a\0b");
    }
}
