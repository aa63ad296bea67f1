//! Uses across the files of a project.

use crate::EditorQuestions as _;
use std::collections::BTreeMap;

use crate::names::testing::Marked;
use crate::workspace::{Analysis, Workspace};

/// The lines of the page at a place that tell of uses in other files.
fn elsewhere(analysis: &Analysis, path: &str, offset: u32) -> Vec<String> {
    let page = analysis.hover(path, offset).expect("an answer");
    let page = page.map_or_else(String::new, |hover| hover.markdown);
    let at = page
        .match_indices("Used ")
        .find(|(at, _)| {
            let line = page.get(*at..).and_then(|rest| rest.lines().next());
            line.is_some_and(|line| line.contains("other file"))
        })
        .map(|(at, _)| at);
    let told = at.and_then(|at| page.get(at..)).unwrap_or("");
    let told = told.lines().filter(|line| !line.is_empty());
    told.map(str::to_owned).collect()
}

#[track_caller]
fn check(files: &[(&str, &str)], expected: &[&str]) {
    let marked = Marked::new(files);
    let (path, offset) = &marked.caret;
    let found = elsewhere(&marked.analysis(), path, *offset);
    assert_eq!(found, expected);
}

const AXES: &str = "axes![Rows = 8, K = 64]; pub type Half = m![Rows / 2];";

#[test]
fn what_is_prepared_is_not_counted_again() {
    let mut workspace = Workspace::with_event_log();
    let user = "use super::shape::Rows; type A = m![Rows];";
    workspace.set_files([
        ("src/lib.rs", "mod shape; mod one; mod other;"),
        ("src/shape.rs", AXES),
        ("src/one.rs", user),
        ("src/other.rs", user),
    ]);
    let counted = |workspace: &Workspace| {
        let events = workspace.take_events();
        let counts = events.iter().filter(|event| event.starts_with("file_uses"));
        counts.count()
    };
    assert_eq!(workspace.analysis().prepare_hovers(), Ok(()));
    // The two users may name what others declare; the root only declares modules.
    assert_eq!(counted(&workspace), 2);
    let offset = u32::try_from(AXES.find("Rows").unwrap()).unwrap();
    let told = elsewhere(&workspace.analysis(), "src/shape.rs", offset);
    assert_eq!(
        told,
        [
            "Used 2 times in 2 other files:",
            "- `one.rs`: once",
            "- `other.rs`: once"
        ]
    );
    assert_eq!(counted(&workspace), 0);
}

#[test]
fn uses_in_other_files_are_counted_without_imports() {
    let files = [
        (
            "net/src/lib.rs",
            "mod shape; mod dense; mod conv; mod other;",
        ),
        ("net/src/shape.rs", &AXES.replace("Rows = 8", "Ro$0ws = 8")),
        (
            "net/src/dense.rs",
            "use crate::shape::Rows; // Rows\ntype A = m![Rows, Rows # 16]; fn f(x: T<Rows>) { println!(\"Rows\"); }",
        ),
        (
            "net/src/conv.rs",
            "use super::shape::Rows as R; type Rows = m![R]; type B = m![{ Rows }];",
        ),
        ("net/src/other.rs", "axes![Rows = 8]; type C = m![Rows];"),
    ];
    check(
        &files,
        &[
            "Used 4 times in 2 other files:",
            "- `dense.rs`: 3 times",
            "- `conv.rs`: once",
        ],
    );
}

#[test]
fn the_file_of_the_declaration_counts_for_readers_elsewhere() {
    let files = [
        ("net/src/lib.rs", "mod shape; mod dense;"),
        ("net/src/shape.rs", AXES),
        (
            "net/src/dense.rs",
            "use crate::shape::*; type A = m![$0Rows];",
        ),
    ];
    check(
        &files,
        &["Used once in one other file:", "- `shape.rs`: once"],
    );
}

