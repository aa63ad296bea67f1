//! Sequencers: the loops with which the Fetch, Commit and DMA Engines walk a buffer (book: Sequencer).
//!
//! Knows how a buffer and a stream's time and packet make entries `[size:stride, …]`, how entries merge, how many
//! bytes lie in a line, how many of them one access moves, and which of the hardware's limits the result breaks. It does
//! not know passes or tensors: `fetch`, `commit`, `dma` and the command line ask it with the mappings they have.

mod entries;
mod places;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::hardware::{
    COMMIT_PACKET_BYTES, COMMIT_UNIT_BYTES, DMA_PACKET_BYTES, DMA_REQUEST_BYTES, ElementType,
    FETCH_OUTPUT_BYTES, SEQUENCER_ACCESS_BYTES, SEQUENCER_ENTRIES, sub_context_fetch_bytes,
};
use crate::kernel::Context;
use crate::mapping::{Digit, Form, Mapping, MappingKind};

use super::banks::{AccessLevel, greatest_common_divisor, longest_bank_run};
use entries::{
    Splitting, configuration, contiguous_elements, largest_divisor, last_element, merge, split,
};
use places::{Loop, Places, resolve};

pub use entries::Entry;
pub use places::Misfit;

/// Which engine's sequencer is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SequencerMode {
    /// The Fetch Engine reads the buffer.
    Fetch,
    /// The Commit Engine writes the buffer.
    Commit,
    /// A DMA engine reads or writes the buffer.
    Dma,
}

/// Two tensors read in turns (book: Interleaving Tensors).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interleaving {
    /// The axis that chooses the tensor.
    pub axis: Arc<str>,
    /// Elements from the first tensor to the second, if both addresses are known.
    pub distance: Option<i128>,
}

/// A question to the sequencer: a buffer, and the stream it is read into or written from.
#[derive(Debug, Clone)]
pub struct SequenceRequest {
    /// The buffer: the element mapping of one slice's tensor, or a view's.
    pub buffer: Mapping,
    /// The stream's iterations.
    pub time: Mapping,
    /// The stream's packet. Of a commit, the whole packet: what is written of it is derived.
    pub packet: Mapping,
    /// The element type in the buffer.
    pub element_type: ElementType,
    /// The element type that the Fetch Engine delivers; the same without a conversion.
    pub delivered_type: ElementType,
    /// The engine.
    pub mode: SequencerMode,
    /// The context; `None` where it is not known: then there are no access sizes.
    pub context: Option<Context>,
    /// The buffer's address in bytes, if known.
    pub address: Option<u64>,
    /// The tensor's spatial levels: an axis that they hold in part is no broadcast in the stream.
    pub elsewhere: Vec<Mapping>,
    /// Two tensors read in turns.
    pub interleaving: Option<Interleaving>,
    /// Axes that the buffer, a view, holds a tile of: what follows their digits belongs to other tiles.
    pub tiled: Vec<Arc<str>>,
}

impl SequenceRequest {
    /// A question about a tensor of its own in the main context, at an unknown address, without a conversion.
    #[must_use]
    pub const fn new(
        buffer: Mapping,
        time: Mapping,
        packet: Mapping,
        element_type: ElementType,
        mode: SequencerMode,
    ) -> Self {
        Self {
            buffer,
            time,
            packet,
            element_type,
            delivered_type: element_type,
            mode,
            context: Some(Context::Main),
            address: None,
            elsewhere: Vec::new(),
            interleaving: None,
            tiled: Vec::new(),
        }
    }
}

