//! Whole files: the six examples with their figures, kernels with marked findings, fixes applied, texts that are broken.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rand::{Rng as _, SeedableRng as _};

use super::analysis::Analysis;
use super::rules;
use super::transfers::Derived;
use super::{Pto, cost, report_of};
use visa_findings::answers::{ByteRange, HintLevel};
use visa_findings::front_end::{Amount, EditorAnswers as _, FrontEnd as _, FrontEndReport};
use visa_findings::{Edit, Finding, Level, TextSpan};
use visa_inputs::AnalysisDatabase;
use visa_inputs::{PtoOptions, SourceFile};
use visa_transfer::{Loop, Side};

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures")
}

/// The kernels of all rules whose names begin with a word, with the rule's name.
fn kernels(kind: &str) -> Vec<(String, String, String)> {
    let mut found = Vec::new();
    for rule in rules::RULES {
        let folder = fixtures().join("violations").join(rule.name);
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            if name.starts_with(kind) {
                let text = std::fs::read_to_string(&path).unwrap();
                found.push((rule.name.to_owned(), format!("{}/{name}", rule.name), text));
            }
        }
    }
    found.sort();
    found
}

fn check(text: &str) -> Vec<Finding<TextSpan>> {
    rules::check_analysis(&Analysis::of(text))
}

/// What is known of a text that is looked at as one part.
fn whole(text: &str) -> FrontEndReport {
    let analysis = Analysis::of(text);
    let part = report_of(&analysis);
    let mut transfers = part.transfers;
    transfers.sort_by_key(|site| site.span);
    FrontEndReport {
        findings: rules::check_analysis(&analysis),
        transfers,
        kernels: part.kernels,
        syntax_errors: part.syntax_errors,
        ..FrontEndReport::default()
    }
}

fn example(number: u32) -> String {
    let path = fixtures().join(format!("pto/book/example_{number}.pto"));
    std::fs::read_to_string(path).unwrap()
}

/// The only copy of a text.
fn copy(analysis: &Analysis) -> &Derived {
    let (_, facts) = analysis.functions().next().unwrap();
    assert_eq!(facts.derived.len(), 1);
    &facts.derived[0]
}

/// What an example does: bytes of a row, loops that run, bytes moved and written, reach in GM and UB, loops and run when merged.
type Figures = (u64, Vec<Loop>, i128, i128, i128, i128, (usize, u64));

fn rows(count: u64, source: i64, target: i64) -> Loop {
    Loop {
        count,
        source,
        target,
    }
}

#[test]
fn the_examples_have_their_figures() {
    let wanted: [Figures; 6] = [
        (
            128,
            vec![rows(32, 128, 128)],
            4_096,
            4_096,
            4_096,
            4_096,
            (0, 4_096),
        ),
        (
            256,
            vec![rows(64, 1024, 256)],
            16_384,
            16_384,
            64_768,
            16_384,
            (1, 256),
        ),
        (
            200,
            vec![rows(64, 200, 256)],
            12_800,
            16_384,
            12_800,
            16_384,
            (1, 200),
        ),
        (
            128,
            vec![rows(32, 128, 128)],
            4_096,
            4_096,
            4_096,
            4_096,
            (0, 4_096),
        ),
        (
            256,
            vec![rows(64, 256, 1024)],
            16_384,
            16_384,
            64_768,
            16_384,
            (1, 256),
        ),
        (
            256,
            vec![rows(4, 2048, 2048), rows(8, 256, 256)],
            8_192,
            8_192,
            8_192,
            8_192,
            (0, 8_192),
        ),
    ];
    for (number, wanted) in (1..).zip(wanted) {
        let text = example(number);
        let analysis = Analysis::of(&text);
        let derived = copy(&analysis);
        let transfer = derived.transfer.as_ref().unwrap();
        let gm = derived.copy.kind.gm_side().unwrap();
        let ub = if gm == Side::Source {
            Side::Target
        } else {
            Side::Source
        };
        let merged = transfer.with_merged_rows();
        let found: Figures = (
            transfer.run,
            transfer
                .loops
                .iter()
                .copied()
                .filter(|one| one.count > 1)
                .collect(),
            transfer.moved().unwrap(),
            transfer.written().unwrap(),
            transfer.reach(gm).unwrap(),
            transfer.reach(ub).unwrap(),
            (merged.loops.len(), merged.run),
        );
        assert_eq!(found, wanted, "example {number}");
    }
    // Four batches of eight rows are 32 rows, and these one run.
    let analysis = Analysis::of(&example(6));
    let transfer = copy(&analysis).transfer.clone().unwrap();
    assert_eq!(transfer.with_joined_loops().loops, [rows(32, 256, 256)]);
    // The trace: batch k begins k * 2048 behind the base on both sides.
    let table = transfer.row_table();
    let batches: Vec<_> = table.iter().filter(|row| row.indices[2] == 0).collect();
    let starts: Vec<_> = batches
        .iter()
        .map(|row| (row.indices[1], row.source, row.target))
        .collect();
    assert_eq!(starts, [(0, 0, 0), (1, 2048, 2048), (3, 6144, 6144)]);
}

