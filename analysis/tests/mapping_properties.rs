//! Random mapping expressions against their index functions, position by position.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use visa_analysis::mapping::{Axis, Cell, Mapping, PaddingKind};

/// A small generator with a fixed seed: the same expressions every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    fn pick<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()]
    }
}

const SIZE_LIMIT: u64 = 4096;

fn axis(random: &mut Random) -> Mapping {
    let axes = [
        ("A", 8),
        ("B", 3),
        ("C", 4),
        ("D", 6),
        ("E", 13),
        ("F", 1),
        ("G", 12),
        ("H", 5),
        ("I", 2),
    ];
    let (name, size) = random.pick(&axes);
    Mapping::axis(Axis::new(name, size))
}

fn kind(random: &mut Random) -> PaddingKind {
    match random.below(8) {
        0 => PaddingKind::Zero,
        1 => PaddingKind::Bottom,
        _ => PaddingKind::Top,
    }
}

fn divisor(random: &mut Random, size: u64) -> u64 {
    let divisors: Vec<u64> = (1..=size).filter(|d| size % d == 0).collect();
    random.pick(&divisors)
}

fn expression(random: &mut Random, depth: u32) -> Mapping {
    if depth == 0 {
        return match random.below(10) {
            0 => Mapping::identity(),
            1 => Mapping::broadcast(2 + random.below(5)).unwrap(),
            _ => axis(random),
        };
    }
    let made = match random.below(10) {
        0..=3 => {
            let outer = expression(random, depth - 1);
            let inner_depth = depth - 1;
            let inner = expression(random, inner_depth);
            outer.pair(&inner).ok()
        }
        4 | 5 => {
            let operand = expression(random, depth - 1);
            let n = divisor(random, operand.size());
            operand.stride(n).ok()
        }
        6 => {
            let operand = expression(random, depth - 1);
            let n = divisor(random, operand.size());
            operand.modulo(n).ok()
        }
        7 => {
            let operand = expression(random, depth - 1);
            let n = 1 + random.below(operand.size());
            operand.resize(n).ok()
        }
        _ => {
            let operand = expression(random, depth - 1);
            let size = operand.size();
            let n = if random.below(2) == 0 {
                size * (1 + random.below(4))
            } else {
                size + random.below(12)
            };
            let kind = kind(random);
            operand.pad_to(n, kind).ok()
        }
    };
    match made {
        Some(made) if made.size() <= SIZE_LIMIT => made,
        _ => axis(random),
    }
}

fn cells(mapping: &Mapping) -> Vec<Cell> {
    (0..mapping.size()).map(|at| mapping.cell_at(at)).collect()
}

#[test]
fn the_form_has_the_function_of_its_expression() {
    let mut random = Random(0x9E37_79B9_7F4A_7C15);
    for round in 0..100_000 {
        let depth = u32::try_from(1 + random.below(6)).unwrap();
        let mapping = expression(&mut random, depth);
        let form = mapping.form();
        assert_eq!(form.size(), mapping.size(), "{mapping:?}\n{form:#?}");
        for at in 0..mapping.size() {
            assert_eq!(
                form.cell_at(at),
                mapping.cell_at(at),
                "position {at} of {mapping:?}, round {round}\n{form:#?}"
            );
        }
        let printed = form.to_mapping();
        assert_eq!(printed.form(), form, "{mapping:?} printed as {printed:?}");
    }
}
