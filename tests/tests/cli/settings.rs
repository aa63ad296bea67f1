//! `visa-lint.toml`: which file holds, what it says, what is wrong with it, and what `--show-settings` tells of it.

use super::*;

/// Runs a check and tells `file rule level` of each finding.
fn findings(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = run(folder, &[arguments, &["--format", "json"]].concat());
    let document = json(&output);
    document["diagnostics"]
        .as_array()
        .unwrap()
        .iter()
        .map(|finding| {
            let word = |key: &str| finding[key].as_str().unwrap_or("?").to_owned();
            format!("{} {} {}", word("file"), word("rule"), word("level"))
        })
        .collect()
}

/// What standard error says about a settings file of that text; the run has to fail.
fn complaint(text: &[u8]) -> String {
    let folder = folder_with(&[("visa-lint.toml", text), ("a.rs", FINDINGS.as_bytes())]);
    let output = run(folder.path(), &["a.rs"]);
    assert_code(&output, 2);
    assert!(output.stdout.is_empty(), "{}", stdout(&output));
    stderr(&output)
}

#[test]
fn levels_of_the_file_hold_and_options_come_after_them() {
    let folder = folder_with(&[
        (
            "visa-lint.toml",
            b"[levels]\nunknown_rule = \"warn\"\nunused_suppression = \"allow\"\n",
        ),
        ("a.rs", FINDINGS.as_bytes()),
    ]);
    assert_eq!(findings(folder.path(), &[]), ["a.rs unknown_rule warn"]);
    assert_code(&run(folder.path(), &[]), 0);
    assert_eq!(
        findings(folder.path(), &["--deny", "suspicious"]),
        ["a.rs unknown_rule deny", "a.rs unused_suppression deny"]
    );
    assert_eq!(
        findings(folder.path(), &["--deny", "warnings"]),
        ["a.rs unknown_rule deny"]
    );
    assert_eq!(
        findings(folder.path(), &["--isolated"]),
        ["a.rs unknown_rule deny", "a.rs unused_suppression warn"]
    );
}

#[test]
fn in_a_table_a_rule_goes_before_its_group_and_a_group_before_all_warnings() {
    let levels = |text: &str| {
        let folder = folder_with(&[
            ("visa-lint.toml", format!("[levels]\n{text}").as_bytes()),
            ("a.rs", FINDINGS.as_bytes()),
        ]);
        findings(folder.path(), &[])
    };
    // Whatever the order of the lines.
    let rule_and_group = [
        "suspicious = \"allow\"\nunknown_rule = \"warn\"\n",
        "unknown_rule = \"warn\"\nsuspicious = \"allow\"\n",
    ];
    for text in rule_and_group {
        assert_eq!(levels(text), ["a.rs unknown_rule warn"]);
    }
    assert_eq!(
        levels("unused_suppression = \"allow\"\nwarnings = \"deny\"\n"),
        ["a.rs unknown_rule deny"]
    );
    assert_eq!(
        levels("warnings = \"deny\"\n"),
        ["a.rs unknown_rule deny", "a.rs unused_suppression deny"]
    );
}

#[test]
fn the_nearest_file_holds_alone() {
    let folder = folder_with(&[
        (
            "visa-lint.toml",
            b"[levels]\nunknown_rule = \"allow\"\nunused_suppression = \"deny\"\n",
        ),
        ("a.rs", FINDINGS.as_bytes()),
        (
            "near/visa-lint.toml",
            b"[levels]\nunknown_rule = \"warn\"\n",
        ),
        ("near/deep/b.rs", FINDINGS.as_bytes()),
        ("far/deep/c.rs", FINDINGS.as_bytes()),
    ]);
    let expected = [
        "a.rs unused_suppression deny",
        "far/deep/c.rs unused_suppression deny",
        "near/deep/b.rs unknown_rule warn",
        "near/deep/b.rs unused_suppression warn",
    ];
    assert_eq!(findings(folder.path(), &[]), expected);
    // From inside, too: the file is looked for from the kernel, not from where the program runs.
    assert_eq!(
        findings(&folder.path().join("near"), &["../far/deep/c.rs"]),
        ["../far/deep/c.rs unused_suppression deny"]
    );
    assert_eq!(
        findings(folder.path(), &["--config", "near/visa-lint.toml", "a.rs"]),
        ["a.rs unknown_rule warn", "a.rs unused_suppression warn"]
    );
}

