//! What becomes of the files that answers and fixes are written to: pipes, links, files of several names, signals.
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::{MetadataExt, symlink};

use super::*;

/// A file whose suppression is of no use, and the same when it is fixed.
const UNUSED: &str = "#[allow(tcp::slice_size)]\nfn f() {}\n";
const MENDED: &str = "fn f() {}\n";

fn names(folder: &TempDir) -> Vec<String> {
    let entries = fs::read_dir(folder.path()).unwrap().flatten();
    let mut names: Vec<_> = entries
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The program in a folder, started by a shell that first runs a command of its own.
fn after(folder: &TempDir, shell: &str, arguments: &str) -> Output {
    visa_tests::command("sh")
        .arg("-c")
        .arg(format!("{shell}; exec \"$0\" {arguments}"))
        .arg(env!("CARGO_BIN_EXE_visa-lint-tested"))
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

#[test]
fn links_stay_links() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes()), ("old.json", b"{}")]);
    let at = |name: &str| folder.path().join(name);
    symlink("old.json", at("link")).unwrap();
    symlink("new.json", at("ahead")).unwrap();
    symlink("known.json", at("base.json")).unwrap();
    for (option, link, target) in [
        ("--output-file", "link", "old.json"),
        ("--output-file", "ahead", "new.json"),
        ("--write-baseline", "base.json", "known.json"),
    ] {
        let format: &[&str] = if option == "--output-file" {
            &["--format", "json"]
        } else {
            &[]
        };
        run(folder.path(), &[&["a.rs", option, link], format].concat());
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink());
        let text = fs::read_to_string(at(target)).unwrap();
        assert!(text.contains("no_such_rule"), "{option} {link}: {text}");
    }
    let all = [
        "a.rs",
        "ahead",
        "base.json",
        "known.json",
        "link",
        "new.json",
        "old.json",
    ];
    assert_eq!(names(&folder), all);
}

#[test]
fn a_pipe_gets_the_answer_and_stays_a_pipe() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    after(
        &folder,
        "mkfifo pipe; { cat pipe > copy & }",
        "a.rs --output-file pipe",
    );
    // The shell is replaced by the program, so that the copy may still be under way.
    let copy = || fs::read_to_string(folder.path().join("copy")).unwrap_or_default();
    let tries = (0..1000).find(|_| {
        std::thread::sleep(Duration::from_millis(10));
        copy().contains("1 error, 1 warning")
    });
    assert!(tries.is_some(), "{}", copy());
    assert!(!fs::metadata(folder.path().join("pipe")).unwrap().is_file());
}

#[test]
fn a_name_of_standard_output_is_standard_output() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    let link = "ln -s /proc/self/fd/1 out";
    let output = after(&folder, link, "a.rs --output-file out --format short");
    assert!(stdout(&output).contains("no_such_rule"));
    let redirected = after(
        &folder,
        "exec > answer; echo before",
        "a.rs --output-file out --format short",
    );
    assert_code(&redirected, 1);
    let answer = fs::read_to_string(folder.path().join("answer")).unwrap();
    assert!(answer.starts_with("before\na.rs:1:14"), "{answer}");
    assert!(
        fs::symlink_metadata(folder.path().join("out"))
            .unwrap()
            .is_symlink()
    );
}

#[test]
fn an_answer_keeps_the_permissions_and_names_of_its_file() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes()), ("one", b""), ("two", b"")]);
    let at = |name: &str| folder.path().join(name);
    fs::set_permissions(at("one"), fs::Permissions::from_mode(0o640)).unwrap();
    fs::hard_link(at("two"), at("second")).unwrap();
    for name in ["one", "two"] {
        run(folder.path(), &["a.rs", "--output-file", name]);
        assert!(fs::metadata(at(name)).unwrap().len() > 0);
    }
    assert_eq!(fs::metadata(at("one")).unwrap().mode() & 0o777, 0o640);
    assert_eq!(
        fs::metadata(at("two")).unwrap().ino(),
        fs::metadata(at("second")).unwrap().ino()
    );
}

#[test]
fn more_files_are_fixed_than_may_be_open() {
    let many: Vec<String> = (0..120).map(|number| format!("a{number}.rs")).collect();
    let files: Vec<(&str, &[u8])> = many
        .iter()
        .map(|name| (name.as_str(), UNUSED.as_bytes()))
        .collect();
    let folder = folder_with(&files);
    fs::hard_link(folder.path().join("a0.rs"), folder.path().join("other")).unwrap();
    let output = after(&folder, "ulimit -n 48", "--fix .");
    assert_code(&output, 0);
    for name in many.iter().map(String::as_str).chain(["other"]) {
        assert_eq!(
            fs::read_to_string(folder.path().join(name)).unwrap(),
            MENDED
        );
    }
    assert_eq!(names(&folder).len(), 121);
}

#[test]
fn a_signal_leaves_nothing_behind() {
    let many: Vec<String> = (0..300).map(|number| format!("a{number}.rs")).collect();
    let mut interrupted = 0;
    for signal in ["TERM", "INT", "HUP"].iter().cycle().take(12) {
        let files: Vec<(&str, &[u8])> = many
            .iter()
            .map(|name| (name.as_str(), UNUSED.as_bytes()))
            .collect();
        let folder = folder_with(&files);
        let mut child = command(folder.path(), &["--fix", "."])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() && names(&folder).len() < 310 {
            std::thread::sleep(Duration::from_millis(1));
        }
        let kill = Command::new("kill")
            .args(["-s", signal, &child.id().to_string()])
            .stderr(Stdio::null())
            .status();
        kill.unwrap();
        let status = child.wait().unwrap();
        assert_eq!(names(&folder).len(), 300, "after SIG{signal}: {status}");
        let texts = many
            .iter()
            .map(|name| fs::read_to_string(folder.path().join(name)).unwrap());
        let fixed = texts
            .inspect(|text| assert!(text == UNUSED || text == MENDED))
            .filter(|text| text == MENDED)
            .count();
        assert!(fixed == 0 || fixed == 300, "{fixed} files of 300 are fixed");
        interrupted += usize::from(status.code().is_none());
        if interrupted == 3 {
            return;
        }
    }
    assert!(
        interrupted > 0,
        "no run was still under way when the signal came"
    );
}
