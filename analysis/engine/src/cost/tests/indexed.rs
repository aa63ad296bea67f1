//! Gathers and scatters by indices: the four rows that are public, and what is between them.

use super::Compared;

/// A gather of one row of 512 bytes into these clusters and slices.
fn gather(cluster: &str, slice: &str) -> Compared {
    let text = format!(
        "use furiosa_opt_std::prelude::*;
type Chip = m![1];
axes![R = 1024, D = 256, G = 2, V = 8, W = 256];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, table: &HbmTensor<bf16, Chip, m![R, D]>, index: &HbmTensor<i32, Chip, m![1]>) {{
    // judged
    let y: DmTensor<bf16, Chip, m![{cluster}], m![{slice}], m![D]> = table.dma_gather_scaled(index);
}}
"
    );
    Compared::judged(&text, slice, 1)
}

#[test]
fn a_gather_takes_what_its_requests_do() {
    // 818 cycles and 58 for each of the 2 requests of a row in each slice of the busiest engine.
    for (cluster, slice, slices, row) in [
        ("1 # 2", "1 # 256", 1, 934),
        // Every 32nd slice: two of each engine.
        ("G", "V, 1 # 32", 2, 1_050),
        ("G", "W", 64, 7_981),
    ] {
        let found = gather(cluster, slice);
        assert_eq!(found.ours, 818 + 58 * 2 * slices, "{slice}");
        // 8,242 of 7,981 is 3.3 percent.
        assert!(found.ours.abs_diff(row) * 25 <= row, "{slice}: {row}");
        assert!(
            (found.low..=found.high).contains(&row),
            "{slice}: {found:?}"
        );
    }
    // Eight slices that are neighbours are one engine's.
    assert_eq!(gather("1 # 2", "1 # 32, V").ours, 818 + 58 * 2 * 8);
}

#[test]
fn a_scatter_takes_what_its_rows_do_and_not_what_the_table_holds() {
    let scatter = |rows: u64| {
        let text = format!(
            "use furiosa_opt_std::prelude::*;
type Chip = m![1];
axes![R = {rows}, D = 256, V = 8];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<bf16, Chip, m![V, D]>, places: &HbmTensor<i32, Chip, m![V]>, table: &mut HbmTensor<bf16, Chip, m![R, D]>) {{
    let x: DmTensor<bf16, Chip, m![V / 4], m![V % 4, 1 # 64], m![D]> = x.to_dm(&mut device.tdma);
    // judged
    x.dma_scatter::<m![V], _, _>(places, table);
}}
"
        );
        Compared::judged(&text, "scatter", 929)
    };
    let found = scatter(1_024);
    // Eight slices with 512 bytes each.
    assert_eq!((found.ours, found.class), (929, "scatter"));
    assert_eq!(scatter(65_536).ours, found.ours);
}
