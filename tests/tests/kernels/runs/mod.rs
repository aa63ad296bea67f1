//! Runs of the fixtures: right kernels run and nothing is found, what the lint finds silently wrong a run finds too, a fix keeps what a
//! kernel computes, and no defined element depends on an undefined one.

mod listed;
mod values;

use std::collections::BTreeSet;
use std::sync::Arc;

use visa_analysis::arrays::Array;
use visa_analysis::{
    Analysis, Group, IndexRange, InputPlace, InputValue, Language, Layout, RunInput, RunOutput,
    RunRefusal, RunReport, RunRequest, Tolerance, all_rules, compare_runs,
};
use visa_tests::hints::applied;
use visa_tests::threads::on_all_threads;
use visa_tests::{check_completed, line_of, read, repository, rust_files, shown, visible, workspace_of};

use self::listed::{CHANGED_BY_FIXES, Listed, NOT_RUN, SILENT_ONLY};

/// Scalars of run time that a kernel of the fixtures takes at most.
const SCALARS: usize = 8;

/// The kernels of the fixtures whose file names begin with a word, by path and text.
fn kernels(word: &str) -> Vec<(String, String)> {
    let files = rust_files(&repository().join("fixtures/violations"));
    let named = files.into_iter().filter(|path| {
        let name = path.file_stem().and_then(|name| name.to_str());
        name.is_some_and(|name| name == word || name.starts_with(&format!("{word}_")))
    });
    named.map(|path| (shown(&path), read(&path))).collect()
}

