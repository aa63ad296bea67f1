//! Where each node of a block goes: the earliest gap on everything that it occupies, in an order of priority that is improved backward
//! and forward.
//!
//! Knows numbers only: cycles, what depends on what, and what is occupied. Nodes are placed in order of what remains behind them, without
//! their own cycles. A schedule is then pushed to its end, by ends, and back to its start, by starts, for some rounds; this is done for
//! three first orders, and the shortest of all counts. The work is bounded by a number of placements, so that the answer depends on the
//! kernel alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::graph::RESOURCES;
use crate::lanes::Lane;

/// Placements that a kernel is worth: twelve rounds of three orders for two hundred operations, fewer rounds for more.
const PLACEMENTS: usize = 15_000;

/// The sub context among the resources.
const SUB: usize = Lane::SUB.number();

/// Rounds of one order at most.
const ROUNDS: usize = 12;

/// Rounds that may bring nothing before an order is given up.
const PLATEAU: usize = 2;

/// A node of a block.
#[derive(Debug, Clone, Default)]
pub(super) struct Task {
    pub(super) cycles: u64,
    /// The first cycle in which it may start.
    pub(super) release: u64,
    /// What it occupies, a bit each.
    pub(super) holds: u8,
    /// Cycles at its beginning in which it does not occupy the sub context yet.
    pub(super) lead: u64,
    /// What it depends on, and the cycles between.
    pub(super) before: Vec<(u32, u64)>,
    /// What depends on it.
    pub(super) behind: Vec<(u32, u64)>,
}

/// The passes over all nodes that a kernel of so many is worth.
pub(super) const fn search_passes(nodes: usize) -> usize {
    let passes = PLACEMENTS / if nodes == 0 { 1 } else { nodes };
    if passes == 0 { 1 } else { passes }
}

/// The start of each task, in cycles: each is behind what it depends on, in the order of the list.
pub(super) fn starts(tasks: &[Task], passes: usize) -> Vec<u64> {
    let mut search = Search {
        tasks,
        busy: Default::default(),
    };
    let bound = search.bound();
    let mut best: Option<(u64, Vec<u64>)> = None;
    let mut left = passes;
    for (number, priority) in Priority::ALL.into_iter().enumerate() {
        if left == 0 {
            break;
        }
        // Each order has its share of what is left.
        let mut own = left.div_ceil(Priority::ALL.len() - number);
        left -= own;
        let order = search.order(priority);
        let mut found = search.forward(&order);
        own -= 1;
        let mut idle = 0;
        for _ in 0..ROUNDS {
            keep_better(&mut best, &found);
            if own < 2 || idle >= PLATEAU || best.as_ref().is_some_and(|(end, _)| *end <= bound) {
                break;
            }
            let next = search.improved(&found);
            own -= 2;
            if next.1 == found.1 {
                break;
            }
            idle = if next.0 < found.0 { 0 } else { idle + 1 };
            found = next;
        }
        keep_better(&mut best, &found);
        left += own;
        if best.as_ref().is_some_and(|(end, _)| *end <= bound) {
            break;
        }
    }
    best.map(|(_, starts)| starts).unwrap_or_default()
}

fn keep_better(best: &mut Option<(u64, Vec<u64>)>, found: &(u64, Vec<u64>)) {
    if best.as_ref().is_none_or(|(end, _)| found.0 < *end) {
        *best = Some(found.clone());
    }
}

/// What a first order goes by.
#[derive(Debug, Clone, Copy)]
enum Priority {
    /// What remains behind a task.
    Tail,
    /// The same with its own cycles.
    OwnAndTail,
    /// How early it could start.
    Depth,
}

impl Priority {
    const ALL: [Self; 3] = [Self::Tail, Self::OwnAndTail, Self::Depth];
}

struct Search<'a> {
    tasks: &'a [Task],
    /// For each resource when it is busy, in order and apart from each other.
    busy: [Vec<(u64, u64)>; RESOURCES],
}

