//! What a summary calls fixable is what `--fix` mends, on broken kernels.

use visa_analysis::{Applicability, Diagnostic, DiagnosticFix, Trust, fix_all};
use visa_tests::threads::on_all_threads;
use visa_tests::{check_completed, line_of, visible, workspace_of};

use crate::mutations::hints::chosen_mutants;

fn is_fixable(found: &&Diagnostic) -> bool {
    let sure = |fix: &DiagnosticFix| fix.applicability == Applicability::Machine;
    found.fixes.iter().any(sure)
}

#[test]
fn what_is_said_to_be_fixable_is_fixed_in_mutants() {
    let chosen = chosen_mutants();
    let results = on_all_threads(&chosen, |(kind, path, text)| {
        let mut workspace = workspace_of(path, text);
        let report = workspace.analysis().check_file(path);
        let completed = check_completed(path, text);
        let lines = |found: &[Diagnostic]| found.iter().map(line_of).collect::<Vec<_>>();
        let (found, same) = (lines(&report.diagnostics), lines(&completed.diagnostics));
        let mut problems = Vec::new();
        if found != same {
            problems.push(format!("{kind} {path}: {found:?}, completed {same:?}"));
        }
        let fixable: Vec<_> = visible(&report).filter(is_fixable).map(line_of).collect();
        let fixed = fix_all(&mut workspace, Trust::Machine).fixed;
        if fixed != fixable.len() as u64 {
            let fixes = fixable.len();
            problems.push(format!(
                "{kind} {path}: {fixes} fixable, {fixed} fixed: {fixable:?}"
            ));
        }
        (fixable.len(), problems)
    });
    let fixable: usize = results.iter().map(|(fixable, _)| fixable).sum();
    let problems: Vec<String> = results
        .into_iter()
        .flat_map(|(_, problems)| problems)
        .collect();
    println!("{fixable} fixable findings in {} mutants", chosen.len());
    assert!(fixable > 40, "only {fixable} fixable findings");
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
}
