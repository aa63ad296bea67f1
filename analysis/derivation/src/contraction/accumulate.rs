//! Temporal reduction: the accumulator that sums packets as they arrive and lays its slots out on the output bus
//! (book: Temporal Reduction, Interleaved Mode, Sequential Mode).
//!
//! The accumulator keeps a slot for each position that lies inside the outermost reduced axis, since all of them are open until that axis
//! ends. So the order of the time decides whether it has room, and not the number of results. The output is derived from the input alone
//! and then compared with what is declared. At most one violation is given, packet before time before capacity: a wrong packet changes
//! the time, and a wrong time the slots, so that later ones would only repeat the first.

use crate::conventions::Conventions;
use crate::forms;
use crate::kernel::{AccumulationKind, Pass, StageKind};
use crate::mapping::{Division, Form, Mapping, Match};

use super::contract::OUTPUT_LIMIT;
use super::lanes;

/// Elements of an output packet: the width of the accumulator's bus (book: Sequential Mode).
pub const OUTPUT_LANES: u64 = crate::hardware::ACCUMULATOR_BUS_ELEMENTS;
/// Columns of a row of the accumulator (book: Resize).
pub const COLUMNS: u64 = 32;
/// Positions inside the outermost reduced axis that interleaved rows have room for (book: Reducer, Constraints).
pub const INTERLEAVED_LIMIT: u64 = 128;
/// Positions inside the outermost reduced axis that sequential rows have room for (book: Reducer, Constraints).
pub const SEQUENTIAL_LIMIT: u64 = 32;

/// What the accumulator makes of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AccumulateDerivation {
    /// The layout of the output, if the argument is known.
    pub kind: Option<AccumulationKind>,
    /// The output packet of that layout.
    pub expected_packet: Option<Mapping>,
    /// The output time of that layout, if it keeps the axes that the declared one keeps.
    pub expected_time: Option<Mapping>,
    /// Positions of the output inside the outermost reduced axis: the slots that each row keeps at once.
    pub inner: Option<u64>,
    /// The same, if the rows were laid out the other way.
    pub inner_otherwise: Option<u64>,
    /// Iterations of which the accumulator makes one: the positions of the reduced axes.
    pub reduced: Option<u64>,
    /// Where the slots do not suffice: the input time with the reduced axes innermost, which needs one position each.
    pub reordered_time: Option<Mapping>,
    /// What the accumulator cannot do: at most one.
    pub violations: Vec<AccumulateViolation>,
}

/// What the accumulator cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccumulateViolation {
    /// More elements a packet than the accumulator takes, in a stream that the pass is given.
    InputPacket {
        /// Elements.
        elements: u64,
    },
    /// The output packet is not 8 elements.
    PacketSize {
        /// Elements.
        elements: u64,
    },
    /// The output packet is not the layout's.
    Packet,
    /// The output time is not the layout's.
    Time(AccumulatedTime),
    /// Interleaved: the output takes fewer columns than hold data.
    SlicesData {
        /// Columns taken.
        kept: u64,
        /// Columns that hold data.
        live: u64,
    },
    /// More slots than the accumulator has.
    Capacity {
        /// Positions inside the outermost reduced axis.
        inner: u64,
        /// The most of the kind.
        limit: u64,
    },
}

/// How an output time differs from the layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AccumulatedTime {
    /// Innermost are not the packet (interleaved), or the rows and the packet's outer part (sequential).
    Innermost,
    /// Axes that the input time does not have, sorted.
    Unknown {
        /// Their names.
        axes: Vec<String>,
    },
    /// The kept axes are in another order.
    Reordered,
    /// A kept axis has another padding than in the input time.
    Padding,
}

/// The forms of a stage whose inputs are all known.
pub(super) struct Forms<'a> {
    pub(super) row: &'a Form,
    pub(super) time: &'a Form,
    pub(super) packet: &'a Form,
    /// The packet without outer padding.
    live: Form,
    pub(super) out_time: &'a Form,
    pub(super) out_packet: &'a Form,
}

/// Derives the accumulate stage `index` of a pass.
pub fn derive_accumulate(pass: &Pass, index: usize) -> AccumulateDerivation {
    let mut derived = AccumulateDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derived;
    };
    let StageKind::Accumulate(kind) = &stage.kind else {
        return derived;
    };
    derived.kind = kind.get().copied();
    let (input, output) = (pass.accumulated(index), &stage.output);
    let Some(elements) = input.packet.get().map(Mapping::size) else {
        return derived;
    };
    if elements > OUTPUT_LIMIT {
        // Behind `contract` this is the contraction's violation.
        if index == 0 {
            derived
                .violations
                .push(AccumulateViolation::InputPacket { elements });
        }
        return derived;
    }
    let (Some(kind), Some(row), Some(time), Some(packet)) = (
        derived.kind,
        input.row.as_ref().and_then(forms::known_form),
        forms::known_form(&input.time),
        forms::known_form(&input.packet),
    ) else {
        return derived;
    };
    let (Some(out_time), Some(out_packet)) = (
        forms::known_form(&output.time),
        forms::known_form(&output.packet),
    ) else {
        return derived;
    };
    let forms = Forms {
        row,
        time,
        packet,
        live: packet.remove_padding(),
        out_time,
        out_packet,
    };
    let conventions = Conventions::of(pass.dialect);
    let violation = if conventions.accumulates_exactly() {
        forms::known_form(&pass.input_of(index).time).and_then(|reduced| {
            lanes::judge_lanes(kind, &forms, reduced, conventions, &mut derived)
        })
    } else {
        judge_accumulate(kind, &forms, &mut derived)
    };
    derived.violations.extend(violation);
    derived
}

