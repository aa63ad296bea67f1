//! Which ranges of a memory share bytes, asked of one range at a time.
//!
//! Knows ranges by their starts and how far those before them reach, so that a question takes time in what is near and not in all
//! that a kernel has; it does not know what is in them.

use rustc_hash::FxHashMap;

use crate::kernel::Tier;

/// First byte, and byte after the last.
type Bytes = (u64, u64);

/// Ranges of several memories.
pub(super) struct Occupied {
    /// Of each memory, in the order of their starts.
    ranges: FxHashMap<Tier, Vec<Range>>,
}

struct Range {
    start: u64,
    end: u64,
    /// The furthest end of this range and of those before it.
    reach: u64,
    /// Which one it is of all that were given.
    index: usize,
}

impl Occupied {
    /// The ranges that are known of those that are given.
    pub(super) fn of(given: impl Iterator<Item = (Tier, Option<Bytes>)>) -> Self {
        let mut ranges: FxHashMap<Tier, Vec<Range>> = FxHashMap::default();
        for (index, (tier, range)) in given.enumerate() {
            let Some((start, end)) = range else {
                continue;
            };
            ranges.entry(tier).or_default().push(Range {
                start,
                end,
                reach: end,
                index,
            });
        }
        for ranges in ranges.values_mut() {
            ranges.sort_unstable_by_key(|range| (range.start, range.index));
            let mut reach = 0;
            for range in ranges {
                reach = range.end.max(reach);
                range.reach = reach;
            }
        }
        Self { ranges }
    }

    /// Which of the given ranges that are `asked` for share bytes with one, in the order in which they were given. None with an
    /// unknown one.
    pub(super) fn overlapping_ranges(
        &self,
        tier: Tier,
        one: Option<Bytes>,
        asked: impl Fn(usize) -> bool,
    ) -> Vec<usize> {
        let (Some((start, end)), Some(ranges)) = (one, self.ranges.get(&tier)) else {
            return Vec::new();
        };
        let before = ranges.partition_point(|range| range.start < end);
        let before = ranges.get(..before).unwrap_or_default().iter().rev();
        // What is further down ends before this one starts.
        let near = before.take_while(|range| range.reach > start);
        let meeting = near.filter(|range| range.end > start && asked(range.index));
        let mut meeting: Vec<usize> = meeting.map(|range| range.index).collect();
        meeting.sort_unstable();
        meeting
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::{Bytes, Occupied};
    use crate::kernel::Tier;

    #[test]
    fn ranges_that_meet_are_those_with_a_byte_in_both() {
        let mut random = StdRng::seed_from_u64(11);
        let mut met = 0;
        for _ in 0..300 {
            let given: Vec<(Tier, Option<Bytes>)> = (0..random.random_range(0..12))
                .map(|_| {
                    let tier = if random.random_bool(0.7) {
                        Tier::Dm
                    } else {
                        Tier::Vrf
                    };
                    let start = random.random_range(0..24);
                    let range = (start, start + random.random_range(1..9));
                    (tier, random.random_bool(0.9).then_some(range))
                })
                .collect();
            let occupied = Occupied::of(given.iter().copied());
            for (tier, range) in &given {
                let holds = |range: &Option<Bytes>, byte: u64| {
                    range.is_some_and(|(start, end)| start <= byte && byte < end)
                };
                let share = |other: &Option<Bytes>| {
                    (0..40).any(|byte| holds(range, byte) && holds(other, byte))
                };
                let by_bytes = given.iter().enumerate();
                let by_bytes = by_bytes.filter(|(_, (other, bytes))| other == tier && share(bytes));
                let by_bytes: Vec<usize> = by_bytes.map(|(index, _)| index).collect();
                let met_ones = occupied.overlapping_ranges(*tier, *range, |_| true);
                assert_eq!(met_ones, by_bytes, "{given:?}");
                met += by_bytes.len();
                let even: Vec<usize> = by_bytes.into_iter().filter(|one| one % 2 == 0).collect();
                let met_ones = occupied.overlapping_ranges(*tier, *range, |one| one % 2 == 0);
                assert_eq!(met_ones, even, "{given:?}");
            }
        }
        assert!(met > 2_000, "{met}");
    }
}
