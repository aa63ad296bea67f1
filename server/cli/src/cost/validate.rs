//! `--validate`: our schedule of a kernel against the one that the compiler made of it, operation by operation.
//!
//! Reads what the public `furiosa-schedule-viewer` reads. An instruction stands for the operation at the line that its description names;
//! where none names one, the operations of each context follow each other as its instructions do. What stands for nothing is listed.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use serde::Deserialize;
use visa_analysis::{KernelCost, Lane, OperationRow, thousands, visible};

use super::human::{Paint, aligned_table, percent_text};
use crate::project::Failure;
use crate::project::regular::{SOURCE_BYTES, read_text};

/// A schedule of the viewer, as far as it is compared.
#[derive(Deserialize)]
struct Schedule {
    title: String,
    instructions: Vec<Instruction>,
}

#[derive(Deserialize)]
struct Instruction {
    index: serde_json::Value,
    #[serde(default)]
    name: String,
    tpe: String,
    contexts: Vec<String>,
    lifetime: Lifetime,
    #[serde(default)]
    description: String,
}

#[derive(Deserialize)]
struct Lifetime {
    begin: f64,
    end: f64,
}

impl Instruction {
    fn cycles(&self) -> u64 {
        rounded_cycles(self.lifetime.end - self.lifetime.begin)
    }

    /// The context that it runs in; `None` for synchronisations and what else no operation stands for.
    fn lane(&self) -> Option<Lane> {
        let has = |name: &str| self.contexts.iter().any(|context| context == name);
        let lanes = [
            ("MainContext", Lane::MAIN),
            ("SubContext", Lane::SUB),
            ("PcieDmaEngine", Lane::PCIE_DMA),
            ("DmaEngine", Lane::TENSOR_DMA),
        ];
        let mut lanes = lanes.into_iter();
        lanes.find(|(name, _)| has(name)).map(|(_, lane)| lane)
    }

    /// The line of the source that its description begins with: `--> path:line:column`.
    fn line(&self) -> Option<u32> {
        let place = self.description.lines().next()?.strip_prefix("--> ")?;
        let mut parts = place.trim().rsplitn(3, ':');
        let (_column, line) = (parts.next()?, parts.next()?);
        line.parse().ok()
    }

    fn index(&self) -> String {
        match &self.index {
            serde_json::Value::String(index) => index.clone(),
            index => index.to_string(),
        }
    }
}

#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "cycles of a file, which are not negative here; a cast keeps within the range"
)]
fn rounded_cycles(cycles: f64) -> u64 {
    cycles.max(0.0).round() as u64
}

/// The comparison of the only kernel with a schedule.
///
/// Fails where there are several kernels, or none, or the file is no schedule.
pub(super) fn write(kernels: &[KernelCost], path: &Path, colored: bool) -> Result<String, Failure> {
    let [kernel] = kernels else {
        let names: Vec<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
        return Err(Failure::new(if names.is_empty() {
            "there is no kernel to compare the schedule with".to_owned()
        } else {
            format!(
                "a schedule is one kernel's; choose with `--kernel` among: {}",
                names.join(", ")
            )
        }));
    };
    let schedule = read(path)?;
    Ok(comparison_text(
        kernel,
        &schedule,
        &path.display().to_string(),
        Paint { colored },
    ))
}

fn read(path: &Path) -> Result<Schedule, Failure> {
    let shown = path.display();
    let text = read_text(path, SOURCE_BYTES)
        .map_err(|error| Failure::new(format!("`{shown}` cannot be read: {error}")))?;
    let schedule: Schedule = serde_json::from_str(&text).map_err(|error| {
        Failure::new(format!(
            "`{shown}` is not a schedule of `furiosa-schedule-viewer`: {error}"
        ))
    })?;
    if schedule.title != "Schedule" {
        return Err(Failure::new(format!(
            "`{shown}` has the title `{}`, and a schedule of `furiosa-schedule-viewer` the title `Schedule`",
            schedule.title
        )));
    }
    let backward = |one: &&Instruction| one.lifetime.end < one.lifetime.begin;
    if let Some(one) = schedule.instructions.iter().find(backward) {
        return Err(Failure::new(format!(
            "instruction {} of `{shown}` ends at {} and begins at {}",
            one.index(),
            one.lifetime.end,
            one.lifetime.begin
        )));
    }
    if schedule.instructions.is_empty() {
        return Err(Failure::new(format!("`{shown}` has no instructions")));
    }
    Ok(schedule)
}

