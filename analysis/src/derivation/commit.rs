//! The Commit Engine.

use crate::kernel::{Body, Pass};

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitDerivation {
    /// What the engine cannot do.
    pub violations: Vec<CommitViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitViolation {}

/// Derives it.
#[must_use]
pub fn derive(_body: &Body, _pass: &Pass) -> CommitDerivation {
    CommitDerivation::default()
}
