//! The memories of a kernel as views read them: what is where and when, what is free all the while, how much there is.

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::MemoryMapAnswer;

use super::cost::{Memory, Peak, memory, peak};

/// What `visa/memoryMap` answers with.
#[derive(Serialize, JsonSchema)]
pub(crate) struct MemoryMap<'a> {
    version: u32,
    /// The kernel's name.
    kernel: &'a str,
    /// Its cycles; null where they are not known.
    total: Option<u64>,
    memory: Vec<Memory<'a>>,
    peak: Option<Peak>,
    capacity: Vec<Capacity>,
    free: Vec<Free>,
}

/// Bytes a slice of a memory.
#[derive(Serialize, JsonSchema)]
struct Capacity {
    tier: &'static str,
    bytes: u64,
}

/// A stretch of a memory that nothing occupies all the while.
#[derive(Serialize, JsonSchema)]
struct Free {
    tier: &'static str,
    address: u64,
    bytes: u64,
}

/// The object that `visa/memoryMap` answers with.
pub(crate) fn document(map: &MemoryMapAnswer) -> MemoryMap<'_> {
    let capacity = map.capacity.iter();
    let free = map.free.iter();
    MemoryMap {
        version: 1,
        kernel: &map.kernel,
        total: map.total,
        memory: map.memory.iter().map(memory).collect(),
        peak: map.peak.map(|of| peak(of, &map.overfull)),
        capacity: capacity
            .map(|(tier, bytes)| Capacity {
                tier,
                bytes: *bytes,
            })
            .collect(),
        free: free
            .map(|row| Free {
                tier: row.tier,
                address: row.address,
                bytes: row.bytes,
            })
            .collect(),
    }
}
