//! The Fetch Engine: sequencer, conversion, zero points, interleaving (book: Fetch Engine).
//!
//! Knows what one `fetch` asks of the engine and of DM's banks. What the packet becomes after the engine (flits) is
//! `collect`'s business, what the tensor itself may be is `tensors`'.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::hardware::{
    BANK_RUN_LIMIT, DM_BANK_BITS, DM_BANKS, ElementType, FETCH_ALIGNMENT_BYTES, Target,
    fetch_cast_targets, fetch_casts,
};
use crate::items::Span;
use crate::kernel::{
    Body, Context, Pass, PassSource, Position, StageKind, StreamShape, Tensor, TensorId, ZeroPoint,
};
use crate::mapping::{Answer, Atom, Axis, Digit, Form, Mapping, mappings_equal, same_elements};

use super::banks::{level_reaching, longest_bank_run};
use super::conventions::Conventions;
use super::forms;
use super::masking::{self, Unmaskable};
use super::sequencer::{
    Entry, Interleaving, SequenceReport, SequenceRequest, SequencerMode, SequencerViolation,
    sequence_report,
};

/// The most digits of a time of which other orders are tried.
const ORDERED_DIGITS: usize = 32;

/// What was derived, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FetchDerivation {
    /// The sequencer and its cycles; `None` where a mapping or type is unknown.
    pub sequence: Option<SequenceReport>,
    /// Fetches that the adapter joins to one packet (book: Batching).
    pub fetches_per_packet: Option<u64>,
    /// Where there are too many entries: the time in the buffer's order and its entries, if that is few enough.
    pub reordered_time: Option<(Mapping, usize)>,
    /// Where too little of the packet is in a line: the buffer in the stream's order, if that is enough.
    pub reordered_buffer: Option<Mapping>,
    /// What the engine cannot do.
    pub violations: Vec<FetchViolation>,
}

/// What the engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FetchViolation {
    /// The packet is no multiple of 8 bytes.
    PacketAlignment {
        /// Bits of the packet in the delivered type.
        bits: u64,
        /// The packet padded to the next multiple.
        padded: Option<Mapping>,
    },
    /// The target has no such conversion.
    CastUnsupported {
        /// The type in DM.
        from: ElementType,
        /// The type asked for.
        to: ElementType,
        /// The types that the target converts to.
        alternatives: Vec<ElementType>,
    },
    /// A table asked of the sub context.
    SubContextTable,
    /// A zero point that its type cannot hold.
    ZeroPointRange {
        /// The zero point.
        zero_point: ZeroPoint,
        /// Its type: the one in DM.
        element_type: ElementType,
        /// The type's least and largest value.
        range: (i64, i64),
    },
    /// A zero point of a float.
    ZeroPointFloat {
        /// The zero point.
        zero_point: ZeroPoint,
        /// The type in DM.
        element_type: ElementType,
    },
    /// Padding that a reduction takes in and that cannot be masked.
    Mask(Unmaskable),
    /// More or fewer tensors than two are interleaved.
    InterleavedCount {
        /// How many.
        count: usize,
    },
    /// The axis that chooses between two tensors is not of size 2.
    InterleavedAxis {
        /// Its size.
        size: u64,
    },
    /// The axis that chooses between two tensors is an axis of theirs too.
    InterleavedAxisHeld {
        /// Its name.
        axis: String,
        /// The tensor that has it, counted from 0.
        index: usize,
    },
    /// The interleaved tensors are not of one type.
    InterleavedTypes {
        /// The types of the first and of another tensor.
        types: (ElementType, ElementType),
        /// That other tensor, counted from 0.
        index: usize,
    },
    /// The interleaved tensors are not mapped alike.
    InterleavedMappings {
        /// The element mappings (or those of the level that differs) of the first and of another tensor.
        mappings: (Mapping, Mapping),
        /// That other tensor, counted from 0.
        index: usize,
    },
    /// Time or packet holds padding that must not be touched, and a stream has to come from somewhere.
    Hole {
        /// Where it is written.
        span: Span,
    },
    /// The packet's innermost axis does not step through DM element by element.
    Contiguity {
        /// The axis.
        axis: Arc<str>,
        /// Elements of DM between two of its steps; 0 where the buffer does not have it.
        stride: i128,
    },
    /// The sequencer breaks a limit, or there is none.
    Sequencer(SequencerViolation),
    /// Too many consecutive accesses to one bank.
    Bank(BankRun),
}

