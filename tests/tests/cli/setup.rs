//! Getting started: `init`, `completions`, the call through cargo, the hook and the action that the repository offers.

use super::*;

fn text_of(folder: &TempDir, path: &str) -> String {
    std::fs::read_to_string(folder.path().join(path)).unwrap()
}

#[test]
fn init_writes_settings_that_change_nothing_until_lines_are_taken_up() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let before = stdout(&run(folder.path(), &["a.rs", "--format", "json"]));
    let output = run(folder.path(), &["init"]);
    assert_code(&output, 0);
    assert_eq!(stdout(&output), "wrote `visa-lint.toml`\n");
    let after = run(folder.path(), &["a.rs", "--format", "json"]);
    assert_code(&after, 1);
    assert_eq!(stdout(&after), before);
    // A remark has a blank after its sign, a line to be taken up has none. All of them together are settings.
    let written = text_of(&folder, "visa-lint.toml");
    let taken_up: Vec<_> = written
        .lines()
        .map(|line| match line.strip_prefix('#') {
            Some(rest) if !rest.starts_with([' ', ':']) => rest,
            _ => line,
        })
        .collect();
    std::fs::write(folder.path().join("visa-lint.toml"), taken_up.join("\n")).unwrap();
    let shown = run(folder.path(), &["a.rs", "--show-settings"]);
    assert_code(&shown, 0);
    for words in [
        "chips = 1  # visa-lint.toml:",
        "\"dot_*\" = { cycles = 70000 }",
        "select = [\"hardware\", \"silent\"]",
    ] {
        assert!(stdout(&shown).contains(words), "{}", stdout(&shown));
    }
}

#[test]
fn init_overwrites_nothing_unasked() {
    let folder = folder_with(&[("visa-lint.toml", b"chips = 4\n")]);
    let output = run(folder.path(), &["init"]);
    assert_code(&output, 2);
    assert!(
        stderr(&output).contains("`visa-lint.toml` is there already; `--force` overwrites it"),
        "{}",
        stderr(&output)
    );
    assert_eq!(text_of(&folder, "visa-lint.toml"), "chips = 4\n");

    let more = ["init", "--ci", "github", "--pre-commit"];
    let output = run(folder.path(), &more);
    assert_code(&output, 0);
    assert!(stdout(&output).starts_with("`visa-lint.toml` stays as it is\n"));
    assert_eq!(text_of(&folder, "visa-lint.toml"), "chips = 4\n");
    assert!(
        text_of(&folder, ".github/workflows/visa-lint.yml").contains("uses: visa-lint/visa-lint@v")
    );
    assert!(text_of(&folder, ".pre-commit-config.yaml").contains("- id: visa-lint"));

    // Nothing is written where one of the files is there.
    std::fs::remove_file(folder.path().join(".pre-commit-config.yaml")).unwrap();
    assert_code(&run(folder.path(), &more), 2);
    assert!(!folder.path().join(".pre-commit-config.yaml").exists());
    assert_code(&run(folder.path(), &[&more[..], &["--force"]].concat()), 0);
    assert_eq!(text_of(&folder, "visa-lint.toml"), "chips = 4\n");

    assert_code(&run(folder.path(), &["init", "--force"]), 0);
    // A schema has an address where a release names one.
    let has_schema = text_of(&folder, "visa-lint.toml").starts_with("#:schema ");
    assert_eq!(has_schema, option_env!("VISA_LINT_DOCS").is_some());
}

