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
    // A run that failed says so once.
    let failed = check("nowhere", "");
    assert_code(&failed, 2);
    assert_eq!(stderr(&failed).matches("error:").count(), 1);
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
    assert!(stderr(&changed).contains("error: the checksum of "));
    assert!(!other.join("visa-lint").exists());

    // A release that has nothing for the machine: built once.
    let built = install(&other, "0.0.7", release.path());
    assert_code(&built, 0);
    assert!(stdout(&built).contains("cargo install --locked --path server --root "));
    assert_eq!(visa_tests::read(&other.join("visa-lint")), "built\n");
}
