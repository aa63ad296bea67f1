use std::collections::BTreeSet;

use super::*;
use crate::testing::mapping;

const AXES: &[(&str, u64)] = &[("A", 12), ("B", 8), ("R", 13)];

fn fault(source: &str, target: &str) -> Option<MoveFault> {
    let (source, target) = (mapping(source, AXES), mapping(target, AXES));
    lost(&source, &target, true).or_else(|| invented(&source, &target))
}

fn is_lost(source: &str, target: &str, axis: &str) -> bool {
    matches!(fault(source, target), Some(MoveFault::Lost { axis: Some(found), .. }) if found == axis)
}

fn is_invented(source: &str, target: &str, axis: &str) -> bool {
    matches!(fault(source, target), Some(MoveFault::Invented { axis: Some(found), .. }) if found == axis)
}

#[test]
fn order_padding_and_broadcasts_lose_nothing() {
    for (source, target) in [
        ("A, B", "B, A"),
        ("A, B", "A / 3, B # 16, A % 3"),
        ("A", "A / 4, A % 4, B"),
        ("R", "R # 16 / 4, R # 16 % 4"),
        ("R # 16 / 4, R # 16 % 4", "R"),
        ("R # 16 / 4 % 2, R # 16 / 8, R # 16 % 4", "R"),
        ("1 # 4, A % 4", "A % 4 # 8"),
        ("[A, B] # 100", "A, B"),
    ] {
        assert_eq!(fault(source, target), None, "{source} to {target}");
    }
}

#[test]
fn parts_that_are_missing_are_lost_unless_resized() {
    assert!(is_lost("A, B", "A", "B"));
    assert!(is_lost("A", "A % 6", "A"));
    assert!(is_lost("A", "A / 2", "A"));
    assert!(is_lost("R # 16", "R # 16 / 4, R # 16 % 2", "R"));
    assert_eq!(fault("A", "A = 6"), None);
    assert_eq!(fault("A, B", "A, B = 3 # 8"), None);
}

#[test]
fn parts_that_the_source_lacks_are_invented() {
    assert!(is_invented("A % 6", "A", "A"));
    assert!(is_invented("B = 3", "B", "B"));
    assert!(is_invented("B / 2", "B", "B"));
    assert_eq!(fault("B = 3", "B = 3 # 8, A"), None);
}

#[test]
fn parts_that_overlap_are_tried_value_by_value() {
    // `B / 2 % 2` is nowhere in the target: 2 is neither a sum of 0 and 4 nor of these and 1.
    let overlapping = "B / 4, B / 4 % 2, B % 2";
    assert!(is_lost("B", overlapping, "B"));
    assert_eq!(fault("B", "B, B % 4"), None);
    assert!(is_invented(overlapping, "B", "B"));
}

#[test]
fn huge_axes_are_decided_by_their_parts() {
    let axes: &[(&str, u64)] = &[("H", 1 << 40)];
    let (whole, split) = (mapping("H", axes), mapping("H % 1024, H / 1024", axes));
    assert_eq!(lost(&whole, &split, true), None);
    assert_eq!(invented(&whole, &split), None);
    assert!(lost(&whole, &mapping("H / 2", axes), true).is_some());
    assert!(invented(&mapping("H % 1048576", axes), &whole).is_some());
}

#[test]
fn reshapes_keep_positions_and_their_padding() {
    let reshaped = |before: &str, after: &str| {
        let first = |dropped: &[u64], _: &[u64]| dropped.first().copied();
        reshape_fault(&mapping(before, AXES), &mapping(after, AXES), first)
    };
    assert_eq!(reshaped("A, B", "B, A"), None);
    assert_eq!(reshaped("B # 12", "A = 8 # 12"), None);
    assert_eq!(reshaped("A = 8", "B"), None);
    assert_eq!(
        reshaped("A", "B"),
        Some(MoveFault::Size {
            before: 12,
            after: 8
        })
    );
    assert_eq!(
        reshaped("B # 12", "A"),
        Some(MoveFault::PaddingBecomesData { position: 8 })
    );
    assert_eq!(
        reshaped("A", "B # 12"),
        Some(MoveFault::DataBecomesPadding { position: 8 })
    );
    assert_eq!(reshaped("R # 16 / 4, R # 16 % 4", "R # 16"), None);
}

