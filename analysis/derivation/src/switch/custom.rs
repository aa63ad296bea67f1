//! The custom ring: any permutation of the slices with copies, as far as the routers' order and the ring allow
//! (book: Custom Topologies).

use crate::conventions::Conventions;
use crate::forms;
use crate::hardware::Machine;
use crate::mapping::{
    Answer, Division, DivisionMode, Form, PaddingKind, divide, equal_forms, holds_every_element,
    slots,
};

use super::{Forms, Judgement, SwitchDerivation, SwitchPart, SwitchShape, SwitchViolation, copies};

/// Judges a custom ring of a power of two up to 256 slices. Both slices have equally many positions.
pub(super) fn judge_custom_ring(
    (machine, conventions): (Machine, Conventions),
    forms: &Forms<'_>,
    ring_size: u64,
    derived: &mut SwitchDerivation,
) -> Judgement {
    let slices = divide(forms.out_slice, forms.slice, DivisionMode::Strict);
    let left = &slices.divisor_residue;
    if forms::may_share_ragged(&slices.dividend_residue, left) {
        // Where the parts of a ragged axis went is unknown.
        return Judgement {
            shape: None,
            violation: None,
        };
    }
    let moved = forms::divide_relaxed(left, forms.out_time);
    let shape = expected_time(forms, &moved).map(|time| SwitchShape {
        slice: forms.out_slice.to_mapping(),
        time: time.to_mapping(),
    });
    let frames = conventions.compares_switch_frames();
    derived.least_ring = if frames {
        exchanging(forms.slice, forms.out_slice)
    } else {
        Some(least_ring(machine, forms.slice, &slices))
    };

    let violation = judge_copies(forms, &slices.dividend_residue, conventions)
        .or_else(|| judge_time(forms, left, &moved, derived))
        .or_else(|| frames.then(|| dropped(forms)).flatten())
        .or_else(|| {
            let least = derived.least_ring?;
            if ring_size < least {
                Some(SwitchViolation::RingTooSmall { ring_size, least })
            } else {
                let larger = frames && ring_size > least;
                larger.then_some(SwitchViolation::RingTooLarge { ring_size, least })
            }
        });
    Judgement { shape, violation }
}

/// What the output slice gained: copies with names of their own, on padding that may hold them.
fn judge_copies(
    forms: &Forms<'_>,
    gained: &Form,
    conventions: Conventions,
) -> Option<SwitchViolation> {
    let again = copies::digits_of_input(forms, gained);
    if !conventions.compares_switch_frames() {
        return (!again.is_empty()).then_some(SwitchViolation::BroadcastAxisReused { axes: again });
    }
    if !again.is_empty() {
        // What the output's time has no more is moved; what it still has is named a second time.
        let kept = copies::shared_digits(gained, &[forms.slice, forms.out_time]);
        let (axes, moved): (Vec<_>, Vec<_>) =
            again.into_iter().partition(|axis| kept.contains(axis));
        return Some(if axes.is_empty() {
            SwitchViolation::SliceFromTime { axes: moved }
        } else {
            SwitchViolation::BroadcastAxisReused { axes }
        });
    }
    let by_name = !conventions.names_copies_by_digit();
    let named = by_name.then(|| copies::reused_copy_axes(forms, gained, conventions));
    if let Some(axes) = named.filter(|axes| !axes.is_empty()) {
        return Some(SwitchViolation::BroadcastAxisReused { axes });
    }
    if let Some(axis) = copies::claimed_twice(gained) {
        return Some(SwitchViolation::CopiesTwice { axis });
    }
    // A division marks what it found as never accessed: what is declared there is looked at instead.
    let declared = forms.out_slice.digits().iter().filter(|digit| {
        let own = digit.term.as_ref().and_then(|term| term.atom.axis());
        own.is_some_and(|axis| {
            gained.contains_axis(axis.name()) && !forms.slice.contains_axis(axis.name())
        })
    });
    let declared = Form::from_digits(declared.cloned())?;
    copies::on_padding(&declared, true, conventions).or_else(|| {
        let holes = forms.out_slice.digits().iter().any(|digit| {
            let mut paddings = digit.paddings().iter();
            paddings.any(|padding| padding.kind == PaddingKind::Bottom)
        });
        holes.then(|| SwitchViolation::CopiesOnPadding {
            declared: forms.out_slice.to_mapping(),
        })
    })
}

