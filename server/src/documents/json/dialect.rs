//! The library that a crate is written for, as views read it.

use schemars::JsonSchema;
use serde::Serialize;

/// What `visa/dialect` answers with: the object of `visa-lint --format json` about a document's crate, without the files.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Dialect<'a> {
    pub(crate) version: u32,
    /// The crate's package, or its root.
    #[serde(rename = "crate")]
    pub(crate) krate: &'a str,
    /// As settings write it: `opt-std`.
    pub(crate) dialect: &'static str,
    /// As the lock file or the manifest writes it; null for a library of one release.
    pub(crate) release: Option<&'a str>,
    /// What decided.
    pub(crate) because: &'a str,
    /// The known release that is read in the place of one that is not known.
    pub(crate) read_as: Option<String>,
}
