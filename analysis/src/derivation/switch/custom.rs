//! The custom ring: any permutation of the slices with copies, as far as the routers' order and the ring allow
//! (book: Custom Topologies).

use crate::derivation::forms;
use crate::hardware::Machine;
use crate::mapping::{Division, DivisionMode, Form, Match, divide};

use super::{Forms, Judgement, SwitchDerivation, SwitchPart, SwitchShape, SwitchViolation};

/// Judges a custom ring of a power of two up to 256 slices. Both slices have 256 positions.
pub(super) fn judge(
    machine: Machine,
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
    let least = least_ring(machine, forms.slice, &slices);
    derived.least_ring = Some(least);

    let reused = reused_axes(forms, &slices.dividend_residue);
    let violation = if reused.is_empty() {
        judge_time(forms, left, &moved, derived).or_else(|| {
            (ring_size < least).then_some(SwitchViolation::RingTooSmall { ring_size, least })
        })
    } else {
        Some(SwitchViolation::BroadcastAxisReused { axes: reused })
    };
    Judgement { shape, violation }
}

/// Axes whose digits the output slice gained although the input has those very digits elsewhere.
fn reused_axes(forms: &Forms<'_>, gained: &Form) -> Vec<String> {
    let mut axes: Vec<String> = [forms.slice, forms.time]
        .into_iter()
        .flat_map(|held| forms::divide_relaxed(gained, held).matches)
        .map(|found| term_name(&found))
        .collect();
    axes.sort();
    axes.dedup();
    axes
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
    let parts = || moved.matches.iter().map(forms::selection).collect();
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

/// The least ring that holds every exchange: all slices below the highest digit that moves or leaves, up to the next
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

fn term_name(found: &Match) -> String {
    forms::term_name(&found.term)
}
