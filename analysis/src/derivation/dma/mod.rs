//! The DMA engines: which pieces of two tensors one transfer moves together (book: DMA Engine).
//!
//! Knows the longest run of bytes that is in a line on both sides, the loops around it with a stride on each side, and
//! what alignment and packet size the hardware asks of them. How fast a transfer is, and which engine makes which
//! part of it, is not known here. A part of a tensor that the other side lacks is lost, which `memory` reports.

mod repair;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::sync::Arc;

use crate::hardware::{
    CLUSTER_ADDRESS_SLICES, DMA_ALIGNMENT_BYTES, DMA_PACKET_BYTES, DMA_REQUEST_BYTES,
    SEQUENCER_ENTRIES,
};
use crate::kernel::{Body, Copy, Level, Tensor, TensorId, Tier};
use crate::mapping::{Digit, Form, Mapping};

use super::conventions::Conventions;
use super::sequencer::{
    Misfit, Piece, SequencerViolation, Splitting, largest_divisor, paired, split_sizes, writable,
};
use super::views::tiled_axes;

/// Bits from one slice's DM to the next as a DMA engine addresses it: 4 MiB (book: DMA Command Syntax).
pub(crate) const SLICE_BITS: i128 = 8 << 22;
/// Bits from one cluster's DM to the other's.
const CLUSTER_BITS: i128 = SLICE_BITS * CLUSTER_ADDRESS_SLICES as i128;
/// Bits between chips: beyond any HBM. Only that it is larger than everything inside matters.
pub(crate) const CHIP_BITS: i128 = 8 << 40;
/// Slices that one engine serves (book: Parallelism Strategies): loops over more are shared out to the engines.
const SLICES_PER_ENGINE: i128 = 64;

/// A loop of a transfer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DmaEntry {
    /// The axis, if it has a name.
    pub axis: Option<Arc<str>>,
    /// Iterations.
    pub size: u64,
    /// Bits between two iterations on the reading side; 0 repeats the same.
    pub read_bits: i128,
    /// Bits between two iterations on the writing side.
    pub write_bits: i128,
}

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DmaDerivation {
    /// Loops around the run, the largest write stride first.
    pub entries: Vec<DmaEntry>,
    /// Bits of the longest run of elements that is in a line on both sides.
    pub run_bits: Option<u64>,
    /// Bits that the run has with the padding that both sides hold behind it.
    pub padded_run_bits: Option<u64>,
    /// Bytes of the packet that the run is moved in.
    pub packet_bytes: Option<u64>,
    /// Where alignment is at fault: new elements of the two tensors, both padded alike, with which the transfer is legal.
    pub padded: Vec<(TensorId, Mapping)>,
    /// Where the order is at fault: the target's element in the source's order, if the transfer is legal then.
    pub reordered: Option<Mapping>,
    /// What the engine cannot do.
    pub violations: Vec<DmaViolation>,
    /// Whether the two sides are too entangled to tell which loops move them.
    pub undecided: bool,
}

impl DmaDerivation {
    /// The loops in the book's notation, strides in bytes: `[8:(2048, 256)] of 32 bytes in a line`.
    #[must_use]
    pub fn configuration(&self) -> String {
        let mut text = String::from("[");
        for (index, entry) in self.entries.iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let bytes = |bits: i128| {
                if bits % 8 == 0 {
                    (bits / 8).to_string()
                } else {
                    format!("{bits}/8")
                }
            };
            let (read, write) = (bytes(entry.read_bits), bytes(entry.write_bits));
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{}:({read}, {write})", entry.size);
        }
        text.push(']');
        text
    }
}

/// A side of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The source.
    Read,
    /// The target.
    Write,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DmaViolation {
    /// An address that must be a multiple of 8 bytes and is not.
    Address {
        /// The side.
        side: Side,
        /// The address in bytes.
        address: u64,
    },
    /// No packet of a multiple of 8 bytes divides what is in a line on both sides.
    Packet {
        /// Bits in a line.
        bits: u64,
        /// Bits with the padding that both sides hold.
        padded_bits: u64,
    },
    /// A loop steps by no multiple of 8 bytes on a side that needs it.
    Stride {
        /// The side.
        side: Side,
        /// The loop.
        entry: DmaEntry,
    },
    /// A run above 4,096 bytes that no packet within the limits divides.
    PacketLimit {
        /// Bits of the run.
        bits: u64,
    },
    /// The two sides break a limit of sequencers, or there is no configuration.
    Sequencer(SequencerViolation),
}

