//! Figures of the machine that rules, hovers and cost share.
//!
//! Plain numbers with their units; decides nothing.

use crate::types::{Generation, Generations};

/// Nanoseconds that the hardware block takes to make the descriptors of an instruction.
pub const GENERATION_NS: u64 = 600;
/// Nanoseconds from a semaphore to the start of a DMA.
pub const START_NS: u64 = 1_300;
/// DMA engines of a core.
pub const ENGINES: u64 = 16;
/// Bytes a partition in a line below which the overhead of a DMA outweighs its bytes.
pub const SMALL_PAYLOAD: i64 = 256;
/// Bytes a partition in a line that are recommended.
pub const GOOD_PAYLOAD: i64 = 2_048;
/// Bytes a partition at which the bandwidth is reached.
pub const FULL_PAYLOAD: i64 = 4_096;
/// Partitions of SBUF and PSUM.
pub const PARTITIONS: i64 = 128;
/// Bytes of a partition of PSUM.
pub const PSUM_PARTITION: i64 = 16 * 1_024;
/// Banks of a partition of PSUM.
pub const PSUM_BANKS: i64 = 8;
/// Instances of an instruction from which on their static descriptors are worth a word.
pub const MANY_DESCRIPTORS: i64 = 4_096;

/// Bytes of a partition of SBUF: the most that one of the generations has.
pub fn sbuf_partition(generations: Generations) -> i64 {
    let kib = |generation| match generation {
        Generation::Trn1 => 192,
        Generation::Trn2 => 224,
        Generation::Trn3 => 256,
    };
    let among = |generation: &Generation| !Generations::one(*generation).and(generations).is_none();
    let most = Generation::ALL.into_iter().filter(among).map(kib).max();
    most.unwrap_or(256) * 1_024
}

/// Bytes a nanosecond of one DMA engine. Where the generation is not known, those of trn2.
pub fn bandwidth(generations: Generations) -> u64 {
    match generations.only_generation() {
        Some(Generation::Trn1) => 17,
        Some(Generation::Trn3) => 33,
        Some(Generation::Trn2) | None => 23,
    }
}
