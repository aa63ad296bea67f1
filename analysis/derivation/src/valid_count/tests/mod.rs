//! The book's placements.

mod fewest;
mod random;

use super::*;
use crate::mapping::{Mapping, positions_looked_at};
use crate::testing::mapping;

/// Slice, time and packet of a placement.
struct Flits {
    slice: Mapping,
    time: Mapping,
    packet: Mapping,
}

impl Flits {
    fn new(slice: &str, time: &str, packet: &str, axes: &[(&str, u64)]) -> Self {
        Self {
            slice: mapping(slice, axes),
            time: mapping(time, axes),
            packet: mapping(packet, axes),
        }
    }

    fn place(&self, axes: &[&str]) -> Option<Placement> {
        place_axes(
            self.slice.form(),
            self.time.form(),
            self.packet.form(),
            axes,
        )
    }

    /// The counts that the index functions ask for; a count of 8 where the axes have no part in the packet.
    fn needed(&self, axes: &[(&str, u64)]) -> Vec<Vec<u64>> {
        let in_packet = axes
            .iter()
            .any(|(name, _)| self.packet.form().contains_axis(name));
        let valid = |slice, time, lane: &dyn Fn(&str) -> Option<u64>| {
            axes.iter().all(|&(name, size)| {
                let values = [
                    value_at(&self.slice, slice, name),
                    value_at(&self.time, time, name),
                    lane(name),
                ];
                values
                    .into_iter()
                    .sum::<Option<u64>>()
                    .is_some_and(|sum| sum < size)
            })
        };
        let count = |slice, time| {
            if !in_packet {
                return if valid(slice, time, &|_| Some(0)) {
                    8
                } else {
                    0
                };
            }
            let lanes: Vec<bool> = (0..8)
                .map(|lane| valid(slice, time, &|name| value_at(&self.packet, lane, name)))
                .collect();
            let count = lanes.iter().filter(|&&lane| lane).count();
            assert!(
                lanes.iter().take(count).all(|&lane| lane),
                "lanes of slice {slice}, time {time} are no front"
            );
            count as u64
        };
        (0..self.slice.size())
            .map(|slice| {
                (0..self.time.size())
                    .map(|time| count(slice, time))
                    .collect()
            })
            .collect()
    }

    /// Asserts that the placement is supported and its setting counts what is needed.
    #[track_caller]
    fn assert_supported(&self, axes: &[(&str, u64)]) -> Setting {
        let names: Vec<&str> = axes.iter().map(|(name, _)| *name).collect();
        let Some(Placement::Supported(setting)) = self.place(&names) else {
            panic!("not supported: {:?}", self.place(&names))
        };
        assert_counts(&setting, &self.needed(axes));
        setting
    }

    #[track_caller]
    fn assert_refused(&self, axis: &str) -> Refusal {
        match self.place(&[axis]) {
            Some(Placement::Refused(refusal)) => refusal,
            other => panic!("not refused: {other:?}"),
        }
    }
}

/// The value of an axis at a position of a mapping; `None` on padding.
fn value_at(mapping: &Mapping, position: u64, name: &str) -> Option<u64> {
    match mapping.cell_at(position) {
        Cell::Index(index) => Some(index.value(name)),
        Cell::Padding(_) | Cell::OutOfBounds => None,
    }
}

#[track_caller]
fn assert_counts(setting: &Setting, needed: &[Vec<u64>]) {
    assert!(setting.counters.len() <= COUNTERS && setting.gates.len() <= GATES);
    for (slice, row) in (0_u64..).zip(needed) {
        for (time, &count) in (0_u64..).zip(row) {
            assert_eq!(
                setting.count(slice, time),
                count,
                "slice {slice}, time {time}, {setting:?}"
            );
        }
    }
}

#[test]
fn v1_slice_and_time() {
    let axes = [("R", 17), ("X", 32), ("A", 4)];
    let flits = Flits::new("X, R # 24 / 3", "R # 24 % 3", "A # 8", &axes);
    let setting = flits.assert_supported(&axes[..1]);
    // Slices 0 to 4 of a group are full, slice 5 has two of three steps, 6 and 7 none.
    let steps = |slice| {
        (0..3)
            .filter(|&time| setting.count(slice, time) > 0)
            .count()
    };
    assert_eq!(
        (8..16).map(steps).collect::<Vec<_>>(),
        [3, 3, 3, 3, 3, 2, 0, 0]
    );
    assert_eq!(
        setting.gates,
        [Gate {
            mask: 7,
            threshold: 5,
            valid: 2,
            transposed: false
        }]
    );
}

