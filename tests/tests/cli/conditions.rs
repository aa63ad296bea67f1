//! `cfg`: what the manifest and the settings leave out, and how a run says so.

use super::{assert_code, folder_with, json, rules_and_levels, run, stderr, stdout};

const MANIFEST: &str = "[package]\nname = \"k\"\nversion = \"0.1.0\"\n[features]\ndefault = [\"on\"]\non = [\"deep\"]\ndeep = []\noff = []\n";

/// A kernel whose transfer is misaligned, behind a condition.
fn wrong(name: &str, condition: &str) -> String {
    format!(
        "#[cfg({condition})]\n#[device(chip = 1)]\nfn {name}(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![L]>) -> DmTensor<i32, m![1], m![1 # 2], m![L / 16], m![L % 16]> {{\n    x.to_dm(&mut ctx.tdma, 4)\n}}\n"
    )
}

fn source(kernels: &[(&str, &str)]) -> String {
    let head = "use furiosa_visa_std::prelude::*;\naxes![L = 4096];\n";
    let kernels = kernels
        .iter()
        .map(|(name, condition)| wrong(name, condition));
    head.to_owned() + &kernels.collect::<String>()
}

#[test]
fn the_manifest_decides_what_is_left_out() {
    let text = source(&[
        ("a", "feature = \"on\""),
        ("b", "feature = \"deep\""),
        ("c", "feature = \"off\""),
        ("d", "not(feature = \"on\")"),
        ("e", "feature = \"unheard_of\""),
        ("f", "test"),
        ("g", "target_os = \"windows\""),
    ]);
    let files = [
        ("Cargo.toml", MANIFEST.as_bytes()),
        ("src/lib.rs", text.as_bytes()),
    ];
    let folder = folder_with(&files);
    let output = run(folder.path(), &["--format", "json", "--statistics"]);
    assert_code(&output, 1);
    let document = json(&output);
    assert_eq!(document["kernels"], 4);
    assert_eq!(document["configured_out"], 3);
    assert_eq!(rules_and_levels(&document).len(), 4);
    let output = run(folder.path(), &["--statistics"]);
    let text = stdout(&output);
    assert!(
        text.contains("4 kernels, 4 operations, 3 functions configured out: 4 errors"),
        "{text}"
    );
    assert!(
        text.lines()
            .any(|line| line.split_whitespace().eq(["configured", "out", "3"])),
        "{text}"
    );
    // Without the manifest nothing is known of its features.
    let alone = folder_with(&files[1..]);
    let document = json(&run(alone.path(), &["--format", "json", "."]));
    assert_eq!(
        (&document["kernels"], &document["configured_out"]),
        (&6.into(), &1.into())
    );
}

#[test]
fn the_settings_go_before_the_manifest() {
    let text = source(&[
        ("a", "feature = \"on\""),
        ("b", "feature = \"off\""),
        ("c", "mine"),
    ]);
    let counts = |settings: &str| {
        let folder = folder_with(&[
            ("Cargo.toml", MANIFEST.as_bytes()),
            ("src/lib.rs", text.as_bytes()),
            ("visa-lint.toml", settings.as_bytes()),
        ]);
        let document = json(&run(folder.path(), &["--format", "json"]));
        (
            document["kernels"].as_u64(),
            document["configured_out"].as_u64(),
        )
    };
    assert_eq!(counts(""), (Some(2), Some(1)));
    assert_eq!(
        counts("cfg = [\"feature=\\\"off\\\"\"]"),
        (Some(3), Some(0))
    );
    assert_eq!(
        counts("cfg = ['!feature=\"on\"', '!mine']"),
        (Some(0), Some(3))
    );
    assert_eq!(counts("cfg = ['!mine', 'mine']"), (Some(2), Some(1)));
    let folder = folder_with(&[
        ("a.rs", text.as_bytes()),
        (
            "visa-lint.toml",
            b"dialect = \"auto\"\ncfg = ['unix', 'feature=x', '']\n",
        ),
    ]);
    let output = run(folder.path(), &["a.rs"]);
    assert_code(&output, 2);
    let words = stderr(&output);
    assert!(
        words.contains("visa-lint.toml:2:16: `feature=x` is not a condition"),
        "{words}"
    );
    assert!(
        words.contains("visa-lint.toml:2:29: `` is not a condition"),
        "{words}"
    );
    let folder = folder_with(&[
        ("a.rs", text.as_bytes()),
        ("visa-lint.toml", b"cfg = ['!feature=\"on\"']\n"),
    ]);
    let shown = stdout(&run(folder.path(), &["a.rs", "--show-settings"]));
    assert!(
        shown.contains("cfg = [\"!feature=\\\"on\\\"\"]  # visa-lint.toml:1"),
        "{shown}"
    );
}

#[test]
fn a_module_that_is_left_out_takes_its_file_along() {
    let wrong = source(&[("a", "all()")]);
    let root = "#[cfg(windows)]\nmod win;\n#[cfg(feature = \"off\")]\n#[path = \"other.rs\"]\nmod off;\nmod kept;\n";
    let folder = folder_with(&[
        ("Cargo.toml", MANIFEST.as_bytes()),
        ("src/lib.rs", root.as_bytes()),
        ("src/win.rs", wrong.as_bytes()),
        ("src/other.rs", wrong.as_bytes()),
        ("src/kept.rs", wrong.as_bytes()),
    ]);
    let document = json(&run(folder.path(), &["--format", "json"]));
    assert_eq!(document["configured_out"], 2);
    let files: Vec<_> = document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["file"].as_str().unwrap_or("?").to_owned())
        .collect();
    assert_eq!(files, ["src/kept.rs"]);
    let output = run(folder.path(), &["src/win.rs"]);
    assert_code(&output, 0);
    assert_eq!(
        stdout(&output),
        "0 kernels, 0 operations, 1 function configured out: no findings\n"
    );
}
