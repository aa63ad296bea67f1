//! Tensors on their own: hierarchy sizes, capacities, alignment, tiles.

use crate::kernel::Body;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TensorsDerivation {
    /// What the engine cannot do.
    pub violations: Vec<TensorsViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TensorsViolation {}

/// Derives it.
#[must_use]
pub fn derive(_body: &Body) -> TensorsDerivation {
    TensorsDerivation::default()
}
