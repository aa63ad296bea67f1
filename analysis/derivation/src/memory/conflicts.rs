//! Tensors in each other's way: writes over bytes that are still needed, and register files that are too full.
//!
//! A conflict needs two facts at once: bytes in common, and a write while the other tensor is needed. Comparing each pair of tensors is
//! quadratic, and a kernel with loops has thousands of them. So [`Occupied`] answers both facts by place and by time, and only pairs that
//! meet in both are looked at more closely. Tensors that do not fit together wherever they are give one finding for all of them: a
//! conflict for each pair would blame addresses that no other choice could mend. An address is offered only if it is free for as long as
//! the tensor is needed, since a fix must not bring the next conflict.

use std::sync::{Arc, OnceLock};

use rustc_hash::FxHashSet;

use crate::hardware::{COMMIT_UNIT_BYTES, Machine};
use crate::items::Span;
use crate::kernel::{AddressValue, Body, OperationId, TensorId, Tier, TrfAddress};
use crate::mapping::{Answer, mappings_equal};

use super::MemoryDerivation;
use super::allocations::{self, Access, Allocation, Part};
use super::beside::Beside;
use super::free::{free_addresses, free_stretches};
use super::occupied::{NeedTime, Occupied};
use super::sums::{self, Sum};

/// Free addresses are proposed at multiples of this many bytes: a flit.
const PROPOSED_ALIGNMENT: u64 = 32;

/// Writes of one tensor that are compared with the reads of another one, and reads that follow each of them. A conflict
/// behind them stays unseen; kernels repeat themselves long before.
const COMPARED_WRITES: usize = 256;
const COMPARED_READS: usize = 16;

/// The most holes that are proposed.
const PROPOSED_HOLES: usize = 3;

/// What is wrong between tensors, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemoryViolation {
    /// A write over bytes that another tensor still needs.
    Conflict {
        /// Which of the two faults.
        kind: ConflictKind,
        /// The memory.
        tier: Tier,
        /// The tensor whose data is needed.
        needed: Occupant,
        /// The tensor that is written over it.
        written: Occupant,
        /// The operation that writes.
        write: OperationId,
        /// The operation that needs the data afterwards; `None` if that is after the body.
        read: Option<OperationId>,
        /// Where it reads; the launch, if that is what needs the data right before the operation.
        read_span: Option<Span>,
        /// Where the written tensor could be instead.
        elsewhere: Elsewhere,
        /// The written tensor's address; of a stale read, the operation that reads.
        span: Span,
    },
    /// Tensors of one memory that are needed at the same time and do not fit together, wherever they are.
    Sum(Sum),
}

/// How a conflict shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ConflictKind {
    /// Two tensors share bytes while both are needed.
    Overlap,
    /// What `from_addr` named is read after another tensor was written over it.
    StaleRead,
}

/// Where a tensor could be that is in the way of another one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Elsewhere {
    /// At one of these byte addresses, each the lowest one in a hole that is free for as long as the tensor is needed.
    /// Holes behind the tensor that it is in the way of come first. At least one.
    Addresses(Vec<u64>),
    /// In this half of the TRF.
    Half(TrfAddress),
    /// Nowhere: no place of its size is free for as long as it is needed.
    Nowhere,
    /// Its address expression stands for several addresses, or the library chooses the address.
    Fixed,
}

/// A tensor in its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupant {
    /// The tensor.
    pub tensor: TensorId,
    /// Its variable, if it has one.
    pub name: Option<String>,
    /// First byte and byte after the last.
    pub range: (u64, u64),
    /// From the first operation that needs it.
    pub from: OperationId,
    /// To the last.
    pub to: OperationId,
    /// Where it is made.
    pub span: Span,
    /// Where its address is written.
    pub address_span: Span,
}

/// A tensor that would fit its memory, but ends behind the end of it where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Displaced {
    /// Where its address is written.
    pub address_span: Span,
    /// Where it could be instead.
    pub elsewhere: Elsewhere,
}

