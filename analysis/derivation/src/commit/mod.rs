//! The Commit Engine: what of each packet is written, and where (book: Commit Engine).
//!
//! Knows flits, the part of them that the element keeps, the write sequencer and the banks it meets. Which tensors the
//! writes meet in DM is `memory`'s business.

#[cfg(test)]
mod tests;

mod packed;

use std::sync::Arc;

use crate::hardware::{COMMIT_UNIT_BYTES, FLIT_BYTES};
use crate::kernel::{
    Body, OperandSource, Origin, Pass, PassEnd, Position, StageKind, Tensor, TensorId,
};
use crate::mapping::{Atom, Digit, Form, Groups, Mapping, MappingKind, PaddingKind, gcd};

use super::conventions::Conventions;
use super::fetch::BankRun;
use super::sequencer::{
    Misfit, SequenceReport, SequenceRequest, SequencerMode, SequencerViolation, lacking_part,
    sequence_report,
};
use super::views::{MisalignedWindow, misaligned_window, tiled_axes};

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CommitDerivation {
    /// The write sequencer and its cycles; `None` where a mapping or type is unknown.
    pub sequence: Option<SequenceReport>,
    /// Writes that a packet is split into.
    pub writes_per_packet: Option<u64>,
    /// Where strides or bounds are at fault: the element with just enough padding, if padding is enough.
    pub padded_element: Option<Mapping>,
    /// Where the order of the element is at fault (too short pieces, too many loops): the element in the stream's order.
    pub reordered_element: Option<Mapping>,
    /// What the engine cannot do.
    pub violations: Vec<CommitViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CommitViolation {
    /// The packet that reaches the engine is no flit.
    Flit {
        /// Bits of the packet.
        bits: u64,
    },
    /// What is committed of the packet is not 8, 16, 24 or 32 bytes.
    PacketSize {
        /// Bits of the committed part.
        bits: u64,
        /// Elements of the committed part.
        elements: u64,
        /// The element with its innermost part padded to a size that can be written, if padding is enough.
        padded: Option<Mapping>,
    },
    /// The element is not the stream's time and packet in another order.
    Mapping(Mismatch),
    /// The address is no multiple of 8.
    Alignment {
        /// The address in bytes.
        address: u64,
    },
    /// A tile that begins at no multiple of 8 bytes of its tensor.
    Window(MisalignedWindow),
    /// The sequencer breaks a limit, or there is none.
    Sequencer(SequencerViolation),
    /// Too many consecutive accesses to one bank.
    Bank(BankRun),
}

/// How an element differs from the stream that is committed to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// What differs.
    pub kind: MismatchKind,
    /// Time and packet as they arrive.
    pub stream: Mapping,
    /// The element as it is written.
    pub element: Mapping,
    /// An element that holds the stream, in its order.
    pub expected: Option<Mapping>,
}

/// What differs between an element and the stream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MismatchKind {
    /// The stream has an axis that the element lacks.
    Dropped(Arc<str>),
    /// The stream has a part of an axis that the element lacks, or in digits that do not fit.
    Misfit(Misfit),
    /// The element has an axis, or a part of one, that the stream lacks.
    Invented(Misfit),
    /// The element has that many copies, which name no axis, and the stream does not bring them.
    Copies(u64),
    /// The packet is not the innermost run of the element: what is there, if the packet's length divides the element.
    Innermost(Option<Mapping>),
    /// The time has more padding than the element has room for.
    Padding {
        /// Padded steps a step of data.
        needed: u64,
        /// Positions of padding that the element has for it.
        held: u64,
    },
}

