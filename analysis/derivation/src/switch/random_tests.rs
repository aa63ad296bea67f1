//! Ten thousand small switches of each kind against a walk over positions. The walk knows slices and steps as numbers of
//! two-way pieces and follows each packet by hand; it shares nothing with forms.

use std::collections::{HashMap, HashSet};

use crate::kernel::SwitchConfig;
use crate::testing::written;

use super::SwitchViolation;
use super::frames_tests::{ring, run};

/// A piece of two positions: a bit of the data, a copy's number, or padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// A bit of `A` (0 to 2), `B` (3 to 5) or the time's `C` (6, 7).
    Bit(u32),
    /// A copy's number.
    Copy(u32),
    /// Padding behind the first position.
    Hole,
}

impl Piece {
    fn text(self) -> String {
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
        match self {
            Self::Bit(bit) => BITS[bit as usize].to_owned(),
            Self::Copy(number) => format!("N{number}"),
            Self::Hole => "1 # 2".to_owned(),
        }
    }
}

const AXES: &[(&str, u64)] = &[
    ("A", 8),
    ("B", 8),
    ("C", 4),
    ("N0", 2),
    ("N1", 2),
    ("N2", 2),
    ("N3", 2),
    ("N4", 2),
    ("N5", 2),
];

fn text(pieces: &[Piece]) -> String {
    let parts: Vec<String> = pieces.iter().map(|piece| piece.text()).collect();
    if parts.is_empty() {
        "1".to_owned()
    } else {
        parts.join(", ")
    }
}

/// What is at a position: which pieces are 1, as a set of bits and a set of copy numbers; nothing in padding.
fn held(pieces: &[Piece], position: u64) -> Option<(u32, u32)> {
    let (mut bits, mut copies) = (0, 0);
    for (place, piece) in pieces.iter().rev().enumerate() {
        if position >> place & 1 == 1 {
            match piece {
                Piece::Bit(bit) => bits |= 1 << bit,
                Piece::Copy(number) => copies |= 1 << number,
                Piece::Hole => return None,
            }
        }
    }
    Some((bits, copies))
}

struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) % limit as u64) as usize
    }

    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// Slices and time, outermost piece first.
#[derive(Debug, Clone)]
struct Frame {
    slice: Vec<Piece>,
    time: Vec<Piece>,
}

impl Frame {
    fn texts(&self) -> (String, String) {
        (text(&self.slice), text(&self.time))
    }

    /// What a slice holds at a step.
    fn at(&self, slice: u64, step: u64) -> Option<(u32, u32)> {
        held(
            &[self.slice.as_slice(), &self.time].concat(),
            slice << self.time.len() | step,
        )
    }

    fn steps(&self) -> u64 {
        1 << self.time.len()
    }
}

/// 64 slices with `A` and `B` in some order and now and then a hole, and one or two pieces of time.
fn input(numbers: &mut Numbers) -> Frame {
    let mut slice: Vec<Piece> = (0..6).map(Piece::Bit).collect();
    for place in 0..slice.len() {
        if numbers.once_in(3) {
            let other = numbers.below(6);
            slice.swap(place, other);
        }
    }
    for piece in &mut slice {
        if numbers.once_in(12) {
            *piece = Piece::Hole;
        }
    }
    let time = match numbers.below(3) {
        0 => vec![Piece::Bit(6), Piece::Bit(7)],
        1 => vec![Piece::Bit(7), Piece::Hole],
        _ => vec![Piece::Bit(7)],
    };
    Frame { slice, time }
}

/// Where the packet of a slice and a step comes from, and the number of the copy.
fn source(config: [usize; 4], slice: u64, step: u64) -> ((u64, u64), u64) {
    let [kind, slice1, slice0, time0] = config.map(|part| part as u64);
    let (one, zero, t0) = (1 << slice1, 1 << slice0, 1 << time0);
    let ring = one * zero;
    let base = slice / ring * ring;
    match kind {
        0 => {
            let (s0, rest) = (step % zero, step / zero);
            let (inner, rest) = (rest % t0, rest / t0);
            let (s1, outer) = (rest % one, rest / one);
            ((base + s1 * zero + s0, outer * t0 + inner), slice % ring)
        }
        1 => (
            (base + step % one * zero + slice % zero, step / one),
            slice / zero % one,
        ),
        2 => (
            (base + slice % one * zero + step % zero, step / zero),
            slice / one % zero,
        ),
        3 => ((base + slice % one * zero + slice / one % zero, step), 0),
        _ => {
            let (s1, rest) = (step % one, step / one);
            let (inner, outer) = (rest % t0, rest / t0);
            let entering = slice / zero % one;
            (
                (
                    base + s1 * zero + slice % zero,
                    (outer * one + entering) * t0 + inner,
                ),
                0,
            )
        }
    }
}

