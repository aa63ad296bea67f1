//! The vendor's schedule: who runs when by the rules that its published schedules show.
//!
//! Nothing overlaps across the start, a turn or the end of a loop. Within such a block passes and transfers go where `search` puts them,
//! or keep the order of the source where the dialect's compiler keeps it: kernels of 0.6 and 0.8 have the same schedule whatever the order
//! of their statements. What would hold more than a memory has is held back (`room`). The tables of lookups and of custom rings come as
//! transfers that no source names; they occupy and have no slot.

use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashMap;

use crate::derivation::BodyDerivation;
use crate::derivation::conventions::Conventions;
use crate::hardware::CLUSTER_ADDRESS_SLICES;
use crate::hardware::calibration::{Calibration, KernelConstants};
use crate::items::Span;
use crate::kernel::{
    Body, CollectiveWork, Context, Level, Operation, OperationId, OperationKind,
    RedistributionStep, Tier,
};

use super::super::OperationCost;
use super::graph::{Graph, Rings};
use super::hazards::wait_for;
use super::placed::Placed;
use super::planner::{Before, Variation};
use super::room::{Reuse, Room};
use super::{Schedule, Wait, WaitCause};

/// Schedules a body whose costs are all known.
pub(super) fn derive_schedule(
    body: &Body,
    derivation: &BodyDerivation,
    operations: &[Arc<OperationCost>],
    calibration: &Calibration,
    variation: Variation<'_>,
) -> Schedule {
    let mut waits = vec![Vec::new(); body.operations.len()];
    let prepared = Prepared::noting(
        body,
        derivation,
        operations,
        calibration,
        variation,
        |node, wait| {
            if let Some(waits) = waits.get_mut(node) {
                waits.push(wait);
            }
        },
    );
    let cycles: Vec<u64> = operations.iter().filter_map(|cost| cost.cycles).collect();
    let (placed, reuses) = prepared.run(body, &cycles, variation.no_arms);
    for (node, before, allocation) in reuses {
        let operation = u32::try_from(*before).ok().map(OperationId);
        if let Some((waits, operation)) = waits.get_mut(*node).zip(operation) {
            let wait = Wait {
                operation,
                cause: WaitCause::WriteAfterRead,
                allocation: Some(*allocation),
            };
            waits.push((wait, 0));
        }
    }
    let slots = placed.slots(waits);
    let last = slots.iter().map(|slot| slot.end).max();
    Schedule {
        total: Some(last.unwrap_or(0).saturating_add(prepared.end)),
        slots,
    }
}

/// The cycles of a body whose costs are all known.
pub(super) fn body_total(
    body: &Body,
    derivation: &BodyDerivation,
    operations: &[Arc<OperationCost>],
    calibration: &Calibration,
    variation: Variation<'_>,
) -> u64 {
    let prepared = Prepared::of(body, derivation, operations, calibration, variation);
    let cycles: Vec<u64> = operations.iter().filter_map(|cost| cost.cycles).collect();
    prepared.total(body, &cycles, variation.no_arms)
}

/// A graph in which what would not fit waits, with that.
type Tight = (Graph, Vec<Reuse>);

/// What of a body's schedule does not change with the cycles that its operations take.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    graph: Graph,
    room: Room,
    /// The same for schedules that would hold more than there is room for; `None` inside where no order fits.
    tight: OnceLock<Option<Tight>>,
    /// The cycle in which the first operation may start.
    start: u64,
    /// Cycles of a turn of a loop.
    turn: u64,
    /// Cycles behind the end of the last operation.
    end: u64,
    /// The numbers of the operations in arms that run time decides.
    in_arms: Vec<usize>,
}

impl Prepared {
    /// The body as it is, with what these costs occupy.
    pub(super) fn of(
        body: &Body,
        derivation: &BodyDerivation,
        operations: &[Arc<OperationCost>],
        calibration: &Calibration,
        variation: Variation<'_>,
    ) -> Self {
        Self::noting(
            body,
            derivation,
            operations,
            calibration,
            variation,
            |_, _| {},
        )
    }

