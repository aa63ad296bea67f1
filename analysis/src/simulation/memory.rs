//! Memory over time: who occupies which bytes of DM, TRF, VRF and HBM from which cycle to which.

use crate::derivation::BodyDerivation;
use crate::kernel::{Body, TensorId, Tier};

use super::Schedule;

/// A tensor's stay in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Occupancy {
    /// The tensor.
    pub tensor: TensorId,
    /// Its memory.
    pub tier: Tier,
    /// First byte, in the slice (DM, VRF, TRF) or chip (HBM); `None` if it is no constant.
    pub address: Option<u64>,
    /// Bytes; `None` if unknown.
    pub bytes: Option<u64>,
    /// First cycle.
    pub from: u64,
    /// Cycle after the last.
    pub to: u64,
}

/// The most bytes that are occupied at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Peak {
    /// Bytes of DM a slice.
    pub dm_bytes: u64,
    /// Bytes of TRF a slice.
    pub trf_bytes: u64,
    /// Bytes of VRF a slice.
    pub vrf_bytes: u64,
}

/// What lies where and when.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryTimeline {
    /// One entry an allocation.
    pub occupancies: Vec<Occupancy>,
    /// Peaks.
    pub peak: Peak,
}

/// Derives it.
#[must_use]
pub fn derive(_body: &Body, _derivation: &BodyDerivation, _schedule: &Schedule) -> MemoryTimeline {
    MemoryTimeline::default()
}
