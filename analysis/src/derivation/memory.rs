//! Lifetimes of tensors and what happens between them: overlaps, stale reads, lost data.

use crate::kernel::Body;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryDerivation {
    /// What the engine cannot do.
    pub violations: Vec<MemoryViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryViolation {}

/// Derives it.
#[must_use]
pub fn derive(_body: &Body) -> MemoryDerivation {
    MemoryDerivation::default()
}
