//! Baselines: what is known is not shown and fails nothing, and what is gone is said.

use std::fs;

use super::*;

const SHORT: [&str; 2] = ["--format", "short"];

fn with(arguments: &[&'static str]) -> Vec<&'static str> {
    [arguments, &SHORT].concat()
}

/// A folder with a file of two findings and a baseline that knows both.
fn known() -> TempDir {
    let folder = folder_with(&[("k/a.rs", FINDINGS.as_bytes())]);
    let output = run(folder.path(), &["k", "--write-baseline", "b.json"]);
    assert_code(&output, 0);
    assert_eq!(stdout(&output), "");
    assert_eq!(stderr(&output), "2 findings written to `b.json`\n");
    folder
}

fn baseline(folder: &TempDir) -> Value {
    let text = fs::read_to_string(folder.path().join("b.json")).unwrap();
    assert!(text.ends_with("}\n"));
    serde_json::from_str(&text).unwrap()
}

fn write(folder: &TempDir, name: &str, text: &str) {
    fs::write(folder.path().join(name), text).unwrap();
}

#[test]
fn known_findings_are_not_shown_and_fail_nothing() {
    let folder = known();
    let document = baseline(&folder);
    assert_eq!(document["version"], 1);
    let findings = document["findings"].as_array().unwrap();
    let words: Vec<_> = findings
        .iter()
        .map(|entry| format!("{} {} {}", entry["file"], entry["rule"], entry["count"]))
        .collect();
    assert_eq!(
        words,
        [
            "\"k/a.rs\" \"unknown_rule\" 1",
            "\"k/a.rs\" \"unused_suppression\" 1"
        ]
    );
    assert_code(&run(folder.path(), &["k"]), 1);
    let output = run(folder.path(), &["k", "--baseline", "b.json"]);
    assert_code(&output, 0);
    let text = stdout(&output);
    assert!(text.contains("no findings (2 known)"), "{text}");
    assert_eq!(stderr(&output), "");
    // From another folder, and with the baseline in another folder than the kernels.
    let inside = folder.path().join("k");
    assert_code(&run(&inside, &["a.rs", "--baseline", "../b.json"]), 0);
    assert_code(
        &run(&inside, &["a.rs", "--write-baseline", "../c/b.json"]),
        2,
    );
    fs::create_dir(folder.path().join("c")).unwrap();
    assert_code(
        &run(&inside, &["a.rs", "--write-baseline", "../c/b.json"]),
        0,
    );
    assert_code(&run(folder.path(), &["--baseline", "c/b.json"]), 0);
}

#[test]
fn moved_and_reformatted_code_stays_known_and_new_findings_are_new() {
    let folder = known();
    let moved = format!(
        "// a remark\n\nmod m {{\n    {}}}\n",
        FINDINGS.replace('\n', "\r\n    ")
    );
    write(&folder, "k/a.rs", &moved);
    let output = run(folder.path(), &with(&["k", "--baseline", "b.json"]));
    assert_code(&output, 0);
    assert_eq!((stdout(&output), stderr(&output)), Default::default());
    // A second finding that looks like a known one is new.
    let twice = format!("{FINDINGS}#[allow(tcp::no_such_rule)]\nfn h() {{}}\n");
    write(&folder, "k/a.rs", &twice);
    let output = run(folder.path(), &with(&["k", "--baseline", "b.json"]));
    assert_code(&output, 1);
    assert_eq!(stdout(&output).lines().count(), 1);
    // The same finding in another file is new.
    write(&folder, "k/a.rs", FINDINGS);
    write(&folder, "k/b.rs", FINDINGS);
    let output = run(folder.path(), &with(&["k", "--baseline", "b.json"]));
    assert_code(&output, 1);
    let text = stdout(&output);
    assert_eq!(text.lines().count(), 2);
    assert!(
        text.lines().all(|line| line.starts_with("k/b.rs:")),
        "{text}"
    );
}

#[test]
fn what_no_longer_occurs_is_said_and_can_be_dropped() {
    let folder = known();
    write(
        &folder,
        "k/a.rs",
        "fn f() {}\n#[expect(tcp::slice_size)]\nfn g() {}\n",
    );
    let before = baseline(&folder);
    let output = run(folder.path(), &with(&["k", "--baseline", "b.json"]));
    assert_code(&output, 0);
    assert_eq!(
        stderr(&output),
        "warning: `b.json`: 1 known finding no longer occurs: `unknown_rule` in `k/a.rs`; \
         `--prune-baseline` drops what is gone\n"
    );
    assert_eq!(baseline(&folder), before);
    let prune = with(&["k", "--baseline", "b.json", "--prune-baseline"]);
    let output = run(folder.path(), &prune);
    assert_code(&output, 0);
    assert_eq!(stderr(&output), "1 known finding dropped from `b.json`\n");
    assert_eq!(baseline(&folder)["findings"].as_array().unwrap().len(), 1);
    assert_eq!(stderr(&run(folder.path(), &prune)), "");
    // A file that is gone takes its findings with it.
    fs::remove_file(folder.path().join("k/a.rs")).unwrap();
    write(&folder, "k/b.rs", "fn f() {}\n");
    let output = run(folder.path(), &with(&["k", "--baseline", "b.json"]));
    assert!(stderr(&output).contains("1 known finding no longer occurs"));
}

#[test]
fn what_the_run_did_not_look_at_is_not_gone() {
    let folder = known();
    write(&folder, "k/b.rs", "fn f() {}\n");
    for options in [
        &["k/b.rs"][..],
        &["k", "--ignore", "suspicious"],
        &["k", "--allow", "unknown_rule,unused_suppression"],
        &["k", "--select", "hardware"],
    ] {
        let prune = ["--baseline", "b.json", "--prune-baseline"];
        let output = run(folder.path(), &[options, &prune, &SHORT].concat());
        assert_code(&output, 0);
        assert_eq!(stderr(&output), "");
        assert_eq!(baseline(&folder)["findings"].as_array().unwrap().len(), 2);
    }
    // A run that failed knows nothing, and neither does one that could not read the file's Rust.
    let prune = ["k", "none.rs", "--baseline", "b.json", "--prune-baseline"];
    write(&folder, "k/a.rs", "fn f() {}\n");
    assert_code(&run(folder.path(), &prune), 2);
    write(&folder, "k/a.rs", "axes![A = 8];\nfn f( {}\n");
    assert_code(
        &run(
            folder.path(),
            &["k", "--baseline", "b.json", "--prune-baseline"],
        ),
        0,
    );
    assert_eq!(baseline(&folder)["findings"].as_array().unwrap().len(), 2);
}

#[test]
fn a_baseline_that_cannot_be_used_fails_the_run_and_stays() {
    let entry = "{\"file\":\"a\",\"rule\":\"b\",\"group\":\"\",\"fingerprint\":\"c\",\"count\":-1,\"message\":\"\"}";
    for (text, words) in [
        ("", "EOF"),
        ("{\"version\": 1}", "findings"),
        ("{\"version\": 2, \"findings\": []}", "version 2"),
        ("[]", "invalid"),
        ("7", "an object with `version` and `findings`"),
        ("{\"version\": 1, \"findings\": [], \"more\": 1}", "more"),
        (
            &format!("{{\"version\": 1, \"findings\": [{entry}]}}"),
            "-1",
        ),
        ("\u{fffd}", "expected value"),
    ] {
        let folder = folder_with(&[("a.rs", FINDINGS.as_bytes()), ("b.json", text.as_bytes())]);
        let arguments = ["a.rs", "--baseline", "b.json", "--prune-baseline"];
        let output = run(folder.path(), &arguments);
        assert_code(&output, 2);
        let said = stderr(&output);
        assert!(
            said.starts_with("error: cannot use the baseline `b.json`: "),
            "{said}"
        );
        assert!(said.contains(words), "{text}: {said}");
        assert_eq!(stdout(&output), "");
        assert_eq!(
            fs::read_to_string(folder.path().join("b.json")).unwrap(),
            text
        );
    }
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    for arguments in [
        &["a.rs", "--baseline", "none.json"][..],
        &["a.rs", "--baseline", "."],
        &["a.rs", "--prune-baseline"],
        &["a.rs", "--baseline", "b.json", "--write-baseline", "b.json"],
        &["a.rs", "none.rs", "--write-baseline", "b.json"],
    ] {
        assert_code(&run(folder.path(), arguments), 2);
    }
    assert!(!folder.path().join("b.json").exists());
}

#[test]
fn fixing_comes_before_the_baseline() {
    let folder = known();
    let output = run(
        folder.path(),
        &with(&["k", "--fix", "--baseline", "b.json"]),
    );
    assert_code(&output, 0);
    let said = stderr(&output);
    assert!(said.contains("`unused_suppression` in `k/a.rs`"), "{said}");
    assert!(said.contains("1 fixed, 0 remaining"), "{said}");
    let again = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let output = run(again.path(), &["--fix", "--write-baseline", "b.json"]);
    assert_code(&output, 0);
    assert_eq!(baseline(&again)["findings"].as_array().unwrap().len(), 1);
}

#[test]
fn what_a_baseline_claims_is_neither_obeyed_nor_added_up_past_its_end() {
    let folder = folder_with(&[("a.rs", b"fn f() {}\n")]);
    let entry = |file: &str, rule: &str| {
        serde_json::json!({
            "file": file, "rule": rule, "group": "mapping", "fingerprint": "0", "count": u64::MAX,
            "message": "\u{1b}[31m",
        })
    };
    let findings = [
        entry("a.rs", "\u{1b}]0;x\u{7}"),
        entry("gone.rs", "slice_size"),
    ];
    let document = serde_json::json!({"version": 1, "findings": findings});
    write(&folder, "base.json", &document.to_string());
    let output = run(folder.path(), &["a.rs", "--baseline", "base.json"]);
    assert_code(&output, 0);
    let said = stderr(&output);
    assert!(
        said.contains("18,446,744,073,709,551,615 known findings"),
        "{said}"
    );
    assert!(
        !said.contains('\u{1b}') && !said.contains('\u{7}'),
        "{said:?}"
    );
}
