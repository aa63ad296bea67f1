//! Figures of the book and faults of every kind. Numbers are the book's or worked out by hand.

use crate::derivation::contraction::{
    AccumulateDerivation, AccumulateViolation, AccumulatedTime, AlignDerivation, AlignViolation,
    AlignedTime, ContractDerivation, ContractViolation, TrfEntry, TrfLoadDerivation,
    TrfLoadViolation, TrfSequencerError, derive_accumulate, derive_align, derive_contract,
    derive_trf_load, tree_depth,
};
use crate::hardware::ElementType;
use crate::kernel::testing::{mapping, span, stream, written};
use crate::kernel::{
    AccumulationKind, Address, AddressValue, Body, Context, Levels, OperationId, Origin, Pass,
    PassEnd, PassSource, Position, Stage, StageKind, StreamShape, Tensor, TensorId, Tier,
    TrfAddress,
};
use crate::mapping::Mapping;

type Axes<'a> = &'a [(&'a str, u64)];

/// Time and packet of a stream, or row and element of a TRF tensor.
type Two<'a> = (&'a str, &'a str);

struct Case<'a> {
    element_type: ElementType,
    axes: Axes<'a>,
    input: Two<'a>,
    trf: Two<'a>,
    output: Two<'a>,
}

fn shape(
    position: Position,
    element_type: ElementType,
    (time, packet): Two<'_>,
    axes: Axes<'_>,
) -> StreamShape {
    stream(position, element_type, "1 # 256", time, packet, axes)
}

fn trf_tensor(element_type: ElementType, (row, element): Two<'_>, axes: Axes<'_>) -> Tensor {
    Tensor {
        id: TensorId(0),
        name: None,
        tier: Tier::Trf,
        element_type: written(element_type),
        levels: Levels {
            chip: Some(written(Mapping::identity())),
            cluster: Some(written(mapping("1 # 2", &[]))),
            slice: Some(written(mapping("1 # 256", &[]))),
            row: Some(written(mapping(row, axes))),
            element: written(mapping(element, axes)),
        },
        address: Address {
            value: AddressValue::Trf(TrfAddress::Full),
            span: span(0),
        },
        origin: Origin::Parameter,
        span: span(0),
        created_before: OperationId(0),
        moved_before: None,
    }
}

fn body(tensors: Vec<Tensor>) -> Body {
    Body {
        name: "test".to_owned(),
        span: span(0),
        device: None,
        reached_from_kernel: false,
        tensors,
        operations: Vec::new(),
        unresolved: Vec::new(),
        escaping: Vec::new(),
        launches: Vec::new(),
        shortened_loops: Vec::new(),
    }
}

fn pass(begin: StreamShape, kind: StageKind, output: StreamShape) -> Pass {
    Pass {
        context: Some(Context::Main),
        source: PassSource::Parameter {
            position: begin.position,
        },
        begin,
        stages: vec![Stage {
            kind,
            output,
            method: "stage".to_owned(),
            span: span(1),
        }],
        end: PassEnd::Open,
    }
}

impl Case<'_> {
    fn align(&self) -> AlignDerivation {
        let body = body(vec![trf_tensor(self.element_type, self.trf, self.axes)]);
        let mut output = shape(Position::Align, self.element_type, self.output, self.axes);
        output.row = Some(written(mapping(self.trf.0, self.axes)));
        let kind = StageKind::Align {
            operand: Some(TensorId(0)),
            operand_span: span(2),
        };
        let begin = shape(Position::Collect, self.element_type, self.input, self.axes);
        derive_align(&body, &pass(begin, kind, output), 0)
    }
}

fn align<'a>(axes: Axes<'a>, input: Two<'a>, trf: Two<'a>, output: Two<'a>) -> AlignDerivation {
    Case {
        element_type: ElementType::Bf16,
        axes,
        input,
        trf,
        output,
    }
    .align()
}

fn contract(
    element_type: ElementType,
    axes: Axes<'_>,
    row: &str,
    from: &str,
    to: &str,
    maximum: bool,
) -> ContractDerivation {
    let mut begin = shape(Position::Align, element_type, ("1", from), axes);
    begin.row = Some(written(mapping(row, axes)));
    let kind = if maximum {
        StageKind::ContractMax
    } else {
        StageKind::Contract
    };
    let output = shape(Position::Contract, ElementType::F32, ("1", to), axes);
    derive_contract(&pass(begin, kind, output), 0)
}

fn accumulate(
    kind: AccumulationKind,
    axes: Axes<'_>,
    row: &str,
    input: Two<'_>,
    output: Two<'_>,
) -> AccumulateDerivation {
    let mut begin = shape(Position::Contract, ElementType::F32, input, axes);
    begin.row = Some(written(mapping(row, axes)));
    let output = shape(Position::Accumulate, ElementType::F32, output, axes);
    derive_accumulate(
        &pass(begin, StageKind::Accumulate(written(kind)), output),
        0,
    )
}