/// Derives what the Commit Engine does at the end of a pass (book: Commit Engine; library: 5.11).
pub fn derive_commit(body: &Body, pass: &Pass) -> CommitDerivation {
    let mut derivation = CommitDerivation::default();
    let (PassEnd::Commit { target, .. } | PassEnd::CommitView { target, .. }) = &pass.end else {
        return derivation;
    };
    let Some(tensor) = body.tensor(*target) else {
        return derivation;
    };
    derivation.violations.extend(check_alignment(body, tensor));
    let output = pass.output();
    let bits = output.packet.get().zip(output.element_type.value);
    let bits =
        bits.and_then(|(packet, element_type)| packet.size().checked_mul(element_type.bits()));
    // A trimmed packet was judged by its trim.
    let trimmed = output.position >= Position::CommitTrim;
    if !trimmed && bits.is_some_and(|bits| bits != FLIT_BYTES * 8) {
        // A stage after the fetch that makes other packets than flits is at fault itself.
        if let (Some(bits), Position::Fetch | Position::Switch) = (bits, output.position)
            && !is_unaligned_fetch(bits)
        {
            derivation.violations.push(CommitViolation::Flit { bits });
        }
        return derivation;
    }
    let Some(request) = commit_request(body, pass, *target, tensor) else {
        return derivation;
    };
    let report = sequence_report(&request);
    derivation
        .violations
        .extend(judge_commit_stream(body, pass, &request, &report));
    if derivation.violations.iter().any(is_mended_by_padding) {
        derivation.padded_element = with_padding(&request);
    }
    if derivation.violations.iter().any(is_mended_by_order) {
        derivation.reordered_element = expected_element(&request);
    }
    if derivation.violations.is_empty() {
        derivation.violations.extend(
            BankRun::of(&report, request.address)
                .map(|run| CommitViolation::Bank(run.with_padded_buffer(&request))),
        );
    }
    derivation.writes_per_packet = report
        .packet_bytes
        .zip(report.access_bytes)
        .map(|(packet, access)| packet.div_ceil(access));
    derivation.sequence = Some(report);
    derivation
}

/// A fetched packet that is no multiple of 8 bytes has its own violation.
const fn is_unaligned_fetch(bits: u64) -> bool {
    !bits.is_multiple_of(COMMIT_UNIT_BYTES * 8)
}

/// The address of a tensor that a commit makes, or the place of a tile in its tensor. The address of an element that is not aligned
/// to its own size is refused before the commit is.
fn check_alignment(body: &Body, tensor: &Tensor) -> Option<CommitViolation> {
    match tensor.origin {
        Origin::View { .. } => {
            let window = misaligned_window(body, tensor.id, COMMIT_UNIT_BYTES * 8);
            return window.map(CommitViolation::Window);
        }
        Origin::Resized { .. } => return None,
        _ => {}
    }
    let address = tensor.address.bytes()?;
    let aligned = address.is_multiple_of(COMMIT_UNIT_BYTES);
    let element = tensor
        .element_type
        .value
        .map_or(1, |element_type| element_type.bits().div_ceil(8));
    (!aligned && address.is_multiple_of(element)).then_some(CommitViolation::Alignment { address })
}

/// The question to the sequencer that a commit is.
pub(super) fn commit_request(
    body: &Body,
    pass: &Pass,
    target: TensorId,
    tensor: &Tensor,
) -> Option<SequenceRequest> {
    let output = pass.output();
    let mut request = SequenceRequest::new(
        tensor.levels.element.value.clone()?,
        output.time.value.clone()?,
        output.packet.value.clone()?,
        output.element_type.value?,
        SequencerMode::Commit,
    );
    request.context = pass.context;
    request.address = tensor.address.bytes();
    request.tiled = tiled_axes(body, target);
    Some(request)
}

