//! What a check keeps on disk: nobody can tell from an answer whether it was kept, whatever became of the files that keep it.

use std::path::PathBuf;

use super::*;

const FORMATS: [&str; 11] = [
    "human",
    "short",
    "json",
    "jsonl",
    "sarif",
    "github",
    "gitlab",
    "junit",
    "rdjson",
    "checkstyle",
    "agent",
];

/// An answer: its code, what it says, and what it says beside it.
type Answer = (Option<i32>, String, String);

fn answer_of(output: &Output) -> Answer {
    (output.status.code(), stdout(output), stderr(output))
}

/// The text of a fixture of a rule.
fn fixture(path: &str) -> Vec<u8> {
    std::fs::read(repository().join("fixtures/violations").join(path)).unwrap()
}

/// A crate, lone files in three languages, one that does not parse, and one of which only a part is looked at.
fn mixed_folder() -> TempDir {
    let partly = "use furiosa_visa_std::prelude::*;\naxes![L = 4096];\n#[device(chip = 1)]
fn k(ctx: &mut Context, l: &HbmTensor<i32, m![1], m![L]>) {
    let l = l.to_dm::<m![1 # 2], m![L / 16], m![L % 16]>(&mut ctx.tdma, 0);\n    send_on!(ctx, l);\n}\n";
    folder_with(&[
        (
            "crate/Cargo.toml",
            b"[package]\nname = \"kernels\"\n[dependencies]\nfuriosa-visa-std = \"0.2\"\n",
        ),
        ("crate/src/lib.rs", b"mod sizes;\nmod kernels;\n"),
        (
            "crate/src/sizes.rs",
            b"use furiosa_visa_std::prelude::*;\naxes![A = 512];\n",
        ),
        ("crate/src/kernels.rs", &fixture("alu_reuse/wrong.rs")),
        ("findings.rs", FINDINGS.as_bytes()),
        ("bank.rs", &fixture("accumulator_capacity/wrong.rs")),
        (
            "broken.rs",
            b"use furiosa_visa_std::prelude::*;\nfn f( {\naxes![A = 0];\n",
        ),
        ("partly.rs", partly.as_bytes()),
        ("n.py", &fixture("nki_partition_limit/wrong.py")),
        ("p.pto", &fixture("pto_address_alignment/wrong.pto")),
    ])
}

/// A check with `--cache-dir kept` beside the folder.
fn check(folder: &TempDir, kept: &Path, more: &[&str]) -> Answer {
    let kept = kept.to_str().unwrap();
    let arguments = [&["check", "--cache-dir", kept][..], more].concat();
    answer_of(&run(folder.path(), &arguments))
}

fn check_without(folder: &TempDir, more: &[&str]) -> Answer {
    let arguments = [&["check", "--no-cache"][..], more].concat();
    answer_of(&run(folder.path(), &arguments))
}

/// The files that keep something, sorted.
fn entries(kept: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(kept).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = files
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|end| end == "report"))
        .collect();
    files.sort();
    files
}

/// An entry with another message of its first finding, as whole as before.
fn with_other_words(entry: &Path, from: &str, to: &str) -> bool {
    let bytes = std::fs::read(entry).unwrap();
    let (head, content) = bytes.split_at(64);
    let mut reports = visa_analysis::reports_of_kept(content).unwrap();
    let mut messages = reports
        .iter_mut()
        .flat_map(|report| &mut report.diagnostics)
        .map(|found| &mut found.message);
    let Some(message) = messages.find(|message| message.contains(from)) else {
        return false;
    };
    *message = message.replace(from, to);
    let content = visa_analysis::kept_reports(reports).unwrap();
    let hash = blake3::hash(&content);
    let key = head.get(..32).unwrap();
    std::fs::write(entry, [key, hash.as_bytes(), &content].concat()).unwrap();
    true
}

#[test]
fn a_kept_answer_is_the_worked_out_one_in_every_format() {
    let folder = mixed_folder();
    let kept = tempfile::tempdir().unwrap();
    for format in FORMATS {
        let options = ["--format", format];
        let without = check_without(&folder, &options);
        assert_eq!(without.0, Some(1), "{without:?}");
        for time in ["first", "second"] {
            let answer = check(&folder, kept.path(), &options);
            assert_eq!(answer, without, "{format}, {time} time");
        }
    }
    // Six lone files and a crate, with and without completed fixes.
    assert_eq!(entries(kept.path()).len(), 2 * 7);
    for options in [
        &["--statistics"][..],
        &["--quiet"],
        &["--no-inline-allow"],
        &["--max-diagnostics", "2"],
        &["--deny", "warnings"],
        &["--exit-zero"],
        &["--warn", "unresolved_operation"],
        &["--select", "silent"],
        &["--doc"],
        &["--write-baseline", "known.json"],
    ] {
        let without = check_without(&folder, options);
        for time in ["first", "second"] {
            let answer = check(&folder, kept.path(), options);
            assert_eq!(answer, without, "{options:?}, {time} time");
        }
    }
}

