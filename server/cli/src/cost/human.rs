//! Costs for people: a table a kernel, then where the time goes and what would help.

use std::fmt::Write;

use textwrap::core::display_width;
use visa_analysis::{
    Class, KernelCost, Lane, Model, OperationRow, Proposal, RunsRow, StageRow, WaitRow, evidence,
    thousands,
};

use super::super::styles::{TITLE, styled};
use super::numbered::how_to_apply;
use crate::documents::json::roofline as words;
use visa_analysis::visible;

/// DM, TRF and VRF of a slice in bytes, for the share that a peak takes.
const CAPACITIES: [(&str, u64); 3] = [("DM", 512 << 10), ("TRF", 64 << 10), ("VRF", 8 << 10)];

/// Causes of a context's pauses that are shown one by one.
const CAUSES: usize = 4;

/// Lines of what is assumed.
const ASSUMED: usize = 3;

/// Characters of the longest bar of a roofline.
const BAR: u128 = 24;

/// The costs of all kernels; with the stage tables and with all that is assumed if asked for.
pub(super) fn write(
    kernels: &[KernelCost],
    (stages, details): (bool, bool),
    colored: bool,
) -> String {
    if kernels.is_empty() {
        return "no kernel: no function has `#[device]`\n".to_owned();
    }
    let paint = Paint { colored };
    let texts: Vec<String> = kernels
        .iter()
        .map(|kernel| of_kernel(kernel, (stages, details), paint))
        .collect();
    texts.join("\n")
}

/// Marks parts of the text on a terminal.
#[derive(Clone, Copy)]
pub(super) struct Paint {
    pub(super) colored: bool,
}

impl Paint {
    pub(super) fn bold(self, text: &str) -> String {
        styled(text, TITLE, self.colored)
    }
}

fn of_kernel(kernel: &KernelCost, (stages, details): (bool, bool), paint: Paint) -> String {
    let mut text = String::new();
    let line = kernel.range.start.line;
    let total = total_words(kernel);
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "{} ({}:{line}): {total}\n",
        paint.bold(&visible(&kernel.name)),
        visible(&kernel.file)
    );
    if kernel.operations.is_empty() {
        text.push_str("  no operation\n");
    } else {
        text.push_str(&operations_table(kernel, paint));
        text.push_str(&trust_text(kernel));
    }
    if stages {
        for row in kernel
            .operations
            .iter()
            .filter(|row| !row.stages.is_empty())
        {
            let _ = writeln!(
                text,
                "\n{}",
                paint.bold(&format!("{} {}", row.id, visible(&row.name)))
            );
            text.push_str(&stage_table(&row.stages));
        }
    }
    if kernel.total.is_some() {
        text.push('\n');
        text.push_str(&totals_text(kernel));
        text.push_str(&idle_text(kernel));
        text.push_str(&memory_text(kernel));
        text.push_str(&roofline_text(kernel, paint));
    }
    for (title, lines) in [
        ("No total, because", unresolved_lines(kernel)),
        ("What would save most", proposal_lines(kernel)),
    ] {
        if !lines.is_empty() {
            let _ = writeln!(text, "\n{}", paint.bold(title));
            for line in lines {
                let _ = writeln!(text, "  {}", visible(&line));
            }
        }
    }
    if !kernel.assumptions.is_empty() {
        text.push('\n');
    }
    text.push_str(&assumed(kernel, details));
    text
}

/// What was taken for granted, a line each; of more than a few the first ones, unless all are asked for.
fn assumed(kernel: &KernelCost, details: bool) -> String {
    let all = kernel.assumptions.len();
    let shown = if details || all <= ASSUMED {
        all
    } else {
        ASSUMED - 1
    };
    let mut text = String::new();
    for assumption in kernel.assumptions.iter().take(shown) {
        let _ = writeln!(text, "Assumes: {}", visible(assumption));
    }
    if shown < all {
        let _ = writeln!(
            text,
            "Assumes: {} more, which `--details` prints",
            all - shown
        );
    }
    text
}

/// A bar for each bound on one scale, and the sentence which of them binds.
fn roofline_text(kernel: &KernelCost, paint: Paint) -> String {
    let Some(roofline) = &kernel.roofline else {
        return String::new();
    };
    let most = roofline.bounds().filter_map(|bound| roofline.cycles(bound));
    let most = most.max().unwrap_or(0);
    let rows: Vec<Vec<String>> = roofline
        .bounds()
        .map(|bound| {
            let cycles = roofline.cycles(bound);
            vec![
                words::bound_name(bound).to_owned(),
                cycles.map_or_else(|| "unknown".to_owned(), thousands),
                bar_text(cycles.unwrap_or(0), most),
                words::bound_detail(roofline, bound),
            ]
        })
        .collect();
    let head = ["roofline", "cycles", "", ""];
    let sentence = words::binding_sentence(roofline);
    format!(
        "\n{}{sentence}.\n",
        aligned_table(&head, &rows, &[1], paint)
    )
}

