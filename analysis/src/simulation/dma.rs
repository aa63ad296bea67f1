//! Cycles of a DMA transfer (book: DMA Performance, HBM).
//!
//! Knows how the requests of a transfer spread over engines, DMNs, slices, HBM channels and banks. The loops of the
//! transfer come from its derivation; nothing here walks them element by element.

use crate::derivation::dma::DmaDerivation;
use crate::kernel::{Body, Copy};

use super::OperationCost;

/// The pattern of a transfer in its two memories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DmaCost {
    /// Requests on the reading side, over all engines.
    pub read_requests: u64,
    /// Requests on the writing side, over all engines.
    pub write_requests: u64,
    /// Engines that work on it in parallel.
    pub engines: u64,
}

/// What a transfer costs.
#[must_use]
pub fn cost(_body: &Body, _copy: &Copy, _derivation: &DmaDerivation) -> OperationCost {
    OperationCost::default()
}
