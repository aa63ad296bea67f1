//! `--compare` with `--fail-on`: what is beyond a limit fails, what cannot be judged is said, and an old state may be what
//! `--format json` once printed.

use super::*;

fn longer(text: &str) -> String {
    text.replace("X = 2048", "X = 4096")
        .replace("1 << 14", "1 << 15")
}

/// Two kernels, and the same before the first grew.
fn grown() -> TempDir {
    let text = kernel("dot_product");
    let other = text.replace("fn dot(", "fn same(");
    folder_with(&[
        ("old.rs", text.as_bytes()),
        ("new.rs", longer(&text).as_bytes()),
        ("same.rs", other.as_bytes()),
    ])
}

fn total(folder: &TempDir, file: &str) -> u64 {
    number(&cost_json(folder, &[file])["kernels"][0]["cycles"]["total"])
}

#[test]
fn a_growth_beyond_the_limit_fails() {
    let folder = grown();
    let (before, after) = (total(&folder, "old.rs"), total(&folder, "new.rs"));
    let growth = after - before;
    let compare = |limit: &str| {
        cost(
            &folder,
            &["new.rs", "--compare", "old.rs", "--fail-on", limit],
        )
    };
    let exact = format!("+{growth}");
    let within = compare(&exact);
    assert_code(&within, 0);
    let words = stdout(&within);
    let shown = visa_analysis::thousands(growth);
    assert!(
        words.contains(&format!("within --fail-on +{shown}: 1 kernel\n")),
        "{words}"
    );
    let output = compare(&(growth - 1).to_string());
    assert_code(&output, 1);
    let words = stdout(&output);
    let beyond = format!(
        "beyond --fail-on +{}:\n  `dot` (new.rs): +{shown}, +",
        visa_analysis::thousands(growth - 1)
    );
    assert!(words.contains(&beyond), "{words}");
    assert_code(&compare("1000%"), 0);
    assert_code(&compare("+0.5%"), 1);
    // A saving is within any limit.
    assert_code(
        &cost(
            &folder,
            &["old.rs", "--compare", "new.rs", "--fail-on", "0"],
        ),
        0,
    );
    let document = json(&cost(
        &folder,
        &[
            "new.rs",
            "--compare",
            "old.rs",
            "--fail-on",
            "+1%",
            "--format",
            "json",
        ],
    ));
    assert_eq!(document["limit"]["exceeded"], true);
    assert_eq!(document["limit"]["limit"], "+1%");
    assert_eq!(
        document["total"],
        serde_json::json!({"kernels": 1, "before": before, "after": after, "difference": growth})
    );
    let markdown = cost(
        &folder,
        &[
            "new.rs",
            "--compare",
            "old.rs",
            "--fail-on",
            "+1%",
            "--format",
            "markdown",
        ],
    );
    assert_code(&markdown, 1);
    let words = stdout(&markdown);
    assert!(
        words.starts_with("### Cost compared with `old.rs`: beyond +1%\n"),
        "{words}"
    );
    assert!(
        words.contains("| `to_trf right` | sub | 512 | 1,024 | +512 |"),
        "{words}"
    );
}

/// A document of what the kernels cost now, by its name in the folder.
fn printed(folder: &TempDir, paths: &[&str], name: &str) {
    let arguments = [paths, &["--format", "json", "--output-file", name]].concat();
    assert_code(&cost(folder, &arguments), 0);
}

#[test]
fn many_kernels_are_compared_a_line_each_with_a_total() {
    let folder = grown();
    let text = kernel("dot_product");
    std::fs::write(folder.path().join("new.rs"), &text).unwrap();
    printed(&folder, &["new.rs", "same.rs"], "old.json");
    std::fs::write(folder.path().join("new.rs"), longer(&text)).unwrap();
    let (before, other) = (total(&folder, "old.rs"), total(&folder, "same.rs"));
    let after = total(&folder, "new.rs");
    let arguments = ["new.rs", "same.rs", "--compare", "old.json"];
    let words = stdout(&cost(&folder, &arguments));
    let shown = visa_analysis::thousands;
    let totals = format!(
        "total of 2 kernels in both states: {} cycles in old.json, {} now, +{}, +",
        shown(before + other),
        shown(after + other),
        shown(after - before)
    );
    assert!(words.contains(&totals), "{words}");
    assert!(
        words.contains("kernels: 1 changed, 1 not changed\n"),
        "{words}"
    );
    assert!(
        !words.contains("same.rs") && !words.contains("to_trf right"),
        "{words}"
    );
    let details = stdout(&cost(&folder, &[&arguments[..], &["--details"]].concat()));
    assert!(
        details.contains("to_trf right") && details.contains("+512"),
        "{details}"
    );
    // The same cycles, from a document that the other model chose: both models are in every document.
    let by_schedule = [
        "cost",
        "new.rs",
        "same.rs",
        "--format",
        "json",
        "--output-file",
        "schedule.json",
    ];
    assert_code(&run(folder.path(), &by_schedule), 0);
    let words = stdout(&cost(
        &folder,
        &["new.rs", "same.rs", "--compare", "schedule.json"],
    ));
    assert!(
        words.contains(", +0, +0.0 %\nkernels: 2 not changed\n"),
        "{words}"
    );
}

