//! Another split of axes over clusters, slices and elements, as arithmetic on forms.
//!
//! A part of an axis leaves one level and joins another; what is on no level before is on none after, so that nothing is copied and
//! no padding comes to stand for data. Knows forms alone: which tensors and streams of a body follow is decided by the caller.

use crate::mapping::{Digit, Form, Term};

/// The divisors of a digit that are tried as the size of the part that moves.
const FACTORS: [u64; 12] = [2, 4, 8, 16, 32, 64, 128, 256, 3, 5, 6, 12];

/// What becomes of a form that a part is taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Taken {
    /// It is there no more.
    Left(Form),
    /// The form holds nothing of the axis.
    Absent,
}

/// Whether a digit is a plain part of an axis: nothing of it is padding.
fn is_plain(digit: &Digit) -> bool {
    let whole = |term: &Term| term.atom.axis().is_some() && digit.live == term.modulo;
    digit.paddings().is_empty() && digit.term.as_ref().is_some_and(whole)
}

/// The parts of a digit that may move away from its inner end, the sizes in the order in which they are tried.
pub(super) fn inner_parts(digit: &Digit) -> Vec<Term> {
    digit_parts(digit, |term, size| Term {
        modulo: size,
        ..term.clone()
    })
}

/// The same from its outer end.
pub(super) fn outer_parts(digit: &Digit) -> Vec<Term> {
    digit_parts(digit, |term, size| Term {
        stride: term.stride.saturating_mul(term.modulo / size.max(1)),
        modulo: size,
        ..term.clone()
    })
}

fn digit_parts(digit: &Digit, part: impl Fn(&Term, u64) -> Term) -> Vec<Term> {
    let Some(term) = digit.term.as_ref().filter(|_| is_plain(digit)) else {
        return Vec::new();
    };
    let sizes = FACTORS.iter().copied();
    let dividing = sizes.filter(|size| term.modulo.is_multiple_of(*size) && *size <= term.modulo);
    dividing.map(|size| part(term, size)).collect()
}

/// A form without a part of an axis. `None` where it holds some of it and not all, or with padding inside.
pub(super) fn form_without_part(form: &Form, part: &Term) -> Option<Taken> {
    let axis = part.atom.axis()?;
    if !form.contains_axis(axis.name()) {
        return Some(Taken::Absent);
    }
    let end = part.stride.checked_mul(part.modulo)?;
    let holds = |digit: &Digit| {
        let Some(term) = digit.term.as_ref().filter(|_| is_plain(digit)) else {
            return false;
        };
        let last = term.stride.checked_mul(term.modulo);
        term.atom == part.atom
            && term.stride <= part.stride
            && part.stride.is_multiple_of(term.stride)
            && last.is_some_and(|last| end <= last && last.is_multiple_of(end))
    };
    let at = form.digits().iter().position(holds)?;
    let mut digits = Vec::new();
    for (number, digit) in form.digits().iter().enumerate() {
        let Some(term) = digit.term.as_ref().filter(|_| number == at) else {
            digits.push(digit.clone());
            continue;
        };
        let inner = part.stride / term.stride.max(1);
        let outer = term.stride.checked_mul(term.modulo)? / end.max(1);
        if inner > 1 {
            digits.push(digit_of(term, term.stride, inner));
        }
        if outer > 1 {
            digits.push(digit_of(term, end, outer));
        }
    }
    Some(Taken::Left(Form::from_digits(digits)?))
}

fn digit_of(term: &Term, stride: u64, modulo: u64) -> Digit {
    let term = Term {
        stride,
        modulo,
        ..term.clone()
    };
    Digit::new(Some(term), modulo)
}

/// Where a part goes that has no neighbour of its own axis.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum End {
    /// Inside of all that is there.
    Inner,
    /// Outside of it.
    Outer,
}

