//! Runs of the fixtures: right kernels run and nothing is found, what the lint finds silently wrong a run finds too, a fix keeps what a
//! kernel computes, and no defined element depends on an undefined one.
//!
//! Each change runs one kernel of 32; `VISA_TIMES=32` runs all of them.

mod listed;

use std::collections::BTreeSet;
use std::sync::Arc;

use visa_analysis::{
    Group, Language, Layout, Level, RunReport, Tolerance, all_rules, compare_runs,
};
use visa_tests::hints::applied;
use visa_tests::runs::{JunkEffect, Unchanged, add_unchanged, junk_effect, run_with_random_inputs};
use visa_tests::threads::on_all_threads;
use visa_tests::{cases, read, repository, rust_files, workspace_of};

use self::listed::{CHANGED_BY_FIXES, Listed, NOT_RUN, SILENT_ONLY};

/// One kernel of so many is run by each change.
const SHARE: usize = 32;

/// The kernels of the rules' examples whose file names begin with a word, by their path below the folder of all rules, and text.
fn kernels(word: &str) -> Vec<(String, String)> {
    let all = repository().join("fixtures/violations");
    let named = |path: &std::path::PathBuf| {
        let name = path.file_stem().and_then(|name| name.to_str());
        name.and_then(|name| name.strip_prefix(word))
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('_'))
    };
    let found: Vec<_> = rust_files(&all).into_iter().filter(named).collect();
    let wanted = cases(found.len().div_ceil(SHARE)).clamp(1, found.len());
    let spread = (0..wanted).filter_map(|number| found.get(number * found.len() / wanted));
    spread
        .map(|path| {
            let shown = path.strip_prefix(&all).unwrap_or(path);
            (shown.display().to_string(), read(path))
        })
        .collect()
}

/// What a run of a function came to.
enum Outcome {
    /// It ran, and nothing was found.
    Fine,
    /// It ran, or an operation ended it, with what was found.
    Found(Vec<String>),
    /// It did not run, for a reason.
    Refused(String),
}

/// The functions of a kernel that ran, by name.
fn outcomes((path, text): &(String, String)) -> Vec<(Arc<str>, Outcome)> {
    let workspace = workspace_of(path, text);
    let analysis = workspace.analysis();
    let functions = analysis.device_functions(path);
    let outcome = |function: &Arc<str>| match run_with_random_inputs(
        &analysis,
        path,
        function,
        Layout::Physical,
    )
    .1
    {
        Ok(report) if report.findings.is_empty() => Outcome::Fine,
        Ok(report) => {
            let findings = report.findings.into_iter();
            Outcome::Found(findings.map(|finding| finding.message).collect())
        }
        Err(refusal) => Outcome::Refused(refusal.reason),
    };
    functions
        .iter()
        .map(|function| (Arc::clone(function), outcome(function)))
        .collect()
}

/// Kernels that a list excepts, and those of them that needed it.
struct Exceptions {
    listed: &'static [Listed],
    used: BTreeSet<&'static str>,
}

impl Exceptions {
    const fn new(listed: &'static [Listed]) -> Self {
        Self {
            listed,
            used: BTreeSet::new(),
        }
    }

    /// The reason that the list has for a kernel.
    fn reason(&mut self, path: &str) -> Option<&'static str> {
        let (name, reason) = *self.listed.iter().find(|(name, _)| *name == path)?;
        self.used.insert(name);
        Some(reason)
    }

    /// Entries for kernels that were run and needed none.
    fn unused(&self, kernels: &[(String, String)]) -> Vec<String> {
        let left = self.listed.iter().filter(|(name, _)| {
            !self.used.contains(name) && kernels.iter().any(|(path, _)| path == name)
        });
        left.map(|(name, _)| format!("{name}: the list excepts it, and it need not"))
            .collect()
    }
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
fn right_kernels_run_and_nothing_is_found() {
    let kernels = kernels("right");
    let (mut problems, mut ran) = (Vec::new(), 0);
    let mut refused = Exceptions::new(NOT_RUN);
    for ((path, _), outcomes) in kernels.iter().zip(on_all_threads(&kernels, outcomes)) {
        for (function, outcome) in outcomes {
            match outcome {
                Outcome::Fine => ran += 1,
                Outcome::Found(findings) => {
                    problems.push(format!("{path}::{function}: {findings:?}"));
                }
                Outcome::Refused(reason) => match refused.reason(path) {
                    Some(listed) if reason.contains(listed) => {}
                    listed => {
                        problems.push(format!("{path}::{function}: `{reason}` and not {listed:?}"));
                    }
                },
            }
        }
    }
    problems.extend(refused.unused(&kernels));
    assert_none(&problems);
    assert!(
        ran >= kernels.len() / 2,
        "{ran} functions of {} kernels",
        kernels.len()
    );
}

