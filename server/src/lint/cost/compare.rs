//! What a change of the sources costs or saves: the kernels of two states of the same files, side by side.
//!
//! The old state is another file, or a revision that git knows. Kernels are matched by file and name, operations by name
//! and by how many of that name came before.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::{Command, Stdio};

use serde::Serialize;
use visa_analysis::{KernelCost, thousands};

use super::super::session::Session;
use super::human::{Paint, percent, table};
use crate::json::pretty;
use crate::project::Failure;
use crate::project::paths::reason;

/// The texts of the old state by the engine's path: a file's where `old` names one, else a git revision's.
pub(super) fn old_texts(
    session: &Session<'_>,
    old: &str,
) -> Result<BTreeMap<String, String>, Failure> {
    let paths: Vec<String> = session.reported_paths().map(str::to_owned).collect();
    if Path::new(old).is_file() {
        let [path] = paths.as_slice() else {
            return Err(Failure::new(format!(
                "`--compare {old}` names one file, and there are {} to compare with it; name one",
                paths.len()
            )));
        };
        let text = std::fs::read_to_string(old)
            .map_err(|error| Failure::new(format!("cannot read `{old}`: {}", reason(&error))))?;
        return Ok(BTreeMap::from([(path.clone(), text)]));
    }
    paths
        .into_iter()
        .map(|path| {
            let text = of_revision(old, &session.shown(&path))?;
            Ok((path, text))
        })
        .collect()
}

/// A file's text in a revision. A file that the revision does not have is an empty one.
fn of_revision(revision: &str, shown: &str) -> Result<String, Failure> {
    let path = Path::new(shown);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let name = path.file_name().and_then(std::ffi::OsStr::to_str);
    let name = name.ok_or_else(|| Failure::new(format!("`{shown}` is no file of a repository")))?;

    let commit = format!("{revision}^{{commit}}");
    let known = git(
        folder,
        &["rev-parse", "--verify", "--end-of-options", &commit],
    );
    let known = known.map_err(|why| match why {
        Refusal::NotRun(why) => Failure::new(format!(
            "`{revision}` is no file, and git cannot be run: {why}"
        )),
        Refusal::Said(why) => Failure::new(format!(
            "`{revision}` is neither a file nor a revision that git knows here: {why}"
        )),
    })?;
    let commit = String::from_utf8_lossy(&known).trim().to_owned();
    if commit.is_empty() || !commit.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Failure::new(format!(
            "`{revision}` names no single commit to compare with"
        )));
    }
    let failed = |why: Refusal| {
        let (Refusal::NotRun(why) | Refusal::Said(why)) = why;
        Failure::new(format!("git cannot give `{shown}` of `{revision}`: {why}"))
    };
    let listed = git(folder, &["ls-tree", "-z", &commit, "--", name]).map_err(failed)?;
    let Some(entry) = listed
        .split(|byte| *byte == 0)
        .find(|entry| !entry.is_empty())
    else {
        return Ok(String::new());
    };
    // `100644 blob HASH`, a tab and the name.
    let entry = String::from_utf8_lossy(entry);
    let mut words = entry.split_whitespace();
    let (mode, kind, object) = (words.next(), words.next(), words.next());
    let (Some(mode), Some("blob"), Some(object)) = (mode, kind, object) else {
        return Ok(String::new());
    };
    if mode == LINK {
        return Err(Failure::new(format!(
            "`{shown}` is a link in `{revision}`; compare the file that it leads to"
        )));
    }
    let text = git(folder, &["cat-file", "blob", object]).map_err(failed)?;
    String::from_utf8(text)
        .map_err(|_| Failure::new(format!("`{shown}` of `{revision}` is no UTF-8 text")))
}

/// The mode of a link in git's trees.
const LINK: &str = "120000";

/// Why git gave no answer.
enum Refusal {
    NotRun(String),
    Said(String),
}

/// What git says about objects that are in the repository. Whatever the repository's own settings say, git fetches nothing
/// and starts no other program: the repository may be a stranger's.
fn git(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, Refusal> {
    let output = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["--no-pager", "-c", "core.fsmonitor=false"])
        .args(arguments)
        .env("GIT_NO_LAZY_FETCH", "1")
        // No transport is called `none`: where an older git fetches all the same, it has none to do it by.
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .stdin(Stdio::null())
        .output()
        .map_err(|error| Refusal::NotRun(reason(&error)))?;
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr).trim().to_owned();
    Err(Refusal::Said(why))
}

/// A kernel in both states.
#[derive(Serialize)]
pub(super) struct KernelChange {
    name: String,
    file: String,
    before: Option<u64>,
    after: Option<u64>,
    difference: Option<i128>,
    /// Whether it is there before and after.
    there: [bool; 2],
    operations: Vec<OperationChange>,
}

/// An operation in both states; `None` where it is not there or its cycles are unknown.
#[derive(Serialize)]
pub(super) struct OperationChange {
    name: String,
    context: &'static str,
    before: Option<u64>,
    after: Option<u64>,
    difference: Option<i128>,
    there: [bool; 2],
}

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    compared_with: &'a str,
    kernels: &'a [KernelChange],
}

