//! When each node runs, block by block, and what decides it.
//!
//! A block ends before the next one begins: nothing overlaps across a turn of a loop in the vendor's schedules. So blocks are searched one
//! after the other, and the search stays small however long a kernel is. A node of a later block still waits for nodes of earlier ones;
//! `ready` carries that over. The reason of a start is derived afterwards from the finished times and not kept during the search, which
//! tries many orders and would throw most reasons away.

use std::cmp::Reverse;

use crate::kernel::OperationId;

use super::graph::{Graph, Node, RESOURCES};
use super::search::{Task, search_passes, starts};
use super::{Slot, Wait, WaitCause};

/// A graph with the cycles of its nodes.
pub(super) struct Placed<'a> {
    graph: &'a Graph,
    pub(super) starts: Vec<u64>,
    pub(super) ends: Vec<u64>,
    /// For each node when its block may begin, and the operation that ends last before.
    begins: Vec<(u64, Option<usize>)>,
}

impl<'a> Placed<'a> {
    /// Places the blocks one after the other; `cycles` are those of the nodes.
    pub(super) fn of(graph: &'a Graph, cycles: &[u64], start: u64, turn: u64) -> Self {
        let count = graph.nodes.len();
        let mut placed = Self {
            graph,
            starts: vec![0; count],
            ends: vec![0; count],
            begins: vec![(start, None); count],
        };
        let passes = search_passes(count);
        // What a node of another block has to wait for, and its place among those of its own.
        let mut ready = vec![0_u64; count];
        let mut places = vec![None; count];
        let (mut free, mut last) = (start, None);
        for (block, range) in graph.ranges() {
            let nodes = graph.sequence.get(range).unwrap_or_default();
            let begin = free.saturating_add(turn.saturating_mul(block.turns));
            for (place, node) in (0_u32..).zip(nodes) {
                if let Some(known) = places.get_mut(*node) {
                    *known = Some(place);
                }
                if let Some(known) = placed.begins.get_mut(*node) {
                    *known = (begin, last);
                }
            }
            let tasks = tasks(graph, nodes, (&places, &ready), cycles, begin);
            let starts = starts(&tasks, passes);
            for ((node, task), start) in nodes.iter().zip(&tasks).zip(starts) {
                let end = start.saturating_add(task.cycles);
                placed.set(*node, start, end);
                if end > free && *node < graph.operations {
                    last = Some(*node);
                }
                free = free.max(end);
                let next = graph.nodes.get(*node).map_or(&[][..], |node| &node.next);
                for (next, extra) in next {
                    if let Some(ready) = ready.get_mut(*next) {
                        *ready = end.saturating_add(*extra).max(*ready);
                    }
                }
            }
            for node in nodes {
                if let Some(known) = places.get_mut(*node) {
                    *known = None;
                }
            }
        }
        placed
    }

    fn set(&mut self, node: usize, start: u64, end: u64) {
        if let Some((known_start, known_end)) =
            self.starts.get_mut(node).zip(self.ends.get_mut(node))
        {
            (*known_start, *known_end) = (start, end);
        }
    }

    /// The end of the last operation.
    pub(super) fn last_end(&self) -> u64 {
        let ends = self.ends.iter().take(self.graph.operations);
        ends.copied().max().unwrap_or(0)
    }

    fn start(&self, node: usize) -> u64 {
        self.starts.get(node).copied().unwrap_or(0)
    }

    fn node_end(&self, node: usize) -> u64 {
        self.ends.get(node).copied().unwrap_or(0)
    }

    /// The slots of the operations. `waits` is what each of them waits for, with the cycles that pass between.
    pub(super) fn slots(&self, waits: Vec<Vec<(Wait, u64)>>) -> Vec<Slot> {
        let mut occupied: [Vec<(u64, usize)>; RESOURCES] = Default::default();
        for (number, node) in self.graph.nodes.iter().enumerate() {
            for held in &node.holds {
                if let Some(occupied) = occupied.get_mut(*held) {
                    occupied.push((self.start(number), number));
                }
            }
        }
        for occupied in &mut occupied {
            occupied.sort_by_key(|(start, node)| (*start, self.node_end(*node), *node));
        }
        let mut slots = Vec::with_capacity(waits.len());
        for (number, waits) in waits.into_iter().enumerate() {
            slots.extend(self.operation_slot(number, waits, &occupied));
        }
        slots
    }

