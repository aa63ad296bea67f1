//! Published verdicts on transposes, line by line, and the rows that work.

use super::*;
use crate::items::Dialect;
use crate::kernel::{PassEnd, PassSource, Position, StageKind};
use crate::libraries::{Library, Release};
use crate::testing::{span, stream};

const AXES: &[(&str, u64)] = &[
    ("A", 4),
    ("B", 2),
    ("C", 8),
    ("D", 4),
    ("E", 8),
    ("F", 8),
    ("G", 2),
    ("H", 4),
    ("I", 8),
    ("Q", 2),
    ("R", 8),
    ("S", 16),
    ("T", 32),
    ("U", 1),
    ("V", 384),
    ("W", 96),
];

fn transpose(
    minor: u16,
    element_type: ElementType,
    [time, packet, out_time, out_packet]: [&str; 4],
) -> TransposeDerivation {
    let shape =
        |position, time, packet| stream(position, element_type, "1 # 256", time, packet, AXES);
    let pass = Pass {
        dialect: Dialect {
            library: Library::OptStd,
            release: Release::new(0, minor),
        },
        machine: crate::hardware::Machine::RNGD,
        context: None,
        source: PassSource::Parameter {
            position: Position::Collect,
        },
        begin: shape(Position::Collect, time, packet),
        stages: vec![Stage {
            kind: StageKind::Transpose,
            output: shape(Position::Transpose, out_time, out_packet),
            method: "transpose".to_owned(),
            span: span(7),
        }],
        end: PassEnd::Open,
    };
    derive_transpose(&pass, 0)
}

use ElementType::{Bf16, F32, I4, I8};

/// Time, packet, output time, output packet: what the engine turns.
const TURNED: &[(ElementType, [&str; 4])] = &[
    (I8, ["C, F", "E # 32", "C, E", "F # 32"]),
    (I8, ["A", "B # 32", "B", "A # 32"]),
    (I8, ["A", "B # 32", "B # 8", "A # 32"]),
    (I8, ["B, C, D", "E # 32", "B, D, E", "C # 32"]),
    (Bf16, ["C, D", "E # 16", "C, E", "D # 16"]),
    (Bf16, ["1", "C % 8 # 16", "C % 8", "1 # 16"]),
    (I8, ["C, D, S / 8", "S % 8 # 32", "C, S", "D # 32"]),
    (I8, ["R, Q", "E # 32", "Q, E", "R # 32"]),
    (I8, ["R, 1 # 2", "E # 32", "1 # 2, E", "R # 32"]),
    (I8, ["D, U", "A # 32", "D, A", "U # 32"]),
    (I4, ["A", "H # 64", "H", "A # 64"]),
    (F32, ["B", "C # 8", "C", "B # 8"]),
    (I8, ["C, D, T / 8", "T % 8 # 32", "C, T", "D # 32"]),
    (I8, ["[A, B] # 16", "C # 32", "1 # 2, C", "[A, B] # 32"]),
    (
        I8,
        ["D, A # 16 / 8", "A # 16 % 8 # 32", "1 # 2, A # 8", "D # 32"],
    ),
    (
        Bf16,
        [
            "D, [A, B] # 16 / 8",
            "[A, B] # 16 % 8 # 16",
            "1 # 2, [A, B]",
            "D # 16",
        ],
    ),
    (I8, ["1 # 4", "1 # 32", "1 # 32", "1 # 32"]),
    (I8, ["A, 1 # 4", "E # 32", "1 # 4, E", "A # 32"]),
    (Bf16, ["C", "1 # 16", "C / 4", "C % 4 # 16"]),
    (
        Bf16,
        [
            "V / 4 % 24, V / 96, W / 24, W / 8 % 3, V % 4",
            "W % 8 # 16",
            "V / 4 % 24, V / 96, W",
            "V % 4 # 16",
        ],
    ),
];

