//! Who runs when (book: Scheduling).
//!
//! Keeps program order in each context and makes an operation wait for every earlier one that it conflicts with on
//! addresses, and for the ones that hold its context. Knows cycles only as [`OperationCost`] gives them, so that a rule
//! may ask what another cost of one operation would change.

mod graph;
mod hazards;
mod listed;
mod placed;
mod planner;
mod room;
mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::derivation::BodyDerivation;
use crate::derivation::conventions::Conventions;
use crate::hardware::calibration::TileReads;
use crate::hardware::{CalibrationId, Model};
use crate::kernel::{Body, Context, OperationId, Origin, Tier, UnresolvedReason};
use crate::lanes::Lane;

pub use hazards::operations_conflict;
pub use planner::{Conflicts, Variation, derive, total_with_cycles};
pub(crate) use planner::{total_varied, total_with};

use super::{BodySimulation, Gap, OperationCost, model_calibration};

/// The lane of a context (book: Hardware Resources).
pub const fn lane_of(context: Context) -> Lane {
    match context {
        Context::Main => Lane::MAIN,
        Context::Sub => Lane::SUB,
        Context::TensorDma => Lane::TENSOR_DMA,
        Context::PcieDma => Lane::PCIE_DMA,
    }
}

/// Why an operation starts no earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum WaitCause {
    /// It reads what the other writes.
    ReadAfterWrite,
    /// It writes what the other reads.
    WriteAfterRead,
    /// It writes what the other writes.
    WriteAfterWrite,
    /// Its context is busy with an earlier operation.
    Context,
    /// Nothing begins in a turn of a loop, or behind the loop, before everything of the turn before has ended.
    Turn,
    /// One of the two keeps a bank of DM busy and so takes the DMA engine's place too, or sets up a custom switch.
    Held,
}

impl WaitCause {
    /// Its name in tables and JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ReadAfterWrite => "read after write",
            Self::WriteAfterRead => "write after read",
            Self::WriteAfterWrite => "write after write",
            Self::Context => "context busy",
            Self::Turn => "turn of a loop",
            Self::Held => "context held",
        }
    }
}

/// What an operation waits for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wait {
    /// The operation that it waits for.
    pub operation: OperationId,
    /// Why.
    pub cause: WaitCause,
    /// The allocation that both touch, as a number in the list of lifetimes, if that is why.
    pub allocation: Option<usize>,
}

/// When an operation runs, in cycles from the start of the body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The operation.
    pub operation: OperationId,
    /// Where it runs.
    pub lane: Lane,
    /// First cycle.
    pub start: u64,
    /// Cycle after the last.
    pub end: u64,
    /// The operations whose end decides its start or is behind the end of the one before it in its context, the last to
    /// end first.
    pub waits: Vec<Wait>,
}

impl Slot {
    /// Cycles that it runs.
    pub const fn cycles(&self) -> u64 {
        self.end.saturating_sub(self.start)
    }
}

/// Cycles in which a context does not move between two operations, and what the later one waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Idle {
    /// The context.
    pub lane: Lane,
    /// First idle cycle.
    pub start: u64,
    /// Cycle after the last.
    pub end: u64,
    /// The operation that ends the pause; `None` behind the last one.
    pub until: Option<OperationId>,
    /// What that operation waits for.
    pub wait: Option<Wait>,
}

/// The schedule of a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    /// One entry an operation, in program order; empty unless all costs are known.
    pub slots: Vec<Slot>,
    /// Cycles to the end of the last operation; `None` if an operation's cost is unknown.
    pub total: Option<u64>,
}

impl Schedule {
    /// The slot of an operation.
    pub fn slot(&self, operation: OperationId) -> Option<&Slot> {
        self.slots.get(operation.0 as usize)
    }

    /// Cycles that a lane is busy.
    pub fn busy(&self, lane: Lane) -> u64 {
        let of_lane = self.slots.iter().filter(|slot| slot.lane == lane);
        of_lane.fold(0, |sum, slot| sum.saturating_add(slot.cycles()))
    }

    /// The chain of operations that decides the total, first to last: each ends where the next one starts.
    pub fn critical_path(&self) -> Vec<OperationId> {
        let last = self
            .slots
            .iter()
            .max_by_key(|slot| (slot.end, slot.operation));
        let mut path = Vec::new();
        let mut at = last;
        while let Some(slot) = at.filter(|_| path.len() < self.slots.len()) {
            path.push(slot.operation);
            at = slot
                .waits
                .first()
                .and_then(|wait| self.slot(wait.operation))
                .filter(|before| before.end <= slot.start && slot.start > 0);
        }
        path.reverse();
        path
    }

    /// The pauses of a lane that is used at all, from the body's start to its end.
    pub fn idle(&self, lane: Lane) -> Vec<Idle> {
        let mut pauses = Vec::new();
        let mut free = 0;
        let mut slots: Vec<&Slot> = self.slots.iter().filter(|of| of.lane == lane).collect();
        slots.sort_by_key(|slot| (slot.start, slot.end));
        for slot in slots {
            if slot.start > free {
                pauses.push(Idle {
                    lane,
                    start: free,
                    end: slot.start,
                    until: Some(slot.operation),
                    wait: slot.waits.first().cloned(),
                });
            }
            free = free.max(slot.end);
        }
        if let Some(total) = self.total.filter(|total| free > 0 && *total > free) {
            pauses.push(Idle {
                lane,
                start: free,
                end: total,
                until: None,
                wait: None,
            });
        }
        pauses
    }

