//! Published lifts, and ten thousand small ones against a walk over places and steps.

use std::collections::HashSet;

use crate::hardware::{ElementType, Machine};
use crate::items::Dialect;
use crate::kernel::{
    Context, Level, Pass, PassEnd, PassSource, Position, Stage, StageKind, TensorId,
};
use crate::libraries::{Library, Release};
use crate::testing::{span, stream};

use super::{LiftFault, derive_lift_fault};

type Axes<'a> = &'a [(&'a str, u64)];

/// The lift of the slices of a fetch of `i8`: placement and time before and after; `element` is what a slice holds.
fn lift(
    axes: Axes<'_>,
    element: &str,
    packet: &str,
    before: (&str, &str),
    after: (&str, &str),
) -> Option<LiftFault> {
    let shape = |position, slice, time, packet| {
        stream(position, ElementType::I8, slice, time, packet, axes)
    };
    let stage = |kind, output| Stage {
        kind,
        output,
        method: "lift".to_owned(),
        span: span(1),
    };
    let fetch = StageKind::Fetch {
        table: false,
        zero_points: Vec::new(),
    };
    let pass = Pass {
        dialect: Dialect {
            library: Library::OptStd,
            release: Release::new(0, 8),
        },
        machine: Machine::RNGD,
        context: Some(Context::Main),
        source: PassSource::Tensor(TensorId(0)),
        begin: shape(Position::Begin, before.0, "1", element),
        stages: vec![
            stage(fetch, shape(Position::Fetch, before.0, before.1, packet)),
            stage(
                StageKind::FetchLift(Level::Slice),
                shape(Position::Fetch, after.0, after.1, packet),
            ),
        ],
        end: PassEnd::Open,
    };
    derive_lift_fault(&pass, 1, Level::Slice)
}

const AXES: Axes<'_> = &[
    ("F", 128),
    ("Q", 4),
    ("H", 2),
    ("O", 2),
    ("X", 16),
    ("V", 8),
    ("R", 63),
    ("T", 3),
];

#[test]
fn published_lifts_are_judged_as_published() {
    let at = |before, after| lift(AXES, "Q, H, O, V", "V", before, after);
    assert_eq!(at(("F, 2", "Q, H, O"), ("F, Q / 2", "Q % 2, H, O")), None);
    assert_eq!(at(("F, 2, 2", "Q, H, O"), ("F, H, 2", "Q, O")), None);
    assert_eq!(at(("2, F, 2", "Q, H, O"), ("H, F, O", "Q")), None);
    assert_eq!(at(("F, 4", "Q, H, O"), ("F, H, O", "Q")), None);
    assert_eq!(
        at(("[R, 2] # 256", "Q, H, O"), ("[R, H] # 256", "Q, O")),
        None
    );
    assert_eq!(
        at(("4, X, 4", "Q, H, O"), ("H, Q % 2, X, O, Q / 2", "1")),
        None
    );
    assert_eq!(
        at(("F, 2", "Q, H, O"), ("F, 2", "Q, H, O")),
        Some(LiftFault::Unchanged)
    );
    assert_eq!(
        at(("F, 2", "Q, H, O"), ("F, 1 # 2", "Q, H, O")),
        Some(LiftFault::Padding { stride: 1 })
    );
    for (before, after) in [
        (("F, 1 # 2", "Q, H, O"), ("F, H", "Q, O")),
        (("F, H", "Q, O"), ("F, Q / 2", "Q % 2, O")),
    ] {
        let fault = at(before, after);
        let replaced = matches!(fault, Some(LiftFault::Replaced { stride: 1, .. }));
        assert!(replaced, "{before:?} to {after:?}: {fault:?}");
    }
    assert_eq!(
        at(("F, 2", "Q, H, O"), ("F, Q", "H, O")),
        Some(LiftFault::Size {
            before: 256,
            after: 512
        })
    );
    // `H` is lifted, and `O` is taken out of the time.
    assert_eq!(
        at(("F, 2", "Q, H, O"), ("F, H", "Q, H")),
        Some(LiftFault::Unread {
            axes: vec!["O".to_owned()]
        })
    );
}

#[test]
fn parts_begin_at_multiples_of_eight_bytes() {
    let at = |element, packet| lift(AXES, element, packet, ("F, 2", "H"), ("F, H", "1"));
    assert_eq!(at("H, V", "V"), None);
    let fault = at("H, Q", "Q");
    assert!(
        matches!(fault, Some(LiftFault::Base { bits: 32, .. })),
        "{fault:?}"
    );
}

/// A piece of two positions: a bit of the data, copies, or padding behind the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Piece {
    Bit(u32),
    Copies,
    Hole,
}

const BITS: [&str; 8] = [
    "A / 4",
    "A / 2 % 2",
    "A % 2",
    "B / 4",
    "B / 2 % 2",
    "B % 2",
    "C / 2",
    "C % 2",
];

