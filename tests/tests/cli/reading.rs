//! Finding one's way: rules by words, groups, completions, how much is written, files that have changed.

use std::path::Path;

use visa_analysis::RuleTexts as _;

use super::*;

fn names_of(document: &Value) -> Vec<&str> {
    let rules = document["rules"].as_array().unwrap().iter();
    rules.map(|rule| rule["name"].as_str().unwrap()).collect()
}

#[test]
fn rules_are_found_by_words_of_name_group_and_summary() {
    let folder = folder_with(&[]);
    let found = |filter: &[&str]| {
        let arguments = [&["rules", "--format", "json"], filter].concat();
        json(&run(folder.path(), &arguments))
    };
    for (filter, words) in [
        (&["sequencer"][..], &["sequencer"][..]),
        (&["TRF", "performance"], &["trf", "performance"]),
        (&["trf performance"], &["trf", "performance"]),
    ] {
        let expected: Vec<&str> = visa_analysis::all_rules()
            .filter(|rule| {
                let text = format!("{} {} {}", rule.name, rule.group.name(), rule.summary());
                words.iter().all(|word| text.to_lowercase().contains(word))
            })
            .map(|rule| rule.name)
            .collect();
        assert!(!expected.is_empty() && expected.len() < 60, "{filter:?}");
        assert_eq!(names_of(&found(filter)), expected, "{filter:?}");
    }
    let all = names_of(&found(&[])).len();
    assert_eq!(all, visa_analysis::all_rules().count());
    let text = stdout(&run(folder.path(), &["rules", "alu_reuse"]));
    assert!(
        text.starts_with("hardware (deny by default)\n  alu_reuse  "),
        "{text}"
    );
    assert!(
        text.ends_with("\n1 rule; for details: `visa-lint explain RULE`\n"),
        "{text}"
    );
    let page = stdout(&run(
        folder.path(),
        &["rules", "alu_reuse", "--format", "markdown"],
    ));
    // By group, by engine, and with who refuses it.
    assert_eq!(page.matches("(alu_reuse.md)").count(), 3, "{page}");
}

#[test]
fn a_filter_that_finds_nothing_fails_and_says_which_word_is_at_fault() {
    let folder = folder_with(&[]);
    for (filter, words) in [
        (
            &["alu_resue"][..],
            "no rule has `alu_resue` in its name, group or summary; did you mean `alu_reuse`?",
        ),
        (&["flit", "qqqq"], "no rule has `qqqq`"),
        (&["alu_reuse", "mapping_overflow"], "no rule has them all"),
    ] {
        for format in ["human", "markdown"] {
            let output = run(
                folder.path(),
                &[&["rules", "--format", format], filter].concat(),
            );
            assert_code(&output, 2);
            assert!(output.stdout.is_empty());
            assert!(stderr(&output).contains(words), "{}", stderr(&output));
        }
    }
    let output = run(folder.path(), &["rules", "qqqq", "--format", "json"]);
    assert_code(&output, 2);
    assert!(
        json(&output)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("`qqqq`")
    );
}

#[test]
fn a_group_is_explained_with_its_rules_and_its_level() {
    let folder = folder_with(&[]);
    for group in visa_analysis::Group::ALL {
        let text = stdout(&run(folder.path(), &["explain", group.name()]));
        let page = stdout(&run(
            folder.path(),
            &["explain", group.name(), "--format", "markdown"],
        ));
        let level = group.default_level().name();
        assert!(
            text.starts_with(&format!("{} (group, {level} by default)", group.name())),
            "{text}"
        );
        assert!(
            page.starts_with(&format!("# Group {}\n", group.name())),
            "{page}"
        );
        for rule in visa_analysis::all_rules() {
            let member = rule.group == group;
            assert_eq!(
                text.contains(&format!("\n  {} ", rule.name)),
                member,
                "{}",
                rule.name
            );
            assert_eq!(
                page.contains(&format!("({}.md)", rule.name)),
                member,
                "{}",
                rule.name
            );
        }
        assert!(text.contains("under `[levels]`"), "{text}");
    }
}

