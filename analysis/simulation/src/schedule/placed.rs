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
            if !placed.place_earliest(nodes, cycles, &mut ready, begin) {
                let tasks = tasks(graph, nodes, (&places, &ready), cycles, begin);
                let starts = starts(&tasks, passes);
                for ((node, task), start) in nodes.iter().zip(&tasks).zip(starts) {
                    let end = start.saturating_add(task.cycles);
                    placed.set(*node, start, end);
                    graph.hold_back(*node, end, &mut ready);
                }
            }
            for node in nodes {
                let end = placed.node_end(*node);
                if end > free && *node < graph.operations {
                    last = Some(*node);
                }
                free = free.max(end);
            }
            for node in nodes {
                if let Some(known) = places.get_mut(*node) {
                    *known = None;
                }
            }
        }
        placed
    }

    /// Places the nodes of a block as early as what they depend on allows, if nothing that two of them occupy is then in the way: no
    /// order of a search ends earlier, and each of them would find these places. Gives whether that is so.
    ///
    /// What it leaves in `ready` where something is in the way holds in any order.
    fn place_earliest(
        &mut self,
        nodes: &[usize],
        cycles: &[u64],
        ready: &mut [u64],
        begin: u64,
    ) -> bool {
        let graph = self.graph;
        let mut busy = [begin; RESOURCES];
        for &node in nodes {
            let taken = cycles.get(node).copied().unwrap_or(0);
            let start = ready.get(node).copied().unwrap_or(0).max(begin);
            let end = start.saturating_add(taken);
            let Some(known) = graph.nodes.get(node) else {
                continue;
            };
            // What takes no time is in nobody's way.
            for &held in known.holds.iter().filter(|_| taken > 0) {
                let from = start.saturating_add(known.lead_on(held).min(taken));
                if let Some(busy) = busy.get_mut(held) {
                    if from < *busy {
                        return false;
                    }
                    *busy = end;
                }
            }
            self.set(node, start, end);
            graph.hold_back(node, end, ready);
        }
        true
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

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use crate::lanes::Lane;

    use super::*;

    /// Nodes of random lanes that wait for random ones before them, in blocks.
    fn random_graph(random: &mut StdRng) -> Graph {
        let count = random.random_range(1..14);
        let mut graph = Graph::new(count);
        let density = random.random_range(0.0..0.8);
        for number in 0..count {
            if number == 0 || random.random_bool(0.15) {
                graph.begin_block(random.random_range(0..3));
            }
            let lane = Lane::VIRTUAL_ISA[random.random_range(0..Lane::VIRTUAL_ISA.len())];
            let mut holds = vec![lane.number()];
            for other in 0..RESOURCES {
                if other != lane.number() && random.random_bool(0.1) {
                    holds.push(other);
                }
            }
            let node = &mut graph.nodes[number];
            (node.lane, node.holds) = (Some(lane), holds);
            node.lead = random.random_range(0..3) * 8;
            graph.sequence.push(number);
            for earlier in 0..number {
                if random.random_bool(density) {
                    graph.depend(number, earlier, random.random_range(0..2) * 7);
                }
            }
        }
        if random.random_bool(0.5) {
            graph.keep_order();
        }
        graph
    }

    /// When everything runs if each block is searched, even where nothing is in the way.
    fn searched(graph: &Graph, cycles: &[u64], (first, turn): (u64, u64)) -> Vec<(u64, u64)> {
        let count = graph.nodes.len();
        let (mut ready, mut times) = (vec![0; count], vec![(0, 0); count]);
        let mut free = first;
        for (block, range) in graph.ranges() {
            let nodes = &graph.sequence[range];
            let begin = free + turn * block.turns;
            let mut places = vec![None; count];
            for (place, node) in (0..).zip(nodes) {
                places[*node] = Some(place);
            }
            let tasks = tasks(graph, nodes, (&places, &ready), cycles, begin);
            for (node, start) in nodes.iter().zip(starts(&tasks, search_passes(count))) {
                let end = start + cycles[*node];
                times[*node] = (start, end);
                free = free.max(end);
                graph.hold_back(*node, end, &mut ready);
            }
        }
        times
    }

    #[test]
    fn what_nothing_is_in_the_way_of_is_where_a_search_puts_it() {
        let mut random = StdRng::seed_from_u64(3);
        let (mut free, mut hindered) = (0, 0);
        for _ in 0..4_000 {
            let graph = random_graph(&mut random);
            let nodes = graph.nodes.len();
            let longest = random.random_range(1..40);
            let cycles: Vec<u64> = (0..nodes)
                .map(|_| random.random_range(0..longest))
                .collect();
            let (start, turn) = (random.random_range(0..100), random.random_range(0..50));
            let placed = Placed::of(&graph, &cycles, start, turn);
            let times: Vec<(u64, u64)> = placed
                .starts
                .iter()
                .copied()
                .zip(placed.ends.iter().copied())
                .collect();
            assert_eq!(times, searched(&graph, &cycles, (start, turn)));
            let mut empty = Placed {
                graph: &graph,
                starts: vec![0; nodes],
                ends: vec![0; nodes],
                begins: Vec::new(),
            };
            if empty.place_earliest(&graph.sequence, &cycles, &mut vec![0; nodes], start) {
                free += 1;
            } else {
                hindered += 1;
            }
        }
        assert!(free > 500 && hindered > 500, "{free}, {hindered}");
    }
}
