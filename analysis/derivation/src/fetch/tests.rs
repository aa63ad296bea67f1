use super::*;
use crate::kernel::{AddressValue, Origin, Stage, Tier};
use crate::mapping::Axis;
use crate::testing::{span, stream, written};
use crate::testing_body::BodyBuilder;

use ElementType::{Bf16, F32, I4, I8, I32};

const AXES: &[(&str, u64)] = &[("S", 256), ("A", 64), ("C", 16), ("I", 2), ("J", 4)];

/// A fetch of one or two tensors of `S` slices.
struct Case<'a> {
    elements: &'a [&'a str],
    types: (ElementType, ElementType),
    time: &'a str,
    packet: &'a str,
    context: Context,
    axis: Option<(&'a str, u64)>,
}

const PLAIN: Case<'static> = Case {
    elements: &["A, C"],
    types: (I8, I8),
    time: "A",
    packet: "C",
    context: Context::Main,
    axis: None,
};

impl Case<'_> {
    fn derive(&self) -> FetchDerivation {
        let mut builder = BodyBuilder::new(AXES);
        let mut tensors = Vec::new();
        for (address, element) in self.elements.iter().enumerate() {
            let address = AddressValue::Bytes(address as u64 * 4096);
            let id = builder.tensor(Tier::Dm, &["S", element], address, Origin::Parameter);
            builder.body.tensors[id.0 as usize].element_type.value = Some(self.types.0);
            tensors.push(id);
        }
        let shape = |position, kind, time: &str, packet: &str| {
            stream(position, kind, "S", time, packet, AXES)
        };
        let time = self.axis.map_or("1", |(name, _)| name);
        let pass = Pass {
            dialect: crate::items::Dialect::default(),
            machine: crate::hardware::Machine::RNGD,
            context: Some(self.context),
            source: match self.axis {
                Some((name, size)) => PassSource::Interleaved {
                    axis: written(Axis::new(name, size)),
                    spans: tensors.iter().map(|id| span(id.0)).collect(),
                    tensors,
                },
                None => PassSource::Tensor(tensors[0]),
            },
            begin: shape(Position::Begin, self.types.0, time, self.elements[0]),
            stages: vec![Stage {
                kind: StageKind::Fetch {
                    table: false,
                    zero_points: Vec::new(),
                },
                output: shape(Position::Fetch, self.types.1, self.time, self.packet),
                method: "fetch".to_owned(),
                span: span(7),
            }],
            end: crate::kernel::PassEnd::Open,
        };
        derive_fetch(&builder.body, &pass, 0, Target::Rngd)
    }
}

#[test]
fn packets_are_joined_of_several_fetches() {
    let derived = Case {
        types: (I8, I32),
        ..PLAIN
    }
    .derive();
    // Sixteen bytes become 64; a fetch of 8 bytes fills a flit.
    assert_eq!(derived.fetches_per_packet, Some(2));
    assert_eq!(derived.violations, []);
    let sequence = derived.sequence.expect("a sequencer");
    assert_eq!(
        (sequence.access_bytes, sequence.cycles),
        (Some(8), Some(128))
    );
}

#[test]
fn what_follows_from_a_wrong_packet_or_type_is_not_told() {
    let unaligned = Case {
        packet: "C % 4",
        context: Context::Sub,
        ..PLAIN
    }
    .derive()
    .violations;
    assert!(
        matches!(
            unaligned.as_slice(),
            [FetchViolation::PacketAlignment {
                bits: 32,
                padded: Some(_)
            }]
        ),
        "{unaligned:?}"
    );
    let unknown = Case {
        types: (I8, F32),
        packet: "C % 4",
        context: Context::Sub,
        ..PLAIN
    }
    .derive()
    .violations;
    assert!(
        matches!(
            unknown.as_slice(),
            [FetchViolation::CastUnsupported {
                from: I8,
                to: F32,
                ..
            }]
        ),
        "{unknown:?}"
    );
}

#[test]
fn an_eightfold_conversion_overflows_the_sub_contexts_fetch() {
    let violations = Case {
        types: (I4, F32),
        context: Context::Sub,
        ..PLAIN
    }
    .derive()
    .violations;
    let overflow = FetchViolation::Sequencer(SequencerViolation::CastOverflow {
        fetch: 8,
        delivered: 64,
    });
    assert!(violations.contains(&overflow), "{violations:?}");
    let main = Case {
        types: (I4, F32),
        ..PLAIN
    }
    .derive()
    .violations;
    assert!(!main.contains(&overflow), "{main:?}");
}

#[test]
fn interleaved_tensors_are_two_of_a_kind() {
    let two = Case {
        elements: &["A, C", "A, C"],
        time: "A, I",
        axis: Some(("I", 2)),
        ..PLAIN
    };
    let derived = two.derive();
    assert_eq!(derived.violations, []);
    // The loop over the tensors steps from one address to the other: 4,096 elements of a byte.
    let sequence = derived.sequence.expect("a sequencer");
    assert_eq!(
        sequence.configuration(),
        "[64:16, 2:4096, 16:1], 16 bytes an access"
    );
    let different = Case {
        elements: &["A, C", "A, C # 32"],
        ..two
    }
    .derive()
    .violations;
    assert!(
        matches!(
            different.as_slice(),
            [FetchViolation::InterleavedMappings { index: 1, .. }]
        ),
        "{different:?}"
    );
    let held = Case {
        elements: &["A, I", "A, I"],
        ..two
    };
    assert!(
        held.derive()
            .violations
            .contains(&FetchViolation::InterleavedAxisHeld {
                axis: "I".to_owned(),
                index: 0
            })
    );
    let three = Case {
        elements: &["A, C"; 3],
        time: "A, J",
        axis: Some(("J", 4)),
        ..PLAIN
    };
    assert_eq!(
        three.derive().violations,
        [
            FetchViolation::InterleavedCount { count: 3 },
            FetchViolation::InterleavedAxis { size: 4 }
        ]
    );
}

#[test]
fn a_better_distance_is_found_for_starving_rows() {
    let violations = Case {
        elements: &["A, C # 128"],
        ..PLAIN
    }
    .derive()
    .violations;
    let [FetchViolation::Bank(run)] = violations.as_slice() else {
        panic!("{violations:?}")
    };
    assert_eq!((run.run, run.stride_bits), (64, 128 * 8));
    // A row of 8 bytes more still overlaps the bank of its neighbour, but not that of the row after it.
    assert_eq!(run.better_stride_bits, Some(136 * 8));
    assert_eq!(
        Case {
            elements: &["A, C # 136"],
            ..PLAIN
        }
        .derive()
        .violations,
        []
    );
}

#[test]
fn zero_points_are_values_of_the_stored_integers() {
    let check = |value, kind| {
        check_zero_points(
            &[ZeroPoint {
                value,
                span: span(0),
            }],
            Some(kind),
        )
        .len()
    };
    assert_eq!((check(Some(7), I4), check(Some(8), I4)), (0, 1));
    assert_eq!((check(Some(-128), I8), check(Some(-129), I8)), (0, 1));
    assert_eq!((check(None, I8), check(None, Bf16)), (0, 1));
}