#[test]
fn several_rules_are_explained_at_once() {
    let folder = folder_with(&[]);
    let explain = |arguments: &[&str]| run(folder.path(), &[&["explain"], arguments].concat());
    for format in ["human", "markdown"] {
        let one = |name: &str| stdout(&explain(&[name, "--format", format]));
        let both = explain(&["alu_reuse", "hardware", "--format", format]);
        assert_code(&both, 0);
        let expected = format!("{}\n\n{}", one("alu_reuse"), one("hardware"));
        assert_eq!(stdout(&both), expected);
        let all = stdout(&explain(&["--all", "--format", format]));
        let pages: Vec<String> = visa_analysis::all_rules()
            .take(3)
            .map(|rule| one(rule.name))
            .collect();
        assert!(all.starts_with(&pages.join("\n\n")));
    }
    let all = stdout(&explain(&["--all", "--format", "markdown"]));
    for rule in visa_analysis::all_rules() {
        let heading = format!("# {}\n", rule.name);
        assert_eq!(all.matches(&heading).count(), 1, "{}", rule.name);
    }
    // Of several, those that nobody knows are named, and nothing is printed.
    let wrong = explain(&["alu_reuse", "alu_resue", "nonsense"]);
    assert_code(&wrong, 2);
    assert!(wrong.stdout.is_empty());
    let said = stderr(&wrong);
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(said.contains("did you mean `alu_reuse`?"), "{said}");
    // Words of a compiler without quotes are one text.
    let text = "error[E0080]: evaluation panicked";
    let words: Vec<&str> = text.split(' ').collect();
    let (quoted, bare) = (explain(&[text]), explain(&words));
    assert_eq!(stdout(&quoted), stdout(&bare));
    assert_eq!(stderr(&quoted), stderr(&bare));
}

#[test]
fn all_is_a_selection() {
    let settings = b"select = [\"unknown_rule\"]\n";
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes()), ("visa-lint.toml", settings)]);
    let found = |arguments: &[&str]| {
        let output = run(folder.path(), &[&["--format", "json"], arguments].concat());
        rules_and_levels(&json(&output)).len()
    };
    assert_eq!(found(&[]), 1);
    assert_eq!(found(&["--select", "all"]), 2);
    assert_eq!(found(&["--select", "all", "--ignore", "unknown_rule"]), 1);
    assert_eq!(found(&["--ignore", "all"]), 0);
    assert_code(&run(folder.path(), &["--deny", "all"]), 2);
}

