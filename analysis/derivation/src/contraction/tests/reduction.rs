//! The tree and the accumulator.

use super::*;

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
    let beside = |time| {
        accumulate(
            AccumulationKind::Interleaved,
            REDUCE,
            "N",
            ("V", "M # 8"),
            (time, "N"),
        )
        .violations
    };
    assert_eq!(beside("V, M # 8"), []);
    assert_eq!(beside("V, M"), []);
    assert_eq!(of("M # 8", "M # 8"), []);
}

#[test]
fn ragged_axes_are_kept_or_summed() {
    let axes: Axes<'_> = &[("M", 4), ("N", 8), ("K", 100)];
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
