//! TRF loads, alignment and the TRF Sequencer.

use super::*;

#[test]
fn r6_the_sequencer_of_the_aligner_example() {
    let derived = align(MATMUL, ("M, O, L", "K"), ("N", "O, M, K"), ("M, O", "L, K"));
    assert_eq!(derived.violations, []);
    assert_eq!(derived.collected_flits, Some(2));
    let sequencer = derived.sequencer.expect("a sequencer");
    assert_eq!(sequencer.reg_read_size, 32);
    assert_eq!(
        sequencer.entries,
        [
            TrfEntry {
                size: 32,
                stride: 32
            },
            TrfEntry {
                size: 2,
                stride: 1024
            }
        ]
    );
}

#[test]
fn r7_basic_weight_broadcast() {
    let derived = align(K32, ("M, K / 16", "K % 16"), ("N", "K"), ("M", "K"));
    assert_eq!(derived.violations, []);
    let sequencer = derived.sequencer.expect("a sequencer");
    assert_eq!(sequencer.reg_read_size, 64);
    assert_eq!(
        sequencer.entries,
        [TrfEntry {
            size: 32,
            stride: 0
        }]
    );
}

#[test]
fn a_small_read_is_repeated() {
    // The book's "Small reg_read_size" example.
    let derived = align(MATMUL, ("O, M, L", "K"), ("N", "O, K"), ("O, M", "L, K"));
    assert_eq!(derived.violations, []);
    let sequencer = derived.sequencer.expect("a sequencer");
    assert_eq!(sequencer.reg_read_size, 32);
    assert_eq!(
        sequencer.entries,
        [
            TrfEntry {
                size: 2,
                stride: 32
            },
            TrfEntry {
                size: 32,
                stride: 0
            }
        ]
    );
}

#[test]
fn alignments_of_the_book() {
    let one_flit = align(MATMUL, ("M", "K"), ("N", "K"), ("M", "K # 32"));
    assert_eq!(one_flit.violations, []);
    assert_eq!(one_flit.collected_flits, Some(1));
    assert_eq!(one_flit.tiling, Some(1));
    let tiled = align(MATMUL, ("M", "K"), ("N", "T, K"), ("M, T", "K # 32"));
    assert_eq!(tiled.violations, []);
    assert_eq!(tiled.tiling, Some(5));
}

#[test]
fn a_tiling_axis_inside_two_collected_flits_is_legal() {
    let derived = align(K32, ("M, K / 16", "K % 16"), ("N", "T, K"), ("M, T", "K"));
    assert_eq!(derived.violations, []);
    assert_eq!(derived.tiling, Some(5));
    assert_eq!(
        derived.sequencer.expect("a sequencer").entries,
        [
            TrfEntry {
                size: 32,
                stride: 0
            },
            TrfEntry {
                size: 5,
                stride: 64
            }
        ]
    );
}

#[test]
fn aligned_packets_are_flits_of_the_stream() {
    let size = align(
        K32,
        ("M, K / 16", "K % 16"),
        ("N", "K"),
        ("M, K / 16", "K % 16"),
    );
    assert_eq!(size.violations, [AlignViolation::PacketSize { bits: 256 }]);
    let shuffled = align(
        K32,
        ("M, K / 16", "K % 16"),
        ("N", "K"),
        ("M", "K % 16, K / 16"),
    );
    assert_eq!(shuffled.violations, [AlignViolation::PacketMismatch]);
    let repeated = align(MATMUL, ("M", "K"), ("N", "O, K"), ("M", "O, K"));
    assert_eq!(
        repeated.violations,
        [AlignViolation::PacketMismatch],
        "the flit buffer does not repeat a flit"
    );
}

#[test]
fn aligned_time_keeps_the_stream() {
    let reordered = align(MATMUL, ("M, O, L", "K"), ("N", "K"), ("O, M", "L, K"));
    assert_eq!(
        reordered.violations,
        [AlignViolation::TimeMismatch {
            reason: AlignedTime::Reordered
        }]
    );
    let missing = align(MATMUL, ("M, O, L", "K"), ("N", "K"), ("M", "L, K"));
    assert_eq!(
        missing.violations,
        [AlignViolation::TimeMismatch {
            reason: AlignedTime::Missing {
                axes: vec!["O".to_owned()]
            }
        }]
    );
    let outside = align(MATMUL, ("M", "K"), ("N", "T, K"), ("T, M", "K # 32"));
    assert_eq!(
        outside.violations,
        [AlignViolation::TimeMismatch {
            reason: AlignedTime::TilingOutside {
                axes: vec!["T".to_owned()]
            }
        }]
    );
}