#[test]
fn shells_complete_the_names_of_rules_and_groups() {
    let folder = folder_with(&[]);
    for shell in ["bash", "fish", "zsh"] {
        let script = stdout(&run(folder.path(), &["completions", shell]));
        for name in ["alu_reuse", "hardware", "warnings"] {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    // A name that is wrong is still refused with the nearest.
    let wrong = run(folder.path(), &["--deny", "alu_resue"]);
    assert_code(&wrong, 2);
    assert!(
        stderr(&wrong).contains("did you mean `alu_reuse`?"),
        "{}",
        stderr(&wrong)
    );
    assert_code(&run(folder.path(), &["explain", "alu_resue"]), 2);
}

/// Completes a command line in bash: what is offered for its last word.
#[test]
fn bash_offers_rules_behind_an_option_with_and_without_the_command() {
    let folder = folder_with(&[]);
    let script = stdout(&run(folder.path(), &["completions", "bash"]));
    std::fs::write(folder.path().join("script"), script).unwrap();
    for line in [
        &["visa-lint", "--deny", "alu_"][..],
        &["visa-lint", "check", "--deny", "alu_"],
        &["visa-lint", "explain", "alu_"],
    ] {
        let last = line.len() - 1;
        let words = line.join(" ");
        let ask = format!(
            ". ./script; COMP_WORDS=({words}); COMP_CWORD={last}; _visa__lint visa-lint alu_ '{}'; echo \"${{COMPREPLY[*]}}\"",
            line[last - 1]
        );
        let output = visa_tests::command("bash")
            .args(["-c", &ask])
            .current_dir(folder.path())
            .output();
        let Ok(output) = output else {
            println!("SKIPPED: there is no bash");
            return;
        };
        assert_eq!(
            stdout(&output).trim(),
            "alu_reuse",
            "{line:?} {}",
            stderr(&output)
        );
    }
}

/// Of which the first completes its help: it names what else of the statement changes.
#[test]
fn a_page_says_of_its_kernel_what_a_plain_run_says() {
    for rule in ["contract_packet_mismatch", "alu_reuse", "slice_size"] {
        let folder = folder_with(&[]);
        let page = stdout(&run(
            folder.path(),
            &["explain", rule, "--format", "markdown"],
        ));
        let (_, wrong) = page.split_once("```rust\n").unwrap();
        let (kernel, behind) = wrong.split_once("```").unwrap();
        let (_, said) = behind.split_once("## What visa-lint says").unwrap();
        let (said, _) = said.split_once("\n## ").unwrap();
        let (dialect, _) = page.split_once("```rust").unwrap();
        let book = dialect.contains("`furiosa_visa_std`");
        std::fs::write(folder.path().join("kernel.rs"), kernel).unwrap();
        let dialect = if book { "visa-std" } else { "opt-std" };
        let run = run(
            folder.path(),
            &["--dialect", dialect, "--select", rule, "kernel.rs"],
        );
        assert_code(&run, 1);
        // Without the bars and breaks of a terminal.
        let plain = |text: &str| {
            let words = text
                .split_whitespace()
                .filter(|word| *word != "│" && *word != "=");
            words.collect::<Vec<_>>().join(" ").to_lowercase()
        };
        let written = plain(&stdout(&run));
        let (_, help) = said.split_once("Help: ").unwrap();
        let help = plain(help.lines().next().unwrap());
        // A help that a fix has as its title stands there alone.
        let help = help.trim_end_matches('.');
        assert!(written.contains(help), "{help}: {written}");
    }
}

/// Completes command lines in fish: what is offered for their last words.
#[test]
fn fish_offers_values_behind_options_and_commands() {
    let folder = folder_with(&[]);
    let script = stdout(&run(folder.path(), &["completions", "fish"]));
    // Where there is no fish: both of what the script is given beside what its generator writes.
    assert!(
        script.contains("set -e cmd[-1]"),
        "the reading of options has changed"
    );
    assert!(script.contains("using_subcommand explain\" -f -a \""));
    std::fs::write(folder.path().join("script"), script).unwrap();
    for (line, offered) in [
        ("visa-lint --deny alu_", "alu_reuse"),
        ("visa-lint check --deny alu_", "alu_reuse"),
        ("visa-lint explain alu_", "alu_reuse"),
        ("visa-lint --format chec", "checkstyle"),
        ("visa-lint cost --format sched", "schedule"),
        ("visa-lint completions z", "zsh"),
        ("visa-lint expl", "explain"),
    ] {
        let output = visa_tests::command("fish")
            .args(["--no-config", "-c"])
            .arg(format!("source script; complete -C '{line}' | cut -f1"))
            .current_dir(folder.path())
            .output();
        let Ok(output) = output else {
            println!("SKIPPED: there is no fish");
            return;
        };
        assert_eq!(
            stdout(&output).trim(),
            offered,
            "{line} {}",
            stderr(&output)
        );
    }
}

/// Four findings: `a.rs` has a warning before its error, `b.rs` two errors, of which one is suppressed.
fn several() -> TempDir {
    let a = "#[expect(tcp::slice_size)]\nfn g() {}\n#[allow(tcp::nope)]\nfn f() {}\n";
    let b = "#[allow(tcp::nope)]\nfn f() {}\n// visa-lint: allow(unknown_rule)\n#[allow(tcp::nope)]\nfn g() {}\n";
    folder_with(&[
        ("a.rs", a.as_bytes()),
        ("b.rs", b.as_bytes()),
        ("fine.rs", b"fn f() {}\n"),
    ])
}

#[test]
fn at_most_so_many_findings_are_written_and_the_rest_is_counted() {
    let folder = several();
    let short = |most: &str| {
        run(
            folder.path(),
            &["--format", "short", "--max-diagnostics", most],
        )
    };
    let output = short("1");
    assert_code(&output, 1);
    let text = stdout(&output);
    // The error, although the warning is before it.
    assert!(text.starts_with("a.rs:3:14: error[unknown_rule]"), "{text}");
    assert!(
        text.ends_with("\n2 more findings are left out by --max-diagnostics\n"),
        "{text}"
    );
    assert_eq!(text.lines().count(), 2, "{text}");
    let none = short("0");
    assert_code(&none, 1);
    assert_eq!(
        stdout(&none),
        "3 findings are left out by --max-diagnostics\n"
    );
    for enough in ["3", "99"] {
        assert_eq!(
            short(enough).stdout,
            run(folder.path(), &["--format", "short"]).stdout
        );
    }
    // What is written is in the order of places, whatever was kept.
    let lines = stdout(&short("3"));
    let places: Vec<&str> = lines.lines().map(|line| &line[..6]).collect();
    assert_eq!(places, ["a.rs:1", "a.rs:3", "b.rs:1"]);
    assert_code(
        &run(folder.path(), &["--max-diagnostics", "0", "--exit-zero"]),
        0,
    );
    for wrong in ["-1", "many"] {
        assert_code(&run(folder.path(), &["--max-diagnostics", wrong]), 2);
    }
    let warnings = run(
        folder.path(),
        &[
            "--allow",
            "unknown_rule",
            "--max-diagnostics",
            "0",
            "--max-warnings",
            "0",
        ],
    );
    assert_code(&warnings, 1);
}

#[test]
fn every_format_says_that_findings_are_left_out() {
    let folder = several();
    let words = "2 more findings are left out by --max-diagnostics";
    for format in ["human", "short", "sarif", "github", "agent"] {
        let output = run(
            folder.path(),
            &["--max-diagnostics", "1", "--quiet", "--format", format],
        );
        assert!(
            stdout(&output).contains(words),
            "{format}: {}",
            stdout(&output)
        );
        assert!(stderr(&output).is_empty(), "{format}");
    }
    for format in ["gitlab", "junit", "rdjson", "checkstyle"] {
        let output = run(
            folder.path(),
            &["--max-diagnostics", "1", "--quiet", "--format", format],
        );
        assert_eq!(stderr(&output), format!("{words}\n"), "{format}");
        assert_eq!(
            stdout(&output).matches("unused_suppression").count(),
            0,
            "{format}"
        );
    }
    // JSON lists what is suppressed too, after everything else: of four findings one is written.
    let document = json(&run(
        folder.path(),
        &["--max-diagnostics", "1", "--format", "json"],
    ));
    assert_eq!(document["left_out"], 3);
    assert_eq!(rules_and_levels(&document), ["unknown_rule deny"]);
    let whole = json(&run(folder.path(), &["--format", "json"]));
    assert!(whole.get("left_out").is_none());
    let lines = stdout(&run(
        folder.path(),
        &["--max-diagnostics", "1", "--format", "jsonl"],
    ));
    let last: Value = serde_json::from_str(lines.lines().last().unwrap()).unwrap();
    assert_eq!(
        (lines.lines().count(), &last["left_out"]),
        (2, &Value::from(3))
    );
    // A file whose findings are all left out has not passed, and one without findings has.
    let junit = stdout(&run(
        folder.path(),
        &["--max-diagnostics", "1", "--format", "junit"],
    ));
    let report = quick_junit::Report::deserialize_from_str(&junit).unwrap();
    let is_skipped = |case: &&quick_junit::TestCase| {
        matches!(case.status, quick_junit::TestCaseStatus::Skipped { .. })
    };
    let skipped = report.test_suites.iter().map(|suite| {
        let count = suite.test_cases.iter().filter(is_skipped).count();
        (&*suite.name, count)
    });
    assert_eq!(
        skipped.collect::<Vec<_>>(),
        [("a.rs", 1), ("b.rs", 1), ("fine.rs", 0)],
        "{junit}"
    );
    let files = stdout(&run(
        folder.path(),
        &["--max-diagnostics", "1", "--format", "checkstyle"],
    ));
    assert!(
        !files.contains("b.rs") && files.contains("fine.rs"),
        "{files}"
    );
    let human = stdout(&run(folder.path(), &["--max-diagnostics", "1"]));
    assert!(
        human.contains(": 2 errors, 1 warning (1 more suppressed)"),
        "{human}"
    );
}

/// What git does in a folder; nothing where there is no git.
fn git(folder: &Path, arguments: &[&str]) -> Option<()> {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=a",
            "-c",
            "user.email=a@b",
            "-c",
            "init.defaultBranch=main",
            "-c",
            "commit.gpgsign=false",
        ])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output();
    let Ok(output) = output else {
        println!("SKIPPED: there is no git");
        return None;
    };
    assert!(output.status.success(), "{arguments:?} {}", stderr(&output));
    Some(())
}

