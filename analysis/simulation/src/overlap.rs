//! Overlap that a schedule could have and has not: transfers that wait without need, and operations that hold others back.
//!
//! Each is found in the schedule and judged by asking it again with one change: another address, another place in the
//! program's order, a bank pattern without harm, both for all runs of a loop at once. Knows no words.

mod loops;
mod tiles;

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::derivation::sequencer::SequenceReport;
use crate::derivation::{BodyDerivation, EndDerivation, OperationDerivation, StageDerivation};
use crate::hardware::{BANK_RUN_LIMIT, DM_BANK_BITS, DM_BANKS};
use crate::items::Span;
use crate::kernel::{Body, Context, Operation, OperationId, Tier};
use crate::lanes::Lane;

use super::schedule::{Variation, operations_conflict, total_varied};
use super::{BodySimulation, OperationCost, Slot, WaitCause};

pub use loops::SerialLoop;
pub use tiles::SharedTensor;

/// A wait shorter than one part in so many of the whole is not looked at.
const SHARE: u64 = 20;
/// Runs of a loop, or calls of a helper, at one place that are looked at: what the first ones have not, the others seldom
/// have.
const RUNS: u32 = 4;
/// Operations of one context that a load is tried before.
const EARLIER: usize = 8;
/// Addresses that are proposed are multiples of so many bytes: a DMA request.
const PROPOSED_ALIGNMENT: u64 = 256;

/// What would let an operation start earlier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remedy {
    /// What it writes is at this free byte address of DM instead.
    Address(u64),
    /// In a loop: what it writes is at this address in every other run.
    SecondBuffer(u64),
    /// It is before this operation of its own context.
    Before(OperationId),
}

/// An operation that waits for one that it does not depend on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MissedOverlap {
    /// The operation that waits.
    pub operation: OperationId,
    /// The operation that it waits for in the end.
    pub blocker: OperationId,
    /// Cycles that its context does not move although everything that it needs is there.
    pub waits: u64,
    /// What would help.
    pub remedy: Remedy,
    /// Cycles of the body as it is, and with the remedy.
    pub total: (u64, u64),
}

/// An operation whose bank pattern keeps transfers waiting.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeldBack {
    /// The operation with the pattern.
    pub operation: OperationId,
    /// The first transfer that waits for it.
    pub held: Option<OperationId>,
    /// Cycles of the body as it is, and if the pattern held nothing.
    pub total: (u64, u64),
}

/// Two operations that may reach the limit of a bank together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CombinedRun {
    /// The pass of the main context, and its consecutive accesses to one bank.
    pub main: (OperationId, u64),
    /// The pass of the sub context, and its consecutive accesses to one bank.
    pub sub: (OperationId, u64),
    /// A transfer that runs beside both; its request waits for the bank and counts as one access more.
    pub transfer: Option<OperationId>,
}

impl CombinedRun {
    /// Accesses to the bank altogether.
    pub fn accesses(&self) -> u64 {
        let passes = self.main.1.saturating_add(self.sub.1);
        passes.saturating_add(u64::from(self.transfer.is_some()))
    }
}

/// A body with everything that its overlap is judged by.
#[derive(Clone, Copy)]
pub struct Overlap<'a> {
    /// The body.
    pub body: &'a Body,
    /// What the engines make of it.
    pub derivation: &'a BodyDerivation,
    /// What it costs.
    pub simulation: &'a BodySimulation,
}

