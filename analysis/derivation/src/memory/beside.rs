//! Which allocations of a body are needed at the same time, and which have one address expression.
//!
//! Knows lifetimes by their beginnings and how far those before them reach, so that a question takes time in what is needed meanwhile and
//! not in all that a kernel has.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::items::Span;
use crate::kernel::{Body, OperationId, OperationKind, TensorId, Tier};

use super::allocations::Allocation;

/// From the first operation that needs something to the last.
type Time = (OperationId, OperationId);

/// What is beside what in a body.
#[derive(Debug)]
pub(super) struct Beside {
    /// Of each memory, in the order in which they begin.
    lives: FxHashMap<Tier, Vec<Life>>,
    /// The allocations whose address is written at a place, by their numbers.
    written_at: FxHashMap<Span, Vec<(usize, Time)>>,
    /// Tensors that a collective makes: the library chooses where.
    chosen: FxHashSet<TensorId>,
}

#[derive(Debug)]
struct Life {
    time: Time,
    /// The last operation that needs this one or one before it.
    reach: OperationId,
    /// Its number among the allocations.
    number: usize,
}

impl Beside {
    pub(super) fn of(body: &Body, allocations: &[Allocation]) -> Self {
        let mut lives: FxHashMap<Tier, Vec<Life>> = FxHashMap::default();
        let mut written_at: FxHashMap<Span, Vec<(usize, Time)>> = FxHashMap::default();
        for (number, allocation) in allocations.iter().enumerate() {
            let lifetime = allocation.lifetime(body);
            let time = (lifetime.from, lifetime.to);
            lives.entry(allocation.tier).or_default().push(Life {
                time,
                reach: lifetime.to,
                number,
            });
            if let Some(tensor) = body.tensor(allocation.tensor) {
                let there = written_at.entry(tensor.address.span).or_default();
                there.push((number, time));
            }
        }
        for lives in lives.values_mut() {
            lives.sort_unstable_by_key(|life| (life.time.0, life.number));
            let mut reach = OperationId(0);
            for life in lives {
                reach = reach.max(life.time.1);
                life.reach = reach;
            }
        }
        let kinds = body.operations.iter().map(|operation| &operation.kind);
        let chosen = kinds.filter_map(|kind| match kind {
            OperationKind::Collective(collective) => Some(&collective.targets),
            _ => None,
        });
        Self {
            lives,
            written_at,
            chosen: chosen.flatten().copied().collect(),
        }
    }

    /// Whether a collective makes a tensor.
    pub(super) fn is_chosen(&self, tensor: TensorId) -> bool {
        self.chosen.contains(&tensor)
    }

    /// The numbers of the allocations whose address is written at a place.
    pub(super) fn written_at(&self, address: Span) -> impl Iterator<Item = usize> {
        let there = self.written_at.get(&address).into_iter().flatten();
        there.map(|(number, _)| *number)
    }

    /// The numbers of the allocations of a memory that are needed together with one whose address is written at a place, in the order of
    /// the allocations. Those that are written there themselves are not among them.
    pub(super) fn needed_with(&self, tier: Tier, address: Span) -> Vec<usize> {
        let there = self.written_at.get(&address).map_or(&[][..], Vec::as_slice);
        let own: FxHashSet<usize> = there.iter().map(|(number, _)| *number).collect();
        let mut found = Vec::new();
        for (from, to) in joined_times(there.iter().map(|(_, time)| *time)) {
            let lives = self.lives.get(&tier).map_or(&[][..], Vec::as_slice);
            let before = lives.partition_point(|life| life.time.0 <= to);
            let before = lives.get(..before).unwrap_or_default().iter().rev();
            // What is further down ends before this begins.
            let near = before.take_while(|life| life.reach >= from);
            let meeting = near.filter(|life| life.time.1 >= from && !own.contains(&life.number));
            found.extend(meeting.map(|life| life.number));
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Times, those that meet as one.
fn joined_times(times: impl Iterator<Item = Time>) -> Vec<Time> {
    let mut times: Vec<Time> = times.collect();
    times.sort_unstable();
    let mut joined: Vec<Time> = Vec::new();
    for (from, to) in times {
        match joined.last_mut() {
            Some((_, last)) if from <= *last => *last = to.max(*last),
            _ => joined.push((from, to)),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::{Time, joined_times};
    use crate::kernel::OperationId;

    #[test]
    fn joined_times_cover_what_the_times_cover() {
        let mut random = StdRng::seed_from_u64(3);
        for _ in 0..200 {
            let times: Vec<Time> = (0..random.random_range(0..8))
                .map(|_| {
                    let from = random.random_range(0..30);
                    (
                        OperationId(from),
                        OperationId(from + random.random_range(0..6)),
                    )
                })
                .collect();
            let covered = |times: &[Time], at: u32| {
                let at = OperationId(at);
                times.iter().any(|(from, to)| *from <= at && at <= *to)
            };
            let joined = joined_times(times.iter().copied());
            assert!(
                joined.windows(2).all(|pair| pair[0].1 < pair[1].0),
                "{joined:?}"
            );
            for at in 0..40 {
                assert_eq!(covered(&joined, at), covered(&times, at), "{times:?} {at}");
            }
        }
    }
}
