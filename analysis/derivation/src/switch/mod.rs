//! The Switch Engine: which slices exchange packets, and what slices and time become.
//!
//! Knows the named topologies and the custom ring. A regular topology fixes the output up to the broadcast positions;
//! a custom ring fixes the time and bounds the ring. Which releases compare whole frames, and ask for exactly the
//! ring that the exchange needs, is known to the conventions. Elsewhere it is not known whether data is lost on the way
//! (a tensor's business): it only names the axes that leave.

mod copies;
mod custom;
mod regular;

#[cfg(test)]
mod brute_force;
#[cfg(test)]
mod frames_tests;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use crate::hardware::{FLIT_BYTES, Machine};
use crate::kernel::{Pass, StageKind, StreamShape, SwitchConfig, SwitchParameter, Written};
use crate::mapping::{Form, Mapping};

use super::conventions::Conventions;
use super::forms;

/// What the Switch Engine makes of one stage.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SwitchDerivation {
    /// Slices of a ring: those that exchange packets with one another. All rings work side by side.
    pub ring_size: Option<u64>,
    /// Busy cycles: ring size x input time x flits a packet (book: Cycle Estimation).
    pub cycles: Option<u64>,
    /// What the topology makes of the input. Broadcast positions of the slices are the declared ones where these are
    /// free to choose, else `1 # n`. For a custom ring the slices are the declared ones.
    pub expected: Option<SwitchShape>,
    /// Custom ring: the smallest ring that holds every exchange.
    pub least_ring: Option<u64>,
    /// Custom ring: axes that leave the slices and do not appear in time.
    pub lost: Vec<String>,
    /// What the engine cannot do: at most one, the first by the order of [`SwitchViolation`].
    pub violations: Vec<SwitchViolation>,
}

/// Slices and time that leave the Switch Engine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SwitchShape {
    /// The slices.
    pub slice: Mapping,
    /// The time.
    pub time: Mapping,
}

/// A mapping that the Switch Engine changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SwitchPart {
    /// The output slice.
    Slice,
    /// The output time.
    Time,
}

/// What the Switch Engine cannot do, in the order in which it is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchViolation {
    /// A parameter is 0.
    ZeroParameter {
        /// Which.
        parameter: SwitchParameter,
    },
    /// The ring is no power of two up to all slices.
    RingSize {
        /// Slices of the ring asked for.
        ring_size: u64,
    },
    /// Input and output slices are not both those of a cluster.
    SliceSize {
        /// Slices before.
        input: u64,
        /// Slices after.
        output: u64,
    },
    /// `slice1 * slice0` does not divide the slices. All slice counts are powers of two, so that a part that is none does
    /// not either.
    SliceIndivisible {
        /// `slice1`.
        slice1: u64,
        /// `slice0`.
        slice0: u64,
        /// Slices before.
        slices: u64,
    },
    /// `time0` (with `slice1` where that part of time moves into the slices) does not divide the time.
    TimeIndivisible {
        /// `slice1`, where it counts.
        slice1: Option<u64>,
        /// `time0`.
        time0: u64,
        /// Iterations before.
        time: u64,
    },
    /// A broadcast position of the output slice names axes of the input's slices or time.
    BroadcastAxisReused {
        /// Which, sorted.
        axes: Vec<String>,
    },
    /// Two broadcast positions of the output slice name one and the same part of an axis.
    CopiesTwice {
        /// The axis.
        axis: String,
    },
    /// A broadcast position of the output slice is on padding that must not be written or has to read as zero, or on any
    /// padding in releases that take none.
    CopiesOnPadding {
        /// The position as declared.
        declared: Mapping,
    },
    /// Custom ring: a part of the input's time moves into the slices.
    SliceFromTime {
        /// The axes, sorted.
        axes: Vec<String>,
    },
    /// The output is not what the topology makes of the input: see [`SwitchDerivation::expected`].
    Topology {
        /// The mapping that differs first.
        part: SwitchPart,
    },
    /// Custom ring: data of the input is in neither the slices nor the time of the output.
    Dropped {
        /// Axes of which a part is missing, sorted.
        axes: Vec<String>,
    },
    /// Custom ring: axes that moved from the slices are not innermost in the output time.
    NotInnermost {
        /// The parts that moved, in the order of the input slice, outermost first.
        moved: Vec<String>,
    },
    /// Custom ring: axes that moved from the slices into time are in another order than in the slices.
    Order {
        /// The parts that moved, in the order of the input slice, outermost first.
        moved: Vec<String>,
    },
    /// Custom ring: smaller than the slices that exchange data.
    RingTooSmall {
        /// Slices of the ring asked for.
        ring_size: u64,
        /// The smallest ring that works.
        least: u64,
    },
    /// Custom ring: larger than the slices that exchange data, where a library takes no other than the least.
    RingTooLarge {
        /// Slices of the ring asked for.
        ring_size: u64,
        /// The ring that the exchange needs.
        least: u64,
    },
}

