//! The walk that gives each operation its slot: its context and everything that it conflicts with decide its start.

use std::cmp::Reverse;

use crate::derivation::BodyDerivation;
use crate::derivation::memory::{Lifetime, Part, Touch};
use crate::kernel::{Body, OperationId};

use super::super::OperationCost;
use super::{Lane, Schedule, Slot, Wait, WaitCause};

/// What a schedule is asked to take otherwise than the body says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Variation<'a> {
    /// Another order of all operations; `None` for the program's.
    pub order: Option<&'a [OperationId]>,
    /// Allocations, as numbers in the list of lifetimes, that go elsewhere together: they share bytes with each other as
    /// before, and with no other.
    pub moved: &'a [usize],
}

/// Schedules a body with these costs.
#[must_use]
pub fn derive(body: &Body, derivation: &BodyDerivation, operations: &[OperationCost]) -> Schedule {
    derive_varied(body, derivation, operations, Variation::default())
}

/// Schedules a body with these costs and a change of its order or its addresses.
#[must_use]
pub fn derive_varied(
    body: &Body,
    derivation: &BodyDerivation,
    operations: &[OperationCost],
    variation: Variation<'_>,
) -> Schedule {
    let known = operations.iter().all(|cost| cost.cycles.is_some());
    if !known || operations.len() != body.operations.len() {
        return Schedule::default();
    }
    let mut planner = Planner::new(derivation, variation.moved);
    let program: Vec<OperationId>;
    let order = if let Some(order) = variation.order {
        order
    } else {
        program = body
            .operations
            .iter()
            .map(|operation| operation.id)
            .collect();
        &program
    };
    for &id in order {
        let cost = operations.get(id.0 as usize);
        if let (Some(operation), Some(cost)) = (body.operation(id), cost) {
            planner.place(id, Lane::of(operation.context), cost);
        }
    }
    let mut slots = planner.slots;
    slots.sort_by_key(|slot| slot.operation);
    Schedule {
        total: Some(slots.iter().map(|slot| slot.end).max().unwrap_or(0)),
        slots,
    }
}

/// The last operation of a lane, and whether it only holds the lane from another one.
#[derive(Debug, Clone, Copy)]
struct Occupied {
    operation: OperationId,
    end: u64,
    own: bool,
}

struct Planner<'a> {
    touches: &'a [Vec<Touch>],
    /// For each allocation the ones that share bytes with it, itself first.
    neighbours: Vec<Vec<usize>>,
    /// For each allocation the operations that touched it so far, with the number of the touch.
    touched: Vec<Vec<(OperationId, usize)>>,
    lanes: [Option<Occupied>; 4],
    /// The slots in the order in which they were placed.
    slots: Vec<Slot>,
    /// The end of each operation that was placed.
    ends: Vec<u64>,
}

impl<'a> Planner<'a> {
    fn new(derivation: &'a BodyDerivation, moved: &[usize]) -> Self {
        let lifetimes = &derivation.memory.lifetimes;
        Self {
            touches: &derivation.memory.touches,
            neighbours: neighbours(lifetimes, moved),
            touched: vec![Vec::new(); lifetimes.len()],
            lanes: [None; 4],
            slots: Vec::new(),
            ends: vec![0; derivation.memory.touches.len()],
        }
    }

    fn place(&mut self, operation: OperationId, lane: Lane, cost: &OperationCost) {
        let lanes = held_lanes(lane, cost);
        let before = self.lanes.get(lane.number()).copied().flatten();
        let free = before.map_or(0, |before| before.end);
        let mut waits = self.hazards(operation, free);
        let mut seen: Vec<OperationId> = Vec::new();
        for (index, occupied) in lanes.iter().filter_map(|lane| {
            let number = lane.number();
            Some((number, (*self.lanes.get(number)?)?))
        }) {
            if !seen.contains(&occupied.operation) {
                seen.push(occupied.operation);
                let own = index == lane.number() && occupied.own;
                waits.push(Wait {
                    operation: occupied.operation,
                    cause: if own {
                        WaitCause::Context
                    } else {
                        WaitCause::Held
                    },
                    allocation: None,
                });
            }
        }
        let end_of = |wait: &Wait| self.end_of(wait.operation);
        let start = waits.iter().map(end_of).max().unwrap_or(0);
        waits.retain(|wait| end_of(wait) > free || end_of(wait) == start);
        waits.sort_by_key(|wait| (Reverse(end_of(wait)), wait.cause, wait.operation));
        waits.dedup_by_key(|wait| wait.operation);
        let end = start.saturating_add(cost.cycles.unwrap_or(0));
        if let Some(known) = self.ends.get_mut(operation.0 as usize) {
            *known = end;
        }
        self.slots.push(Slot {
            operation,
            lane,
            start,
            end,
            waits,
        });
        for held in lanes {
            if let Some(occupied) = self.lanes.get_mut(held.number()) {
                *occupied = Some(Occupied {
                    operation,
                    end,
                    own: held == lane,
                });
            }
        }
        self.remember(operation);
    }