/// A limit of the hardware that a configuration breaks, or a reason why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SequencerViolation {
    /// The stream asks for a part of an axis that the buffer does not hold, or in digits that do not fit.
    Misfit(Misfit),
    /// A stride of 0 on the writing side (book: Full-flit Commit).
    WriteBroadcast {
        /// The axis that the buffer lacks, if the loop has one.
        axis: Option<Arc<str>>,
        /// Iterations that would write the same place.
        size: u64,
    },
    /// What is committed of a packet is not 8, 16, 24 or 32 bytes (book: Commit Engine, Constraints).
    CommitPacket {
        /// Bits of the committed part.
        bits: u64,
    },
    /// Not even one byte lies in a line, so that no access size serves (book: Configuration Failures).
    Packet {
        /// Bits that lie in a line.
        contiguous_bits: u64,
        /// Bits of the packet in the buffer.
        packet_bits: u64,
    },
    /// The sub context has one fetch size, and packet or line are no multiple of it (book: Fetch Sequencer).
    SubContextSize {
        /// Bytes of the fetch size it has.
        needed: u64,
        /// Bits that divide both packet and line.
        common_bits: u64,
    },
    /// A fetch has more than 32 bytes after its conversion, at every size there is (book: Type Casting).
    CastOverflow {
        /// Bytes of the smallest fetch that there is.
        fetch: u64,
        /// Bytes that come of it.
        delivered: u64,
    },
    /// The writes of a packet are no multiples of 8 bytes (book: Commit Engine, Constraints).
    CommitSize {
        /// Bits that lie in a line.
        contiguous_bits: u64,
        /// Bytes of the committed part of the packet.
        packet_bytes: u64,
    },
    /// A stride on the writing side that is no multiple of 8 bytes (book: Commit Engine, Constraints).
    WriteStride {
        /// The axis of the loop, if it has one.
        axis: Option<Arc<str>>,
        /// The stride in bits.
        bits: i128,
    },
    /// The writing side steps beyond its tensor (book: Tail Padding and Fetch Size).
    WriteBounds {
        /// Elements from the start of the buffer to the end of the last write.
        end: i128,
        /// Elements of the buffer.
        size: u64,
    },
    /// A DMA packet above 4,096 bytes that no smaller one divides (book: DMA Engine).
    DmaPacket {
        /// Bits of the packet.
        bits: u64,
    },
    /// More than 8 entries after merging (book: Configuration Failures).
    Entries {
        /// Entries after merging.
        count: usize,
    },
    /// More than 65,536 iterations in a loop that cannot be split (book: Configuration Failures).
    Iterations {
        /// Iterations of the loop.
        size: u64,
    },
}

impl SequencerViolation {
    /// The rule that reports it.
    #[must_use]
    pub const fn rule(&self) -> Option<&'static str> {
        Some(match self {
            Self::Misfit(Misfit::Insufficient { .. }) => "sequencer_insufficient_input",
            Self::Misfit(Misfit::Incompatible { .. }) => "sequencer_incompatible",
            Self::Misfit(Misfit::Unknown) => return None,
            Self::WriteBroadcast { .. } => "sequencer_write_broadcast",
            Self::CommitPacket { .. } => "commit_packet_size",
            Self::Packet { .. } => "sequencer_packet",
            Self::SubContextSize { .. } => "fetch_sub_context_size",
            Self::CastOverflow { .. } => "fetch_cast_overflow",
            Self::CommitSize { .. } => "commit_size",
            Self::WriteStride { .. } => "sequencer_write_stride",
            Self::WriteBounds { .. } => "sequencer_write_bounds",
            Self::DmaPacket { .. } => "dma_packet_limit",
            Self::Entries { .. } => "sequencer_entries",
            Self::Iterations { .. } => "sequencer_iterations",
        })
    }
}

/// A configuration and what it costs. Fields are `None` where there is no configuration or a number is too large.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SequenceReport {
    /// Loops as the mappings are written, outermost first.
    pub entries: Vec<Entry>,
    /// Loops after merging, outermost first.
    pub merged: Vec<Entry>,
    /// Bytes of the packet in the buffer's type; of a commit, of the part that is written.
    pub packet_bytes: Option<u64>,
    /// Elements of the packet; of a commit, of the part that is written.
    pub packet_elements: Option<u64>,
    /// Bytes that lie in a line.
    pub contiguous_bytes: Option<u64>,
    /// Bytes that one access moves: fetch size, commit size, or DMA packet.
    pub access_bytes: Option<u64>,
    /// Accesses altogether.
    pub accesses: Option<u64>,
    /// Cycles that the accesses take: one each, or one a request of 256 bytes.
    pub cycles: Option<u64>,
    /// The largest number of consecutive accesses to one bank of DM.
    pub longest_bank_run: Option<u64>,
    /// The nest of accesses that the bank run was derived from, outermost first, one level a merged entry (the
    /// innermost without the part that one access covers).
    pub access_levels: Vec<AccessLevel>,
    /// Limits broken, the reasons without a configuration first.
    pub violations: Vec<SequencerViolation>,
}

