//! What operations of a body depend on and occupy, with what they bring along that no source names: the tables of lookups and of custom
//! rings, and joins of many writes that one operation waits for.

use crate::hardware::calibration::Calibration;
use crate::kernel::{Context, Operation, OperationKind, Pass, PassEnd, StageKind, SwitchConfig};
use crate::lanes::Lane;
use crate::mapping::Mapping;

use super::super::OperationCost;
use super::super::calibrated::{lookups, ring_wait};
use super::{Wait, lane_of};

/// What can be occupied: the four lanes, and the Vector Engine that both contexts share.
pub(super) const RESOURCES: usize = 5;
/// The number of the Vector Engine among them.
const VECTOR: usize = 4;

/// Custom rings whose tables are on their way, and what brings them: a kernel has few.
pub(super) type Rings = Vec<((SwitchConfig, Option<Mapping>), usize)>;

/// What occupies lanes: the operations by number, then what they bring along.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) lane: Option<Lane>,
    /// The cycles of what an operation brings along; those of operations are given to each run.
    pub(super) cycles: u64,
    pub(super) holds: Vec<usize>,
    /// Cycles at its beginning in which it does not hold the sub context yet.
    pub(super) lead: u64,
    /// What depends on it, and the cycles that pass between.
    pub(super) next: Vec<(usize, u64)>,
    /// What it depends on.
    pub(super) before: usize,
    /// The joins among that, by their numbers.
    pub(super) joins: Vec<usize>,
    /// Whether it does nothing but bring what others read: it can wait until they need it.
    pub(super) brings: bool,
}

impl Node {
    /// Cycles at its beginning in which it does not occupy what it holds yet.
    pub(super) const fn lead_on(&self, held: usize) -> u64 {
        if held == Lane::SUB.number() {
            self.lead
        } else {
            0
        }
    }
}

/// Nodes that nothing overlaps with: a turn of a loop, or what is between two loops.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block {
    /// Its first node, as a place in the sequence.
    pub(super) from: usize,
    /// Turns of loops that begin with it.
    pub(super) turns: u64,
}

/// Writes of a tensor that its readers wait for together, with the cycles that pass between, behind those of the join before. A join
/// is a node without a lane: it is there once they have ended.
#[derive(Debug, Clone)]
pub(super) struct Join {
    pub(super) node: usize,
    pub(super) before: Option<usize>,
    pub(super) writes: Vec<(Wait, u64)>,
}

#[derive(Debug, Clone)]
pub(super) struct Graph {
    pub(super) nodes: Vec<Node>,
    /// How many of them are operations: they come first.
    pub(super) operations: usize,
    /// All nodes, each behind what it depends on.
    pub(super) sequence: Vec<usize>,
    pub(super) joins: Vec<Join>,
    /// The blocks, in order.
    pub(super) blocks: Vec<Block>,
}

impl Graph {
    pub(super) fn new(operations: usize) -> Self {
        Self {
            nodes: vec![Node::default(); operations],
            operations,
            sequence: Vec::with_capacity(operations),
            joins: Vec::new(),
            blocks: Vec::new(),
        }
    }

    /// What comes next overlaps with nothing before; so many turns of loops begin.
    pub(super) fn begin_block(&mut self, turns: u64) {
        let from = self.sequence.len();
        self.blocks.push(Block { from, turns });
    }

    /// The places in the sequence of each block.
    pub(super) fn ranges(&self) -> impl Iterator<Item = (Block, std::ops::Range<usize>)> {
        let ends = self.blocks.iter().skip(1).map(|block| block.from);
        let ends = ends.chain([self.sequence.len()]);
        let blocks = self.blocks.iter().copied().zip(ends);
        blocks.map(|(block, end)| (block, block.from..end))
    }

