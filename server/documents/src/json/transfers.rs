//! What functions in other languages than Rust move, as JSON.
//!
//! Knows how numbers and symbols are written: a number that is known is one, one in symbols is a text, and one that is not known is
//! null.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{
    Amount, Lane, LineIndex, TimeUnit, TransferCost, TransferRow, TransferSchedule,
};

/// A file with functions that move something.
pub struct FileTransfers {
    /// The file, as people name it.
    pub file: String,
    /// Its text.
    pub text: String,
    /// Its functions, in their order.
    pub functions: Vec<TransferCost>,
}

/// What one function moves.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FunctionTransfers<'a> {
    name: &'a str,
    file: &'a str,
    line: u32,
    transfers: Vec<Transfer<'a>>,
    /// The lanes that they run in, in the order in which they are shown.
    lanes: Vec<LaneSum>,
    /// When each of them runs, in the unit of times, and the end of the last; null where figures or a step are not known.
    schedule: Option<&'a TransferSchedule>,
    /// Bytes by direction, all runs together.
    totals: &'a BTreeMap<String, Amount>,
    /// The most bytes in use at once, by memory.
    peaks: &'a BTreeMap<String, u64>,
    /// The unit of times: cycles by figures of the settings, nanoseconds by published figures.
    unit: Option<&'static str>,
    /// The sum of all times, at least.
    time: Option<u64>,
    notes: &'a [String],
}

/// A row of a picture: what runs one after another.
#[derive(Debug, Serialize, JsonSchema)]
struct LaneSum {
    name: &'static str,
    /// What it is called in a picture.
    track: &'static str,
    /// Its colour, `#rrggbb`.
    colour: &'static str,
    /// Bytes that it moves, all runs together.
    bytes: Amount,
}

/// What one transfer moves.
#[derive(Debug, Serialize, JsonSchema)]
struct Transfer<'a> {
    line: u32,
    #[serde(flatten)]
    row: &'a TransferRow,
}

/// The functions of some files, in their order.
pub(crate) fn function_transfers(files: &[FileTransfers]) -> Vec<FunctionTransfers<'_>> {
    files.iter().flat_map(of_file).collect()
}

fn of_file(file: &FileTransfers) -> Vec<FunctionTransfers<'_>> {
    let lines = LineIndex::new(&file.text);
    let functions = file.functions.iter().map(|function| FunctionTransfers {
        name: &function.name,
        file: &file.file,
        line: lines.line(function.span.start),
        transfers: (function.rows.iter())
            .map(|row| Transfer {
                line: lines.line(row.span.start),
                row,
            })
            .collect(),
        lanes: lane_sums(function),
        schedule: function.schedule.as_ref(),
        totals: &function.totals,
        peaks: &function.peaks,
        unit: function.unit.map(TimeUnit::name),
        time: function.time,
        notes: &function.notes,
    });
    functions.collect()
}

fn lane_sums(function: &TransferCost) -> Vec<LaneSum> {
    let sum = |lane: Lane| LaneSum {
        name: lane.name(),
        track: lane.track(),
        colour: lane.colour(),
        bytes: match function.bytes_of(lane) {
            known @ Amount::Known(_) => known,
            Amount::Symbolic(_) | Amount::Unknown => Amount::Unknown,
        },
    };
    function.lanes().into_iter().map(sum).collect()
}
