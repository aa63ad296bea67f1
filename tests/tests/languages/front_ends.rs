//! Fixtures of PTO and NKI as any user gives them: what rules promise, what fixes leave, other line ends, and texts that are broken
//! or very large.

use std::collections::BTreeSet;

use visa_analysis::{
    Applicability, Diagnostic, DiagnosticFix, FileReport, Level, Problem, Trust, all_rules, fix_all,
};
use visa_tests::hints::{applied, moved};
use visa_tests::hostile::{NKI, PTO, examine_in};
use visa_tests::{check_text, kernel_files, line_of, marks, read, repository, shown, workspace_of};

/// Wrong kernels whose rule promises a fix or alternatives and that have none, with the reason.
const WITHOUT: &[(&str, &str)] = &[
    (
        "nki_transpose_result/wrong_symbols.py",
        "the size is a sum of symbols: whether it or the source is meant the author knows",
    ),
    (
        "pto_direction/wrong_2.pto",
        "where a tile lies is part of its type",
    ),
    (
        "pto_event_never_set/wrong.pto",
        "every event that is set is awaited already",
    ),
    (
        "pto_rows_overlap/wrong_5.pto",
        "which stride a view has the author knows",
    ),
    (
        "pto_stride_alignment/wrong_4.pto",
        "another operation expects the rows where they are",
    ),
    (
        "pto_ub_bounds/wrong_3.pto",
        "the transfer begins beyond UB: no smaller one fits",
    ),
    (
        "pto_unknown_value/wrong_2.pto",
        "no name that is seen there is near",
    ),
];

/// Fixtures by path, with the lead of their comments.
fn fixtures() -> Vec<(String, String, &'static str)> {
    let files = kernel_files(&repository().join("fixtures/violations"));
    let mut found = Vec::new();
    for path in files {
        let lead = match path.extension().and_then(std::ffi::OsStr::to_str) {
            Some("pto") => "//",
            Some("py") => "#",
            _ => continue,
        };
        found.push((shown(&path), read(&path), lead));
    }
    assert!(found.len() > 160, "{} fixtures", found.len());
    found
}

fn denied(report: &FileReport) -> Vec<String> {
    let denied = report
        .diagnostics
        .iter()
        .filter(|finding| finding.default_level == Level::Deny && !finding.suppressed);
    denied.map(line_of).collect()
}

/// The findings of a file by rule, message and line.
fn listed(report: &FileReport) -> Vec<String> {
    report.diagnostics.iter().map(line_of).collect()
}

fn comments<'a>(text: &'a str, lead: &str) -> BTreeSet<&'a str> {
    let parts = text.lines().filter_map(|line| line.split_once(lead));
    parts.map(|(_, comment)| comment.trim_end()).collect()
}

fn is_machine(fix: &DiagnosticFix) -> bool {
    fix.applicability == Applicability::Machine
}

/// The text after all machine-applicable fixes.
fn fixed(path: &str, text: &str) -> String {
    let mut workspace = workspace_of(path, text);
    fix_all(&mut workspace, Trust::Machine);
    let mended = workspace.files().next().map(|(_, text)| text.to_string());
    mended.unwrap_or_else(|| text.to_owned())
}

