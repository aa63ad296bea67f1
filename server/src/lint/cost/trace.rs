//! Costs as Chrome trace events, which Perfetto and `chrome://tracing` open: contexts as tracks, memory as counters.
//!
//! A kernel is a process of the trace, a context a thread. The format counts microseconds; here one stands for one cycle,
//! and the trace's metadata says so.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use visa_analysis::{KernelCost, Lane, OperationRow};

use crate::json::pretty;
use crate::project::Failure;

#[derive(Serialize)]
struct Trace {
    #[serde(rename = "displayTimeUnit")]
    unit: &'static str,
    #[serde(rename = "otherData")]
    other: Value,
    #[serde(rename = "traceEvents")]
    events: Vec<Value>,
}

/// The memories that are counted; viewers put the unit, which is the argument's name, behind.
const TIERS: [(&str, &str); 3] = [
    ("dm", "DM of a slice"),
    ("trf", "TRF of a slice"),
    ("vrf", "VRF of a slice"),
];

/// The trace of all kernels.
pub(super) fn write(kernels: &[KernelCost]) -> Result<String, Failure> {
    let mut events = Vec::new();
    for (number, kernel) in kernels.iter().enumerate() {
        let process = number + 1;
        events.push(json!({
            "name": "process_name", "ph": "M", "pid": process, "tid": 0, "args": {"name": format!("{} (predicted)", kernel.name)},
        }));
        for lane in Lane::ALL {
            events.push(json!({
                "name": "thread_name", "ph": "M", "pid": process, "tid": thread(lane), "args": {"name": track(lane)},
            }));
            events.push(json!({
                "name": "thread_sort_index", "ph": "M", "pid": process, "tid": thread(lane), "args": {"sort_index": thread(lane)},
            }));
        }
        let operations = kernel.operations.iter();
        events.extend(operations.filter_map(|row| operation(process, row)));
        for (tier, name) in TIERS {
            events.extend(counter(process, kernel, tier, name));
        }
    }
    pretty(&Trace {
        unit: "ns",
        other: json!({
            "tool": "visa-lint",
            "version": env!("CARGO_PKG_VERSION"),
            "time": "one microsecond of the trace is one cycle; every figure is a prediction",
        }),
        events,
    })
}

const fn thread(lane: Lane) -> u32 {
    match lane {
        Lane::Main => 1,
        Lane::Sub => 2,
        Lane::TensorDma => 3,
        Lane::PcieDma => 4,
    }
}

/// The name of a context's track.
pub(super) const fn track(lane: Lane) -> &'static str {
    match lane {
        Lane::Main => "main context",
        Lane::Sub => "sub context",
        Lane::TensorDma => "tensor DMA",
        Lane::PcieDma => "PCIe DMA",
    }
}

fn operation(process: usize, row: &OperationRow) -> Option<Value> {
    let (start, end) = (row.start?, row.end?);
    let engines: BTreeMap<&str, Option<u64>> = row
        .engines
        .iter()
        .map(|engine| (engine.engine, engine.cycles))
        .collect();
    let waits: Vec<String> = row
        .waits
        .iter()
        .map(|wait| format!("{}: {}", wait.operation, wait.cause))
        .collect();
    Some(json!({
        "name": row.name,
        "cat": row.lane.name(),
        "ph": "X",
        "ts": start,
        "dur": end.saturating_sub(start),
        "pid": process,
        "tid": thread(row.lane),
        "args": {
            "operation": row.id,
            "place": format!("{}:{}", row.file, row.range.start.line),
            "bottleneck": row.bottleneck,
            "engines": engines,
            "waits": waits,
            "reads": row.reads,
            "writes": row.writes,
        },
    }))
}

/// The bytes of one memory, one event each time they change.
fn counter(process: usize, kernel: &KernelCost, tier: &str, name: &str) -> Vec<Value> {
    if kernel.total.is_none() {
        return Vec::new();
    }
    let rows: Vec<_> = kernel
        .memory
        .iter()
        .filter(|row| row.tier == tier && row.to > row.from)
        .collect();
    let cycles: BTreeSet<u64> = rows.iter().flat_map(|row| [row.from, row.to]).collect();
    let at = |cycle: u64| {
        let present = rows
            .iter()
            .filter(|row| row.from <= cycle && cycle < row.to);
        present.fold(0_u64, |sum, row| sum.saturating_add(row.bytes.unwrap_or(0)))
    };
    cycles
        .into_iter()
        .map(|cycle| {
            json!({"name": name, "ph": "C", "ts": cycle, "pid": process, "tid": 0, "args": {"bytes": at(cycle)}})
        })
        .collect()
}
