//! Commits of releases in which the trimmed packet is the innermost run of the element, and padding is written over padding.
//!
//! Knows the shape of packet, time and element alone. What data goes where, the sequencer says.

use crate::mapping::{Form, Mapping, PaddingKind};

use super::super::forms;

/// The innermost run of the element that is as long as the packet, where it is not the packet; `Err` if there is no such run.
pub(super) fn other_innermost(packet: &Form, element: &Form) -> Option<Result<Mapping, ()>> {
    if !element.size().is_multiple_of(packet.size()) {
        return Some(Err(()));
    }
    let (_, innermost) = element.split_at(packet.size())?;
    forms::differ(&innermost, packet).then(|| Ok(innermost.to_mapping()))
}

/// Steps with padding a step of data, at most, and the same of the element. Several paddings of the time may write over the
/// same one of the element.
pub(super) fn padding_factors(time: &Form, element: &Form) -> (u64, u64) {
    let factor = |form: &Form, written: bool| {
        let digits = form.digits().iter().filter(|digit| {
            let mut paddings = digit.paddings().iter();
            !written || !paddings.any(|padding| padding.kind == PaddingKind::Bottom)
        });
        let factors = digits.map(|digit| match digit.term {
            Some(_) => digit.extent.div_ceil(digit.live.max(1)),
            None => digit.extent,
        });
        factors.max().unwrap_or(1)
    };
    (factor(time, false), factor(element, true))
}
