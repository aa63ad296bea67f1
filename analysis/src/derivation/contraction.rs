//! The Contraction Engine: TRF loads, alignment, spatial and temporal reduction.

use crate::kernel::{Body, Pass};

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TrfLoadDerivation {
    /// What the engine cannot do.
    pub violations: Vec<TrfLoadViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TrfLoadViolation {}

/// Derives it.
#[must_use]
pub fn derive_trf_load(_body: &Body, _pass: &Pass) -> TrfLoadDerivation {
    TrfLoadDerivation::default()
}

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlignDerivation {
    /// What the engine cannot do.
    pub violations: Vec<AlignViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlignViolation {}

/// Derives it.
#[must_use]
pub fn derive_align(_body: &Body, _pass: &Pass, _index: usize) -> AlignDerivation {
    AlignDerivation::default()
}

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ContractDerivation {
    /// What the engine cannot do.
    pub violations: Vec<ContractViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ContractViolation {}

/// Derives it.
#[must_use]
pub fn derive_contract(_pass: &Pass, _index: usize) -> ContractDerivation {
    ContractDerivation::default()
}

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccumulateDerivation {
    /// What the engine cannot do.
    pub violations: Vec<AccumulateViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccumulateViolation {}

/// Derives it.
#[must_use]
pub fn derive_accumulate(_pass: &Pass, _index: usize) -> AccumulateDerivation {
    AccumulateDerivation::default()
}
