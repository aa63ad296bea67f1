//! Code actions: rules that promise one have one, and every one of every fixture does what it says.
//!
//! A fix, applied alone, keeps the text parseable and the operations understood, mends its finding, and brings no other
//! finding along.

mod exceptions;
mod kernels;
mod mutants;

use std::collections::{BTreeMap, BTreeSet};

use self::exceptions::{LEAVES_MORE, WITHOUT, excepted, stale};
use visa_analysis::{
    Applicability, Diagnostic, DiagnosticFix, FileEdit, FileReport, Level, Rule, Trust, all_rules,
    find_rule, fix_all,
};
use visa_tests::hints::{Hint, applied, faults as faults_of_hint, faults_of_all, moved};
use visa_tests::threads::on_all_threads;
use visa_tests::{
    check_completed, check_text, line_of, marks, read, repository, rust_files, shown, visible,
    workspace_of,
};

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
    after: &FileReport,
    diagnostic: &Diagnostic,
    fix: &DiagnosticFix,
    text: &str,
) -> Vec<String> {
    let mut faults = Vec::new();
    if after.syntax_errors > before.syntax_errors {
        faults.push("it breaks the syntax".to_owned());
    }
    if !after.problems.is_empty() {
        faults.push(format!("{:?}", after.problems));
    }
    // What was not understood before may not be understood in more places now.
    if before.unresolved.is_empty() && !after.unresolved.is_empty()
        || after.operations.resolved < before.operations.resolved
    {
        let reasons: Vec<_> = after.unresolved.iter().map(|place| &place.reason).collect();
        faults.push(format!("operations are no longer understood: {reasons:?}"));
    }
    let (start, end) = moved(bytes(diagnostic), &fix.edits);
    let same_place = |other: &&Diagnostic| {
        let other_range = bytes(other);
        other.rule == diagnostic.rule
            && i64::from(other_range.0) < end
            && start < i64::from(other_range.1)
    };
    // A fix of an alias suits the function that it was found in; others that use it may need another one.
    let line = text.lines().nth(diagnostic.range.start.line as usize - 1);
    let shared = line.is_some_and(|line| line.starts_with("type ")) && before.kernels > 1;
    for left in visible(after).filter(same_place).filter(|_| !shared) {
        faults.push(format!("it does not mend the finding: {}", line_of(left)));
    }
    faults
}

