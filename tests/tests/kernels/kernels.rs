//! Whole kernels: those that are right have no finding that matters and no operation that is not understood; the book's own
//! programs have exactly the findings that their markers name.

use std::path::{Path, PathBuf};

use visa_analysis::{Group, Report, Workspace};
use visa_tests::{differences, line_of, read, repository, rust_files, shown};

/// The book's programs: each is once as written and once right.
const BOOK: [&str; 5] = [
    "constant_addition",
    "dot_product",
    "elementwise_multiplication",
    "gemm",
    "gemv",
];

/// The crates of a folder: each file on its own, each folder with all its files.
fn crates(folder: &Path) -> Vec<(PathBuf, Vec<PathBuf>)> {
    let mut entries: Vec<PathBuf> = std::fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    entries.sort();
    let of = |entry: PathBuf| {
        let files = if entry.is_dir() {
            rust_files(&entry)
        } else {
            vec![entry.clone()]
        };
        (entry, files)
    };
    entries.into_iter().map(of).collect()
}

fn check(files: &[PathBuf]) -> Report {
    let texts: Vec<(String, String)> = files.iter().map(|path| (shown(path), read(path))).collect();
    let mut workspace = Workspace::new();
    workspace.set_files(
        texts
            .iter()
            .map(|(path, text)| (path.as_str(), text.as_str())),
    );
    workspace.analysis().check_all()
}

#[test]
fn right_kernels_have_no_finding_above_performance_and_are_understood() {
    let folder = repository().join("fixtures/kernels/right");
    let mut problems = Vec::new();
    for (entry, files) in crates(&folder) {
        let report = check(&files);
        for diagnostic in &report.diagnostics {
            if !matches!(diagnostic.group, Group::Performance | Group::Style) {
                problems.push(format!("{}:{}", diagnostic.file, line_of(diagnostic)));
            }
        }
        problems.extend(
            report
                .problems
                .iter()
                .map(|(path, problem)| format!("{path}: {problem}")),
        );
        if report.operations.unresolved > 0 {
            problems.push(format!(
                "{}: unresolved: {:?}",
                shown(&entry),
                report.operations.reasons
            ));
        }
        if report.operations.resolved == 0 || report.kernels == 0 {
            problems.push(format!(
                "{}: {} kernels, {:?}",
                shown(&entry),
                report.kernels,
                report.operations
            ));
        }
    }
    assert!(
        problems.is_empty(),
        "{} problems\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn there_are_enough_right_kernels() {
    let folder = repository().join("fixtures/kernels/right");
    let kernels: u64 = crates(&folder)
        .iter()
        .map(|(_, files)| check(files).kernels)
        .sum();
    let lines: usize = rust_files(&folder)
        .iter()
        .map(|path| read(path).lines().count())
        .sum();
    assert!(
        usize::try_from(kernels).is_ok_and(|kernels| kernels >= 40 + BOOK.len()),
        "{kernels} right kernels"
    );
    assert!((200..=2_000).contains(&lines), "{lines} lines");
}

#[test]
fn the_books_programs_have_exactly_the_marked_findings() {
    let fixtures = repository().join("fixtures/kernels");
    let mut problems = Vec::new();
    for name in BOOK {
        let file = format!("{name}.rs");
        assert!(
            fixtures.join("right").join(&file).is_file(),
            "{name} has no right version"
        );
        let path = fixtures.join("book").join(&file);
        assert!(path.is_file(), "{name} is missing as the book prints it");
        problems.extend(differences(&shown(&path), &read(&path)));
    }
    assert!(
        problems.is_empty(),
        "{} differences\n{}",
        problems.len(),
        problems.join("\n")
    );
}

#[test]
fn a_folder_checked_at_once_says_what_its_files_say() {
    let kernels = repository().join("fixtures/kernels");
    let entries = ["book", "right"]
        .map(|folder| crates(&kernels.join(folder)))
        .concat();
    let files: Vec<PathBuf> = entries
        .into_iter()
        .map(|(entry, _)| entry)
        .filter(|entry| entry.is_file())
        .collect();
    let together = check(&files);
    let alone: Vec<_> = files
        .iter()
        .flat_map(|path| check(std::slice::from_ref(path)).diagnostics)
        .collect();
    assert_eq!(together.diagnostics, alone);
    assert_eq!(usize::try_from(together.files), Ok(files.len()));
}
