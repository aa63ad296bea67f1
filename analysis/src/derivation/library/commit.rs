//! Commits: the library looks for the packet, in its own order, innermost in the element, and for the stream's
//! iterations, without further padding, outside of it (library: 5.11, commit).

use crate::derivation::commit::CommitDerivation;
use crate::derivation::forms;
use crate::kernel::{Pass, Written};
use crate::mapping::{Form, Mapping};

use super::{LibraryLimitKind, is_plain, truncated};

/// What the library refuses of a commit that the machine can do.
pub(super) fn judge(
    pass: &Pass,
    element: &Written<Mapping>,
    derived: &CommitDerivation,
) -> Option<LibraryLimitKind> {
    let output = pass.output();
    let (time, packet) = (forms::known(&output.time)?, forms::known(&output.packet)?);
    let element = forms::known(element)?;
    let committed = derived.sequence.as_ref()?.packet_elements?;
    if committed == 0 || ![time, packet, element].into_iter().all(is_plain) {
        return None;
    }
    let padding = LibraryLimitKind::CommitPadding {
        positions: element.size(),
        time: time.size(),
        packet: committed,
    };
    let innermost = element
        .size()
        .is_multiple_of(time.size())
        .then(|| element.size() / time.size())
        .and_then(|positions| element.split_at(positions));
    let Some((outer, inner)) = innermost else {
        return Some(padding);
    };
    if !inner.is_resize_of(packet) {
        // More positions than are committed are padding in between; as many, another order.
        return Some(if inner.size() > committed {
            padding
        } else {
            LibraryLimitKind::CommitPacket {
                found: inner.to_mapping(),
                packet: packet.to_mapping(),
            }
        });
    }
    let divides = |one: &Form, other: &Form| forms::divide_relaxed(one, other).exact();
    if !divides(time, &outer) || !divides(&outer, time) {
        return Some(LibraryLimitKind::CommitPacket {
            found: inner.to_mapping(),
            packet: packet.to_mapping(),
        });
    }
    let axis = truncated(&Form::multiply(time, packet)?, element)?;
    Some(LibraryLimitKind::Truncation { axis })
}
