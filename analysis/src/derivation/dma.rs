//! The DMA engines.

use crate::kernel::{Body, Copy};

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DmaDerivation {
    /// What the engine cannot do.
    pub violations: Vec<DmaViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DmaViolation {}

/// Derives it.
#[must_use]
pub fn derive(_body: &Body, _copy: &Copy) -> DmaDerivation {
    DmaDerivation::default()
}
