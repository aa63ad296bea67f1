//! The accumulator where the reduction over time and the layout of the rows are two stages, and each spells its output out
//! (library: `contract_time`, `contract_lane`).
//!
//! Nothing is searched for here: the output time is the reduced time and what the layout puts inside, padding included.

use crate::conventions::Conventions;
use crate::forms;
use crate::kernel::{AccumulationKind, Pass};
use crate::mapping::{Division, Form, Match};

use super::accumulate::{
    AccumulateDerivation, AccumulateViolation, AccumulatedTime, Forms, INTERLEAVED_LIMIT,
    OUTPUT_LANES, SEQUENTIAL_LIMIT, kept_axes, positions_inside, reduced_innermost,
};

/// How the reduced time of stage `index`, a reduction over time, differs from what can be kept of the time before it.
pub fn derive_time(pass: &Pass, index: usize) -> Option<AccumulatedTime> {
    let time = forms::known_form(&pass.input_of(index).time)?;
    let reduced = forms::known_form(&pass.stages.get(index)?.output.time)?;
    let kept = forms::divide_relaxed(time, reduced);
    if forms::lacks(time, reduced, &kept) {
        return Some(AccumulatedTime::Unknown {
            axes: forms::axis_names(&kept.divisor_residue),
        });
    }
    if !kept.exact() {
        return None;
    }
    if Conventions::of(pass.dialect).reduces_at_boundaries() {
        retained(time, reduced, &kept)
    } else {
        kept_axes(time, reduced, &kept)
    }
}

/// Where a whole part of the time begins, with the positions that it has there, padding included: steps of the reduced time,
/// of the time itself, and positions. Outermost first.
fn boundaries(time: &Form, kept: &Division) -> Vec<(u64, u64, u64)> {
    let mut parts = Vec::new();
    let mut inner = 1_u64;
    for digit in time.digits() {
        parts.push((inner, digit.extent));
        inner = inner.saturating_mul(digit.extent);
    }
    let of = |found: &Match| {
        let mut parts = parts.iter();
        let (_, extent) = parts.find(|(stride, _)| *stride == found.dividend_stride)?;
        Some((found.divisor_stride, found.dividend_stride, *extent))
    };
    kept.matches.iter().filter_map(of).collect()
}

/// How a reduced time differs from the parts of the time that it retains: these keep their order, and each reaches to the next one
/// with the padding that it had. Parts that begin inside of an axis are not compared.
fn retained(time: &Form, reduced: &Form, kept: &Division) -> Option<AccumulatedTime> {
    if !forms::keeps_order(kept) {
        return Some(AccumulatedTime::Reordered);
    }
    let mut parts = boundaries(time, kept);
    parts.sort_unstable();
    let mut reached = 1;
    let gap = parts.iter().any(|(stride, _, extent)| {
        let gap = *stride != reached;
        reached = stride.saturating_mul(*extent);
        gap
    });
    let short = !parts.is_empty() && reached != reduced.size();
    (gap || short).then_some(AccumulatedTime::Padding)
}

/// Positions of the reduced time inside the outermost part that is summed: what waits in the accumulator.
fn waiting(time: &Form, reduced: &Form, kept: &Division) -> u64 {
    let parts = boundaries(time, kept);
    let end = |part: &(u64, u64, u64)| part.1.saturating_mul(part.2);
    let Some(outermost) = parts.first() else {
        return 1;
    };
    if end(outermost) < time.size() {
        return reduced.size();
    }
    parts
        .windows(2)
        .find_map(|pair| match pair {
            [outer, inner] if end(inner) != outer.1 => Some(outer.0),
            _ => None,
        })
        .unwrap_or(1)
}

/// Packet before time before capacity. `reduced` is the time between the two stages.
pub(super) fn judge_lanes(
    kind: AccumulationKind,
    forms: &Forms<'_>,
    reduced: &Form,
    conventions: Conventions,
    derived: &mut AccumulateDerivation,
) -> Option<AccumulateViolation> {
    let lanes = OUTPUT_LANES;
    let (packet, inside) = match kind {
        AccumulationKind::Interleaved => (forms.row.pad(lanes)?, forms.packet.clone()),
        AccumulationKind::Sequential => {
            let padded = forms.packet.size().checked_next_multiple_of(lanes)?;
            let (pieces, packet) = forms.packet.pad(padded)?.split_at(lanes)?;
            (packet, Form::multiply(forms.row, &pieces)?)
        }
    };
    let time = Form::multiply(reduced, &inside)?;
    derived.expected_packet = Some(packet.to_mapping());
    derived.expected_time = Some(time.to_mapping());
    let elements = forms.out_packet.size();
    if elements != lanes {
        return Some(AccumulateViolation::PacketSize { elements });
    }
    if forms::differ(&packet, forms.out_packet) {
        return Some(AccumulateViolation::Packet);
    }
    if forms::differ(&time, forms.out_time) {
        return Some(AccumulateViolation::Time(AccumulatedTime::Innermost));
    }
    capacity_violation(kind, forms, reduced, conventions, derived)
}

/// Slots of the accumulator: columns of a packet for interleaved rows, rows for sequential ones.
fn capacity_violation(
    kind: AccumulationKind,
    forms: &Forms<'_>,
    reduced: &Form,
    conventions: Conventions,
    derived: &mut AccumulateDerivation,
) -> Option<AccumulateViolation> {
    let kept = forms::divide_relaxed(forms.time, reduced);
    if !kept.exact() {
        return None;
    }
    derived.reduced = forms.time.size().checked_div(reduced.size());
    let waiting = if conventions.reduces_at_boundaries() {
        waiting(forms.time, reduced, &kept)
    } else {
        positions_inside(forms.time, reduced, &kept)
    };
    let pieces = if conventions.counts_rows_alone() {
        1
    } else {
        forms.packet.size().div_ceil(OUTPUT_LANES)
    };
    let (columns, rows) = (forms.packet.size(), forms.row.size().checked_mul(pieces)?);
    let (own, limit, otherwise) = match kind {
        AccumulationKind::Interleaved => (columns, INTERLEAVED_LIMIT, rows),
        AccumulationKind::Sequential => (rows, SEQUENTIAL_LIMIT, columns),
    };
    let inner = waiting.checked_mul(own)?;
    derived.inner = Some(inner);
    derived.inner_otherwise = waiting.checked_mul(otherwise);
    if inner <= limit {
        return None;
    }
    derived.reordered_time = reduced_innermost(forms.time, &kept).map(|time| time.to_mapping());
    Some(AccumulateViolation::Capacity { inner, limit })
}
