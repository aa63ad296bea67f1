//! Code actions: rules that promise one have one, and every one of every fixture does what it says.
//!
//! A fix, applied alone, keeps the text parseable and the operations understood, mends its finding, and brings no other
//! finding along.

use std::collections::{BTreeMap, BTreeSet};

use visa_analysis::{
    Applicability, Diagnostic, DiagnosticFix, FileReport, Level, Rule, all_rules, find_rule,
};
use visa_tests::{check_text, line_of, marks, read, repository, rust_files, shown, visible};

/// Wrong kernels whose rule promises a fix or alternatives and that have none, with the reason.
const WITHOUT: &[(&str, &str)] = &[(
    "shared_padding_read/wrong_3",
    "a ring has no size that the axis fills: only another layout of the whole tensor mends it",
)];

/// Why the parts of a split axis are not mended together.
const SPLIT: &str = "the other part of the axis stands in another expression";

/// Wrong kernels of which a proposal leaves something else to mend, with the reason. No machine fix does.
const LEAVES_MORE: &[(&str, &str)] = &[
    (
        "half_mac_packet/wrong",
        "the release repeats packets of one flit only",
    ),
    ("modulo_indivisible/wrong", SPLIT),
    ("modulo_indivisible/wrong_2", SPLIT),
    ("stride_indivisible/wrong_2", SPLIT),
    (
        "padding_shrinks/wrong",
        "one of the two numbers is wrong; the other proposal mends all",
    ),
];

/// Whether a list excepts a path; `used` collects the entries that were needed.
fn excepted<'a>(list: &[(&'a str, &str)], path: &str, used: &mut BTreeSet<&'a str>) -> bool {
    let entry = list
        .iter()
        .find(|(entry, _)| path == format!("fixtures/violations/{entry}.rs"));
    entry.is_some_and(|(entry, _)| {
        used.insert(entry);
        true
    })
}

/// Entries of a list that except nothing any more.
fn stale(list: &[(&str, &str)], used: &BTreeSet<&str>) -> Vec<String> {
    list.iter()
        .filter(|(entry, _)| !used.contains(entry))
        .map(|(entry, _)| format!("{entry} needs no exception any more"))
        .collect()
}

/// All kernels of the fixtures: path and text.
fn fixtures() -> Vec<(String, String)> {
    let files = rust_files(&repository().join("fixtures"));
    files.iter().map(|path| (shown(path), read(path))).collect()
}

/// The wrong kernels of a rule.
fn wrong_kernels(rule: &Rule) -> Vec<(String, String)> {
    let folder = format!("fixtures/violations/{}/wrong", rule.name);
    let all = fixtures();
    all.into_iter()
        .filter(|(path, _)| path.starts_with(&folder))
        .collect()
}

/// The findings of a rule at the places that the text marks with it.
fn marked<'a>(
    rule: &'a Rule,
    text: &str,
    report: &'a FileReport,
) -> impl Iterator<Item = &'a Diagnostic> {
    let marks = marks(text);
    visible(report).filter(move |diagnostic| {
        let mark = (diagnostic.range.start.line, diagnostic.rule.to_owned());
        diagnostic.rule == rule.name && marks.contains(&mark)
    })
}

/// The text with the edits of a fix made.
fn applied(text: &str, fix: &DiagnosticFix) -> String {
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| std::cmp::Reverse(edit.start_byte));
    let mut mended = text.to_owned();
    for edit in edits {
        mended.replace_range(edit.start_byte as usize..edit.end_byte as usize, &edit.text);
    }
    mended
}

/// Where a byte range of the text before a fix stands behind it.
fn moved(range: (u32, u32), fix: &DiagnosticFix) -> (i64, i64) {
    let place = |byte: u32, end: bool| {
        let mut shift = 0_i64;
        for edit in &fix.edits {
            let length = i64::try_from(edit.text.len()).unwrap_or(i64::MAX);
            let grown = length - i64::from(edit.end_byte - edit.start_byte);
            if edit.end_byte <= byte && !(end && edit.start_byte == byte) {
                shift += grown;
            } else if edit.start_byte < byte {
                // Inside of what is replaced: its border.
                let border = if end { length } else { 0 };
                return i64::from(edit.start_byte) + shift + border;
            }
        }
        i64::from(byte) + shift
    };
    (place(range.0, false), place(range.1, true))
}

fn bytes(diagnostic: &Diagnostic) -> (u32, u32) {
    (diagnostic.range.start.byte, diagnostic.range.end.byte)
}

/// The findings by rule, and how many there are of each.
fn counted(report: &FileReport) -> BTreeMap<&str, usize> {
    let mut counts = BTreeMap::new();
    for diagnostic in visible(report) {
        *counts.entry(diagnostic.rule).or_default() += 1;
    }
    counts
}

