//! The Collect Engine: packets of any size become flits of 32 bytes; and loads of the VRF, which store the flits.
//!
//! Knows the one output that an input has. Does not know where a register file's data goes (`tensors`), nor its
//! capacity.

use crate::hardware::{ElementType, FLIT_BYTES};
use crate::items::Span;
use crate::kernel::{Body, Pass, PassEnd, Stage, StageKind};
use crate::mapping::{Answer, Form, Mapping, PaddingKind, same_elements};

use super::conventions::Conventions;
use super::forms;

/// What the Collect Engine makes of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CollectDerivation {
    /// Flits of an input packet: the packet padded up to whole flits.
    pub flits: Option<u64>,
    /// The output time: the input's, then the flits of a packet.
    pub expected_time: Option<Mapping>,
    /// The output packet: one flit.
    pub expected_packet: Option<Mapping>,
    /// What the engine cannot do: at most one, the first by the order of [`CollectViolation`].
    pub violations: Vec<CollectViolation>,
}

/// What the Collect Engine cannot do, in the order in which it is looked for: what follows from an earlier one is
/// not looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CollectViolation {
    /// The output packet is not exactly one flit.
    PacketSize {
        /// Bits of the declared output packet.
        bits: u64,
    },
    /// The output packet is one flit, but not the inner flit of the padded input packet.
    PacketMismatch,
    /// The output time is not the input time followed by the flits of a packet.
    TimeMismatch,
}

/// Derives the collect stage `index` of a pass.
pub fn derive_collect(pass: &Pass, index: usize) -> CollectDerivation {
    let mut derived = CollectDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derived;
    };
    let (input, output) = (pass.input_of(index), &stage.output);
    let Some(&element_type) = input.element_type.get() else {
        return derived;
    };
    if let (Some(time), Some(packet)) = (
        forms::known_form(&input.time),
        forms::known_form(&input.packet),
    ) && let Some((flits, time, flit)) = normalise_to_flits(element_type, time, packet)
    {
        derived.flits = Some(flits);
        derived.expected_time = Some(time.to_mapping());
        derived.expected_packet = Some(flit.to_mapping());
        if let Some(declared) = forms::known_form(&output.packet)
            && is_flit(element_type, declared.size())
        {
            if forms::differ(declared, &flit) {
                derived.violations.push(CollectViolation::PacketMismatch);
            } else if let Some(declared) = forms::known_form(&output.time)
                && forms::differ(declared, &time)
            {
                derived.violations.push(CollectViolation::TimeMismatch);
            }
        }
    }
    if let Some(declared) = output.packet.get()
        && !is_flit(element_type, declared.size())
        && let Some(bits) = declared.size().checked_mul(element_type.bits())
    {
        derived
            .violations
            .push(CollectViolation::PacketSize { bits });
    }
    derived
}

/// Whether a packet of that many elements is exactly one flit.
fn is_flit(element_type: ElementType, elements: u64) -> bool {
    elements == element_type.elements_per_flit()
}

/// Pads a packet up to whole flits and splits it: flits a packet, the time with the flits innermost, one flit.
fn normalise_to_flits(
    element_type: ElementType,
    time: &Form,
    packet: &Form,
) -> Option<(u64, Form, Form)> {
    let per_flit = element_type.elements_per_flit();
    let bits = packet.size().checked_mul(element_type.bits())?;
    let flits = bits.div_ceil(FLIT_BYTES * 8);
    let padded = packet.pad_as(flits.checked_mul(per_flit)?, PaddingKind::Top)?;
    let (outer, flit) = padded.split_at(per_flit)?;
    Some((flits, Form::multiply(time, &outer)?, flit))
}

/// What a load of the VRF stores.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct VrfLoadDerivation {
    /// What cannot be stored: at most one.
    pub violations: Vec<VrfLoadViolation>,
}

/// What a load of the VRF cannot store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum VrfLoadViolation {
    /// The element does not hold exactly the terms of the stream's time and packet.
    Element {
        /// Axes of the stream of which a part has no place in the element, sorted.
        missing: Vec<String>,
        /// Axes of the element of which a part does not come with the stream, sorted.
        extra: Vec<String>,
    },
    /// A reduction hands its result to the register within one pass, in a release whose compiler cannot lay that out.
    Reduced {
        /// The reduction.
        reduction: Span,
    },
    /// The element holds the stream's terms, and is not its time and packet.
    Spelling {
        /// Time and packet.
        stream: Mapping,
    },
}

/// The reduction inside of a slice that nothing computes behind.
fn reduced_last(pass: &Pass) -> Option<&Stage> {
    let shapes_alone = |stage: &&Stage| {
        matches!(
            stage.kind,
            StageKind::VectorPad | StageKind::VectorConcat | StageKind::VectorFinal
        )
    };
    let last = pass
        .stages
        .iter()
        .rev()
        .find(|stage| !shapes_alone(stage))?;
    matches!(last.kind, StageKind::VectorIntraReduce { .. }).then_some(last)
}

