//! `--add-ignore`: after it nothing is reported, and the code is what it was.

use std::fs;

use super::*;

fn read(folder: &TempDir, name: &str) -> String {
    fs::read_to_string(folder.path().join(name)).unwrap()
}

#[test]
fn every_finding_gets_a_comment_with_a_reason() {
    let text = "axes![Q = 0];\r\nmod m {\r\n    axes![R = 0]; // one\r\n}\r\n";
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    let output = run(
        folder.path(),
        &["--add-ignore", "--reason", "issue 12: later"],
    );
    assert_code(&output, 0);
    assert_eq!(
        stderr(&output),
        "2 findings are allowed from now on, 0 remaining\n"
    );
    let after = "axes![Q = 0]; // visa-lint: allow(axis_size_zero): issue 12: later\r\nmod m {\r\n    \
                 // visa-lint: allow(axis_size_zero): issue 12: later\r\n    axes![R = 0]; // one\r\n}\r\n";
    assert_eq!(read(&folder, "a.rs"), after);
    let again = run(folder.path(), &["--add-ignore", "-q", "--deny", "warnings"]);
    assert_code(&again, 0);
    assert_eq!((stdout(&again), stderr(&again)), Default::default());
    assert_eq!(read(&folder, "a.rs"), after);
}

#[test]
fn comments_grow_with_new_findings() {
    let folder = folder_with(&[(
        "a.rs",
        b"axes![Q = 0]; // visa-lint: allow(slice_size): why\n",
    )]);
    assert_code(&run(folder.path(), &["--add-ignore"]), 0);
    assert_eq!(
        read(&folder, "a.rs"),
        "axes![Q = 0]; // visa-lint: allow(slice_size, axis_size_zero, unused_suppression): why\n"
    );
    let folder = folder_with(&[("a.rs", b"axes![Q = 0];\n")]);
    assert_code(&run(folder.path(), &["--add-ignore"]), 0);
    assert_eq!(
        read(&folder, "a.rs"),
        "axes![Q = 0]; // visa-lint: allow(axis_size_zero): to be looked at\n"
    );
}

#[test]
fn only_what_would_be_reported_is_allowed() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let select = ["--add-ignore", "--select", "unknown_rule"];
    assert_code(&run(folder.path(), &select), 0);
    let text = read(&folder, "a.rs");
    assert!(text.starts_with("#[allow(tcp::no_such_rule)] // visa-lint: allow(unknown_rule): "));
    assert!(
        text.ends_with("\n#[expect(tcp::slice_size)]\nfn g() {}\n"),
        "{text}"
    );
}

#[test]
fn what_can_be_fixed_is_fixed_first_and_standard_input_comes_out_once() {
    let folder = folder_with(&[]);
    let output = run_with_input(
        folder.path(),
        &["-", "--fix", "--add-ignore", "--reason", "so"],
        FINDINGS.as_bytes(),
    );
    assert_code(&output, 0);
    assert_eq!(
        stdout(&output),
        "#[allow(tcp::no_such_rule)] // visa-lint: allow(unknown_rule): so\nfn f() {}\nfn g() {}\n"
    );
    let said = stderr(&output);
    assert!(
        said.contains("1 finding is allowed from now on, 0 remaining"),
        "{said}"
    );
}

#[test]
fn options_that_make_no_sense_together_are_refused() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    for arguments in [
        &["--reason", "x"][..],
        &["--add-ignore", "--diff"],
        &["--add-ignore", "--write-baseline", "b.json"],
    ] {
        assert_code(&run(folder.path(), arguments), 2);
    }
    assert_eq!(read(&folder, "a.rs"), FINDINGS);
}

#[test]
fn all_fixtures_are_clean_afterwards_and_their_code_is_the_same() {
    let fixtures = repository().join("fixtures");
    let folder = tempfile::tempdir().unwrap();
    let mut copies = Vec::new();
    for source in visa_tests::rust_files(&fixtures) {
        let path = folder.path().join(source.strip_prefix(&fixtures).unwrap());
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::copy(&source, &path).unwrap();
        copies.push((source, path));
    }
    let output = run(folder.path(), &["--add-ignore"]);
    assert_code(&output, 0);
    assert!(stderr(&output).ends_with(" allowed from now on, 0 remaining\n"));
    let short = ["--format", "short", "--quiet", "--deny", "warnings"];
    let clean = run(folder.path(), &short);
    assert_code(&clean, 0);
    assert_eq!(stdout(&clean), "");
    for (source, path) in copies {
        let (before, after) = (visa_tests::read(&source), visa_tests::read(&path));
        assert_eq!(tokens(&before), tokens(&after), "{}", path.display());
    }
}

/// The tokens of a text that are neither comments nor white space.
fn tokens(text: &str) -> Vec<String> {
    use ra_ap_syntax::{AstNode, Edition, NodeOrToken, SourceFile};
    let tree = SourceFile::parse(text, Edition::Edition2024).tree();
    let tokens = tree.syntax().descendants_with_tokens();
    tokens
        .filter_map(NodeOrToken::into_token)
        .filter(|token| !token.kind().is_trivia())
        .map(|token| token.text().to_owned())
        .collect()
}

#[test]
fn a_run_may_take_no_notice_of_what_files_allow() {
    let text = "// visa-lint: allow-file-is-no-such-word\naxes![Q = 0]; // visa-lint: allow(axis_size_zero): mine\n#[allow(tcp::axis_size_zero)]\nmod m { axes![R = 0]; }\n";
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    assert_code(&run(folder.path(), &["a.rs"]), 0);
    let strict = run(
        folder.path(),
        &["a.rs", "--no-inline-allow", "--format", "json"],
    );
    assert_code(&strict, 1);
    let document = json(&strict);
    let found = document["diagnostics"].as_array().unwrap();
    let zero = found
        .iter()
        .filter(|found| found["rule"] == "axis_size_zero");
    let zero: Vec<_> = zero.collect();
    assert_eq!(zero.len(), 2, "{document}");
    assert!(zero.iter().all(|found| found["suppressed"] == false));
}
