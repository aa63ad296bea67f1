//! Which files differ from what a git revision has.
//!
//! Texts are compared, not dates or git's index: a file that the revision does not have is changed, whether git tracks it or
//! not, and so is one that was renamed. Line ends do not count, since git may have converted them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use super::Failure;
use super::git::{LINK, Refusal, commit_of, git, git_with};
use super::loaded::LoadedFile;
use super::paths::slashes;

/// The paths of those files that differ from what the revision has of them.
///
/// # Errors
///
/// A file is in no repository, or the revision is none there.
pub(crate) fn changed_since<'a>(
    files: impl IntoIterator<Item = &'a LoadedFile>,
    revision: &str,
) -> Result<BTreeSet<&'a str>, Failure> {
    let mut roots = Roots::default();
    let mut by_root: BTreeMap<PathBuf, Vec<&LoadedFile>> = BTreeMap::new();
    for file in files {
        let root = roots.root_of(Path::new(&file.path), revision)?;
        by_root.entry(root).or_default().push(file);
    }
    let mut changed = BTreeSet::new();
    for (root, files) in by_root {
        let old = old_texts(&root, revision, &files)?;
        for (file, old) in files.iter().zip(old) {
            let same = old.is_some_and(|old| same_text(&old, file.text.as_bytes()));
            if !same {
                changed.insert(file.path.as_str());
            }
        }
    }
    Ok(changed)
}

/// The folders of repositories, asked once for each folder that has a `.git` of its own.
#[derive(Default)]
struct Roots {
    known: BTreeMap<PathBuf, PathBuf>,
}

impl Roots {
    fn root_of(&mut self, file: &Path, revision: &str) -> Result<PathBuf, Failure> {
        let existing = file.ancestors().skip(1).find(|folder| folder.is_dir());
        let folder = existing.unwrap_or_else(|| Path::new("/"));
        let marked = folder
            .ancestors()
            .find(|folder| folder.join(".git").exists());
        let key = marked.unwrap_or(folder);
        if let Some(root) = self.known.get(key) {
            return Ok(root.clone());
        }
        let said = git(key, &["rev-parse", "--show-toplevel"]);
        let said = said.map_err(|why| match why {
            Refusal::NotRun(why) => {
                Failure::new(format!("--since {revision}: git cannot be run: {why}"))
            }
            Refusal::Said(why) => Failure::new(format!(
                "--since {revision}: `{}` is in no repository of git: {why}",
                slashes(file)
            )),
        })?;
        let said = String::from_utf8_lossy(&said);
        let root = PathBuf::from(said.trim_end_matches(['\n', '\r']));
        self.known.insert(key.to_path_buf(), root.clone());
        Ok(root)
    }
}

/// What the revision has of each file of a repository; nothing where it has none, or something else than a file.
fn old_texts(
    root: &Path,
    revision: &str,
    files: &[&LoadedFile],
) -> Result<Vec<Option<Vec<u8>>>, Failure> {
    let refused = |why: Refusal| {
        let (Refusal::NotRun(why) | Refusal::Said(why)) = why;
        let root = slashes(root);
        // What git says of any name that it does not know tells nothing more.
        let why = match why.as_str() {
            "fatal: Needed a single revision" => String::new(),
            why => format!(": {why}"),
        };
        Failure::new(format!(
            "--since {revision}: no revision of that name is in the repository `{root}`{why}"
        ))
    };
    let commit = commit_of(root, revision).map_err(refused)?;
    let Some(commit) = commit else {
        return Err(Failure::new(format!(
            "--since {revision}: this names no single commit"
        )));
    };
    let tree = git(root, &["ls-tree", "-r", "-z", &commit]).map_err(refused)?;
    let objects = objects(&tree);
    let below: Vec<Option<String>> = files
        .iter()
        .map(|file| path_below_root(root, &file.path))
        .collect();
    let wanted: Vec<Option<&str>> = below
        .iter()
        .map(|path| objects.get(path.as_deref()?).copied())
        .collect();
    let asked: String = wanted
        .iter()
        .flatten()
        .flat_map(|object| [*object, "\n"])
        .collect();
    let answer = git_with(root, &["cat-file", "--batch"], asked.into_bytes()).map_err(refused)?;
    let mut rest = answer.as_slice();
    let texts = wanted.into_iter().map(|object| {
        object?;
        next_object(&mut rest)
    });
    Ok(texts.collect())
}

