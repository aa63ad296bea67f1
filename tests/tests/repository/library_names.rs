//! No room but a library's own folders knows what the library calls its methods, types and variants.
//!
//! What is left outside is listed, file by file, and may only become less: the test prints what a number can be lowered to.

use std::collections::{BTreeMap, BTreeSet};

use visa_analysis::Language;
use visa_tests::{engine_files, read, repository, rust_files, shown};

/// Where libraries are described: what each has of its own, and what both have.
const FOLDERS: &[&str] = &["analysis/libraries/src", "analysis/kernel/src/dialect"];
const LIBRARIES: &[&str] = &["visa_std", "opt_std", "common"];

/// Files outside of them that still name something of the library, how often, and why.
const LEFT: &[(&str, usize, &str)] = &[
    (
        "analysis/rules/src/contraction/mod.rs",
        2,
        "headings of the book, which name a method",
    ),
    (
        "analysis/rules/src/switch.rs",
        1,
        "a heading of the book, which names a topology",
    ),
    (
        "analysis/run/src/rules.rs",
        48,
        "the kernels of the pages about findings of a run",
    ),
    (
        "analysis/run/src/tags.rs",
        2,
        "comparisons of raw bits, which the operation holds by name",
    ),
];

/// Methods of one word: they are names of the library where they are written as code.
const METHODS: &[&str] = &[
    "accumulate",
    "address",
    "align",
    "begin",
    "cast",
    "collect",
    "commit",
    "contract",
    "fetch",
    "reshape",
    "switch",
    "tile",
    "transpose",
    "view",
];

/// Rust's own words among a library's.
const ORDINARY: &[&str] = &[
    "new", "from", "clone", "into", "launch", "zero", "rand", "group",
];

/// The book's names of stages of the Vector Engine: they are the machine's, and a library's types are called after them.
const STAGES: &[&str] = &["FxpToFp", "FpToFxp"];

/// The shipped code of a file: no tests, no lines of comments.
fn code(text: &str) -> String {
    let starts = ["#[cfg(test)]\nmod tests {", "#[cfg(all(test, "];
    let end = starts.iter().filter_map(|start| text.find(start)).min();
    let lines = text[..end.unwrap_or(text.len())].lines();
    let shipped = lines.filter(|line| !line.trim_start().starts_with("//"));
    shipped.collect::<Vec<_>>().join("\n")
}

/// The string literals of a text.
fn literals(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text.chars().peekable();
    let mut before = ' ';
    while let Some(character) = rest.next() {
        if character == '"' && before != '\'' && before != '\\' {
            let mut literal = String::new();
            while let Some(inner) = rest.next() {
                match inner {
                    '"' => break,
                    '\\' => {
                        rest.next();
                        literal.push(' ');
                    }
                    inner => literal.push(inner),
                }
            }
            found.push(literal);
            before = ' ';
        } else {
            before = character;
        }
    }
    found
}

/// A text without what it captures: `{ring_size}` is a variable of the code around it.
fn without_captures(text: &str) -> String {
    let mut kept = String::new();
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('{') {
        kept.push_str(before);
        let end = behind.find(['}', ' ', ':']).unwrap_or(0);
        rest = match behind[end..].chars().next() {
            Some('}' | ':') => &behind[end..],
            _ => behind,
        };
    }
    kept.push_str(rest);
    kept
}