/// A bar of up to so many characters; what is not nothing has one.
fn bar_text(cycles: u64, most: u64) -> String {
    let length = (u128::from(cycles) * BAR).div_ceil(u128::from(most.max(1)));
    "#".repeat(usize::try_from(length).unwrap_or(0))
}

/// Both totals, the chosen one first: `11,206 cycles by the schedule model of 0.5.1 (9,495 to 12,917), 4,404 by the book`.
pub(super) fn total_words(kernel: &KernelCost) -> String {
    let calibrated = &kernel.calibrated;
    let book = kernel.book.as_ref().map_or(kernel.total, |book| book.total);
    let schedule = calibrated.total.map(|total| {
        let bounds = match (calibrated.low, calibrated.high) {
            (Some(low), Some(high)) => format!(" ({} to {})", thousands(low), thousands(high)),
            _ => " (no bounds: an operation is uncalibrated)".to_owned(),
        };
        let release = calibrated.release;
        (total, format!("by the schedule model of {release}{bounds}"))
    });
    let book = book.map(|total| (total, "by the book".to_owned()));
    let (first, second) = match kernel.model {
        Model::Schedule => (schedule, book),
        Model::Book => (book, schedule),
    };
    let Some((total, words)) = first else {
        let unknown = || "cycles unknown".to_owned();
        return kernel.runs.as_ref().map_or_else(unknown, RunsRow::sentence);
    };
    let first = format!("{} cycles {words}", thousands(total));
    match second {
        Some((total, words)) => format!("{first}, {} {words}", thousands(total)),
        None => first,
    }
}

/// How far the figures can be trusted, where they are those of a schedule.
fn trust_text(kernel: &KernelCost) -> String {
    if kernel.model == Model::Book {
        return String::new();
    }
    let kinds = [
        ("passes", Class::PASSES),
        ("loads", Class::LOADS),
        ("stores", Class::STORES),
    ];
    let errors: Vec<String> = kinds
        .iter()
        .map(|(name, classes)| {
            let error = Class::median_error_of(classes) as f64 / 10.0;
            format!("{error:.0} % ({name})")
        })
        .collect();
    let unknown = kernel.operations.iter().filter(|row| {
        let calibrated = row.calibrated.as_ref();
        calibrated.is_some_and(|calibrated| calibrated.median_error.is_none())
    });
    let unknown: Vec<String> = unknown.map(|row| row.id.to_string()).collect();
    let mut text = format!(
        "calibrated on {}: median error {}; a chip takes about twice as long\n",
        evidence(),
        errors.join(", ")
    );
    if !unknown.is_empty() {
        let _ = writeln!(text, "uncalibrated: {}", unknown.join(", "));
    }
    text
}

/// Operations that are written at one place, as one line of the table.
struct Folded<'a> {
    first: &'a OperationRow,
    runs: u64,
    cycles: Option<u64>,
}

/// Runs of a loop at one place, one entry each place, in the order of their first run.
fn folded(kernel: &KernelCost) -> Vec<Folded<'_>> {
    let mut lines: Vec<Folded<'_>> = Vec::new();
    for row in &kernel.operations {
        let same = lines.iter_mut().find(|line| {
            !row.loops.is_empty()
                && line.first.loops.len() == row.loops.len()
                && (&line.first.file, line.first.range) == (&row.file, row.range)
                && line.first.name == row.name
        });
        match same {
            Some(line) => {
                line.runs += 1;
                line.cycles = line
                    .cycles
                    .zip(row.cycles)
                    .map(|(sum, cycles)| sum.saturating_add(cycles));
            }
            None => lines.push(Folded {
                first: row,
                runs: 1,
                cycles: row.cycles,
            }),
        }
    }
    lines
}

fn operations_table(kernel: &KernelCost, paint: Paint) -> String {
    let head = [
        "",
        "operation",
        "context",
        "cycles",
        "share",
        "bottleneck",
        "waits for",
    ];
    let rows: Vec<Vec<String>> = folded(kernel)
        .into_iter()
        .map(|line| {
            let row = line.first;
            let name = if line.runs > 1 {
                format!("{} x{}", row.name, line.runs)
            } else {
                row.name.clone()
            };
            let share = line
                .cycles
                .zip(kernel.total.filter(|total| *total > 0))
                .map_or_else(String::new, |(cycles, total)| percent_text(cycles, total));
            vec![
                row.id.to_string(),
                name,
                row.lane.name().to_owned(),
                line.cycles.map_or_else(|| "?".to_owned(), thousands),
                share,
                row.bottleneck.unwrap_or_default().to_owned(),
                row.waits.first().map(wait_text).unwrap_or_default(),
            ]
        })
        .collect();
    aligned_table(&head, &rows, &[0, 3, 4], paint)
}

