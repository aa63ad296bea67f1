//! What git says of a repository's history.
//!
//! Knows how to ask: whatever the repository's own settings say, git fetches nothing and starts no other program, since the
//! repository may be a stranger's. So nothing here reads the working tree through git, whose filters are such programs.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use super::Failure;
use super::paths::system_reason;

/// The mode of a link in git's trees.
pub(crate) const LINK: &str = "120000";

/// Why git gave no answer.
#[derive(Debug)]
pub(crate) enum Refusal {
    /// The program cannot be started.
    NotRun(String),
    /// What it printed.
    Said(String),
}

/// The commit that a revision names in the repository around a folder; nothing where it names several.
pub(crate) fn commit_of(folder: &Path, revision: &str) -> Result<Option<String>, Refusal> {
    let commit = format!("{revision}^{{commit}}");
    let known = git(
        folder,
        &["rev-parse", "--verify", "--end-of-options", &commit],
    )?;
    let commit = String::from_utf8_lossy(&known).trim().to_owned();
    let is_one = !commit.is_empty() && commit.bytes().all(|byte| byte.is_ascii_hexdigit());
    Ok(is_one.then_some(commit))
}

/// What git prints about objects that are in the repository around a folder.
pub(crate) fn git(folder: &Path, arguments: &[impl AsRef<OsStr>]) -> Result<Vec<u8>, Refusal> {
    git_with(folder, arguments, Vec::new())
}

/// The same with something on its standard input.
pub(crate) fn git_with(
    folder: &Path,
    arguments: &[impl AsRef<OsStr>],
    input: Vec<u8>,
) -> Result<Vec<u8>, Refusal> {
    let not_run = |error: std::io::Error| Refusal::NotRun(system_reason(&error));
    let mut child = Command::new("git")
        .arg("-C")
        .arg(folder)
        .args(["--no-pager", "-c", "core.fsmonitor=false"])
        .args(arguments)
        .env("GIT_NO_LAZY_FETCH", "1")
        // No transport is called `none`: where an older git fetches anyway, it has none to do it by.
        .env("GIT_ALLOW_PROTOCOL", "none")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_LITERAL_PATHSPECS", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(not_run)?;
    // From another thread: git answers while it reads, and would wait for a reader of its answers.
    let stdin = child.stdin.take();
    let asking = std::thread::spawn(move || {
        // Where git does not read to the end, it says why.
        stdin.map(|mut stdin| stdin.write_all(&input))
    });
    let output = child.wait_with_output().map_err(not_run)?;
    let _ = asking.join();
    if output.status.success() {
        return Ok(output.stdout);
    }
    let why = String::from_utf8_lossy(&output.stderr);
    let why = why.trim().lines().collect::<Vec<_>>().join("; ");
    Err(Refusal::Said(why))
}

/// A file's text in a revision. A file that the revision does not have is an empty one.
pub fn text_of_revision(revision: &str, shown: &str) -> Result<String, Failure> {
    let path = Path::new(shown);
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    let name = path.file_name().and_then(std::ffi::OsStr::to_str);
    let name = name.ok_or_else(|| Failure::new(format!("`{shown}` is not in a git repository")))?;

    let commit = commit_of(folder, revision);
    let commit = commit.map_err(|why| match why {
        Refusal::NotRun(why) => Failure::new(format!(
            "`{revision}` is not a file, and git cannot be run: {why}"
        )),
        Refusal::Said(why) => Failure::new(format!(
            "`{revision}` is neither a file nor a revision that git knows here: {why}"
        )),
    })?;
    let Some(commit) = commit else {
        return Err(Failure::new(format!(
            "`{revision}` names no single commit to compare with"
        )));
    };
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
        .map_err(|_| Failure::new(format!("`{shown}` of `{revision}` is not UTF-8 text")))
}
