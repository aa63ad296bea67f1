//! What a change of the sources costs or saves: the kernels of two states of the same files, side by side.
//!
//! Kernels are matched by file and name, operations by name and by how many of that name came before. Only kernels whose
//! cycles are known in both states have a difference; all others are counted and named.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use serde::Serialize;
use visa_analysis::{KernelCost, counted, thousands, visible};

use super::human::{Paint, aligned_table};
use super::unknown::unknown_place;
use crate::arguments::Limit;
use crate::documents::json::pretty;
use crate::project::Failure;

/// A kernel in one state.
#[derive(Debug, Clone)]
pub(super) struct State {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) total: Option<u64>,
    /// Where and why there is no total: `k.rs:35: unknown method`.
    pub(super) unknown: Option<String>,
    pub(super) operations: Vec<StateOperation>,
}

/// An operation in one state.
#[derive(Debug, Clone)]
pub(super) struct StateOperation {
    pub(super) name: String,
    pub(super) context: String,
    pub(super) cycles: Option<u64>,
}

impl State {
    /// A kernel as it costs, by the model that was chosen.
    pub(super) fn of(kernel: &KernelCost) -> Self {
        let rows = kernel.operations.iter();
        Self {
            name: kernel.name.clone(),
            file: kernel.file.to_string(),
            total: kernel.total,
            unknown: unknown_place(kernel),
            operations: rows
                .map(|row| StateOperation {
                    name: row.name.clone(),
                    context: row.lane.name().to_owned(),
                    cycles: row.cycles,
                })
                .collect(),
        }
    }
}

/// A kernel in both states.
#[derive(Serialize)]
pub(super) struct KernelChange {
    pub(super) name: String,
    pub(super) file: String,
    pub(super) before: Option<u64>,
    pub(super) after: Option<u64>,
    pub(super) difference: Option<i128>,
    /// Whether it is there before and after.
    pub(super) there: [bool; 2],
    pub(super) operations: Vec<OperationChange>,
    #[serde(skip)]
    unknown: Option<String>,
}

/// An operation in both states; `None` where it is not there or its cycles are unknown.
#[derive(Serialize)]
pub(super) struct OperationChange {
    pub(super) name: String,
    pub(super) context: String,
    pub(super) before: Option<u64>,
    pub(super) after: Option<u64>,
    pub(super) difference: Option<i128>,
    pub(super) there: [bool; 2],
}

impl OperationChange {
    /// Whether it came, went or takes other cycles.
    pub(super) fn is_change(&self) -> bool {
        self.there != [true; 2] || self.before != self.after
    }
}

impl KernelChange {
    fn is_in_both(&self) -> bool {
        self.there == [true; 2]
    }

    /// The cycles of both states, where both are known.
    pub(super) fn known_cycles(&self) -> Option<(u64, u64)> {
        self.before.zip(self.after)
    }

    /// Whether it came, went, has other cycles or other operations.
    pub(super) fn is_change(&self) -> bool {
        !self.is_in_both()
            || self.before != self.after
            || self.operations.iter().any(OperationChange::is_change)
    }

    /// Why it has no difference, where it is there in both states.
    pub(super) fn unjudged(&self) -> Option<String> {
        let place = |words: &str| match &self.unknown {
            Some(unknown) => format!("{words}: {unknown}"),
            None => words.to_owned(),
        };
        match (self.is_in_both(), self.before, self.after) {
            (true, Some(_), None) => Some(place("its cycles are unknown now")),
            (true, None, Some(_)) => Some("its cycles were unknown before".to_owned()),
            (true, None, None) => Some(place("its cycles are unknown, before and now")),
            (false, _, None) if self.there[1] => {
                Some(place("it is new and its cycles are unknown"))
            }
            _ => None,
        }
    }
}

/// Everything that changed, and what the limit says about it.
#[derive(Serialize)]
pub(super) struct Comparison<'a> {
    version: u32,
    pub(super) compared_with: &'a str,
    pub(super) kernels: Vec<KernelChange>,
    pub(super) total: Total,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) limit: Option<Verdict>,
}

/// The cycles of all kernels that are known in both states.
#[derive(Debug, Default, Serialize)]
pub(super) struct Total {
    pub(super) kernels: u64,
    pub(super) before: u64,
    pub(super) after: u64,
    pub(super) difference: i128,
}