/// An operation and the instruction that stands for it.
struct Pair<'a> {
    row: &'a OperationRow,
    instruction: &'a Instruction,
}

impl Pair<'_> {
    fn ours(&self) -> u64 {
        let calibrated = self.row.calibrated.as_ref();
        let cycles = calibrated.map(|calibrated| calibrated.cycles);
        cycles.or(self.row.cycles).unwrap_or(0)
    }

    fn class(&self) -> &'static str {
        let calibrated = self.row.calibrated.as_ref();
        calibrated.map_or("uncalibrated", |calibrated| calibrated.class)
    }

    /// How far we are off, in tenths of a percent of the compiler's cycles.
    fn error(&self) -> u64 {
        let theirs = self.instruction.cycles();
        let off = u128::from(self.ours().abs_diff(theirs)) * 1_000;
        u64::try_from(off / u128::from(theirs.max(1))).unwrap_or(u64::MAX)
    }
}

/// The pairs in the order of the program, and what of both stands alone.
struct Matched<'a> {
    pairs: Vec<Pair<'a>>,
    rows: Vec<&'a OperationRow>,
    instructions: Vec<&'a Instruction>,
}

fn matched<'a>(kernel: &'a KernelCost, schedule: &'a Schedule) -> Matched<'a> {
    let mut left: Vec<&Instruction> = schedule.instructions.iter().collect();
    left.sort_by(|one, other| one.lifetime.begin.total_cmp(&other.lifetime.begin));
    let mut rows: Vec<&OperationRow> = kernel.operations.iter().collect();
    let mut pairs = Vec::new();
    // Those of one line, as the runs of a loop are, follow each other in both.
    rows.retain(|row| {
        let row = *row;
        let lines = row.statement.start.line..=row.statement.end.line;
        let at = left.iter().position(|one| {
            one.lane() == Some(row.lane) && one.line().is_some_and(|line| lines.contains(&line))
        });
        pairs.extend(at.map(|at| Pair {
            row,
            instruction: left.remove(at),
        }));
        at.is_none()
    });
    // Without places only the order tells them, which says something only where there are as many.
    if left.iter().all(|one| one.line().is_none()) {
        let count = |lane: Lane, left: &[&Instruction]| {
            let own = left.iter().filter(|one| one.lane() == Some(lane));
            own.count()
        };
        for lane in Lane::VIRTUAL_ISA {
            let mut own: Vec<&OperationRow> = rows
                .iter()
                .copied()
                .filter(|row| row.lane == lane)
                .collect();
            if own.is_empty() || own.len() != count(lane, &left) {
                continue;
            }
            own.sort_by_key(|row| (row.start, row.id));
            for row in own {
                if let Some(at) = left.iter().position(|one| one.lane() == Some(lane)) {
                    let instruction = left.remove(at);
                    pairs.push(Pair { row, instruction });
                    rows.retain(|other| other.id != row.id);
                }
            }
        }
    }
    pairs.sort_by_key(|pair| pair.row.id);
    Matched {
        pairs,
        rows,
        instructions: left,
    }
}

fn comparison_text(kernel: &KernelCost, schedule: &Schedule, path: &str, paint: Paint) -> String {
    let ends = schedule
        .instructions
        .iter()
        .map(|one| rounded_cycles(one.lifetime.end));
    let theirs = ends.max().unwrap_or(0);
    let matched = matched(kernel, schedule);
    let mut text = totals_text(kernel, theirs, path, paint);
    if !matched.pairs.is_empty() {
        text.push('\n');
        text.push_str(&pairs_table(&matched.pairs, paint));
        text.push_str(&classes(&matched.pairs));
    }
    text.push_str(&unmatched_text(&matched));
    if !matched.pairs.is_empty() {
        let _ = write!(
            text,
            "\n{}\n{}",
            paint.bold("Rows for the calibration (tab-separated)"),
            tab_separated_pairs(kernel, &matched.pairs)
        );
    }
    text
}

