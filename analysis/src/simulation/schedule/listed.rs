//! The vendor's schedule: who runs when by the rules that its published schedules show.
//!
//! An operation begins as soon as what it depends on and what it occupies are free; of two that could, the one goes first that
//! most waits for, of equal ones the shorter. Passes and transfers keep the order of the source where the dialect's compiler keeps
//! it: kernels of 0.6 and 0.8 have the same schedule whatever the order of their statements. The tables of lookups and of custom rings
//! come as transfers that no source names; they occupy and have no slot.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::derivation::BodyDerivation;
use crate::derivation::conventions::Conventions;
use crate::hardware::CLUSTER_ADDRESS_SLICES;
use crate::hardware::calibration::{Calibration, KernelConstants};
use crate::items::Span;
use crate::kernel::{Body, Context, Operation, OperationId, OperationKind, Tier};
use crate::lanes::Lane;

use super::super::OperationCost;
use super::graph::{Graph, Node, RESOURCES, Rings};
use super::hazards::wait_for;
use super::planner::{Before, Variation};
use super::{Schedule, Slot, Wait, WaitCause};

/// Schedules a body whose costs are all known.
pub(super) fn derive(
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
    let slots = prepared.run(body, &cycles, variation.no_arms).slots(waits);
    let last = slots.iter().map(|slot| slot.end).max();
    Schedule {
        total: Some(last.unwrap_or(0).saturating_add(prepared.end)),
        slots,
    }
}

/// What of a body's schedule does not change with the cycles that its operations take.
#[derive(Debug, Clone)]
pub(super) struct Prepared {
    graph: Graph,
    /// The cycle in which the first operation may start.
    start: u64,
    /// Cycles behind the end of the last operation.
    end: u64,
    /// Whether transfers and passes keep the order of the source.
    keeps_order: bool,
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
        for &id in variation.order_of(body).iter() {
            let cost = operations.get(id.0 as usize);
            let Some((operation, cost)) = body.operation(id).zip(cost) else {
                continue;
            };
            let found = before.next(id);
            let node = id.0 as usize;
            graph.prepare(operation, node, calibration, &mut rings);
            graph.set(node, operation, cost);
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
        let (start, end) = start_and_end(body, calibration);
        Self {
            graph,
            start,
            end,
            keeps_order: Conventions::of(body.dialect).keeps_order_of_transfers(),
        }
    }

    /// The body's cycles where its operations take so many, with or without what is in arms that run time decides.
    pub(super) fn total(&self, body: &Body, cycles: &[u64], no_arms: bool) -> u64 {
        let last = self.run(body, cycles, no_arms).last_end();
        last.saturating_add(self.end)
    }

