//! Passes that commit over the bytes they read, in another order than they read them.
//!
//! A pass that writes each packet where it was read works in place. Where the element orders the packets differently, a
//! packet is written over bytes that a later step still has to read. Judged by the two sequencers: some written packet,
//! tried at the ends and in the middle of every loop, is on bytes that are read in a later step. In a pass that keeps the
//! order of its stream (fetch, collect, the Vector Engine without reductions, cast) that proves it. Reductions, the Switch
//! Engine and the Transpose Engine hold a packet back until all that belongs to it was read, for how long is not known
//! exactly: there a packet can be written too early, from the last step on that it surely waits for. Tiles, padded
//! iterations, loops that overlap, filtered streams and contractions, whose accumulator chooses the order, are not judged.

use crate::items::Span;
use crate::kernel::catalogue::Packets;
use crate::kernel::{
    Body, Operation, OperationId, OperationKind, Origin, Pass, PassEnd, PassSource, StageKind,
    TensorId,
};
use crate::mapping::{Atom, Form, Mapping};

use super::super::sequencer::{SequenceRequest, SequencerMode, sequence_report};
use super::super::{commit, fetch, forms};
use super::MemoryViolation;
use super::allocations::Allocation;

/// A commit over bytes that the same pass has yet to read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InPlaceCommit {
    /// The pass.
    pub operation: OperationId,
    /// What it reads.
    pub source: TensorId,
    /// What it writes.
    pub target: TensorId,
    /// The step of the stream, from 0, whose packet is written.
    pub written_at: u64,
    /// The later step that reads those bytes.
    pub read_at: u64,
    /// The byte, in the slice.
    pub byte: u64,
    /// Whether the packet is surely written before the later step reads; else that is possible.
    pub proven: bool,
    /// The commit's address, or its method where it writes into a view.
    pub span: Span,
    /// Where the pass begins.
    pub begins: Span,
}

/// The commits in place of some operations, those left out that overwrite what a later operation reads.
pub(super) fn of_operations(
    body: &Body,
    allocations: &[Allocation],
    violations: &[MemoryViolation],
    operations: &[&Operation],
) -> Vec<InPlaceCommit> {
    let operations = operations.iter();
    operations
        .filter_map(|operation| of_operation(body, allocations, violations, operation))
        .collect()
}

/// The commit in place of one operation.
pub(super) fn of_operation(
    body: &Body,
    allocations: &[Allocation],
    violations: &[MemoryViolation],
    operation: &Operation,
) -> Option<InPlaceCommit> {
    let OperationKind::Pass(pass) = &operation.kind else {
        return None;
    };
    let overlaps = |source: TensorId, target: TensorId| {
        violations.iter().any(|violation| match violation {
            MemoryViolation::Conflict {
                needed, written, ..
            } => needed.tensor == source && written.tensor == target,
            MemoryViolation::Sum(_) => false,
        })
    };
    judge_commit_in_place(body, allocations, operation, pass)
        .filter(|found| !overlaps(found.source, found.target))
}