fn totals_text(kernel: &KernelCost, theirs: u64, path: &str, paint: Paint) -> String {
    let calibrated = &kernel.calibrated;
    // Writing to a string cannot fail.
    let mut text = format!(
        "{} against {}: {} cycles by the compiler, ",
        paint.bold(&visible(&kernel.name)),
        visible(path),
        thousands(theirs)
    );
    let Some(ours) = calibrated.total else {
        let why = kernel.unresolved.first();
        let why = why.map_or_else(String::new, |place| format!(" ({})", place.reason));
        let _ = writeln!(text, "none by us{}", visible(&why));
        return text;
    };
    let sign = if ours < theirs { "-" } else { "+" };
    let off = percent_text(ours.abs_diff(theirs), theirs);
    let _ = writeln!(
        text,
        "{} by the schedule model of {} ({sign}{off})",
        thousands(ours),
        calibrated.release
    );
    if let Some((low, high)) = calibrated.low.zip(calibrated.high) {
        let place = match theirs {
            _ if theirs < low => "below",
            _ if theirs > high => "above",
            _ => "within",
        };
        let _ = writeln!(
            text,
            "the compiler's total is {place} our bounds of {} to {}",
            thousands(low),
            thousands(high)
        );
    }
    text
}

/// The operations, those that we are farthest off first.
fn pairs_table(pairs: &[Pair<'_>], paint: Paint) -> String {
    let mut sorted: Vec<&Pair<'_>> = pairs.iter().collect();
    sorted.sort_by_key(|pair| (Reverse(pair.error()), pair.row.id));
    let rows: Vec<Vec<String>> = sorted
        .into_iter()
        .map(|pair| {
            let sign = if pair.ours() < pair.instruction.cycles() {
                "-"
            } else {
                "+"
            };
            vec![
                format!("{sign}{}.{} %", pair.error() / 10, pair.error() % 10),
                thousands(pair.instruction.cycles()),
                thousands(pair.ours()),
                thousands(rounded_cycles(pair.instruction.lifetime.begin)),
                pair.row.start.map_or_else(String::new, thousands),
                pair.class().to_owned(),
                pair.row.id.to_string(),
                pair.row.name.clone(),
                pair.row.range.start.line.to_string(),
            ]
        })
        .collect();
    let head = [
        "error",
        "compiler",
        "ours",
        "begins",
        "ours",
        "class",
        "",
        "operation",
        "line",
    ];
    aligned_table(&head, &rows, &[0, 1, 2, 3, 4, 6, 8], paint)
}

/// The median and the worst error of each class.
fn classes(pairs: &[Pair<'_>]) -> String {
    let mut errors: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
    for pair in pairs {
        errors.entry(pair.class()).or_default().push(pair.error());
    }
    let mut text = String::new();
    for (class, mut errors) in errors {
        errors.sort_unstable();
        let median = errors.get(errors.len() / 2).copied().unwrap_or(0);
        let worst = errors.last().copied().unwrap_or(0);
        let _ = writeln!(
            text,
            "{class}: median {}.{} %, worst {}.{} % of {}",
            median / 10,
            median % 10,
            worst / 10,
            worst % 10,
            errors.len()
        );
    }
    text
}

/// What stands for nothing on the other side.
fn unmatched_text(matched: &Matched<'_>) -> String {
    let mut text = String::new();
    for row in &matched.rows {
        let _ = writeln!(
            text,
            "not in the schedule: {} {}, line {}",
            row.id,
            visible(&row.name),
            row.range.start.line
        );
    }
    for one in &matched.instructions {
        let name = if one.name.is_empty() {
            String::new()
        } else {
            format!(" {}", one.name)
        };
        let words = format!(
            "not in the kernel: instruction {} ({}{name}), {} cycles from {}",
            one.index(),
            one.tpe,
            thousands(one.cycles()),
            thousands(rounded_cycles(one.lifetime.begin))
        );
        let _ = writeln!(text, "{}", visible(&words));
    }
    text
}

/// The pairs in the columns of the tables that the constants are read off.
fn tab_separated_pairs(kernel: &KernelCost, pairs: &[Pair<'_>]) -> String {
    let mut text =
        String::from("schedule\top\tkind\tshape\tvendor_cycles\tformula_cycles\trelease\n");
    for pair in pairs {
        // The text of a statement has no tabs: its white space is joined.
        let _ = writeln!(
            text,
            "{}\t{}\t{}\t{}\t{}\t{}\t{}",
            visible(&kernel.name),
            visible(&pair.instruction.index()),
            pair.class(),
            visible(&pair.row.source),
            pair.instruction.cycles(),
            pair.ours(),
            kernel.calibrated.release
        );
    }
    text
}
