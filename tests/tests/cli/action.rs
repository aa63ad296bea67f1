//! The steps of the GitHub action, run against a folder of release files.
#![cfg(unix)]

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use visa_tests::repository;

use super::{FINDINGS, assert_code, folder_with, stderr, stdout};

const PROGRAM: &str = env!("CARGO_BIN_EXE_visa-lint-tested");
const VERSION: &str = env!("CARGO_PKG_VERSION");

fn script(name: &str) -> Command {
    visa_tests::command(repository().join("release").join(name))
}

#[test]
fn the_action_runs_scripts_that_are_there() {
    let action = visa_tests::read(&repository().join("action.yml"));
    let scripts: Vec<&str> = action
        .split("$GITHUB_ACTION_PATH/")
        .skip(1)
        .filter_map(|rest| rest.split(['"', ' ']).next())
        .collect();
    assert_eq!(scripts, ["release/action-install", "release/action-check"]);
    for path in scripts {
        assert!(repository().join(path).is_file(), "{path}");
    }
    assert!(action.contains(&format!("default: \"{VERSION}\"")));
}

#[test]
fn the_check_marks_findings_and_writes_a_summary() {
    let folder = folder_with(&[
        ("a b.rs", FINDINGS.as_bytes()),
        ("c.rs", FINDINGS.as_bytes()),
    ]);
    let check = |paths: &str, arguments: &str| {
        let mut command = script("action-check");
        command
            .current_dir(folder.path())
            .env("PROGRAM", PROGRAM)
            .env("ARGUMENTS", arguments)
            .env("PATHS", paths)
            .env("SARIF", "found.sarif")
            .env("BASE", "")
            .env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
        command.output().unwrap()
    };
    let all = check(".", "");
    assert_code(&all, 1);
    let said = stdout(&all);
    assert_eq!(said.matches("::error ").count(), 2, "{said}");
    let text = |name: &str| visa_tests::read(&folder.path().join(name));
    let summary = text("summary.md");
    assert!(summary.starts_with("## visa-lint\n"), "{summary}");
    assert!(summary.contains("c.rs:"), "{summary}");
    let sarif: serde_json::Value = serde_json::from_str(&text("found.sarif")).unwrap();
    // Warnings too.
    assert_eq!(sarif["runs"][0]["results"].as_array().unwrap().len(), 4);
    let none = check("c.rs", "--allow suspicious --error-on-warning");
    assert_code(&none, 0);
    // Names with spaces, several lines, nothing at all; a quote that is left open is no list.
    for (paths, errors) in [("'a b.rs'", 1), ("\"a b.rs\"\n c.rs \n", 2), (" \t", 2)] {
        let some = check(paths, "");
        assert_code(&some, 1);
        assert_eq!(stdout(&some).matches("::error ").count(), errors, "{paths}");
    }
    let open = check("'a b.rs", "");
    assert_code(&open, 2);
    let words = "::error::`paths` of the action: the quote ' in `'a b.rs` is never closed";
    assert!(stdout(&open).starts_with(words), "{}", stdout(&open));
    // What the action says itself may be said again, or is refused in the action's words.
    for arguments in ["--exit-zero", "--exit-zero --statistics"] {
        let passed = check(".", arguments);
        assert_code(&passed, 0);
        assert_eq!(
            stdout(&passed).matches("::error ").count(),
            2,
            "{arguments}"
        );
    }
    assert_code(&check(".", "--statistics"), 1);
    let format = check(".", "--format json");
    assert_code(&format, 2);
    assert!(stdout(&format).contains("`--format` is set by the action itself"));
    // A run that failed says so once.
    let failed = check("nowhere", "");
    assert_code(&failed, 2);
    assert_eq!(stderr(&failed).matches("error:").count(), 1);
}

