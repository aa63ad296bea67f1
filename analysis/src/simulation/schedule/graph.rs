//! What operations of a body depend on and occupy, with what they bring along that no source names: the tables of lookups and of custom
//! rings, and joins of many writes that one operation waits for.

use crate::hardware::calibration::Calibration;
use crate::kernel::{Operation, OperationKind, Pass, PassEnd, StageKind, SwitchConfig};
use crate::lanes::Lane;
use crate::mapping::Mapping;

use super::super::OperationCost;
use super::super::calibrated::lookups;
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
    /// What depends on it, and the cycles that pass between.
    pub(super) next: Vec<(usize, u64)>,
    /// What it depends on.
    pub(super) before: usize,
    /// The joins among that, by their numbers.
    pub(super) joins: Vec<usize>,
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
}

impl Graph {
    pub(super) fn new(operations: usize) -> Self {
        Self {
            nodes: vec![Node::default(); operations],
            operations,
            sequence: Vec::with_capacity(operations),
            joins: Vec::new(),
        }
    }

    pub(super) fn set(&mut self, node: usize, operation: &Operation, cost: &OperationCost) {
        if let Some(node) = self.nodes.get_mut(node) {
            let lane = lane_of(operation.context);
            node.lane = Some(lane);
            node.holds = held(operation, lane, cost);
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

    /// A node that no operation stands for, behind another one.
    /// It occupies `lane` and the others.
    fn bring(&mut self, lane: Lane, cycles: u64, others: &[Lane], behind: Option<usize>) -> usize {
        let number = self.nodes.len();
        let holds = std::iter::once(lane).chain(others.iter().copied());
        self.nodes.push(Node {
            lane: Some(lane),
            cycles,
            holds: holds.map(Lane::number).collect(),
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
            let load = self.bring(Lane::TENSOR_DMA, table.lookup_transfer, &[], None);
            // It waits for the running pass of the main context.
            let placed = self.bring(Lane::SUB, table.lookup_pass, &[Lane::MAIN], Some(load));
            self.depend(node, placed, 0);
        }
        if let Some(ring) = custom_ring(pass) {
            let known = rings.iter().find(|(known, _)| *known == ring);
            let load = match known {
                Some((_, load)) => *load,
                None => {
                    let load = self.bring(Lane::TENSOR_DMA, table.ring_transfer, &[], None);
                    rings.push((ring, load));
                    load
                }
            };
            self.depend(node, load, 0);
        }
    }

    /// For each node the cycles from its start to the end of the last operation that depends on it.
    pub(super) fn weights(&self, cycles: &[u64]) -> Vec<u64> {
        let mut weights = vec![0; self.nodes.len()];
        for number in self.sequence.iter().rev() {
            let Some((node, own)) = self.nodes.get(*number).zip(cycles.get(*number)) else {
                continue;
            };
            let behind = node.next.iter().filter_map(|(next, extra)| {
                let weight: &u64 = weights.get(*next)?;
                Some(weight.saturating_add(*extra))
            });
            let weight = own.saturating_add(behind.max().unwrap_or(0));
            if let Some(known) = weights.get_mut(*number) {
                *known = weight;
            }
        }
        weights
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

/// What an operation occupies, its own lane first.
fn held(operation: &Operation, lane: Lane, cost: &OperationCost) -> Vec<usize> {
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
