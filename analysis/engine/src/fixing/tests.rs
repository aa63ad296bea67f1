use std::collections::BTreeMap;
use std::sync::Arc;

use proptest::prelude::*;

use super::{
    Completed, Completing, Fixable, KernelName, Proposed, Rejection, Signatures, Totals, Trust,
    fix_all,
};
use crate::changes::{Application, Texts, apply_fixes};
use crate::report::{Diagnostic, DiagnosticFix, FileEdit, FileReport, Position, Range};
use crate::rules::{Applicability, Group, Level};
use crate::workspace::Workspace;

fn edit(file: &str, start: usize, end: usize, text: &str) -> FileEdit {
    FileEdit {
        file: file.into(),
        start_byte: u32::try_from(start).unwrap(),
        end_byte: u32::try_from(end).unwrap(),
        text: text.to_owned(),
    }
}

fn fix(edits: Vec<FileEdit>) -> DiagnosticFix {
    DiagnosticFix {
        title: "mend".to_owned(),
        applicability: Applicability::Machine,
        edits,
        cost: None,
    }
}

fn texts(files: &[(&str, &str)]) -> Texts {
    let files = files.iter();
    files
        .map(|(path, text)| (Arc::from(*path), Arc::from(*text)))
        .collect()
}

#[track_caller]
fn assert_applied(before: &[(&str, &str)], fixes: &[DiagnosticFix], after: &[(&str, &str)]) {
    let application = apply_fixes(&texts(before), fixes);
    assert_eq!(application.texts, texts(after));
}

#[test]
fn edits_leave_every_other_byte_as_it_is() {
    let text = "\u{feff}größe = 3;\r\nx\ty;\n";
    // The mark has 3 bytes, `größe = ` 10.
    let fixes = [fix(vec![
        edit("a", 13, 14, "4 # ü"),
        edit("a", 3, 3, "// a\n"),
    ])];
    let after = "\u{feff}// a\r\ngröße = 4 # ü;\r\nx\ty;\n";
    assert_applied(&[("a", text)], &fixes, &[("a", after)]);
    // Without a carriage return before the file's first line break nothing is made of one.
    let fixes = [fix(vec![edit("a", 0, 0, "b\n")])];
    assert_applied(&[("a", "x\ny\r\n")], &fixes, &[("a", "b\nx\ny\r\n")]);
}

#[test]
fn of_two_fixes_that_meet_the_first_one_wins_whole() {
    let files = [("a", "0123456789"), ("b", "0123456789")];
    let first = fix(vec![edit("a", 2, 4, "x"), edit("b", 0, 1, "")]);
    let meeting = fix(vec![edit("a", 8, 9, "y"), edit("b", 0, 3, "z")]);
    let beside = fix(vec![edit("a", 4, 6, "-")]);
    let fixes = [first, meeting, beside];
    let application = apply_fixes(&texts(&files), &fixes);
    assert_eq!(application.applied, [0, 2]);
    assert_eq!(
        application.texts,
        texts(&[("a", "01x-6789"), ("b", "123456789")])
    );
    // Two insertions in one place, or one at the end of a replacement, would depend on their order.
    for (one, other) in [
        (edit("a", 3, 3, "x"), edit("a", 3, 3, "y")),
        (edit("a", 1, 3, "x"), edit("a", 3, 3, "y")),
        (edit("a", 3, 3, "x"), edit("a", 3, 5, "y")),
    ] {
        let fixes = [fix(vec![one]), fix(vec![other])];
        assert_eq!(apply_fixes(&texts(&files), &fixes).applied, [0]);
    }
}

#[test]
fn what_does_not_fit_is_not_applied() {
    let files = [("a", "größe")];
    for (why, edits) in [
        ("no edits", vec![]),
        ("inside of `ö`", vec![edit("a", 3, 4, "x")]),
        ("behind the end", vec![edit("a", 0, 99, "x")]),
        ("backwards", vec![edit("a", 2, 1, "x")]),
        ("no such file", vec![edit("c", 0, 0, "x")]),
        ("the same text", vec![edit("a", 0, 1, "g")]),
        (
            "meets itself",
            vec![edit("a", 0, 2, "x"), edit("a", 1, 2, "y")],
        ),
        (
            "half of it",
            vec![edit("a", 0, 1, "x"), edit("c", 0, 1, "y")],
        ),
    ] {
        let application = apply_fixes(&texts(&files), &[fix(edits)]);
        assert_eq!(application, Application::default(), "{why}");
    }
    let twice = fix(vec![edit("a", 0, 1, "x"), edit("a", 0, 1, "x")]);
    assert_applied(&files, &[twice], &[("a", "xröße")]);
}

