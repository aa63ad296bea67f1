//! The program as people and CI jobs run it: formats, exit codes, paths, broken input.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    reason = "a test fails by panicking, also in its helpers"
)]

use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use tempfile::TempDir;
use visa_tests::repository;

mod action;
mod baseline;
mod cache;
mod conditions;
mod cost;
mod coverage;
mod dialects;
mod files;
mod fixing;
mod formats;
mod formats_of_reviews;
mod hostile;
mod hostile_names;
mod human;
mod ignoring;
mod languages;
mod markdown;
mod mcp;
mod migrate;
mod options;
mod patches;
mod questions;
mod reading;
mod releases;
mod running;
mod settings;
mod setup;
mod tutorial;
mod view;
mod watch;
mod writing;

/// A file with one finding at level deny, on line 1, and one at level warn, on line 3.
const FINDINGS: &str =
    "#[allow(tcp::no_such_rule)]\nfn f() {}\n#[expect(tcp::slice_size)]\nfn g() {}\n";

/// Runs the program in a folder.
/// A text with a word for the newest release of the current library, so that the next release changes no test.
fn with_newest(text: &str) -> String {
    let newest = visa_analysis::Library::OptStd.newest().to_string();
    text.replace(&newest, "NEWEST")
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"));
    command.current_dir(folder).args(arguments);
    command
}

fn run_with_input(folder: &Path, arguments: &[&str], input: &[u8]) -> Output {
    let mut child = command(folder, arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A program that refuses its arguments ends before it has read anything.
    if let Err(error) = child.stdin.take().unwrap().write_all(input) {
        assert_eq!(error.kind(), ErrorKind::BrokenPipe, "{error}");
    }
    child.wait_with_output().unwrap()
}

fn folder_with(files: &[(&str, &[u8])]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    folder
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn json(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}", stdout(output)))
}

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    assert_eq!(
        output.status.code(),
        Some(code),
        "{}\n{}",
        stdout(output),
        stderr(output)
    );
}

/// `rule level` of each finding of a JSON report.
fn rules_and_levels(document: &Value) -> Vec<String> {
    let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
    let findings = document["diagnostics"].as_array().unwrap().iter();
    findings
        .map(|finding| format!("{} {}", word(&finding["rule"]), word(&finding["level"])))
        .collect()
}

#[test]
fn check_is_the_default_command_and_the_exit_code_tells_the_worst() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes()), ("fine.rs", b"fn f() {}\n")]);
    assert_code(&run(folder.path(), &["a.rs"]), 1);
    assert_code(&run(folder.path(), &["check", "a.rs"]), 1);
    assert_code(&run(folder.path(), &[]), 1);
    assert_code(&run(folder.path(), &["fine.rs"]), 0);
    assert_code(&run(folder.path(), &["a.rs", "--exit-zero"]), 0);
    assert_code(&run(folder.path(), &["visa-lint", "a.rs"]), 1);
}

#[test]
fn human_output_shows_the_source_and_sums_up() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let output = run(folder.path(), &["a.rs"]);
    let text = stdout(&output);
    assert!(text.contains("error[unknown_rule]"), "{text}");
    assert!(text.contains("warning[unused_suppression]"), "{text}");
    assert!(text.contains("a.rs:1:14"), "{text}");
    assert!(text.contains("#[allow(tcp::no_such_rule)]"), "{text}");
    assert!(
        text.ends_with("0 kernels, 0 operations: 1 error, 1 warning, 1 fixable with --fix\n"),
        "{text}"
    );
    assert!(!text.contains('\u{1b}'), "colours in a pipe");
    assert!(stderr(&output).is_empty());
    let colored = stdout(&run(folder.path(), &["a.rs", "--color", "always"]));
    assert!(colored.contains("\u{1b}["));
    let quiet = stdout(&run(folder.path(), &["a.rs", "--quiet"]));
    assert!(
        !quiet.contains("0 kernels") && quiet.contains("unknown_rule"),
        "{quiet}"
    );
}

#[test]
fn short_output_is_one_line_a_finding() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let text = stdout(&run(folder.path(), &["a.rs", "--format", "short"]));
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines.len(), 2, "{text}");
    assert!(
        lines[0].starts_with("a.rs:1:14: error[unknown_rule] "),
        "{text}"
    );
    assert!(
        lines[1].starts_with("a.rs:3:15: warning[unused_suppression] "),
        "{text}"
    );
}