/// The time with its digits in the order of the buffer, outermost first, and the entries of that, if it is legal.
fn in_buffer_order(request: &SequenceRequest) -> Option<(Mapping, usize)> {
    let stride = |digit: &Digit| {
        let time = Form::from_digits([digit.clone()])?.to_mapping();
        let alone = SequenceRequest {
            time,
            packet: Mapping::identity(),
            ..request.clone()
        };
        sequence_report(&alone).entries.first()?.stride
    };
    let mut digits: Vec<(Option<i128>, Digit)> = request
        .time
        .form()
        .digits()
        .iter()
        .map(|digit| (stride(digit), digit.clone()))
        .collect();
    digits.sort_by_key(|(stride, _)| *stride);
    let time = Form::from_digits(digits.into_iter().map(|(_, digit)| digit))?.to_mapping();
    let report = sequence_report(&SequenceRequest {
        time: time.clone(),
        ..request.clone()
    });
    report
        .violations
        .is_empty()
        .then_some((time, report.merged.len()))
}

/// The buffer in the order of time and packet, if it holds just the stream's elements and the stream is legal then.
fn in_stream_order(request: &SequenceRequest) -> Option<Mapping> {
    let stream = Form::multiply(request.time.form(), request.packet.form())?;
    if same_elements(request.buffer.form(), &stream) != Answer::Yes {
        return None;
    }
    let buffer = stream.to_mapping();
    let report = sequence_report(&SequenceRequest {
        buffer: buffer.clone(),
        ..request.clone()
    });
    report.violations.is_empty().then_some(buffer)
}

/// The time with another of its digits innermost, with which no run on one bank reaches the limit.
fn with_other_inner_digit(request: &SequenceRequest) -> Option<Mapping> {
    let digits = request.time.form().digits();
    if digits.len() > ORDERED_DIGITS {
        return None;
    }
    (1..digits.len()).find_map(|index| {
        let mut digits = digits.to_vec();
        let inner = digits.remove(index);
        digits.insert(0, inner);
        let time = Form::from_digits(digits)?.to_mapping();
        let report = sequence_report(&SequenceRequest {
            time: time.clone(),
            ..request.clone()
        });
        let fine = report.violations.is_empty()
            && report
                .longest_bank_run
                .is_some_and(|run| run < BANK_RUN_LIMIT);
        fine.then_some(time)
    })
}

/// A run of accesses to one bank of DM that reaches the limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BankRun {
    /// The longest run, in accesses.
    pub run: u64,
    /// The entry with which it reaches the limit.
    pub entry: Entry,
    /// The entry's stride in bits.
    pub stride_bits: i128,
    /// The next larger stride in bits, in steps of a bank's row, with which no run reaches the limit.
    pub better_stride_bits: Option<i128>,
    /// The buffer with rows padded to that stride.
    pub padded_buffer: Option<Mapping>,
    /// A time in another order with which no run reaches the limit; a fetch can choose it, a commit cannot.
    pub other_time: Option<Mapping>,
}

impl BankRun {
    /// The run of a sequencer that reaches the limit, if one does.
    pub(super) fn of(report: &SequenceReport, address: Option<u64>) -> Option<Self> {
        let run = report
            .longest_bank_run
            .filter(|run| *run >= BANK_RUN_LIMIT)?;
        let base = address.unwrap_or(0).saturating_mul(8);
        let touched = report.touched_bits?;
        let levels = &report.access_levels;
        let level = level_reaching(levels, touched, base, BANK_RUN_LIMIT)?;
        let stride_bits = levels.get(level)?.stride_bits;
        let better = |rows: u64| {
            let wider = stride_bits.checked_add(i128::from(rows * DM_BANK_BITS))?;
            let mut levels = levels.clone();
            levels.get_mut(level)?.stride_bits = wider;
            (longest_bank_run(&levels, touched, base) < BANK_RUN_LIMIT).then_some(wider)
        };
        Some(Self {
            run,
            entry: report.merged.get(level)?.clone(),
            stride_bits,
            better_stride_bits: (1..DM_BANKS).find_map(better),
            padded_buffer: None,
            other_time: None,
        })
    }

