//! The walk that gives each operation its slot: its context and everything that it conflicts with decide its start.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::derivation::BodyDerivation;
use crate::derivation::memory::{Lifetime, Part, Touch};
use crate::hardware::Model;
use crate::kernel::{Body, OperationId, Tier};

use super::super::{BodySimulation, OperationCost, calibration};
use super::{Lane, Schedule, Slot, Wait, WaitCause, listed};

/// What a schedule is asked to take otherwise than the body says.
#[derive(Debug, Clone, Copy, Default)]
pub struct Variation<'a> {
    /// Another order of all operations; `None` for the program's.
    pub order: Option<&'a [OperationId]>,
    /// Allocations, as numbers in the list of lifetimes, that go elsewhere together: they share bytes with each other as
    /// before, and with no other.
    pub moved: &'a [usize],
    /// What each operation must not run beside, where that is known already; used in the program's order and with nothing moved.
    pub conflicts: Option<&'a Conflicts>,
    /// Nothing runs of what is in an arm that run time decides; else the dearest arm of each branching does. The book's
    /// schedule takes all arms.
    pub no_arms: bool,
}

impl Variation<'_> {
    /// The operations of a body in the order that is asked for.
    pub(super) fn order_of(&self, body: &Body) -> Cow<'_, [OperationId]> {
        let program = || {
            body.operations
                .iter()
                .map(|operation| operation.id)
                .collect()
        };
        self.order.map_or_else(program, Cow::Borrowed)
    }
}

/// Waits of a body that are kept. A body of loops over tiles of one tensor has a number of them that is quadratic in the runs;
/// beyond this they are worked out for each schedule anew.
const MOST_KEPT: usize = 1 << 16;

/// What a simulation keeps for schedules with other cycles: for each operation of a body those before it that it must not run
/// beside, and what they occupy. They are worked out once, by the first schedule that asks; `None` inside where there are too many to
/// be kept.
#[derive(Debug, Clone, Default)]
pub struct Conflicts {
    waits: OnceLock<Option<Vec<Vec<Wait>>>>,
    prepared: OnceLock<listed::Prepared>,
}

impl Conflicts {
    fn all(&self, body: &Body, derivation: &BodyDerivation) -> Option<&[Vec<Wait>]> {
        let kept = self.waits.get_or_init(|| {
            let mut hazards = Hazards::new(derivation, &[]);
            let mut all = Vec::with_capacity(body.operations.len());
            let mut count = 0;
            for operation in &body.operations {
                let waits = hazards.of(operation.id);
                count += waits.len();
                if count > MOST_KEPT {
                    return None;
                }
                all.push(waits);
            }
            Some(all)
        });
        kept.as_deref()
    }
}

/// What operations must not run beside, asked one after the other in the order of a schedule.
pub(super) enum Before<'a> {
    /// In the program's order, kept.
    Kept(&'a [Vec<Wait>]),
    /// Worked out on the way.
    Found(Hazards<'a>),
}

impl<'a> Before<'a> {
    pub(super) fn of(
        body: &Body,
        derivation: &'a BodyDerivation,
        variation: Variation<'a>,
    ) -> Self {
        let in_program_order = variation.order.is_none() && variation.moved.is_empty();
        let conflicts = variation.conflicts.filter(|_| in_program_order);
        match conflicts.and_then(|conflicts| conflicts.all(body, derivation)) {
            Some(all) => Self::Kept(all),
            None => Self::Found(Hazards::new(derivation, variation.moved)),
        }
    }

    /// What the next operation must not run beside.
    pub(super) fn next(&mut self, operation: OperationId) -> Cow<'a, [Wait]> {
        match self {
            Self::Kept(all) => {
                let waits = all.get(operation.0 as usize);
                Cow::Borrowed(waits.map_or(&[], Vec::as_slice))
            }
            Self::Found(hazards) => Cow::Owned(hazards.of(operation)),
        }
    }
}

/// They follow from the body: two simulations that are else equal have the same.
impl PartialEq for Conflicts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Conflicts {}

/// Schedules a body with these costs.
#[must_use]
pub fn derive(
    body: &Body,
    derivation: &BodyDerivation,
    operations: &[Arc<OperationCost>],
    model: Model,
    conflicts: &Conflicts,
) -> Schedule {
    let variation = Variation {
        conflicts: Some(conflicts),
        ..Variation::default()
    };
    derive_varied(body, derivation, operations, model, variation)
}

