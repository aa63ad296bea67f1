//! Alignment: the Stream Adapter collects flits and repeats packets, the TRF Sequencer reads weights to match
//! (book: Aligner).

use crate::conventions::Conventions;
use crate::forms;
use crate::hardware::ElementType;
use crate::kernel::{Body, Origin, Pass, StageKind, StreamShape, Tensor};
use crate::mapping::{Division, Form, Mapping};

use super::trf_sequencer::{self, TrfSequencer, TrfSequencerError};
use super::{MAC_BYTES, contract::is_operand_type, is_row_count};

/// What alignment makes of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AlignDerivation {
    /// Flits of the stream that make one aligned packet: 1 (the other half is zeros) or 2.
    pub collected_flits: Option<u64>,
    /// Repetitions of each packet: the positions of the time axes that only the TRF has.
    pub tiling: Option<u64>,
    /// One collected flit, zero-padded to 64 bytes.
    pub one_flit_packet: Option<Mapping>,
    /// Two collected flits; only where the innermost steps of the time come in pairs.
    pub two_flit_packet: Option<Mapping>,
    /// The output time for the declared packet: the stream's, less the collected flits, with what the declared time
    /// repeats inside.
    pub expected_time: Option<Mapping>,
    /// The configuration of the TRF Sequencer.
    pub sequencer: Option<TrfSequencer>,
    /// What cannot be aligned.
    pub violations: Vec<AlignViolation>,
}

/// What cannot be aligned.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlignViolation {
    /// The stream has a type that the engine does not multiply.
    Type {
        /// The type.
        element_type: ElementType,
    },
    /// The operands have types that are not multiplied with each other.
    OperandType {
        /// The stream's.
        stream: ElementType,
        /// The TRF tensor's.
        trf: ElementType,
    },
    /// A TRF tensor that no load of this body makes has a row count that the MAC array does not have.
    RowCount {
        /// Rows.
        rows: u64,
    },
    /// The aligned packet is not 64 bytes.
    PacketSize {
        /// Bits of the packet.
        bits: u64,
    },
    /// The aligned packet is neither one collected flit of the stream, zero-padded, nor two.
    PacketMismatch,
    /// The aligned time is not the stream's with repetitions inside.
    TimeMismatch {
        /// How it differs.
        reason: AlignedTime,
    },
    /// Tiling axes that the TRF tensor does not hold either.
    TilingNotInTrf {
        /// Their names, sorted.
        axes: Vec<String>,
    },
    /// The computation mappings differ: axes of the TRF tensor's element that the aligned stream does not go through,
    /// or a level above the rows that differs.
    OperandMismatch {
        /// Axes that the alignment would drop, sorted; empty where a level differs.
        dropped: Vec<String>,
    },
    /// The TRF Sequencer has no configuration.
    Sequencer(TrfSequencerError),
}

/// How an aligned time differs from what the Stream Adapter makes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlignedTime {
    /// Axes of the stream's time of which a part is missing.
    Missing {
        /// Their names, sorted.
        axes: Vec<String>,
    },
    /// The stream's axes are in another order.
    Reordered,
    /// The stream's axes have other padding.
    Padding,
    /// Tiling axes are outside an axis of the stream.
    TilingOutside {
        /// Their names, sorted.
        axes: Vec<String>,
    },
}

/// Derives the align stage `index` of a pass.
pub fn derive_align(body: &Body, pass: &Pass, index: usize) -> AlignDerivation {
    let mut derived = AlignDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derived;
    };
    let StageKind::Align { operand, .. } = &stage.kind else {
        return derived;
    };
    let operand = operand.and_then(|id| body.tensor(id));
    let (input, output) = (pass.input_of(index), &stage.output);
    let stream_type = input.element_type.get().copied();
    check_types(stream_type, operand, &mut derived);
    check_rows(operand, &mut derived);
    // Sizes in bytes follow from the types.
    let typed = !derived.violations.iter().any(|violation| {
        matches!(
            violation,
            AlignViolation::Type { .. } | AlignViolation::OperandType { .. }
        )
    });
    if let Some(element_type) = stream_type
        && typed
    {
        let conventions = Conventions::of(pass.dialect);
        judge_align(
            element_type,
            input,
            output,
            (operand, conventions),
            &mut derived,
        );
    }
    derived
}

/// The types of both operands. The fetch's zero point makes an `i5` of an `i4` and an `i9` of an `i8`: these multiply
/// with their origins.
fn check_types(
    stream: Option<ElementType>,
    operand: Option<&Tensor>,
    derived: &mut AlignDerivation,
) {
    let family = |element_type: ElementType| match element_type {
        ElementType::I5 => ElementType::I4,
        ElementType::I9 => ElementType::I8,
        other => other,
    };
    let Some(stream) = stream else { return };
    if !is_operand_type(stream) {
        derived.violations.push(AlignViolation::Type {
            element_type: stream,
        });
    } else if let Some(&trf) = operand.and_then(|tensor| tensor.element_type.get())
        && family(trf) != family(stream)
    {
        derived
            .violations
            .push(AlignViolation::OperandType { stream, trf });
    }
}