    /// The same; `note` is given what each operation waits for, with the cycles that pass between.
    fn noting(
        body: &Body,
        derivation: &BodyDerivation,
        operations: &[Arc<OperationCost>],
        calibration: &Calibration,
        variation: Variation<'_>,
        mut note: impl FnMut(usize, (Wait, u64)),
    ) -> Self {
        let tile_reads = calibration.kernel.tile_reads;
        let mut before = Before::of(body, derivation, tile_reads, variation);
        let mut graph = Graph::new(body.operations.len());
        let mut rings = Rings::new();
        // Of each chain of writes how many are joined, and by what.
        let mut joins: FxHashMap<usize, (usize, usize)> = FxHashMap::default();
        // Of compilers that keep the order no schedule of a loop is public: the book has tiles of several turns overlap.
        let keeps_order = Conventions::of(body.dialect).keeps_order_of_transfers();
        let mut frames: Option<Vec<(Span, u64)>> = None;
        for &id in variation.order_of(body).iter() {
            let cost = operations.get(id.0 as usize);
            let Some((operation, cost)) = body.operation(id).zip(cost) else {
                continue;
            };
            let own = if keeps_order {
                Vec::new()
            } else {
                frames_of(operation, variation.written_out)
            };
            if frames.as_ref() != Some(&own) {
                graph.begin_block(new_turns(frames.as_deref().unwrap_or_default(), &own));
                frames = Some(own);
            }
            let found = before.next(id);
            let node = id.0 as usize;
            graph.prepare(operation, node, calibration, &mut rings);
            graph.set(node, operation, cost, calibration);
            for wait in &found.waits {
                let extra = synchronised(body, derivation, wait, id, &calibration.kernel);
                graph.depend(node, wait.operation.0 as usize, extra);
                note(node, (wait.clone(), extra));
            }
            for &(chain, count) in &found.chains {
                let from = joins.get(&chain).map_or(0, |(done, _)| *done);
                let new = (from..count).filter_map(|number| before.write(chain, number));
                let new = new.map(|write| {
                    let wait = wait_for(write);
                    let extra = synchronised(body, derivation, &wait, id, &calibration.kernel);
                    (wait, extra)
                });
                let known = joins.get(&chain).map(|(_, join)| *join);
                let join = match known {
                    Some(join) if from >= count => join,
                    _ => graph.join(known, new.collect()),
                };
                joins.insert(chain, (count.max(from), join));
                graph.depend_on_join(node, join);
            }
            graph.sequence.push(node);
        }
        if keeps_order {
            graph.keep_order();
        }
        let (start, end) = start_and_end(body, calibration);
        Self {
            graph,
            room: Room::of(body, derivation),
            tight: OnceLock::new(),
            start,
            turn: calibration.kernel.turn,
            end,
            in_arms: operations_in_arms(body),
        }
    }

    /// The body's cycles where its operations take so many, with or without what is in arms that run time decides.
    pub(super) fn total(&self, body: &Body, cycles: &[u64], no_arms: bool) -> u64 {
        let (placed, _) = self.run(body, cycles, no_arms);
        placed.last_end().saturating_add(self.end)
    }

    /// When everything runs, and what waits for room.
    fn run(&self, body: &Body, cycles: &[u64], no_arms: bool) -> (Placed<'_>, &[Reuse]) {
        let brought = self.graph.nodes.iter().skip(self.graph.operations);
        let brought = brought.map(|node| node.cycles);
        let mut of_nodes: Vec<u64> = cycles.iter().copied().chain(brought).collect();
        let in_arms = || {
            let numbers = self.in_arms.iter();
            numbers.filter_map(|number| Some((body.operations.get(*number)?, *number)))
        };
        let arms = Arms::of(in_arms(), cycles);
        for (operation, number) in in_arms() {
            if let Some(own) = of_nodes.get_mut(number)
                && (no_arms || !arms.runs_operation(operation))
            {
                *own = 0;
            }
        }
        let free = Placed::of(&self.graph, &of_nodes, self.start, self.turn);
        if self.room.is_empty() || self.room.fits_at_times(&free.starts, &free.ends) {
            return (free, &[]);
        }
        match self.tight.get_or_init(|| self.tight()) {
            Some((graph, reuses)) => (
                Placed::of(graph, &of_nodes, self.start, self.turn),
                reuses.as_slice(),
            ),
            None => (free, &[]),
        }
    }

    /// Holds back what would not fit, in the first order of operations in which it does.
    fn tight(&self) -> Option<Tight> {
        let orders = [self.graph.sequence.clone(), self.graph.needed_first()];
        orders.into_iter().find_map(|sequence| {
            let own = sequence.iter().copied();
            let own: Vec<usize> = own.filter(|node| *node < self.graph.operations).collect();
            let reuses = self.room.reuses(&own)?;
            let mut graph = Graph {
                sequence,
                ..self.graph.clone()
            };
            for (node, before, _) in &reuses {
                graph.depend(*node, *before, 0);
            }
            Some((graph, reuses))
        })
    }
}

/// The turns of loops that an operation is in, outermost first, without a loop that is written out.
fn frames_of(operation: &Operation, written_out: Option<Span>) -> Vec<(Span, u64)> {
    let frames = operation.loops.iter();
    let frames = frames.filter(|frame| Some(frame.span) != written_out);
    frames.map(|frame| (frame.span, frame.iteration)).collect()
}

/// Turns that begin between two operations that are in these.
fn new_turns(before: &[(Span, u64)], own: &[(Span, u64)]) -> u64 {
    let same = before
        .iter()
        .zip(own)
        .take_while(|(one, other)| one == other);
    let same = same.count();
    (own.len() - same) as u64
}

/// The cycle in which the first operation of a kernel may start, and the cycles behind its last one. A function that is no
/// kernel has neither.
pub(super) fn start_and_end(body: &Body, calibration: &Calibration) -> (u64, u64) {
    if body.device.is_some() && !body.operations.is_empty() {
        (calibration.kernel.start, calibration.kernel.end)
    } else {
        (0, 0)
    }
}

