//! Cycles of a pass, a stage at a time (book: the engines' chapters).
//!
//! Knows how many cycles each engine is busy with a stream of known shape and what latency it adds; nothing about what
//! runs beside the pass.

use crate::derivation::PassDerivation;
use crate::hardware::Target;
use crate::kernel::{Body, Pass};

use super::OperationCost;

/// What a pass costs.
#[must_use]
pub fn cost(
    _body: &Body,
    _pass: &Pass,
    _derivation: &PassDerivation,
    _target: Target,
) -> OperationCost {
    OperationCost::default()
}