#[test]
fn what_is_kept_is_what_is_said() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let kept = tempfile::tempdir().unwrap();
    let before = check(&folder, kept.path(), &["--format", "short"]);
    assert!(before.1.contains("no_such_rule"), "{before:?}");
    let [entry] = &entries(kept.path())[..] else {
        panic!("one entry is expected");
    };
    assert!(with_other_words(entry, "no_such_rule", "kept_words"));
    let after = check(&folder, kept.path(), &["--format", "short"]);
    assert!(after.1.contains("kept_words"), "{after:?}");
    // What changes texts, or asks again and again, works everything out.
    let fixing = check(&folder, kept.path(), &["--format", "short", "--fix"]);
    assert!(!fixing.1.contains("kept_words"), "{fixing:?}");
}

#[test]
fn whatever_decides_an_answer_decides_what_is_taken() {
    let folder = mixed_folder();
    let kept = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let compare = |what: &str, options: &[&str]| {
        let options = [&["--format", "json"], options].concat();
        let answer = check(&folder, kept.path(), &options);
        assert_eq!(answer, check_without(&folder, &options), "{what}");
        answer
    };
    let mut seen = vec![compare("as it is", &[])];
    let mut is_new = |what: &str, answer: Answer| {
        assert!(!seen.contains(&answer), "{what} changes nothing");
        seen.push(answer);
    };
    write("findings.rs", &format!("\n{FINDINGS}"));
    is_new("a text", compare("a text", &[]));
    write(
        "crate/src/sizes.rs",
        "use furiosa_visa_std::prelude::*;\naxes![A = 0];\n",
    );
    is_new("a module", compare("a module", &[]));
    write("visa-lint.toml", "[levels]\nunknown_rule = \"warn\"\n");
    is_new("settings", compare("settings", &[]));
    let manifest = "[package]\nname = \"kernels\"\n[dependencies]\nfuriosa-opt-std = \"0.8\"\n";
    write("crate/Cargo.toml", manifest);
    is_new("a manifest", compare("a manifest", &[]));
    is_new("a rule", compare("a rule", &["--select", "unknown_rule"]));
    is_new("a path", compare("a path", &["findings.rs"]));
    is_new(
        "a library",
        compare("a library", &["--dialect", "opt-std@0.10"]),
    );
    compare("a chip", &["--target", "rngd-s"]);
    std::fs::remove_file(folder.path().join("bank.rs")).unwrap();
    is_new("a file less", compare("a file less", &[]));
}

#[test]
fn files_that_are_not_edited_are_not_worked_out_again() {
    let files = [("a.rs", FINDINGS), ("b.rs", FINDINGS)];
    let folder = folder_with(&files.map(|(name, text)| (name, text.as_bytes())));
    let kept = tempfile::tempdir().unwrap();
    check(&folder, kept.path(), &["--format", "short"]);
    let all = entries(kept.path());
    assert_eq!(all.len(), 2);
    for entry in &all {
        assert!(with_other_words(entry, "no_such_rule", "kept_words"));
    }
    std::fs::write(folder.path().join("b.rs"), format!("\n{FINDINGS}")).unwrap();
    let (_, answer, _) = check(&folder, kept.path(), &["--format", "short"]);
    let line = |start: &str| answer.lines().find(|line| line.starts_with(start)).unwrap();
    assert!(line("a.rs:1").contains("kept_words"), "{answer}");
    assert!(line("b.rs:2").contains("no_such_rule"), "{answer}");
    assert_eq!(entries(kept.path()).len(), 3);
}

/// Makes something else of the bytes of an entry, given those of another one.
type Damage = fn(&[u8], &[u8]) -> Vec<u8>;

