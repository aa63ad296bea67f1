//! The walk that gives each operation its slot: its context and everything that it conflicts with decide its start.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

use crate::derivation::BodyDerivation;
use crate::hardware::Model;
use crate::hardware::calibration::TileReads;
use crate::items::Span;
use crate::kernel::{Body, OperationId};
use crate::lanes::Lane;

use super::super::{BodySimulation, OperationCost, model_calibration};
use super::hazards::{ChainWrite, Found, Hazards};
use super::{Schedule, Slot, Wait, WaitCause, lane_of, listed};

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
    /// Allocations, as numbers in the list of lifetimes, whose tiles are tensors of their own: who reads one waits for writes of
    /// its bytes alone.
    pub apart: &'a [usize],
    /// A loop whose turns are written out one after the other, as if there were none: its keyword.
    pub written_out: Option<Span>,
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

/// Waits of a body that are kept; beyond this they are worked out for each schedule again.
const MOST_KEPT: usize = 1 << 16;

/// What a simulation keeps for schedules with other cycles: for each operation of a body those before it that it must not run
/// beside, and what they occupy. They are worked out once, by the first schedule that asks; `None` inside where there are too many to
/// be kept.
#[derive(Debug, Clone, Default)]
pub struct Conflicts {
    waits: OnceLock<Option<All>>,
    prepared: OnceLock<listed::Prepared>,
}

/// What each operation must not run beside, and the chains that it names.
#[derive(Debug, Clone)]
pub(super) struct All {
    found: Vec<Found>,
    chains: Vec<Vec<ChainWrite>>,
}

impl Conflicts {
    fn all_waits(
        &self,
        body: &Body,
        derivation: &BodyDerivation,
        tile_reads: TileReads,
    ) -> Option<&All> {
        let kept = self.waits.get_or_init(|| {
            let mut hazards = Hazards::new(derivation, &[], tile_reads);
            let mut found = Vec::with_capacity(body.operations.len());
            let mut count = 0;
            for operation in &body.operations {
                let own = hazards.waits_of_next(operation.id);
                count += own.len();
                if count > MOST_KEPT {
                    return None;
                }
                found.push(own);
            }
            Some(All {
                found,
                chains: hazards.into_chains(),
            })
        });
        kept.as_ref()
    }
}

