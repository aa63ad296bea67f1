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
pub(crate) fn reason(error: &std::io::Error) -> String {
    let words = error.to_string();
    match words.find(" (os error") {
        Some(end) => words.get(..end).unwrap_or(&words).to_owned(),
        None => words,
    }
}

/// The path from the root, without `.` and `..`; links are not resolved, so that people recognise it.
pub(crate) fn absolute(here: &Path, path: &Path) -> PathBuf {
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

/// The path as given, without `.` components.
pub(crate) fn shown(path: &Path) -> String {
    let parts = path
        .components()
        .filter(|component| !matches!(component, Component::CurDir));
    slashes(&parts.collect::<PathBuf>())
}

/// The path with `/` between its components.
pub(crate) fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}
