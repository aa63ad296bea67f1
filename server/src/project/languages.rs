//! Which files can be checked: a row a language, told by the ending of a file's name.
//!
//! Knows names only; what is in a file is the reader's business.

use std::path::Path;

/// How the text of a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Language {
    /// A source file of Rust.
    Rust,
    /// A text with fenced blocks of Rust.
    Markdown,
}

/// The files of a language.
struct Row {
    language: Language,
    /// The ending behind the last dot, in lower case.
    extension: &'static str,
    /// Whether searching a folder finds its files; files of the others are named one by one.
    searched: bool,
}

const LANGUAGES: &[Row] = &[
    Row {
        language: Language::Rust,
        extension: "rs",
        searched: true,
    },
    Row {
        language: Language::Markdown,
        extension: "md",
        searched: false,
    },
    Row {
        language: Language::Markdown,
        extension: "markdown",
        searched: false,
    },
];

/// The language of a file that is named; the case of the ending does not matter.
pub(crate) fn language_of(path: &Path) -> Option<Language> {
    let extension = path.extension()?.to_str()?.to_ascii_lowercase();
    let mut rows = LANGUAGES.iter();
    rows.find(|row| row.extension == extension)
        .map(|row| row.language)
}

/// Whether a search of a folder takes a file up.
pub(crate) fn is_searched(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    LANGUAGES
        .iter()
        .any(|row| row.searched && extension == Some(row.extension))
}

/// Why a file cannot be checked, and what can.
pub(crate) fn refusal(shown: &str) -> String {
    let endings: Vec<String> = LANGUAGES
        .iter()
        .map(|row| format!("`.{}`", row.extension))
        .collect();
    format!(
        "cannot check `{shown}`: its name is that of no kernel file ({} files are), no folder and no `Cargo.toml`; a text of \
         another name is read by `visa-lint - --stdin-filename NAME.rs`",
        endings.join(" and ")
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{Language, is_searched, language_of};

    #[test]
    fn endings_tell_languages() {
        let of = |path: &str| language_of(Path::new(path));
        assert_eq!(of("k/a.rs"), Some(Language::Rust));
        assert_eq!(of("k/A.RS"), Some(Language::Rust));
        assert_eq!(of("a.md"), Some(Language::Markdown));
        assert_eq!(of("a.rs.txt"), None);
        assert_eq!(of("rs"), None);
        assert_eq!(of(".rs"), None);
        assert!(is_searched(Path::new("k/a.rs")));
        assert!(!is_searched(Path::new("k/a.txt")));
        assert!(!is_searched(Path::new("k/a.md")));
    }
}
