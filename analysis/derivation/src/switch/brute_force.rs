//! Topologies against a walk over every slice and step: where each packet comes from is written down from the book's
//! tables, not from the forms.

use crate::hardware::ElementType;
use crate::kernel::{Context, Pass, PassEnd, PassSource, Position, Stage, StageKind, SwitchConfig};
use crate::mapping::{Cell, Index, IndexFunction, Mapping};
use crate::testing::{mapping, span, stream, written};

use super::{SwitchDerivation, derive_switch};

type Axes<'a> = &'a [(&'a str, u64)];

const AXES: Axes<'_> = &[
    ("A", 16),
    ("B", 16),
    ("C", 4),
    ("D", 6),
    ("X", 256),
    ("P0", 2),
    ("P1", 2),
    ("P2", 2),
    ("P3", 2),
];

/// A small generator of reproducible numbers.
struct Numbers(u64);

impl Numbers {
    fn next_below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }

    fn pick<'a>(&mut self, choices: &[&'a str]) -> &'a str {
        choices[self.next_below(choices.len() as u64) as usize]
    }
}

fn run(config: SwitchConfig, input: (&str, &str), output: (&str, &str)) -> SwitchDerivation {
    let shape = |position, (slice, time): (&str, &str)| {
        stream(position, ElementType::I8, slice, time, "1 # 32", AXES)
    };
    let pass = Pass {
        dialect: crate::items::Dialect::default(),
        machine: crate::hardware::Machine::RNGD,
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

/// The index of a slice and a step together; nothing where one of them is padding. Both are parts of one mapping, as a
/// group may have parts in both.
fn index_at(whole: &IndexFunction, time: &Mapping, position: (u64, u64)) -> Option<Index> {
    match whole.cell_at(position.0 * time.size() + position.1) {
        Cell::Index(index) => Some(index),
        Cell::Padding(_) | Cell::OutOfBounds => None,
    }
}

/// Where the packet of an output slice and step comes from, and the number of the copy that the slice holds.
type Source = ((u64, u64), u64);

fn switch_source(config: &SwitchConfig, slice: u64, time: u64) -> Source {
    let value = |written: &crate::kernel::Written<u64>| written.value.expect("a parameter");
    match config {
        SwitchConfig::Forwarding => ((slice, time), 0),
        SwitchConfig::Broadcast01 {
            slice1,
            slice0,
            time0,
        } => {
            let (slice1, slice0, time0) = (value(slice1), value(slice0), value(time0));
            let ring = slice1 * slice0;
            // [t1, s1, t0, s0]
            let (rest, s0) = (time / slice0, time % slice0);
            let (rest, t0) = (rest / time0, rest % time0);
            let (t1, s1) = (rest / slice1, rest % slice1);
            (
                (slice / ring * ring + s1 * slice0 + s0, t1 * time0 + t0),
                slice % ring,
            )
        }
        SwitchConfig::Broadcast1 { slice1, slice0 } => {
            let (slice1, slice0) = (value(slice1), value(slice0));
            let ring = slice1 * slice0;
            let (t, s1) = (time / slice1, time % slice1);
            (
                (slice / ring * ring + s1 * slice0 + slice % slice0, t),
                slice / slice0 % slice1,
            )
        }
        SwitchConfig::TransposedBroadcast1 { slice1, slice0 } => {
            let (slice1, slice0) = (value(slice1), value(slice0));
            let ring = slice1 * slice0;
            let (t, s0) = (time / slice0, time % slice0);
            (
                (slice / ring * ring + slice % slice1 * slice0 + s0, t),
                slice / slice1 % slice0,
            )
        }
        SwitchConfig::Transpose { slice1, slice0 } => {
            let (slice1, slice0) = (value(slice1), value(slice0));
            let ring = slice1 * slice0;
            // The output is [s2, s0, s1].
            let (s0, s1) = (slice / slice1 % slice0, slice % slice1);
            ((slice / ring * ring + s1 * slice0 + s0, time), 0)
        }
        SwitchConfig::InterTranspose {
            slice1,
            slice0,
            time0,
        } => {
            let (slice1, slice0, time0) = (value(slice1), value(slice0), value(time0));
            let ring = slice1 * slice0;
            // Slices [s2, t1, s0], time [t2, t0, s1].
            let (t1, s0) = (slice / slice0 % slice1, slice % slice0);
            let (rest, s1) = (time / slice1, time % slice1);
            let (t2, t0) = (rest / time0, rest % time0);
            (
                (
                    slice / ring * ring + s1 * slice0 + s0,
                    (t2 * slice1 + t1) * time0 + t0,
                ),
                0,
            )
        }
        SwitchConfig::CustomBroadcast { .. } => panic!("no regular topology"),
    }
}

#[test]
fn regular_topologies_put_every_packet_where_the_tables_say() {
    let mut numbers = Numbers(7);
    let mut compared = 0_u32;
    for _ in 0..300 {
        let slice = numbers.pick(&[
            "A, B",
            "B, A",
            "B % 4, A, B / 4",
            "A # 32, B / 2",
            "A, C, B / 4",
            "C, D # 8, B / 2",
            "D # 16, A",
        ]);
        let time = numbers.pick(&["C", "D", "D, C", "B / 4, D", "C # 8, D", "D # 8"]);
        let mut power = |most: u64| written(1 << numbers.next_below(most));
        let (slice1, slice0, time0) = (power(5), power(4), power(3));
        let config = match numbers.next_below(5) {
            0 => SwitchConfig::Broadcast01 {
                slice1,
                slice0,
                time0,
            },
            1 => SwitchConfig::Broadcast1 { slice1, slice0 },
            2 => SwitchConfig::TransposedBroadcast1 { slice1, slice0 },
            3 => SwitchConfig::Transpose { slice1, slice0 },
            _ => SwitchConfig::InterTranspose {
                slice1,
                slice0,
                time0,
            },
        };
        // Any declaration does: what the topology makes does not depend on it, but for free positions, which are holes.
        let derived = run(config.clone(), (slice, time), ("1 # 256", "1"));
        let Some(expected) = derived.expected else {
            continue;
        };
        // An axis in both has no one value.
        if ["C", "D", "B"]
            .iter()
            .any(|axis| slice.contains(axis) && time.contains(axis))
        {
            continue;
        }
        let (from_slice, from_time) = (mapping(slice, AXES), mapping(time, AXES));
        let together = |slice: &Mapping, time: &Mapping| {
            let whole = slice.pair(time).expect("small");
            whole.form().function()
        };
        let from_whole = together(&from_slice, &from_time);
        let made = together(&expected.slice, &expected.time);
        for out_slice in 0..expected.slice.size() {
            for out_time in 0..expected.time.size() {
                let (from, copy) = switch_source(&config, out_slice, out_time);
                if copy == 0 {
                    assert_eq!(
                        index_at(&made, &expected.time, (out_slice, out_time)),
                        index_at(&from_whole, &from_time, from),
                        "{config:?} of [{slice}], [{time}] at {out_slice}, {out_time}: {} | {}",
                        expected.slice,
                        expected.time
                    );
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 100_000, "{compared}");
}

/// The smallest ring by looking at every exchange.
fn least_ring(slice: &Mapping, out_slice: &Mapping, moved: &Mapping, copies: &str) -> u64 {
    let holder: std::collections::HashMap<Index, u64> = (0..slice.size())
        .filter_map(|position| match slice.cell_at(position) {
            Cell::Index(index) => Some((index, position)),
            _ => None,
        })
        .collect();
    let mut least = 1;
    for position in 0..out_slice.size() {
        let Cell::Index(held) = out_slice.cell_at(position) else {
            continue;
        };
        for step in 0..moved.size() {
            let Cell::Index(arriving) = moved.cell_at(step) else {
                continue;
            };
            let mut index = Index::empty();
            for (axis, value) in held.entries().chain(arriving.entries()) {
                if !copies.contains(axis.name()) {
                    index.add(axis, value);
                }
            }
            let from = holder[&index];
            while from / least != position / least {
                least *= 2;
            }
        }
    }
    least
}

#[test]
fn least_rings_hold_every_exchange() {
    const DIGITS: [&str; 4] = ["A / 4", "A % 4", "B / 4", "B % 4"];
    let mut numbers = Numbers(11);
    let slice = mapping("A, B", AXES);
    for _ in 0..300 {
        let mut order: Vec<&str> = DIGITS.to_vec();
        for place in 0..order.len() {
            if numbers.next_below(3) == 0 {
                let other = numbers.next_below(4) as usize;
                order.swap(place, other);
            }
        }
        // Some of the digits leave: half a digit goes to time and half of the position counts copies.
        let mut moved: Vec<(usize, String)> = Vec::new();
        let mut out = Vec::new();
        for (place, digit) in order.iter().enumerate() {
            if numbers.next_below(3) == 0 {
                let number = DIGITS
                    .iter()
                    .position(|known| known == digit)
                    .expect("a digit");
                out.push(format!("{digit} / 2, P{place}"));
                moved.push((number, format!("{digit} % 2")));
            } else {
                out.push((*digit).to_owned());
            }
        }
        moved.sort();
        let moved = moved
            .into_iter()
            .map(|(_, digit)| digit)
            .collect::<Vec<_>>();
        let inner = if moved.is_empty() {
            "1".to_owned()
        } else {
            moved.join(", ")
        };
        let (out, time) = (out.join(", "), format!("C, {inner}"));
        let ring = SwitchConfig::CustomBroadcast {
            ring_size: written(256),
        };
        let derived = run(ring, ("A, B", "C"), (&out, &time));
        assert_eq!(derived.violations, [], "{out} | {time}");
        assert_eq!(derived.lost, [""; 0], "{out} | {time}");
        assert_eq!(
            derived.least_ring,
            Some(least_ring(
                &slice,
                &mapping(&out, AXES),
                &mapping(&inner, AXES),
                "P0 P1 P2 P3"
            )),
            "{out} | {time}"
        );
    }
}