    /// The nodes of each block in another sequence, in which what only brings something comes right before what needs it.
    pub(super) fn needed_first(&self) -> Vec<usize> {
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); self.nodes.len()];
        for &number in &self.sequence {
            let next = self.nodes.get(number).map_or(&[][..], |node| &node.next);
            for (next, _) in next {
                if let Some(before) = before.get_mut(*next) {
                    before.push(number);
                }
            }
        }
        let mut sequence = Vec::with_capacity(self.sequence.len());
        let mut seen = vec![false; self.nodes.len()];
        for (_, range) in self.ranges() {
            let own = self.sequence.get(range).unwrap_or_default();
            let brings = |number: &usize| self.nodes.get(*number).is_some_and(|node| node.brings);
            let waiting = own.iter().filter(|number| brings(number));
            let first = own.iter().filter(|number| !brings(number));
            for &wanted in first.chain(waiting) {
                // A node comes behind all that it depends on. Blocks before are there already.
                let mut open = vec![(wanted, false)];
                while let Some((number, ready)) = open.pop() {
                    let Some(known) = seen.get_mut(number) else {
                        continue;
                    };
                    if ready {
                        sequence.push(number);
                    } else if !*known {
                        *known = true;
                        open.push((number, true));
                        let waits = before.get(number).map_or(&[][..], Vec::as_slice);
                        open.extend(waits.iter().rev().map(|other| (*other, false)));
                    }
                }
            }
        }
        sequence
    }

    pub(super) fn set(
        &mut self,
        node: usize,
        operation: &Operation,
        cost: &OperationCost,
        calibration: &Calibration,
    ) {
        if let Some(node) = self.nodes.get_mut(node) {
            let lane = lane_of(operation.context);
            node.lane = Some(lane);
            node.holds = held_resources(operation, lane, cost);
            node.brings = brings(operation);
            // A pass that ends in the VRF holds the sub context while it stores.
            if let OperationKind::Pass(pass) = &operation.kind
                && lane == Lane::MAIN
                && matches!(pass.end, PassEnd::ToVrf { .. })
            {
                node.lead = ring_wait(pass, &calibration.pass);
            }
        }
    }

    /// The nodes of each lane follow each other as in the sequence.
    pub(super) fn keep_order(&mut self) {
        let mut last = [None; RESOURCES];
        for number in self.sequence.clone() {
            let lane = self.nodes.get(number).and_then(|node| node.lane);
            let Some(before) = lane.and_then(|lane| last.get_mut(lane.number())) else {
                continue;
            };
            if let Some(before) = before.replace(number) {
                self.depend(number, before, 0);
            }
        }
    }

    pub(super) fn depend(&mut self, node: usize, on: usize, extra: u64) {
        if node == on {
            return;
        }
        if let Some(before) = self.nodes.get_mut(on) {
            before.next.push((node, extra));
        }
        if let Some(node) = self.nodes.get_mut(node) {
            node.before += 1;
        }
    }

    /// What depends on a node that ends in this cycle starts no earlier.
    pub(super) fn hold_back(&self, node: usize, end: u64, ready: &mut [u64]) {
        let next = self.nodes.get(node).map_or(&[][..], |node| &node.next);
        for (next, extra) in next {
            if let Some(ready) = ready.get_mut(*next) {
                *ready = end.saturating_add(*extra).max(*ready);
            }
        }
    }

    /// A node that no operation stands for, behind another one.
    fn bring(&mut self, lane: Lane, cycles: u64, behind: Option<usize>) -> usize {
        let number = self.nodes.len();
        self.nodes.push(Node {
            lane: Some(lane),
            cycles,
            holds: vec![lane.number()],
            ..Node::default()
        });
        if let Some(behind) = behind {
            self.depend(number, behind, 0);
        }
        self.sequence.push(number);
        number
    }

    /// Joins writes, behind another join.
    pub(super) fn join(&mut self, before: Option<usize>, writes: Vec<(Wait, u64)>) -> usize {
        let node = self.nodes.len();
        self.nodes.push(Node::default());
        let known = before.and_then(|join| Some(self.joins.get(join)?.node));
        if let Some(known) = known {
            self.depend(node, known, 0);
        }
        for (wait, extra) in &writes {
            self.depend(node, wait.operation.0 as usize, *extra);
        }
        self.sequence.push(node);
        self.joins.push(Join {
            node,
            before,
            writes,
        });
        self.joins.len() - 1
    }

    pub(super) fn depend_on_join(&mut self, node: usize, join: usize) {
        if let Some(on) = self.joins.get(join).map(|join| join.node) {
            self.depend(node, on, 0);
        }
        if let Some(node) = self.nodes.get_mut(node) {
            node.joins.push(join);
        }
    }

    /// The tables that a pass brings along.
    pub(super) fn prepare(
        &mut self,
        operation: &Operation,
        node: usize,
        calibration: &Calibration,
        rings: &mut Rings,
    ) {
        let OperationKind::Pass(pass) = &operation.kind else {
            return;
        };
        let table = &calibration.pass;
        if lookups(pass) {
            let load = self.bring(Lane::TENSOR_DMA, table.lookup_transfer, None);
            // Both run beside the lookup before.
            let placed = self.bring(Lane::SUB, table.lookup_pass, Some(load));
            self.depend(node, placed, 0);
        }
        if let Some(ring) = custom_ring(pass) {
            let known = rings.iter().find(|(known, _)| *known == ring);
            let load = match known {
                Some((_, load)) => *load,
                None => {
                    let load = self.bring(Lane::TENSOR_DMA, table.ring_transfer, None);
                    rings.push((ring, load));
                    load
                }
            };
            self.depend(node, load, 0);
        }
    }
}

/// A custom ring, with the slices that it connects.
fn custom_ring(pass: &Pass) -> Option<(SwitchConfig, Option<Mapping>)> {
    pass.stages.iter().find_map(|stage| match &stage.kind {
        StageKind::Switch(config) => match config.get() {
            Some(config @ SwitchConfig::CustomBroadcast { .. }) => {
                Some((config.clone(), stage.output.slice.get().cloned()))
            }
            _ => None,
        },
        _ => None,
    })
}

/// Whether an operation does nothing but load a tensor, or store one in registers.
fn brings(operation: &Operation) -> bool {
    match &operation.kind {
        OperationKind::Copy(_) => operation.context != Context::Main,
        OperationKind::Pass(pass) => {
            matches!(pass.end, PassEnd::ToTrf { .. } | PassEnd::ToVrf { .. })
        }
        OperationKind::Collective(_) => false,
    }
}

/// What an operation occupies, its own lane first.
fn held_resources(operation: &Operation, lane: Lane, cost: &OperationCost) -> Vec<usize> {
    let mut holds = vec![lane.number()];
    if let OperationKind::Pass(pass) = &operation.kind {
        let vector = pass
            .stages
            .iter()
            .any(|stage| matches!(stage.kind, StageKind::VectorInit | StageKind::Cast));
        if lane == Lane::MAIN && matches!(pass.end, PassEnd::ToVrf { .. }) {
            holds.push(Lane::SUB.number());
        }
        if vector {
            holds.push(VECTOR);
        }
        // Of bank starvation the schedules say nothing: the book's rule holds. A custom ring has its transfer instead.
        if cost.holds_dma && custom_ring(pass).is_none() {
            holds.extend([Lane::TENSOR_DMA.number(), Lane::PCIE_DMA.number()]);
        }
    }
    holds
}
