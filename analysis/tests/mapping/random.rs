//! Random expressions from a fixed seed: the same ones every run.

use visa_analysis::mapping::{Axis, Mapping, PaddingKind};

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    pub(crate) fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[usize::try_from(self.below(of.len() as u64)).unwrap()].clone()
    }
}

/// Axes to draw from, and how large expressions may get.
pub(crate) struct Shape {
    pub(crate) axes: &'static [(&'static str, u64)],
    pub(crate) size_limit: u64,
    pub(crate) composites: bool,
}

pub(crate) const MANY_AXES: Shape = Shape {
    axes: &[
        ("A", 8),
        ("B", 3),
        ("C", 4),
        ("D", 6),
        ("E", 13),
        ("F", 1),
        ("G", 12),
        ("H", 5),
        ("I", 2),
    ],
    size_limit: 4096,
    composites: true,
};

impl Shape {
    pub(crate) fn axis(&self, random: &mut Random) -> Mapping {
        let (name, size) = random.pick(self.axes);
        Mapping::axis(Axis::new(name, size))
    }

    /// An expression of at most that many operators on a path.
    pub(crate) fn expression(&self, random: &mut Random, depth: u64) -> Mapping {
        if depth == 0 {
            return match random.below(12) {
                0 => Mapping::identity(),
                1 => Mapping::broadcast(2 + random.below(5)).unwrap(),
                _ => self.axis(random),
            };
        }
        let operand = self.expression(random, depth - 1);
        let size = operand.size();
        let made = match random.below(10) {
            0..=3 => {
                let inner_depth = random.below(depth);
                operand.pair(&self.expression(random, inner_depth))
            }
            4 | 5 => operand.stride(divisor(random, size)),
            6 => operand.modulo(divisor(random, size)),
            7 if self.composites => operand.resize(1 + random.below(size)),
            7 => operand.resize(divisor(random, size)),
            _ => {
                let padded = if random.below(2) == 0 || !self.composites {
                    size.saturating_mul(1 + random.below(4))
                } else {
                    size.saturating_add(random.below(12))
                };
                operand.pad_to(padded, padding_kind(random))
            }
        };
        match made {
            Ok(made) if made.size() <= self.size_limit => made,
            _ => self.axis(random),
        }
    }
}

fn padding_kind(random: &mut Random) -> PaddingKind {
    match random.below(8) {
        0 => PaddingKind::Zero,
        1 => PaddingKind::Bottom,
        _ => PaddingKind::Top,
    }
}

/// A random divisor, found without walking up to the size.
pub(crate) fn divisor(random: &mut Random, size: u64) -> u64 {
    let small: Vec<u64> = (1..=size.min(64))
        .filter(|d| size.is_multiple_of(*d))
        .collect();
    let chosen = random.pick(&small);
    if random.below(2) == 0 {
        chosen
    } else {
        size / chosen
    }
}