/// The forms that a topology is judged by.
struct Forms<'a> {
    slice: &'a Form,
    time: &'a Form,
    out_slice: &'a Form,
    out_time: &'a Form,
}

impl Forms<'_> {
    /// The names of the axes that the engine moves: a packet passes whole.
    fn input_names(&self) -> BTreeSet<String> {
        [self.slice, self.time]
            .into_iter()
            .flat_map(forms::axis_names)
            .collect()
    }
}

/// What a topology makes of its input (`None` where that has no plain expression), and the first thing that differs.
struct Judgement {
    shape: Option<SwitchShape>,
    violation: Option<SwitchViolation>,
}

/// Derives the switch stage `index` of a pass.
pub fn derive_switch(pass: &Pass, index: usize) -> SwitchDerivation {
    let mut derived = SwitchDerivation::default();
    let Some(stage) = pass.stages.get(index) else {
        return derived;
    };
    let StageKind::Switch(config) = &stage.kind else {
        return derived;
    };
    let Some(config) = config.get().and_then(Parameters::read) else {
        return derived;
    };
    let input = pass.input_of(index);
    derived.ring_size = config.ring_size();
    derived.cycles = derived
        .ring_size
        .and_then(|ring| switch_cycles(ring, input));
    let rules = (pass.machine, Conventions::of(pass.dialect));
    let violation = judge_switch(rules, &config, (input, &stage.output), &mut derived);
    derived.violations.extend(violation);
    derived
}

/// Ring size x input time x flits a packet; `None` if unknown or beyond 64 bits.
fn switch_cycles(ring_size: u64, input: &StreamShape) -> Option<u64> {
    let time = input.time.get()?.size();
    let bits = input
        .packet
        .get()?
        .size()
        .checked_mul(input.element_type.get()?.bits())?;
    ring_size
        .checked_mul(time)?
        .checked_mul(bits.div_ceil(FLIT_BYTES * 8))
}

fn judge_switch(
    (machine, conventions): (Machine, Conventions),
    config: &Parameters,
    (input, output): (&StreamShape, &StreamShape),
    derived: &mut SwitchDerivation,
) -> Option<SwitchViolation> {
    if let Some(parameter) = config.zero() {
        return Some(SwitchViolation::ZeroParameter { parameter });
    }
    if let Parameters::Custom { ring_size } = *config
        && (!ring_size.is_power_of_two() || ring_size > machine.slices)
    {
        return Some(SwitchViolation::RingSize { ring_size });
    }
    let slices = input.slice.get()?.size();
    let out_slices = output.slice.get()?.size();
    let fit = machine.takes_slices(slices) && machine.takes_slices(out_slices);
    let sizes = (!fit).then_some(SwitchViolation::SliceSize {
        input: slices,
        output: out_slices,
    });
    if slices != out_slices {
        return sizes;
    }
    if let Some(violation) = config.indivisible(slices, input.time.get()?.size()) {
        // Parameters chosen for all slices do not fit fewer: that is the slices' fault.
        return sizes.or(Some(violation));
    }
    if sizes.is_some() {
        return sizes;
    }
    let forms = Forms {
        slice: forms::known_form(&input.slice)?,
        time: forms::known_form(&input.time)?,
        out_slice: forms::known_form(&output.slice)?,
        out_time: forms::known_form(&output.time)?,
    };
    let judgement = match *config {
        Parameters::Custom { ring_size } => {
            custom::judge_custom_ring((machine, conventions), &forms, ring_size, derived)
        }
        _ => regular::judge_regular(config, &forms, conventions)?,
    };
    derived.expected = judgement.shape;
    judgement.violation
}