/// Derives where tensors could be that end behind the end of their memory.
pub(super) fn displaced(body: &Body, allocations: &[Allocation]) -> Vec<Displaced> {
    let finder = Finder::of(body, allocations);
    let outside = allocations.iter().filter_map(|allocation| {
        if allocation.tier == Tier::Trf {
            return None;
        }
        let capacity = allocation.tier.capacity(&body.machine)?;
        let (_, end) = allocation.range?;
        if end <= capacity || allocation.bytes? > capacity {
            return None;
        }
        let address_span = body.tensor(allocation.tensor)?.address.span;
        // In HBM as near to where it was to be as possible, elsewhere the first place that is free.
        let last = capacity.saturating_sub(allocation.bytes?);
        let after = match allocation.tier {
            Tier::Hbm => last - last % PROPOSED_ALIGNMENT,
            _ => 0,
        };
        Some(Displaced {
            address_span,
            elsewhere: finder.place_elsewhere(allocation, address_span, after),
        })
    });
    outside.collect()
}

/// The places in a slice where a tensor could be instead: the lowest multiple of `alignment` in each stretch that is free for
/// as long as the tensor is needed, or the halves of the TRF. None where that is unknown: where something is beside it
/// at an unknown place, where its own place is unknown, or where its address is not its own to choose.
pub fn free_places(body: &Body, tensor: TensorId, alignment: u64) -> Vec<AddressValue> {
    let allocations = &allocations::collect(body);
    let finder = Finder::of(body, allocations);
    let moved = allocations
        .iter()
        .find(|allocation| allocation.tensor == tensor);
    let address = body.tensor(tensor).map(|tensor| tensor.address.span);
    let (Some(moved), Some(address)) = (moved, address) else {
        return Vec::new();
    };
    let (Some(own), Some(bytes)) = (moved.range, moved.bytes) else {
        return Vec::new();
    };
    let beside: Option<Vec<(u64, u64)>> = finder
        .concurrent_allocations(moved)
        .map(|other| other.range)
        .collect();
    let Some(taken) = beside.filter(|_| !finder.is_fixed(moved, address)) else {
        return Vec::new();
    };
    let capacity = match moved.tier {
        Tier::Dm => body.machine.dm_bytes,
        Tier::Vrf => body.machine.vrf_bytes,
        Tier::Trf => {
            let halves =
                free_halves(body.machine, &taken, bytes).filter(|(_, range)| *range != own);
            return halves.map(|(half, _)| AddressValue::Trf(half)).collect();
        }
        Tier::Hbm | Tier::Host | Tier::Spm => return Vec::new(),
    };
    free_addresses(&free_stretches(taken, capacity), bytes, 0, alignment)
        .filter(|address| *address != own.0)
        .map(AddressValue::Bytes)
        .collect()
}

/// The multiple of `alignment` nearest to where a tensor is to be, from there on and below it, where nothing that is known
/// is for as long as the tensor is needed. None where its address is not its own to choose, or its place is unknown.
///
/// `memory` is what was derived of the body.
pub fn nearest_places(
    body: &Body,
    memory: &MemoryDerivation,
    address: Span,
    alignment: u64,
) -> Vec<u64> {
    let allocations = &memory.allocations.list;
    let finder = Finder {
        beside: Arc::clone(&memory.allocations.beside),
        ..Finder::of(body, allocations)
    };
    let first = finder.beside().written_at(address).next();
    let Some(moved) = first.and_then(|number| allocations.get(number)) else {
        return Vec::new();
    };
    let capacity = match moved.tier {
        Tier::Trf => None,
        tier => tier.capacity(&body.machine),
    };
    let Some(capacity) = capacity else {
        return Vec::new();
    };
    let (Some((start, _)), Some(bytes)) = (moved.range, moved.bytes) else {
        return Vec::new();
    };
    if finder.is_fixed(moved, address) {
        return Vec::new();
    }
    let element = body
        .tensor(moved.tensor)
        .and_then(|tensor| tensor.element_type.value)
        .map_or(1, |element| (element.bits() / 8).max(1));
    // What is written to DM starts at a multiple of 8 bytes, whatever it is.
    let unit = if moved.tier == Tier::Dm {
        COMMIT_UNIT_BYTES
    } else {
        1
    };
    let alignment = alignment.max(element).max(unit);
    let taken = finder
        .concurrent_allocations(moved)
        .filter_map(|allocation| allocation.range);
    let gaps = free_stretches(taken, capacity);
    let above = free_addresses(&gaps, bytes, start, alignment).min();
    let below = gaps.iter().filter_map(|(from, to)| {
        let last = to.checked_sub(bytes)?.min(start);
        let last = last - last.checked_rem(alignment)?;
        (last >= *from).then_some(last)
    });
    above.into_iter().chain(below.max()).collect()
}