impl SequenceReport {
    /// The rule that names why there is no configuration, or the first limit broken.
    #[must_use]
    pub fn error(&self) -> Option<&'static str> {
        let undecided = self
            .violations
            .contains(&SequencerViolation::Misfit(Misfit::Unknown));
        // Where digits are too entangled to be told apart there is no configuration to show either.
        let undecided = undecided.then_some("sequencer_incompatible");
        self.violations
            .iter()
            .find_map(SequencerViolation::rule)
            .or(undecided)
    }

    /// The merged configuration in the book's notation: `[8:256, 16:1] / 16 bytes an access`.
    #[must_use]
    pub fn configuration(&self) -> String {
        let entries = configuration(&self.merged);
        match self.access_bytes {
            Some(bytes) => format!("{entries}, {bytes} bytes an access"),
            None => entries,
        }
    }
}

/// Derives the sequencer of a buffer and a stream (book: Sequencer; library: 5.12).
#[must_use]
pub fn sequence(request: &SequenceRequest) -> SequenceReport {
    let mut report = SequenceReport::default();
    let packet = match request.mode {
        SequencerMode::Commit => Packet::committed(request),
        SequencerMode::Fetch | SequencerMode::Dma => Packet::Whole,
    };
    let elements = packet.elements(&request.packet);
    let bits = elements.checked_mul(request.element_type.bits());
    report.packet_elements = Some(elements);
    report.packet_bytes = bits.and_then(whole_bytes);
    match walk(request, &packet) {
        Ok(entries) => report.entries = entries,
        Err(misfit) => {
            report.violations.push(SequencerViolation::Misfit(misfit));
            return report;
        }
    }
    report.merged = merge(&report.entries);
    let Some(bits) = bits else { return report };
    Accesses { request, bits }.derive(&mut report);
    check_limits(request, &mut report);
    report
}

fn whole_bytes(bits: u64) -> Option<u64> {
    bits.is_multiple_of(8).then_some(bits / 8)
}

/// What of a packet the sequencer moves.
enum Packet {
    /// All of it.
    Whole,
    /// Its first positions: the digits that remain, innermost first.
    Prefix(Vec<Digit>),
}

impl Packet {
    fn elements(&self, packet: &Mapping) -> u64 {
        match self {
            Self::Whole => packet.size(),
            Self::Prefix(digits) => digits
                .iter()
                .fold(1, |size: u64, digit| size.saturating_mul(digit.extent)),
        }
    }

    /// The part of a packet that a commit writes: without the padding behind the data, as far as the buffer has no
    /// padding there itself, and only what the buffer keeps of a truncated digit (book: Truncating).
    fn committed(request: &SequenceRequest) -> Self {
        let form = request.packet.form();
        let buffer = request.buffer.form();
        let Some((outermost, inner)) = form.digits().split_last() else {
            return Self::Whole;
        };
        let (live, extent) = match (&outermost.term, buffer.digits().first()) {
            // A scalar and padding: as much as the buffer has padding in that place.
            (
                None,
                Some(Digit {
                    term: None, extent, ..
                }),
            ) => (1, outermost.extent.min(*extent)),
            (None, _) => (1, 1),
            (Some(_), _) => match Places::of(buffer).room(outermost) {
                None => (outermost.live, outermost.live),
                Some(room) if room.data < outermost.live => (room.data, room.data),
                Some(room) if is_tiled(outermost, &request.tiled) => (room.data, room.data),
                Some(room) => (
                    outermost.live,
                    outermost.extent.min(room.padded).max(outermost.live),
                ),
            },
        };
        if extent == outermost.extent {
            return Self::Whole;
        }
        let mut last = Digit::new(outermost.term.clone(), live);
        last.add_padding(extent, outermost.padding_kind());
        let mut digits = inner.to_vec();
        digits.push(last);
        Self::Prefix(digits)
    }
}

