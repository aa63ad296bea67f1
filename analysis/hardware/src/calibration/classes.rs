//! The classes of operations that bounds are kept by.

/// How far the compiler's figure may be from ours, in percent of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Spread {
    /// Below.
    pub below: u64,
    /// Above.
    pub above: u64,
}

const fn even(percent: u64) -> Spread {
    Spread {
        below: percent,
        above: percent,
    }
}

/// A kind of operation with evidence of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// A pass into the TRF.
    SubTrf,
    /// A pass into the VRF without the Vector Engine.
    SubVrf,
    /// A pass that moves or casts.
    Move,
    /// A pass through the Switch Engine.
    Switch,
    /// The same with the Vector Engine behind it.
    SwitchVector,
    /// A contraction.
    Contract,
    /// A contraction with the Vector Engine behind it.
    ContractVector,
    /// A contraction with a reduction across slices behind it.
    ContractInterSlice,
    /// A pass through the Vector Engine.
    Vector,
    /// The same into the VRF.
    VectorVrf,
    /// A reduction across slices.
    InterSlice,
    /// A pass with a table lookup.
    Table,
    /// A load of 4 KiB and more a slice.
    LoadLarge,
    /// A load of less.
    LoadSmall,
    /// A load by one engine.
    LoadOneEngine,
    /// A load into more slices than have bytes of their own.
    LoadCopies,
    /// A load in packets below 64 bytes.
    LoadSmallPackets,
    /// A load of long runs that cross boundaries of units.
    LoadCrossing,
    /// A load into a part of a tensor.
    LoadTile,
    /// A store of whole units of HBM.
    StoreAligned,
    /// A store of parts of units.
    StoreScattered,
    /// The same from both clusters.
    StoreBothClusters,
    /// The same from slices that are not neighbours.
    StoreStrided,
    /// From DM to DM.
    BetweenSlices,
    /// The same into more slices than have bytes of their own.
    MoveCopies,
    /// One row of a table, read by its index.
    Gather,
    /// Rows of a table that are written by their indices.
    Scatter,
}

/// Name, spread, rows and median error in tenths of a percent.
type Row = (&'static str, Spread, u64, u64);

impl Class {
    /// All of them.
    pub const ALL: [Self; 27] = [
        Self::SubTrf,
        Self::SubVrf,
        Self::Move,
        Self::Switch,
        Self::SwitchVector,
        Self::Contract,
        Self::ContractVector,
        Self::ContractInterSlice,
        Self::Vector,
        Self::VectorVrf,
        Self::InterSlice,
        Self::Table,
        Self::LoadLarge,
        Self::LoadSmall,
        Self::LoadOneEngine,
        Self::LoadCopies,
        Self::LoadSmallPackets,
        Self::LoadCrossing,
        Self::LoadTile,
        Self::StoreAligned,
        Self::StoreScattered,
        Self::StoreBothClusters,
        Self::StoreStrided,
        Self::BetweenSlices,
        Self::MoveCopies,
        Self::Gather,
        Self::Scatter,
    ];

    /// The passes.
    pub const PASSES: &'static [Self] = &[
        Self::SubTrf,
        Self::SubVrf,
        Self::Move,
        Self::Switch,
        Self::SwitchVector,
        Self::Contract,
        Self::ContractVector,
        Self::ContractInterSlice,
        Self::Vector,
        Self::VectorVrf,
        Self::InterSlice,
        Self::Table,
    ];

    /// The loads.
    pub const LOADS: &'static [Self] = &[
        Self::LoadLarge,
        Self::LoadSmall,
        Self::LoadOneEngine,
        Self::LoadCopies,
        Self::LoadSmallPackets,
        Self::LoadCrossing,
        Self::LoadTile,
    ];

    /// The stores.
    pub const STORES: &'static [Self] = &[
        Self::StoreAligned,
        Self::StoreScattered,
        Self::StoreBothClusters,
        Self::StoreStrided,
    ];

    /// The median of the errors of several classes together, in tenths of a percent: the median of their medians, each as often
    /// as it has rows.
    pub fn median_error_of(classes: &[Self]) -> u64 {
        let mut errors: Vec<u64> = Vec::new();
        for class in classes {
            let rows = usize::try_from(class.samples()).unwrap_or(0);
            errors.extend(std::iter::repeat_n(class.median_error(), rows));
        }
        errors.sort_unstable();
        errors.get(errors.len() / 2).copied().unwrap_or(0)
    }

    /// Its row: a test works the last two out again.
    const fn row(self) -> Row {
        let scattered = Spread {
            below: 60,
            above: 40,
        };
        let move_copies = Spread {
            below: 15,
            above: 25,
        };
        // One row, which the constants of other rows do not give: it is inside of the bounds and nothing is fitted to it.
        let both_clusters = Spread {
            below: 60,
            above: 110,
        };
        match self {
            Self::SubTrf => ("sub_trf", even(1), 9, 0),
            Self::SubVrf => ("sub_vrf", even(1), 10, 0),
            Self::Move => ("move", even(1), 2, 0),
            Self::Switch => ("switch", even(1), 9, 0),
            Self::SwitchVector => ("switch_vector", even(1), 1, 0),
            Self::Contract => ("contract", even(1), 5, 0),
            Self::ContractVector => ("contract_vector", even(1), 1, 4),
            Self::ContractInterSlice => ("contract_inter_slice", even(1), 2, 0),
            Self::Vector => ("vector", even(1), 23, 0),
            Self::VectorVrf => ("vector_vrf", even(1), 5, 0),
            Self::InterSlice => ("inter_slice", even(1), 6, 0),
            Self::Table => ("table", even(1), 6, 0),
            Self::LoadLarge => ("load_large", even(10), 18, 0),
            Self::LoadSmall => ("load_small", even(10), 1, 1),
            Self::LoadOneEngine => ("load_one_engine", even(10), 5, 2),
            Self::LoadCopies => ("load_copies", even(20), 15, 7),
            Self::LoadSmallPackets => ("load_small_packets", even(20), 2, 109),
            Self::LoadCrossing => ("load_crossing", even(10), 1, 1),
            Self::LoadTile => ("load_tile", even(10), 1, 10),
            Self::StoreAligned => ("store_aligned", even(30), 7, 0),
            Self::StoreScattered => ("store_scattered", scattered, 7, 3),
            Self::StoreBothClusters => ("store_both_clusters", both_clusters, 1, 501),
            Self::StoreStrided => ("store_strided", scattered, 8, 68),
            Self::BetweenSlices => ("dm_to_dm", even(10), 2, 2),
            Self::MoveCopies => ("dm_to_dm_copies", move_copies, 2, 3),
            Self::Gather => ("gather", even(10), 1, 0),
            Self::Scatter => ("scatter", even(10), 0, 0),
        }
    }

    /// Its name in JSON.
    pub const fn name(self) -> &'static str {
        self.row().0
    }

    /// How far off a figure may be.
    pub const fn spread(self) -> Spread {
        self.row().1
    }

    /// Rows of schedules that it was compared with.
    pub const fn samples(self) -> u64 {
        self.row().2
    }

    /// The median of the errors over those rows, in tenths of a percent.
    pub const fn median_error(self) -> u64 {
        self.row().3
    }
}
