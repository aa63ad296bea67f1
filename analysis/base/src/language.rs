//! Which language a file is written in: the one table that the search for files, watching, reading and counting ask.
//!
//! It knows endings of paths, and for endings that several languages share the words of a text that decide. It knows nothing of
//! what a text means, and parses none: a file that takes no part costs one search of its text.

use std::fmt;

use borsh::{BorshDeserialize, BorshSerialize};

/// A language that kernels are written in.
#[derive(
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    BorshSerialize,
    BorshDeserialize,
)]
pub enum Language {
    /// Rust, with the libraries of the Virtual ISA.
    #[default]
    Rust,
    /// MLIR text of the PTO dialect.
    Pto,
    /// Python that imports NKI.
    Nki,
}

impl Language {
    /// All of them, in the order in which documents list them.
    pub const ALL: [Self; 3] = [Self::Rust, Self::Pto, Self::Nki];

    /// The name in options, settings and documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Pto => "pto",
            Self::Nki => "nki",
        }
    }

    /// The name in sentences.
    pub const fn title(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Pto => "PTO",
            Self::Nki => "NKI",
        }
    }

    /// The language in a few words, as the option's values explain it.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Rust => "Rust, with the libraries of the Virtual ISA",
            Self::Pto => "MLIR text of the PTO dialect",
            Self::Nki => "Python that imports NKI",
        }
    }

    /// The name of the grammar that its files are parsed by.
    pub const fn grammar(self) -> &'static str {
        match self {
            Self::Rust => "Rust",
            Self::Pto => "MLIR",
            Self::Nki => "Python",
        }
    }

    /// The language of that name in options and settings.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|language| language.name() == name)
    }

    /// What a comment to the end of a line starts with.
    pub const fn comment(self) -> &'static str {
        match self {
            Self::Rust | Self::Pto => "//",
            Self::Nki => "#",
        }
    }

    /// The ending, without its dot, of files that are always of the language or that its kernels are shown in.
    pub const fn ending(self) -> &'static str {
        match self {
            Self::Rust => "rs",
            Self::Pto => "pto",
            Self::Nki => "py",
        }
    }

    /// The tag of a code block of the language in Markdown.
    pub const fn fence(self) -> &'static str {
        match self {
            Self::Rust => "rust",
            Self::Pto => "mlir",
            Self::Nki => "python",
        }
    }

    /// Whether kernels of the language are read by a front end of its own, beside the one for Rust.
    pub const fn has_front_end(self) -> bool {
        !matches!(self, Self::Rust)
    }
}

impl fmt::Display for Language {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.title())
    }
}

/// Files of one ending.
#[derive(Clone, Copy, Debug)]
pub struct Ending {
    /// The ending without its dot.
    pub ending: &'static str,
    /// The language of those that take part.
    pub language: Language,
    /// Whether a text takes part.
    takes_part: fn(&str) -> bool,
    /// Whether the text has to be asked about a file of the ending, because most of them are none of ours.
    pub by_text: bool,
    /// Why a text takes no part, in a clause.
    pub else_reason: &'static str,
}

/// The endings of files that may be ours.
pub const ENDINGS: [Ending; 4] = [
    Ending {
        ending: "rs",
        language: Language::Rust,
        takes_part: |_| true,
        by_text: false,
        else_reason: "it holds no kernel",
    },
    Ending {
        ending: "pto",
        language: Language::Pto,
        takes_part: |text| !is_panorama_project(text),
        by_text: false,
        else_reason: "it is a panorama project, and no PTO",
    },
    Ending {
        ending: "mlir",
        language: Language::Pto,
        takes_part: holds_pto,
        by_text: true,
        else_reason: "it holds no `pto.` operation",
    },
    Ending {
        ending: "py",
        language: Language::Nki,
        takes_part: imports_nki,
        by_text: true,
        else_reason: "it imports no `nki` and no `neuronxcc.nki`",
    },
];

/// What the path of a file says of its language, whatever the case of its ending is; `None` for a file that is of none that we know.
pub fn ending_of(path: &str) -> Option<&'static Ending> {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    let (stem, ending) = name.rsplit_once('.')?;
    let found = ENDINGS
        .iter()
        .find(|known| known.ending.eq_ignore_ascii_case(ending))?;
    // `.py` alone is a hidden file without an ending.
    (!stem.is_empty()).then_some(found)
}

/// Whether a file of the path may be ours, whatever is in it: whether a search takes it up, and an editor asks about it.
pub fn may_be_source(path: &str) -> bool {
    ending_of(path).is_some_and(|known| path.ends_with(known.ending))
}

/// The language of a file by its path and text; `None` where it is of none that we know, or takes no part.
pub fn language_of(path: &str, text: &str) -> Option<Language> {
    let ending = ending_of(path)?;
    (ending.takes_part)(text).then_some(ending.language)
}

