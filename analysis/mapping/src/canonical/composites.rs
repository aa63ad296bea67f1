//! Composites: several digits under one stride, kept as one where no digits of their own say the same, and put back in their
//! place where some do.

use std::sync::Arc;

use super::super::form::{Atom, Digit, Form, Padding, Term};
use super::super::index::PaddingKind;
use super::{
    Place, common, composite, cut, cuts_clean, normalise_single, pad, place_of_prefix,
    place_of_stride, push, rebuild, size, stride, take, without_common,
};

pub(super) fn composite_of(digit: &Digit) -> Option<(&Arc<Form>, u64)> {
    match &digit.term {
        Some(Term {
            atom: Atom::Composite(form),
            stride,
            ..
        }) => Some((form, *stride)),
        _ => None,
    }
}

pub(super) enum Resolved {
    Digit(Digit),
    List(Vec<Digit>),
}

/// Writes a composite as digits of its own where its cut falls between them after all.
pub(super) fn resolve_composite(digit: Digit) -> Resolved {
    let Some((form, s)) = composite_of(&digit) else {
        return Resolved::Digit(digit);
    };
    if s == 1
        && let Some(trimmed) = trim_outermost(form, digit.live)
    {
        let live = digit.live.min(trimmed.form.size());
        let term = Term {
            atom: Atom::Composite(Arc::new(trimmed.form)),
            stride: s,
            modulo: live,
        };
        let mut shorter = Digit::new(Some(term), live);
        for padding in &trimmed.paddings {
            shorter.add_padding(padding.extent.min(digit.live), padding.kind);
        }
        shorter.add_padding(digit.live, trimmed.behind);
        for padding in digit.paddings() {
            shorter.add_padding(padding.extent, padding.kind);
        }
        return resolve_composite(normalise_single(shorter));
    }
    let digits = form.digits();
    let last = digits.len().saturating_sub(1);
    let coprime = digits.first().is_none_or(|first| common(first, s) == 1);
    let selected = if s > 1 {
        if form.size().is_multiple_of(s) {
            match place_of_stride(digits, s) {
                Place::Across(0, end, _) if end == last && coprime => {
                    return Resolved::Digit(digit);
                }
                _ => stride(digits, s),
            }
        } else {
            match strided_ragged(digits, s, form.padding_behind()) {
                Some(list) => list,
                None => return Resolved::Digit(digit),
            }
        }
    } else {
        digits.to_vec()
    };
    let selected_size = size(&selected);
    let prefix = if digit.live < selected_size {
        match place_of_prefix(&selected, digit.live) {
            Place::Across(0, end, _) if s == 1 && end == last => return Resolved::Digit(digit),
            _ => take(&selected, digit.live, false),
        }
    } else {
        selected
    };
    inline_group(digit, prefix, s == 1)
}

/// The first positions of a form.
struct Trimmed {
    /// Without the outermost padding.
    form: Form,
    /// That padding, up to so many positions each.
    paddings: Vec<Padding>,
    /// What is behind.
    behind: PaddingKind,
}

/// A form without what its first `live` positions never reach of its outermost digit.
fn trim_outermost(form: &Form, live: u64) -> Option<Trimmed> {
    let (outermost, inner) = form.digits().split_last()?;
    let unit = size(inner);
    let reached = live.div_ceil(unit);
    (reached < outermost.extent).then(|| {
        let prefix = take(form.digits(), reached.saturating_mul(unit), false);
        let inside = size(prefix.split_last().map_or(&[][..], |(_, inside)| inside));
        let padded = prefix.last().map_or(&[][..], Digit::paddings);
        let in_positions = |padding: &Padding| Padding {
            extent: inside.saturating_mul(padding.extent),
            kind: padding.kind,
        };
        Trimmed {
            paddings: padded.iter().map(in_positions).collect(),
            form: Form::from_canonical(prefix).remove_padding(),
            behind: form.padding_behind(),
        }
    })
}

/// `run / s` where `s` does not divide the size: inner digits that divide `s` fall away; what stays must be one digit, or a
/// smaller composite.
fn strided_ragged(digits: &[Digit], s: u64, behind: PaddingKind) -> Option<Vec<Digit>> {
    let mut rest = s;
    let mut inside = 0;
    for digit in digits.iter().take(digits.len().saturating_sub(1)) {
        if !rest.is_multiple_of(digit.extent) {
            break;
        }
        rest /= digit.extent;
        inside += 1;
    }
    let mut out = Vec::new();
    match digits.get(inside..).unwrap_or_default() {
        [one]
            if inside == 0
                && (!cuts_clean(one, rest)
                    || (behind != PaddingKind::Top && !one.live.is_multiple_of(rest))) =>
        {
            return None;
        }
        [one] => push(&mut out, cut(one, rest)),
        run => {
            let (run, c) = without_common(run, rest);
            if inside == 0 && c == s {
                return None;
            }
            push(
                &mut out,
                composite(&run, c, size(&run).div_ceil(c), Some(behind)),
            );
        }
    }
    Some(out)
}

/// Puts the digits of a complete group in its place, if its padding falls on their border.
fn inline_group(digit: Digit, mut list: Vec<Digit>, same: bool) -> Resolved {
    let Some((_, inner)) = list.split_last() else {
        return Resolved::Digit(rebuild(&digit, None, 1, PaddingKind::Top));
    };
    let unit = size(inner);
    let ends = || std::iter::once(digit.extent).chain(digit.paddings().iter().map(|p| p.extent));
    if ends().all(|end| end.is_multiple_of(unit)) {
        if let Some(outermost) = list.last_mut() {
            let first = digit.paddings().first();
            let kind = first.map_or(PaddingKind::Top, |padding| padding.kind);
            outermost.add_padding(digit.live.div_ceil(unit), kind);
            for padding in digit.paddings() {
                outermost.add_padding(padding.extent.div_ceil(unit), padding.kind);
            }
        }
        return Resolved::List(list);
    }
    // The same run that was padded in the first place cannot be split further.
    if same && composite_of(&digit).is_some_and(|(form, _)| form.digits() == list.as_slice()) {
        let splits = list
            .first()
            .is_some_and(|first| ends().all(|end| end.is_multiple_of(first.extent)));
        if !splits {
            return Resolved::Digit(digit);
        }
    }
    for padding in digit.paddings() {
        list = pad(&list, padding.extent, padding.kind);
    }
    Resolved::List(list)
}
