//! The nearest placement that the generator can count, for one that it cannot.
//!
//! Each reason has one way out that keeps the axis and the other axes and only moves their parts. It is proposed only
//! after it was decided itself: an alternative that needs what the generator does not have is none.

use crate::forms::join;
use crate::mapping::{Digit, Form, Mapping};

use super::answer::Refusal;
use super::setting::LANES;
use super::{Placement, place_axis};

/// Slice, time and packet of an 8-lane flit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alternative {
    /// The slice.
    pub slice: Mapping,
    /// The time.
    pub time: Mapping,
    /// The packet.
    pub packet: Mapping,
}

/// A placement of the same axis that works, if one is known.
pub fn alternative_placement(
    (slice, time, packet): (&Form, &Form, &Form),
    axis: &str,
    refusal: &Refusal,
) -> Option<Alternative> {
    let (own, rest) = (
        |form| unpadded_axis_digits(form, axis),
        |form| other_digits_form(form, axis),
    );
    let (slice, time, packet) = match refusal {
        // The other axes go to time.
        Refusal::PacketShared { .. } => {
            let others = rest(packet)?.remove_padding();
            (
                slice.clone(),
                join(&[time, &others])?,
                ascending_form(own(packet))?.pad(LANES)?,
            )
        }
        // The innermost eight elements of what is in time and packet go to the packet.
        Refusal::PacketNotInnermost { .. } => {
            let all = ascending_form(own(time).into_iter().chain(own(packet)).collect())?;
            let full = all.size().checked_next_multiple_of(LANES)?;
            let (outer, inner) = all.pad(full)?.split_at(LANES)?;
            (slice.clone(), join(&[&rest(time)?, &outer])?, inner)
        }
        // The packet's part goes to time.
        Refusal::SlicePacket(_) => {
            let inner = ascending_form(own(packet))?;
            (
                slice.clone(),
                join(&[time, &inner])?,
                rest(packet)?.pad(LANES)?,
            )
        }
        Refusal::SliceOrder { .. } => {
            let ordered = ascending_form(own(slice))?;
            (
                join(&[&rest(slice)?, &ordered])?,
                time.clone(),
                packet.clone(),
            )
        }
        // The outer elements go to the slice, the inner ones to time, as many as before.
        Refusal::Interleaved { .. } => {
            let all = ascending_form(own(slice).into_iter().chain(own(time)).collect())?;
            let steps = ascending_form(own(time))?.size();
            let (outer, inner) = all.split_at(steps)?;
            (
                join(&[&rest(slice)?, &outer])?,
                join(&[&rest(time)?, &inner])?,
                packet.clone(),
            )
        }
        Refusal::Dimensions { .. } => {
            let ordered = ascending_form(own(time))?;
            (
                slice.clone(),
                join(&[&rest(time)?, &ordered])?,
                packet.clone(),
            )
        }
        // Another padding of the axis: its parts stay where they are.
        Refusal::TransposedTime { .. } => return None,
    };
    let works = packet.size() == LANES
        && matches!(
            place_axis(&slice, &time, &packet, axis),
            Some(Placement::Supported(_) | Placement::Unneeded)
        );
    works.then(|| Alternative {
        slice: slice.to_mapping(),
        time: time.to_mapping(),
        packet: packet.to_mapping(),
    })
}

/// The digits of the axis, their own padding left out.
fn unpadded_axis_digits(form: &Form, axis: &str) -> Vec<Digit> {
    form.digits()
        .iter()
        .filter(|digit| digit.is_part_of(axis))
        .map(Digit::unpadded)
        .collect()
}

/// All other digits.
fn other_digits_form(form: &Form, axis: &str) -> Option<Form> {
    Form::from_digits(
        form.digits()
            .iter()
            .filter(|digit| !digit.is_part_of(axis))
            .cloned(),
    )
}

/// The form of digits in ascending order of their strides.
fn ascending_form(mut digits: Vec<Digit>) -> Option<Form> {
    digits.sort_by_key(|digit| digit.term.as_ref().map_or(0, |term| term.stride));
    Form::from_digits(digits)
}