fn named([kind, slice1, slice0, time0]: [usize; 4]) -> SwitchConfig {
    let power = |part: usize| written(1_u64 << part);
    let (slice1, slice0, time0) = (power(slice1), power(slice0), power(time0));
    match kind {
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
    }
}

/// What a named topology makes, by moving pieces; what it copies has new names.
fn made([kind, slice1, slice0, time0]: [usize; 4], input: &Frame) -> Option<Frame> {
    let (outer, ring) = input
        .slice
        .split_at_checked(input.slice.len().checked_sub(slice1 + slice0)?)?;
    let (one, zero) = ring.split_at(slice1);
    let copies = |count: usize| (0..count as u32).map(Piece::Copy).collect::<Vec<_>>();
    let time = &input.time;
    let parts: (Vec<Piece>, Vec<Piece>) = match kind {
        0 => {
            let (coarse, fine) = time.split_at(time.len().checked_sub(time0)?);
            (
                [outer, &copies(slice1 + slice0)].concat(),
                [coarse, one, fine, zero].concat(),
            )
        }
        1 => (
            [outer, &copies(slice1), zero].concat(),
            [time, one].concat(),
        ),
        2 => (
            [outer, &copies(slice0), one].concat(),
            [time, zero].concat(),
        ),
        3 => ([outer, zero, one].concat(), time.clone()),
        _ => {
            let (coarse, rest) = time.split_at(time.len().checked_sub(slice1 + time0)?);
            let (entering, fine) = rest.split_at(slice1);
            (
                [outer, entering, zero].concat(),
                [coarse, fine, one].concat(),
            )
        }
    };
    Some(Frame {
        slice: parts.0,
        time: parts.1,
    })
}

/// The output with bits that the input does not have as what they are: numbers of copies.
fn as_copies(input: &Frame, output: &Frame) -> Frame {
    let own = |piece: &Piece| match piece {
        Piece::Bit(bit) if !input.slice.contains(piece) && !input.time.contains(piece) => {
            Piece::Copy(8 + bit)
        }
        piece => *piece,
    };
    Frame {
        slice: output.slice.iter().map(own).collect(),
        time: output.time.iter().map(own).collect(),
    }
}

/// Puts another piece in place of one, or changes two.
fn disturb(numbers: &mut Numbers, frame: &mut Frame) {
    let in_time = numbers.once_in(3) && !frame.time.is_empty();
    let pieces = if in_time {
        &mut frame.time
    } else {
        &mut frame.slice
    };
    let (one, other) = (numbers.below(pieces.len()), numbers.below(pieces.len()));
    match numbers.below(5) {
        0 => pieces[one] = Piece::Hole,
        1 => pieces[one] = Piece::Bit(numbers.below(8) as u32),
        2 => pieces[one] = Piece::Copy(5),
        _ => pieces.swap(one, other),
    }
}

/// Whether two pieces of a frame claim one bit.
fn claims_twice(frame: &Frame) -> bool {
    let mut seen = HashSet::new();
    let named = |piece: &&Piece| **piece != Piece::Hole;
    let pieces = frame.slice.iter().chain(&frame.time).filter(named);
    pieces.into_iter().any(|piece| !seen.insert(piece.text()))
}

/// Whether a named topology makes that output, looking at every slice and step.
fn is_made(config: [usize; 4], input: &Frame, output: &Frame, made: &Frame) -> bool {
    if output.time.len() != made.time.len() || output.slice.len() != made.slice.len() {
        return false;
    }
    (0..1 << output.slice.len()).all(|slice| {
        (0..output.steps()).all(|step| {
            let ((from, at), copy) = source(config, slice, step);
            match (output.at(slice, step), input.at(from, at)) {
                (Some((bits, copies)), Some((wanted, _))) => {
                    bits == wanted && (copies == 0 || copy != 0)
                }
                (None, None) => true,
                (None, Some(_)) => copy != 0,
                (Some(_), None) => false,
            }
        })
    })
}