/// Findings behind a fix, as severe as the mended one or more, that were not there before it.
fn brought_along(before: &FileReport, after: &FileReport, diagnostic: &Diagnostic) -> Vec<String> {
    let counts = counted(before);
    let mut brought = Vec::new();
    for (rule, count) in counted(after) {
        let found = visible(after)
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
            let report = check_completed(&path, &text);
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
        let report = check_completed(&path, &text);
        for diagnostic in visible(&report) {
            for fix in &diagnostic.fixes {
                tried += 1;
                let after = check_text(&path, &applied(&text, &fix.edits));
                let mut found = faults(&report, &after, diagnostic, fix, &text);
                let brought = brought_along(&report, &after, diagnostic);
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

#[test]
fn every_hint_of_a_wrong_kernel_is_followed() {
    let wrong: Vec<(String, String)> = fixtures()
        .into_iter()
        .filter(|(path, _)| path.contains("/wrong"))
        .collect();
    let results = on_all_threads(&wrong, |(path, text)| {
        let (tried, problems) = faults_of_all(path, text);
        let problems = problems.into_iter();
        let problems: Vec<String> = problems
            .map(|problem| format!("{path}: {problem}"))
            .collect();
        (tried, problems)
    });
    let tried: usize = results.iter().map(|(tried, _)| tried).sum();
    println!("{tried} hints in {} kernels", wrong.len());
    assert!(tried > 120, "only {tried} hints");
    let problems: Vec<String> = results
        .into_iter()
        .flat_map(|(_, problems)| problems)
        .collect();
    assert_none(&problems);
}

/// What the help of the first finding at a mark of a fixture says.
fn help_of(fixture: &str) -> String {
    let path = format!("fixtures/violations/{fixture}.rs");
    let text = read(&repository().join(&path));
    let report = check_completed(&path, &text);
    let rule = fixture.split('/').next().and_then(find_rule);
    let found = rule.and_then(|rule| marked(rule, &text, &report).next()?.help.clone());
    found.unwrap_or_default()
}

#[test]
fn helps_state_what_can_be_written() {
    // Four rows and a third of the twelve in the element; the packet of the sums is a part of a flit's eight elements.
    for text in [
        "`m![W % 4]` as the rows and `m![W / 4, D]` as the element",
        "`m![W % 4, W / 4]`",
        "`m![X, D / 32, W / 4]`",
        "`m![X, W / 4]`",
        "`m![W % 4 # 8]`",
    ] {
        let help = help_of("trf_row_count/wrong_rows");
        assert!(help.contains(text), "{text}: {help}");
    }
    // The first tensor ends at 128 KiB, and 384 KiB of 512 are free behind it.
    assert_eq!(
        help_of("dm_capacity/wrong_3"),
        "free while it is needed: `0x20000`"
    );
    // The other tensor ends at 0x100; the number is written as it was.
    let help = help_of("commit_alignment/wrong_2");
    assert!(help.starts_with("move it to `0x0_0100`"), "{help}");
    // 16 elements are a flit, so that 128 slices hold one each.
    let help = help_of("trf_element_mismatch/wrong_broadcast");
    assert!(
        help.contains("`m![H / 16 # 256]`") && help.contains("`m![H % 16]`"),
        "{help}"
    );
    let help = help_of("slice_size/wrong_3");
    assert!(
        help.contains("`m![V / 32 # 256]`") && help.contains("`m![V / 16]`"),
        "{help}"
    );
}

/// The findings of a report, without what fixes and helps say.
fn found(report: &FileReport) -> Vec<String> {
    report.diagnostics.iter().map(line_of).collect()
}

/// The fixes of a finding that are sure.
fn sure_fixes(found: &Diagnostic) -> Vec<&DiagnosticFix> {
    found.fixes.iter().filter(|fix| sure(fix)).collect()
}

fn sure(fix: &DiagnosticFix) -> bool {
    fix.applicability == Applicability::Machine
}

#[test]
fn what_a_check_is_sure_of_stays_sure() {
    let mut problems = Vec::new();
    let mut tried = 0;
    for (path, text) in fixtures() {
        let (proposed, completed) = (check_text(&path, &text), check_completed(&path, &text));
        let (lists, other) = (found(&proposed), found(&completed));
        if lists != other {
            problems.push(format!("{path}: {lists:?} {other:?}"));
        }
        for (one, other) in proposed.diagnostics.iter().zip(&completed.diagnostics) {
            let (before, after) = (sure_fixes(one), sure_fixes(other));
            tried += before.len();
            if before.len() != after.len() {
                problems.push(format!("{path}: {}: {before:?} {after:?}", line_of(one)));
            }
        }
    }
    assert!(tried > 30, "only {tried} sure fixes");
    assert_none(&problems);
}

#[test]
fn what_the_help_of_a_check_states_is_followed() {
    let mut problems = Vec::new();
    let mut tried = 0;
    let wrong = fixtures().into_iter();
    for (path, text) in wrong.filter(|(path, _)| path.contains("/wrong")) {
        let report = check_text(&path, &text);
        for diagnostic in visible(&report) {
            for stated in &diagnostic.alternatives {
                // What says that something follows is no hint to the letter.
                if stated.text.ends_with(", and what follows from it") {
                    continue;
                }
                tried += 1;
                let hint = Hint {
                    kind: "help",
                    words: &stated.text,
                    edits: &stated.edits,
                };
                let faults = faults_of_hint(&report, &text, diagnostic, hint);
                if !faults.is_empty() {
                    let line = line_of(diagnostic);
                    problems.push(format!("{path}: {line}: {}: {faults:?}", stated.text));
                }
            }
        }
    }
    assert!(tried > 100, "only {tried} texts");
    assert_none(&problems);
}

/// A commit whose element is too short by six bytes, with another tensor right behind it.
const NEIGHBOURS: &str = r"
use furiosa_visa_std::prelude::*;

axes![S = 256, T = 4, P = 10, Q = 32];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![S];

#[device(chip = 1)]
fn reorder(
    ctx: &mut Context,
    input: &HbmTensor<i8, Chip, m![S, T, P # 16]>,
    other: &HbmTensor<i8, Chip, m![S, Q]>,
) -> (HbmTensor<i8, Chip, m![S, Q]>, HbmTensor<i8, Chip, m![S, T, P]>) {
    let input: DmTensor<i8, Chip, Cluster, Slice, m![T, P # 16]> = input.to_dm(&mut ctx.tdma, 0);
    let other: DmTensor<i8, Chip, Cluster, Slice, m![Q]> = other.to_dm(&mut ctx.tdma, 0x2028);
    let output: DmTensor<i8, Chip, Cluster, Slice, m![T, P]> = ctx
        .main
        .begin(input.view())
        .fetch::<i8, m![T], m![P # 16]>()
        .collect::<m![T], m![P # 32]>()
        .commit(0x2000);
    (other.to_hbm(&mut ctx.tdma, 1 << 28), output.to_hbm(&mut ctx.tdma, 1 << 29))
}
";

#[test]
fn a_fix_mends_what_follows_from_it() {
    // 4 rows of 10 bytes end at 0x2028, of 16 bytes at 0x2040: the element grows into its neighbour, so that it moves.
    let report = check_completed("neighbours.rs", NEIGHBOURS);
    let found: Vec<_> = visible(&report).collect();
    let [diagnostic] = found.as_slice() else {
        panic!("{found:#?}")
    };
    assert_eq!(diagnostic.rule, "commit_packet_size");
    let edits = |fix: &DiagnosticFix| {
        let texts = fix.edits.iter().map(|edit| edit.text.clone());
        texts.collect::<Vec<_>>()
    };
    let fixes: Vec<_> = diagnostic.fixes.iter().map(edits).collect();
    assert_eq!(fixes, [["m![T, P # 16]", "0x2060"]]);
    for fix in &diagnostic.fixes {
        assert_eq!(fix.applicability, Applicability::Maybe, "it moves a tensor");
        let mended = applied(NEIGHBOURS, &fix.edits);
        let left = check_text("neighbours.rs", &mended);
        assert_eq!(visible(&left).map(line_of).collect::<Vec<_>>(), [""; 0]);
    }
}

#[test]
fn inserted_calls_stand_as_the_chain_does() {
    let path = "fixtures/violations/vector_way/wrong.rs";
    let text = read(&repository().join(path));
    let mended = |text: &str| {
        let report = check_completed(path, text);
        let fix = visible(&report).find_map(|found| found.fixes.first());
        fix.map(|fix| applied(text, &fix.edits)).unwrap_or_default()
    };
    let call = ".vector_split::<m![T, L / 4], m![L % 4]>()";
    let broken = mended(&text);
    let lines = format!("\n        {call}\n        .vector_fp_unary(");
    assert!(broken.contains(&lines), "{broken}");
    let inline = mended(
        &text
            .replace("\n        .", ".")
            .replace(" //~ vector_way", ""),
    );
    assert!(
        inline.contains(&format!("{call}.vector_fp_unary(")),
        "{inline}"
    );
}

/// The text of a wrong kernel with the first fix of its first finding of a rule made.
fn with_first_fix(fixture: &str) -> (String, String, Applicability) {
    let path = format!("fixtures/violations/{fixture}.rs");
    let text = read(&repository().join(&path));
    let report = check_completed(&path, &text);
    let rule = fixture.split('/').next().unwrap_or_default();
    let fix = visible(&report)
        .filter(|found| found.rule == rule)
        .find_map(|found| found.fixes.first());
    let fix = fix.unwrap_or_else(|| panic!("{path}: no fix"));
    let made = applied(&text, &fix.edits);
    (text, made, fix.applicability)
}

#[test]
fn a_round_trip_without_need_is_two_lines_to_delete() {
    let (text, made, applicability) = with_first_fix("narrow_round_trip/wrong_2");
    // The remark that marks the finding stays where the lines were.
    let words = |text: &str| text.split_whitespace().collect::<String>();
    let is_kept = |line: &&str| !line.contains(".vector_split") && !line.contains(".vector_concat");
    let kept: String = text.lines().filter(is_kept).collect();
    assert_eq!(
        words(&made.replace("//~ narrow_round_trip", "")),
        words(&kept)
    );
    assert_eq!(applicability, Applicability::Machine);
    // One operation between moves to the stage of eight lanes: the author looks at it.
    let (_, made, applicability) = with_first_fix("narrow_round_trip/wrong");
    let right = read(&repository().join("fixtures/violations/narrow_round_trip/right.rs"));
    let code = |text: &str| {
        let code: String = text.lines().skip(1).collect::<Vec<_>>().join("\n");
        words(&code.replace("//~ narrow_round_trip", ""))
    };
    assert_eq!(code(&made), code(&right));
    assert_eq!(applicability, Applicability::Maybe);
}

#[test]
fn a_pass_begins_on_the_context_that_has_its_stages() {
    for (fixture, applicability) in [
        ("register_store_from_main", Applicability::Machine),
        ("fetch_sub_context_adapter", Applicability::Maybe),
    ] {
        let (_, made, own) = with_first_fix(&format!("{fixture}/wrong"));
        let right = format!("fixtures/violations/{fixture}/right.rs");
        let right = read(&repository().join(right));
        let calls = |text: &str| {
            let lines = text.lines().filter(|line| line.starts_with("        ."));
            let bare = lines.map(|line| line.split(" //~").next().unwrap_or(line).to_owned());
            bare.collect::<Vec<_>>()
        };
        assert_eq!(calls(&made), calls(&right), "{fixture}");
        assert_eq!(own, applicability, "{fixture}");
    }
}

/// Applies machine fixes one after the other until none is left; the text at the end.
fn mended(path: &str, text: &str) -> Option<String> {
    let mut text = text.to_owned();
    for _ in 0..50 {
        let report = check_completed(path, &text);
        let machine = |fix: &&DiagnosticFix| fix.applicability == Applicability::Machine;
        let next = visible(&report).find_map(|diagnostic| diagnostic.fixes.iter().find(machine));
        let Some(fix) = next else {
            return Some(text);
        };
        text = applied(&text, &fix.edits);
    }
    None
}

#[test]
fn machine_fixes_come_to_an_end_and_leave_only_what_has_none() {
    let mut problems = Vec::new();
    for (path, text) in fixtures() {
        let before = check_completed(&path, &text);
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

/// The names in a text of a mapping.
fn names_of(text: &str) -> Vec<&str> {
    let words = text.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
    words
        .filter(|word| !word.is_empty() && *word != "m")
        .collect()
}

#[test]
fn no_name_is_written_without_somebody_looking() {
    let mut tried = 0;
    for (path, text) in fixtures() {
        // The first axis is called otherwise from now on; its uses are not.
        let Some((before, rest)) = text.split_once("axes![") else {
            continue;
        };
        let Some(end) = rest.find(" =") else {
            continue;
        };
        let (name, rest) = rest.split_at(end);
        let doubled = name.chars().last().unwrap_or_default();
        let renamed = format!("{before}axes![{name}{doubled}{rest}");
        let report = check_completed(&path, &renamed);
        let unknown = visible(&report).filter(|found| found.rule == "unknown_axis");
        // The same name in braces or without them is no guess.
        let respelled = |fix: &&DiagnosticFix| {
            let replaced = |edit: &FileEdit| {
                let place = edit.start_byte as usize..edit.end_byte as usize;
                renamed.get(place).unwrap_or_default().to_owned()
            };
            let mut edits = fix.edits.iter();
            edits.all(|edit| names_of(&edit.text) == names_of(&replaced(edit)))
        };
        let fixes = unknown.flat_map(|found| &found.fixes);
        for fix in fixes.filter(|fix| !respelled(fix)) {
            tried += 1;
            assert_eq!(
                fix.applicability,
                Applicability::Maybe,
                "{path}: {}",
                fix.title
            );
        }
    }
    assert!(tried > 20, "only {tried} proposals");
}

#[test]
fn what_is_said_to_be_fixable_is_fixed() {
    let mut problems = Vec::new();
    for (path, text) in fixtures() {
        let mut workspace = workspace_of(&path, &text);
        let report = workspace.analysis().check_file(&path);
        let fixable = visible(&report)
            .filter(|found| found.fixes.iter().any(sure))
            .count();
        let fixed = fix_all(&mut workspace, Trust::Machine).fixed;
        if fixable as u64 != fixed {
            problems.push(format!("{path}: {fixable} fixable, {fixed} fixed"));
        }
    }
    assert_none(&problems);
}
