//! Helpers shared by the end-to-end tests: fixtures, their markers, and checking a text in-process.
//!
//! A marker is a comment `//~ rule` at the end of the line where a finding starts, or `//~^ rule` one line below it (a
//! caret a line); in Python `#~ rule`. Findings and markers are compared both ways. A first line `// dialect: opt-std@0.8` says which library and
//! release a text is written for; without one its imports do, in the newest release.

pub mod advice;
pub mod corpus;
pub mod docs;
pub mod hints;
pub mod hostile;
pub mod lane_types;
pub mod llms;
pub mod machine;
pub mod runs;
pub mod site;
pub mod speed;
pub mod threads;
pub mod tutorial;
pub mod typing;
pub mod wire_types;

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use visa_analysis::{
    Budget, Diagnostic, FileReport, Generation, Level, Model, NkiOptions, Options, PtoOptions,
    Workspace, dialect_line, may_be_source,
};

/// The folder of the workspace.
pub fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .map(Path::to_path_buf)
        .unwrap_or_default()
}

/// A program to be started whose environment says nothing of who starts these tests: an agent, a CI job, a user who wants no colours.
/// It keeps nothing for later runs, unless an option names a folder for it.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_remove("VISA_LINT_CACHE_DIR");
    command.env("VISA_LINT_NO_CACHE", "1");
    let others = ["NO_COLOR", "CLICOLOR_FORCE", "GITHUB_ACTIONS"];
    for name in visa_server::AGENT_VARIABLES.into_iter().chain(others) {
        command.env_remove(name);
    }
    command
}

/// How many cases a random test tries: as many as a test run has time for, times `VISA_TIMES` where that is set.
pub fn cases(ordinary: usize) -> usize {
    let times = std::env::var("VISA_TIMES").ok();
    ordinary * times.and_then(|times| times.parse().ok()).unwrap_or(1)
}

/// The `.rs` files below a folder, sorted.
pub fn rust_files(folder: &Path) -> Vec<PathBuf> {
    files_of(folder, |path| path.ends_with(".rs"))
}

/// The source files of the engine, of all its crates, sorted.
pub fn engine_files() -> Vec<PathBuf> {
    source_files("analysis")
}

/// The source files of the crates in a folder of the repository and below it, sorted.
pub fn source_files(folder: &str) -> Vec<PathBuf> {
    let mut files = rust_files(&repository().join(folder));
    files.retain(|path| shown(path).contains("/src/"));
    files
}

/// The files below a folder that may hold kernels, of all languages, sorted.
pub fn kernel_files(folder: &Path) -> Vec<PathBuf> {
    files_of(folder, may_be_source)
}

/// The files below a folder whose paths are wanted, sorted.
fn files_of(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.to_str().is_some_and(&wanted) {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The path below the repository, for messages.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(repository())
        .unwrap_or(path)
        .display()
        .to_string()
}

/// The text of a file; an unreadable file has none.
pub fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_default()
}

/// A line (from 1) and the rule of a finding that starts there.
pub type Mark = (u32, String);

/// The markers of a text.
pub fn marks(text: &str) -> Vec<Mark> {
    let mut marks = Vec::new();
    for (line, content) in (1_u32..).zip(text.lines()) {
        let marker = content.split_once("//~").or(content.split_once("#~"));
        let Some((_, marker)) = marker else {
            continue;
        };
        let carets = marker.chars().take_while(|letter| *letter == '^').count();
        let line = line.saturating_sub(u32::try_from(carets).unwrap_or(u32::MAX));
        marks.extend(
            marker
                .trim_start_matches('^')
                .split_whitespace()
                .map(|rule| (line, rule.to_owned())),
        );
    }
    marks.sort();
    marks
}

/// The budgets that lines `// visa-lint.toml: [budgets] NAME = CYCLES` of a fixture stand for.
fn budgets(text: &str) -> Arc<[Budget]> {
    let lines = text
        .lines()
        .filter_map(|line| line.strip_prefix("// visa-lint.toml: [budgets] "));
    lines
        .filter_map(|line| line.split_once(" = "))
        .map(|(kernels, cycles)| Budget {
            kernels: kernels.to_owned(),
            cycles: cycles.replace('_', "").parse().ok(),
            ..Budget::default()
        })
        .collect()
}

/// What cycles of a fixture are made of: the book's formulas where a line `// visa-lint.toml: model = "book"` says so.
fn model(text: &str) -> Model {
    if text.contains("// visa-lint.toml: model = \"book\"\n") {
        Model::Book
    } else {
        Model::default()
    }
}