#[test]
fn aliases_count_as_well_and_the_most_frequent_files_come_first() {
    let uses = |count: usize| {
        let uses: String = (0..count)
            .map(|n| format!("type T{n} = m![{{ Half }}];"))
            .collect();
        format!("use crate::shape::*; {uses}")
    };
    let names = ["a", "b", "c", "d", "e", "f"];
    let texts: Vec<(String, String)> = names
        .iter()
        .zip([1, 2, 3, 4, 5, 6])
        .map(|(name, count)| (format!("net/src/{name}.rs"), uses(count)))
        .collect();
    let declared = AXES.replace("type Half", "type Ha$0lf");
    let mut files = vec![
        (
            "net/src/lib.rs",
            "mod shape; mod a; mod b; mod c; mod d; mod e; mod f;",
        ),
        ("net/src/shape.rs", &declared),
    ];
    files.extend(
        texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    check(
        &files,
        &[
            "Used 21 times in 6 other files:",
            "- `f.rs`: 6 times",
            "- `e.rs`: 5 times",
            "- `d.rs`: 4 times",
            "- `c.rs`: 3 times",
            "and in 2 more files",
        ],
    );
}

#[test]
fn packages_name_each_other_and_lone_files_do_not() {
    let files = [
        ("net-core/src/lib.rs", "axes![R$0ows = 8];"),
        (
            "net/src/main.rs",
            "type A = m![{ net_core::Rows }, { net_core::Rows }];",
        ),
        ("lone.rs", "axes![Rows = 8]; type A = m![Rows];"),
    ];
    check(
        &files,
        &[
            "Used 2 times in one other file:",
            "- `net/src/main.rs`: 2 times",
        ],
    );
    let files = [
        ("one.rs", "axes![R$0ows = 8];"),
        (
            "two.rs",
            "type A = m![Rows, { crate::Rows }, { super::Rows }];",
        ),
    ];
    check(&files, &[]);
}

#[test]
fn a_module_that_is_a_file_is_named_without_an_import() {
    let files = [
        (
            "top.rs",
            "mod part; mod far { pub mod away; } type A = m![{ part::Rows }, { far::away::Half }];",
        ),
        ("part.rs", "axes![Rows$0 = 8];"),
        (
            "far/away.rs",
            "use crate::part as p; pub type Half = m![{ p::Rows }];",
        ),
    ];
    check(
        &files,
        &[
            "Used 2 times in 2 other files:",
            "- `far/away.rs`: once",
            "- `top.rs`: once",
        ],
    );
}

/// How often a name is used in other files, by references: imports are no uses.
fn referred(marked: &Marked, path: &str, offset: u32) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    let places = marked.analysis().references(path, offset, false);
    for place in places.expect("an answer") {
        let (_, text) = marked
            .files
            .iter()
            .find(|(path, _)| **path == *place.file)
            .expect("a file");
        let before = text.get(..place.range.start as usize).expect("a place");
        // Every import of these texts ends its statement.
        let imports = before
            .rsplit(';')
            .next()
            .is_some_and(|statement| statement.contains("use "));
        if *place.file != *path && !imports {
            *counts.entry(place.file.to_string()).or_default() += 1;
        }
    }
    counts
}

