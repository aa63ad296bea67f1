//! The order of engines in a pass.

use crate::kernel::Pass;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PipelineDerivation {
    /// What the engine cannot do.
    pub violations: Vec<PipelineViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PipelineViolation {}

/// Derives it.
#[must_use]
pub fn derive(_pass: &Pass) -> PipelineDerivation {
    PipelineDerivation::default()
}