/// What `--fail-on` says.
#[derive(Serialize)]
pub(super) struct Verdict {
    /// The limit: `+5%`.
    pub(super) limit: String,
    /// Whether the run fails by it.
    pub(super) exceeded: bool,
    /// What is beyond it: names of kernels with their growth, or why a kernel that was known has no cycles now.
    pub(super) beyond: Vec<String>,
    /// Kernels that could not be judged, and do not fail the run.
    pub(super) unjudged: Vec<String>,
}

/// The kernels of both states, those of the new one first.
pub(super) fn compare_states<'a>(
    old: &[State],
    new: &[State],
    name: &'a str,
    limit: Option<Limit>,
) -> Comparison<'a> {
    let key = |state: &State| (state.file.clone(), state.name.clone());
    let known: BTreeMap<_, _> = old.iter().rev().map(|state| (key(state), state)).collect();
    let now: BTreeSet<_> = new.iter().map(key).collect();
    let mut kernels: Vec<KernelChange> = new
        .iter()
        .map(|state| kernel_change(known.get(&key(state)).copied(), Some(state)))
        .collect();
    let gone = old.iter().filter(|state| !now.contains(&key(state)));
    kernels.extend(gone.map(|state| kernel_change(Some(state), None)));
    let mut total = Total::default();
    for (before, after) in kernels.iter().filter_map(KernelChange::known_cycles) {
        total.kernels += 1;
        total.before = total.before.saturating_add(before);
        total.after = total.after.saturating_add(after);
    }
    total.difference = i128::from(total.after) - i128::from(total.before);
    let limit = limit.map(|limit| judge_growth(&kernels, &total, limit));
    Comparison {
        version: 1,
        compared_with: name,
        kernels,
        total,
        limit,
    }
}

fn kernel_change(old: Option<&State>, new: Option<&State>) -> KernelChange {
    let either = new.or(old);
    let (before, after) = (
        old.and_then(|kernel| kernel.total),
        new.and_then(|kernel| kernel.total),
    );
    let (first, second) = (numbered_operations(old), numbered_operations(new));
    let named: BTreeMap<_, _> = first.iter().map(|(name, row)| (name, *row)).collect();
    let known: BTreeSet<_> = second.iter().map(|(name, _)| *name).collect();
    let gone = first.iter().filter(|(name, _)| !known.contains(name));
    let both = second
        .iter()
        .map(|(name, row)| (named.get(name).copied(), Some(*row)));
    let operations = both.chain(gone.map(|(_, row)| (Some(*row), None)));
    let operations = operations.map(
        |(one, two): (Option<&StateOperation>, Option<&StateOperation>)| {
            let cycles = |side: Option<&StateOperation>| side.and_then(|row| row.cycles);
            let either = two.or(one);
            OperationChange {
                name: either.map(|row| row.name.clone()).unwrap_or_default(),
                context: either.map(|row| row.context.clone()).unwrap_or_default(),
                before: cycles(one),
                after: cycles(two),
                difference: signed_difference(cycles(one), cycles(two)),
                there: [one.is_some(), two.is_some()],
            }
        },
    );
    KernelChange {
        name: either.map(|kernel| kernel.name.clone()).unwrap_or_default(),
        file: either.map(|kernel| kernel.file.clone()).unwrap_or_default(),
        before,
        after,
        difference: signed_difference(before, after),
        there: [old.is_some(), new.is_some()],
        operations: operations.collect(),
        unknown: new.and_then(|kernel| kernel.unknown.clone()),
    }
}

fn signed_difference(before: Option<u64>, after: Option<u64>) -> Option<i128> {
    Some(i128::from(after?) - i128::from(before?))
}

/// Operations by their names and how many of that name came before.
fn numbered_operations(kernel: Option<&State>) -> Vec<((&str, u32), &StateOperation)> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    let rows = kernel.into_iter().flat_map(|kernel| &kernel.operations);
    rows.map(|row| {
        let count = counts.entry(&row.name).or_default();
        *count += 1;
        ((row.name.as_str(), *count), row)
    })
    .collect()
}

/// Holds each kernel and all together against the limit. A kernel that was known and is not any more fails: its growth may be
/// anything.
fn judge_growth(kernels: &[KernelChange], total: &Total, limit: Limit) -> Verdict {
    let (mut beyond, mut unjudged) = (Vec::new(), Vec::new());
    for kernel in kernels {
        let name = format!("`{}` ({})", kernel.name, kernel.file);
        match (kernel.known_cycles(), kernel.unjudged()) {
            (Some((before, after)), _) if limit.is_exceeded(before, after) => {
                beyond.push(format!("{name}: {}", growth(before, after)));
            }
            (None, Some(words)) if kernel.before.is_some() => {
                beyond.push(format!("{name}: {words}"));
            }
            (None, Some(words)) => unjudged.push(format!("{name}: {words}")),
            _ => {}
        }
    }
    unjudged.extend(
        kernels
            .iter()
            .filter_map(|kernel| renamed_from(kernels, kernel)),
    );
    if total.kernels > 1 && limit.is_exceeded(total.before, total.after) {
        beyond.push(format!(
            "all together: {}",
            growth(total.before, total.after)
        ));
    }
    if total.kernels == 0 && beyond.is_empty() {
        unjudged.push("no kernel has known cycles in both states".to_owned());
    }
    Verdict {
        limit: limit.to_string(),
        exceeded: !beyond.is_empty(),
        beyond,
        unjudged,
    }
}

