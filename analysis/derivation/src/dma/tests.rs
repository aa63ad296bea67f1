use rand::rngs::StdRng;
use rand::seq::SliceRandom;
use rand::{Rng, SeedableRng};

use super::*;
use crate::hardware::ElementType;
use crate::kernel::{AddressValue, OperationId, OperationKind, Origin};
use crate::mapping::{Cell, Mapping};
use crate::testing_body::BodyBuilder;

use ElementType::{Bf16, I4, I8};

type Axes<'a> = &'a [(&'a str, u64)];

/// A transfer between tensors in HBM (an element) or DM (slice and element).
fn transfer(
    axes: Axes,
    source: &[&str],
    target: &[&str],
    element_type: ElementType,
    addresses: (u64, u64),
) -> DmaDerivation {
    let mut builder = BodyBuilder::new(axes);
    let tier = |levels: &[&str]| {
        if levels.len() == 1 {
            Tier::Hbm
        } else {
            Tier::Dm
        }
    };
    let read = builder.tensor(
        tier(source),
        source,
        AddressValue::Bytes(addresses.0),
        Origin::Parameter,
    );
    let write = builder.tensor(
        tier(target),
        target,
        AddressValue::Bytes(addresses.1),
        Origin::Operation(OperationId(0)),
    );
    builder.copy(read, write);
    for tensor in &mut builder.body.tensors {
        tensor.element_type.value = Some(element_type);
    }
    let OperationKind::Copy(copy) = &builder.body.operations[0].kind else {
        panic!("a copy")
    };
    derive_dma(&builder.body, copy)
}

#[test]
fn the_packet_is_the_longest_run_on_both_sides() {
    let axes = &[("N", 4), ("C", 3), ("H", 8), ("W", 8)];
    let derived = transfer(axes, &["N, C, H, W"], &["H, C, N, W"], I8, (1024, 2048));
    assert_eq!(
        derived.configuration(),
        "[8:(8, 96), 3:(64, 32), 4:(192, 8)]"
    );
    assert_eq!(
        (derived.run_bits(), derived.packet_bytes),
        (Some(64), Some(8))
    );
    assert_eq!(derived.violations, []);
}

#[test]
fn a_transfer_into_dm_needs_eight_bytes_in_a_line() {
    let axes = &[("S", 256), ("W", 4), ("C", 16)];
    let violation = |source: &[&str], target: &[&str], kind| {
        let mut violations = transfer(axes, source, target, kind, (0, 0)).violations;
        assert!(violations.len() < 2, "{violations:?}");
        violations.pop()
    };
    let packet = |bits| {
        Some(DmaViolation::Packet {
            bits,
            padded_bits: bits,
        })
    };
    assert_eq!(violation(&["S, W"], &["S", "W"], I8), packet(32));
    assert_eq!(violation(&["S, W"], &["S", "W"], Bf16), None);
    // Padding counts where both sides hold it.
    assert_eq!(violation(&["S, W # 8"], &["S", "W # 8"], I8), None);
    assert_eq!(violation(&["S, W"], &["S", "W # 8"], I8), packet(32));
    // A scalar a slice, and a scalar with its padding.
    assert_eq!(violation(&["S"], &["S", "1 # 4"], Bf16), packet(16));
    assert_eq!(violation(&["S, 1 # 4"], &["S", "1 # 4"], Bf16), None);
    // Two layouts that agree on single elements only.
    assert_eq!(violation(&["C, S"], &["S", "C"], I8), packet(8));
    // Out of DM anything goes.
    assert_eq!(violation(&["S", "W"], &["S, W"], I8), None);
    // Rows of 17 bytes start at odd places.
    let stride = violation(&["S, C # 17"], &["S", "C"], I8);
    assert!(
        matches!(
            stride,
            Some(DmaViolation::Stride {
                side: Side::Source,
                ..
            })
        ),
        "{stride:?}"
    );
}

#[test]
fn a_short_run_is_padded_on_both_sides() {
    let axes = &[("S", 256), ("T", 4), ("W", 3)];
    let derived = transfer(axes, &["S, T, W # 5"], &["S", "T, W"], Bf16, (0, 0));
    assert!(matches!(
        derived.violations.as_slice(),
        [DmaViolation::Packet { bits: 48, .. }]
    ));
    // Three elements of two bytes: the rows of the source, of ten bytes, become sixteen, those of the target eight.
    assert_eq!(proposed(&derived), ["S, T, W # 8", "T, W # 4"]);
}

/// The elements that are proposed, the source's first.
fn proposed(derived: &DmaDerivation) -> Vec<String> {
    let elements = derived.padded.iter();
    elements.map(|(_, element)| element.to_string()).collect()
}

#[test]
fn padding_mends_runs_and_steps() {
    let axes = &[("S", 256), ("W", 4), ("C", 16)];
    let of = |source: &[&str], target: &[&str], kind| {
        proposed(&transfer(axes, source, target, kind, (0, 0)))
    };
    assert_eq!(of(&["S, W"], &["S", "W"], I8), ["S, W # 8", "W # 8"]);
    assert_eq!(of(&["S, W"], &["S", "W # 8"], I8), ["S, W # 8"]);
    assert_eq!(of(&["S"], &["S", "1 # 4"], Bf16), ["S, 1 # 4"]);
    assert_eq!(of(&["S, C # 17"], &["S", "C"], I8), ["S, C # 24"]);
    // No padding joins what is apart on one side.
    assert_eq!(of(&["C, S"], &["S", "C"], I8), [""; 0]);
}

#[test]
fn addresses_of_transfers_into_dm_are_multiples_of_eight() {
    let axes = &[("S", 256), ("C", 16)];
    let violations = |addresses| transfer(axes, &["S, C"], &["S", "C"], I8, addresses).violations;
    assert_eq!(violations((8, 16)), []);
    assert_eq!(
        violations((4, 16)),
        [DmaViolation::Address {
            side: Side::Source,
            address: 4
        }]
    );
    assert_eq!(
        violations((8, 12)),
        [DmaViolation::Address {
            side: Side::Target,
            address: 12
        }]
    );
    assert_eq!(
        transfer(axes, &["S", "C"], &["S, C"], I8, (1, 3)).violations,
        []
    );
}

#[test]
fn long_runs_are_moved_in_packets_of_at_most_4096_bytes() {
    let moved = |size: u64, kind: ElementType| {
        let derived = transfer(&[("X", size)], &["X"], &["X"], kind, (0, 0));
        (derived.packet_bytes, derived.violations)
    };
    assert_eq!(moved(4096, I8), (Some(4096), Vec::new()));
    // 10,240 is 4 packets of 2,560, ten whole requests each.
    assert_eq!(moved(10_240, I8), (Some(2560), Vec::new()));
    // A prime below the loop's limit goes byte by byte, one above it not at all.
    assert_eq!(moved(4099, I8), (Some(1), Vec::new()));
    assert_eq!(
        moved(69_623, I8),
        (None, vec![DmaViolation::PacketLimit { bits: 8 * 69_623 }])
    );
    // An odd number of half bytes.
    assert_eq!(
        moved(8193, I4),
        (None, vec![DmaViolation::PacketLimit { bits: 4 * 8193 }])
    );
}

#[test]
fn loops_of_slices_and_clusters_are_shared_out() {
    // Nine axes of two, reversed: nine loops beside the run, or two fewer where the engines share the slices out.
    let names: Vec<String> = (0..9).map(|index| format!("A{index}")).collect();
    let mut axes: Vec<(&str, u64)> = names.iter().map(|name| (name.as_str(), 2)).collect();
    axes.push(("P", 8));
    let forward = names.join(", ");
    let backward = names.iter().rev().cloned().collect::<Vec<_>>().join(", ");
    let (forward, backward) = (format!("{forward}, P"), format!("{backward}, P"));
    assert_eq!(
        transfer(&axes, &[&forward], &[&backward], I8, (0, 0)).violations,
        [DmaViolation::Sequencer(SequencerViolation::Entries {
            count: 9
        })]
    );
    let slices = "A8, A7, A6, A5, A4, A3, A2, A1";
    assert_eq!(
        transfer(&axes, &[&forward], &[slices, "A0, P"], I8, (0, 0)).violations,
        []
    );
}

#[test]
fn ragged_parts_are_moved_and_foreign_splits_are_not() {
    let axes = &[("A", 15), ("C", 16)];
    let ragged = transfer(
        axes,
        &["A # 16 / 4 # 256", "A # 16 % 4, C"],
        &["A, C"],
        I8,
        (0, 0),
    );
    assert_eq!(ragged.violations, []);
    let foreign = transfer(axes, &["A % 5, A / 5, C"], &["A % 3, A / 3, C"], I8, (0, 0));
    assert!(
        matches!(
            foreign.violations.as_slice(),
            [DmaViolation::Sequencer(SequencerViolation::Misfit(
                Misfit::Incompatible { .. }
            ))]
        ),
        "{foreign:?}"
    );
}

/// The digits of three axes, split and shuffled.
fn shuffled(random: &mut StdRng) -> String {
    let mut parts = Vec::new();
    for (name, size) in [("A", 8), ("B", 12), ("C", 6)] {
        let divisors: Vec<u64> = (1..=size).filter(|divisor| size % divisor == 0).collect();
        let by = divisors[random.random_range(0..divisors.len())];
        parts.push(format!("{name} / {by}"));
        parts.push(format!("{name} % {by}"));
    }
    parts.shuffle(random);
    let row = random.random_range(0..parts.len());
    parts[row] = format!("{} # {}", parts[row], random.random_range(12..20));
    parts.join(", ")
}

#[test]
fn loops_and_run_move_every_element_to_its_place() {
    let mut random = StdRng::seed_from_u64(0xd3a);
    let axes = &[("A", 8), ("B", 12), ("C", 6)];
    let mut checked = 0;
    for _ in 0..2_000 {
        let (source, target) = (shuffled(&mut random), shuffled(&mut random));
        let derived = transfer(axes, &[&source], &[&target], I8, (0, 0));
        if !derived.violations.is_empty() {
            continue;
        }
        checked += 1;
        let (read, write) = (whole(&source, axes), whole(&target, axes));
        let run = derived.run_bits().expect("a run") / 8;
        let loops: u64 = derived.loops().iter().map(|entry| entry.count).product();
        let mut reached = std::collections::BTreeSet::new();
        for step in 0..loops * run {
            let (mut from, mut to) = (i128::from(step % run), i128::from(step % run));
            let mut rest = step / run;
            for entry in derived.loops().iter().rev() {
                from += i128::from(rest % entry.count) * entry.source / 8;
                to += i128::from(rest % entry.count) * entry.target / 8;
                rest /= entry.count;
            }
            let (from, to) = (u64::try_from(from).unwrap(), u64::try_from(to).unwrap());
            let Cell::Index(moved) = write.cell_at(to) else {
                continue;
            };
            assert_eq!(
                read.cell_at(from),
                Cell::Index(moved),
                "{source} to {target}: {derived:?}"
            );
            reached.insert(to);
        }
        assert_eq!(
            reached.len(),
            8 * 12 * 6,
            "{source} to {target}: {derived:?}"
        );
    }
    assert!(checked > 500, "{checked}");
}

fn whole(text: &str, axes: Axes) -> Mapping {
    crate::testing::mapping(text, axes)
}
