//! Kernels whose loops are not unrolled to their end: what each run of such a loop takes, and between which totals the kernel is where
//! the number of runs is known.
//!
//! The schedule holds some runs of each loop. At best every further run overlaps with the others as far as the contexts allow, so
//! that it takes what its busiest context does; at worst it begins when the one before it has ended, and takes all of its
//! operations one after another and what they all wait, as in the schedule.

use rustc_hash::FxHashMap;

use crate::derivation::conventions::Conventions;
use crate::items::Span;
use crate::kernel::{Body, LoopFrame, OperationId, UnresolvedReason};
use crate::lanes::Lane;

use super::{BodySimulation, model_calibration};

/// What the runs of a loop take that are not in the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopRuns {
    /// The loop's keyword.
    pub span: Span,
    /// Runs in the schedule, each time that the loop is reached.
    pub scheduled: u64,
    /// How often it runs, if that is known.
    pub runs: Option<u64>,
    /// The fewest cycles of a further run.
    pub best: u64,
    /// The most.
    pub worst: u64,
}

/// A kernel with the runs of its loops that are in the schedule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Runs {
    /// Cycles with the scheduled runs alone.
    pub scheduled: u64,
    /// The fewest and the most cycles of all runs; `None` where a loop's are not known.
    pub between: Option<(u64, u64)>,
    /// The loops, in program order.
    pub loops: Vec<LoopRuns>,
}

/// A loop with the fewest cycles of each context in a run.
struct Found {
    runs: LoopRuns,
    lanes: [u64; Lane::VIRTUAL_ISA.len()],
    first: OperationId,
}

/// One run of a loop, by where it is reached and its number.
type Run<'a> = (Span, &'a [Span], Vec<(Span, u64)>, u64);

/// A body whose loops alone are in the way of a total; `None` for any other.
pub fn body_runs(body: &Body, simulation: &BodySimulation) -> Option<Runs> {
    let cut =
        |span: &Span| body.shortened_loops.contains(span) || body.unbounded_loops.contains(span);
    let scheduled = simulation.schedule.total?;
    if !only_loops_are_open(body, simulation) {
        return None;
    }
    let mut found: FxHashMap<Run<'_>, Vec<OperationId>> = FxHashMap::default();
    let mut counts: FxHashMap<Span, Option<u64>> = FxHashMap::default();
    for operation in &body.operations {
        let mut frames = operation.loops.iter().enumerate();
        let Some((depth, frame)) = frames.find(|(_, frame)| cut(&frame.span)) else {
            continue;
        };
        // Of a loop in a loop neither's runs are all alike.
        if frames.any(|(_, frame)| cut(&frame.span)) {
            return None;
        }
        let outer = operation.loops.get(..depth)?.iter();
        let outer = outer.map(
            |LoopFrame {
                 span, iteration, ..
             }| (*span, *iteration),
        );
        // The calls by which the loop is reached: what is called in it begins with a call in the loop's own function.
        let inside = (operation.calls.iter()).position(|call| call.item == frame.span.item);
        let reached_by = inside.map_or(operation.calls.as_slice(), |inside| {
            operation.calls.split_at(inside).0
        });
        let run = (
            frame.span,
            reached_by,
            outer.collect::<Vec<_>>(),
            frame.iteration,
        );
        found.entry(run).or_default().push(operation.id);
        counts.insert(frame.span, frame.count);
    }
    let mut loops: Vec<Found> = Vec::new();
    let mut reached: FxHashMap<Span, u64> = FxHashMap::default();
    let mut in_schedule: FxHashMap<Span, u64> = FxHashMap::default();
    for ((span, _, _, iteration), operations) in &found {
        *in_schedule.entry(*span).or_default() += 1;
        *reached.entry(*span).or_default() += u64::from(*iteration == 0);
        let (lanes, worst) = of_run(simulation, operations)?;
        let first = *operations.first()?;
        match loops.iter_mut().find(|one| one.runs.span == *span) {
            Some(known) => {
                for (least, other) in known.lanes.iter_mut().zip(lanes) {
                    *least = (*least).min(other);
                }
                known.runs.worst = known.runs.worst.max(worst);
                known.first = known.first.min(first);
            }
            None => loops.push(Found {
                runs: LoopRuns {
                    span: *span,
                    scheduled: 0,
                    runs: counts.get(span).copied().flatten(),
                    best: 0,
                    worst,
                },
                lanes,
                first,
            }),
        }
    }
    if loops.is_empty() {
        return None;
    }
    let keeps_order = Conventions::of(body.dialect).keeps_order_of_transfers();
    let turn = model_calibration(body, simulation.model).filter(|_| !keeps_order);
    let turn = turn.map_or(0, |id| id.table().kernel.turn);
    for Found { runs, .. } in &mut loops {
        runs.worst = runs.worst.saturating_add(turn);
    }
    loops.sort_by_key(|one| one.first);
    let mut busy = Lane::VIRTUAL_ISA.map(|lane| simulation.schedule.busy(lane));
    let mut high = Some(scheduled);
    for Found { runs, lanes, .. } in &mut loops {
        let times = reached.get(&runs.span).copied().unwrap_or(0).max(1);
        runs.scheduled = in_schedule.get(&runs.span).copied().unwrap_or(0) / times;
        runs.best = lanes.iter().copied().max().unwrap_or(0);
        let further = runs.runs.and_then(|all| {
            let further = all.saturating_sub(runs.scheduled);
            further.checked_mul(times)
        });
        high = high.zip(further).and_then(|(high, further)| {
            for (busy, lane) in busy.iter_mut().zip(lanes.iter()) {
                *busy = busy.saturating_add(lane.saturating_mul(further));
            }
            high.checked_add(further.checked_mul(runs.worst)?)
        });
    }
    let low = busy.into_iter().max().unwrap_or(0).max(scheduled);
    Some(Runs {
        scheduled,
        between: high.map(|high| (low.min(high), high)),
        loops: loops.into_iter().map(|one| one.runs).collect(),
    })
}