/// Derives a transfer from its two tensors (book: DMA Sequencer Internals).
#[must_use]
pub fn derive(body: &Body, copy: &Copy) -> DmaDerivation {
    let (Some(source), Some(target)) = (body.tensor(copy.source), body.tensor(copy.target)) else {
        return DmaDerivation::default();
    };
    let mut derivation = derive_transfer(body, copy, source, target).unwrap_or_default();
    for violation in &derivation.violations {
        match violation {
            DmaViolation::Packet { .. } | DmaViolation::Stride { .. } => {
                derivation.padded = repair::padded(body, copy, violation);
            }
            DmaViolation::Sequencer(_) => {
                derivation.reordered = repair::in_source_order(body, copy);
            }
            DmaViolation::Address { .. } | DmaViolation::PacketLimit { .. } => {}
        }
    }
    derivation
}

/// One side of a transfer: its levels with the distance in bits of two neighbours in each.
fn levels(tensor: &Tensor, element_bits: u64) -> Option<Vec<(Form, i128)>> {
    let elements = match tensor.tier {
        Tier::Hbm | Tier::Dm => i128::from(element_bits),
        Tier::Host | Tier::Trf | Tier::Vrf | Tier::Spm => return None,
    };
    let placed = tensor.levels.iter().map(|(level, mapping)| {
        let unit = match level {
            Level::Chip => CHIP_BITS,
            Level::Cluster => CLUSTER_BITS,
            Level::Slice => SLICE_BITS,
            Level::Element => elements,
            Level::Pe | Level::Row | Level::Time | Level::Packet => return None,
        };
        Some((mapping.value.as_ref()?.form().clone(), unit))
    });
    placed.collect()
}

/// Derives the transfer as if the two tensors were these.
fn derive_transfer(
    body: &Body,
    copy: &Copy,
    source: &Tensor,
    target: &Tensor,
) -> Option<DmaDerivation> {
    let element_bits = source.element_type.value?.bits();
    let (read, write) = (levels(source, element_bits)?, levels(target, element_bits)?);
    let needs = Needs::of(source.tier, target.tier);
    let mut derivation = DmaDerivation {
        violations: check_addresses(source, target, needs),
        ..Default::default()
    };
    if is_lossy(&read, &write) {
        return Some(derivation);
    }
    let mut pieces = match paired(&read, &write) {
        Ok(pieces) => pieces,
        Err(misfit) => {
            derivation.undecided = misfit == Misfit::Unknown;
            if matches!(misfit, Misfit::Incompatible { .. }) {
                derivation
                    .violations
                    .push(DmaViolation::Sequencer(SequencerViolation::Misfit(misfit)));
            }
            return Some(derivation);
        }
    };
    keep_tiles_apart(body, copy, &mut pieces);
    let run = take_run(
        &mut pieces,
        element_bits,
        inner_padding(&read),
        inner_padding(&write),
        Conventions::of(body.dialect).writes_padding_of_the_target(),
    );

    derivation.run_bits = Some(run.bits);
    derivation.padded_run_bits = Some(run.padded_bits);
    pieces.sort_by_key(|piece| std::cmp::Reverse((piece.place, piece.there)));
    derivation.entries = pieces.iter().map(entry).collect();
    if let Some(violation) = check_alignment(&derivation, run, needs) {
        derivation.violations.push(violation);
    } else {
        match packet(run, needs) {
            Some(packet) => derivation.packet_bytes = Some(packet),
            None => derivation
                .violations
                .push(DmaViolation::PacketLimit { bits: run.bits }),
        }
    }
    derivation
        .violations
        .extend(check_loops(&pieces).map(DmaViolation::Sequencer));
    Some(derivation)
}

fn entry(piece: &Piece) -> DmaEntry {
    DmaEntry {
        axis: piece.axis.clone(),
        size: piece.size,
        read_bits: piece.there,
        write_bits: piece.place,
    }
}

/// Whether the target lacks an axis of the source: then nothing is said about the transfer here.
fn is_lossy(read: &[(Form, i128)], write: &[(Form, i128)]) -> bool {
    let held = |name: &str| write.iter().any(|(form, _)| form.contains_axis(name));
    read.iter()
        .flat_map(|(form, _)| form.axis_names())
        .any(|name| !held(&name))
}