const WRONG: &[u8] = b"#[allow(tcp::nope)]\nfn f() {}\n";

#[test]
fn since_a_revision_only_changed_files_are_checked() {
    let folder = folder_with(&[
        ("same.rs", WRONG),
        ("edited.rs", WRONG),
        ("old_name.rs", WRONG),
        ("gone.rs", WRONG),
        ("line ends.rs", WRONG),
        ("deep/k/same.rs", WRONG),
        (".gitignore", b"ignored.rs\n"),
    ]);
    let path = folder.path();
    let begun = git(path, &["init", "--quiet"]).and_then(|()| git(path, &["add", "-A"]));
    if begun
        .and_then(|()| git(path, &["commit", "--quiet", "-m", "first"]))
        .is_none()
    {
        return;
    }
    let since = |revision: &str, more: &[&str]| {
        let arguments = [&["--format", "short", "--since", revision], more].concat();
        run(path, &arguments)
    };
    let files = |output: &Output| -> Vec<String> {
        let text = stdout(output);
        text.lines()
            .map(|line| line.split(':').next().unwrap().to_owned())
            .collect()
    };
    let nothing = since("HEAD", &[]);
    assert_code(&nothing, 0);
    assert_eq!(stderr(&nothing), "no file has changed since `HEAD`\n");
    assert!(nothing.stdout.is_empty());
    std::fs::write(path.join("edited.rs"), [b"// more\n", WRONG].concat()).unwrap();
    std::fs::rename(path.join("old_name.rs"), path.join("new_name.rs")).unwrap();
    std::fs::remove_file(path.join("gone.rs")).unwrap();
    std::fs::write(path.join("untracked ü.rs"), WRONG).unwrap();
    std::fs::write(path.join("ignored.rs"), WRONG).unwrap();
    std::fs::write(
        path.join("line ends.rs"),
        String::from_utf8_lossy(WRONG).replace('\n', "\r\n"),
    )
    .unwrap();
    let changed = since("HEAD", &[]);
    assert_code(&changed, 1);
    let expected = ["edited.rs", "new_name.rs", "untracked ü.rs"];
    assert_eq!(files(&changed), expected);
    assert_eq!(
        stderr(&changed),
        "3 of 6 files have changed since `HEAD`; only what has changed is checked\n"
    );
    assert!(since("HEAD", &["--quiet"]).stderr.is_empty());
    // The same when they are staged, committed, and seen from a folder of the repository.
    git(path, &["add", "-A"]).unwrap();
    assert_eq!(files(&since("HEAD", &[])), expected);
    git(path, &["commit", "--quiet", "-m", "second"]).unwrap();
    assert_eq!(files(&since("HEAD~1", &["."])), expected);
    assert_eq!(files(&since("HEAD", &[])), Vec::<String>::new());
    std::fs::write(path.join("deep/k/more.rs"), WRONG).unwrap();
    let below = run(
        &path.join("deep/k"),
        &["--format", "short", "--since", "HEAD"],
    );
    assert_eq!(files(&below), ["more.rs"]);
    // A file that is named and not changed is not checked either; an ignored one is no part of the revision.
    assert_eq!(
        files(&since("HEAD", &["same.rs", "ignored.rs"])),
        ["ignored.rs"]
    );
    // Others still give names: nothing is judged in them.
    let json = json(&run(path, &["--since", "HEAD", "--format", "json", "."]));
    assert_eq!(json["files"], 1);
}