fn is_tiled(digit: &Digit, tiled: &[Arc<str>]) -> bool {
    let axis = digit.term.as_ref().and_then(|term| term.atom.axis());
    axis.is_some_and(|axis| tiled.iter().any(|name| **name == *axis.name()))
}

/// All loops of a stream through a buffer, outermost first, the packet's last.
fn walk(request: &SequenceRequest, packet: &Packet) -> Result<Vec<Entry>, Misfit> {
    let elsewhere: Vec<Form> = request
        .elsewhere
        .iter()
        .map(|level| level.form().clone())
        .collect();
    let mut places = Places::of(request.buffer.form()).also_holding(&elsewhere);
    if let Some(interleaving) = &request.interleaving {
        places = places.interleaved(Arc::clone(&interleaving.axis), interleaving.distance);
    }
    let mut loops = Vec::new();
    walk_written(&request.time, &mut places, &mut loops)?;
    match packet {
        Packet::Whole => walk_written(&request.packet, &mut places, &mut loops)?,
        Packet::Prefix(digits) => {
            let mut prefix = Vec::new();
            for digit in digits.iter().rev() {
                places.walk(digit, &mut prefix)?;
            }
            loops.extend(one_line(prefix));
        }
    }
    places.check_reach()?;
    Ok(resolve(&loops))
}

/// The loops of a mapping, one a factor as it is written: neighbours that would merge stay apart, but a padded group
/// whose elements lie in a line is one loop, padding included.
fn walk_written(
    mapping: &Mapping,
    places: &mut Places,
    loops: &mut Vec<Loop>,
) -> Result<(), Misfit> {
    match mapping.kind() {
        MappingKind::Product(parts) => parts
            .iter()
            .try_for_each(|part| walk_written(part, places, loops)),
        MappingKind::Pad(inner, size, _) if is_group(inner) => {
            let mut attempt = places.clone();
            let mut found = Vec::new();
            walk_written(inner, &mut attempt, &mut found)?;
            match merge(&resolve(&found)).as_slice() {
                [line] if line.size == inner.size() => {
                    *places = attempt;
                    loops.push(Loop::line(size, line.stride, line.axis.clone()));
                    Ok(())
                }
                _ => walk_digits(mapping, places, loops),
            }
        }
        _ => walk_digits(mapping, places, loops),
    }
}

/// Whether a padded mapping is a group rather than one axis's digit.
fn is_group(mapping: &Mapping) -> bool {
    match mapping.kind() {
        MappingKind::Product(_) => true,
        MappingKind::Pad(inner, ..) => is_group(inner),
        _ => false,
    }
}

fn walk_digits(
    mapping: &Mapping,
    places: &mut Places,
    loops: &mut Vec<Loop>,
) -> Result<(), Misfit> {
    mapping
        .form()
        .digits()
        .iter()
        .rev()
        .try_for_each(|digit| places.walk(digit, loops))
}

/// Loops that lie in a line as one, others as they are.
fn one_line(loops: Vec<Loop>) -> Vec<Loop> {
    match merge(&resolve(&loops)).as_slice() {
        [line] => vec![Loop::line(line.size, line.stride, line.axis.clone())],
        _ => loops,
    }
}

/// Derives how many bytes an access moves, and everything counted in accesses.
struct Accesses<'a> {
    request: &'a SequenceRequest,
    /// Bits of the packet in the buffer's type.
    bits: u64,
}

