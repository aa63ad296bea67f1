//! The texts that tests of several rooms run over.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

/// The texts of all fixtures in Rust.
pub fn fixture_texts() -> Vec<String> {
    // Several crates compile this file, each from a folder of its own.
    let above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = above.map(|folder| folder.join("fixtures/kernels"));
    let kernels: PathBuf = { found }.find(|folder| folder.is_dir()).expect("a folder");
    let folder = kernels.parent().expect("a folder").to_path_buf();
    let (mut folders, mut texts) = (vec![folder], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                texts.push(std::fs::read_to_string(path).expect("a text"));
            }
        }
    }
    texts
}