#[test]
fn v2_two_digits_in_the_slice() {
    let axes = [("R", 13), ("X", 32)];
    Flits::new(
        "R # 16 / 8, X, R # 16 / 2 % 4",
        "R # 16 % 2",
        "1 # 8",
        &axes,
    )
    .assert_supported(&axes[..1]);
}

#[test]
fn v3_transposed() {
    let axes = [("R", 5), ("X", 64)];
    let setting =
        Flits::new("X, R # 8 % 4", "R # 8 / 4", "1 # 8", &axes).assert_supported(&axes[..1]);
    assert_eq!(setting.gates.len(), 1);
    let gate = setting.gates[0];
    assert_eq!((gate.mask, gate.threshold, gate.transposed), (3, 1, true));
    // V = 1 in steps of the outer part, which the counter moves by its stride.
    assert_eq!(gate.valid / setting.counters[0].stride, 1);
}

#[test]
fn v4_transposed_with_too_much_time() {
    let axes = [("R", 14), ("X", 64)];
    let refusal = Flits::new("X, R # 20 % 4", "R # 20 / 4", "1 # 8", &axes).assert_refused("R");
    assert_eq!(
        refusal,
        Refusal::TransposedTime {
            time_steps: 5,
            needed: 4,
            slice_size: 4,
            padded: 16
        }
    );
    Flits::new("X, R # 16 % 4", "R # 16 / 4", "1 # 8", &axes).assert_supported(&axes[..1]);
}

#[test]
fn v5_time_only() {
    let axes = [("R", 12), ("X", 64), ("A", 8)];
    Flits::new("X, A / 2", "R # 16", "A % 2 # 8", &axes).assert_supported(&axes[..1]);
}

#[test]
fn v6_slice_digits_out_of_order() {
    let axes = [("R", 13), ("X", 32)];
    let refusal = Flits::new(
        "X, R # 16 / 2 % 4, R # 16 / 8",
        "R # 16 % 2",
        "1 # 8",
        &axes,
    )
    .assert_refused("R");
    let Refusal::SliceOrder {
        strides,
        steps,
        time_steps,
    } = refusal
    else {
        panic!("{refusal:?}")
    };
    assert_eq!((strides, time_steps), (vec![2, 8], 2));
    // The book's stripes: 0,1 8,9 2,3 10,11 4,5 12,13 6,7 14,15 of 13.
    assert_eq!(
        steps.iter().map(|slice| slice.valid).collect::<Vec<_>>(),
        [2, 2, 2, 2, 2, 1, 2, 0]
    );
}

#[test]
fn v7_slice_between_two_digits_of_time() {
    let axes = [("R", 13), ("X", 64)];
    let refusal = Flits::new(
        "X, R # 16 / 2 % 4",
        "R # 16 / 8, R # 16 % 2",
        "1 # 8",
        &axes,
    )
    .assert_refused("R");
    let Refusal::Interleaved { steps, time_steps } = refusal else {
        panic!("{refusal:?}")
    };
    assert_eq!(time_steps, 4);
    assert_eq!(
        steps.iter().map(|slice| slice.valid).collect::<Vec<_>>(),
        [4, 4, 3, 2]
    );
}

#[test]
fn v8_packet_only() {
    let axes = [("R", 3), ("X", 64), ("A", 8)];
    let setting = Flits::new("X, A / 2", "1", "R # 8", &axes).assert_supported(&axes[..1]);
    assert!((0..256).all(|slice| setting.count(slice, 0) == 3));
}

#[test]
fn v9_time_and_packet() {
    let axes = [("R", 19), ("X", 64), ("A", 8)];
    let setting =
        Flits::new("X, A / 2", "R # 24 / 8", "R # 24 % 8", &axes).assert_supported(&axes[..1]);
    assert_eq!(
        (0..3)
            .map(|time| setting.count(9, time))
            .collect::<Vec<_>>(),
        [8, 8, 3]
    );
}

#[test]
fn v10_outer_part_in_the_packet() {
    let axes = [("R", 19), ("X", 64), ("A", 8)];
    let refusal = Flits::new("X, A / 2", "R # 24 % 8", "R # 24 / 8 # 8", &axes).assert_refused("R");
    assert_eq!(
        refusal,
        Refusal::PacketNotInnermost {
            lane_stride: 8,
            lanes: 3
        }
    );
}

