//! Equality, element sets and projection against brute force.

use std::collections::{HashMap, HashSet};

use crate::{
    Answer, Cell, Index, Mapping, equal_forms, holds_every_element, mappings_equal, project,
    same_elements,
};

use super::random::{MANY_AXES, Random, Shape};

const FEW_AXES: Shape = Shape {
    axes: &[("A", 8), ("B", 3), ("C", 13)],
    size_limit: 200,
    composites: true,
    kinds: true,
};

fn function(mapping: &Mapping) -> Vec<Cell> {
    (0..mapping.size()).map(|at| mapping.cell_at(at)).collect()
}

fn elements(mapping: &Mapping) -> HashSet<Index> {
    (0..mapping.size())
        .filter_map(|at| match mapping.cell_at(at) {
            Cell::Index(index) => Some(index),
            Cell::Padding(_) | Cell::OutOfBounds => None,
        })
        .collect()
}

#[test]
fn equality_is_that_of_the_functions() {
    judge_equality(
        &Shape {
            kinds: false,
            ..FEW_AXES
        },
        200,
    );
}

/// Paddings of two kinds are never equal.
#[test]
fn equality_is_that_of_the_functions_with_kinds() {
    judge_equality(&FEW_AXES, 200);
}

fn judge_equality(shape: &Shape, expected: u32) {
    let mut random = Random::new(0x7777_1234_ABCD_0001);
    let mut by_function: HashMap<Vec<Cell>, Mapping> = HashMap::new();
    let mut by_size: HashMap<u64, Mapping> = HashMap::new();
    let (mut yes, mut no, mut unknown) = (0, 0, 0);
    for _ in 0..30_000 {
        let depth = 1 + random.below(4);
        let mapping = shape.clear_expression(&mut random, depth);
        // Where several kinds are possible at a position, nothing says what the function is.
        if (0..mapping.size()).any(|at| mapping.cells_at(at).len() > 1) {
            continue;
        }
        let own = function(&mapping);
        if let Some(other) = by_size.insert(mapping.size(), mapping.clone()) {
            let same = function(&other) == own;
            let answer = mappings_equal(&mapping, &other);
            // Values added up beside a group that a size cuts across prove no difference.
            let withheld = !same && answer == Answer::Unknown;
            assert!(
                withheld || answer == Answer::from(same),
                "{mapping:?}, {other:?}: {answer:?}"
            );
            unknown += u32::from(withheld);
            no += u32::from(!same);
        }
        let other = by_function.entry(own).or_insert_with(|| mapping.clone());
        assert_eq!(
            mappings_equal(&mapping, other),
            Answer::Yes,
            "{mapping:?}, {other:?}"
        );
        assert_eq!(equal_forms(other.form(), mapping.form()), Answer::Yes);
        yes += u32::from(mapping.form() != other.form());
    }
    assert!(
        yes > expected && no > 10_000 && unknown < 1_500,
        "{yes} equal with other forms, {no} unequal, {unknown} withheld"
    );
}

#[test]
fn held_elements_are_those_of_the_functions() {
    let mut random = Random::new(0x3141_5926_5358_9793);
    let (mut held, mut unknown) = (0, 0);
    let mut judge = |answer: Answer, expected: bool| {
        let withheld = !expected && answer == Answer::Unknown;
        unknown += u32::from(withheld);
        withheld || answer == Answer::from(expected)
    };
    for _ in 0..30_000 {
        let (depth, other_depth) = (1 + random.below(4), 1 + random.below(4));
        let a = FEW_AXES.clear_expression(&mut random, depth);
        let b = FEW_AXES.clear_expression(&mut random, other_depth);
        let (left, right) = (elements(&a), elements(&b));
        let expected = right.is_subset(&left);
        assert!(
            judge(holds_every_element(a.form(), b.form()), expected),
            "{a:?} of {b:?}"
        );
        assert!(
            judge(same_elements(a.form(), b.form()), left == right),
            "{a:?} and {b:?}"
        );
        held += u32::from(expected);
    }
    assert!(held > 5_000, "only {held} were held");
    assert!(unknown < 2_000, "{unknown} were withheld");
}

/// The parts of every axis, added up at every position, are the index.
#[test]
fn projections_rebuild_the_index() {
    let mut random = Random::new(0x2718_2818_2845_9045);
    let mut judged = 0;
    for _ in 0..20_000 {
        let depth = 1 + random.below(5);
        let mapping = MANY_AXES.clear_expression(&mut random, depth);
        for axis in mapping.axes() {
            let Some(parts) = project(mapping.form(), axis.name()) else {
                assert!(mapping.form().has_composites());
                continue;
            };
            judged += 1;
            for at in 0..mapping.size() {
                let Cell::Index(index) = mapping.cell_at(at) else {
                    continue;
                };
                let steps = parts.iter().map(|part| {
                    let step = at / part.buffer_stride % part.extent;
                    assert!(step < part.count, "{mapping:?} at {at}: {part:?}");
                    step * part.axis_stride
                });
                assert_eq!(
                    steps.sum::<u64>(),
                    index.value(axis.name()),
                    "{mapping:?} at {at}"
                );
            }
        }
    }
    assert!(judged > 10_000);
}

#[test]
fn large_mappings_are_decided_without_walking() {
    let axes = [("A", 1 << 40), ("B", 3 << 30), ("C", 5)];
    let read = |text: &str| super::read::mapping(&axes, text);
    // The same outer and inner digits around an unequal, and around an equal core of a few positions.
    let core = read("A / 4, C, A % 4");
    assert_eq!(
        mappings_equal(&core, &read("[A / 2] / 2, C, A % 2 # 4")),
        Answer::No
    );
    assert_eq!(
        mappings_equal(
            &read("A / 2, [C # 6] / 2, [C # 6] % 2"),
            &read("A / 2, C # 6")
        ),
        Answer::Yes
    );
    assert_eq!(
        mappings_equal(&read("A, [C, B = 3] = 6"), &read("A, C = 2, B = 3")),
        Answer::Yes
    );
    assert_eq!(mappings_equal(&read("A, C"), &read("C, A")), Answer::No);
    assert_eq!(
        holds_every_element(read("A").form(), read("A / 16").form()),
        Answer::Yes
    );
    assert_eq!(
        holds_every_element(read("A / 16").form(), read("A").form()),
        Answer::No
    );
    assert_eq!(
        same_elements(read("A / 16, C, A % 16").form(), read("C # 8, A").form()),
        Answer::Yes
    );
    assert_eq!(
        holds_every_element(read("A = 1000000000").form(), read("A = 1000000001").form()),
        Answer::No
    );
    assert_eq!(
        holds_every_element(read("A = 1000000001").form(), read("A = 1000000000").form()),
        Answer::Yes
    );
    // Bit 9 of 30 is missing: 512 is not held, whatever the number of the others.
    let gapped = read("A / 1024 = 1048576, A % 512");
    assert_eq!(
        holds_every_element(gapped.form(), read("A = 1024").form()),
        Answer::No
    );
    assert_eq!(
        holds_every_element(gapped.form(), gapped.form()),
        Answer::Yes
    );
}
