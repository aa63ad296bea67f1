//! The pages of the site that a program makes: those of the rules, the machine with its pictures, the list of all pages, and the text for
//! language models.
//!
//! They are not in the repository: `cargo xtask docs` writes them below `docs`, where `.gitignore` names them.

use std::io;
use std::path::Path;

use crate::{llms, machine, site};

/// The folders below `docs` that hold made files and no others.
const MADE_FOLDERS: [&str; 2] = ["rules", "machine"];

/// Every made file: its path below `docs` and its text.
pub fn made_files() -> Vec<(String, String)> {
    let mut made = vec![
        ("SUMMARY.md".to_owned(), site::summary()),
        ("machine.md".to_owned(), machine::page()),
        ("llms-full.txt".to_owned(), llms::full()),
        ("rules/releases.md".to_owned(), site::rules_by_release()),
        ("rules/errors.md".to_owned(), site::known_texts()),
    ];
    let below = |folder: &str, files: Vec<(String, String)>| {
        let files = files.into_iter();
        let files = files.map(|(name, text)| (format!("{folder}/{name}"), text));
        files.collect::<Vec<_>>()
    };
    made.extend(below("rules", visa_server::rule_pages()));
    made.extend(below("machine", machine::pictures()));
    made
}

/// Writes every made file below `docs`, which may be another folder of that kind, and drops what an earlier catalogue left there. Gives the
/// number of files.
pub fn write_made_files(docs: &Path) -> io::Result<usize> {
    for folder in MADE_FOLDERS {
        let folder = docs.join(folder);
        if folder.exists() {
            std::fs::remove_dir_all(&folder)?;
        }
        std::fs::create_dir_all(&folder)?;
    }
    let made = made_files();
    for (path, text) in &made {
        std::fs::write(docs.join(path), text)?;
    }
    Ok(made.len())
}
