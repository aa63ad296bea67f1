//! The Contraction Engine: TRF loads, alignment of stream and TRF operand, spatial and temporal reduction.
//!
//! Knows rows, the Stream Adapter, the TRF Sequencer, the reduction tree and the accumulator. Does not know the TRF's
//! capacity nor who else is in it (`tensors`, `memory`).

mod accumulate;
mod align;
mod contract;
mod lanes;
mod trf_load;
mod trf_sequencer;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod exact_tests;
#[cfg(test)]
mod tests;

pub use accumulate::{
    AccumulateDerivation, AccumulateViolation, AccumulatedTime, INTERLEAVED_LIMIT,
    SEQUENTIAL_LIMIT, derive_accumulate,
};
pub use align::{AlignDerivation, AlignViolation, AlignedTime, derive_align};
#[cfg(test)]
pub use contract::tree_depth;
pub use contract::{ContractDerivation, ContractViolation, derive_contract, is_operand_type};
pub use lanes::derive_time;
pub use trf_load::{PARTIAL_ROWS, TrfLoadDerivation, TrfLoadViolation, derive_trf_load};
#[cfg(test)]
pub use trf_sequencer::TrfEntry;
pub use trf_sequencer::{TrfSequencer, TrfSequencerError};

/// Bytes that a row of the MAC array multiplies a cycle (book: TRF Read Mechanism).
pub const MAC_BYTES: u64 = 64;

/// Whether the MAC array can run with that many rows (book: Rows).
const fn is_row_count(rows: u64) -> bool {
    matches!(rows, 1 | 2 | 4 | 8)
}
