//! Whole kernels whose totals follow from published rows by sums, against ours.

use super::{cost, folder, of_release};

/// A whole kernel: its file, the compiler's total, and how far ours may be from it in percent.
const WHOLE: [(&str, u16, u64, u64); 2] = [
    // 1,003 + 546 + 401 + 2,579 + 401 + 648 + 600, all of them rows.
    ("norm_by_reduction_across_slices", 8, 6_178, 5),
    // 1,003 + 2 * 547 + 8 * (383 + 341 + 79) + 434 + 600; the 79 of a turn is a fit.
    ("sum_in_eight_tiles", 6, 9_555, 8),
];

#[test]
fn totals_of_whole_kernels_are_those_of_the_compiler() {
    for (name, minor, total, percent) in WHOLE {
        let file = folder().join("whole").join(format!("{name}.rs"));
        let text = std::fs::read_to_string(file).expect("a kernel");
        let found = cost(&text, of_release(minor));
        let ours = found
            .total
            .unwrap_or_else(|| panic!("{name}: {:?}", found.unresolved));
        println!(
            "{name:34} {total:7} {ours:7} {:.3}",
            ours as f64 / total as f64
        );
        for row in &found.operations {
            println!(
                "    {:4} {:30} {:?} {:?} {:?}",
                row.id, row.name, row.start, row.end, row.cycles
            );
        }
        assert!(
            ours.abs_diff(total) * 100 <= total * percent,
            "{name}: {ours} of {total}"
        );
    }
}

/// Tiles of which each is read by so many passes, which takes longer than its load; DM of a slice holds three beside the sums. All are loaded
/// first, or each right before its passes.
const PASSES: usize = 10;
fn tiles(count: u64, loads_first: bool) -> String {
    let load = |tile: u64| {
        format!(
            "    let t{tile}: DmTensor<f32, Chip, m![1 # 2], m![S], m![K]> = x{tile}.to_dm(&mut device.tdma);\n"
        )
    };
    let pass = |tile: u64, number: usize| {
        format!(
            "    let s{tile}_{number}: DmTensor<f32, Chip, m![1 # 2], m![S], m![K % 8]> = device.main.begin(t{tile}.view()).fetch::<m![K / 8], m![K % 8]>().collect::<m![K / 8], m![K % 8]>().vector_init().vector_intra_slice_tag(TagMode::Zero).vector_narrow_split::<m![K / 4], m![K % 4]>().vector_fp_unary(FpUnaryOp::Sigmoid).vector_intra_slice_reduce::<K, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add).vector_widen_pad::<m![1 # 8]>().vector_final().commit_trim::<m![1 # 8]>().commit();\n"
        )
    };
    let parameters = (0..count).map(|tile| format!("x{tile}: &HbmTensor<f32, Chip, m![S, K]>, "));
    let passes = |tile: u64| -> String { (0..PASSES).map(|number| pass(tile, number)).collect() };
    let body: Vec<String> = if loads_first {
        (0..count).map(load).chain((0..count).map(passes)).collect()
    } else {
        (0..count).map(|tile| load(tile) + &passes(tile)).collect()
    };
    format!(
        "use furiosa_opt_std::prelude::*;
type Chip = m![1];
axes![S = 256, K = 32768];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, {}) {{
{}}}
",
        parameters.collect::<String>(),
        body.concat()
            .replace("m![K % 8]> = device", "m![1 # 8]> = device")
    )
}

#[test]
fn no_more_is_loaded_than_there_is_room_for_in_either_order_of_statements() {
    for loads_first in [false, true] {
        let found = cost(&tiles(12, loads_first), of_release(8));
        let peak = found
            .peak
            .unwrap_or_else(|| panic!("{:?}", found.unresolved))
            .dm_bytes;
        // Four tiles of 131,072 bytes and their sums do not fit.
        assert!(peak <= 524_288, "{loads_first}: {peak}");
        assert!(peak > 3 * 131_072, "{loads_first}: {peak}");
        assert!(found.overfull.is_empty(), "{:?}", found.overfull);
        let starts = |prefix: &str| -> Vec<u64> {
            let rows = found.operations.iter();
            let rows = rows.filter(|row| row.name.starts_with(prefix));
            rows.filter_map(|row| row.start).collect()
        };
        let mut loads = starts("to_dm");
        loads.sort_unstable();
        // The fourth load begins when a tile is free again.
        let ends = |tile: u64| {
            let rows = found.operations.iter();
            let rows = rows.filter(|row| row.name.starts_with(&format!("commit s{tile}_")));
            rows.filter_map(|row| row.end).max()
        };
        let first = (0..12).filter_map(ends).min().expect("a pass");
        assert_eq!((loads.len(), starts("commit").len()), (12, 12 * PASSES));
        assert!(loads[3] >= first, "{loads:?} {first}");
    }
}

#[test]
fn what_fits_is_not_held_back() {
    // Three tiles and their sums: the loads follow each other without a pause.
    let found = cost(&tiles(3, true), of_release(8));
    let mut loads: Vec<(u64, u64)> = found
        .operations
        .iter()
        .filter(|row| row.name.starts_with("to_dm"))
        .filter_map(|row| row.start.zip(row.end))
        .collect();
    loads.sort_unstable();
    assert_eq!(loads[1].0, loads[0].1);
    assert_eq!(loads[2].0, loads[1].1);
}
