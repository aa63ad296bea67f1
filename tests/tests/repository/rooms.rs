//! Which room reads which: every path of every source file, imported or written out, against the order of the rooms.

use std::collections::{BTreeMap, BTreeSet};

use ra_ap_syntax::ast::{self, AstNode, HasAttrs, HasModuleItem};
use ra_ap_syntax::{Edition, SourceFile, SyntaxNode};
use visa_tests::{read, shown, source_files};

/// The rooms of the engine. Each reads only those before it; those of one line read none of each other.
const ORDER: &[&[&str]] = &[
    &[
        "arrays",
        "budget",
        "conditions",
        "db",
        "hardware",
        "lanes",
        "language",
        "mapping",
        "names",
        "numbers",
        "threads",
        "transfer",
        "visible",
    ],
    &["libraries", "markdown", "syntax"],
    &["inputs"],
    &["findings", "items"],
    &["kernel"],
    &["derivation", "lowering"],
    &["simulation"],
    // Each language for itself.
    &["nki", "pto", "places", "rules"],
    &["catalogue", "changes", "run"],
    &["causes", "suppression"],
    &["check"],
    &["cost", "fixing"],
    &["advice"],
    &["workspace"],
    &["ide"],
];

/// Modules by their path from the crate's root, with the modules that their code names.
struct Modules {
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
    /// Those of the crates in a folder, with the names of a crate's rooms before the paths of its modules.
    fn of(folder: &str) -> Self {
        let sources: Vec<(Source, String)> = source_files(folder)
            .iter()
            .filter(|path| !is_test_code(&shown(path)))
            .filter_map(|path| Some((Source::of(&shown(path), folder)?, read(path))))
            .collect();
        let known: BTreeSet<String> = sources
            .iter()
            .map(|(source, _)| name(&source.module))
            .collect();
        let mut reads = BTreeMap::new();
        for (source, text) in &sources {
            let module = &source.module;
            let tree = SourceFile::parse(text, Edition::Edition2024).tree();
            let mut found = BTreeSet::new();
            for path in paths(&tree) {
                let Some(path) = absolute(source, &path, &known) else {
                    continue;
                };
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

/// A file by the path of its module.
struct Source {
    /// Where the crate's root stands: nowhere, or at the name of the one room that the crate is.
    root: Vec<String>,
    /// From the rooms' common root.
    module: Vec<String>,
}

/// Crates that hold several rooms; each other crate is one room of its own name.
const OF_SEVERAL_ROOMS: &[&str] = &["base", "engine"];

/// Parts of crates that the engine's root has by their own names, each with its crate.
const PARTS: &[(&str, &str)] = &[
    ("answers", "findings"),
    ("fragments", "syntax"),
    ("neighbours", "findings"),
    ("report", "findings"),
];

/// The path of a crate's root among the rooms.
fn root_of(crate_name: &str) -> Vec<String> {
    if OF_SEVERAL_ROOMS.contains(&crate_name) {
        Vec::new()
    } else {
        vec![crate_name.to_owned()]
    }
}

impl Source {
    /// `analysis/engine/src/check/file.rs` is `check`, `file`; `analysis/mapping/src/form.rs` is `mapping`, `form`.
    fn of(path: &str, folder: &str) -> Option<Self> {
        let (crate_folder, inside) = path.split_once("/src/")?;
        let crate_name = crate_folder.strip_prefix(folder)?.trim_matches('/');
        let root = match crate_name {
            "" => Vec::new(),
            name => root_of(name),
        };
        let inside = inside.strip_suffix(".rs")?;
        let mut module = root.clone();
        module.extend(inside.split('/').map(str::to_owned));
        let last = module.last().map(String::as_str);
        if matches!(last, Some("mod" | "lib")) {
            module.pop();
        }
        Some(Self { root, module })
    }
}

/// A path from the crate's root; none for one of another crate or of a name in scope.
fn absolute(source: &Source, path: &[String], known: &BTreeSet<String>) -> Option<Vec<String>> {
    let mut here = source.module.clone();
    let mut rest = path;
    match path.first()?.as_str() {
        "crate" => {
            here.clone_from(&source.root);
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
            // A crate of ours; `known` has no room of the name of another crate.
            if let Some(crate_name) = first.strip_prefix("visa_") {
                let mut found = root_of(crate_name);
                found.extend(path[1..].iter().cloned());
                return known.contains(found.first()?).then_some(found);
            }
            here.push(first.to_owned());
            let own = known.contains(&name(&here));
            here.pop();
            if !own {
                return None;
            }
        }
    }
    // The root of a crate has the rooms of the crates below it by their names, where it has no module of that name.
    if here == source.root {
        let first = rest.first().cloned().unwrap_or_default();
        let mut own = here.clone();
        own.push(first.clone());
        let of_crate = PARTS.iter().any(|(name, _)| *name == first);
        if !known.contains(&name(&own)) && (of_crate || known.contains(&first)) {
            here.clear();
        }
    }
    // And these parts of crates by their own names.
    if here.is_empty() {
        let part = rest.first().map(String::as_str);
        let of_crate = PARTS.iter().find(|(name, _)| part == Some(*name));
        here.extend(of_crate.map(|(_, room)| (*room).to_owned()));
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

#[test]
fn rooms_read_what_is_before_them() {
    let place = |room: &str| ORDER.iter().position(|line| line.contains(&room));
    let modules = Modules::of("analysis");
    let room = |module: &str| module.split("::").next().unwrap().to_owned();
    let mut wrong = BTreeSet::new();
    for (module, reads) in modules
        .reads
        .iter()
        .filter(|(module, _)| !module.is_empty())
    {
        let own = room(module);
        let Some(at) = place(&own) else {
            wrong.insert(format!("{own} has no place in the order of rooms"));
            continue;
        };
        for read in reads
            .iter()
            .filter(|read| !read.is_empty() && room(read) != own)
        {
            if place(&room(read)).is_none_or(|other| other >= at) {
                wrong.insert(format!("{module} reads {read}"));
            }
        }
    }
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // The walk sees what is there.
    let seen = |module: &str, read: &str| {
        modules.reads[module]
            .iter()
            .any(|other| room(other) == read)
    };
    assert!(seen("workspace::reports", "check") && seen("items::file", "inputs"));
    let grounds = [
        "db",
        "budget",
        "conditions",
        "language",
        "names",
        "numbers",
        "threads",
        "visible",
    ];
    for ground in grounds {
        let reads = modules.reads[ground].iter();
        let others: Vec<_> = reads.filter(|read| room(read) != ground).collect();
        assert!(others.is_empty(), "{ground} reads {others:?}");
    }
}

/// The rooms that are made for kernels in Rust.
const OF_RUST: &[&str] = &[
    "advice",
    "completion",
    "derivation",
    "items",
    "kernel",
    "libraries",
    "lowering",
    "mapping",
    "rules",
    "simulation",
    "syntax",
];

/// The rooms of other languages.
const NEIGHBOURS: &[&str] = &["nki", "pto"];

#[test]
fn languages_know_nothing_of_each_other() {
    let modules = Modules::of("analysis");
    let room = |module: &str| module.split("::").next().unwrap().to_owned();
    let mut wrong = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for (module, reads) in &modules.reads {
        let own = room(module);
        for read in reads.iter().map(|read| room(read)) {
            let (own, read) = (own.as_str(), read.as_str());
            seen.insert((own.to_owned(), read.to_owned()));
            let out = NEIGHBOURS.contains(&own) && OF_RUST.contains(&read);
            let into = NEIGHBOURS.contains(&read) && OF_RUST.contains(&own);
            let beside = own != read && NEIGHBOURS.contains(&own) && NEIGHBOURS.contains(&read);
            // What leads to the front ends would lead to them by another name.
            let around = read == "catalogue" && OF_RUST.contains(&own);
            if out || into || beside || around {
                wrong.insert(format!("{module} reads {read}"));
            }
        }
    }
    let wrong: Vec<_> = wrong.into_iter().collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (own, read) in [
        ("catalogue", "pto"),
        ("pto", "findings"),
        ("kernel", "items"),
    ] {
        assert!(
            seen.contains(&(own.to_owned(), read.to_owned())),
            "{own} reads {read}"
        );
    }
}

#[test]
fn the_server_has_no_circles() {
    let modules = Modules::of("server");
    let circles = modules.circles();
    let shown: Vec<String> = circles.iter().map(|circle| circle.join(", ")).collect();
    assert!(shown.is_empty(), "{}", shown.join("\n"));
    assert!(modules.reached("lint").contains("lint::output"));
}