#[test]
fn rules_bring_the_fixes_and_alternatives_that_they_promise() {
    let mut problems = Vec::new();
    let mut used = BTreeSet::new();
    for (path, text, _) in fixtures() {
        let report = check_text(&path, &text);
        let marks = marks(&text);
        for finding in &report.diagnostics {
            let mark = (finding.range.start.line, finding.rule.to_owned());
            if !marks.contains(&mark) || !path.contains(&format!("/{}/wrong", finding.rule)) {
                continue;
            }
            let rule = all_rules().find(|rule| rule.name == finding.rule).unwrap();
            let lacks = [
                (rule.offers.fix && finding.fixes.is_empty(), "fix"),
                (
                    rule.offers.alternatives && finding.help.is_none(),
                    "alternatives",
                ),
            ];
            for (_, what) in lacks.into_iter().filter(|(lacks, _)| *lacks) {
                match WITHOUT.iter().find(|(known, _)| path.ends_with(known)) {
                    Some((known, _)) => {
                        used.insert(*known);
                    }
                    None => problems.push(format!("{path}: no {what}: {}", line_of(finding))),
                }
            }
        }
    }
    let stale = WITHOUT.iter().filter(|(path, _)| !used.contains(path));
    problems.extend(stale.map(|(path, _)| format!("{path} has what it is said to lack")));
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// What is wrong with a text after a fix: its finding left, another one at deny, a comment lost.
fn faults(
    before: &FileReport,
    finding: &Diagnostic,
    fix: &DiagnosticFix,
    text: &str,
) -> Vec<String> {
    let mended = applied(text, &fix.edits);
    let after = check_text(&before.path, &mended);
    let range = (finding.range.start.byte, finding.range.end.byte);
    let (start, end) = moved(range, &fix.edits);
    let is_left = |other: &&Diagnostic| {
        other.rule == finding.rule
            && i64::from(other.range.start.byte) < end
            && start < i64::from(other.range.end.byte)
    };
    let mut faults = Vec::new();
    if let Some(left) = after.diagnostics.iter().find(is_left) {
        faults.push(format!("it does not mend the finding: {}", line_of(left)));
    }
    let brought = denied(&after).len();
    let was = denied(before).len() - usize::from(finding.default_level == Level::Deny);
    if is_machine(fix) && brought > was {
        faults.push(format!("it brings along {}", denied(&after).join("; ")));
    }
    if after.operations.unresolved > before.operations.unresolved {
        faults.push("transfers are no longer understood".to_owned());
    }
    faults
}

#[test]
fn every_fix_mends_its_finding_and_nothing_else_breaks() {
    let mut problems = Vec::new();
    let mut tried = 0;
    for (path, text, lead) in fixtures() {
        let report = check_text(&path, &text);
        for finding in &report.diagnostics {
            for fix in &finding.fixes {
                tried += 1;
                let mut found = faults(&report, finding, fix, &text);
                let mended = applied(&text, &fix.edits);
                if !comments(&mended, lead).is_superset(&comments(&text, lead)) {
                    found.push(format!("a comment went: {mended}"));
                }
                problems.extend(found.into_iter().map(|fault| {
                    let title = format!("{:?} \"{}\"", fix.applicability, fix.title);
                    format!("{path}: {}\n  {title}: {fault}", line_of(finding))
                }));
            }
        }
    }
    println!("{tried} fixes");
    assert!(tried > 60, "only {tried} fixes");
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn all_machine_fixes_together_come_to_an_end_and_keep_line_ends() {
    let mut problems = Vec::new();
    for (path, text, lead) in fixtures() {
        let before = check_text(&path, &text);
        let mended = fixed(&path, &text);
        let after = check_text(&path, &mended);
        let with_fix: BTreeSet<&str> = after
            .diagnostics
            .iter()
            .filter(|finding| finding.default_level != Level::Allow)
            .filter(|finding| finding.fixes.iter().any(is_machine))
            .map(|finding| finding.rule)
            .collect();
        if !with_fix.is_empty() {
            problems.push(format!("{path}: {with_fix:?} are left"));
        }
        if denied(&after).len() > denied(&before).len() {
            problems.push(format!("{path}: {}", denied(&after).join("; ")));
        }
        if fixed(&path, &mended) != mended {
            problems.push(format!("{path}: fixing it again changes it"));
        }
        if !comments(&mended, lead).is_superset(&comments(&text, lead)) {
            problems.push(format!("{path}: a comment went"));
        }
        let windows = fixed(&path, &text.replace('\n', "\r\n"));
        if windows != mended.replace('\n', "\r\n") {
            problems.push(format!("{path}: with other line ends\n{windows}"));
        }
        let marked = fixed(&path, &format!("\u{feff}{text}"));
        if marked != format!("\u{feff}{mended}") {
            problems.push(format!("{path}: with a byte-order mark\n{marked}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn line_ends_and_marks_change_no_finding() {
    for (path, text, _) in fixtures() {
        let wanted = listed(&check_text(&path, &text));
        let windows = check_text(&path, &text.replace('\n', "\r\n"));
        assert_eq!(listed(&windows), wanted, "{path} with other line ends");
        let marked = check_text(&path, &format!("\u{feff}{text}"));
        assert_eq!(marked.diagnostics.len(), wanted.len(), "{path} with a mark");
    }
}

/// The functions of `fixtures/pto/functions.pto` with their copies, counted in the text. `a_dead_branch` has two: one stands in a
/// branch over the constant false, which never runs and is not looked at.
const COPIES: [(&str, u64); 20] = [
    ("there_and_back", 2),
    ("other_spelling", 2),
    ("mixed_spelling", 2),
    ("in_a_loop", 2),
    ("two_buffers", 4),
    ("a_branch", 3),
    ("a_dead_branch", 1),
    ("moved_pointers", 2),
    ("padded", 1),
    ("batches_in_groups", 1),
    ("batches_by_registers", 1),
    ("registers_on_both_ways", 1),
    ("unknown_rows", 1),
    ("unknown_base", 2),
    ("broadcast_row", 1),
    ("computed_sizes", 1),
    ("größe", 1),
    ("carried", 1),
    ("helper", 1),
    ("calls_a_helper", 1),
];

/// Twenty functions of our own with branches, loops, both spellings of events and both forms of a copy: nothing is denied.
#[test]
fn functions_with_branches_and_loops_are_right() {
    let text = read(&repository().join("fixtures/pto/functions.pto"));
    let report = check_text("functions.pto", &text);
    assert_eq!(denied(&report), [] as [String; 0]);
    assert_eq!(report.kernels, 20);
    let named = text.matches("func.func @").count();
    assert_eq!(named, COPIES.len());
    for (name, _) in COPIES {
        assert!(text.contains(&format!("func.func @{name}(")), "{name}");
    }
    // Only the rows of `unknown_rows` are what an argument gives: an address that is not known does not matter, nor one that a
    // loop carries.
    let all: u64 = COPIES.iter().map(|(_, copies)| copies).sum();
    assert_eq!(
        (report.operations.resolved, report.operations.unresolved),
        (all - 1, 1)
    );
}

/// A load and a store of a tile, counted in the text; with a tile whose valid size an argument gives, neither is known in whole.
#[test]
fn loads_and_stores_of_tiles_are_operations() {
    let path = "fixtures/violations/pto_tile_size/right_3.pto";
    let text = read(&repository().join(path));
    let counts = |text: &str| {
        let report = check_text("k.pto", text);
        let counts = &report.operations;
        let reasons: Vec<String> = counts.reasons.keys().cloned().collect();
        (report.kernels, counts.resolved, counts.unresolved, reasons)
    };
    assert_eq!(counts(&text), (1, 2, 0, Vec::new()));
    let given = text
        .replace("valid_row = %c16", "valid_row = %n")
        .replace("%out: !pto.ptr<f32>", "%out: !pto.ptr<f32>, %n: index");
    let reason = "the valid size of the tile is not known".to_owned();
    assert_eq!(counts(&given), (1, 0, 2, vec![reason]));
}

/// Every prefix of ten kernels of each language, as they grow while somebody types.
#[test]
fn every_prefix_of_ten_kernels_is_taken() {
    for ending in [".pto", ".py"] {
        let kernels: Vec<_> = fixtures()
            .into_iter()
            .filter(|(path, ..)| path.ends_with(ending) && path.contains("/wrong"))
            .step_by(4)
            .take(10)
            .collect();
        assert_eq!(kernels.len(), 10);
        for (path, text, _) in kernels {
            let mut workspace = workspace_of(&path, "");
            for end in (0..=text.len()).filter(|&end| text.is_char_boundary(end)) {
                workspace.set_file(&path, &text[..end]);
                let report = workspace.analysis().check_file(&path);
                assert!(report.problems.is_empty(), "{path}: {:?}", report.problems);
            }
        }
    }
}

fn is_taken(path: &str, text: &str) {
    let report = check_text(path, text);
    let defect = report
        .problems
        .iter()
        .find(|problem| matches!(problem, Problem::Internal(_)));
    assert!(defect.is_none(), "{defect:?}");
}

#[test]
fn deep_large_and_odd_texts_are_taken() {
    let in_function =
        |inner: &str| format!("func.func @f(%c: i1, %n: index) {{\n{inner}\nreturn\n}}");
    let nested =
        |open: &str, close: &str| in_function(&(open.repeat(20_000) + &close.repeat(20_000)));
    let digits = "9".repeat(10_000);
    for text in [
        nested("scf.if %missing {\n", "}\n"),
        nested("scf.for %i = %n to %n step %n {\n", "}\n"),
        nested("\"x.y\"() ({\n", "}) : () -> ()\n"),
        nested("scf.if %c {\n", ""),
        in_function(&format!("x.y {}", "(".repeat(20_000))),
        in_function(&format!("x.y {}{}", "[".repeat(20_000), "]".repeat(20_000))),
        in_function(&format!(
            "%a = arith.constant {digits} : i64\n%b = arith.constant -0x{digits} : i64"
        )),
        in_function(&format!(
            "pto.mte_gm_ub %größe, %大 nburst({digits})\r\n// ende"
        )),
        "\u{feff}".to_owned(),
        "// -----\n".repeat(20_000),
        "!a = !b\n".repeat(20_000),
        "%a = arith.addi %b, %c : i64\n".repeat(20_000),
    ] {
        is_taken(PTO.path, &text);
    }
    let kernel = "@nki.jit\ndef f(x, n):\n";
    for text in [
        format!("x = {}{}\n", "(".repeat(20_000), ")".repeat(20_000)),
        format!(
            "{kernel}    nisa.dma_copy(dst={}x{}, src=x)\n",
            "[".repeat(20_000),
            "]".repeat(20_000)
        ),
        format!("{kernel}    nisa.dma_copy(dst=x[0:{digits}], src=x[{digits}:])\n"),
        format!(
            "{kernel}    größe = nl.ndarray(({digits}, 大), nl.float32)\r\n    nisa.dma_copy(größe, x)\r\n"
        ),
        format!("{kernel}    y = x{}\n", ".reshape((n,))".repeat(20_000)),
        format!("{kernel}{}", "    if n:\n        n = n + 1\n".repeat(5_000)),
        format!(
            "{kernel}    t = []\n{}",
            "    t.append(nl.ndarray((n,), nl.float32))\n".repeat(5_000)
        ),
    ] {
        is_taken(NKI.path, &(NKI.head.to_owned() + &text));
    }
    for (sort, text) in [
        (PTO, "\u{0}\u{1}\u{7f}\u{2028}%\u{ad}"),
        (NKI, "\u{0}\u{1}\u{7f}\u{2028}"),
    ] {
        examine_in(&sort, &(sort.head.to_owned() + text)).unwrap();
    }
}

/// A million lines: of operations and comments in PTO, of statements in NKI.
#[test]
fn a_file_of_a_million_lines_is_taken() {
    let pto = "// a remark\n%a = arith.constant 32 : i64\n".repeat(500_000);
    let report = check_text(PTO.path, &pto);
    assert!(report.problems.is_empty(), "{:?}", report.problems);
    assert_eq!(report.syntax_errors, 0);
    let nki = NKI.head.to_owned() + &"# a remark\nx = 1\n".repeat(500_000);
    let report = check_text(NKI.path, &nki);
    let defect = report
        .problems
        .iter()
        .any(|problem| matches!(problem, Problem::Internal(_)));
    assert!(!defect, "{:?}", report.problems);
}