#[test]
fn tiling_comes_from_the_weights() {
    let derived = align(MATMUL, ("M", "K"), ("N", "K"), ("M, T", "K # 32"));
    assert_eq!(
        derived.violations,
        [AlignViolation::TilingNotInTrf {
            axes: vec!["T".to_owned()]
        }]
    );
}

#[test]
fn weights_are_gone_through() {
    let derived = align(MATMUL, ("M", "K"), ("N", "T, K"), ("M", "K # 32"));
    assert_eq!(
        derived.violations,
        [AlignViolation::OperandMismatch {
            dropped: vec!["T".to_owned()]
        }]
    );
}

#[test]
fn a_stream_that_was_not_collected_to_flits_is_not_judged_again() {
    let derived = align(K32, ("M", "K"), ("N", "K"), ("M", "K"));
    assert_eq!(derived.violations, []);
}

#[test]
fn reads_of_64_bytes_stay_aligned() {
    let derived = align(
        K32,
        ("M, O, K / 16", "K % 16"),
        ("N", "O, K # 48"),
        ("M, O", "K"),
    );
    assert_eq!(
        derived.violations,
        [AlignViolation::Sequencer(TrfSequencerError::Alignment {
            stride: 96
        })]
    );
    // Reads of one flit need not.
    let derived = align(
        K32,
        ("M, O, K / 16", "K % 16"),
        ("N", "O, K # 48"),
        ("M, O, K / 16", "K % 16 # 32"),
    );
    assert_eq!(derived.violations, []);
}

#[test]
fn a_read_is_one_run_of_the_element() {
    let derived = align(MATMUL, ("M, L", "K"), ("N", "K, L"), ("M", "L, K"));
    assert_eq!(
        derived.violations,
        [AlignViolation::Sequencer(TrfSequencerError::Packet {
            contiguous_bits: 16
        })]
    );
}

#[test]
fn the_sequencer_has_eight_entries() {
    let axes: Axes<'_> = &[
        ("A", 2),
        ("B", 2),
        ("C", 2),
        ("D", 2),
        ("E", 2),
        ("F", 2),
        ("G", 2),
        ("H", 2),
        ("I", 2),
        ("K", 16),
    ];
    let nine = align(
        axes,
        ("A, B, C, D, E, F, G, H, I", "K"),
        ("1", "B, D, F, H, K"),
        ("A, B, C, D, E, F, G, H, I", "K # 32"),
    );
    assert_eq!(
        nine.violations,
        [AlignViolation::Sequencer(TrfSequencerError::Entries {
            count: 9
        })]
    );
    let eight = align(
        axes,
        ("B, C, D, E, F, G, H, I", "K"),
        ("1", "B, D, F, H, K"),
        ("B, C, D, E, F, G, H, I", "K # 32"),
    );
    assert_eq!(eight.violations, []);
    let merged = align(
        axes,
        ("B, D, F, H, A, C, E, G, I", "K"),
        ("1", "B, D, F, H, K"),
        ("B, D, F, H, A, C, E, G, I", "K # 32"),
    );
    assert_eq!(
        merged.sequencer.expect("a sequencer").entries,
        [
            TrfEntry {
                size: 16,
                stride: 32
            },
            TrfEntry {
                size: 32,
                stride: 0
            }
        ]
    );
}

#[test]
fn the_time_of_a_sequencer_may_be_enormous() {
    let axes: Axes<'_> = &[("M", 1 << 40), ("P", 65_537), ("K", 16)];
    let split = align(axes, ("M", "K"), ("1", "K"), ("M", "K # 32"));
    assert_eq!(split.violations, []);
    let prime = align(axes, ("P", "K"), ("1", "K"), ("P", "K # 32"));
    assert_eq!(
        prime.violations,
        [AlignViolation::Sequencer(TrfSequencerError::Iterations {
            size: 65_537
        })]
    );
}

