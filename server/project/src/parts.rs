//! Which files have to be in the engine together, so that a run over many crates can check one after the other.
//!
//! Reads texts and knows no syntax: two files are together where one of them might declare the other as a module or name the
//! other's package. What only looks like it, in a comment or a string, keeps files together that need not be, which costs
//! memory and changes no answer.

use std::collections::{BTreeMap, HashMap};
use std::ops::{Bound, Range};

use visa_analysis::Package;
use visa_analysis::is_word_letter;

use super::loaded::LoadedFile;

/// Bytes of text below which files are not parted: fewer would leave threads without work, and their findings take no
/// memory to speak of.
const PART_BYTES: usize = 2 << 20;

/// Files by their positions, in parts that know nothing of each other. Each has about [`PART_BYTES`] of text, unless what
/// belongs together has more; both the parts and the files of each are in the order of the files.
pub fn independent_parts(files: &[LoadedFile], packages: &[Package]) -> Vec<Vec<usize>> {
    parts_of(files, packages, PART_BYTES)
}

fn parts_of(files: &[LoadedFile], packages: &[Package], bytes: usize) -> Vec<Vec<usize>> {
    let all: usize = files.iter().map(|file| file.text.len()).sum();
    if all <= bytes {
        return vec![(0..files.len()).collect()];
    }
    let mut parts = Vec::new();
    let (mut part, mut size) = (Vec::new(), 0);
    for group in file_groups(files, packages) {
        let more: usize = group
            .iter()
            .filter_map(|index| files.get(*index))
            .map(|file| file.text.len())
            .sum();
        if size > 0 && size + more > bytes {
            parts.push(std::mem::take(&mut part));
            size = 0;
        }
        part.extend(group);
        size += more;
    }
    parts.push(part);
    parts.iter_mut().for_each(|part| part.sort_unstable());
    parts
}

/// The files that belong together, by their positions, in the order of the first of each.
pub fn file_groups(files: &[LoadedFile], packages: &[Package]) -> Vec<Vec<usize>> {
    let mut together = Together::new(files, packages);
    for (index, file) in files.iter().enumerate() {
        together.join_package(index, file);
        together.join_named(index, &file.text);
        together.join_modules(index, file);
    }
    together.groups()
}

/// Files and, behind them, packages, each with another of its group; the first of a group with itself.
struct Together<'a> {
    files: &'a [LoadedFile],
    /// Positions of files by path.
    by_path: BTreeMap<&'a str, usize>,
    /// Numbers of packages by folder and by the name that paths in code have for them.
    by_root: HashMap<&'a str, usize>,
    by_name: HashMap<String, usize>,
    up: Vec<usize>,
}

impl<'a> Together<'a> {
    fn new(files: &'a [LoadedFile], packages: &'a [Package]) -> Self {
        let numbered = || packages.iter().zip(files.len()..);
        Self {
            files,
            by_path: files
                .iter()
                .map(|file| file.path.as_str())
                .zip(0..)
                .collect(),
            by_root: numbered()
                .map(|(package, number)| (&*package.root, number))
                .collect(),
            by_name: numbered()
                .map(|(package, number)| (package.name.replace('-', "_"), number))
                .collect(),
            up: (0..files.len() + packages.len()).collect(),
        }
    }

    fn first_of(&mut self, mut index: usize) -> usize {
        while let Some(&above) = self.up.get(index)
            && above != index
        {
            // Halves the way for the next search.
            let further = self.up.get(above).copied().unwrap_or(above);
            if let Some(up) = self.up.get_mut(index) {
                *up = further;
            }
            index = further;
        }
        index
    }

    fn join(&mut self, one: usize, other: usize) {
        let (one, other) = (self.first_of(one), self.first_of(other));
        if let Some(up) = self.up.get_mut(one.max(other)) {
            *up = one.min(other);
        }
    }

    /// A file belongs to the package in whose folder it is.
    fn join_package(&mut self, index: usize, file: &LoadedFile) {
        let folders = file.path.match_indices('/').map(|(end, _)| end);
        let root = folders
            .rev()
            .filter_map(|end| file.path.get(..end))
            .find_map(|folder| self.by_root.get(folder).copied());
        if let Some(root) = root {
            self.join(index, root);
        }
    }

    /// A file that says the name of a package may mean the package.
    fn join_named(&mut self, index: usize, text: &str) {
        if self.by_name.is_empty() {
            return;
        }
        let words = text.split(|character| !is_word_letter(character));
        let named: Vec<usize> = words
            .filter_map(|word| self.by_name.get(word).copied())
            .collect();
        for package in named {
            self.join(index, package);
        }
    }

    /// A file belongs to those that it declares as modules.
    fn join_modules(&mut self, index: usize, file: &LoadedFile) {
        let text = file.text.as_str();
        let declarations: Vec<Module<'_>> = text
            .match_indices("mod")
            .filter_map(|(at, word)| module_at(text, at..at + word.len()))
            .collect();
        if !declarations
            .iter()
            .any(|module| matches!(module, Module::Elsewhere(_)))
        {
            return;
        }
        let (folder, name) = file.path.rsplit_once('/').unwrap_or(("", &file.path));
        let stem = name.strip_suffix(".rs").unwrap_or(name);
        let plain = declarations
            .iter()
            .all(|module| matches!(module, Module::Elsewhere(Some(_))));
        if !plain || text.contains("path") {
            self.join_all_of(index, top_of(folder));
            return;
        }
        for module in declarations {
            let Module::Elsewhere(Some(module)) = module else {
                continue;
            };
            for base in [folder.to_owned(), format!("{folder}/{stem}")] {
                for path in [
                    format!("{base}/{module}.rs"),
                    format!("{base}/{module}/mod.rs"),
                ] {
                    if let Some(other) = self.by_path.get(path.as_str()).copied() {
                        self.join(index, other);
                    }
                }
            }
        }
    }

