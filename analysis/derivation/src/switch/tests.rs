//! Topologies of the book and their faults. Mappings and cycles are worked out by hand or are in the book.

use crate::hardware::{ElementType, Machine};
use crate::kernel::{Context, Pass, PassEnd, PassSource, Position, Stage, StageKind, SwitchConfig};
use crate::testing::{mapping, span, stream, written};

use super::{SwitchDerivation, SwitchParameter, SwitchPart, SwitchViolation, derive_switch};

type Axes<'a> = &'a [(&'a str, u64)];
type Shape<'a> = (&'a str, &'a str);

fn run(
    config: SwitchConfig,
    axes: Axes<'_>,
    input: Shape<'_>,
    packet: &str,
    output: Shape<'_>,
) -> SwitchDerivation {
    run_on(Machine::RNGD, config, axes, (input, packet, output))
}

fn run_on(
    machine: Machine,
    config: SwitchConfig,
    axes: Axes<'_>,
    (input, packet, output): (Shape<'_>, &str, Shape<'_>),
) -> SwitchDerivation {
    let shape = |position, (slice, time): Shape<'_>| {
        stream(position, ElementType::I8, slice, time, packet, axes)
    };
    let pass = Pass {
        dialect: crate::items::Dialect::default(),
        machine,
        context: Some(Context::Main),
        source: PassSource::Parameter {
            position: Position::Fetch,
        },
        begin: shape(Position::Fetch, input),
        stages: vec![Stage {
            kind: StageKind::Switch(written(config)),
            output: shape(Position::Switch, output),
            method: "switch".to_owned(),
            span: span(1),
        }],
        end: PassEnd::Open,
    };
    derive_switch(&pass, 0)
}

fn broadcast01(slice1: u64, slice0: u64, time0: u64) -> SwitchConfig {
    SwitchConfig::Broadcast01 {
        slice1: written(slice1),
        slice0: written(slice0),
        time0: written(time0),
    }
}

fn broadcast1(slice1: u64, slice0: u64) -> SwitchConfig {
    SwitchConfig::Broadcast1 {
        slice1: written(slice1),
        slice0: written(slice0),
    }
}

fn ring(ring_size: u64) -> SwitchConfig {
    SwitchConfig::CustomBroadcast {
        ring_size: written(ring_size),
    }
}

#[track_caller]
fn assert_time(derived: &SwitchDerivation, time: &str, axes: Axes<'_>) {
    let expected = derived.expected.as_ref().expect("an expected shape");
    assert_eq!(
        expected.time.form(),
        mapping(time, axes).form(),
        "expected {}, not {time}",
        expected.time
    );
}

const A: Axes<'_> = &[("A", 256), ("B", 64), ("C", 63), ("X", 4)];
const RING: Axes<'_> = &[
    ("A", 16),
    ("B", 16),
    ("C", 8),
    ("D", 8),
    ("E", 8),
    ("X", 2),
    ("Y", 2),
    ("Z", 4),
];

#[test]
fn w1_broadcast01() {
    let derived = run(
        broadcast01(2, 2, 4),
        A,
        ("A", "B"),
        "C # 64",
        ("A / 4, X", "B / 4, A / 2 % 2, B % 4, A % 2"),
    );
    assert_eq!(derived.violations, []);
    assert_eq!(derived.ring_size, Some(4));
    assert_eq!(derived.cycles, Some(512));
}

#[test]
fn w2_a_permutation_of_all_slices_needs_the_whole_ring() {
    let permuted = ("B % 4, B / 4, A % 4, A / 4", "C");
    let derived = run(ring(256), RING, ("A, B", "C"), "D, E", permuted);
    assert_eq!(derived.violations, []);
    assert_eq!(derived.cycles, Some(4096));
    let derived = run(ring(128), RING, ("A, B", "C"), "D, E", permuted);
    assert_eq!(
        derived.violations,
        [SwitchViolation::RingTooSmall {
            ring_size: 128,
            least: 256
        }]
    );
}

#[test]
fn w3_two_separate_broadcasts_need_a_ring_of_32() {
    let moved = ("A / 2, X, B / 2, Y", "C, A % 2, B % 2");
    let derived = run(ring(32), RING, ("A, B", "C"), "D, E", moved);
    assert_eq!(derived.violations, []);
    assert_eq!(derived.least_ring, Some(32));
    assert_eq!(derived.cycles, Some(512));
    assert_eq!(derived.lost, [""; 0]);
    let derived = run(ring(16), RING, ("A, B", "C"), "D, E", moved);
    assert_eq!(
        derived.violations,
        [SwitchViolation::RingTooSmall {
            ring_size: 16,
            least: 32
        }]
    );
}