/// What is wrong with a text after a fix.
fn faults(
    before: &FileReport,
    diagnostic: &Diagnostic,
    fix: &DiagnosticFix,
    text: &str,
) -> Vec<String> {
    let mended = applied(text, fix);
    let after = check_text(&before.path, &mended);
    let mut faults = Vec::new();
    if after.syntax_errors > before.syntax_errors {
        faults.push("it breaks the syntax".to_owned());
    }
    if !after.problems.is_empty() {
        faults.push(format!("{:?}", after.problems));
    }
    if after.unresolved.len() > before.unresolved.len()
        || after.operations.resolved < before.operations.resolved
    {
        let reasons: Vec<_> = after.unresolved.iter().map(|place| &place.reason).collect();
        faults.push(format!("operations are no longer understood: {reasons:?}"));
    }
    let (start, end) = moved(bytes(diagnostic), fix);
    let same_place = |other: &&Diagnostic| {
        let other_range = bytes(other);
        other.rule == diagnostic.rule
            && i64::from(other_range.0) < end
            && start < i64::from(other_range.1)
    };
    for left in visible(&after).filter(same_place) {
        faults.push(format!("it does not mend the finding: {}", line_of(left)));
    }
    faults
}

/// Findings behind a fix, as severe as the mended one or more, that were not there before it.
fn brought_along(
    before: &FileReport,
    diagnostic: &Diagnostic,
    fix: &DiagnosticFix,
    text: &str,
) -> Vec<String> {
    let after = check_text(&before.path, &applied(text, fix));
    let counts = counted(before);
    let mut brought = Vec::new();
    for (rule, count) in counted(&after) {
        let found = visible(&after)
            .filter(|found| found.rule == rule && found.default_level >= diagnostic.default_level)
            .map(line_of);
        if count > counts.get(rule).copied().unwrap_or(0) {
            brought.extend(found);
        }
    }
    brought
}

#[track_caller]
fn assert_none(problems: &[String]) {
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn rules_bring_the_fixes_and_alternatives_that_they_promise() {
    let mut problems = Vec::new();
    let mut used = BTreeSet::new();
    for rule in all_rules() {
        for (path, text) in wrong_kernels(rule) {
            let report = check_text(&path, &text);
            for diagnostic in marked(rule, &text, &report) {
                let lacks = [
                    (rule.offers.fix && diagnostic.fixes.is_empty(), "fix"),
                    (
                        rule.offers.alternatives && diagnostic.help.is_none(),
                        "alternatives",
                    ),
                ];
                for (_, what) in lacks.into_iter().filter(|(lacks, _)| *lacks) {
                    if !excepted(WITHOUT, &path, &mut used) {
                        problems.push(format!("{path}: no {what}: {}", line_of(diagnostic)));
                    }
                }
            }
        }
    }
    problems.extend(stale(WITHOUT, &used));
    assert_none(&problems);
}

#[test]
fn every_fix_mends_its_finding_and_nothing_else_breaks() {
    let mut problems = Vec::new();
    let mut used = BTreeSet::new();
    let mut tried = 0;
    for (path, text) in fixtures() {
        let report = check_text(&path, &text);
        for diagnostic in visible(&report) {
            for fix in &diagnostic.fixes {
                tried += 1;
                let mut found = faults(&report, diagnostic, fix, &text);
                let brought = brought_along(&report, diagnostic, fix, &text);
                if !brought.is_empty()
                    && (fix.applicability == Applicability::Machine
                        || !excepted(LEAVES_MORE, &path, &mut used))
                {
                    found.push(format!("it brings along {}", brought.join("; ")));
                }
                problems.extend(found.into_iter().map(|fault| {
                    format!(
                        "{path}: {}\n  {:?} \"{}\": {fault}",
                        line_of(diagnostic),
                        fix.applicability,
                        fix.title
                    )
                }));
            }
        }
    }
    assert!(tried > 70, "only {tried} fixes");
    problems.extend(stale(LEAVES_MORE, &used));
    assert_none(&problems);
}

/// Applies machine fixes one after the other until none is left; the text at the end.
fn mended(path: &str, text: &str) -> Option<String> {
    let mut text = text.to_owned();
    for _ in 0..50 {
        let report = check_text(path, &text);
        let machine = |fix: &&DiagnosticFix| fix.applicability == Applicability::Machine;
        let next = visible(&report).find_map(|diagnostic| diagnostic.fixes.iter().find(machine));
        let Some(fix) = next else {
            return Some(text);
        };
        text = applied(&text, fix);
    }
    None
}

#[test]
fn machine_fixes_come_to_an_end_and_leave_only_what_has_none() {
    let mut problems = Vec::new();
    for (path, text) in fixtures() {
        let before = check_text(&path, &text);
        let Some(mended) = mended(&path, &text) else {
            problems.push(format!("{path}: the fixes come to no end"));
            continue;
        };
        let after = check_text(&path, &mended);
        let counts = counted(&before);
        for (rule, count) in counted(&after) {
            let without = visible(&before)
                .filter(|found| found.rule == rule)
                .filter(|found| {
                    let machine = |fix: &DiagnosticFix| fix.applicability == Applicability::Machine;
                    !found.fixes.iter().any(machine)
                })
                .count();
            if count > without {
                let before = counts.get(rule).copied().unwrap_or(0);
                let level = find_rule(rule).map_or(Level::Deny, Rule::default_level);
                problems.push(format!(
                    "{path}: {count} of {before} {rule} ({level:?}) are left"
                ));
            }
        }
    }
    assert_none(&problems);
}