fn judge_commit_in_place(
    body: &Body,
    allocations: &[Allocation],
    operation: &Operation,
    pass: &Pass,
) -> Option<InPlaceCommit> {
    let PassSource::Tensor(read) = pass.source else {
        return None;
    };
    let (written, method, view) = match &pass.end {
        PassEnd::Commit { target, span } => (*target, *span, false),
        PassEnd::CommitView { target, span } => (*target, *span, true),
        _ => return None,
    };
    let order = Order::of(pass)?;
    let (source, target) = (
        fully_viewed_tensor(body, read)?,
        fully_viewed_tensor(body, written)?,
    );
    let range = |id: TensorId| {
        // Allocations are in the order of their tensors.
        let at = allocations.binary_search_by_key(&id, |allocation| allocation.tensor);
        allocations.get(at.ok()?)?.range
    };
    let (from, to) = (range(source)?, range(target)?);
    if from.1 <= to.0 || to.1 <= from.0 {
        return None;
    }
    let bits = |byte: u64| i128::from(byte).checked_mul(8);
    let distance = bits(to.0)?.checked_sub(bits(from.0)?)?;
    let reads = fetch::fetch_request(body, pass, 0)?;
    let writes = commit::commit_request(body, pass, written, body.tensor(written)?)?;
    let reader = Walk::of(&reads)?;
    let writer = Walk::of(&writes)?;
    let release = Release::of(order, pass, &reader, &writer)?;
    let (written_at, read_at, at) = writer.samples().into_iter().find_map(|step| {
        let position = writer.position(step)?;
        let at = distance.checked_add(position.checked_mul(writer.element_bits)?)?;
        let read_at = reader.last_step(at.checked_div_euclid(reader.element_bits)?)?;
        let written_at = release.of_step(step);
        (read_at > written_at).then_some((written_at, read_at, at))
    })?;
    Some(InPlaceCommit {
        operation: operation.id,
        source,
        target,
        written_at,
        read_at,
        byte: from.0.checked_add(u64::try_from(at / 8).ok()?)?,
        proven: order == Order::Kept,
        span: if view {
            method
        } else {
            body.tensor(written)?.address.span
        },
        begins: operation.span,
    })
}

/// What becomes of the order in which packets are fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    /// They leave in it.
    Kept,
    /// Some wait for others.
    Held,
}

impl Order {
    /// `None` where nothing can be said of it.
    fn of(pass: &Pass) -> Option<Self> {
        let mut stages = pass.stages.iter().map(|stage| &stage.kind);
        if !matches!(stages.next(), Some(StageKind::Fetch { .. })) {
            return None;
        }
        stages.try_fold(Self::Kept, |order, kind| {
            match kind.canonical().row().packets {
                Packets::Kept => Some(order),
                Packets::Held => Some(Self::Held),
                Packets::Remade => None,
            }
        })
    }
}

/// From which step of the fetch on a packet can be written.
enum Release {
    /// A fetched packet leaves as that many flits, one behind the other.
    InOrder { flits: u64 },
    /// A packet waits for the steps that belong to it.
    Held {
        /// Digits of the written iterations that the fetch has too: steps between two values of each, their number, and
        /// steps of the fetch between two of them.
        shared: Vec<(u64, u64, u64)>,
        /// What the other digits of the fetch add: a packet waits for all of their values.
        others: u64,
    },
}

impl Release {
    fn of(order: Order, pass: &Pass, reader: &Walk, writer: &Walk) -> Option<Self> {
        if order == Order::Kept {
            let steps = reader.steps.max(1);
            let flits = writer.steps / steps;
            return (writer.steps.is_multiple_of(steps)).then_some(Self::InOrder { flits });
        }
        let fetched = pass.stages.first()?.output.time.get()?;
        let (written, slice) = (pass.output().time.get()?, pass.output().slice.get()?);
        if [fetched, written, slice]
            .into_iter()
            .any(Mapping::is_opaque)
        {
            return None;
        }
        let (fetched, written) = (fetched.form(), written.form());
        if forms::may_share_ragged(fetched, written) || forms::may_share_ragged(written, fetched) {
            return None;
        }
        let division = forms::divide_relaxed(fetched, written);
        let shared = division
            .matches
            .iter()
            .map(|found| (found.divisor_stride, found.count, found.dividend_stride))
            .collect();
        let rest = division.dividend_residue.terms_with_stride();
        let others = rest.iter().try_fold(0_u64, |sum, placed| {
            // A digit that goes to the slices is there one value a slice: not every slice waits for all of them.
            let moved = match &placed.term.atom {
                Atom::Axis(axis) | Atom::PaddedRun(axis) => slice.form().contains_axis(axis.name()),
                Atom::Composite(_) | Atom::Broadcast => true,
            };
            if moved {
                return Some(sum);
            }
            sum.checked_add(
                placed
                    .live
                    .checked_sub(1)?
                    .checked_mul(placed.buffer_stride)?,
            )
        })?;
        Some(Self::Held { shared, others })
    }

