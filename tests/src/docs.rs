//! The pages of the site that a program makes: those of the rules, the machine with its pictures, the list of all pages, and the text for
//! language models.
//!
//! They are not in the repository: `cargo xtask docs` writes them below `docs`, where `.gitignore` names them.

use std::collections::BTreeMap;
use std::io;
use std::path::Path;
use std::sync::OnceLock;

use crate::{llms, machine, site};

/// The folders below `docs` that hold made files and no others.
const MADE_FOLDERS: [&str; 2] = ["rules", "machine"];

/// The pages of rules by their file names below `docs/rules`. A process makes them once, since each checks a kernel.
pub fn rule_pages() -> &'static BTreeMap<String, String> {
    static PAGES: OnceLock<BTreeMap<String, String>> = OnceLock::new();
    PAGES.get_or_init(|| visa_server::rule_pages().into_iter().collect())
}

/// Every made file: its path below `docs` and its text.
pub fn made_files() -> Vec<(String, String)> {
    let mut made = vec![
        ("SUMMARY.md".to_owned(), site::summary()),
        ("machine.md".to_owned(), machine::page()),
        ("llms-full.txt".to_owned(), llms::full()),
        ("rules/releases.md".to_owned(), site::rules_by_release()),
        ("rules/errors.md".to_owned(), site::known_texts()),
    ];
    let rules = rule_pages().iter();
    made.extend(rules.map(|(name, text)| (format!("rules/{name}"), text.clone())));
    let pictures = machine::pictures().into_iter();
    made.extend(pictures.map(|(name, text)| (format!("machine/{name}"), text)));
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
