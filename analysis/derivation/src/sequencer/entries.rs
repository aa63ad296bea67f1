//! Loops of a sequencer: merging, splitting, contiguity, distance walked. Pure arithmetic over `(size, stride)`.
//!
//! The hardware has eight entries of 65,536 iterations. Merging comes first, since two loops that one entry can run would count twice.
//! Splitting afterwards is a packing of prime factors, which is hard in general. A greedy packing shows that a split fits, a bound by size
//! shows that none does, and between the two the answer is unknown: a finding needs the bound.

use std::sync::Arc;

use crate::hardware::{DMA_PACKET_BYTES, SEQUENCER_ENTRIES, SEQUENCER_ITERATIONS};

/// One loop of a sequencer (book: Sequencer, Configuration).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Iterations; at least 2, for a loop of one iteration is none.
    pub size: u64,
    /// Elements between two iterations; 0 repeats the same elements. `None` where the distance of two interleaved
    /// tensors is not known.
    pub stride: Option<i128>,
    /// The axis that the loop runs over, or the axes of a padded group; `None` for padding and anonymous broadcasts.
    pub axis: Option<Arc<str>>,
}

impl Entry {
    /// A loop; `None` in its place means that it runs once and is no entry.
    pub(super) fn new(size: u64, stride: Option<i128>, axis: Option<Arc<str>>) -> Option<Self> {
        (size > 1).then_some(Self { size, stride, axis })
    }

    /// How far the loop steps altogether: its size times its stride. A loop outside of it with just that stride
    /// continues it.
    pub(super) fn span(&self) -> Option<i128> {
        self.stride?.checked_mul(i128::from(self.size))
    }
}

/// Merges every pair of neighbours that one loop can run: `(n1 : s1)`, `(n2 : s2)` with `s1 = n2 * s2` become
/// `(n1 * n2 : s2)` (book: Merging Entries). Outermost first, before and after.
pub(super) fn merge(entries: &[Entry]) -> Vec<Entry> {
    let mut merged: Vec<Entry> = Vec::with_capacity(entries.len());
    for entry in entries {
        if let Some(outer) = merged.last_mut()
            && outer.stride.is_some()
            && outer.stride == entry.span()
            && let Some(size) = outer.size.checked_mul(entry.size)
        {
            let axis = if outer.axis == entry.axis {
                entry.axis.clone()
            } else {
                None
            };
            *outer = Entry {
                size,
                stride: entry.stride,
                axis,
            };
        } else {
            merged.push(entry.clone());
        }
    }
    merged
}

/// Elements that one access can reach without a jump, given merged entries: the innermost loop if it steps by one
/// element (or stays where it is and repeats it), else a single element.
pub(super) fn contiguous_elements(merged: &[Entry]) -> u64 {
    match merged.last() {
        Some(Entry {
            size,
            stride: Some(0 | 1),
            ..
        }) => *size,
        _ => 1,
    }
}

/// The position of the last element that the loops reach, counted in elements from the first; strides that are not
/// known count nothing. `None` if it is too far to count.
pub(super) fn last_element(entries: &[Entry]) -> Option<i128> {
    entries.iter().try_fold(0_i128, |last, entry| {
        let steps = i128::from(entry.size) - 1;
        last.checked_add(steps.checked_mul(entry.stride.unwrap_or(0).max(0))?)
    })
}

/// What became of loops that are longer than the hardware counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Splitting {
    /// Every loop fits, split where necessary into this many altogether.
    Fits,
    /// A loop of this many iterations cannot be split into factors that fit, or only into more than the sequencer has.
    Impossible(u64),
    /// Neither could be shown.
    Unknown,
}

/// Splits loops of more than 65,536 iterations into nested ones (book: Configuration Failures). Merged entries go in:
/// whatever can be merged has been, so their splittings are all configurations there are.
pub(super) fn split_entries(merged: &[Entry]) -> Splitting {
    split_sizes(merged.iter().map(|entry| entry.size))
}

/// See [`split_entries`]: the sizes of the loops alone decide.
pub fn split_sizes(sizes: impl IntoIterator<Item = u64>) -> Splitting {
    let mut least = 0_usize;
    let mut found = 0_usize;
    let mut longest = None;
    for size in sizes {
        if size <= SEQUENCER_ITERATIONS {
            least += 1;
            found += 1;
            continue;
        }
        longest = longest.max(Some(size));
        let Some(factors) = factors_within_limit(size) else {
            return Splitting::Impossible(size);
        };
        found = found.saturating_add(factors);
        least = least.saturating_add(least_factors(size));
    }
    match longest {
        Some(longest) if least > SEQUENCER_ENTRIES => Splitting::Impossible(longest),
        Some(_) if found > SEQUENCER_ENTRIES => Splitting::Unknown,
        _ => Splitting::Fits,
    }
}