/// Data of the input that is in neither the slices nor the time of the output.
fn dropped(forms: &Forms<'_>) -> Option<SwitchViolation> {
    let input = Form::multiply(forms.slice, forms.time)?;
    let output = Form::multiply(forms.out_slice, forms.out_time)?;
    if holds_every_element(&output, &input) != Answer::No {
        return None;
    }
    let part = |axis: &std::sync::Arc<str>| {
        let only = input.digits().iter().filter(|digit| {
            let own = digit.term.as_ref().and_then(|term| term.atom.axis());
            own.is_some_and(|own| own.name() == &**axis)
        });
        let only = Form::from_digits(only.cloned())?;
        (holds_every_element(&output, &only) == Answer::No).then(|| axis.to_string())
    };
    let axes = input.axis_names().iter().filter_map(part).collect();
    Some(SwitchViolation::Dropped { axes })
}

/// The run of slices that exchanges data, on pieces of two slices each: all below the outermost piece that differs before
/// and after.
fn exchanging(before: &Form, after: &Form) -> Option<u64> {
    let (before, after) = (slots(before)?, slots(after)?);
    if before.len() != after.len() {
        return None;
    }
    let outermost = before
        .iter()
        .zip(&after)
        .position(|(old, new)| equal_pieces(old, new) != Some(true));
    match outermost {
        None => Some(1),
        Some(at) => {
            let same = equal_pieces(before.get(at)?, after.get(at)?)?;
            (!same).then(|| 1 << (before.len() - at))
        }
    }
}

/// Whether two pieces are the same; `None` where that cannot be decided.
fn equal_pieces(old: &Form, new: &Form) -> Option<bool> {
    match equal_forms(old, new) {
        Answer::Yes => Some(true),
        Answer::No => Some(false),
        Answer::Unknown => None,
    }
}

/// The time that the ring makes: the input's, with the parts that moved innermost, in the order of the slices.
fn expected_time(forms: &Forms<'_>, moved: &Division) -> Option<Form> {
    let mut parts = vec![forms.time.clone()];
    for found in &moved.matches {
        parts.push(
            forms::term_mapping(&found.term, found.count)?
                .form()
                .clone(),
        );
    }
    forms::join(&parts.iter().collect::<Vec<_>>())
}

/// The time: the input's outside, the moved parts inside, and those in the order of the slices.
fn judge_time(
    forms: &Forms<'_>,
    left: &Form,
    moved: &Division,
    derived: &mut SwitchDerivation,
) -> Option<SwitchViolation> {
    let topology = SwitchViolation::Topology {
        part: SwitchPart::Time,
    };
    let parts = || moved.matches.iter().map(forms::selection_text).collect();
    let inner_size = forms.out_time.size() / forms.time.size().max(1);
    let outside = forms
        .out_time
        .size()
        .is_multiple_of(forms.time.size().max(1))
        .then(|| forms.out_time.split_at(inner_size))
        .flatten()
        .filter(|(outer, _)| !forms::differ(outer, forms.time));
    let Some((_, inner)) = outside else {
        let kept = forms::divide_relaxed(forms.out_time, forms.time);
        let innermost_kept = kept.matches.iter().map(|found| found.dividend_stride).min();
        let moved_outside = moved
            .matches
            .iter()
            .any(|found| innermost_kept.is_some_and(|kept| found.divisor_stride > kept));
        return Some(
            if kept.exact() && forms::keeps_order(&kept) && moved_outside {
                SwitchViolation::NotInnermost { moved: parts() }
            } else {
                topology
            },
        );
    };
    let arrived = forms::divide_relaxed(left, &inner);
    derived.lost = forms::axis_names(&arrived.dividend_residue);
    if forms::lacks(left, &inner, &arrived) {
        return Some(topology);
    }
    (arrived.exact() && !forms::keeps_order(&arrived))
        .then(|| SwitchViolation::Order { moved: parts() })
}

/// The smallest ring that holds every exchange: all slices below the highest digit that moves or leaves, up to the next
/// digit that stays in place.
fn least_ring(machine: Machine, slice: &Form, slices: &Division) -> u64 {
    let all = machine.slices;
    let end = |stride: u64, count: u64| stride.saturating_mul(count);
    let moved = slices
        .matches
        .iter()
        .filter(|found| found.dividend_stride != found.divisor_stride)
        .map(|found| end(found.divisor_stride, found.count));
    let left = slices
        .divisor_residue
        .terms_with_stride()
        .into_iter()
        .map(|placed| end(placed.buffer_stride, placed.live));
    let reach = moved.chain(left).max().unwrap_or(0);
    let in_place = slices
        .matches
        .iter()
        .filter(|found| {
            found.dividend_stride == found.divisor_stride && found.divisor_stride >= reach
        })
        .map(|found| found.divisor_stride);
    let least = in_place.chain([slice.size()]).min().unwrap_or(all).max(1);
    if least.is_power_of_two() {
        least
    } else {
        least
            .checked_next_power_of_two()
            .map_or(all, |least| least.min(all))
    }
}
