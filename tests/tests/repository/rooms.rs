//! Which room reads which. Between crates that is what their manifests say; within one it is every path of every source file, imported or
//! written out.

use std::collections::{BTreeMap, BTreeSet};

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasModuleItem};
use ra_ap_syntax::{Edition, SourceFile, SyntaxNode};
use visa_analysis::Language;
use visa_tests::{read, repository, shown, source_files};

/// The rooms of `visa-engine`. Each reads only those before it; those of one line read none of each other. The order of the other rooms is
/// that of the crates, whose manifests say it.
const ORDER: &[&[&str]] = &[
    &["catalogue", "changes", "panics"],
    &["causes", "suppression"],
    &["check"],
    &["cost", "fixing"],
    &["advice"],
    &["workspace"],
];

/// The rooms of `visa-base`, which read none of each other, and those that read some of these.
const GROUNDS: &[&str] = &[
    "budget",
    "conditions",
    "db",
    "language",
    "names",
    "numbers",
    "threads",
    "visible",
];

/// Modules by their path from the crate's root, with the modules that their code names.
pub(crate) struct Modules {
    reads: BTreeMap<String, BTreeSet<String>>,
}

/// Whether a file holds tests or what only tests need.
fn is_test_code(path: &str) -> bool {
    let names = [
        "/tests/",
        "tests.rs",
        "/testing",
        "brute_force",
        "dma/events.rs",
    ];
    names.iter().any(|name| path.contains(name))
}

impl Modules {
    /// Those of the crate in a folder.
    pub(crate) fn of_crate(folder: &str) -> Self {
        let sources: Vec<(Vec<String>, String)> = source_files(folder)
            .iter()
            .filter(|path| !is_test_code(&shown(path)))
            .filter_map(|path| Some((module_path(&shown(path), folder)?, read(path))))
            .collect();
        let known: BTreeSet<String> = sources.iter().map(|(module, _)| name(module)).collect();
        let root = sources.iter().find(|(module, _)| module.is_empty());
        let crates: BTreeSet<&str> =
            root.map_or_else(BTreeSet::new, |(_, text)| named_crates(text));
        let mut reads = BTreeMap::new();
        for (module, text) in &sources {
            let tree = SourceFile::parse(text, Edition::Edition2024).tree();
            let mut found = BTreeSet::new();
            for path in paths(&tree) {
                let Some(path) = absolute(module, &path, &known) else {
                    continue;
                };
                if path
                    .first()
                    .is_some_and(|first| crates.contains(first.as_str()))
                {
                    continue;
                }
                let longest = (0..=path.len()).rev().map(|parts| name(&path[..parts]));
                found.extend(longest.into_iter().find(|path| known.contains(path)));
            }
            found.remove(&name(module));
            reads.insert(name(module), found);
        }
        Self { reads }
    }

    /// Modules that read each other, over others or at once.
    fn circles(&self) -> Vec<Vec<&str>> {
        let reached: BTreeMap<&str, BTreeSet<&str>> = self
            .reads
            .keys()
            .map(|module| (module.as_str(), self.reached(module)))
            .collect();
        let mut circles: Vec<Vec<&str>> = Vec::new();
        for (module, all) in &reached {
            if circles.iter().any(|circle| circle.contains(module)) {
                continue;
            }
            let back = |other: &&&str| reached.get(**other).is_some_and(|all| all.contains(module));
            let circle: Vec<&str> = all.iter().filter(back).copied().collect();
            if circle.len() > 1 {
                circles.push(circle);
            }
        }
        circles
    }

    /// Circles of at most so many modules, where a module that reads what one above it holds is in none.
    pub(crate) fn circles_of_siblings(mut self, most: usize) -> Vec<Vec<String>> {
        for (module, reads) in &mut self.reads {
            reads.retain(|read| {
                let inside = module.strip_prefix(read.as_str());
                !(read.is_empty() || inside.is_some_and(|inside| inside.starts_with("::")))
            });
        }
        let circles = self.circles().into_iter();
        let small = circles.filter(|circle| circle.len() <= most);
        small
            .map(|circle| circle.into_iter().map(str::to_owned).collect())
            .collect()
    }

    /// All modules that one reads, and those that they read.
    fn reached(&self, module: &str) -> BTreeSet<&str> {
        let reads = |module: &str| self.reads.get(module).into_iter().flatten();
        let mut found = BTreeSet::new();
        let mut open: Vec<&str> = reads(module).map(String::as_str).collect();
        while let Some(next) = open.pop() {
            if found.insert(next) {
                open.extend(reads(next).map(String::as_str));
            }
        }
        found
    }
}

fn name(path: &[String]) -> String {
    path.join("::")
}