/// The kernels of both states, those of the new one first.
pub(super) fn changes(old: &[KernelCost], new: &[KernelCost]) -> Vec<KernelChange> {
    let key = |kernel: &KernelCost| (kernel.file.clone(), kernel.name.clone());
    let mut changes = Vec::new();
    for kernel in new {
        let before = old.iter().find(|other| key(other) == key(kernel));
        changes.push(change(before, Some(kernel)));
    }
    let gone = old
        .iter()
        .filter(|kernel| !new.iter().any(|other| key(other) == key(kernel)));
    changes.extend(gone.map(|kernel| change(Some(kernel), None)));
    changes
}

fn change(old: Option<&KernelCost>, new: Option<&KernelCost>) -> KernelChange {
    let either = new.or(old);
    let (before, after) = (
        old.and_then(|kernel| kernel.total),
        new.and_then(|kernel| kernel.total),
    );
    let (first, second) = (numbered(old), numbered(new));
    let mut names: Vec<&(String, u32)> = second.iter().map(|(name, ..)| name).collect();
    let known: BTreeSet<_> = names.iter().copied().cloned().collect();
    names.extend(
        first
            .iter()
            .map(|(name, ..)| name)
            .filter(|name| !known.contains(name)),
    );
    let find = |rows: &[Numbered], name: &(String, u32)| {
        let found = rows.iter().find(|(other, ..)| other == name);
        found.map(|(_, context, cycles)| (*context, *cycles))
    };
    let operations = names.into_iter().map(|name| {
        let (one, two) = (find(&first, name), find(&second, name));
        let cycles =
            |side: Option<(&'static str, Option<u64>)>| side.and_then(|(_, cycles)| cycles);
        OperationChange {
            name: name.0.clone(),
            context: two.or(one).map_or("", |(context, _)| context),
            before: cycles(one),
            after: cycles(two),
            difference: difference(cycles(one), cycles(two)),
            there: [one.is_some(), two.is_some()],
        }
    });
    KernelChange {
        name: either.map(|kernel| kernel.name.clone()).unwrap_or_default(),
        file: either
            .map(|kernel| kernel.file.to_string())
            .unwrap_or_default(),
        before,
        after,
        difference: difference(before, after),
        there: [old.is_some(), new.is_some()],
        operations: operations.collect(),
    }
}

fn difference(before: Option<u64>, after: Option<u64>) -> Option<i128> {
    Some(i128::from(after?) - i128::from(before?))
}

/// An operation's name and how many of that name came before, its context and its cycles.
type Numbered = ((String, u32), &'static str, Option<u64>);

fn numbered(kernel: Option<&KernelCost>) -> Vec<Numbered> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let rows = kernel.into_iter().flat_map(|kernel| &kernel.operations);
    rows.map(|row| {
        let count = counts.entry(&row.name).or_default();
        *count += 1;
        ((row.name.clone(), *count), row.lane.name(), row.cycles)
    })
    .collect()
}

/// The changes as one JSON object.
pub(super) fn json(changes: &[KernelChange], old: &str) -> Result<String, Failure> {
    pretty(&Document {
        version: 1,
        compared_with: old,
        kernels: changes,
    })
}

/// The changes for people: the totals, and the operations that differ.
pub(super) fn human(changes: &[KernelChange], old: &str, colored: bool) -> String {
    if changes.is_empty() {
        return "no kernel: no function has `#[device]`\n".to_owned();
    }
    let paint = Paint { colored };
    let parts: Vec<String> = changes
        .iter()
        .map(|kernel| of_kernel(kernel, old, paint))
        .collect();
    parts.join("\n")
}

fn of_kernel(kernel: &KernelChange, old: &str, paint: Paint) -> String {
    let words = match kernel.there {
        [false, _] => format!("not in {old}; {} cycles now", shown(kernel.after)),
        [_, false] => format!("only in {old}, with {} cycles", shown(kernel.before)),
        _ => format!(
            "{} cycles in {old}, {} now{}",
            shown(kernel.before),
            shown(kernel.after),
            signed_share(kernel)
        ),
    };
    let mut text = format!("{} ({}): {words}\n", paint.bold(&kernel.name), kernel.file);
    let side = |there: bool, cycles: Option<u64>| {
        if there { shown(cycles) } else { "-".to_owned() }
    };
    let rows: Vec<Vec<String>> = kernel
        .operations
        .iter()
        .filter(|row| {
            kernel.there == [true; 2] && (row.there != [true; 2] || row.before != row.after)
        })
        .map(|row| {
            vec![
                row.name.clone(),
                row.context.to_owned(),
                side(row.there[0], row.before),
                side(row.there[1], row.after),
                row.difference.map(signed).unwrap_or_default(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let head = ["operation", "context", "before", "after", "difference"];
        text.push('\n');
        text.push_str(&table(&head, &rows, &[2, 3, 4], paint));
    } else if kernel.there == [true; 2] {
        text.push_str("  no operation takes more or fewer cycles\n");
    }
    text
}

fn shown(cycles: Option<u64>) -> String {
    cycles.map_or_else(|| "unknown".to_owned(), thousands)
}

fn signed(difference: i128) -> String {
    let sign = if difference < 0 { "-" } else { "+" };
    let size = u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX);
    format!("{sign}{}", thousands(size))
}

fn signed_share(kernel: &KernelChange) -> String {
    match (kernel.difference, kernel.before) {
        (Some(difference), Some(before)) if before > 0 => {
            let size = u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX);
            let sign = if difference < 0 { "-" } else { "+" };
            format!(" ({}, {sign}{})", signed(difference), percent(size, before))
        }
        _ => String::new(),
    }
}