#[test]
fn what_is_broken_or_foreign_is_worked_out_again_and_mended() {
    let folder = mixed_folder();
    let kept = tempfile::tempdir().unwrap();
    let options = ["--format", "json"];
    let right = check_without(&folder, &options);
    check(&folder, kept.path(), &options);
    let whole: Vec<(PathBuf, Vec<u8>)> = entries(kept.path())
        .into_iter()
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    let damages: [(&str, Damage); 8] = [
        ("emptied", |_, _| Vec::new()),
        ("cut in its head", |own, _| own[..40].to_vec()),
        ("cut in the middle", |own, _| own[..own.len() / 2].to_vec()),
        ("with a byte more", |own, _| [own, b"x"].concat()),
        ("with another bit in its key", |own, _| flipped(own, 3)),
        ("with another bit in its hash", |own, _| flipped(own, 40)),
        ("with another bit in a report", |own, _| {
            flipped(own, own.len() - 9)
        }),
        ("of another key", |_, other| other.to_vec()),
    ];
    for (what, damage) in damages {
        for (at, (path, own)) in whole.iter().enumerate() {
            let (_, other) = &whole[(at + 1) % whole.len()];
            std::fs::write(path, damage(own, other)).unwrap();
        }
        assert_eq!(check(&folder, kept.path(), &options), right, "{what}");
        for (path, own) in &whole {
            assert_eq!(std::fs::read(path).unwrap(), *own, "{what}");
        }
    }
    // A report of another shape, under a hash that is right.
    let (path, own) = &whole[0];
    std::fs::write(path, head_and(&own[..32], b"no_such_shape")).unwrap();
    assert_eq!(check(&folder, kept.path(), &options), right);
    // A folder is where an entry would be.
    std::fs::remove_file(path).unwrap();
    std::fs::create_dir(path).unwrap();
    assert_eq!(check(&folder, kept.path(), &options), right);
}

fn flipped(bytes: &[u8], at: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at] ^= 4;
    bytes
}

fn head_and(key: &[u8], content: &[u8]) -> Vec<u8> {
    [key, blake3::hash(content).as_bytes(), content].concat()
}

#[test]
fn a_place_that_takes_nothing_changes_nothing() {
    let folder = mixed_folder();
    let right = check_without(&folder, &["--format", "json"]);
    // A file is no folder, for anybody.
    for place in ["findings.rs", "findings.rs/below"] {
        let place = folder.path().join(place);
        assert_eq!(check(&folder, &place, &["--format", "json"]), right);
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let kept = tempfile::tempdir().unwrap();
        check(&folder, kept.path(), &["--format", "json"]);
        let modes = |mode: u32| {
            for path in entries(kept.path())
                .iter()
                .map(PathBuf::as_path)
                .chain([kept.path()])
            {
                std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
            }
        };
        for mode in [0o555, 0o000] {
            modes(mode);
            assert_eq!(
                check(&folder, kept.path(), &["--format", "json"]),
                right,
                "{mode:o}"
            );
            let other = ["--format", "json", "--select", "silent"];
            assert_eq!(
                check(&folder, kept.path(), &other),
                check_without(&folder, &other)
            );
            modes(0o755);
        }
    }
}

#[test]
fn checks_at_once_do_not_disturb_each_other() {
    let folder = mixed_folder();
    let kept = tempfile::tempdir().unwrap();
    let right = check_without(&folder, &["--format", "json"]);
    let place = kept.path().to_str().unwrap();
    for _ in 0..3 {
        let running: Vec<_> = (0..4)
            .map(|_| {
                let arguments = ["check", "--cache-dir", place, "--format", "json"];
                let mut command = command(folder.path(), &arguments);
                command.stdin(Stdio::null()).stdout(Stdio::piped());
                command.stderr(Stdio::piped()).spawn().unwrap()
            })
            .collect();
        for child in running {
            assert_eq!(answer_of(&child.wait_with_output().unwrap()), right);
        }
        for entry in entries(kept.path()).iter().take(2) {
            std::fs::remove_file(entry).unwrap();
        }
    }
    let left = std::fs::read_dir(kept.path()).unwrap().flatten();
    let left = left.filter(|entry| {
        entry
            .path()
            .extension()
            .is_some_and(|end| end == "report-part")
    });
    assert_eq!(left.count(), 0, "nothing unfinished is left");
}