#[test]
fn json_output_has_the_documented_shape() {
    let folder = folder_with(&[("k/a.rs", FINDINGS.as_bytes())]);
    let document = json(&run(folder.path(), &["k", "--format", "json"]));
    assert_eq!(document["version"], 1);
    assert_eq!(document["tool"]["name"], "visa-lint");
    assert!(document["tool"]["version"].is_string());
    assert_eq!(document["files"], 1);
    assert_eq!(document["kernels"], 0);
    assert_eq!(document["operations"]["resolved"], 0);
    assert_eq!(document["operations"]["unresolved"], 0);
    let finding = &document["diagnostics"][0];
    assert_eq!(finding["rule"], "unknown_rule");
    assert_eq!(finding["group"], "suspicious");
    assert_eq!(finding["level"], "deny");
    assert_eq!(finding["file"], "k/a.rs");
    // `#[allow(tcp::` has 13 characters, the name 12.
    let range = serde_json::json!({
        "start": {"line": 1, "column": 14, "byte": 13}, "end": {"line": 1, "column": 26, "byte": 25}
    });
    assert_eq!(finding["range"], range);
    assert_eq!(finding["suppressed"], false);
    for list in ["notes", "related", "fixes"] {
        assert!(finding[list].is_array(), "{list}");
    }
    for text in ["message", "help"] {
        assert!(finding[text].is_string(), "{text}");
    }
    // No address is made up where no release names one.
    assert_eq!(
        finding.get("url").is_some(),
        option_env!("VISA_LINT_DOCS").is_some()
    );
    let fix = &document["diagnostics"][1]["fixes"][0];
    assert_eq!(fix["applicability"], "machine");
    // The second attribute starts after lines of 28 and 10 bytes and has 26 itself; its line goes with it.
    let edit = serde_json::json!({"file": "k/a.rs", "start_byte": 38, "end_byte": 65, "text": ""});
    assert_eq!(fix["edits"][0], edit);
}

#[test]
fn two_runs_print_the_same_bytes() {
    let folder = repository().join("fixtures");
    let first = run(&folder, &["--format", "json"]);
    let second = run(&folder, &["--format", "json", "--jobs", "1"]);
    assert!(first.stdout == second.stdout);
    let document = json(&first);
    let places: Vec<(String, u64)> = document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let byte = finding["range"]["start"]["byte"].as_u64().unwrap();
            (finding["file"].as_str().unwrap().to_owned(), byte)
        })
        .collect();
    assert!(places.len() > 1 && places.is_sorted());
}

#[test]
fn of_the_level_options_the_last_one_wins() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let levels = |options: &[&str]| {
        let output = run(
            folder.path(),
            &[&["a.rs", "--format", "json"], options].concat(),
        );
        (rules_and_levels(&json(&output)), output.status.code())
    };
    let (unknown, unused) = ("unknown_rule", "unused_suppression");
    let expect = |found: (Vec<String>, Option<i32>), names: &[&str], code: i32| {
        assert_eq!(
            found,
            (
                names.iter().map(|name| (*name).to_owned()).collect(),
                Some(code)
            )
        );
    };
    expect(
        levels(&[]),
        &["unknown_rule deny", "unused_suppression warn"],
        1,
    );
    expect(
        levels(&["--warn", unknown]),
        &["unknown_rule warn", "unused_suppression warn"],
        0,
    );
    expect(
        levels(&["--warn", unknown, "--deny", "warnings"]),
        &["unknown_rule deny", "unused_suppression deny"],
        1,
    );
    expect(
        levels(&["--deny", "warnings", "--warn", unused]),
        &["unknown_rule deny", "unused_suppression warn"],
        1,
    );
    expect(levels(&["--allow", "suspicious"]), &[], 0);
    expect(
        levels(&["--allow", "suspicious", "--deny", unused]),
        &["unused_suppression deny"],
        1,
    );
    expect(levels(&["--deny", unused, "--allow", "suspicious"]), &[], 0);
    expect(
        levels(&[
            "--deny", unused, "--allow", unused, "--warn", unused, "--allow", unknown,
        ]),
        &["unused_suppression warn"],
        0,
    );
    expect(
        levels(&["--select", unused]),
        &["unused_suppression warn"],
        0,
    );
    expect(
        levels(&["--ignore", unknown]),
        &["unused_suppression warn"],
        0,
    );
    expect(
        levels(&["--select", "unknown_rule,hardware", "--deny", "warnings"]),
        &["unknown_rule deny"],
        1,
    );
    // What a suppression is good for does not depend on what is shown.
    expect(
        levels(&["--ignore", "slice_size"]),
        &["unknown_rule deny", "unused_suppression warn"],
        1,
    );
}