/// The words of a text, each with the character before it.
fn words(text: &str) -> Vec<(char, &str)> {
    let is_word = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut found = Vec::new();
    let mut start = None;
    let ends = text.char_indices().chain([(text.len(), ' ')]);
    for (at, character) in ends {
        match (start, is_word(character)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                let before = text[..from].chars().next_back().unwrap_or(' ');
                found.push((before, &text[from..at]));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// Whether a word can be only a name of the library: of several parts.
fn is_telling(word: &str) -> bool {
    let humps = word
        .chars()
        .zip(word.chars().skip(1))
        .any(|(one, two)| one.is_ascii_lowercase() && two.is_ascii_uppercase());
    let numbered = word.starts_with(|first: char| first.is_ascii_uppercase())
        && word.ends_with(|last: char| last.is_ascii_digit())
        && word.len() > 3;
    word.trim_matches('_').contains('_') || humps || numbered
}

/// Whether a file is in a library's own folder.
fn is_own(path: &str) -> bool {
    // Front ends of other languages have names of their own, some of which are spelled alike.
    let mut others = Language::ALL.into_iter().filter(|one| one.has_front_end());
    if others.any(|language| path.starts_with(&format!("analysis/{}/", language.name()))) {
        return true;
    }
    let own = |folder: &&str| {
        LIBRARIES
            .iter()
            .any(|library| path.starts_with(&format!("{folder}/{library}")))
    };
    FOLDERS.iter().any(own)
}

/// The names of the libraries that tell by themselves.
fn names() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let files = FOLDERS
        .iter()
        .flat_map(|folder| rust_files(&repository().join(folder)));
    for file in files {
        // What is said of errors names rules.
        let said = file.ends_with("guide.rs") || file.ends_with("errors.rs");
        if said || !is_own(&shown(&file)) {
            continue;
        }
        for literal in literals(&code(&read(&file))) {
            let one_word = words(&literal).iter().any(|(_, word)| *word == literal);
            let ordinary = ORDINARY.contains(&&*literal) || STAGES.contains(&&*literal);
            if one_word && is_telling(&literal) && !ordinary {
                found.insert(literal);
            }
        }
    }
    found
}

fn is_test_code(path: &str) -> bool {
    let of_tests = [
        "/tests/",
        "tests.rs",
        "/testing",
        "brute_force",
        "dma/events.rs",
    ];
    of_tests.iter().any(|part| path.contains(part))
}

#[test]
fn a_librarys_names_stand_in_its_folder() {
    let telling = names();
    for name in [
        "vector_fxp",
        "Broadcast01",
        "FirstHalf",
        "DmTensor",
        "FxpBinaryOp",
        "LaneMode",
    ] {
        assert!(telling.contains(name), "{name}");
    }
    let mut found: BTreeMap<String, usize> = BTreeMap::new();
    for file in engine_files() {
        let path = shown(&file);
        if is_own(&path) || is_test_code(&path) {
            continue;
        }
        let literals = literals(&code(&read(&file)));
        let named = |(before, word): &(char, &str)| {
            telling.contains(*word) || (*before == '`' && METHODS.contains(word))
        };
        let count = literals
            .iter()
            .map(|literal| {
                words(&without_captures(literal))
                    .iter()
                    .filter(|word| named(word))
                    .count()
            })
            .sum::<usize>();
        if count > 0 {
            found.insert(path, count);
        }
    }
    let left: usize = found.values().sum();
    println!(
        "{left} names of libraries in {} files outside of their folders",
        found.len()
    );
    let mut wrong = Vec::new();
    for (path, count) in &found {
        let allowed = LEFT.iter().find(|(known, ..)| known == path);
        match allowed.map_or(0, |(_, allowed, _)| *allowed) {
            allowed if *count > allowed => wrong.push(format!(
                "{path} names {count} things of a library, {allowed} are left: ask the library's table"
            )),
            allowed if *count < allowed => {
                wrong.push(format!("{path}: {count} are left, lower the number from {allowed}"));
            }
            _ => {}
        }
    }
    let gone = LEFT.iter().filter(|(path, ..)| !found.contains_key(*path));
    wrong.extend(gone.map(|(path, ..)| format!("{path}: nothing is left, take it off the list")));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The smallest engine is named where it is declared, derived, costed and judged, and where a library says what asks for it.
/// A new stage touches as many files as this one is plumbed through.
#[test]
fn a_stage_is_named_in_few_files() {
    let variants = [
        "StageKind",
        "Position",
        "CanonicalStage",
        "S",
        "Engine",
        "StageDerivation",
    ];
    let variants: Vec<String> = variants
        .iter()
        .map(|one| format!("{one}::Transpose"))
        .collect();
    let mut found = Vec::new();
    for file in engine_files() {
        let path = shown(&file);
        let text = code(&read(&file));
        let names = |one: &String| {
            text.match_indices(one.as_str()).any(|(at, _)| {
                let before = text[..at].chars().next_back().unwrap_or(' ');
                let after = text[at + one.len()..].chars().next().unwrap_or(' ');
                !before.is_ascii_alphanumeric() && !after.is_ascii_alphanumeric()
            })
        };
        if !is_test_code(&path) && variants.iter().any(names) {
            found.push(path);
        }
    }
    // The libraries' tables are one place, however many files they take.
    for path in &mut found {
        let tables = "analysis/kernel/src/dialect";
        if path.starts_with(tables) {
            tables.clone_into(path);
        }
    }
    found.dedup();
    println!(
        "{} files name the stage:\n{}",
        found.len(),
        found.join("\n")
    );
    assert!(found.len() <= STAGE_FILES, "{}", found.join("\n"));
}

/// Files that name the smallest stage, position or engine.
const STAGE_FILES: usize = 9;
