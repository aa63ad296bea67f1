//! Groups that a size cuts across, against a walk through their positions with carry.
//!
//! The walk knows nothing of expressions: a group is a list of digits with radices, a position of it is taken apart once,
//! and a part of a group is a step and a number of steps through its positions.

use std::collections::BTreeSet;

use crate::{
    Answer, Axis, Cell, DivisionMode, Index, Mapping, PaddingKind, divide, holds_every_element,
    mappings_equal, same_elements,
};

use super::random::Random;
use super::read;

/// Groups that a run of the tests draws, times the environment variable `VISA_TIMES` where it is set.
fn rounds() -> u64 {
    let times = std::env::var("VISA_TIMES").ok();
    5_000 * times.and_then(|text| text.parse().ok()).unwrap_or(1)
}

/// A digit of a group: an axis from a value on, in steps, padded.
#[derive(Clone, Debug)]
struct Radix {
    axis: usize,
    /// Values of the axis a step.
    step: u64,
    live: u64,
    extent: u64,
}

/// A group as the walk knows it, and as it is written.
#[derive(Debug)]
struct Group {
    axes: Vec<Axis>,
    /// Innermost first.
    digits: Vec<Radix>,
    /// Positions without and with the padding behind the group.
    live: u64,
    size: u64,
    written: Mapping,
}

impl Group {
    fn draw(random: &mut Random) -> Self {
        let count = 2 + random.below(3);
        let mut axes = Vec::new();
        let mut digits = Vec::new();
        let mut parts = Vec::new();
        let mut size: u64 = 1;
        for at in 0..count {
            let axis = Axis::new(
                ["A", "B", "C", "D"][usize::try_from(at).unwrap()],
                1 + random.below(14),
            );
            let mut part = Mapping::axis(axis.clone());
            let mut digit = Radix {
                axis: axes.len(),
                step: 1,
                live: axis.size(),
                extent: axis.size(),
            };
            match random.below(8) {
                // The first values alone.
                0 => {
                    digit.live = 1 + random.below(axis.size());
                    part = part.resize(digit.live).unwrap();
                }
                // Every other, or the lower half.
                1 if axis.size().is_multiple_of(2) => {
                    digit.live /= 2;
                    if random.below(2) == 0 {
                        digit.step = 2;
                        part = part.stride(2).unwrap();
                    } else {
                        part = part.modulo(digit.live).unwrap();
                    }
                }
                _ => {}
            }
            digit.extent = digit.live;
            // Less padding than data: steps through padding alone (`1 # 3`) do not tell which group they belong to, and
            // nothing is concluded from them.
            if digit.live > 1 && random.below(5) == 0 {
                digit.extent += random.below(5).min(digit.live - 1);
                part = part.pad_to(digit.extent, PaddingKind::Top).unwrap();
            }
            size *= digit.extent;
            axes.push(axis);
            digits.insert(0, digit);
            parts.push(part);
        }
        let mut written = Mapping::product(&parts).unwrap();
        if random.below(4) == 0 && count > 2 {
            // Brackets inside change nothing.
            let inner = Mapping::product(&parts[1..]).unwrap();
            written = parts[0].pair(&inner).unwrap();
        }
        let mut live = size;
        if random.below(4) == 0 {
            live = 1 + random.below(size);
            written = written.resize(live).unwrap();
            size = live;
        }
        if random.below(2) == 0 {
            size = match random.below(3) {
                0 => size.next_power_of_two(),
                1 => size + random.below(20),
                _ => size.next_multiple_of(12),
            };
            written = written.pad_to(size, PaddingKind::Top).unwrap();
        }
        Self {
            axes,
            digits,
            live,
            size,
            written,
        }
    }

    /// What a position of the group holds, taken apart with carry.
    fn at(&self, position: u64) -> Cell {
        if position >= self.live {
            return Cell::Padding(PaddingKind::Top);
        }
        let mut index = Index::empty();
        let mut rest = position;
        for digit in &self.digits {
            let here = rest % digit.extent;
            rest /= digit.extent;
            if here >= digit.live {
                return Cell::Padding(PaddingKind::Top);
            }
            index.add(&self.axes[digit.axis], here * digit.step);
        }
        assert_eq!(rest, 0);
        Cell::Index(index)
    }

