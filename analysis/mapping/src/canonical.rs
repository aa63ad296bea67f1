//! How canonical forms are built: every operator as a step on a list of digits, innermost first.
//!
//! Sizes are checked by the callers: the product of all extents fits 64 bits, divisors divide, resizes shrink and paddings
//! grow. Each function returns a normal list. No step walks positions; the work depends on the number of digits alone.

mod composites;

use std::sync::Arc;

use super::form::{Atom, Digit, Form, Term};
use super::groups::merge_neighbours;
use super::index::{Axis, PaddingKind};
use composites::{Resolved, composite_of, resolve_composite};

/// Product of the extents.
pub(super) fn size(list: &[Digit]) -> u64 {
    list.iter()
        .fold(1, |size: u64, digit| size.saturating_mul(digit.extent))
}

pub(super) fn axis(axis: &Axis) -> Vec<Digit> {
    let term = Term {
        atom: Atom::Axis(axis.clone()),
        stride: 1,
        modulo: axis.size(),
    };
    let mut list = Vec::new();
    push(&mut list, Digit::new(Some(term), axis.size()));
    list
}

pub(super) fn broadcast(n: u64) -> Vec<Digit> {
    let term = Term {
        atom: Atom::Broadcast,
        stride: 1,
        modulo: n,
    };
    let mut list = Vec::new();
    push(&mut list, Digit::new(Some(term), n));
    list
}

/// Puts a digit outside a normal list, normalising both.
pub(super) fn push(list: &mut Vec<Digit>, digit: Digit) {
    let digit = normalise_single(digit);
    let digit = match composite_of(&digit) {
        None => digit,
        Some(_) => match resolve_composite(digit) {
            Resolved::Digit(digit) => digit,
            Resolved::List(digits) => {
                for digit in digits {
                    push(list, digit);
                }
                return;
            }
        },
    };
    if digit.term.is_none() {
        push_padding(list, digit);
        return;
    }
    if let Some(merged) = list
        .last()
        .and_then(|inner| merge(inner, &digit).or_else(|| merge_neighbours(inner, &digit)))
    {
        list.pop();
        push(list, merged);
        return;
    }
    list.push(digit);
}

/// Padding without a term belongs to the digit inside it.
fn push_padding(list: &mut Vec<Digit>, digit: Digit) {
    if digit.extent == 1 {
        return;
    }
    let Some(mut inner) = list.pop() else {
        list.push(digit);
        return;
    };
    let unit = inner.extent;
    for padding in digit.paddings() {
        inner.add_padding(unit.saturating_mul(padding.extent), padding.kind);
    }
    if inner.term.is_some() {
        // A composite may fall apart into digits with the larger padding.
        push(list, inner);
    } else {
        list.push(inner);
    }
}

/// Normalises the numbers of one digit: a single live position needs no term, an axis ends at its size, and a modulo is
/// kept only where it says more than the live count.
fn normalise_single(mut digit: Digit) -> Digit {
    let Some(mut term) = digit.term.take() else {
        return rebuild(&digit, None, 1, PaddingKind::Top);
    };
    let mut live = digit.live;
    let mut behind = PaddingKind::Top;
    match term.atom {
        Atom::Axis(axis) | Atom::PaddedRun(axis) => {
            let top = axis.size().div_ceil(term.stride);
            live = live.min(top);
            term.modulo = term.modulo.clamp(live, top);
            if term.modulo.is_multiple_of(live) {
                term.modulo = live;
            }
            if live == top {
                term.modulo = top;
            }
            let whole = term
                .stride
                .checked_mul(term.modulo)
                .is_some_and(|span| axis.size().is_multiple_of(span));
            // A truncated axis keeps its own modulo and stays plain; only odd cuts make a padded run.
            let plain = whole || (term.stride == 1 && term.modulo == axis.size());
            term.atom = if plain {
                Atom::Axis(axis)
            } else {
                Atom::PaddedRun(axis)
            };
        }
        Atom::Broadcast => {
            term.stride = 1;
            term.modulo = live;
        }
        Atom::Composite(inner) => {
            live = live.min(inner.size().div_ceil(term.stride));
            term.modulo = live;
            behind = inner.padding_behind();
            // What is behind a group shows only where a size cuts it within a step.
            let shows = !inner.size().is_multiple_of(term.stride);
            term.atom = Atom::Composite(if shows || behind == PaddingKind::Top {
                inner
            } else {
                Arc::new((*inner).clone().with_behind(PaddingKind::Top))
            });
        }
    }
    if live == 1 {
        rebuild(&digit, None, 1, behind)
    } else {
        rebuild(&digit, Some(term), live, behind)
    }
}

/// The same positions with another term and fewer live ones; those that are no longer live are padding of a kind.
fn rebuild(digit: &Digit, term: Option<Term>, live: u64, behind: PaddingKind) -> Digit {
    let mut built = Digit::new(term, live);
    built.add_padding(digit.live, behind);
    for padding in digit.paddings() {
        built.add_padding(padding.extent, padding.kind);
    }
    built
}

