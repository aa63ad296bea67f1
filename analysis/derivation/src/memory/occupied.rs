//! Which ranges of a memory share bytes and time, asked of one range at a time.
//!
//! It knows places (equal ranges) by their starts and how far those before them reach, and of each place when its data is needed,
//! so that a question takes time in what it finds and not in all that a kernel has. It does not know what is in them.

use rustc_hash::FxHashMap;

use crate::kernel::{OperationId, Tier};

/// First byte, and byte after the last.
pub(super) type Bytes = (u64, u64);

/// When data of a range may be needed: from the operation before which it may be there until before the one that needs it last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NeedTime {
    /// It holds nothing for an operation before this one.
    pub(super) from: OperationId,
    /// The last that needs it; none where it is needed after all of them.
    pub(super) last: Option<OperationId>,
}

impl NeedTime {
    /// The operation after which nothing needs it, as a number.
    fn end(self) -> u64 {
        self.last.map_or(u64::MAX, |last| u64::from(last.0))
    }
}

/// Ranges of several memories with the times when their data is needed.
pub(super) struct Occupied {
    /// Of each memory the places, in the order of their starts.
    places: FxHashMap<Tier, Vec<Place>>,
}

/// All that is at equal ranges.
struct Place {
    bytes: Bytes,
    /// The furthest end of this place and of those before it.
    reach: u64,
    needs: Needs,
}

impl Occupied {
    /// The ranges that are known of those that are given, of which data is ever needed.
    pub(super) fn of(given: impl Iterator<Item = (Tier, Option<Bytes>, Option<NeedTime>)>) -> Self {
        let mut known: FxHashMap<(Tier, Bytes), Vec<(NeedTime, usize)>> = FxHashMap::default();
        for (index, (tier, range, need)) in given.enumerate() {
            if let (Some(range), Some(need)) = (range, need) {
                known.entry((tier, range)).or_default().push((need, index));
            }
        }
        let mut places: FxHashMap<Tier, Vec<Place>> = FxHashMap::default();
        for ((tier, bytes), needs) in known {
            places.entry(tier).or_default().push(Place {
                bytes,
                reach: bytes.1,
                needs: Needs::of(needs),
            });
        }
        for places in places.values_mut() {
            places.sort_unstable_by_key(|place| place.bytes);
            let mut reach = 0;
            for place in places {
                reach = place.bytes.1.max(reach);
                place.reach = reach;
            }
        }
        Self { places }
    }

    /// Which of the given ranges share bytes with one and may hold data before one of some operations, from the first to the last,
    /// that is needed after the first; in the order in which they were given. None with an unknown range.
    pub(super) fn needed_across(
        &self,
        tier: Tier,
        one: Option<Bytes>,
        (first, last): (OperationId, OperationId),
    ) -> Vec<usize> {
        let (Some((start, end)), Some(places)) = (one, self.places.get(&tier)) else {
            return Vec::new();
        };
        let before = places.partition_point(|place| place.bytes.0 < end);
        let before = places.get(..before).unwrap_or_default().iter().rev();
        // What is further down ends before this one starts.
        let near = before.take_while(|place| place.reach > start);
        let mut found = Vec::new();
        for place in near.filter(|place| place.bytes.1 > start) {
            place.needs.push_across(first, last, &mut found);
        }
        found.sort_unstable();
        found
    }
}

/// When what is at one place is needed.
struct Needs {
    /// In the order of their beginnings, each with its number among all that were given.
    by_from: Vec<(NeedTime, usize)>,
    /// The latest end below each node of a full tree over them: of node `n` the children are `2 n` and `2 n + 1`.
    latest: Vec<u64>,
}

impl Needs {
    fn of(mut by_from: Vec<(NeedTime, usize)>) -> Self {
        by_from.sort_unstable_by_key(|(need, index)| (need.from, *index));
        let leaves = by_from.len().next_power_of_two();
        let mut latest = vec![0; leaves];
        latest.extend(by_from.iter().map(|(need, _)| need.end()));
        latest.resize(2 * leaves, 0);
        for node in (1..leaves).rev() {
            let below = latest.get(2 * node..2 * node + 2).unwrap_or_default();
            let most = below.iter().copied().max().unwrap_or(0);
            if let Some(own) = latest.get_mut(node) {
                *own = most;
            }
        }
        Self { by_from, latest }
    }

    /// Adds those that begin until one operation and end after another.
    fn push_across(&self, first: OperationId, last: OperationId, found: &mut Vec<usize>) {
        let begun = self.by_from.partition_point(|(need, _)| need.from <= last);
        let leaves = self.latest.len() / 2;
        let mut open = vec![(1, 0, leaves)];
        while let Some((node, from, to)) = open.pop() {
            let latest = self.latest.get(node).copied().unwrap_or(0);
            if from >= begun || latest <= u64::from(first.0) {
                continue;
            }
            if to - from == 1 {
                found.extend(self.by_from.get(from).map(|(_, index)| *index));
                continue;
            }
            let middle = from.midpoint(to);
            open.push((2 * node, from, middle));
            open.push((2 * node + 1, middle, to));
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::{Bytes, NeedTime, Occupied};
    use crate::kernel::{OperationId, Tier};

    type Given = (Tier, Option<Bytes>, Option<NeedTime>);

    fn random_range(random: &mut StdRng) -> Given {
        let tier = if random.random_bool(0.7) {
            Tier::Dm
        } else {
            Tier::Vrf
        };
        // Few starts and lengths, so that some are at the same place.
        let start = random.random_range(0..8) * 3;
        let range = (start, start + random.random_range(1..4) * 3);
        let from = random.random_range(0..20);
        let last = from + random.random_range(0..9);
        let need = NeedTime {
            from: OperationId(from),
            last: random.random_bool(0.8).then_some(OperationId(last)),
        };
        (
            tier,
            random.random_bool(0.9).then_some(range),
            random.random_bool(0.9).then_some(need),
        )
    }

    /// Each pair compared, byte by byte and time by time.
    fn by_pairs(
        given: &[Given],
        tier: Tier,
        range: Option<Bytes>,
        first: u32,
        last: u32,
    ) -> Vec<usize> {
        let holds = |range: &Option<Bytes>, byte: u64| {
            range.is_some_and(|(start, end)| start <= byte && byte < end)
        };
        let is_needed = |need: &Option<NeedTime>| {
            need.is_some_and(|need| {
                let begins = (0..=last).any(|at| at == need.from.0);
                begins && need.last.is_none_or(|last| last.0 > first)
            })
        };
        let pairs = given.iter().enumerate();
        let pairs = pairs.filter(|(_, (other, bytes, need))| {
            *other == tier
                && is_needed(need)
                && (0..60).any(|byte| holds(&range, byte) && holds(bytes, byte))
        });
        pairs.map(|(index, _)| index).collect()
    }

    #[test]
    fn what_meets_in_bytes_and_time_is_what_pairs_say() {
        let mut random = StdRng::seed_from_u64(11);
        let mut met = 0;
        for _ in 0..400 {
            let count = random.random_range(0..24);
            let given: Vec<Given> = (0..count).map(|_| random_range(&mut random)).collect();
            let occupied = Occupied::of(given.iter().copied());
            for (tier, range, _) in &given {
                let first = random.random_range(0..24);
                let last = first + random.random_range(0..5);
                let across = (OperationId(first), OperationId(last));
                let found = occupied.needed_across(*tier, *range, across);
                assert_eq!(
                    found,
                    by_pairs(&given, *tier, *range, first, last),
                    "{given:?}"
                );
                met += found.len();
            }
        }
        assert!(met > 3_000, "{met}");
    }
}
