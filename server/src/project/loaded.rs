//! A file as it was read: plain data that search, comparison and parting share.

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct LoadedFile {
    /// The absolute path, as the engine sees it.
    pub(crate) path: String,
    /// The text.
    pub(crate) text: String,
}