impl Accesses<'_> {
    fn derive(&self, report: &mut SequenceReport) {
        let element_bits = self.request.element_type.bits();
        let contiguous = contiguous_elements(&report.merged);
        let Some(contiguous_bits) = contiguous.checked_mul(element_bits) else {
            return;
        };
        report.contiguous_bytes = whole_bytes(contiguous_bits);
        let common = greatest_common_divisor(self.bits, contiguous_bits);
        let access = match self.size(common, contiguous_bits) {
            Ok(access) => access,
            Err(Some(violation)) => {
                report.violations.push(violation);
                return;
            }
            Err(None) => return,
        };
        report.access_bytes = Some(access);
        let accesses_a_packet = self.bits.div_ceil(access * 8);
        report.accesses = self.request.time.size().checked_mul(accesses_a_packet);
        report.cycles = report
            .accesses
            .and_then(|accesses| match self.request.mode {
                SequencerMode::Dma => accesses.checked_mul(access.div_ceil(DMA_REQUEST_BYTES)),
                SequencerMode::Fetch | SequencerMode::Commit => Some(accesses),
            });
        self.banks(access, report);
    }

    /// Bytes of one access, from the bits that divide packet and line both; the violation if none serves, or nothing
    /// where the context is not known.
    fn size(
        &self,
        common_bits: u64,
        contiguous_bits: u64,
    ) -> Result<u64, Option<SequencerViolation>> {
        match self.request.mode {
            SequencerMode::Fetch => self.fetch_size(common_bits, contiguous_bits),
            SequencerMode::Commit => self.commit_size(common_bits, contiguous_bits),
            SequencerMode::Dma => self.dma_packet(common_bits, contiguous_bits),
        }
    }

    fn no_size(&self, contiguous_bits: u64) -> SequencerViolation {
        SequencerViolation::Packet {
            contiguous_bits,
            packet_bits: self.bits,
        }
    }

    fn fetch_size(
        &self,
        common_bits: u64,
        contiguous_bits: u64,
    ) -> Result<u64, Option<SequencerViolation>> {
        if !common_bits.is_multiple_of(8) {
            return Err(Some(self.no_size(contiguous_bits)));
        }
        let from = self.request.element_type;
        let to = self.request.delivered_type;
        let only;
        let sizes: &[u64] = match self.request.context {
            Some(Context::Sub) => {
                only = [sub_context_fetch_bytes(from, to)];
                &only
            }
            Some(_) => &SEQUENCER_ACCESS_BYTES,
            None => return Err(None),
        };
        let mut dividing = sizes
            .iter()
            .copied()
            .filter(|size| common_bits.is_multiple_of(size * 8))
            .peekable();
        let Some(&smallest) = dividing.peek() else {
            let needed = sizes.first().copied().unwrap_or(1);
            return Err(Some(SequencerViolation::SubContextSize {
                needed,
                common_bits,
            }));
        };
        let delivered = |size: u64| size * to.bits() / from.bits();
        dividing
            .filter(|size| delivered(*size) <= FETCH_OUTPUT_BYTES)
            .max()
            .ok_or(Some(SequencerViolation::CastOverflow {
                fetch: smallest,
                delivered: delivered(smallest),
            }))
    }

    fn commit_size(
        &self,
        common_bits: u64,
        contiguous_bits: u64,
    ) -> Result<u64, Option<SequencerViolation>> {
        let packet_bytes = match whole_bytes(self.bits) {
            Some(bytes) if COMMIT_PACKET_BYTES.contains(&bytes) => bytes,
            _ => return Err(Some(SequencerViolation::CommitPacket { bits: self.bits })),
        };
        match whole_bytes(common_bits) {
            Some(bytes) if bytes.is_multiple_of(COMMIT_UNIT_BYTES) => match self.request.context {
                Some(Context::Sub) => Ok(COMMIT_UNIT_BYTES),
                _ => Ok(bytes),
            },
            _ => Err(Some(SequencerViolation::CommitSize {
                contiguous_bits,
                packet_bytes,
            })),
        }
    }

    /// The packet of a DMA: the line as far as the stream's packet goes, at most 4,096 bytes, in whole requests where
    /// the length allows it.
    fn dma_packet(
        &self,
        common_bits: u64,
        contiguous_bits: u64,
    ) -> Result<u64, Option<SequencerViolation>> {
        let Some(bytes) = whole_bytes(common_bits) else {
            let too_long = common_bits > DMA_PACKET_BYTES * 8;
            return Err(Some(if too_long {
                SequencerViolation::DmaPacket { bits: common_bits }
            } else {
                self.no_size(contiguous_bits)
            }));
        };
        if bytes <= DMA_PACKET_BYTES {
            return Ok(bytes);
        }
        largest_divisor(bytes, DMA_PACKET_BYTES, DMA_REQUEST_BYTES)
            .or_else(|| largest_divisor(bytes, DMA_PACKET_BYTES, 1))
            .ok_or(Some(SequencerViolation::DmaPacket { bits: common_bits }))
    }

    /// Counts the longest run of accesses to one bank.
    fn banks(&self, access: u64, report: &mut SequenceReport) {
        let element_bits = self.request.element_type.bits();
        let covered = access * 8 / element_bits;
        let stride_bits = |stride: Option<i128>| stride?.checked_mul(i128::from(element_bits));
        let Some(mut levels) = report
            .merged
            .iter()
            .map(|entry| {
                Some(AccessLevel {
                    size: entry.size,
                    stride_bits: stride_bits(entry.stride)?,
                })
            })
            .collect::<Option<Vec<_>>>()
        else {
            return;
        };
        let mut touched = access * 8;
        match (report.merged.last(), levels.last_mut()) {
            (
                Some(Entry {
                    stride: Some(stride @ (0 | 1)),
                    ..
                }),
                Some(innermost),
            ) => {
                innermost.size = innermost.size.div_ceil(covered.max(1));
                innermost.stride_bits *= i128::from(covered);
                if *stride == 0 {
                    // The packet repeats one element: only its bank is touched.
                    touched = element_bits;
                }
            }
            _ => {}
        }
        let base = self.request.address.unwrap_or(0).saturating_mul(8);
        report.longest_bank_run = Some(longest_bank_run(&levels, touched, base));
        report.access_levels = levels;
    }
}

