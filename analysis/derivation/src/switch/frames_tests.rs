//! Switches of the releases that compare whole frames: the verdicts and rings that are published for them.

use crate::hardware::{ElementType, Machine};
use crate::items::Dialect;
use crate::kernel::{Context, Pass, PassEnd, PassSource, Position, Stage, StageKind, SwitchConfig};
use crate::libraries::{Library, Release};
use crate::testing::{span, stream, written};

use super::{SwitchDerivation, SwitchPart, SwitchViolation, derive_switch};

type Axes<'a> = &'a [(&'a str, u64)];
/// Slices and time before, after, and a ring.
type Row = (
    (&'static str, &'static str),
    (&'static str, &'static str),
    u64,
);

/// The switch of one pass in release `0.minor`.
pub(super) fn run(
    minor: u16,
    config: SwitchConfig,
    axes: Axes<'_>,
    input: (&str, &str),
    output: (&str, &str),
) -> SwitchDerivation {
    let shape = |position, (slice, time): (&str, &str)| {
        stream(position, ElementType::I8, slice, time, "1 # 32", axes)
    };
    let pass = Pass {
        dialect: Dialect {
            library: Library::OptStd,
            release: Release::new(0, minor),
        },
        machine: Machine {
            slice_counts: &[64, 128, 256],
            ..Machine::RNGD
        },
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

pub(super) fn ring(ring_size: u64) -> SwitchConfig {
    SwitchConfig::CustomBroadcast {
        ring_size: written(ring_size),
    }
}

const AXES: Axes<'_> = &[
    ("A", 16),
    ("B", 16),
    ("C", 8),
    ("P", 4),
    ("Q", 8),
    ("R", 8),
    ("S", 256),
    ("X", 4),
    ("Y", 2),
    ("Z", 2),
];

/// Slices and time before, after, and the only ring that is taken.
const RINGS: &[Row] = &[
    (("S", "C"), ("S", "C"), 1),
    (("A, B", "C"), ("B % 4, B / 4, A % 4, A / 4", "C"), 256),
    (("A, B", "C"), ("A, B % 4, B / 4", "C"), 16),
    (("R, Q, P", "C"), ("R, P, Q", "C"), 32),
    (("R, Q, P", "C"), ("Q, R, P", "C"), 256),
    (("P # 16, Q # 16", "C"), ("P # 16, Q # 16", "C"), 1),
    (("R # 16, Q # 16", "C"), ("Q # 16, R # 16", "C"), 128),
    (("R # 16, Q # 16", "C"), ("Q # 32, R # 8", "C"), 128),
    (
        ("R # 16, Q # 16", "C"),
        ("R # 16, Q # 16 % 4, Q # 16 / 4", "C"),
        16,
    ),
    (("A, B", "C"), ("A, B / 4, X", "C, B % 4"), 4),
    (("A, B", "C"), ("A / 2, Y, B / 2, Z", "C, A % 2, B % 2"), 32),
    (("A, B", "C"), ("A % 4, A / 4, B / 4, X", "C, B % 4"), 256),
    (("R, Q, P", "C"), ("R, P / 2, Q, Y", "C, P % 2"), 32),
    (("R, Q, P", "C"), ("R, Q, P / 2, Y", "C, P % 2"), 2),
    (
        ("R, Q, P", "C"),
        ("R / 2, Y, Q, P / 2, Z", "C, R % 2, P % 2"),
        64,
    ),
    (("A, B", "C"), ("S", "C, A, B"), 256),
    (("A, B", "C # 32"), ("A, B / 4, X", "C # 32, B % 4"), 4),
    (
        ("P # 8, Q # 32", "C"),
        ("P # 8, Q # 32 / 4, X", "C, Q # 32 % 4"),
        4,
    ),
    (("P # 32, Q", "C"), ("P # 32, Q / 4, X", "C, Q % 4"), 4),
    (
        ("P # 16, Q # 16", "C"),
        ("P # 16, Q # 16 / 4, X", "C, Q # 16 % 4"),
        4,
    ),
    (
        ("P # 8, Q # 32", "C # 16"),
        ("P # 8, Q # 32 / 4, X", "C # 16, Q # 32 % 4"),
        4,
    ),
];

#[test]
fn rings_are_exactly_those_that_are_published() {
    for (input, output, size) in RINGS {
        for minor in [5, 6, 8, 10] {
            let at = |asked| run(minor, ring(asked), AXES, *input, *output).violations;
            assert_eq!(at(*size), [], "{input:?} -> {output:?} in 0.{minor}");
            let least = *size;
            if least < 256 {
                let ring_size = least * 2;
                let large = SwitchViolation::RingTooLarge { ring_size, least };
                assert_eq!(at(ring_size), [large], "{input:?} -> {output:?}");
            }
            if least > 1 {
                let ring_size = least / 2;
                let small = SwitchViolation::RingTooSmall { ring_size, least };
                assert_eq!(at(ring_size), [small], "{input:?} -> {output:?}");
            }
        }
    }
}

#[test]
fn a_ring_of_32_slices_of_several_axes() {
    let axes: Axes<'_> = &[("A", 4), ("B", 2), ("C", 2), ("D", 2), ("E", 2), ("X", 2)];
    let derived = run(
        8,
        ring(32),
        axes,
        ("1 # 2, A / 2, A % 2, B, C, D, E", "1"),
        ("1 # 2, A / 2, E, B, X, A % 2, D", "C"),
    );
    assert_eq!(derived.violations, []);
}

/// Slices and time before, after, and a ring; until 0.4 legal, from 0.5 on data is missing.
const SLICED: &[Row] = &[
    (("A, B", "C"), ("A / 2, Y, B / 2, Z", "C, B % 2"), 32),
    (("A, B", "C"), ("A, B / 4, X", "C, B % 4 = 3"), 4),
    (
        ("A, B", "C"),
        ("A / 2, Y, B / 4, X", "C, A % 2, B % 4 = 3"),
        32,
    ),
    (("S", "C"), ("S / 4, X", "C, S % 4 = 3"), 4),
    (
        ("P # 8, Q # 32", "C"),
        ("P # 8, Q # 32 / 4, X", "C, Q # 32 % 4 = 3"),
        4,
    ),
];

#[test]
fn data_is_dropped_until_the_frames_are_compared() {
    for (input, output, size) in SLICED {
        let at = |minor| run(minor, ring(*size), AXES, *input, *output).violations;
        assert_eq!(at(4), [], "{input:?} -> {output:?}");
        for minor in [5, 8, 10] {
            let found = at(minor);
            let dropped =
                matches!(found.as_slice(), [SwitchViolation::Dropped { axes }] if axes.len() == 1);
            assert!(dropped, "{input:?} -> {output:?}: {found:?}");
        }
    }
}

#[test]
fn copies_are_new_and_on_no_hole() {
    let at = |minor, out| run(minor, ring(4), AXES, ("A, B", "C"), (out, "C, B % 4")).violations;
    let reused = |axis: &str| {
        [SwitchViolation::BroadcastAxisReused {
            axes: vec![axis.to_owned()],
        }]
    };
    assert_eq!(at(8, "A, B / 4, C % 4"), reused("C"));
    let twice = [SwitchViolation::CopiesTwice {
        axis: "Y".to_owned(),
    }];
    assert_eq!(at(8, "A, B / 4, Y, Y"), twice);
    assert_eq!(at(8, "A, B / 4, X / 2, X % 2"), []);
    assert_eq!(at(8, "A, B / 4, Y # 4"), []);
    for (minor, out) in [
        (7, "A, B / 4, Y # 4"),
        (8, "A, B / 4, Y #{0} 4"),
        (8, "A, B / 4, Y #{!} 4"),
    ] {
        let found = at(minor, out);
        let on_padding = matches!(found.as_slice(), [SwitchViolation::CopiesOnPadding { .. }]);
        assert!(on_padding, "{out} in 0.{minor}: {found:?}");
    }
    let from_time = run(
        8,
        ring(4),
        AXES,
        ("A, B", "C"),
        ("A, B / 4, C % 4", "C / 4, B % 4"),
    );
    let moved = [SwitchViolation::SliceFromTime {
        axes: vec!["C".to_owned()],
    }];
    assert_eq!(from_time.violations, moved);
}

#[test]
fn digits_that_the_input_lacks_are_new_from_0_6_on() {
    let broadcast = || SwitchConfig::Broadcast1 {
        slice1: written(4),
        slice0: written(1),
    };
    let at = |minor| {
        run(
            minor,
            broadcast(),
            AXES,
            ("A, B", "S % 16"),
            ("A, B / 4, S / 64", "S % 16, B % 4"),
        )
        .violations
    };
    assert_eq!(at(6), []);
    let reused = |minor| {
        matches!(
            at(minor).as_slice(),
            [SwitchViolation::BroadcastAxisReused { .. }]
        )
    };
    assert!(reused(5) && reused(4));
}

#[test]
fn padding_of_the_time_moves_until_the_frames_are_compared() {
    let turned = || SwitchConfig::Transpose {
        slice1: written(4),
        slice0: written(4),
    };
    let at = |minor| {
        run(
            minor,
            turned(),
            AXES,
            ("A, B", "C # 16"),
            ("A, B % 4, B / 4", "1 # 2, C"),
        )
        .violations
    };
    assert_eq!(at(4), []);
    let time = SwitchViolation::Topology {
        part: SwitchPart::Time,
    };
    // `C # 16` has its data first, and `1 # 2, C` as well: those are one and the same.
    assert_eq!(at(5), []);
    let inside = run(
        5,
        turned(),
        AXES,
        ("A, B", "C # 16"),
        ("A, B % 4, B / 4", "C, 1 # 2"),
    );
    assert_eq!(inside.violations, [time]);
}

/// Slices and time.
type Frames = (&'static str, &'static str);

/// Illegal switches that the compiler of 0.4 to 0.6 takes: parameters that cut nothing evenly, and frames that are not the
/// topology's. The axes are those of [`AXES`]; slices are 256, the time is `C` (8) or `Q, R` (64).
fn accepted_by_the_compiler() -> Vec<(SwitchConfig, Frames, Frames)> {
    let one = |slice1, slice0| SwitchConfig::Broadcast1 {
        slice1: written(slice1),
        slice0: written(slice0),
    };
    let both = |slice1, slice0, time0| SwitchConfig::Broadcast01 {
        slice1: written(slice1),
        slice0: written(slice0),
        time0: written(time0),
    };
    let swap = |slice1, slice0| SwitchConfig::Transpose {
        slice1: written(slice1),
        slice0: written(slice0),
    };
    let inter = |slice1, slice0, time0| SwitchConfig::InterTranspose {
        slice1: written(slice1),
        slice0: written(slice0),
        time0: written(time0),
    };
    let input = ("S", "C");
    vec![
        // Broadcast1: slices that do not divide, the moved axis outside of the time, left in the slices, at another stride, lost.
        (one(3, 1), input, ("S / 4, X", "C, S % 4")),
        (one(64, 8), input, ("S / 4, X", "C, S % 4")),
        (one(4, 1), input, ("S / 4, X", "S % 4, C")),
        (one(4, 1), input, ("S", "C, X")),
        (one(4, 8), input, ("S / 32, X, S / 4 % 8", "C, S / 8 % 4")),
        (one(4, 8), input, ("S / 32, X, S % 8", "C, S % 4")),
        (one(4, 1), input, ("S / 4, X", "C, X")),
        // Broadcast01: a time that does not divide, the parts of the time in another order, without the inner copies.
        (both(2, 2, 3), input, ("S / 4, Y, Z", "C, S % 4")),
        (both(2, 2, 4), input, ("S / 4, Y, Z", "C, S % 4")),
        (
            both(2, 2, 4),
            input,
            ("S / 4, Y, S % 2", "C / 4, S / 2 % 2, C % 4, S % 2"),
        ),
        (both(4, 1, 2), input, ("S / 4, X", "C, S % 4")),
        // Transpose: slices unchanged, parts in a wrong place, a time that moved.
        (swap(32, 2), input, ("S", "C")),
        (swap(32, 2), input, ("S / 64, S % 32, S / 32 % 2", "C")),
        (
            swap(4, 8),
            input,
            ("S / 32, S % 8, S / 8 % 4", "C / 2, C % 2 # 4"),
        ),
        // InterTranspose: times that do not divide, the exchanged axes kept, or in another order.
        (inter(16, 1, 4), input, ("S / 16, C, Y", "S % 16")),
        (inter(2, 16, 2), input, ("S", "C")),
        (
            inter(2, 16, 2),
            input,
            ("S / 32, C / 2 % 2, S % 16", "C / 4, S / 16 % 2, C % 2"),
        ),
    ]
}

#[test]
fn switches_that_only_the_compiler_takes_are_found() {
    let all = accepted_by_the_compiler();
    assert_eq!(all.len(), 17);
    for minor in [4, 5, 6] {
        for (at, (config, input, output)) in all.iter().enumerate() {
            let found = run(minor, config.clone(), AXES, *input, *output).violations;
            assert!(
                !found.is_empty(),
                "{at}: {config:?} {output:?} in 0.{minor}"
            );
        }
    }
}
