//! The canonical form of a mapping: digits, innermost first.
//!
//! A form forgets how a mapping was written and keeps what it means: grouping, `1`, and operators that change nothing are
//! gone; padding stays. Equal forms have equal index functions. The converse holds except where a size cuts across the
//! digits of a group (a *composite*); `equal` decides those. How forms are built is in
//! `canonical`.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::canonical;
use super::error::MappingError;
use super::expression::{Mapping, MappingKind};
use super::index::{Axis, Cell, Index, PaddingKind};
use super::relation::{Answer, equal_forms};
use super::walk::Walk;

/// What a term selects from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Atom {
    /// An axis, cut at divisors of its size (or truncated).
    Axis(Axis),
    /// An axis run over with padding behind it, cut at a place that does not divide its size, as in `R # 16 / 4` with
    /// `R` of 13. Values at or beyond the size of the axis are padding.
    PaddedRun(Axis),
    /// Copies: every position holds the empty index.
    Broadcast,
    /// A group that a size cuts across, taken position by position.
    Composite(Arc<Form>),
}

impl Atom {
    /// The axis, for a plain axis or a padded run.
    pub fn axis(&self) -> Option<&Axis> {
        match self {
            Self::Axis(axis) | Self::PaddedRun(axis) => Some(axis),
            Self::Broadcast | Self::Composite(_) => None,
        }
    }
}

/// A selection of an atom: `atom / stride % modulo`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Term {
    /// What is selected from.
    pub atom: Atom,
    /// Values (positions, for a composite) of the atom a step.
    pub stride: u64,
    /// Steps before the selection would repeat. More than the live count of its digit where `=` truncated it.
    pub modulo: u64,
}

/// One padding of a digit: up to this many positions in total.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Padding {
    /// Positions of the digit, this padding included.
    pub extent: u64,
    /// What the positions hold.
    pub kind: PaddingKind,
}

/// One digit of a form: a run of positions, each a step of the digits inside it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Digit {
    /// What the live positions run over; nothing for pure padding (`1 # n`).
    pub term: Option<Term>,
    /// Positions that hold elements; 1 for pure padding.
    pub live: u64,
    /// All positions, padding included.
    pub extent: u64,
    paddings: Vec<Padding>,
}

impl Digit {
    /// A digit without padding.
    pub fn new(term: Option<Term>, live: u64) -> Self {
        Self {
            term,
            live,
            extent: live,
            paddings: Vec::new(),
        }
    }

    /// Whether it is a part of an axis of that name. What is in a group is not looked at.
    pub fn is_part_of(&self, axis: &str) -> bool {
        matches!(
            self.term.as_ref().map(|term| &term.atom),
            Some(Atom::Axis(own) | Atom::PaddedRun(own)) if own.name() == axis
        )
    }

    /// The paddings, innermost first, each larger than the one before.
    pub fn paddings(&self) -> &[Padding] {
        &self.paddings
    }

    /// What the outermost padding holds; [`PaddingKind::Top`] where there is none.
    pub fn padding_kind(&self) -> PaddingKind {
        self.paddings.last().map_or(PaddingKind::Top, |p| p.kind)
    }

    /// Whether `=` cut the term short: fewer live positions than the selection has.
    #[cfg(test)]
    pub fn is_truncated(&self) -> bool {
        self.term
            .as_ref()
            .is_some_and(|term| self.live < term.modulo)
    }

    /// Pads to `extent` positions; does nothing where it already has as many.
    pub fn add_padding(&mut self, extent: u64, kind: PaddingKind) {
        if extent <= self.extent {
            return;
        }
        self.extent = extent;
        match self.paddings.last_mut() {
            Some(last) if last.kind == kind => last.extent = extent,
            _ => self.paddings.push(Padding { extent, kind }),
        }
    }

    /// The digit without its padding.
    pub fn unpadded(&self) -> Self {
        Self::new(self.term.clone(), self.live)
    }
}

/// A term with its place in the buffer.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlacedTerm {
    /// The selection.
    pub term: Term,
    /// Positions that hold elements.
    pub live: u64,
    /// Buffer positions a step: the size of all that is inside.
    pub buffer_stride: u64,
    /// Positions, padding included.
    pub extent: u64,
}

/// One digit for display, as `map --format json` lists it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// The axis, a group in brackets for a composite, nothing for padding and copies.
    pub axis: Option<String>,
    /// Values of the axis a step.
    pub stride: u64,
    /// All positions.
    pub size: u64,
    /// Positions that hold elements.
    pub valid: u64,
    /// Positions that hold none.
    pub padding: u64,
}

/// What each position of a form holds. The digits of one group add up to a position of it before that is taken apart, so
/// that `[A, B] / 8, [A, B] % 8` holds what `[A, B]` does.
pub struct IndexFunction {
    size: u64,
    axes: Vec<Axis>,
    walk: Walk,
}

