//! The shape of a machine: how many slices, clusters and rows there are, and what each memory holds.
//!
//! A value and no constants: what a kernel runs on is asked of its body. A library for parts of a chip has other slices.

/// Processing elements of a cluster, which share its slices evenly.
const CLUSTER_PES: u64 = 4;

/// The shape of a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Machine {
    /// Slices of a cluster.
    pub slices: u64,
    /// The sizes that a level of slices may have, the least first.
    pub slice_counts: &'static [u64],
    /// Clusters of a chip.
    pub clusters: u64,
    /// The sizes that a level of clusters may have, the least first.
    pub cluster_counts: &'static [u64],
    /// The sizes that a level of processing elements may have, the least first.
    pub pe_counts: &'static [u64],
    /// Rows of a slice's MAC array, a power of two.
    pub rows: u64,
    /// Bytes of DM that a slice owns.
    pub dm_bytes: u64,
    /// Bytes of the whole TRF of a slice, all rows.
    pub trf_bytes: u64,
    /// Bytes of the VRF of a slice.
    pub vrf_bytes: u64,
    /// Bytes of the scratchpad of a processing element, which 64 slices share.
    pub spm_bytes: u64,
    /// Bytes of HBM that a chip owns.
    pub hbm_bytes: u64,
}

impl Default for Machine {
    fn default() -> Self {
        Self::RNGD
    }
}

impl Machine {
    /// A whole chip (book: Processing Units, Memory).
    pub const RNGD: Self = Self {
        slices: 256,
        slice_counts: &[256],
        clusters: 2,
        cluster_counts: &[2],
        pe_counts: &[1, 2, 4],
        rows: 8,
        dm_bytes: 512 * 1024,
        trf_bytes: 64 * 1024,
        vrf_bytes: 8 * 1024,
        spm_bytes: 4 * 1024,
        hbm_bytes: 48 * 1024 * 1024 * 1024,
    };

    /// Whether a level of slices may have a size.
    pub fn takes_slices(&self, size: u64) -> bool {
        self.slice_counts.contains(&size)
    }

    /// Whether a level of clusters may have a size.
    pub fn takes_clusters(&self, size: u64) -> bool {
        self.cluster_counts.contains(&size)
    }

    /// Whether a level of processing elements may have a size.
    pub fn takes_pes(&self, size: u64) -> bool {
        self.pe_counts.contains(&size)
    }

    /// The clusters and the slices of each that some processing elements have; `None` where no kernel runs on that many.
    pub const fn grid(&self, pes: u64) -> Option<(u64, u64)> {
        if !pes.is_power_of_two() || pes > self.clusters * CLUSTER_PES {
            return None;
        }
        let slices = self.slices / CLUSTER_PES;
        if pes < CLUSTER_PES {
            Some((1, slices * pes))
        } else {
            Some((pes / CLUSTER_PES, self.slices))
        }
    }

    /// The processing elements that a kernel runs on whose attribute says nothing of them: all of a chip.
    pub const fn pes(&self) -> u64 {
        self.clusters * CLUSTER_PES
    }

    /// The processing elements that slices belong to.
    pub const fn pes_of_slices(&self, slices: u64) -> u64 {
        slices.saturating_mul(CLUSTER_PES) / self.slices
    }

    /// Whether a level of rows may have a size.
    pub const fn takes_rows(&self, size: u64) -> bool {
        size.is_power_of_two() && size <= self.rows
    }

    /// The sizes that a level of rows may have, the least first.
    pub fn row_counts(&self) -> impl Iterator<Item = u64> + use<> {
        (0..=self.rows.ilog2()).map(|power| 1 << power)
    }

    /// The sizes of rings in the Switch Engine, the least first.
    pub fn rings(&self) -> impl Iterator<Item = u64> + Clone + use<> {
        (0..=self.slices.ilog2()).map(|power| 1 << power)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_of_processing_elements() {
        let grid = |pes| Machine::RNGD.grid(pes);
        let table = [(1, 1, 64), (2, 1, 128), (4, 1, 256), (8, 2, 256)];
        for (pes, clusters, slices) in table {
            assert_eq!(grid(pes), Some((clusters, slices)));
        }
        for pes in [0, 3, 5, 16] {
            assert_eq!(grid(pes), None);
        }
        assert_eq!(Machine::RNGD.pes(), 8);
        assert_eq!(Machine::RNGD.pes_of_slices(128), 2);
    }

    #[test]
    fn sizes_of_levels() {
        let part = Machine {
            slices: 64,
            slice_counts: &[64, 128, 256],
            clusters: 1,
            cluster_counts: &[1, 2],
            ..Machine::RNGD
        };
        assert!(part.takes_slices(128) && !Machine::RNGD.takes_slices(128));
        assert!(part.takes_clusters(1) && !Machine::RNGD.takes_clusters(1));
        assert_eq!(part.row_counts().collect::<Vec<_>>(), [1, 2, 4, 8]);
        assert_eq!(part.rings().last(), Some(64));
        assert!(!part.takes_rows(3) && !part.takes_rows(16) && part.takes_rows(2));
    }
}