    /// The same with the buffer's rows padded to the better stride.
    pub(super) fn with_padded_buffer(mut self, request: &SequenceRequest) -> Self {
        self.padded_buffer = self.padded_mapping(request);
        self
    }

    fn padded_mapping(&self, request: &SequenceRequest) -> Option<Mapping> {
        let element_bits = request.element_type.bits();
        let elements = |bits: i128| Some(u64::try_from(bits).ok()? / element_bits);
        let (outer, row) = request
            .buffer
            .form()
            .split_at(elements(self.stride_bits)?)?;
        let wider = row.pad(elements(self.better_stride_bits?)?)?;
        Some(Form::multiply(&outer, &wider)?.to_mapping())
    }
}

/// Derives what the Fetch Engine does with a stage (book: Fetch Engine; library: 5.6).
pub fn derive_fetch(body: &Body, pass: &Pass, index: usize, target: Target) -> FetchDerivation {
    let mut derivation = FetchDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derivation;
    };
    let input = pass.input_of(index);
    let output = &stage.output;
    if let StageKind::Fetch { table, zero_points } = &stage.kind {
        derivation
            .violations
            .extend(check_zero_points(zero_points, input.element_type.value));
        if *table && pass.context == Some(Context::Sub) {
            derivation.violations.push(FetchViolation::SubContextTable);
        }
        if !*table {
            derivation
                .violations
                .extend(check_cast(input, output, target));
        }
    }
    let conventions = Conventions::of(pass.dialect);
    derivation
        .violations
        .extend(check_packet(pass, index, conventions));
    if input.position == Position::Begin {
        derivation.violations.extend(check_interleaving(body, pass));
        derive_sequence(body, pass, index, &mut derivation);
        if conventions.counts_valid_elements() {
            derivation
                .violations
                .extend(masking::unmaskable(pass, index).map(FetchViolation::Mask));
        }
    }
    derivation
}

fn check_zero_points(
    zero_points: &[ZeroPoint],
    element_type: Option<ElementType>,
) -> Vec<FetchViolation> {
    let Some(element_type) = element_type else {
        return Vec::new();
    };
    let range = integer_range(element_type);
    zero_points
        .iter()
        .filter_map(|zero_point| match (range, zero_point.value) {
            (None, _) => Some(FetchViolation::ZeroPointFloat {
                zero_point: zero_point.clone(),
                element_type,
            }),
            (Some(range), Some(value)) if value < range.0 || value > range.1 => {
                Some(FetchViolation::ZeroPointRange {
                    zero_point: zero_point.clone(),
                    element_type,
                    range,
                })
            }
            _ => None,
        })
        .collect()
}

/// Least and largest value of an integer type; `None` for a float.
const fn integer_range(element_type: ElementType) -> Option<(i64, i64)> {
    Some(match element_type {
        ElementType::I4 => (-8, 7),
        ElementType::I5 => (-16, 15),
        ElementType::I8 => (-128, 127),
        ElementType::U8 => (0, 255),
        ElementType::I9 => (-256, 255),
        ElementType::I16 => (-32_768, 32_767),
        ElementType::I32 => (-2_147_483_648, 2_147_483_647),
        ElementType::F4E2M1
        | ElementType::F8
        | ElementType::F8E4M3
        | ElementType::F8E5M2
        | ElementType::F16
        | ElementType::Bf16
        | ElementType::F32 => return None,
    })
}

fn check_cast(input: &StreamShape, output: &StreamShape, target: Target) -> Option<FetchViolation> {
    let from = input.element_type.value?;
    let to = output.element_type.value?;
    (!fetch_casts(target, from, to)).then(|| FetchViolation::CastUnsupported {
        from,
        to,
        alternatives: fetch_cast_targets(target, from).collect(),
    })
}

