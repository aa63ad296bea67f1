//! What a file is written for, as plain data: a library in a release, what decided it, and the crate that it holds for.
//!
//! Which of them a file has is found out in the room of items.

use std::sync::Arc;

use borsh::{BorshDeserialize, BorshSerialize};

use crate::{Library, Release};

/// A library in a release: what decides what methods mean.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize,
)]
pub struct Dialect {
    /// The library.
    pub library: Library,
    /// Its release, one that is known: the newest where nothing says which, the nearest where another is said.
    pub release: Release,
}

impl Dialect {
    /// The newest release of a library.
    pub const fn newest(library: Library) -> Self {
        Self {
            library,
            release: library.newest(),
        }
    }
}

impl Default for Dialect {
    fn default() -> Self {
        Self::newest(Library::default())
    }
}

/// Library and release, and what decided them.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub struct FileLibrary {
    /// The library in its release.
    pub dialect: Dialect,
    /// The release as it is written somewhere, patch included: `0.8.1`; as shapes give it, or the newest, where it is written
    /// nowhere. None for a library with a single release, where nothing writes it.
    pub release: Option<Arc<str>>,
    /// What decided, in a clause; files are named as below the crate's folder.
    pub because: Arc<str>,
    /// Whether the release that is written is none of those that are known, so that the nearest one is read instead.
    pub is_unknown: bool,
}

/// The crate that a file belongs to, as far as libraries go: a package has one manifest for all its targets.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub struct Crate {
    /// The package's name; none for a file outside of all packages.
    pub package: Option<Arc<str>>,
    /// The folder of the package's manifest; for a file outside of all packages the root file of its modules.
    pub root: Arc<str>,
}
