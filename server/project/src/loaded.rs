//! A file as it was read: plain data that search, comparison and parting share.

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct LoadedFile {
    /// The absolute path, as the engine sees it.
    pub path: String,
    /// The text.
    pub text: String,
}