#[test]
fn silent_faults_that_the_lint_finds_are_found_by_a_run() {
    let silent: Vec<&str> = all_rules()
        .filter(|rule| rule.group == Group::Silent && rule.looks_at(Language::Rust))
        .map(|rule| rule.name)
        .collect();
    let mut wrong = kernels("wrong");
    wrong.retain(|(path, _)| {
        silent
            .iter()
            .any(|rule| path.starts_with(&format!("{rule}/")))
    });
    let mut problems = Vec::new();
    let mut missed = Exceptions::new(SILENT_ONLY);
    for ((path, _), outcomes) in wrong.iter().zip(on_all_threads(&wrong, outcomes)) {
        let is_found = |(_, outcome): &(Arc<str>, Outcome)| matches!(outcome, Outcome::Found(_));
        if !outcomes.iter().any(is_found) && missed.reason(path).is_none() {
            let refused = outcomes
                .iter()
                .filter_map(|(function, outcome)| match outcome {
                    Outcome::Refused(reason) => Some(format!("{function}: {reason}")),
                    _ => None,
                });
            problems.push(format!(
                "{path}: nothing is found {:?}",
                refused.collect::<Vec<_>>()
            ));
        }
    }
    problems.extend(missed.unused(&wrong));
    assert_none(&problems);
}

/// What junk in undefined elements does to the functions of a kernel that run.
fn effects_of_junk((path, text): &(String, String)) -> Vec<(Arc<str>, JunkEffect)> {
    let workspace = workspace_of(path, text);
    let analysis = workspace.analysis();
    let functions = analysis.device_functions(path);
    let effect = |function: &Arc<str>| {
        let (request, report) = run_with_random_inputs(&analysis, path, function, Layout::Physical);
        let effect = junk_effect(&analysis, path, &request, &report.ok()?);
        Some((Arc::clone(function), effect))
    };
    functions.iter().filter_map(effect).collect()
}

/// Prints, by kind of origin, how many undefined elements no junk changed: `cargo test -- --nocapture` shows it.
#[test]
fn no_defined_element_of_a_fixture_depends_on_an_undefined_one() {
    let mut all = kernels("right");
    all.extend(kernels("wrong"));
    let (mut problems, mut table) = (Vec::new(), Unchanged::new());
    for ((path, _), effects) in all.iter().zip(on_all_threads(&all, effects_of_junk)) {
        for (function, effect) in effects {
            let changed = effect.changed.into_iter();
            problems.extend(changed.map(|line| format!("{path}::{function}: {line}")));
            add_unchanged(&mut table, effect.unchanged);
        }
    }
    for (kind, (count, kept)) in &table {
        println!("{kind}: {kept} of {count} undefined elements keep their number");
    }
    assert_none(&problems);
}

/// An element that a run before a fix is sure of and the run behind it is not.
fn lost(before: &RunReport, after: &RunReport) -> Option<String> {
    let pairs = before.outputs.iter().zip(&after.outputs);
    pairs.into_iter().find_map(|(old, new)| {
        if old.values.len() != new.values.len() {
            return None;
        }
        let is_live = |at: &usize| old.live.as_ref().is_none_or(|live| live.is_set(*at));
        let lost = (0..old.values.len())
            .filter(is_live)
            .find(|at| old.defined.is_set(*at) && !new.defined.is_set(*at));
        lost.map(|at| format!("element {at} of `{}` was defined", old.name))
    })
}

/// What is wrong with a kernel behind a fix.
fn fault_of_fix(path: &str, before: &str, after: &str) -> Option<String> {
    let (old, new) = (workspace_of(path, before), workspace_of(path, after));
    let (old, new) = (old.analysis(), new.analysis());
    for function in old.device_functions(path) {
        let Ok(before) = run_with_random_inputs(&old, path, &function, Layout::Value).1 else {
            continue;
        };
        if before.outputs.is_empty() {
            continue;
        }
        let after = match run_with_random_inputs(&new, path, &function, Layout::Value).1 {
            Ok(after) => after,
            Err(refusal) => return Some(format!("{function} no longer runs: {}", refusal.reason)),
        };
        if let Some(lost) = lost(&before, &after) {
            return Some(format!("{function}: {lost}"));
        }
        match compare_runs(&after, &before, Tolerance::Reordered) {
            Err(reason) => return Some(format!("{function}: {}", reason.0)),
            Ok(unequal) => {
                if let Some(first) = unequal.first() {
                    return Some(format!("{function}: {}", first.message));
                }
            }
        }
    }
    None
}

#[test]
fn a_fix_keeps_what_a_kernel_computes() {
    let wrong = kernels("wrong");
    let results = on_all_threads(&wrong, |(path, text)| {
        let report = workspace_of(path, text)
            .analysis()
            .check_file_completed(path);
        let mut found = Vec::new();
        for diagnostic in &report.diagnostics {
            if diagnostic.suppressed || diagnostic.default_level == Level::Allow {
                continue;
            }
            for fix in &diagnostic.fixes {
                let fault = fault_of_fix(path, text, &applied(text, &fix.edits));
                let line = diagnostic.range.start.line;
                let what = format!("{path}:{line}: {}: {}", diagnostic.rule, fix.title);
                found.push((what, fault));
            }
        }
        found
    });
    let (mut problems, mut tried) = (Vec::new(), 0);
    let mut changed = Exceptions::new(CHANGED_BY_FIXES);
    for ((path, _), found) in wrong.iter().zip(results) {
        for (fix, fault) in found {
            tried += 1;
            if let Some(fault) = fault
                && changed.reason(path).is_none()
            {
                problems.push(format!("{fix}: {fault}"));
            }
        }
    }
    problems.extend(changed.unused(&wrong));
    assert_none(&problems);
    assert!(
        tried >= wrong.len() / 8,
        "only {tried} fixes of {} kernels",
        wrong.len()
    );
}
