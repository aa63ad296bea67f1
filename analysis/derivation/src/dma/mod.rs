//! The DMA engines: which pieces of two tensors one transfer moves together (book: DMA Engine).
//!
//! Knows the longest run of bytes that is in a line on both sides, the loops around it with a stride on each side, and
//! what alignment and packet size the hardware asks of them. Runs and loops are those of `transfer`, in bits. How fast a transfer is, and which engine makes which
//! part of it, is not known here. A part of a tensor that the other side lacks is lost, which `memory` reports.

mod repair;
#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::sync::Arc;

use crate::hardware::{
    CLUSTER_ADDRESS_SLICES, DM_SLICE_STRIDE_BYTES, DMA_ALIGNMENT_BYTES, DMA_ENGINE_SLICES,
    DMA_PACKET_BYTES, DMA_REQUEST_BYTES, SEQUENCER_ENTRIES,
};
use crate::kernel::{Body, Copy, Level, Tensor, TensorId, Tier};
use crate::mapping::{Digit, Form, Mapping};
use crate::transfer::{Loop, Side, Transfer, joined_in_any_order};

use super::conventions::Conventions;
use super::sequencer::{
    Misfit, Piece, SequencerViolation, Splitting, packet_of, paired, split_sizes, writable,
};
use super::views::{MisalignedWindow, misaligned_window, tiled_axes};

