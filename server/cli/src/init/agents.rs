//! What `init --agents` writes for coding agents: a section of `AGENTS.md`, and a skill.
//!
//! The section is between two remarks and is all that is changed in a file that is there; run again, it is brought up to date.

use std::path::{Path, PathBuf};

use crate::project::Failure;
use crate::project::paths::{shown_path, system_reason};
use crate::project::regular::{DECIDING_BYTES, read_text};
use crate::project::writing::write_file;

/// The remark before the section.
const BEGIN: &str = "<!-- visa-lint: begin; written by `visa-lint init --agents` -->";

/// What every such remark begins with, whatever a release writes behind it.
const BEGINS: &str = "<!-- visa-lint: begin";

/// The remark behind the section.
const END: &str = "<!-- visa-lint: end -->";

/// The file that agents read first.
const FILE: &str = "AGENTS.md";

/// Where agents look for skills.
const SKILL: &str = ".agents/skills/visa-lint/SKILL.md";

/// What is written, below the folder.
pub(super) const FILES: [&str; 2] = [FILE, SKILL];

/// The file with the section and the skill in a folder, read and not yet written.
pub(super) fn prepare_files(folder: &Path, force: bool) -> Result<[Prepared; 2], Failure> {
    Ok([
        prepared(folder.join(FILE), include_str!("agents.md"), true)?,
        prepared(folder.join(SKILL), include_str!("skill.md"), force)?,
    ])
}

/// What a file had and what it gets; the old text is none where there is no file.
pub(super) struct Prepared {
    path: PathBuf,
    old: Option<String>,
    new: String,
}

/// A file with the section in its place. One without a section gets it at its end, if it may be added.
fn prepared(path: PathBuf, template: &str, may_add: bool) -> Result<Prepared, Failure> {
    let (old, new) = text_for(&path, template, may_add)?;
    let metadata = std::fs::metadata(&path).ok();
    let read_only = metadata.is_some_and(|metadata| metadata.permissions().readonly());
    if read_only && old.as_ref() != Some(&new) {
        let shown = shown_path(&path);
        return Err(Failure::new(format!(
            "cannot write `{shown}`: the file is read-only"
        )));
    }
    Ok(Prepared { path, old, new })
}

fn text_for(
    path: &Path,
    template: &str,
    may_add: bool,
) -> Result<(Option<String>, String), Failure> {
    let failed = |why: &str| Failure::new(format!("cannot write `{}`: {why}", shown_path(path)));
    // A skill begins with lines that say what it is.
    let (head, body) = match template.split_once("---\n\n") {
        Some((head, body)) => (format!("{head}---\n\n"), body),
        None => (String::new(), template),
    };
    let section = format!("{BEGIN}\n{}\n{END}\n", body.trim());
    if std::fs::symlink_metadata(path).is_err() {
        return Ok((None, head + &section));
    }
    let old = read_text(path, DECIDING_BYTES).map_err(|why| failed(&why))?;
    let breaks = if old.contains("\r\n") { "\r\n" } else { "\n" };
    let section = section.replace('\n', breaks);
    let begins: Vec<usize> = old.match_indices(BEGINS).map(|(at, _)| at).collect();
    let ends: Vec<usize> = old.match_indices(END).map(|(at, _)| at).collect();
    let new = match (begins.as_slice(), ends.as_slice()) {
        ([], []) if !may_add => {
            return Err(failed("it is there already; `--force` adds the section"));
        }
        ([], []) => {
            let gap = match () {
                () if old.is_empty() => String::new(),
                () if old.ends_with('\n') => breaks.to_owned(),
                () => breaks.repeat(2),
            };
            format!("{old}{gap}{section}")
        }
        ([begin], [end]) if begin < end => {
            let before = old.get(..*begin).unwrap_or_default();
            let after = old.get(end + END.len()..).unwrap_or_default();
            let section = section.trim_end();
            format!("{before}{section}{after}")
        }
        _ => {
            return Err(failed(
                "its comments of visa-lint are not a pair: leave one `begin` before one `end`",
            ));
        }
    };
    Ok((Some(old), new))
}

/// Writes a file; what was done, as a line.
pub(super) fn write_prepared(Prepared { path, old, new }: Prepared) -> Result<String, Failure> {
    let name = shown_path(&path);
    if old.as_ref() == Some(&new) {
        return Ok(format!("`{name}` is up to date\n"));
    }
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|error| {
            let reason = system_reason(&error);
            Failure::new(format!("cannot write to `{}`: {reason}", folder.display()))
        })?;
    }
    write_file(&path, &new)?;
    let word = if old.is_some() { "updated" } else { "wrote" };
    Ok(format!("{word} `{name}`\n"))
}
