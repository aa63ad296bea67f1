//! Names and literals of a repository that would be obeyed: by a terminal, by the runner of a job, by `patch`, by a reader.
#![cfg(unix)]

use super::*;

/// A kernel without faults; its cost is known.
const KERNEL: &str = "use furiosa_visa_std::prelude::*;
axes![S = 256, D = 64];
#[device(chip = 1)]
fn copy(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, D]>) -> HbmTensor<i8, m![1], m![S, D]> {
    let x = x.to_dm::<m![1 # 2], m![S], m![D]>(&mut ctx.tdma, 0);
    x.to_hbm(&mut ctx.tdma, 1 << 20)
}
";

/// Names of files that a reader of lines would take for something else.
const NAMES: [&str; 4] = [
    "a\n::error ::forged.rs",
    "::stop-commands::forged.rs",
    "b ##[error]forged\u{1b}[2J.rs",
    "c\u{202e}forged\r.rs",
];

/// What the output of a command would make a runner or a terminal do.
fn obeyed(output: &Output) -> Vec<String> {
    let said = stdout(output) + &stderr(output);
    let is_command = |line: &str| {
        // Commands of the format for the runner are written by the program: they end in its escapes.
        let own = line.starts_with("::error file=")
            || line.starts_with("::warning file=")
            || line.starts_with("::notice file=");
        (line.trim_start().starts_with("::") && !own) || line.contains("##[")
    };
    let commands = said.lines().filter(|line| is_command(line));
    let characters = said
        .chars()
        .filter(|letter| letter.is_control() && *letter != '\n' || *letter == '\u{202e}');
    let characters = characters.map(|letter| letter.escape_default().to_string());
    commands.map(str::to_owned).chain(characters).collect()
}

fn job(folder: &Path, arguments: &[&str]) -> Output {
    command(folder, arguments)
        .env("GITHUB_ACTIONS", "true")
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn no_name_is_a_command_of_a_runner() {
    for name in NAMES {
        let faulty = folder_with(&[(name, FINDINGS.as_bytes())]);
        let broken = folder_with(&[(name, b"fn f( {\xff")]);
        let kernel = folder_with(&[(name, KERNEL.as_bytes())]);
        let short = stdout(&run(faulty.path(), &["--format", "short"]));
        assert_eq!(short.lines().count(), 2, "{short}");
        for arguments in [
            &["."][..],
            &["--statistics"],
            &["--format", "human"],
            &["--format", "human", "--statistics"],
            &["--format", "short"],
            &["--format", "agent"],
            &["--fix", "--diff"],
            &["--diff"],
            &["--show-settings"],
            &["--write-baseline", name],
            &["--output-file", name, "none.rs"],
            &["--since", name],
            &["--config", name],
            &["cost", "--effort", "0"],
            &["cost", "--effort", "0", "--details"],
            &["cost", "--effort", "0", "--format", "markdown"],
            &["cost", "--effort", "0", "--kernel", name],
            &["cost", "--compare", name],
            &["migrate", "--to", "0.10"],
            &["migrate", "--to", name],
            &["init", name],
            &["explain", name],
            &["map", name],
            &["--no-such-option", name],
            &[name, "--format", name],
        ] {
            for folder in [&faulty, &broken, &kernel] {
                let output = job(folder.path(), arguments);
                assert_eq!(obeyed(&output), [""; 0], "{name:?} {arguments:?}");
            }
        }
    }
}

#[test]
fn a_manifest_names_no_command_of_a_runner() {
    let manifest = "[package]\nname = \"a\\n::error ::forged\"\nversion = \"0.1.0\"\n[dependencies]\nfuriosa-opt-std = \"0.8\"\n";
    let kernel = KERNEL.replace("furiosa_visa_std", "furiosa_opt_std");
    let folder = folder_with(&[
        ("Cargo.toml", manifest.as_bytes()),
        ("src/lib.rs", kernel.as_bytes()),
        (
            "visa-lint.toml",
            b"[levels]\n\"x\\n::error ::forged\" = \"deny\"\n",
        ),
    ]);
    for arguments in [
        &["."][..],
        &["--format", "human"],
        &["--isolated", "--format", "human"],
        &["cost", "--effort", "0"],
    ] {
        let output = job(folder.path(), arguments);
        assert_eq!(obeyed(&output), [""; 0], "{arguments:?}");
    }
}

#[test]
fn sources_are_shown_without_what_a_terminal_obeys() {
    // An override that would show the rule's name in another order, and a carriage return that would hide the line before it.
    let text = "// visa-lint: allow(no\u{202e}_such\u{2066}_rule)\nfn f() {}\n/* a\rb */ #[allow(tcp::no\u{7}ne)]\nfn g() {}\n";
    let folder = folder_with(&[("a.rs", text.as_bytes())]);
    for arguments in [
        &["--format", "human"][..],
        &["--format", "short"],
        &["--format", "agent"],
    ] {
        let output = job(folder.path(), arguments);
        assert_eq!(obeyed(&output), [""; 0], "{arguments:?}");
    }
    let human = stdout(&run(folder.path(), &["a.rs"]));
    assert!(
        human.contains("allow(no\\u{202e}_such\\u{2066}_rule)"),
        "{human}"
    );
    // The mark is below what is shown: as many signs as the name has with its escapes.
    let name = "no\\u{202e}_such\\u{2066}_rule";
    let marked = human.lines().find(|line| line.contains("^^^"));
    let signs = marked.map_or(0, |line| line.matches('^').count());
    assert_eq!(signs, name.len(), "{human}");
}

/// The name of a file that is a patch of another file, and what `patch` makes of the difference.
#[test]
fn a_name_that_holds_a_patch_patches_nothing_else() {
    let name = "a.rs\n--- evil.rs\n+++ evil.rs\n@@ -1 +1 @@\n-good\n+evil\n--- b.rs";
    let unused = "#[allow(tcp::slice_size)]\nfn f() {}\n";
    let folder = folder_with(&[(name, unused.as_bytes()), ("evil.rs", b"good\n")]);
    let output = run(folder.path(), &["--diff"]);
    let diff = stdout(&output);
    let heads = diff
        .lines()
        .filter(|line| line.starts_with("--- ") || line.starts_with("+++ "));
    for head in heads {
        assert!(
            head[4..].starts_with('"') && head.trim_end().ends_with('"'),
            "{diff}"
        );
    }
    assert_eq!(diff.matches("\n@@ ").count(), 1, "{diff}");
    if Command::new("patch").arg("--version").output().is_err() {
        println!("SKIPPED: there is no patch");
        return;
    }
    std::fs::write(folder.path().join("fix.patch"), &diff).unwrap();
    // Whether it takes the quoted name or refuses it: the other file stays.
    let _ = visa_tests::command("patch")
        .args(["-p0", "-i", "fix.patch", "--batch"])
        .current_dir(folder.path())
        .output();
    let other = std::fs::read_to_string(folder.path().join("evil.rs"));
    assert_eq!(other.unwrap(), "good\n");
}