#[test]
fn the_examples_get_the_warnings_that_are_known() {
    let wanted: [&[&str]; 6] = [
        &["pto_bursts_mergeable", "pto_small_transfer"],
        &[],
        &["pto_pad_value_unset", "pto_small_transfer"],
        &["pto_bursts_mergeable", "pto_small_transfer"],
        &[],
        &[
            "pto_bursts_mergeable",
            "pto_loop_collapsible",
            "pto_loop_count_order",
            "pto_small_transfer",
        ],
    ];
    for (number, wanted) in (1..).zip(wanted) {
        let found = check(&example(number));
        assert!(
            found.iter().all(|finding| finding.level() != Level::Deny),
            "{found:?}"
        );
        let mut names: Vec<&str> = found.iter().map(|finding| finding.rule.name).collect();
        names.sort_unstable();
        assert_eq!(names, wanted, "example {number}");
    }
}

fn with_edits(text: &str, edits: &[Edit<TextSpan>]) -> String {
    let mut edits: Vec<_> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.span);
    let mut changed = text.to_owned();
    for edit in edits.into_iter().rev() {
        changed.replace_range(edit.span.start as usize..edit.span.end as usize, &edit.text);
    }
    changed
}

fn denied(found: &[Finding<TextSpan>]) -> usize {
    found
        .iter()
        .filter(|finding| finding.level() == Level::Deny)
        .count()
}

#[test]
fn every_fix_and_alternative_mends_its_finding_and_brings_none() {
    let mut tried = BTreeSet::new();
    for (_, path, text) in kernels("wrong") {
        let before = check(&text);
        for finding in &before {
            let count = |found: &[Finding<TextSpan>]| {
                found
                    .iter()
                    .filter(|other| other.rule == finding.rule)
                    .count()
            };
            let stated = finding.alternatives.iter().flat_map(|stated| &stated.list);
            let fixes = finding.fixes.iter().map(|fix| &fix.edits);
            for edits in fixes.chain(stated.map(|stated| &stated.edits)) {
                let changed = with_edits(&text, edits);
                let after = check(&changed);
                let left = format!("{path}: {}\n{changed}\n{after:#?}", finding.message);
                assert!(count(&after) < count(&before), "{left}");
                assert!(denied(&after) <= denied(&before), "{left}");
                let new = after.iter().find(|one| {
                    one.level() != Level::Allow && before.iter().all(|other| other.rule != one.rule)
                });
                assert!(new.is_none(), "{left}");
                tried.insert(finding.rule.name);
                // Comments stay, and so do line ends.
                let comments = |text: &str| text.matches("//").count();
                assert_eq!(comments(&changed), comments(&text), "{left}");
                let crlf = text.replace('\n', "\r\n");
                let twin = check(&crlf);
                assert_eq!(twin.len(), before.len());
                for fix in twin.iter().flat_map(|finding| &finding.fixes) {
                    let changed = with_edits(&crlf, &fix.edits);
                    assert_eq!(
                        changed.matches('\n').count(),
                        changed.matches("\r\n").count()
                    );
                }
            }
        }
    }
    for rule in rules::RULES {
        let offers = rule.offers.fix || rule.offers.alternatives;
        assert_eq!(tried.contains(rule.name), offers, "{}", rule.name);
    }
}