    /// Where the file of a module is cannot be seen: with all of a folder.
    fn join_all_of(&mut self, index: usize, folder: &str) {
        let inside = format!("{folder}/");
        let from = (Bound::Included(inside.as_str()), Bound::Unbounded);
        let others = self.by_path.range::<str, _>(from);
        let others: Vec<usize> = others
            .take_while(|(path, _)| path.starts_with(&inside))
            .map(|(_, other)| *other)
            .collect();
        for other in others {
            self.join(index, other);
        }
    }

    fn groups(mut self) -> Vec<Vec<usize>> {
        let mut groups: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for index in 0..self.files.len() {
            let first = self.first_of(index);
            groups.entry(first).or_default().push(index);
        }
        let mut groups: Vec<Vec<usize>> = groups.into_values().collect();
        groups.sort_by_key(|group| group.first().copied());
        groups
    }
}

/// What follows the word `mod`.
enum Module<'t> {
    /// A body.
    Inline,
    /// A module of another file, whose name is none where something unusual precedes it.
    Elsewhere(Option<&'t str>),
}

/// The folder above a folder, where a `#[path]` of two steps upwards still leads.
fn top_of(folder: &str) -> &str {
    folder.rsplit_once('/').map_or(folder, |(above, _)| above)
}

/// The module that the word at a place declares, if it is a word and something is declared.
fn module_at(text: &str, word: Range<usize>) -> Option<Module<'_>> {
    let before = text.get(..word.start)?.chars().next_back();
    let rest = text.get(word.end..)?;
    if before.is_some_and(is_word_letter) || rest.starts_with(is_word_letter) {
        return None;
    }
    let rest = rest.trim_start();
    let name = rest.strip_prefix("r#").unwrap_or(rest);
    let end = name
        .find(|character| !is_word_letter(character))
        .unwrap_or(name.len());
    let (name, behind) = name.split_at(end);
    let behind = behind.trim_start();
    match () {
        () if behind.starts_with('{') && !name.is_empty() => Some(Module::Inline),
        () if behind.starts_with(';') && !name.is_empty() => Some(Module::Elsewhere(Some(name))),
        () if rest.starts_with('/') || behind.starts_with('/') => Some(Module::Elsewhere(None)),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{LoadedFile, Package, parts_of};

    fn file(path: &str, text: &str) -> LoadedFile {
        LoadedFile {
            path: path.to_owned(),
            text: text.to_owned(),
        }
    }

    /// The parts of files that are parted wherever that changes nothing, by the files' names.
    fn independent_parts(files: &[(&str, &str)], packages: &[(&str, &str)]) -> Vec<Vec<String>> {
        let mut files: Vec<_> = files.iter().map(|(path, text)| file(path, text)).collect();
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let packages: Vec<Package> = packages
            .iter()
            .map(|(name, root)| Package {
                name: (*name).into(),
                root: (*root).into(),
            })
            .collect();
        let named = |index: &usize| files[*index].path.clone();
        parts_of(&files, &packages, 1)
            .iter()
            .map(|part| part.iter().map(named).collect())
            .collect()
    }

    #[test]
    fn files_that_say_nothing_of_each_other_are_apart() {
        let found = independent_parts(&[("/a/x.rs", "fn f() {}"), ("/a/y.rs", "fn g() {}")], &[]);
        assert_eq!(found, [["/a/x.rs"], ["/a/y.rs"]]);
    }

    #[test]
    fn modules_are_with_the_files_that_declare_them() {
        let files = [
            ("/a/lone.rs", "// modest"),
            ("/a/x.rs", "mod one; pub(crate) mod r#two ;"),
            ("/a/one.rs", "mod below;"),
            ("/a/one/below.rs", ""),
            ("/a/x/two/mod.rs", ""),
        ];
        let with_x = ["/a/one.rs", "/a/one/below.rs", "/a/x.rs", "/a/x/two/mod.rs"];
        let expected: [&[&str]; 2] = [&["/a/lone.rs"], &with_x];
        assert_eq!(independent_parts(&files, &[]), expected);
    }

    #[test]
    fn what_cannot_be_told_keeps_the_folder_together() {
        for text in [
            "#[path = \"../z.rs\"] mod y;",
            "mod inner { mod y; }",
            "mod /* what */ y;",
        ] {
            let files = [("/a/b/x.rs", text), ("/a/z.rs", ""), ("/c/z.rs", "")];
            let expected: [&[&str]; 2] = [&["/a/b/x.rs", "/a/z.rs"], &["/c/z.rs"]];
            assert_eq!(independent_parts(&files, &[]), expected, "{text}");
        }
    }

    #[test]
    fn packages_are_with_those_that_they_name() {
        let files = [
            ("/w/a/src/lib.rs", "use the_b::X;"),
            ("/w/a/tests/t.rs", ""),
            ("/w/b/src/lib.rs", ""),
            ("/w/c/src/lib.rs", "// the_bees"),
        ];
        let packages = [("a-kernel", "/w/a"), ("the-b", "/w/b"), ("c", "/w/c")];
        let ab = ["/w/a/src/lib.rs", "/w/a/tests/t.rs", "/w/b/src/lib.rs"];
        let expected: [&[&str]; 2] = [&ab, &["/w/c/src/lib.rs"]];
        assert_eq!(independent_parts(&files, &packages), expected);
    }

    #[test]
    fn few_bytes_are_one_part() {
        let files = [file("/a.rs", "fn f() {}"), file("/b.rs", "fn g() {}")];
        assert_eq!(parts_of(&files, &[], 18), [[0, 1]]);
        assert_eq!(parts_of(&files, &[], 17), [[0], [1]]);
    }
}