/// The path of a file's module from the root of its crate: `analysis/engine/src/check/file.rs` is `check`, `file`. None for a file of
/// another crate in the folder.
fn module_path(path: &str, folder: &str) -> Option<Vec<String>> {
    let inside = path.strip_prefix(folder)?.strip_prefix("/src/")?;
    let inside = inside.strip_suffix(".rs")?;
    let mut module: Vec<String> = inside.split('/').map(str::to_owned).collect();
    let last = module.last().map(String::as_str);
    if matches!(last, Some("mod" | "lib")) {
        module.pop();
    }
    Some(module)
}

/// The names that the root of a crate gives to crates of ours: `use visa_project as project;`.
fn named_crates(root: &str) -> BTreeSet<&str> {
    let imports = root.lines().filter_map(|line| {
        let line = line.trim_start_matches("pub ").strip_prefix("use visa_")?;
        line.strip_suffix(';')?.split_once(" as ")
    });
    imports.map(|(_, name)| name).collect()
}

/// A path from the crate's root; none for one of another crate or of a name in scope.
fn absolute(module: &[String], path: &[String], known: &BTreeSet<String>) -> Option<Vec<String>> {
    let mut here = module.to_vec();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => {
            here.clear();
            rest = &path[1..];
        }
        "self" => rest = &path[1..],
        "super" => {
            while rest.first().is_some_and(|part| part == "super") {
                here.pop()?;
                rest = &rest[1..];
            }
        }
        first => {
            here.push(first.to_owned());
            let own = known.contains(&name(&here));
            here.pop();
            if !own {
                return None;
            }
        }
    }
    here.extend(rest.iter().cloned());
    Some(here)
}

/// Every path of a file's shipped code. A facade's `pub use self::child` is none: it names what the file consists of.
fn paths(tree: &SourceFile) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for item in tree.items().filter(|item| !is_of_tests(item)) {
        if let ast::Item::Use(import) = &item {
            let shown = ast::HasVisibility::visibility(import).is_some();
            let mut listed = Vec::new();
            if let Some(tree) = import.use_tree() {
                imported(&tree, &[], &mut listed);
            }
            let own = |path: &Vec<String>| path.first().is_some_and(|first| first == "self");
            found.extend(listed.into_iter().filter(|path| !(shown && own(path))));
        } else {
            written(item.syntax(), &mut found);
        }
    }
    found
}

/// Whether an item is compiled for tests only.
fn is_of_tests(item: &ast::Item) -> bool {
    item.attrs().any(|attribute| {
        let text = attribute.syntax().text().to_string();
        text.starts_with("#[cfg(") && text.contains("test")
    })
}

/// The paths of an import.
fn imported(tree: &ast::UseTree, before: &[String], found: &mut Vec<Vec<String>>) {
    let mut path = before.to_vec();
    path.extend(tree.path().iter().flat_map(parts));
    match tree.use_tree_list() {
        Some(list) => list
            .use_trees()
            .for_each(|inner| imported(&inner, &path, found)),
        None => found.push(path),
    }
}

/// The paths that are written in the code of an item, those of its imports and of macros included.
fn written(node: &SyntaxNode, found: &mut Vec<Vec<String>>) {
    for inner in node.descendants() {
        if let Some(tree) = ast::Use::cast(inner.clone()).and_then(|import| import.use_tree()) {
            imported(&tree, &[], found);
        } else if let Some(path) = ast::Path::cast(inner.clone()) {
            let outermost = inner
                .parent()
                .is_none_or(|above| !ast::Path::can_cast(above.kind()));
            let parts = parts(&path);
            if outermost && parts.len() > 1 {
                found.push(parts);
            }
        } else if let Some(tokens) = ast::TokenTree::cast(inner) {
            // What a macro is given is not parsed: paths from the root are found by their letters.
            let text = tokens.syntax().text().to_string();
            for (at, _) in text.match_indices("crate::") {
                let path = text[at..]
                    .split(|other: char| !other.is_alphanumeric() && !"_:".contains(other));
                let path = path.into_iter().next().unwrap_or("");
                found.push(path.split("::").map(str::to_owned).collect());
            }
        }
    }
}

fn parts(path: &ast::Path) -> Vec<String> {
    let mut parts = path.qualifier().as_ref().map_or_else(Vec::new, parts);
    parts.extend(path.segment().and_then(|segment| {
        let named = segment.name_ref().map(|name| name.text().to_string());
        named.or_else(|| Some(segment.syntax().text().to_string()))
    }));
    parts
}

/// The first part of a module's path.
fn room(module: &str) -> &str {
    module.split("::").next().unwrap_or(module)
}

