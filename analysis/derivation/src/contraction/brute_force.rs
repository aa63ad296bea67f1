//! Symbolic answers against walks: which weights a cycle reads, and how many sums are open at once.

use crate::collect;
use crate::contraction::trf_sequencer::{self, TrfSequencerError};
use crate::contraction::{derive_accumulate, derive_align, derive_contract};
use crate::hardware::ElementType;
use crate::kernel::{
    AccumulationKind, Body, Context, Pass, PassEnd, PassSource, Position, Stage, StageKind,
    StreamShape,
};
use crate::mapping::{Cell, Index, Mapping, PaddingKind};
use crate::testing::{mapping, span, stream, written};

/// A small generator of reproducible numbers.
struct Numbers(u64);

impl Numbers {
    fn next_below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).expect("31 bits") % limit
    }

    fn shuffle<T>(&mut self, values: &mut [T]) {
        for place in (1..values.len()).rev() {
            values.swap(place, self.next_below(place + 1));
        }
    }
}

fn pair_text(parts: &[String]) -> String {
    if parts.is_empty() {
        "1".to_owned()
    } else {
        parts.join(", ")
    }
}

fn index_part(index: &Index, names: &[&str]) -> Index {
    let mut kept = Index::empty();
    for (axis, value) in index.entries() {
        if names.contains(&axis.name()) {
            kept.add(axis, value);
        }
    }
    kept
}

const AXES: &[(&str, u64)] = &[
    ("U", 3),
    ("V", 4),
    ("W", 2),
    ("M", 2),
    ("N", 3),
    ("K", 16),
    ("L", 2),
];
/// The axes of the weights; `M` and `N` belong to the stream alone.
const WEIGHTS: &[&str] = &["U", "V", "W", "K", "L"];

#[test]
fn configurations_read_what_is_multiplied() {
    let mut numbers = Numbers(3);
    let (mut walked, mut refused) = (0, 0);
    for _ in 0..600 {
        let packet = [
            "L, K",
            "K # 32",
            "K / 8, K % 8 # 16",
            "M, K",
            "K % 8 # 16, L",
            "K, L",
        ][numbers.next_below(6)];
        let mut held: Vec<String> = ["U", "V / 2", "V % 2", "W # 4"].map(str::to_owned).to_vec();
        numbers.shuffle(&mut held);
        held.truncate(numbers.next_below(5));
        if packet.contains('L') && numbers.next_below(2) == 0 {
            held.push("L".to_owned());
        }
        held.push(["K", "K / 8, K % 8 # 16", "K # 32"][numbers.next_below(3)].to_owned());
        let mut gone: Vec<String> = held
            .iter()
            .filter(|part| !part.contains('K') && !part.contains('L'))
            .map(|part| {
                if numbers.next_below(4) == 0 {
                    format!("[{part}] # 8")
                } else {
                    part.clone()
                }
            })
            .collect();
        if numbers.next_below(2) == 0 {
            gone.push("N".to_owned());
        }
        if !packet.contains('M') {
            gone.push("M".to_owned());
        }
        if packet == "K % 8 # 16, L" {
            gone.push("K / 8".to_owned());
        }
        numbers.shuffle(&mut gone);
        let (element, time, packet) = (
            mapping(&pair_text(&held), AXES),
            mapping(&pair_text(&gone), AXES),
            mapping(packet, AXES),
        );
        let derived = trf_sequencer::derive_trf_sequencer(
            ElementType::Bf16,
            element.form(),
            time.form(),
            packet.form(),
        );
        let (sequencer, error) = derived.expect("whole bytes");
        let held_axes: Vec<&str> = WEIGHTS
            .iter()
            .copied()
            .filter(|name| element.form().contains_axis(name))
            .collect();
        if let Some(error) = error {
            refused += 1;
            if matches!(error, TrfSequencerError::Packet { .. }) {
                let possible = [1, 2, 4, 8, 16, 32]
                    .into_iter()
                    .find(|read| reads_somewhere(*read, &element, &time, &packet, &held_axes));
                assert_eq!(possible, None, "{time} | {packet} from {element}");
            }
            continue;
        }
        walked += 1;
        let entries: Vec<(u64, u64)> = sequencer
            .entries
            .iter()
            .map(|entry| (entry.size, entry.stride / 2))
            .collect();
        assert!(held_axes.contains(&"K"));
        compare_reads(
            &entries,
            sequencer.reg_read_size / 2,
            &element,
            &time,
            &packet,
            &held_axes,
        );
    }
    assert!(
        walked > 100 && refused > 20,
        "{walked} walked, {refused} refused"
    );
}

/// Whether reads of that many elements, wherever they start, give every step its packet.
fn reads_somewhere(
    read: u64,
    element: &Mapping,
    time: &Mapping,
    packet: &Mapping,
    held: &[&str],
) -> bool {
    (0..time.size()).all(|step| {
        let Cell::Index(at_step) = time.cell_at(step) else {
            return true;
        };
        (0..element.size()).any(|base| {
            (0..packet.size()).all(|lane| {
                let Cell::Index(mut wanted) = packet.cell_at(lane) else {
                    return true;
                };
                for (axis, value) in at_step.entries() {
                    wanted.add(axis, value);
                }
                element.cell_at(base + lane % read) == Cell::Index(index_part(&wanted, held))
            })
        })
    })
}

