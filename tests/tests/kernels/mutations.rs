//! Mutation proof: right kernels are broken one fact at a time, or rewritten to mean the same. A check of the test's own
//! decides which of them are illegal; nearly all of these must be found, and nothing in the others.
//!
//! The check (`oracle`) reads kernels by brackets and names and writes every mapping out position by position; it shares
//! nothing with the program. It is tried on the right kernels first, where it must find nothing.

mod fixable;
mod hints;
mod kinds;
mod mapping;
mod oracle;
mod source;
mod stages;
mod switches;
mod table;
mod vector;

use std::fmt::Write as _;

use self::kinds::{KINDS, Kind, Mutant};
use source::Source;
use visa_analysis::{Diagnostic, Level, Workspace};
use visa_tests::threads::on_all_threads;
use visa_tests::{line_of, read, repository, rust_files, shown};

/// Most mutants of a kind that are tried, taken evenly from all.
const MUTANTS: usize = 48;

/// The right kernels of all fixtures: path and text.
fn right_kernels() -> Vec<(String, String)> {
    let fixtures = repository().join("fixtures");
    let mut files = rust_files(&fixtures.join("kernels/right"));
    files.extend(
        rust_files(&fixtures.join("violations"))
            .into_iter()
            .filter(|path| {
                let name = path.file_stem().and_then(|name| name.to_str());
                name.is_some_and(|name| name.starts_with("right"))
            }),
    );
    let texts = files.iter().map(|path| (shown(path), read(path)));
    // Where a finding is suppressed the kernel is not right. What is illegal is worked out here for the book's library alone.
    texts
        .filter(|(_, text)| !text.contains("visa-lint:") && !text.contains("tcp::"))
        .filter(|(_, text)| visa_analysis::dialect_line(text).is_none())
        .collect()
}

/// What the check says of the functions at an offset; of all functions where it is in none.
fn faults(source: &Source, at: usize) -> Vec<String> {
    let inside = source
        .functions
        .iter()
        .filter(|function| function.range.contains(&at))
        .count();
    source
        .functions
        .iter()
        .filter(|function| inside == 0 || function.range.contains(&at))
        .flat_map(|function| oracle::faults(source, function))
        .collect()
}

#[test]
fn the_check_finds_nothing_in_right_kernels() {
    let mut problems = Vec::new();
    let mut chains = 0;
    for (path, text) in right_kernels() {
        let Some(source) = Source::read(&text) else {
            continue;
        };
        for function in &source.functions {
            chains += function.chains.len();
            let name = source.text[function.range.clone()]
                .split('(')
                .next()
                .unwrap_or("");
            problems.extend(
                oracle::faults(&source, function)
                    .into_iter()
                    .map(|fault| format!("{path}: {name}: {fault}")),
            );
        }
    }
    assert!(chains > 200, "only {chains} passes were read");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What came of the mutants of one kind.
#[derive(Default)]
struct Tally {
    tried: usize,
    illegal: usize,
    detected: usize,
    legal: usize,
    false_alarms: usize,
    /// Lines about what went wrong.
    missed: Vec<String>,
    alarms: Vec<String>,
}

fn denied(diagnostics: &[Diagnostic]) -> Option<&Diagnostic> {
    diagnostics
        .iter()
        .find(|found| !found.suppressed && found.default_level == Level::Deny)
}

/// The line of an offset, and what is in it.
fn place(text: &str, at: usize) -> String {
    let line = text[..at.min(text.len())].matches('\n').count();
    format!(
        "{}: {}",
        line + 1,
        text.lines().nth(line).unwrap_or("").trim()
    )
}

fn try_kind(kind: &Kind, files: &[(String, Source)]) -> Tally {
    let mutants: Vec<(&str, Mutant)> = files
        .iter()
        .flat_map(|(path, source)| {
            (kind.make)(source)
                .into_iter()
                .map(move |made| (&**path, made))
        })
        .collect();
    let chosen = mutants.len().min(MUTANTS);
    let mut tally = Tally::default();
    for number in 0..chosen {
        let (path, mutant) = &mutants[number * mutants.len() / chosen];
        tally.tried += 1;
        let Some(source) = Source::read(&mutant.text) else {
            continue;
        };
        let faults = faults(&source, mutant.at);
        if faults.is_empty() && !kind.keeps_meaning {
            continue;
        }
        let mut workspace = Workspace::new();
        workspace.set_files([(*path, &*mutant.text)]);
        let report = workspace.analysis().check_file(path);
        let found = denied(&report.diagnostics);
        let place = format!("{path}:{}", place(&mutant.text, mutant.at));
        if kind.keeps_meaning {
            tally.legal += 1;
            if let Some(found) = found {
                tally.false_alarms += 1;
                tally
                    .alarms
                    .push(format!("{}: {place}\n    {}", kind.name, line_of(found)));
            }
            if let Some(fault) = faults.first() {
                tally
                    .alarms
                    .push(format!("{}: {place}\n    the check: {fault}", kind.name));
            }
        } else {
            tally.illegal += 1;
            if found.is_some() {
                tally.detected += 1;
            } else {
                tally
                    .missed
                    .push(format!("{}: {place}\n    {}", kind.name, faults[0]));
            }
        }
    }
    tally
}

/// Tries all kinds, on as many threads as there are processors.
fn try_all(files: &[(String, Source)]) -> Vec<Tally> {
    let tallies = on_all_threads(KINDS, |kind| try_kind(kind, files));
    assert_eq!(tallies.len(), KINDS.len(), "a mutant stopped the test");
    tallies
}

#[test]
fn illegal_mutants_are_found_and_legal_ones_are_left_alone() {
    let files: Vec<(String, Source)> = right_kernels()
        .into_iter()
        .filter_map(|(path, text)| Some((path, Source::read(&text)?)))
        .collect();
    let tallies = try_all(&files);
    let mut table = format!(
        "{:28} {:>6} {:>8} {:>9} {:>6} {:>12}\n",
        "kind", "tried", "illegal", "detected", "legal", "false alarms"
    );
    for (kind, tally) in KINDS.iter().zip(&tallies) {
        let _ = writeln!(
            table,
            "{:28} {:>6} {:>8} {:>9} {:>6} {:>12}",
            kind.name, tally.tried, tally.illegal, tally.detected, tally.legal, tally.false_alarms
        );
    }
    let sum = |of: fn(&Tally) -> usize| tallies.iter().map(of).sum::<usize>();
    let (illegal, detected) = (sum(|tally| tally.illegal), sum(|tally| tally.detected));
    let _ = writeln!(
        table,
        "{detected} of {illegal} illegal mutants detected, {} false alarms in {} legal ones",
        sum(|tally| tally.false_alarms),
        sum(|tally| tally.legal)
    );
    let lines = |of: fn(&Tally) -> &Vec<String>| {
        let lines: Vec<&str> = tallies.iter().flat_map(of).map(String::as_str).collect();
        lines.join("\n")
    };
    println!("{table}\nmissed:\n{}", lines(|tally| &tally.missed));
    let alarms = lines(|tally| &tally.alarms);
    assert!(alarms.is_empty(), "{table}\n{alarms}");
    let broken = KINDS
        .iter()
        .zip(&tallies)
        .filter(|(_, tally)| tally.illegal > 0);
    assert!(broken.count() >= 20, "{table}");
    assert!(
        illegal >= 500 && detected * 100 >= illegal * 95,
        "{table}\n{}",
        lines(|tally| &tally.missed)
    );
}
