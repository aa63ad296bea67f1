//! Requests and units of HBM that a transfer touches, counted without walking an axis.
//!
//! Knows where the runs of a transfer begin within units of 256 bytes. A loop is a rotation of those places, so that the
//! work depends on the number of loops and not on their iterations. What a request costs is not known here.

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::dma::REQUEST_BYTES;
use crate::mapping::gcd;

/// Runs that are laid into their units one by one, when the pieces of each unit are asked for.
const LAID_RUNS: u64 = 2_048;

/// A loop over runs: iterations and bytes between two of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stride {
    /// Iterations.
    pub(super) size: u64,
    /// Bytes.
    pub(super) bytes: u64,
}

/// How many runs begin at each place of a unit.
#[derive(Debug, Clone)]
pub(super) struct Starts {
    counts: Vec<(u64, u64)>,
}

impl Starts {
    /// The runs of a nest of loops that begins at an address; `None` beyond 64 bits.
    pub(super) fn of(base: u64, loops: impl IntoIterator<Item = Stride>) -> Option<Self> {
        let mut starts = Self {
            counts: vec![(base % REQUEST_BYTES, 1)],
        };
        for stride in loops {
            starts = starts.repeated_starts(stride)?;
        }
        Some(starts)
    }

    fn repeated_starts(&self, stride: Stride) -> Option<Self> {
        let step = stride.bytes % REQUEST_BYTES;
        let mut sums = [0_u64; REQUEST_BYTES as usize];
        if step == 0 {
            let counts = self.counts.iter();
            let counts = counts
                .map(|(place, count)| Some((*place, count.checked_mul(stride.size)?)))
                .collect::<Option<_>>()?;
            return Some(Self { counts });
        }
        let period = REQUEST_BYTES / gcd(step, REQUEST_BYTES);
        let (rounds, rest) = (stride.size / period, stride.size % period);
        for (place, count) in &self.counts {
            for turn in 0..period.min(stride.size) {
                let times = rounds + u64::from(turn < rest);
                let at = (place + turn * step) % REQUEST_BYTES;
                let sum = sums.get_mut(at as usize)?;
                *sum = sum.checked_add(count.checked_mul(times)?)?;
            }
        }
        let counts = (0..).zip(sums).filter(|(_, count)| *count > 0);
        Some(Self {
            counts: counts.collect(),
        })
    }

    /// Pieces of runs of so many bytes, cut where units end, with the nest at another place.
    pub(super) fn pieces_from(&self, base: u64, run: u64) -> Option<u64> {
        self.counts.iter().try_fold(0_u64, |sum, (place, count)| {
            let units = touched_units((place + base) % REQUEST_BYTES, run)?;
            sum.checked_add(units.checked_mul(*count)?)
        })
    }

    /// Whether all runs begin where a unit does.
    pub(super) fn aligned(&self) -> bool {
        self.counts.iter().all(|(place, _)| *place == 0)
    }
}

/// Units that a run touches.
const fn touched_units(place: u64, run: u64) -> Option<u64> {
    if run == 0 {
        return Some(0);
    }
    match place.checked_add(run - 1) {
        Some(last) => Some(last / REQUEST_BYTES + 1),
        None => None,
    }
}

/// The units that a store writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Written {
    /// Runs.
    pub(super) runs: u64,
    /// Pieces that are less than their unit, and whole units.
    pub(super) pieces: u64,
    /// The squares of the pieces of each unit, all added.
    pub(super) squares: u64,
    /// Units that one piece writes whole; each is one of the squares.
    pub(super) whole: u64,
}

/// Lays runs into units, each in requests of 256 bytes from its first byte on; a request that crosses a boundary is a piece on
/// both sides. Of more runs than are laid, the loops with the largest steps are taken for as many times the rest.
pub(super) fn lay_runs(base: u64, loops: &[Stride], run: u64) -> Option<Written> {
    let mut loops: Vec<Stride> = loops.iter().copied().filter(|of| of.size > 1).collect();
    loops.sort_by_key(|stride| stride.bytes);
    let per_run = run.div_ceil(REQUEST_BYTES).max(1);
    // Longer runs are whole units inside: only so much of them is laid.
    let (laid_run, inner) = laid(run);
    let budget = (LAID_RUNS / laid_run.div_ceil(REQUEST_BYTES).max(1)).max(1);
    let mut left = budget;
    // Of so many runs so many are laid.
    let (mut all, mut some): (u128, u128) = (1, 1);
    let mut places = vec![base];
    for stride in loops {
        let size = stride.size.min(left.max(1));
        all = all.checked_mul(u128::from(stride.size))?;
        some = some.checked_mul(u128::from(size))?;
        left /= size;
        let outer = std::mem::take(&mut places);
        for iteration in 0..size {
            let step = iteration.checked_mul(stride.bytes)?;
            for place in &outer {
                places.push(place.checked_add(step)?);
            }
        }
    }
    let mut units: FxHashMap<u64, u64> = FxHashMap::default();
    let mut covered: FxHashSet<u64> = FxHashSet::default();
    for place in &places {
        let mut done = 0;
        while done < laid_run {
            let length = REQUEST_BYTES.min(laid_run - done);
            if length == REQUEST_BYTES && (place + done).is_multiple_of(REQUEST_BYTES) {
                covered.insert((place + done) / REQUEST_BYTES);
            }
            let first = (place + done) / REQUEST_BYTES;
            let last = (place + done + length - 1) / REQUEST_BYTES;
            *units.entry(first).or_default() += 1;
            if last != first {
                *units.entry(last).or_default() += 1;
            }
            done += length;
        }
    }
    let squares = units.values().try_fold(0_u128, |sum, pieces| {
        sum.checked_add(u128::from(*pieces).pow(2))
    })?;
    let laid = places.len() as u128;
    let crossing = places
        .iter()
        .filter(|place| *place % REQUEST_BYTES != 0)
        .count() as u128;
    let whole = covered
        .iter()
        .filter(|unit| units.get(*unit) == Some(&1))
        .count() as u128;
    // A run that begins inside of a unit has each unit in two pieces.
    let inner_squares = u128::from(inner) * (laid - crossing + 4 * crossing);
    let inner_whole = u128::from(inner) * (laid - crossing);
    let scaled = |count: u128| {
        let count = count.checked_mul(all)?.checked_add(some / 2)?;
        u64::try_from(count.checked_div(some)?).ok()
    };
    Some(Written {
        runs: scaled(laid)?,
        pieces: scaled(laid.checked_mul(u128::from(per_run))?)?,
        squares: scaled(squares.checked_add(inner_squares)?)?,
        whole: scaled(whole.checked_add(inner_whole)?)?,
    })
}

