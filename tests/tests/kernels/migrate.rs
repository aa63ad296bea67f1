//! Migration: the same kernel as the book's library, and releases 0.6, 0.8 and 0.10 of its successor write it. Rewriting one for
//! the next gives it to the letter, and rewriting that again changes nothing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use visa_analysis::{
    Dialect, FileReport, Fixable, Group, Library, Release, Workspace, apply_fixes, dialect_line,
    migrate_all, migration_rule, rules_that_are_on, without_dialect_line,
};
use visa_tests::{folders, line_of, read, repository, visible};

/// The files of a folder, in the order in which one becomes the next.
const VERSIONS: [&str; 4] = ["book", "0.6", "0.8", "0.10"];
const PATH: &str = "src/lib.rs";

/// A hazard of releases in which a pass of the main context loads registers without handing over the sub context. The same
/// kernel has it in these and in no other: what is written later is the remedy.
const HAZARD: &str = "register_store_from_main";

fn pairs() -> Vec<(String, PathBuf)> {
    let folder = repository().join("fixtures/migrate");
    let names = folders(&folder).into_iter();
    names
        .map(|name| (name.clone(), folder.join(name)))
        .collect()
}

/// A version of a kernel and what it is written for.
fn version(folder: &std::path::Path, version: &str) -> (Dialect, String) {
    let text = read(&folder.join(format!("{version}.rs")));
    let dialect = dialect_line(&text).unwrap_or_default();
    (dialect, without_dialect_line(&text).to_owned())
}

fn workspace(dialect: Dialect, text: &str) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_file(PATH, text);
    workspace.set_dialect(dialect);
    // A file that is for another release altogether has one finding, and not one a name.
    let on = rules_that_are_on(|rule, _| rule.name != "library_version_mismatch");
    workspace.set_enabled_rules(on, [(PATH, on)]);
    workspace
}

/// A text rewritten for a release, and what is said of it then.
fn migrated(text: &str, dialect: Dialect) -> (String, FileReport) {
    let mut workspace = workspace(dialect, text);
    migrate_all(&mut workspace);
    let fixes = workspace.analysis().tool_fixes(PATH);
    let changed = apply_fixes(&workspace.texts(), &fixes).texts;
    for (path, text) in &changed {
        workspace.set_file(path, text);
    }
    let analysis = workspace.analysis();
    let text = analysis
        .text(PATH)
        .map_or_else(|_| String::new(), |text| text.to_string());
    (text, analysis.check_file(PATH))
}

/// What is left to say of a text that was rewritten.
fn left(report: &FileReport) -> Vec<String> {
    let left = visible(report).filter(|found| found.rule == migration_rule());
    left.map(line_of).collect()
}

#[test]
fn each_version_becomes_the_next_to_the_letter() {
    let pairs = pairs();
    assert!(pairs.len() >= 20, "{} kernels", pairs.len());
    let mut problems = Vec::new();
    for (name, folder) in &pairs {
        let versions = VERSIONS.map(|own| version(folder, own));
        let steps = [(0, 1), (1, 2), (2, 3), (0, 2), (0, 3), (1, 3)];
        for (from, to) in steps {
            let (Some((_, before)), Some((dialect, wanted))) =
                (versions.get(from), versions.get(to))
            else {
                continue;
            };
            let (text, report) = migrated(before, *dialect);
            if text != *wanted {
                problems.push(format!(
                    "{name} {from} to {to}:\n{}",
                    differing(&text, wanted)
                ));
            }
            let left = left(&report);
            if !left.is_empty() {
                problems.push(format!("{name} {from} to {to}: {left:?}"));
            }
            let (again, _) = migrated(&text, *dialect);
            if again != text {
                problems.push(format!("{name} {from} to {to} changes once more"));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The lines in which two texts differ.
fn differing(one: &str, other: &str) -> String {
    let mut lines = Vec::new();
    for (is, wanted) in one.lines().zip(other.lines()) {
        if is != wanted {
            lines.push(format!("  is     {is}\n  wanted {wanted}"));
            break;
        }
    }
    lines.join("\n")
}

/// What matters of a text: nothing is unknown, and nothing is found above performance.
#[test]
fn no_version_has_a_finding_that_matters() {
    let mut problems = Vec::new();
    for (name, folder) in pairs() {
        for own in VERSIONS {
            let (dialect, text) = version(&folder, own);
            let report = workspace(dialect, &text).analysis().check_file(PATH);
            let found = visible(&report)
                .filter(|found| !matches!(found.group, Group::Performance | Group::Style))
                .filter(|found| found.rule != HAZARD || !name.ends_with("_from_main"));
            problems.extend(found.map(|found| format!("{name}/{own}: {}", line_of(found))));
            if report.operations.unresolved > 0 || report.operations.resolved == 0 {
                problems.push(format!("{name}/{own}: {:?}", report.operations));
            }
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// The rules that a version breaches, and how often.
fn counted(report: &FileReport) -> BTreeMap<&'static str, usize> {
    let mut counts = BTreeMap::new();
    for found in visible(report).filter(|found| found.rule != HAZARD) {
        *counts.entry(found.rule).or_default() += 1;
    }
    counts
}

#[test]
fn releases_of_one_library_agree_in_what_they_find() {
    let mut problems = Vec::new();
    for (name, folder) in pairs() {
        let found = ["0.6", "0.8", "0.10"].map(|own| {
            let (dialect, text) = version(&folder, own);
            let report = workspace(dialect, &text).analysis().check_file(PATH);
            (counted(&report), report.operations.resolved)
        });
        let [first, others @ ..] = &found;
        if others.iter().any(|other| other != first) {
            problems.push(format!("{name}: {found:?}"));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

/// A library in a release.
fn opt_std(minor: u16) -> Dialect {
    Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    }
}

/// What cannot be rewritten is left as it is, with a reason.
#[test]
fn what_no_text_says_is_left_to_hand() {
    let text = "use furiosa_opt_std::prelude::*;
axes![R = 256, K = 32, N = 16];
#[device(chip = 1)]
fn rows(ctx: &mut Context, table: &HbmTensor<i32, m![1], m![N, R, K]>, at: &HbmTensor<i32, m![1], m![R]>) {
    let rows: DmTensor<i32, m![1], m![1], m![R], m![K]> = table.dma_gather_scaled::<m![1], m![R], m![K], _>(at);
}
";
    let (after, report) = migrated(text, opt_std(9));
    assert_eq!(after, text.replace("&mut Context", "&mut Device"));
    let left = left(&report);
    assert_eq!(left.len(), 1, "{left:?}");
    let found = visible(&report).find(|found| found.rule == migration_rule());
    let help = found
        .and_then(|found| found.help.clone())
        .unwrap_or_default();
    assert!(help.contains("axis that is looked up"), "{help}");
}

/// Methods of a project's own types, its own names and what a comment says stay as they are.
#[test]
fn what_is_the_projects_own_stays() {
    let text = "use furiosa_opt_std::prelude::*;
struct Layer;
impl Layer {
    fn align(&self, _: &mut Device) {}
    fn contract(&self) {}
}
mod own {
    pub struct Context;
    pub enum BranchMode { Unconditional }
}
use own::{BranchMode, Context};
// ctx: &mut Context, .align(), .commit(0)
fn host(device: &mut Device, layer: &Layer, _: Context) -> BranchMode {
    layer.align(device);
    layer.contract();
    BranchMode::Unconditional
}
";
    let (after, report) = migrated(text, opt_std(10));
    assert_eq!(after, text);
    assert_eq!(left(&report), [""; 0]);
}
