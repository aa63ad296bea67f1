//! Sequencers: the loops with which the Fetch, Commit and DMA Engines walk a buffer (book: Sequencer).
//!
//! Knows how a buffer and a stream's time and packet make entries `[size:stride, …]`, how entries merge, how many
//! bytes are in a line, how many of them one access moves, and which of the hardware's limits the result breaks. It does
//! not know passes or tensors: `fetch`, `commit`, `dma` and the command line ask it with the mappings they have.

mod access;
mod entries;
#[cfg(test)]
mod fetch_size_tests;
mod pairs;
mod places;
#[cfg(test)]
mod random_commit_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
mod violation;

use std::sync::Arc;

use crate::hardware::{COMMIT_UNIT_BYTES, ElementType, SEQUENCER_ENTRIES};
use crate::kernel::Context;
use crate::mapping::{Digit, Form, Groups, Mapping, MappingKind};

use super::banks::AccessLevel;
use super::thread_memo::ThreadMemo;
use access::Accesses;
use entries::{configuration_text, last_element, merge, split_entries};
use places::{Loop, Places, resolve_in_holes, resolve_loops};

pub use entries::Entry;
pub use entries::largest_divisor;
pub use entries::{Splitting, packet_of, split_sizes};
pub(super) use pairs::{Piece, paired, writable};
pub use places::Misfit;
pub use violation::SequencerViolation;

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
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Interleaving {
    /// The axis that chooses the tensor.
    pub axis: Arc<str>,
    /// Elements from the first tensor to the second, if both addresses are known.
    pub distance: Option<i128>,
}

/// A question to the sequencer: a buffer, and the stream it is read into or written from.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
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
    /// A fetch that converts has to deliver whole words of 8 bytes.
    pub whole_words: bool,
    /// The engine.
    pub mode: SequencerMode,
    /// The context; `None` where it is not known: then there are no access sizes.
    pub context: Option<Context>,
    /// The buffer's address in bytes, if known.
    pub address: Option<u64>,
    /// Two tensors read in turns.
    pub interleaving: Option<Interleaving>,
    /// Axes that the buffer, a view, holds a tile of: what follows their digits belongs to other tiles.
    pub tiled: Vec<Arc<str>>,
}

impl SequenceRequest {
    /// A question about a tensor of its own in the main context, at an unknown address, without a conversion.
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
            whole_words: false,
            mode,
            context: Some(Context::Main),
            address: None,
            interleaving: None,
            tiled: Vec::new(),
        }
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
    /// Bytes that are in a line.
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
    /// Bits of DM that one access touches: its size, or one element that the packet repeats.
    pub touched_bits: Option<u64>,
    /// Limits broken, the reasons without a configuration first.
    pub violations: Vec<SequencerViolation>,
}

impl SequenceReport {
    /// The rule that names why there is no configuration, or the first limit broken.
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

    /// The merged configuration in the book's notation: `[8:256, 16:1], 16 bytes an access`.
    pub fn configuration(&self) -> String {
        let entries = configuration_text(&self.merged);
        match self.access_bytes {
            Some(bytes) => format!("{entries}, {bytes} bytes an access"),
            None => entries,
        }
    }
}

/// Derives the sequencer of a buffer and a stream (book: Sequencer; library: 5.12).
pub fn sequence_report(request: &SequenceRequest) -> SequenceReport {
    REPORTS.with(|known| known.answer_or_find(request.clone(), derive_report))
}

thread_local! {
    static REPORTS: ThreadMemo<SequenceRequest, SequenceReport> = ThreadMemo::default();
}

fn derive_report(request: &SequenceRequest) -> SequenceReport {
    let mut report = SequenceReport::default();
    let mut forms = vec![request.buffer.form()];
    walked_forms(&request.time, &mut forms);
    walked_forms(&request.packet, &mut forms);
    let groups = Groups::of(&forms);
    let packet = match request.mode {
        SequencerMode::Commit => Packet::committed(request, &groups),
        SequencerMode::Fetch | SequencerMode::Dma => Packet::Whole,
    };
    let elements = packet.elements(&request.packet);
    let bits = elements.checked_mul(request.element_type.bits());
    report.packet_elements = Some(elements);
    report.packet_bytes = bits.and_then(whole_bytes);
    match stream_entries(request, &packet, &groups) {
        Ok(entries) => report.entries = entries,
        Err(misfit) => {
            report.violations.push(SequencerViolation::Misfit(misfit));
            return report;
        }
    }
    report.merged = merge(&report.entries);
    let Some(bits) = bits else { return report };
    Accesses { request, bits }.derive_access(&mut report);
    check_limits(request, &mut report);
    report
}