impl<'a> Search<'a> {
    /// The longest way behind each task, without its own cycles.
    fn tails(&self) -> Vec<u64> {
        let mut tails = vec![0_u64; self.tasks.len()];
        for (number, task) in self.tasks.iter().enumerate().rev() {
            let behind = task.behind.iter().filter_map(|(next, extra)| {
                let next = *next as usize;
                let own = self.tasks.get(next)?.cycles;
                Some(own.saturating_add(*extra).saturating_add(*tails.get(next)?))
            });
            let tail = behind.max().unwrap_or(0);
            if let Some(known) = tails.get_mut(number) {
                *known = tail;
            }
        }
        tails
    }

    /// The first cycle in which each task could start if nothing were occupied.
    fn heads(&self) -> Vec<u64> {
        let mut heads = vec![0_u64; self.tasks.len()];
        for (number, task) in self.tasks.iter().enumerate() {
            let head = waits_end(self.tasks, &heads, &task.before).max(task.release);
            if let Some(known) = heads.get_mut(number) {
                *known = head;
            }
        }
        heads
    }

    /// No schedule ends before: the longest way, and what each resource has to do.
    fn bound(&self) -> u64 {
        let (heads, tails) = (self.heads(), self.tails());
        let ways = self.tasks.iter().zip(heads.iter().zip(&tails));
        let way =
            ways.map(|(task, (head, tail))| head.saturating_add(task.cycles).saturating_add(*tail));
        let mut bound = way.max().unwrap_or(0);
        for resource in 0..RESOURCES {
            let own = self.tasks.iter().zip(heads.iter().zip(&tails));
            let own = own.filter(|(task, _)| task.holds & (1 << resource) != 0);
            let (mut sum, mut head, mut tail) = (0_u64, u64::MAX, u64::MAX);
            for (task, (own_head, own_tail)) in own {
                let lead = if resource == SUB { task.lead } else { 0 };
                sum = sum.saturating_add(task.cycles.saturating_sub(lead));
                head = head.min(*own_head);
                tail = tail.min(*own_tail);
            }
            if sum > 0 {
                bound = bound.max(head.saturating_add(sum).saturating_add(tail));
            }
        }
        bound
    }

    /// All tasks, each behind what it depends on, else by priority; of equal ones the shorter first.
    fn order(&self, priority: Priority) -> Vec<u32> {
        let (heads, tails) = (self.heads(), self.tails());
        let key = |number: usize| {
            let cycles = self.tasks.get(number).map_or(0, |task| task.cycles);
            let (tail, head) = (
                tails.get(number).copied().unwrap_or(0),
                heads.get(number).copied().unwrap_or(0),
            );
            let first = match priority {
                Priority::Tail => tail,
                Priority::OwnAndTail => tail.saturating_add(cycles),
                Priority::Depth => u64::MAX - head,
            };
            (first, Reverse(cycles), Reverse(number))
        };
        let mut open: Vec<usize> = self.tasks.iter().map(|task| task.before.len()).collect();
        let free = (0..open.len()).filter(|number| open.get(*number) == Some(&0));
        let mut ready: BinaryHeap<_> = free.map(key).collect();
        let mut order = Vec::with_capacity(open.len());
        while let Some((.., Reverse(number))) = ready.pop() {
            order.extend(u32::try_from(number));
            let behind = self.tasks.get(number).map_or(&[][..], |task| &task.behind);
            for (next, _) in behind {
                let next = *next as usize;
                if let Some(open) = open.get_mut(next) {
                    *open -= 1;
                    if *open == 0 {
                        ready.push(key(next));
                    }
                }
            }
        }
        order
    }

    /// Places the tasks in an order from the first cycle on: the end of the last, and all starts.
    fn forward(&mut self, order: &[u32]) -> (u64, Vec<u64>) {
        self.place_tasks(order, false, |task| (task.release, &task.before))
    }

    /// The tasks pushed to the end, those that end last first, and back to the start, those that then start first first.
    fn improved(&mut self, (_, starts): &(u64, Vec<u64>)) -> (u64, Vec<u64>) {
        let tasks = self.tasks;
        let end = |number: u32, starts: &[u64]| {
            let number = number as usize;
            let start = starts.get(number).copied().unwrap_or(0);
            start.saturating_add(tasks.get(number).map_or(0, |task| task.cycles))
        };
        let mut order: Vec<u32> = (0..).take(tasks.len()).collect();
        order.sort_by_cached_key(|number| Reverse((end(*number, starts), *number)));
        // In time that runs backward a task starts where it ends.
        let (_, mirrored) = self.place_tasks(&order, true, |task| (0, &task.behind));
        order.sort_by_cached_key(|number| (Reverse(end(*number, &mirrored)), *number));
        self.forward(&order)
    }