fn wait_text(wait: &WaitRow) -> String {
    match &wait.tensor {
        Some(tensor) => format!("{} ({} of {tensor})", wait.operation, wait.cause),
        None => format!("{} ({})", wait.operation, wait.cause),
    }
}

fn stage_table(stages: &[StageRow]) -> String {
    let head = [
        "stage", "type", "slice", "time", "packet", "steps", "bytes", "flits", "way", "cycles",
    ];
    let number = |value: Option<u64>| value.map_or_else(String::new, thousands);
    let words = |value: &Option<String>| {
        value
            .as_ref()
            .map_or_else(String::new, |mapping| format!("[{mapping}]"))
    };
    let rows: Vec<Vec<String>> = stages
        .iter()
        .map(|stage| {
            vec![
                stage.method.clone(),
                stage.element_type.unwrap_or_default().to_owned(),
                words(&stage.slice),
                words(&stage.time),
                words(&stage.packet),
                number(stage.iterations),
                number(stage.packet_bytes),
                number(stage.flits),
                number(stage.way),
                number(stage.cycles),
            ]
        })
        .collect();
    aligned_table(&head, &rows, &[5, 6, 7, 8, 9], Paint { colored: false })
}

fn totals_text(kernel: &KernelCost) -> String {
    let total = kernel.total.unwrap_or(0);
    let number = |value: Option<u64>| thousands(value.unwrap_or(0));
    let mut text = format!(
        "busy: main {}, sub {}, dma {} of {} cycles\n",
        number(kernel.main),
        number(kernel.sub),
        number(kernel.dma),
        thousands(total),
    );
    let _ = writeln!(
        text,
        "overlap: {} cycles with two contexts or more at work",
        number(kernel.overlap),
    );
    let least = kernel.least.unwrap_or(total);
    let gain = match total.saturating_sub(least) {
        0 => "as many as now".to_owned(),
        gain => format!("-{}", thousands(gain)),
    };
    let _ = writeln!(
        text,
        "Lower bound with perfect overlap: {} cycles ({gain})",
        thousands(least)
    );
    text
}

/// Idle cycles of each context that is used, by what ends the pause.
fn idle_text(kernel: &KernelCost) -> String {
    let mut text = String::new();
    for lane in Lane::VIRTUAL_ISA {
        let pauses = kernel.idle.iter().filter(|pause| pause.lane == lane);
        let mut causes: Vec<(String, u64)> = Vec::new();
        let mut sum: u64 = 0;
        for pause in pauses {
            let cycles = pause.end.saturating_sub(pause.start);
            sum = sum.saturating_add(cycles);
            let cause = match (&pause.wait, pause.until) {
                (Some(wait), _) => kernel
                    .operations
                    .iter()
                    .find(|row| row.id == wait.operation)
                    .map_or_else(|| wait.cause.to_owned(), |row| format!("for {}", row.name)),
                (None, Some(_)) => "before its first operation".to_owned(),
                (None, None) => "after its last operation".to_owned(),
            };
            match causes.iter_mut().find(|(known, _)| *known == cause) {
                Some((_, known)) => *known = known.saturating_add(cycles),
                None => causes.push((cause, cycles)),
            }
        }
        if sum > 0 {
            causes.sort_by(|one, other| (other.1, &one.0).cmp(&(one.1, &other.0)));
            let others = causes.split_off(causes.len().min(CAUSES));
            let rest = others
                .iter()
                .fold(0_u64, |sum, (_, cycles)| sum.saturating_add(*cycles));
            if !others.is_empty() {
                causes.push((format!("for {} others", others.len()), rest));
            }
            let parts: Vec<String> = causes
                .iter()
                .map(|(cause, cycles)| format!("{} {cause}", thousands(*cycles)))
                .collect();
            let _ = writeln!(
                text,
                "idle {}: {} ({})",
                lane.own_name(),
                thousands(sum),
                visible(&parts.join(", "))
            );
        }
    }
    text
}

fn memory_text(kernel: &KernelCost) -> String {
    let Some(peak) = kernel.peak else {
        return String::new();
    };
    let peaks = [peak.dm_bytes, peak.trf_bytes, peak.vrf_bytes];
    let parts: Vec<String> = CAPACITIES
        .iter()
        .zip(peaks)
        .map(|((name, capacity), bytes)| {
            let share = if bytes > *capacity {
                format!("more than its {}", thousands(*capacity))
            } else {
                percent_text(bytes, *capacity)
            };
            format!("{name} {} bytes ({share})", thousands(bytes))
        })
        .collect();
    let mut text = format!("memory at its peak, a slice: {}\n", parts.join(", "));
    for overfull in &kernel.overfull {
        let _ = writeln!(text, "note: {}", overfull.sentence);
    }
    text
}