/// Packet before time before capacity.
fn judge_accumulate(
    kind: AccumulationKind,
    forms: &Forms<'_>,
    derived: &mut AccumulateDerivation,
) -> Option<AccumulateViolation> {
    let packet = output_packet(kind, forms)?;
    let expected = expected_time(kind, forms);
    derived.expected_packet = Some(packet.to_mapping());
    derived.expected_time = expected.as_ref().map(Form::to_mapping);
    let elements = forms.out_packet.size();
    if elements != OUTPUT_LANES {
        return Some(AccumulateViolation::PacketSize { elements });
    }
    if forms::differ(&packet, forms.out_packet) {
        return Some(AccumulateViolation::Packet);
    }
    let split = match kind {
        AccumulationKind::Interleaved => split_interleaved(forms),
        AccumulationKind::Sequential => split_sequential(forms),
    };
    let (outer, inner) = match split {
        Ok(split) => split?,
        Err(violation) => return Some(violation),
    };
    let kept = forms::divide_relaxed(forms.time, &outer);
    if forms::lacks(forms.time, &outer, &kept) {
        let axes = forms::axis_names(&kept.divisor_residue);
        return Some(AccumulateViolation::Time(AccumulatedTime::Unknown { axes }));
    }
    if !kept.exact() {
        return None;
    }
    if let Some(time) = kept_axes(forms.time, &outer, &kept) {
        return Some(AccumulateViolation::Time(time));
    }
    derived.reduced = forms.time.size().checked_div(outer.size());
    let inside = positions_inside(forms.time, &outer, &kept);
    let rows = forms.row.size();
    let pieces = forms.live.size().div_ceil(OUTPUT_LANES);
    let (limit, otherwise) = match kind {
        AccumulationKind::Interleaved => (INTERLEAVED_LIMIT, rows.checked_mul(pieces)?),
        AccumulationKind::Sequential => (SEQUENTIAL_LIMIT, forms.live.size()),
    };
    let inner = inside.checked_mul(inner)?;
    derived.inner = Some(inner);
    derived.inner_otherwise = inside.checked_mul(otherwise);
    if inner <= limit {
        return None;
    }
    derived.reordered_time = reduced_innermost(forms.time, &kept).map(|time| time.to_mapping());
    Some(AccumulateViolation::Capacity { inner, limit })
}

/// The time with its kept parts outside, in their order and padding, and what is reduced inside of them.
pub(super) fn reduced_innermost(time: &Form, kept: &Division) -> Option<Form> {
    let mut parts = Vec::new();
    for found in &kept.matches {
        let part = forms::term_mapping(&found.term, found.count)?;
        parts.push(part.form().pad(padded_count(time, found))?);
    }
    let residue = kept.dividend_residue.digits().iter();
    parts.push(Form::from_digits(
        residue.filter(|digit| digit.term.is_some()).cloned(),
    )?);
    forms::join(&parts.iter().collect::<Vec<_>>())
}

/// Interleaved: the rows side by side, padded to 8. Sequential: the innermost 8 elements of the packet.
fn output_packet(kind: AccumulationKind, forms: &Forms<'_>) -> Option<Form> {
    match kind {
        AccumulationKind::Interleaved => forms.row.pad(OUTPUT_LANES),
        AccumulationKind::Sequential => {
            let padded = forms.live.size().checked_next_multiple_of(OUTPUT_LANES)?;
            Some(forms.live.pad(padded)?.split_at(OUTPUT_LANES)?.1)
        }
    }
}

/// The parts of the time that the declared output keeps somewhere, in the input's order and padding, then what the
/// layout puts inside. `None` where that has no plain expression.
fn expected_time(kind: AccumulationKind, forms: &Forms<'_>) -> Option<Form> {
    let mut parts = Vec::new();
    let declared = Form::multiply(forms.out_time, forms.out_packet)?;
    for found in &forms::divide_relaxed(forms.time, &declared).matches {
        let part = forms::term_mapping(&found.term, found.count)?;
        let padded = padded_count(forms.time, found);
        parts.push(part.form().pad(padded)?);
    }
    match kind {
        AccumulationKind::Interleaved => parts.push(forms.live.clone()),
        AccumulationKind::Sequential => {
            let padded = forms.live.size().checked_next_multiple_of(OUTPUT_LANES)?;
            parts.push(forms.row.clone());
            parts.push(forms.live.pad(padded)?.split_at(OUTPUT_LANES)?.0);
        }
    }
    forms::join(&parts.iter().collect::<Vec<_>>())
}