    fn place_tasks(
        &mut self,
        order: &[u32],
        backward: bool,
        of: impl Fn(&'a Task) -> (u64, &'a [(u32, u64)]),
    ) -> (u64, Vec<u64>) {
        let tasks = self.tasks;
        for busy in &mut self.busy {
            busy.clear();
        }
        let mut starts = vec![0_u64; tasks.len()];
        let mut last = 0;
        for number in order {
            let number = *number as usize;
            let Some(task) = tasks.get(number) else {
                continue;
            };
            let (release, waits) = of(task);
            let ready = waits_end(tasks, &starts, waits).max(release);
            let start = self.occupied(task, ready, backward);
            if let Some(known) = starts.get_mut(number) {
                *known = start;
            }
            last = last.max(start.saturating_add(task.cycles));
        }
        (last, starts)
    }

    /// The first cycle from one on in which all that a task occupies is free for as long as it takes; occupies it.
    fn occupied(&mut self, task: &Task, ready: u64, backward: bool) -> u64 {
        if task.cycles == 0 {
            return ready;
        }
        // The cycles of a task in which it occupies something; in time that runs backward its lead comes last.
        let held = |resource: usize| {
            let lead = if resource == SUB {
                task.lead.min(task.cycles)
            } else {
                0
            };
            let from = if backward { 0 } else { lead };
            (task.holds & (1 << resource) != 0).then_some((from, task.cycles - lead))
        };
        let mut start = ready;
        loop {
            let before = start;
            for (resource, busy) in self.busy.iter().enumerate() {
                if let Some((from, cycles)) = held(resource) {
                    start = free_from(busy, start.saturating_add(from), cycles) - from;
                }
            }
            if start == before {
                break;
            }
        }
        for (resource, busy) in self.busy.iter_mut().enumerate() {
            if let Some((from, cycles)) = held(resource).filter(|(_, cycles)| *cycles > 0) {
                let begin = start.saturating_add(from);
                occupy(busy, begin, begin.saturating_add(cycles));
            }
        }
        start
    }
}

/// When those that a task waits for have ended.
fn waits_end(tasks: &[Task], starts: &[u64], waits: &[(u32, u64)]) -> u64 {
    waits.iter().fold(0, |ready, (other, extra)| {
        let other = *other as usize;
        let start = starts.get(other).copied().unwrap_or(0);
        let cycles = tasks.get(other).map_or(0, |task| task.cycles);
        ready.max(start.saturating_add(cycles).saturating_add(*extra))
    })
}

/// The first cycle from one on from which nothing is busy for so many.
fn free_from(busy: &[(u64, u64)], mut start: u64, cycles: u64) -> u64 {
    let from = busy.partition_point(|(_, end)| *end <= start);
    for (begin, end) in busy.iter().skip(from) {
        if *begin >= start.saturating_add(cycles) {
            break;
        }
        start = start.max(*end);
    }
    start
}

