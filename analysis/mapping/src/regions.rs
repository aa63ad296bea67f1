//! Regions of a mapping: where an axis runs through a buffer, what is left without it, and a part of it alone.
//!
//! An axis is a mapping of its own, which may be several neighbouring axes or a part of one. It is found where one stride
//! through the buffer passes all of its positions, padding of the same kinds included. What the numbers are for (tiles, gathers,
//! registers) is not known here.

use super::division::{DivisionMode, divide};
use super::form::{Atom, Digit, Form, Term};
use super::index::PaddingKind;
use super::relation::{Answer, equal_forms};

/// Why an axis is not found in a buffer, or not removed from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FindAxisError {
    /// The buffer lacks the axis, or holds it only in part or with other padding. Also an axis that was divided out of a product
    /// and divided again, of which the library finds none.
    NotInMapping,
    /// The buffer holds all of the axis, at more than one stride.
    Scattered,
    /// The positions from the first to behind the last one of the axis are no region of the buffer.
    SpanDoesNotDivide {
        /// Positions of the buffer.
        size: u64,
        /// Positions that the axis spans.
        span: u64,
    },
    /// Not known: groups that a size cuts across, of which nothing is proven.
    Undecided,
}

/// Why an axis of a mapping cannot be narrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WindowAxisError {
    /// The window is empty, or longer than the axis.
    WindowExceedsAxis {
        /// Positions of the window.
        window: u64,
        /// Positions of the axis.
        size: u64,
    },
    /// The axis's span does not divide the mapping.
    SpanDoesNotDivide {
        /// Positions of the mapping a step of the axis.
        stride: u64,
        /// Positions of the axis, padding included.
        size: u64,
        /// Positions of the mapping.
        cells: u64,
    },
}

/// The stride at which an axis runs through a buffer.
///
/// # Errors
/// [`FindAxisError`]; a single position, and padding that names no axis, are in no buffer.
pub fn find_axis(buffer: &Form, axis: &Form) -> Result<u64, FindAxisError> {
    let mut undecided = false;
    let mut beyond = None;
    let mut found = None;
    for stride in strides(buffer, axis) {
        let Some(span) = stride.checked_mul(axis.size()) else {
            continue;
        };
        if span > buffer.size() {
            // What is left without the padding may be there.
            let live = axis.remove_padding();
            if passes(buffer, stride, &live) == Answer::Yes {
                beyond = Some(span);
            }
            continue;
        }
        match passes(buffer, stride, axis) {
            Answer::Yes if found.is_some() => undecided = true,
            Answer::Yes => found = Some(stride),
            Answer::No => {}
            Answer::Unknown => undecided = true,
        }
    }
    match (found, beyond) {
        _ if undecided => Err(FindAxisError::Undecided),
        (Some(_), _) if is_divided_again(buffer, axis) => Err(FindAxisError::NotInMapping),
        (Some(stride), _) => Ok(stride),
        (None, Some(span)) => Err(FindAxisError::SpanDoesNotDivide {
            size: buffer.size(),
            span,
        }),
        (None, None) => Err(absent(buffer, axis)),
    }
}

/// Whether the positions of a buffer at a stride, as many as the axis has, hold what the axis does.
fn passes(buffer: &Form, stride: u64, axis: &Form) -> Answer {
    let region = stride
        .checked_mul(axis.size())
        .and_then(|span| buffer.resize(span)?.stride(stride));
    region.map_or(Answer::No, |region| equal_forms(&region, axis))
}

/// The strides at which the innermost term of the axis is in the buffer.
fn strides(buffer: &Form, axis: &Form) -> Vec<u64> {
    let mut unit: u64 = 1;
    let mut innermost: Option<(&Term, u64)> = None;
    for digit in axis.digits() {
        if let Some(term) = &digit.term {
            // Copies are everywhere alike: a term with an axis says where it is.
            let better = match innermost {
                None => true,
                Some((known, _)) => known.atom == Atom::Broadcast,
            };
            if better && (innermost.is_none() || term.atom != Atom::Broadcast) {
                innermost = Some((term, unit));
            }
        }
        unit = unit.saturating_mul(digit.extent);
    }
    let Some((term, unit)) = innermost else {
        return Vec::new();
    };
    let (term, scale) = match &term.atom {
        // A group begins where its innermost digit does.
        Atom::Composite(group) => {
            let inner = group.digits().first().and_then(|digit| digit.term.as_ref());
            (inner.unwrap_or(term), term.stride)
        }
        _ => (term, 1),
    };
    let mut strides: Vec<u64> = Vec::new();
    let mut place: u64 = 1;
    for digit in buffer.digits() {
        if let Some(own) = &digit.term
            && same_atom(&own.atom, &term.atom)
            && term.stride.is_multiple_of(own.stride)
            && term.stride / own.stride < digit.extent
        {
            let step = (term.stride / own.stride).checked_mul(scale);
            let step = step.and_then(|step| place.checked_mul(step));
            let stride = step.filter(|step| step.is_multiple_of(unit));
            strides.extend(stride.map(|step| step / unit));
        }
        place = place.saturating_mul(digit.extent);
    }
    strides.sort_unstable();
    strides.dedup();
    strides
}