/// Two neighbours that count on: the outer one steps by what the inner one covers.
fn merge(inner: &Digit, outer: &Digit) -> Option<Digit> {
    if inner.extent != inner.live {
        return None;
    }
    let (inner_term, outer_term) = (inner.term.as_ref()?, outer.term.as_ref()?);
    let mut term = inner_term.clone();
    match (&inner_term.atom, &outer_term.atom) {
        (Atom::Broadcast, Atom::Broadcast) => {}
        (a, b) => {
            let continues = a.axis()? == b.axis()?
                && inner_term.stride.checked_mul(inner.live) == Some(outer_term.stride);
            if !continues {
                return None;
            }
            term.modulo = inner.live.saturating_mul(outer_term.modulo);
        }
    }
    let mut merged = Digit::new(Some(term), inner.live.checked_mul(outer.live)?);
    for padding in outer.paddings() {
        merged.add_padding(inner.live.checked_mul(padding.extent)?, padding.kind);
    }
    Some(merged)
}

/// `digit / c` for a divisor `c` of its extent.
fn cut(digit: &Digit, c: u64) -> Digit {
    if !cuts_clean(digit, c) && digit.live > c {
        // The selection remembers where the digit ends, as that of a group does.
        return composite(
            std::slice::from_ref(digit),
            c,
            digit.extent.div_ceil(c),
            None,
        );
    }
    let live = digit.live.div_ceil(c);
    let term = match &digit.term {
        Some(term) if live > 1 => Some(Term {
            atom: term.atom.clone(),
            stride: term.stride.saturating_mul(c),
            modulo: term.modulo.div_ceil(c),
        }),
        _ => None,
    };
    let mut built = Digit::new(term, live);
    for padding in digit.paddings() {
        built.add_padding(padding.extent.div_ceil(c), padding.kind);
    }
    built
}

/// Whether the values of `digit / c` tell where the digit ends: at a step of them, or where its axis ends.
fn cuts_clean(digit: &Digit, c: u64) -> bool {
    // An axis that ends within a step does not tell the kind of what follows.
    let first = digit.paddings().first();
    let told = first.is_none_or(|padding| padding.kind == PaddingKind::Top);
    digit.live.is_multiple_of(c)
        || told
            && match &digit.term {
                None => true,
                Some(term) => match &term.atom {
                    Atom::Axis(axis) | Atom::PaddedRun(axis) => {
                        term.stride.saturating_mul(digit.live) >= axis.size()
                    }
                    Atom::Composite(inner) => {
                        term.stride.saturating_mul(digit.live) >= inner.size()
                    }
                    Atom::Broadcast => false,
                },
            }
}

/// The part of a stride that a digit can take alone, and still be told.
fn common(digit: &Digit, s: u64) -> u64 {
    let common = gcd(digit.extent, s);
    let told = digit.term.is_none() || digit.live > common;
    if told && cuts_clean(digit, common) {
        common
    } else {
        1
    }
}

/// The first `q` positions of a digit; `repeats` where they are a `%`, else a `=`.
fn limit(digit: &Digit, q: u64, repeats: bool) -> Digit {
    let mut term = digit.term.clone();
    let live = digit.live.min(q);
    if let Some(term) = &mut term
        && repeats
        && q < digit.live
    {
        term.modulo = q;
    }
    let mut built = Digit::new(term, live);
    for padding in digit.paddings() {
        built.add_padding(padding.extent.min(q), padding.kind);
    }
    built
}

/// Where a size falls among the digits of a list.
enum Place {
    /// Between digits: this many are inside it.
    Border(usize),
    /// Inside the digit at this place, after so many of its positions.
    Within(usize, u64),
    /// Across the digits from the first to the last place; so many positions of theirs.
    Across(usize, usize, u64),
}

/// Where `s`, a divisor of the size, falls for `/ s`.
fn place_of_stride(list: &[Digit], s: u64) -> Place {
    let mut rest = s;
    for (at, digit) in list.iter().enumerate() {
        if rest == 1 {
            return Place::Border(at);
        }
        if rest.is_multiple_of(digit.extent) {
            rest /= digit.extent;
        } else if digit.extent.is_multiple_of(rest) {
            return Place::Within(at, rest);
        } else {
            let last = grow(list, at, |run| run.is_multiple_of(rest));
            return Place::Across(at, last, rest);
        }
    }
    Place::Border(list.len())
}

/// Where `n`, at most the size, falls for `% n` and `= n`.
fn place_of_prefix(list: &[Digit], n: u64) -> Place {
    let mut rest = n;
    for (at, digit) in list.iter().enumerate() {
        if rest == 1 {
            return Place::Border(at);
        }
        if rest.is_multiple_of(digit.extent) {
            rest /= digit.extent;
        } else if rest < digit.extent {
            return Place::Within(at, rest);
        } else {
            let last = grow(list, at, |run| run >= rest);
            return Place::Across(at, last, rest);
        }
    }
    Place::Border(list.len())
}

