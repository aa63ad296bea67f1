//! Whole kernels: the book's programs and the right kernels lower without anything unresolved.

use std::path::Path;

use super::*;

pub(super) fn kernels(folder: &str) -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../fixtures/kernels")
        .join(folder);
    let mut files: Vec<(String, String)> = std::fs::read_dir(root)
        .expect("the fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .map(|path| {
            let name = path
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read_to_string(&path).expect("a text"))
        })
        .collect();
    files.sort();
    files
}

fn check(folder: &str, least: usize) {
    let mut failed = Vec::new();
    let mut operations = 0;
    for (name, text) in kernels(folder) {
        let mut db = AnalysisDatabase::default();
        db.set_project(
            [(name.as_str(), text.as_str())],
            Vec::new(),
            Options::default(),
        );
        let file = db.file(&name).expect("the file");
        for item in file_items(&db, file)
            .items
            .iter()
            .filter(|item| item.kind(&db) == ItemKind::Function)
        {
            let body = crate::body(&db, *item);
            operations += body.operations.len();
            for entry in &body.unresolved {
                failed.push(format!(
                    "{name} {}: {:?} at `{}`",
                    body.name,
                    entry.reason,
                    text_at(&db, entry.span)
                ));
            }
        }
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
    assert!(operations >= least, "{operations} operations");
}

#[test]
fn the_books_programs_resolve() {
    // Copies in, passes, copies out: 3, 5, 5, 5, 5, and two or three host transfers each.
    check("book", 23);
}

#[test]
fn right_kernels_resolve() {
    check("right", 100);
}
