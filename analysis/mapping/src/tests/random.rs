//! Random expressions from a fixed seed: the same ones every run.

use crate::{Axis, Form, Mapping, MappingKind, PaddingKind};

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
    /// Whether padding is of all three kinds; else it is `#`.
    pub(crate) kinds: bool,
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
    kinds: true,
};

impl Shape {
    pub(crate) fn axis(&self, random: &mut Random) -> Mapping {
        let (name, size) = random.pick(self.axes);
        Mapping::axis(Axis::new(name, size))
    }

    /// An expression whose parts are clear, see [`is_clear`].
    pub(crate) fn clear_expression(&self, random: &mut Random, depth: u64) -> Mapping {
        loop {
            let mapping = self.expression(random, depth);
            if is_clear(&mapping) {
                return mapping;
            }
        }
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
                let kind = padding_kind(random);
                operand.pad_to(padded, if self.kinds { kind } else { PaddingKind::Top })
            }
        };
        match made {
            Ok(made) if made.size() <= self.size_limit => made,
            _ => self.axis(random),
        }
    }
}

fn padding_kind(random: &mut Random) -> PaddingKind {
    match random.below(6) {
        0 => PaddingKind::Zero,
        1 => PaddingKind::Bottom,
        _ => PaddingKind::Top,
    }
}

/// Whether digits of one axis are added up: beyond the axis they are padding of no part.
pub(crate) fn repeats_axes(form: &Form) -> bool {
    let terms = form.terms_with_stride();
    let axes = terms
        .iter()
        .filter(|placed| placed.term.atom.axis().is_some());
    axes.count() != form.axes().len()
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

/// An operand that an expression selects from.
struct Selected<'a> {
    operand: &'a Mapping,
    /// The selections: their steps, and the highest position of each.
    parts: Vec<(u64, u64)>,
    /// Whether one of them is a `/` or a `%`.
    cut: bool,
    /// Expressions that select from it.
    users: u32,
    /// Whether one of these is a part of something that was cut.
    inside: bool,
}

/// Whether it is clear what the parts of an expression are together: where a group (or a padded or resized operand) is
/// cut, only its own parts selects from its axes, and its parts never add up to positions that it lacks. Of other
/// expressions (`[A, B] / 8, B`) nothing says whether the sums carry.
pub(crate) fn is_clear(mapping: &Mapping) -> bool {
    let mut pending: Vec<Selected<'_>> = Vec::new();
    select(mapping, false, &mut pending);
    while let Some(at) = (0..pending.len()).max_by_key(|at| depth(pending[*at].operand)) {
        let selected = pending.swap_remove(at);
        let operand = selected.operand;
        if matches!(operand.kind(), MappingKind::Axis(_)) {
            if selected.users > 1 && selected.inside {
                return false;
            }
            continue;
        }
        // Padding behind a whole axis is where the axis ends, whatever selects from it.
        let group = selected.cut && !is_padded_axis(operand);
        if group && !are_digits(selected.parts, operand.size()) {
            return false;
        }
        let inside = selected.inside || group;
        match operand.kind() {
            MappingKind::Product(parts) => {
                for part in parts {
                    select(part, inside, &mut pending);
                }
            }
            MappingKind::Pad(inner, ..) | MappingKind::Resize(inner, _) => {
                select(inner, inside, &mut pending);
            }
            _ => {}
        }
    }
    true
}

fn select<'a>(mapping: &'a Mapping, inside: bool, pending: &mut Vec<Selected<'a>>) {
    let (mut operand, mut step, mut cut) = (mapping, 1, false);
    loop {
        let size = operand.size();
        operand = match operand.kind() {
            MappingKind::Stride(inner, n) => {
                step *= n;
                inner
            }
            MappingKind::Modulo(inner, _) => inner,
            _ => break,
        };
        cut |= operand.size() != size;
    }
    let selected = Selected {
        operand,
        parts: vec![(step, step * (mapping.size() - 1))],
        cut,
        users: 1,
        inside,
    };
    let joins = cut || matches!(operand.kind(), MappingKind::Axis(_));
    let known = pending
        .iter_mut()
        .find(|known| joins && known.operand == operand);
    match known {
        Some(known) => {
            known.parts.extend(selected.parts);
            known.cut |= cut;
            known.users += 1;
            known.inside |= inside;
        }
        None => pending.push(selected),
    }
}

/// Whether selections of one operand are digits of its positions: each steps over all that is inside of it.
fn are_digits(mut parts: Vec<(u64, u64)>, size: u64) -> bool {
    parts.sort_unstable();
    let mut reach = 0;
    parts.iter().all(|(step, highest)| {
        let apart = *step > reach;
        reach += highest;
        apart && reach < size
    })
}

fn is_padded_axis(mapping: &Mapping) -> bool {
    match mapping.kind() {
        MappingKind::Axis(_) => true,
        MappingKind::Pad(inner, ..) => is_padded_axis(inner),
        _ => false,
    }
}

fn depth(mapping: &Mapping) -> u64 {
    match mapping.kind() {
        MappingKind::Identity | MappingKind::Axis(_) | MappingKind::Broadcast(_) => 1,
        MappingKind::Stride(inner, _)
        | MappingKind::Modulo(inner, _)
        | MappingKind::Resize(inner, _)
        | MappingKind::Pad(inner, ..) => 1 + depth(inner),
        MappingKind::Product(parts) => 1 + parts.iter().map(depth).max().unwrap_or(0),
    }
}