#[test]
fn v11_fewer_than_eight_lanes() {
    let axes = [("R", 7), ("X", 64), ("A", 8)];
    let setting =
        Flits::new("X, A / 2", "R # 8 / 4", "R # 8 % 4 # 8", &axes).assert_supported(&axes[..1]);
    assert_eq!(
        (0..2)
            .map(|time| setting.count(0, time))
            .collect::<Vec<_>>(),
        [4, 3]
    );
}

#[test]
fn v12_another_axis_in_the_packet() {
    let axes = [("R", 19), ("X", 256), ("A", 2)];
    let shared = Refusal::PacketShared {
        others: vec!["A".to_owned()],
    };
    assert_eq!(
        Flits::new("X", "R # 24 / 4", "R # 24 % 4, A", &axes).assert_refused("R"),
        shared
    );
    assert_eq!(
        Flits::new("X", "R # 24 / 4", "A, R # 24 % 4", &axes).assert_refused("R"),
        shared
    );
    // Without padding of the axis every lane holds data, whatever shares the packet.
    let axes = [("R", 24), ("X", 256), ("A", 2)];
    let flits = Flits::new("X", "R / 4", "A, R % 4", &axes);
    assert_eq!(flits.place(&["R"]), Some(Placement::Unneeded));
}

#[test]
fn v13_slice_and_packet() {
    let axes = [("R", 2045)];
    let refusal = Flits::new("R # 2048 / 8", "1", "R # 2048 % 8", &axes).assert_refused("R");
    let expected = CountConflict {
        first_slice: 0,
        first_count: 8,
        second_slice: 255,
        second_count: 5,
        time: 0,
    };
    assert_eq!(refusal, Refusal::SlicePacket(expected));
    // The book's way out: the inner part in time.
    let axes = [("R", 2045), ("A", 4)];
    Flits::new("R # 2048 / 8", "R # 2048 % 8", "A # 8", &axes).assert_supported(&axes[..1]);
}

#[test]
fn v14_no_padding_no_counts() {
    let axes = [("R", 2048)];
    let flits = Flits::new("R / 8", "1", "R % 8", &axes);
    assert_eq!(flits.place(&["R"]), Some(Placement::Unneeded));
}

#[test]
fn v15_two_gates_and_a_packet_count() {
    let axes = [("H", 5), ("C", 5), ("W", 19)];
    let flits = Flits::new(
        "H # 8 / 2, C # 8 / 2",
        "H # 8 % 2, C # 8 % 2, W # 24 / 8",
        "W # 24 % 8",
        &axes,
    );
    let setting = flits.assert_supported(&axes);
    // The table of the book: rows are time steps, columns slices; 8, 8, 3 where both gates are open.
    let open = [
        "1110111011100000",
        "1100110011000000",
        "1110111000000000",
        "1100110000000000",
    ];
    for (group, row) in (0_u64..).zip(open) {
        for (slice, state) in (0_u64..).zip(row.chars()) {
            let counts: Vec<u64> = (0..3)
                .map(|flit| setting.count(slice, group * 3 + flit))
                .collect();
            assert_eq!(
                counts,
                if state == '1' { [8, 8, 3] } else { [0, 0, 0] },
                "slice {slice}, group {group}"
            );
        }
    }
}

#[test]
fn v16_two_counters_on_the_packet_count() {
    let axes = [("R", 50), ("X", 256), ("A", 2)];
    let setting = Flits::new("X", "R # 72 / 24, A, R # 72 / 8 % 3", "R # 72 % 8", &axes)
        .assert_supported(&axes[..1]);
    let counts: Vec<u64> = (0..18).map(|time| setting.count(0, time)).collect();
    assert_eq!(
        counts,
        [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 2, 0, 0, 2, 0, 0]
    );
}

/// The book's own example over slice, time and packet asks for counts 4 and 1 at once.
#[test]
fn slice_time_and_packet() {
    let axes = [("R", 13)];
    let refusal =
        Flits::new("R # 32 / 8", "R # 32 / 4 % 2", "R # 32 % 4 # 8", &axes).assert_refused("R");
    let Refusal::SlicePacket(conflict) = refusal else {
        panic!("{refusal:?}")
    };
    assert_eq!(
        (
            conflict.first_count,
            conflict.second_count,
            conflict.second_slice,
            conflict.time
        ),
        (4, 1, 1, 1)
    );
}