/// A configuration whose parameters are all known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parameters {
    Broadcast01 {
        slice1: u64,
        slice0: u64,
        time0: u64,
    },
    Broadcast1 {
        slice1: u64,
        slice0: u64,
    },
    Transpose {
        slice1: u64,
        slice0: u64,
    },
    InterTranspose {
        slice1: u64,
        slice0: u64,
        time0: u64,
    },
    TransposedBroadcast1 {
        slice1: u64,
        slice0: u64,
    },
    Custom {
        ring_size: u64,
    },
    Forwarding,
}

impl Parameters {
    fn read(config: &SwitchConfig) -> Option<Self> {
        let value = |written: &Written<u64>| written.get().copied();
        Some(match config {
            SwitchConfig::Broadcast01 {
                slice1,
                slice0,
                time0,
            } => Self::Broadcast01 {
                slice1: value(slice1)?,
                slice0: value(slice0)?,
                time0: value(time0)?,
            },
            SwitchConfig::Broadcast1 { slice1, slice0 } => Self::Broadcast1 {
                slice1: value(slice1)?,
                slice0: value(slice0)?,
            },
            SwitchConfig::Transpose { slice1, slice0 } => Self::Transpose {
                slice1: value(slice1)?,
                slice0: value(slice0)?,
            },
            SwitchConfig::InterTranspose {
                slice1,
                slice0,
                time0,
            } => Self::InterTranspose {
                slice1: value(slice1)?,
                slice0: value(slice0)?,
                time0: value(time0)?,
            },
            SwitchConfig::TransposedBroadcast1 { slice1, slice0 } => Self::TransposedBroadcast1 {
                slice1: value(slice1)?,
                slice0: value(slice0)?,
            },
            SwitchConfig::CustomBroadcast { ring_size } => Self::Custom {
                ring_size: value(ring_size)?,
            },
            SwitchConfig::Forwarding => Self::Forwarding,
        })
    }

    /// `slice1`, `slice0` and `time0`, as far as the configuration has them.
    const fn slice_time_parameters(self) -> (Option<u64>, Option<u64>, Option<u64>) {
        match self {
            Self::Broadcast01 {
                slice1,
                slice0,
                time0,
            }
            | Self::InterTranspose {
                slice1,
                slice0,
                time0,
            } => (Some(slice1), Some(slice0), Some(time0)),
            Self::Broadcast1 { slice1, slice0 }
            | Self::Transpose { slice1, slice0 }
            | Self::TransposedBroadcast1 { slice1, slice0 } => (Some(slice1), Some(slice0), None),
            Self::Custom { .. } | Self::Forwarding => (None, None, None),
        }
    }

    /// The first parameter that is 0.
    fn zero(self) -> Option<SwitchParameter> {
        let (slice1, slice0, time0) = self.slice_time_parameters();
        let ring_size = match self {
            Self::Custom { ring_size } => Some(ring_size),
            _ => None,
        };
        [
            (slice1, SwitchParameter::Slice1),
            (slice0, SwitchParameter::Slice0),
            (time0, SwitchParameter::Time0),
            (ring_size, SwitchParameter::RingSize),
        ]
        .into_iter()
        .find_map(|(value, parameter)| (value == Some(0)).then_some(parameter))
    }

    /// Slices that exchange packets: the contiguous `slice1 * slice0`, or the custom ring.
    fn ring_size(self) -> Option<u64> {
        match self {
            Self::Custom { ring_size } => Some(ring_size),
            // Nothing is exchanged: each slice is a ring of its own.
            Self::Forwarding => Some(1),
            _ => {
                let (slice1, slice0, _) = self.slice_time_parameters();
                slice1?.checked_mul(slice0?)
            }
        }
    }

    /// The parameters that do not divide what they split. None of them is 0.
    fn indivisible(self, slices: u64, time: u64) -> Option<SwitchViolation> {
        let (Some(slice1), Some(slice0), time0) = self.slice_time_parameters() else {
            return None;
        };
        let divides = |product: Option<u64>, size: u64| {
            product.is_some_and(|product| size.is_multiple_of(product))
        };
        if !divides(slice1.checked_mul(slice0), slices) {
            return Some(SwitchViolation::SliceIndivisible {
                slice1,
                slice0,
                slices,
            });
        }
        let time0 = time0?;
        let moved = matches!(self, Self::InterTranspose { .. }).then_some(slice1);
        (!divides(time0.checked_mul(moved.unwrap_or(1)), time)).then_some(
            SwitchViolation::TimeIndivisible {
                slice1: moved,
                time0,
                time,
            },
        )
    }
}
