//! Valid counts: which positions of a padded reduction hold data, and whether the generator can say so.

use crate::kernel::Pass;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ValidCountsDerivation {
    /// What the engine cannot do.
    pub violations: Vec<ValidCountsViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValidCountsViolation {}

/// Derives it.
#[must_use]
pub fn derive(_pass: &Pass) -> ValidCountsDerivation {
    ValidCountsDerivation::default()
}
