//! Many kernels for people: a line each, the dearest first, and behind them those whose cycles are unknown.

use std::cmp::Reverse;
use std::fmt::Write;

use visa_analysis::{KernelCost, Model, thousands};

use crate::documents::json::roofline::binding_bound;

use super::human::{Paint, aligned_table, place_of};
use super::unknown::unknown_place;

/// The kernels in the order in which they are listed: by falling cycles, those of unknown cycles last.
pub(super) fn sorted(kernels: &[KernelCost]) -> Vec<&KernelCost> {
    let mut sorted: Vec<&KernelCost> = kernels.iter().collect();
    sorted.sort_by_key(|kernel| (kernel.total.is_none(), Reverse(kernel.total)));
    sorted
}

/// A line each kernel, and a line about all.
pub(super) fn write(kernels: &[KernelCost], hints: bool, colored: bool) -> String {
    let rows: Vec<Vec<String>> = sorted(kernels).into_iter().map(kernel_row).collect();
    let head = ["cycles", "bounds", "kernel", "place", "binds", "saves"];
    let mut text = aligned_table(&head, &rows, &[0, 1], Paint { colored });
    // Writing to a string cannot fail.
    let _ = writeln!(text, "\n{}", all_together(kernels));
    if hints {
        text.push_str("details: --kernel NAME of one, --details of all\n");
    }
    text
}

fn kernel_row(kernel: &KernelCost) -> Vec<String> {
    let place = format!("{}:{}", kernel.file, kernel.range.start.line);
    let Some(total) = kernel.total else {
        let why = unknown_place(kernel).unwrap_or_default();
        let unknown = "unknown".to_owned();
        return vec![unknown, String::new(), kernel.name.clone(), place, why];
    };
    vec![
        thousands(total),
        likely_bounds(kernel),
        kernel.name.clone(),
        place,
        kernel
            .roofline
            .as_ref()
            .map_or_else(String::new, binding_bound),
        largest_saving(kernel),
    ]
}

/// The fewest and the most cycles that are likely, where the figures are a schedule's.
pub(super) fn likely_bounds(kernel: &KernelCost) -> String {
    let calibrated = &kernel.calibrated;
    match (calibrated.low, calibrated.high) {
        (Some(low), Some(high)) if kernel.total == calibrated.total => {
            format!("{} to {}", thousands(low), thousands(high))
        }
        _ if calibrated.total.is_some() && kernel.model == Model::Schedule => "none".to_owned(),
        _ => String::new(),
    }
}

/// The largest saving that is known, and its line. Where the search was stopped, there may be a larger one.
pub(super) fn largest_saving(kernel: &KernelCost) -> String {
    let stopped = kernel
        .searched
        .as_ref()
        .is_some_and(|searched| searched.stopped);
    let least = if stopped { "at least " } else { "" };
    kernel.proposals.first().map_or_else(String::new, |best| {
        let place = place_of(best, &kernel.file);
        match best.saves {
            Some(cycles) => format!("{least}{}, {place}: {}", thousands(cycles), best.rule),
            None => format!("not simulated, {place}: {}", best.rule),
        }
    })
}

/// How many kernels there are, what those with known cycles take together, and how many have none.
pub(super) fn all_together(kernels: &[KernelCost]) -> String {
    let known = kernels.iter().filter_map(|kernel| kernel.total);
    let sum = known.clone().fold(0_u64, u64::saturating_add);
    let unknown = kernels.len() - known.count();
    let mut text = format!(
        "{} kernels, {} cycles together",
        kernels.len(),
        thousands(sum)
    );
    if unknown > 0 {
        let _ = write!(text, "; {unknown} of unknown cycles are not in the sum");
    }
    text
}
