//! Digits of one tensor paired with the places of another: what a transfer moves together.

use std::sync::Arc;

use crate::mapping::{Atom, Digit, Form, Groups, PaddingKind};

use super::places::{Counted, Misfit, Places};

/// A digit that two tensors both hold in one piece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Piece {
    /// The axis, if it has a name.
    pub(crate) axis: Option<Arc<str>>,
    /// Values.
    pub(crate) size: u64,
    /// Distance of two values in the tensor that was asked; 0 where it does not hold the axis.
    pub(crate) there: i128,
    /// Positions of the piece in that tensor, padding included.
    pub(crate) there_extent: u64,
    /// Distance of two values in the digit's own tensor.
    pub(crate) place: i128,
    /// Positions of the piece in the digit's own tensor, padding included.
    pub(crate) extent: u64,
    /// Those of them that hold data or padding that anything may be written to.
    pub(crate) writable: u64,
}

/// Positions of a digit up to the first padding that must stay as it is.
pub(crate) fn writable(digit: &Digit) -> u64 {
    match digit.paddings().first() {
        Some(first) if first.kind == PaddingKind::Top => first.extent,
        _ => digit.live,
    }
}

/// The digits of one tensor of several levels paired with the places of another one, those of one position left out.
/// Each level has its form and the distance of two neighbours in it.
pub(crate) fn paired(there: &[(Form, i128)], own: &[(Form, i128)]) -> Result<Vec<Piece>, Misfit> {
    let forms: Vec<&Form> = there.iter().chain(own).map(|(form, _)| form).collect();
    let groups = Groups::of(&forms);
    let rewritten = |levels: &[(Form, i128)]| -> Vec<(Form, i128)> {
        let level = |(form, unit): &(Form, i128)| (groups.rewrite(form), *unit);
        levels.iter().map(level).collect()
    };
    let (there, own) = (rewritten(there), rewritten(own));
    let held: Vec<&Form> = there.iter().map(|(form, _)| form).collect();
    let source = Places::of_levels(&there).with_opaque(groups.opaque_names(&held));
    let mut pieces = Vec::new();
    for (form, unit) in &own {
        let mut place = *unit;
        for digit in form.digits() {
            source
                .pair(digit, place, &mut pieces)
                .map_err(|misfit| match misfit {
                    // A group in other parts is moved in several commands, as many as it takes.
                    Misfit::Incompatible { axis, .. } if groups.is_group(&axis) => Misfit::Unknown,
                    misfit => misfit,
                })?;
            place = place.saturating_mul(i128::from(digit.extent));
        }
    }
    pieces.retain(|piece| piece.size > 1);
    Ok(pieces)
}

impl Places {
    /// The places of a tensor of several levels: each with its form and the distance of two neighbours in it.
    fn of_levels(levels: &[(Form, i128)]) -> Self {
        let mut places = Self::default();
        for (form, unit) in levels {
            places.hold(form, *unit);
        }
        places
    }

    /// Pairs a digit that is elsewhere at `place` with the places here: one piece for each digit that it crosses.
    /// A part whose cut is ragged is paired anyway: the transfer is made in several commands then.
    fn pair(&self, digit: &Digit, place: i128, pieces: &mut Vec<Piece>) -> Result<(), Misfit> {
        let Some(term) = &digit.term else {
            return Ok(());
        };
        let counted = Counted::of(&term.atom);
        let name = counted.as_ref().map(Counted::name);
        let known = counted.filter(|counted| self.held.iter().any(|held| held.counted == *counted));
        let Some(counted) = known else {
            return match &term.atom {
                Atom::Composite(group) if term.stride == 1 && digit.live >= group.size() => {
                    let mut place = place;
                    for inner in group.digits() {
                        self.pair(inner, place, pieces)?;
                        place = place.saturating_mul(i128::from(inner.extent));
                    }
                    Ok(())
                }
                Atom::Composite(_) => Err(Misfit::Unknown),
                _ if name.as_ref().is_some_and(|name| self.opaque.contains(name)) => {
                    Err(Misfit::Unknown)
                }
                _ => {
                    let (size, extent) = (digit.live, digit.extent);
                    pieces.push(Piece {
                        axis: name,
                        size,
                        there: 0,
                        there_extent: size,
                        place,
                        extent,
                        writable: writable(digit),
                    });
                    Ok(())
                }
            };
        };
        let name = counted.name();
        let (mut low, mut live, mut extent, mut place) =
            (term.stride, digit.live, digit.extent, place);
        let mut free = writable(digit);
        loop {
            let held = self
                .held
                .iter()
                .filter(|held| held.counted == counted && held.low <= low);
            let held = held
                .filter(|held| held.is_outermost() || low < held.border())
                .max_by_key(|held| held.low);
            let Some(held) = held else {
                return Err(self.missing(&name, low, live));
            };
            let border = held.border();
            let even =
                low.is_multiple_of(held.low) && (held.is_outermost() || border.is_multiple_of(low));
            if !even {
                return Err(Misfit::Incompatible {
                    axis: name,
                    step: low,
                    border,
                });
            }
            let ratio = low / held.low;
            let room = if held.is_outermost() {
                u64::MAX
            } else {
                border / low
            };
            let size = live.min(room);
            let reaches = size.saturating_mul(ratio) >= held.live;
            let there_extent = if reaches {
                (held.extent / ratio).max(size)
            } else {
                size
            };
            let there = held
                .place
                .checked_mul(i128::from(ratio))
                .ok_or(Misfit::Unknown)?;
            let last = live <= room;
            let own_extent = if last { extent.max(size) } else { size };
            pieces.push(Piece {
                axis: Some(Arc::clone(&name)),
                size,
                there,
                there_extent,
                place,
                extent: own_extent,
                writable: if last { free.max(size) } else { size },
            });
            if last {
                return Ok(());
            }
            place = place.checked_mul(i128::from(room)).ok_or(Misfit::Unknown)?;
            extent /= room;
            free /= room;
            live = live.div_ceil(room);
            low = border;
        }
    }
}