/// Derives all conflicts of a body, each pair of places once.
pub(super) fn derive_conflicts(body: &Body, allocations: &[Allocation]) -> Vec<MemoryViolation> {
    let finder = Finder::of(body, allocations);
    let (sums, crowded) = sums::derive_sums(&finder);
    let mut violations: Vec<MemoryViolation> = sums.into_iter().map(MemoryViolation::Sum).collect();
    let mut seen: FxHashSet<(Span, Span)> = FxHashSet::default();
    let ranges = allocations.iter();
    let occupied = Occupied::of(
        ranges.map(|allocation| (allocation.tier, allocation.range, need_time(allocation))),
    );
    for (index, written) in allocations.iter().enumerate() {
        if crowded.contains(&written.tensor) {
            continue;
        }
        let Some(during) = write_time(written) else {
            continue;
        };
        let across = occupied.needed_across(written.tier, written.range, during);
        for needed in across.into_iter().filter(|other| *other != index) {
            let Some(needed) = allocations.get(needed) else {
                continue;
            };
            let Some(places) = finder.address_spans(needed, written) else {
                continue;
            };
            if seen.contains(&places) || seen.contains(&(places.1, places.0)) {
                continue;
            }
            let found = written
                .writes
                .iter()
                .take(COMPARED_WRITES)
                .find_map(|write| {
                    let need = finder.need_after(needed, written, write)?;
                    finder.conflict_between(needed, written, write.operation, need)
                });
            if let Some(violation) = found {
                seen.insert(places);
                violations.push(violation);
            }
        }
    }
    violations
}

/// The first and the last operation that writes to an allocation, of the writes that are compared. None where nothing does.
fn write_time(written: &Allocation) -> Option<(OperationId, OperationId)> {
    let compared = written.writes.get(..COMPARED_WRITES);
    let compared = compared.unwrap_or(&written.writes);
    Some((compared.first()?.operation, compared.last()?.operation))
}

/// When an allocation may hold data that is needed later. Kernels use the same bytes again and again: most allocations that share
/// bytes are never needed at the same time, which this says without a look at their accesses. None where nothing ever needs it.
fn need_time(needed: &Allocation) -> Option<NeedTime> {
    let first_write = needed.writes.first().map(|write| write.operation);
    let made = needed.initialised.then_some(needed.created);
    let last_read = needed.reads.last().map(|read| read.operation);
    let last = match last_read {
        _ if needed.outlives_body() => None,
        None => return None,
        read => read,
    };
    let from = made.into_iter().chain(first_write).min()?;
    Some(NeedTime { from, last })
}

fn intersects(one: Option<(u64, u64)>, two: Option<(u64, u64)>) -> bool {
    matches!((one, two), (Some((start, end)), Some((other_start, other_end))) if start < other_end && other_start < end)
}

/// Why data is needed after a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// An operation reads it; with the place of the read.
    Read(OperationId, Span),
    /// It outlives the body.
    After,
}

/// Compares the allocations of a body.
pub(super) struct Finder<'a> {
    pub(super) body: &'a Body,
    pub(super) allocations: &'a [Allocation],
    /// Worked out where a place is looked for: most bodies have all in theirs.
    beside: Arc<OnceLock<Beside>>,
}

impl<'a> Finder<'a> {
    fn of(body: &'a Body, allocations: &'a [Allocation]) -> Self {
        Self {
            body,
            allocations,
            beside: Arc::default(),
        }
    }

    fn beside(&self) -> &Beside {
        self.beside
            .get_or_init(|| Beside::of(self.body, self.allocations))
    }

    /// Whether two operations are in different arms of one branching. Arms of different runs of a loop count too:
    /// that only keeps quiet.
    fn exclusive(&self, one: OperationId, two: OperationId) -> bool {
        let (Some(one), Some(two)) = (self.body.operation(one), self.body.operation(two)) else {
            return false;
        };
        one.branches.iter().any(|frame| {
            two.branches
                .iter()
                .any(|other| other.span == frame.span && other.arm != frame.arm)
        })
    }

    /// Whether the allocation holds data when the operation runs.
    fn defined_before(&self, allocation: &Allocation, operation: OperationId) -> bool {
        let before = allocation
            .writes
            .partition_point(|write| write.operation < operation);
        (allocation.initialised && allocation.created <= operation)
            || allocation
                .writes
                .iter()
                .take(before)
                .rev()
                .any(|write| !self.exclusive(write.operation, operation))
    }

