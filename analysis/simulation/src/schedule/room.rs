//! Room in DM, TRF and VRF: whether what a schedule holds at once fits, and what has to wait for what where it does not.
//!
//! Of kernels whose addresses the library chooses. Tensors get places in an order of the operations that fits: each takes the bytes that
//! were given back longest ago, and its writes wait for all that touched what was there before. Two orders are tried, that of the source
//! and one in which a tensor is made right before it is used first. Where neither fits nothing is held back.

use crate::derivation::BodyDerivation;
use crate::derivation::conventions::Conventions;
use crate::kernel::{Body, Tier};

/// Memories of a slice, with the tensors that they cannot hold all at once.
#[derive(Debug, Clone, Default)]
pub(super) struct Room {
    tiers: Vec<Memory>,
}

#[derive(Debug, Clone)]
struct Memory {
    capacity: u64,
    tensors: Vec<Held>,
}

/// A tensor of a memory.
#[derive(Debug, Clone)]
struct Held {
    allocation: usize,
    bytes: u64,
    first: usize,
    touches: Vec<usize>,
    writes: Vec<usize>,
    outlives: bool,
}

/// A node that waits for another one because it writes where a tensor was that the other touches: both, and the allocation of that tensor.
pub(super) type Reuse = (usize, usize, usize);

impl Room {
    pub(super) fn of(body: &Body, derivation: &BodyDerivation) -> Self {
        if Conventions::of(body.dialect).is_addressed() {
            return Self::default();
        }
        let memory = &derivation.memory;
        let mut tiers = Vec::new();
        for tier in [Tier::Dm, Tier::Trf, Tier::Vrf] {
            let Some(capacity) = tier.capacity(&body.machine) else {
                continue;
            };
            let own = memory.lifetimes.iter().enumerate();
            let own = own.filter(|(_, lifetime)| lifetime.tier == tier);
            let all = own.clone().fold(0_u64, |sum, (_, lifetime)| {
                sum.saturating_add(lifetime.bytes.unwrap_or(0))
            });
            if all <= capacity || own.clone().any(|(_, lifetime)| lifetime.address.is_some()) {
                continue;
            }
            let held = own.map(|(allocation, lifetime)| Held {
                allocation,
                bytes: lifetime.bytes.unwrap_or(0),
                first: lifetime.from.0 as usize,
                touches: Vec::new(),
                writes: Vec::new(),
                outlives: lifetime.outlives_body,
            });
            tiers.push(Memory {
                capacity,
                tensors: held.collect(),
            });
        }
        let mut room = Self { tiers };
        room.touch(derivation);
        room
    }

    fn touch(&mut self, derivation: &BodyDerivation) {
        let mut places = vec![None; derivation.memory.lifetimes.len()];
        for (memory, of) in self.tiers.iter().enumerate() {
            for (number, held) in of.tensors.iter().enumerate() {
                if let Some(place) = places.get_mut(held.allocation) {
                    *place = Some((memory, number));
                }
            }
        }
        for (operation, touches) in derivation.memory.touches.iter().enumerate() {
            for touch in touches {
                let place = places.get(touch.allocation).copied().flatten();
                let held = place.and_then(|(memory, number)| {
                    self.tiers.get_mut(memory)?.tensors.get_mut(number)
                });
                let Some(held) = held else {
                    continue;
                };
                if held.touches.last() != Some(&operation) {
                    held.touches.push(operation);
                }
                if touch.writes && held.writes.last() != Some(&operation) {
                    held.writes.push(operation);
                }
            }
        }
    }

    /// Whether there is nothing that could be too much.
    pub(super) const fn is_empty(&self) -> bool {
        self.tiers.is_empty()
    }

