//! Every option of every command changes something, or is refused where it cannot.

use std::collections::BTreeSet;

use super::*;

/// What a run does: its code, its answer, its words, and the files that it leaves.
type Effect = (Option<i32>, String, String, Vec<(String, Vec<u8>)>);

const UNUSED: &str = "#[allow(tcp::slice_size)]\nfn f() {}\n";
const KERNEL: &str = "use furiosa_visa_std::prelude::*;
axes![S = 256, D = 64];
#[device(chip = 1)]
fn copy(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, D]>) -> HbmTensor<i8, m![1], m![S, D]> {
    let x = x.to_dm::<m![1 # 2], m![S], m![D]>(&mut ctx.tdma, 0);
    x.to_hbm(&mut ctx.tdma, 1 << 20)
}
";

fn folder() -> TempDir {
    let python = "import neuronxcc.nki as nki\n";
    let settings = "[levels]\nunknown_rule = \"warn\"\n";
    let doc = "/// ```\n/// axes![A = 0];\n/// ```\nfn f() {}\n";
    folder_with(&[
        ("a.rs", FINDINGS.as_bytes()),
        ("doc.rs", doc.as_bytes()),
        ("k.rs", KERNEL.as_bytes()),
        ("k2.rs", KERNEL.replace("fn copy", "fn other").as_bytes()),
        ("n.py", python.as_bytes()),
        ("plain.txt", UNUSED.as_bytes()),
        ("settings.toml", settings.as_bytes()),
        (
            "visa-lint.toml",
            b"exclude = [\"out.rs\"]\nmodel = \"book\"\n[levels]\nunused_suppression = \"deny\"\n",
        ),
        ("out.rs", format!("{KERNEL}{FINDINGS}").as_bytes()),
        ("base.json", b"{\"version\": 1, \"findings\": []}"),
        ("old.json", b"{}"),
    ])
}

fn effect(arguments: &[&str], input: &str) -> Effect {
    let folder = folder();
    let git = |arguments: &[&str]| {
        let done = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(arguments)
            .current_dir(folder.path())
            .output();
        assert!(done.unwrap().status.success());
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "a"]);
    let output = run_with_input(folder.path(), arguments, input.as_bytes());
    let mut files = Vec::new();
    for entry in ignore_git(folder.path()) {
        let name = entry.strip_prefix(folder.path()).unwrap();
        files.push((
            name.to_string_lossy().into_owned(),
            std::fs::read(&entry).unwrap(),
        ));
    }
    files.sort();
    (
        output.status.code(),
        stdout(&output),
        stderr(&output),
        files,
    )
}

