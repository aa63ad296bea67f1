//! What holds between figures of transfers that no row has: more bytes and more packets never take less, and no small change of a
//! transfer changes its figure by much.

use super::Compared;
use crate::hardware::{CalibrationId, Class};

const HEAD: &str = "use furiosa_opt_std::prelude::*;\ntype Chip = m![1];\n";

/// A load of `f8`: axes, the tensor in HBM, slices of one cluster, element.
fn load(axes: &str, hbm: &str, slice: &str, element: &str) -> Compared {
    let text = format!(
        "{HEAD}axes![{axes}];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f8e4m3, Chip, m![{hbm}]>) {{
    // judged
    let y: DmTensor<f8e4m3, Chip, m![1 # 2], m![{slice}], m![{element}]> = x.to_dm(&mut device.tdma);
}}
"
    );
    Compared::judged(&text, &format!("{hbm} to {slice}"), 1)
}

/// So many slices with so many bytes of their own each, one behind the other in HBM.
fn distinct(slices: u64, bytes: u64) -> Compared {
    let slice = if slices == 256 { "S" } else { "S # 256" };
    load(&format!("S = {slices}, K = {bytes}"), "S, K", slice, "K")
}

/// So many slices of which groups of `copies` get the same bytes.
fn copied(slices: u64, copies: u64, bytes: u64) -> Compared {
    let parts = slices / copies;
    let axes = format!("P = {parts}, V = {copies}, K = {bytes}");
    let slice = if slices == 256 {
        "P, V"
    } else {
        "[P, V] # 256"
    };
    load(&axes, "P, K", slice, "K")
}

/// A store of `bf16` from slices that are neighbours: bytes of all, bytes of a slice.
fn store(bytes: u64, slice_bytes: u64) -> Compared {
    let (size, share) = (bytes / 2, slice_bytes / 2);
    let slices = bytes / slice_bytes;
    let padding = 256 / slices;
    let text = format!(
        "{HEAD}axes![O = {size}];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<bf16, Chip, m![O]>) -> HbmTensor<bf16, Chip, m![O]> {{
    let x: DmTensor<bf16, Chip, m![1 # 2], m![1 # {padding}, O / {share}], m![O % {share}]> = x.to_dm(&mut device.tdma);
    // judged
    x.to_hbm(&mut device.tdma)
}}
"
    );
    Compared::judged(&text, &format!("{bytes} in {slice_bytes}"), 1)
}

fn grows(figures: &[(u64, u64)], of: &str) {
    for pair in figures.windows(2) {
        let [(before, less), (after, more)] = pair else {
            continue;
        };
        assert!(
            less <= more,
            "{of}: {before} take {less}, {after} take {more}"
        );
    }
}

/// Sizes that are powers of two; of all multiples of a unit see below.
#[test]
fn more_bytes_a_slice_take_no_less() {
    for slices in [1, 8, 32, 64, 128, 256] {
        let sizes = (3..=17).map(|exponent| 1_u64 << exponent);
        let figures: Vec<(u64, u64)> = sizes
            .map(|bytes| (bytes, distinct(slices, bytes).ours))
            .collect();
        grows(&figures, &format!("{slices} slices"));
    }
    for copies in [2, 4, 16, 64, 128, 256] {
        // Below a unit several parts share one, and its readers queue.
        let sizes = (8..=15).map(|exponent| 1_u64 << exponent);
        let figures: Vec<(u64, u64)> = sizes
            .map(|bytes| (bytes, copied(256, copies, bytes).ours))
            .collect();
        grows(&figures, &format!("{copies} copies"));
    }
}

/// The rows themselves have one place where more bytes take less: 3,840 bytes a slice in 2,473 cycles, 4,096 in 2,277. What is between sizes
/// that no row has is not said to be otherwise.
#[test]
fn one_unit_more_takes_less_in_one_place_alone() {
    for (slices, places) in [
        (32, &[][..]),
        (64, &[3_840][..]),
        (128, &[3_840]),
        (256, &[3_840]),
    ] {
        let sizes = (1..=64).map(|units| units * 256);
        let figures: Vec<(u64, u64)> = sizes
            .map(|bytes| (bytes, distinct(slices, bytes).ours))
            .collect();
        let pairs = figures.windows(2);
        let falls: Vec<u64> = pairs
            .filter_map(|pair| match pair {
                [(bytes, less), (_, more)] if more < less => Some(*bytes),
                _ => None,
            })
            .collect();
        assert_eq!(falls, places, "{slices} slices");
    }
    let (before, after) = (distinct(256, 3_840).ours, distinct(256, 4_096).ours);
    // 549 + 2 * 960 requests, 549 + 27 / 16 * 1,024.
    assert_eq!((before, after), (2_469, 2_277));
}

#[test]
fn more_slices_take_no_less() {
    for bytes in [64, 512, 2_048, 4_096, 65_536] {
        let slices = [1_u64, 2, 8, 16, 32, 64, 128, 256].into_iter();
        let figures: Vec<(u64, u64)> = slices
            .map(|slices| (slices, distinct(slices, bytes).ours))
            .collect();
        grows(&figures, &format!("{bytes} bytes"));
    }
}

#[test]
fn more_copies_take_no_less() {
    // As many slices, fewer of them with bytes of their own.
    for bytes in [64, 512, 1_024, 2_048, 4_096, 16_384] {
        let copies = [1_u64, 2, 4, 8, 16, 32, 64, 128, 256].into_iter();
        let figures: Vec<(u64, u64)> = copies
            .map(|copies| (copies, copied(256, copies, bytes).ours))
            .collect();
        grows(&figures, &format!("{bytes} bytes"));
    }
}