type Split = Result<Option<(Form, u64)>, AccumulateViolation>;

/// Splits the output time into kept time and columns: all that hold data, and any padding behind them. Where several
/// splits are possible, the one that keeps the time as it is.
fn split_interleaved(forms: &Forms<'_>) -> Split {
    let live = forms.live.size();
    let mut possible = None;
    for columns in live..=forms.packet.size().max(live) {
        let Some(padded) = forms.live.pad(columns) else {
            return Ok(None);
        };
        if let Some(outer) = outer_part(forms.out_time, &padded) {
            let kept = forms::divide_relaxed(forms.time, &outer);
            if kept.exact() && kept_axes(forms.time, &outer, &kept).is_none() {
                return Ok(Some((outer, columns)));
            }
            possible.get_or_insert((outer, columns));
        }
    }
    if possible.is_some() {
        return Ok(possible);
    }
    // Fewer columns, cut from the front, of which the rest goes through the input time: data is lost.
    for columns in (1..live).rev() {
        let kept = forms
            .live
            .resize(columns)
            .and_then(|cut| outer_part(forms.out_time, &cut));
        if let Some(outer) = kept
            && !forms::lacks(
                forms.time,
                &outer,
                &forms::divide_relaxed(forms.time, &outer),
            )
        {
            return Err(AccumulateViolation::SlicesData {
                kept: columns,
                live,
            });
        }
    }
    Err(AccumulateViolation::Time(AccumulatedTime::Innermost))
}

/// Splits the output time into kept time and rows with the packet's outer part.
fn split_sequential(forms: &Forms<'_>) -> Split {
    let mut elements = forms.live.size().next_multiple_of(OUTPUT_LANES);
    while elements <= COLUMNS {
        let inner = forms
            .live
            .pad(elements)
            .and_then(|padded| padded.split_at(OUTPUT_LANES))
            .and_then(|(pieces, _)| Form::multiply(forms.row, &pieces));
        let Some(inner) = inner else {
            return Ok(None);
        };
        if let Some(outer) = outer_part(forms.out_time, &inner) {
            return Ok(Some((outer, inner.size())));
        }
        elements += OUTPUT_LANES;
        if elements > forms.packet.size() {
            break;
        }
    }
    Err(AccumulateViolation::Time(AccumulatedTime::Innermost))
}

/// What is outside `inner`, if that is the innermost part of `time`.
fn outer_part(time: &Form, inner: &Form) -> Option<Form> {
    let (outer, found) = time
        .size()
        .is_multiple_of(inner.size().max(1))
        .then(|| time.split_at(inner.size()))
        .flatten()?;
    (!forms::differ(&found, inner)).then_some(outer)
}

/// Whether the kept axes are in the time's order and with its padding.
pub(super) fn kept_axes(time: &Form, outer: &Form, kept: &Division) -> Option<AccumulatedTime> {
    if !forms::keeps_order(kept) {
        return Some(AccumulatedTime::Reordered);
    }
    let mut reached = 1;
    for found in kept.matches.iter().rev() {
        if found.divisor_stride != reached {
            return Some(AccumulatedTime::Padding);
        }
        reached = reached.saturating_mul(padded_count(time, found));
    }
    (!kept.matches.is_empty() && reached != outer.size()).then_some(AccumulatedTime::Padding)
}

/// The steps of a kept part with the padding that the time has behind it.
fn padded_count(time: &Form, found: &Match) -> u64 {
    let end = found.dividend_stride.saturating_mul(found.count);
    let digit = time.terms_with_stride().into_iter().find(|placed| {
        let outer = placed.buffer_stride.saturating_mul(placed.extent);
        placed.buffer_stride <= found.dividend_stride && found.dividend_stride < outer
    });
    match digit {
        Some(digit) if end >= digit.buffer_stride.saturating_mul(digit.live) => {
            digit.buffer_stride.saturating_mul(digit.extent) / found.dividend_stride
        }
        _ => found.count,
    }
}

/// Positions of the kept time inside the outermost reduced part of the time; 1 if nothing kept is inside.
pub(super) fn positions_inside(time: &Form, outer: &Form, kept: &Division) -> u64 {
    let end = |found: &Match| {
        found
            .dividend_stride
            .saturating_mul(padded_count(time, found))
    };
    let Some(outermost) = kept.matches.first() else {
        return 1;
    };
    if end(outermost) < time.size() {
        return outer.size();
    }
    kept.matches
        .windows(2)
        .find_map(|pair| match pair {
            [outer, inner] if end(inner) != outer.dividend_stride => Some(outer.divisor_stride),
            _ => None,
        })
        .unwrap_or(1)
}