/// As [`TURNED`]: what it does not turn.
const REFUSED: &[(ElementType, [&str; 4])] = &[
    // Packets that are filled in part cannot be joined.
    (I8, ["R, Q", "H # 32", "Q, H", "R # 32"]),
    (I8, ["C, R", "H # 16", "C, H", "R # 32"]),
    (I8, ["C, R", "E # 32", "C, E", "R # 16"]),
    (I4, ["C, R", "E # 64", "C, E", "T # 64"]),
    (I8, ["C, R", "E # 32", "C, E", "A, R"]),
    (Bf16, ["C, R", "E # 16", "C, E", "R # 16"]),
    (I8, ["C, R", "E # 32", "C, E", "A # 32"]),
    (I4, ["S, A", "E # 64", "A, E", "S # 64"]),
    (I8, ["C, R", "E # 32", "R, E", "C # 32"]),
    (I8, ["B, A, Q", "E # 32", "G, Q, E", "A # 32"]),
    (I8, ["A, Q", "E # 32", "Q, F", "A # 32"]),
    // More rows out than columns in.
    (I8, ["A", "B # 32", "B # 16", "A # 32"]),
    (I8, ["F, A, Q", "E # 32", "F, E, Q", "A # 32"]),
    (I8, ["1 # 4", "1 # 32", "1 # 64", "1 # 32"]),
    (I8, ["C, 1 # 4", "E # 32", "E, 1 # 4", "C # 32"]),
];

#[test]
fn published_transposes_are_judged_as_published() {
    for (element_type, mappings) in TURNED {
        for minor in [6, 8, 10] {
            let derived = transpose(minor, *element_type, *mappings);
            assert_eq!(derived.violations, [], "{mappings:?} in 0.{minor}");
        }
    }
    for (element_type, mappings) in REFUSED {
        for minor in [6, 8, 10] {
            let derived = transpose(minor, *element_type, *mappings);
            assert_eq!(derived.violations.len(), 1, "{mappings:?} in 0.{minor}");
        }
    }
}

#[test]
fn data_that_is_trimmed_is_found() {
    // The engine does it; the data is gone.
    for mappings in [
        ["A, Q", "E # 32", "E", "A # 32"],
        ["C", "E # 32", "E = 4", "C # 32"],
    ] {
        let derived = transpose(8, I8, mappings);
        let trims = matches!(
            derived.violations.as_slice(),
            [TransposeViolation::TrimsData { .. }]
        );
        assert!(trims, "{mappings:?}: {:?}", derived.violations);
    }
}

#[test]
fn packets_of_sixteen_elements_are_turned_from_0_7_on() {
    for (element_type, mappings) in [
        (I8, ["C", "S # 32", "S", "C # 32"]),
        (Bf16, ["D", "S", "S", "D # 16"]),
        (Bf16, ["D, Q", "S", "Q, S", "D # 16"]),
    ] {
        let at = |minor| transpose(minor, element_type, mappings);
        let matrix = at(7).matrix.expect("a matrix");
        assert_eq!(matrix.elements_per_packet, 16, "{mappings:?}");
        assert_eq!(at(10).violations, []);
        let [TransposeViolation::PacketElements { taken: 8, .. }] = at(6).violations.as_slice()
        else {
            panic!("{mappings:?}: {:?}", at(6).violations);
        };
    }
    // 32 columns are what the two buffers hold.
    let wide = transpose(8, Bf16, ["D, H", "S", "H, S", "D # 16"]);
    assert_eq!(wide.violations.len(), 1);
}

#[test]
fn rows_that_work_are_listed() {
    let at = |element_type, packet, out_packet| {
        let mappings = ["S", packet, "E", out_packet];
        let violations = transpose(8, element_type, mappings).violations;
        let [TransposeViolation::Rows { parts, .. }] = violations.as_slice() else {
            panic!("{violations:?}");
        };
        let shown = parts
            .iter()
            .map(|(rows, packet)| (*rows, packet.to_string()));
        shown.collect::<Vec<_>>()
    };
    let said = |rows: &[(u64, &str)]| -> Vec<(u64, String)> {
        let said = rows
            .iter()
            .map(|(rows, packet)| (*rows, (*packet).to_owned()));
        said.collect()
    };
    assert_eq!(at(F32, "E", "S"), said(&[(2, "S % 2 # 8")]));
    assert_eq!(
        at(Bf16, "E # 16", "S"),
        said(&[(4, "S % 4 # 16"), (2, "S % 2 # 16")])
    );
}