/// What operations must not run beside, asked one after the other in the order of a schedule.
pub(super) enum Before<'a> {
    /// In the program's order, kept.
    Kept(&'a All),
    /// Worked out on the way.
    Found(Hazards<'a>),
}

impl<'a> Before<'a> {
    /// `tile_reads` is what the model says of them.
    pub(super) fn of(
        body: &Body,
        derivation: &'a BodyDerivation,
        tile_reads: TileReads,
        variation: Variation<'a>,
    ) -> Self {
        let as_it_is =
            variation.order.is_none() && variation.moved.is_empty() && variation.apart.is_empty();
        let conflicts = variation.conflicts.filter(|_| as_it_is);
        match conflicts.and_then(|conflicts| conflicts.all_waits(body, derivation, tile_reads)) {
            Some(all) => Self::Kept(all),
            None => {
                let mut hazards = Hazards::new(derivation, variation.moved, tile_reads);
                hazards.apart = variation.apart;
                Self::Found(hazards)
            }
        }
    }

    /// What the next operation must not run beside.
    pub(super) fn next(&mut self, operation: OperationId) -> Cow<'a, Found> {
        match self {
            Self::Kept(all) => match all.found.get(operation.0 as usize) {
                Some(found) => Cow::Borrowed(found),
                None => Cow::Owned(Found::default()),
            },
            Self::Found(hazards) => Cow::Owned(hazards.waits_of_next(operation)),
        }
    }

    /// A write of a chain.
    pub(super) fn write(&self, chain: usize, number: usize) -> Option<ChainWrite> {
        let writes = match self {
            Self::Kept(all) => all.chains.get(chain).map_or(&[][..], Vec::as_slice),
            Self::Found(hazards) => hazards.chain(chain),
        };
        writes.get(number).copied()
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
pub fn derive(
    body: &Body,
    derivation: &BodyDerivation,
    operations: &[Arc<OperationCost>],
    model: Model,
    conflicts: &Conflicts,
) -> Schedule {
    if !are_costs_known(body, operations) {
        return Schedule::default();
    }
    let variation = Variation {
        conflicts: Some(conflicts),
        ..Variation::default()
    };
    match model_calibration(body, model) {
        Some(id) => listed::derive_schedule(body, derivation, operations, id.table(), variation),
        None => in_program_order(body, derivation, operations, variation),
    }
}

/// The cycles of a simulated body whose operations take so many each, and occupy what they did.
pub fn total_with_cycles(
    body: &Body,
    derivation: &BodyDerivation,
    simulation: &BodySimulation,
    cycles: &[u64],
) -> Option<u64> {
    total_with(body, derivation, simulation, cycles, false)
}

/// The same, with or without what is in arms that run time decides.
pub(crate) fn total_with(
    body: &Body,
    derivation: &BodyDerivation,
    simulation: &BodySimulation,
    cycles: &[u64],
    no_arms: bool,
) -> Option<u64> {
    let (operations, conflicts) = (&simulation.operations, &simulation.conflicts);
    let calibration = model_calibration(body, simulation.model);
    let is_whole = cycles.len() == body.operations.len() && operations.len() == cycles.len();
    if let Some(id) = calibration.filter(|_| is_whole)
        && let tile_reads = id.table().kernel.tile_reads
        && conflicts.all_waits(body, derivation, tile_reads).is_some()
    {
        let prepared = conflicts.prepared.get_or_init(|| {
            let variation = Variation {
                conflicts: Some(conflicts),
                ..Variation::default()
            };
            listed::Prepared::of(body, derivation, operations, id.table(), variation)
        });
        return Some(prepared.total(body, cycles, no_arms));
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
    let variation = Variation {
        no_arms,
        conflicts: Some(conflicts),
        ..Variation::default()
    };
    total_varied(body, derivation, &costs, simulation.model, variation)
}

/// The cycles of a body with these costs and a change of its order or its addresses; `None` if an operation's cost is unknown.
pub(crate) fn total_varied(
    body: &Body,
    derivation: &BodyDerivation,
    operations: &[Arc<OperationCost>],
    model: Model,
    variation: Variation<'_>,
) -> Option<u64> {
    if !are_costs_known(body, operations) {
        return None;
    }
    match model_calibration(body, model) {
        Some(id) => {
            let table = id.table();
            Some(listed::body_total(
                body, derivation, operations, table, variation,
            ))
        }
        None => in_program_order(body, derivation, operations, variation).total,
    }
}

fn are_costs_known(body: &Body, operations: &[Arc<OperationCost>]) -> bool {
    let known = operations.iter().all(|cost| cost.cycles.is_some());
    known && operations.len() == body.operations.len()
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
            planner.place(id, lane_of(operation.context), cost);
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
            // The book knows bytes only.
            hazards: Hazards::new(derivation, moved, TileReads::OfTheirBytes),
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
            .earlier_conflicts(operation, |other| end_of(other) >= free)
            .waits;
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
        self.hazards.remember_operation(operation);
    }

    fn end_of(&self, operation: OperationId) -> u64 {
        self.ends.get(operation.0 as usize).copied().unwrap_or(0)
    }
}

/// The lanes that an operation occupies: its own first, then those it holds.
fn held_lanes(lane: Lane, cost: &OperationCost) -> Vec<Lane> {
    let mut lanes = vec![lane];
    let held = [
        (cost.holds_sub, Lane::SUB),
        (cost.holds_dma, Lane::TENSOR_DMA),
        (cost.holds_dma, Lane::PCIE_DMA),
    ];
    for (holds, other) in held {
        if holds && other != lane {
            lanes.push(other);
        }
    }
    lanes
}