#[test]
fn operand_types() {
    let case = |element_type, axes, input, output| Case {
        element_type,
        axes,
        input,
        trf: ("1", "K"),
        output,
    };
    let float = case(ElementType::F32, &[("K", 8)], ("1", "K"), ("1", "K # 16")).align();
    assert_eq!(
        float.violations,
        [AlignViolation::Type {
            element_type: ElementType::F32
        }]
    );
    let mixed = |trf: ElementType| {
        let axes: Axes<'_> = &[("K", 32)];
        let body = body(vec![trf_tensor(trf, ("1", "K"), axes)]);
        let kind = StageKind::Align {
            operand: Some(TensorId(0)),
            operand_span: span(2),
        };
        let begin = shape(Position::Collect, ElementType::I8, ("1", "K"), axes);
        let mut output = shape(Position::Align, ElementType::I8, ("1", "K # 64"), axes);
        output.row = Some(written(Mapping::identity()));
        derive_align(&body, &pass(begin, kind, output), 0).violations
    };
    assert_eq!(
        mixed(ElementType::F8E4M3),
        [AlignViolation::OperandType {
            stream: ElementType::I8,
            trf: ElementType::F8E4M3
        }]
    );
    assert_eq!(mixed(ElementType::I9), [], "an i8 less its zero point");
}

#[test]
fn trf_loads() {
    let axes: Axes<'_> = &[("N", 8), ("P", 6), ("J", 4), ("K", 32)];
    let fine = trf_load(axes, ("N, J, K / 16", "K % 16"), ("N", "J, K"));
    assert_eq!(fine.violations, []);
    assert_eq!(fine.possible_rows, [1, 2, 4, 8]);
    assert_eq!(
        trf_load(axes, ("P, K / 16", "K % 16"), ("P", "K")).violations,
        [TrfLoadViolation::RowCount {
            rows: 6,
            time: Some(12)
        }]
    );
    let uneven = trf_load(axes, ("P, K / 16", "K % 16"), ("P # 8", "K"));
    assert_eq!(
        uneven.violations,
        [TrfLoadViolation::RowCount {
            rows: 8,
            time: Some(12)
        }]
    );
    assert_eq!(uneven.possible_rows, [1, 2, 4]);
    assert_eq!(
        trf_load(axes, ("J, N, K / 16", "K % 16"), ("N", "J, K")).violations,
        [TrfLoadViolation::RowMismatch]
    );
    let order = trf_load(axes, ("N, J, K / 16", "K % 16"), ("N", "K / 16, J, K % 16"));
    assert_eq!(order.violations, [TrfLoadViolation::ElementMismatch]);
    assert_eq!(
        order.expected_element.expect("an element").form(),
        mapping("J, K", axes).form()
    );
    // The flits' padding is stored.
    let packed = trf_load(axes, ("N, J", "K % 8 # 16"), ("N", "J, K % 8"));
    assert_eq!(packed.violations, [TrfLoadViolation::ElementMismatch]);
}

#[test]
fn ragged_axes_are_followed() {
    // 100 elements in four packets of 32, the last one partly padding.
    let axes: Axes<'_> = &[("M", 4), ("N", 8), ("K", 100)];
    let derived = align(
        axes,
        ("M, K # 128 / 16", "K # 128 % 16"),
        ("N", "K # 128"),
        ("M, K # 128 / 32", "K # 128 % 32"),
    );
    assert_eq!(derived.violations, []);
    assert_eq!(derived.collected_flits, Some(2));
    let one_flit = align(
        axes,
        ("M, K # 128 / 16", "K # 128 % 16"),
        ("N", "K # 128"),
        ("M, K # 128 / 16", "[K # 128 % 16] # 32"),
    );
    assert_eq!(one_flit.violations, []);
    let reordered = align(
        axes,
        ("M, K # 128 / 16", "K # 128 % 16"),
        ("N", "K # 128"),
        ("K # 128 / 32, M", "K # 128 % 32"),
    );
    assert_eq!(
        reordered.violations,
        [AlignViolation::TimeMismatch {
            reason: AlignedTime::Reordered
        }]
    );
}
