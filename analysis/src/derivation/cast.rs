//! The Cast Engine.

use crate::hardware::Target;
use crate::kernel::Pass;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CastDerivation {
    /// What the engine cannot do.
    pub violations: Vec<CastViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CastViolation {}

/// Derives it.
#[must_use]
pub fn derive(_pass: &Pass, _index: usize, _target: Target) -> CastDerivation {
    CastDerivation::default()
}