/// Walks a configuration and compares every element read with the one that is multiplied.
fn compare_reads(
    entries: &[(u64, u64)],
    read: u64,
    element: &Mapping,
    time: &Mapping,
    packet: &Mapping,
    held: &[&str],
) {
    for step in 0..time.size() {
        let Cell::Index(at_step) = time.cell_at(step) else {
            continue;
        };
        let mut rest = step;
        let mut base = 0;
        for (size, stride) in entries.iter().rev() {
            base += rest % size * stride;
            rest /= size;
        }
        for lane in 0..packet.size() {
            let Cell::Index(mut wanted) = packet.cell_at(lane) else {
                continue;
            };
            for (axis, value) in at_step.entries() {
                wanted.add(axis, value);
            }
            assert_eq!(
                element.cell_at(base + lane % read),
                Cell::Index(index_part(&wanted, held)),
                "step {step}, lane {lane} of {time} | {packet} from {element}"
            );
        }
    }
}

/// Sums that are open at once: from the first step that adds to one to the last.
fn open_sums(time: &Mapping, kept: &[&str]) -> usize {
    let mut spans: Vec<(Index, u64, u64)> = Vec::new();
    for step in 0..time.size() {
        let Cell::Index(index) = time.cell_at(step) else {
            continue;
        };
        let sum = index_part(&index, kept);
        match spans.iter_mut().find(|(known, ..)| *known == sum) {
            Some((_, _, last)) => *last = step,
            None => spans.push((sum, step, step)),
        }
    }
    (0..time.size())
        .map(|step| {
            spans
                .iter()
                .filter(|(_, first, last)| (*first..=*last).contains(&step))
                .count()
        })
        .max()
        .unwrap_or(0)
}

#[test]
fn slots_are_the_sums_that_are_open_at_once() {
    let names = ["U", "V", "W", "M", "N"];
    let mut numbers = Numbers(5);
    for _ in 0..500 {
        let mut order = names.to_vec();
        numbers.shuffle(&mut order);
        order.truncate(1 + numbers.next_below(5));
        let kept: Vec<&str> = order
            .iter()
            .copied()
            .filter(|_| numbers.next_below(2) == 0)
            .collect();
        let time = order.join(", ");
        let out = pair_text(
            &kept
                .iter()
                .map(|name| (*name).to_owned())
                .collect::<Vec<_>>(),
        );
        let shape = |position, time: &str, packet: &str| {
            stream(position, ElementType::F32, "1 # 256", time, packet, AXES)
        };
        let mut begin = shape(Position::Contract, &time, "1");
        begin.row = Some(written(Mapping::identity()));
        let pass = Pass {
            dialect: crate::items::Dialect::default(),
            machine: crate::hardware::Machine::RNGD,
            context: Some(Context::Main),
            source: PassSource::Parameter {
                position: Position::Contract,
            },
            begin,
            stages: vec![Stage {
                kind: StageKind::Accumulate(written(AccumulationKind::Interleaved)),
                output: shape(Position::Accumulate, &out, "1 # 8"),
                method: "accumulate".to_owned(),
                span: span(1),
            }],
            end: PassEnd::Open,
        };
        let derived = derive_accumulate(&pass, 0);
        let open = open_sums(&mapping(&time, AXES), &kept);
        let inner = derived.inner.and_then(|inner| usize::try_from(inner).ok());
        assert_eq!(inner, Some(open), "[{time}] to [{out}]");
    }
}

/// Axes whose sizes fit nowhere, and ways to bring them into packets.
const ODD: &[(&str, u64)] = &[
    ("A", 5),
    ("B", 12),
    ("C", 100),
    ("D", 7),
    ("E", 64),
    ("T", 3),
    ("N", 8),
];
const PACKETS: &[(&str, &str)] = &[
    ("C # 128 / 32", "C # 128 % 32"),
    ("C # 128 / 64", "C # 128 % 64"),
    ("1", "C # 112"),
    ("1", "E"),
    ("E / 16", "E % 16"),
    ("D # 8 / 2", "D # 8 % 2, B # 16"),
    ("1", "D # 8"),
    ("[A, B] # 64 / 32", "[A, B] # 64 % 32"),
    ("A", "B # 16"),
    ("1", "A, B # 16"),
];

