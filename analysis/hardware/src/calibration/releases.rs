//! The constants of each release whose schedules were read.

use super::{
    Calibration, CalibrationId, KernelConstants, PassConstants, TileReads, TransferConstants,
};

/// All of them, the oldest first.
pub const RELEASES: [CalibrationId; 3] = [
    CalibrationId::Release0_5_1,
    CalibrationId::Release0_6_0,
    CalibrationId::Release0_8_1,
];

/// What the releases agree on.
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
    ring_few_outputs: 7,
    ring_counts_padding: true,
    lookup: (2, 5),
    lookup_transfer: 838,
    lookup_pass: 1_293,
    ring_transfer: 719,
};

const TRANSFER: TransferConstants = TransferConstants {
    load_start: 549,
    load_start_one_engine: 460,
    load_request_one_engine: 24_000,
    load_request: &[
        (1, 24_500),
        (2, 30_000),
        (4, 30_000),
        (8, 22_000),
        (15, 20_000),
        (16, 16_875),
    ],
    crossing_request: 16_710,
    copied_request: &[(1, 92_970), (2, 29_800), (8, 24_500)],
    copied_most: 16,
    copied_small_bytes: 1_024,
    copied_small: (64, 256),
    hot_unit_read: 3,
    small_packet_bytes: 64,
    crossing_run_bytes: 960,
    store_start: 437,
    store_start_one_engine: 333,
    store_request: 22_000,
    store_request_one_engine: 22_000,
    scattered_start: 430,
    scattered_piece: 22_000,
    tiny_piece: 28_400,
    tiny_piece_bytes: 8,
    single_piece: 506,
    strided_start: 1_550,
    strided_piece: 120_000,
    move_start: 435,
    move_request: 10_000,
    move_run: 30_000,
    move_copy: 1_024,
    gather_start: 818,
    gather_request: 580_000,
    scatter: 929,
    scatter_bytes: 4_096,
};

const KERNEL: KernelConstants = KernelConstants {
    start: 1_003,
    end: 600,
    sync: 600,
    after_sync: 1_000,
    turn: 79,
    order: (3, 4),
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

/// Read off whole kernels that users of that release published, and off their notes.
pub static RELEASE_0_6_0: Calibration = Calibration {
    release: "0.6.0",
    operations: 49,
    pass: PassConstants {
        ring_counts_padding: false,
        ..PASS
    },
    transfer: TransferConstants {
        store_start_one_engine: 330,
        store_request_one_engine: 34_667,
        ..TRANSFER
    },
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

/// Every release's operations in a clause: `29 operations of 0.5.1, 49 of 0.6.0 and 45 of 0.8.1`.
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
    match parts.split_last() {
        Some((last, before)) if !before.is_empty() => format!("{} and {last}", before.join(", ")),
        _ => parts.join(""),
    }
}
