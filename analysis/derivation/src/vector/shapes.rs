//! Whether what a kernel declares behind a change of lanes or an unzip is what the engine makes.

use crate::conventions::Conventions;
use crate::forms::{differ, form_without_axis, join, known_form};
use crate::hardware::GROUP_CACHE_ELEMENTS;
use crate::items::Span;
use crate::kernel::{Stage, StageKind, StreamShape, Written};
use crate::mapping::{Atom, Form, Mapping};

use super::lanes::{changed_shape, halves, taken_elements};
use super::violation::{Mismatch, TwoGroupFault, VectorFault};

/// A mismatch of one parameter, if it is proven.
pub(super) fn parameter_mismatch(
    parameter: &'static str,
    declared: &Written<Mapping>,
    expected: &Form,
) -> Option<Mismatch> {
    let form = known_form(declared)?;
    if !differ(form, expected) {
        return None;
    }
    Some(Mismatch {
        parameter,
        span: declared.span,
        declared: declared.get()?.clone(),
        expected: expected.to_mapping(),
    })
}

/// The fault of a stage that changes the lanes, and where it is.
pub(super) fn lanes_fault(input: &StreamShape, stage: &Stage) -> Option<(Span, VectorFault)> {
    let (time, packet) = (known_form(&input.time)?, known_form(&input.packet)?);
    let needs = taken_elements(&stage.kind)?;
    if packet.size() != needs {
        return Some((
            stage.span,
            VectorFault::WaySize {
                elements: packet.size(),
                needs,
            },
        ));
    }
    let output = &stage.output;
    if matches!(stage.kind, StageKind::VectorTrim) {
        let (upper, lower) = halves(packet)?;
        if upper.has_terms() {
            let split = join(&[time, &upper]).map(|time| (time.to_mapping(), lower.to_mapping()));
            let fault = VectorFault::NarrowDropsData {
                upper: upper.to_mapping(),
                split,
            };
            return Some((output.packet.span, fault));
        }
    }
    let expected = changed_shape(time, packet, &stage.kind)?;
    let mut mismatches = Vec::new();
    if matches!(stage.kind, StageKind::VectorSplit | StageKind::VectorConcat) {
        mismatches.extend(parameter_mismatch("Time", &output.time, &expected.0));
    }
    mismatches.extend(parameter_mismatch("Packet", &output.packet, &expected.1));
    let span = mismatches.first()?.span;
    Some((span, VectorFault::WayShape(mismatches)))
}

/// A mapping without an axis, with a hole in its place or none; `None` where it does not have the axis, or has it inside
/// of a group.
pub fn without_axis(mapping: &Mapping, axis: &str, hole: bool) -> Option<Mapping> {
    if mapping.is_opaque() || !mapping.form().contains_axis(axis) {
        return None;
    }
    Some(form_without_axis(mapping.form(), axis, hole)?.to_mapping())
}

/// The faults of an unzip.
pub(super) fn unzip_fault(
    input: &StreamShape,
    stage: &Stage,
    conventions: Conventions,
) -> Option<(Span, VectorFault)> {
    let StageKind::VectorUnzip { axis, tile_time } = &stage.kind else {
        return None;
    };
    let name = axis.get()?.name().to_owned();
    let size = axis.get()?.size();
    if size != 2 {
        return Some((
            axis.span,
            VectorFault::TwoGroup(TwoGroupFault::AxisSize { axis: name, size }),
        ));
    }
    let time = known_form(&input.time)?;
    if conventions.caches_groups() {
        let stream = join(&[time, known_form(&input.packet)?])?;
        if let Some(elements) = positions_inside(&stream, &name)
            && elements > GROUP_CACHE_ELEMENTS
        {
            let fault = VectorFault::UnzipVolume {
                axis: name,
                elements,
            };
            return Some((axis.span, fault));
        }
        if !time.contains_axis(&name) && stream.contains_axis(&name) {
            // Groups within a packet: what is left of it is the packet's business.
            return None;
        }
    }
    if !time.contains_axis(&name) {
        return Some((
            axis.span,
            VectorFault::TwoGroup(TwoGroupFault::AxisMissing { axis: name }),
        ));
    }
    let groups = form_without_axis(time, &name, true)?;
    let alone = form_without_axis(time, &name, false)?;
    let mut mismatches: Vec<Mismatch> = parameter_mismatch("TileTime", tile_time, &groups)
        .into_iter()
        .collect();
    mismatches.extend(parameter_mismatch("Time", &stage.output.time, &alone));
    let span = mismatches.first()?.span;
    Some((span, VectorFault::WayShape(mismatches)))
}

/// Positions inside the innermost part of an axis, padding counted; `None` where the form lacks it or a group holds it.
fn positions_inside(form: &Form, axis: &str) -> Option<u64> {
    let mut positions = 1_u64;
    for digit in form.digits() {
        match digit.term.as_ref().map(|term| &term.atom) {
            _ if digit.is_part_of(axis) => return Some(positions),
            Some(Atom::Composite(group)) if group.contains_axis(axis) => return None,
            _ => positions = positions.checked_mul(digit.extent)?,
        }
    }
    None
}