/// Checks the limits on a configuration that exists.
fn check_limits(request: &SequenceRequest, report: &mut SequenceReport) {
    if request.mode == SequencerMode::Commit {
        check_writes(request, report);
    }
    let count = report.merged.len();
    if count > SEQUENCER_ENTRIES {
        report
            .violations
            .push(SequencerViolation::Entries { count });
    } else if let Splitting::Impossible(size) = split(&report.merged) {
        report
            .violations
            .push(SequencerViolation::Iterations { size });
    }
}

/// Checks what holds on the writing side only.
fn check_writes(request: &SequenceRequest, report: &mut SequenceReport) {
    if let Some(entry) = report.merged.iter().find(|entry| entry.stride == Some(0)) {
        // Whatever else is wrong with such a packet follows from it.
        let broadcast = SequencerViolation::WriteBroadcast {
            axis: entry.axis.clone(),
            size: entry.size,
        };
        report
            .violations
            .retain(|violation| matches!(violation, SequencerViolation::CommitPacket { .. }));
        report.violations.push(broadcast);
        return;
    }
    let element_bits = i128::from(request.element_type.bits());
    if report.access_bytes.is_some() {
        let unit = i128::from(COMMIT_UNIT_BYTES * 8);
        let misaligned = report.merged.iter().find_map(|entry| {
            let bits = entry.stride?.checked_mul(element_bits)?;
            (entry.stride != Some(1) && bits % unit != 0).then(|| SequencerViolation::WriteStride {
                axis: entry.axis.clone(),
                bits,
            })
        });
        report.violations.extend(misaligned);
    }
    let size = request.buffer.size();
    if let Some(last) = last_element(&report.merged)
        && last >= i128::from(size)
    {
        report.violations.push(SequencerViolation::WriteBounds {
            end: last + 1,
            size,
        });
    }
}
