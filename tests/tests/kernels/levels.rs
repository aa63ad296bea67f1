//! Levels gate work: what no rule that is on asks for is not worked out, and what is on finds the same as among all rules.
//!
//! Work is counted in executed queries. What a user sees of levels is tested with the command line and the server.

use std::collections::BTreeMap;

use visa_analysis::{
    Diagnostic, EnabledRules, FileReport, Group, Workspace, all_rules, rules_that_are_on,
};
use visa_tests::{check_completed, check_text, read, repository, rust_files, shown, workspace_of};

const PATH: &str = "kernels.rs";

/// A kernel without a fault, and one whose address is none of its element's.
const TEXT: &str = "use furiosa_visa_std::prelude::*;

axes![L = 4096];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![L / 16];

#[device(chip = 1)]
fn right(ctx: &mut Context, lanes: &HbmTensor<i32, Chip, m![L]>) -> HbmTensor<i32, Chip, m![L]> {
    let lanes = lanes.to_dm::<Cluster, Slice, m![L % 16]>(&mut ctx.tdma, 0);
    lanes.to_hbm(&mut ctx.tdma, 1 << 20)
}

#[device(chip = 1)]
fn wrong(ctx: &mut Context, lanes: &HbmTensor<i32, Chip, m![L]>) -> HbmTensor<i32, Chip, m![L]> {
    let lanes = lanes.to_dm::<Cluster, Slice, m![L % 16]>(&mut ctx.tdma, 4);
    lanes.to_hbm(&mut ctx.tdma, 1 << 21)
}
";

fn groups(groups: &[Group]) -> EnabledRules {
    rules_that_are_on(|_, group| groups.contains(&group))
}

/// All rules but those of performance.
fn without_performance() -> EnabledRules {
    rules_that_are_on(|_, group| group != Group::Performance)
}

fn rule(name: &str) -> EnabledRules {
    rules_that_are_on(|rule, _| rule.name == name)
}

/// How often some queries ran since the last call.
fn executed<const N: usize>(workspace: &Workspace, names: [&str; N]) -> [usize; N] {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for event in workspace.take_events() {
        let name = event.split('(').next().unwrap_or_default().to_owned();
        *counts.entry(name).or_default() += 1;
    }
    names.map(|name| counts.get(name).copied().unwrap_or(0))
}

/// What a check takes: bodies lowered, bodies derived, bodies simulated.
const WORK: [&str; 3] = ["body", "function_derivation", "function_simulation"];

fn unasked(text: &str, enabled: EnabledRules) -> Workspace {
    let mut workspace = Workspace::with_event_log();
    workspace.set_enabled_rules(enabled, []);
    workspace.set_files([(PATH, text)]);
    drop(workspace.take_events());
    workspace
}

fn rules(report: &FileReport) -> Vec<&'static str> {
    report.diagnostics.iter().map(|found| found.rule).collect()
}

#[test]
fn what_no_rule_asks_for_is_not_worked_out() {
    let work = |enabled: EnabledRules| {
        let workspace = unasked(TEXT, enabled);
        let report = workspace.analysis().check_file(PATH);
        assert_eq!((report.kernels, report.operations.resolved), (2, 4));
        executed(&workspace, WORK)
    };
    assert_eq!(work(EnabledRules::default()), [2, 2, 2]);
    // What is suspicious looks at the schedule too, where passes of two contexts could meet.
    assert_eq!(work(without_performance()), [2, 2, 0]);
    let denied = [Group::Mapping, Group::Hardware, Group::Silent];
    assert_eq!(work(groups(&denied)), [2, 2, 0]);
    assert_eq!(work(groups(&[Group::Mapping])), [2, 0, 0]);
    assert_eq!(work(groups(&[Group::Performance])), [2, 2, 2]);
    assert_eq!(work(rule("axis_repeated")), [2, 0, 0]);
    assert_eq!(work(rule("unresolved_operation")), [2, 2, 0]);
}

#[test]
fn fixes_of_mappings_are_judged_without_costs() {
    let text = TEXT.replace(
        "m![L % 16]>(&mut ctx.tdma, 0)",
        "m![L % 15]>(&mut ctx.tdma, 0)",
    );
    let workspace = unasked(&text, groups(&[Group::Mapping]));
    let report = workspace.analysis().check_file(PATH);
    assert_eq!(rules(&report), ["modulo_indivisible"]);
    assert_eq!(executed(&workspace, WORK)[1..], [0, 0]);
}

#[test]
fn other_levels_lower_and_derive_nothing_again() {
    let mut workspace = unasked(TEXT, EnabledRules::default());
    let _ = workspace.analysis().check_file(PATH);
    assert_eq!(executed(&workspace, WORK), [2, 2, 2]);
    let sets = [
        groups(&[Group::Mapping]),
        groups(&[Group::Hardware]),
        rule("missed_overlap"),
        EnabledRules::default(),
    ];
    for enabled in sets {
        workspace.set_enabled_rules(enabled, []);
        let _ = workspace.analysis().check_file(PATH);
        let work = executed(
            &workspace,
            ["body", "function_derivation", "function_simulation"],
        );
        assert_eq!(work, [0, 0, 0]);
    }
    // The same rules at other levels are the same input.
    workspace.set_enabled_rules(EnabledRules::default(), [(PATH, EnabledRules::default())]);
    let _ = workspace.analysis().check_file(PATH);
    assert_eq!(workspace.take_events(), [""; 0]);
}

