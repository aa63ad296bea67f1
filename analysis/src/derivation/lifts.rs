//! Lifts of the Fetch Engine: each chip, cluster or slice reads the copy of an axis that is its own (library: fetch lifts).
//!
//! Knows how the placement before and after differs, cut into pieces of two. That the base of each part is at a multiple of 8
//! bytes, and what the shorter time reads, is not judged here.

use crate::kernel::{Level, Pass, StreamShape, Written};
use crate::mapping::{Form, Mapping, slots};

use super::forms;

/// What a lift cannot do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LiftFault {
    /// The placement is the same before and after.
    Unchanged,
    /// The level has another size after the lift.
    Size {
        /// Before.
        before: u64,
        /// After.
        after: u64,
    },
    /// What is replaced is no copies.
    Replaced {
        /// Positions of the level a step of what is replaced.
        stride: u64,
        /// What is replaced.
        part: Mapping,
    },
    /// Copies are replaced by padding.
    Padding {
        /// Positions of the level a step of it.
        stride: u64,
    },
    /// The time is not shorter by a power of two that divides the level.
    Time {
        /// Iterations before.
        before: u64,
        /// Iterations after.
        after: u64,
    },
}

/// What the lift of a level at stage `index` cannot do; `None` also where a mapping is not known.
#[must_use]
pub fn derive(pass: &Pass, index: usize, level: Level) -> Option<LiftFault> {
    let stage = pass.stages.get(index)?;
    let (input, output) = (pass.input_of(index), &stage.output);
    let before = forms::known(of_level(input, level)?)?;
    let after = forms::known(of_level(output, level)?)?;
    if before.size() != after.size() {
        return Some(LiftFault::Size {
            before: before.size(),
            after: after.size(),
        });
    }
    placement(before, after).or_else(|| {
        let (time, out) = (input.time.get()?.size(), output.time.get()?.size());
        let copies = time.checked_div(out).filter(|_| time.is_multiple_of(out))?;
        let fits = copies.is_power_of_two() && before.size().is_multiple_of(copies);
        (!fits).then_some(LiftFault::Time {
            before: time,
            after: out,
        })
    })
}

const fn of_level(shape: &StreamShape, level: Level) -> Option<&Written<Mapping>> {
    Some(match level {
        Level::Chip => &shape.chip,
        Level::Cluster => &shape.cluster,
        Level::Slice => &shape.slice,
        _ => return None,
    })
}

fn placement(before: &Form, after: &Form) -> Option<LiftFault> {
    let (old, new) = (slots(before)?, slots(after)?);
    let mut stride = before.size();
    let mut lifted = false;
    for (old, new) in old.iter().zip(&new) {
        stride /= 2;
        if !forms::differ(old, new) {
            continue;
        }
        if !old.is_broadcast() {
            return Some(LiftFault::Replaced {
                stride,
                part: old.to_mapping(),
            });
        }
        if !new.has_terms() {
            return Some(LiftFault::Padding { stride });
        }
        lifted = true;
    }
    (!lifted).then_some(LiftFault::Unchanged)
}