/// What to do where nobody knows what a change saves.
const TRY_IT: &str =
    "Make this change by hand; `visa-lint cost --compare HEAD` then says what it saves";

fn proposal_lines(kernel: &KernelCost) -> Vec<String> {
    let proposals = kernel.proposals.iter();
    let proposals = proposals.map(|one| proposal_line(one, &kernel.file));
    let mut lines: Vec<String> = proposals.collect();
    let Some(searched) = &kernel.searched else {
        return lines;
    };
    if let Some(pair) = &searched.pair {
        lines.push(format!(
            "savings do not add up; the best two together: {}",
            proposal_line(pair, &kernel.file)
        ));
    } else if kernel.proposals.len() > 1 {
        lines.push("savings do not add up, and no second change adds to the first".to_owned());
    }
    if kernel.proposals.is_empty() {
        lines.push(format!(
            "no change was found that saves 2 % or more ({})",
            searched.sentence()
        ));
    } else {
        lines.push(searched.sentence());
        lines.extend(how_to_apply(kernel));
    }
    lines
}

fn proposal_line(proposal: &Proposal, file: &str) -> String {
    let place = place_of(proposal, file);
    let saves = saving_text(proposal);
    let unknown = if proposal.saves.is_none() {
        format!(". {TRY_IT}")
    } else {
        String::new()
    };
    // What was searched says what to do; a rule says what to do in its help.
    let words = if proposal.by.is_some() {
        format!(": {}", proposal.message)
    } else {
        let help = proposal.help.as_ref();
        help.map_or_else(String::new, |help| format!(": {help}"))
    };
    format!("{saves}, {place}, {}{words}{unknown}", proposal.rule)
}

/// `line 12`, or `line 12 of axes.rs` where that is not the kernel's file.
pub(super) fn place_of(proposal: &Proposal, file: &str) -> String {
    let line = proposal.range.start.line;
    if *proposal.file == *file {
        format!("line {line}")
    } else {
        format!("line {line} of {}", visible(&proposal.file))
    }
}

/// What a change saves: `128 cycles (1,024 to 896)`.
pub(super) fn saving_text(proposal: &Proposal) -> String {
    let Some(cycles) = proposal.saves else {
        return "not simulated".to_owned();
    };
    let cycles = thousands(cycles);
    let Some((before, after)) = proposal.total else {
        return format!("{cycles} cycles");
    };
    let bounds = if proposal.is_certain {
        ""
    } else {
        ", within the bounds of both"
    };
    let (before, after) = (thousands(before), thousands(after));
    format!("{cycles} cycles ({before} to {after}{bounds})")
}

fn unresolved_lines(kernel: &KernelCost) -> Vec<String> {
    let places = kernel.unresolved.iter();
    places
        .map(|place| {
            let start = place.range.start;
            format!(
                "line {}, column {}: {}",
                start.line, start.column, place.reason
            )
        })
        .collect()
}

/// Columns as wide as they need to be; those in `right` end at one edge. Cells may hold names of a repository.
pub(super) fn aligned_table(
    head: &[&str],
    rows: &[Vec<String>],
    right: &[usize],
    paint: Paint,
) -> String {
    let shown = |row: &Vec<String>| row.iter().map(|cell| visible(cell).into_owned()).collect();
    let rows: Vec<Vec<String>> = rows.iter().map(shown).collect();
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        let widest = cells.map(|cell| display_width(cell)).max().unwrap_or(0);
        widest.max(head.get(column).map_or(0, |title| display_width(title)))
    };
    let widths: Vec<usize> = (0..head.len()).map(width).collect();
    let line = |cells: &[String]| {
        let mut text = String::new();
        for (column, (cell, width)) in cells.iter().zip(&widths).enumerate() {
            let gap = " ".repeat(width.saturating_sub(display_width(cell)));
            let parts = if right.contains(&column) {
                [&gap, cell]
            } else {
                [cell, &gap]
            };
            let _ = write!(text, "  {}{}", parts[0], parts[1]);
        }
        text.trim_end().to_owned()
    };
    let titles: Vec<String> = head.iter().map(|title| (*title).to_owned()).collect();
    let mut text = paint.bold(&line(&titles));
    text.push('\n');
    for row in &rows {
        text.push_str(&line(row));
        text.push('\n');
    }
    text
}

/// A share as a percentage with one decimal.
pub(super) fn percent_text(part: u64, whole: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    format!("{}.{} %", tenths / 10, tenths % 10)
}