/// How many factors of at most 65,536 a number is split into, taking the largest first; `None` if one of its prime
/// factors is larger.
fn factors_within_limit(number: u64) -> Option<usize> {
    let mut rest = number;
    let mut primes = Vec::new();
    let mut candidate = 2;
    while candidate <= SEQUENCER_ITERATIONS && rest > 1 {
        while rest.is_multiple_of(candidate) {
            primes.push(candidate);
            rest /= candidate;
        }
        candidate += 1;
    }
    if rest > 1 {
        return None;
    }
    // Largest primes first into the fullest bin that still has room: at most 64 primes, and a good bound.
    let mut bins: Vec<u64> = Vec::new();
    for prime in primes.into_iter().rev() {
        let room = bins
            .iter_mut()
            .filter(|bin| **bin * prime <= SEQUENCER_ITERATIONS)
            .max();
        match room {
            Some(bin) => *bin *= prime,
            None => bins.push(prime),
        }
    }
    Some(bins.len())
}

/// Loops of at most 65,536 iterations that a number of iterations needs at least.
fn least_factors(number: u64) -> usize {
    let mut covered = 1_u128;
    let mut count = 0;
    while covered < u128::from(number) {
        covered *= u128::from(SEQUENCER_ITERATIONS);
        count += 1;
    }
    count
}

/// The largest divisor of a number that is at most `limit` (itself at most a few thousand) and a multiple of `unit`.
pub fn largest_divisor(number: u64, limit: u64, unit: u64) -> Option<u64> {
    (1..=limit.min(number))
        .rev()
        .find(|divisor| number.is_multiple_of(*divisor) && divisor.is_multiple_of(unit))
}

/// The packet of a DMA for so many bytes in a line: all of them, or the largest part of at most 4,096 bytes that divides them and is
/// a multiple of `unit`.
pub fn packet_of(bytes: u64, unit: u64) -> Option<u64> {
    if bytes <= DMA_PACKET_BYTES {
        return Some(bytes);
    }
    largest_divisor(bytes, DMA_PACKET_BYTES, unit)
}

/// Writes a configuration as the book does: `[8:256, 16:1]`.
pub(super) fn configuration_text(entries: &[Entry]) -> String {
    let parts: Vec<String> = entries
        .iter()
        .map(|entry| match entry.stride {
            Some(stride) => format!("{}:{stride}", entry.size),
            None => format!("{}:?", entry.size),
        })
        .collect();
    format!("[{}]", parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(pairs: &[(u64, i128)]) -> Vec<Entry> {
        pairs
            .iter()
            .map(|(size, stride)| Entry {
                size: *size,
                stride: Some(*stride),
                axis: None,
            })
            .collect()
    }

    #[test]
    fn neighbours_merge_only_where_the_outer_continues_the_inner() {
        assert_eq!(
            configuration_text(&merge(&entries(&[(4, 512), (2, 256), (4, 4096)]))),
            "[8:256, 4:4096]"
        );
        assert_eq!(
            configuration_text(&merge(&entries(&[(2, 12), (3, 4), (4, 1)]))),
            "[24:1]"
        );
        assert_eq!(
            configuration_text(&merge(&entries(&[(2, 0), (3, 0), (4, 1)]))),
            "[6:0, 4:1]"
        );
        let mut unknown = entries(&[(2, 4), (4, 1)]);
        unknown[0].stride = None;
        assert_eq!(configuration_text(&merge(&unknown)), "[2:?, 4:1]");
    }

    #[test]
    fn long_loops_split_unless_a_prime_factor_is_too_long() {
        assert_eq!(split_entries(&entries(&[(1_000_000, 1)])), Splitting::Fits);
        assert_eq!(split_entries(&entries(&[(65_536, 1)])), Splitting::Fits);
        assert_eq!(
            split_entries(&entries(&[(65_537, 2)])),
            Splitting::Impossible(65_537)
        );
        assert_eq!(
            split_entries(&entries(&[(2 * 65_537, 2)])),
            Splitting::Impossible(131_074)
        );
        assert_eq!(split_entries(&entries(&[(1 << 40, 1)])), Splitting::Fits);
        // Seven loops of 2 and one of 2^33 need 7 + 3.
        let mut many = entries(&[(2, 7); 7]);
        many.extend(entries(&[(1 << 33, 1)]));
        assert_eq!(split_entries(&many), Splitting::Impossible(1 << 33));
        // 257 * 257 needs two loops although it is hardly more than 65,536.
        assert_eq!(factors_within_limit(257 * 257), Some(2));
    }

    #[test]
    fn divisors_are_found_from_above() {
        assert_eq!(largest_divisor(4099, 4096, 1), Some(1));
        assert_eq!(largest_divisor(4095, 4096, 1), Some(4095));
        assert_eq!(largest_divisor(8192, 4096, 256), Some(4096));
        assert_eq!(largest_divisor(4104, 4096, 8), Some(1368));
        assert_eq!(largest_divisor(12, 4096, 8), None);
    }
}