/// What lines `// visa-lint.toml: [pto] NAME = NUMBER` and `# visa-lint.toml: [nki] NAME = "TEXT"` of a fixture say of other
/// machines.
fn machines(text: &str) -> (PtoOptions, NkiOptions) {
    let mut found = (PtoOptions::default(), NkiOptions::default());
    let said = text
        .lines()
        .filter_map(|line| line.split_once("visa-lint.toml: [")?.1.split_once("] "));
    for (table, said) in said {
        let Some((name, value)) = said.split_once(" = ") else {
            continue;
        };
        let value = value.trim_matches('"');
        match (table, name) {
            ("pto", "gm_bytes_per_cycle") => found.0.gm_bytes_per_cycle = value.parse().ok(),
            ("pto", "setup_cycles") => found.0.setup_cycles = value.parse().ok(),
            ("nki", "target") => found.1.target = Generation::named(value),
            ("nki", "version") => {
                let numbers = value.split_once('.');
                let number = |text: &str| text.parse::<u16>().ok();
                found.1.version = numbers.and_then(|(one, two)| number(one).zip(number(two)));
            }
            _ => {}
        }
    }
    found
}

/// Puts a text into a workspace, with the settings that its lines `// visa-lint.toml:` stand for.
pub fn set_text(workspace: &mut Workspace, path: &str, text: &str) {
    workspace.set_file(path, text);
    workspace.set_budgets([(path, budgets(text))]);
}

/// A workspace with one file that is a crate of its own.
pub fn workspace_of(path: &str, text: &str) -> Workspace {
    let mut workspace = Workspace::new();
    let (pto, nki) = machines(text);
    workspace.set_options(Options {
        model: model(text),
        pto,
        nki,
        ..Options::default()
    });
    if let Some(dialect) = dialect_line(text) {
        workspace.set_dialect(dialect);
    }
    workspace.set_files([(path, text)]);
    workspace.set_budgets([(path, budgets(text))]);
    workspace
}

/// The report on one file that is a crate of its own, with fixes as the rules propose them.
pub fn check_text(path: &str, text: &str) -> FileReport {
    workspace_of(path, text).analysis().check_file(path)
}

/// As [`check_text`], with what fixes and helps need behind them.
pub fn check_completed(path: &str, text: &str) -> FileReport {
    workspace_of(path, text)
        .analysis()
        .check_file_completed(path)
}

/// What small examples cannot help: their results are a few bytes a slice, and few packets meet their rings. Each counts in its own
/// folder, and `tests/kernels/advice.rs` looks at every one of the others.
pub const OF_SMALL_EXAMPLES: [&str; 2] = ["slow_transfer", "slow_pass"];

/// The findings that a user sees without any option: neither suppressed nor allowed by default. Without what examples of other
/// rules cannot help.
pub fn visible(report: &FileReport) -> impl Iterator<Item = &Diagnostic> {
    report.diagnostics.iter().filter(|diagnostic| {
        let counts =
            !OF_SMALL_EXAMPLES.contains(&diagnostic.rule) || report.path.contains(diagnostic.rule);
        !diagnostic.suppressed && diagnostic.default_level != Level::Allow && counts
    })
}

/// One line a finding, for messages.
pub fn line_of(diagnostic: &Diagnostic) -> String {
    let start = diagnostic.range.start;
    format!(
        "{}:{}: [{}] {}",
        start.line, start.column, diagnostic.rule, diagnostic.message
    )
}

/// Where markers and findings of a file differ, a line each; empty where they agree. Findings that are allowed by
/// default count in files with a marker of their rule.
pub fn differences(path: &str, text: &str) -> Vec<String> {
    let report = check_text(path, text);
    let mut wanted = marks(text);
    let mut problems: Vec<String> = report
        .problems
        .iter()
        .map(|problem| format!("{path}: {problem}"))
        .collect();
    let marked: BTreeSet<String> = wanted.iter().map(|(_, rule)| rule.clone()).collect();
    let asked = report.diagnostics.iter().filter(|diagnostic| {
        diagnostic.default_level == Level::Allow
            && !diagnostic.suppressed
            && marked.contains(diagnostic.rule)
    });
    for diagnostic in visible(&report).chain(asked) {
        let mark = (diagnostic.range.start.line, diagnostic.rule.to_owned());
        match wanted.iter().position(|wanted| *wanted == mark) {
            Some(index) => {
                wanted.remove(index);
            }
            None => problems.push(format!("{path}: unexpected: {}", line_of(diagnostic))),
        }
    }
    problems.extend(
        wanted
            .into_iter()
            .map(|(line, rule)| format!("{path}:{line}: missing: {rule}")),
    );
    problems
}

/// The names of the folders in a folder.
pub fn folders(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.path().is_dir())
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::{differences, marks};

    #[test]
    fn markers_name_the_line_of_the_finding() {
        let text = "a //~ one two\n//~^^ three\nb //~^ four\n";
        let found = marks(text);
        let expected = [(0, "three"), (1, "one"), (1, "two"), (2, "four")];
        assert_eq!(found, expected.map(|(line, rule)| (line, rule.to_owned())));
    }

    #[test]
    fn missing_and_unexpected_findings_are_both_told() {
        let found = differences(
            "a.rs",
            "#[allow(tcp::no_such_rule)]\nfn f() {}\nfn g() {} //~ slice_size\n",
        );
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(
            found[0].contains("unexpected: 1:14: [unknown_rule]"),
            "{found:?}"
        );
        assert_eq!(found[1], "a.rs:3: missing: slice_size");
    }
}
