//! The Transpose Engine.

use crate::kernel::Pass;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TransposeDerivation {
    /// What the engine cannot do.
    pub violations: Vec<TransposeViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TransposeViolation {}

/// Derives it.
#[must_use]
pub fn derive(_pass: &Pass, _index: usize) -> TransposeDerivation {
    TransposeDerivation::default()
}
