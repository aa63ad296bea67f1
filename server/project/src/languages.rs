//! Which files can be checked, told by the endings of their names: those of the engine's languages, and texts with blocks of Rust.
//!
//! Knows names only; what is in a file is the reader's business.

use std::path::Path;

use visa_analysis::{ENDINGS, Language, ending_of, is_markdown, may_be_source};

/// Endings of texts with fenced blocks of Rust. They are named one by one: a search passes them over.
const MARKDOWN: [&str; 2] = ["md", "markdown"];

/// Whether a file that is named can be checked; the case of the ending does not matter.
pub fn is_known(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    name.is_some_and(|name| ending_of(&name).is_some() || is_markdown(&name))
}

/// Whether a search of a folder takes a file up.
pub(crate) fn is_searched(path: &Path) -> bool {
    // A name that is no text is taken up as well, so that it is said that it cannot be checked.
    path.file_name()
        .is_some_and(|name| may_be_source(&name.to_string_lossy()))
}

/// Whether a file is in Rust by its name: one that others may take names from.
pub(crate) fn is_rust(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy());
    let ending = name.as_deref().and_then(ending_of);
    ending.is_some_and(|ending| ending.language == Language::Rust)
}

/// Why a file cannot be checked, and what can.
pub(crate) fn unsupported_file_text(shown: &str) -> String {
    format!(
        "cannot check `{shown}`: its name is that of no kernel file ({} files are), no folder and no `Cargo.toml`; a \
         text of another name is read by `visa-lint - --stdin-filename NAME.rs`, or with `--language`",
        known_endings()
    )
}

/// The endings of all files that can be checked, in words.
pub fn known_endings() -> String {
    let endings = ENDINGS.iter().map(|known| known.ending).chain(MARKDOWN);
    let endings: Vec<String> = endings.map(|ending| format!("`.{ending}`")).collect();
    match endings.split_last() {
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

/// Why a file takes no part although its ending is one of ours.
pub(crate) fn takes_no_part(shown: &str) -> String {
    let why = ending_of(shown).map_or("it holds no kernel", |known| known.else_reason);
    format!("`{shown}` has nothing to check: {why}; `--language` reads it anyway")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{is_known, is_rust, is_searched, unsupported_file_text};

    #[test]
    fn endings_tell_languages() {
        let known = |path: &str| is_known(Path::new(path));
        for path in [
            "k/a.rs",
            "k/A.RS",
            "a.md",
            "a.pto",
            "a.mlir",
            "a.py",
            "a.markdown",
        ] {
            assert!(known(path), "{path}");
        }
        for path in ["a.rs.txt", "rs", ".rs", "a.pyi", "a.txt"] {
            assert!(!known(path), "{path}");
        }
        let searched = |path: &str| is_searched(Path::new(path));
        assert!(searched("k/a.rs") && searched("a.pto") && searched("a.py"));
        assert!(!searched("k/a.txt") && !searched("k/a.md") && !searched("A.RS"));
        assert!(is_rust(Path::new("k/a.rs")) && !is_rust(Path::new("k/a.pto")));
        assert!(
            unsupported_file_text("a.txt")
                .contains("`.rs`, `.pto`, `.mlir`, `.py`, `.md` and `.markdown`")
        );
    }
}