    /// The step of the fetch after which a written step can come at the earliest.
    fn of_step(&self, step: u64) -> u64 {
        match self {
            Self::InOrder { flits } => step / (*flits).max(1),
            Self::Held { shared, others } => shared.iter().fold(*others, |sum, digit| {
                let (stride, count, fetched) = *digit;
                let value = step / stride.max(1) % count.max(1);
                sum.saturating_add(value.saturating_mul(fetched))
            }),
        }
    }
}

/// The tensor that a view without tiles shows all of.
fn fully_viewed_tensor(body: &Body, mut id: TensorId) -> Option<TensorId> {
    for _ in 0..=body.tensors.len() {
        match &body.tensor(id)?.origin {
            Origin::View { of, tile: None } => id = *of,
            Origin::View { .. } | Origin::Resized { .. } | Origin::Reshape { .. } => return None,
            Origin::Parameter | Origin::FromAddress | Origin::New | Origin::Operation(_) => {
                return Some(id);
            }
        }
    }
    None
}

/// A loop: iterations, and elements between two of them.
#[derive(Debug, Clone, Copy)]
struct Loop {
    size: u64,
    stride: i128,
}

/// How a sequencer walks its buffer, a step a packet.
struct Walk {
    /// Loops over steps, outermost first.
    time: Vec<Loop>,
    /// Loops over the elements of a packet.
    packet: Vec<Loop>,
    /// Steps altogether.
    steps: u64,
    element_bits: i128,
}

impl Walk {
    /// `None` where the iterations have padding, or a stride is not known.
    fn of(request: &SequenceRequest) -> Option<Self> {
        let time = request.time.form();
        if time.digits().iter().any(|digit| digit.extent != digit.live) {
            return None;
        }
        let packet = request.packet.form().remove_padding();
        let walk = Self {
            time: part_loops(request, time)?,
            packet: part_loops(request, &packet)?,
            steps: time.size(),
            element_bits: i128::from(request.element_type.bits()),
        };
        let steps = walk
            .time
            .iter()
            .try_fold(1_u64, |steps, entry| steps.checked_mul(entry.size))?;
        (steps == walk.steps).then_some(walk)
    }

    /// Steps at the beginning, in the middle and at the end of each loop, the others at their beginning or at their end.
    fn samples(&self) -> Vec<u64> {
        let last = self.steps.saturating_sub(1);
        let mut samples = vec![0, last];
        let mut inner = self.steps;
        for entry in &self.time {
            inner /= entry.size.max(1);
            for index in [1, entry.size / 2, entry.size - 1] {
                let step = inner.saturating_mul(index);
                samples.push(step.min(last));
                samples.push(last.saturating_sub(step));
            }
        }
        samples.sort_unstable();
        samples.dedup();
        samples
    }

    /// The element that a step's packet starts at.
    fn position(&self, step: u64) -> Option<i128> {
        let mut rest = step;
        self.time.iter().rev().try_fold(0_i128, |position, entry| {
            let index = rest % entry.size;
            rest /= entry.size;
            position.checked_add(entry.stride.checked_mul(i128::from(index))?)
        })
    }

    /// The last step that touches an element; `None` if none does, or the loops touch elements several ways.
    fn last_step(&self, element: i128) -> Option<u64> {
        let mut weight = 1_u64;
        let mut step = 0_u64;
        // The loops with what an iteration of each counts in steps.
        let mut walked: Vec<(Loop, u64)> = self.packet.iter().map(|entry| (*entry, 0)).collect();
        for entry in self.time.iter().rev() {
            if entry.stride == 0 {
                // What is repeated is read in the last repetition too.
                step = step.checked_add(weight.checked_mul(entry.size - 1)?)?;
            } else {
                walked.push((*entry, weight));
            }
            weight = weight.checked_mul(entry.size)?;
        }
        walked.retain(|(entry, _)| entry.stride != 0);
        walked.sort_by_key(|(entry, _)| entry.stride);
        let mut reach = 0_i128;
        for (entry, _) in &walked {
            if entry.stride <= reach {
                return None;
            }
            let far = entry.stride.checked_mul(i128::from(entry.size) - 1)?;
            reach = reach.checked_add(far)?;
        }
        let mut rest = element;
        for (entry, weight) in walked.iter().rev() {
            let index = rest
                .checked_div_euclid(entry.stride)?
                .clamp(0, i128::from(entry.size) - 1);
            rest = rest.checked_sub(entry.stride.checked_mul(index)?)?;
            step = step.checked_add(weight.checked_mul(u64::try_from(index).ok()?)?)?;
        }
        (rest == 0).then_some(step)
    }
}