    /// The slot of an operation, with what decides its start.
    fn operation_slot(
        &self,
        number: usize,
        mut waits: Vec<(Wait, u64)>,
        occupied: &[Vec<(u64, usize)>; RESOURCES],
    ) -> Option<Slot> {
        let node = self.graph.nodes.get(number)?;
        let lane = node.lane?;
        let (start, end) = (self.start(number), self.node_end(number));
        // Who occupied something last.
        let before = |held: usize| {
            let all = occupied.get(held)?;
            let behind =
                all.partition_point(|(begin, of)| (*begin, self.node_end(*of)) < (start, end));
            let earlier = all.get(..behind)?.iter().rev();
            let mut earlier =
                earlier.filter(|(_, of)| *of != number && self.node_end(*of) <= start);
            earlier.next().map(|(_, of)| *of)
        };
        let free = before(lane.number()).map_or(0, |of| self.node_end(of));
        waits.extend(self.joined_waits(node, (free, start)));
        for held in &node.holds {
            // What operations bring along has no slot.
            let Some(before) = before(*held).filter(|of| *of < self.graph.operations) else {
                continue;
            };
            let cause = if *held == lane.number() {
                WaitCause::Context
            } else {
                WaitCause::Held
            };
            add(&mut waits, before, cause);
        }
        if let Some((begin, Some(last))) = self.begins.get(number).copied()
            && begin == start
        {
            waits.retain(|(wait, _)| wait.operation.0 as usize != last);
            add(&mut waits, last, WaitCause::Turn);
        }
        let end_of = |(wait, extra): &(Wait, u64)| match wait.cause {
            // Between the two is the turn.
            WaitCause::Turn => start,
            _ => self
                .node_end(wait.operation.0 as usize)
                .saturating_add(*extra),
        };
        waits.retain(|wait| end_of(wait) > free || end_of(wait) == start);
        waits.sort_by_key(|wait| (Reverse(end_of(wait)), wait.0.cause, wait.0.operation));
        waits.dedup_by_key(|(wait, _)| wait.operation);
        Some(Slot {
            operation: OperationId(u32::try_from(number).ok()?),
            lane,
            start,
            end,
            waits: waits.into_iter().map(|(wait, _)| wait).collect(),
        })
    }

    /// The joined writes that a node waits for, and that may have ended behind `free` or at `start`. A join ends with the last of
    /// its own writes and of those before it, so that none of these is later.
    fn joined_waits(&self, node: &Node, (free, start): (u64, u64)) -> Vec<(Wait, u64)> {
        let mut found = Vec::new();
        for join in &node.joins {
            let mut next = self.graph.joins.get(*join);
            while let Some(join) = next {
                let end = self.node_end(join.node);
                if end <= free && end != start {
                    break;
                }
                found.extend(join.writes.iter().cloned());
                next = join.before.and_then(|before| self.graph.joins.get(before));
            }
        }
        found
    }
}

/// A wait for an operation that is not waited for already.
fn add(waits: &mut Vec<(Wait, u64)>, operation: usize, cause: WaitCause) {
    let Some(operation) = u32::try_from(operation).ok().map(OperationId) else {
        return;
    };
    if waits.iter().any(|(wait, _)| wait.operation == operation) {
        return;
    }
    let wait = Wait {
        operation,
        cause,
        allocation: None,
    };
    waits.push((wait, 0));
}

/// The nodes of a block for the search. `places` are their places among each other, `ready` when others let them begin.
fn tasks(
    graph: &Graph,
    nodes: &[usize],
    (places, ready): (&[Option<u32>], &[u64]),
    cycles: &[u64],
    begin: u64,
) -> Vec<Task> {
    let mut tasks: Vec<Task> = nodes
        .iter()
        .map(|node| Task {
            cycles: cycles.get(*node).copied().unwrap_or(0),
            release: ready.get(*node).copied().unwrap_or(0).max(begin),
            lead: graph.nodes.get(*node).map_or(0, |node| node.lead),
            holds: graph.nodes.get(*node).map_or(0, |node| {
                let held = node.holds.iter();
                held.fold(0, |all, held| all | 1_u8 << held)
            }),
            ..Task::default()
        })
        .collect();
    for (place, node) in (0_u32..).zip(nodes) {
        let next = graph.nodes.get(*node).map_or(&[][..], |node| &node.next);
        for (next, extra) in next {
            let Some(next) = places.get(*next).copied().flatten() else {
                continue;
            };
            if let Some(task) = tasks.get_mut(next as usize) {
                task.before.push((place, *extra));
            }
            if let Some(task) = tasks.get_mut(place as usize) {
                task.behind.push((next, *extra));
            }
        }
    }
    tasks
}
