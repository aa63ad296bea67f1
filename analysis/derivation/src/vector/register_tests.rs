//! Reads of operands in the VRF: the published verdicts line by line, and ten thousand small reads against a walk.

use std::collections::HashSet;

use crate::forms::{has_hole, join};
use crate::mapping::{Answer, holds_every_element};
use crate::testing::mapping;

use super::register_read::{Access, operand_access};

const AXES: &[(&str, u64)] = &[("H", 32), ("G", 4), ("D", 8), ("P", 4)];

/// How a packet reads an operand, and whether a pass reads all of it.
fn read(operand: &str, time: &str, packet: &str, axes: &[(&str, u64)]) -> (Access, bool) {
    let [operand, time, packet] = [operand, time, packet].map(|text| mapping(text, axes));
    let stream = join(&[time.form(), packet.form()]).expect("small");
    let whole = holds_every_element(&stream, operand.form()) != Answer::No;
    (
        operand_access(packet.form(), operand.form()).expect("plain"),
        whole,
    )
}

/// Operand, time, packet; whether an access is an address or a run, and whether all of the operand is read.
const READS: &[(&str, &str, &str, bool, bool)] = &[
    ("H", "H / 8", "H % 8", true, true),
    ("D", "D, H / 8", "H % 8", true, true),
    ("G", "G, D / 8", "D % 8", true, true),
    ("H / 8", "H / 4", "H % 4", true, true),
    // The access straddles two cells.
    ("H / 2", "H / 4", "H % 4", false, true),
    ("1 # 8", "H / 8", "H % 8", true, true),
    ("G, P", "G / 2", "G % 2, P", true, true),
    ("G, P # 8", "G", "P", true, true),
    // Strided.
    ("G, D", "D", "G", false, true),
    // Half broadcast, half data.
    ("D", "D / 4", "D % 4, 2", false, true),
    // Padding breaks the run.
    ("G, P # 8", "G / 2", "G % 2, P", false, true),
    ("H", "1", "D", true, false),
    ("D", "D / 4", "D % 4", true, true),
    ("G, H", "H / 8, G", "H % 8", true, true),
    ("H", "H", "1 # 8", true, true),
    ("H, 1 # 8", "H", "1 # 8", true, true),
    ("H, G", "H", "1 # 2, G", true, true),
    // Padding between the lanes.
    ("H, G", "H", "G, 1 # 2", false, true),
    ("G, D", "D / 8", "D % 8", true, false),
];

#[test]
fn published_reads_are_judged_as_published() {
    for (operand, time, packet, indexed, whole) in READS {
        let (access, all) = read(operand, time, packet, AXES);
        let said = format!("{operand} by {time} | {packet}: {access:?}");
        assert_eq!(access != Access::Scattered, *indexed, "{said}");
        assert_eq!(all, *whole, "{said}");
    }
    assert!(has_hole(mapping("G #{!} 8", AXES).form()));
    assert!(!has_hole(mapping("G # 8", AXES).form()));
}

/// A piece of two positions: a bit of the data, or padding behind the first.
type Piece = Option<u32>;

const BITS: [&str; 8] = [
    "A / 8",
    "A / 4 % 2",
    "A / 2 % 2",
    "A % 2",
    "B / 8",
    "B / 4 % 2",
    "B / 2 % 2",
    "B % 2",
];

fn text(pieces: &[Piece]) -> String {
    let parts: Vec<&str> = pieces
        .iter()
        .map(|piece| piece.map_or("1 # 2", |bit| BITS[bit as usize]))
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
            bits |= 1 << (*piece)?;
        }
    }
    Some(bits)
}

/// Whether every packet reads one address or a run, and whether all of the operand is read, cell by cell.
fn walked(operand: &[Piece], time: &[Piece], packet: &[Piece]) -> (bool, bool) {
    let own = operand
        .iter()
        .flatten()
        .fold(0, |bits, bit| bits | 1 << bit);
    let cell = |bits: u32| {
        let mut cells = 0..1_u64 << operand.len();
        cells.find(|position| held(operand, *position) == Some(bits & own))
    };
    let mut read = HashSet::new();
    let mut indexed = true;
    for step in 0..1_u64 << time.len() {
        let Some(outer) = held(time, step) else {
            continue;
        };
        let lanes = (0..1_u64 << packet.len()).filter_map(|lane| {
            let inner = held(packet, lane)?;
            Some((lane, cell(outer | inner).expect("a cell of the operand")))
        });
        let lanes: Vec<(u64, u64)> = lanes.collect();
        read.extend(lanes.iter().map(|(_, cell)| *cell));
        let (first, base) = lanes[0];
        indexed &= lanes.iter().all(|(_, cell)| *cell == base)
            || lanes.iter().all(|(lane, cell)| cell + first == base + lane);
    }
    let live = (0..1_u64 << operand.len()).filter(|position| held(operand, *position).is_some());
    (indexed, live.count() == read.len())
}

#[test]
fn reads_are_those_of_a_walk() {
    let mut state = 23_u64;
    let mut below = |limit: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        ((state >> 33) % limit as u64) as usize
    };
    let axes = &[("A", 16), ("B", 16)];
    let (mut legal, mut wrong) = (0, 0);
    while legal + wrong < 10_000 {
        // All bits once, in an order; runs of them stay together more often than not.
        let mut bits: Vec<u32> = (0..8).collect();
        for _ in 0..below(4) {
            let (one, other) = (below(8), below(8));
            bits.swap(one, other);
        }
        let lanes = 2 + below(2);
        let steps = below(4);
        let mut packet: Vec<Piece> = bits[8 - lanes..].iter().copied().map(Some).collect();
        let mut time: Vec<Piece> = bits[8 - lanes - steps..8 - lanes]
            .iter()
            .copied()
            .map(Some)
            .collect();
        let mut operand: Vec<Piece> = time.iter().chain(&packet).copied().collect();
        operand.retain(|_| below(5) > 0);
        if below(3) == 0 && operand.len() > 1 {
            let (one, other) = (below(operand.len()), below(operand.len()));
            operand.swap(one, other);
        }
        if below(6) == 0 {
            operand.insert(0, Some(bits[0]));
        }
        for pieces in [&mut operand, &mut time, &mut packet] {
            if below(6) == 0 && pieces.len() < 4 {
                let place = below(pieces.len() + 1);
                pieces.insert(place, None);
            }
        }
        packet.truncate(3);
        if packet.len() < 2 {
            continue;
        }
        let mut used = HashSet::new();
        if !operand.iter().flatten().all(|bit| used.insert(*bit)) {
            continue;
        }
        let (indexed, whole) = walked(&operand, &time, &packet);
        let texts = (text(&operand), text(&time), text(&packet));
        let (access, all) = read(&texts.0, &texts.1, &texts.2, axes);
        let said = format!("{texts:?}: {access:?}");
        assert_eq!(access != Access::Scattered, indexed, "{said}");
        assert_eq!(all, whole, "{said}");
        if indexed && whole {
            legal += 1;
        } else {
            wrong += 1;
        }
    }
    assert!(legal > 2000 && wrong > 2000, "{legal} {wrong}");
}
