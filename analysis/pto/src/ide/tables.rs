//! Tables and lines that hovers are made of.

use std::fmt::Write as _;

use super::super::analysis::Facts;
use super::super::program::Function;
use super::super::registers::Presence;
use super::super::syntax::OperationId;
use super::super::transfers::{CopyKind, Derived, Field, LoopOrigin, UB_BYTES, UB_BYTES_BEFORE};
use super::super::values::Memory;
use super::Seen;
use visa_base::markdown::prose;
use visa_base::numbers::thousands;
use visa_transfer::{Side, Transfer};

/// A number with its thousands apart and its sign.
pub(super) fn signed_thousands(number: i128) -> String {
    let sign = if number < 0 { "-" } else { "" };
    let amount = u64::try_from(number.unsigned_abs()).unwrap_or(u64::MAX);
    format!("{sign}{}", thousands(amount))
}

/// From where to where, and the pipe.
pub(super) fn direction_text(kind: CopyKind) -> &'static str {
    match kind {
        CopyKind::GmToUb => "GM to UB on PIPE_MTE2",
        CopyKind::UbToGm => "UB to GM on PIPE_MTE3",
        CopyKind::UbToUb => "within UB",
        CopyKind::GmToL1 => "GM to L1 on PIPE_MTE2",
    }
}

/// Rows and bytes in one line: `64 rows of 200 bytes, each filled up to 256`.
pub(super) fn rows_text(transfer: &Transfer) -> String {
    let count = transfer.rows().unwrap_or(i128::MAX);
    let plural = if count == 1 { "row" } else { "rows" };
    let filled = if transfer.width > transfer.run {
        format!(", each written to {} bytes", thousands(transfer.width))
    } else {
        String::new()
    };
    format!(
        "{} {plural} of {} bytes{filled}",
        signed_thousands(count),
        thousands(transfer.run)
    )
}

/// All that is derived of a copy.
pub(super) fn copy_text(
    analysis: &Seen<'_>,
    function: &Function,
    facts: &Facts,
    derived: &Derived,
) -> String {
    let name = analysis.file.name(derived.operation());
    let mut text = format!("**`{name}`**: {}\n", direction_text(derived.copy.kind));
    match &derived.transfer {
        Some(transfer) => push_nest(&mut text, derived, transfer),
        None => {
            let reason = derived
                .unknown
                .as_deref()
                .unwrap_or("an operand is not known");
            let _ = writeln!(text, "\nNot derived: {}.", prose(reason));
        }
    }
    if !derived.copy.grouped && !function.is_before && derived.copy.kind.direction().is_some() {
        push_registers(&mut text, analysis, derived);
    }
    push_order(&mut text, analysis, facts, derived);
    text
}

fn push_nest(text: &mut String, derived: &Derived, transfer: &Transfer) {
    let _ = writeln!(text, "\n{}", rows_text(transfer));
    text.push_str(
        "\n| loop | iterations | source step | target step |\n| --- | ---: | ---: | ---: |\n",
    );
    for one in derived.loops.iter().rev() {
        let name = match (one.level, one.origin) {
            (0, _) => "rows".to_owned(),
            (level, LoopOrigin::Registers) => format!("loop{level} (registers)"),
            (level, _) => format!("loop{level}"),
        };
        let step = |step: Option<i64>| match step {
            Some(step) if one.is_taken() => signed_thousands(i128::from(step)),
            _ => "-".to_owned(),
        };
        let count = one
            .count
            .map_or("?".to_owned(), |count| signed_thousands(i128::from(count)));
        let [source, target] = one.steps.map(step);
        let _ = writeln!(text, "| {name} | {count} | {source} | {target} |");
    }
    text.push_str(
        "\n| side | from | reach | to | aligned to |\n| --- | ---: | ---: | ---: | ---: |\n",
    );
    for (side, word) in [(Side::Source, "source"), (Side::Target, "target")] {
        let memory = derived.copy.kind.memory(side);
        let Some(extent) = transfer.extent(side) else {
            continue;
        };
        let address = derived.address(side);
        let base = i128::from(address.unwrap_or_default());
        let (from, to) = match address {
            Some(_) => (
                signed_thousands(base + extent.low),
                signed_thousands(base + extent.high),
            ),
            None => (
                format!("base + {}", signed_thousands(extent.low)),
                format!("base + {}", signed_thousands(extent.high)),
            ),
        };
        let aligned = transfer.alignment(side, address.unwrap_or_default());
        let aligned = if aligned > 1 << 20 {
            "all".to_owned()
        } else {
            thousands(aligned)
        };
        let _ = writeln!(
            text,
            "| {word} ({}) | {from} | {} | {to} | {aligned} |",
            memory.name(),
            signed_thousands(extent.length())
        );
    }
    let (moved, written) = (
        transfer.moved().unwrap_or_default(),
        transfer.written().unwrap_or_default(),
    );
    let _ = write!(text, "\n{} bytes moved", signed_thousands(moved));
    if written > moved && moved > 0 {
        let share = (written - moved) * 100 / written;
        let _ = write!(
            text,
            ", {} written: {share} % of it padding",
            signed_thousands(written)
        );
    }
    text.push('\n');
    let merged = transfer.with_merged_rows();
    if merged.loops.len() < transfer.with_joined_loops().loops.len() || merged.run != transfer.run {
        let _ = writeln!(text, "\nThe same as {}", rows_text(&merged));
    }
    push_row_table(text, transfer);
    if derived.copy.kind != CopyKind::UbToUb
        && let Some(picture) = transfer.picture(Side::Target)
    {
        let _ = writeln!(text, "\nA row of the target up to the next: `{picture}`");
    }
}