/// A summary is Markdown that a change request writes parts of: its literals, the names of its files.
#[test]
fn no_source_writes_its_own_summary() {
    let forged = "# All checks passed\n![](http://example.org/i.png)";
    let text =
        format!("// visa-lint: allow(````` {forged}\n// visa-lint: allow(```)\nfn f() {{}}\n");
    let name = format!("a\n```\n{}.rs", forged.replace('/', "_"));
    let folder = folder_with(&[
        ("a.rs", text.as_bytes()),
        (name.as_str(), FINDINGS.as_bytes()),
    ]);
    let mut command = script("action-check");
    command
        .current_dir(folder.path())
        .env("PROGRAM", PROGRAM)
        .env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
    assert_code(&command.output().unwrap(), 1);
    let summary = visa_tests::read(&folder.path().join("summary.md"));
    let (before, rest) = summary.split_once("text\n").unwrap();
    let fence = before.rsplit('\n').next().unwrap();
    assert!(
        fence.len() > 3 && fence.chars().all(|letter| letter == '`'),
        "{summary}"
    );
    let (quoted, after) = rest.split_once(&format!("\n{fence}\n")).unwrap();
    assert!(!quoted.contains(fence) && after.is_empty(), "{summary}");
    assert!(quoted.contains("a\\n```\\n# All checks"), "{summary}");
}

#[test]
fn a_base_that_was_not_fetched_is_said_in_the_summary() {
    let folder = folder_with(&[("c.rs", FINDINGS.as_bytes())]);
    let mut command = script("action-check");
    command
        .current_dir(folder.path())
        .env("PROGRAM", PROGRAM)
        .env("BASE", "0123456789abcdef0123456789abcdef01234567")
        .env("GITHUB_STEP_SUMMARY", folder.path().join("summary.md"));
    assert_code(&command.output().unwrap(), 1);
    let summary = visa_tests::read(&folder.path().join("summary.md"));
    assert!(
        summary.contains("### Cycles beside 0123456789ab\n"),
        "{summary}"
    );
    assert!(summary.contains("`fetch-depth: 0`"), "{summary}");
}

/// A folder as a release is downloaded from, with a program for every kind of machine.
fn release() -> TempDir {
    let folder = folder_with(&[]);
    let version = folder.path().join(format!("v{VERSION}"));
    std::fs::create_dir(&version).unwrap();
    for target in [
        "x86_64-unknown-linux-musl",
        "aarch64-unknown-linux-musl",
        "x86_64-apple-darwin",
        "aarch64-apple-darwin",
    ] {
        let name = format!("visa-lint-v{VERSION}-{target}");
        let inside = version.join(&name);
        std::fs::create_dir(&inside).unwrap();
        std::fs::copy(PROGRAM, inside.join("visa-lint")).unwrap();
        let packed = format!(
            "tar -czf {name}.tar.gz {name} && {{ sha256sum {name}.tar.gz || shasum -a 256 {name}.tar.gz; }} >{name}.tar.gz.sha256"
        );
        let packed = visa_tests::command("bash")
            .args(["-c", &packed])
            .current_dir(&version)
            .output()
            .unwrap();
        assert!(packed.status.success(), "{}", stderr(&packed));
        std::fs::remove_dir_all(&inside).unwrap();
    }
    folder
}

/// Runs the step that installs; `cargo` is a stand-in that says that it was called and builds nothing.
fn install(into: &Path, version: &str, from: &Path) -> Output {
    let stand_in = folder_with(&[]);
    let cargo = stand_in.path().join("cargo");
    let words = "#!/bin/sh\necho \"cargo $*\"\nwhile [ $# -gt 1 ]; do shift; done\nmkdir -p \"$1/bin\" && echo built >\"$1/bin/visa-lint\"\n";
    std::fs::write(&cargo, words).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&cargo, executable).unwrap();
    let path = std::env::var("PATH").unwrap();
    script("action-install")
        .arg(into)
        .arg(version)
        .arg(format!("file://{}", from.display()))
        .env("PATH", format!("{}:{path}", stand_in.path().display()))
        .output()
        .unwrap()
}