fn same_atom(one: &Atom, other: &Atom) -> bool {
    match (one.axis(), other.axis()) {
        (Some(one), Some(other)) => one == other,
        (None, None) => one == other,
        _ => false,
    }
}

/// Whether an axis is a group that was cut before, and is cut again: the innermost digit of the group is a part of one of the
/// buffer's.
fn is_divided_again(buffer: &Form, axis: &Form) -> bool {
    let groups = axis.digits().iter().filter_map(|digit| {
        let term = digit.term.as_ref()?;
        match &term.atom {
            Atom::Composite(group) if term.stride > 1 => group.digits().first()?.term.as_ref(),
            _ => None,
        }
    });
    let whole = |inner: &Term| {
        let mut terms = buffer
            .digits()
            .iter()
            .filter_map(|digit| digit.term.as_ref());
        terms.any(|own| same_atom(&own.atom, &inner.atom) && own.stride == inner.stride)
    };
    groups.into_iter().any(|inner| !whole(inner))
}

/// Why a buffer has no stride of an axis.
fn absent(buffer: &Form, axis: &Form) -> FindAxisError {
    let copies = |digit: &Digit| {
        let term = digit.term.as_ref();
        term.is_some_and(|term| term.atom == Atom::Broadcast)
    };
    if !axis.has_terms() || axis.digits().iter().any(copies) {
        return FindAxisError::NotInMapping;
    }
    let division = divide(buffer, axis, DivisionMode::Relaxed);
    if !division.exact() {
        let opaque = buffer.has_composites() || axis.has_composites();
        return if opaque && buffer.axes().iter().any(|own| axis.axes().contains(own)) {
            FindAxisError::Undecided
        } else {
            FindAxisError::NotInMapping
        };
    }
    // One run has the same ratio between the strides of both everywhere; then the paddings are what differs.
    let ratio = |left: u64, right: u64| u128::from(left) * u128::from(right);
    let one_run = division.matches.windows(2).all(|pair| match pair {
        [one, other] => {
            ratio(one.dividend_stride, other.divisor_stride)
                == ratio(other.dividend_stride, one.divisor_stride)
        }
        _ => true,
    });
    if one_run {
        FindAxisError::NotInMapping
    } else {
        FindAxisError::Scattered
    }
}

/// A buffer without an axis. One of a single position removes nothing.
///
/// # Errors
/// [`FindAxisError`]; also where the region that the axis spans holds something else.
#[cfg(test)]
pub fn remove_axis(buffer: &Form, axis: &Form) -> Result<Form, FindAxisError> {
    if axis.size() == 1 {
        return Ok(buffer.clone());
    }
    let stride = find_axis(buffer, axis)?;
    let span = stride.saturating_mul(axis.size());
    let error = FindAxisError::SpanDoesNotDivide {
        size: buffer.size(),
        span,
    };
    let (outer, inside) = buffer.split_at(span).ok_or(error)?;
    let (region, inner) = inside.split_at(stride).ok_or(error)?;
    match equal_forms(&region, axis) {
        Answer::Yes => Form::multiply(&outer, &inner).ok_or(error),
        Answer::No => Err(FindAxisError::NotInMapping),
        Answer::Unknown => Err(FindAxisError::Undecided),
    }
}

/// A mapping with the first `window` positions of the axis that has `size` positions at a stride, and padding of a kind in
/// place of the others.
///
/// # Errors
/// [`WindowAxisError`], with the numbers.
pub fn window_axis(
    mapping: &Form,
    stride: u64,
    size: u64,
    window: u64,
    kind: PaddingKind,
) -> Result<Form, WindowAxisError> {
    if window == 0 || window > size {
        return Err(WindowAxisError::WindowExceedsAxis { window, size });
    }
    let windowed = || {
        let (above, inside) = mapping.split_at(stride.checked_mul(size)?)?;
        let (axis, below) = inside.split_at(stride)?;
        let narrow = axis.resize(window)?.pad_as(size, kind)?;
        Form::multiply(&Form::multiply(&above, &narrow)?, &below)
    };
    windowed().ok_or(WindowAxisError::SpanDoesNotDivide {
        stride,
        size,
        cells: mapping.size(),
    })
}

/// A mapping cut into pieces of two positions, outermost first. None unless its size is a power of two.
pub fn slots(mapping: &Form) -> Option<Vec<Form>> {
    if !mapping.size().is_power_of_two() {
        return None;
    }
    let mut slots = Vec::new();
    let mut rest = mapping.clone();
    while rest.size() > 1 {
        let (outer, slot) = rest.split_at(2)?;
        slots.push(slot);
        rest = outer;
    }
    slots.reverse();
    Some(slots)
}

impl Form {
    /// Whether every position holds the same element and none is padding: `m![n]` for its own size `n`.
    pub fn is_broadcast(&self) -> bool {
        let copies = |digit: &Digit| {
            let term = digit.term.as_ref();
            digit.extent == digit.live && term.is_some_and(|term| term.atom == Atom::Broadcast)
        };
        self.digits().iter().all(copies)
    }
}