#[cfg(unix)]
#[test]
fn what_leads_out_of_the_folder_is_not_written_to() {
    use std::os::unix::fs::symlink;
    let folder = folder_with(&[
        ("other/AGENTS.md", b"of somebody else\n"),
        ("other/visa-lint.yml", b"jobs: {}\n"),
        ("own/a.rs", b""),
    ]);
    let own = folder.path().join("own");
    symlink("../other/AGENTS.md", own.join("AGENTS.md")).unwrap();
    // A folder above the file leads out of it, too, and a link that leads nowhere may.
    symlink("../other", own.join(".github")).unwrap();
    symlink("../nowhere.yaml", own.join(".pre-commit-config.yaml")).unwrap();
    for (arguments, file) in [
        (&["--agents"][..], "AGENTS.md"),
        (&["--agents", "--force"], "AGENTS.md"),
        (
            &["--ci", "github", "--force"],
            ".github/workflows/visa-lint.yml",
        ),
        (&["--pre-commit", "--force"], ".pre-commit-config.yaml"),
    ] {
        let output = run(&own, &[&["init"], arguments].concat());
        assert_code(&output, 2);
        let words = format!("cannot write `{file}`: it is a link that leads out of the folder\n");
        assert!(stderr(&output).contains(&words), "{}", stderr(&output));
        assert_eq!(text_of(&folder, "other/AGENTS.md"), "of somebody else\n");
        assert!(!folder.path().join("other/workflows").exists());
        assert!(!folder.path().join("nowhere.yaml").exists());
        // Nothing is written where something is refused.
        assert!(!own.join("visa-lint.toml").exists());
    }
}

#[test]
fn agents_get_a_section_and_a_skill_and_nothing_else_is_touched() {
    let own = "# Rules of ours\r\n\r\nNo emojis.\r\n";
    let folder = folder_with(&[("AGENTS.md", own.as_bytes()), ("visa-lint.toml", b"")]);
    let output = run(folder.path(), &["init", "--agents"]);
    assert_code(&output, 0);
    let said = "`visa-lint.toml` stays as it is\nupdated `AGENTS.md`\nwrote `.agents/skills/visa-lint/SKILL.md`\n";
    assert_eq!(stdout(&output), said);
    let first = text_of(&folder, "AGENTS.md");
    assert!(
        first.starts_with(&format!("{own}\r\n<!-- visa-lint: begin")),
        "{first}"
    );
    assert!(first.ends_with("<!-- visa-lint: end -->\r\n"), "{first}");
    assert_eq!(first.matches('\n').count(), first.matches("\r\n").count());
    let skill = text_of(&folder, ".agents/skills/visa-lint/SKILL.md");
    assert!(
        skill.starts_with("---\nname: visa-lint\ndescription: "),
        "{skill}"
    );
    // Every command that both name is one that the program takes.
    for text in [&first, &skill] {
        for words in text.split("`visa-lint ").skip(1) {
            let command = words.split([' ', '`']).next().unwrap();
            assert_code(&run(folder.path(), &[command, "--help"]), 0);
        }
    }
    let again = stdout(&run(folder.path(), &["init", "--agents"]));
    assert!(again.contains("`AGENTS.md` is up to date\n"), "{again}");
    // A section of another release is brought up to date where it is.
    let (before, _) = first.split_once("<!-- visa-lint: begin").unwrap();
    let old = format!(
        "{before}<!-- visa-lint: begin; 0.0 -->\r\nold\r\n<!-- visa-lint: end -->\r\nbehind\r\n"
    );
    std::fs::write(folder.path().join("AGENTS.md"), old).unwrap();
    assert_code(&run(folder.path(), &["init", "--agents"]), 0);
    assert_eq!(text_of(&folder, "AGENTS.md"), format!("{first}behind\r\n"));
    // What is no section is left alone.
    for broken in [
        "<!-- visa-lint: end -->\n<!-- visa-lint: begin -->\n",
        "<!-- visa-lint: begin -->\n",
    ] {
        std::fs::write(folder.path().join("AGENTS.md"), broken).unwrap();
        let refused = run(folder.path(), &["init", "--agents"]);
        assert_code(&refused, 2);
        assert!(
            stderr(&refused).contains("not a pair"),
            "{}",
            stderr(&refused)
        );
        assert_eq!(text_of(&folder, "AGENTS.md"), broken);
    }
    let other = folder_with(&[(".agents/skills/visa-lint/SKILL.md", b"mine")]);
    assert_code(&run(other.path(), &["init", "--agents"]), 2);
    // Nor is half of it written.
    assert!(!other.path().join("visa-lint.toml").exists());
    assert!(!other.path().join("AGENTS.md").exists());
    // A file that its owner has locked stays as it is, for any user.
    let locked = folder_with(&[("AGENTS.md", b"mine\n")]);
    let file = locked.path().join("AGENTS.md");
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    let refused = run(locked.path(), &["init", "--agents"]);
    assert_code(&refused, 2);
    assert!(stderr(&refused).contains("cannot write `AGENTS.md`: the file is read-only"));
    assert_eq!(text_of(&locked, "AGENTS.md"), "mine\n");
    assert!(!locked.path().join("visa-lint.toml").exists());
    // Outside of a crate and in a folder of any name it is the same.
    let foreign = folder_with(&[("커널 ö/a.txt", b"")]);
    let output = run(foreign.path(), &["init", "--agents", "커널 ö"]);
    assert_code(&output, 0);
    assert!(
        stdout(&output).contains("wrote `커널 ö/AGENTS.md`\n"),
        "{}",
        stdout(&output)
    );
    assert_eq!(text_of(&other, ".agents/skills/visa-lint/SKILL.md"), "mine");
}