impl Overlap<'_> {
    /// The operations of DMA and sub context that wait without need, each place once; empty without a total.
    pub fn missed(&self) -> Vec<MissedOverlap> {
        let Some(total) = self.simulation.total() else {
            return Vec::new();
        };
        let gaps = self.gaps();
        let least = (total / SHARE).max(1);
        let is_long = |span: Span| gaps.get(&span).is_some_and(|gap| *gap >= least);
        let mut tried: FxHashMap<Span, u32> = FxHashMap::default();
        let mut missed = Vec::new();
        for slot in &self.simulation.schedule.slots {
            let Some(operation) = self.body.operation(slot.operation) else {
                continue;
            };
            if slot.lane == Lane::MAIN {
                continue;
            }
            // A quick look first: what helps cannot save more than the time that its context waits.
            let worth_trying = match slot.waits.first().map(|wait| wait.cause) {
                Some(WaitCause::WriteAfterRead | WaitCause::WriteAfterWrite) => {
                    is_long(operation.span)
                }
                Some(WaitCause::Context) => self
                    .earlier_in_context(operation)
                    .any(|other| is_long(other.span)),
                Some(WaitCause::ReadAfterWrite | WaitCause::Held | WaitCause::Turn) | None => false,
            };
            if !worth_trying {
                continue;
            }
            let tries = tried.entry(operation.span).or_default();
            if *tries == RUNS {
                continue;
            }
            *tries += 1;
            if let Some(found) = self.remedied(operation, slot, total) {
                *tries = RUNS;
                missed.push(found);
            }
        }
        missed
    }

    /// Cycles that a context does not move right before the operations of a place, all runs together.
    fn gaps(&self) -> FxHashMap<Span, u64> {
        let mut free: FxHashMap<Lane, u64> = FxHashMap::default();
        let mut gaps: FxHashMap<Span, u64> = FxHashMap::default();
        for slot in &self.simulation.schedule.slots {
            let end = free.entry(slot.lane).or_default();
            if let Some(operation) = self.body.operation(slot.operation) {
                let gap = gaps.entry(operation.span).or_default();
                *gap = gap.saturating_add(slot.start.saturating_sub(*end));
            }
            *end = (*end).max(slot.end);
        }
        gaps
    }

    /// The operations of its context that are before one, the nearest first, as many as it is tried before.
    fn earlier_in_context(&self, operation: &Operation) -> impl Iterator<Item = &Operation> {
        let before = self.body.operations.get(..operation.id.0 as usize);
        let before = before.unwrap_or_default().iter().rev();
        before
            .filter(|other| other.context == operation.context)
            .take(EARLIER)
    }

    /// When everything that the operation reads is there.
    fn ready(&self, slot: &Slot) -> u64 {
        let needed = slot
            .waits
            .iter()
            .filter(|wait| wait.cause == WaitCause::ReadAfterWrite)
            .filter_map(|wait| self.simulation.schedule.slot(wait.operation));
        needed.map(|before| before.end).max().unwrap_or(0)
    }

    /// When the operations before it in its context have ended.
    fn lane_free(&self, slot: &Slot) -> u64 {
        let slots = self.simulation.schedule.slots.iter();
        slots
            .take_while(|other| other.operation < slot.operation)
            .filter(|other| other.lane == slot.lane)
            .map(|other| other.end)
            .max()
            .unwrap_or(0)
    }

    fn remedied(&self, operation: &Operation, slot: &Slot, total: u64) -> Option<MissedOverlap> {
        let first = slot.waits.first()?;
        let (blocker, remedy, after) = match first.cause {
            WaitCause::WriteAfterRead | WaitCause::WriteAfterWrite => {
                let (remedy, after) = self.write_elsewhere(operation)?;
                (first.operation, remedy, after)
            }
            WaitCause::Context => self.earlier_place(operation)?,
            WaitCause::ReadAfterWrite | WaitCause::Held | WaitCause::Turn => return None,
        };
        let waiting = match remedy {
            Remedy::Before(other) => self.simulation.schedule.slot(other)?,
            Remedy::Address(_) | Remedy::SecondBuffer(_) => slot,
        };
        let free = self.ready(slot).max(self.lane_free(waiting));
        let waits = waiting.start.saturating_sub(free);
        (total.saturating_sub(after) >= (total / SHARE).max(1)).then_some(MissedOverlap {
            operation: operation.id,
            blocker,
            waits,
            remedy,
            total: (total, after),
        })
    }

    fn total_with(&self, costs: &[Arc<OperationCost>], variation: Variation<'_>) -> Option<u64> {
        total_varied(
            self.body,
            self.derivation,
            costs,
            self.simulation.model,
            variation,
        )
    }

    /// What it writes at a free address, in a loop in every other run.
    fn write_elsewhere(&self, operation: &Operation) -> Option<(Remedy, u64)> {
        let lifetimes = &self.derivation.memory.lifetimes;
        let written = self.written_allocation(operation.id)?;
        let lifetime = lifetimes.get(written)?;
        let bytes = lifetime.bytes.filter(|_| lifetime.tier == Tier::Dm)?;
        let address = self.free_place(bytes)?;
        let looped = !operation.loops.is_empty();
        let moved: Vec<usize> = self
            .body
            .operations
            .iter()
            .filter(|other| other.span == operation.span && other.calls == operation.calls)
            .filter(|other| !looped || is_odd_run(other))
            .filter_map(|other| self.written_allocation(other.id))
            .collect();
        let variation = Variation {
            moved: &moved,
            order: None,
            ..Variation::default()
        };
        let after = self.total_with(&self.simulation.operations, variation)?;
        let remedy = if looped {
            Remedy::SecondBuffer(address)
        } else {
            Remedy::Address(address)
        };
        Some((remedy, after))
    }

    /// The allocation that an operation writes, as a number in the list of lifetimes.
    pub fn written_allocation(&self, id: OperationId) -> Option<usize> {
        let touches = self.derivation.memory.touches.get(id.0 as usize)?;
        let write = touches.iter().find(|touch| touch.writes)?;
        Some(write.allocation)
    }

    /// The first place of DM that stays free for the whole body.
    fn free_place(&self, bytes: u64) -> Option<u64> {
        let holes = self.simulation.memory.holes(Tier::Dm, 0, u64::MAX)?;
        holes.into_iter().find_map(|hole| {
            let address = hole.address.checked_next_multiple_of(PROPOSED_ALIGNMENT)?;
            let end = address.checked_add(bytes)?;
            (end <= hole.address.checked_add(hole.bytes)?).then_some(address)
        })
    }

    /// Before an operation of its context that waits for another context, where nothing between forbids it; the best one.
    fn earlier_place(&self, operation: &Operation) -> Option<(OperationId, Remedy, u64)> {
        let place = operation.id.0 as usize;
        let (before, _) = self.body.operations.split_at_checked(place)?;
        let mut best: Option<(OperationId, Remedy, u64)> = None;
        let mut tried = 0;
        for other in before.iter().rev() {
            let together = other.loops == operation.loops
                && other.branches == operation.branches
                && other.calls == operation.calls;
            if !together || operations_conflict(self.derivation, other.id, operation.id) {
                break;
            }
            if other.context != operation.context {
                continue;
            }
            tried += 1;
            if tried > EARLIER {
                break;
            }
            let Some(blocker) = self.foreign_wait(other.id) else {
                continue;
            };
            let order = self.order_with(operation, other);
            let variation = Variation {
                order: Some(&order),
                moved: &[],
                ..Variation::default()
            };
            let after = self.total_with(&self.simulation.operations, variation)?;
            if best.is_none_or(|(_, _, least)| after < least) {
                best = Some((blocker, Remedy::Before(other.id), after));
            }
        }
        best
    }

    /// The operation of another context that one waits for, if it does.
    fn foreign_wait(&self, id: OperationId) -> Option<OperationId> {
        let slot = self.simulation.schedule.slot(id)?;
        let wait = slot.waits.first()?;
        let other = self.simulation.schedule.slot(wait.operation)?;
        (other.lane != slot.lane).then_some(wait.operation)
    }

    /// The program's order with every run of `operation` right before the run of `other` that it follows.
    fn order_with(&self, operation: &Operation, other: &Operation) -> Vec<OperationId> {
        let mut order: Vec<OperationId> = Vec::with_capacity(self.body.operations.len());
        for each in &self.body.operations {
            let moves = each.span == operation.span && each.calls == operation.calls;
            let target = moves.then(|| {
                order.iter().rposition(|id| {
                    self.body.operation(*id).is_some_and(|before| {
                        before.span == other.span
                            && before.calls == other.calls
                            && before.loops == each.loops
                    })
                })
            });
            match target.flatten() {
                Some(at) => order.insert(at, each.id),
                None => order.push(each.id),
            }
        }
        order
    }

    /// The passes whose bank pattern makes the whole body longer, each place once; empty without a total.
    pub fn held_back(&self) -> Vec<HeldBack> {
        let Some(total) = self.simulation.total() else {
            return Vec::new();
        };
        let mut seen: FxHashSet<Span> = FxHashSet::default();
        let mut found = Vec::new();
        for operation in &self.body.operations {
            let starves = self
                .bank_run(operation.id)
                .is_some_and(|run| run.accesses >= BANK_RUN_LIMIT);
            if !starves || !seen.insert(operation.span) {
                continue;
            }
            let mut costs = self.simulation.operations.clone();
            for (other, cost) in self.body.operations.iter().zip(&mut costs) {
                if other.span == operation.span && !cost.holds_sub {
                    Arc::make_mut(cost).holds_dma = false;
                }
            }
            let variation = Variation {
                conflicts: Some(&self.simulation.conflicts),
                ..Variation::default()
            };
            let after = self.total_with(&costs, variation);
            if let Some(after) = after.filter(|after| *after < total) {
                let waiting = self.simulation.schedule.slots.iter().find(|slot| {
                    let first = slot.waits.first();
                    first.is_some_and(|wait| {
                        wait.operation == operation.id && wait.cause == WaitCause::Held
                    })
                });
                found.push(HeldBack {
                    operation: operation.id,
                    held: waiting.map(|slot| slot.operation),
                    total: (total, after),
                });
            }
        }
        found
    }

    /// Passes of both contexts that run at the same time and together reach the limit of a bank, each pair of places once.
    /// Whatever transfer comes meanwhile may starve, of this kernel or not; one that the schedule has there is named.
    pub fn combined_runs(&self) -> Vec<CombinedRun> {
        if self.simulation.total().is_none() {
            return Vec::new();
        }
        let slots = &self.simulation.schedule.slots;
        let runs = |lane: Lane| {
            let of_lane = slots.iter().filter(move |slot| slot.lane == lane);
            of_lane
                .flat_map(|slot| {
                    let runs = self.bank_runs().of_pass(slot.operation);
                    runs.into_iter().map(move |run| (slot, run))
                })
                .filter(|(_, run)| (2..BANK_RUN_LIMIT).contains(&run.accesses))
                .collect::<Vec<_>>()
        };
        let (mains, subs) = (runs(Lane::MAIN), runs(Lane::SUB));
        let transfers: Vec<&Slot> = slots
            .iter()
            .filter(|slot| matches!(slot.lane, Lane::TENSOR_DMA | Lane::PCIE_DMA))
            .collect();
        let mut seen: FxHashSet<(Span, Span)> = FxHashSet::default();
        let mut found = Vec::new();
        for (main, run) in &mains {
            for (sub, other) in &subs {
                let together = run.accesses.saturating_add(other.accesses);
                let (start, end) = (main.start.max(sub.start), main.end.min(sub.end));
                // A transfer beside both brings a request of its own.
                if together.saturating_add(1) < BANK_RUN_LIMIT
                    || run.banks & other.banks == 0
                    || start >= end
                {
                    continue;
                }
                let beside = transfers
                    .iter()
                    .find(|slot| slot.start.max(start) < slot.end.min(end));
                let combined = CombinedRun {
                    main: (main.operation, run.accesses),
                    sub: (sub.operation, other.accesses),
                    transfer: beside.map(|slot| slot.operation),
                };
                let spans = self
                    .body
                    .operation(main.operation)
                    .zip(self.body.operation(sub.operation))
                    .map(|(one, two)| (one.span, two.span));
                if combined.accesses() >= BANK_RUN_LIMIT
                    && spans.is_some_and(|spans| seen.insert(spans))
                {
                    found.push(combined);
                }
            }
        }
        found
    }

    const fn bank_runs(&self) -> BankRuns<'_> {
        BankRuns {
            derivation: self.derivation,
        }
    }

    /// The longest run of a pass on one bank.
    fn bank_run(&self, id: OperationId) -> Option<BankRun> {
        let runs = self.bank_runs().of_pass(id).into_iter();
        runs.max_by_key(|run| run.accesses)
    }
}

