//! What a form does with one axis.

use super::form::{Atom, Form};
use super::index::Axis;

/// One digit over an axis.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AxisPart {
    /// The axis.
    pub axis: Axis,
    /// Values of the axis a step. A value at or beyond the size of the axis is padding.
    pub axis_stride: u64,
    /// Live steps.
    pub count: u64,
    /// Steps, padding included.
    pub extent: u64,
    /// Positions a step.
    pub buffer_stride: u64,
}

/// The digits of a form over the axis of that name, innermost first. Empty where the axis does not occur; None where it
/// occurs in a group that a size cuts across, whose positions do not step evenly through the axis.
pub fn project(form: &Form, axis_name: &str) -> Option<Vec<AxisPart>> {
    let mut parts = Vec::new();
    for placed in form.terms_with_stride() {
        match placed.term.atom {
            Atom::Axis(axis) | Atom::PaddedRun(axis) if axis.name() == axis_name => {
                parts.push(AxisPart {
                    axis,
                    axis_stride: placed.term.stride,
                    count: placed.live,
                    extent: placed.extent,
                    buffer_stride: placed.buffer_stride,
                });
            }
            Atom::Composite(inner) if inner.contains_axis(axis_name) => return None,
            Atom::Axis(_) | Atom::PaddedRun(_) | Atom::Composite(_) | Atom::Broadcast => {}
        }
    }
    Some(parts)
}
