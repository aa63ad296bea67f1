//! The steps that a split takes: parts of axes that go from one level to another, with the padding that each level keeps.
//!
//! Knows forms and extents alone; which tensors and streams take a step is decided by the caller.

use crate::mapping::{Form, Term};

use super::split::{End, Taken, form_with_part, form_without_part};

/// Where a part of an axis goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum To {
    /// From slices, or from elements where no slice holds it, to clusters.
    Cluster,
    /// From elements to slices.
    Slice,
    /// From slices to elements.
    Element,
}

/// A part of an axis that changes its level.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) part: Term,
    pub(super) to: To,
}

/// Clusters and slices as they are held, without the padding outside.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Levels {
    pub(super) cluster: Form,
    pub(super) slice: Form,
}

/// What is inside of a slice: rows or time, then the element or packet.
pub(super) struct Inner {
    pub(super) outer: Form,
    pub(super) element: Form,
    /// Whether it is a stream: what joins a slice's share joins its time. Else it joins the element, since rows are few.
    pub(super) is_stream: bool,
}

/// All levels after the steps, with their padding.
pub(super) struct Held {
    pub(super) cluster: Form,
    pub(super) slice: Form,
    pub(super) outer: Form,
    pub(super) element: Form,
}

/// Takes the steps. `group` is what the tensor that they are for is over: only what is over the same slices moves between
/// slices and elements.
pub(super) fn move_levels(
    group: &Levels,
    own: &Levels,
    inner: Inner,
    steps: &[Step],
    holds: impl Fn(usize) -> bool,
    (clusters, slices): (u64, u64),
    most: u64,
) -> Option<Held> {
    let follows = own.slice == group.slice;
    let (mut cluster, mut slice) = (own.cluster.clone(), own.slice.clone());
    let Inner {
        mut outer,
        mut element,
        is_stream,
    } = inner;
    for (number, Step { part, to }) in steps.iter().enumerate() {
        let dependent = holds(number);
        let take = |outer: &mut Form, element: &mut Form| -> Option<()> {
            match (
                form_without_part(outer, part),
                form_without_part(element, part),
            ) {
                (Some(Taken::Left(left)), _) => *outer = left,
                (_, Some(Taken::Left(left))) => *element = left,
                _ => return None,
            }
            Some(())
        };
        match to {
            To::Cluster => {
                cluster = form_with_part(&cluster, part, End::Outer)?;
                match form_without_part(&slice, part) {
                    Some(Taken::Left(left)) => slice = left,
                    _ if dependent => take(&mut outer, &mut element)?,
                    _ => {}
                }
            }
            To::Slice if follows => {
                slice = form_with_part(&slice, part, End::Inner)?;
                if dependent {
                    take(&mut outer, &mut element)?;
                }
            }
            To::Element if follows => {
                let Some(Taken::Left(left)) = form_without_part(&slice, part) else {
                    return None;
                };
                slice = left;
                if dependent {
                    let joined = if is_stream { &mut outer } else { &mut element };
                    *joined = form_with_part(joined, part, End::Outer)?;
                }
            }
            To::Slice | To::Element => {}
        }
    }
    let extent = if slice.size() <= slices { slices } else { most };
    Some(Held {
        cluster: cluster.pad(clusters.max(cluster.size()))?,
        slice: slice.pad(extent)?,
        outer,
        element,
    })
}
