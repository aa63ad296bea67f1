//! The folder that answers are kept in.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use etcetera::BaseStrategy as _;

use crate::arguments::CacheArguments;
use crate::project::paths::absolute;

/// The folder's name in the target folder and in the user's cache folder.
const NAME: &str = "visa-lint";
/// The variable that names a folder in the place of both.
pub(crate) const FOLDER_VARIABLE: &str = "VISA_LINT_CACHE_DIR";
/// The variable that turns keeping off, unless an option names a folder.
pub(crate) const OFF_VARIABLE: &str = "VISA_LINT_NO_CACHE";

/// The folder of a check of some paths; none where nothing is to be kept, or there is no place for it.
pub(super) fn folder_of_check(options: &CacheArguments, paths: &[PathBuf]) -> Option<PathBuf> {
    if options.no_cache {
        return None;
    }
    if let Some(folder) = &options.cache_dir {
        return Some(from_here(folder));
    }
    if said(OFF_VARIABLE).is_some() {
        return None;
    }
    let named = said(FOLDER_VARIABLE).map(|folder| from_here(Path::new(&folder)));
    named.or_else(|| default_folders(paths).into_iter().next())
}

/// The folders that checks of some paths keep answers in, where no option names one: that of a target folder first, then the user's.
pub(super) fn default_folders(paths: &[PathBuf]) -> Vec<PathBuf> {
    let targets = paths.iter().filter_map(|path| target_around(path));
    let user = etcetera::base_strategy::choose_native_strategy();
    let user = user.ok().map(|user| user.cache_dir());
    targets
        .chain(user)
        .map(|folder| folder.join(NAME))
        .collect()
}

/// The folder that a variable names.
pub(super) fn folder_of_variable() -> Option<PathBuf> {
    said(FOLDER_VARIABLE).map(|folder| from_here(Path::new(&folder)))
}

/// The value of a variable, if it has one that is not empty.
fn said(variable: &str) -> Option<OsString> {
    std::env::var_os(variable).filter(|value| !value.is_empty())
}

pub(super) fn from_here(path: &Path) -> PathBuf {
    absolute(&std::env::current_dir().unwrap_or_default(), path)
}

/// The target folder of the package or workspace around a path: beside the nearest manifest that has one.
fn target_around(path: &Path) -> Option<PathBuf> {
    let path = from_here(path);
    let around = path
        .ancestors()
        .find(|folder| folder.join("Cargo.toml").is_file() && folder.join("target").is_dir());
    around.map(|folder| folder.join("target"))
}

/// Makes the folder, if it is not there, so that git leaves it out.
pub(super) fn prepare(folder: &Path) -> std::io::Result<()> {
    if folder.is_dir() {
        return Ok(());
    }
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join(IGNORING), "*\n")
}

/// The file that tells git to leave the folder out.
pub(super) const IGNORING: &str = ".gitignore";
