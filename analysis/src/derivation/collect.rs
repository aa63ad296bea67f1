//! The Collect Engine, and loads of the VRF.

use crate::kernel::{Body, Pass};

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CollectDerivation {
    /// What the engine cannot do.
    pub violations: Vec<CollectViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CollectViolation {}

/// Derives it.
#[must_use]
pub fn derive(_pass: &Pass, _index: usize) -> CollectDerivation {
    CollectDerivation::default()
}

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VrfLoadDerivation {
    /// What the engine cannot do.
    pub violations: Vec<VrfLoadViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VrfLoadViolation {}

/// Derives it.
#[must_use]
pub fn derive_vrf_load(_body: &Body, _pass: &Pass) -> VrfLoadDerivation {
    VrfLoadDerivation::default()
}