    /// Why what `needed` holds before the operation is still needed after it, if it is.
    pub(super) fn still_needed(&self, needed: &Allocation, operation: OperationId) -> Option<Need> {
        if !self.defined_before(needed, operation) {
            return None;
        }
        let first = needed
            .reads
            .partition_point(|read| read.operation <= operation);
        if first >= needed.reads.len() && !needed.outlives_body() {
            return None;
        }
        let later = needed
            .writes
            .partition_point(|write| write.operation <= operation);
        let rewrites = needed.writes.iter().skip(later);
        let mut rewrites = rewrites
            .filter(|write| !self.exclusive(write.operation, operation))
            .peekable();
        // Writes are looked at as far as the reads that are compared: kernels write a tensor once a turn of a loop.
        let mut between: Vec<&Part> = Vec::new();
        let mut restored = None;
        let mut compared = 0;
        for read in needed.reads.iter().skip(first) {
            while let Some(write) = rewrites.next_if(|write| write.operation < read.operation) {
                if write.part == Part::Whole && restored.is_none() {
                    restored = Some(write.operation);
                }
                between.push(&write.part);
            }
            if restored.is_some() || compared == COMPARED_READS {
                break;
            }
            if self.exclusive(read.operation, operation) {
                continue;
            }
            compared += 1;
            if !may_cover(&between, &read.part) {
                return Some(Need::Read(read.operation, read.span));
            }
        }
        let is_as_before = between.is_empty() && rewrites.next().is_none();
        (is_as_before && needed.outlives_body()).then_some(Need::After)
    }

    /// Whether the operation reads what the allocation holds: a pass reads to its end, and nothing takes the place meanwhile.
    pub(super) fn is_read_by(&self, needed: &Allocation, operation: OperationId) -> bool {
        let mut reads = needed.reads.iter();
        reads.any(|read| read.operation == operation) && self.defined_before(needed, operation)
    }

    /// Why the write is a conflict with `needed`, if it is.
    fn need_after(
        &self,
        needed: &Allocation,
        written: &Allocation,
        write: &Access,
    ) -> Option<Need> {
        // `x.to_dm(.., a)` whose result is dropped, with `from_addr(a)` beside it, is how kernels fill a place.
        let fills_place = needed.from_address
            && needed.writes.is_empty()
            && written.reads.is_empty()
            && written.range == needed.range
            && self
                .body
                .tensor(written.tensor)
                .is_some_and(|tensor| tensor.name.is_none());
        if fills_place {
            return None;
        }
        let need = self.still_needed(needed, write.operation)?;
        let reads_it = needed
            .reads
            .iter()
            .any(|read| read.operation == write.operation);
        // Reading for the last time and writing over it is done in place.
        (need != Need::After || needed.escapes || !reads_it).then_some(need)
    }

    /// Where the addresses of two allocations are written.
    fn address_spans(&self, one: &Allocation, two: &Allocation) -> Option<(Span, Span)> {
        let place = |allocation: &Allocation| {
            self.body
                .tensor(allocation.tensor)
                .map(|tensor| tensor.address.span)
        };
        Some((place(one)?, place(two)?))
    }

    fn conflict_between(
        &self,
        needed: &Allocation,
        written: &Allocation,
        write: OperationId,
        need: Need,
    ) -> Option<MemoryViolation> {
        let occupant = |allocation: &Allocation| {
            let tensor = self.body.tensor(allocation.tensor)?;
            let lifetime = allocation.lifetime(self.body);
            Some(Occupant {
                tensor: tensor.id,
                name: tensor.name.clone(),
                range: allocation.range?,
                from: lifetime.from,
                to: lifetime.to,
                span: tensor.span,
                address_span: tensor.address.span,
            })
        };
        let (needed_there, written_there) = (occupant(needed)?, occupant(written)?);
        let (read, read_span) = match need {
            Need::Read(read, span) => (Some(read), Some(span)),
            Need::After => (None, None),
        };
        let (kind, span) = match read_span {
            Some(read_span) if needed.from_address => (ConflictKind::StaleRead, read_span),
            _ => (ConflictKind::Overlap, written_there.address_span),
        };
        Some(MemoryViolation::Conflict {
            kind,
            tier: written.tier,
            elsewhere: self.place_elsewhere(
                written,
                written_there.address_span,
                needed_there.range.1,
            ),
            needed: needed_there,
            written: written_there,
            write,
            read,
            read_span,
            span,
        })
    }