#[test]
fn the_program_is_downloaded_compared_and_kept() {
    if Command::new("curl").arg("--version").output().is_err() {
        println!("SKIPPED: there is no curl, which the action downloads by");
        return;
    }
    let release = release();
    let folder = folder_with(&[]);
    let into = folder.path().join("programs");
    let first = install(&into, VERSION, release.path());
    assert_code(&first, 0);
    assert!(
        stdout(&first).starts_with("downloaded "),
        "{}",
        stdout(&first)
    );
    let run = visa_tests::command(into.join("visa-lint"))
        .arg("--version")
        .output()
        .unwrap();
    assert_code(&run, 0);
    let second = install(&into, VERSION, release.path());
    assert!(stdout(&second).starts_with("visa-lint is in the cache: "));

    // What another job has put into the cache is not run: neither a program beside the archive, nor another archive.
    std::fs::write(into.join("visa-lint"), "#!/bin/sh\necho evil\n").unwrap();
    let again = install(&into, VERSION, release.path());
    assert!(stdout(&again).starts_with("visa-lint is in the cache: visa-lint "));
    let archive = std::fs::read_dir(&into).unwrap().flatten().find(|entry| {
        let name = entry.file_name();
        name.to_string_lossy().ends_with(".tar.gz")
    });
    let archive = archive.unwrap().path();
    std::fs::write(&archive, "evil").unwrap();
    let third = install(&into, VERSION, release.path());
    assert_code(&third, 0);
    let words = "the archive in the cache is not the one of the release: it is downloaded again\ndownloaded ";
    assert!(stdout(&third).starts_with(words), "{}", stdout(&third));

    // Other bytes than those whose sum is beside them are not run.
    for entry in std::fs::read_dir(release.path().join(format!("v{VERSION}"))).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "sha256") {
            std::fs::write(&path, format!("{}  x\n", "0".repeat(64))).unwrap();
        }
    }
    let other = folder.path().join("other");
    let changed = install(&other, VERSION, release.path());
    assert_code(&changed, 1);
    assert!(stdout(&changed).contains("::error::the checksum of "));
    assert!(!other.join("visa-lint").exists());

    // A sum that is not there is another one, too.
    for entry in std::fs::read_dir(release.path().join(format!("v{VERSION}"))).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "sha256") {
            std::fs::write(&path, "").unwrap();
        }
    }
    let empty = install(&other, VERSION, release.path());
    assert_code(&empty, 1);
    assert!(stdout(&empty).contains("is not ``"), "{}", stdout(&empty));

    // The sources are of one version: they stand for no other.
    let another = install(&other, "0.0.7", release.path());
    assert_code(&another, 1);
    let words = format!(
        "the sources at hand are of {VERSION}: ask for {VERSION}, or take the action in version 0.0.7"
    );
    assert!(stdout(&another).contains(&words), "{}", stdout(&another));
    assert!(!other.join("visa-lint").exists());
    for bad in ["latest", "0.1", "../0.1.0", "0.1.0 x"] {
        let refused = install(&other, bad, release.path());
        assert_code(&refused, 1);
        let words = format!(
            "::error::`version` of the action is `{bad}`: a release is written as `{VERSION}`\n"
        );
        assert_eq!(stdout(&refused), words);
    }

    // A release that has nothing for the machine: built once. White space and a `v` are no part of a version, and none is that of the sources.
    for version in [format!(" v{VERSION} "), String::new()] {
        let nothing = folder_with(&[]);
        let into = nothing.path().join("programs");
        let built = install(&into, &version, nothing.path());
        assert_code(&built, 0);
        assert!(stdout(&built).contains("cargo install --locked --path server --root "));
        assert_eq!(visa_tests::read(&into.join("visa-lint")), "built\n");
        let kept = install(&into, &version, nothing.path());
        let words = "visa-lint is in the cache: built from these sources\n";
        assert!(stdout(&kept).ends_with(words), "{}", stdout(&kept));
        std::fs::write(into.join("visa-lint"), "other\n").unwrap();
        let rebuilt = install(&into, &version, nothing.path());
        assert!(stdout(&rebuilt).contains("cargo install"));
        assert_eq!(visa_tests::read(&into.join("visa-lint")), "built\n");
    }
}