/// Consecutive accesses to one bank.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct BankRun {
    accesses: u64,
    /// One bit a bank that the run may be on.
    banks: u16,
}

/// Bits after which the banks repeat.
const BANKS_BITS: i128 = (DM_BANKS * DM_BANK_BITS) as i128;

/// The run of a sequence. Where some loop steps from bank to bank, the run may be on any of them.
fn run_of(sequence: &SequenceReport, base: Option<u64>) -> Option<BankRun> {
    let accesses = sequence.longest_bank_run?;
    let stays = sequence
        .access_levels
        .iter()
        .all(|level| level.size == 1 || level.stride_bits % BANKS_BITS == 0);
    let banks = match (base, sequence.touched_bits) {
        (Some(base), Some(touched)) if stays => {
            let first = base.saturating_mul(8) / DM_BANK_BITS;
            let last = base
                .saturating_mul(8)
                .saturating_add(touched)
                .saturating_sub(1)
                / DM_BANK_BITS;
            (first..=last.min(first.saturating_add(DM_BANKS - 1)))
                .fold(0, |banks, unit| banks | 1_u16 << (unit % DM_BANKS))
        }
        _ => u16::MAX,
    };
    Some(BankRun { accesses, banks })
}

/// Whether a run of the innermost loop around an operation is an odd one.
fn is_odd_run(operation: &Operation) -> bool {
    operation
        .loops
        .last()
        .is_some_and(|frame| frame.iteration % 2 == 1)
}
/// Runs of passes on banks, which need no schedule.
struct BankRuns<'a> {
    derivation: &'a BodyDerivation,
}

