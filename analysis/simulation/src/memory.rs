//! Memory over time: who occupies which bytes of DM, TRF, VRF and HBM from which cycle to which.
//!
//! Allocations and their lifetimes come from the derivation, cycles from the schedule; nothing is decided here about
//! conflicts. Without a schedule there are no cycles, and the list is empty.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::derivation::BodyDerivation;
use crate::derivation::conventions::Conventions;
use crate::derivation::memory::free::free_stretches;
use crate::hardware::Machine;
use crate::kernel::{Body, TensorId, Tier};

use super::Schedule;
use super::addresses::{Wanted, place_tensors};
use super::overfull::{Overfull, overfull_memories};

/// A tensor's stay in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupancy {
    /// The tensor.
    pub tensor: TensorId,
    /// Its memory.
    pub tier: Tier,
    /// First byte, in the slice (DM, VRF, TRF) or chip (HBM); `None` if it is no constant.
    pub address: Option<u64>,
    /// Where it is assumed to begin, if the library chooses its address: the first bytes that are free while it lives.
    pub assumed_address: Option<u64>,
    /// Bytes; `None` if unknown.
    pub bytes: Option<u64>,
    /// First cycle.
    pub from: u64,
    /// Cycle after the last.
    pub to: u64,
}

/// The most bytes that are occupied at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, JsonSchema)]
pub struct Peak {
    /// Bytes of DM a slice.
    pub dm_bytes: u64,
    /// Bytes of TRF a slice.
    pub trf_bytes: u64,
    /// Bytes of VRF a slice.
    pub vrf_bytes: u64,
}

/// Bytes of a memory that nothing occupies from one cycle to another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hole {
    /// The memory.
    pub tier: Tier,
    /// First byte.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
}

/// What is where and when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryTimeline {
    /// One entry an allocation.
    pub occupancies: Vec<Occupancy>,
    /// Peaks.
    pub peak: Peak,
    /// The memories whose peaks are above their sizes.
    pub overfull: Vec<Overfull>,
    /// What the kernel runs on.
    pub machine: Machine,
}

impl MemoryTimeline {
    /// Bytes of a memory, a slice; `None` for those that are no part of a slice.
    pub const fn capacity(&self, tier: Tier) -> Option<u64> {
        match tier {
            Tier::Dm | Tier::Trf | Tier::Vrf => tier.capacity(&self.machine),
            Tier::Hbm | Tier::Host | Tier::Spm => None,
        }
    }

    /// The places of a memory that stay free over the whole of `[from, to)`, in the order of their addresses; `None` if
    /// something is there at an unknown place, or the memory has no size here.
    pub fn holes(&self, tier: Tier, from: u64, to: u64) -> Option<Vec<Hole>> {
        let capacity = self.capacity(tier)?;
        let mut taken: Vec<(u64, u64)> = Vec::new();
        for occupancy in self
            .occupancies(tier)
            .filter(|one| one.from < to && from < one.to)
        {
            let start = occupancy.address?;
            taken.push((start, start.checked_add(occupancy.bytes?)?));
        }
        let hole = |(start, end): (u64, u64)| Hole {
            tier,
            address: start,
            bytes: end - start,
        };
        Some(
            free_stretches(taken, capacity)
                .into_iter()
                .map(hole)
                .collect(),
        )
    }

    /// Bytes that are occupied from each cycle on at which the number changes.
    pub fn occupied(&self, tier: Tier) -> Vec<(u64, u64)> {
        let mut changes: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
        for occupancy in self.occupancies(tier).filter(|one| one.to > one.from) {
            let bytes = occupancy.bytes.unwrap_or(0);
            let arrives = &mut changes.entry(occupancy.from).or_default().0;
            *arrives = arrives.saturating_add(bytes);
            let leaves = &mut changes.entry(occupancy.to).or_default().1;
            *leaves = leaves.saturating_add(bytes);
        }
        let mut now: u64 = 0;
        changes
            .into_iter()
            .map(|(cycle, (arrives, leaves))| {
                now = now.saturating_add(arrives).saturating_sub(leaves);
                (cycle, now)
            })
            .collect()
    }

    /// Gives tensors places that they do not share, in memories in which none has an address.
    fn assume_addresses(&mut self) {
        for tier in [Tier::Dm, Tier::Trf, Tier::Vrf] {
            let chosen = self.occupancies(tier).all(|one| one.address.is_none());
            let Some(capacity) = self.capacity(tier).filter(|_| chosen) else {
                continue;
            };
            let mut unplaced: Vec<&mut Occupancy> = self
                .occupancies
                .iter_mut()
                .filter(|one| one.tier == tier)
                .collect();
            let wanted = unplaced.iter().map(|one| Wanted {
                bytes: one.bytes.unwrap_or(0),
                from: one.from,
                to: one.to,
            });
            let places = place_tensors(&wanted.collect::<Vec<_>>(), capacity);
            for (one, place) in unplaced.iter_mut().zip(places) {
                one.assumed_address = place;
            }
        }
    }

    fn occupancies(&self, tier: Tier) -> impl Iterator<Item = &Occupancy> {
        self.occupancies.iter().filter(move |one| one.tier == tier)
    }
}

/// Derives it.
pub fn derive_timeline(
    body: &Body,
    derivation: &BodyDerivation,
    schedule: &Schedule,
) -> MemoryTimeline {
    let machine = body.machine;
    let Some(total) = schedule.total else {
        return MemoryTimeline {
            machine,
            ..MemoryTimeline::default()
        };
    };
    // The last reader in the program need not be the last to end, where two contexts work at once.
    let mut ends = vec![0; derivation.memory.lifetimes.len()];
    for (touches, slot) in derivation.memory.touches.iter().zip(&schedule.slots) {
        for touch in touches {
            if let Some(end) = ends.get_mut(touch.allocation) {
                *end = slot.end.max(*end);
            }
        }
    }
    let lifetimes = derivation.memory.lifetimes.iter().zip(ends);
    let occupancies = lifetimes.map(|(lifetime, end)| {
        let from = schedule.slot(lifetime.from).map_or(0, |slot| slot.start);
        let to = if lifetime.outlives_body {
            total
        } else {
            schedule
                .slot(lifetime.to)
                .map_or(total, |slot| slot.end.max(end))
        };
        Occupancy {
            tensor: lifetime.tensor,
            tier: lifetime.tier,
            address: lifetime.address,
            assumed_address: None,
            bytes: lifetime.bytes,
            from,
            to: to.max(from),
        }
    });
    let mut timeline = MemoryTimeline {
        occupancies: occupancies.collect(),
        peak: Peak::default(),
        overfull: Vec::new(),
        machine,
    };
    if !Conventions::of(body.dialect).is_addressed() {
        timeline.assume_addresses();
    }
    let peak = |tier| {
        let steps = timeline.occupied(tier).into_iter();
        steps.map(|(_, bytes)| bytes).max().unwrap_or(0)
    };
    timeline.peak = Peak {
        dm_bytes: peak(Tier::Dm),
        trf_bytes: peak(Tier::Trf),
        vrf_bytes: peak(Tier::Vrf),
    };
    timeline.overfull = overfull_memories(derivation, &timeline);
    timeline
}