    /// The allocations of the same memory that are needed at some time together with `moved`.
    fn concurrent_allocations(&self, moved: &Allocation) -> impl Iterator<Item = &Allocation> {
        let tensor = self.body.tensor(moved.tensor);
        let beside = tensor.map_or_else(Vec::new, |tensor| {
            self.beside().needed_with(moved.tier, tensor.address.span)
        });
        beside
            .into_iter()
            .filter_map(|number| self.allocations.get(number))
    }

    /// Whether the tensor's address cannot be written otherwise: the library chooses it, or its expression stands for several.
    fn is_fixed(&self, moved: &Allocation, address: Span) -> bool {
        let beside = self.beside();
        let mut same_expression = beside
            .written_at(address)
            .filter_map(|number| self.allocations.get(number));
        beside.is_chosen(moved.tensor)
            || same_expression.any(|allocation| allocation.range != moved.range)
    }

    /// Where the tensor meets no other: behind the byte `after` if possible, since below may be what is not known of.
    fn place_elsewhere(&self, moved: &Allocation, address: Span, after: u64) -> Elsewhere {
        if self.is_fixed(moved, address) {
            return Elsewhere::Fixed;
        }
        let Some(bytes) = moved.bytes else {
            return Elsewhere::Fixed;
        };
        let taken: Vec<(u64, u64)> = self
            .concurrent_allocations(moved)
            .filter_map(|allocation| allocation.range)
            .collect();
        let gap = |capacity| {
            let gaps = free_stretches(taken.iter().copied(), capacity);
            let holes = |start| free_addresses(&gaps, bytes, start, PROPOSED_ALIGNMENT);
            let mut found: Vec<u64> = holes(after).collect();
            // What comes from outside is at addresses of HBM that are not known, most likely low ones.
            if moved.tier != Tier::Hbm || found.is_empty() {
                for hole in holes(0) {
                    if hole < after && !found.contains(&hole) {
                        found.push(hole);
                    }
                }
            }
            found.truncate(PROPOSED_HOLES);
            (!found.is_empty()).then_some(Elsewhere::Addresses(found))
        };
        let found = match moved.tier {
            Tier::Trf => free_halves(self.body.machine, &taken, bytes)
                .next()
                .map(|(half, _)| Elsewhere::Half(half)),
            tier => tier.capacity(&self.body.machine).and_then(gap),
        };
        found.unwrap_or(Elsewhere::Nowhere)
    }
}

/// The halves of the TRF that none of the ranges reaches into, if the bytes fit a half.
fn free_halves(
    machine: Machine,
    taken: &[(u64, u64)],
    bytes: u64,
) -> impl Iterator<Item = (TrfAddress, (u64, u64))> {
    let halves =
        [TrfAddress::FirstHalf, TrfAddress::SecondHalf].map(|half| (half, half.bytes(&machine)));
    let free = move |range| {
        !taken
            .iter()
            .any(|other| intersects(Some(range), Some(*other)))
    };
    halves
        .into_iter()
        .filter(move |(_, range)| bytes <= range.1.saturating_sub(range.0) && free(*range))
}

/// Whether writes to these parts may have replaced all that a read of `read` sees. Parts of one index are compared by
/// their windows; anything else may.
fn may_cover(writes: &[&Part], read: &Part) -> bool {
    let mut windows: Vec<(u64, u64)> = Vec::new();
    let mut known = None;
    for part in writes {
        match part {
            Part::Whole | Part::Unknown => return true,
            Part::Window {
                index,
                start,
                length,
            } => {
                if known.is_some_and(|known| mappings_equal(known, index) != Answer::Yes) {
                    return true;
                }
                known = Some(index);
                windows.push((*start, start.saturating_add(*length)));
            }
        }
    }
    let Some(index) = known else { return false };
    let (start, end) = match read {
        Part::Whole => (0, index.size()),
        Part::Unknown => return true,
        Part::Window {
            index: read_index,
            start,
            length,
        } => {
            if mappings_equal(index, read_index) != Answer::Yes {
                return true;
            }
            (*start, start.saturating_add(*length))
        }
    };
    windows.sort_unstable();
    let mut covered = start;
    for (from, to) in windows {
        if from <= covered {
            covered = covered.max(to);
        }
    }
    covered >= end
}
