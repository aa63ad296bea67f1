//! Putting a new text in the place of a file's old one, whole or not at all.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

use super::super::Failure;
use super::super::files::reason;

/// A new text that stands beside its file and needs only the name.
pub(in crate::lint) struct Staged {
    shown: String,
    /// The file that a link leads to.
    target: PathBuf,
    file: NamedTempFile,
}

impl Staged {
    /// Writes the text beside the file, with the file's permissions. A link is followed, so that it stays one. A file that
    /// may not be written or no longer holds the text that was read is refused.
    pub(in crate::lint) fn new(
        shown: &str,
        path: &str,
        old: &str,
        new: &str,
    ) -> Result<Self, Failure> {
        let failed = |error: &std::io::Error| failure(shown, &reason(error));
        let target = Path::new(path)
            .canonicalize()
            .map_err(|error| failed(&error))?;
        let permissions = std::fs::metadata(&target)
            .map_err(|error| failed(&error))?
            .permissions();
        if permissions.readonly() {
            return Err(failure(shown, "the file is read-only"));
        }
        let held = std::fs::read(&target).map_err(|error| failed(&error))?;
        if held != old.as_bytes() {
            return Err(failure(shown, "the file has changed meanwhile"));
        }
        let folder = target.parent().unwrap_or_else(|| Path::new("."));
        let mut file = tempfile::Builder::new()
            .prefix(".visa-lint-")
            .tempfile_in(folder)
            .map_err(|error| failed(&error))?;
        file.write_all(new.as_bytes())
            .and_then(|()| file.as_file().set_permissions(permissions))
            .and_then(|()| file.as_file().sync_all())
            .map_err(|error| failed(&error))?;
        Ok(Self {
            shown: shown.to_owned(),
            target,
            file,
        })
    }

    /// Gives the new text the file's name.
    pub(in crate::lint) fn put_in_place(self) -> Result<(), Failure> {
        match self.file.persist(&self.target) {
            Ok(_) => Ok(()),
            Err(error) => Err(failure(&self.shown, &reason(&error.error))),
        }
    }
}

fn failure(shown: &str, why: &str) -> Failure {
    Failure::new(format!("cannot write `{shown}`: {why}"))
}