fn trf_load(axes: Axes<'_>, stream: Two<'_>, trf: Two<'_>) -> TrfLoadDerivation {
    let body = body(vec![trf_tensor(ElementType::Bf16, trf, axes)]);
    let mut pass = pass(
        shape(Position::Switch, ElementType::Bf16, stream, axes),
        StageKind::Collect,
        shape(Position::Collect, ElementType::Bf16, stream, axes),
    );
    pass.end = PassEnd::ToTrf {
        target: TensorId(0),
        span: span(3),
    };
    derive_trf_load(&body, &pass)
}

const MATMUL: Axes<'_> = &[
    ("M", 32),
    ("N", 8),
    ("K", 16),
    ("L", 2),
    ("O", 2),
    ("T", 5),
    ("J", 3),
];
const K32: Axes<'_> = &[("M", 32), ("N", 8), ("K", 32), ("O", 2), ("T", 5)];
const REDUCE: Axes<'_> = &[("M", 4), ("N", 8), ("K", 64), ("V", 256), ("W", 32)];

#[test]
fn r1_tree_depths() {
    for (element_type, depth, elements) in [
        (ElementType::I4, 7, 128),
        (ElementType::I8, 6, 64),
        (ElementType::F8E4M3, 6, 64),
        (ElementType::F8E5M2, 6, 64),
        (ElementType::Bf16, 5, 32),
    ] {
        assert_eq!(tree_depth(element_type), Some(depth));
        assert_eq!(
            element_type.bytes(elements),
            Some(64),
            "a packet is as wide as the tree"
        );
        let derived = contract(element_type, &[("E", elements)], "1", "E", "1", false);
        assert_eq!(derived.depth, Some(depth));
        assert_eq!(derived.violations, []);
    }
    assert_eq!(tree_depth(ElementType::F32), None);
}

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
            contiguous: 2
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
fn the_tree_sums_from_the_inside() {
    let of = |from, to| contract(ElementType::Bf16, MATMUL, "N", from, to, false);
    let flits = of("L, K", "L");
    assert_eq!(
        (flits.depth, flits.violations.as_slice()),
        (Some(4), [].as_slice())
    );
    let partly = of("L, K", "L, K / 4");
    assert_eq!(
        (partly.depth, partly.violations.as_slice()),
        (Some(2), [].as_slice())
    );
    assert_eq!(of("L, K", "L, K").depth, Some(0));
    assert_eq!(of("K # 32", "K / 4 # 4").depth, Some(2));
    assert_eq!(
        of("K # 32", "K / 4 # 8").violations,
        [],
        "output padding is free"
    );
    assert_eq!(
        of("L, K", "K").violations,
        [ContractViolation::PacketMismatch]
    );
    assert_eq!(
        of("L, K", "J").violations,
        [ContractViolation::PacketMismatch]
    );
    assert_eq!(
        of("L, K", "L # 3").violations,
        [ContractViolation::PacketMismatch],
        "columns come in powers of two"
    );
}

#[test]
fn thirty_two_columns() {
    let of = |to| contract(ElementType::I8, &[("E", 64)], "1", "E", to, false).violations;
    assert_eq!(of("E"), [ContractViolation::OutputLimit { elements: 64 }]);
    assert_eq!(of("E / 2"), []);
}

#[test]
fn maxima_use_row_0() {
    let of =
        |row, maximum| contract(ElementType::Bf16, MATMUL, row, "L, K", "1", maximum).violations;
    assert_eq!(of("N", true), [ContractViolation::MaximumRows { rows: 8 }]);
    assert_eq!(of("1", true), []);
    assert_eq!(of("N", false), []);
}

#[test]
fn r3_interleaved_positions() {
    let derived = accumulate(
        AccumulationKind::Interleaved,
        REDUCE,
        "N",
        ("K / 16, M", "K % 16 / 4"),
        ("M, K % 16 / 4", "N"),
    );
    assert_eq!(derived.violations, []);
    assert_eq!(derived.inner, Some(16));
    assert_eq!(derived.inner_otherwise, Some(32));
}

#[test]
fn r4_sequential_positions() {
    let derived = accumulate(
        AccumulationKind::Sequential,
        REDUCE,
        "N",
        ("K / 16, M", "K % 16 / 4"),
        ("M, N", "K % 16 / 4 # 8"),
    );
    assert_eq!(derived.violations, []);
    assert_eq!(derived.inner, Some(32));
    assert_eq!(derived.inner_otherwise, Some(16));
}