/// Where nothing else changes, a request more changes a figure by about a request: at no size does a formula give way to another.
#[test]
fn a_request_more_is_a_small_step() {
    let mut steps = 0;
    for slices in [32, 64, 256] {
        let sizes = (1..=40).map(|units| units * 256);
        let figures: Vec<(u64, u64)> = sizes
            .map(|bytes| (bytes, distinct(slices, bytes).ours))
            .collect();
        for pair in figures.windows(2) {
            let [(before, less), (after, more)] = pair else {
                continue;
            };
            // The rows give 3,840 bytes more than 4,096: two requests a hundred. Two requests of a slice take 3.0 each, and one 2.45.
            let step = slices.min(64) * 355 / 100 + 1;
            let most = less + step + less / 50;
            assert!(*more <= most, "{slices}: {before} {less}, {after} {more}");
            assert!(
                less * 9 <= more * 10,
                "{slices}: {before} {less}, {after} {more}"
            );
            steps += 1;
        }
    }
    assert_eq!(steps, 117);
}

#[test]
fn packets_of_more_bytes_take_no_more() {
    // 32 KiB in all, one slice after the other, from many pieces of a unit to whole units.
    let shares = [128, 256, 512, 1_024, 2_048].into_iter();
    let figures: Vec<(u64, u64)> = shares
        .rev()
        .map(|share| (32_768 / share, store(32_768, share).ours))
        .collect();
    let partial = [16, 32, 64, 128].into_iter();
    let partial: Vec<(u64, u64)> = partial
        .rev()
        .map(|share| (4_096 / share, store(4_096, share).ours))
        .collect();
    grows(&partial, "pieces");
    for (slices, cycles) in &figures {
        assert!(*cycles < 2_000, "{slices} slices: {cycles}");
    }
}

#[test]
fn a_store_of_parts_of_units_takes_no_less_than_one_part() {
    let single = CalibrationId::Release0_8_1.table().transfer.single_piece;
    for (bytes, share) in [
        (2, 2),
        (512, 256),
        (480, 240),
        (4_096, 16),
        (1_920, 480),
        (64, 32),
    ] {
        let found = store(bytes, share);
        if found.class != Class::StoreAligned.name() {
            assert!(found.ours >= single, "{}: {}", found.place, found.ours);
        }
    }
}

#[test]
fn rows_of_units_with_a_rest_are_near_whole_rows() {
    // 256 slices with 8 units each, whole and with a rest behind them; the slices are apart in HBM by whole units.
    let rows = |share: u64, pitch: u64| {
        let text = format!(
            "{HEAD}axes![S = 256, K = {share}];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f8e4m3, Chip, m![S, K]>) -> HbmTensor<f8e4m3, Chip, m![S, K # {pitch}]> {{
    let x: DmTensor<f8e4m3, Chip, m![1 # 2], m![S], m![K]> = x.to_dm(&mut device.tdma);
    // judged
    x.to_hbm(&mut device.tdma)
}}
"
        );
        Compared::judged(&text, "rows", 1)
    };
    // By hand: 437 + 2.2 * 64 * 8 and 437 + 2.2 * 64 * 9.
    let (whole, more) = (rows(2_048, 2_304), rows(2_304, 2_304));
    assert_eq!((whole.ours, more.ours), (1_563, 1_704));
    // 430 + 2.2 * 512 whole units an engine + 2.2 * 256 parts.
    let rest = rows(2_056, 2_304);
    assert_eq!(rest.class, Class::StoreScattered.name());
    assert_eq!(rest.ours, 430 + 1_126 + 563);
}

#[test]
fn the_releases_differ_in_five_constants() {
    let [oldest, older, newer] = [
        CalibrationId::Release0_5_1,
        CalibrationId::Release0_6_0,
        CalibrationId::Release0_8_1,
    ]
    .map(CalibrationId::table);
    assert_eq!(oldest.transfer, newer.transfer);
    assert_eq!(oldest.kernel, newer.kernel);
    assert_eq!(older.kernel, newer.kernel);
    let mut pass = oldest.pass.clone();
    pass.vector_to_vrf = newer.pass.vector_to_vrf;
    pass.ring_whole = newer.pass.ring_whole;
    assert_eq!(pass, newer.pass);
    let mut pass = older.pass.clone();
    pass.ring_counts_padding = newer.pass.ring_counts_padding;
    assert_eq!(pass, newer.pass);
    let mut transfer = older.transfer.clone();
    transfer.store_start_one_engine = newer.transfer.store_start_one_engine;
    transfer.store_request_one_engine = newer.transfer.store_request_one_engine;
    assert_eq!(transfer, newer.transfer);
}

#[test]
fn a_reduction_across_slices_grows_with_its_ring() {
    let pass = |release: CalibrationId, ring: u64, contracts: bool| {
        crate::simulation::calibrated::reduction_tail(&release.table().pass, ring, 256, contracts)
            .expect("a tail")
    };
    for release in [CalibrationId::Release0_5_1, CalibrationId::Release0_8_1] {
        for contracts in [false, true] {
            let rings = [2_u64, 4, 8, 16, 32, 64, 128, 256].into_iter();
            let tails: Vec<(u64, u64)> = rings
                .map(|ring| (ring, pass(release, ring, contracts)))
                .collect();
            grows(&tails, "rings");
            // 9 cycles a slice and 3; behind a contraction the rows have up to 9 cycles less.
            for (ring, tail) in tails {
                assert!(tail.abs_diff(9 * (ring - 1) + 3) <= 9, "{ring}: {tail}");
            }
        }
    }
}