#[test]
fn suppressed_findings_say_so_and_fail_nothing() {
    let text =
        "#[allow(tcp::unknown_rule)]\nmod m {\n    #[allow(tcp::no_such_rule)]\n    fn f() {}\n}\n";
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let output = run(folder.path(), &["a.rs", "--format", "json"]);
    assert_code(&output, 0);
    let document = json(&output);
    assert_eq!(rules_and_levels(&document), ["unknown_rule deny"]);
    assert_eq!(document["diagnostics"][0]["suppressed"], true);
    assert_eq!(
        stdout(&run(folder.path(), &["a.rs", "--format", "short"])),
        ""
    );
    let human = stdout(&run(folder.path(), &["a.rs"]));
    assert_eq!(
        human,
        "0 kernels, 0 operations: no findings (1 more suppressed)\n"
    );
}

#[test]
fn bad_options_and_paths_exit_with_2_and_say_what() {
    let folder = folder_with(&[("a.rs", b"fn f() {}\n")]);
    for (arguments, words) in [
        (&["no/such.rs"][..], "no/such.rs"),
        (&["a.rs", "--format", "nonsense"], "nonsense"),
        (
            &["a.rs", "--deny", "slice_siez"],
            "did you mean `slice_size`",
        ),
        (&["a.rs", "--select", "nonsense"], "--select"),
        (
            &["a.rs", "--allow", "slice_size", "--select", "warnings"],
            "warnings",
        ),
        (&["a.rs", "--jobs", "0"], "jobs"),
        (
            &["a.rs", "--output-file", "no/such/folder/out.json"],
            "no/such/folder/out.json",
        ),
        (&["a.rs", "--output-file", "."], "folder"),
        (&["explain", "slice_siez"], "did you mean `slice_size`"),
        (&["explain"], "RULE"),
        (&["explain", "alu_reuse", "alu_resue"], "`alu_resue`"),
        (&["--no-such-option"], "--no-such-option"),
    ] {
        let output = run(folder.path(), arguments);
        assert_code(&output, 2);
        assert!(
            stderr(&output).contains(words),
            "{arguments:?}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn an_output_file_is_written_whole_or_not_at_all() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes()), ("old.json", b"old")]);
    let output = run(
        folder.path(),
        &["a.rs", "--format", "json", "--output-file", "old.json"],
    );
    assert_code(&output, 1);
    assert!(output.stdout.is_empty());
    let text = std::fs::read_to_string(folder.path().join("old.json")).unwrap();
    assert_eq!(
        text,
        stdout(&run(folder.path(), &["a.rs", "--format", "json"]))
    );
    let failed = run(
        folder.path(),
        &[
            "a.rs",
            "missing.rs",
            "--format",
            "json",
            "--output-file",
            "new.json",
        ],
    );
    assert_code(&failed, 2);
    assert!(!folder.path().join("new.json").exists());
    let left: Vec<_> = std::fs::read_dir(folder.path())
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert_eq!(left.len(), 2, "{left:?}");
}

#[test]
fn statistics_count_rules_and_operations() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let human = stdout(&run(folder.path(), &["a.rs", "--statistics"]));
    assert!(
        human.contains("unknown_rule") && human.contains("unresolved"),
        "{human}"
    );
    let document = json(&run(
        folder.path(),
        &["a.rs", "--statistics", "--format", "json"],
    ));
    assert_eq!(
        document["statistics"]["rules"],
        serde_json::json!({"unknown_rule": 1, "unused_suppression": 1})
    );
    assert_eq!(document["statistics"]["unresolved"], serde_json::json!({}));
}

#[test]
fn an_operation_is_either_resolved_or_not() {
    // One transfer, a pass with a method that nobody knows, and a transfer of what it would have made.
    let kernel = "use furiosa_visa_std::prelude::*;
axes![L = 4096];
#[device(chip = 1)]
fn k(ctx: &mut Context, lanes: &HbmTensor<i32, m![1], m![L]>) -> HbmTensor<i32, m![1], m![L]> {
    let lanes = lanes.to_dm::<m![1 # 2], m![L / 16], m![L % 16]>(&mut ctx.tdma, 0);
    let out = ctx.main.begin(lanes.view()).fetch::<i32, m![1], m![L % 16]>().nonsense();
    out.to_hbm(&mut ctx.tdma, 1 << 20)
}
";
    let folder = folder_with(&[("a.rs", kernel.as_bytes())]);
    let document = json(&run(
        folder.path(),
        &["a.rs", "--format", "json", "--statistics"],
    ));
    assert_eq!(
        document["operations"],
        serde_json::json!({"resolved": 1, "unresolved": 2})
    );
    assert_eq!(
        document["statistics"]["unresolved"]["unknown method `nonsense`"],
        1
    );
}
