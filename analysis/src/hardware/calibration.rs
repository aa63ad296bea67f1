//! What published schedules of the vendor's compiler say about time, as data: one table a release.
//!
//! Knows constants with the rows that they were read off, and how far a figure made of them may be from the compiler's.
//! Computes nothing about a kernel: `simulation` multiplies. A chip takes longer than its schedule, by ratios that are known
//! by class only; no figure here is a chip's. Rates are in ten-thousandths of a cycle.

mod classes;
mod releases;

pub use classes::Class;
pub use releases::evidence;
use releases::{RELEASE_0_5_1, RELEASE_0_8_1};

/// Which figures costs are made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Model {
    /// The formulas of the book.
    Book,
    /// What the vendor's compiler would write into its schedule: the book's work counts and the constants of a release.
    #[default]
    Schedule,
}

impl Model {
    /// Both, in the order in which they are shown.
    pub const ALL: [Self; 2] = [Self::Book, Self::Schedule];

    /// Its name in settings and on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Book => "book",
            Self::Schedule => "schedule",
        }
    }
}

/// A rate in ten-thousandths of a cycle.
pub type Rate = u64;

/// Ten-thousandths that make a cycle.
pub const RATE_UNIT: u64 = 10_000;

/// A release whose schedules were read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CalibrationId {
    /// 0.5.1.
    Release0_5_1,
    /// 0.8.1.
    Release0_8_1,
}

impl CalibrationId {
    /// The constants of the release.
    #[must_use]
    pub const fn table(self) -> &'static Calibration {
        match self {
            Self::Release0_5_1 => &RELEASE_0_5_1,
            Self::Release0_8_1 => &RELEASE_0_8_1,
        }
    }
}

/// The constants of a release.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Calibration {
    /// The release.
    pub release: &'static str,
    /// Operations whose schedules were read.
    pub operations: u64,
    /// A pass.
    pub pass: PassConstants,
    /// A transfer.
    pub transfer: TransferConstants,
    /// What comes around the operations.
    pub kernel: KernelConstants,
}

/// What a pass takes beyond its work, by the stage that decides it: `max over the stages of (constant + work)`.
///
/// Latencies (levels of the tree, ALUs, what a reduction waits for) are inside the constants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PassConstants {
    /// Fetch, collect and the store of a register file. Rows: `sub_trf` and `sub_vrf` of both tables.
    pub fetch: u64,
    /// Switch. Rows: `main_switch` of 0.8.1.
    pub switch: u64,
    /// Added to a switch whose ring is all slices. Rows: k3 256; rings of 256 of the users' table.
    pub whole_ring: u64,
    /// Commit and cast. Rows: k3 100, 144, 159.
    pub commit: u64,
    /// Contraction and transpose. Rows: dot 13, gemv 13, gemm 14; k3 153, 291.
    pub contract: u64,
    /// Vector Engine, also behind a contraction. Rows: add 9, rmsnorm 7 and 25; k2 17, 88, 99; k3 190, 226.
    pub vector: u64,
    /// Vector Engine of the main context that ends in the VRF. Rows: rmsnorm 13 (0.5.1); k2 57, 93 (0.8.1).
    pub vector_to_vrf: u64,
    /// Vector Engine of the sub context.
    pub sub_vector: u64,
    /// A commit behind the Vector Engine in the sub context.
    pub sub_vector_commit: u64,
    /// Bytes that the sub context commits a cycle. Row: k3 144.
    pub sub_commit_bytes: u64,
    /// A reduction across a ring of slices takes this for each slice but the first. Rows: reduce_sum 7; k2 42, 93; k3 55.
    pub ring_slice: u64,
    /// A reduction across slices takes this once.
    pub ring_once: u64,
    /// The tail of a reduction over all slices, where the rows give it apart.
    pub ring_whole: u64,
    /// Tails of reductions across slices behind a contraction, by the ring. Row: k2 42.
    pub ring_behind_contraction: &'static [(u64, u64)],
    /// So many elements that are looked up in a table take so many cycles. Rows: k3 126, 280: 2.5 cycles for 32 elements of 8
    /// bits; the users' two: 1.25 for 16 of `bf16`.
    pub lookup: (u64, u64),
    /// The transfer that brings the table of a lookup. Row: k3 66.
    pub lookup_transfer: u64,
    /// The pass of the sub context that puts the table into place. Row: k3 94.
    pub lookup_pass: u64,
    /// The transfer that brings the table of a custom ring; passes of one shape share it.
    pub ring_transfer: u64,
}

