//! In which libraries and releases a rule holds, and who else than visa-lint would find what it finds.
//!
//! Every rule's declaration says both. Nothing else decides whether a rule speaks about a dialect.

use borsh::{BorshDeserialize, BorshSerialize};

use super::Rule;
use visa_libraries::Dialect;
use visa_libraries::Releases;
use visa_libraries::{Library, Release, Said};

/// The first release of the successor.
const FIRST: Release = Release::new(0, 2);

/// The libraries and releases in which a rule holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holds {
    book: bool,
    successor: Option<Releases>,
}

impl Holds {
    /// In the book's library and in every release of its successor.
    pub const EVERYWHERE: Self = Self {
        book: true,
        successor: Some(Releases::since(FIRST)),
    };
    /// In the book's library alone.
    pub const BOOK: Self = Self {
        successor: None,
        ..Self::EVERYWHERE
    };
    /// In every release of the successor, and not in the book's library.
    pub const SUCCESSOR: Self = Self {
        book: false,
        ..Self::EVERYWHERE
    };

    /// Of the successor from release `0.minor` on.
    pub const fn since(self, minor: u16) -> Self {
        let releases = match self.successor {
            Some(releases) => Releases {
                since: Release::new(0, minor),
                ..releases
            },
            None => Releases::since(Release::new(0, minor)),
        };
        Self {
            successor: Some(releases),
            ..self
        }
    }

    /// Of the successor up to release `0.minor`.
    pub const fn until(self, minor: u16) -> Self {
        let since = match self.successor {
            Some(releases) => releases.since,
            None => FIRST,
        };
        Self {
            successor: Some(Releases {
                since,
                until: Some(Release::new(0, minor)),
            }),
            ..self
        }
    }

    /// The releases of a library in which it holds; `None` if in none.
    pub const fn releases(&self, library: Library) -> Option<Releases> {
        match library {
            Library::VisaStd if self.book => Some(Releases::since(library.newest())),
            Library::VisaStd => None,
            Library::OptStd => self.successor,
        }
    }

    /// Whether it holds in a dialect.
    pub fn contain(&self, dialect: Dialect) -> bool {
        match dialect.library {
            Library::VisaStd => self.book,
            Library::OptStd => (self.successor).is_some_and(|own| own.contain(dialect.release)),
        }
    }
}

/// Who finds what a rule finds, beside visa-lint.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize,
)]
pub enum Confirmer {
    /// The library: a compile error or a panic of a run without the hardware.
    Library,
    /// The vendor's compiler, after it has translated the kernel.
    Compiler,
    /// No program: the model of the hardware says so.
    Model,
}

impl Confirmer {
    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Library => "library",
            Self::Compiler => "compiler",
            Self::Model => "model",
        }
    }
}

/// Who refuses a kernel that breaks a rule, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Whether the book's library does.
    book: bool,
    /// The first release of the successor that does.
    since: Option<Release>,
    /// Who finds it where the successor does not.
    otherwise: Option<Confirmer>,
}

impl Refusal {
    /// No program does.
    pub const NEVER: Self = Self {
        book: false,
        since: None,
        otherwise: Some(Confirmer::Model),
    };
    /// Both libraries do, in all releases.
    pub const BY_LIBRARIES: Self = Self {
        book: true,
        since: Some(FIRST),
        ..Self::NEVER
    };
    /// The book's library does; what the successor says of it is not known.
    pub const BY_BOOK: Self = Self {
        book: true,
        ..Self::NEVER
    };
    /// The successor's compiler does, and no library.
    pub const BY_COMPILER: Self = Self::NEVER.else_compiler();
    /// There is nothing to refuse: the rule speaks about visa-lint's own run.
    pub const OWN: Self = Self {
        otherwise: None,
        ..Self::NEVER
    };

    /// The successor does from release `0.minor` on.
    pub const fn since(minor: u16) -> Self {
        Self {
            since: Some(Release::new(0, minor)),
            ..Self::NEVER
        }
    }

    /// Where the successor does not, its compiler does.
    pub const fn else_compiler(self) -> Self {
        Self {
            otherwise: Some(Confirmer::Compiler),
            ..self
        }
    }

    /// The first release of a library whose own code refuses it; `None` if no release does.
    pub const fn since_release(&self, library: Library) -> Option<Release> {
        match library {
            Library::VisaStd if self.book => Some(library.newest()),
            Library::VisaStd => None,
            Library::OptStd => self.since,
        }
    }

    /// Who finds it where the successor's own code does not; `None` where there is nothing to confirm.
    pub const fn otherwise(&self) -> Option<Confirmer> {
        self.otherwise
    }

    /// Who finds it in a dialect; `None` where there is nothing to confirm.
    pub fn confirmer(&self, dialect: Dialect) -> Option<Confirmer> {
        let otherwise = self.otherwise?;
        let refuses = self.since_release(dialect.library);
        if refuses.is_some_and(|since| since <= dialect.release) {
            return Some(Confirmer::Library);
        }
        // Nothing is known of what a compiler says of kernels for the book's library.
        Some(match dialect.library {
            Library::VisaStd => Confirmer::Model,
            Library::OptStd => otherwise,
        })
    }
}

impl Rule {
    /// Whether the rule holds in a dialect. Where it does not, it does not run.
    pub fn holds_in(&self, dialect: Dialect) -> bool {
        self.holds.contain(dialect)
    }

    /// Who would find in a dialect what the rule finds there; `None` for rules about visa-lint's own run.
    pub fn confirmed_by(&self, dialect: Dialect) -> Option<Confirmer> {
        self.refused.confirmer(dialect)
    }

    /// What the libraries and their compiler say of what the rule finds, each text once.
    pub fn texts(&self) -> Vec<Said> {
        let mut texts: Vec<Said> = Vec::new();
        // The successor's texts are the ones that users meet.
        let libraries = Library::ALL.into_iter().rev();
        for said in libraries.flat_map(|library| library.errors_of(self.name)) {
            if !texts.contains(said) {
                texts.push(*said);
            }
        }
        texts
    }
}