impl IndexFunction {
    /// What a position holds.
    pub fn cell_at(&self, position: u64) -> Cell {
        if position >= self.size {
            return Cell::OutOfBounds;
        }
        let mut values = vec![0; self.axes.len()];
        if let Err(kind) = self.walk.cell_at(position, &self.axes, &mut values) {
            return Cell::Padding(kind);
        }
        let mut index = Index::empty();
        for (axis, value) in self.axes.iter().zip(values) {
            index.add(axis, value);
        }
        Cell::Index(index)
    }
}

/// A canonical form.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    digits: Vec<Digit>,
    /// As a group that a size cuts where it does not end: the padding behind its last position.
    behind: PaddingKind,
}

impl Default for Form {
    fn default() -> Self {
        Self::from_canonical(Vec::new())
    }
}

impl Form {
    /// The form of `1`.
    pub fn identity() -> Self {
        Self::default()
    }

    /// A form of digits that are canonical already.
    pub(super) fn from_canonical(digits: Vec<Digit>) -> Self {
        Self {
            digits,
            behind: PaddingKind::Top,
        }
    }

    /// The same form as a group that is followed by padding of a kind.
    pub(super) fn with_behind(self, behind: PaddingKind) -> Self {
        Self { behind, ..self }
    }

    /// As a group: what is behind the last position.
    pub(super) fn padding_behind(&self) -> PaddingKind {
        self.behind
    }

    /// Whether all of its padding is `#`, inside of groups too.
    pub(super) fn has_top_only(&self) -> bool {
        self.behind == PaddingKind::Top
            && self.digits.iter().all(|digit| {
                let inner = match digit.term.as_ref().map(|term| &term.atom) {
                    Some(Atom::Composite(inner)) => inner.has_top_only(),
                    _ => true,
                };
                inner
                    && digit
                        .paddings
                        .iter()
                        .all(|padding| padding.kind == PaddingKind::Top)
            })
    }

    /// Builds a form from any digits, innermost first, normalising them. None when the size exceeds 64 bits.
    pub fn from_digits(digits: impl IntoIterator<Item = Digit>) -> Option<Self> {
        let mut list = Vec::new();
        let mut size: u64 = 1;
        for digit in digits {
            size = size.checked_mul(digit.extent)?;
            canonical::push(&mut list, digit);
        }
        Some(Self::from_canonical(list))
    }

    /// The form of an expression; operands come from their cached forms.
    pub(super) fn of(mapping: &Mapping) -> Self {
        let digits = match mapping.kind() {
            MappingKind::Identity => Vec::new(),
            MappingKind::Axis(axis) => canonical::axis(axis),
            MappingKind::Broadcast(n) => canonical::broadcast(n),
            MappingKind::Stride(inner, n) => canonical::stride(&inner.form().digits, n),
            MappingKind::Modulo(inner, n) => canonical::take(&inner.form().digits, n, true),
            MappingKind::Resize(inner, n) => canonical::take(&inner.form().digits, n, false),
            MappingKind::Pad(inner, n, kind) => canonical::pad(&inner.form().digits, n, kind),
            MappingKind::Product(parts) => {
                let mut list = Vec::new();
                for part in parts.iter().rev() {
                    for digit in &part.form().digits {
                        canonical::push(&mut list, digit.clone());
                    }
                }
                list
            }
        };
        Self::from_canonical(digits)
    }

    /// The number of positions.
    pub fn size(&self) -> u64 {
        canonical::size(&self.digits)
    }

    /// The number of positions without the outermost padding.
    pub fn live_size(&self) -> u64 {
        match self.digits.split_last() {
            None => 1,
            Some((outermost, inner)) => canonical::size(inner).saturating_mul(outermost.live),
        }
    }

    /// The number of positions that hold elements: all padding left out, that inside as well.
    pub fn elements(&self) -> u64 {
        let digits = self.digits.iter();
        digits.fold(1, |count: u64, digit| count.saturating_mul(digit.live))
    }

    /// The digits, innermost first.
    pub fn digits(&self) -> &[Digit] {
        &self.digits
    }