/// Runs a function with random inputs: lists of indices hold the first row, and each scalar of run time is 1.
fn run(analysis: &Analysis, path: &str, function: &Arc<str>) -> (RunRequest, Result<RunReport, RunRefusal>) {
    let mut request = RunRequest {
        function: Some(Arc::clone(function)),
        index_range: Some(IndexRange { first: 0, last: 0 }),
        layout: Layout::Physical,
        ..RunRequest::default()
    };
    let mut result = analysis.run(path, &request);
    for _ in 0..SCALARS {
        let missing = match &result {
            Err(refusal) => refusal.reason.strip_prefix("the number `"),
            Ok(_) => None,
        };
        let Some((name, _)) = missing.and_then(|rest| rest.split_once('`')) else {
            break;
        };
        request.inputs.push(RunInput {
            place: InputPlace::Name(Arc::from(name)),
            value: InputValue::Scalar(1),
            source: Arc::from("1"),
        });
        result = analysis.run(path, &request);
    }
    (request, result)
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
fn outcomes((path, text): &(String, String)) -> Vec<(String, Outcome)> {
    let workspace = workspace_of(path, text);
    let analysis = workspace.analysis();
    let functions = analysis.device_functions(path);
    let outcome = |function: &Arc<str>| match run(&analysis, path, function).1 {
        Ok(report) if report.findings.is_empty() => Outcome::Fine,
        Ok(report) => {
            let findings = report.findings.into_iter();
            Outcome::Found(findings.map(|finding| finding.message).collect())
        }
        Err(refusal) => Outcome::Refused(refusal.reason),
    };
    functions
        .iter()
        .map(|function| (format!("{path}::{function}"), outcome(function)))
        .collect()
}

/// The entry of a list for a function, noted as used.
fn entry(list: &[Listed], function: &str, used: &mut BTreeSet<&'static str>) -> Option<&'static str> {
    let function = function.strip_prefix("fixtures/violations/").unwrap_or(function);
    let found = list.iter().find(|(name, _)| {
        let rest = function.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(".rs") || rest.starts_with("::"))
    });
    let (name, reason) = *found?;
    used.insert(name);
    Some(reason)
}

/// Entries of a list that nothing needs any more.
fn stale(list: &[Listed], used: &BTreeSet<&'static str>) -> Vec<String> {
    let left = list.iter().filter(|(name, _)| !used.contains(name));
    left.map(|(name, _)| format!("{name}: the list excepts it, and it need not"))
        .collect()
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
    let (mut problems, mut used, mut ran) = (Vec::new(), BTreeSet::new(), 0);
    for (function, outcome) in on_all_threads(&kernels("right"), outcomes).into_iter().flatten() {
        match outcome {
            Outcome::Fine => ran += 1,
            Outcome::Found(findings) => problems.push(format!("{function}: {findings:?}")),
            Outcome::Refused(reason) => match entry(NOT_RUN, &function, &mut used) {
                Some(listed) if reason.contains(listed) => {}
                listed => problems.push(format!("{function}: `{reason}` and not {listed:?}")),
            },
        }
    }
    println!("{ran} functions ran, {} are listed", NOT_RUN.len());
    problems.extend(stale(NOT_RUN, &used));
    assert_none(&problems);
}

#[test]
fn what_is_silently_wrong_a_run_finds_too() {
    let (mut problems, mut used) = (Vec::new(), BTreeSet::new());
    let silent: Vec<&str> = all_rules()
        .filter(|rule| rule.group == Group::Silent && rule.looks_at(Language::Rust))
        .map(|rule| rule.name)
        .collect();
    let of_rule = |path: &str| silent.iter().any(|rule| path.contains(&format!("/{rule}/")));
    let wrong: Vec<_> = kernels("wrong")
        .into_iter()
        .filter(|(path, _)| of_rule(path))
        .collect();
    let results = on_all_threads(&wrong, outcomes);
    let mut agreed = 0;
    for ((path, _), results) in wrong.iter().zip(results) {
        let is_found = |(_, outcome): &(String, Outcome)| matches!(outcome, Outcome::Found(_));
        if results.iter().any(is_found) {
            agreed += 1;
        } else if entry(SILENT_ONLY, path, &mut used).is_none() {
            let refused = results.iter().filter_map(|(function, outcome)| match outcome {
                Outcome::Refused(reason) => Some(format!("{function}: {reason}")),
                _ => None,
            });
            problems.push(format!("{path}: nothing is found {:?}", refused.collect::<Vec<_>>()));
        }
    }
    println!("{agreed} of {} kernels agree", wrong.len());
    problems.extend(stale(SILENT_ONLY, &used));
    assert_none(&problems);
}

/// A value that two runs of one kernel must share.
fn same(one: &Array, other: &Array, at: usize) -> bool {
    let (one, other) = (one.number_at(at), other.number_at(at));
    match (one, other) {
        (Some(one), Some(other)) => one == other || (one.is_nan() && other.is_nan()),
        _ => false,
    }
}

#[test]
fn no_defined_element_of_a_fixture_depends_on_an_undefined_one() {
    let mut all = kernels("right");
    all.extend(kernels("wrong"));
    let results = on_all_threads(&all, |(path, text)| {
        let workspace = workspace_of(path, text);
        let analysis = workspace.analysis();
        let mut problems = Vec::new();
        for function in analysis.device_functions(path) {
            let (request, Ok(report)) = run(&analysis, path, &function) else {
                continue;
            };
            if report.outputs.iter().all(|output| output.undefined == 0) && report.operations > 40 {
                continue;
            }
            for seed in [None, Some(1)] {
                let Ok(junk) = analysis.run_with_junk(path, &request, seed) else {
                    continue;
                };
                for (plain, junk) in report.outputs.iter().zip(&junk) {
                    let changed = (0..plain.values.len())
                        .filter(|at| plain.defined.is_set(*at))
                        .find(|at| !same(&plain.values, &junk.values, *at));
                    if let Some(at) = changed {
                        problems.push(format!("{path}::{function}: element {at} of `{}`", plain.name));
                    }
                }
            }
        }
        problems
    });
    assert_none(&results.into_iter().flatten().collect::<Vec<_>>());
}

/// An element that a run before a fix is sure of and the run behind it is not.
fn lost(before: &RunReport, after: &RunReport) -> Option<String> {
    let pairs = before.outputs.iter().zip(&after.outputs);
    pairs.into_iter().find_map(|(old, new): (&RunOutput, &RunOutput)| {
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
        let Ok(before) = run(&old, path, &function).1 else {
            continue;
        };
        if before.outputs.is_empty() {
            continue;
        }
        let after = match run(&new, path, &function).1 {
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
        let report = check_completed(path, text);
        let mut found = Vec::new();
        for diagnostic in visible(&report) {
            for fix in &diagnostic.fixes {
                let after = applied(text, &fix.edits);
                let fault = fault_of_fix(path, text, &after);
                found.push((format!("{path}: {}\n  \"{}\"", line_of(diagnostic), fix.title), fault));
            }
        }
        found
    });
    let (mut problems, mut used, mut tried) = (Vec::new(), BTreeSet::new(), 0);
    for ((path, _), found) in wrong.iter().zip(results) {
        for (fix, fault) in found {
            tried += 1;
            if let Some(fault) = fault
                && entry(CHANGED_BY_FIXES, path, &mut used).is_none()
            {
                problems.push(format!("{fix}: {fault}"));
            }
        }
    }
    println!("{tried} fixes, {} kernels are excepted", CHANGED_BY_FIXES.len());
    assert!(tried > 70, "only {tried} fixes");
    problems.extend(stale(CHANGED_BY_FIXES, &used));
    assert_none(&problems);
}