#[test]
fn standard_input_is_judged_as_the_file_it_is_named_after() {
    let folder = folder_with(&[
        ("visa-lint.toml", b"[levels]\nsuspicious = \"allow\"\n"),
        ("near/visa-lint.toml", b"exclude = [\"made\"]\n"),
    ]);
    let short = |arguments: &[&str]| {
        let arguments = [&["-", "--format", "short"], arguments].concat();
        let output = run_with_input(folder.path(), &arguments, FINDINGS.as_bytes());
        stdout(&output).lines().count()
    };
    assert_eq!(short(&[]), 0);
    assert_eq!(short(&["--stdin-filename", "near/a.rs"]), 2);
    let made = ["--stdin-filename", "near/made/a.rs"];
    assert_eq!(short(&made), 2);
    assert_eq!(short(&[&made[..], &["--force-exclude"]].concat()), 0);
}

#[test]
fn overrides_hold_for_their_paths_and_the_last_one_wins() {
    let settings = b"[levels]
unknown_rule = \"warn\"

[[overrides]]
paths = [\"old/**\", \"*_test.rs\"]
levels = { suspicious = \"allow\" }

[[overrides]]
paths = [\"/old/kept.rs\"]
[overrides.levels]
unknown_rule = \"deny\"
";
    let folder = folder_with(&[
        ("visa-lint.toml", settings),
        ("a.rs", FINDINGS.as_bytes()),
        ("deep/a_test.rs", FINDINGS.as_bytes()),
        ("old/b.rs", FINDINGS.as_bytes()),
        ("old/kept.rs", FINDINGS.as_bytes()),
        ("new/old/kept.rs", FINDINGS.as_bytes()),
    ]);
    let expected = [
        "a.rs unknown_rule warn",
        "a.rs unused_suppression warn",
        "new/old/kept.rs unknown_rule warn",
        "new/old/kept.rs unused_suppression warn",
        "old/kept.rs unknown_rule deny",
    ];
    assert_eq!(findings(folder.path(), &[]), expected);
    assert_eq!(
        findings(folder.path(), &["old", "--warn", "suspicious"]),
        [
            "old/b.rs unknown_rule warn",
            "old/b.rs unused_suppression warn",
            "old/kept.rs unknown_rule warn",
            "old/kept.rs unused_suppression warn",
        ]
    );
}

#[test]
fn selections_of_the_command_line_take_the_place_of_the_files() {
    let folder = folder_with(&[
        ("visa-lint.toml", b"ignore = [\"unused_suppression\"]\n"),
        ("a.rs", FINDINGS.as_bytes()),
        ("b/visa-lint.toml", b"select = [\"unused_suppression\"]\n"),
        ("b/b.rs", FINDINGS.as_bytes()),
    ]);
    assert_eq!(
        findings(folder.path(), &[]),
        ["a.rs unknown_rule deny", "b/b.rs unused_suppression warn"]
    );
    assert_eq!(
        findings(folder.path(), &["--select", "unused_suppression"]),
        [
            "a.rs unused_suppression warn",
            "b/b.rs unused_suppression warn"
        ]
    );
    assert_eq!(
        findings(folder.path(), &["--ignore", "unknown_rule"]),
        ["b/b.rs unused_suppression warn"]
    );
}

#[test]
fn excluded_files_are_left_out_of_folders_but_not_when_they_are_named() {
    let folder = folder_with(&[
        ("visa-lint.toml", b"exclude = [\"made/\", \"/b.rs\"]\n"),
        ("a.rs", FINDINGS.as_bytes()),
        ("b.rs", FINDINGS.as_bytes()),
        ("k/b.rs", FINDINGS.as_bytes()),
        ("k/made/deep/c.rs", FINDINGS.as_bytes()),
    ]);
    let files = |arguments: &[&str]| {
        let mut files: Vec<_> = findings(folder.path(), arguments)
            .iter()
            .filter_map(|finding| Some(finding.split_once(' ')?.0.to_owned()))
            .collect();
        files.dedup();
        files
    };
    assert_eq!(files(&["."]), ["a.rs", "k/b.rs"]);
    assert_eq!(files(&["k/made"]), Vec::<String>::new());
    assert_eq!(
        files(&["b.rs", "k/made/deep/c.rs"]),
        ["b.rs", "k/made/deep/c.rs"]
    );
    assert_eq!(
        files(&["b.rs", "a.rs", "k/made/deep/c.rs", "--force-exclude"]),
        ["a.rs"]
    );
    let nothing = run(folder.path(), &["b.rs", "--force-exclude"]);
    assert_code(&nothing, 0);
}

#[test]
fn patterns_of_a_named_file_are_relative_to_where_the_program_runs() {
    let folder = folder_with(&[
        ("ci/lint.toml", b"exclude = [\"/k/made\"]\n"),
        ("k/a.rs", FINDINGS.as_bytes()),
        ("k/made/b.rs", FINDINGS.as_bytes()),
    ]);
    let arguments = ["--config", "ci/lint.toml", "--select", "unknown_rule"];
    assert_eq!(
        findings(folder.path(), &arguments),
        ["k/a.rs unknown_rule deny"]
    );
}

/// A kernel over four chips whose attribute names a constant, and a function that no kernel calls, over two.
const CHIPS: &str = "use furiosa_visa_std::prelude::*;
axes![L = 4096];
const CHIPS: usize = four();
#[device(chip = CHIPS)]
fn k(ctx: &mut Context, x: &HbmTensor<i32, m![1 # 4], m![L]>) {
}
fn fragment(ctx: &mut Context, x: &HbmTensor<i32, m![1 # 2], m![L]>) {
}
";

#[test]
fn chips_are_those_of_kernels_that_do_not_say_and_of_fragments() {
    let folder = folder_with(&[
        ("none/a.rs", CHIPS.as_bytes()),
        ("four/a.rs", CHIPS.as_bytes()),
        ("four/visa-lint.toml", b"chips = 4\n"),
        ("two/a.rs", CHIPS.as_bytes()),
        ("two/visa-lint.toml", b"chips = 2\n"),
        ("literal/a.rs", CHIPS.replace("= CHIPS", "= 4").as_bytes()),
        ("literal/visa-lint.toml", b"chips = 2\n"),
    ]);
    assert_eq!(
        findings(folder.path(), &[]),
        ["four/a.rs chip_size warn", "two/a.rs chip_size deny"]
    );
    let short = stdout(&run(folder.path(), &["two", "--format", "short"]));
    assert!(
        short.starts_with("two/a.rs:5:") && short.contains("the kernel runs on 2 chips"),
        "{short}"
    );
}

#[test]
fn the_dialect_of_each_file_is_that_of_its_settings() {
    let kernel = "axes![L = 4096];
#[device(chip = 1)]
fn k(ctx: &mut Context, lanes: &HbmTensor<i32, m![1], m![L]>) -> HbmTensor<i32, m![1], m![L]> {
    let lanes = lanes.to_dm::<m![1 # 2], m![L / 16], m![L % 16]>(&mut ctx.tdma, 4);
    lanes.to_hbm(&mut ctx.tdma, 1 << 20)
}
";
    let kernel = format!("use furiosa_visa_std::prelude::*;\n{kernel}");
    let folder = folder_with(&[
        ("book/a.rs", kernel.as_bytes()),
        ("next/a.rs", kernel.as_bytes()),
        ("next/visa-lint.toml", b"dialect = \"opt-std@0.10\"\n"),
    ]);
    // The current library has no addresses that could be misaligned.
    assert_eq!(
        findings(folder.path(), &["--ignore", "performance"]),
        [
            "book/a.rs dma_alignment deny",
            // It imports the other library, and is written as for an early release.
            "next/a.rs library_version_mismatch warn",
            "next/a.rs library_version_mismatch warn"
        ]
    );
    assert_eq!(
        findings(
            folder.path(),
            &["--dialect", "visa-std", "--ignore", "performance"]
        ),
        [
            "book/a.rs dma_alignment deny",
            "next/a.rs dma_alignment deny"
        ]
    );
}

#[test]
fn mistakes_in_the_file_are_errors_with_their_place() {
    for (text, words) in [
        (
            "[levls]\nhardware = \"warn\"\n",
            "visa-lint.toml:1:2: there is no setting `levls` here",
        ),
        ("[levls]\n", "did you mean `levels`?"),
        (
            "# \u{df}\n\"\u{e4}\" = 1\n",
            "visa-lint.toml:2:1: there is no setting `\u{e4}` here",
        ),
        (
            "[levels]\nslice_siez = \"warn\"\n",
            "visa-lint.toml:2:1: no rule or group is called `slice_siez`; did you mean `slice_size`?",
        ),
        ("[levels]\nwarning = \"deny\"\n", "did you mean `warnings`?"),
        (
            "[levels]\nslice_size = \"error\"\n",
            "visa-lint.toml:2:14: this has to be one of `deny`, `warn`, `allow`, and is `error`",
        ),
        ("[levels]\nslice_size = \"alow\"\n", "did you mean `allow`?"),
        (
            "chips = \"four\"\n",
            "visa-lint.toml:1:9: this has to be a whole number above 0, and is `\"four\"`",
        ),
        (
            "chips = 0\n",
            "visa-lint.toml:1:9: this has to be a whole number above 0, and is `0`",
        ),
        (
            "target = \"rngd-t\"\n",
            "visa-lint.toml:1:10: this has to be one of `rngd`, `rngd-s`, and is `rngd-t`",
        ),
        (
            "exclude = [\n  \"a\",\n  \"b[z-a]\",\n]\n",
            "visa-lint.toml:3:3: `b[z-a]` is not a pattern",
        ),
        (
            "exclude = [\"a[\"]\n",
            "visa-lint.toml:1:12: `a[` is not a pattern: unclosed character class",
        ),
        (
            "[[overrides]]\npaths = [\"k\", \"{a\"]\nlevels = { silent = \"warn\" }\n",
            "visa-lint.toml:2:15: `{a` is not a pattern: unclosed alternate group",
        ),
        (
            "exclude = [\"!\"]\n",
            "visa-lint.toml:1:12: the pattern matches nothing",
        ),
        (
            "exclude = [\"/\"]\n",
            "visa-lint.toml:1:12: the pattern matches nothing",
        ),
        (
            "exclude = [\"\"]\n",
            "visa-lint.toml:1:12: the pattern matches nothing",
        ),
        (
            "select = [\"warnings\"]\n",
            "visa-lint.toml:1:11: no rule or group is called `warnings`",
        ),
        (
            "[[overrides]]\npaths = []\nlevels = {}\n",
            "visa-lint.toml:2:9: an override without paths",
        ),
        (
            "[[overrides]]\npaths = [\"a\"]\nlevel = {}\n",
            "visa-lint.toml:3:1: there is no setting `level` here; there are `paths`",
        ),
        (
            "[[overrides]]\npaths = [\"a\"]\n",
            "visa-lint.toml:2:9: an override without `levels`, `dialect` or `library` changes nothing",
        ),
        (
            "[budgets]\nk = \"fast\"\n",
            "visa-lint.toml:2:5: this has to be a number of cycles or a table",
        ),
        (
            "[budgets]\nk = -1\n",
            "visa-lint.toml:2:5: this has to be a number of cycles or a table",
        ),
        (
            "[budgets]\nk = { cycels = 1 }\n",
            "visa-lint.toml:2:7: there is no setting `cycels` here",
        ),
        ("[budgets]\nk = { cycels = 1 }\n", "did you mean `cycles`?"),
        (
            "[budgets]\n\"[\" = 1\n",
            "visa-lint.toml:2:1: `[` is not a pattern",
        ),
        (
            "chips = 1\nchips = 2\n",
            "visa-lint.toml:2:1: duplicate key",
        ),
        ("a = = 1\n", "visa-lint.toml:1:5: "),
    ] {
        let said = complaint(text.as_bytes());
        assert!(said.contains(words), "{text}: {said}");
    }
    assert!(complaint(b"a = \xff").contains("not UTF-8"));
    // All names that are wrong, not only the first one.
    let both = complaint(b"select = [\"hardwear\"]\n[levels]\nslice_siez = \"warn\"\n");
    assert_eq!(both.matches("error: visa-lint.toml:").count(), 2, "{both}");
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_are_taken() {
    let text = "\u{feff}# a remark\r\n[levels]\r\nunknown_rule = \"warn\"\r\n";
    let folder = folder_with(&[
        ("visa-lint.toml", text.as_bytes()),
        ("a.rs", FINDINGS.as_bytes()),
    ]);
    assert_eq!(
        findings(folder.path(), &["--select", "unknown_rule"]),
        ["a.rs unknown_rule warn"]
    );
    let said = complaint("\u{feff}chips = 1\r\nchps = 2\r\n".as_bytes());
    assert!(
        said.contains("visa-lint.toml:2:1: there is no setting `chps` here"),
        "{said}"
    );
    let said = complaint("\u{feff}chps = 2\r\n".as_bytes());
    assert!(
        said.contains("visa-lint.toml:1:1: there is no setting `chps` here"),
        "{said}"
    );
}

#[test]
fn a_file_that_should_be_there_and_is_not_fails_the_run() {
    let folder = folder_with(&[("a.rs", b"fn f() {}\n"), ("k/a.rs", b"fn f() {}\n")]);
    let output = run(folder.path(), &["a.rs", "--config", "none.toml"]);
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("cannot read `none.toml`"),
        "{}",
        stderr(&output)
    );
    let both = run(folder.path(), &["a.rs", "--config", "b.toml", "--isolated"]);
    assert_code(&both, 2);
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("none.toml", folder.path().join("k/visa-lint.toml")).unwrap();
        let output = run(folder.path(), &["k/a.rs"]);
        assert_code(&output, 2);
        assert!(
            stderr(&output).contains("cannot read `k/visa-lint.toml`"),
            "{}",
            stderr(&output)
        );
        // Nobody asked about that folder.
        assert_code(&run(folder.path(), &["a.rs"]), 0);
    }
}

#[test]
fn settings_are_shown_with_where_they_come_from() {
    let settings = b"chips = 4
exclude = [\"made\"]

[levels]
slice_size = \"warn\"

[[overrides]]
paths = [\"old\"]
levels = { chip_size = \"allow\" }

[budgets]
dot = 70000
\"gemv_*\" = { cycles = 1000, dm_bytes = 4096 }
";
    let folder = folder_with(&[
        ("visa-lint.toml", settings),
        ("a.rs", FINDINGS.as_bytes()),
        ("old/b.rs", FINDINGS.as_bytes()),
    ]);
    let output = run(
        folder.path(),
        &[
            "--show-settings",
            "--target",
            "rngd-s",
            "--deny",
            "cluster_size",
        ],
    );
    assert_code(&output, 0);
    let expected = "# settings of a.rs
# settings file: visa-lint.toml

dialect = \"auto\"  # default
target = \"rngd-s\"  # --target
model = \"schedule\"  # default
chips = 4  # visa-lint.toml:1
exclude = [\"made\"]  # visa-lint.toml:2

[levels]  # all others as in the catalogue (`visa-lint rules`)
cluster_size = \"deny\"  # --deny of cluster_size
slice_size = \"warn\"  # visa-lint.toml:5 of slice_size

[budgets]
\"dot\" = { cycles = 70000 }  # visa-lint.toml:12
\"gemv_*\" = { cycles = 1000, dm_bytes = 4096 }  # visa-lint.toml:13
";
    let text = stdout(&output);
    let (first, second) = text.split_once("\n# settings of ").unwrap();
    assert_eq!(first, expected);
    assert!(
        second.starts_with("old/b.rs\n")
            && second.contains("chip_size = \"allow\"  # visa-lint.toml:9"),
        "{second}"
    );
    let isolated = stdout(&run(
        folder.path(),
        &["a.rs", "--show-settings", "--isolated"],
    ));
    assert!(
        isolated.contains("# settings file: none")
            && isolated.contains("target = \"rngd\"  # default"),
        "{isolated}"
    );
}

#[test]
fn warnings_can_fail_a_run() {
    let warnings = "#[expect(tcp::slice_size)]\nfn f() {}\n#[expect(tcp::chip_size)]\nfn g() {}\n";
    let folder = folder_with(&[("two.rs", warnings.as_bytes()), ("none.rs", b"fn f() {}\n")]);
    for (options, code) in [
        (&["two.rs"][..], 0),
        (&["two.rs", "--max-warnings", "2"], 0),
        (&["two.rs", "--max-warnings", "1"], 1),
        (&["two.rs", "--max-warnings", "0", "--exit-zero"], 0),
        (
            &["two.rs", "--max-warnings", "0", "--allow", "suspicious"],
            0,
        ),
        (&["two.rs", "--error-on-warning"], 1),
        (&["none.rs", "--error-on-warning"], 0),
        (&["none.rs", "--max-warnings", "0"], 0),
        (&["two.rs", "--error-on-warning", "--max-warnings", "1"], 2),
        (&["two.rs", "--max-warnings", "many"], 2),
    ] {
        assert_code(&run(folder.path(), options), code);
    }
    let output = run(folder.path(), &["two.rs", "--max-warnings", "1"]);
    assert!(
        stderr(&output).contains("2 warnings; --max-warnings allows 1"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn the_settings_that_the_documentation_shows_are_taken() {
    let page = visa_tests::read(&repository().join("docs/configuration.md"));
    let blocks: Vec<_> = page
        .split("```toml\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0))
        .collect();
    assert!(blocks.len() >= 2, "{page}");
    for block in blocks {
        let folder = folder_with(&[
            ("visa-lint.toml", block.as_bytes()),
            ("a.rs", b"fn f() {}\n"),
        ]);
        assert_code(&run(folder.path(), &["--show-settings"]), 0);
    }
}

#[test]
fn a_file_nested_without_end_is_refused() {
    for text in [
        format!("exclude = {}", "[".repeat(100_000)),
        format!("budgets = {}", "{ a = ".repeat(100_000)),
        format!("[{}a]\n", "a.".repeat(100_000)),
    ] {
        let said = complaint(text.as_bytes());
        assert!(said.starts_with("error: visa-lint.toml:"), "{said:.200}");
    }
}
