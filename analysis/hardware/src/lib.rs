//! RNGD and RNGD-S as data: counts, capacities, type tables, ALU tables.
//!
//! Knows numbers and which combinations exist; computes nothing about a kernel and imports nothing of ours.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

pub mod calibration;
mod casts;
mod contraction;
mod fetch_casts;
mod machine;
mod memories;
mod peaks;
mod streams;
mod types;
mod vector_operations;

pub use calibration::{CalibrationId, Class, Model};
pub use casts::{TRANSPOSE_BUFFER_COLUMNS, TransposeLimits, cast_outputs, transpose_limits};
pub use contraction::contraction_type;
pub use fetch_casts::{
    commit_cast_targets, fetch_cast_targets, fetch_casts, fetch_casts_of_step,
    table_lookup_targets, zero_point_target,
};
pub use machine::Machine;
pub use memories::{
    CLUSTER_ADDRESS_SLICES, DM_SLICE_STRIDE_BYTES, DMA_ENGINE_SLICES, DMA_START_CYCLES, DMN_BYTES,
    DMN_SLICES, HBM_BYTES_A_CYCLE, HBM_CHANNEL_BANKS, HBM_CHANNEL_QUEUE, HBM_CHANNELS,
    HBM_PARTIAL_WRITE_FACTOR, HBM_ROW_SWITCH_THIRDS, HBM_STACK_CHANNELS, HBM_UNIT_THIRDS,
    PCIE_BYTES, hbm_bank, hbm_channel, hbm_row,
};
pub use streams::{
    COMMIT_PACKET_BYTES, COMMIT_UNIT_BYTES, DMA_ALIGNMENT_BYTES, DMA_PACKET_BYTES,
    DMA_REQUEST_BYTES, FETCH_ALIGNMENT_BYTES, FETCH_OUTPUT_BYTES, SEQUENCER_ACCESS_BYTES,
    sub_context_fetch_bytes,
};
pub use types::ElementType;
pub use vector_operations::{
    Alu, Function, OperationGroup, VECTOR_OPERATIONS, VectorOperation, operations_of,
    same_function, vector_operation,
};

/// Elements of 32 bits on the bus from the accumulator to the Vector Engine: a flit (book: Sequential Mode).
pub const ACCUMULATOR_BUS_ELEMENTS: u64 = 8;

/// Bank columns of the tensor register file, each of which gives a flit a read (book: TRF Sequencer).
pub const TRF_COLUMNS: u64 = 2;

/// Rows of the direct-mapped cache before the tensor register file, each with a flit of every column (book: TRF Cache).
pub const TRF_CACHE_ROWS: usize = 4;

/// Bytes of a flit, the unit that every engine after the Switch Engine moves a cycle (book: Packet Normalization).
pub const FLIT_BYTES: u64 = 32;
/// Elements of a group that wait in the Vector Engine's cache while the other group streams in: 1 KiB of 32-bit values.
pub const GROUP_CACHE_ELEMENTS: u64 = 256;
/// Entries of a hardware sequencer (book: Configuration Failures).
pub const SEQUENCER_ENTRIES: usize = 8;
/// Iterations of one sequencer entry at most (book: Configuration Failures).
pub const SEQUENCER_ITERATIONS: u64 = 65_536;
/// Banks of a slice's DM (book: Address Space in a Slice).
pub const DM_BANKS: u64 = 16;
/// Bits of a DM bank's row: 8 bytes (book: Address Space in a Slice).
pub const DM_BANK_BITS: u64 = 64;
/// Consecutive accesses to one DM bank that starve the others (book: Bank Starvation).
pub const BANK_RUN_LIMIT: u64 = 64;

/// The chip a kernel is built for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Target {
    /// RNGD.
    #[default]
    Rngd,
    /// RNGD-S.
    RngdS,
}
