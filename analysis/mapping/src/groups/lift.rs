//! Digits of a form as steps through the positions of a chain.
//!
//! Knows which digits are a part of a chain, and how far its padding belongs to them. Whether several digits of one form are
//! digits of one position or values that are added up, it does not know.

use super::super::form::{Atom, Digit, Term};
use super::super::index::Axis;
use super::chain::{Chain, Counted};

/// A digit of `live` steps through a group, padded as `like`.
pub(super) fn step_digit(axis: &Axis, stride: u64, live: u64, like: &Digit) -> Digit {
    let term = Term {
        atom: Atom::Axis(axis.clone()),
        stride,
        modulo: live,
    };
    let mut digit = Digit::new(Some(term), live);
    for padding in like.paddings() {
        digit.add_padding(padding.extent, padding.kind);
    }
    digit
}

impl Chain {
    /// The steps through the chain's positions, of that axis, that a digit is, innermost first; None where it is no part
    /// of the chain.
    pub(super) fn lift(&self, positions: &Axis, digit: &Digit) -> Option<Vec<Digit>> {
        let term = digit.term.as_ref()?;
        let direct = match &term.atom {
            Atom::Broadcast => return None,
            Atom::Axis(axis) | Atom::PaddedRun(axis) => {
                self.lift_axis(positions, axis, digit, term.stride)
            }
            Atom::Composite(_) => self.lift_group(positions, digit).map(|digit| vec![digit]),
        };
        direct
            .or_else(|| (0..self.links.len()).find_map(|at| self.lift_inside(at, positions, digit)))
    }

    fn lift_group(&self, positions: &Axis, digit: &Digit) -> Option<Digit> {
        let (own, stride) = Self::of(digit)?;
        let joined = self.join(&own)?;
        let inside = joined.first == 1 && joined.chain.links.len() == self.links.len();
        inside.then_some(())?;
        let stride = stride.checked_mul(joined.second)?;
        Some(step_digit(positions, stride, digit.live, digit))
    }

    /// The steps of a part that are positions of the chain, where the next part steps by `next`: behind the data of a
    /// digit inside the chain, padding of the part is that of the chain, and counted.
    pub(super) fn counted_steps(&self, stride: u64, part: &Digit, next: u64) -> u64 {
        let span = stride.saturating_mul(part.live);
        let inner = self.links.len().saturating_sub(1);
        let room = self
            .links
            .iter()
            .take(inner)
            .enumerate()
            .map(|(at, link)| {
                let unit = self.unit(at);
                let data = unit.saturating_mul(link.live);
                (at, unit, data, unit.saturating_mul(link.extent))
            })
            .filter(|(at, ..)| {
                // Padding of another kind is not the chain's.
                let own = self.links.get(*at).map_or(&[][..], |link| &link.paddings);
                let mut kinds = own
                    .iter()
                    .chain(part.paddings())
                    .map(|padding| padding.kind);
                let first = kinds.next();
                kinds.all(|kind| Some(kind) == first)
            })
            .map(|(_, unit, data, end)| (unit, data, end))
            .find(|(unit, data, end)| span > *unit && span >= *data && span <= *end)
            .map_or(0, |(.., end)| end.min(next) / stride);
        part.extent.min(room).max(part.live)
    }

    /// A part of a group inside the chain.
    fn lift_inside(&self, at: usize, positions: &Axis, digit: &Digit) -> Option<Vec<Digit>> {
        let link = self.links.get(at)?;
        let Counted::Group(inner) = &link.counted else {
            return None;
        };
        let (chain, scale) = Self::of_group(inner, 1, inner.size())?;
        let scale = scale.checked_mul(link.low)?;
        let unit = self.unit(at);
        let last = at + 1 == self.links.len();
        let mut parts = chain.completed_chain().lift(positions, digit)?;
        for part in &mut parts {
            let term = part.term.as_mut()?;
            let span = term.stride.checked_mul(part.live)?;
            if !term.stride.is_multiple_of(scale)
                || (!last && span > scale.checked_mul(link.extent)?)
            {
                return None;
            }
            term.stride = unit.checked_mul(term.stride / scale)?;
            if last && !self.holds_span(term.stride, part.live) {
                return None;
            }
        }
        Some(parts)
    }

    /// Whether steps of a stride end where the chain does, or before.
    fn holds_span(&self, stride: u64, live: u64) -> bool {
        self.end.is_none_or(|end| {
            let span = stride.saturating_mul(live);
            end.checked_next_multiple_of(stride)
                .is_none_or(|end| span <= end)
        })
    }

    fn lift_axis(
        &self,
        positions: &Axis,
        axis: &Axis,
        digit: &Digit,
        low: u64,
    ) -> Option<Vec<Digit>> {
        let links = &self.links;
        let (at, link) = links
            .iter()
            .enumerate()
            .filter(|(_, link)| matches!(&link.counted, Counted::Axis(own) if own == axis))
            .filter(|(at, link)| {
                let last = at + 1 == links.len();
                low.is_multiple_of(link.low) && (last || low < link.low.saturating_mul(link.extent))
            })
            .max_by_key(|(_, link)| link.low)?;
        let ratio = low / link.low;
        let stride = self.unit(at).checked_mul(ratio)?;
        if at + 1 == links.len() {
            let inside = self.holds_span(stride, digit.live);
            return inside.then(|| vec![step_digit(positions, stride, digit.live, digit)]);
        }
        let room = link.extent / ratio;
        if digit.live <= room {
            return Some(vec![step_digit(positions, stride, digit.live, digit)]);
        }
        // The digit goes on in another part of the group.
        let splits = link.extent.is_multiple_of(ratio)
            && link.live == link.extent
            && digit.live.is_multiple_of(room)
            && digit.extent.is_multiple_of(room);
        if !splits {
            return None;
        }
        let mut outer = Digit::new(digit.term.clone(), digit.live / room);
        for padding in digit.paddings() {
            outer.add_padding(padding.extent / room, padding.kind);
        }
        let mut parts = vec![step_digit(positions, stride, room, &Digit::new(None, 1))];
        parts.extend(self.lift_axis(positions, axis, &outer, low.checked_mul(room)?)?);
        Some(parts)
    }
}
