//! The library that a crate is written for, as views read it.

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::CrateLibrary;

/// What `visa/dialect` answers with: the object of `visa-lint --format json` about a document's crate, without the files.
#[derive(Serialize, JsonSchema)]
pub struct Dialect<'a> {
    version: u32,
    /// The crate's package, or its root.
    #[serde(rename = "crate")]
    krate: &'a str,
    /// As settings write it: `opt-std`.
    dialect: &'static str,
    /// As the lock file or the manifest writes it; null for a library of one release.
    release: Option<&'a str>,
    /// What decided.
    because: &'a str,
    /// The known release that is read in the place of one that is not known.
    read_as: Option<String>,
}

/// The object that `visa/dialect` answers with.
pub fn dialect_document(known: &CrateLibrary) -> Dialect<'_> {
    let library = &known.library;
    let release = library.dialect.release.to_string();
    Dialect {
        version: 1,
        krate: known.krate.package.as_ref().unwrap_or(&known.krate.root),
        dialect: library.dialect.library.name(),
        release: library.release.as_deref(),
        because: &library.because,
        read_as: library.is_unknown.then_some(release),
    }
}