/// Bits from one slice's DM to the next as a DMA engine addresses it.
pub const SLICE_BITS: i128 = 8 * DM_SLICE_STRIDE_BYTES as i128;
/// Bits from one cluster's DM to the other's.
const CLUSTER_BITS: i128 = SLICE_BITS * CLUSTER_ADDRESS_SLICES as i128;
/// Bits between chips: beyond any HBM. Only that it is larger than everything inside matters.
pub const CHIP_BITS: i128 = 8 << 40;
/// Bits from one engine's slices to the next one's: loops that step further are shared out to the engines.
const ENGINE_BITS: i128 = SLICE_BITS * DMA_ENGINE_SLICES as i128;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DmaDerivation {
    /// The longest runs of elements that are in a line on both sides and the loops around them, the largest write stride
    /// first, in bits; `None` where they are unknown. A chip is so far from the next that no loop inside of one reaches it.
    pub transfer: Option<Transfer<i128>>,
    /// The axis of each loop, if it has a name.
    pub axes: Vec<Option<Arc<str>>>,
    /// Bytes of the packet that a run is moved in.
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
    /// The loops around the run, the largest write stride first; none where they are unknown.
    pub fn loops(&self) -> &[Loop<i128>] {
        self.transfer
            .as_ref()
            .map_or(&[], |transfer| &transfer.loops)
    }

    /// Bits of the longest run of elements that is in a line on both sides.
    pub fn run_bits(&self) -> Option<u64> {
        self.transfer.as_ref().map(|transfer| transfer.run)
    }

    /// The loops in the book's notation, strides in bytes: `[8:(2048, 256)] of 32 bytes in a line`.
    pub fn configuration(&self) -> String {
        let mut text = String::from("[");
        for (index, one) in self.loops().iter().enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let bytes = |bits: i128| {
                if bits % 8 == 0 {
                    (bits / 8).to_string()
                } else {
                    format!("{bits}/8")
                }
            };
            let (read, write) = (bytes(one.source), bytes(one.target));
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{}:({read}, {write})", one.count);
        }
        text.push(']');
        text
    }
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
    /// A tile that begins at no multiple of 8 bytes of its tensor.
    Window {
        /// The side.
        side: Side,
        /// The tile.
        window: MisalignedWindow,
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
        /// The axis of the loop, if it has a name.
        axis: Option<Arc<str>>,
        /// The step.
        bits: i128,
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
pub fn derive_dma(body: &Body, copy: &Copy) -> DmaDerivation {
    let (Some(source), Some(target)) = (body.tensor(copy.source), body.tensor(copy.target)) else {
        return DmaDerivation::default();
    };
    let mut derivation = derive_transfer(body, copy, source, target).unwrap_or_default();
    for violation in &derivation.violations {
        match violation {
            DmaViolation::Packet { .. } | DmaViolation::Stride { .. } => {
                derivation.padded = repair::padded_elements(body, copy, violation);
            }
            DmaViolation::Sequencer(_) => {
                derivation.reordered = repair::in_source_order(body, copy);
            }
            DmaViolation::Address { .. }
            | DmaViolation::Window { .. }
            | DmaViolation::PacketLimit { .. } => {}
        }
    }
    derivation
}

/// One side of a transfer: its levels with the distance in bits of two neighbours in each.
fn levels_in_bits(tensor: &Tensor, element_bits: u64) -> Option<Vec<(Form, i128)>> {
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
    let (read, write) = (
        levels_in_bits(source, element_bits)?,
        levels_in_bits(target, element_bits)?,
    );
    let needs = Needs::of(source.tier, target.tier);
    let mut derivation = DmaDerivation {
        violations: check_addresses(body, source, target, needs),
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

    pieces.sort_by_key(|piece| std::cmp::Reverse((piece.place, piece.there)));
    let transfer = Transfer::new(run.bits, pieces.iter().map(one_loop).collect());
    if let Some(violation) = check_alignment(&transfer, &pieces, run, needs) {
        derivation.violations.push(violation);
    } else {
        match largest_packet_bytes(run, needs) {
            Some(packet) => derivation.packet_bytes = Some(packet),
            None => derivation
                .violations
                .push(DmaViolation::PacketLimit { bits: run.bits }),
        }
    }
    derivation
        .violations
        .extend(check_loops(&transfer.loops).map(DmaViolation::Sequencer));
    derivation.axes = pieces.into_iter().map(|piece| piece.axis).collect();
    derivation.transfer = Some(transfer);
    Some(derivation)
}

const fn one_loop(piece: &Piece) -> Loop<i128> {
    Loop {
        count: piece.size,
        source: piece.there,
        target: piece.place,
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

fn check_addresses(
    body: &Body,
    source: &Tensor,
    target: &Tensor,
    needs: Needs,
) -> Vec<DmaViolation> {
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
        (Side::Source, source, needs.read_aligned),
        (Side::Target, target, needs.write_aligned),
    ];
    let needed = sides.into_iter().filter(|(_, _, aligned)| *aligned);
    let wrong = needed.filter_map(|(side, tensor, _)| match misaligned(tensor) {
        Some(address) => Some(DmaViolation::Address { side, address }),
        None => {
            let window = misaligned_window(body, tensor.id, UNIT_BITS)?;
            Some(DmaViolation::Window { side, window })
        }
    });
    wrong.collect()
}

const UNIT_BITS: u64 = DMA_ALIGNMENT_BYTES * 8;

fn check_alignment(
    transfer: &Transfer<i128>,
    pieces: &[Piece],
    run: Run,
    needs: Needs,
) -> Option<DmaViolation> {
    if !needs.write_aligned {
        return None;
    }
    if aligned_length(run).is_none() {
        return Some(DmaViolation::Packet {
            bits: run.bits,
            padded_bits: run.padded_bits,
        });
    }
    let sides: &[Side] = if needs.read_aligned {
        &[Side::Target, Side::Source]
    } else {
        &[Side::Target]
    };
    let (place, side) = transfer.misaligned_step(UNIT_BITS, sides)?;
    Some(DmaViolation::Stride {
        side,
        axis: pieces.get(place)?.axis.clone(),
        bits: transfer.loops.get(place)?.step(side),
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
fn largest_packet_bytes(run: Run, needs: Needs) -> Option<u64> {
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
                let packet = packet_of(bytes, multiple)?;
                let runs_of_one = packet == bytes;
                (runs_of_one || matches!(split_sizes([bytes / packet]), Splitting::Fits))
                    .then_some(packet)
            })
    };
    // Whole requests where some length, padding included, has them.
    divided(DMA_REQUEST_BYTES).or_else(|| divided(unit))
}

/// Counts the loops around the run after merging. Chips, clusters and engines run side by side and count none.
fn check_loops(loops: &[Loop<i128>]) -> Option<SequencerViolation> {
    let spread = |bits: i128| bits >= ENGINE_BITS;
    let inside = loops
        .iter()
        .filter(|one| !spread(one.source) && !spread(one.target));
    let merged = joined_in_any_order(inside.copied().collect());
    if merged.len() > SEQUENCER_ENTRIES {
        return Some(SequencerViolation::Entries {
            count: merged.len(),
        });
    }
    match split_sizes(merged.iter().map(|one| one.count)) {
        Splitting::Impossible(size) => Some(SequencerViolation::Iterations { size }),
        Splitting::Fits | Splitting::Unknown => None,
    }
}
