//! An axis that is taken out of a mapping: where it runs, and what is left.

use crate::forms;
use crate::mapping::{Answer, FindAxisError, Form, Mapping, equal_forms, find_axis};

/// Why an axis cannot be taken out of a mapping.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RegionFault {
    /// The mapping does not hold it, or only a part of it.
    Absent,
    /// It runs through the mapping at several strides.
    Scattered,
    /// Other positions are between those of the axis.
    Mixed,
}

/// An axis in a mapping.
pub(super) struct Region {
    /// Positions of the mapping a step of the axis.
    pub(super) stride: u64,
    /// The mapping without it.
    pub(super) left: Form,
    /// What is outside of it.
    pub(super) outer: Form,
    /// What is inside of it.
    pub(super) inner: Form,
}

/// Takes an axis out of a mapping; `None` where it is not known whether it can be.
pub(super) fn region_without_axis(
    whole: &Mapping,
    axis: &Mapping,
) -> Option<Result<Region, RegionFault>> {
    if whole.is_opaque() || axis.is_opaque() || axis.size() == 1 {
        return None;
    }
    let (whole, axis) = (whole.form(), axis.form());
    let stride = match find_axis(whole, axis) {
        Ok(stride) => stride,
        Err(FindAxisError::Undecided) => return None,
        // What is found nowhere although its elements are there may be there in a way that is not recognised.
        Err(FindAxisError::NotInMapping) => {
            let division = forms::divide_relaxed(whole, axis);
            let absent = !division.exact() || !axis.has_terms();
            return Some(Err(if absent {
                RegionFault::Absent
            } else {
                RegionFault::Mixed
            }));
        }
        Err(FindAxisError::Scattered) => return Some(Err(RegionFault::Scattered)),
        Err(FindAxisError::SpanDoesNotDivide { .. }) => return Some(Err(RegionFault::Mixed)),
    };
    let span = stride.checked_mul(axis.size())?;
    let Some((outer, inside)) = whole.split_at(span) else {
        return Some(Err(RegionFault::Mixed));
    };
    let (found, inner) = inside.split_at(stride)?;
    match equal_forms(&found, axis) {
        Answer::Yes => {}
        Answer::No => return Some(Err(RegionFault::Mixed)),
        Answer::Unknown => return None,
    }
    let left = Form::multiply(&outer, &inner)?;
    Some(Ok(Region {
        stride,
        left,
        outer,
        inner,
    }))
}