fn whole_bytes(bits: u64) -> Option<u64> {
    bits.is_multiple_of(8).then_some(bits / 8)
}

/// The first part of a form that another does not hold, whatever order and padding the two have; `None` also where
/// this is unknown.
pub fn lacking_part(holder: &Form, wanted: &Form) -> Option<Misfit> {
    let groups = Groups::of(&[holder, wanted]);
    buffer_places(&groups, &groups.rewrite(holder)).lacking(&groups.rewrite(wanted))
}

/// The forms that a mapping is walked in: its factors' own, where they are written side by side.
fn walked_forms<'a>(mapping: &'a Mapping, forms: &mut Vec<&'a Form>) {
    forms.push(mapping.form());
    match mapping.kind() {
        MappingKind::Product(parts) => {
            for part in parts {
                walked_forms(part, forms);
            }
        }
        MappingKind::Pad(inner, ..) if is_group(inner) => walked_forms(inner, forms),
        _ => {}
    }
}

/// The places of a buffer whose groups are written as axes.
fn buffer_places(groups: &Groups, buffer: &Form) -> Places {
    Places::of(buffer).with_opaque(groups.opaque_names(&[buffer]))
}

/// What of a packet the sequencer moves.
enum Packet {
    /// All of it.
    Whole,
    /// Its first positions: the digits that remain, innermost first, with groups as axes.
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

    fn form(&self, packet: &Mapping, groups: &Groups) -> Option<Form> {
        match self {
            Self::Whole => Some(groups.rewrite(packet.form())),
            Self::Prefix(digits) => Form::from_digits(digits.iter().cloned()),
        }
    }

