//! Costs in the file format of the public `furiosa-schedule-viewer`: one kernel a file.
//!
//! The viewer cannot mark a schedule as predicted, so every description says it. It draws nothing, or fails, on what it
//! does not expect: tensors without an address, memories and contexts of other names; those are left out.

use serde::Serialize;
use visa_analysis::{KernelCost, Lane, MemoryRow, OperationRow};

use crate::documents::json::pretty;
use crate::project::Failure;

/// Bytes that the vendor's files give for all memory and for a page of it.
const TOTAL_MEMORY: u64 = 268_435_456;
const PAGE_SIZE: u64 = 16_777_216;
/// Slices of a chip: the viewer's addresses and sizes count all of them together.
const SLICES: u64 = 512;

#[derive(Serialize)]
struct Schedule<'a> {
    title: &'static str,
    total_memory: u64,
    page_size: u64,
    instructions: Vec<Instruction>,
    tensors: Vec<Tensor<'a>>,
}

#[derive(Serialize)]
struct Lifetime {
    begin: u64,
    end: u64,
}

#[derive(Serialize)]
struct Instruction {
    index: String,
    name: String,
    tpe: &'static str,
    contexts: Vec<&'static str>,
    lifetime: Lifetime,
    input_tensors: Vec<usize>,
    output_tensors: Vec<usize>,
    history: serde_json::Map<String, serde_json::Value>,
    description: String,
    util: Utilisation,
}

#[derive(Serialize)]
struct Utilisation {
    base_util: f64,
    total_util: f64,
    efficiency: f64,
}

#[derive(Serialize)]
struct Tensor<'a> {
    index: String,
    name: &'a str,
    buffer_type: &'static str,
    lifetime: Lifetime,
    address: u64,
    size: u64,
    shape: &'a str,
}

/// The file of the only kernel.
///
/// Fails where there are several kernels, or none, or the kernel has no schedule.
pub(super) fn write(kernels: &[KernelCost]) -> Result<String, Failure> {
    let [kernel] = kernels else {
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        return Err(Failure::new(if names.is_empty() {
            "there is no kernel to write the schedule of".to_owned()
        } else {
            format!(
                "a schedule is one kernel's; choose with `--kernel` among: {}",
                names.join(", ")
            )
        }));
    };
    if kernel.total.is_none() {
        let why = kernel.unresolved.first().map_or_else(String::new, |place| {
            format!(": line {}: {}", place.range.start.line, place.reason)
        });
        return Err(Failure::new(format!(
            "`{}` has no schedule{why}",
            kernel.name
        )));
    }
    pretty(&Schedule {
        title: "Schedule",
        total_memory: TOTAL_MEMORY,
        page_size: PAGE_SIZE,
        instructions: kernel
            .operations
            .iter()
            .filter_map(row_instruction)
            .collect(),
        tensors: drawn_tensors(kernel),
    })
}

fn row_instruction(row: &OperationRow) -> Option<Instruction> {
    let (begin, end) = (row.start?, row.end?);
    let (tpe, contexts) = match row.lane {
        Lane::MAIN => ("Main", vec!["MainContext", "VectorEngine"]),
        Lane::SUB => ("Sub", vec!["SubContext"]),
        Lane::TENSOR_DMA => (transfer_kind(row), vec!["DmaEngine"]),
        _ => (transfer_kind(row), vec!["PcieDmaEngine"]),
    };
    let share = utilisation(row);
    Some(Instruction {
        index: row.id.to_string(),
        name: row.name.clone(),
        tpe,
        contexts,
        lifetime: Lifetime { begin, end },
        input_tensors: row.reads_memory.clone(),
        output_tensors: row.writes_memory.clone(),
        history: serde_json::Map::new(),
        description: description(row),
        util: Utilisation {
            base_util: share,
            total_util: share,
            efficiency: 1.0,
        },
    })
}

fn transfer_kind(row: &OperationRow) -> &'static str {
    if row.name.starts_with("to_hbm") {
        "DmaStore"
    } else if row.name.starts_with("to_dm") {
        "DmaLoad"
    } else {
        "DmaOther"
    }
}

/// The share of the operation's cycles that its busiest engine works, behind latencies and start-up.
#[allow(clippy::cast_precision_loss, reason = "a share that is drawn")]
fn utilisation(row: &OperationRow) -> f64 {
    let busiest = row.engines.iter().filter_map(|engine| engine.cycles).max();
    match (busiest, row.cycles) {
        (Some(busy), Some(cycles)) if cycles > 0 => (busy as f64 / cycles as f64).min(1.0),
        _ => 0.0,
    }
}

/// Begins as the viewer wants it: the place, an empty line, the source.
fn description(row: &OperationRow) -> String {
    let start = row.range.start;
    let mut text = format!(
        "--> {}:{}:{}\n\n{}\n\npredicted: {} cycles",
        row.file,
        start.line,
        start.column,
        row.source,
        row.cycles.unwrap_or(0)
    );
    for engine in &row.engines {
        let cycles = engine
            .cycles
            .map_or_else(|| "?".to_owned(), |cycles| cycles.to_string());
        text.push_str(&format!(
            "\n  {}: {cycles} {}",
            engine.engine, engine.detail
        ));
    }
    // A word that the viewer takes for another kind of file.
    text.replace("Spilly", "spilly")
}

/// What the viewer draws, under the numbers that the instructions name: register files and DM at known places.
fn drawn_tensors(kernel: &KernelCost) -> Vec<Tensor<'_>> {
    kernel
        .memory
        .iter()
        .enumerate()
        .filter_map(|(number, row)| drawn_tensor(number, row))
        .collect()
}

fn drawn_tensor(number: usize, row: &MemoryRow) -> Option<Tensor<'_>> {
    let (address, bytes) = (row.place()?, row.bytes?);
    let (buffer_type, address, size) = match row.tier {
        "dm" => (
            "Sram",
            address.checked_mul(SLICES)?,
            bytes.checked_mul(SLICES)?,
        ),
        "vrf" => (
            "Vrf",
            address.checked_mul(SLICES)?,
            bytes.checked_mul(SLICES)?,
        ),
        "trf" => ("Trf", address.checked_mul(SLICES)?, PAGE_SIZE),
        _ => return None,
    };
    Some(Tensor {
        index: number.to_string(),
        name: &row.tensor,
        buffer_type,
        lifetime: Lifetime {
            begin: row.from,
            end: row.to,
        },
        address,
        size,
        shape: &row.shape,
    })
}
