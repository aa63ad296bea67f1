//! Lifts of the Fetch Engine: each chip, cluster or slice reads the copy of an axis that is its own (library: fetch lifts).
//!
//! Knows how the placement before and after differs, cut into pieces of two, what the shorter time still reads, and where each part
//! begins in the memory of a slice.

#[cfg(test)]
mod tests;

use crate::hardware::FETCH_ALIGNMENT_BYTES;
use crate::kernel::{Level, Pass, Position, StreamShape, Written};
use crate::mapping::{Answer, Form, Mapping, holds_every_element, slots};

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
    /// The level's size is no power of two, so that it has no pieces of two.
    Count {
        /// The size.
        size: u64,
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
    /// The shorter time and the parts that are told apart do not read all that was read.
    Unread {
        /// The axes of which a part is not read, sorted.
        axes: Vec<String>,
    },
    /// Parts begin at places that are no multiple of 8 bytes.
    Base {
        /// The part that is told apart.
        part: Mapping,
        /// Bits from one part to the next.
        bits: u64,
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
pub fn derive_lift_fault(pass: &Pass, index: usize, level: Level) -> Option<LiftFault> {
    let stage = pass.stages.get(index)?;
    let (input, output) = (pass.input_of(index), &stage.output);
    let before = forms::known_form(of_level(input, level)?)?;
    let after = forms::known_form(of_level(output, level)?)?;
    if before.size() != after.size() {
        return Some(LiftFault::Size {
            before: before.size(),
            after: after.size(),
        });
    }
    if !before.size().is_power_of_two() {
        return Some(LiftFault::Count {
            size: before.size(),
        });
    }
    let lifted = match lifted_placement(before, after)? {
        Ok(lifted) => lifted,
        Err(fault) => return Some(fault),
    };
    let (time, out) = (input.time.get()?.size(), output.time.get()?.size());
    let fits = time
        .checked_div(out)
        .filter(|_| time.is_multiple_of(out))
        .is_some_and(|copies| copies.is_power_of_two() && before.size().is_multiple_of(copies));
    if !fits {
        return Some(LiftFault::Time {
            before: time,
            after: out,
        });
    }
    unread_fault(input, output, &lifted).or_else(|| unaligned_lift_fault(pass, &lifted))
}

/// What the shorter time and the lifted parts leave unread of what the fetch read.
fn unread_fault(input: &StreamShape, output: &StreamShape, lifted: &Form) -> Option<LiftFault> {
    let (time, out_time) = (
        forms::known_form(&input.time)?,
        forms::known_form(&output.time)?,
    );
    let packet = forms::known_form(&input.packet)?;
    let read = forms::join(&[lifted, out_time, packet])?;
    let before = forms::join(&[time, packet])?;
    if holds_every_element(&read, &before) != Answer::No {
        return None;
    }
    let lost = forms::divide_relaxed(&read, &before).divisor_residue;
    Some(LiftFault::Unread {
        axes: forms::axis_names(&lost),
    })
}

/// The first lifted part that begins at no multiple of 8 bytes of the element.
fn unaligned_lift_fault(pass: &Pass, lifted: &Form) -> Option<LiftFault> {
    if pass.begin.position != Position::Begin {
        return None;
    }
    let element = forms::known_form(&pass.begin.packet)?;
    let width = pass.begin.element_type.get()?.bits();
    let parts = forms::divide_relaxed(element, lifted).matches;
    parts.iter().find_map(|part| {
        let bits = part.dividend_stride.checked_mul(width)?;
        let aligned = bits.is_multiple_of(FETCH_ALIGNMENT_BYTES * 8);
        (part.count > 1 && !aligned).then(|| LiftFault::Base {
            part: forms::term_mapping(&part.term, part.count)
                .unwrap_or_else(|| lifted.to_mapping()),
            bits,
        })
    })
}

/// The mapping of a level of the grid in a stream's shape; `None` for a level that is not of the grid.
pub const fn of_level(shape: &StreamShape, level: Level) -> Option<&Written<Mapping>> {
    Some(match level {
        Level::Chip => &shape.chip,
        Level::Cluster => &shape.cluster,
        Level::Slice => &shape.slice,
        _ => return None,
    })
}

/// What is put in place of copies, outermost first, or what is wrong with it; `None` where the level is no power of two or cannot
/// be cut.
fn lifted_placement(before: &Form, after: &Form) -> Option<Result<Form, LiftFault>> {
    let (old, new) = (slots(before)?, slots(after)?);
    let mut stride = before.size();
    let mut lifted: Vec<&Form> = Vec::new();
    for (old, new) in old.iter().zip(&new) {
        stride /= 2;
        if !forms::differ(old, new) {
            continue;
        }
        if !old.is_broadcast() {
            return Some(Err(LiftFault::Replaced {
                stride,
                part: old.to_mapping(),
            }));
        }
        if !new.has_terms() {
            return Some(Err(LiftFault::Padding { stride }));
        }
        lifted.push(new);
    }
    if lifted.is_empty() {
        return Some(Err(LiftFault::Unchanged));
    }
    forms::join(&lifted).map(Ok)
}