/// The packet that has to be a multiple of 8 bytes: the fetched one, or what enters the Switch Engine.
fn check_packet(pass: &Pass, index: usize, conventions: Conventions) -> Option<FetchViolation> {
    let output = if conventions.aligns_before_switch() {
        let last = pass.last_adapter(index);
        let next = pass.stages.get(last.checked_add(1)?)?;
        matches!(next.kind, StageKind::Switch(_)).then_some(())?;
        &pass.stages.get(last)?.output
    } else {
        &pass.stages.get(index)?.output
    };
    let packet = output.packet.value.as_ref()?;
    let bits = unaligned_bits(output.element_type.value?, packet)?;
    let padded = output.padded_packet(FETCH_ALIGNMENT_BYTES);
    Some(FetchViolation::PacketAlignment { bits, padded })
}

/// The bits of a delivered packet, if they are no multiple of what the engine delivers.
pub fn unaligned_bits(element_type: ElementType, packet: &Mapping) -> Option<u64> {
    let bits = element_type.bits_of(packet.size())?;
    (!bits.is_multiple_of(FETCH_ALIGNMENT_BYTES * 8)).then_some(bits)
}

fn check_interleaving(body: &Body, pass: &Pass) -> Vec<FetchViolation> {
    let PassSource::Interleaved { axis, tensors, .. } = &pass.source else {
        return Vec::new();
    };
    let mut violations = Vec::new();
    if tensors.len() != 2 {
        violations.push(FetchViolation::InterleavedCount {
            count: tensors.len(),
        });
    }
    if let Some(axis) = axis.get()
        && axis.size() != 2
    {
        violations.push(FetchViolation::InterleavedAxis { size: axis.size() });
    }
    let tensors: Vec<Option<&Tensor>> = tensors.iter().map(|id| body.tensor(*id)).collect();
    if let Some(axis) = axis.get()
        && let Some(index) = tensors.iter().position(|tensor| holds_axis(*tensor, axis))
    {
        violations.push(FetchViolation::InterleavedAxisHeld {
            axis: axis.name().to_owned(),
            index,
        });
    }
    let Some((Some(first), others)) = tensors.split_first() else {
        return violations;
    };
    for (index, other) in others.iter().enumerate() {
        violations.extend(other.and_then(|other| tensor_difference(first, other, index + 1)));
    }
    violations
}

fn holds_axis(tensor: Option<&Tensor>, axis: &Axis) -> bool {
    let mut levels = tensor.into_iter().flat_map(|tensor| tensor.levels.iter());
    levels.any(|(_, level)| {
        let mapping = level.get().filter(|mapping| !mapping.is_opaque());
        mapping.is_some_and(|mapping| mapping.form().contains_axis(axis.name()))
    })
}

/// What tells two tensors apart that one sequencer is to read in turns.
fn tensor_difference(first: &Tensor, other: &Tensor, index: usize) -> Option<FetchViolation> {
    if let (Some(one), Some(two)) = (first.element_type.value, other.element_type.value)
        && one != two
    {
        return Some(FetchViolation::InterleavedTypes {
            types: (one, two),
            index,
        });
    }
    first
        .levels
        .iter()
        .zip(other.levels.iter())
        .find_map(|((_, one), (_, two))| {
            let (one, two) = (one.value.as_ref()?, two.value.as_ref()?);
            (mappings_equal(one, two) == Answer::No).then(|| FetchViolation::InterleavedMappings {
                mappings: (one.clone(), two.clone()),
                index,
            })
        })
}

/// The question to the sequencer that a fetch directly after `begin` is.
pub(super) fn fetch_request(body: &Body, pass: &Pass, index: usize) -> Option<SequenceRequest> {
    let output = &pass.stages.get(index)?.output;
    let begin = &pass.begin;
    let element_type = begin.element_type.value?;
    let mut request = SequenceRequest::new(
        begin.packet.value.clone()?,
        output.time.value.clone()?,
        output.packet.value.clone()?,
        element_type,
        SequencerMode::Fetch,
    );
    let delivered = pass.stages.get(pass.last_adapter(index))?;
    request.delivered_type = delivered.output.element_type.value?;
    request.context = pass.context;
    request.whole_words = Conventions::of(pass.dialect).delivers_whole_words();
    match &pass.source {
        PassSource::Tensor(id) => {
            request.address = body.tensor(*id).and_then(|tensor| tensor.address.bytes());
        }
        PassSource::Interleaved { axis, tensors, .. } => {
            let axis = axis.get()?.shared_name();
            let distance = distance(body, tensors, element_type);
            request.interleaving = Some(Interleaving { axis, distance });
        }
        PassSource::Parameter { .. } => {
            // A stream parameter that is interleaved shows it by the axis of its time.
            let time = begin.time.value.as_ref()?;
            request.interleaving = time.axes().first().map(|axis| Interleaving {
                axis: axis.shared_name(),
                distance: None,
            });
        }
    }
    Some(request)
}