/// Four digits in time with other axes inside of each. The last flit of 77 counts five lanes, whatever the other axes do:
/// no counter of theirs may move the index. `R / 64 % 2` cannot go by steps of eight, which is the cap: with `w1 = 8` the flit
/// after 1001 asks for `w3 >= w4 + 5` and `w2 >= w4 + 5`, the ones before it for `w2 + w3 <= 5`. So the cap takes the ninth.
#[test]
fn more_than_eight_counters() {
    let other = [("X", 256), ("A", 2), ("B", 2), ("C", 2), ("D", 2)];
    let time = "A, R # 128 / 8 % 2, B, R # 128 / 16 % 2, C, R # 128 / 32 % 2, D, R # 128 / 64";
    let with = |size| [&[("R", size)], other.as_slice()].concat();
    let refused = |counters| Refusal::Dimensions {
        gates: 0,
        packets: 1,
        counters,
    };
    let axes = with(77);
    let flits = Flits::new("X", time, "R # 128 % 8", &axes);
    assert_eq!(flits.assert_refused("R"), refused(9));
    let together = "A, B, C, D, R # 128 / 8";
    Flits::new("X", together, "R # 128 % 8", &axes).assert_supported(&axes[..1]);
    // Of 125 the last flit alone is short: all four strides can be eight.
    let axes = with(125);
    Flits::new("X", time, "R # 128 % 8", &axes).assert_supported(&axes[..1]);
    // A gate has room for what another axis adds: 31 of 32.
    let axes = with(31);
    let time =
        "R # 32 / 16, A, R # 32 / 8 % 2, B, R # 32 / 4 % 2, C, R # 32 / 2 % 2, D, R # 32 % 2";
    Flits::new("X", time, "1 # 8", &axes).assert_supported(&axes[..1]);
}

/// The digits of one axis in time, the smallest outermost, so that no two are one digit again.
fn reversed(padded: u64, from: u64, count: u32) -> String {
    (0..count)
        .map(|bit| format!("R # {padded} / {} % 2", from << bit))
        .collect::<Vec<_>>()
        .join(", ")
}

/// How many counters digits in reversed order take is a matter of the size: one for all but the last element.
#[test]
fn reversed_digits_take_as_many_counters_as_the_size_asks_for() {
    let supported = |size: u64, padded: u64, lanes: u64, count: u32| {
        let axes = [("R", size), ("X", 256)];
        let packet = if lanes > 1 {
            format!("R # {padded} % {lanes}")
        } else {
            "1 # 8".to_owned()
        };
        Flits::new("X", &reversed(padded, lanes, count), &packet, &axes)
            .assert_supported(&axes[..1])
            .counters
            .len()
    };
    assert_eq!(supported(511, 512, 1, 9), 1);
    // Nine digits and fewer always do: the last two go together.
    for size in [340, 341, 342, 343, 257, 299, 500] {
        assert!(supported(size, 512, 1, 9) <= COUNTERS, "{size}");
    }
    // The last flit of 4095 counts seven lanes: one counter by steps of 1, and one that carries the cap.
    assert!(supported(4095, 4096, 8, 9) <= 2);
    // 682 is 1010101010 in binary: only the last two of ten digits go together.
    let refusal = |size: u64| {
        Flits::new(
            "X",
            &reversed(1024, 1, 10),
            "1 # 8",
            &[("R", size), ("X", 256)],
        )
        .assert_refused("R")
    };
    let nine = Refusal::Dimensions {
        gates: 1,
        packets: 0,
        counters: 9,
    };
    assert_eq!(refusal(683), nine);
    assert_eq!(refusal(682), nine);
    assert!(supported(684, 1024, 1, 10) <= COUNTERS);
}

/// The outermost digit in the packet and nine small ones in time: each flit counts seven lanes or eight, by all nine digits.
#[test]
fn an_outer_digit_in_the_packet_over_nine_small_ones() {
    let reversed = (0..9)
        .map(|bit| format!("R # 4096 / {} % 2", 1 << bit))
        .collect::<Vec<_>>()
        .join(", ");
    let lanes = "R # 4096 / 512";
    // 4000 is 7 * 512 + 416.
    let axes = [("R", 4000), ("X", 256)];
    let refusal = Flits::new("X", &reversed, lanes, &axes).assert_refused("R");
    assert_eq!(
        refusal,
        Refusal::PacketNotInnermost {
            lane_stride: 512,
            lanes: 8
        }
    );
    // All but the last element: the ninth digit of every flit but one.
    let axes = [("R", 4095), ("X", 256)];
    Flits::new("X", &reversed, lanes, &axes).assert_supported(&axes[..1]);
}

