//! `--watch`: each change brings a new report, and an unchanged file brings none.

use std::fs;
use std::io::Read;
use std::process::Child;
use std::sync::{Arc, Mutex};

use super::*;

/// How long a report may take to come.
const PATIENCE: Duration = Duration::from_secs(60);

/// A running program and what it has written so far.
struct Watching {
    child: Child,
    written: [Arc<Mutex<String>>; 2],
    /// What of it has been looked at.
    seen: [usize; 2],
}

impl Watching {
    fn start(folder: &TempDir, arguments: &[&str]) -> Self {
        let mut child = command(folder.path(), &[&["--watch"], arguments].concat())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let written = [
            collect(child.stdout.take().unwrap()),
            collect(child.stderr.take().unwrap()),
        ];
        Self {
            child,
            written,
            seen: [0, 0],
        }
    }

    /// Waits for a report whose lines start with these words; everything that was written since the last one. A file that
    /// is met half written may bring another report before it.
    #[track_caller]
    fn until(&mut self, wanted: &[&str]) -> [String; 2] {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let new = [0, 1].map(|pipe| {
                let written = self.written[pipe].lock().unwrap();
                written[self.seen[pipe]..].to_owned()
            });
            let lines: Vec<_> = new[0].lines().collect();
            let last = &lines[lines.len().saturating_sub(wanted.len())..];
            let matches = |(line, words): (&&str, &&str)| line.starts_with(words);
            let there = last.len() == wanted.len() && last.iter().zip(wanted).all(matches);
            if there
                && new[0].is_empty() == wanted.is_empty()
                && new[1].contains("watching ")
                && new[1].ends_with('\n')
            {
                self.seen = [self.seen[0] + new[0].len(), self.seen[1] + new[1].len()];
                return new;
            }
            let ended = self.child.try_wait().unwrap();
            let patient = ended.is_none() && Instant::now() < deadline;
            assert!(patient, "{ended:?} {wanted:?} {new:?}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// That nothing more was written for a while.
    fn silent(&self) -> bool {
        std::thread::sleep(Duration::from_secs(2));
        let lengths = [0, 1].map(|pipe| self.written[pipe].lock().unwrap().len());
        lengths == self.seen
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn collect(mut pipe: impl Read + Send + 'static) -> Arc<Mutex<String>> {
    let text = Arc::new(Mutex::new(String::new()));
    let shared = Arc::clone(&text);
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(length @ 1..) = pipe.read(&mut bytes) {
            let words = String::from_utf8_lossy(&bytes[..length]).into_owned();
            shared.lock().unwrap().push_str(&words);
        }
    });
    text
}

#[test]
fn changes_of_files_and_settings_bring_new_reports() {
    let folder = folder_with(&[("k/a.rs", FINDINGS.as_bytes()), ("k/notes", b"")]);
    // As editors do: nobody meets a file half written.
    let write = |name: &str, text: &str| {
        fs::write(folder.path().join(".new"), text).unwrap();
        fs::rename(folder.path().join(".new"), folder.path().join(name)).unwrap();
    };
    let mut watching = Watching::start(&folder, &["k", "--format", "short"]);
    let both = |file: &str| [1, 3].map(|line| format!("k/{file}:{line}:"));
    let [of_a, of_b, of_c] = ["a.rs", "b.rs", "deep.er/c.rs"].map(both);
    let unused = "k/a.rs:2:15: warning[unused_suppression]";
    let [first, _] = watching.until(&[&of_a[0], &of_a[1]]);
    assert!(!first.contains('\u{1b}'), "control characters in a pipe");

    write(
        "k/a.rs",
        "fn f() {}\n#[expect(tcp::slice_size)]\nfn g() {}\n",
    );
    watching.until(&[unused]);
    write("k/b.rs", FINDINGS);
    watching.until(&[unused, &of_b[0], &of_b[1]]);
    fs::remove_file(folder.path().join("k/b.rs")).unwrap();
    watching.until(&[unused]);

    // A folder that did not exist, and a file that an editor replaces.
    fs::create_dir(folder.path().join("k/deep.er")).unwrap();
    write("k/deep.er/c.rs", FINDINGS);
    watching.until(&[unused, &of_c[0], &of_c[1]]);
    write("k/new", "fn f() {}\n");
    fs::rename(
        folder.path().join("k/new"),
        folder.path().join("k/deep.er/c.rs"),
    )
    .unwrap();
    watching.until(&[unused]);

    // Settings, also wrong ones, above the folder.
    write(
        "visa-lint.toml",
        "[levels]\nunused_suppression = \"deny\"\n",
    );
    watching.until(&["k/a.rs:2:15: error[unused_suppression]"]);
    write("visa-lint.toml", "[levels]\nunused = 1\n");
    write(
        "visa-lint.toml",
        "[levels]\nunused_suppression = \"allow\"\n",
    );
    watching.until(&[]);

    // What says nothing new.
    write("k/notes", "more");
    write(
        "k/a.rs",
        "fn f() {}\n#[expect(tcp::slice_size)]\nfn g() {}\n",
    );
    assert!(watching.silent(), "{:?}", watching.written);
}

#[test]
fn fixes_and_baselines_are_watched_too() {
    let folder = folder_with(&[("a.rs", FINDINGS.as_bytes())]);
    assert_code(&run(folder.path(), &["--write-baseline", "b.json"]), 0);
    let arguments = ["a.rs", "--fix", "--baseline", "b.json", "--format", "short"];
    let mut watching = Watching::start(&folder, &arguments);
    let [_, said] = watching.until(&[]);
    assert!(
        said.contains("1 fixed, 0 remaining (1 file changed)"),
        "{said}"
    );
    let text = fs::read_to_string(folder.path().join("a.rs")).unwrap();
    assert_eq!(text, FINDINGS.replace("#[expect(tcp::slice_size)]\n", ""));
    // The program's own writing is no change.
    assert!(watching.silent(), "{:?}", watching.written);
    let empty = "{\"version\": 1, \"findings\": []}";
    fs::write(folder.path().join("b.json"), empty).unwrap();
    watching.until(&["a.rs:1:14: error[unknown_rule]"]);
}

#[test]
fn what_cannot_be_watched_is_refused() {
    let folder = folder_with(&[("a.rs", b"fn f() {}\n")]);
    for arguments in [
        &["-", "--watch"][..],
        &["--watch", "--diff"],
        &["--watch", "--add-ignore"],
        &["--watch", "--write-baseline", "b.json"],
        &["--watch", "--config", "none.toml"],
    ] {
        assert_code(&run(folder.path(), arguments), 2);
    }
}