/// A form with a part of an axis: beside the part that continues it, else at an end.
pub(super) fn form_with_part(form: &Form, part: &Term, end: End) -> Option<Form> {
    let last = part.stride.checked_mul(part.modulo)?;
    let own = Digit::new(Some(part.clone()), part.modulo);
    let mut digits: Vec<Digit> = form.digits().to_vec();
    let inside = digits.iter().position(|digit| {
        let Some(term) = digit.term.as_ref().filter(|_| is_plain(digit)) else {
            return false;
        };
        term.atom == part.atom && term.stride.checked_mul(term.modulo) == Some(part.stride)
    });
    let outside = digits.iter().position(|digit| {
        let Some(term) = digit.term.as_ref().filter(|_| is_plain(digit)) else {
            return false;
        };
        term.atom == part.atom && term.stride == last
    });
    let at = match (inside, outside, end) {
        (Some(inside), _, _) => inside + 1,
        (None, Some(outside), _) => outside,
        (None, None, End::Inner) => 0,
        (None, None, End::Outer) => digits.len(),
    };
    digits.insert(at, own);
    Form::from_digits(digits)
}

/// The live part of a level of slices or clusters: its form without the padding outside. `None` where padding or copies are left
/// inside.
pub(super) fn live_part(level: &Form) -> Option<Form> {
    let live = level.remove_padding();
    live.digits().iter().all(is_plain).then_some(live)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mapping::{Axis, Mapping};

    fn axis(name: &str, size: u64) -> Mapping {
        Mapping::axis(Axis::new(name, size))
    }

    fn part(size: u64, stride: u64, modulo: u64) -> Term {
        let form = axis("N", size).form().clone();
        let term = form.digits()[0].term.clone().unwrap();
        Term {
            stride,
            modulo,
            ..term
        }
    }

    /// The values of a mapping's positions, as a set with their order.
    fn values(form: &Form) -> Vec<String> {
        let function = form.function();
        (0..form.size())
            .map(|position| format!("{:?}", function.cell_at(position)))
            .collect()
    }

    #[test]
    fn what_leaves_one_level_and_joins_another_is_the_same_axis() {
        let whole = axis("N", 96);
        let slices = whole.stride(24).unwrap();
        let elements = whole.modulo(24).unwrap();
        // The two outermost of three steps of 8 elements cannot leave; each of 3, 4 and 6 can.
        for outer in outer_parts(&elements.form().digits()[0]) {
            let Taken::Left(left) = form_without_part(elements.form(), &outer).unwrap() else {
                panic!("{outer:?}");
            };
            let joined = form_with_part(slices.form(), &outer, End::Inner).unwrap();
            assert_eq!(left.size() * joined.size(), 96, "{outer:?}");
            let both = Form::multiply(&joined, &left).unwrap();
            assert_eq!(values(&both), values(whole.form()), "{outer:?}");
        }
    }

    #[test]
    fn a_part_in_the_middle_leaves_both_ends() {
        let whole = axis("N", 64);
        let Taken::Left(left) = form_without_part(whole.form(), &part(64, 4, 4)).unwrap() else {
            panic!("it is there");
        };
        assert_eq!(left.to_mapping().to_string(), "N / 16, N % 4");
        let back = form_with_part(&left, &part(64, 4, 4), End::Outer).unwrap();
        assert_eq!(values(&back), values(whole.form()));
    }

    #[test]
    fn what_is_not_there_cannot_leave() {
        let elements = axis("N", 64).modulo(16).unwrap();
        assert_eq!(form_without_part(elements.form(), &part(64, 16, 2)), None);
        assert_eq!(form_without_part(elements.form(), &part(64, 8, 4)), None);
        let other = axis("M", 4);
        assert_eq!(
            form_without_part(other.form(), &part(64, 16, 2)),
            Some(Taken::Absent)
        );
    }

    #[test]
    fn padding_inside_is_no_live_part() {
        let padded = axis("N", 4)
            .pad_to(8, crate::mapping::PaddingKind::Top)
            .unwrap();
        assert_eq!(live_part(padded.form()).map(|form| form.size()), Some(4));
        let inside = Mapping::product(&[axis("M", 2), padded]).unwrap();
        assert_eq!(live_part(inside.form()), None);
        let dummy = Mapping::identity()
            .pad_to(2, crate::mapping::PaddingKind::Top)
            .unwrap();
        assert_eq!(live_part(dummy.form()).map(|form| form.size()), Some(1));
    }
}
