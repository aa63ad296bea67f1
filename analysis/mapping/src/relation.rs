//! Whether two mappings are equal: same size, and the same element at every position.
//!
//! Equal forms are equal functions. Where forms differ, digits that both share are set aside, a sample of positions looks
//! for a difference, and what is left is walked if it is at most [`ENUMERATION_LIMIT`] positions. Beyond that the answer is
//! unknown: no one may conclude a fault from it.

use super::expression::Mapping;
use super::form::{Atom, Digit, Form};
use super::groups::{Groups, is_settled};
use super::walk::{Walk, axes_of};

/// Most positions that are walked to decide a question.
pub const ENUMERATION_LIMIT: u64 = 1_000_000;

/// An answer that can be withheld.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Answer {
    /// Proven.
    Yes,
    /// Disproven.
    No,
    /// Neither.
    Unknown,
}

impl Answer {
    /// Both hold: a No of either is a No.
    pub fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::No, _) | (_, Self::No) => Self::No,
            (Self::Yes, Self::Yes) => Self::Yes,
            _ => Self::Unknown,
        }
    }
}

impl From<bool> for Answer {
    fn from(known: bool) -> Self {
        if known { Self::Yes } else { Self::No }
    }
}

/// Whether two expressions have the same size and hold the same at every position: the same element, or padding of the same
/// kind.
pub fn mappings_equal(a: &Mapping, b: &Mapping) -> Answer {
    if a == b {
        return Answer::Yes;
    }
    equal_forms(a.form(), b.form())
}

/// Whether two forms have the same size and hold the same at every position.
pub fn equal_forms(a: &Form, b: &Form) -> Answer {
    if a.size() != b.size() {
        return Answer::No;
    }
    if a == b {
        return Answer::Yes;
    }
    match same_functions(a, b) {
        Answer::No if !(is_settled(a) && is_settled(b)) => Answer::Unknown,
        answer => answer,
    }
}

fn same_functions(a: &Form, b: &Form) -> Answer {
    let groups = Groups::of(&[a, b]);
    // Steps through a group do not tell the kind of what is behind it.
    let rewrite = |form: &Form| {
        if a.has_top_only() && b.has_top_only() {
            groups.rewrite(form)
        } else {
            form.clone()
        }
    };
    let (left, right) = (rewrite(a), rewrite(b));
    let alike = |left: &[Digit], right: &[Digit]| {
        left.len() == right.len() && left.iter().zip(right).all(|(x, y)| same_function(x, y))
    };
    if alike(left.digits(), right.digits()) {
        return Answer::Yes;
    }
    // A shared innermost or outermost digit can be set aside: at its first position it holds the empty index, so
    // the rests are equal exactly when the wholes are. Not so parts of a group: what they add can carry.
    let same = |x: &Digit, y: &Digit| {
        let apart = match x.term.as_ref().map(|term| &term.atom) {
            Some(Atom::Axis(axis) | Atom::PaddedRun(axis)) => !groups.mention(axis),
            Some(Atom::Composite(_)) => false,
            Some(Atom::Broadcast) | None => true,
        };
        apart && same_function(x, y)
    };
    let (mut left, mut right) = (left.digits(), right.digits());
    while let ([x, left_rest @ ..], [y, right_rest @ ..]) = (left, right)
        && same(x, y)
    {
        (left, right) = (left_rest, right_rest);
    }
    while let ([left_rest @ .., x], [right_rest @ .., y]) = (left, right)
        && same(x, y)
    {
        (left, right) = (left_rest, right_rest);
    }
    if alike(left, right) {
        return Answer::Yes;
    }
    compare_forms(
        &groups.restore(&Form::from_canonical(left.to_vec())),
        &groups.restore(&Form::from_canonical(right.to_vec())),
    )
}

/// Whether two digits hold the same at every position, whatever their selections were cut from.
fn same_function(x: &Digit, y: &Digit) -> bool {
    let same_term = match (&x.term, &y.term) {
        (None, None) => true,
        (Some(p), Some(q)) => {
            p.stride == q.stride
                && match (p.atom.axis(), q.atom.axis()) {
                    (Some(a), Some(b)) => a == b,
                    _ => p.atom == q.atom,
                }
        }
        _ => false,
    };
    same_term && x.live == y.live && x.extent == y.extent && x.paddings() == y.paddings()
}

fn compare_forms(a: &Form, b: &Form) -> Answer {
    let axes = axes_of(&[a, b]);
    let (left, right) = (Walk::new(a, &axes), Walk::new(b, &axes));
    let (mut left_values, mut right_values) = (vec![0; axes.len()], vec![0; axes.len()]);
    let mut same_at = |position: u64| {
        let left_cell = left.cell_at(position, &axes, &mut left_values);
        let right_cell = right.cell_at(position, &axes, &mut right_values);
        left_cell == right_cell && (left_cell.is_err() || left_values == right_values)
    };
    let size = a.size();
    if !sample_positions(a)
        .chain(sample_positions(b))
        .all(|at| at >= size || same_at(at))
    {
        return Answer::No;
    }
    if size <= ENUMERATION_LIMIT {
        (0..size).all(same_at).into()
    } else {
        Answer::Unknown
    }
}

/// Positions at which forms are likely to differ: about the borders of each digit, and some in between.
fn sample_positions(form: &Form) -> impl Iterator<Item = u64> {
    let size = form.size();
    let mut unit: u64 = 1;
    let mut positions = vec![size.saturating_sub(1)];
    for digit in form.digits() {
        for step in [
            1,
            digit.live / 2,
            digit.live - 1,
            digit.live,
            digit.extent - 1,
        ] {
            let at = unit.saturating_mul(step);
            positions.extend([at.saturating_sub(1), at, at.saturating_add(1)]);
        }
        unit = unit.saturating_mul(digit.extent);
    }
    let mut state: u64 = 0x9E37_79B9_7F4A_7C15;
    for _ in 0..64 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        positions.push(state % size.max(1));
    }
    positions.into_iter()
}