fn ignore_git(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_name() == ".git" {
            continue;
        }
        if path.is_dir() {
            files.extend(ignore_git(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// For each option of a command: the arguments without it, and what it adds. `jobs`, `color` and `quiet` change how, not what.
const CHANGING: &[(&str, &str, &[&str], &[&str])] = &[
    (
        "check",
        "--stdin-filename",
        &["check", "a.rs"],
        &["--stdin-filename", "x.rs"],
    ),
    (
        "check",
        "--stdin-texts",
        &["check", "a.rs"],
        &["--stdin-texts"],
    ),
    (
        "check",
        "--format",
        &["check", "a.rs"],
        &["--format", "short"],
    ),
    (
        "check",
        "--deny",
        &["check", "a.rs", "--isolated"],
        &["--deny", "unused_suppression"],
    ),
    (
        "check",
        "--warn",
        &["check", "a.rs"],
        &["--warn", "unknown_rule"],
    ),
    (
        "check",
        "--allow",
        &["check", "a.rs"],
        &["--allow", "unknown_rule"],
    ),
    (
        "check",
        "--select",
        &["check", "a.rs"],
        &["--select", "unknown_rule"],
    ),
    (
        "check",
        "--ignore",
        &["check", "a.rs"],
        &["--ignore", "unknown_rule"],
    ),
    (
        "check",
        "--config",
        &["check", "a.rs"],
        &["--config", "settings.toml"],
    ),
    ("check", "--isolated", &["check", "a.rs"], &["--isolated"]),
    (
        "check",
        "--force-exclude",
        &["check", "out.rs"],
        &["--force-exclude"],
    ),
    ("check", "--doc", &["check", "doc.rs"], &["--doc"]),
    (
        "check",
        "--dialect",
        &["check", "k.rs"],
        &["--dialect", "opt-std@0.8"],
    ),
    (
        "check",
        "--target",
        &["check", "k.rs", "--show-settings"],
        &["--target", "rngd-s"],
    ),
    (
        "check",
        "--model",
        &["check", "k.rs", "--show-settings"],
        &["--model", "schedule"],
    ),
    (
        "check",
        "--language",
        &["check", "plain.txt"],
        &["--language", "rust"],
    ),
    ("check", "--since", &["check", "a.rs"], &["--since", "HEAD"]),
    (
        "check",
        "--show-settings",
        &["check", "a.rs"],
        &["--show-settings"],
    ),
    (
        "check",
        "--statistics",
        &["check", "a.rs"],
        &["--statistics"],
    ),
    (
        "check",
        "--output-file",
        &["check", "a.rs"],
        &["--output-file", "o.txt"],
    ),
    ("check", "--quiet", &["check", "a.rs"], &["--quiet"]),
    (
        "check",
        "--cache-dir",
        &["check", "a.rs"],
        &["--cache-dir", "kept"],
    ),
    (
        "check",
        "--no-cache",
        &["check", "a.rs", "--cache-dir", "kept"],
        &["--no-cache"],
    ),
    ("check", "--exit-zero", &["check", "a.rs"], &["--exit-zero"]),
    ("check", "--fix", &["check", "a.rs"], &["--fix"]),
    ("check", "--diff", &["check", "a.rs"], &["--diff"]),
    (
        "check",
        "--write-baseline",
        &["check", "a.rs"],
        &["--write-baseline", "b.json"],
    ),
    (
        "check",
        "--add-ignore",
        &["check", "a.rs"],
        &["--add-ignore"],
    ),
    (
        "check",
        "--reason",
        &["check", "a.rs", "--add-ignore"],
        &["--reason", "ours"],
    ),
    (
        "check",
        "--max-diagnostics",
        &["check", "a.rs"],
        &["--max-diagnostics", "0"],
    ),
    (
        "check",
        "--max-warnings",
        &["check", "--isolated", "--ignore", "unknown_rule", "a.rs"],
        &["--max-warnings", "0"],
    ),
    (
        "check",
        "--error-on-warning",
        &["check", "--isolated", "--ignore", "unknown_rule", "a.rs"],
        &["--error-on-warning"],
    ),
    (
        "cost",
        "--stdin-filename",
        &["cost", "k.rs"],
        &["--stdin-filename", "x.rs"],
    ),
    (
        "cost",
        "--kernel",
        &["cost", "k.rs", "k2.rs"],
        &["--kernel", "copy"],
    ),
    (
        "cost",
        "--details",
        &["cost", "k.rs", "k2.rs"],
        &["--details"],
    ),
    (
        "cost",
        "--format",
        &["cost", "k.rs"],
        &["--format", "markdown"],
    ),
    (
        "cost",
        "--stages",
        &["cost", "k.rs", "k2.rs"],
        &["--stages"],
    ),
    (
        "cost",
        "--compare",
        &["cost", "k.rs"],
        &["--compare", "HEAD"],
    ),
    ("cost", "--isolated", &["cost", "k.rs"], &["--isolated"]),
    (
        "cost",
        "--config",
        &["cost", "k.rs"],
        &["--config", "settings.toml"],
    ),
    (
        "cost",
        "--force-exclude",
        &["cost", "out.rs"],
        &["--force-exclude"],
    ),
    (
        "cost",
        "--dialect",
        &["cost", "k.rs"],
        &["--dialect", "opt-std@0.8"],
    ),
    (
        "cost",
        "--model",
        &["cost", "k.rs"],
        &["--model", "schedule"],
    ),
    (
        "cost",
        "--language",
        &["cost", "plain.txt"],
        &["--language", "rust"],
    ),
    (
        "cost",
        "--output-file",
        &["cost", "k.rs"],
        &["--output-file", "o.txt"],
    ),
    ("cost", "--quiet", &["cost", "k.rs", "k2.rs"], &["--quiet"]),
    ("migrate", "--to", &["migrate", "k.rs"], &["--to", "0.10"]),
    (
        "migrate",
        "--stdin-filename",
        &["migrate", "--to", "0.10", "k.rs"],
        &["--stdin-filename", "x.rs"],
    ),
    (
        "migrate",
        "--diff",
        &["migrate", "--to", "0.10", "k.rs"],
        &["--diff"],
    ),
    (
        "migrate",
        "--config",
        &["migrate", "--to", "0.10", "k.rs"],
        &["--config", "none.toml"],
    ),
    (
        "migrate",
        "--quiet",
        &["migrate", "--to", "0.10", "k.rs"],
        &["--quiet"],
    ),
    ("explain", "--all", &["explain"], &["--all"]),
    (
        "explain",
        "--dialect",
        &["explain", "alu_reuse"],
        &["--dialect", "visa-std"],
    ),
    (
        "explain",
        "--format",
        &["explain", "alu_reuse"],
        &["--format", "markdown"],
    ),
    ("rules", "--format", &["rules"], &["--format", "json"]),
    ("map", "--axes", &["map", "A"], &["--axes", "A=8"]),
    (
        "map",
        "--type",
        &["map", "A", "--axes", "A=8"],
        &["--type", "i8"],
    ),
    (
        "map",
        "--index",
        &["map", "A", "--axes", "A=8"],
        &["--index", "3"],
    ),
    (
        "map",
        "--against",
        &["map", "A", "--axes", "A=8"],
        &["--against", "A % 8"],
    ),
    (
        "map",
        "--dialect",
        &["map", "A", "--axes", "A=8"],
        &["--dialect", "no-such"],
    ),
    (
        "map",
        "--format",
        &["map", "A", "--axes", "A=8"],
        &["--format", "json"],
    ),
    (
        "sequence",
        "--axes",
        &["sequence", "--buffer", "A"],
        &["--axes", "A=64"],
    ),
    (
        "sequence",
        "--buffer",
        &["sequence", "--axes", "A=64"],
        &["--buffer", "A"],
    ),
    (
        "sequence",
        "--time",
        &["sequence", "--axes", "A=64", "--buffer", "A"],
        &["--time", "A / 8"],
    ),
    (
        "sequence",
        "--packet",
        &["sequence", "--axes", "A=64", "--buffer", "A"],
        &["--packet", "A % 8"],
    ),
    (
        "sequence",
        "--type",
        &[
            "sequence", "--axes", "A=64", "--buffer", "A", "--packet", "A % 8",
        ],
        &["--type", "f32"],
    ),
    (
        "sequence",
        "--format",
        &["sequence", "--axes", "A=64", "--buffer", "A"],
        &["--format", "json"],
    ),
    ("init", "--ci", &["init"], &["--ci", "github"]),
    ("init", "--pre-commit", &["init"], &["--pre-commit"]),
    ("init", "--agents", &["init"], &["--agents"]),
    ("init", "--force", &["init"], &["--force"]),
    ("init", "--schema", &["init"], &["--schema"]),
];

/// Options that need a place of their own to show what they do, and the test that shows it.
const ELSEWHERE: &[(&str, &str, &str)] = &[
    ("view", "--config", "view.rs"),
    ("view", "--dialect", "view.rs"),
    ("view", "--doc", "view.rs"),
    ("view", "--effort", "view.rs"),
    ("view", "--force-exclude", "view.rs"),
    ("view", "--isolated", "view.rs"),
    ("view", "--language", "view.rs"),
    ("view", "--model", "view.rs"),
    ("view", "--port", "view.rs"),
    ("view", "--quiet", "view.rs"),
    ("view", "--scratch", "view.rs"),
    ("view", "--target", "view.rs"),
    ("check", "--unsafe-fixes", "fixing.rs"),
    ("check", "--baseline", "baseline.rs"),
    ("check", "--prune-baseline", "baseline.rs"),
    ("check", "--no-inline-allow", "ignoring.rs"),
    ("check", "--watch", "watch.rs"),
    ("cost", "--fail-on", "cost/compare.rs"),
    ("cost", "--effort", "cost/limits.rs"),
    ("cost", "--diff", "cost/proposals.rs"),
    ("cost", "--validate", "cost/validate.rs"),
    ("cost", "--apply", "cost/proposals.rs"),
    ("cost", "--target", "cost.rs"),
    ("cost", "--doc", "markdown.rs"),
    ("migrate", "--isolated", "migrate.rs"),
    ("sequence", "--mode", "questions.rs"),
    ("sequence", "--context", "questions.rs"),
    ("sequence", "--address", "questions.rs"),
    ("run", "--against", "running.rs"),
    ("run", "--all", "running.rs"),
    ("run", "--atol", "running.rs"),
    ("run", "--bits", "running.rs"),
    ("run", "--config", "running.rs"),
    ("run", "--dialect", "running.rs"),
    ("run", "--doc", "running.rs"),
    ("run", "--expect", "running.rs"),
    ("run", "--format", "running.rs"),
    ("run", "--index-range", "running.rs"),
    ("run", "--input", "running.rs"),
    ("run", "--isolated", "running.rs"),
    ("run", "--json", "running.rs"),
    ("run", "--language", "running.rs"),
    ("run", "--layout", "running.rs"),
    ("run", "--mask", "running.rs"),
    ("run", "--max-memory", "running.rs"),
    ("run", "--model", "running.rs"),
    ("run", "--numbers", "running.rs"),
    ("run", "--output", "running.rs"),
    ("run", "--outputs", "running.rs"),
    ("run", "--padding", "running.rs"),
    ("run", "--poison", "running.rs"),
    ("run", "--quiet", "running.rs"),
    ("run", "--release", "running.rs"),
    ("run", "--rtol", "running.rs"),
    ("run", "--seed", "running.rs"),
    ("run", "--trace", "running.rs"),
    // The same code reads the settings of all commands.
    ("run", "--force-exclude", "options.rs"),
    ("run", "--target", "options.rs"),
    ("clean", "--cache-dir", "cache.rs"),
    ("lsp", "--stdio", "server/lifecycle.rs"),
];

/// How a program does what it does, and its help.
const HOW: [&str; 4] = ["--color", "--jobs", "--help", "--version"];

/// The long options that a command's help lists.
fn options_of(command: &str) -> BTreeSet<String> {
    let here = folder_with(&[]);
    let help = stdout(&run(here.path(), &[command, "--help"]));
    let words = help.lines().filter_map(|line| {
        let word = line
            .split_whitespace()
            .find(|word| word.starts_with("--"))?;
        let indent = line.len() - line.trim_start().len();
        (1..=6)
            .contains(&indent)
            .then(|| word.trim_end_matches(',').to_owned())
    });
    words.collect()
}

#[test]
fn every_option_is_known_to_change_something() {
    let here = folder_with(&[]);
    let help = stdout(&run(here.path(), &["--help"]));
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let commands = commands.lines().take_while(|line| !line.trim().is_empty());
    // A description may go on in a second line, which is indented further.
    let commands = commands.filter_map(|line| line.strip_prefix("  "));
    let commands = commands.filter(|line| !line.starts_with(' '));
    let commands = commands.filter_map(|line| line.split_whitespace().next());
    let mut count = 0;
    for command in commands.filter(|command| *command != "help" && *command != "lsp") {
        let known: BTreeSet<&str> = CHANGING
            .iter()
            .map(|(of, option, ..)| (of, option))
            .chain(ELSEWHERE.iter().map(|(of, option, _)| (of, option)))
            .filter(|(of, _)| **of == command)
            .map(|(_, option)| *option)
            .chain(HOW)
            .collect();
        let all = options_of(command);
        count += all.len();
        let unknown: Vec<&String> = all
            .iter()
            .filter(|option| !known.contains(option.as_str()))
            .collect();
        assert!(
            unknown.is_empty(),
            "{command}: {unknown:?} may be accepted and ignored"
        );
    }
    assert!(count > 80, "{count}");
}

#[test]
fn every_option_changes_something() {
    let texts = "{\"path\": \"x.rs\", \"text\": \"axes![A = 0];\"}\n";
    for (command, option, without, more) in CHANGING {
        let input = if *option == "--stdin-texts" {
            texts
        } else {
            KERNEL
        };
        let before = effect(without, input);
        let after = effect(&[*without, *more].concat(), input);
        assert_ne!(before, after, "{command} {option} is accepted and ignored");
    }
}

#[test]
fn what_cannot_change_anything_is_refused() {
    let folder = folder();
    for arguments in [
        &["a.rs", "--unsafe-fixes"][..],
        &["a.rs", "--prune-baseline"],
        &["a.rs", "--reason", "ours"],
        &["a.rs", "--diff", "--format", "json"],
        &["a.rs", "--diff", "--statistics"],
        &["a.rs", "--diff", "--baseline", "base.json"],
        &["a.rs", "--diff", "--max-warnings", "0"],
        &["a.rs", "--show-settings", "--format", "json"],
        &["a.rs", "--show-settings", "--output-file", "o.txt"],
        &["a.rs", "--show-settings", "--fix"],
        &["a.rs", "--write-baseline", "b.json", "--format", "json"],
        &[
            "a.rs",
            "--write-baseline",
            "b.json",
            "--output-file",
            "o.txt",
        ],
        &["a.rs", "--format", "sarif", "--statistics"],
        &["a.rs", "--format", "junit", "--statistics"],
        &["a.rs", "--add-ignore", "--no-inline-allow"],
        &["a.rs", "--watch", "--stdin-filename", "a.rs"],
        &["cost", "k.rs", "--fail-on", "+5%"],
        &["cost", "k.rs", "--format", "json", "--stages"],
        &["cost", "k.rs", "--compare", "HEAD", "--stages"],
        &["cost", "k.rs", "--format", "svg", "--details"],
        &["cost", "k.rs", "--format", "trace", "--effort", "3"],
        &["cost", "k.rs", "--compare", "HEAD", "--effort", "3"],
        &["init", "k", "--schema"],
        &["explain", "alu_reuse", "--all"],
    ] {
        let output = run(folder.path(), arguments);
        assert_code(&output, 2);
        // For a caller who reads JSON the refusal is JSON.
        let answer = stdout(&output);
        assert!(
            answer.is_empty() || json(&output)["error"].is_object(),
            "{answer}"
        );
        assert!(!stderr(&output).is_empty(), "{arguments:?}");
    }
}