/// Padding behind a tiled axis's digit belongs to other tiles: no packet may cover it.
fn keep_tiles_apart(body: &Body, copy: &Copy, pieces: &mut [Piece]) {
    let tiled = |id: TensorId| tiled_axes(body, id);
    let (read, write) = (tiled(copy.source), tiled(copy.target));
    for piece in pieces {
        let Some(axis) = &piece.axis else { continue };
        if read.contains(axis) {
            piece.there_extent = piece.size;
        }
        if write.contains(axis) {
            piece.extent = piece.size;
            piece.writable = piece.size;
        }
    }
}

/// Elements of padding that are innermost in a tensor, the first position included, and those of them that may be written.
fn inner_padding(levels: &[(Form, i128)]) -> (u64, u64) {
    match levels.last().and_then(|(form, _)| form.digits().first()) {
        Some(digit @ Digit { term: None, .. }) => (digit.extent, writable(digit)),
        _ => (1, 1),
    }
}

/// Bytes in a line on both sides.
#[derive(Debug, Clone, Copy)]
struct Run {
    bits: u64,
    /// With the padding that both sides hold behind it.
    padded_bits: u64,
    /// With the padding of the target alone behind it, where that is written as well: all of it.
    written_bits: Option<u64>,
}

/// Takes the pieces that are in a line on both sides out of the list, innermost first. Where the padding of the target is
/// written, a piece behind it goes on with the line: what the source has beside comes along.
fn take_run(
    pieces: &mut Vec<Piece>,
    element_bits: u64,
    (read_padding, _): (u64, u64),
    (write_padding, writable): (u64, u64),
    writes_padding: bool,
) -> Run {
    let run_of = |step: u64, size: u64, shared: u64, writable: u64| Run {
        bits: step.saturating_mul(size),
        padded_bits: step.saturating_mul(shared),
        written_bits: writes_padding.then(|| step.saturating_mul(writable)),
    };
    let shared = read_padding.min(write_padding);
    let mut run = run_of(element_bits, 1, shared, writable);
    loop {
        let reach = run.written_bits.unwrap_or(run.padded_bits);
        let within = i128::from(run.bits)..=i128::from(reach);
        let continues = |piece: &Piece| piece.there == piece.place && within.contains(&piece.place);
        let Some(index) = pieces.iter().position(continues) else {
            return run;
        };
        let piece = pieces.swap_remove(index);
        let Ok(step) = u64::try_from(piece.place) else {
            return run;
        };
        let shared = piece.extent.min(piece.there_extent);
        run = run_of(step, piece.size, shared, piece.writable);
    }
}

/// What a pair of memories asks of a transfer (book: Alignment Constraints).
#[derive(Debug, Clone, Copy)]
struct Needs {
    read_aligned: bool,
    write_aligned: bool,
}

impl Needs {
    const fn of(source: Tier, target: Tier) -> Self {
        let write_aligned = matches!(target, Tier::Dm);
        Self {
            read_aligned: write_aligned && matches!(source, Tier::Hbm),
            write_aligned,
        }
    }
}

fn check_addresses(source: &Tensor, target: &Tensor, needs: Needs) -> Vec<DmaViolation> {
    let misaligned = |tensor: &Tensor| {
        let element = tensor
            .element_type
            .value
            .map_or(1, |element_type| element_type.bits().div_ceil(8));
        // An address that does not suit the element is refused before the transfer is.
        tensor.address.bytes().filter(|address| {
            !address.is_multiple_of(DMA_ALIGNMENT_BYTES) && address.is_multiple_of(element)
        })
    };
    let sides = [
        (Side::Read, source, needs.read_aligned),
        (Side::Write, target, needs.write_aligned),
    ];
    let wrong = sides.into_iter().filter_map(|(side, tensor, aligned)| {
        let address = misaligned(tensor).filter(|_| aligned)?;
        Some(DmaViolation::Address { side, address })
    });
    wrong.collect()
}

const UNIT_BITS: u64 = DMA_ALIGNMENT_BYTES * 8;

fn check_alignment(derivation: &DmaDerivation, run: Run, needs: Needs) -> Option<DmaViolation> {
    if !needs.write_aligned {
        return None;
    }
    if aligned_length(run).is_none() {
        return Some(DmaViolation::Packet {
            bits: run.bits,
            padded_bits: run.padded_bits,
        });
    }
    let unit = i128::from(UNIT_BITS);
    derivation.entries.iter().find_map(|entry| {
        let side = if entry.write_bits % unit != 0 {
            Side::Write
        } else if needs.read_aligned && entry.read_bits % unit != 0 {
            Side::Read
        } else {
            return None;
        };
        Some(DmaViolation::Stride {
            side,
            entry: entry.clone(),
        })
    })
}

