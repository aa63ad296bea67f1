//! The Cast Engine: which type pairs it converts, and the packet that leaves it.
//!
//! It knows one stage at a time. A packet that an earlier engine already delivers in a wrong size is that engine's
//! violation and not repeated here.

use crate::hardware::{self, ElementType, Target};
use crate::items::Span;
use crate::kernel::{Pass, Position};
use crate::mapping::{Answer, Mapping, equal_forms};

use super::conventions::Conventions;

/// What the Cast Engine makes of one stage, with the violations met.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CastDerivation {
    /// The type that enters, if known.
    pub input_type: Option<ElementType>,
    /// The type that leaves, if known.
    pub output_type: Option<ElementType>,
    /// The packet that leaves: the elements of the input packet, padded to a flit (book: Packet Transformation).
    pub packet: Option<Mapping>,
    /// What the engine cannot do.
    pub violations: Vec<CastViolation>,
}

/// What the Cast Engine cannot do, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CastViolation {
    /// A type pair outside the table (book: Precision Lowering).
    Unsupported {
        /// The type that enters.
        input: ElementType,
        /// The type that is asked for.
        output: ElementType,
        /// The types that the engine makes of the input type.
        legal: &'static [ElementType],
        /// Where the type that enters is written.
        input_span: Span,
        /// Where the type that is asked for is written.
        span: Span,
    },
    /// The packet that enters is no flit.
    InputPacket {
        /// Its bits.
        bits: u64,
        /// The method that asks for the cast.
        span: Span,
        /// Where the packet is written.
        packet_span: Span,
    },
    /// The declared packet is not the elements of the input packet padded to a flit.
    OutputPacket {
        /// The packet as declared.
        declared: Mapping,
        /// Its bits, if it is no flit.
        bits: Option<u64>,
        /// The packet that leaves the engine.
        expected: Mapping,
        /// Where the packet is declared.
        span: Span,
        /// Where the packet that enters is written.
        input_span: Span,
    },
}

/// Derives the cast at stage `index` of a pass.
pub fn derive_cast(pass: &Pass, index: usize, target: Target) -> CastDerivation {
    let mut derived = CastDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derived;
    };
    let input = pass.input_of(index);
    derived.input_type = input.element_type.value;
    derived.output_type = stage.output.element_type.value;
    let (Some(input_type), Some(output_type)) = (derived.input_type, derived.output_type) else {
        return derived;
    };
    let legal = hardware::cast_outputs(input_type, target);
    // A cast to the same type asks nothing of the engine: the stream passes by, where the library has it.
    let passes_by =
        input_type == output_type && Conventions::of(pass.dialect).casts_to_the_same_type();
    if !passes_by && !legal.contains(&output_type) {
        derived.violations.push(CastViolation::Unsupported {
            input: input_type,
            output: output_type,
            legal,
            input_span: input.element_type.span,
            span: stage.output.element_type.span,
        });
        return derived;
    }
    let Some(packet) = &input.packet.value else {
        return derived;
    };
    if packet.size() != input_type.elements_per_flit() {
        if let Some(bits) = input_type.bits_of(packet.size())
            && judges_input(pass, index)
        {
            derived.violations.push(CastViolation::InputPacket {
                bits,
                span: stage.span,
                packet_span: input.packet.span,
            });
        }
        return derived;
    }
    let Some(expected) = packet.form().pad(output_type.elements_per_flit()) else {
        return derived;
    };
    derived.packet = Some(expected.to_mapping());
    if let Some(declared) = &stage.output.packet.value
        && equal_forms(declared.form(), &expected) == Answer::No
    {
        derived.violations.push(CastViolation::OutputPacket {
            declared: declared.clone(),
            bits: output_type
                .bits_of(declared.size())
                .filter(|_| declared.size() != output_type.elements_per_flit()),
            expected: expected.to_mapping(),
            span: stage.output.packet.span,
            input_span: input.packet.span,
        });
    }
    derived
}