/// Cycles that pass between the end of an operation and the start of one that reads what it wrote: behind a store of what is
/// loaded again, and behind a transfer to the other cluster or into a tensor that passes write too.
pub(super) fn synchronised(
    body: &Body,
    derivation: &BodyDerivation,
    wait: &Wait,
    reader: OperationId,
    kernel: &KernelConstants,
) -> u64 {
    if wait.cause != WaitCause::ReadAfterWrite {
        return 0;
    }
    let Some(writer) = body.operation(wait.operation) else {
        return 0;
    };
    let copy = match &writer.kind {
        OperationKind::Copy(copy) => copy,
        OperationKind::Collective(collective) if between_clusters(&collective.work) => {
            return kernel.sync.saturating_add(kernel.after_sync);
        }
        _ => return 0,
    };
    let tier = |id| body.tensor(id).map(|tensor| tensor.tier);
    let needed = match (tier(copy.source), tier(copy.target)) {
        (_, Some(Tier::Hbm)) => body.operation(reader).is_some_and(|reader| {
            reader.context != Context::Main && reader.context != Context::Sub
        }),
        (Some(Tier::Dm), Some(Tier::Dm)) => {
            crosses_clusters(derivation, writer) || is_written_by_pass(body, derivation, wait)
        }
        _ => false,
    };
    if needed {
        kernel.sync.saturating_add(kernel.after_sync)
    } else {
        0
    }
}

/// Whether clusters take from each other by a plan.
fn between_clusters(work: &CollectiveWork) -> bool {
    match work {
        CollectiveWork::Shuffle(parts) => parts.level == Level::Cluster,
        CollectiveWork::Redistribute { steps, asymmetric } => {
            !asymmetric
                && steps.iter().any(|step| match step {
                    RedistributionStep::Shuffle(parts) => parts.level == Level::Cluster,
                    RedistributionStep::Slice { .. } => false,
                })
        }
        _ => false,
    }
}

/// Whether a transfer from DM to DM goes to the other cluster.
fn crosses_clusters(derivation: &BodyDerivation, operation: &Operation) -> bool {
    use crate::derivation::OperationDerivation;
    use crate::derivation::dma::SLICE_BITS;
    let index = operation.id.0 as usize;
    let Some(OperationDerivation::Copy(derived)) = derivation.operations.get(index) else {
        return false;
    };
    let cluster = |bits: i128| bits / (SLICE_BITS * i128::from(CLUSTER_ADDRESS_SLICES)) != 0;
    derived
        .loops()
        .iter()
        .any(|one| cluster(one.source) != cluster(one.target))
}

/// Whether the tensor that a transfer writes is written by a pass as well.
fn is_written_by_pass(body: &Body, derivation: &BodyDerivation, wait: &Wait) -> bool {
    let Some(allocation) = wait.allocation else {
        return false;
    };
    body.operations.iter().any(|operation| {
        matches!(operation.kind, OperationKind::Pass(_))
            && derivation
                .memory
                .touches
                .get(operation.id.0 as usize)
                .is_some_and(|touches| {
                    let mut touches = touches.iter();
                    touches.any(|touch| touch.writes && touch.allocation == allocation)
                })
    })
}

fn operations_in_arms(body: &Body) -> Vec<usize> {
    let operations = body.operations.iter().enumerate();
    let in_arms = operations.filter(|(_, operation)| !operation.branches.is_empty());
    in_arms.map(|(number, _)| number).collect()
}

/// The arms of branchings that run time decides, by what their operations take.
struct Arms {
    dearest: FxHashMap<Span, u32>,
}

impl Arms {
    /// `cycles` are those of all operations of the body, by number.
    fn of<'a>(in_arms: impl Iterator<Item = (&'a Operation, usize)>, cycles: &[u64]) -> Self {
        let mut sums: FxHashMap<(Span, u32), u64> = FxHashMap::default();
        for (operation, number) in in_arms {
            let cycles = cycles.get(number).copied().unwrap_or(0);
            for branch in &operation.branches {
                let sum = sums.entry((branch.span, branch.arm)).or_default();
                *sum = sum.saturating_add(cycles);
            }
        }
        let mut dearest: FxHashMap<Span, (u64, Reverse<u32>)> = FxHashMap::default();
        for ((span, arm), sum) in sums {
            let most = dearest.entry(span).or_insert((sum, Reverse(arm)));
            *most = (*most).max((sum, Reverse(arm)));
        }
        let dearest = dearest.into_iter();
        Self {
            dearest: dearest
                .map(|(span, (_, Reverse(arm)))| (span, arm))
                .collect(),
        }
    }

    fn runs_operation(&self, operation: &Operation) -> bool {
        let mut branches = operation.branches.iter();
        branches.all(|branch| self.dearest.get(&branch.span) == Some(&branch.arm))
    }
}