/// Elements from the first of two tensors to the second.
fn distance(body: &Body, tensors: &[TensorId], element_type: ElementType) -> Option<i128> {
    let [first, second] = tensors else {
        return None;
    };
    let address = |id: &TensorId| body.tensor(*id).and_then(|tensor| tensor.address.bytes());
    let bytes = i128::from(address(second)?).checked_sub(i128::from(address(first)?))?;
    let bits = bytes.checked_mul(8)?;
    let unit = i128::from(element_type.bits());
    (bits % unit == 0).then_some(bits / unit)
}

/// The innermost axis of a packet, if it does not step through the buffer element by element.
fn scattered(request: &SequenceRequest, report: &SequenceReport) -> Option<FetchViolation> {
    let digit = request.packet.form().digits().first()?.clone();
    let entry = report.entries.last()?;
    let (axis, own) = match &digit.term.as_ref()?.atom {
        Atom::Broadcast => (digit.live.to_string(), entry.axis.is_none()),
        atom => {
            let axis = atom.axis()?.name().to_owned();
            let own = entry.axis.as_deref() == Some(axis.as_str());
            (axis, own)
        }
    };
    let own = own && digit.live > 1;
    let stride = entry.stride.filter(|stride| own && *stride != 1)?;
    Some(FetchViolation::Contiguity {
        axis: axis.into(),
        stride,
    })
}

fn derive_sequence(body: &Body, pass: &Pass, index: usize, derivation: &mut FetchDerivation) {
    let Some(request) = fetch_request(body, pass, index) else {
        return;
    };
    let report = sequence_report(&request);
    if let Some(output) = pass.stages.get(index).map(|stage| &stage.output) {
        let hole = [&output.time, &output.packet]
            .into_iter()
            .find(|written| forms::known_form(written).is_some_and(forms::has_hole));
        derivation
            .violations
            .extend(hole.map(|hole| FetchViolation::Hole { span: hole.span }));
    }
    // The packet's alignment and the conversion come first: sizes that do not fit follow from them.
    let unaligned = derivation
        .violations
        .iter()
        .any(|found| matches!(found, FetchViolation::PacketAlignment { .. }));
    let unconverted = derivation
        .violations
        .iter()
        .any(|found| matches!(found, FetchViolation::CastUnsupported { .. }));
    let follows = |violation: &SequencerViolation| match violation {
        SequencerViolation::SubContextSize { .. } | SequencerViolation::Packet { .. } => {
            unaligned || unconverted
        }
        _ => violation.rule().is_none(),
    };
    let found = report
        .violations
        .iter()
        .filter(|violation| !follows(violation))
        .cloned();
    derivation
        .violations
        .extend(found.map(FetchViolation::Sequencer));
    if report
        .violations
        .iter()
        .any(|found| matches!(found, SequencerViolation::Entries { .. }))
    {
        derivation.reordered_time = in_buffer_order(&request);
    }
    if derivation.violations.iter().any(|found| {
        matches!(
            found,
            FetchViolation::Sequencer(
                SequencerViolation::SubContextSize { .. } | SequencerViolation::Packet { .. }
            )
        )
    }) {
        derivation.reordered_buffer = in_stream_order(&request);
    }
    if let Some(access) = report.access_bytes {
        derivation.fetches_per_packet = report.packet_bytes.map(|bytes| bytes.div_ceil(access));
        derivation
            .violations
            .extend(BankRun::of(&report, request.address).map(|run| {
                FetchViolation::Bank(BankRun {
                    other_time: with_other_inner_digit(&request),
                    ..run.with_padded_buffer(&request)
                })
            }));
    }
    if Conventions::of(pass.dialect).fetches_contiguously() {
        derivation.violations.extend(scattered(&request, &report));
    }
    derivation.sequence = Some(report);
}
