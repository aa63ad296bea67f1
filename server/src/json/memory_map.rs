//! The memories of a kernel as views read them: what is where and when, what is free all the while, how much there is.

use serde_json::{Value, json};
use visa_analysis::MemoryMapAnswer;

use super::cost::{memory, peak};

/// The object that `visa/memoryMap` answers with.
pub(crate) fn document(map: &MemoryMapAnswer) -> Value {
    let capacity = map.capacity.iter();
    let capacity: Vec<_> = capacity
        .map(|(tier, bytes)| json!({"tier": tier, "bytes": bytes}))
        .collect();
    let free = map.free.iter();
    let free: Vec<_> = free
        .map(|row| json!({"tier": row.tier, "address": row.address, "bytes": row.bytes}))
        .collect();
    json!({
        "version": 1,
        "kernel": map.kernel,
        "total": map.total,
        "memory": map.memory.iter().map(memory).collect::<Vec<_>>(),
        "peak": map.peak.map(peak),
        "capacity": capacity,
        "free": free,
    })
}