/// The cycles of a simulated body whose operations take so many each, and occupy what they did.
#[must_use]
pub fn total_with_cycles(
    body: &Body,
    derivation: &BodyDerivation,
    simulation: &BodySimulation,
    cycles: &[u64],
) -> Option<u64> {
    let (operations, conflicts) = (&simulation.operations, &simulation.conflicts);
    let calibration = calibration(body, simulation.model);
    let is_whole = cycles.len() == body.operations.len() && operations.len() == cycles.len();
    if let Some(id) = calibration.filter(|_| is_whole)
        && conflicts.all(body, derivation).is_some()
    {
        let prepared = conflicts.prepared.get_or_init(|| {
            let variation = Variation {
                conflicts: Some(conflicts),
                ..Variation::default()
            };
            listed::Prepared::of(body, derivation, operations, id.table(), variation)
        });
        return Some(prepared.total(body, cycles));
    }
    let costs = operations.iter().zip(cycles);
    let costs: Vec<Arc<OperationCost>> = costs
        .map(|(cost, cycles)| {
            let mut cost = Arc::clone(cost);
            if cost.cycles != Some(*cycles) {
                Arc::make_mut(&mut cost).cycles = Some(*cycles);
            }
            cost
        })
        .collect();
    derive(body, derivation, &costs, simulation.model, conflicts).total
}

/// Schedules a body with these costs and a change of its order or its addresses.
#[must_use]
pub fn derive_varied(
    body: &Body,
    derivation: &BodyDerivation,
    operations: &[Arc<OperationCost>],
    model: Model,
    variation: Variation<'_>,
) -> Schedule {
    let known = operations.iter().all(|cost| cost.cycles.is_some());
    if !known || operations.len() != body.operations.len() {
        return Schedule::default();
    }
    match calibration(body, model) {
        Some(id) => listed::derive(body, derivation, operations, id.table(), variation),
        None => in_program_order(body, derivation, operations, variation),
    }
}

/// The book's schedule.
fn in_program_order(
    body: &Body,
    derivation: &BodyDerivation,
    operations: &[Arc<OperationCost>],
    variation: Variation<'_>,
) -> Schedule {
    let mut planner = Planner::new(derivation, variation.moved);
    for &id in variation.order_of(body).iter() {
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
    hazards: Hazards<'a>,
    lanes: [Option<Occupied>; 4],
    /// The slots in the order in which they were placed.
    slots: Vec<Slot>,
    /// The end of each operation that was placed.
    ends: Vec<u64>,
}

impl<'a> Planner<'a> {
    fn new(derivation: &'a BodyDerivation, moved: &[usize]) -> Self {
        Self {
            hazards: Hazards::new(derivation, moved),
            lanes: [None; 4],
            slots: Vec::new(),
            ends: vec![0; derivation.memory.touches.len()],
        }
    }

    fn place(&mut self, operation: OperationId, lane: Lane, cost: &OperationCost) {
        let lanes = held_lanes(lane, cost);
        let before = self.lanes.get(lane.number()).copied().flatten();
        let free = before.map_or(0, |before| before.end);
        let ends = &self.ends;
        let end_of = |id: OperationId| ends.get(id.0 as usize).copied().unwrap_or(0);
        let mut waits = self
            .hazards
            .before(operation, |other| end_of(other) >= free);
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
        self.hazards.remember(operation);
    }

    fn end_of(&self, operation: OperationId) -> u64 {
        self.ends.get(operation.0 as usize).copied().unwrap_or(0)
    }
}

/// Which operations touch the same bytes, asked one after the other.
pub(super) struct Hazards<'a> {
    touches: &'a [Vec<Touch>],
    places: Places,
    /// For each place the operations that touched it so far, with the number of the touch.
    touched: Vec<Vec<(OperationId, usize)>>,
}

impl<'a> Hazards<'a> {
    pub(super) fn new(derivation: &'a BodyDerivation, moved: &[usize]) -> Self {
        let places = Places::of(&derivation.memory.lifetimes, moved);
        Self {
            touches: &derivation.memory.touches,
            touched: vec![Vec::new(); places.neighbours.len()],
            places,
        }
    }