fn text(pieces: &[Piece]) -> String {
    let parts: Vec<&str> = pieces
        .iter()
        .map(|piece| match piece {
            Piece::Bit(bit) => BITS[*bit as usize],
            Piece::Copies => "2",
            Piece::Hole => "1 # 2",
        })
        .collect();
    if parts.is_empty() {
        "1".to_owned()
    } else {
        parts.join(", ")
    }
}

/// The bits that are 1 at a position; nothing in padding.
fn held(pieces: &[Piece], position: u64) -> Option<u32> {
    let mut bits = 0;
    for (place, piece) in pieces.iter().rev().enumerate() {
        if position >> place & 1 == 1 {
            match piece {
                Piece::Bit(bit) => bits |= 1 << bit,
                Piece::Copies => {}
                Piece::Hole => return None,
            }
        }
    }
    Some(bits)
}

/// The bits that pieces have.
fn bits_of(pieces: &[Piece]) -> u32 {
    let own = pieces.iter().filter_map(|piece| match piece {
        Piece::Bit(bit) => Some(1 << bit),
        _ => None,
    });
    own.sum()
}

/// Whether each place can read what it is to hold: it holds what it held, and a part of what was in time. A name that was
/// nowhere before is one of copies.
fn walked(before: (&[Piece], &[Piece]), after: (&[Piece], &[Piece])) -> bool {
    let known = bits_of(before.0) | bits_of(before.1);
    let in_time = |bits: u32| bits & !bits_of(before.1) == 0;
    let steps = |time: &[Piece]| -> Vec<u32> {
        (0..1_u64 << time.len())
            .filter_map(|step| held(time, step))
            .collect()
    };
    let mut read = HashSet::new();
    let mut wanted = HashSet::new();
    let mut lifted = false;
    for place in 0..1_u64 << before.0.len() {
        let (old, new) = match (held(before.0, place), held(after.0, place)) {
            (None, None) => continue,
            (Some(old), Some(new)) => (old, new),
            _ => return false,
        };
        lifted |= old != new;
        let new = new & known;
        if old & !new != 0 || !in_time(new & !old) {
            return false;
        }
        wanted.extend(steps(before.1).iter().map(|step| old | step));
        read.extend(steps(after.1).iter().map(|step| new | step));
    }
    lifted && wanted.is_subset(&read)
}

#[test]
fn lifts_are_those_of_a_walk() {
    let axes: Axes<'_> = &[("A", 8), ("B", 8), ("C", 4), ("V", 8)];
    let mut state = 29_u64;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit as u64) as usize
    };
    let (mut right, mut wrong) = (0, 0);
    while right + wrong < 10_000 {
        let mut bits: Vec<Piece> = (0..8).map(Piece::Bit).collect();
        for _ in 0..below(6) {
            let (one, other) = (below(8), below(8));
            bits.swap(one, other);
        }
        let mut time = bits.split_off(4 + below(3));
        let mut before = bits;
        while before.len() < 6 {
            let place = below(before.len() + 1);
            before.insert(place, Piece::Copies);
        }
        for piece in &mut before {
            if below(10) == 0 {
                *piece = if below(2) == 0 {
                    Piece::Hole
                } else {
                    Piece::Copies
                };
            }
        }
        if below(8) == 0 {
            time.push(Piece::Hole);
        }
        let (mut after, mut out_time) = (before.clone(), time.clone());
        for piece in &mut after {
            if *piece != Piece::Copies || below(4) == 0 || out_time.is_empty() {
                continue;
            }
            let taken = below(out_time.len());
            if let Piece::Bit(_) = out_time[taken] {
                *piece = out_time.remove(taken);
            }
        }
        match below(8) {
            0 => after[below(6)] = Piece::Hole,
            1 => {
                let (one, other) = (below(6), below(6));
                after.swap(one, other);
            }
            2 if out_time.len() > 1 => {
                let last = out_time.len() - 1;
                out_time.swap(0, last);
            }
            3 => after[below(6)] = Piece::Bit(below(8) as u32),
            _ => {}
        }
        let mut seen = HashSet::new();
        let mut all = after.iter().chain(&out_time);
        let twice = all.any(|piece| matches!(piece, Piece::Bit(_)) && !seen.insert(*piece));
        if twice {
            continue;
        }
        let legal = walked((&before, &time), (&after, &out_time));
        let texts = [text(&before), text(&time), text(&after), text(&out_time)];
        let [old, old_time, new, new_time] = &texts;
        let element = format!("{old_time}, V");
        let fault = lift(axes, &element, "V", (old, old_time), (new, new_time));
        assert_eq!(fault.is_none(), legal, "{texts:?}: {fault:?}");
        if legal {
            right += 1;
        } else {
            wrong += 1;
        }
    }
    assert!(right > 2000 && wrong > 1500, "{right} {wrong}");
}