#[test]
fn it_is_kept_in_the_target_folder_or_in_the_users_and_clean_removes_it() {
    let folder = mixed_folder();
    let user = tempfile::tempdir().unwrap();
    let from = |arguments: &[&str], variables: &[(&str, &Path)]| {
        let mut command = command(folder.path(), arguments);
        command.env_remove("VISA_LINT_NO_CACHE");
        command.env("XDG_CACHE_HOME", user.path());
        command.env("HOME", user.path());
        command.env("LOCALAPPDATA", user.path());
        for (name, value) in variables {
            command.env(name, value);
        }
        command.stdin(Stdio::null()).output().unwrap()
    };
    let count = |place: &Path| entries(place).len();
    let target = folder.path().join("crate/target/visa-lint");
    let in_user = || {
        let places = ["visa-lint", "Library/Caches/visa-lint"].map(|end| user.path().join(end));
        places.iter().map(|place| count(place)).sum::<usize>()
    };
    from(&["check", "crate"], &[]);
    assert_eq!((count(&target), in_user()), (0, 1));
    std::fs::create_dir(folder.path().join("crate/target")).unwrap();
    from(&["check", "crate/src/kernels.rs"], &[]);
    assert_eq!((count(&target), in_user()), (1, 1));
    // It is left out of what git sees, and no check takes it for sources.
    assert_eq!(
        std::fs::read_to_string(target.join(".gitignore")).unwrap(),
        "*\n"
    );
    from(&["check", "--no-cache", "findings.rs"], &[]);
    from(
        &["check", "findings.rs"],
        &[("VISA_LINT_NO_CACHE", Path::new("1"))],
    );
    assert_eq!((count(&target), in_user()), (1, 1));
    let (other, named) = (folder.path().join("other"), folder.path().join("named"));
    let variable = [("VISA_LINT_CACHE_DIR", Path::new("other"))];
    from(&["check", "findings.rs"], &variable);
    assert_eq!((count(&other), in_user()), (1, 1));
    from(&["check", "--cache-dir", "named", "findings.rs"], &variable);
    assert_eq!((count(&other), count(&named)), (1, 1));

    std::fs::write(named.join("mine.txt"), "x").unwrap();
    let cleaned = from(&["clean", "--cache-dir", "named"], &variable);
    assert_code(&cleaned, 0);
    assert!(
        stdout(&cleaned).starts_with("removed 2 files ("),
        "{cleaned:?}"
    );
    assert!(named.join("mine.txt").exists() && count(&named) == 0);
    from(&["clean"], &variable);
    assert!(!other.exists());
    assert_eq!((count(&target), in_user()), (1, 1));
    // A path that does not exist is an error, and nothing is removed.
    let mistyped = from(&["clean", "crate", "crat"], &[]);
    assert_code(&mistyped, 2);
    let said = String::from_utf8_lossy(&mistyped.stderr);
    assert!(said.contains("cannot read `crat`"), "{said}");
    assert_eq!((count(&target), in_user()), (1, 1));
    // An empty folder of the user's is left alone.
    let empty = folder.path().join("empty");
    std::fs::create_dir(&empty).unwrap();
    assert_code(&from(&["clean", "--cache-dir", "empty"], &[]), 0);
    assert!(empty.exists());
    assert_code(&from(&["clean", "crate"], &[]), 0);
    assert_eq!((target.exists(), in_user()), (false, 0));
    assert_eq!(stdout(&from(&["clean", "crate"], &[])), "nothing is kept\n");
}

#[test]
fn reports_that_another_run_would_improve_and_rules_that_are_not_known_are_not_kept() {
    use visa_analysis::{NotKept, Problem, kept_reports, reports_of_kept};
    let text = String::from_utf8(fixture("alu_reuse/wrong.rs")).unwrap();
    let report = visa_tests::check_completed("a.rs", &text);
    assert!(!report.diagnostics.is_empty());
    let kept = kept_reports(vec![report.clone()]).unwrap();
    assert_eq!(reports_of_kept(&kept), Ok(vec![report.clone()]));
    let failed = report
        .clone()
        .problem(Problem::Internal("a defect".to_owned()));
    assert_eq!(kept_reports(vec![failed]), Err(NotKept));
    let mut unknown = report;
    unknown.diagnostics[0].rule = "no_such_rule";
    assert_eq!(kept_reports(vec![unknown]), Err(NotKept));
    // The same bytes with the name of a rule that this program does not have.
    let at = kept
        .windows(9)
        .rposition(|bytes| bytes == b"alu_reuse")
        .unwrap();
    let mut other = kept;
    other[at] = b'x';
    assert_eq!(reports_of_kept(&other), Err(NotKept));
}
