//! What functions in other languages than Rust move, for people: a table a function with bytes and rows, then sums and what the
//! figures leave out.

use std::fmt::Write;

use visa_analysis::{
    Amount, Lane, LineIndex, TimeUnit, TransferCost, TransferRow, counted, thousands,
};

use super::human::Paint;
use super::markdown::{code_cell, prose_cell};
use crate::documents::json::transfers::FileTransfers;
use visa_analysis::visible;

/// The functions of some files, a table each, on a terminal.
pub(super) fn human_transfers(files: &[FileTransfers], colored: bool) -> String {
    let paint = Paint { colored };
    let tables = function_texts(files, |function, place, lines| {
        let name = visible(&function.name);
        let mut text = format!("{} ({})\n\n", paint.bold(&name), visible(place));
        let rows = transfer_table(function, lines);
        let widths = widths(&rows);
        for row in &rows {
            let cells = row.iter().zip(&widths).enumerate();
            let cells = cells.map(|(column, (cell, width))| match column {
                0..=LAST_OF_WORDS => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            });
            let line = cells.collect::<Vec<_>>().join("  ");
            // Writing to a string cannot fail.
            let _ = writeln!(text, "  {}", line.trim_end());
        }
        text.push('\n');
        for words in sums(function) {
            let _ = writeln!(text, "  {}", visible(&words));
        }
        text
    });
    tables.join("\n")
}

/// The same as Markdown.
pub(super) fn markdown_transfers(files: &[FileTransfers]) -> String {
    let tables = function_texts(files, |function, place, lines| {
        let mut text = format!(
            "## {} ({})\n\n",
            code_cell(&function.name),
            prose_cell(place)
        );
        for (number, row) in transfer_table(function, lines).iter().enumerate() {
            let cells = row.iter().map(|cell| prose_cell(cell));
            let _ = writeln!(text, "| {} |", cells.collect::<Vec<_>>().join(" | "));
            if number == 0 {
                let _ = writeln!(text, "|{}", " --- |".repeat(row.len()));
            }
        }
        text.push('\n');
        for words in sums(function) {
            let _ = writeln!(text, "- {}", prose_cell(&words));
        }
        text
    });
    tables.join("\n")
}

/// Columns up to this one hold words.
const LAST_OF_WORDS: usize = 3;

fn function_texts(
    files: &[FileTransfers],
    write: impl Fn(&TransferCost, &str, &LineIndex) -> String,
) -> Vec<String> {
    let mut texts = Vec::new();
    for file in files {
        let lines = LineIndex::new(&file.text);
        for function in &file.functions {
            let line = lines.line(function.span.start);
            texts.push(write(function, &format!("{}:{line}", file.file), &lines));
        }
    }
    texts
}

/// The header and a row a transfer.
fn transfer_table(function: &TransferCost, lines: &LineIndex) -> Vec<Vec<String>> {
    let unit = function.unit.map(TimeUnit::name);
    let header = [
        "line",
        "transfer",
        "direction",
        "by",
        "times",
        "rows",
        "run",
        "bytes",
        "written",
    ];
    let mut header: Vec<String> = header.into_iter().map(str::to_owned).collect();
    header.extend(unit.map(str::to_owned));
    let mut rows = vec![header];
    rows.extend(function.rows.iter().map(|row| {
        let mut cells = cells(row, lines);
        if unit.is_some() {
            cells.push(row.time.map_or_else(|| "?".to_owned(), thousands));
        }
        cells
    }));
    rows
}

fn cells(row: &TransferRow, lines: &LineIndex) -> Vec<String> {
    let mut cells = vec![
        lines.line(row.span.start).to_string(),
        row.what.clone(),
        row.direction.clone(),
        row.by.clone().unwrap_or_default(),
    ];
    let amounts = [&row.times, &row.rows, &row.run, &row.bytes, &row.written];
    cells.extend(amounts.map(amount_text));
    cells
        .iter()
        .map(|cell| visible(cell).into_owned())
        .collect()
}

fn amount_text(amount: &Amount) -> String {
    match amount {
        Amount::Known(number) => thousands(*number),
        Amount::Symbolic(text) => text.clone(),
        Amount::Unknown => "?".to_owned(),
    }
}

fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    (0..columns).map(width).collect()
}

/// What one lane does: `lane MTE2: 2 transfers, 8,192 bytes, busy 148 of 222 cycles`.
fn of_lane(function: &TransferCost, lane: Lane) -> String {
    let rows = function.rows.iter().filter(|row| row.lane == Some(lane));
    let count = counted(rows.count() as u64, "transfer");
    let bytes = amount_text(&function.bytes_of(lane));
    let mut text = format!("lane {}: {count}, {bytes} bytes", lane.own_name());
    if let (Some(schedule), Some(unit)) = (&function.schedule, function.unit) {
        let slots = schedule.slots.iter().filter(|slot| slot.lane == lane);
        let busy = slots.fold(0_u64, |sum, slot| sum.saturating_add(slot.end - slot.start));
        let (busy, total) = (thousands(busy), thousands(schedule.total));
        let _ = write!(text, ", busy {busy} of {total} {}", unit.name());
    }
    text
}

/// Sums, peaks and remarks, a line each.
fn sums(function: &TransferCost) -> Vec<String> {
    let mut lines = Vec::new();
    for (direction, bytes) in &function.totals {
        lines.push(format!("{direction}: {} bytes", amount_text(bytes)));
    }
    for (memory, bytes) in &function.peaks {
        lines.push(format!(
            "{memory}: at most {} bytes in use at once",
            thousands(*bytes)
        ));
    }
    lines.extend(
        function
            .lanes()
            .into_iter()
            .map(|lane| of_lane(function, lane)),
    );
    if let (Some(schedule), Some(unit)) = (&function.schedule, function.unit) {
        lines.push(format!(
            "{} {} from the first start to the last end, by the order of the flags",
            thousands(schedule.total),
            unit.name()
        ));
    }
    if let (Some(time), Some(unit)) = (function.time, function.unit) {
        lines.push(format!(
            "at least {} {} for all of them",
            thousands(time),
            unit.name()
        ));
    }
    lines.extend(function.notes.iter().cloned());
    let of_rows = function.rows.iter().flat_map(|row| &row.notes);
    for note in of_rows {
        if !lines.contains(note) {
            lines.push(note.clone());
        }
    }
    lines
}
