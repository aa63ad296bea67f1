//! Memories whose peak is above their size, each with the reason: no such figure stands alone.
//!
//! Takes peaks from the timeline and proofs from the derivation; a proof is a finding, and this names its rule.

use crate::derivation::BodyDerivation;
use crate::derivation::memory::{Lifetime, MemoryViolation, bytes_at_once};
use crate::kernel::Tier;
use crate::numbers::thousands;

use super::MemoryTimeline;

/// A memory whose peak is above its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Overfull {
    /// The memory: DM, TRF or VRF.
    pub tier: Tier,
    /// Bytes a slice at the peak.
    pub bytes: u64,
    /// Bytes of the memory, a slice.
    pub capacity: u64,
    /// Why.
    pub cause: OverfullCause,
}

/// Why a peak is above the size of its memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OverfullCause {
    /// It is proven that the tensors do not fit, wherever they are: the rule about capacity reports it.
    Capacity,
    /// Two tensors have the same bytes while both are needed: the rule about overlaps reports it.
    Overlap,
    /// The schedule starts operations before there is room. In the order of the source so many bytes are needed at once.
    Early {
        /// Bytes a slice.
        in_order: u64,
    },
    /// Nothing is proven: the lifetimes are an upper bound.
    UpperBound,
}

impl Overfull {
    /// The rule that reports it; `None` where nothing is proven.
    pub const fn rule(&self) -> Option<&'static str> {
        match (self.cause, self.tier) {
            (OverfullCause::Capacity, Tier::Dm) => Some("dm_capacity"),
            (OverfullCause::Capacity, Tier::Trf) => Some("trf_capacity"),
            (OverfullCause::Capacity, Tier::Vrf) => Some("vrf_capacity"),
            (OverfullCause::Overlap, Tier::Dm) => Some("dm_overlap"),
            (OverfullCause::Overlap, Tier::Trf) => Some("trf_overlap"),
            (OverfullCause::Overlap, Tier::Vrf) => Some("vrf_overlap"),
            _ => None,
        }
    }

    /// What the figure means, in a sentence without its end: `more than the 524,288 bytes of DM: ...`.
    pub fn sentence(&self) -> String {
        let name = match self.tier {
            Tier::Trf => "TRF",
            Tier::Vrf => "VRF",
            _ => "DM",
        };
        let why = match (self.cause, self.rule()) {
            (OverfullCause::Capacity, Some(rule)) => {
                format!("the kernel cannot be placed, which `{rule}` reports")
            }
            (OverfullCause::Overlap, Some(rule)) => {
                format!("tensors share bytes while both are needed, which `{rule}` reports")
            }
            (OverfullCause::Early { in_order }, _) => format!(
                "the predicted schedule starts transfers before there is room; in the order of the source {} bytes are needed at once. \
                 The compiler has to start some of them later, so the kernel may take longer than predicted",
                thousands(in_order)
            ),
            _ => "an upper bound, as each tensor counts from its first write to its last read over all runs of a loop; no overflow is \
                  proven"
                .to_owned(),
        };
        format!(
            "the {name} peak is more than the {} bytes that it holds: {why}",
            thousands(self.capacity)
        )
    }
}

/// The memories of a timeline whose peaks are above their sizes.
pub(super) fn overfull_memories(
    derivation: &BodyDerivation,
    timeline: &MemoryTimeline,
) -> Vec<Overfull> {
    let peak = timeline.peak;
    let peaks = [
        (Tier::Dm, peak.dm_bytes),
        (Tier::Trf, peak.trf_bytes),
        (Tier::Vrf, peak.vrf_bytes),
    ];
    peaks
        .into_iter()
        .filter_map(|(tier, bytes)| {
            let capacity = timeline.capacity(tier)?;
            (bytes > capacity).then(|| Overfull {
                tier,
                bytes,
                capacity,
                cause: overfull_cause(derivation, tier, capacity),
            })
        })
        .collect()
}

fn overfull_cause(derivation: &BodyDerivation, tier: Tier, capacity: u64) -> OverfullCause {
    let own = || {
        let lifetimes = derivation.memory.lifetimes.iter();
        lifetimes.filter(move |lifetime| lifetime.tier == tier)
    };
    let is_outside = |lifetime: &Lifetime| {
        let end = lifetime
            .address
            .unwrap_or(0)
            .checked_add(lifetime.bytes.unwrap_or(0));
        end.is_none_or(|end| end > capacity)
    };
    let violations = &derivation.memory.violations;
    let is_sum = |violation: &MemoryViolation| matches!(violation, MemoryViolation::Sum(sum) if sum.tier == tier);
    let is_overlap = |violation: &MemoryViolation| matches!(violation, MemoryViolation::Conflict { tier: other, .. } if *other == tier);
    if violations.iter().any(is_sum) || own().any(is_outside) {
        return OverfullCause::Capacity;
    }
    if violations.iter().any(is_overlap) {
        return OverfullCause::Overlap;
    }
    let in_order = bytes_at_once(
        own().filter_map(|lifetime| Some((lifetime.from, lifetime.to, lifetime.bytes?))),
    );
    if in_order <= capacity {
        OverfullCause::Early { in_order }
    } else {
        OverfullCause::UpperBound
    }
}