    /// Cycles in which at least two lanes are busy at once.
    pub fn overlap(&self) -> u64 {
        let mut edges: Vec<(u64, i32)> = Vec::with_capacity(self.slots.len() * 2);
        for slot in self.slots.iter().filter(|slot| slot.end > slot.start) {
            edges.push((slot.start, 1));
            edges.push((slot.end, -1));
        }
        edges.sort_unstable();
        let (mut running, mut since, mut overlap) = (0_i32, 0_u64, 0_u64);
        for (at, change) in edges {
            if running >= 2 {
                overlap = overlap.saturating_add(at - since);
            }
            since = at;
            running += change;
        }
        overlap
    }

    /// The fewest cycles that the same operations could take if only their contexts held them: the busiest lane's.
    pub fn least_total(&self) -> u64 {
        let lanes = Lane::VIRTUAL_ISA.into_iter();
        lanes.map(|lane| self.busy(lane)).max().unwrap_or(0)
    }
}

/// Cycles of the longest chain of operations of which each needs bytes of the one before, however busy the contexts are. The
/// synchronisations between two of them count; that at the kernel's end and its first cycles do not.
pub fn longest_chain(body: &Body, derivation: &BodyDerivation, simulation: &BodySimulation) -> u64 {
    let calibration = model_calibration(body, simulation.model).map(CalibrationId::table);
    let variation = Variation {
        conflicts: Some(&simulation.conflicts),
        ..Variation::default()
    };
    let tile_reads = calibration.map_or(TileReads::OfTheirBytes, |table| table.kernel.tile_reads);
    let mut before = planner::Before::of(body, derivation, tile_reads, variation);
    let mut ends = vec![0_u64; body.operations.len()];
    // How many writes of each chain have been looked at, and the end of the last of them.
    let mut chains: FxHashMap<usize, (usize, u64)> = FxHashMap::default();
    for operation in &body.operations {
        let id = operation.id;
        let found = before.next(id);
        let end_of = |wait: &Wait| {
            let sync = calibration.map_or(0, |table| {
                listed::synchronised(body, derivation, wait, id, &table.kernel)
            });
            let end = ends.get(wait.operation.0 as usize).copied();
            end.unwrap_or(0).saturating_add(sync)
        };
        let mut ready = found.waits.iter().map(end_of).max().unwrap_or(0);
        for &(chain, count) in &found.chains {
            let (done, last) = chains.entry(chain).or_default();
            let new = (*done..count).filter_map(|number| before.write(chain, number));
            let new = new.map(|write| end_of(&hazards::wait_for(write))).max();
            *last = new.map_or(*last, |new| new.max(*last));
            *done = count.max(*done);
            ready = ready.max(*last);
        }
        let cycles = simulation.schedule.slot(id).map_or(0, Slot::cycles);
        if let Some(end) = ends.get_mut(id.0 as usize) {
            *end = ready.saturating_add(cycles);
        }
    }
    ends.into_iter().max().unwrap_or(0)
}

/// Cycles that pass before the first operation of a kernel and behind its last one, whatever it does. The book knows none.
pub fn fixed_cycles(body: &Body, model: Model) -> u64 {
    let (start, end) =
        model_calibration(body, model).map_or((0, 0), |id| listed::start_and_end(body, id.table()));
    start.saturating_add(end)
}

/// Everything that is in the way of a total.
pub fn total_gaps(body: &Body, operations: &[Arc<OperationCost>], model: Model) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = operations
        .iter()
        .flat_map(|cost| cost.gaps.iter().cloned())
        .collect();
    // Of what is the same for many operations the first stands for all; long loops follow.
    let mut said = Vec::new();
    let unresolved = body.unresolved.iter().filter(|unresolved| {
        let known = said.contains(&&unresolved.reason);
        if unresolved.reason.is_said_once() && !known {
            said.push(&unresolved.reason);
        }
        !known && !matches!(unresolved.reason, UnresolvedReason::LongLoop(_))
    });
    gaps.extend(unresolved.map(|unresolved| Gap {
        reason: format!("not resolved: {}", unresolved.reason.reason_text()),
        span: unresolved.span,
    }));
    gaps.extend(body.shortened_loops.iter().map(|span| Gap {
        reason: "a loop with more runs than are unrolled".to_owned(),
        span: *span,
    }));
    gaps.extend(body.unbounded_loops.iter().map(|span| Gap {
        reason: "how often a loop runs is decided at run time".to_owned(),
        span: *span,
    }));
    // A schedule is bounded by the dearest arm and by none.
    let arms = body.operations.iter().filter(|_| model == Model::Book);
    let arms = arms.filter_map(|operation| operation.branches.first());
    let branchings = arms.map(|branch| branch.span);
    gaps.extend(
        branchings
            .chain(body.undecided_exits.iter().copied())
            .map(|span| Gap {
                reason: "which arm runs is decided at run time".to_owned(),
                span,
            }),
    );
    // Where the library chooses the addresses, it puts nothing over what is needed.
    if Conventions::of(body.dialect).is_addressed() {
        gaps.extend(unknown_addresses(body));
    }
    let mut seen = rustc_hash::FxHashSet::default();
    gaps.retain(|gap| seen.insert(gap.clone()));
    gaps
}

/// Tensors that may share bytes with unknown others. What the kernel is given is apart from what it makes.
fn unknown_addresses(body: &Body) -> impl Iterator<Item = Gap> {
    body.tensors.iter().filter_map(|tensor| {
        let made = matches!(tensor.origin, Origin::Operation(_) | Origin::FromAddress);
        let placed = matches!(tensor.tier, Tier::Dm | Tier::Trf | Tier::Vrf | Tier::Hbm);
        let unknown = tensor.address.value == crate::kernel::AddressValue::Unknown;
        (made && placed && unknown).then(|| Gap {
            reason: match &tensor.name {
                Some(name) => format!("the address of `{name}` is not known"),
                None => "an address is not known".to_owned(),
            },
            span: tensor.address.span,
        })
    })
}
