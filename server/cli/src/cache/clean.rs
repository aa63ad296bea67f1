//! `visa-lint clean`: removes what checks keep.

use std::path::{Path, PathBuf};

use visa_analysis::{counted, thousands};

use super::{own_files, place};
use crate::arguments::CleanArguments;
use crate::outcome::Outcome;
use crate::output::Console;
use crate::project::Failure;
use crate::project::paths::system_reason;

/// Runs the command.
pub(crate) fn run(options: &CleanArguments, console: Console) -> Result<Outcome, Failure> {
    let unreadable: Vec<String> = options
        .paths
        .iter()
        .filter_map(|path| unreadable(path))
        .collect();
    if !unreadable.is_empty() {
        return Err(Failure {
            messages: unreadable,
        });
    }
    let named = options.cache_dir.as_deref().map(place::from_here);
    let folders = match named.or_else(place::folder_of_variable) {
        Some(folder) => vec![folder],
        None => place::default_folders(&options.paths),
    };
    let mut answer = String::new();
    let mut failed = Vec::new();
    for folder in with_each_once(folders) {
        let (count, bytes) = remove_entries(&folder, &mut failed);
        if count > 0 {
            answer += &format!(
                "removed {} ({} bytes) from `{}`\n",
                counted(count, "file"),
                thousands(bytes),
                folder.display()
            );
        }
    }
    if answer.is_empty() && failed.is_empty() {
        answer = "nothing is kept\n".to_owned();
    }
    console.print(&answer)?;
    if failed.is_empty() {
        Ok(Outcome::Fine)
    } else {
        Err(Failure { messages: failed })
    }
}

/// The reason that a path names nothing that was checked.
fn unreadable(path: &Path) -> Option<String> {
    let error = std::fs::metadata(path).err()?;
    Some(format!(
        "cannot read `{}`: {}",
        path.display(),
        system_reason(&error)
    ))
}

fn with_each_once(folders: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut once: Vec<PathBuf> = Vec::new();
    for folder in folders {
        if !once.contains(&folder) {
            once.push(folder);
        }
    }
    once
}

/// Removes what a folder keeps, and the folder where nothing else is in it: how many files, and their bytes.
fn remove_entries(folder: &Path, failed: &mut Vec<String>) -> (u64, u64) {
    let (mut count, mut all) = (0, 0);
    for (_, bytes, path) in own_files(folder) {
        match std::fs::remove_file(&path) {
            Ok(()) => {
                count += 1;
                all += bytes;
            }
            Err(error) => {
                let why = system_reason(&error);
                failed.push(format!("cannot remove `{}`: {why}", path.display()));
            }
        }
    }
    let is_ours = |entry: &std::fs::DirEntry| entry.file_name() == place::IGNORING;
    let left = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let left: Vec<std::fs::DirEntry> = left.collect();
    // An empty folder that checks never kept anything in is the user's.
    if !left.is_empty() && left.iter().all(is_ours) {
        let _ = std::fs::remove_file(folder.join(place::IGNORING));
        let _ = std::fs::remove_dir(folder);
    }
    (count, all)
}
