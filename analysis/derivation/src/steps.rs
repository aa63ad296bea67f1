//! Steps of the Fetch and the Commit Engine that are stages of their own: adapters behind a fetch, the trim and the
//! conversion before a commit (library: fetch adapters, `commit_trim`, `commit_cast`).
//!
//! Knows one step at a time. What a fetch reads, and what of a packet an element keeps, is judged there.

use crate::hardware::{
    COMMIT_UNIT_BYTES, ElementType, FLIT_BYTES, Target, commit_cast_targets, fetch_casts_of_step,
    table_lookup_targets, zero_point_target,
};
use crate::kernel::{Pass, StageKind, StreamShape, ZeroPoint};
use crate::mapping::Mapping;

use super::contraction::{self, AccumulatedTime};
use super::forms;
use super::lifts::{self, LiftFault};

/// What a step makes of its stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct StepDerivation {
    /// What it cannot do: at most one.
    pub violations: Vec<StepViolation>,
}

/// What a step cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StepViolation {
    /// A conversion that the step does not have.
    Conversion {
        /// The type before.
        from: ElementType,
        /// The type asked for.
        to: ElementType,
        /// The types that there are.
        alternatives: Vec<ElementType>,
    },
    /// A zero point that its type does not hold.
    ZeroPoint {
        /// The zero point.
        zero_point: ZeroPoint,
        /// Its type.
        element_type: ElementType,
        /// Least and largest value.
        range: (i64, i64),
    },
    /// A lift that changes the placement in a way that it cannot.
    Lift(LiftFault),
    /// A reduced time that is not what a reduction over time keeps.
    Time(AccumulatedTime),
    /// A trimmed packet that the Commit Engine does not write.
    TrimSize {
        /// Bits of the packet.
        bits: u64,
        /// The packet with just enough of the padding behind it, if that is enough.
        padded: Option<Mapping>,
    },
    /// A trimmed packet that is not the front of the packet.
    TrimPacket {
        /// The front of the packet of that many elements, if there is a mapping for it.
        expected: Option<Mapping>,
    },
    /// A converted packet whose trimmed bytes are neither 16 nor 32.
    CastSize {
        /// Bits of the packet before the conversion.
        bits: u64,
    },
}

/// Derives the step `index` of a pass.
pub fn derive_step(pass: &Pass, index: usize, target: Target) -> StepDerivation {
    let mut derived = StepDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derived;
    };
    let (input, output) = (pass.input_of(index), &stage.output);
    derived.violations.extend(match &stage.kind {
        StageKind::FetchLift(level) => {
            lifts::derive_lift_fault(pass, index, *level).map(StepViolation::Lift)
        }
        StageKind::FetchCast => {
            conversion_violation(input, output, |from| fetch_casts_of_step(target, from))
        }
        StageKind::FetchTable => conversion_violation(input, output, table_lookup_targets),
        StageKind::FetchZeroPoint(zero_point) => subtract(input, output, zero_point),
        StageKind::ContractTime => contraction::derive_time(pass, index).map(StepViolation::Time),
        StageKind::CommitTrim => trim_violation(input, output),
        StageKind::CommitCast { .. } => {
            conversion_violation(input, output, commit_cast_targets).or_else(|| cast_size(input))
        }
        _ => None,
    });
    derived
}

/// A conversion from the type before to the one behind, if it is none of those that there are.
fn conversion_violation(
    input: &StreamShape,
    output: &StreamShape,
    targets: impl Fn(ElementType) -> Vec<ElementType>,
) -> Option<StepViolation> {
    let (from, to) = (input.element_type.value?, output.element_type.value?);
    let alternatives = targets(from);
    (!alternatives.contains(&to)).then_some(StepViolation::Conversion {
        from,
        to,
        alternatives,
    })
}

fn subtract(
    input: &StreamShape,
    output: &StreamShape,
    zero_point: &ZeroPoint,
) -> Option<StepViolation> {
    let from = input.element_type.value?;
    let only = zero_point_target(from);
    let conversion = conversion_violation(input, output, |_| {
        only.iter().map(|(target, _)| *target).collect()
    });
    if conversion.is_some() {
        return conversion;
    }
    let (_, range) = only?;
    let value = zero_point.value?;
    (value < range.0 || value > range.1).then(|| StepViolation::ZeroPoint {
        zero_point: zero_point.clone(),
        element_type: from,
        range,
    })
}

/// The trimmed packet: a size that is written, then the front of what arrives.
fn trim_violation(input: &StreamShape, output: &StreamShape) -> Option<StepViolation> {
    let trimmed = output.packet.get()?;
    let element_type = output.element_type.value?;
    let bits = element_type.bits_of(trimmed.size())?;
    let unit = COMMIT_UNIT_BYTES * 8;
    if !bits.is_multiple_of(unit) || bits == 0 || bits > FLIT_BYTES * 8 {
        return Some(StepViolation::TrimSize {
            bits,
            padded: output.padded_packet(COMMIT_UNIT_BYTES).filter(|_| bits > 0),
        });
    }
    let (packet, declared) = (
        forms::known_form(&input.packet)?,
        forms::known_form(&output.packet)?,
    );
    if declared.size() > packet.size() {
        return Some(StepViolation::TrimPacket { expected: None });
    }
    let front = packet.resize(declared.size())?;
    forms::differ(&front, declared).then(|| StepViolation::TrimPacket {
        expected: Some(front.to_mapping()),
    })
}

fn cast_size(input: &StreamShape) -> Option<StepViolation> {
    let bits = input
        .element_type
        .value?
        .bits_of(input.packet.get()?.size())?;
    let half = FLIT_BYTES * 8 / 2;
    (bits != half && bits != FLIT_BYTES * 8).then_some(StepViolation::CastSize { bits })
}
