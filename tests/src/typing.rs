//! A project of many files and the keystrokes that the benchmarks and the tests of edits type into it.

use std::fmt::Write;
use std::time::Duration;

use visa_analysis::{Package, Workspace};

use crate::{read, repository, rust_files};

/// The file that is typed into.
pub const EDITED: &str = "src/edited.rs";
/// Files of the project, the edited one and the crate's root included.
pub const FILES: usize = 100;
/// Mappings that numbers are typed into, and how often: as many keystrokes as in the other scripts.
const MAPPINGS: usize = 2;
const ROUNDS: usize = 3;
/// Lines of the edited file, at least.
pub const LINES: usize = 2_000;

/// A package: a root that declares the modules, a file that is made of all shipped kernels, and files of one of them each.
pub fn project() -> Vec<(String, String)> {
    let kernels: Vec<String> = rust_files(&repository().join("fixtures/kernels/right"))
        .iter()
        .map(|path| without_inner_attributes(&read(path)))
        .collect();
    let mut root = "mod edited;\n".to_owned();
    let mut edited = String::new();
    for (number, kernel) in kernels.iter().cycle().enumerate() {
        if edited.lines().count() >= LINES {
            break;
        }
        // Writing to a string cannot fail.
        let _ = write!(edited, "mod kernels_{number} {{\n{}}}\n", indented(kernel));
    }
    let others = FILES.saturating_sub(2);
    let mut files: Vec<(String, String)> = kernels
        .iter()
        .cycle()
        .take(others)
        .enumerate()
        .map(|(number, kernel)| {
            let _ = writeln!(root, "mod part_{number};");
            (format!("src/part_{number}.rs"), kernel.clone())
        })
        .collect();
    files.push((EDITED.to_owned(), edited));
    files.push(("src/lib.rs".to_owned(), root));
    files
}

/// A workspace of the project, not yet asked anything.
pub fn workspace(files: &[(String, String)]) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_packages(vec![Package {
        name: "kernels".into(),
        root: "".into(),
    }]);
    let files = files.iter();
    workspace.set_files(files.map(|(path, text)| (path.as_str(), text.as_str())));
    workspace
}

/// One change of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Keystroke {
    /// First byte that is replaced.
    pub start: usize,
    /// Byte after the last that is replaced.
    pub end: usize,
    /// What is there instead.
    pub text: String,
}

/// Characters typed one after the other at a byte, then deleted one after the other from the last.
pub fn typed_and_deleted(start: usize, typed: &str) -> Vec<Keystroke> {
    let starts = || {
        typed
            .char_indices()
            .map(|(index, letter)| (start + index, letter))
    };
    let typing = starts().map(|(start, letter)| Keystroke {
        start,
        end: start,
        text: letter.to_string(),
    });
    let deleting = starts().rev().map(|(start, letter)| Keystroke {
        start,
        end: start + letter.len_utf8(),
        text: String::new(),
    });
    typing.chain(deleting).collect()
}

/// What is typed where: a name, and the keystrokes in the middle of the edited file, each on the text that the one before it
/// left.
pub fn scripts(edited: &str) -> Vec<(&'static str, Vec<Keystroke>)> {
    let middle = edited.len() / 2;
    let places = |what: &'static str| {
        let found = edited.match_indices(what);
        found
            .map(move |(start, _)| start + what.len())
            .filter(move |place| *place > middle)
    };
    let after = |what| places(what).next().unwrap_or(0);
    let statement = after("(&mut ctx.tdma, 0);\n");
    vec![
        (
            "a comment",
            typed_and_deleted(statement, "        // loads the first half of the rows\n"),
        ),
        (
            "a number in a mapping",
            places(".fetch::<bf16, m![1")
                .take(MAPPINGS)
                .flat_map(|place| std::iter::repeat_n(place, ROUNDS))
                .flat_map(|place| typed_and_deleted(place, "2048 % 16"))
                .collect(),
        ),
        (
            "a method with its arguments",
            typed_and_deleted(
                statement,
                "        let again = left.view().tile::<m![1], 2, m![1 # 2]>(0);",
            ),
        ),
    ]
}

/// The text after a keystroke; one outside of the text leaves what it can.
pub fn replace(text: &str, keystroke: &Keystroke) -> String {
    let (before, after) = (text.get(..keystroke.start), text.get(keystroke.end..));
    [
        before.unwrap_or(""),
        keystroke.text.as_str(),
        after.unwrap_or(""),
    ]
    .concat()
}

/// The time that so many of a hundred stay below.
pub fn percentile(times: &[Duration], percent: usize) -> Duration {
    let mut sorted = times.to_vec();
    sorted.sort();
    let place = (sorted.len() * percent / 100).min(sorted.len().saturating_sub(1));
    sorted.get(place).copied().unwrap_or_default()
}

fn without_inner_attributes(kernel: &str) -> String {
    let lines = kernel
        .lines()
        .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["));
    lines.map(|line| format!("{line}\n")).collect()
}

fn indented(kernel: &str) -> String {
    kernel
        .lines()
        .map(|line| {
            if line.is_empty() {
                "\n".to_owned()
            } else {
                format!("    {line}\n")
            }
        })
        .collect()
}
