//! The Switch Engine.

use crate::kernel::Pass;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SwitchDerivation {
    /// What the engine cannot do.
    pub violations: Vec<SwitchViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchViolation {}

/// Derives it.
#[must_use]
pub fn derive(_pass: &Pass, _index: usize) -> SwitchDerivation {
    SwitchDerivation::default()
}
