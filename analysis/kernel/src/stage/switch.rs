//! Parameters of the Switch Engine as a kernel writes them; which of them a ring can do is `derivation`'s business.

use super::Written;

/// Parameters of the Switch Engine (book: Switch Engine; library: `SwitchConfig`).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SwitchConfig {
    /// Slices `[s2, s1, s0]` become `[s2, new, new]`; time `[t1, t0]` becomes `[t1, s1, t0, s0]`.
    Broadcast01 {
        /// Size of the outer broadcast part.
        slice1: Written<u64>,
        /// Size of the inner broadcast part.
        slice0: Written<u64>,
        /// Size of the inner time part.
        time0: Written<u64>,
    },
    /// Slices `[s2, s1, s0]` become `[s2, new, s0]`; time `[t]` becomes `[t, s1]`.
    Broadcast1 {
        /// Size of the broadcast part.
        slice1: Written<u64>,
        /// Size of the part that stays.
        slice0: Written<u64>,
    },
    /// Slices `[s2, s1, s0]` become `[s2, s0, s1]`.
    Transpose {
        /// Size of the outer part.
        slice1: Written<u64>,
        /// Size of the inner part.
        slice0: Written<u64>,
    },
    /// Slices `[s2, s1, s0]` become `[s2, t1, s0]`; time `[t2, t1, t0]` becomes `[t2, t0, s1]`.
    InterTranspose {
        /// Size of the part that changes places with time.
        slice1: Written<u64>,
        /// Size of the part that stays.
        slice0: Written<u64>,
        /// Size of the inner time part.
        time0: Written<u64>,
    },
    /// Any permutation; moved axes become innermost in time.
    CustomBroadcast {
        /// Slices of a ring.
        ring_size: Written<u64>,
    },
    /// Slices `[s2, s1, s0]` become `[s2, new, s1]`; time `[t]` becomes `[t, s0]`.
    TransposedBroadcast1 {
        /// Size of the part that stays.
        slice1: Written<u64>,
        /// Size of the broadcast part.
        slice0: Written<u64>,
    },
    /// Slices and time stay as they are.
    Forwarding,
}

impl SwitchConfig {
    /// The sizes, in the order of their declaration.
    pub fn numbers(&self) -> impl Iterator<Item = &Written<u64>> {
        self.parameters().into_iter().flatten()
    }

    /// The sizes, in the order of their declaration, to be changed.
    pub fn numbers_mut(&mut self) -> impl Iterator<Item = &mut Written<u64>> {
        let numbers = match self {
            Self::Broadcast01 {
                slice1,
                slice0,
                time0,
            }
            | Self::InterTranspose {
                slice1,
                slice0,
                time0,
            } => [Some(slice1), Some(slice0), Some(time0)],
            Self::Broadcast1 { slice1, slice0 }
            | Self::Transpose { slice1, slice0 }
            | Self::TransposedBroadcast1 { slice1, slice0 } => [Some(slice1), Some(slice0), None],
            Self::CustomBroadcast { ring_size } => [Some(ring_size), None, None],
            Self::Forwarding => [None, None, None],
        };
        numbers.into_iter().flatten()
    }
}

/// A topology of the Switch Engine without its sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SwitchTopology {
    /// See [`SwitchConfig::Broadcast01`].
    Broadcast01,
    /// See [`SwitchConfig::Broadcast1`].
    Broadcast1,
    /// See [`SwitchConfig::Transpose`].
    Transpose,
    /// See [`SwitchConfig::InterTranspose`].
    InterTranspose,
    /// See [`SwitchConfig::CustomBroadcast`].
    CustomBroadcast,
    /// See [`SwitchConfig::TransposedBroadcast1`].
    TransposedBroadcast1,
    /// See [`SwitchConfig::Forwarding`].
    Forwarding,
}

/// A parameter of a configuration of the Switch Engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SwitchParameter {
    /// Size of the outer part of the slices.
    Slice1,
    /// Size of the inner part of the slices.
    Slice0,
    /// Size of the inner part of the time.
    Time0,
    /// Slices of a ring.
    RingSize,
}

impl SwitchConfig {
    /// A topology with its sizes.
    pub fn new(topology: SwitchTopology, size: impl Fn(SwitchParameter) -> Written<u64>) -> Self {
        use SwitchParameter::{RingSize, Slice0, Slice1, Time0};
        match topology {
            SwitchTopology::Broadcast01 => Self::Broadcast01 {
                slice1: size(Slice1),
                slice0: size(Slice0),
                time0: size(Time0),
            },
            SwitchTopology::Broadcast1 => Self::Broadcast1 {
                slice1: size(Slice1),
                slice0: size(Slice0),
            },
            SwitchTopology::Transpose => Self::Transpose {
                slice1: size(Slice1),
                slice0: size(Slice0),
            },
            SwitchTopology::InterTranspose => Self::InterTranspose {
                slice1: size(Slice1),
                slice0: size(Slice0),
                time0: size(Time0),
            },
            SwitchTopology::CustomBroadcast => Self::CustomBroadcast {
                ring_size: size(RingSize),
            },
            SwitchTopology::TransposedBroadcast1 => Self::TransposedBroadcast1 {
                slice1: size(Slice1),
                slice0: size(Slice0),
            },
            SwitchTopology::Forwarding => Self::Forwarding,
        }
    }

    /// The topology.
    pub const fn topology(&self) -> SwitchTopology {
        match self {
            Self::Broadcast01 { .. } => SwitchTopology::Broadcast01,
            Self::Broadcast1 { .. } => SwitchTopology::Broadcast1,
            Self::Transpose { .. } => SwitchTopology::Transpose,
            Self::InterTranspose { .. } => SwitchTopology::InterTranspose,
            Self::CustomBroadcast { .. } => SwitchTopology::CustomBroadcast,
            Self::TransposedBroadcast1 { .. } => SwitchTopology::TransposedBroadcast1,
            Self::Forwarding => SwitchTopology::Forwarding,
        }
    }

    /// What is written for a parameter; `None` if the configuration has none of that name.
    pub const fn parameter(&self, field: SwitchParameter) -> Option<&Written<u64>> {
        let [first, second, third] = self.parameters();
        match (self, field) {
            (Self::CustomBroadcast { .. }, SwitchParameter::RingSize) => first,
            (Self::CustomBroadcast { .. }, _) | (_, SwitchParameter::RingSize) => None,
            (_, SwitchParameter::Slice1) => first,
            (_, SwitchParameter::Slice0) => second,
            (_, SwitchParameter::Time0) => third,
        }
    }

    /// The parameters in the order of their fields.
    const fn parameters(&self) -> [Option<&Written<u64>>; 3] {
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
            } => [Some(slice1), Some(slice0), Some(time0)],
            Self::Broadcast1 { slice1, slice0 }
            | Self::Transpose { slice1, slice0 }
            | Self::TransposedBroadcast1 { slice1, slice0 } => [Some(slice1), Some(slice0), None],
            Self::CustomBroadcast { ring_size } => [Some(ring_size), None, None],
            Self::Forwarding => [None, None, None],
        }
    }
}