#[test]
fn all_fixes_together_come_to_an_end() {
    for (_, path, text) in kernels("wrong") {
        let mut text = text;
        for round in 0.. {
            assert!(round < 20, "{path}: {text}");
            let found = check(&text);
            let machine = found
                .iter()
                .flat_map(|finding| &finding.fixes)
                .find(|fix| fix.applicability == visa_findings::Applicability::Machine);
            match machine {
                Some(fix) => text = with_edits(&text, &fix.edits),
                None => break,
            }
        }
    }
}

#[test]
fn there_are_enough_kernels_of_each_kind() {
    let (wrong, right) = (kernels("wrong"), kernels("right"));
    assert!(
        wrong.len() >= 40 && right.len() >= 40,
        "{} {}",
        wrong.len(),
        right.len()
    );
    for (rule, path, text) in wrong {
        assert!(
            check(&text).iter().any(|finding| finding.rule.name == rule),
            "{path}"
        );
    }
    for (_, path, text) in right {
        let found = check(&text);
        assert!(
            found.iter().all(|finding| finding.level() == Level::Allow),
            "{path}: {found:#?}"
        );
    }
}

/// A file in a database of its own.
fn alone(text: &str) -> (AnalysisDatabase, SourceFile) {
    let mut db = AnalysisDatabase::default();
    db.set_project(
        [("a.pto", text)],
        Vec::new(),
        visa_inputs::Options::default(),
    );
    let file = db.file("a.pto").unwrap();
    (db, file)
}

/// What a function at a time finds is what all of it at once finds.
fn agree(text: &str) -> Arc<FrontEndReport> {
    let (db, file) = alone(text);
    let report = Pto.report(&db, file);
    let whole = whole(text);
    let words = |report: &FrontEndReport| -> Vec<(u32, u32, &str, String)> {
        let findings = report.findings.iter();
        let words = findings.map(|one| {
            (
                one.span.start,
                one.span.end,
                one.rule.name,
                one.message.clone(),
            )
        });
        words.collect()
    };
    assert_eq!(words(&report), words(&whole), "{text}");
    assert_eq!(report.transfers, whole.transfers, "{text}");
    assert_eq!(report.kernels, whole.kernels, "{text}");
    report
}

/// Asks everything about a text.
fn ask(text: &str, offsets: impl Iterator<Item = usize>) {
    let report = agree(text);
    let length = u32::try_from(text.len()).unwrap();
    for finding in &report.findings {
        assert!(finding.span.start <= finding.span.end && finding.span.end <= length);
        assert!(
            text.get(finding.span.start as usize..finding.span.end as usize)
                .is_some()
        );
    }
    let (db, file) = alone(text);
    let _ = Pto.costs(&db, file);
    let _ = (
        Pto.symbols(&db, file),
        Pto.folding_ranges(&db, file),
        Pto.lenses(&db, file),
    );
    let all = ByteRange {
        start: 0,
        end: length,
    };
    let _ = Pto.inlay_hints(&db, file, all, HintLevel::Line);
    for offset in offsets {
        let offset = u32::try_from(offset).unwrap();
        let _ = Pto.hover(&db, file, offset);
        let _ = Pto.completions(&db, file, offset);
        let _ = Pto.highlights(&db, file, offset);
        let _ = Pto.rename(&db, file, offset, "other");
        let at = ByteRange {
            start: offset,
            end: offset,
        };
        let _ = Pto.assists(&db, file, at);
    }
}

/// Kernels of all kinds one behind the other in modules, with and without parts, and the same with lines left out.
#[test]
fn a_function_at_a_time_finds_what_all_at_once_finds() {
    let texts: Vec<String> = ["wrong", "right"]
        .into_iter()
        .flat_map(kernels)
        .map(|(_, _, text)| text)
        .collect();
    let mut random = rand::rngs::StdRng::seed_from_u64(17);
    for round in 0..150 {
        let mut chosen = String::new();
        for _ in 0..3 {
            let text = &texts[random.random_range(0..texts.len())];
            match round % 3 {
                0 => chosen.push_str(text),
                1 => chosen.push_str(&format!("module @of {{\n{text}}}\n")),
                _ => chosen.push_str(&format!("{text}// -----\n")),
            }
        }
        agree(&chosen);
        let mut lines: Vec<&str> = chosen.lines().collect();
        for _ in 0..random.random_range(1..4) {
            lines.remove(random.random_range(0..lines.len()));
        }
        agree(&lines.join("\n"));
    }
}

