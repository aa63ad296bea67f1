//! Sizes that the engines between memory and stream work in: Fetch, Commit and DMA.

use super::ElementType;

/// Bytes that one access of a sequencer can move, smallest first (book: Configuration Failures). The Fetch Engine of the
/// main context has all of them (book: Fetch Sequencer, Constraints).
pub const SEQUENCER_ACCESS_BYTES: [u64; 6] = [1, 2, 4, 8, 16, 32];
/// A packet that leaves the Fetch Engine is a multiple of this many bytes (book: Fetch Engine, Constraints).
pub const FETCH_ALIGNMENT_BYTES: u64 = 8;
/// Bytes that one fetch may have after its conversion: a flit (book: Type Casting, Constraints).
pub const FETCH_OUTPUT_BYTES: u64 = 32;
/// Bytes of a packet that the Commit Engine can write, smallest first (book: Commit Engine, Constraints).
pub const COMMIT_PACKET_BYTES: [u64; 4] = [8, 16, 24, 32];
/// What addresses, strides and sizes of a commit are multiples of, in bytes (book: Commit Engine, Constraints).
pub const COMMIT_UNIT_BYTES: u64 = 8;
/// What a DMA's addresses and packets are multiples of where DM is written, in bytes (book: DMA, Alignment Constraints).
pub const DMA_ALIGNMENT_BYTES: u64 = 8;
/// Bytes of a DMA packet at most (book: DMA, Alignment Constraints).
pub const DMA_PACKET_BYTES: u64 = 4096;
/// Bytes of a request that a DMA packet is split into (book: Packet size and internal DMA requests).
pub const DMA_REQUEST_BYTES: u64 = 256;

/// Bytes of the one fetch size that the sub context has for a conversion (book: Fetch Sequencer, Constraints).
pub const fn sub_context_fetch_bytes(from: ElementType, to: ElementType) -> u64 {
    match (from, to) {
        (ElementType::I4, ElementType::I32) => 4,
        _ => 8,
    }
}