/// An engine whose rules are words: each finds itself in the texts and offers to be rewritten. `(` is a syntax error, `?`
/// an operation that is not understood.
#[derive(Debug, Clone)]
struct Toy {
    files: BTreeMap<Arc<str>, Arc<str>>,
    rules: Vec<(char, Level, Vec<&'static str>)>,
    applicability: Applicability,
}

const NAMES: [&str; 6] = ["a", "b", "c", "d", "e", "f"];

impl Toy {
    fn new(text: &str, rules: &[(char, Level, &[&'static str])]) -> Self {
        Self {
            files: texts(&[("t", text)]),
            rules: rules
                .iter()
                .map(|(word, level, offers)| (*word, *level, offers.to_vec()))
                .collect(),
            applicability: Applicability::Machine,
        }
    }

    fn text(&self) -> &str {
        &self.files["t"]
    }

    fn counts(&self) -> BTreeMap<Level, usize> {
        let report = &self.reports()[0];
        let mut counts = BTreeMap::new();
        for diagnostic in &report.diagnostics {
            *counts.entry(diagnostic.default_level).or_default() += 1;
        }
        counts
    }
}

fn finding(word: char, level: Level, at: usize, fixes: Vec<DiagnosticFix>) -> Diagnostic {
    let position = |byte: usize| Position {
        byte: u32::try_from(byte).unwrap(),
        line: 1,
        column: 1,
    };
    Diagnostic {
        rule: NAMES.iter().find(|name| name.contains(word)).unwrap(),
        group: Group::Hardware,
        default_level: level,
        message: format!("{word} is wrong"),
        notes: Vec::new(),
        help: None,
        alternatives: Vec::new(),
        saves: None,
        url: None,
        file: "t".into(),
        range: Range {
            start: position(at),
            end: position(at + 1),
        },
        related: Vec::new(),
        more_places: 0,
        called_at: None,
        fixes,
        suppressed: false,
        confirmed_by: None,
        home: None,
    }
}

impl Fixable for Toy {
    fn texts(&self) -> Texts {
        self.files.clone()
    }

    fn replace(&mut self, texts: &Texts) {
        self.files.extend(texts.clone());
    }

    fn reports(&self) -> Vec<FileReport> {
        let mut report = FileReport::new("t".into());
        let count = |sign: char| self.text().matches(sign).count() as u64;
        report.syntax_errors = count('(');
        report.operations.unresolved = count('?');
        for (at, letter) in self.text().char_indices() {
            for (word, level, offers) in &self.rules {
                if letter == *word {
                    let offer = |text: &&str| DiagnosticFix {
                        applicability: self.applicability,
                        ..fix(vec![edit("t", at, at + 1, text)])
                    };
                    let fixes = offers.iter().map(offer).collect();
                    report.diagnostics.push(finding(*word, *level, at, fixes));
                }
            }
        }
        vec![report]
    }

    fn totals(&self) -> Totals {
        let kernel = KernelName {
            file: "t".into(),
            number: 0,
            name: "k".into(),
        };
        let steps = self.text().matches('s').count() as u64;
        Totals::from([(kernel, 100 + steps)])
    }

    fn signatures(&self) -> Signatures {
        Signatures::new()
    }

    fn level(&self, diagnostic: &Diagnostic) -> Level {
        diagnostic.default_level
    }

    fn complete(&self, wanted: &[Proposed<'_>], _: Completing) -> Vec<Completed> {
        let whole = wanted
            .iter()
            .enumerate()
            .map(|(number, (_, fix))| Completed {
                of: vec![number],
                fix: (*fix).clone(),
            });
        whole.collect()
    }
}

#[track_caller]
fn assert_fixed(text: &str, rules: &[(char, Level, &[&'static str])], after: &str, fixed: u64) {
    let mut toy = Toy::new(text, rules);
    let result = fix_all(&mut toy, Trust::Machine);
    assert_eq!(toy.text(), after);
    assert_eq!(result.fixed, fixed);
    let changed = if text == after {
        vec![]
    } else {
        vec![("t", after)]
    };
    assert_eq!(result.texts, texts(&changed));
}

#[test]
fn rounds_go_on_until_nothing_is_left() {
    use Level::{Deny, Warn};
    // One finding leads to the next: three rounds.
    assert_fixed(
        "aa-b",
        &[
            ('a', Deny, &["b"]),
            ('b', Deny, &["c"]),
            ('c', Warn, &["x"]),
        ],
        "xx-x",
        3,
    );
    assert_fixed("xyz", &[('a', Deny, &["b"])], "xyz", 0);
    assert_fixed("a", &[('a', Level::Allow, &["b"])], "a", 0);
}

#[test]
fn a_fix_that_does_harm_is_left_out_and_the_others_are_applied() {
    use Level::{Deny, Warn};
    // A syntax error, an operation that is no longer understood, a finding of a higher level.
    for harm in ["(", "?", "d"] {
        let offers = [harm];
        let rules: [(char, Level, &[&str]); 3] =
            [('a', Warn, &offers), ('b', Warn, &["x"]), ('d', Deny, &[])];
        assert_fixed("a-b-a-b", &rules, "a-x-a-x", 2);
    }
    // A finding of the same level may appear, and the next offer is taken where the first does harm.
    let rules: [(char, Level, &[&str]); 2] = [('a', Deny, &["(", "b"]), ('b', Deny, &[])];
    assert_fixed("a-a", &rules, "b-b", 2);
    // What mends nothing is no fix.
    assert_fixed("a", &[('a', Deny, &["aa", "-a"])], "a", 0);
}

#[test]
fn fixes_that_lead_in_a_circle_end_where_they_began() {
    use Level::Deny;
    let rules: [(char, Level, &[&str]); 3] = [
        ('a', Deny, &["b"]),
        ('b', Deny, &["c"]),
        ('c', Deny, &["b"]),
    ];
    for (text, after) in [("a", "b"), ("b", "b"), ("c", "c")] {
        let mut toy = Toy::new(text, &rules);
        fix_all(&mut toy, Trust::Machine);
        assert_eq!(toy.text(), after);
    }
}

#[test]
fn what_only_looked_like_a_circle_is_mended_at_once() {
    use Level::{Deny, Warn};
    let mut toy = Toy::new(
        "cea",
        &[
            ('a', Warn, &["f"]),
            ('b', Warn, &["e"]),
            ('c', Deny, &["ab"]),
            ('d', Level::Allow, &[]),
            ('e', Warn, &["ab", "a"]),
            ('f', Warn, &["b"]),
        ],
    );
    fix_all(&mut toy, Trust::Machine);
    let once = toy.text().to_owned();
    fix_all(&mut toy, Trust::Machine);
    assert_eq!(toy.text(), once);
}

/// What is left of a text with findings `a` whose unsure fixes write the offers, and why a fix was not applied.
#[track_caller]
fn assert_left(text: &str, offers: &[&'static str], after: &str, why: &[&str]) {
    let rules: [(char, Level, &[&str]); 2] = [('a', Level::Warn, offers), ('d', Level::Deny, &[])];
    let mut toy = Toy::new(text, &rules);
    toy.applicability = Applicability::Maybe;
    let fixed = fix_all(&mut toy, Trust::Maybe);
    assert_eq!(toy.text(), after);
    let said = fixed.left_out.iter().map(|left| left.why.to_string());
    assert_eq!(said.collect::<Vec<_>>(), why);
}

#[test]
fn an_unsure_fix_makes_no_kernel_slower_in_one_step_or_in_several() {
    // Each step `s` is one of a hundred cycles and more.
    assert_left("a", &["s"], "s", &[]);
    assert_left("a", &["sss"], "a", &["makes `k` slower (+3 %)"]);
    assert_left("a", &["sss", "x"], "x", &[]);
    // Two are allowed, and the third is not.
    assert_left("aaa", &["s"], "ssa", &["makes `k` slower (+3 %)"]);
    // A sure fix may cost what it costs.
    assert_fixed("a", &[('a', Level::Warn, &["sss"])], "sss", 1);
}

#[test]
fn what_is_left_out_says_why() {
    assert_left("a", &["("], "a", &["breaks the syntax"]);
    assert_left(
        "a",
        &["?"],
        "a",
        &["leads to an operation that cannot be followed"],
    );
    assert_left("a", &["d"], "a", &["brings `d` at line 1"]);
    assert_left("a", &["-a"], "a", &["leaves its finding"]);
    let rules: [(char, Level, &[&str]); 2] =
        [('a', Level::Warn, &["b"]), ('b', Level::Warn, &["a"])];
    let mut toy = Toy::new("a", &rules);
    let fixed = fix_all(&mut toy, Trust::Machine);
    let why: Vec<_> = fixed.left_out.iter().map(|left| &left.why).collect();
    assert_eq!(why, [&Rejection::Circle]);
}

#[test]
fn unsure_fixes_are_applied_on_request() {
    let mut diagnostic = finding('a', Level::Deny, 0, vec![fix(vec![]), fix(vec![])]);
    diagnostic.fixes[0].applicability = Applicability::Maybe;
    diagnostic.fixes[1].title = "sure".to_owned();
    let titles = |trust: Trust| -> Vec<_> {
        let fixes = trust.trusted_fixes(&diagnostic);
        fixes.map(|fix| fix.title.as_str()).collect()
    };
    assert_eq!(titles(Trust::Machine), ["sure"]);
    assert_eq!(titles(Trust::Maybe), ["sure", "mend"]);
}

#[test]
fn a_workspace_is_mended_in_place() {
    let mut workspace = Workspace::new();
    let text = "\u{feff}// größe\r\n#[allow(tcp::slice_size)]\r\nfn f() {}\r\n";
    workspace.set_files([("a.rs", text), ("b.rs", "fn g() {}\n")]);
    let fixed = fix_all(&mut workspace, Trust::Machine);
    let after = "\u{feff}// größe\r\nfn f() {}\r\n";
    assert_eq!(fixed.texts, texts(&[("a.rs", after)]));
    assert_eq!(fixed.fixed, 1);
    assert_eq!(workspace.analysis().check_file("a.rs").diagnostics, []);
}

fn random_rules() -> impl Strategy<Value = Vec<(char, Level, Vec<&'static str>)>> {
    let offer = prop::sample::select(vec![
        "a", "b", "c", "d", "e", "f", "x", "", "ab", "ff", "(", "?", "xa",
    ]);
    let level = prop::sample::select(vec![Level::Allow, Level::Warn, Level::Deny]);
    let rule = (level, prop::collection::vec(offer, 0..3));
    prop::collection::vec(rule, 6).prop_map(|rules| {
        let words = "abcdef".chars();
        words
            .zip(rules)
            .map(|(word, (level, offers))| (word, level, offers))
            .collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn whatever_is_offered_nothing_gets_worse(text in "[abcdefx(?]{0,12}", rules in random_rules()) {
        let applicability = Applicability::Machine;
        let mut toy = Toy { files: texts(&[("t", &text)]), rules, applicability };
        let before = toy.clone();
        fix_all(&mut toy, Trust::Machine);
        let (report, old) = (&toy.reports()[0], &before.reports()[0]);
        prop_assert!(report.syntax_errors <= old.syntax_errors);
        prop_assert!(report.operations.unresolved <= old.operations.unresolved);
        let denied = |toy: &Toy| toy.counts().get(&Level::Deny).copied().unwrap_or(0);
        // Only a finding at level deny may leave one at level deny behind.
        prop_assert!(denied(&toy) <= denied(&before), "{:?} {:?}", before.text(), toy.text());
        let again = toy.text().to_owned();
        fix_all(&mut toy, Trust::Machine);
        prop_assert_eq!(toy.text(), again);
    }
}