#[test]
fn slots_inside_the_outermost_reduced_axis() {
    let interleaved = |time, packet, output| {
        let derived = accumulate(
            AccumulationKind::Interleaved,
            REDUCE,
            "N",
            (time, packet),
            output,
        );
        (derived.inner, derived.violations)
    };
    // Everything inside K waits.
    let full = interleaved("K, W", "M", ("W, M", "N"));
    assert_eq!(full, (Some(128), vec![]));
    let over = interleaved("K, V", "1", ("V", "N"));
    assert_eq!(
        over,
        (
            Some(256),
            vec![AccumulateViolation::Capacity {
                inner: 256,
                limit: 128
            }]
        )
    );
    // Nothing is inside K, or nothing is reduced.
    assert_eq!(interleaved("V, K", "1", ("V", "N")), (Some(1), vec![]));
    assert_eq!(interleaved("V", "M", ("V, M", "N")), (Some(4), vec![]));
    // W alone is inside K: V is outside of it.
    assert_eq!(
        interleaved("V, K, W", "1", ("V, W", "N")),
        (Some(32), vec![])
    );
    let sequential = accumulate(
        AccumulationKind::Sequential,
        REDUCE,
        "N",
        ("K, M", "W"),
        ("M, N, W / 8", "W % 8"),
    );
    assert_eq!(
        sequential.violations,
        [AccumulateViolation::Capacity {
            inner: 128,
            limit: 32
        }]
    );
}

#[test]
fn layouts() {
    let of = |kind, time, packet, output| {
        accumulate(kind, REDUCE, "N", (time, packet), output).violations
    };
    let interleaved =
        |time, packet, output| of(AccumulationKind::Interleaved, time, packet, output);
    let sequential = |time, packet, output| of(AccumulationKind::Sequential, time, packet, output);
    assert_eq!(
        interleaved("M", "1", ("M", "M # 8")),
        [AccumulateViolation::Packet]
    );
    assert_eq!(
        interleaved("M", "1", ("M", "N # 16")),
        [AccumulateViolation::PacketSize { elements: 16 }]
    );
    assert_eq!(
        interleaved("M, V", "1", ("V, M", "N")),
        [AccumulateViolation::Time(AccumulatedTime::Reordered)]
    );
    assert_eq!(
        interleaved("M", "1", ("M, V", "N")),
        [AccumulateViolation::Time(AccumulatedTime::Unknown {
            axes: vec!["V".to_owned()]
        })]
    );
    assert_eq!(
        interleaved("M # 8", "1", ("M # 16", "N")),
        [AccumulateViolation::Time(AccumulatedTime::Padding)]
    );
    assert_eq!(interleaved("M # 8, K", "1", ("M # 8", "N")), []);
    assert_eq!(
        sequential("M", "1", ("M", "N")),
        [AccumulateViolation::Packet]
    );
    assert_eq!(
        sequential("M", "1", ("N, M", "1 # 8")),
        [AccumulateViolation::Time(AccumulatedTime::Innermost)]
    );
    assert_eq!(sequential("M", "W", ("M, N, W / 8", "W % 8")), []);
    assert_eq!(sequential("M", "1", ("M, N", "1 # 8")), []);
}

#[test]
fn rows_below_eight_are_padded() {
    let of = |output| {
        accumulate(
            AccumulationKind::Interleaved,
            REDUCE,
            "N / 4",
            ("M", "1"),
            output,
        )
        .violations
    };
    assert_eq!(of(("M", "N / 4 # 8")), []);
    assert_eq!(
        of(("M", "N / 4")),
        [AccumulateViolation::PacketSize { elements: 2 }]
    );
}

#[test]
fn cut_columns() {
    let of = |packet, time| {
        accumulate(
            AccumulationKind::Interleaved,
            REDUCE,
            "N",
            ("K", packet),
            (time, "N"),
        )
        .violations
    };
    assert_eq!(
        of("M", "M = 2"),
        [AccumulateViolation::SlicesData { kept: 2, live: 4 }]
    );
    assert_eq!(
        of("M", "1"),
        [AccumulateViolation::SlicesData { kept: 1, live: 4 }]
    );
    assert_eq!(of("M", "M"), []);
    // Cutting padding is what the mode is for; keeping it is legal too.
    assert_eq!(of("M # 8", "M"), []);
    assert_eq!(of("M # 8", "M # 8"), []);
}

#[test]
fn trf_loads() {
    let axes: Axes<'_> = &[("N", 8), ("P", 6), ("J", 4), ("K", 32)];
    let fine = trf_load(axes, ("N, J, K / 16", "K % 16"), ("N", "J, K"));
    assert_eq!(fine.violations, []);
    assert_eq!(fine.possible_rows, [1, 2, 4, 8]);
    assert_eq!(
        trf_load(axes, ("P, K / 16", "K % 16"), ("P", "K")).violations,
        [TrfLoadViolation::RowCount { rows: 6, time: 12 }]
    );
    let uneven = trf_load(axes, ("P, K / 16", "K % 16"), ("P # 8", "K"));
    assert_eq!(
        uneven.violations,
        [TrfLoadViolation::RowCount { rows: 8, time: 12 }]
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
    let of = |output| {
        accumulate(
            AccumulationKind::Interleaved,
            axes,
            "N",
            ("M, K # 128 / 32", "1"),
            output,
        )
        .violations
    };
    assert_eq!(of(("M", "N")), []);
    assert_eq!(of(("M, K # 128 / 32", "N")), []);
    assert_eq!(
        of(("K # 128 / 32, M", "N")),
        [AccumulateViolation::Time(AccumulatedTime::Reordered)]
    );
    assert_eq!(
        of(("M, K # 128 / 64", "N")),
        [],
        "half of a ragged axis: not decided"
    );
}
