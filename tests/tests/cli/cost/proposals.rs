//! From a proposal to a faster kernel: `--diff` is a patch that git applies, `--apply` writes the same, and both save what is said.

use std::fs;
use std::process::{Command, Stdio};

use super::*;

/// A kernel whose results are stored in small pieces, and one beside it.
fn slow() -> TempDir {
    let path = repository().join("fixtures/violations/slow_transfer/wrong.rs");
    let text = visa_tests::read(&path);
    folder_with(&[
        ("k/slow.rs", text.as_bytes()),
        ("k/other.rs", kernel("dot_product").as_bytes()),
    ])
}

fn searched(folder: &TempDir, more: &[&str]) -> Output {
    let effort: &[&str] = if more.contains(&"--effort") {
        &[]
    } else {
        &["--effort", "40"]
    };
    let arguments = [&["cost", "k", "--kernel", "add_one"], effort, more].concat();
    run(folder.path(), &arguments)
}

/// The cycles by the model that proposals are made of.
fn total(folder: &TempDir) -> u64 {
    let answer = json(&searched(folder, &["--effort", "0", "--format", "json"]));
    let total = &answer["kernels"][0]["cycles"]["calibrated"]["total"];
    total.as_u64().unwrap()
}

/// The proposals with edits: number, cycles saved and cycles then.
fn proposals(folder: &TempDir) -> Vec<(usize, u64, u64)> {
    let answer = json(&searched(folder, &["--format", "json"]));
    let all = answer["kernels"][0]["proposals"].as_array().unwrap();
    let whole = all.iter().zip(1..).filter_map(|(one, number)| {
        let edits = one["edits"]
            .as_array()
            .is_some_and(|edits| !edits.is_empty());
        edits.then(|| {
            (
                number,
                one["saves"].as_u64().unwrap(),
                one["after"].as_u64().unwrap(),
            )
        })
    });
    whole.collect()
}

fn text(folder: &TempDir) -> String {
    visa_tests::read(&folder.path().join("k/slow.rs"))
}

#[test]
fn a_proposal_is_a_patch_and_saves_what_it_says() {
    let folder = slow();
    let (before, original) = (total(&folder), text(&folder));
    let best = proposals(&folder)[0];
    assert_eq!(before - best.1, best.2);
    let diff = searched(&folder, &["--diff"]);
    assert_code(&diff, 0);
    let patch = stdout(&diff);
    assert!(
        patch.starts_with("--- a/k/slow.rs\n+++ b/k/slow.rs\n@@ "),
        "{patch}"
    );
    let saves = visa_analysis::thousands(best.1);
    let said = format!("number {} would save {saves} cycles (", best.0);
    assert!(stderr(&diff).starts_with(&said), "{}", stderr(&diff));
    assert_eq!(text(&folder), original, "nothing is written");
    // No line is longer than rustfmt would leave it, but for types that fit into none.
    let long = |line: &&str| line.starts_with('+') && line.chars().count() > 140;
    assert_eq!(patch.lines().find(long), None, "{patch}");

    let mut git = Command::new("git")
        .args(["apply", "-"])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    git.stdin
        .take()
        .unwrap()
        .write_all(patch.as_bytes())
        .unwrap();
    assert!(git.wait().unwrap().success(), "{patch}");
    let patched = text(&folder);
    assert_ne!(patched, original);
    assert_eq!(total(&folder), best.2);

    fs::write(folder.path().join("k/slow.rs"), &original).unwrap();
    let applied = searched(&folder, &["--apply"]);
    assert_code(&applied, 0);
    assert_eq!((stdout(&applied), text(&folder)), (String::new(), patched));
}

#[test]
fn a_proposal_is_written_by_its_number() {
    let folder = slow();
    let original = text(&folder);
    for (number, _, after) in proposals(&folder) {
        let applied = searched(&folder, &["--apply", &number.to_string()]);
        assert_code(&applied, 0);
        assert_eq!(total(&folder), after, "number {number}");
        fs::write(folder.path().join("k/slow.rs"), &original).unwrap();
    }
    let missing = searched(&folder, &["--apply", "99"]);
    assert_code(&missing, 2);
    assert!(
        stderr(&missing).contains("`--apply 99`: `add_one` has "),
        "{}",
        stderr(&missing)
    );
    for wrong in [
        &["--apply", "0"][..],
        &["--apply", "--diff"],
        &["--diff", "--format", "json"],
    ] {
        assert_code(&searched(&folder, wrong), 2);
    }
    assert_code(&run(folder.path(), &["cost", "k", "--diff"]), 2);
    assert_eq!(text(&folder), original);
}

#[test]
fn a_kernel_that_is_asked_for_by_name_is_searched_alone() {
    let folder = slow();
    let all = json(&run(
        folder.path(),
        &["cost", "k", "--effort", "40", "--format", "json"],
    ));
    let of = |answer: &Value, name: &str| {
        let kernels = answer["kernels"].as_array().unwrap();
        kernels
            .iter()
            .find(|one| one["name"] == name)
            .unwrap()
            .clone()
    };
    let alone = json(&searched(&folder, &["--format", "json"]));
    assert_eq!(alone["kernels"].as_array().unwrap().len(), 1);
    assert_eq!(
        of(&alone, "add_one")["proposals"],
        of(&all, "add_one")["proposals"]
    );
    let human = stdout(&searched(&folder, &[]));
    assert!(
        human.contains("`visa-lint cost --kernel add_one --diff` shows number "),
        "{human}"
    );
}
