//! Sizes near 2^64, deep nesting, and work.

use crate::{
    Axis, Cell, DEPTH_LIMIT, DivisionMode, Mapping, MappingError, PaddingKind, divide,
    mappings_equal, positions_looked_at, project, same_elements,
};

use super::random::{Random, Shape};

const LARGE: Shape = Shape {
    axes: &[
        ("A", 1 << 40),
        ("B", 3 << 38),
        ("C", 1_000_003),
        ("D", 60),
        ("E", 1 << 20),
    ],
    size_limit: u64::MAX,
    composites: true,
    kinds: true,
};

#[test]
fn forms_of_large_axes_have_the_function_of_their_expression() {
    let mut random = Random::new(0x6A09_E667_F3BC_C908);
    for _ in 0..20_000 {
        let depth = 1 + random.below(6);
        let mapping = LARGE.clear_expression(&mut random, depth);
        let form = mapping.form();
        assert_eq!(form.size(), mapping.size(), "{mapping:?}");
        let mut unit = 1_u64;
        let mut positions = vec![mapping.size() - 1];
        for digit in form.digits() {
            for step in [digit.live - 1, digit.live, random.below(digit.extent)] {
                positions.push(unit.saturating_mul(step));
            }
            unit = unit.saturating_mul(digit.extent);
        }
        positions.extend((0..20).map(|_| random.below(mapping.size())));
        for at in positions {
            let possible = mapping.cells_at(at);
            assert!(possible.contains(&form.cell_at(at)), "{mapping:?} at {at}");
        }
        if mapping.size() < 1 << 60 {
            let printed = form.to_mapping();
            assert_eq!(printed.form(), form, "{mapping:?} printed as {printed:?}");
        }
    }
}

/// A thousand rounds of everything on axes of 2^40 would not end if any of it walked an axis; what it looks at are places where
/// forms are likely to differ.
#[test]
fn work_does_not_depend_on_axis_sizes() {
    let axes = [("A", 1 << 40), ("B", 3 << 20)];
    let before = positions_looked_at();
    for _ in 0..1_000 {
        let left = super::read::mapping(&axes, "A / 1024, B # 4194304, A % 1024 = 1000");
        let right = super::read::mapping(&axes, "B / 3, A # 1099511627780 / 4, B % 3");
        assert!(left.cell_at(left.size() - 1) == Cell::Padding(PaddingKind::Top));
        let division = divide(left.form(), right.form(), DivisionMode::Relaxed);
        assert!(!division.matches.is_empty());
        let _ = mappings_equal(&left, &right);
        let _ = same_elements(left.form(), right.form());
        assert!(project(left.form(), "A").is_some());
        assert_eq!(left.form().to_mapping().form(), left.form());
    }
    let positions = (positions_looked_at() - before) / 1_000;
    assert!(positions < 10_000, "{positions} positions a round");
}

#[test]
fn sizes_up_to_64_bits_are_exact_and_beyond_are_refused() {
    let largest = Mapping::axis(Axis::new("A", u64::MAX));
    assert_eq!(largest.size(), u64::MAX);
    assert_eq!(largest.form().size(), u64::MAX);
    let half = Mapping::axis(Axis::new("B", 1 << 32));
    let (outer, inner) = (1 << 32, 1 << 32);
    assert_eq!(
        half.pair(&half),
        Err(MappingError::Overflow { outer, inner })
    );
    // 2^64 - 1 is a multiple of 2^32 - 1 = 3 * 5 * 17 * 257 * 65537.
    let cut = largest.stride(65_537).unwrap();
    let Cell::Index(index) = cut.cell_at(cut.size() - 1) else {
        panic!("the last position of {cut:?} holds an element");
    };
    assert_eq!(index.value("A"), u64::MAX - 65_537);
    assert_eq!(
        cut.form().cell_at(cut.size() - 1),
        cut.cell_at(cut.size() - 1)
    );
    let padded = Mapping::axis(Axis::new("C", 13))
        .pad_to(u64::MAX, PaddingKind::Zero)
        .unwrap();
    assert_eq!(
        padded.form().cell_at(u64::MAX - 1),
        Cell::Padding(PaddingKind::Zero)
    );
    assert_eq!(padded.form().to_mapping(), padded);
}

#[test]
fn nesting_ends_with_an_error() {
    let mut deep = Mapping::axis(Axis::new("A", 8));
    let mut levels = 1;
    let error = loop {
        match deep.pad_to(deep.size() + 1, PaddingKind::Top) {
            Ok(deeper) => deep = deeper,
            Err(error) => break error,
        }
        levels += 1;
    };
    assert_eq!((error, levels), (MappingError::TooDeep, DEPTH_LIMIT));
    assert_eq!(deep.form().size(), deep.size());
    // An alias of an alias of `1, 1` doubles without ever growing in size.
    let mut doubled = Mapping::identity();
    while let Ok(more) = doubled.pair(&doubled) {
        doubled = more;
    }
    assert!(doubled.form().is_identity());
    assert_eq!(doubled.clone(), doubled);
    // A long product is not deep.
    let parts = vec![Mapping::identity(); 1_000];
    assert_eq!(Mapping::product(&parts).unwrap().size(), 1);
}