/// That a kernel which is new does what one did that is gone from its file: by the names of their operations.
fn renamed_from(kernels: &[KernelChange], new: &KernelChange) -> Option<String> {
    if new.there[0] || new.operations.is_empty() {
        return None;
    }
    let alike = |gone: &&KernelChange| {
        let names = |kernel: &KernelChange| -> Vec<String> {
            let rows = kernel.operations.iter();
            rows.map(|row| row.name.clone()).collect()
        };
        !gone.there[1] && gone.file == new.file && names(gone) == names(new)
    };
    let gone = kernels.iter().find(alike)?;
    Some(format!(
        "`{}` ({}): it is new; `{}`, which is gone, has the same operations and took {} cycles, it takes {}",
        new.name,
        new.file,
        gone.name,
        cycles_or_unknown(gone.before),
        cycles_or_unknown(new.after)
    ))
}

/// The changes as one JSON object.
pub(super) fn json(comparison: &Comparison<'_>) -> Result<String, Failure> {
    pretty(comparison)
}

/// The changes for people: the kernels that differ, with their operations where these are asked for, and a total.
pub(super) fn human_comparison(
    comparison: &Comparison<'_>,
    details: bool,
    colored: bool,
) -> String {
    let kernels = &comparison.kernels;
    if kernels.is_empty() {
        return "no kernel: no function has `#[device]`\n".to_owned();
    }
    let paint = Paint { colored };
    let mut text = if details || kernels.len() == 1 {
        let parts: Vec<String> = kernels
            .iter()
            .filter(|kernel| kernel.is_change() || kernels.len() == 1)
            .map(|kernel| of_kernel(kernel, comparison.compared_with, paint))
            .collect();
        parts.join("\n")
    } else {
        change_lines(kernels, paint)
    };
    if !text.is_empty() && kernels.len() > 1 {
        text.push('\n');
    }
    for line in conclusions(comparison) {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{}", visible(&line));
    }
    text
}

/// A line each kernel that differs, the largest growth first.
fn change_lines(kernels: &[KernelChange], paint: Paint) -> String {
    let mut changed: Vec<&KernelChange> = kernels.iter().filter(|one| one.is_change()).collect();
    if changed.is_empty() {
        return String::new();
    }
    changed.sort_by_key(|kernel| std::cmp::Reverse(kernel.difference));
    let rows: Vec<Vec<String>> = changed
        .into_iter()
        .map(|kernel| {
            let [before, after] = side_texts(kernel.there, kernel.before, kernel.after);
            vec![
                before,
                after,
                kernel.difference.map(signed).unwrap_or_default(),
                kernel.known_cycles().map_or_else(String::new, share_text),
                kernel.name.clone(),
                kernel.file.clone(),
                kernel.unjudged().unwrap_or_default(),
            ]
        })
        .collect();
    let head = ["before", "after", "difference", "", "kernel", "file", ""];
    aligned_table(&head, &rows, &[0, 1, 2, 3], paint)
}

/// The total, how many kernels changed, and what the limit says.
pub(super) fn conclusions(comparison: &Comparison<'_>) -> Vec<String> {
    let Comparison { kernels, total, .. } = comparison;
    let old = comparison.compared_with;
    let mut lines = Vec::new();
    if kernels.len() > 1 {
        lines.push(format!(
            "total of {} in both states: {} cycles in {old}, {} now, {}",
            counted(total.kernels, "kernel"),
            thousands(total.before),
            thousands(total.after),
            growth(total.before, total.after)
        ));
        lines.push(counts_text(kernels));
    }
    if let Some(verdict) = &comparison.limit {
        let limit = &verdict.limit;
        if verdict.exceeded {
            lines.push(format!("beyond --fail-on {limit}:"));
            lines.extend(verdict.beyond.iter().map(|one| format!("  {one}")));
        } else if total.kernels == 0 {
            lines.push(format!("nothing is judged by --fail-on {limit}"));
        } else {
            lines.push(format!(
                "within --fail-on {limit}: {}",
                counted(total.kernels, "kernel")
            ));
        }
        if !verdict.unjudged.is_empty() {
            lines.push(format!("not judged by --fail-on {limit}:"));
            lines.extend(verdict.unjudged.iter().map(|one| format!("  {one}")));
        }
    }
    lines
}

