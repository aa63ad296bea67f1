//! What a sequencer cannot do, with its numbers.

use std::sync::Arc;

use super::Misfit;

/// A limit of the hardware that a configuration breaks, or a reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SequencerViolation {
    /// The stream asks for a part of an axis that the buffer does not hold, or in digits that do not fit.
    Misfit(Misfit),
    /// A stride of 0 on the writing side (book: Full-flit Commit).
    WriteBroadcast {
        /// The axis that the buffer lacks, if the loop has one.
        axis: Option<Arc<str>>,
        /// Iterations that would write the same place.
        size: u64,
    },
    /// What is committed of a packet is not 8, 16, 24 or 32 bytes (book: Commit Engine, Constraints).
    CommitPacket {
        /// Bits of the committed part.
        bits: u64,
    },
    /// Not even one byte is in a line, so that no access size serves (book: Configuration Failures).
    Packet {
        /// Bits that are in a line.
        contiguous_bits: u64,
        /// Bits of the packet in the buffer.
        packet_bits: u64,
    },
    /// The sub context has one fetch size, and packet or line are no multiple of it (book: Fetch Sequencer).
    SubContextSize {
        /// Bytes of the fetch size it has.
        needed: u64,
        /// Bits that divide both packet and line.
        common_bits: u64,
    },
    /// A fetch has more than 32 bytes after its conversion, at every size there is (book: Type Casting).
    CastOverflow {
        /// Bytes of the smallest fetch that there is.
        fetch: u64,
        /// Bytes that come of it.
        delivered: u64,
    },
    /// A converted fetch of less than 8 bytes delivers a part of a word at every size there is (library: fetch size).
    CastPart {
        /// Bytes of the largest fetch that fits.
        fetch: u64,
        /// Bytes that come of it.
        delivered: u64,
    },
    /// The writes of a packet are no multiples of 8 bytes (book: Commit Engine, Constraints).
    CommitSize {
        /// Bits that are in a line.
        contiguous_bits: u64,
        /// Bytes of the committed part of the packet.
        packet_bytes: u64,
    },
    /// A stride on the writing side that is no multiple of 8 bytes (book: Commit Engine, Constraints).
    WriteStride {
        /// The axis of the loop, if it has one.
        axis: Option<Arc<str>>,
        /// The stride in bits.
        bits: i128,
    },
    /// The writing side steps beyond its tensor (book: Tail Padding and Fetch Size).
    WriteBounds {
        /// Elements from the start of the buffer to the end of the last write.
        end: i128,
        /// Elements of the buffer.
        size: u64,
    },
    /// A DMA packet above 4,096 bytes that no smaller one divides (book: DMA Engine).
    DmaPacket {
        /// Bits of the packet.
        bits: u64,
    },
    /// More than 8 entries after merging (book: Configuration Failures).
    Entries {
        /// Entries after merging.
        count: usize,
    },
    /// More than 65,536 iterations in a loop that cannot be split (book: Configuration Failures).
    Iterations {
        /// Iterations of the loop.
        size: u64,
    },
}

impl SequencerViolation {
    /// The rule that reports it.
    pub const fn rule(&self) -> Option<&'static str> {
        Some(match self {
            Self::Misfit(Misfit::Insufficient { .. }) => "sequencer_insufficient_input",
            Self::Misfit(Misfit::Incompatible { .. }) => "sequencer_incompatible",
            Self::Misfit(Misfit::Unknown) => return None,
            Self::WriteBroadcast { .. } => "sequencer_write_broadcast",
            Self::CommitPacket { .. } => "commit_packet_size",
            Self::Packet { .. } => "sequencer_packet",
            Self::SubContextSize { .. } => "fetch_sub_context_size",
            Self::CastOverflow { .. } | Self::CastPart { .. } => "fetch_cast_overflow",
            Self::CommitSize { .. } => "commit_size",
            Self::WriteStride { .. } => "sequencer_write_stride",
            Self::WriteBounds { .. } => "sequencer_write_bounds",
            Self::DmaPacket { .. } => "dma_packet_limit",
            Self::Entries { .. } => "sequencer_entries",
            Self::Iterations { .. } => "sequencer_iterations",
        })
    }
}
