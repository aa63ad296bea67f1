//! Contractions of the releases that spell everything out: alignment, reduction over time, and ten thousand accumulators against
//! a walk over the steps.

use std::collections::HashMap;

use crate::contraction::{
    AccumulateViolation, AlignViolation, AlignedTime, derive_accumulate, derive_align, derive_time,
};
use crate::hardware::{ElementType, Machine};
use crate::items::Dialect;
use crate::kernel::{
    AccumulationKind, Body, Context, Pass, PassEnd, PassSource, Position, Stage, StageKind,
    StreamShape,
};
use crate::libraries::{Library, Release};
use crate::testing::{mapping, span, stream, written};
use crate::testing_body::BodyBuilder;

type Axes<'a> = &'a [(&'a str, u64)];

fn dialect(minor: u16) -> Dialect {
    Dialect {
        library: Library::OptStd,
        release: Release::new(0, minor),
    }
}

fn pass(minor: u16, begin: StreamShape, stages: Vec<(StageKind, StreamShape)>) -> Pass {
    let stages = stages.into_iter().map(|(kind, output)| Stage {
        kind,
        output,
        method: "stage".to_owned(),
        span: span(1),
    });
    Pass {
        dialect: dialect(minor),
        machine: Machine::RNGD,
        context: Some(Context::Main),
        source: PassSource::Parameter {
            position: begin.position,
        },
        begin,
        stages: stages.collect(),
        end: PassEnd::Open,
    }
}

fn body(minor: u16) -> Body {
    let mut builder = BodyBuilder::new(AXES);
    builder.body.dialect = dialect(minor);
    builder.body
}

const AXES: Axes<'_> = &[("M", 4), ("N", 6), ("K", 64), ("T", 8), ("A", 16)];

/// The alignment of `bf16` flits, which are 16 elements.
fn align(minor: u16, time: &str, out_time: &str, out_packet: &str) -> Vec<AlignViolation> {
    let shape =
        |position, time, packet| stream(position, ElementType::Bf16, "1 # 256", time, packet, AXES);
    let kind = StageKind::Align {
        operand: None,
        operand_span: span(2),
    };
    let pass = pass(
        minor,
        shape(Position::Collect, time, "K % 16"),
        vec![(kind, shape(Position::Align, out_time, out_packet))],
    );
    derive_align(&body(minor), &pass, 0).violations
}

#[test]
fn two_flits_are_the_innermost_iterations() {
    let time = |reason| [AlignViolation::TimeMismatch { reason }];
    for minor in [4, 6, 8, 10] {
        let at = |time, out_time, packet| align(minor, time, out_time, packet);
        assert_eq!(at("M, K / 16", "M, K / 32", "K % 32"), []);
        assert_eq!(at("M, K / 16", "M, K / 16", "K % 16"), []);
        // Whatever is inside of the stream's time repeats each packet.
        assert_eq!(at("M, K / 16", "M, K / 32, T", "K % 32"), []);
        assert_eq!(at("M, 1 # 2", "M, T", "K % 16 # 32"), []);
        // A second half of zeros is no iteration of the stream.
        let packet = [AlignViolation::PacketMismatch];
        assert_eq!(at("M, K / 16", "M, K / 16", "K % 16 # 32"), packet);
        assert_eq!(at("K / 16, M", "K / 16, M / 2", "K % 32"), packet);
        assert_eq!(
            at("M, K / 16", "K / 32, M", "K % 32"),
            time(AlignedTime::Reordered)
        );
        assert_eq!(
            at("M # 8, K / 16", "M, K / 32", "K % 32"),
            time(AlignedTime::Padding)
        );
        assert_eq!(
            at("M, K / 16", "T, M, K / 32", "K % 32"),
            time(AlignedTime::TilingOutside {
                axes: vec!["T".to_owned()]
            })
        );
    }
    // Until 0.3 the second half may be zeros.
    assert_eq!(align(3, "M, K / 16", "M, K / 16", "K % 16 # 32"), []);
}

fn reduced(minor: u16, time: &str, out_time: &str) -> Option<super::AccumulatedTime> {
    let shape = |time| {
        stream(
            Position::Contract,
            ElementType::F32,
            "1 # 256",
            time,
            "1",
            AXES,
        )
    };
    let pass = pass(
        minor,
        shape(time),
        vec![(StageKind::ContractTime, shape(out_time))],
    );
    derive_time(&pass, 0)
}

#[test]
fn a_reduced_time_reaches_from_part_to_part() {
    let padding = Some(super::AccumulatedTime::Padding);
    for (time, out_time) in [
        ("M, N", "M"),
        ("M, N", "N"),
        ("M, N", "1"),
        ("M # 8, N", "M # 8"),
        ("M, N # 8", "N # 8"),
        ("T, M, N", "T, N"),
        // What is outside in an axis may stay: it begins inside of it.
        ("A, M", "A / 4"),
    ] {
        for minor in [6, 8, 10] {
            assert_eq!(reduced(minor, time, out_time), None, "{time} to {out_time}");
        }
    }
    for (time, out_time) in [
        ("M # 8, N", "M"),
        ("M, N # 8", "N"),
        ("M, N", "M # 8"),
        ("M, N", "M, 1 # 2"),
        // The inside of an axis without its outside.
        ("A", "A % 4"),
    ] {
        assert_eq!(reduced(8, time, out_time), padding, "{time} to {out_time}");
    }
    assert_eq!(
        reduced(8, "M, N", "N, M"),
        Some(super::AccumulatedTime::Reordered)
    );
}

/// A part of the time: an axis, its size, its size with padding, and whether it is kept.
#[derive(Debug, Clone, Copy)]
struct Part {
    name: &'static str,
    live: u64,
    extent: u64,
    kept: bool,
}

fn text(parts: &[Part]) -> String {
    let parts: Vec<String> = parts
        .iter()
        .map(|part| match part.extent == part.live {
            true => part.name.to_owned(),
            false => format!("{} # {}", part.name, part.extent),
        })
        .collect();
    if parts.is_empty() {
        "1".to_owned()
    } else {
        parts.join(", ")
    }
}

/// Sums that wait at once, step by step: a step opens the sum that it adds to, and the last step of a sum closes it. Padded
/// steps take a place as well.
fn waiting(parts: &[Part]) -> u64 {
    let steps: u64 = parts.iter().map(|part| part.extent).product();
    let sum_of = |step: u64| {
        let (mut rest, mut sum, mut scale) = (step, 0, 1);
        for part in parts.iter().rev() {
            if part.kept {
                sum += rest % part.extent * scale;
                scale *= part.extent;
            }
            rest /= part.extent;
        }
        sum
    };
    let mut last = HashMap::new();
    for step in 0..steps {
        last.insert(sum_of(step), step);
    }
    let (mut open, mut most) = (std::collections::HashSet::new(), 0);
    for step in 0..steps {
        let sum = sum_of(step);
        open.insert(sum);
        most = most.max(open.len() as u64);
        if last[&sum] == step {
            open.remove(&sum);
        }
    }
    most
}

#[test]
fn accumulators_are_those_of_a_walk() {
    const NAMES: [&str; 4] = ["P", "Q", "R", "S"];
    let mut state = 41_u64;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit as u64) as usize
    };
    let (mut fits, mut exceeds) = (0, 0);
    for _ in 0..10_000 {
        let count = 1 + below(4);
        let parts: Vec<Part> = NAMES[..count]
            .iter()
            .map(|name| {
                let live = 2 + below(6) as u64;
                let extent = live + if below(4) == 0 { below(3) as u64 } else { 0 };
                Part {
                    name,
                    live,
                    extent,
                    kept: below(2) == 0,
                }
            })
            .collect();
        let kept: Vec<Part> = parts.iter().copied().filter(|part| part.kept).collect();
        let rows = 1_u64 << below(4);
        let packet = 2_u64 << below(5);
        let mut axes: Vec<(&str, u64)> = parts.iter().map(|part| (part.name, part.live)).collect();
        axes.extend([("L", rows), ("C", packet)]);
        let interleaved = below(2) == 0;
        let (time, out) = (text(&parts), text(&kept));
        let columns = packet.next_multiple_of(8);
        let (out_time, out_packet) = if interleaved {
            (format!("{out}, C"), "L # 8".to_owned())
        } else {
            (
                format!("{out}, L, C # {columns} / 8"),
                format!("C # {columns} % 8"),
            )
        };
        let shape = |position, time: &str, packet: &str| {
            let mut shape = stream(position, ElementType::F32, "1 # 256", time, packet, &axes);
            shape.row = Some(written(mapping("L", &axes)));
            shape
        };
        let kind = if interleaved {
            AccumulationKind::Interleaved
        } else {
            AccumulationKind::Sequential
        };
        let pass = pass(
            8,
            shape(Position::Contract, &time, "C"),
            vec![
                (
                    StageKind::ContractTime,
                    shape(Position::Contract, &out, "C"),
                ),
                (
                    StageKind::Accumulate(written(kind)),
                    shape(Position::Accumulate, &out_time, &out_packet),
                ),
            ],
        );
        assert_eq!(derive_time(&pass, 0), None, "{time} to {out}");
        let derived = derive_accumulate(&pass, 1);
        let waits = waiting(&parts);
        // 1,024 cells: a sum takes 8 rows of its columns, or its rows of 32 columns.
        let cells = if interleaved {
            waits * 8 * packet
        } else {
            waits * rows * 32
        };
        let said =
            format!("{time} to {out} with {rows} rows of {packet}: {waits} wait, {derived:?}");
        match derived.violations.as_slice() {
            [] => {
                assert!(cells <= 1024, "{said}");
                fits += 1;
            }
            [AccumulateViolation::Capacity { .. }] => {
                assert!(cells > 1024, "{said}");
                exceeds += 1;
            }
            _ => panic!("{said}"),
        }
    }
    assert!(fits > 2000 && exceeds > 1000, "{fits} {exceeds}");
}