/// The last digit of the shortest run from `first` whose size is enough.
fn grow(list: &[Digit], first: usize, enough: impl Fn(u64) -> bool) -> usize {
    let mut run: u64 = 1;
    for (at, digit) in list.iter().enumerate().skip(first) {
        run = run.saturating_mul(digit.extent);
        if enough(run) {
            return at;
        }
    }
    list.len().saturating_sub(1)
}

/// A digit over a whole run of digits, every `stride`-th position of the first `extent * stride`.
fn composite(run: &[Digit], stride: u64, extent: u64, kind: Option<PaddingKind>) -> Digit {
    let form = Form::from_canonical(run.to_vec()).remove_padding();
    let live = form.size().div_ceil(stride).min(extent);
    let paddings = run.last().map_or(&[][..], Digit::paddings);
    let own = paddings.last().map(|padding| padding.kind);
    let kind = kind.or(own).unwrap_or(PaddingKind::Top);
    let behind = paddings.first().map_or(kind, |padding| padding.kind);
    let form = form.with_behind(behind);
    let unit = size(run.split_last().map_or(&[][..], |(_, inside)| inside));
    let term = Term {
        atom: Atom::Composite(Arc::new(form)),
        stride,
        modulo: live,
    };
    let mut digit = Digit::new(Some(term), live);
    for padding in paddings {
        let reach = unit.saturating_mul(padding.extent).div_ceil(stride);
        digit.add_padding(reach.min(extent), padding.kind);
    }
    digit.add_padding(extent, kind);
    digit
}

/// The part of a stride that the innermost digit can take alone: `[A, B] / 6` with `B` of 4 is `[A, B / 2] / 3`.
fn without_common(run: &[Digit], s: u64) -> (Vec<Digit>, u64) {
    let common = run.first().map_or(1, |first| common(first, s));
    let mut out = Vec::new();
    for (at, digit) in run.iter().enumerate() {
        if at == 0 {
            push(&mut out, cut(digit, common));
        } else {
            push(&mut out, digit.clone());
        }
    }
    (out, s / common)
}

/// The greatest common divisor of two numbers; of 0 and another that other one.
pub fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// `E / s` for a divisor `s` of the size.
pub(super) fn stride(list: &[Digit], s: u64) -> Vec<Digit> {
    let mut out = Vec::new();
    let rest = match place_of_stride(list, s) {
        Place::Border(at) => at,
        Place::Within(at, c) => {
            for digit in list.iter().skip(at).take(1) {
                push(&mut out, cut(digit, c));
            }
            at + 1
        }
        Place::Across(first, last, c) => {
            let run = list.get(first..=last).unwrap_or_default();
            let (run, c) = without_common(run, c);
            push(&mut out, composite(&run, c, size(&run) / c, None));
            last + 1
        }
    };
    for digit in list.iter().skip(rest) {
        push(&mut out, digit.clone());
    }
    out
}

/// `E = n`, or `E % n` where it `repeats`, for `n` up to the size.
pub(super) fn take(list: &[Digit], n: u64, repeats: bool) -> Vec<Digit> {
    let mut out = Vec::new();
    let place = place_of_prefix(list, n);
    let whole = match place {
        Place::Border(at) | Place::Within(at, _) | Place::Across(at, _, _) => at,
    };
    for digit in list.iter().take(whole) {
        push(&mut out, digit.clone());
    }
    match place {
        Place::Border(_) => {}
        Place::Within(at, q) => {
            for digit in list.iter().skip(at).take(1) {
                let repeats = repeats && digit.extent.is_multiple_of(q);
                push(&mut out, limit(digit, q, repeats));
            }
        }
        Place::Across(first, last, q) => {
            let run = list.get(first..=last).unwrap_or_default();
            push(&mut out, composite(run, 1, q, None));
        }
    }
    out
}

/// `E # p` for `p` of at least the size.
pub(super) fn pad(list: &[Digit], p: u64, kind: PaddingKind) -> Vec<Digit> {
    let mut out = Vec::new();
    if list.is_empty() {
        let mut digit = Digit::new(None, 1);
        digit.add_padding(p, kind);
        push(&mut out, digit);
        return out;
    }
    // Inner digits that divide the padded size stay; the rest is padded as one.
    let mut rest = p;
    let mut inside = 0;
    for digit in list.iter().take(list.len() - 1) {
        if !rest.is_multiple_of(digit.extent) {
            break;
        }
        rest /= digit.extent;
        inside += 1;
    }
    for digit in list.iter().take(inside) {
        push(&mut out, digit.clone());
    }
    match list.get(inside..).unwrap_or_default() {
        [outermost] => {
            let mut outermost = outermost.clone();
            outermost.add_padding(rest, kind);
            push(&mut out, outermost);
        }
        run if size(run) == rest => {
            for digit in run {
                push(&mut out, digit.clone());
            }
        }
        run => push(&mut out, composite(run, 1, rest, Some(kind))),
    }
    out
}