#[test]
fn w4_a_slice_of_an_axis_may_move() {
    let derived = run(
        ring(4),
        RING,
        ("A, B", "C"),
        "D, E",
        ("A, B / 4, Z", "C, B % 4 = 3"),
    );
    assert_eq!(derived.violations, []);
    assert_eq!(derived.least_ring, Some(4));
    assert_eq!(derived.cycles, Some(64));
}

#[test]
fn an_axis_that_leaves_the_slices_is_named() {
    let derived = run(ring(4), RING, ("A, B", "C"), "D, E", ("A, B / 4, Z", "C"));
    assert_eq!(derived.violations, []);
    assert_eq!(derived.lost, ["B"]);
}

#[test]
fn the_ring_keeps_the_order_of_the_slices() {
    let derived = run(
        ring(4),
        RING,
        ("A, B", "C"),
        "D, E",
        ("A, B / 4, Z", "C, B % 2, B / 2 % 2"),
    );
    assert_eq!(
        derived.violations,
        [SwitchViolation::Order {
            moved: vec!["B / 2 % 2".to_owned(), "B % 2".to_owned()]
        }]
    );
    assert_time(&derived, "C, B % 4", RING);
}

#[test]
fn what_the_ring_moves_is_innermost() {
    let derived = run(
        ring(32),
        RING,
        ("A, B", "C"),
        "D, E",
        ("A / 2, X, B / 2, Y", "A % 2, C, B % 2"),
    );
    assert_eq!(
        derived.violations,
        [SwitchViolation::NotInnermost {
            moved: vec!["A % 2".to_owned(), "B % 2".to_owned()]
        }]
    );
    assert_time(&derived, "C, A % 2, B % 2", RING);
}

#[test]
fn a_ring_can_neither_lose_nor_invent_time() {
    let topology = [SwitchViolation::Topology {
        part: SwitchPart::Time,
    }];
    let lost = run(
        ring(4),
        RING,
        ("A, B", "C"),
        "D, E",
        ("A, B / 4, Z", "B % 4"),
    );
    assert_eq!(lost.violations, topology);
    let invented = run(
        ring(4),
        RING,
        ("A, B", "C"),
        "D, E",
        ("A, B / 4, Z", "C, Y"),
    );
    assert_eq!(invented.violations, topology);
}

#[test]
fn copies_of_a_ring_are_no_axis_of_the_input() {
    let derived = run(
        ring(4),
        RING,
        ("A, B", "C"),
        "D, E",
        ("A, B / 4, C % 4", "C, B % 4"),
    );
    assert_eq!(
        derived.violations,
        [SwitchViolation::BroadcastAxisReused {
            axes: vec!["C".to_owned()]
        }]
    );
}

#[test]
fn regular_topologies_of_the_book() {
    let axes: Axes<'_> = &[("A", 8), ("B", 32), ("C", 256)];
    let inter = SwitchConfig::InterTranspose {
        slice1: written(2),
        slice0: written(16),
        time0: written(2),
    };
    let derived = run(
        inter,
        axes,
        ("C", "A"),
        "B",
        ("C / 32, A / 2 % 2, C % 16", "A / 4, A % 2, C / 16 % 2"),
    );
    assert_eq!(derived.violations, []);
    assert_eq!(derived.ring_size, Some(32));
    let transpose = SwitchConfig::Transpose {
        slice1: written(32),
        slice0: written(2),
    };
    let derived = run(
        transpose,
        A,
        ("A", "B"),
        "C # 64",
        ("A / 64, A % 2, A / 2 % 32", "B"),
    );
    assert_eq!(derived.violations, []);
    let derived = run(
        broadcast1(4, 8),
        A,
        ("A", "B"),
        "C # 64",
        ("A / 32, X, A % 8", "B, A / 8 % 4"),
    );
    assert_eq!(derived.violations, []);
    let transposed = SwitchConfig::TransposedBroadcast1 {
        slice1: written(8),
        slice0: written(4),
    };
    let derived = run(
        transposed,
        A,
        ("A", "B"),
        "C # 64",
        ("A / 32, X, A / 4 % 8", "B, A % 4"),
    );
    assert_eq!(derived.violations, []);
    // A vector in one slice, copied to all.
    let derived = run(
        broadcast01(256, 1, 1),
        A,
        ("1 # 256", "1"),
        "B",
        ("A", "1 # 256"),
    );
    assert_eq!(derived.violations, []);
}

