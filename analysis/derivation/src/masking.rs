//! Masks of the Fetch Adapter: which padding a reduction takes in and cannot be set to zero (book: Masking
//! Configuration).
//!
//! Knows the three cases of the mask: one axis, innermost in the packet, its further digit in the time; either only
//! the last index of that digit is cut, by at most 255 units of 4 bits, or each of at most 8 indices has a count of its
//! own. It judges an axis that a contraction of the same pass reduces, packed in one digit each of packet and time; a
//! layout beyond that is left alone, and so are reductions of the Vector Engine, which count valid elements themselves.

use std::sync::Arc;

use crate::kernel::{Pass, StageKind, StreamShape};
use crate::mapping::{Digit, Form, PaddingKind};

/// Indices of the outer digit that can each have a count of their own.
const COUNTED_INDICES: u64 = 8;
/// Bits that the mask of the last index alone can cut: 255 units of 4 bits.
const TAIL_BITS: u64 = 255 * 4;

/// Padding that no case of the mask covers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unmaskable {
    /// The axis that is reduced.
    pub axis: Arc<str>,
    /// Its elements.
    pub live: u64,
    /// Positions that the stream has for them.
    pub extent: u64,
    /// Positions of it in a packet.
    pub packet: u64,
    /// Iterations over its packets.
    pub time: u64,
    /// Iterations that hold only padding.
    pub empty: u64,
}

/// The padding of a fetched stream that a contraction takes in and no mask covers, if there is any.
pub fn unmaskable(pass: &Pass, index: usize) -> Option<Unmaskable> {
    let stage = pass.stages.get(index)?;
    let aligned = pass
        .stages
        .iter()
        .find(|stage| matches!(stage.kind, StageKind::Align { .. }))?;
    let accumulated = pass
        .stages
        .iter()
        .find(|stage| matches!(stage.kind, StageKind::Accumulate(_)))?;
    let fetched = &stage.output;
    let time = fetched.time.value.as_ref()?.form();
    let packet = fetched.packet.value.as_ref()?.form();
    let bits = fetched.element_type.value?.bits();
    let kept = stream_axis_names(&accumulated.output)?;
    let taken = aligned.output.time.value.as_ref()?.form();
    let spatial = [&fetched.chip, &fetched.cluster, &fetched.slice]
        .into_iter()
        .map(|level| level.value.as_ref())
        .collect::<Option<Vec<_>>>()?;
    time.axis_names().into_iter().find_map(|axis| {
        let elsewhere = spatial
            .iter()
            .any(|level| level.form().contains_axis(&axis));
        if elsewhere || kept.contains(&axis) || !is_padded(taken, &axis) {
            return None;
        }
        judge_axis(&axis, time, packet, bits)
    })
}

fn stream_axis_names(shape: &StreamShape) -> Option<Vec<Arc<str>>> {
    let time = shape.time.value.as_ref()?.form();
    let packet = shape.packet.value.as_ref()?.form();
    Some(
        time.axis_names()
            .into_iter()
            .chain(packet.axis_names())
            .collect(),
    )
}

fn digits_of<'a>(form: &'a Form, axis: &str) -> Vec<(usize, &'a Digit)> {
    let of_axis = |digit: &Digit| {
        let term = digit.term.as_ref();
        term.and_then(|term| term.atom.axis())
            .is_some_and(|found| found.name() == axis)
    };
    form.digits()
        .iter()
        .enumerate()
        .filter(|(_, digit)| of_axis(digit))
        .collect()
}

fn is_padded(form: &Form, axis: &str) -> bool {
    digits_of(form, axis)
        .iter()
        .any(|(_, digit)| digit.extent > digit.live)
}

/// The three cases, for an axis with one digit in the time and at most one, innermost, in the packet.
fn judge_axis(axis: &Arc<str>, time: &Form, packet: &Form, bits: u64) -> Option<Unmaskable> {
    let [(_, outer)] = digits_of(time, axis)[..] else {
        return None;
    };
    let inner = match digits_of(packet, axis)[..] {
        [] => None,
        [(0, inner)] => Some(inner),
        _ => return None,
    };
    if outer.padding_kind() == PaddingKind::Zero {
        return None;
    }
    let term = outer.term.as_ref()?;
    let size = inner.map_or(1, |inner| inner.extent);
    let starts = inner.map_or(1, |inner| inner.term.as_ref().map_or(0, |term| term.stride));
    if term.stride != size || starts != 1 {
        return None;
    }
    let live = term.atom.axis()?.size().min(outer.live.checked_mul(size)?);
    let extent = outer.extent.checked_mul(size)?;
    let full_or_cut = live.div_ceil(size);
    let empty = outer.extent.checked_sub(full_or_cut)?;
    // Where the axis has no digit in the packet, an index is masked as a whole packet of whatever else is in it.
    let unit_bits = if inner.is_some() {
        bits
    } else {
        packet.size().checked_mul(bits)?
    };
    let tail_bits = extent.checked_sub(live)?.checked_mul(unit_bits)?;
    let allowed_empty = u64::from(inner.is_none());
    let tail = empty <= allowed_empty && tail_bits <= TAIL_BITS;
    (extent > live && outer.extent > COUNTED_INDICES && !tail).then(|| Unmaskable {
        axis: Arc::clone(axis),
        live,
        extent,
        packet: size,
        time: outer.extent,
        empty,
    })
}