/// The violations of the stream against the element, the first fact only: packet size before mapping before sequencer.
fn judge_commit_stream(
    body: &Body,
    pass: &Pass,
    request: &SequenceRequest,
    report: &SequenceReport,
) -> Vec<CommitViolation> {
    let stream = request.time.form();
    let packet = request.packet.form();
    let element = request.buffer.form();
    let names = element.axis_names();
    // The first part of a group is in its innermost axis alone, and belongs to the group's other axes anyway.
    let groups = Groups::of(&[stream, packet, element]);
    let held = groups.rewrite(element);
    let lacks = |axis: &Arc<str>| !names.contains(axis) && !groups.carry(&held, axis);
    let absent = |form: &Form| form.axis_names().into_iter().find(lacks);
    if absent(packet).is_none()
        && let Some(violation) = packet_size(request, report)
    {
        return vec![violation];
    }
    let mismatch = |kind| {
        let stream = joined_factors(&request.time, &request.packet);
        vec![CommitViolation::Mapping(Mismatch {
            kind,
            stream,
            element: request.buffer.clone(),
            expected: expected_element(request),
        })]
    };
    let dropped = stream
        .axis_names()
        .into_iter()
        .chain(packet.axis_names())
        .filter(lacks);
    let dropped: Vec<Arc<str>> = dropped.collect();
    if let Some(axis) = dropped.iter().find(|axis| !is_broadcast(body, pass, axis)) {
        return mismatch(MismatchKind::Dropped(Arc::clone(axis)));
    }
    let exact = Conventions::of(pass.dialect).commits_packets_innermost();
    if exact && let Some(found) = packed::other_innermost(packet, element) {
        return mismatch(MismatchKind::Innermost(found.ok()));
    }
    let violations = || report.violations.iter();
    if let Some(misfit) = violations().find_map(|violation| match violation {
        SequencerViolation::Misfit(misfit) => Some(misfit),
        _ => None,
    }) {
        return match misfit {
            Misfit::Unknown => Vec::new(),
            misfit => mismatch(MismatchKind::Misfit(misfit.clone())),
        };
    }
    let Some(whole) = Form::multiply(stream, packet) else {
        return Vec::new();
    };
    if let Some(misfit) = lacking_part(&whole, element) {
        return mismatch(MismatchKind::Invented(misfit));
    }
    if exact && let Some(copies) = unwritten_copies(&whole, element) {
        return mismatch(MismatchKind::Copies(copies));
    }
    let is_bounds = |violation: &SequencerViolation| {
        matches!(violation, SequencerViolation::WriteBounds { .. })
    };
    let (needed, held) = if violations().any(is_bounds) {
        packed::padding_factors(stream, element)
    } else {
        (1, 1)
    };
    if exact && needed > held {
        return mismatch(MismatchKind::Padding { needed, held });
    }
    // Before the packet had to be the innermost run, what is written beyond the end may also be padding of the packet.
    let overlaps =
        Conventions::of(pass.dialect).writes_padding_over_padding() && (2..=held).contains(&needed);
    let beyond = |violation: &SequencerViolation| (exact || overlaps) && is_bounds(violation);
    violations()
        .filter(|violation| !matches!(violation, SequencerViolation::CommitPacket { .. }))
        .filter(|violation| !beyond(violation))
        .cloned()
        .map(CommitViolation::Sequencer)
        .collect()
}

/// Copies of the element that nothing of the stream is written to; `None` if each has its own in the stream.
fn unwritten_copies(stream: &Form, element: &Form) -> Option<u64> {
    let copies = |form: &Form| -> Vec<u64> {
        let digits = form.digits().iter();
        let named = |digit: &&Digit| {
            let term = digit.term.as_ref();
            term.is_some_and(|term| matches!(term.atom, Atom::Broadcast))
        };
        digits.filter(named).map(|digit| digit.live).collect()
    };
    // A stream may bring copies in other parts than the element keeps them: only where it brings none is it proven.
    let brought: u64 = copies(stream).iter().product();
    let held = copies(element).into_iter().max()?;
    (brought == 1).then_some(held)
}

/// Time and packet as one list of factors.
fn joined_factors(time: &Mapping, packet: &Mapping) -> Mapping {
    let factors = |mapping: &Mapping| match mapping.kind() {
        MappingKind::Product(parts) => parts.to_vec(),
        MappingKind::Identity => Vec::new(),
        _ => vec![mapping.clone()],
    };
    let parts: Vec<Mapping> = [time, packet].into_iter().flat_map(factors).collect();
    Mapping::product(&parts).unwrap_or_else(|_| packet.clone())
}

fn packet_size(request: &SequenceRequest, report: &SequenceReport) -> Option<CommitViolation> {
    let elements = report.packet_elements?;
    let bits = elements.checked_mul(request.element_type.bits())?;
    let unit = COMMIT_UNIT_BYTES * 8;
    if bits.is_multiple_of(unit) && bits > 0 && bits <= FLIT_BYTES * 8 {
        return None;
    }
    Some(CommitViolation::PacketSize {
        bits,
        elements,
        padded: padded_element(request, elements),
    })
}

/// The element with the committed part padded to the next multiple of 8 bytes, where that part is just what is
/// innermost in the element.
fn padded_element(request: &SequenceRequest, elements: u64) -> Option<Mapping> {
    let element_bits = request.element_type.bits();
    let bits = elements
        .checked_mul(element_bits)?
        .checked_next_multiple_of(COMMIT_UNIT_BYTES * 8)?;
    let (outer, inner) = request.buffer.form().split_at(elements)?;
    if bits > FLIT_BYTES * 8 || !inner.is_resize_of(request.packet.form()) {
        return None;
    }
    let padded = inner.pad(bits / element_bits)?;
    Some(Form::multiply(&outer, &padded)?.to_mapping())
}