/// An edit in a function leaves what is known of the others, also of those below it.
#[test]
fn an_edit_runs_its_own_function_again() {
    let one = example(6);
    let function = &super::parts::Cut::of(&one).functions[0];
    let body = one.get(function.range.clone()).unwrap();
    let text: String = (0..3)
        .map(|number| body.replacen('@', &format!("@k{number}_"), 1) + "\n")
        .collect();
    let mut db = AnalysisDatabase::with_event_log();
    let edited = |db: &mut AnalysisDatabase, text: &str| {
        db.set_project(
            [("a.pto", text)],
            Vec::new(),
            visa_inputs::Options::default(),
        );
        let file = db.file("a.pto").unwrap();
        let _ = Pto.report(db, file);
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for event in db.take_events() {
            let name = event.split('(').next().unwrap_or_default().to_owned();
            *counts.entry(name).or_insert(0) += 1;
        }
        counts
    };
    let first = edited(&mut db, &text);
    assert_eq!(first.get("checked"), Some(&4), "{first:?}");
    // A line more at the begin, and a number in the first function.
    let at = text.find("func.func").unwrap();
    let mut moved = text.clone();
    moved.insert_str(at, "// above\n");
    let after = edited(&mut db, &moved);
    assert_eq!(after.get("checked"), Some(&1), "the rest alone: {after:?}");
    let number = moved.find("arith.constant ").unwrap() + "arith.constant ".len();
    let mut other = moved.clone();
    other.insert(number, '1');
    let after = edited(&mut db, &other);
    assert_eq!(after.get("checked"), Some(&1), "{after:?}");
    assert_eq!(after.get("report"), Some(&1), "{after:?}");
    // A check asks nothing twice, and keeps nothing that is derived of places: no question needs it later.
    assert_eq!(after.get("analysed"), None, "{after:?}");
}

#[test]
fn prefixes_and_other_line_ends_are_taken() {
    let mut kernels = kernels("wrong_2");
    kernels.truncate(10);
    assert_eq!(kernels.len(), 10);
    for (_, _, text) in kernels {
        let odd = format!("\u{feff}// größe\n{text}")
            .replace("%ub", "%übersicht")
            .replace('\n', "\r\n");
        ask(&odd, (0..odd.len() + 3).step_by(41));
        for end in (0..=text.len())
            .filter(|&end| text.is_char_boundary(end))
            .step_by(3)
        {
            ask(&text[..end], (end.saturating_sub(1)..=end).chain([0]));
        }
    }
}

#[test]
fn deep_and_long_texts_are_taken() {
    let around = |inner: &str| format!("func.func @f(%c: i1, %n: index) {{\n{inner}\n}}");
    let deep = |open: &str| around(&format!("{}{}", open.repeat(20_000), "}".repeat(20_000)));
    for text in [
        deep("scf.if %c {\n"),
        deep("scf.for %i = %n to %n step %n {\n"),
        deep("my.op {\nx.y %c\n"),
        "module {".repeat(20_000),
        around(&"pto.mte_gm_ub %c, ".repeat(20_000)),
        around(&format!("pto.copy_gm_to_ubuf {}", "(".repeat(20_000))),
        format!(
            "!a = !a\n!b = !c\n!c = !b\n{}",
            around("pto.mte_gm_ub %c, %c, %c, %c nburst(%c, %c, %c) : !a, !b, !c")
        ),
    ] {
        ask(&text, [0, text.len() / 2, text.len()].into_iter());
    }
    let text = example(6).repeat(2_000);
    let begun = std::time::Instant::now();
    let analysis = Analysis::of(&text);
    let analysed = begun.elapsed();
    let found = rules::check_analysis(&analysis);
    assert_eq!(found.len(), 4 * 2_000);
    let lines = text.lines().count();
    println!(
        "{lines} lines: {analysed:?} to analyse, {:?} with rules",
        begun.elapsed()
    );
}