/// The rows of a TRF tensor whose load is not judged elsewhere.
fn check_rows(operand: Option<&Tensor>, derived: &mut AlignDerivation) {
    let Some(tensor) = operand else { return };
    let rows = tensor
        .levels
        .row
        .as_ref()
        .and_then(|row| row.get())
        .map(Mapping::size);
    if let Some(rows) = rows
        && !is_row_count(rows)
        && !matches!(tensor.origin, Origin::Operation(_))
    {
        derived.violations.push(AlignViolation::RowCount { rows });
    }
}

/// The stream's part: packet before time before tiling; then the operand's.
fn judge_align(
    element_type: ElementType,
    input: &StreamShape,
    output: &StreamShape,
    (operand, conventions): (Option<&Tensor>, Conventions),
    derived: &mut AlignDerivation,
) {
    let per_flit = element_type.elements_per_flit();
    let stream = forms::known_form(&input.time).zip(forms::known_form(&input.packet));
    // A packet of other than one flit was already wrong where the stream was collected.
    let stream = stream.filter(|(_, packet)| packet.size() == per_flit);
    if let Some((time, packet)) = stream {
        derived.one_flit_packet = if conventions.packs_flits_exactly() {
            Some(packet.to_mapping())
        } else {
            let padded = per_flit.checked_mul(2).and_then(|size| packet.pad(size));
            padded.map(|form| form.to_mapping())
        };
        derived.two_flit_packet = time
            .split_at(2)
            .and_then(|(_, second)| Form::multiply(&second, packet))
            .map(|form| form.to_mapping());
    }
    let Some(out_packet) = forms::known_form(&output.packet) else {
        return;
    };
    let bits = out_packet.size().checked_mul(element_type.bits());
    let single = conventions.takes_single_flits() && bits == Some(MAC_BYTES * 8 / 2);
    if bits != Some(MAC_BYTES * 8) && !single {
        if let Some(bits) = bits {
            derived.violations.push(AlignViolation::PacketSize { bits });
        }
        return;
    }
    let Some(out_time) = forms::known_form(&output.time) else {
        return;
    };
    let mut followed = true;
    if let Some((time, packet)) = stream {
        let before = derived.violations.len();
        let operand = operand.filter(|_| !conventions.takes_free_replicas());
        if conventions.packs_flits_exactly() {
            let violation = pack_flits((time, packet), (out_time, out_packet), derived);
            derived.violations.extend(violation);
        } else {
            align_stream(time, packet, out_time, out_packet, operand, derived);
        }
        followed = derived.violations.len() == before;
    }
    if let Some(operand) = operand
        && followed
    {
        align_operand(
            element_type,
            input,
            output,
            (out_time, out_packet),
            operand,
            derived,
        );
    }
}

/// The Stream Adapter where packing is exact: the packet is the collected flit and the innermost iterations that fill it, padding
/// included; the rest of the time is outside, and whatever is inside of that repeats.
fn pack_flits(
    (time, packet): (&Form, &Form),
    (out_time, out_packet): (&Form, &Form),
    derived: &mut AlignDerivation,
) -> Option<AlignViolation> {
    let flits = out_packet.size().checked_div(packet.size())?;
    if !time.size().is_multiple_of(flits) {
        return Some(AlignViolation::PacketMismatch);
    }
    let (outer, packed) = time.split_at(flits)?;
    let (declared, flit) = out_packet.split_at(packet.size())?;
    if forms::differ(&flit, packet) || forms::differ(&declared, &packed) {
        return Some(AlignViolation::PacketMismatch);
    }
    derived.collected_flits = Some(flits);
    derived.expected_time = with_tiling(&outer, out_time).map(|form| form.to_mapping());
    let reason = || match follow_time(out_time, &outer) {
        Err(reason) => reason,
        Ok(_) => AlignedTime::Padding,
    };
    if !out_time.size().is_multiple_of(outer.size()) {
        return Some(AlignViolation::TimeMismatch { reason: reason() });
    }
    let tiling = out_time.size() / outer.size();
    let (kept, _) = out_time.split_at(tiling)?;
    if forms::differ(&kept, &outer) {
        return Some(AlignViolation::TimeMismatch { reason: reason() });
    }
    derived.tiling = Some(tiling);
    None
}