#[test]
fn rooms_read_what_is_before_them() {
    let place = |room: &str| ORDER.iter().position(|line| line.contains(&room));
    let modules = Modules::of_crate("analysis/engine");
    let mut wrong = BTreeSet::new();
    let inner = modules.reads.iter().filter(|(name, _)| !name.is_empty());
    for (module, reads) in inner {
        let own = room(module);
        let Some(at) = place(own) else {
            wrong.insert(format!("{own} has no place in the order of rooms"));
            continue;
        };
        let others = reads.iter().filter(|read| !read.is_empty());
        for read in others.filter(|read| room(read) != own) {
            if place(room(read)).is_none_or(|other| other >= at) {
                wrong.insert(format!("{module} reads {read}"));
            }
        }
    }
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The walk sees what is there.
    let mut reads = modules.reads["workspace::reports"].iter();
    assert!(reads.any(|other| room(other) == "check"));
}

#[test]
fn the_grounds_read_nothing_of_each_other() {
    let modules = Modules::of_crate("analysis/base");
    for ground in GROUNDS {
        let reads = modules.reads[*ground].iter();
        let others: Vec<_> = reads.filter(|read| room(read) != *ground).collect();
        assert!(others.is_empty(), "{ground} reads {others:?}");
    }
}

/// What the manifest of a folder's crate depends on, tests left out.
fn dependencies(folder: &str) -> BTreeSet<String> {
    let manifest = read(&repository().join(folder).join("Cargo.toml"));
    let mut in_section = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines() {
        if line.starts_with('[') {
            in_section = line.ends_with("dependencies]") && !line.contains("dev-");
        } else if in_section && let Some((name, _)) = line.split_once(['.', ' ']) {
            found.insert(name.to_owned());
        }
    }
    found
}

/// The folders of the crates in a folder, those of the crate that is the folder itself left out.
pub(crate) fn crates_in(folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(repository().join(folder)).unwrap();
    let mut found: Vec<String> = entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.join("Cargo.toml").is_file())
        .map(|path| shown(&path))
        .collect();
    found.sort();
    found
}

/// The crates of the front ends, by the names of their languages.
fn front_end_crates() -> Vec<&'static str> {
    let front_ends = Language::ALL.into_iter().filter(|one| one.has_front_end());
    front_ends.map(Language::name).collect()
}

#[test]
fn languages_know_nothing_of_each_other() {
    // What a front end may be made of; each other crate of ours is made for kernels in Rust, or joins the languages.
    let shared = ["visa-base", "visa-findings", "visa-inputs", "visa-transfer"];
    let crates = front_end_crates();
    for language in &crates {
        let read = dependencies(&format!("analysis/{language}"));
        assert!(read.contains("visa-findings"), "{language}: {read:?}");
        let ours = read.iter().filter(|name| name.starts_with("visa-"));
        let wrong: Vec<_> = ours
            .filter(|name| !shared.contains(&name.as_str()))
            .collect();
        assert!(wrong.is_empty(), "{language} reads {wrong:?}");
    }
    let readers: Vec<String> = crates_in("analysis")
        .into_iter()
        .filter(|folder| {
            let read = dependencies(folder);
            let front_end = |language: &&str| read.contains(&format!("visa-{language}"));
            crates.iter().any(front_end)
        })
        .collect();
    assert_eq!(readers, ["analysis/engine"]);
}

#[test]
fn the_server_uses_the_front_door() {
    let of_engine: BTreeSet<String> = crates_in("analysis")
        .iter()
        .filter_map(|folder| folder.strip_prefix("analysis/"))
        .map(|name| format!("visa-{name}"))
        .collect();
    assert!(of_engine.contains("visa-engine"), "{of_engine:?}");
    let crates = crates_in("server");
    assert!(crates.contains(&"server/lsp".to_owned()), "{crates:?}");
    for folder in crates.iter().map(String::as_str).chain(["server"]) {
        let read = dependencies(folder);
        let behind: Vec<_> = read.intersection(&of_engine).collect();
        assert!(
            behind.is_empty(),
            "{folder} reaches behind the front door: {behind:?}"
        );
        for (protocol, own) in [("tower-lsp", "server/lsp"), ("rmcp", "server/mcp")] {
            assert_eq!(
                read.contains(protocol),
                folder == own,
                "{folder}: {protocol}"
            );
        }
    }
}

#[test]
fn the_server_has_no_circles() {
    for folder in crates_in("server") {
        let modules = Modules::of_crate(&folder);
        let circles = modules.circles();
        let shown: Vec<String> = circles.iter().map(|circle| circle.join(", ")).collect();
        assert!(shown.is_empty(), "{folder}: {}", shown.join("\n"));
    }
    // The walk sees what is there.
    let modules = Modules::of_crate("server/cli");
    assert!(modules.reached("cost").contains("output"));
}
