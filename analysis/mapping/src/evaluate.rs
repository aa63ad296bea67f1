//! The index function of an expression as it is written, position by position: the ground truth that forms are tested against.
//!
//! `E / n` and `E % n` are two digits of one position of `E`: where an operand is cut more than once, the positions are added
//! up before it is taken apart. Of several parts that are padding at a position, the outermost decides. Where one of them is
//! padding only by what is added up, nothing says which of them that is: each kind is possible.

use super::counted::look_at_position;
use super::expression::{Mapping, MappingKind};
use super::index::{Cell, Index, PaddingKind};

/// Where a part of an expression is: of two, the greater one is further outside.
type Place = Vec<usize>;

/// An operand that cuts select from, and the position that they add up to.
struct Cut<'a> {
    operand: &'a Mapping,
    position: u64,
    /// The outermost of the cuts.
    place: Place,
    /// Whether there are several, or they are part of what several cut.
    joint: bool,
}

#[derive(Default)]
struct Evaluation<'a> {
    cuts: Vec<Cut<'a>>,
    index: Index,
    padded: Vec<(Place, PaddingKind, bool)>,
}

impl Mapping {
    /// What a position holds, by the rules of each operator as written; the first where several kinds are possible.
    pub fn cell_at(&self, position: u64) -> Cell {
        let possible = self.cells_at(position);
        possible.into_iter().next().unwrap_or(Cell::OutOfBounds)
    }

    /// What a position may hold.
    pub fn cells_at(&self, position: u64) -> Vec<Cell> {
        look_at_position();
        if position >= self.size() {
            return vec![Cell::OutOfBounds];
        }
        let mut evaluation = Evaluation::default();
        evaluation.select(self, position, Place::new(), false);
        // An operand is less deep than what it is a part of: all that selects from the deepest is known.
        while let Some(at) = (0..evaluation.cuts.len())
            .max_by_key(|at| evaluation.cuts.get(*at).map(|cut| cut.operand.depth()))
        {
            let cut = evaluation.cuts.swap_remove(at);
            evaluation.take_apart(cut.operand, cut.position, cut.place, cut.joint);
        }
        let Evaluation {
            index, mut padded, ..
        } = evaluation;
        if !index.is_inside() {
            padded.push((Place::new(), PaddingKind::Top, true));
        }
        padded.sort();
        let mut kinds: Vec<PaddingKind> = padded.iter().rev().map(|(_, kind, _)| *kind).collect();
        match padded.iter().any(|(.., joint)| *joint) {
            true => {
                let mut seen = Vec::new();
                kinds.retain(|kind| {
                    let new = !seen.contains(kind);
                    seen.push(*kind);
                    new
                });
            }
            false => kinds.truncate(1),
        }
        if kinds.is_empty() {
            return vec![Cell::Index(index)];
        }
        kinds.into_iter().map(Cell::Padding).collect()
    }
}

impl<'a> Evaluation<'a> {
    /// Adds a position of an expression to that of the operand that its cuts select from; without cuts it is taken apart
    /// at once.
    fn select(&mut self, mapping: &'a Mapping, position: u64, place: Place, joint: bool) {
        let (mut operand, mut position, mut cut) = (mapping, position, false);
        loop {
            operand = match operand.kind() {
                MappingKind::Stride(inner, n) => {
                    position = position.saturating_mul(n);
                    cut |= n > 1;
                    inner
                }
                MappingKind::Modulo(inner, n) => {
                    cut |= n < inner.size();
                    inner
                }
                _ => break,
            };
        }
        if !cut {
            self.take_apart(operand, position, place, joint);
            return;
        }
        match self.cuts.iter_mut().find(|known| known.operand == operand) {
            Some(known) => {
                known.position = known.position.saturating_add(position);
                known.place = place.max(std::mem::take(&mut known.place));
                known.joint = true;
            }
            None => self.cuts.push(Cut {
                operand,
                position,
                place,
                joint,
            }),
        }
    }

    /// Adds what a position holds, of an expression that is no cut.
    fn take_apart(&mut self, mapping: &'a Mapping, position: u64, place: Place, joint: bool) {
        match mapping.kind() {
            MappingKind::Identity | MappingKind::Broadcast(_) => {}
            MappingKind::Axis(axis) => {
                self.index.add(axis, position);
            }
            MappingKind::Stride(inner, _)
            | MappingKind::Modulo(inner, _)
            | MappingKind::Resize(inner, _) => self.select(inner, position, place, joint),
            MappingKind::Pad(inner, _, kind) => {
                if position < inner.size() {
                    self.select(inner, position, place, joint);
                } else {
                    self.padded.push((place, kind, joint));
                }
            }
            MappingKind::Product(parts) => {
                let mut rest = position;
                for (number, part) in parts.iter().rev().enumerate() {
                    let mut inside = place.clone();
                    inside.push(number);
                    self.select(part, rest % part.size(), inside, joint);
                    rest /= part.size();
                }
                if rest != 0 {
                    self.padded.push((place, PaddingKind::Top, true));
                }
            }
        }
    }
}