    /// What the next operation must not run beside, of those that were asked about before.
    pub(super) fn of(&mut self, operation: OperationId) -> Vec<Wait> {
        let waits = self.before(operation, |_| true);
        self.remember(operation);
        waits
    }

    /// Every earlier operation that this one must not run beside, once each, of those that count.
    fn before(&self, operation: OperationId, counts: impl Fn(OperationId) -> bool) -> Vec<Wait> {
        let mut waits: Vec<Wait> = Vec::new();
        for touch in self.touches_of(operation) {
            for &place in self.places.neighbours_of(touch.allocation) {
                let earlier = self.touched.get(place).map_or(&[][..], Vec::as_slice);
                for &(other, number) in earlier.iter().rev() {
                    let Some(theirs) = self.touches_of(other).get(number) else {
                        continue;
                    };
                    let same = theirs.allocation == touch.allocation;
                    if same && theirs.part.is_apart_from(&touch.part) {
                        continue;
                    }
                    let Some(cause) = hazard(theirs.writes, touch.writes) else {
                        continue;
                    };
                    if counts(other) {
                        waits.push(Wait {
                            operation: other,
                            cause,
                            allocation: Some(theirs.allocation),
                        });
                    }
                    // Whoever writes all of the place has itself waited for everything before.
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
            let place = self.places.of_allocation.get(touch.allocation);
            if let Some(touched) = place.and_then(|place| self.touched.get_mut(*place)) {
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

/// The places that allocations are at. Allocations of the same bytes share one: the runs of a loop make many.
struct Places {
    /// The place of each allocation.
    of_allocation: Vec<usize>,
    /// For each place itself and those that share bytes with it.
    neighbours: Vec<Vec<usize>>,
}

/// Bytes of a memory, from the first to behind the last, and whether a variation moved them.
type Bytes = (Tier, u64, u64, bool);

impl Places {
    fn of(lifetimes: &[Lifetime], moved: &[usize]) -> Self {
        let moved: FxHashSet<usize> = moved.iter().copied().collect();
        let mut known: FxHashMap<Bytes, usize> = FxHashMap::default();
        let mut places: Vec<Option<Bytes>> = Vec::new();
        let mut of_allocation = Vec::with_capacity(lifetimes.len());
        for (number, lifetime) in lifetimes.iter().enumerate() {
            let bytes = lifetime
                .address
                .zip(lifetime.bytes)
                .and_then(|(start, bytes)| {
                    let end = start.checked_add(bytes)?;
                    Some((lifetime.tier, start, end, moved.contains(&number)))
                });
            let place = match bytes {
                Some(bytes) => *known.entry(bytes).or_insert(places.len()),
                // Its place is unknown: it gets one of its own.
                None => places.len(),
            };
            if place == places.len() {
                places.push(bytes);
            }
            of_allocation.push(place);
        }
        Self {
            of_allocation,
            neighbours: neighbours(&places),
        }
    }

    fn neighbours_of(&self, allocation: usize) -> &[usize] {
        let place = self.of_allocation.get(allocation);
        let neighbours = place.and_then(|place| self.neighbours.get(*place));
        neighbours.map_or(&[][..], Vec::as_slice)
    }
}

/// For each place itself and those that share bytes with it: a walk over the places by their first bytes.
fn neighbours(places: &[Option<Bytes>]) -> Vec<Vec<usize>> {
    let mut neighbours: Vec<Vec<usize>> = (0..places.len()).map(|place| vec![place]).collect();
    let mut sorted: Vec<(Bytes, usize)> = places
        .iter()
        .enumerate()
        .filter_map(|(place, bytes)| Some(((*bytes)?, place)))
        .collect();
    sorted.sort_unstable_by_key(|((tier, start, end, moved), place)| {
        (*tier, *moved, *start, *end, *place)
    });
    let mut open: Vec<(Bytes, usize)> = Vec::new();
    for (bytes, place) in sorted {
        let (tier, start, end, moved) = bytes;
        open.retain(|((other, _, until, otherwise), _)| {
            *other == tier && *otherwise == moved && *until > start
        });
        for (_, other) in open.iter().filter(|_| end > start) {
            if let Some(list) = neighbours.get_mut(*other) {
                list.push(place);
            }
            if let Some(list) = neighbours.get_mut(place) {
                list.push(*other);
            }
        }
        open.push((bytes, place));
    }
    neighbours
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