#[test]
fn a_topology_fixes_slices_and_time() {
    let slice = [SwitchViolation::Topology {
        part: SwitchPart::Slice,
    }];
    let time = [SwitchViolation::Topology {
        part: SwitchPart::Time,
    }];
    let derived = run(
        broadcast1(4, 8),
        A,
        ("A", "B"),
        "C # 64",
        ("A / 32, X, A / 4 % 8", "B, A / 8 % 4"),
    );
    assert_eq!(derived.violations, slice);
    let derived = run(
        broadcast1(4, 8),
        A,
        ("A", "B"),
        "C # 64",
        ("A / 32, X, A % 8", "A / 8 % 4, B"),
    );
    assert_eq!(derived.violations, time);
    assert_time(&derived, "B, A / 8 % 4", A);
    let derived = run(
        broadcast01(2, 2, 4),
        A,
        ("A", "B"),
        "C # 64",
        ("A / 4, X", "B, A % 4"),
    );
    assert_eq!(derived.violations, time);
    assert_time(&derived, "B / 4, A / 2 % 2, B % 4, A % 2", A);
}

#[test]
fn copies_are_no_axis_of_the_input() {
    let reused = |name: &str| {
        [SwitchViolation::BroadcastAxisReused {
            axes: vec![name.to_owned()],
        }]
    };
    let left = run(broadcast1(4, 1), A, ("A", "B"), "C # 64", ("A", "B, A % 4"));
    assert_eq!(left.violations, reused("A"));
    let time = run(
        broadcast1(4, 1),
        A,
        ("A", "B / 4"),
        "C # 64",
        ("A / 4, B % 4", "B / 4, A % 4"),
    );
    assert_eq!(time.violations, reused("B"));
    let hole = run(
        broadcast1(4, 1),
        A,
        ("A", "B"),
        "C # 64",
        ("A / 4, 1 # 4", "B, A % 4"),
    );
    assert_eq!(hole.violations, []);
}

#[test]
fn parameters_divide_what_they_cut() {
    let at = |config| run(config, A, ("A", "B"), "C # 64", ("A / 4, X", "B, A % 4")).violations;
    assert_eq!(
        at(broadcast1(3, 1)),
        [SwitchViolation::SliceIndivisible {
            slice1: 3,
            slice0: 1,
            slices: 256
        }]
    );
    assert_eq!(
        at(broadcast01(4, 1, 3)),
        [SwitchViolation::TimeIndivisible {
            slice1: None,
            time0: 3,
            time: 64
        }]
    );
    assert_eq!(
        at(SwitchConfig::InterTranspose {
            slice1: written(16),
            slice0: written(1),
            time0: written(8)
        }),
        [SwitchViolation::TimeIndivisible {
            slice1: Some(16),
            time0: 8,
            time: 64
        }]
    );
    assert_eq!(
        at(broadcast1(4, 0)),
        [SwitchViolation::ZeroParameter {
            parameter: SwitchParameter::Slice0
        }]
    );
    assert_eq!(
        at(ring(0)),
        [SwitchViolation::ZeroParameter {
            parameter: SwitchParameter::RingSize
        }]
    );
    assert_eq!(at(ring(6)), [SwitchViolation::RingSize { ring_size: 6 }]);
    assert_eq!(
        at(ring(512)),
        [SwitchViolation::RingSize { ring_size: 512 }]
    );
    assert_eq!(
        at(broadcast1(u64::MAX, 4)).len(),
        1,
        "a product beyond 64 bits divides nothing"
    );
}

#[test]
fn rings_are_those_of_the_machine() {
    let part = Machine {
        slices: 64,
        slice_counts: &[64, 128, 256],
        ..Machine::RNGD
    };
    let all = |config| {
        let shape = (("B", "1"), "C # 64", ("B", "1"));
        run_on(part, config, A, shape).violations
    };
    // The 64 slices of `B` are all there are: a ring through them closes, a longer one has nowhere to go.
    assert_eq!(all(ring(64)), []);
    assert_eq!(
        all(ring(128)),
        [SwitchViolation::RingSize { ring_size: 128 }]
    );
}

#[test]
fn all_256_slices_switch() {
    let halved = run(
        broadcast1(4, 1),
        A,
        ("A", "B"),
        "C # 64",
        ("A / 4, X % 2", "B, A % 4"),
    );
    assert_eq!(
        halved.violations,
        [SwitchViolation::SliceSize {
            input: 256,
            output: 128
        }]
    );
    // Parameters for 256 slices do not fit 64: one fault.
    let few = run(broadcast1(256, 1), A, ("B", "1"), "C # 64", ("B", "1"));
    assert_eq!(
        few.violations,
        [SwitchViolation::SliceSize {
            input: 64,
            output: 64
        }]
    );
}

#[test]
fn unknown_parameters_are_silent() {
    let config = SwitchConfig::Broadcast1 {
        slice1: crate::kernel::Written::unknown(span(2)),
        slice0: written(3),
    };
    assert_eq!(
        run(config, A, ("A", "B"), "C", ("A", "B")),
        SwitchDerivation::default()
    );
}