    /// The part of a packet that a commit writes: without the padding behind the data, as far as the buffer has no
    /// padding there itself, and only what the buffer keeps of a truncated digit (book: Truncating).
    fn committed(request: &SequenceRequest, groups: &Groups) -> Self {
        let form = groups.rewrite(request.packet.form());
        let buffer = groups.rewrite(request.buffer.form());
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
            (Some(_), _) => match buffer_places(groups, &buffer).room_for_digit(outermost) {
                None => (outermost.live, outermost.live),
                Some(room) if room.data < outermost.live => (room.data, room.data),
                Some(room) if is_tiled(outermost, &request.tiled) => (room.data, room.data),
                Some(room) => (
                    outermost.live,
                    outermost.extent.min(room.padded).max(outermost.live),
                ),
            },
        };
        let extent = within_a_step(request, inner, live, extent);
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

/// The extent of a packet's outermost digit, cut down to what the buffer has for one step of time: padding behind it
/// belongs to steps that hold nothing (`1 # 2` over `K # 32` writes `K` twice, 16 elements apart).
fn within_a_step(request: &SequenceRequest, inner: &[Digit], live: u64, extent: u64) -> u64 {
    let inside = inner
        .iter()
        .fold(1, |size: u64, digit| size.saturating_mul(digit.extent));
    let (size, steps) = (request.buffer.size(), request.time.size());
    let unit = (COMMIT_UNIT_BYTES * 8).div_ceil(request.element_type.bits());
    if !size.is_multiple_of(steps) {
        return extent;
    }
    // Whole units of 8 bytes are written: where a step has more, the rest of it is left alone.
    let step = size / steps;
    let written = [step, step / unit * unit];
    let fits = |written: &u64| {
        written.is_multiple_of(inside) && written.is_multiple_of(unit) && written / inside >= live
    };
    match written.into_iter().find(fits) {
        Some(written) => extent.min(written / inside),
        None => extent,
    }
}

fn is_tiled(digit: &Digit, tiled: &[Arc<str>]) -> bool {
    let axis = digit.term.as_ref().and_then(|term| term.atom.axis());
    axis.is_some_and(|axis| tiled.iter().any(|name| **name == *axis.name()))
}

/// All loops of a stream through a buffer, outermost first, the packet's last.
///
/// The work is bounded by the mappings themselves: each digit of a form has two positions at least, and a size fits 64 bits,
/// so that a form has 63 digits at most.
fn stream_entries(
    request: &SequenceRequest,
    packet: &Packet,
    groups: &Groups,
) -> Result<Vec<Entry>, Misfit> {
    let buffer = groups.rewrite(request.buffer.form());
    let mut places = buffer_places(groups, &buffer);
    if let Some(interleaving) = &request.interleaving {
        places = places.interleaved(Arc::clone(&interleaving.axis), interleaving.distance);
    }
    let written = walk_stream(request, packet, groups, places.clone());
    let written = written.map(|loops| settle_strides(request, &buffer, &loops));
    match &written {
        Err(Misfit::Incompatible { .. }) => {
            // Factors that are one axis again (`B / 3, B % 3`) are walked as one where they do not fit on their own.
            let mut merged = || {
                let time = groups.rewrite(request.time.form());
                let stream = Form::multiply(&time, &packet.form(&request.packet, groups)?)?;
                let mut loops = Vec::new();
                let mut walked = stream.digits().iter().rev();
                walked
                    .try_for_each(|digit| places.walk_digit(digit, &mut loops))
                    .ok()?;
                places.check_reach().ok()?;
                Some(settle_strides(request, &buffer, &loops))
            };
            merged().map_or(written, Ok)
        }
        _ => written,
    }
}

/// Settles the strides of loops. A commit's loops over padding go on behind what is inside them, or, where that leaves the
/// buffer, through holes that it has elsewhere: whichever padding they write, no element is in it.
fn settle_strides(request: &SequenceRequest, buffer: &Form, loops: &[Loop]) -> Vec<Entry> {
    let entries = resolve_loops(loops);
    let inside = |entries: &[Entry]| {
        last_element(&merge(entries)).is_none_or(|last| last < i128::from(buffer.size()))
    };
    if request.mode != SequencerMode::Commit || inside(&entries) {
        return entries;
    }
    let moved = resolve_in_holes(loops, buffer);
    moved.filter(|moved| inside(moved)).unwrap_or(entries)
}

/// The loops of a stream's factors as they are written.
fn walk_stream(
    request: &SequenceRequest,
    packet: &Packet,
    groups: &Groups,
    mut places: Places,
) -> Result<Vec<Loop>, Misfit> {
    let mut loops = Vec::new();
    walk_written(&request.time, groups, &mut places, &mut loops)?;
    match packet {
        Packet::Whole => walk_written(&request.packet, groups, &mut places, &mut loops)?,
        Packet::Prefix(digits) => {
            let mut prefix = Vec::new();
            for digit in digits.iter().rev() {
                places.walk_digit(digit, &mut prefix)?;
            }
            loops.extend(one_line(prefix));
        }
    }
    places.check_reach()?;
    Ok(loops)
}

/// The loops of a mapping, one a factor as it is written: neighbours that would merge stay apart, but a padded group
/// whose elements are in a line is one loop, padding included.
fn walk_written(
    mapping: &Mapping,
    groups: &Groups,
    places: &mut Places,
    loops: &mut Vec<Loop>,
) -> Result<(), Misfit> {
    match mapping.kind() {
        MappingKind::Product(parts) => parts
            .iter()
            .try_for_each(|part| walk_written(part, groups, places, loops)),
        MappingKind::Pad(inner, size, _) if is_group(inner) => {
            let mut attempt = places.clone();
            let mut found = Vec::new();
            if walk_written(inner, groups, &mut attempt, &mut found).is_ok()
                && let [line] = merge(&resolve_loops(&found)).as_slice()
                && line.size == inner.size()
            {
                *places = attempt;
                let axis = line
                    .axis
                    .clone()
                    .or_else(|| Some(Arc::from(format!("[{inner}]"))));
                loops.push(Loop::line(size, line.stride, axis));
                return Ok(());
            }
            walk_digits(mapping, groups, places, loops)
        }
        _ => walk_digits(mapping, groups, places, loops),
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
    groups: &Groups,
    places: &mut Places,
    loops: &mut Vec<Loop>,
) -> Result<(), Misfit> {
    groups
        .rewrite(mapping.form())
        .digits()
        .iter()
        .rev()
        .try_for_each(|digit| places.walk_digit(digit, loops))
}

/// Loops that are in a line as one, others as they are.
fn one_line(loops: Vec<Loop>) -> Vec<Loop> {
    match merge(&resolve_loops(&loops)).as_slice() {
        [line] => vec![Loop::line(line.size, line.stride, line.axis.clone())],
        _ => loops,
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
    } else if let Splitting::Impossible(size) = split_entries(&report.merged) {
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
