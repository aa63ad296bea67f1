//! Another split of a mapping over the slices: its innermost part there grows or shrinks until all slices are used. What a slice
//! holds then, and what streams carry in time and packet.
//!
//! Knows forms only. Which tensors and streams are over the same slices is left to the code that follows a split.

use crate::mapping::{Digit, Form, Term};

/// Where the innermost part on the slices begins, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Split {
    /// What is over the slices now.
    pub slices: Form,
    /// The innermost part before.
    part: Term,
    /// So many times as many slices, or so many times fewer.
    factor: u64,
    /// More slices than before.
    grows: bool,
}

impl Split {
    /// The split over all of so many slices; `None` where the innermost part is not a plain one, or does not divide.
    pub fn of(all: u64, before: &Form) -> Option<Self> {
        let (inner, outer) = before.digits().split_first()?;
        let part = inner.term.clone()?;
        part.atom.axis()?;
        let used = before.size();
        let plain = inner.paddings().is_empty() && inner.live == part.modulo;
        let grows = used < all;
        let (large, small) = if grows { (all, used) } else { (used, all) };
        let factor = large.checked_div(small)?;
        if !plain || factor < 2 || small.checked_mul(factor) != Some(large) {
            return None;
        }
        let (stride, modulo) = if grows {
            (
                exact_quotient(part.stride, factor)?,
                part.modulo.checked_mul(factor)?,
            )
        } else {
            (
                part.stride.checked_mul(factor)?,
                exact_quotient(part.modulo, factor)?,
            )
        };
        let new = Term {
            stride,
            modulo,
            ..part.clone()
        };
        let digits = std::iter::once(Digit::new(Some(new), modulo)).chain(outer.iter().cloned());
        let slices = Form::from_digits(digits)?;
        (slices.size() == all).then_some(Self {
            slices,
            part,
            factor,
            grows,
        })
    }

    /// What a slice holds of an element.
    pub fn held_form(&self, element: &Form) -> Option<Form> {
        if self.grows {
            self.without_slice_part(element)
        } else {
            Form::multiply(&self.moved_part()?, element)
        }
    }

    /// Time and packet of a stream.
    pub fn streamed_form(&self, time: &Form, packet: &Form) -> Option<(Form, Form)> {
        if !self.grows {
            return Some((Form::multiply(&self.moved_part()?, time)?, packet.clone()));
        }
        match (
            self.without_slice_part(time),
            self.without_slice_part(packet),
        ) {
            (Some(time), _) => Some((time, packet.clone())),
            (None, Some(packet)) => Some((time.clone(), packet)),
            (None, None) => None,
        }
    }

    /// The part that leaves the slices.
    fn moved_part(&self) -> Option<Form> {
        let term = Term {
            modulo: self.factor,
            ..self.part.clone()
        };
        Form::from_digits([Digit::new(Some(term), self.factor)])
    }

    /// A form without what went to the slices: the outermost steps of the part that ends where the slices begin.
    fn without_slice_part(&self, form: &Form) -> Option<Form> {
        let mut found = false;
        let mut digits = Vec::new();
        for digit in form.digits() {
            let ends_there = digit.term.as_ref().is_some_and(|term| {
                term.atom == self.part.atom
                    && term.stride.checked_mul(term.modulo) == Some(self.part.stride)
            });
            if !ends_there {
                digits.push(digit.clone());
                continue;
            }
            let term = digit.term.as_ref()?;
            if !digit.paddings().is_empty() || digit.live != term.modulo {
                return None;
            }
            found = true;
            let modulo = exact_quotient(term.modulo, self.factor)?;
            if modulo > 1 {
                let term = Term {
                    modulo,
                    ..term.clone()
                };
                digits.push(Digit::new(Some(term), modulo));
            }
        }
        if !found {
            return None;
        }
        Form::from_digits(digits)
    }
}

/// A quotient without remainder.
fn exact_quotient(number: u64, by: u64) -> Option<u64> {
    number.is_multiple_of(by).then(|| number.checked_div(by))?
}