impl BankRuns<'_> {
    /// The longest runs of a pass's fetch and of its commit on one bank, and the banks that each may be on.
    fn of_pass(&self, id: OperationId) -> Vec<BankRun> {
        let Some(OperationDerivation::Pass(derived)) =
            self.derivation.operations.get(id.0 as usize)
        else {
            return Vec::new();
        };
        let fetches = derived.stages.iter().filter_map(|stage| match stage {
            StageDerivation::Fetch(fetch) => fetch.sequence.as_ref(),
            _ => None,
        });
        let commit = match &derived.end {
            EndDerivation::Commit(commit) => commit.sequence.as_ref(),
            _ => None,
        };
        let (reads, writes) = (self.base_address(id, false), self.base_address(id, true));
        let runs = fetches
            .map(|sequence| (sequence, reads))
            .chain(commit.map(|sequence| (sequence, writes)));
        runs.filter_map(|(sequence, base)| run_of(sequence, base))
            .collect()
    }

    fn base_address(&self, id: OperationId, writes: bool) -> Option<u64> {
        let touches = self.derivation.memory.touches.get(id.0 as usize)?;
        let lifetimes = &self.derivation.memory.lifetimes;
        touches
            .iter()
            .filter(|touch| touch.writes == writes)
            .filter_map(|touch| lifetimes.get(touch.allocation))
            .find(|lifetime| lifetime.tier == Tier::Dm)?
            .address
    }
}

/// Whether passes of both contexts reach the limit of one bank together, if they run at the same time: only then the schedule
/// can say that they do.
pub fn may_combine(body: &Body, derivation: &BodyDerivation) -> bool {
    let runs = BankRuns { derivation };
    let of = |context: Context| -> Vec<BankRun> {
        let operations = body.operations.iter();
        let runs = operations
            .filter(|operation| operation.context == context)
            .flat_map(|operation| runs.of_pass(operation.id));
        runs.filter(|run| (2..BANK_RUN_LIMIT).contains(&run.accesses))
            .collect()
    };
    let (mains, subs) = (of(Context::Main), of(Context::Sub));
    mains.iter().any(|main| {
        let mut subs = subs.iter();
        subs.any(|sub| {
            let together = main.accesses.saturating_add(sub.accesses).saturating_add(1);
            together >= BANK_RUN_LIMIT && main.banks & sub.banks != 0
        })
    })
}