/// The Stream Adapter: collected flits, order of time, repetitions.
fn align_stream(
    time: &Form,
    packet: &Form,
    out_time: &Form,
    out_packet: &Form,
    operand: Option<&Tensor>,
    derived: &mut AlignDerivation,
) {
    let Some((second, first)) = out_packet.split_at(packet.size()) else {
        return;
    };
    let second = second.remove_padding();
    // The second half holds a flit of the stream, or nothing.
    let collected = second.has_terms();
    let remaining = if collected {
        time.split_at(2)
            .filter(|(_, inner)| !forms::differ(inner, &second))
            .map(|(outer, _)| outer)
    } else {
        Some(time.clone())
    };
    let elsewhere = || forms::lacks(time, &second, &forms::divide_relaxed(time, &second));
    if forms::differ(&first, packet) || (remaining.is_none() && elsewhere()) {
        derived.violations.push(AlignViolation::PacketMismatch);
        return;
    }
    derived.collected_flits = Some(if collected { 2 } else { 1 });
    derived.expected_time = remaining
        .as_ref()
        .and_then(|remaining| with_tiling(remaining, out_time))
        .map(|form| form.to_mapping());
    // Two readings of an aligned time with two collected flits: repetitions inside each step of the remaining time, or
    // none at all (then the flits themselves are the innermost steps).
    let judged = match remaining {
        Some(remaining) => follow_time(out_time, &remaining),
        None => match Form::multiply(out_time, &second) {
            Some(whole) => follow_time(&whole, time),
            None => return,
        },
    };
    match judged {
        Ok(Some(tiled)) => {
            let tiling = &tiled.dividend_residue;
            derived.tiling = tiled_positions(tiling);
            if let Some(element) =
                operand.and_then(|tensor| forms::known_form(&tensor.levels.element))
            {
                let held = forms::divide_relaxed(element, tiling);
                if forms::lacks(element, tiling, &held) {
                    let axes = forms::axis_names(&held.divisor_residue);
                    derived
                        .violations
                        .push(AlignViolation::TilingNotInTrf { axes });
                }
            }
        }
        Ok(None) => {}
        Err(reason) => derived
            .violations
            .push(AlignViolation::TimeMismatch { reason }),
    }
}

/// `time`, and inside of it what else `out_time` goes through, in its order. `None` where that has no plain expression.
fn with_tiling(time: &Form, out_time: &Form) -> Option<Form> {
    let mut parts = vec![time.clone()];
    let tiling = forms::divide_relaxed(out_time, time).dividend_residue;
    for placed in tiling.terms_with_stride().iter().rev() {
        parts.push(
            forms::term_mapping(&placed.term, placed.live)?
                .form()
                .clone(),
        );
    }
    forms::join(&parts.iter().collect::<Vec<_>>())
}

/// Whether `out_time` goes through `time` in its order with everything else inside; nothing where that is unknown.
fn follow_time(out_time: &Form, time: &Form) -> Result<Option<Division>, AlignedTime> {
    let found = forms::divide_relaxed(out_time, time);
    if forms::lacks(out_time, time, &found) {
        return Err(AlignedTime::Missing {
            axes: forms::axis_names(&found.divisor_residue),
        });
    }
    if !found.exact() {
        return Ok(None);
    }
    if !forms::keeps_order(&found) {
        return Err(AlignedTime::Reordered);
    }
    let tiling = out_time.size() / time.size().max(1);
    if found
        .matches
        .iter()
        .any(|part| part.dividend_stride < tiling)
    {
        return Err(AlignedTime::TilingOutside {
            axes: forms::axis_names(&found.dividend_residue),
        });
    }
    Ok(Some(found))
}

/// The positions of the parts that only the TRF has.
fn tiled_positions(tiling: &Form) -> Option<u64> {
    tiling
        .terms_with_stride()
        .into_iter()
        .try_fold(1_u64, |product, placed| product.checked_mul(placed.live))
}

/// The weight side: everything that a row holds is gone through, and the sequencer can do it.
fn align_operand(
    element_type: ElementType,
    input: &StreamShape,
    output: &StreamShape,
    (out_time, out_packet): (&Form, &Form),
    operand: &Tensor,
    derived: &mut AlignDerivation,
) {
    let levels = [
        (operand.levels.chip.as_ref(), &input.chip),
        (operand.levels.cluster.as_ref(), &input.cluster),
        (operand.levels.slice.as_ref(), &input.slice),
    ];
    let level_differs = levels.into_iter().any(|(held, streamed)| {
        held.and_then(forms::known_form)
            .zip(forms::known_form(streamed))
            .is_some_and(|(held, streamed)| forms::differ(held, streamed))
    });
    if level_differs {
        derived.violations.push(AlignViolation::OperandMismatch {
            dropped: Vec::new(),
        });
        return;
    }
    let Some(element) = forms::known_form(&operand.levels.element) else {
        return;
    };
    let Some(computation) = output.full_mapping().filter(|mapping| !mapping.is_opaque()) else {
        return;
    };
    let read = forms::divide_relaxed(computation.form(), element);
    if forms::lacks(computation.form(), element, &read) {
        derived.violations.push(AlignViolation::OperandMismatch {
            dropped: forms::axis_names(&read.divisor_residue),
        });
        return;
    }
    if let Some((sequencer, error)) =
        trf_sequencer::derive_trf_sequencer(element_type, element, out_time, out_packet)
    {
        derived.sequencer = Some(sequencer);
        derived
            .violations
            .extend(error.map(AlignViolation::Sequencer));
    }
}
