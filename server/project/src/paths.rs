//! Paths as people see them and as the engine names them, and the system's reasons in plain words.

use std::path::{Component, Path, PathBuf};

/// Where a text stops being UTF-8.
pub(crate) fn not_utf8(error: &std::string::FromUtf8Error) -> String {
    format!(
        "not UTF-8: invalid byte at offset {}",
        error.utf8_error().valid_up_to()
    )
}

/// The system's words without its error number.
pub fn system_reason(error: &std::io::Error) -> String {
    let words = error.to_string();
    match words.find(" (os error") {
        Some(end) => words.get(..end).unwrap_or(&words).to_owned(),
        None => words,
    }
}

/// The path from the root, without `.` and `..`; links are not resolved, so that people recognise it.
pub fn absolute(here: &Path, path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in here.join(path).components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                result.push(component);
            }
        }
    }
    result
}

/// Where a path ends once all links are followed; of what is not there yet, its folder's end with the rest behind it.
pub fn end_of(path: &Path) -> Option<PathBuf> {
    let mut rest = Vec::new();
    let mut folder = path;
    loop {
        match folder.canonicalize() {
            Ok(end) => {
                let rest = rest.iter().rev();
                return Some(rest.fold(end, |path: PathBuf, name| path.join(name)));
            }
            // A link that leads nowhere ends at a place that is not known.
            Err(_) if std::fs::symlink_metadata(folder).is_ok() => return None,
            Err(_) => {
                let Some(Component::Normal(name)) = folder.components().next_back() else {
                    return None;
                };
                rest.push(name);
                folder = folder.parent()?;
            }
        }
    }
}

/// The path that a manifest in a folder writes. None for one that leads to another machine or to a device: Windows would ask the
/// machine for it, with the user's name, as soon as the folder is opened.
pub(crate) fn written_in(folder: &Path, written: &str) -> Option<PathBuf> {
    (!names_share_or_device(written)).then(|| absolute(folder, Path::new(written)))
}

/// Whether a path is that of a share (`\\server\share`) or of a device (`\\?\…`, `\\.\…`, `\??\…`) on Windows, which takes both slashes. On other
/// systems no manifest needs such a path.
fn names_share_or_device(path: &str) -> bool {
    let path = path.trim_start().replace('/', "\\");
    path.starts_with("\\\\") || path.starts_with("\\??\\")
}

/// The path as given, without `.` components.
pub fn shown_path(path: &Path) -> String {
    let parts = path
        .components()
        .filter(|component| !matches!(component, Component::CurDir));
    slashes(&parts.collect::<PathBuf>())
}

/// The path with `/` between its components.
pub fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// Whether a path is one of the file system.
pub fn is_file_path(path: &str) -> bool {
    path.starts_with('/') || has_drive(path)
}

/// Whether a path is that of a file of Rust. Clients may show the server settings files, too.
pub fn is_source(path: &str) -> bool {
    is_file_path(path) && visa_analysis::may_be_source(path)
}

/// Whether a path begins with `C:/`.
pub fn has_drive(path: &str) -> bool {
    let mut letters = path.chars();
    letters
        .next()
        .is_some_and(|letter| letter.is_ascii_alphabetic())
        && letters.next() == Some(':')
        && matches!(letters.next(), None | Some('/'))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_file_path, names_share_or_device, written_in};

    #[test]
    fn addresses_are_no_paths_of_files() {
        assert!(!is_file_path("untitled:Untitled-1"));
        assert!(is_file_path("/a.rs") && is_file_path("C:/a.rs"));
    }

    #[test]
    fn shares_and_devices_are_known_on_every_system() {
        for path in [
            r"\\server\share\a",
            "//server/share/a",
            r"\/server/share",
            r"\\?\C:\a",
            r"\\?\UNC\server\share",
            "//?/UNC/server/share",
            r"\\.\pipe\a",
            r"\??\UNC\server\share",
            "/??/C:/a",
            r"  \\server\share",
        ] {
            assert!(names_share_or_device(path), "{path}");
            assert_eq!(written_in(Path::new("a"), path), None, "{path}");
        }
        for path in [
            "../a",
            "a//b",
            r"a\b",
            "/usr/src/a",
            r"C:\a",
            "C:/a",
            "",
            ".",
            "?",
        ] {
            assert!(!names_share_or_device(path), "{path}");
        }
        let below = written_in(Path::new("/w/p"), "../q");
        assert_eq!(below.as_deref(), Some(Path::new("/w/q")));
    }
}
