//! Costs as Chrome trace events, which Perfetto and `chrome://tracing` open: contexts as tracks, memory as counters.
//!
//! A kernel is a process of the trace, a context a thread. The format counts microseconds; here one stands for one cycle,
//! and the trace's metadata says so.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Value, json};
use visa_analysis::{KernelCost, Lane, LineIndex, OperationRow, TransferCost, TransferSchedule};

use crate::documents::json::pretty;
use crate::documents::json::transfers::FileTransfers;
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
pub(super) fn write(kernels: &[KernelCost], moved: &[FileTransfers]) -> Result<String, Failure> {
    let mut events = Vec::new();
    for (number, kernel) in kernels.iter().enumerate() {
        let process = number + 1;
        events.push(json!({
            "name": "process_name", "ph": "M", "pid": process, "tid": 0, "args": {"name": format!("{} (predicted)", kernel.name)},
        }));
        events.extend(
            Lane::VIRTUAL_ISA
                .into_iter()
                .flat_map(|lane| track_events(process, lane)),
        );
        let operations = kernel.operations.iter();
        events.extend(operations.filter_map(|row| operation_event(process, row)));
        for (tier, name) in TIERS {
            events.extend(counter(process, kernel, tier, name));
        }
    }
    let mut process = kernels.len();
    for file in moved {
        let lines = LineIndex::new(&file.text);
        for function in &file.functions {
            // Without cycles there is nothing to draw over time.
            if let Some(schedule) = &function.schedule {
                process += 1;
                events.extend(scheduled(process, (file, function, schedule), &lines));
            }
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

/// The name and the order of a lane's track.
fn track_events(process: usize, lane: Lane) -> [Value; 2] {
    [
        json!({
            "name": "thread_name", "ph": "M", "pid": process, "tid": thread(lane), "args": {"name": lane.track()},
        }),
        json!({
            "name": "thread_sort_index", "ph": "M", "pid": process, "tid": thread(lane), "args": {"sort_index": thread(lane)},
        }),
    ]
}

/// The events of a function in another language whose transfers are scheduled.
fn scheduled(
    process: usize,
    (file, function, schedule): (&FileTransfers, &TransferCost, &TransferSchedule),
    lines: &LineIndex,
) -> Vec<Value> {
    let mut events = vec![json!({
        "name": "process_name", "ph": "M", "pid": process, "tid": 0, "args": {"name": format!("{} (by the settings)", function.name)},
    })];
    events.extend(
        function
            .lanes()
            .into_iter()
            .flat_map(|lane| track_events(process, lane)),
    );
    for slot in &schedule.slots {
        let Some(row) = function.rows.get(slot.row) else {
            continue;
        };
        let waits: Vec<String> = slot
            .waits
            .iter()
            .map(|wait| format!("{} at {}", wait.cause, wait.until))
            .collect();
        events.push(json!({
            "name": row.what,
            "cat": slot.lane.name(),
            "ph": "X",
            "ts": slot.start,
            "dur": slot.end.saturating_sub(slot.start),
            "pid": process,
            "tid": thread(slot.lane),
            "args": {
                "place": format!("{}:{}", file.file, lines.line(row.span.start)),
                "direction": row.direction,
                "bytes": row.bytes.known(),
                "waits": waits,
            },
        }));
    }
    events
}

/// The number of a lane's track; 0 is the process itself.
const fn thread(lane: Lane) -> usize {
    lane.number() + 1
}

fn operation_event(process: usize, row: &OperationRow) -> Option<Value> {
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