/// The stream as an element: its time, and its packet with just enough of the padding behind it.
fn expected_element(request: &SequenceRequest) -> Option<Mapping> {
    let unit = COMMIT_UNIT_BYTES * 8 / request.element_type.bits();
    let packet = request.packet.form().remove_padding();
    let packet = packet.pad(packet.size().checked_next_multiple_of(unit)?)?;
    let element = Form::multiply(request.time.form(), &packet)?.to_mapping();
    let mended = SequenceRequest {
        buffer: element.clone(),
        ..request.clone()
    };
    sequence_report(&mended)
        .error()
        .is_none()
        .then_some(element)
}

const fn is_mended_by_padding(violation: &CommitViolation) -> bool {
    matches!(
        violation,
        CommitViolation::Sequencer(
            SequencerViolation::WriteStride { .. } | SequencerViolation::WriteBounds { .. }
        )
    )
}

const fn is_mended_by_order(violation: &CommitViolation) -> bool {
    matches!(
        violation,
        CommitViolation::Sequencer(
            SequencerViolation::CommitSize { .. }
                | SequencerViolation::Entries { .. }
                | SequencerViolation::Iterations { .. }
        )
    )
}

/// The element with each digit padded as far as the stream's digit of the same axis, and to steps of 8 bytes outside of
/// the packet; `None` if that does not mend the commit.
fn with_padding(request: &SequenceRequest) -> Option<Mapping> {
    let unit = COMMIT_UNIT_BYTES * 8 / request.element_type.bits();
    // Padding behind the packet is cut off before the writes.
    let stream = Form::multiply(request.time.form(), &request.packet.form().remove_padding())?;
    let positions = |digit: &Digit| {
        let term = digit.term.as_ref()?;
        Some((
            term.atom.axis()?.name().to_owned(),
            term.stride.checked_mul(digit.extent)?,
        ))
    };
    let mut inside: u64 = 1;
    let mut digits = Vec::new();
    for digit in request.buffer.form().digits() {
        let mut padded = digit.clone();
        if let Some((axis, _)) = positions(digit) {
            let step = digit.term.as_ref()?.stride;
            let reaches = stream
                .digits()
                .iter()
                .filter_map(positions)
                .filter(|(found, _)| *found == axis);
            let reach = reaches
                .map(|(_, reach)| reach.div_ceil(step))
                .max()
                .unwrap_or(0);
            padded.add_padding(reach, PaddingKind::Top);
        }
        // The next digit's step is a multiple of 8 bytes once this one's positions are.
        let factor = unit / gcd(unit, inside);
        if inside.checked_mul(padded.extent)? >= unit {
            padded.add_padding(
                padded.extent.checked_next_multiple_of(factor)?,
                PaddingKind::Top,
            );
        }
        inside = inside.checked_mul(padded.extent)?;
        digits.push(padded);
    }
    let element = Form::from_digits(digits)?.to_mapping();
    let mended = SequenceRequest {
        buffer: element.clone(),
        ..request.clone()
    };
    sequence_report(&mended)
        .error()
        .is_none()
        .then_some(element)
}

/// Whether an axis of the stream holds no data: the pass's own source lacks it, and no operand brings it in.
fn is_broadcast(body: &Body, pass: &Pass, axis: &str) -> bool {
    let lacks = |mapping: Option<&Mapping>| {
        mapping.is_some_and(|mapping| !mapping.form().contains_axis(axis))
    };
    let begin = &pass.begin;
    let source = [
        &begin.chip,
        &begin.cluster,
        &begin.slice,
        &begin.time,
        &begin.packet,
    ]
    .into_iter()
    .all(|level| lacks(level.get()));
    source
        && operand_tensors(pass).all(|operand| {
            let tensor = operand.and_then(|id| body.tensor(id));
            tensor.is_some_and(|tensor| tensor.levels.iter().all(|(_, level)| lacks(level.get())))
        })
}

/// The tensors that a pass reads beside its source; `None` for one that could not be followed.
fn operand_tensors(pass: &Pass) -> impl Iterator<Item = Option<TensorId>> {
    pass.stages.iter().flat_map(|stage| match &stage.kind {
        StageKind::Align { operand, .. } => vec![*operand],
        StageKind::VectorAlu(operation) => operation
            .operands
            .iter()
            .flatten()
            .filter_map(|operand| match operand.source {
                OperandSource::Vrf(id) => Some(Some(id)),
                OperandSource::Unknown => Some(None),
                OperandSource::Constant(_) | OperandSource::Stash | OperandSource::Skip => None,
            })
            .collect(),
        _ => Vec::new(),
    })
}
