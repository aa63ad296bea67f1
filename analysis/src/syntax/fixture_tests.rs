//! The texts that tests of several rooms run over.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::path::PathBuf;

/// The texts of all fixtures in Rust.
pub(crate) fn fixture_texts() -> Vec<String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../fixtures");
    let (mut folders, mut texts) = (vec![PathBuf::from(folder)], Vec::new());
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