/// The shortest length of the run, padding included, that is a multiple of 8 bytes. Where the target's padding is written, it is
/// written to its end.
fn aligned_length(run: Run) -> Option<u64> {
    let aligned = run.bits.checked_next_multiple_of(UNIT_BITS)?;
    let fits = match run.written_bits {
        Some(written) => written.is_multiple_of(UNIT_BITS),
        None => aligned <= run.padded_bits.max(run.bits),
    };
    fits.then_some(aligned)
}

/// Bytes of the packet that a run is moved in: all of it, or the largest part of at most 4,096 bytes that divides it, in
/// whole requests where possible. `None` if none does, or if it takes more loops than can be counted.
fn packet(run: Run, needs: Needs) -> Option<u64> {
    let unit = if needs.write_aligned {
        DMA_ALIGNMENT_BYTES
    } else {
        1
    };
    let whole = |bits: u64| bits.is_multiple_of(8).then_some(bits / 8);
    let padded = |unit: u64| {
        run.bits
            .checked_next_multiple_of(unit * 8)
            .filter(|bits| *bits <= run.padded_bits)
    };
    let lengths = [
        Some(run.bits),
        padded(unit),
        padded(DMA_REQUEST_BYTES),
        padded(DMA_PACKET_BYTES),
        Some(run.padded_bits),
        aligned_length(run),
    ];
    let divided = |multiple: u64| {
        lengths
            .into_iter()
            .flatten()
            .filter_map(whole)
            .filter(|bytes| bytes.is_multiple_of(unit))
            .find_map(|bytes| {
                if bytes <= DMA_PACKET_BYTES {
                    return Some(bytes);
                }
                let packet = largest_divisor(bytes, DMA_PACKET_BYTES, multiple)?;
                matches!(split_sizes([bytes / packet]), Splitting::Fits).then_some(packet)
            })
    };
    // Whole requests where some length, padding included, has them.
    divided(DMA_REQUEST_BYTES).or_else(|| divided(unit))
}

/// Counts the loops around the run after merging. Chips, clusters and engines run side by side and count none.
fn check_loops(pieces: &[Piece]) -> Option<SequencerViolation> {
    let spread = |bits: i128| bits >= SLICE_BITS * SLICES_PER_ENGINE;
    let inside: Vec<&Piece> = pieces
        .iter()
        .filter(|piece| !spread(piece.there) && !spread(piece.place))
        .collect();
    let merged = merged_sizes(&inside);
    if merged.len() > SEQUENCER_ENTRIES {
        return Some(SequencerViolation::Entries {
            count: merged.len(),
        });
    }
    match split_sizes(merged) {
        Splitting::Impossible(size) => Some(SequencerViolation::Iterations { size }),
        Splitting::Fits | Splitting::Unknown => None,
    }
}

/// Sizes of the loops after merging those that one loop can run on both sides at once, in whatever order.
fn merged_sizes(pieces: &[&Piece]) -> Vec<u64> {
    let continues = |inner: &Piece, outer: &Piece| {
        let span = |step: i128| step.checked_mul(i128::from(inner.size));
        span(inner.there) == Some(outer.there) && span(inner.place) == Some(outer.place)
    };
    let mut starts: Vec<bool> = vec![true; pieces.len()];
    let next: Vec<Option<usize>> = pieces
        .iter()
        .map(|inner| {
            let found = pieces
                .iter()
                .position(|outer| !std::ptr::eq(*inner, *outer) && continues(inner, outer))?;
            // Each loop continues one other at the most.
            std::mem::take(starts.get_mut(found)?).then_some(found)
        })
        .collect();
    let chain = |start: usize| {
        let mut size: u64 = 1;
        let mut current = Some(start);
        for _ in 0..pieces.len() {
            let Some(index) = current else { break };
            size = size.saturating_mul(pieces.get(index).map_or(1, |piece| piece.size));
            current = next.get(index).copied().flatten();
        }
        size
    };
    (0..pieces.len())
        .filter(|index| starts.get(*index) == Some(&true))
        .map(chain)
        .collect()
}