/// What a transfer takes. An engine serves 64 slices; requests are pieces of 256 bytes cut at multiples of 256 bytes of HBM,
/// and those of the busiest engine count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TransferConstants {
    /// A load by several engines, once. Rows: `dma_load` of both tables.
    pub load_start: u64,
    /// A load by one engine, once. Rows: dot 1 and 8; k2 44; k3 331.
    pub load_start_one_engine: u64,
    /// A request of a load by one engine.
    pub load_request_one_engine: Rate,
    /// A request of a load by several engines, by the bytes of a slice. Between two entries the rate changes evenly with the
    /// logarithm of the bytes; before the first and behind the last it is theirs. Rows: reduce_sum 1 (64 B); k2 4, k3 9 (240 B
    /// to 1 KiB); rmsnorm 1 (2 KiB); the users' 1.97 MB (3,840 B); gemv 8, k2 18, k3 78, 175, 198 (4 KiB and more).
    pub load_request: &'static [(u64, Rate)],
    /// The least for a request where slices get copies and each more than 1 KiB, from `copied_most` copies on. Fewer copies
    /// take it by the logarithm of their number. Rows: gemm 1, 9 (16 copies); the users' 5,182 to 5,367 (64 copies of 7,680 B),
    /// 2,934 (32 a cluster) and 10,184 (128 a cluster).
    pub copied_request: Rate,
    /// Copies from which on a request takes that rate.
    pub copied_most: u64,
    /// The least for a request where all slices of a cluster get the same, whatever its bytes; from half of them on it is gone to by the
    /// logarithm of their number. Rows: gemv 1, rmsnorm 8, the
    /// users' 18,400.
    pub copied_to_all_request: Rate,
    /// Slices of a cluster that get the same where all do.
    pub copied_to_all: u64,
    /// Bytes of a slice up to which copies cost what distinct bytes do. Rows: k2 4, k3 9.
    pub copied_small_bytes: u64,
    /// Each read of one 256-byte unit of HBM by several engines: no load is faster than its most read unit. Row: k3 169.
    pub hot_unit_read: u64,
    /// Bytes of a packet below which loads have few rows. Row: add 1 and 5.
    pub small_packet_bytes: u64,
    /// Bytes of the longest run across boundaries of units whose loads the rate of a request gives to a percent. Rows: the users'
    /// 120, 480 and 960 B. Of longer ones there is one row, the users' 7,200 B, which takes a third more.
    pub crossing_run_bytes: u64,
    /// A store of whole units by several engines, once. Rows: rmsnorm 28; k2 67.
    pub store_start: u64,
    /// The same by one engine. Rows: the users' stores of 512 B and 7,680 B.
    pub store_start_one_engine: u64,
    /// A request of a store of whole units.
    pub store_request: Rate,
    /// A store of parts of units, once. Rows: add 12, gemm 17, gemv 16, k2 105.
    pub scattered_start: u64,
    /// For each unit the square of the pieces that it is written in, times this.
    pub scattered_piece: Rate,
    /// The same for pieces below `tiny_piece_bytes`. Row: gemv 16.
    pub tiny_piece: Rate,
    /// Bytes of a piece below which it is tiny.
    pub tiny_piece_bytes: u64,
    /// A store of a single piece, and the least of any store of parts of units. Rows: dot 16, reduce_sum 10.
    pub single_piece: u64,
    /// A store of parts of units from slices that are not neighbours, once. Rows: the users' padded, strided slices.
    pub strided_start: u64,
    /// A piece of such a store.
    pub strided_piece: Rate,
    /// From DM to DM, once. Rows: k2 58 and four more.
    pub move_start: u64,
    /// A request of its busiest cluster.
    pub move_piece: Rate,
    /// The same of a transfer that copies into so many slices; fewer copies take it by the logarithm of their number. Row: the users' 512
    /// times 106 cycles for 7,680 bytes into each slice of both clusters.
    pub move_copied_piece: Rate,
    /// Copies from which on a request takes that rate.
    pub move_copies_most: u64,
    /// What reads or writes by indices takes once.
    pub indexed_start: u64,
    /// A request of the busiest engine of such a transfer. Rows: one row of 512 bytes into a slice, 934 (2 requests); into 8 slices of each
    /// cluster, every 32nd, 1,050 (4); into 512 slices, 7,981 (128); a scatter of 8 such rows, 929.
    pub indexed_request: Rate,
    /// The same at the most.
    pub indexed_start_most: u64,
    /// The same at the most.
    pub indexed_request_most: Rate,
}

/// What comes around the operations of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelConstants {
    /// The cycle at which the first operation begins. Rows: all kernels of 0.5.1; the users' note.
    pub start: u64,
    /// The synchronisation at the end. Rows: `ExplicitSync` of all kernels of 0.5.1.
    pub end: u64,
    /// Between a store and a load of the same HBM, and behind a transfer to the other cluster: the synchronisation.
    pub sync: u64,
    /// Behind such a synchronisation, until the reader begins. Row: k2 ExplicitSync.
    pub after_sync: u64,
    /// What an operation waits for that reads a tile. Evidence: notes of two teams of users about 0.6.0.
    pub tile_reads: TileReads,
}

/// The earlier writes that an operation waits for which reads a tile of a tensor.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TileReads {
    /// Those of the bytes that it reads.
    OfTheirBytes,
    /// All writes of the tensor, of other tiles too.
    OfTheTensor,
}
