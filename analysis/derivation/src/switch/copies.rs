//! Broadcast positions of the output slice: what they may be called, and on what padding they may be.
//!
//! Knows one position at a time and all of them together. Does not know where they are: a topology says that.

use crate::conventions::Conventions;
use crate::forms;
use crate::mapping::{Form, PaddingKind};

use super::{Forms, SwitchViolation};

/// The axes of a broadcast position that the input's slices or time have: by digit, or in earlier releases by name.
pub(super) fn reused_copy_axes(
    forms: &Forms<'_>,
    copies: &Form,
    conventions: Conventions,
) -> Vec<String> {
    if conventions.names_copies_by_digit() {
        return digits_of_input(forms, copies);
    }
    let names = forms.input_names();
    let mut own = forms::axis_names(copies);
    own.retain(|name| names.contains(name));
    own
}

/// The axes of which the input has the very digits that are given, sorted.
pub(super) fn digits_of_input(forms: &Forms<'_>, copies: &Form) -> Vec<String> {
    shared_digits(copies, &[forms.slice, forms.time])
}

/// The axes of which some of these forms have the digits that `copies` has, sorted.
pub(super) fn shared_digits(copies: &Form, others: &[&Form]) -> Vec<String> {
    let matches = others
        .iter()
        .flat_map(|other| forms::divide_relaxed(copies, other).matches);
    let mut axes: Vec<String> = matches
        .map(|found| forms::term_name(&found.term))
        .filter(|name| copies.contains_axis(name))
        .collect();
    axes.sort();
    axes.dedup();
    axes
}

/// An axis of which two positions claim the same digit.
pub(super) fn claimed_twice(copies: &Form) -> Option<String> {
    let terms: Vec<_> = copies
        .digits()
        .iter()
        .filter_map(|digit| Some((digit.term.as_ref()?, digit.live)))
        .filter(|(term, _)| term.atom.axis().is_some())
        .collect();
    let overlap = |(outer, outer_live): &(&crate::mapping::Term, u64),
                   (inner, inner_live): &(&crate::mapping::Term, u64)| {
        outer.atom == inner.atom
            && outer.stride < inner.stride.saturating_mul(*inner_live)
            && inner.stride < outer.stride.saturating_mul(*outer_live)
    };
    terms.iter().enumerate().find_map(|(at, one)| {
        let other = terms.iter().skip(at + 1).find(|other| overlap(one, other));
        other.map(|(term, _)| forms::term_name(term))
    })
}

/// Copies on padding that may not hold any.
pub(super) fn on_padding(
    declared: &Form,
    custom: bool,
    conventions: Conventions,
) -> Option<SwitchViolation> {
    if !conventions.compares_switch_frames() {
        return None;
    }
    let refused = |kind: PaddingKind| kind != PaddingKind::Top || !conventions.pads_copies(custom);
    // Of a ring, pure padding is no copies: nothing says that data arrives there.
    let counts = |digit: &crate::mapping::Digit| !custom || digit.term.is_some();
    let bad = declared
        .digits()
        .iter()
        .any(|digit| counts(digit) && digit.paddings().iter().any(|padding| refused(padding.kind)));
    bad.then(|| SwitchViolation::CopiesOnPadding {
        declared: declared.to_mapping(),
    })
}