#[test]
fn counts_are_those_of_references() {
    let files = [
        (
            "net/src/lib.rs",
            "pub mod shape; mod dense; mod conv; pub use shape::Rows as Lines;",
        ),
        (
            "net/src/shape.rs",
            "axes![Rows = 8, K = 64]; pub type Half = m![Rows / 2];
            mod inner { use super::*; type T = m![Half, Rows]; fn g() { use super::K as L; type U = m![L]; } }",
        ),
        (
            "net/src/dense.rs",
            "use crate::shape::{self, Half}; use crate::Lines;
            fn f<K>() { type A = m![K, Lines, { shape::K }, Half]; axes![Half = 2]; i![Half: 1]; foo!(Lines, shape::K); }",
        ),
        (
            "net/src/conv.rs",
            "mod inside { use super::super::shape::*; type A = m![K, Rows]; fn h(x: D<Half>) { Rows; } }
            impl T for m![{ crate::Lines }] { type O = crate::shape::Half; }
            macro_rules! k { () => { crate::Lines } }",
        ),
    ];
    let marked = Marked::new(&files);
    let analysis = marked.analysis();
    let short = |path: &str| path.trim_start_matches("net/src/").to_owned();
    let mut told = 0;
    for (path, text) in &marked.files {
        for (at, _) in text.match_indices(|letter: char| letter.is_uppercase()) {
            let offset = u32::try_from(at).expect("a short text");
            let Some(page) = analysis.hover(path, offset).expect("an answer") else {
                continue;
            };
            // In an escape and on a generic parameter the page is another's.
            let is_alias = page.markdown.starts_with("**`") && !page.markdown.starts_with("**`m!");
            if !page.markdown.starts_with("axis **") && !is_alias {
                continue;
            }
            let mut found = elsewhere(&analysis, path, offset);
            found.sort();
            found.retain(|line| line.starts_with('-'));
            let expected = referred(&marked, path, offset).into_iter();
            let expected: Vec<String> = expected
                .map(|(path, count)| match count {
                    1 => format!("- `{}`: once", short(&path)),
                    count => format!("- `{}`: {count} times", short(&path)),
                })
                .collect();
            assert_eq!(found, expected, "{path}@{at} {}", page.markdown);
            told += found.len();
        }
    }
    assert!(told > 20, "{told}");
}

#[test]
fn an_edit_elsewhere_counts_that_function_anew_and_nothing_else() {
    let mut workspace = Workspace::with_event_log();
    let other = "use crate::part::*; fn f() { type A = m![Rows]; } fn g() { type B = m![Rows]; }";
    workspace.set_files([
        ("top.rs", "mod part; mod other; mod third;"),
        ("part.rs", "axes![Rows = 8];"),
        ("other.rs", other),
        ("third.rs", "use crate::part::*; type C = m![Rows];"),
    ]);
    workspace.open_file("other.rs");
    let at = "axes![".len() as u32;
    let count = |workspace: &Workspace| elsewhere(&workspace.analysis(), "part.rs", at)[0].clone();
    assert_eq!(count(&workspace), "Used 3 times in 2 other files:");
    workspace.set_file(
        "other.rs",
        &other.replace("B = m![Rows]", "B = m![Rows, Rows]"),
    );
    drop(workspace.take_events());
    assert_eq!(count(&workspace), "Used 4 times in 2 other files:");
    let events = workspace.take_events();
    let of = |query: &str| {
        let query = format!("{query}(");
        events
            .iter()
            .filter(|event| event.starts_with(&query))
            .count()
    };
    // The function, its file's counts.
    assert_eq!((of("item_uses"), of("file_uses")), (1, 1), "{events:?}");
}

#[test]
fn a_very_large_project_says_that_it_is_not_counted() {
    let long = format!(
        "use crate::shape::Rows; /*{}*/ type A = m![Rows];",
        "-".repeat(300_000)
    );
    let files = |names: &[&'static str]| -> Vec<String> {
        let mut files = vec![
            ("net/src/lib.rs", "mod shape; mod a; mod b; mod c; mod d;"),
            ("net/src/shape.rs", "axes![R$0ows = 8];"),
        ];
        files.extend(names.iter().map(|name| (*name, long.as_str())));
        let marked = Marked::new(&files);
        let (path, offset) = &marked.caret;
        let page = marked.analysis().hover(path, *offset);
        let page = page.expect("an answer").expect("a page").markdown;
        page.lines().skip(4).map(str::to_owned).collect()
    };
    let names = [
        "net/src/a.rs",
        "net/src/b.rs",
        "net/src/c.rs",
        "net/src/d.rs",
    ];
    assert_eq!(files(&names[..3])[0], "Used 3 times in 3 other files:");
    assert_eq!(
        files(&names),
        ["Uses in other files are not counted here: 4 of them may name it."]
    );
}