    fn run(&self, body: &Body, cycles: &[u64], no_arms: bool) -> Run<'_> {
        let arms = Arms::of(body, cycles);
        let mut of_nodes: Vec<u64> = self.graph.nodes.iter().map(|node| node.cycles).collect();
        let operations = body.operations.iter().zip(cycles);
        for ((operation, cycles), own) in operations.zip(&mut of_nodes) {
            let runs = operation.branches.is_empty() || !no_arms && arms.runs(operation);
            *own = if runs { *cycles } else { 0 };
        }
        Run::new(&self.graph, of_nodes, self.start, self.keeps_order)
    }
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
    let OperationKind::Copy(copy) = &writer.kind else {
        return 0;
    };
    let tier = |id| body.tensor(id).map(|tensor| tensor.tier);
    let needed = match (tier(copy.source), tier(copy.target)) {
        (_, Some(Tier::Hbm)) => body.operation(reader).is_some_and(|reader| {
            reader.context != Context::Main && reader.context != Context::Sub
        }),
        (Some(Tier::Dm), Some(Tier::Dm)) => {
            crosses_clusters(derivation, writer) || joins(body, derivation, wait)
        }
        _ => false,
    };
    if needed {
        kernel.sync.saturating_add(kernel.after_sync)
    } else {
        0
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
fn joins(body: &Body, derivation: &BodyDerivation, wait: &Wait) -> bool {
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

/// The arms of branchings that run time decides, by what their operations take.
struct Arms {
    dearest: FxHashMap<Span, u32>,
}

impl Arms {
    fn of(body: &Body, cycles: &[u64]) -> Self {
        let mut sums: FxHashMap<(Span, u32), u64> = FxHashMap::default();
        for (operation, cycles) in body.operations.iter().zip(cycles) {
            for branch in &operation.branches {
                let sum = sums.entry((branch.span, branch.arm)).or_default();
                *sum = sum.saturating_add(*cycles);
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

    fn runs(&self, operation: &Operation) -> bool {
        let mut branches = operation.branches.iter();
        branches.all(|branch| self.dearest.get(&branch.span) == Some(&branch.arm))
    }
}

/// What could go: by the weight, of equal ones the shorter first, then in the order of the source.
type Ready = (u64, Reverse<u64>, Reverse<usize>);

/// What waits in a lane.
enum Queue {
    /// In the order of the source.
    Program(VecDeque<usize>),
    /// Those that are free to go, by weight; those that become free later, by when they do.
    Weight {
        ready: BinaryHeap<Ready>,
        later: BinaryHeap<(Reverse<u64>, Ready)>,
    },
}

/// How far a node is.
#[derive(Debug, Clone, Copy)]
struct State {
    cycles: u64,
    /// What it depends on that is not placed yet.
    open: usize,
    ready: u64,
    /// Cycles from its start to the end of the last operation that depends on it.
    weight: u64,
}

impl State {
    /// The place of a node among those that could go.
    const fn among(&self, node: usize) -> Ready {
        (self.weight, Reverse(self.cycles), Reverse(node))
    }
}

struct Run<'a> {
    graph: &'a Graph,
    states: Vec<State>,
    queues: [Queue; 4],
    /// When each resource is free, and which operation occupied it last.
    free: [(u64, Option<usize>); RESOURCES],
    ends: Vec<u64>,
}

/// A node that could be placed next.
struct Candidate {
    node: usize,
    start: u64,
    weight: u64,
}

impl<'a> Run<'a> {
    fn new(graph: &'a Graph, cycles: Vec<u64>, start: u64, keeps_order: bool) -> Self {
        let weights = graph.weights(&cycles);
        let states = graph.nodes.iter().zip(cycles.into_iter().zip(weights));
        let states: Vec<State> = states
            .map(|(node, (cycles, weight))| State {
                cycles,
                open: node.before,
                ready: start,
                weight,
            })
            .collect();
        let mut queues = Lane::VIRTUAL_ISA.map(|_| {
            if !keeps_order {
                Queue::Weight {
                    ready: BinaryHeap::new(),
                    later: BinaryHeap::new(),
                }
            } else {
                Queue::Program(VecDeque::new())
            }
        });
        for &number in &graph.sequence {
            let Some((node, state)) = graph.nodes.get(number).zip(states.get(number)) else {
                continue;
            };
            // A join waits in no lane.
            let queue = node.lane.and_then(|lane| queues.get_mut(lane.number()));
            match queue {
                Some(Queue::Program(queue)) => queue.push_back(number),
                Some(Queue::Weight { later, .. }) if state.open == 0 => {
                    later.push((Reverse(start), state.among(number)));
                }
                _ => {}
            }
        }
        let ends = vec![0; graph.nodes.len()];
        Self {
            graph,
            states,
            queues,
            free: [(start, None); RESOURCES],
            ends,
        }
    }

    /// The end of the last operation.
    fn last_end(mut self) -> u64 {
        let mut last = 0;
        while let Some(candidate) = self.next() {
            self.place(&candidate);
            let node = candidate.node;
            if node < self.graph.operations {
                last = last.max(self.ends.get(node).copied().unwrap_or(0));
            }
        }
        last
    }

    /// The slots of the operations. `waits` is what each of them waits for, with the cycles that pass between.
    fn slots(mut self, mut waits: Vec<Vec<(Wait, u64)>>) -> Vec<Slot> {
        let mut slots: Vec<Slot> = Vec::with_capacity(waits.len());
        while let Some(candidate) = self.next() {
            let node = candidate.node;
            let of = waits.get_mut(node).map(std::mem::take);
            let slot = of.and_then(|waits| self.slot(&candidate, waits));
            self.place(&candidate);
            slots.extend(slot);
        }
        slots.sort_by_key(|slot| slot.operation);
        slots
    }

    /// The node that begins first; of several the one that most waits for.
    fn next(&mut self) -> Option<Candidate> {
        let mut best: Option<Candidate> = None;
        for lane in 0..self.queues.len() {
            let Some(node) = self.head(lane) else {
                continue;
            };
            let Some((of, state)) = self.graph.nodes.get(node).zip(self.states.get(node)) else {
                continue;
            };
            let free = of.holds.iter().filter_map(|held| self.free.get(*held));
            let free = free.map(|(free, _)| *free).max().unwrap_or(0);
            let candidate = Candidate {
                node,
                start: state.ready.max(free),
                weight: state.weight,
            };
            let key = |candidate: &Candidate| {
                (candidate.start, Reverse(candidate.weight), candidate.node)
            };
            if best.as_ref().is_none_or(|best| key(&candidate) < key(best)) {
                best = Some(candidate);
            }
        }
        best
    }

    fn head(&mut self, lane: usize) -> Option<usize> {
        let free = self.free.get(lane)?.0;
        match self.queues.get_mut(lane)? {
            Queue::Program(queue) => {
                let node = *queue.front()?;
                (self.states.get(node)?.open == 0).then_some(node)
            }
            Queue::Weight { ready, later } => {
                while let Some((Reverse(at), one)) = later.peek().copied() {
                    if at > free {
                        break;
                    }
                    later.pop();
                    ready.push(one);
                }
                let first = ready.peek().or(later.peek().map(|(_, one)| one));
                first.map(|(.., Reverse(node))| *node)
            }
        }
    }

    fn place(&mut self, candidate: &Candidate) {
        let graph = self.graph;
        let state = self.states.get(candidate.node);
        let Some((node, state)) = graph.nodes.get(candidate.node).zip(state) else {
            return;
        };
        let end = candidate.start.saturating_add(state.cycles);
        let lane = node.lane.map_or(0, Lane::number);
        match self.queues.get_mut(lane) {
            Some(Queue::Program(queue)) => {
                queue.pop_front();
            }
            Some(Queue::Weight { ready, later }) => {
                let free = ready.pop();
                if free.is_none() {
                    later.pop();
                }
            }
            None => {}
        }
        if let Some(known) = self.ends.get_mut(candidate.node) {
            *known = end;
        }
        for held in &node.holds {
            if let Some(free) = self.free.get_mut(*held) {
                *free = (end, Some(candidate.node));
            }
        }
        for (next, extra) in &node.next {
            self.release(*next, end.saturating_add(*extra));
        }
    }

    /// One of the things that a node depends on has ended at `at`.
    fn release(&mut self, number: usize, at: u64) {
        let graph = self.graph;
        let mut open = vec![(number, at)];
        while let Some((number, at)) = open.pop() {
            let node = graph.nodes.get(number);
            let Some((node, state)) = node.zip(self.states.get_mut(number)) else {
                continue;
            };
            state.ready = state.ready.max(at);
            state.open = state.open.saturating_sub(1);
            if state.open > 0 {
                continue;
            }
            let (ready, among) = (state.ready, state.among(number));
            let Some(lane) = node.lane else {
                // A join has ended with the last that it joins.
                if let Some(known) = self.ends.get_mut(number) {
                    *known = ready;
                }
                let next = node.next.iter();
                open.extend(next.map(|(next, extra)| (*next, ready.saturating_add(*extra))));
                continue;
            };
            if let Some(Queue::Weight { later, .. }) = self.queues.get_mut(lane.number()) {
                later.push((Reverse(ready), among));
            }
        }
    }

    /// The slot of an operation, with what decides its start.
    fn slot(&self, candidate: &Candidate, mut waits: Vec<(Wait, u64)>) -> Option<Slot> {
        let node = self.graph.nodes.get(candidate.node)?;
        let cycles = self.states.get(candidate.node)?.cycles;
        let lane = node.lane?;
        let free = self.free.get(lane.number())?.0;
        waits.extend(self.joined(node, (free, candidate.start)));
        let operation = OperationId(u32::try_from(candidate.node).ok()?);
        for held in &node.holds {
            let Some((_, Some(before))) = self.free.get(*held) else {
                continue;
            };
            // What operations bring along has no slot.
            let Some(before) = u32::try_from(*before).ok().map(OperationId) else {
                continue;
            };
            if self.is_brought(before) || waits.iter().any(|(wait, _)| wait.operation == before) {
                continue;
            }
            let own = *held == lane.number();
            let cause = if own {
                WaitCause::Context
            } else {
                WaitCause::Held
            };
            let wait = Wait {
                operation: before,
                cause,
                allocation: None,
            };
            waits.push((wait, 0));
        }
        let end_of = |(wait, extra): &(Wait, u64)| {
            let end = self.ends.get(wait.operation.0 as usize);
            end.map_or(0, |end| end.saturating_add(*extra))
        };
        waits.retain(|wait| end_of(wait) > free || end_of(wait) == candidate.start);
        waits.sort_by_key(|wait| (Reverse(end_of(wait)), wait.0.cause, wait.0.operation));
        waits.dedup_by_key(|(wait, _)| wait.operation);
        Some(Slot {
            operation,
            lane,
            start: candidate.start,
            end: candidate.start.saturating_add(cycles),
            waits: waits.into_iter().map(|(wait, _)| wait).collect(),
        })
    }

    /// The joined writes that a node waits for, and that may have ended behind `free` or at `start`. A join ends with the last of
    /// its own writes and of those before it, so that none of these is later.
    fn joined(&self, node: &Node, (free, start): (u64, u64)) -> Vec<(Wait, u64)> {
        let mut found = Vec::new();
        for join in &node.joins {
            let mut next = self.graph.joins.get(*join);
            while let Some(join) = next {
                let end = self.ends.get(join.node).copied().unwrap_or(0);
                if end <= free && end != start {
                    break;
                }
                found.extend(join.writes.iter().cloned());
                next = join.before.and_then(|before| self.graph.joins.get(before));
            }
        }
        found
    }

    fn is_brought(&self, operation: OperationId) -> bool {
        operation.0 as usize >= self.graph.operations
    }
}
