use super::*;
use crate::hardware::ElementType;
use crate::kernel::{AddressValue, Context, OperationId, OperationKind, StreamShape, Tier};
use crate::testing::{mapping, stream};
use crate::testing_body::BodyBuilder;

use ElementType::{Bf16, F32, I8};

type Axes<'a> = &'a [(&'a str, u64)];

const AXES: Axes = &[
    ("S", 256),
    ("A", 4),
    ("B", 6),
    ("C", 8),
    ("K", 3),
    ("N", 32),
];

/// A pass over a tensor of all axes but `K` that ends in a commit.
struct Case<'a> {
    time: &'a str,
    packet: &'a str,
    element: &'a str,
    kind: ElementType,
    address: u64,
}

impl Case<'_> {
    fn derive(&self) -> CommitDerivation {
        let mut builder = BodyBuilder::new(AXES);
        let source = builder.tensor(
            Tier::Dm,
            &["S", "A, B, C, N"],
            AddressValue::Unknown,
            Origin::Parameter,
        );
        let levels = ["S", self.element];
        builder.pass(
            source,
            &[],
            Tier::Dm,
            &levels,
            AddressValue::Bytes(self.address),
        );
        for tensor in &mut builder.body.tensors {
            tensor.element_type.value = Some(self.kind);
        }
        let OperationKind::Pass(pass) = &builder.body.operations[0].kind else {
            panic!("a pass")
        };
        let mut pass = crate::kernel::Pass::clone(pass);
        let shape = |position, time: &str, packet: &str| -> StreamShape {
            stream(position, self.kind, "S", time, packet, AXES)
        };
        pass.context = Some(Context::Main);
        pass.begin = shape(Position::Begin, "1", "A, B, C, N");
        pass.stages = vec![crate::kernel::Stage {
            kind: StageKind::Collect,
            output: shape(Position::Collect, self.time, self.packet),
            method: "collect".to_owned(),
            span: crate::testing::span(7),
        }];
        assert_eq!(builder.body.operations[0].id, OperationId(0));
        derive_commit(&builder.body, &pass)
    }
}

fn violations(time: &str, packet: &str, element: &str, kind: ElementType) -> Vec<CommitViolation> {
    Case {
        time,
        packet,
        element,
        kind,
        address: 0,
    }
    .derive()
    .violations
}

#[test]
fn packet_size_comes_before_mapping_and_mapping_before_sequencer() {
    assert_eq!(violations("A, B", "C", "B, A, C", F32), []);
    // Ten elements of two bytes, with `B` missing as well: the size is given.
    let size = violations("A, B", "C # 16", "A, C # 10", Bf16);
    assert!(
        matches!(
            size.as_slice(),
            [CommitViolation::PacketSize { bits: 160, .. }]
        ),
        "{size:?}"
    );
    // `B` is missing, and what is left would step over the tensor's end: the mapping is given.
    let mismatch = violations("A # 8, B", "C", "A, C", F32);
    assert!(
        matches!(
            mismatch.as_slice(),
            [CommitViolation::Mapping(Mismatch { kind: MismatchKind::Dropped(axis), .. })] if &**axis == "B"
        ),
        "{mismatch:?}"
    );
    let bounds = violations("A # 8, B", "C", "A, B, C", F32);
    assert!(
        matches!(
            bounds.as_slice(),
            [CommitViolation::Sequencer(
                SequencerViolation::WriteBounds {
                    end: 384,
                    size: 192
                }
            )]
        ),
        "{bounds:?}"
    );
}

#[test]
fn an_element_invents_nothing() {
    let invented = violations("A", "C", "A, B, C", F32);
    assert!(
        matches!(
            invented.as_slice(),
            [CommitViolation::Mapping(Mismatch {
                kind: MismatchKind::Invented(_),
                ..
            })]
        ),
        "{invented:?}"
    );
    let more = violations("A", "N % 8", "A, N", F32);
    assert!(
        matches!(
            more.as_slice(),
            [CommitViolation::Mapping(Mismatch {
                kind: MismatchKind::Invented(_),
                ..
            })]
        ),
        "{more:?}"
    );
}

#[test]
fn an_axis_that_no_source_holds_is_a_broadcast() {
    let broadcast = violations("A, K", "C", "A, C", F32);
    assert!(
        matches!(
            broadcast.as_slice(),
            [CommitViolation::Sequencer(
                SequencerViolation::WriteBroadcast { size: 3, .. }
            )]
        ),
        "{broadcast:?}"
    );
}

#[test]
fn packets_may_be_cut_and_spread() {
    // The leading half of a packet, and a packet spread over padded rows: the book's own examples.
    assert_eq!(violations("A", "N % 16", "A, N = 8", Bf16), []);
    assert_eq!(violations("B", "A, C", "B, A, C # 16", I8), []);
    let derived = Case {
        time: "B",
        packet: "A, C",
        element: "B, A, C # 16",
        kind: I8,
        address: 0,
    }
    .derive();
    assert_eq!(derived.writes_per_packet, Some(4));
    let scattered = violations("B", "A, C", "B, C, A", I8);
    assert!(
        matches!(
            scattered.as_slice(),
            [CommitViolation::Sequencer(SequencerViolation::CommitSize {
                contiguous_bits: 8,
                ..
            })]
        ),
        "{scattered:?}"
    );
}

#[test]
fn a_padded_element_is_proposed_where_it_helps() {
    let padded = |time, packet, element, kind| {
        Case {
            time,
            packet,
            element,
            kind,
            address: 0,
        }
        .derive()
    };
    let bounds = padded("A # 8, B", "C", "A, B, C", F32)
        .padded_element
        .expect("a proposal");
    assert_eq!(*bounds.form(), *mapping("A # 8, B, C", AXES).form());
    let strides = padded("K, A", "C # 32", "K, [A, C] # 36", I8)
        .padded_element
        .expect("a proposal");
    assert_eq!(*strides.form(), *mapping("K, A # 5, C", AXES).form());
    let size = violations("A", "1 # 16", "A", Bf16);
    let [
        CommitViolation::PacketSize {
            padded: Some(padded),
            ..
        },
    ] = size.as_slice()
    else {
        panic!("{size:?}")
    };
    assert_eq!(*padded.form(), *mapping("A, 1 # 4", AXES).form());
}

#[test]
fn commits_start_at_multiples_of_eight() {
    let at = |address| {
        Case {
            time: "A",
            packet: "C",
            element: "A, C",
            kind: F32,
            address,
        }
        .derive()
        .violations
    };
    assert_eq!(at(4096), []);
    assert_eq!(at(4100), [CommitViolation::Alignment { address: 4100 }]);
    // Not even the element's own alignment: that has a finding of its own.
    assert_eq!(at(4098), []);
}
