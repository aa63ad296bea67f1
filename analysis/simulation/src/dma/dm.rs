//! One side of a transfer in data memory: engines, DMNs and slices (book: Data Memory, Optimizing DMA Performance).
//!
//! Knows which slices the loops of a transfer reach and so how its requests fall to engines and DMNs. The addresses within
//! a slice make no difference: a slice answers whole requests whatever their alignment.

use super::REQUEST_BYTES;

/// Slices that one engine serves.
pub use crate::hardware::DMA_ENGINE_SLICES as ENGINE_SLICES;
pub use crate::hardware::{DMN_BYTES, DMN_SLICES};

/// Slices of a chip that are looked at, over all loops.
const SLICE_LIMIT: u64 = 65_536;

/// A loop over slices, numbered through the clusters of a chip.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SliceLoop {
    /// Iterations.
    pub size: u64,
    /// Slices between two of them.
    pub step: u64,
}

/// The slices that a transfer reaches on one side, a chip at a time.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SliceUse {
    /// Iterations over all slices.
    pub iterations: u64,
    /// Engines whose slices are reached.
    pub engines: u64,
    /// Iterations of the busiest engine.
    pub engine_share: u64,
    /// DMNs of the busiest engine that are reached: 2 where its requests can alternate.
    pub engine_dmns: u64,
    /// Iterations of the busiest DMN.
    pub dmn_share: u64,
    /// Different slices that the busiest DMN reaches.
    pub dmn_slices: u64,
}

/// Every iteration of a nest of loops over slices, as slice numbers, the outermost loop first; `None` beyond a limit.
pub(super) fn slices(loops: &[SliceLoop]) -> Option<Vec<u64>> {
    let count = loops
        .iter()
        .try_fold(1_u64, |total, slices| total.checked_mul(slices.size))?;
    if count > SLICE_LIMIT {
        return None;
    }
    let mut numbers = vec![0];
    for slices in loops {
        let outer = std::mem::take(&mut numbers);
        for base in outer {
            for iteration in 0..slices.size {
                numbers.push(iteration.checked_mul(slices.step)?.checked_add(base)?);
            }
        }
    }
    Some(numbers)
}

impl SliceUse {
    /// What the loops reach; `None` if they are more than a chip could have.
    pub fn of(loops: &[SliceLoop]) -> Option<Self> {
        let mut numbers = slices(loops)?;
        numbers.sort_unstable();
        // Units with their iterations, in the order of the units.
        let share = |unit: u64| {
            let mut counts: Vec<(u64, u64)> = Vec::new();
            for number in &numbers {
                match counts.last_mut() {
                    Some((last, count)) if *last == number / unit => *count += 1,
                    _ => counts.push((number / unit, 1)),
                }
            }
            counts
        };
        let (engines, dmns, single) = (share(ENGINE_SLICES), share(DMN_SLICES), share(1));
        let busiest = |counts: &[(u64, u64)]| {
            let most = counts.iter().max_by_key(|(_, count)| *count);
            most.copied().unwrap_or((0, 0))
        };
        let (engine, engine_share) = busiest(&engines);
        let (dmn, dmn_share) = busiest(&dmns);
        let within = |counts: &[(u64, u64)], unit: u64, of: u64| {
            let inside = counts.iter().filter(|(number, _)| number / unit == of);
            inside.count() as u64
        };
        Some(Self {
            iterations: numbers.len() as u64,
            engines: engines.len() as u64,
            engine_share,
            engine_dmns: within(&dmns, ENGINE_SLICES / DMN_SLICES, engine),
            dmn_share,
            dmn_slices: within(&single, DMN_SLICES, dmn),
        })
    }
}

/// How a transfer meets data memory on one side.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DmPattern {
    /// Requests of a chip, over all engines.
    pub requests: u64,
    /// The slices reached.
    pub slices: SliceUse,
    /// Cycles that the busiest engine needs to issue its requests, one a cycle.
    pub engine_cycles: u64,
    /// Cycles that the busiest DMN needs to answer its requests, 128 bytes a cycle.
    pub dmn_cycles: u64,
}

impl DmPattern {
    /// The pattern of `packets` packets of so many bytes that spread evenly over the iterations of these slices;
    /// `engine_packets` of them are the busiest engine's. `None` beyond 2^64.
    pub fn of(slices: SliceUse, packets: u64, engine_packets: u64, bytes: u64) -> Option<Self> {
        let per_packet = bytes.div_ceil(REQUEST_BYTES);
        let service = (bytes / REQUEST_BYTES)
            .checked_mul(REQUEST_BYTES / DMN_BYTES)?
            .checked_add((bytes % REQUEST_BYTES).div_ceil(DMN_BYTES))?;
        let dmn_packets = (u128::from(packets) * u128::from(slices.dmn_share))
            .div_ceil(u128::from(slices.iterations.max(1)));
        Some(Self {
            requests: packets.checked_mul(per_packet)?,
            engine_cycles: engine_packets.checked_mul(per_packet)?,
            dmn_cycles: u64::try_from(dmn_packets).ok()?.checked_mul(service)?,
            slices,
        })
    }

    /// Cycles that this side is busy.
    pub fn cycles(&self) -> u64 {
        self.engine_cycles.max(self.dmn_cycles)
    }
}
