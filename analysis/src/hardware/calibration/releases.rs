//! The constants of each release whose schedules were read.

use super::{
    Calibration, CalibrationId, KernelConstants, PassConstants, TileReads, TransferConstants,
};

/// All of them, the oldest first.
pub const RELEASES: [CalibrationId; 2] = [CalibrationId::Release0_5_1, CalibrationId::Release0_8_1];

/// What both releases agree on.
const PASS: PassConstants = PassConstants {
    fetch: 263,
    switch: 263,
    whole_ring: 512,
    commit: 264,
    contract: 265,
    vector: 281,
    vector_to_vrf: 280,
    sub_vector: 281,
    sub_vector_commit: 285,
    sub_commit_bytes: 8,
    ring_slice: 9,
    ring_once: 3,
    ring_whole: 2_298,
    ring_behind_contraction: &[(8, 57), (16, 133)],
    lookup: (64, 5),
    lookup_transfer: 838,
    lookup_pass: 1_293,
    ring_transfer: 719,
};

const TRANSFER: TransferConstants = TransferConstants {
    load_start: 549,
    load_start_one_engine: 460,
    load_request_one_engine: 24_000,
    load_request: &[
        (64, 24_500),
        (240, 30_000),
        (1_024, 30_000),
        (2_048, 22_000),
        (3_840, 20_000),
        (4_096, 16_875),
    ],
    copied_request: 24_500,
    copied_most: 16,
    copied_to_all_request: 92_970,
    copied_to_all: 256,
    copied_small_bytes: 1_024,
    hot_unit_read: 3,
    small_packet_bytes: 64,
    crossing_run_bytes: 960,
    store_start: 437,
    store_start_one_engine: 333,
    store_request: 22_000,
    scattered_start: 430,
    scattered_piece: 22_000,
    tiny_piece: 28_400,
    tiny_piece_bytes: 8,
    single_piece: 506,
    strided_start: 1_550,
    strided_piece: 120_000,
    move_start: 440,
    move_piece: 7_000,
    move_copied_piece: 35_000,
    move_copies_most: 512,
    indexed_start: 822,
    indexed_request: 560_000,
    indexed_start_most: 934,
    indexed_request_most: 580_000,
};

const KERNEL: KernelConstants = KernelConstants {
    start: 1_003,
    end: 600,
    sync: 600,
    after_sync: 1_000,
    tile_reads: TileReads::OfTheTensor,
};

/// Read off six kernels in the book's dialect.
pub static RELEASE_0_5_1: Calibration = Calibration {
    release: "0.5.1",
    operations: 29,
    pass: PassConstants {
        vector_to_vrf: 263,
        ring_whole: 2_293,
        ..PASS
    },
    transfer: TRANSFER,
    kernel: KERNEL,
};

/// Read off two kernels of the current dialect.
pub static RELEASE_0_8_1: Calibration = Calibration {
    release: "0.8.1",
    operations: 45,
    pass: PASS,
    transfer: TRANSFER,
    kernel: KERNEL,
};

/// Every release's operations in a clause: `29 operations of 0.5.1 and 45 of 0.8.1`.
#[must_use]
pub fn evidence() -> String {
    let parts: Vec<String> = RELEASES
        .iter()
        .enumerate()
        .map(|(index, id)| {
            let table = id.table();
            let noun = if index == 0 { " operations" } else { "" };
            format!("{}{noun} of {}", table.operations, table.release)
        })
        .collect();
    parts.join(" and ")
}