#[test]
fn what_is_not_known_is_silent() {
    let text = "func.func @f(%gm: !pto.ptr<f32, gm>, %ub: !pto.ptr<f32, ub>, %n: i64, %b: i1) {\n pto.set_loop_size_outtoub %n, %n : i64, i64\n pto.copy_gm_to_ubuf %gm, %ub, %n, %n, %n, %n, %n, %b, %n, %n, %n : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64\n return\n}";
    assert_eq!(check(text), []);
    let report = whole(text);
    assert_eq!(
        report.transfers[0]
            .unresolved
            .as_ref()
            .map(|of| (of.what.as_str(), of.reason.as_str())),
        Some(("pto.copy_gm_to_ubuf", "len_burst is not known"))
    );
    // What another function may have set is not known either.
    let called = "func.func @main() {\n %c2 = arith.constant 2 : i64\n pto.set_loop_size_outtoub %c2, %c2 : i64, i64\n func.call @load() : () -> ()\n return\n}\nfunc.func @load() {\n %c0 = arith.constant 0 : i64\n %c512 = arith.constant 512 : i64\n %f = arith.constant false\n %gm = x.gm : !pto.ptr<f32, gm>\n %ub = pto.castptr %c0 : i64 -> !pto.ptr<f32, ub>\n pto.copy_gm_to_ubuf %gm, %ub, %c0, %c512, %c512, %c0, %c0, %f, %c0, %c512, %c512 : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64\n return\n}";
    let found = check(called);
    assert!(
        found.iter().all(|finding| finding.level() == Level::Allow),
        "{found:#?}"
    );
}

#[test]
fn a_branch_that_is_never_taken_is_not_looked_at() {
    let bad = "pto.mte_gm_ub %gm, %ub, %c, %c nburst(%c, %c, %c) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64";
    let text = format!(
        "func.func @f(%gm: !pto.ptr<f32, gm>, %ub: !pto.ptr<f32, ub>) {{\n %t = arith.constant true\n %c = arith.constant 33 : i64\n scf.if %t {{\n }} else {{\n {bad}\n }}\n return\n}}"
    );
    assert_eq!(check(&text), []);
    let taken = text.replace("constant true", "constant false");
    assert!(denied(&check(&taken)) > 0);
}

#[test]
fn costs_count_bytes_and_claim_no_cycles_without_figures() {
    let text = "func.func @f(%gm: !pto.ptr<f32, gm>) {\n %c0 = arith.constant 0 : i64\n %c1 = arith.constant 1 : i64\n %c6 = arith.constant 6 : i64\n %c64 = arith.constant 64 : i64\n %c256 = arith.constant 256 : i64\n %ub = pto.castptr %c256 : i64 -> !pto.ptr<f32, ub>\n scf.for %i = %c0 to %c6 step %c1 : i64 {\n pto.mte_gm_ub %gm, %ub, %c0, %c256 nburst(%c64, %c256, %c256) : !pto.ptr<f32, gm>, !pto.ptr<f32, ub>, i64, i64, i64, i64, i64\n }\n return\n}";
    let analysis = Analysis::of(text);
    let cost = &cost::transfer_costs(&analysis, PtoOptions::default())[0];
    assert_eq!(
        (cost.name.as_str(), cost.time, cost.unit),
        ("f", None, None)
    );
    let row = &cost.rows[0];
    assert_eq!(
        (row.times.clone(), row.rows.clone()),
        (Amount::Known(6), Amount::Known(64))
    );
    // 64 * 256 bytes, six times; they end at 256 + 16,384.
    assert_eq!(cost.totals["GM to UB"], Amount::Known(98_304));
    assert_eq!(cost.peaks["UB"], 16_640);
    let figures = PtoOptions {
        gm_bytes_per_cycle: Some(100),
        setup_cycles: Some(50),
    };
    // 163.84 cycles are 164, and 50 before: six times 214.
    assert_eq!(
        cost::transfer_costs(&analysis, figures)[0].time,
        Some(1_284)
    );
}