    /// Whether what is held at once fits, where operations take these times.
    pub(super) fn fits_at_times(&self, starts: &[u64], ends: &[u64]) -> bool {
        self.tiers.iter().all(|memory| {
            let mut changes: Vec<(u64, bool, u64)> = Vec::new();
            for held in &memory.tensors {
                let from = starts.get(held.first).copied().unwrap_or(0);
                let end = held
                    .touches
                    .iter()
                    .filter_map(|operation| ends.get(*operation));
                let end = end.copied().max().unwrap_or(from);
                let end = if held.outlives { u64::MAX } else { end };
                if end > from {
                    changes.push((from, true, held.bytes));
                    changes.push((end, false, held.bytes));
                }
            }
            // What is given back in a cycle can be taken in it.
            changes.sort_unstable();
            let mut now = 0_u64;
            changes.into_iter().all(|(_, takes, bytes)| {
                now = if takes {
                    now.saturating_add(bytes)
                } else {
                    now.saturating_sub(bytes)
                };
                now <= memory.capacity
            })
        })
    }

    /// What waits for what, where tensors get places in an order of the operations; `None` where they do not all find one.
    pub(super) fn reuses(&self, order: &[usize]) -> Option<Vec<Reuse>> {
        let mut places = vec![0_usize; order.iter().max().map_or(0, |last| last + 1)];
        for (place, operation) in order.iter().enumerate() {
            if let Some(known) = places.get_mut(*operation) {
                *known = place;
            }
        }
        let mut reuses = Vec::new();
        for memory in &self.tiers {
            memory.reuses(&places, &mut reuses)?;
        }
        reuses.sort_unstable();
        reuses.dedup();
        Some(reuses)
    }
}

/// Bytes with the tensor that was there last, and the place in the order behind which they are free.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: u64,
    end: u64,
    last: Option<(usize, usize)>,
}

impl Memory {
    fn reuses(&self, places: &[usize], reuses: &mut Vec<Reuse>) -> Option<()> {
        let place = |operation: &usize| places.get(*operation).copied();
        let mut wanted: Vec<(usize, usize, usize)> = Vec::new();
        for (number, held) in self.tensors.iter().enumerate() {
            let touches = held.touches.iter().filter_map(place);
            let first = place(&held.first);
            let from = touches.clone().chain(first).min()?;
            let to = if held.outlives {
                usize::MAX
            } else {
                touches.chain(first).max()?
            };
            if held.bytes > 0 {
                wanted.push((from, to, number));
            }
        }
        wanted.sort_unstable();
        let mut parts = vec![Part {
            start: 0,
            end: self.capacity,
            last: None,
        }];
        for (from, to, number) in wanted {
            let held = self.tensors.get(number)?;
            let (at, count) = oldest(&parts, held.bytes, from)?;
            let taken = parts.get(at..at + count)?.to_vec();
            let start = taken.first()?.start;
            let end = start.checked_add(held.bytes)?;
            for (before, _) in taken.iter().filter_map(|part| part.last) {
                self.reuse(before, number, reuses)?;
            }
            let mut new = vec![Part {
                start,
                end,
                last: Some((number, to)),
            }];
            let rest = taken.last().filter(|part| part.end > end);
            new.extend(rest.map(|part| Part {
                start: end,
                ..*part
            }));
            parts.splice(at..at + count, new);
        }
        Some(())
    }

    /// The writes of a tensor wait for all that touched the one before.
    fn reuse(&self, before: usize, number: usize, reuses: &mut Vec<Reuse>) -> Option<()> {
        let (before, held) = (self.tensors.get(before)?, self.tensors.get(number)?);
        for write in held.writes.iter().chain([&held.first]) {
            for touch in before.touches.iter().filter(|touch| *touch != write) {
                reuses.push((*write, *touch, before.allocation));
            }
        }
        Some(())
    }
}

/// Neighbouring parts with so many bytes that are free at a place of the order: those that are free the longest.
fn oldest(parts: &[Part], bytes: u64, from: usize) -> Option<(usize, usize)> {
    let mut best: Option<(Option<usize>, usize, usize)> = None;
    for at in 0..parts.len() {
        let (mut length, mut since) = (0_u64, None);
        for (count, part) in parts.iter().skip(at).enumerate() {
            let until = part.last.map(|(_, until)| until);
            if until.is_some_and(|until| until >= from) {
                break;
            }
            since = since.max(until);
            length = length.saturating_add(part.end - part.start);
            if length >= bytes {
                if best.is_none_or(|(known, ..)| since < known) {
                    best = Some((since, at, count + 1));
                }
                break;
            }
        }
    }
    best.map(|(_, at, count)| (at, count))
}
