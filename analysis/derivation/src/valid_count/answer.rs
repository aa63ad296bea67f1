//! What is asked of a placement, and what is answered.

use super::digits::Digits;
use super::fewest::Wanted;
use super::setting::{Dimension, Gate, PacketCount};

/// What is asked: where the axis is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Question {
    /// Elements of the axis.
    pub size: u64,
    /// Its digits in the slice.
    pub slice: Digits,
    /// Slices.
    pub slices: u64,
    /// Its digits in time.
    pub time: Digits,
    /// Time steps, those of other axes included.
    pub steps: u64,
    /// Its digits in the packet.
    pub packet: Digits,
    /// For each of the eight lanes the element's part in the packet; `None` where the lane holds no element at all.
    pub lanes: Vec<Option<u64>>,
    /// Other axes in the packet.
    pub others: Vec<String>,
}

/// Two flits of one time step that need different counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CountConflict {
    /// A slice.
    pub first_slice: u64,
    /// What it needs to count.
    pub first_count: u64,
    /// Another slice.
    pub second_slice: u64,
    /// What it needs to count.
    pub second_count: u64,
    /// The time step.
    pub time: u64,
}

/// How many of the axis's time steps hold data in a slice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SliceSteps {
    /// A slice.
    pub slice: u64,
    /// Time steps of the axis that hold data there.
    pub valid: u64,
}

/// Why no setting yields the counts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The axis's part in the packet is not its innermost digit, or not the front of the packet.
    PacketNotInnermost {
        /// Elements of the axis between two of its lanes.
        lane_stride: u64,
        /// Lanes that hold the axis.
        lanes: u64,
    },
    /// Other axes share the packet.
    PacketShared {
        /// Their names.
        others: Vec<String>,
    },
    /// Slices need different partial counts at one time step.
    SlicePacket(CountConflict),
    /// The digits in the slice do not ascend from inner to outer.
    SliceOrder {
        /// Elements of the axis a step of each digit in the slice moves, outermost in the slice first.
        strides: Vec<u64>,
        /// What the first slices need.
        steps: Vec<SliceSteps>,
        /// Time steps of the axis altogether.
        time_steps: u64,
    },
    /// Digits in time are on both sides of digits in the slice.
    Interleaved {
        /// What the first slices need.
        steps: Vec<SliceSteps>,
        /// Time steps of the axis altogether.
        time_steps: u64,
    },
    /// The slice holds the inner digits, and time has more steps than the axis fills.
    TransposedTime {
        /// Time steps of the axis.
        time_steps: u64,
        /// Time steps that the fullest slice needs.
        needed: u64,
        /// Size of the axis's part in the slice.
        slice_size: u64,
        /// The padded size that works.
        padded: u64,
    },
    /// More than the generator has.
    Dimensions {
        /// Gates that would be needed.
        gates: usize,
        /// Packet counts that would be needed.
        packets: usize,
        /// Counters that would be needed at least; 0 where they are not what is missing.
        counters: usize,
    },
}

/// A digit of the axis in time that a dimension counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Assigned {
    /// Time steps between two of its steps.
    pub position_stride: u64,
    /// Its steps.
    pub limit: u64,
    /// What one step adds to the dimension's index.
    pub stride: u64,
}

/// The part of a setting that one axis takes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct AxisSetting {
    /// The packet count, if the axis takes it.
    pub packet: Option<PacketCount>,
    /// The gate, if it takes one.
    pub gate: Option<Gate>,
    /// Its counters.
    pub counters: Vec<Assigned>,
    /// What the counters have to achieve, and whether the packet count or the gate goes by them.
    pub wanted: Wanted,
}

impl AxisSetting {
    /// The dimension of its counters, given the number of its gate.
    pub(super) const fn dimension(&self, gate: usize) -> Dimension {
        if self.wanted.packets {
            Dimension::Packet
        } else {
            Dimension::Gate(gate)
        }
    }

    /// The part with other counters, which end at another index.
    pub(super) fn with_counters(mut self, counters: Vec<Assigned>, end: u64) -> Self {
        self.counters = counters;
        if self.wanted.packets {
            if let Some(packet) = &mut self.packet {
                packet.valid = end;
            }
        } else if let Some(gate) = &mut self.gate {
            gate.valid = end;
        }
        self
    }
}

/// The answer for one axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AxisAnswer {
    /// Every flit is full: nothing is counted.
    Unneeded,
    /// A setting exists.
    Supported(AxisSetting),
    /// None does.
    Refused(Refusal),
}