/// Indices of a mapping over the axes of another one, as `(axis, value)` lists.
fn indices(of: &Mapping, axes_of: &Mapping) -> BTreeSet<Vec<(String, u64)>> {
    let axes = axes_of.form().axis_names();
    (0..of.size())
        .filter_map(|position| match of.cell_at(position) {
            Cell::Index(index) => Some(
                index
                    .entries()
                    .filter(|(axis, value)| *value > 0 && axes.contains(axis.name()))
                    .map(|(axis, value)| (axis.name().to_owned(), value))
                    .collect(),
            ),
            Cell::Padding(_) | Cell::OutOfBounds => None,
        })
        .collect()
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % bound
    }
}

/// A random product of parts of the axes, each axis at most once.
fn random_mapping(random: &mut Random) -> Mapping {
    let parts: Vec<Mapping> = AXES
        .iter()
        .filter_map(|&(name, _)| {
            let mut part = mapping(name, AXES);
            if random.below(4) == 0 {
                return None;
            }
            for _ in 0..random.below(4) {
                let number = random.below(8) + 1;
                let next = match random.below(4) {
                    0 => part.stride(number),
                    1 => part.modulo(number),
                    2 => part.pad_to(part.size() + number, crate::mapping::PaddingKind::Top),
                    _ => part.resize(number),
                };
                part = next.unwrap_or(part);
            }
            Some(part)
        })
        .collect();
    let product = Mapping::product(&parts).expect("small");
    if random.below(5) == 0 {
        let padded = product
            .pad_to(product.size() + 6, crate::mapping::PaddingKind::Top)
            .expect("larger");
        return padded.stride(2).unwrap_or(padded);
    }
    product
}

/// Whatever is reported is so by the index functions, and most of what is so is reported.
#[test]
fn faults_agree_with_the_index_functions() {
    let mut random = Random(11);
    let (mut losses, mut reported) = (0_u32, 0_u32);
    for _ in 0..3000 {
        let (source, target) = (random_mapping(&mut random), random_mapping(&mut random));
        if source.size().max(target.size()) > 2_000 {
            continue;
        }
        let held = indices(&source, &source);
        let placed = indices(&target, &source);
        let resized = source
            .form()
            .axis_names()
            .iter()
            .any(|axis| mentions_resize(&target, axis));
        let loses = held.iter().any(|index| !placed.contains(index));
        let invents = placed.iter().any(|index| !held.contains(index));
        let found = lost(&source, &target, true);
        if found.is_some() {
            assert!(loses, "{source} to {target}: {found:?}");
        }
        let claimed = invented(&source, &target);
        if claimed.is_some() {
            assert!(invents, "{source} to {target}: {claimed:?}");
        }
        if loses && !resized {
            losses += 1;
            reported += u32::from(found.is_some());
        }
    }
    assert!(losses > 500, "{losses} losses");
    assert!(
        reported * 10 >= losses * 9,
        "{reported} of {losses} losses are reported"
    );
}

/// Values of `A` that some position of a mapping holds.
fn held(target: &Mapping) -> BTreeSet<u64> {
    (0..target.size())
        .filter_map(|position| match target.cell_at(position) {
            Cell::Index(index) => Some(index.value("A")),
            _ => None,
        })
        .collect()
}

/// Every way to pad an axis, cut it in two, and keep a part of the inner digit, walked position by position.
#[test]
fn an_axis_is_dropped_where_a_value_has_no_position() {
    let mut dropped = 0;
    for size in 1..=20_u64 {
        let axes = [("A", size)];
        let source = mapping("A", &axes);
        for extent in size..=24 {
            for cut in (1..=extent).filter(|cut| extent.is_multiple_of(*cut)) {
                for kept in 1..=cut {
                    let text = format!("A # {extent} / {cut}, A # {extent} % {cut} = {kept}");
                    let target = mapping(&text, &axes);
                    let lost = held(&target).len() as u64 != size;
                    let found = dropped_axis(source.form(), target.form());
                    assert_eq!(found.is_some(), lost, "|A| = {size}: {text}");
                    dropped += u64::from(lost);
                }
            }
        }
    }
    assert!(dropped > 1000, "{dropped}");
}