/// Whether the size of the packet that enters stage `index` is this engine's to judge: the Collect Engine and the exit
/// of the Vector Engine answer for the packets they deliver.
pub(super) fn judges_input(pass: &Pass, index: usize) -> bool {
    let from_stage = index > 0;
    !(from_stage
        && matches!(
            pass.input_of(index).position,
            Position::Collect | Position::VectorFinal
        ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{PassEnd, PassSource, Stage, StageKind};
    use crate::testing::{mapping, span, stream};

    const AXES: &[(&str, u64)] = &[("B", 4), ("A", 8), ("H", 4)];

    /// The cast of a packet behind an accumulation.
    fn cast(input: (ElementType, &str), output: (ElementType, &str)) -> CastDerivation {
        let shape = |position, (element_type, packet)| {
            stream(position, element_type, "1 # 256", "B", packet, AXES)
        };
        let pass = Pass {
            dialect: crate::items::Dialect::default(),
            machine: crate::hardware::Machine::RNGD,
            context: None,
            source: PassSource::Parameter {
                position: Position::Accumulate,
            },
            begin: shape(Position::Accumulate, input),
            stages: vec![Stage {
                kind: StageKind::Cast,
                output: shape(Position::Cast, output),
                method: "cast".to_owned(),
                span: span(3),
            }],
            end: PassEnd::Open,
        };
        derive_cast(&pass, 0, Target::Rngd)
    }

    #[test]
    fn the_books_examples_are_legal() {
        let full = cast((ElementType::I32, "A"), (ElementType::I8, "A # 32"));
        assert_eq!(full.violations, []);
        assert_eq!(full.packet, Some(mapping("A # 32", AXES)));
        let padded = cast((ElementType::I32, "H # 8"), (ElementType::I8, "H # 32"));
        assert_eq!(padded.violations, []);
        assert_eq!(padded.packet, Some(mapping("H # 32", AXES)));
    }

    #[test]
    fn pairs_outside_the_table_are_refused() {
        for (input, output, legal) in [
            (ElementType::F32, ElementType::Bf16, true),
            (ElementType::F32, ElementType::F16, true),
            (ElementType::F32, ElementType::F32, true),
            (ElementType::F32, ElementType::I8, false),
            (ElementType::I32, ElementType::Bf16, false),
            (ElementType::Bf16, ElementType::F32, false),
        ] {
            let derived = cast((input, "A"), (output, "A"));
            let refused = derived
                .violations
                .iter()
                .any(|found| matches!(found, CastViolation::Unsupported { .. }));
            assert_eq!(refused, !legal, "{input} to {output}");
        }
    }

    #[test]
    fn the_packet_is_padded_to_a_flit() {
        let derived = cast((ElementType::F32, "H # 8"), (ElementType::Bf16, "H # 8"));
        match derived.violations.as_slice() {
            [
                CastViolation::OutputPacket {
                    bits: Some(128),
                    expected,
                    ..
                },
            ] => {
                assert_eq!(*expected, mapping("H # 16", AXES));
            }
            other => panic!("{other:?}"),
        }
        let other_elements = cast((ElementType::F32, "A"), (ElementType::Bf16, "H # 16"));
        assert!(matches!(
            other_elements.violations.as_slice(),
            [CastViolation::OutputPacket { .. }]
        ));
        let short = cast((ElementType::F32, "H"), (ElementType::Bf16, "H # 16"));
        assert!(matches!(
            short.violations.as_slice(),
            [CastViolation::InputPacket { bits: 128, .. }]
        ));
    }

    #[test]
    fn what_is_unknown_is_not_judged() {
        let mut pass = Pass {
            dialect: crate::items::Dialect::default(),
            machine: crate::hardware::Machine::RNGD,
            context: None,
            source: PassSource::Parameter {
                position: Position::Accumulate,
            },
            begin: stream(
                Position::Accumulate,
                ElementType::F32,
                "1 # 256",
                "B",
                "A",
                AXES,
            ),
            stages: Vec::new(),
            end: PassEnd::Open,
        };
        assert_eq!(
            derive_cast(&pass, 0, Target::Rngd),
            CastDerivation::default()
        );
        let mut output = stream(Position::Cast, ElementType::Bf16, "1 # 256", "B", "A", AXES);
        output.packet.value = None;
        pass.stages.push(Stage {
            kind: StageKind::Cast,
            output,
            method: "cast".to_owned(),
            span: span(3),
        });
        assert_eq!(derive_cast(&pass, 0, Target::Rngd).violations, []);
    }
}
