use super::*;
use crate::kernel::{PassEnd, PassSource, Position, StageKind};
use crate::testing::{mapping, span, stream};

type Axes<'a> = &'a [(&'a str, u64)];

/// The transpose of `time, packet` to `out_time, out_packet` in a stage function.
fn transpose(
    element_type: ElementType,
    [time, packet, out_time, out_packet]: [&str; 4],
    axes: Axes<'_>,
) -> TransposeDerivation {
    let shape =
        |position, time, packet| stream(position, element_type, "1 # 256", time, packet, axes);
    let pass = Pass {
        dialect: crate::items::Dialect::default(),
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

fn legal(element_type: ElementType, mappings: [&str; 4], axes: Axes<'_>) -> TransposeMatrix {
    let derived = transpose(element_type, mappings, axes);
    assert_eq!(derived.violations, [], "{mappings:?}");
    derived.matrix.expect("a matrix")
}

fn refused(element_type: ElementType, mappings: [&str; 4], axes: Axes<'_>) -> TransposeViolation {
    let mut derived = transpose(element_type, mappings, axes);
    assert_eq!(
        derived.violations.len(),
        1,
        "{mappings:?}: {:?}",
        derived.violations
    );
    derived.violations.remove(0)
}

#[test]
fn figure_t1_eight_by_eight() {
    let matrix = legal(
        ElementType::I8,
        ["C, D", "E # 32", "C, E", "D # 32"],
        &[("C", 8), ("D", 8), ("E", 8)],
    );
    assert_eq!(
        matrix,
        TransposeMatrix {
            in_rows: 8,
            in_cols: 8,
            packets_per_column: 1,
            elements_per_packet: 8,
            out_rows: 8,
            iterations: 8
        }
    );
    assert!(matrix.double_buffered());
    assert_eq!(matrix.cycles(), Some(72));
}

#[test]
fn figure_t2_small() {
    let matrix = legal(
        ElementType::I8,
        ["A", "B # 32", "B", "A # 32"],
        &[("A", 4), ("B", 2)],
    );
    assert_eq!(
        (
            matrix.in_rows,
            matrix.in_cols,
            matrix.out_rows,
            matrix.iterations,
            matrix.cycles()
        ),
        (4, 8, 2, 1, Some(6))
    );
}

#[test]
fn figure_t3_single_buffered() {
    let matrix = legal(
        ElementType::I8,
        ["B, C, D", "E # 32", "B, D, E", "C # 32"],
        &[("B", 2), ("C", 8), ("D", 4), ("E", 8)],
    );
    assert_eq!(
        (
            matrix.in_rows,
            matrix.in_cols,
            matrix.out_rows,
            matrix.iterations,
            matrix.cycles()
        ),
        (8, 32, 32, 2, Some(128))
    );
    assert!(!matrix.double_buffered());
}

#[test]
fn figure_t4_sixteen_bits() {
    let matrix = legal(
        ElementType::Bf16,
        ["C, D", "E # 16", "C, E", "D # 16"],
        &[("C", 8), ("D", 4), ("E", 8)],
    );
    assert_eq!(
        (
            matrix.in_rows,
            matrix.in_cols,
            matrix.out_rows,
            matrix.iterations,
            matrix.cycles()
        ),
        (4, 8, 8, 8, Some(68))
    );
}

#[test]
fn rows_of_several_axes_and_padded_rows_turn() {
    let axes: Axes<'_> = &[("C", 2), ("D", 4), ("E", 8)];
    let matrix = legal(
        ElementType::I8,
        ["C, D", "E # 32", "E", "[C, D] # 32"],
        axes,
    );
    assert_eq!((matrix.in_rows, matrix.iterations), (8, 1));
    let matrix = legal(
        ElementType::I8,
        ["C, D # 8", "E # 32", "C, E", "D # 32"],
        axes,
    );
    assert_eq!((matrix.in_rows, matrix.iterations), (8, 2));
    // Padding of the input packets may stay.
    let matrix = legal(
        ElementType::I8,
        ["C, D", "E = 5 # 32", "C, E = 5 # 8", "D # 32"],
        axes,
    );
    assert_eq!((matrix.in_rows, matrix.out_rows), (4, 8));
}

#[test]
fn rows_are_limited_by_width() {
    let axes: Axes<'_> = &[("N", 4), ("V", 8)];
    for (element_type, flit, limit) in [
        (ElementType::I8, 32, 8),
        (ElementType::Bf16, 16, 4),
        (ElementType::F32, 8, 2),
        (ElementType::I4, 64, 16),
    ] {
        let packets = (format!("V # {flit}"), format!("N # {flit}"));
        let derived = transpose(element_type, ["N", &packets.0, "V", &packets.1], axes);
        let too_many = matches!(
            derived.violations.as_slice(),
            [TransposeViolation::Rows { rows: 4, limit: at, .. }] if *at == limit
        );
        assert_eq!(
            too_many,
            limit < 4,
            "{element_type}: {:?}",
            derived.violations
        );
    }
}

#[test]
fn columns_are_those_of_the_buffers() {
    for (packets, legal_columns) in [(1, true), (2, true), (3, false), (4, true), (8, false)] {
        let axes: Axes<'_> = &[("N", 8), ("W", packets), ("V", 8)];
        let derived = transpose(ElementType::I8, ["N, W", "V # 32", "W, V", "N # 32"], axes);
        assert_eq!(
            derived.violations.is_empty(),
            legal_columns,
            "{packets}: {:?}",
            derived.violations
        );
    }
    let refused = refused(
        ElementType::I8,
        ["N, W", "V # 32", "W, V", "N # 32"],
        &[("N", 8), ("W", 3), ("V", 8)],
    );
    assert!(matches!(
        refused,
        TransposeViolation::Columns {
            columns: 24,
            packets_per_column: 3,
            ..
        }
    ));
}

#[test]
fn what_leaves_is_the_turned_matrix() {
    let axes: Axes<'_> = &[("G", 2), ("N", 8), ("V", 8)];
    match refused(ElementType::I8, ["G, N", "V # 32", "V, G", "N # 32"], axes) {
        TransposeViolation::Layout { expected, .. } => {
            assert_eq!(expected.form(), mapping("G, V", axes).form());
        }
        other => panic!("{other:?}"),
    }
    assert!(matches!(
        refused(ElementType::I8, ["G, N", "V # 32", "G, V", "V # 32"], axes),
        TransposeViolation::RowsNotInTime { .. }
    ));
    assert!(matches!(
        refused(ElementType::I8, ["G, N", "V # 32", "G, V", "N"], axes),
        TransposeViolation::OutputPacket { bits: 64, .. }
    ));
}

#[test]
fn rows_with_data_are_not_to_be_trimmed() {
    let axes: Axes<'_> = &[("N", 8), ("V", 8)];
    match refused(ElementType::I8, ["N", "V # 32", "V = 6", "N # 32"], axes) {
        TransposeViolation::TrimsData {
            out_rows: 6,
            data_rows: 8,
            expected,
            ..
        } => {
            assert_eq!(expected.form(), mapping("V", axes).form());
        }
        other => panic!("{other:?}"),
    }
}

/// Four-bit elements: 63 are half a byte less than a flit, 65 half a byte more, and a count that overflows 64 bits of
/// bits is no packet to speak of.
#[test]
fn packets_of_half_bytes_are_counted_in_bits() {
    let axes: Axes<'_> = &[("N", 8), ("V", 16)];
    let leaves = |packet: &str| refused(ElementType::I4, ["N", "V # 64", "V", packet], axes);
    for (packet, bits) in [("N # 63", 252), ("N # 65", 260), ("N # 9", 36)] {
        assert!(
            matches!(leaves(packet), TransposeViolation::OutputPacket { bits: found, .. } if found == bits),
            "{packet}"
        );
    }
    let enters = refused(ElementType::I4, ["N", "V # 63", "V", "N # 64"], axes);
    assert!(matches!(
        enters,
        TransposeViolation::InputPacket { bits: 252, .. }
    ));
    let huge = format!("N # {}", 1_u64 << 62);
    let derived = transpose(ElementType::I4, ["N", "V # 64", "V", &huge], axes);
    assert_eq!(derived.violations, []);
    let whole = legal(ElementType::I4, ["N", "V # 64", "V", "N # 64"], axes);
    assert_eq!((whole.in_rows, whole.in_cols), (8, 16));
}

#[test]
fn a_packet_brings_no_more_than_the_buffer_takes() {
    let axes: Axes<'_> = &[("N", 8), ("V", 16)];
    assert!(matches!(
        refused(ElementType::I8, ["N", "V # 32", "V", "N # 32"], axes),
        TransposeViolation::PacketElements {
            elements: 16,
            taken: 8,
            ..
        }
    ));
    assert!(matches!(
        refused(ElementType::I8, ["N", "V", "V", "N # 32"], axes),
        TransposeViolation::InputPacket { bits: 128, .. }
    ));
}