#[test]
fn named_topologies_are_those_of_a_walk() {
    let mut numbers = Numbers(5);
    let (mut right, mut wrong) = (0, 0);
    while right + wrong < 10_000 {
        let input = input(&mut numbers);
        let config = [
            numbers.below(5),
            numbers.below(4),
            numbers.below(3),
            numbers.below(2),
        ];
        let Some(made) = made(config, &input) else {
            continue;
        };
        let mut output = made.clone();
        if numbers.once_in(2) {
            disturb(&mut numbers, &mut output);
        }
        // A claim that two places make at once is another rule's.
        if claims_twice(&output) {
            continue;
        }
        let legal = is_made(config, &input, &as_copies(&input, &output), &made);
        let ((slice, time), (out_slice, out_time)) = (input.texts(), output.texts());
        let derived = run(
            8,
            named(config),
            AXES,
            (&slice, &time),
            (&out_slice, &out_time),
        );
        assert_eq!(
            derived.violations.is_empty(),
            legal,
            "{config:?}: [{slice}], [{time}] -> [{out_slice}], [{out_time}]: {:?}",
            derived.violations
        );
        if legal {
            right += 1;
        } else {
            wrong += 1;
        }
    }
    assert!(right > 3000 && wrong > 2000, "{right} {wrong}");
}

/// The ring that holds every exchange of a custom ring, if the routers can make the output at all.
fn custom(input: &Frame, output: &Frame) -> Option<u64> {
    let inner = output.time.len().checked_sub(input.time.len())?;
    let mut holder = HashMap::new();
    for slice in 0..64 {
        for step in 0..input.steps() {
            if let Some((bits, _)) = input.at(slice, step) {
                holder.insert(bits, (slice, step));
            }
        }
    }
    let mut arrived = HashSet::new();
    let mut ring = 1;
    for slice in 0..64_u64 {
        for outer in 0..input.steps() {
            let mut last = None;
            for passing in 0..1_u64 << inner {
                let step = outer << inner | passing;
                let Some((bits, _)) = output.at(slice, step) else {
                    continue;
                };
                // What the input does not hold cannot arrive; a step's packets pass in that step.
                let (from, at) = *holder.get(&bits)?;
                if at != outer {
                    return None;
                }
                // Packets of one step pass in the order of their slices, each once.
                if last.is_some_and(|last| last >= from) {
                    return None;
                }
                last = Some(from);
                arrived.insert(bits);
                while from / ring != slice / ring {
                    ring *= 2;
                }
            }
        }
    }
    (arrived.len() == holder.len()).then_some(ring)
}

#[test]
fn custom_rings_are_those_of_a_walk() {
    let mut numbers = Numbers(17);
    let (mut right, mut wrong) = (0, 0);
    while right + wrong < 10_000 {
        let input = input(&mut numbers);
        let mut slice = input.slice.clone();
        let mut moved = Vec::new();
        for (place, piece) in slice.iter_mut().enumerate() {
            if *piece == Piece::Hole || (moved.len() < 3 && numbers.once_in(5)) {
                if *piece != Piece::Hole {
                    moved.push(*piece);
                }
                if numbers.once_in(3) {
                    *piece = Piece::Hole;
                } else {
                    *piece = Piece::Copy(place as u32);
                }
            }
        }
        for place in 0..slice.len() {
            if numbers.once_in(5) {
                let other = numbers.below(6);
                slice.swap(place, other);
            }
        }
        let time = [input.time.as_slice(), &moved].concat();
        let mut output = Frame { slice, time };
        if numbers.once_in(2) {
            disturb(&mut numbers, &mut output);
        }
        let walked = as_copies(&input, &output);
        if claims_twice(&output)
            || walked
                .time
                .iter()
                .any(|piece| matches!(piece, Piece::Copy(_)))
        {
            continue;
        }
        let least = custom(&input, &walked);
        let asked = 1 << numbers.below(7);
        let asked = least.filter(|_| numbers.once_in(2)).unwrap_or(asked);
        let ((slice, time), (out_slice, out_time)) = (input.texts(), output.texts());
        let derived = run(
            8,
            ring(asked),
            AXES,
            (&slice, &time),
            (&out_slice, &out_time),
        );
        let said = format!(
            "[{slice}], [{time}] -> [{out_slice}], [{out_time}], ring {asked} of {least:?}: {:?}",
            derived.violations
        );
        match least {
            Some(least) if least == asked => assert_eq!(derived.violations, [], "{said}"),
            Some(least) => {
                let ring_size = asked;
                let expected = if asked < least {
                    SwitchViolation::RingTooSmall { ring_size, least }
                } else {
                    SwitchViolation::RingTooLarge { ring_size, least }
                };
                assert_eq!(derived.violations, [expected], "{said}");
            }
            None => {
                let other = derived.violations.first().is_some_and(|first| {
                    !matches!(
                        first,
                        SwitchViolation::RingTooSmall { .. } | SwitchViolation::RingTooLarge { .. }
                    )
                });
                assert!(other, "{said}");
            }
        }
        if least.is_some() {
            right += 1;
        } else {
            wrong += 1;
        }
    }
    assert!(right > 4000 && wrong > 1000, "{right} {wrong}");
}