/// Derives the load of the VRF that ends a pass.
pub fn derive_vrf_load(body: &Body, pass: &Pass) -> VrfLoadDerivation {
    let mut derived = VrfLoadDerivation::default();
    let PassEnd::ToVrf { target, .. } = &pass.end else {
        return derived;
    };
    let (Some(target), Some(stream)) = (body.tensor(*target), pass.output().stream()) else {
        return derived;
    };
    let Some(element) = forms::known_form(&target.levels.element) else {
        return derived;
    };
    if stream.is_opaque() {
        return derived;
    }
    let stored = forms::divide_relaxed(element, stream.form());
    let loaded = forms::divide_relaxed(stream.form(), element);
    if (!stored.exact() || !loaded.exact()) && same_elements(element, stream.form()) == Answer::No {
        derived.violations.push(VrfLoadViolation::Element {
            missing: forms::axis_names(&stored.divisor_residue),
            extra: forms::axis_names(&loaded.divisor_residue),
        });
    } else if Conventions::of(pass.dialect).stores_registers_exactly()
        && forms::differ(element, stream.form())
    {
        derived
            .violations
            .push(VrfLoadViolation::Spelling { stream });
    } else if Conventions::of(pass.dialect).stores_no_reductions()
        && let Some(reduction) = reduced_last(pass)
    {
        let reduction = reduction.span;
        derived
            .violations
            .push(VrfLoadViolation::Reduced { reduction });
    }
    derived
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{PassSource, Position, Stage, StageKind};
    use crate::testing::{mapping, span, stream};

    type Axes<'a> = &'a [(&'a str, u64)];

    fn run(
        element_type: ElementType,
        axes: Axes<'_>,
        input: (&str, &str),
        output: (&str, &str),
    ) -> CollectDerivation {
        let shape = |position, (time, packet): (&str, &str)| {
            stream(position, element_type, "1 # 256", time, packet, axes)
        };
        let pass = Pass {
            dialect: crate::items::Dialect::default(),
            machine: crate::hardware::Machine::RNGD,
            context: None,
            source: PassSource::Parameter {
                position: Position::Fetch,
            },
            begin: shape(Position::Fetch, input),
            stages: vec![Stage {
                kind: StageKind::Collect,
                output: shape(Position::Collect, output),
                method: "collect".to_owned(),
                span: span(1),
            }],
            end: PassEnd::Open,
        };
        derive_collect(&pass, 0)
    }

    const AXES: Axes<'_> = &[("A", 8), ("B", 32), ("C", 16), ("D", 20), ("E", 64)];

    #[test]
    fn the_three_cases_of_the_book() {
        let same = run(ElementType::I8, AXES, ("A", "B"), ("A", "B # 32"));
        assert_eq!((same.flits, same.violations), (Some(1), vec![]));
        let padded = run(ElementType::I8, AXES, ("A", "C"), ("A", "C # 32"));
        assert_eq!((padded.flits, padded.violations), (Some(1), vec![]));
        let split = run(ElementType::Bf16, AXES, ("A", "B"), ("A, B / 16", "B % 16"));
        assert_eq!((split.flits, split.violations), (Some(2), vec![]));
    }

    #[test]
    fn padding_stands_where_the_flits_are_cut() {
        // 40 bytes are two flits; the outer padding of a packet is padded again, an empty second flit stays.
        let ragged = run(
            ElementType::Bf16,
            AXES,
            ("A", "D"),
            ("A, D # 32 / 16", "D # 32 % 16"),
        );
        assert_eq!((ragged.flits, ragged.violations), (Some(2), vec![]));
        let refilled = run(ElementType::I8, AXES, ("A", "C # 24"), ("A", "C # 32"));
        assert_eq!(refilled.violations, []);
        let empty = run(ElementType::I8, AXES, ("A", "B # 64"), ("A, 1 # 2", "B"));
        assert_eq!((empty.flits, empty.violations), (Some(2), vec![]));
        let four_bits = run(ElementType::I4, AXES, ("A", "E"), ("A", "E"));
        assert_eq!((four_bits.flits, four_bits.violations), (Some(1), vec![]));
    }

    #[test]
    fn only_the_first_fault_is_met() {
        let of = |output| run(ElementType::Bf16, AXES, ("A", "B"), output).violations;
        assert_eq!(of(("A", "B")), [CollectViolation::PacketSize { bits: 512 }]);
        assert_eq!(
            of(("A", "B % 8")),
            [CollectViolation::PacketSize { bits: 128 }]
        );
        assert_eq!(
            of(("A, B % 2", "B / 2")),
            [CollectViolation::PacketMismatch]
        );
        assert_eq!(
            of(("B / 16, A", "B % 16")),
            [CollectViolation::TimeMismatch]
        );
        assert_eq!(of(("A", "B % 16")), [CollectViolation::TimeMismatch]);
    }

    #[test]
    fn the_expected_shape_is_derived_with_the_fault() {
        let derived = run(ElementType::Bf16, AXES, ("A", "B"), ("A", "B"));
        let forms = |mapping: Option<Mapping>| mapping.expect("a mapping").form().clone();
        assert_eq!(
            &forms(derived.expected_time),
            mapping("A, B / 16", AXES).form()
        );
        assert_eq!(
            &forms(derived.expected_packet),
            mapping("B % 16", AXES).form()
        );
    }

    #[test]
    fn axes_of_any_size_take_no_time() {
        let axes: Axes<'_> = &[("A", 1 << 40), ("B", 1 << 20)];
        let derived = run(ElementType::I8, axes, ("A", "B"), ("A, B / 32", "B % 32"));
        assert_eq!((derived.flits, derived.violations), (Some(1 << 15), vec![]));
    }
}
