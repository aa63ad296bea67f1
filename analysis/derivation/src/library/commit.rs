//! Commits: the library looks for the packet, in its own order, innermost in the element, and for the stream's
//! iterations, without further padding, outside of it (library: 5.11, commit).

use crate::commit::CommitDerivation;
use crate::forms;
use crate::kernel::{Pass, Written};
use crate::mapping::{Form, Mapping};
use crate::moves::dropped_axis;
use crate::thread_memo::ThreadMemo;

use super::{LibraryLimitKind, find_truncated, is_plain, partly_moved};

/// What the library refuses of a commit that the machine can do.
pub(super) fn judge_commit(
    pass: &Pass,
    element: &Written<Mapping>,
    derived: &CommitDerivation,
) -> Option<LibraryLimitKind> {
    let output = pass.output();
    let question = Committed {
        time: output.time.get()?.clone(),
        packet: output.packet.get()?.clone(),
        element: element.get()?.clone(),
        elements: derived.sequence.as_ref()?.packet_elements?,
    };
    JUDGED.with(|known| known.answer_or_find(question, find))
}

/// A stream, the element that it is committed to, and how many elements of a packet are.
#[derive(PartialEq, Eq, Hash)]
struct Committed {
    time: Mapping,
    packet: Mapping,
    element: Mapping,
    elements: u64,
}

thread_local! {
    static JUDGED: ThreadMemo<Committed, Option<LibraryLimitKind>> = ThreadMemo::default();
}

fn find(question: &Committed) -> Option<LibraryLimitKind> {
    let parts = [&question.time, &question.packet, &question.element];
    if parts.into_iter().any(Mapping::is_opaque) {
        return None;
    }
    let [time, packet, element] = parts.map(Mapping::form);
    let committed = question.elements;
    if committed == 0 {
        return None;
    }
    if ![time, packet, element].into_iter().all(is_plain) {
        // Whether the packet is found in ragged runs or cut groups depends on how these are spelt; that data goes does not.
        let stream = Form::multiply(time, packet)?;
        let axis = dropped_axis(&stream, element)?;
        return Some(partly_moved(&stream, axis));
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
    find_truncated(&Form::multiply(time, packet)?, element)
}
