//! Which suppressions cover a place, found without looking at each of them.
//!
//! A file may hold as many suppressions as findings, so that comparing each with each takes too long. Suppressions of one
//! name that cover the same are one entry.

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::FxHashMap;

use super::{Covered, Suppression};
use crate::catalogue;
use crate::report::{Diagnostic, Range as FileRange};

/// The suppressions of a file by name and by what they cover.
#[derive(Default)]
pub(super) struct Covering<'a> {
    names: FxHashMap<&'a str, Named>,
    /// The entry of each suppression.
    entries: Vec<usize>,
    used: Vec<bool>,
}

/// What the suppressions of one name cover, with the entry of each.
#[derive(Default)]
struct Named {
    lines: BTreeMap<u32, usize>,
    bytes: Intervals,
}

impl<'a> Covering<'a> {
    pub(super) fn new(suppressions: &'a [Suppression]) -> Self {
        let mut covering = Self::default();
        let mut by_range: FxHashMap<(&str, &Range<u32>), usize> = FxHashMap::default();
        for suppression in suppressions {
            let new = covering.used.len();
            let named = covering.names.entry(&*suppression.name).or_default();
            let entry = match &suppression.covered {
                Covered::Line(line) => *named.lines.entry(*line).or_insert(new),
                Covered::Bytes(bytes) => {
                    let entry = by_range.entry((&*suppression.name, bytes));
                    *entry.or_insert_with(|| {
                        named.bytes.add(bytes.clone(), new);
                        new
                    })
                }
            };
            if entry == new {
                covering.used.push(false);
            }
            covering.entries.push(entry);
        }
        for named in covering.names.values_mut() {
            named.bytes.sort();
        }
        covering
    }

    /// Marks the diagnostics that are covered, and what covers them as used.
    pub(super) fn suppress(&mut self, diagnostics: &mut [Diagnostic]) {
        for diagnostic in diagnostics {
            for name in names_of(diagnostic) {
                let Some(named) = self.names.get(name) else {
                    continue;
                };
                for range in [Some(diagnostic.range), diagnostic.called_at]
                    .into_iter()
                    .flatten()
                {
                    let lines = range.start.line..=range.end.line;
                    let by_line = named.lines.range(lines).map(|(_, entry)| *entry);
                    for entry in by_line.chain(named.bytes.entries_around(range.start.byte)) {
                        diagnostic.suppressed = true;
                        if let Some(used) = self.used.get_mut(entry) {
                            *used = true;
                        }
                    }
                }
            }
        }
    }

    /// Whether the suppression of that number covered a diagnostic.
    pub(super) fn is_used(&self, suppression: usize) -> bool {
        let entry = self.entries.get(suppression);
        entry.is_some_and(|entry| self.used.get(*entry).copied().unwrap_or(false))
    }

    /// Whether a comment that covers a line means a diagnostic.
    pub(super) fn allows_on_line(&self, line: u32, diagnostic: &Diagnostic) -> bool {
        names_of(diagnostic).any(|name| {
            let named = self.names.get(name);
            named.is_some_and(|named| named.lines.contains_key(&line))
        })
    }
}

/// The names that mean a diagnostic: its rule, its group, and the group of its rule.
pub(super) fn names_of(diagnostic: &Diagnostic) -> impl Iterator<Item = &'static str> + use<> {
    let group = diagnostic.group.name();
    let own = catalogue::find(diagnostic.rule).map(|rule| rule.group.name());
    [
        Some(diagnostic.rule),
        Some(group),
        own.filter(|own| *own != group),
    ]
    .into_iter()
    .flatten()
}

/// Ranges of numbers, to be asked which of them hold one.
#[derive(Default)]
pub(super) struct Intervals {
    /// By start; with the largest end so far and an entry.
    ranges: Vec<(Range<u32>, u32, usize)>,
}

impl Intervals {
    pub(super) fn of_places(places: impl Iterator<Item = FileRange>) -> Self {
        let mut intervals = Self::default();
        for range in places {
            let lines = range.start.line..range.end.line.saturating_add(1);
            intervals.add(lines, 0);
        }
        intervals.sort();
        intervals
    }

    fn add(&mut self, range: Range<u32>, entry: usize) {
        self.ranges.push((range, 0, entry));
    }

    fn sort(&mut self) {
        self.ranges
            .sort_by_key(|(range, ..)| (range.start, range.end));
        let mut largest = 0;
        for (range, end, _) in &mut self.ranges {
            largest = largest.max(range.end);
            *end = largest;
        }
    }

    /// The entries of the ranges that hold a number.
    pub(super) fn entries_around(&self, number: u32) -> impl Iterator<Item = usize> {
        let first_behind = self
            .ranges
            .partition_point(|(range, ..)| range.start <= number);
        let before = self.ranges.get(..first_behind).unwrap_or_default();
        before
            .iter()
            .rev()
            .take_while(move |(_, end, _)| *end > number)
            .filter(move |(range, ..)| range.contains(&number))
            .map(|(.., entry)| *entry)
    }
}

#[cfg(test)]
mod tests {
    use super::Intervals;

    #[test]
    fn intervals_around_a_number_are_those_that_hold_it() {
        let ranges = [0..9, 1..3, 4..8, 5..6, 5..6, 7..7, 10..12, 11..40, 13..14];
        let mut intervals = Intervals::default();
        for (entry, range) in ranges.iter().enumerate() {
            intervals.add(range.clone(), entry);
        }
        intervals.sort();
        for number in 0..50 {
            let mut found: Vec<usize> = intervals.entries_around(number).collect();
            found.sort_unstable();
            let expected: Vec<usize> = (0..ranges.len())
                .filter(|entry| ranges[*entry].contains(&number))
                .collect();
            assert_eq!(found, expected, "{number}");
        }
    }
}