#[test]
fn since_fails_where_there_is_no_revision_or_no_repository() {
    let folder = folder_with(&[("a.rs", WRONG)]);
    let path = folder.path();
    let outside = |revision: &str| {
        let mut command = command(path, &["--since", revision, "a.rs"]);
        command.env("GIT_CEILING_DIRECTORIES", path.parent().unwrap());
        command.output().unwrap()
    };
    let none = outside("HEAD");
    assert_code(&none, 2);
    assert!(none.stdout.is_empty());
    assert!(
        stderr(&none).contains("is in no repository of git"),
        "{}",
        stderr(&none)
    );
    let begun = git(path, &["init", "--quiet"]).and_then(|()| git(path, &["add", "-A"]));
    if begun.is_none() {
        return;
    }
    for revision in ["HEAD", "no-such-branch", "--output=x", "", "a.rs"] {
        let output = run(path, &[&format!("--since={revision}"), "a.rs"]);
        assert_code(&output, 2);
        let words = format!("--since {revision}: no revision of that name is in the repository");
        assert!(stderr(&output).contains(&words), "{}", stderr(&output));
    }
    git(path, &["commit", "--quiet", "-m", "first"]).unwrap();
    let several = run(path, &["--since=HEAD..HEAD", "a.rs"]);
    assert_code(&several, 2);
    let no_git = command(path, &["--since", "HEAD", "a.rs"])
        .env("PATH", "/nowhere")
        .output()
        .unwrap();
    assert_code(&no_git, 2);
    assert!(
        stderr(&no_git).contains("git cannot be run"),
        "{}",
        stderr(&no_git)
    );
    // As JSON where that was asked for.
    let output = run(path, &["--since", "none", "--format", "json", "a.rs"]);
    assert!(
        json(&output)["error"]["message"]
            .as_str()
            .unwrap()
            .contains("--since none")
    );
}

#[test]
fn a_pattern_that_no_shell_expanded_ends_the_run() {
    let folder = folder_with(&[("a.rs", b"fn f() {}\n")]);
    for pattern in ["*.rs", "k[", "{a"] {
        let output = run(folder.path(), &["a.rs", pattern]);
        assert_code(&output, 2);
        let words = format!("cannot read `{pattern}`: ");
        assert!(stderr(&output).contains(&words), "{}", stderr(&output));
        assert!(
            stderr(&output).contains("the shell's to expand"),
            "{}",
            stderr(&output)
        );
    }
    // A file of that name is a file.
    std::fs::write(folder.path().join("k[.rs"), "fn f() {}\n").unwrap();
    assert_code(&run(folder.path(), &["k[.rs"]), 0);
}
