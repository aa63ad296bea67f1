//! What is checked and how: files, packages, settings and levels, for the command line and the language server alike.
//!
//! Knows the disk and `visa-lint.toml`; neither terminals nor the protocol of editors, and nothing of what a kernel means.

pub(crate) mod client_settings;
pub(crate) mod copied;
pub(crate) mod effort;
pub(crate) mod engine;
pub(crate) mod features;
pub(crate) mod files;
pub(crate) mod folder_dialects;
pub(crate) mod git;
pub(crate) mod languages;
pub(crate) mod levels;
pub(crate) mod libraries;
mod loaded;
mod locks;
pub(crate) mod notes;
pub(crate) mod packages;
pub(crate) mod parts;
pub(crate) mod paths;
pub(crate) mod regular;
pub(crate) mod requirements;
mod search;
pub(crate) mod settings;
mod since;
pub(crate) mod workspace_settings;
pub(crate) mod writing;

/// Why a run failed.
#[derive(Debug)]
pub(crate) struct Failure {
    /// A line each.
    pub(crate) messages: Vec<String>,
}

impl Failure {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            messages: vec![message.into()],
        }
    }

    /// The same with a further line.
    pub(crate) fn with_message(mut self, message: impl Into<String>) -> Self {
        self.messages.push(message.into());
        self
    }

    /// Several things that are wrong at once.
    pub(crate) const fn several(messages: Vec<String>) -> Self {
        Self { messages }
    }
}