#[test]
fn init_writes_where_it_is_told() {
    let folder = folder_with(&[("k/a.rs", b"")]);
    let output = run(folder.path(), &["init", "k", "--ci", "gitlab"]);
    assert_code(&output, 0);
    let said = "wrote `k/visa-lint.toml`\nwrote `k/.gitlab/visa-lint.yml`; `.gitlab-ci.yml` has to include it\n";
    assert_eq!(stdout(&output), said);
    let job = text_of(&folder, "k/.gitlab/visa-lint.yml");
    assert!(
        !job.contains(['{', '}']) || job.contains("{ local:"),
        "{job}"
    );
    assert!(
        job.contains("--format gitlab") && !job.contains("{version}"),
        "{job}"
    );
    for arguments in [&["init", "none"][..], &["init", "--ci", "jenkins"]] {
        assert_code(&run(folder.path(), arguments), 2);
    }
    assert!(!folder.path().join("none").exists());
}

#[test]
fn completions_are_there_for_every_shell() {
    let folder = folder_with(&[]);
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let output = run(folder.path(), &["completions", shell]);
        assert_code(&output, 0);
        let script = stdout(&output);
        for word in ["visa-lint", "explain", "max-warnings", "rngd-s"] {
            // Elvish and PowerShell complete no values.
            let values = word == "rngd-s" && matches!(shell, "elvish" | "powershell");
            assert!(values || script.contains(word), "{shell}: {word}");
        }
    }
    let other = run(folder.path(), &["completions", "cmd"]);
    assert_code(&other, 2);
    assert!(stderr(&other).contains("bash"), "{}", stderr(&other));
}

#[cfg(unix)]
#[test]
fn cargo_finds_the_subcommand() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes()), ("bin/none", b"")]);
    let program = folder.path().join("bin/cargo-visa-lint");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_visa-lint-tested"), program).unwrap();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders = [folder.path().join("bin")]
        .into_iter()
        .chain(std::env::split_paths(&path));
    let path = std::env::join_paths(folders).unwrap();
    let cargo = |arguments: &[&str]| {
        visa_tests::command(env!("CARGO"))
            .arg("visa-lint")
            .args(arguments)
            .current_dir(folder.path())
            .env("PATH", &path)
            .output()
            .unwrap()
    };
    let output = cargo(&["a.rs", "--format", "short"]);
    assert_code(&output, 1);
    assert!(stdout(&output).starts_with("a.rs:1:14: error[unknown_rule]"));
    let rules = cargo(&["rules"]);
    assert_code(&rules, 0);
    assert!(stdout(&rules).contains("slice_size"));
}