fn push_row_table(text: &mut String, transfer: &Transfer) {
    let rows = transfer.row_table();
    if rows.len() < 2 {
        return;
    }
    text.push_str("\n| row | source + | target + |\n| --- | ---: | ---: |\n");
    for row in rows {
        let indices: Vec<String> = row.indices.iter().map(ToString::to_string).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} |",
            indices.join(", "),
            signed_thousands(row.source),
            signed_thousands(row.target)
        );
    }
}

fn line_of(analysis: &Seen<'_>, id: OperationId) -> usize {
    analysis.line(analysis.file.operation(id).place.start)
}

fn push_registers(text: &mut String, analysis: &Seen<'_>, derived: &Derived) {
    let registers = &derived.registers;
    let Some(direction) = derived.copy.kind.direction() else {
        return;
    };
    let [first, second] = &registers.strides;
    let all = [
        (
            format!("set_loop_size_{}", direction.ending()),
            &registers.size,
        ),
        (format!("set_loop1_stride_{}", direction.ending()), first),
        (format!("set_loop2_stride_{}", direction.ending()), second),
    ];
    let mut lines = String::new();
    for (name, register) in all {
        let values = [register.value(0), register.value(1)]
            .map(|value| value.map_or("?".to_owned(), |value| signed_thousands(i128::from(value))));
        let places: Vec<String> = register
            .setters
            .iter()
            .map(|&setter| line_of(analysis, setter).to_string())
            .collect();
        let said = match register.presence {
            Presence::Never => "not set".to_owned(),
            Presence::Unknown => "not known".to_owned(),
            Presence::Sometimes => format!("set on some paths, line {}", places.join(", ")),
            Presence::Always => format!("{}, {}, line {}", values[0], values[1], places.join(", ")),
        };
        let _ = writeln!(lines, "- `{name}`: {said}");
    }
    let _ = write!(text, "\nRegisters in force:\n\n{lines}");
    let counts = (registers.size.value(0), registers.size.value(1));
    if let (Some(one), Some(two)) = counts
        && one != two
    {
        let _ = writeln!(
            text,
            "\nBy the manual loop1 runs {one} and loop2 {two} times; one assembler reads loop1 {two} and loop2 {one}."
        );
    }
}

fn push_order(text: &mut String, analysis: &Seen<'_>, facts: &Facts, derived: &Derived) {
    let id = derived.operation();
    if !facts.is_explicit {
        text.push_str("\nThe function has no flags or barriers: the assembler inserts them.\n");
        return;
    }
    for race in &facts.races {
        if race.read == id {
            let line = line_of(analysis, race.write);
            let _ = writeln!(text, "\nNothing orders it after the write in line {line}.");
        } else if race.write == id {
            let line = line_of(analysis, race.read);
            let _ = writeln!(text, "\nNothing orders the read in line {line} after it.");
        }
    }
}

/// What of UB the transfers of a function touch, and what is free between them.
pub(super) fn map(analysis: &Seen<'_>, function: &Function, facts: &Facts) -> String {
    let mut used: Vec<(i128, i128, String)> = Vec::new();
    for derived in &facts.derived {
        for side in [Side::Source, Side::Target] {
            if derived.copy.kind.memory(side) != Memory::Ub {
                continue;
            }
            let extent = derived
                .transfer
                .as_ref()
                .and_then(|moved| moved.extent(side));
            if let (Some(extent), Some(address)) = (extent, derived.address(side)) {
                let base = i128::from(address);
                let name = analysis.file.name(derived.operation());
                let what = format!(
                    "`{name}` in line {}",
                    line_of(analysis, derived.operation())
                );
                used.push((base + extent.low, base + extent.high, what));
            }
        }
    }
    if used.is_empty() {
        return String::new();
    }
    used.sort();
    let size = if function.is_before {
        UB_BYTES_BEFORE
    } else {
        UB_BYTES
    };
    let mut text = String::from("\n| UB from | to | |\n| ---: | ---: | --- |\n");
    let mut end = 0;
    for (from, to, what) in used {
        if from > end {
            let _ = writeln!(
                text,
                "| {} | {} | free, {} bytes |",
                signed_thousands(end),
                signed_thousands(from),
                signed_thousands(from - end)
            );
        }
        let _ = writeln!(
            text,
            "| {} | {} | {what} |",
            signed_thousands(from),
            signed_thousands(to)
        );
        end = end.max(to);
    }
    if end < i128::from(size) {
        let rest = i128::from(size) - end;
        let _ = writeln!(
            text,
            "| {} | {} | free, {} bytes |",
            signed_thousands(end),
            signed_thousands(i128::from(size)),
            signed_thousands(rest)
        );
    }
    text
}

/// A field of a copy with its value and width.
pub(super) fn field_text(kind: CopyKind, field: Field, value: Option<i64>) -> String {
    let unit = field.unit(kind);
    let mut text = format!("**{}**", field.name(kind));
    if let Some(value) = value {
        let _ = write!(text, ": {} {unit}", signed_thousands(i128::from(value)));
    } else if !unit.is_empty() {
        let _ = write!(text, ", in {unit}");
    }
    text.push('\n');
    if let Some(width) = field.width(kind) {
        let used = value.map_or(String::new(), |value| {
            let bits = i64::BITS - value.max(0).leading_zeros();
            format!("{bits} of ")
        });
        let _ = writeln!(
            text,
            "\n{used}{} bits, at most {}",
            width.bits,
            signed_thousands(i128::from(width.largest_value()))
        );
        if width.narrow_bits != width.bits {
            let _ = writeln!(
                text,
                "\n{} bits by the narrower source, at most {}",
                width.narrow_bits,
                signed_thousands(i128::from(width.narrow_largest()))
            );
        }
    }
    text
}