/// Whether every operation has its cycles and place, and only loops keep the kernel from a total.
fn only_loops_are_open(body: &Body, simulation: &BodySimulation) -> bool {
    let of_loops = |reason: &UnresolvedReason| {
        matches!(
            reason,
            UnresolvedReason::LongLoop(_) | UnresolvedReason::UnboundedLoop
        )
    };
    let unresolved = body.unresolved.iter();
    let mut others = unresolved.filter(|one| !of_loops(&one.reason));
    let loops = body.shortened_loops.iter().chain(&body.unbounded_loops);
    let unresolved = body.unresolved.iter();
    let open = loops.chain(unresolved.map(|one| &one.span));
    let open: Vec<&Span> = open.collect();
    others.next().is_none()
        && !simulation.gaps.is_empty()
        && simulation.gaps.iter().all(|gap| open.contains(&&gap.span))
}

/// The cycles of each context in a run, and the most that the run takes.
fn of_run(
    simulation: &BodySimulation,
    operations: &[OperationId],
) -> Option<([u64; Lane::VIRTUAL_ISA.len()], u64)> {
    let slots = operations.iter().map(|id| simulation.schedule.slot(*id));
    let slots = slots.collect::<Option<Vec<_>>>()?;
    let lanes = Lane::VIRTUAL_ISA.map(|lane| {
        let own = slots.iter().filter(|slot| slot.lane == lane);
        own.fold(0_u64, |sum, slot| sum.saturating_add(slot.cycles()))
    });
    let sum = lanes.into_iter().fold(0_u64, u64::saturating_add);
    let first = slots.iter().map(|slot| slot.start).min()?;
    let last = slots.iter().map(|slot| slot.end).max()?;
    // What it waits for others is no part of it; what everything waits for is.
    Some((
        lanes,
        sum.saturating_add(idle_cycles(simulation, first, last)),
    ))
}

/// Cycles between two in which nothing runs.
fn idle_cycles(simulation: &BodySimulation, from: u64, to: u64) -> u64 {
    let slots = simulation.schedule.slots.iter();
    let mut busy: Vec<(u64, u64)> = slots.map(|slot| (slot.start, slot.end)).collect();
    busy.sort_unstable();
    let (mut at, mut idle) = (from, 0_u64);
    for (start, end) in busy {
        let start = start.min(to);
        idle = idle.saturating_add(start.saturating_sub(at));
        at = at.max(end.min(to));
    }
    idle.saturating_add(to.saturating_sub(at))
}