    fn end_of(&self, operation: OperationId) -> u64 {
        self.ends.get(operation.0 as usize).copied().unwrap_or(0)
    }

    /// Every earlier operation that this one must not run beside, once each, of those that end no earlier than `free`.
    fn hazards(&self, operation: OperationId, free: u64) -> Vec<Wait> {
        let mut waits: Vec<Wait> = Vec::new();
        for touch in self.touches_of(operation) {
            let neighbours = self
                .neighbours
                .get(touch.allocation)
                .map_or(&[][..], Vec::as_slice);
            for &neighbour in neighbours {
                let earlier = self.touched.get(neighbour).map_or(&[][..], Vec::as_slice);
                for &(other, number) in earlier.iter().rev() {
                    let Some(theirs) = self.touches_of(other).get(number) else {
                        continue;
                    };
                    let same = neighbour == touch.allocation;
                    if same && theirs.part.is_apart_from(&touch.part) {
                        continue;
                    }
                    let Some(cause) = hazard(theirs.writes, touch.writes) else {
                        continue;
                    };
                    if self.end_of(other) >= free {
                        waits.push(Wait {
                            operation: other,
                            cause,
                            allocation: Some(neighbour),
                        });
                    }
                    // Whoever writes all of it has itself waited for everything before.
                    if theirs.writes && theirs.part == Part::Whole {
                        break;
                    }
                }
            }
        }
        waits.sort_by_key(|wait| (wait.operation, wait.cause));
        waits.dedup_by_key(|wait| wait.operation);
        waits
    }

    fn touches_of(&self, operation: OperationId) -> &'a [Touch] {
        let touches = self.touches.get(operation.0 as usize);
        touches.map_or(&[][..], Vec::as_slice)
    }

    fn remember(&mut self, operation: OperationId) {
        for (number, touch) in self.touches_of(operation).iter().enumerate() {
            if let Some(touched) = self.touched.get_mut(touch.allocation) {
                touched.push((operation, number));
            }
        }
    }
}

/// The lanes that an operation occupies: its own first, then those it holds.
fn held_lanes(lane: Lane, cost: &OperationCost) -> Vec<Lane> {
    let mut lanes = vec![lane];
    let held = [
        (cost.holds_sub, Lane::Sub),
        (cost.holds_dma, Lane::TensorDma),
        (cost.holds_dma, Lane::PcieDma),
    ];
    for (holds, other) in held {
        if holds && other != lane {
            lanes.push(other);
        }
    }
    lanes
}

const fn hazard(earlier_writes: bool, later_writes: bool) -> Option<WaitCause> {
    match (earlier_writes, later_writes) {
        (true, false) => Some(WaitCause::ReadAfterWrite),
        (false, true) => Some(WaitCause::WriteAfterRead),
        (true, true) => Some(WaitCause::WriteAfterWrite),
        (false, false) => None,
    }
}

/// For each allocation itself and those that share bytes with it.
fn neighbours(lifetimes: &[Lifetime], moved: &[usize]) -> Vec<Vec<usize>> {
    let range = |lifetime: &Lifetime| {
        let start = lifetime.address?;
        Some((start, start.checked_add(lifetime.bytes?)?))
    };
    let share = |one: &Lifetime, two: &Lifetime| match (range(one), range(two)) {
        (Some((start, end)), Some((other_start, other_end))) => {
            one.tier == two.tier && start < other_end && other_start < end
        }
        _ => false,
    };
    lifetimes
        .iter()
        .enumerate()
        .map(|(number, one)| {
            let others = lifetimes.iter().enumerate();
            let sharing = others
                .filter(|(other, two)| {
                    *other != number
                        && moved.contains(&number) == moved.contains(other)
                        && share(one, two)
                })
                .map(|(other, _)| other);
            std::iter::once(number).chain(sharing).collect()
        })
        .collect()
}

/// Whether two operations must not run beside each other, because one writes what the other touches.
#[must_use]
pub fn conflict(derivation: &BodyDerivation, one: OperationId, other: OperationId) -> bool {
    let memory = &derivation.memory;
    let touches = |id: OperationId| {
        let touches = memory.touches.get(id.0 as usize);
        touches.map_or(&[][..], Vec::as_slice)
    };
    let range = |touch: &Touch| {
        let lifetime = memory.lifetimes.get(touch.allocation)?;
        let start = lifetime.address?;
        Some((lifetime.tier, start, start.checked_add(lifetime.bytes?)?))
    };
    touches(one).iter().any(|mine| {
        touches(other).iter().any(|theirs| {
            if !mine.writes && !theirs.writes {
                return false;
            }
            if mine.allocation == theirs.allocation {
                return !mine.part.is_apart_from(&theirs.part);
            }
            match (range(mine), range(theirs)) {
                (Some((tier, start, end)), Some((other_tier, other_start, other_end))) => {
                    tier == other_tier && start < other_end && other_start < end
                }
                _ => false,
            }
        })
    })
}