fn counts_text(kernels: &[KernelChange]) -> String {
    let count = |is: &dyn Fn(&KernelChange) -> bool| kernels.iter().filter(|one| is(one)).count();
    let both = |kernel: &KernelChange| kernel.is_in_both();
    let parts = [
        ("changed", count(&|one| both(one) && one.is_change())),
        ("not changed", count(&|one| both(one) && !one.is_change())),
        ("new", count(&|one| !one.there[0])),
        ("gone", count(&|one| !one.there[1])),
        (
            "of unknown cycles in a state",
            count(&|one| both(one) && one.known_cycles().is_none()),
        ),
    ];
    let parts: Vec<String> = parts
        .into_iter()
        .filter(|(_, count)| *count > 0)
        .map(|(words, count)| format!("{count} {words}"))
        .collect();
    format!("kernels: {}", parts.join(", "))
}

fn of_kernel(kernel: &KernelChange, old: &str, paint: Paint) -> String {
    let words = match kernel.there {
        [false, _] => format!(
            "not in {old}; {} cycles now",
            cycles_or_unknown(kernel.after)
        ),
        [_, false] => format!(
            "only in {old}, with {} cycles",
            cycles_or_unknown(kernel.before)
        ),
        _ => format!(
            "{} cycles in {old}, {} now{}",
            cycles_or_unknown(kernel.before),
            cycles_or_unknown(kernel.after),
            kernel
                .known_cycles()
                .map_or_else(String::new, |(before, after)| format!(
                    " ({})",
                    growth(before, after)
                ))
        ),
    };
    let (name, file) = (visible(&kernel.name), visible(&kernel.file));
    let mut text = format!("{} ({file}): {}\n", paint.bold(&name), visible(&words));
    if let Some(words) = kernel.unjudged() {
        let _ = writeln!(text, "  {}", visible(&words));
    }
    let rows: Vec<Vec<String>> = kernel
        .operations
        .iter()
        .filter(|row| kernel.is_in_both() && row.is_change())
        .map(|row| {
            let [before, after] = side_texts(row.there, row.before, row.after);
            vec![
                row.name.clone(),
                row.context.clone(),
                before,
                after,
                row.difference.map(signed).unwrap_or_default(),
            ]
        })
        .collect();
    if !rows.is_empty() {
        let head = ["operation", "context", "before", "after", "difference"];
        text.push('\n');
        text.push_str(&aligned_table(&head, &rows, &[2, 3, 4], paint));
    } else if kernel.is_in_both() {
        text.push_str("  no operation takes more or fewer cycles\n");
    }
    text
}

/// The cycles of both sides in words; `-` where it is not there.
pub(super) fn side_texts(there: [bool; 2], before: Option<u64>, after: Option<u64>) -> [String; 2] {
    let side = |there: bool, cycles: Option<u64>| {
        if there {
            cycles_or_unknown(cycles)
        } else {
            "-".to_owned()
        }
    };
    [side(there[0], before), side(there[1], after)]
}

fn cycles_or_unknown(cycles: Option<u64>) -> String {
    cycles.map_or_else(|| "unknown".to_owned(), thousands)
}

/// `+600`, `-1,200`, `+0`.
pub(super) fn signed(difference: i128) -> String {
    let sign = if difference < 0 { "-" } else { "+" };
    let size = u64::try_from(difference.unsigned_abs()).unwrap_or(u64::MAX);
    format!("{sign}{}", thousands(size))
}

/// `+5.1 %`; nothing where there was nothing.
pub(super) fn share_text((before, after): (u64, u64)) -> String {
    if before == 0 {
        return String::new();
    }
    let sign = if after < before { "-" } else { "+" };
    let tenths = u128::from(after.abs_diff(before)) * 1_000 / u128::from(before);
    format!("{sign}{}.{} %", tenths / 10, tenths % 10)
}

/// `+600, +5.1 %`.
pub(super) fn growth(before: u64, after: u64) -> String {
    let difference = signed(i128::from(after) - i128::from(before));
    match share_text((before, after)).as_str() {
        "" => difference,
        share => format!("{difference}, {share}"),
    }
}