/// The value of a key that occurs once in a text of YAML, on one line.
fn value<'a>(yaml: &'a str, key: &str) -> &'a str {
    let lines = yaml.lines().map(|line| line.trim_start_matches([' ', '-']));
    let mut values = lines.filter_map(|line| line.strip_prefix(key)?.strip_prefix(": "));
    let found = values.next().unwrap_or_default();
    assert!(
        !found.is_empty() && values.next().is_none(),
        "{key}: {yaml}"
    );
    found
}

#[test]
fn the_hook_runs_a_command_that_the_program_takes() {
    let hooks = visa_tests::read(&repository().join(".pre-commit-hooks.yaml"));
    assert_eq!(value(&hooks, "id"), "visa-lint");
    let folder = folder_with(&[
        ("a.rs", FINDINGS.as_bytes()),
        ("made/b.rs", FINDINGS.as_bytes()),
        ("visa-lint.toml", b"exclude = [\"made\"]\n"),
    ]);
    let mut words = value(&hooks, "entry").split(' ');
    assert_eq!(words.next(), Some("visa-lint"));
    let options: Vec<_> = words.collect();
    let check = |file: &str| run(folder.path(), &[&options[..], &[file]].concat());
    assert_code(&check("a.rs"), 1);
    // pre-commit names every file, also those that the settings exclude.
    assert_code(&check("made/b.rs"), 0);
}

#[test]
fn help_is_a_word_as_well() {
    let folder = folder_with(&[]);
    let help = run(folder.path(), &["help"]);
    assert_code(&help, 0);
    assert_eq!(
        stdout(&help),
        stdout(&run(folder.path(), &["--help"])),
        "the word and the option say the same"
    );
    let of_check = run(folder.path(), &["help", "check"]);
    assert_code(&of_check, 0);
    assert!(stdout(&of_check).contains("--stdin-filename"));
    let misspelt = run(folder.path(), &["help", "chekc"]);
    assert_code(&misspelt, 2);
    assert_eq!(
        stderr(&misspelt),
        "error: there is no command `chekc`; did you mean `check`?\n"
    );
}

#[test]
fn misspelt_and_misplaced_commands_are_understood() {
    let folder = folder_with(&[("a.rs", b"fn f() {}\n")]);
    for (arguments, words) in [
        (
            vec!["chekc"],
            "there is no command and no path `chekc`; did you mean `check`?",
        ),
        (
            vec!["explian", "dm_overlap"],
            "there is no command and no path `explian`; did you mean `explain`?",
        ),
        (
            vec!["mapp", "A / 8", "--axes", "A=8"],
            "there is no command and no path `mapp`; did you mean `map`?",
        ),
        (
            vec!["--color", "never", "rulse"],
            "there is no command and no path `rulse`; did you mean `rules`?",
        ),
        (
            vec!["--quiet", "chekc", "a.rs"],
            "there is no command and no path `chekc`; did you mean `check`?",
        ),
        (
            vec!["--format", "short", "check", "a.rs"],
            "there is no path `check`; the command `check` is before its options: `visa-lint check …`",
        ),
    ] {
        let output = run(folder.path(), &arguments);
        assert_code(&output, 2);
        assert_eq!(stdout(&output), "");
        assert_eq!(stderr(&output), format!("error: {words}\n"));
    }
    // What is near to no command is a path, as it always was.
    let missing = run(folder.path(), &["gemv.rs"]);
    assert_code(&missing, 2);
    assert!(stderr(&missing).starts_with("error: cannot read `gemv.rs`"));
}

#[test]
fn a_real_path_goes_before_a_word() {
    let folder = folder_with(&[
        ("help/a.rs", FINDINGS.as_bytes()),
        ("chekc/a.rs", FINDINGS.as_bytes()),
    ]);
    for path in ["help", "chekc"] {
        let output = run(folder.path(), &[path, "--format", "json"]);
        assert_code(&output, 1);
        assert_eq!(json(&output)["files"], 1);
    }
}
