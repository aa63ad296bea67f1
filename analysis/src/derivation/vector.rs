//! The Vector Engine over a pass: stages, ways, ALUs, stash, shapes, operands.

use crate::kernel::{Body, Pass};

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VectorDerivation {
    /// What the engine cannot do.
    pub violations: Vec<VectorViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VectorViolation {}

/// Derives it.
#[must_use]
pub fn derive(_body: &Body, _pass: &Pass) -> VectorDerivation {
    VectorDerivation::default()
}