/// The loops of a part of a request's stream.
fn part_loops(request: &SequenceRequest, part: &Form) -> Option<Vec<Loop>> {
    let part = SequenceRequest {
        time: part.to_mapping(),
        packet: Mapping::identity(),
        mode: SequencerMode::Fetch,
        ..request.clone()
    };
    let entries = sequence_report(&part).entries;
    let known = entries.iter().map(|entry| {
        Some(Loop {
            size: entry.size,
            stride: entry.stride.filter(|stride| *stride >= 0)?,
        })
    });
    known.collect()
}

#[cfg(test)]
mod tests {
    use super::{Loop, Walk};

    /// Every element that each step touches, by walking all loops.
    fn touched(walk: &Walk) -> Vec<(u64, i128)> {
        let mut touched = Vec::new();
        for step in 0..walk.steps {
            let start = walk.position(step).expect("a position");
            let inside: u64 = walk.packet.iter().map(|entry| entry.size).product();
            for number in 0..inside {
                let mut rest = number;
                let mut element = start;
                for entry in walk.packet.iter().rev() {
                    element += entry.stride * i128::from(rest % entry.size);
                    rest /= entry.size;
                }
                touched.push((step, element));
            }
        }
        touched
    }

    /// A small walk: loops over the digits of a buffer in some order, some of them repeated without a step.
    fn random_walk(seed: &mut u64) -> Walk {
        let mut next = |below: u64| {
            *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (*seed >> 33) % below
        };
        let mut stride = 1;
        let mut loops = Vec::new();
        for _ in 0..4 {
            let size = next(3) + 2;
            let repeats = next(5) == 0;
            loops.push(Loop {
                size,
                stride: if repeats { 0 } else { stride },
            });
            if !repeats {
                stride *= i128::from(size + next(2));
            }
        }
        let packet = vec![loops.remove(0)];
        for at in 0..loops.len() {
            let other = usize::try_from(next(3)).expect("small");
            loops.swap(at, other);
        }
        let steps = loops.iter().map(|entry| entry.size).product();
        Walk {
            time: loops,
            packet,
            steps,
            element_bits: 8,
        }
    }

    #[test]
    fn the_last_step_is_that_of_a_walk_through_all() {
        let mut seed = 7;
        for _ in 0..500 {
            let walk = random_walk(&mut seed);
            let touched = touched(&walk);
            let reach = touched.iter().map(|(_, element)| *element).max();
            for element in 0..=reach.expect("some") + 1 {
                let last = touched
                    .iter()
                    .filter(|(_, found)| *found == element)
                    .map(|(step, _)| *step)
                    .max();
                assert_eq!(
                    walk.last_step(element),
                    last,
                    "{element} of {:?}",
                    walk.time
                );
            }
        }
    }

    #[test]
    fn loops_that_overlap_have_no_single_answer() {
        let entry = |size, stride| Loop { size, stride };
        let walk = Walk {
            time: vec![entry(4, 2)],
            packet: vec![entry(4, 1)],
            steps: 4,
            element_bits: 8,
        };
        assert_eq!(walk.last_step(3), None);
    }

    #[test]
    fn samples_are_steps() {
        let entry = |size, stride| Loop { size, stride };
        let walk = Walk {
            time: vec![entry(3, 100), entry(1 << 40, 1)],
            packet: Vec::new(),
            steps: 3 << 40,
            element_bits: 8,
        };
        let samples = walk.samples();
        assert!(samples.len() <= 14 && samples.iter().all(|step| *step < walk.steps));
        assert!(samples.contains(&0) && samples.contains(&(walk.steps - 1)));
    }
}