    /// Whether this is the form of `1`.
    #[cfg(test)]
    pub fn is_identity(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether any digit has a term, that is whether it is more than padding.
    pub fn has_terms(&self) -> bool {
        self.digits.iter().any(|digit| digit.term.is_some())
    }

    /// Whether a group that a size cuts across is left in it: such forms can differ although their functions are equal.
    pub fn has_composites(&self) -> bool {
        self.digits.iter().any(|digit| {
            digit
                .term
                .as_ref()
                .is_some_and(|term| matches!(term.atom, Atom::Composite(_)))
        })
    }

    /// Drops the outermost padding (the library's `remove_outermost_padding`); padding further inside stays.
    pub fn remove_padding(&self) -> Self {
        let mut list = self.digits.clone();
        if let Some(outermost) = list.pop() {
            canonical::push(&mut list, outermost.unpadded());
        }
        Self::from_canonical(list)
    }

    /// Drops the outermost padding, then pads to `n` positions. None when `n` is too few.
    pub fn pad(&self, n: u64) -> Option<Self> {
        self.remove_padding().pad_as(n, PaddingKind::Top)
    }

    /// `E # n` with that kind of padding. None when `n` is below the size.
    pub fn pad_as(&self, n: u64, kind: PaddingKind) -> Option<Self> {
        (n >= self.size()).then(|| Self::from_canonical(canonical::pad(&self.digits, n, kind)))
    }

    /// `E / s`. None unless `s` divides the size.
    pub fn stride(&self, s: u64) -> Option<Self> {
        (s != 0 && self.size().is_multiple_of(s))
            .then(|| Self::from_canonical(canonical::stride(&self.digits, s)))
    }

    /// `E % m`. None unless `m` divides the size.
    pub fn modulo(&self, m: u64) -> Option<Self> {
        (m != 0 && self.size().is_multiple_of(m))
            .then(|| Self::from_canonical(canonical::take(&self.digits, m, true)))
    }

    /// `E = n`. None when `n` is 0 or above the size.
    pub fn resize(&self, n: u64) -> Option<Self> {
        (n != 0 && n <= self.size())
            .then(|| Self::from_canonical(canonical::take(&self.digits, n, false)))
    }

    /// `(E / t, E % t)`, outer and inner part. None unless `t` divides the size.
    pub fn split_at(&self, t: u64) -> Option<(Self, Self)> {
        Some((self.stride(t)?, self.modulo(t)?))
    }

    /// The pair of two forms. None when the size exceeds 64 bits.
    pub fn multiply(outer: &Self, inner: &Self) -> Option<Self> {
        outer.size().checked_mul(inner.size())?;
        let mut list = inner.digits.clone();
        for digit in &outer.digits {
            canonical::push(&mut list, digit.clone());
        }
        Some(Self::from_canonical(list))
    }

    /// Whether this is `original = n` for its own size `n`: a prefix in buffer order.
    pub fn is_resize_of(&self, original: &Self) -> bool {
        self.resizes(original) == Answer::Yes
    }

    /// As [`Form::is_resize_of`], with the answer withheld where it is not proven.
    pub fn resizes(&self, original: &Self) -> Answer {
        let prefix = original.resize(self.size());
        prefix.map_or(Answer::No, |prefix| equal_forms(&prefix, self))
    }

    /// The names of its axes, those inside composites included. Axes of size 1 are gone.
    pub fn axis_names(&self) -> BTreeSet<Arc<str>> {
        let mut axes = BTreeSet::new();
        self.collect_axes(&mut axes);
        axes.iter().map(Axis::shared_name).collect()
    }

    /// Its axes, those inside composites included.
    pub fn axes(&self) -> BTreeSet<Axis> {
        let mut axes = BTreeSet::new();
        self.collect_axes(&mut axes);
        axes
    }

    fn collect_axes(&self, axes: &mut BTreeSet<Axis>) {
        for term in self.digits.iter().filter_map(|digit| digit.term.as_ref()) {
            match &term.atom {
                Atom::Axis(axis) | Atom::PaddedRun(axis) => {
                    axes.insert(axis.clone());
                }
                Atom::Broadcast => {}
                Atom::Composite(inner) => inner.collect_axes(axes),
            }
        }
    }

    /// Whether an axis of that name occurs.
    pub fn contains_axis(&self, name: &str) -> bool {
        self.digits
            .iter()
            .filter_map(|digit| digit.term.as_ref())
            .any(|term| match &term.atom {
                Atom::Axis(axis) | Atom::PaddedRun(axis) => axis.name() == name,
                Atom::Broadcast => false,
                Atom::Composite(inner) => inner.contains_axis(name),
            })
    }

    /// Each term with its buffer stride, innermost first.
    pub fn terms_with_stride(&self) -> Vec<PlacedTerm> {
        let mut buffer_stride: u64 = 1;
        let mut terms = Vec::new();
        for digit in &self.digits {
            if let Some(term) = &digit.term {
                terms.push(PlacedTerm {
                    term: term.clone(),
                    live: digit.live,
                    buffer_stride,
                    extent: digit.extent,
                });
            }
            buffer_stride = buffer_stride.saturating_mul(digit.extent);
        }
        terms
    }

    /// What a position holds. For many positions ask [`Form::function`] once.
    pub fn cell_at(&self, position: u64) -> Cell {
        self.function().cell_at(position)
    }

    /// The index function: what each position holds.
    pub fn function(&self) -> IndexFunction {
        let axes: Vec<Axis> = self.axes().into_iter().collect();
        IndexFunction {
            size: self.size(),
            walk: Walk::new(self, &axes),
            axes,
        }
    }

    /// The digits for display, outermost first.
    pub fn factors(&self) -> Vec<Factor> {
        let factor = |digit: &Digit| Factor {
            axis: digit.term.as_ref().and_then(|term| match &term.atom {
                Atom::Axis(axis) | Atom::PaddedRun(axis) => Some(axis.name().to_owned()),
                Atom::Broadcast => None,
                Atom::Composite(inner) => Some(format!("[{}]", inner.to_mapping())),
            }),
            stride: match &digit.term {
                Some(Term {
                    atom: Atom::Broadcast,
                    ..
                })
                | None => 0,
                Some(term) => term.stride,
            },
            size: digit.extent,
            valid: digit.live,
            padding: digit.extent - digit.live,
        };
        self.digits.iter().rev().map(factor).collect()
    }

    /// The shortest expression with this form.
    pub fn to_mapping(&self) -> Mapping {
        let parts: Vec<Mapping> = self.digits.iter().rev().map(print_digit).collect();
        Mapping::product(&parts).unwrap_or_else(|_| Mapping::identity())
    }
}

fn print_digit(digit: &Digit) -> Mapping {
    let live = match &digit.term {
        None => Mapping::identity(),
        Some(term) => {
            // Both fail only for sizes within a factor of two of 2^64, which have no such spelling.
            let printed = match &term.atom {
                Atom::Axis(axis) | Atom::PaddedRun(axis) => print_axis(axis, term),
                Atom::Broadcast => Mapping::broadcast(digit.live),
                Atom::Composite(inner) => match print_first_positions(inner, digit) {
                    Some(printed) => Ok(printed),
                    None => print_composite(inner, term),
                },
            };
            printed
                .and_then(|printed| {
                    if printed.size() == digit.live {
                        Ok(printed)
                    } else {
                        printed.resize(digit.live)
                    }
                })
                .unwrap_or_else(|_| Mapping::identity())
        }
    };
    digit.paddings.iter().fold(live, |printed, padding| {
        printed
            .pad_to(padding.extent, padding.kind)
            .unwrap_or_else(|_| Mapping::identity())
    })
}

/// `axis # p / stride % modulo` without the operators that change nothing.
fn print_axis(axis: &Axis, term: &Term) -> Result<Mapping, MappingError> {
    let overflow = MappingError::Overflow {
        outer: term.modulo,
        inner: term.stride,
    };
    let span = term
        .stride
        .checked_mul(term.modulo)
        .ok_or(overflow.clone())?;
    let padded = axis.size().checked_next_multiple_of(span).ok_or(overflow)?;
    let mut printed = Mapping::axis(axis.clone());
    if padded > axis.size() {
        printed = printed.pad_to(padded, PaddingKind::Top)?;
    }
    if term.stride > 1 {
        printed = printed.stride(term.stride)?;
    }
    if term.modulo < printed.size() {
        printed = printed.modulo(term.modulo)?;
    }
    Ok(printed)
}

/// `[A, B] % n` for the first positions of a group that is kept only as far as they reach (`[A = 2, B] = n`); None where
/// that would be something else.
fn print_first_positions(inner: &Form, digit: &Digit) -> Option<Mapping> {
    let (last, inside) = inner.digits.split_last()?;
    let term = last.term.as_ref()?;
    let Atom::Axis(axis) = &term.atom else {
        return None;
    };
    let top = axis.size().div_ceil(term.stride);
    let whole = Term {
        atom: Atom::Axis(axis.clone()),
        stride: term.stride,
        modulo: top,
    };
    let mut digits = inside.to_vec();
    digits.push(Digit::new(Some(whole), top));
    let printed = Form::from_digits(digits)?.to_mapping();
    let printed = printed.modulo(digit.live).ok()?;
    (printed.form().digits() == [digit.unpadded()]).then_some(printed)
}

fn print_composite(inner: &Form, term: &Term) -> Result<Mapping, MappingError> {
    let mut printed = inner.to_mapping();
    let size = printed.size();
    let padded = size
        .checked_next_multiple_of(term.stride)
        .ok_or(MappingError::Overflow {
            outer: size,
            inner: term.stride,
        })?;
    if padded > size {
        printed = printed.pad_to(padded, inner.behind)?;
    }
    if term.stride > 1 {
        printed = printed.stride(term.stride)?;
    }
    Ok(printed)
}