#[test]
fn operations_that_are_not_looked_at_are_said_whatever_is_on() {
    let text = TEXT.replace(
        "lanes.to_hbm(&mut ctx.tdma, 1 << 20)",
        "lanes.to_nowhere(ctx)",
    );
    let unresolved = |enabled| {
        let report = unasked(&text, enabled).analysis().check_file(PATH);
        assert_eq!(report.unresolved.len() as u64, report.operations.unresolved);
        report.unresolved
    };
    let all = unresolved(EnabledRules::default());
    assert_eq!(all.len(), 1);
    for enabled in [groups(&[Group::Mapping]), groups(&[Group::Performance])] {
        assert_eq!(unresolved(enabled), all);
    }
}

#[test]
fn a_suppression_of_what_was_not_run_is_not_called_unused() {
    let check = |suppressed: &str, enabled: EnabledRules| {
        let comment =
            format!("// visa-lint: allow({suppressed})\n    lanes.to_hbm(&mut ctx.tdma, 1 << 21)");
        let text = TEXT.replace("lanes.to_hbm(&mut ctx.tdma, 1 << 21)", &comment);
        let workspace = unasked(&text, enabled);
        let report = workspace.analysis().check_file(PATH);
        let unused = rules(&report).contains(&"unused_suppression");
        (unused, executed(&workspace, ["function_simulation"]))
    };
    for suppressed in ["missed_overlap", "fetch_partial_flit", "dm_overlap"] {
        assert!(check(suppressed, EnabledRules::default()).0, "{suppressed}");
    }
    for suppressed in ["missed_overlap", "performance"] {
        assert_eq!(check(suppressed, without_performance()), (false, [0]));
    }
    assert!(check("dm_overlap", without_performance()).0);
}

#[test]
fn each_file_has_its_rules_and_a_helper_those_of_its_own() {
    let check = |of_other: EnabledRules, call: &str| {
        let mut workspace = Workspace::with_event_log();
        let root = format!(
            "mod other;\nuse crate::other::load;\n{}",
            TEXT.replace(
                "let lanes = lanes.to_dm::<Cluster, Slice, m![L % 16]>(&mut ctx.tdma, 4);",
                call
            )
        );
        let other = "use furiosa_visa_std::prelude::*;
use crate::{Chip, Cluster, L, Slice};
pub fn load(ctx: &mut Context, lanes: &HbmTensor<i32, Chip, m![L]>) -> DmTensor<i32, Chip, Cluster, Slice, m![L % 16]> {
    lanes.to_dm(&mut ctx.tdma, 4)
}
";
        workspace.set_files([("src/lib.rs", root.as_str()), ("src/other.rs", other)]);
        let mapping = groups(&[Group::Mapping]);
        workspace.set_enabled_rules(mapping, [("src/other.rs", of_other)]);
        let found = workspace.analysis().check_file("src/other.rs");
        let _ = workspace.analysis().check_file("src/lib.rs");
        (rules(&found), executed(&workspace, WORK))
    };
    let called = "let lanes = load(ctx, lanes);";
    let own = "let lanes = lanes.to_dm::<Cluster, Slice, m![L % 16]>(&mut ctx.tdma, 4);";
    let mapping = groups(&[Group::Mapping]);
    assert_eq!(check(mapping, called), (vec![], [3, 0, 0]));
    // The helper, and the kernel that calls it.
    assert_eq!(
        check(groups(&[Group::Hardware]), called),
        (vec!["dma_alignment"], [3, 2, 0])
    );
    // Nobody calls it: it is judged alone.
    assert_eq!(check(groups(&[Group::Hardware]), own).1, [3, 1, 0]);
}

#[test]
fn costs_and_proposals_do_not_depend_on_levels() {
    let path = repository().join("fixtures/violations/missed_overlap/wrong.rs");
    let text = read(&path);
    let costs = |enabled| unasked(&text, enabled).analysis().costs(PATH).unwrap();
    let all = costs(EnabledRules::default());
    assert!(all.iter().any(|kernel| !kernel.proposals.is_empty()));
    assert_eq!(costs(groups(&[Group::Mapping])), all);
    assert_eq!(costs(rule("missed_overlap")), all);
}

/// The findings of a rule, as they are said with all rules on and alone.
fn of_rule(report: FileReport, rule: &str) -> Vec<Diagnostic> {
    let found = report.diagnostics.into_iter();
    found.filter(|found| found.rule == rule).collect()
}

#[test]
fn a_rule_alone_finds_and_offers_what_it_does_among_all() {
    let mut compared = 0;
    let mut differing = Vec::new();
    // A suppression is unused by what other rules find.
    let names = all_rules().map(|rule| rule.name);
    for name in names.filter(|name| *name != "unused_suppression") {
        let folder = repository().join("fixtures/violations").join(name);
        for path in rust_files(&folder) {
            let text = read(&path);
            let whole = of_rule(check_text(&shown(&path), &text), name);
            let mut workspace = workspace_of(&shown(&path), &text);
            workspace.set_enabled_rules(rule(name), []);
            let alone = workspace.analysis().check_file(&shown(&path));
            if of_rule(alone, name) != whole {
                differing.push(shown(&path));
            }
            // What a fix needs behind it is judged by all rules, whatever is on.
            if path.ends_with("wrong.rs") && !whole.iter().all(|found| found.fixes.is_empty()) {
                let whole = of_rule(check_completed(&shown(&path), &text), name);
                let alone = workspace.analysis().check_file_completed(&shown(&path));
                if of_rule(alone, name) != whole {
                    differing.push(format!("{}, completed", shown(&path)));
                }
            }
            compared += whole.len();
        }
    }
    assert_eq!(differing, [""; 0]);
    assert!(compared + 1 >= all_rules().count());
}
