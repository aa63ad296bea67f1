//! What published schedules of the vendor's compiler say about time, as data: one table a release.
//!
//! Knows constants with the rows that they were read off, and how far a figure made of them may be from the compiler's.
//! Computes nothing about a kernel: `simulation` multiplies. A chip takes longer than its schedule, by ratios that are known
//! by class only; no figure here is a chip's. Rates are in ten-thousandths of a cycle.

mod classes;
mod releases;

pub use classes::Class;
pub use releases::evidence;
use releases::{RELEASE_0_5_1, RELEASE_0_6_0, RELEASE_0_8_1};

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
    /// 0.6.0.
    Release0_6_0,
    /// 0.8.1.
    Release0_8_1,
}

impl CalibrationId {
    /// The constants of the release.
    pub const fn table(self) -> &'static Calibration {
        match self {
            Self::Release0_5_1 => &RELEASE_0_5_1,
            Self::Release0_6_0 => &RELEASE_0_6_0,
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
    /// The tail behind the contraction where no more outputs than slices of the ring are reduced. Row: 4 outputs, ring of 8: 752.
    pub ring_few_outputs: u64,
    /// Whether the ring of a reduction has the slices of the padding above the reduced digit. Rows: 8 live slices below `1 # 32`, 347 in
    /// 0.6.0 and 2,579 in 0.8.1.
    pub ring_counts_padding: bool,
    /// So many flits behind a table take so many cycles. Rows: k3 126, 280; the users' 2,663, 5,063, 9,863, 18,263 and 19,463.
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
    /// A request of a load by several engines, by the requests of a slice. Between two entries the rate changes evenly with the
    /// logarithm of the requests; before the first and behind the last it is theirs. Rows: reduce_sum 1 (1 request); k2 4, k3 9 (2 to 4);
    /// rmsnorm 1 (8); the users' 1.97 MB (15); gemv 8, k2 18, k3 198 (16 and more).
    pub load_request: &'static [(u64, Rate)],
    /// The same for the last entry where runs cross boundaries of units. Rows: the users' 2,394, 6,326, 9,774, 15,950 and 19,372.
    pub crossing_request: Rate,
    /// The least for a request where slices get copies and each more than 1 KiB, by the distinct pieces over all slices, from
    /// `copied_most` copies on. Fewer copies take it by the logarithm of their number. Rows: gemv 1, rmsnorm 8, the users' 18,400 (one
    /// piece); the users' 3,411 (two); gemm 1, 9, the users' 2,934 and 5,182 to 5,367 (eight and more).
    pub copied_request: &'static [(u64, Rate)],
    /// Copies from which on a request takes that rate.
    pub copied_most: u64,
    /// Bytes of a slice up to which copies cost what distinct bytes do. Rows: k2 4, k3 9.
    pub copied_small_bytes: u64,
    /// Copies up to which that holds, and from which on copies of few bytes take the rate of copies of many.
    pub copied_small: (u64, u64),
    /// Each read of one 256-byte unit of HBM by several engines: no load is faster than its most read unit. Row: k3 169.
    pub hot_unit_read: u64,
    /// Bytes of a packet below which loads have few rows. Row: add 1 and 5.
    pub small_packet_bytes: u64,
    /// Bytes of the longest run across boundaries of units of which each piece counts. Rows: the users' 120, 480 and 960 B. Where a slice
    /// gets one longer run, a request that crosses a boundary counts once and a half. Rows: the users' 2,716, 4,880 and 8,300.
    pub crossing_run_bytes: u64,
    /// A store of whole units by several engines, once. Rows: rmsnorm 28; k2 67.
    pub store_start: u64,
    /// The same by one engine. Rows: the users' stores of 512 B and 7,680 B.
    pub store_start_one_engine: u64,
    /// A request of a store of whole units by several engines.
    pub store_request: Rate,
    /// The same by one engine. Rows of 0.6.0: 512 B 337, 7,680 B 434.
    pub store_request_one_engine: Rate,
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
    /// From DM to DM, once.
    pub move_start: u64,
    /// A request of the busiest engine, read or written. Rows: 4,275 (1,920 read and as many written), 443, 2,355.
    pub move_request: Rate,
    /// A run of the busiest engine, where that takes longer. Rows: k2 58 (4 runs), 530 (32 runs).
    pub move_run: Rate,
    /// What each further place of a byte within a cluster adds to a request that is written. Row: 7,680 bytes to 256 slices, 54,432.
    pub move_copy: Rate,
    /// What reads by indices takes once.
    pub gather_start: u64,
    /// A request of the busiest engine of such a transfer. Rows: one row of 512 bytes into a slice, 934 (2 requests); into 8 slices of each
    /// cluster, every 32nd, 1,050 (4); into 512 slices, 7,981 (128).
    pub gather_request: Rate,
    /// A write by an index of up to `scatter_bytes`. Rows: 8 slices with 512 bytes each 929; one with 4,096 bytes 927.
    pub scatter: u64,
    /// Bytes of the largest write by an index that has rows.
    pub scatter_bytes: u64,
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
    /// A turn of a loop: nothing overlaps across it. Rows: two whole kernels of 0.6.0 that differ in the tiles of one loop.
    pub turn: u64,
    /// In percent how far below and above a total the order alone may put it: what an emulation of 15 published kernels is off.
    pub order: (u64, u64),
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