    /// The group cut at every divisor of a chain, outermost part first: `(expression, step, steps)`.
    fn cut(&self, random: &mut Random) -> Vec<(Mapping, u64, u64)> {
        let mut parts = Vec::new();
        let mut outer = self.size;
        for _ in 0..1 + random.below(3) {
            let divisor = random.pick(&divisors(outer));
            // `E % outer / divisor` or `E / divisor % (outer / divisor)`: the same part, written in two ways.
            let part = if random.below(2) == 0 {
                self.written.modulo(outer).unwrap().stride(divisor)
            } else {
                self.written
                    .stride(divisor)
                    .unwrap()
                    .modulo(outer / divisor)
            };
            parts.push((part.unwrap(), divisor, outer / divisor));
            outer = divisor;
        }
        parts.push((self.written.modulo(outer).unwrap(), 1, outer));
        parts
    }
}

fn divisors(size: u64) -> Vec<u64> {
    (1..=size).filter(|n| size.is_multiple_of(*n)).collect()
}

/// What the parts hold at each position, outermost part first: the sum of their steps is a position of the group.
fn walk(group: &Group, parts: &[(Mapping, u64, u64)]) -> Vec<Cell> {
    let size: u64 = parts.iter().map(|(_, _, count)| count).product();
    let cell = |position: u64| {
        let mut rest = position;
        let mut sum = 0;
        for (_, step, count) in parts.iter().rev() {
            sum += rest % count * step;
            rest /= count;
        }
        group.at(sum)
    };
    (0..size).map(cell).collect()
}

fn product(parts: &[(Mapping, u64, u64)]) -> Mapping {
    let written: Vec<Mapping> = parts.iter().map(|(part, ..)| part.clone()).collect();
    Mapping::product(&written).unwrap()
}

fn assert_function(mapping: &Mapping, expected: &[Cell]) {
    assert_eq!(mapping.size(), expected.len() as u64, "{mapping:?}");
    let function = mapping.form().function();
    for (position, cell) in (0..).zip(expected) {
        assert_eq!(
            &function.cell_at(position),
            cell,
            "{mapping:?} at {position}: {:#?}",
            mapping.form()
        );
        assert_eq!(
            &mapping.cell_at(position),
            cell,
            "{mapping:?} at {position}"
        );
    }
}

fn elements(cells: &[Cell]) -> BTreeSet<Index> {
    let found = cells.iter().filter_map(|cell| match cell {
        Cell::Index(index) => Some(index.clone()),
        Cell::Padding(_) | Cell::OutOfBounds => None,
    });
    found.collect()
}

#[test]
fn a_group_cut_across_is_the_group() {
    let mut random = Random::new(0x00C0_FFEE_1234_5678);
    let (mut across, mut reordered, mut unequal, mut lost, mut exact) = (0, 0, 0, 0, 0);
    for _ in 0..rounds() {
        let group = Group::draw(&mut random);
        if group.size > 1500 {
            continue;
        }
        let whole: Vec<Cell> = (0..group.size).map(|at| group.at(at)).collect();
        let mut parts = group.cut(&mut random);
        let cut = product(&parts);
        assert_function(&cut, &whole);
        assert_eq!(mappings_equal(&cut, &group.written), Answer::Yes, "{cut:?}");
        assert_eq!(
            same_elements(cut.form(), group.written.form()),
            Answer::Yes,
            "{cut:?}"
        );
        across += u32::from(parts.iter().any(|(part, ..)| part.form().has_composites()));

        // The parts in another order hold the same elsewhere.
        let at = usize::try_from(random.below(parts.len() as u64)).unwrap();
        parts.rotate_left(at);
        if random.below(2) == 0 {
            parts.swap(0, at);
        }
        let other = product(&parts);
        let function = walk(&group, &parts);
        assert_function(&other, &function);
        let same = function == whole;
        assert_eq!(
            mappings_equal(&other, &group.written),
            Answer::from(same),
            "{other:?}"
        );
        assert_eq!(
            holds_every_element(other.form(), group.written.form()),
            Answer::Yes,
            "{other:?}"
        );
        assert_eq!(
            holds_every_element(group.written.form(), other.form()),
            Answer::Yes,
            "{other:?}"
        );
        unequal += u32::from(!same);
        reordered += u32::from(at > 0);
        exact +=
            u32::from(divide(group.written.form(), other.form(), DivisionMode::Relaxed).exact());

        // Without one of its parts it may lose elements.
        parts.remove(at);
        let rest = product(&parts);
        let left = walk(&group, &parts);
        assert_function(&rest, &left);
        let expected = elements(&left).is_superset(&elements(&whole));
        assert_eq!(
            holds_every_element(rest.form(), group.written.form()),
            Answer::from(expected),
            "{rest:?} of {:?}",
            group.written
        );
        assert_eq!(
            holds_every_element(group.written.form(), rest.form()),
            Answer::Yes,
            "{rest:?}"
        );
        lost += u32::from(!expected);
    }
    let rounds = u32::try_from(rounds()).unwrap();
    let few = rounds / 10;
    assert!(
        across > few && reordered > few && unequal > few && lost > few && exact > few,
        "{across} across, {reordered} reordered, {unequal} unequal, {lost} lose, {exact} divide"
    );
}

