//! Small questions about canonical forms that several engines ask.
//!
//! Knows forms only: no engine and no limits. "Differ" always means proven to differ; what cannot be decided counts as
//! equal here, so that no violation is built on it.

use crate::kernel::Written;
use crate::mapping::{
    Answer, Atom, Digit, Division, DivisionMode, Form, Mapping, Match, PaddingKind, Term, divide,
    equal_forms, holds_every_element,
};

/// The form of a declared mapping; `None` where the mapping is unknown or its form could not be worked out.
pub(crate) fn known_form(written: &Written<Mapping>) -> Option<&Form> {
    let mapping = written.get()?;
    (!mapping.is_opaque()).then(|| mapping.form())
}

/// The form of `1 # size`: `None` for size 0.
pub(crate) fn hole_form(size: u64) -> Option<Form> {
    Some(
        Mapping::identity()
            .pad_to(size, PaddingKind::Top)
            .ok()?
            .form()
            .clone(),
    )
}

/// A form without an axis: a hole of the same size in its place, or nothing. `None` where a group holds the axis.
pub(crate) fn form_without_axis(form: &Form, axis: &str, holes: bool) -> Option<Form> {
    let mut digits = Vec::new();
    for digit in form.digits() {
        let held = match digit.term.as_ref().map(|term| &term.atom) {
            Some(Atom::Axis(own) | Atom::PaddedRun(own)) => own.name() == axis,
            Some(Atom::Composite(group)) if group.contains_axis(axis) => return None,
            _ => false,
        };
        if !held {
            digits.push(digit.clone());
        } else if holes {
            digits.extend(hole_form(digit.extent)?.digits().iter().cloned());
        }
    }
    Form::from_digits(digits)
}

/// Whether a part of it is padding that must not be touched.
pub(crate) fn has_hole(form: &Form) -> bool {
    form.digits().iter().any(|digit| {
        let inside = digit.term.as_ref().is_some_and(|term| match &term.atom {
            Atom::Composite(group) => has_hole(group),
            _ => false,
        });
        inside
            || digit
                .paddings()
                .iter()
                .any(|padding| padding.kind == PaddingKind::Bottom)
    })
}

/// Whether two forms are proven to lay out different things.
pub(crate) fn differ(left: &Form, right: &Form) -> bool {
    equal_forms(left, right) == Answer::No
}

/// The pair of several forms, outermost first.
pub fn join(parts: &[&Form]) -> Option<Form> {
    let mut parts = parts.iter().rev();
    let innermost = (*parts.next()?).clone();
    parts.try_fold(innermost, |inner, outer| Form::multiply(outer, &inner))
}

/// Relaxed division: padding of the two sides may differ freely.
pub(crate) fn divide_relaxed(dividend: &Form, divisor: &Form) -> Division {
    divide(dividend, divisor, DivisionMode::Relaxed)
}

/// Whether it is proven that `dividend` lacks a part of `divisor`, whose division is given. Division misses parts of
/// ragged digits (`K # 128 / 16` with `K` of 100) that are there; there the elements decide.
pub(crate) fn lacks(dividend: &Form, divisor: &Form, division: &Division) -> bool {
    let plain = |form: &Form| {
        form.digits()
            .iter()
            .filter_map(|digit| digit.term.as_ref())
            .all(|term| matches!(term.atom, Atom::Axis(_) | Atom::Broadcast))
    };
    !division.exact()
        && ((plain(dividend) && plain(divisor))
            || holds_every_element(dividend, divisor) == Answer::No)
}

/// Whether a form has a ragged part or a group over an axis that another one has too: parts that division may have
/// missed in it.
pub(crate) fn may_share_ragged(form: &Form, other: &Form) -> bool {
    let mut terms = form.digits().iter().filter_map(|digit| digit.term.as_ref());
    terms.any(|term| match &term.atom {
        Atom::PaddedRun(axis) => other.contains_axis(axis.name()),
        Atom::Composite(group) => group
            .axes()
            .iter()
            .any(|axis| other.contains_axis(axis.name())),
        Atom::Axis(_) | Atom::Broadcast => false,
    })
}

