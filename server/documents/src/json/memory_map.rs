//! The memories of a kernel as views read them: what is where and when, what is free all the while, how much there is.

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{FreeRow, MemoryMapAnswer, MemoryRow};

use super::cost::Peak;

/// What `visa/memoryMap` answers with.
#[derive(Serialize, JsonSchema)]
pub struct MemoryMap<'a> {
    version: u32,
    /// The kernel's name.
    kernel: &'a str,
    /// Its cycles; null where they are not known.
    total: Option<u64>,
    memory: &'a [MemoryRow],
    peak: Option<Peak<'a>>,
    capacity: Vec<Capacity>,
    free: &'a [FreeRow],
}

/// Bytes a slice of a memory.
#[derive(Serialize, JsonSchema)]
struct Capacity {
    tier: &'static str,
    bytes: u64,
}

/// The object that `visa/memoryMap` answers with.
pub fn memory_map_document(map: &MemoryMapAnswer) -> MemoryMap<'_> {
    let capacity = map.capacity.iter();
    MemoryMap {
        version: 1,
        kernel: &map.kernel,
        total: map.total,
        memory: &map.memory,
        peak: map.peak.map(|peak| Peak::new(peak, &map.overfull)),
        capacity: capacity
            .map(|(tier, bytes)| Capacity {
                tier,
                bytes: *bytes,
            })
            .collect(),
        free: &map.free,
    }
}
