//! What a command ends with, and the exit code for it.

use std::process::ExitCode;

/// What a command ends with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Nothing at level deny.
    Fine,
    /// Something at level deny, or an expression that is ill-formed.
    Found,
    /// The run itself failed; the words are already on standard error.
    Failed,
    /// The language server ended with a code of its own.
    Served(u8),
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Found => 1,
            Outcome::Failed => 2,
            Outcome::Served(code) => code,
        })
    }
}
