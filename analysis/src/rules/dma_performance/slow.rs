//! A transfer that takes several times what its bytes need, and what of its shape that comes from.
//!
//! Says the cause in numbers where no other rule names one: what would be better is for the search of remedies.

use crate::derivation::dma::DmaDerivation;
use crate::kernel::{Body, Copy, Operation, Tensor, Tier};
use crate::mapping::Mapping;
use crate::rules::wording::thousands;
use crate::simulation::dma::{
    DmaCost, REQUEST_BYTES, SidePattern, dm::ENGINE_SLICES, least_cycles,
};

use super::super::heavy::{may_be_heavy, share};
use super::super::{Checked, Finding};
use super::SLOW_TRANSFER;

/// Packets of fewer bytes are a cause.
const SMALL_PACKET: u64 = 64;

/// The finding of a transfer that no other rule says anything of.
pub(super) fn finding(
    checked: &Checked<'_>,
    operation: &Operation,
    copy: &Copy,
    derived: &DmaDerivation,
    cost: &DmaCost,
) -> Option<Finding> {
    let body = checked.body;
    if !may_be_heavy(cost.cycles) || !derived.violations.is_empty() {
        return None;
    }
    let moved = Moved::of(body, copy)?;
    let tiers = (moved.source.tier, moved.target.tier);
    let need = least_cycles(body, checked.model, tiers, moved.bytes, moved.engines)?;
    let takes = share(checked, operation, cost.cycles, need)?;
    let causes = moved.causes(derived, cost);
    if causes.is_empty() {
        return None;
    }
    let what = match tiers {
        (Tier::Dm, Tier::Hbm) => "store",
        (Tier::Hbm, Tier::Dm) => "load",
        _ => "transfer",
    };
    Some(
        Finding::new(
            &SLOW_TRANSFER,
            copy.span,
            format!(
                "the {what} {takes}, and its {} bytes need about {}: {}",
                thousands(moved.bytes),
                thousands(need),
                causes.join("; ")
            ),
        )
        .help("the cost of the kernel lists changes that a search found: other splits over slices and elements, results gathered before they are stored"),
    )
}

/// What a transfer moves.
struct Moved<'a> {
    source: &'a Tensor,
    target: &'a Tensor,
    /// Bytes that are written, copies included.
    bytes: u64,
    /// Times that each byte of the source is written.
    copies: u64,
    /// Engines that the clusters have.
    engines: u64,
}

impl<'a> Moved<'a> {
    fn of(body: &'a Body, copy: &Copy) -> Option<Self> {
        let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
        let (read, bytes) = (live_bytes(source)?, live_bytes(target)?);
        let dm = if target.tier == Tier::Dm {
            target
        } else {
            source
        };
        if dm.tier != Tier::Dm {
            return None;
        }
        let clusters = dm.levels.cluster.as_ref()?.get()?.form().live_size();
        Some(Self {
            source,
            target,
            // What a store has more of than HBM is not written.
            bytes: if target.tier == Tier::Dm {
                bytes
            } else {
                bytes.min(read)
            },
            copies: if target.tier == Tier::Dm {
                bytes.checked_div(read)?.max(1)
            } else {
                1
            },
            engines: clusters
                .saturating_mul(body.machine.slices / ENGINE_SLICES)
                .max(1),
        })
    }

    fn causes(&self, derived: &DmaDerivation, cost: &DmaCost) -> Vec<String> {
        let mut causes = Vec::new();
        let run = derived.run_bits.map_or(0, |bits| bits / 8);
        let partial = match &cost.write {
            SidePattern::Hbm(pattern) => pattern.partial_writes,
            _ => 0,
        };
        if partial > 0 && run > 0 {
            let pieces = REQUEST_BYTES.div_ceil(run);
            causes.push(format!(
                "runs of {run} bytes, {}",
                if pieces > 1 {
                    format!("{pieces} pieces to each unit of {REQUEST_BYTES} bytes, which is read, changed and written for each")
                } else {
                    format!("each with parts of units of {REQUEST_BYTES} bytes, which are read, changed and written")
                }
            ));
        } else if cost.packet_bytes > 0 && cost.packet_bytes < SMALL_PACKET {
            causes.push(format!(
                "packets of {} bytes in requests that could be of {REQUEST_BYTES}",
                cost.packet_bytes
            ));
        } else if run > 0 && run < REQUEST_BYTES {
            causes.push(format!(
                "runs of {run} bytes in requests that could be of {REQUEST_BYTES}"
            ));
        }
        if self.copies > 1 {
            causes.push(format!("{} copies of each byte", thousands(self.copies)));
        }
        if cost.engines < self.engines {
            causes.push(format!(
                "{} of {} engines at work",
                cost.engines, self.engines
            ));
        }
        causes
    }
}

/// Bytes of a tensor on all chips that are no padding.
fn live_bytes(tensor: &Tensor) -> Option<u64> {
    let mut bits = tensor.element_type.get()?.bits();
    for (_, level) in tensor.levels.iter() {
        for digit in level.get().map(Mapping::form)?.digits() {
            bits = bits.checked_mul(digit.live)?;
        }
    }
    Some(bits.div_ceil(8))
}
