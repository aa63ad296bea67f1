//! One access of an operand in the VRF: what the indexer can address for a packet.
//!
//! The indexer reads one address for all lanes, or as many consecutive cells as there are lanes. Padded lanes read nothing
//! that counts. Where selections are ragged or of groups, no answer is given.

use crate::forms;
use crate::mapping::{Cell, Form};

/// What the indexer makes of one packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// All lanes read one address.
    Broadcast,
    /// Lane after lane reads cell after cell.
    Run,
    /// Neither.
    Scattered,
}

/// How a packet of at most eight elements reads an operand; `None` where the algebra may have missed a part of it.
pub fn operand_access(packet: &Form, operand: &Form) -> Option<Access> {
    if forms::may_share_ragged(packet, operand) || forms::may_share_ragged(operand, packet) {
        return None;
    }
    let parts = forms::divide_relaxed(packet, operand).matches;
    let cell = |lane: u64| {
        parts.iter().try_fold(0_u64, |cell, part| {
            let step = lane.checked_div(part.dividend_stride)? % part.count.max(1);
            cell.checked_add(step.checked_mul(part.divisor_stride)?)
        })
    };
    let live = (0..packet.size()).filter(|lane| matches!(packet.cell_at(*lane), Cell::Index(_)));
    let mut reads = Vec::new();
    for lane in live {
        reads.push((lane, cell(lane)?));
    }
    let Some(&(first, base)) = reads.first() else {
        return Some(Access::Broadcast);
    };
    if reads.iter().all(|(_, cell)| *cell == base) {
        return Some(Access::Broadcast);
    }
    let run = |(lane, cell): &(u64, u64)| lane.checked_sub(first) == cell.checked_sub(base);
    Some(if reads.iter().all(run) {
        Access::Run
    } else {
        Access::Scattered
    })
}