/// Every divisor of a few groups, parts beside and apart, with another axis between them.
#[test]
fn every_divisor_of_a_group_splits_it() {
    let axes = [("A", 4), ("B", 6), ("C", 9), ("D", 5), ("X", 3)];
    for text in [
        "A, B",
        "A, B # 8",
        "[A, B] # 32",
        "[A, B, C] # 240",
        "A, C / 3, D",
        "[[A, B] # 25, D]",
        "[D, [B, A] = 21] # 120",
        "[[C, D] # 48 / 4, B]",
        "A = 3 # 4",
        "B % 3 # 4",
    ] {
        let whole = read::mapping(&axes, text);
        let beside = read::mapping(&axes, "X");
        for n in divisors(whole.size()) {
            let (outer, inner) = (whole.stride(n).unwrap(), whole.modulo(n).unwrap());
            let pair = outer.pair(&inner).unwrap();
            assert_eq!(mappings_equal(&pair, &whole), Answer::Yes, "{text} at {n}");
            let apart = Mapping::product(&[outer, beside.clone(), inner]).unwrap();
            let together = Mapping::product(&[beside.clone(), whole.clone()]).unwrap();
            assert_eq!(
                same_elements(apart.form(), together.form()),
                Answer::Yes,
                "{text} at {n}"
            );
            // Ragged digits of one axis have no common refinement with the axis.
            if !text.contains('#') {
                let division = divide(together.form(), apart.form(), DivisionMode::Relaxed);
                assert!(division.exact(), "{text} at {n}: {division:#?}");
                let division = divide(apart.form(), together.form(), DivisionMode::Relaxed);
                assert!(division.exact(), "{text} at {n}: {division:#?}");
            }
        }
    }
}

/// Nothing here can be walked: the answers come from the digits.
#[test]
fn large_groups_are_decided_by_their_digits() {
    let axes = [("A", 1 << 20), ("B", 3 << 19), ("C", 5), ("X", 7)];
    let read = |text: &str| read::mapping(&axes, text);
    for (group, n) in [
        ("A, B", 1 << 30),
        ("A, [B # 1835008]", 1 << 30),
        ("[A, B, C] # 8388608000000", 40_960_000),
        ("C, B", 5 << 19),
    ] {
        let whole = read(group);
        let (outer, inner) = (whole.stride(n).unwrap(), whole.modulo(n).unwrap());
        assert_eq!(
            mappings_equal(&outer.pair(&inner).unwrap(), &whole),
            Answer::Yes,
            "{group} at {n}"
        );
        let apart = Mapping::product(&[inner.clone(), read("X"), outer.clone()]).unwrap();
        let together = whole.pair(&read("X")).unwrap();
        assert_eq!(
            same_elements(apart.form(), together.form()),
            Answer::Yes,
            "{group} at {n}"
        );
        assert_eq!(
            mappings_equal(&apart, &together),
            Answer::No,
            "{group} at {n}"
        );
        assert_eq!(
            holds_every_element(outer.form(), whole.form()),
            Answer::No,
            "{group} at {n}"
        );
        assert_eq!(
            holds_every_element(whole.form(), inner.form()),
            Answer::Yes,
            "{group} at {n}"
        );
    }
}
