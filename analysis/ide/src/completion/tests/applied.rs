//! What completion offers is nothing that the checker then refuses: kernels of the current library that are right are cut behind
//! each stage, each proposal is put there, and no finding of the order or existence of methods may come of it.

use std::path::Path;

use crate::Completion;
use crate::items::Dialect;
use crate::rules::{Group, Level};
use crate::workspace::Workspace;

use super::releases::{dialect, proposals};

/// Rules about which method may follow which, in which context, for which type; and about methods that are not there.
const OF_ORDER: [&str; 12] = [
    "pipeline_order",
    "lift_order",
    "context_restriction",
    "vector_stage_order",
    "vector_way",
    "vector_type",
    "inter_reduce_stage",
    "stash_stage",
    "two_group_unavailable",
    "fetch_sub_context_adapter",
    "contraction_type",
    "other_release_api",
];
/// Each cut is made at every so many places, to keep the time of the test down.
const STEP: usize = 13;

/// The kernels of a release that are alone in a file.
fn kernels(release: &str) -> Vec<(String, String)> {
    let folder = format!(
        "{}/../../fixtures/kernels/current/{release}",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut files: Vec<(String, String)> = std::fs::read_dir(Path::new(&folder))
        .expect("the folder")
        .filter_map(|entry| {
            let entry = entry.ok()?;
            let name = entry.file_name().into_string().ok()?;
            let text = std::fs::read_to_string(entry.path()).ok()?;
            Some((name, text)).filter(|(name, _)| name.ends_with(".rs"))
        })
        .collect();
    files.sort();
    files
}

/// The proposal as it is inserted, `_` in the place of mappings and types, arguments as they are proposed.
fn filled(found: &Completion) -> String {
    let mut text = String::new();
    let mut rest = found.insert.as_str();
    while let Some((before, behind)) = rest.split_once('$') {
        text.push_str(before);
        if let Some(inside) = behind.strip_prefix('{') {
            let (place, after) = inside.split_once('}').expect("a place");
            let (_, usual) = place.split_once(':').expect("a usual text");
            let is_type = text.matches('<').count() > text.matches('>').count();
            text.push_str(if is_type { "_" } else { usual });
            rest = after;
        } else {
            rest = behind.trim_start_matches(|letter: char| letter.is_ascii_digit());
        }
    }
    text.push_str(rest);
    text.replace("m![]", "_")
}

/// The statement's end behind a place: the semicolon or the brace that closes the block.
fn statement_end(text: &str, from: usize) -> usize {
    let mut depth = 0_i32;
    for (at, letter) in text[from..].char_indices() {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth == 0 => return from + at,
            ')' | ']' | '}' => depth -= 1,
            ';' if depth == 0 => return from + at,
            _ => {}
        }
    }
    text.len()
}

/// Findings up to a byte about the order or existence of methods that are denied, with their lines left out. What follows may be
/// given another tensor than it is written for.
fn denied(text: &str, end: usize, dialect: Dialect) -> Vec<String> {
    let last = text[..end].matches('\n').count() + 1;
    let mut workspace = Workspace::new();
    workspace.set_dialect(dialect);
    workspace.set_file("kernel.rs", text);
    let report = workspace.analysis().check_file("kernel.rs");
    let mut found: Vec<String> = report
        .diagnostics
        .iter()
        .filter(|found| found.range.start.line as usize <= last)
        .filter(|found| {
            found.group.default_level() == Level::Deny && OF_ORDER.contains(&found.rule)
                || found.rule == "other_release_api"
        })
        .map(|found| format!("[{}] {}", found.rule, found.message))
        .collect();
    found.sort();
    found
}

#[test]
fn what_is_offered_behind_a_stage_is_not_refused_there() {
    let (mut problems, mut tried) = (Vec::new(), 0_usize);
    for (release, minor) in [("0.6", 6), ("0.8", 8), ("0.10", 10)] {
        for (file, text) in kernels(release) {
            let dots = text
                .match_indices("\n        .")
                .map(|(at, found)| at + found.len());
            for at in dots.skip(minor as usize % STEP).step_by(STEP) {
                let end = statement_end(&text, at);
                let (before, behind) = (&text[..at], &text[end..]);
                let ended = before.trim_end().trim_end_matches('.');
                let plain = denied(&format!("{ended}{behind}"), ended.len(), dialect(minor));
                let cut = format!("{before}$0{behind}");
                for found in proposals(minor, &cut) {
                    tried += 1;
                    let applied = format!("{before}{}", filled(&found));
                    let end = applied.len();
                    let mut new = denied(&format!("{applied}{behind}"), end, dialect(minor));
                    new.retain(|finding| !plain.contains(finding));
                    if !new.is_empty() {
                        let line = before.lines().count();
                        problems.push(format!(
                            "{release}/{file}:{line}: `{}`: {new:?}",
                            found.label
                        ));
                    }
                }
            }
        }
    }
    problems.truncate(40);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(tried >= 300, "only {tried} proposals were tried");
    assert_eq!(Group::Toolchain.default_level(), Level::Warn);
}

#[test]
fn what_authors_wrote_next_is_offered() {
    let (mut problems, mut seen) = (Vec::new(), 0_usize);
    for (release, minor) in [("0.6", 6), ("0.8", 8), ("0.10", 10)] {
        for (file, text) in kernels(release) {
            let dots = text
                .match_indices("\n        .")
                .map(|(at, found)| at + found.len());
            for at in dots {
                let word: String = text[at..]
                    .chars()
                    .take_while(|letter| letter.is_alphanumeric() || *letter == '_')
                    .collect();
                let is_field = matches!(word.as_str(), "main" | "sub" | "tdma" | "pdma");
                if is_field || word.is_empty() {
                    continue;
                }
                seen += 1;
                let cut = format!("{}$0{}", &text[..at], &text[at..]);
                let found = proposals(minor, &cut);
                if !found.iter().any(|found| found.label == word) {
                    let line = text[..at].lines().count();
                    let found: Vec<&str> = found.iter().map(|found| found.label.as_str()).collect();
                    problems.push(format!(
                        "{release}/{file}:{line}: {word} is not in {found:?}"
                    ));
                }
            }
        }
    }
    problems.truncate(40);
    assert!(problems.is_empty(), "{}", problems.join("\n"));
    assert!(seen >= 600, "only {seen} places");
}