/// The path of a file below the folder of its repository, as git's trees have it. Both may lead through links.
fn path_below_root(root: &Path, file: &str) -> Option<String> {
    let strip = |file: &Path, root: &Path| file.strip_prefix(root).ok().map(slashes);
    strip(Path::new(file), root).or_else(|| {
        let folder = Path::new(file).parent()?.canonicalize().ok()?;
        let name = Path::new(file).file_name()?;
        strip(&folder.join(name), &root.canonicalize().ok()?)
    })
}

/// The files of a tree by their paths. A link is none: the text behind it may be of anything.
fn objects(tree: &[u8]) -> BTreeMap<&str, &str> {
    let entries = tree.split(|byte| *byte == 0);
    let entries = entries.filter_map(|entry| {
        // `100644 blob HASH`, a tab and the path.
        let (about, path) = std::str::from_utf8(entry).ok()?.split_once('\t')?;
        let mut words = about.split(' ');
        let (mode, kind, object) = (words.next()?, words.next()?, words.next()?);
        (mode != LINK && kind == "blob").then_some((path, object))
    });
    entries.collect()
}

/// The next object of what `cat-file --batch` prints: `HASH blob SIZE`, its bytes, a line break. Nothing of an object that is missing.
fn next_object(rest: &mut &[u8]) -> Option<Vec<u8>> {
    let end = rest.iter().position(|byte| *byte == b'\n')?;
    let (head, behind) = rest.split_at_checked(end)?;
    let behind = behind.get(1..)?;
    *rest = behind;
    let size = std::str::from_utf8(head).ok()?.rsplit(' ').next()?;
    let size: usize = size.parse().ok()?;
    let text = behind.get(..size)?.to_vec();
    *rest = behind.get(size.checked_add(1)?..).unwrap_or_default();
    Some(text)
}

/// Whether two texts are the same but for their line ends and a byte order mark.
fn same_text(one: &[u8], other: &[u8]) -> bool {
    let plain = |text: &[u8]| -> Vec<u8> {
        let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
        let mut plain = Vec::with_capacity(text.len());
        for (at, byte) in text.iter().enumerate() {
            let ends_line = *byte == b'\r' && text.get(at.saturating_add(1)) == Some(&b'\n');
            if !ends_line {
                plain.push(*byte);
            }
        }
        plain
    };
    one == other || plain(one) == plain(other)
}

#[cfg(test)]
mod tests {
    use super::{next_object, objects, same_text};

    #[test]
    fn answers_of_git_are_read() {
        let tree =
            b"100644 blob aa\tk/a b.rs\x00120000 blob bb\tlink.rs\x00160000 commit cc\tsub\x00";
        let known = objects(tree);
        assert_eq!(known.into_iter().collect::<Vec<_>>(), [("k/a b.rs", "aa")]);
        let mut rest = b"aa blob 3\na\nb\ncc missing\ndd blob 0\n\n".as_slice();
        assert_eq!(next_object(&mut rest).as_deref(), Some(b"a\nb".as_slice()));
        assert_eq!(next_object(&mut rest), None);
        assert_eq!(next_object(&mut rest).as_deref(), Some(b"".as_slice()));
        assert_eq!(next_object(&mut rest), None);
    }

    #[test]
    fn line_ends_do_not_count() {
        assert!(same_text(b"a\nb\n", b"\xef\xbb\xbfa\r\nb\r\n"));
        assert!(!same_text(b"a\nb\n", b"a\nb"));
        assert!(!same_text(b"a\rb", b"ab"));
    }
}