/// The bytes of a run that are laid, and the units inside that are left out.
const fn laid(run: u64) -> (u64, u64) {
    const WHOLE: u64 = 8;
    let units = run / REQUEST_BYTES;
    if units <= 2 * WHOLE {
        return (run, 0);
    }
    let inner = units - WHOLE;
    (run - inner * REQUEST_BYTES, inner)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    /// Every run walked byte by byte: pieces that are cut, squares of the pieces of each unit, units in one whole piece.
    fn walked(base: u64, loops: &[Stride], run: u64) -> (u64, u64, u64) {
        let mut places = vec![base];
        for stride in loops {
            places = places
                .iter()
                .flat_map(|place| (0..stride.size).map(move |turn| place + turn * stride.bytes))
                .collect();
        }
        let mut cut = 0;
        let mut units: BTreeMap<u64, u64> = BTreeMap::new();
        let mut bytes: BTreeMap<u64, u64> = BTreeMap::new();
        for place in places {
            let mut seen = None;
            for byte in 0..run {
                let unit = (place + byte) / 256;
                let request = byte / 256;
                *bytes.entry(unit).or_default() += 1;
                if seen.is_none_or(|(before, _)| before != unit) {
                    cut += 1;
                }
                if seen != Some((unit, request)) {
                    *units.entry(unit).or_default() += 1;
                }
                seen = Some((unit, request));
            }
        }
        let whole = units
            .iter()
            .filter(|(unit, pieces)| **pieces == 1 && bytes[unit] == 256);
        let squares = units.values().map(|pieces| pieces * pieces);
        (cut, squares.sum(), whole.count() as u64)
    }

    #[test]
    fn counts_are_those_of_a_walk() {
        type Nest<'a> = (u64, &'a [(u64, u64)], u64);
        let nests: [Nest<'_>; 10] = [
            (0, &[(8, 960)], 960),
            (0, &[(16, 16), (16, 256)], 16),
            (64, &[(5, 480), (3, 7_200)], 480),
            (0, &[(7, 120)], 120),
            (8, &[(3, 1_000), (4, 100_000)], 1_000),
            (0, &[(2, 3_840)], 3_840),
            (32, &[(2, 10_000)], 9_000),
            (0, &[(128, 2), (2, 256)], 2),
            (0, &[(3, 2_304)], 2_056),
            (0, &[(2, 10_240)], 9_000),
        ];
        for (base, loops, run) in nests {
            let loops: Vec<Stride> = loops
                .iter()
                .map(|&(size, bytes)| Stride { size, bytes })
                .collect();
            let (pieces, squares, whole) = walked(base, &loops, run);
            let starts = Starts::of(base, loops.iter().copied()).expect("starts");
            assert_eq!(starts.pieces_from(0, run), Some(pieces), "{loops:?}");
            let found = lay_runs(base, &loops, run).expect("units");
            assert_eq!((found.squares, found.whole), (squares, whole), "{loops:?}");
        }
    }

    /// Of more runs than are laid the rest counts as those do, whatever their number divides by.
    #[test]
    fn runs_that_are_not_laid_count_as_the_others() {
        for (size, bytes, run) in [(3_000, 64, 64), (500, 2_304, 2_056), (4_095, 16, 16)] {
            let loops = [Stride { size, bytes }];
            let (_, squares, whole) = walked(0, &loops, run);
            let found = lay_runs(0, &loops, run).expect("units");
            assert!(found.squares.abs_diff(squares) * 200 <= squares, "{size}");
            assert!(found.whole.abs_diff(whole) * 200 <= whole, "{size}");
            assert_eq!(found.runs, size);
        }
    }

    #[test]
    fn long_loops_cost_no_more_than_short_ones() {
        let loops = [
            Stride { size: 4, bytes: 64 },
            Stride {
                size: 1 << 40,
                bytes: 256,
            },
        ];
        let found = lay_runs(0, &loops, 64).expect("units");
        assert_eq!(found.squares, 16 << 40);
        assert_eq!((found.runs, found.whole), (4 << 40, 0));
        let starts = Starts::of(0, loops).expect("starts");
        assert_eq!(starts.pieces_from(0, 64), Some(4 << 40));
    }
}