fn one_stage(begin: StreamShape, kind: StageKind, output: StreamShape) -> Pass {
    Pass {
        dialect: crate::items::Dialect::default(),
        machine: crate::hardware::Machine::RNGD,
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

fn empty_body() -> Body {
    Body {
        machine: crate::hardware::Machine::RNGD,
        dialect: crate::items::Dialect::default(),
        name: "test".to_owned(),
        span: span(0),
        device: None,
        chips: Some(1),
        reached_from_kernel: false,
        tensors: Vec::new(),
        operations: Vec::new(),
        unresolved: Vec::new(),
        incomplete: Vec::new(),
        parameters: Vec::new(),
        results: Vec::new(),
        escaping: Vec::new(),
        launches: Vec::new(),
        shortened_loops: Vec::new(),
        unbounded_loops: Vec::new(),
        undecided_exits: Vec::new(),
        foreign: Vec::new(),
        register_clones: Vec::new(),
    }
}

fn stream_shape(position: Position, (time, packet): (&Mapping, &Mapping)) -> StreamShape {
    let mut shape = stream(position, ElementType::Bf16, "1 # 256", "1", "1", ODD);
    shape.row = Some(written(mapping("N", ODD)));
    shape.time = written(time.clone());
    shape.packet = written(packet.clone());
    shape
}

/// The same mapping, read again from its text.
fn reread_mapping(mapping_of: &Mapping) -> Mapping {
    mapping(&mapping_of.to_string(), ODD)
}

#[test]
fn what_is_derived_is_accepted() {
    let mut numbers = Numbers(9);
    let mut accumulated = 0;
    for round in 0..400 {
        let (packets, packet) = PACKETS[numbers.next_below(PACKETS.len())];
        let mut outer = vec!["T", "N # 16", "1 # 2"];
        numbers.shuffle(&mut outer);
        outer.truncate(numbers.next_below(4));
        let outer: Vec<String> = outer
            .iter()
            .map(|part| (*part).to_owned())
            .chain([packets.to_owned()])
            .collect();
        let (time, packet) = (mapping(&pair_text(&outer), ODD), mapping(packet, ODD));
        let told = format!("round {round}: {time} | {packet}");

        // Collect whatever leaves.
        let fetched = stream_shape(Position::Fetch, (&time, &packet));
        let anything = one_stage(fetched.clone(), StageKind::Collect, fetched.clone());
        let derived = collect::derive_collect(&anything, 0);
        let time = reread_mapping(&derived.expected_time.expect(&told));
        let packet = reread_mapping(&derived.expected_packet.expect(&told));
        let collected = stream_shape(Position::Collect, (&time, &packet));
        let violations = collect::derive_collect(
            &one_stage(fetched, StageKind::Collect, collected.clone()),
            0,
        )
        .violations;
        assert_eq!(violations, [], "{told} to {time} | {packet}");

        // Align one flit or two.
        let kind = || StageKind::Align {
            operand: None,
            operand_span: span(2),
        };
        let body = empty_body();
        let anything = one_stage(collected.clone(), kind(), collected.clone());
        let derived = derive_align(&body, &anything, 0);
        let packets = [derived.one_flit_packet, derived.two_flit_packet];
        let Some(packet) = packets[numbers.next_below(2)].as_ref().map(reread_mapping) else {
            continue;
        };
        let anything = stream_shape(Position::Align, (&time, &packet));
        let derived = derive_align(&body, &one_stage(collected.clone(), kind(), anything), 0);
        let Some(time) = derived.expected_time.as_ref().map(reread_mapping) else {
            continue;
        };
        let aligned = stream_shape(Position::Align, (&time, &packet));
        let violations =
            derive_align(&body, &one_stage(collected, kind(), aligned.clone()), 0).violations;
        assert_eq!(violations, [], "{told} aligned to {time} | {packet}");

        // Sum some levels.
        let derived = derive_contract(
            &one_stage(aligned.clone(), StageKind::Contract, aligned.clone()),
            0,
        );
        let Some(packet) = derived.possible_packets.get(numbers.next_below(6)) else {
            continue;
        };
        let Ok(packet) = packet.pad_to(packet.size().next_power_of_two(), PaddingKind::Top) else {
            continue;
        };
        let contracted = stream_shape(Position::Contract, (&time, &reread_mapping(&packet)));
        let violations = derive_contract(
            &one_stage(aligned, StageKind::Contract, contracted.clone()),
            0,
        )
        .violations;
        assert_eq!(violations, [], "{told} contracted to {packet}");

        // Keep some axes, here all of the time: nothing waits.
        for kind in [AccumulationKind::Interleaved, AccumulationKind::Sequential] {
            let stage = || StageKind::Accumulate(written(kind));
            let anything = one_stage(contracted.clone(), stage(), contracted.clone());
            let derived = derive_accumulate(&anything, 0);
            let (Some(time), Some(packet)) = (derived.expected_time, derived.expected_packet)
            else {
                continue;
            };
            let output = stream_shape(
                Position::Accumulate,
                (&reread_mapping(&time), &reread_mapping(&packet)),
            );
            let violations =
                derive_accumulate(&one_stage(contracted.clone(), stage(), output), 0).violations;
            assert_eq!(violations, [], "{told} accumulated to {time} | {packet}");
            accumulated += 1;
        }
    }
    assert!(accumulated > 100, "{accumulated}");
}