/// Adds cycles to those that are busy.
fn occupy(busy: &mut Vec<(u64, u64)>, start: u64, end: u64) {
    let at = busy.partition_point(|(begin, _)| *begin < start);
    let joins_next = busy.get(at).is_some_and(|(begin, _)| *begin == end);
    let next_end = busy.get(at).map_or(end, |(_, end)| *end);
    let before = at.checked_sub(1).and_then(|before| busy.get_mut(before));
    if let Some(before) = before.filter(|(_, until)| *until == start) {
        before.1 = if joins_next { next_end } else { end };
        if joins_next {
            busy.remove(at);
        }
    } else if let Some(next) = busy.get_mut(at).filter(|_| joins_next) {
        next.0 = start;
    } else {
        busy.insert(at, (start, end));
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{Rng, SeedableRng};

    use super::*;

    fn random_tasks(random: &mut StdRng, count: usize) -> Vec<Task> {
        let mut tasks: Vec<Task> = (0..count)
            .map(|_| Task {
                cycles: random.random_range(0..40),
                release: 100 + random.random_range(0..3) * 20,
                holds: 1 << random.random_range(0..3_u8) | u8::from(random.random_bool(0.2)),
                ..Task::default()
            })
            .collect();
        for later in 1..count {
            for earlier in 0..later {
                if random.random_bool(0.3) {
                    let extra = random.random_range(0..2) * 15;
                    tasks[later].before.push((earlier as u32, extra));
                    tasks[earlier].behind.push((later as u32, extra));
                }
            }
        }
        tasks
    }

    /// The end of the last task, if nothing overlaps that must not.
    fn end_of(tasks: &[Task], starts: &[u64]) -> u64 {
        let end = |number: usize| starts[number] + tasks[number].cycles;
        for (number, task) in tasks.iter().enumerate() {
            assert!(starts[number] >= task.release);
            for (other, extra) in &task.before {
                assert!(starts[number] >= end(*other as usize) + extra);
            }
            for other in 0..number {
                let apart = end(other) <= starts[number] || end(number) <= starts[other];
                let none = task.cycles == 0 || tasks[other].cycles == 0;
                assert!(apart || none || task.holds & tasks[other].holds == 0);
            }
        }
        (0..tasks.len()).map(end).max().unwrap_or(0)
    }

    /// The least end over all orders.
    fn least(tasks: &[Task], search: &mut Search<'_>, order: &mut Vec<u32>) -> u64 {
        if order.len() == tasks.len() {
            return search.forward(order).0;
        }
        let mut best = u64::MAX;
        for number in 0..tasks.len() as u32 {
            let before = &tasks[number as usize].before;
            let is_free = before.iter().all(|(other, _)| order.contains(other));
            if is_free && !order.contains(&number) {
                order.push(number);
                best = best.min(least(tasks, search, order));
                order.pop();
            }
        }
        best
    }

    #[test]
    fn nearly_all_small_blocks_are_as_short_as_in_the_best_of_all_orders() {
        let mut random = StdRng::seed_from_u64(11);
        let (mut best, all) = (0, 400);
        for _ in 0..all {
            let count = random.random_range(1..7);
            let tasks = random_tasks(&mut random, count);
            let found = end_of(&tasks, &starts(&tasks, search_passes(count)));
            let mut search = Search {
                tasks: &tasks,
                busy: Default::default(),
            };
            let bound = search.bound();
            let least = least(&tasks, &mut search, &mut Vec::new());
            assert!(bound <= least && least <= found, "{bound} {least} {found}");
            assert!(found * 10 <= least * 12, "{found} of {least}");
            best += usize::from(found == least);
        }
        assert!(best * 100 >= all * 97, "{best} of {all}");
    }

    #[test]
    fn blocks_of_any_size_are_scheduled_within_the_budget() {
        let mut random = StdRng::seed_from_u64(12);
        for count in [0, 1, 50, 300] {
            let tasks = random_tasks(&mut random, count);
            for budget in [1, 2, 3, 10, search_passes(count)] {
                let found = starts(&tasks, budget);
                assert_eq!(found.len(), count);
                end_of(&tasks, &found);
                assert_eq!(found, starts(&tasks, budget));
            }
        }
        assert_eq!(
            [
                search_passes(0),
                search_passes(200),
                search_passes(1_000),
                search_passes(100_000)
            ],
            [15_000, 75, 15, 1]
        );
    }

    #[test]
    fn a_task_leaves_the_sub_context_free_before_it_stores() {
        let both = 1 | 1 << SUB;
        let tasks = [
            Task {
                cycles: 100,
                holds: both,
                lead: 80,
                ..Task::default()
            },
            Task {
                cycles: 70,
                holds: 1 << SUB,
                ..Task::default()
            },
        ];
        assert_eq!(starts(&tasks, 10), [0, 0]);
        // Ten more would meet the twenty in which it stores.
        let longer = [
            tasks[0].clone(),
            Task {
                cycles: 90,
                ..tasks[1].clone()
            },
        ];
        let found = starts(&longer, 10);
        assert_eq!(found.iter().max(), Some(&10));
    }
}