#[test]
fn what_cannot_be_judged_is_said_and_what_became_unknown_fails() {
    let text = kernel("dot_product");
    let unknown = text.replace(".to_hbm(", ".to_nowhere(");
    let folder = folder_with(&[
        ("known.rs", text.as_bytes()),
        ("unknown.rs", unknown.as_bytes()),
        ("none.rs", b"fn f() {}\n"),
    ]);
    let compare =
        |new: &str, old: &str| cost(&folder, &[new, "--compare", old, "--fail-on", "900%"]);
    let lost = compare("unknown.rs", "known.rs");
    assert_code(&lost, 1);
    assert!(
        stdout(&lost).contains("  `dot` (unknown.rs): its cycles are unknown now: unknown.rs:"),
        "{}",
        stdout(&lost)
    );
    for (new, old, words) in [
        ("known.rs", "unknown.rs", "its cycles were unknown before"),
        (
            "unknown.rs",
            "unknown.rs",
            "its cycles are unknown, before and now: unknown.rs:",
        ),
        (
            "unknown.rs",
            "none.rs",
            "it is new and its cycles are unknown: unknown.rs:",
        ),
        (
            "known.rs",
            "none.rs",
            "no kernel has known cycles in both states",
        ),
    ] {
        let output = compare(new, old);
        assert_code(&output, 0);
        let text = stdout(&output);
        assert!(text.contains("not judged by --fail-on +900%:\n"), "{text}");
        assert!(text.contains(words), "{text}");
        // A file is not read by who watches the run: it is said on standard error, too.
        let arguments = [
            new,
            "--compare",
            old,
            "--fail-on",
            "900%",
            "--output-file",
            "out.txt",
        ];
        let output = cost(&folder, &arguments);
        assert!(stderr(&output).contains(words), "{}", stderr(&output));
    }
}

#[test]
fn wrong_limits_and_old_states_have_words() {
    let folder = folder_of("dot_product");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    printed(&folder, &["k.rs"], "good.json");
    let good = visa_tests::read(&folder.path().join("good.json"));
    write("cut.json", &good[..good.len() / 2]);
    write("other.json", "{\"diagnostics\": []}\n");
    write(
        "newer.json",
        &good.replacen("\"version\": 1", "\"version\": 2", 1),
    );
    write(
        "release.json",
        &good.replace("schedule 0.5.1", "schedule 0.8.1"),
    );
    for (arguments, words) in [
        (&["--fail-on", "+5%"][..], "--compare"),
        (
            &["--compare", "k.rs", "--fail-on", "five"],
            "`+5%` or `+500`",
        ),
        (
            &["--compare", "k.rs", "--fail-on", "-5%"],
            "what a kernel may grow by",
        ),
        (&["--compare", "k.rs", "--fail-on", ""], "'--fail-on"),
        (
            &["--compare", "k.rs", "--fail-on", "1.5"],
            "cycles are whole",
        ),
        (
            &["--compare", "none.json"],
            "`none.json` is neither a file nor a revision",
        ),
        (
            &["--compare", "none.rs"],
            "`none.rs` is neither a file nor a revision",
        ),
        (
            &["--compare", "cut.json"],
            "is not what `visa-lint cost --format json` prints",
        ),
        (
            &["--compare", "other.json"],
            "is not what `visa-lint cost --format json` prints",
        ),
        (&["--compare", "newer.json"], "is of version 2"),
        (
            &["--compare", "release.json"],
            "by the model `schedule 0.8.1` in `release.json` and by `schedule 0.5.1` now",
        ),
    ] {
        let output = cost(&folder, &[&["k.rs"], arguments].concat());
        assert_code(&output, 2);
        assert!(
            stderr(&output).contains(words),
            "{arguments:?}: {}",
            stderr(&output)
        );
        assert!(output.stdout.is_empty());
    }
    // What is broken in an old file leaves cycles unknown, and that is said.
    let broken = kernel("dot_product").replacen(".begin(", ".begin((", 1);
    write("broken.rs", &broken);
    let output = cost(
        &folder,
        &["k.rs", "--compare", "broken.rs", "--fail-on", "1%"],
    );
    assert_code(&output, 0);
    assert!(
        stdout(&output).contains("not judged by --fail-on +1%:"),
        "{}",
        stdout(&output)
    );
    let help = stdout(&run(folder.path(), &["cost", "--help"]));
    assert!(
        help.contains("--fail-on <LIMIT>") && help.contains("Exit codes:"),
        "{help}"
    );
}