/// The beginning of a project of a panorama stitcher, whose files have the ending of PTO's.
const PANORAMA: &str = "# hugin project file";

fn without_mark(text: &str) -> &str {
    text.trim_start_matches('\u{feff}')
}

fn is_panorama_project(text: &str) -> bool {
    without_mark(text).starts_with(PANORAMA)
}

fn holds_pto(text: &str) -> bool {
    let hits = memchr::memmem::find_iter(text.as_bytes(), b"pto.");
    let mut before = hits.map(|at| at.checked_sub(1).and_then(|at| text.as_bytes().get(at)));
    before.any(|before| before.is_none_or(|letter| !is_word(*letter)))
}

const fn is_word(letter: u8) -> bool {
    letter.is_ascii_alphanumeric() || letter == b'_'
}

/// Whether a Python text has an import of NKI, at whatever depth.
fn imports_nki(text: &str) -> bool {
    let mut hits = memchr::memmem::find_iter(text.as_bytes(), b"nki");
    hits.any(|hit| statement_to(text, hit).is_some_and(is_import_of_nki))
        // The names of an import may be on lines of their own.
        || memchr::memmem::find_iter(text.as_bytes(), b"from neuronxcc import (").next().is_some()
            && memchr::memmem::find(text.as_bytes(), b"nki").is_some()
}

/// The line that holds a byte, from its last statement before that byte on.
fn statement_to(text: &str, byte: usize) -> Option<&str> {
    let before = text.get(..byte)?;
    let line = before.rfind('\n').map_or(0, |at| at + 1);
    let begun = before.get(line..)?.rfind([';', ':']);
    let start = begun.map_or(line, |at| line + at + 1);
    let rest = text.get(start..)?;
    let rest = rest.split(['\n', ';', '#']).next()?;
    Some(without_mark(rest).trim())
}

fn is_import_of_nki(statement: &str) -> bool {
    let is_nki = |module: &str| {
        let module = module.split_whitespace().next().unwrap_or_default();
        let own = module.strip_prefix("neuronxcc.").unwrap_or(module);
        own == "nki" || own.starts_with("nki.")
    };
    if let Some(modules) = statement.strip_prefix("import ") {
        return modules.split(',').any(is_nki);
    }
    let Some(rest) = statement.strip_prefix("from ") else {
        return false;
    };
    let Some((module, names)) = rest.split_once(" import") else {
        return false;
    };
    let mut names = names.split([',', '(', ')']).map(str::trim);
    is_nki(module) || module.trim() == "neuronxcc" && names.any(is_nki)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_and_texts_say_the_language() {
        let of = |path: &str, text: &str| language_of(path, text);
        assert_eq!(of("k/a.rs", "import nki"), Some(Language::Rust));
        assert_eq!(of("a.pto", ""), Some(Language::Pto));
        assert_eq!(of("a.pto", "# hugin project file\np f2"), None);
        assert_eq!(of("a.pto", "\u{feff}# hugin project file"), None);
        assert_eq!(
            of("a.mlir", "func.func @f() { pto.barrier }"),
            Some(Language::Pto)
        );
        assert_eq!(of("a.mlir", "%0 = crypto.hash %1"), None);
        assert_eq!(of("a.mlir", "module {}"), None);
        assert_eq!(of("a.pyi", "import nki"), None);
        assert_eq!(of("a.txt", "pto."), None);
        assert_eq!(of("rs", ""), None);
        assert_eq!(of(".py", "import nki"), None);
        assert_eq!(of("a.b/c", ""), None);
    }

    #[test]
    fn python_takes_part_by_what_it_imports() {
        for text in [
            "import nki\n",
            "\u{feff}import nki.isa as nisa\r\n",
            "import os, nki.language as nl",
            "import neuronxcc.nki.isa as nisa",
            "from nki.isa import dge_mode, dma_copy",
            "from nki import isa",
            "x = 1; from neuronxcc.nki import isa",
            "def f():\n    try:\n\tfrom neuronxcc import nki as n\n    except ImportError: pass",
            "try: import nki\nexcept ImportError: nki = None",
            "from neuronxcc import (\n    nki,\n)\n",
        ] {
            assert!(imports_nki(text), "{text:?}");
        }
        for text in [
            "",
            "nki.isa.dma_copy()",
            "# import nki",
            "import nkipy",
            "import my.nki",
            "from .nki import isa",
            "from mine import nki",
            "import monkey",
            "from neuronxcc import compile",
            "important = nki",
        ] {
            assert!(!imports_nki(text), "{text:?}");
        }
    }

    #[test]
    fn each_language_has_an_ending_and_a_name_of_its_own() {
        for language in Language::ALL {
            let ending = ENDINGS
                .iter()
                .find(|known| known.ending == language.ending());
            assert_eq!(ending.map(|known| known.language), Some(language));
            assert_eq!(Language::named(language.name()), Some(language));
        }
        assert_eq!(Language::named("python"), None);
    }
}