/// Slices that are on padding of their own digit would take a gate of their own beside the one that ends the axis: the
/// generator has both, and whether one axis may have them is not said.
#[test]
fn two_gates_for_one_axis_are_not_judged() {
    let axes = [("R", 10), ("X", 16)];
    let flits = Flits::new("X, R # 12 / 3, R # 12 % 3 # 4", "1", "1 # 8", &axes);
    assert_eq!(flits.place(&["R"]), None);
    let gate = |mask, threshold| Gate {
        mask,
        threshold,
        valid: 0,
        transposed: false,
    };
    let both = Setting {
        counters: vec![],
        packet: None,
        gates: vec![gate(3, 3), gate(15, 13)],
    };
    assert_counts(&both, &flits.needed(&axes[..1]));
    // Digits out of order need more than that.
    Flits::new("X, R # 12 % 3 # 4, R # 12 / 3", "1", "1 # 8", &axes).assert_refused("R");
}

/// More padded axes than gates.
#[test]
fn four_axes_for_three_gates() {
    let axes = [("A", 3), ("B", 3), ("C", 3), ("D", 3)];
    let flits = Flits::new("A # 4, B # 4, C # 4, D # 4", "1", "1 # 8", &axes);
    assert_eq!(
        flits.place(&["A", "B", "C", "D"]),
        Some(Placement::Refused(Refusal::Dimensions {
            gates: 4,
            packets: 0,
            counters: 0
        }))
    );
    let axes = [("A", 3), ("B", 3), ("C", 3), ("X", 4)];
    Flits::new("A # 4, B # 4, C # 4, X", "1", "1 # 8", &axes).assert_supported(&axes[..3]);
}

/// Of an axis as large as a memory no more positions are looked at than of a small one.
#[test]
fn sizes_do_not_matter() {
    let size = (1_u64 << 40) - 3;
    let axes = [("R", size), ("X", 64)];
    let before = positions_looked_at();
    for _ in 0..100 {
        let flits = Flits::new(
            "X, R # 1099511627776 / 274877906944",
            "R # 1099511627776 % 274877906944 / 8",
            "R # 1099511627776 % 8",
            &axes,
        );
        assert!(matches!(
            flits.place(&["R"]),
            Some(Placement::Refused(Refusal::SlicePacket(_)))
        ));
        let flits = Flits::new(
            "X, 1 # 4",
            "R # 1099511627776 / 8",
            "R # 1099511627776 % 8",
            &axes,
        );
        assert!(matches!(flits.place(&["R"]), Some(Placement::Supported(_))));
    }
    let positions = (positions_looked_at() - before) / 100;
    assert!(positions < 10_000, "{positions} positions of 2^40 a round");
}

/// The ways out that the book names, and those that follow: each is decided before it is proposed.
#[test]
fn alternatives_work() {
    let axes = [
        ("R", 13),
        ("K", 19),
        ("N", 2045),
        ("X", 32),
        ("Y", 64),
        ("A", 2),
    ];
    let found = |axis: &str, slice: &str, time: &str, packet: &str| {
        let flits = Flits::new(slice, time, packet, &axes);
        let refusal = flits.assert_refused(axis);
        let forms = (flits.slice.form(), flits.time.form(), flits.packet.form());
        let found = alternative_placement(forms, axis, &refusal).expect("an alternative");
        [found.slice, found.time, found.packet].map(|mapping| mapping.to_string())
    };
    let same = |found: [String; 3], expected: [&str; 3]| {
        for (found, expected) in found.iter().zip(expected) {
            assert_eq!(
                mapping(found, &axes).form(),
                mapping(expected, &axes).form(),
                "{found}"
            );
        }
    };
    let order = found("R", "X, R # 16 / 2 % 4, R # 16 / 8", "R # 16 % 2", "1 # 8");
    same(order, ["X, R # 16 / 2", "R # 16 % 2", "1 # 8"]);
    let interleaved = found(
        "R",
        "Y, R # 16 / 2 % 4",
        "R # 16 / 8, A, R # 16 % 2",
        "1 # 8",
    );
    same(interleaved, ["Y, R # 16 / 4", "A, R # 16 % 4", "1 # 8"]);
    let outer = found("K", "Y, 1 # 4", "K # 24 % 8", "K # 24 / 8 # 8");
    same(outer, ["Y, 1 # 4", "K # 24 / 8", "K # 24 % 8"]);
    let shared = found("K", "Y, 1 # 4", "K # 24 / 4", "A, K # 24 % 4");
    same(shared, ["Y, 1 # 4", "K # 24 / 4, A", "K # 24 % 4 # 8"]);
    let partial = found("N", "N # 2048 / 8", "1", "N # 2048 % 8");
    same(partial, ["N # 2048 / 8", "N # 2048 % 8", "1 # 8"]);
}
