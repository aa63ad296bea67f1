//! The Fetch Engine.

use crate::hardware::Target;
use crate::kernel::{Body, Pass};

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchDerivation {
    /// What the engine cannot do.
    pub violations: Vec<FetchViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchViolation {}

/// Derives it.
#[must_use]
pub fn derive(_body: &Body, _pass: &Pass, _index: usize, _target: Target) -> FetchDerivation {
    FetchDerivation::default()
}