/// Whether the matches of a division, outermost of the dividend first, are in the divisor in the same order.
pub(crate) fn keeps_order(division: &Division) -> bool {
    division.matches.windows(2).all(|pair| match pair {
        [outer, inner] => outer.divisor_stride > inner.divisor_stride,
        _ => true,
    })
}

/// The names of the axes that a form mentions, sorted.
pub(crate) fn axis_names(form: &Form) -> Vec<String> {
    form.axis_names().iter().map(ToString::to_string).collect()
}

/// The axis that a term selects from; a group has its axes in brackets.
pub(crate) fn term_name(term: &Term) -> String {
    match &term.atom {
        Atom::Axis(axis) | Atom::PaddedRun(axis) => axis.name().to_owned(),
        Atom::Composite(group) => format!("[{}]", axis_names(group).join(", ")),
        Atom::Broadcast => "copies".to_owned(),
    }
}

/// What a match selects, as an expression; the name alone where there is none.
pub(crate) fn selection_text(found: &Match) -> String {
    term_mapping(&found.term, found.count).map_or_else(
        || term_name(&found.term),
        |part| part.form().to_mapping().to_string(),
    )
}

/// The expression that selects `count` values of a term; `None` for terms that are no plain part of an axis.
pub(crate) fn term_mapping(term: &Term, count: u64) -> Option<Mapping> {
    let Atom::Axis(axis) = &term.atom else {
        return None;
    };
    let selected = Mapping::axis(axis.clone())
        .stride(term.stride)
        .ok()?
        .modulo(term.modulo)
        .ok()?;
    if count == selected.size() {
        Some(selected)
    } else {
        selected.resize(count).ok()
    }
}

/// One part of a stream's time (or packet) against a buffer: how many steps, and how far each moves in the buffer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Step {
    /// Steps, padded ones included.
    pub size: u64,
    /// Positions of the buffer a step moves by; 0 where the buffer does not hold the part.
    pub stride: u64,
}

/// The steps that walking through `stream` makes in `buffer`, outermost first. Parts that the buffer does not hold
/// have stride 0.
pub(crate) fn buffer_steps(stream: &Form, buffer: &Form) -> Vec<Step> {
    let matches = divide_relaxed(stream, buffer).matches;
    let mut steps = Vec::new();
    let mut inner = 1_u64;
    for digit in stream.digits() {
        let outer = inner.saturating_mul(digit.extent);
        let within = matches
            .iter()
            .rev()
            .filter(|found| found.dividend_stride >= inner && found.dividend_stride < outer)
            .map(|found| (found.dividend_stride, found.divisor_stride, found.count));
        digit_steps(digit, inner, outer, within, &mut steps);
        inner = outer;
    }
    steps.reverse();
    steps.retain(|step| step.size > 1);
    steps
}

/// The steps of one digit that occupies `[inner, outer)` of the stream's positions, innermost first.
fn digit_steps(
    digit: &Digit,
    inner: u64,
    outer: u64,
    matches: impl Iterator<Item = (u64, u64, u64)>,
    steps: &mut Vec<Step>,
) {
    let live_end = inner.saturating_mul(digit.live);
    let mut reached = inner;
    for (stream_stride, buffer_stride, count) in matches {
        if stream_stride > reached {
            steps.push(Step {
                size: stream_stride / reached,
                stride: 0,
            });
        }
        reached = stream_stride.saturating_mul(count);
        // The padding of a part is stepped through at the part's own stride.
        if reached >= live_end {
            reached = outer;
        }
        steps.push(Step {
            size: reached / stream_stride,
            stride: buffer_stride,
        });
    }
    if reached < outer {
        steps.push(Step {
            size: outer / reached,
            stride: 0,
        });
    }
}

/// Merges neighbours `(n1 : s1)`, `(n2 : s2)` (outer, inner) with `s1 = n2 * s2` into `(n1 * n2 : s2)`, as far as it goes.
pub(crate) fn merge(steps: &[Step]) -> Vec<Step> {
    let mut merged: Vec<Step> = Vec::new();
    for &step in steps.iter().rev() {
        match merged.last_mut() {
            Some(inner) if inner.size.checked_mul(inner.stride) == Some(step.stride) => {
                inner.size = inner.size.saturating_mul(step.size);
            }
            _ => merged.push(step),
        }
    }
    merged.reverse();
    merged
}
