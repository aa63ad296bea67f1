//! Figures of the reductions.

use super::{ACCUMULATOR_SLOTS, accumulator_slots};
use crate::testing::mapping;

/// Figure R5 (book: Accumulator Slot Limit): what is inside the outermost reduced factor multiplies.
#[test]
fn accumulator_slots_multiply() {
    let axes = [("R", 16), ("A", 6), ("B", 8)];
    let needed =
        |time: &str| accumulator_slots(mapping(time, &axes).form(), "R").map(|(slots, _)| slots);
    assert_eq!(needed("R, A % 2, B % 4"), Some(8));
    assert_eq!(needed("R, A % 3, B % 4"), Some(12));
    assert_eq!(needed("R / 2, A % 2, R % 2"), Some(2));
    assert_eq!(needed("A, B, R"), Some(1));
    assert_eq!(needed("A, B"), Some(1));
    assert_eq!(ACCUMULATOR_SLOTS, 8);
    let (_, inner) =
        accumulator_slots(mapping("A / 2, R / 4, A % 2, R % 4, B", &axes).form(), "R").unwrap();
    let inner: Vec<String> = inner.iter().map(ToString::to_string).collect();
    assert_eq!(inner, ["A % 2", "B"]);
}

/// Steps are counted, whatever they hold and however many there are.
#[test]
fn padded_and_large_factors() {
    let axes = [("R", 1 << 40), ("A", 6)];
    let needed =
        |time: &str| accumulator_slots(mapping(time, &axes).form(), "R").map(|(slots, _)| slots);
    assert_eq!(needed("R, A # 16"), Some(16));
    assert_eq!(needed("A, R"), Some(1));
    // A group that a size cuts across is not looked into.
    assert_eq!(needed("[A, R] # 7000000000001"), None);
}
