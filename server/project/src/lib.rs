//! What is checked and how: files, packages, settings and levels, and the engine behind a queue that holds them. The command line, the
//! language server and the tools of coding agents read it.
//!
//! Knows the disk and `visa-lint.toml`; neither terminals nor protocols, and nothing of what a kernel means.

pub mod client_settings;
pub mod copied;
pub mod effort;
pub mod engine;
mod features;
pub mod files;
pub mod folder_dialects;
pub mod git;
pub mod languages;
pub mod levels;
mod libraries;
mod loaded;
mod locks;
pub mod notes;
mod packages;
pub mod parts;
pub mod paths;
pub mod regular;
pub mod requirements;
mod search;
pub mod settings;
mod since;
pub mod workspace_settings;
pub mod writing;

/// Why a run failed.
#[derive(Debug)]
pub struct Failure {
    /// A line each.
    pub messages: Vec<String>,
}

impl Failure {
    /// One reason.
    pub fn new(message: impl Into<String>) -> Self {
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
    pub const fn several(messages: Vec<String>) -> Self {
        Self { messages }
    }
}
