//! Rows of which only the shape is public, as the kernels that it describes.

use super::{Compared, spelled};

const HEAD: &str = "use furiosa_opt_std::prelude::*;\ntype Chip = m![1];\n";

/// A load into DM: axes, the tensor in HBM, clusters, slices, element.
fn load(axes: &str, hbm: &str, place: [&str; 3]) -> String {
    let [cluster, slice, element] = place;
    format!(
        "{HEAD}axes![{axes}];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f8e4m3, Chip, m![{hbm}]>) {{
    // judged
    let y: DmTensor<f8e4m3, Chip, m![{cluster}], m![{slice}], m![{element}]> = x.to_dm(&mut device.tdma);
}}
"
    )
}

/// A store of `O`: clusters, slices, element.
fn store(size: u64, place: [&str; 3]) -> String {
    let [cluster, slice, element] = place;
    format!(
        "{HEAD}axes![O = {size}];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<bf16, Chip, m![O]>) -> HbmTensor<bf16, Chip, m![O]> {{
    let x: DmTensor<bf16, Chip, m![{cluster}], m![{slice}], m![{element}]> = x.to_dm(&mut device.tdma);
    // judged
    x.to_hbm(&mut device.tdma)
}}
"
    )
}

/// A broadcast round rings of all slices.
fn whole_ring(flits: u64) -> String {
    let elements = flits * 16;
    format!(
        "{HEAD}axes![A = 64, B = 4, Cp = 64, T = {elements}];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<bf16, Chip, m![A, B, T]>) {{
    let x: DmTensor<bf16, Chip, m![1 # 2], m![A, B], m![T]> = x.to_dm(&mut device.tdma);
    // judged
    let y: DmTensor<bf16, Chip, m![1 # 2], m![Cp, B], m![A, T]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![T]>()
        .switch::<m![Cp, B], m![1, A]>(SwitchConfig::Broadcast1 {{ slice1: 64, slice0: 4 }})
        .collect::<m![1, A, T / 16], m![T % 16]>()
        .commit_trim::<m![T % 16]>()
        .commit();
}}
"
    )
}

/// A reduction over 8 slices of which each group has a name.
const EIGHT_NAMED: &str = "axes![R = 32, K = 8, V = 8];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, Chip, m![R, K, 1 # 8]>) {
    let x: DmTensor<f32, Chip, m![1 # 2], m![R, K], m![1 # 8]> = x.to_dm(&mut device.tdma);
    // judged
    let y: VrfTensor<f32, Chip, m![1 # 2], m![R, V], m![1 # 8]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![1 # 8]>()
        .collect::<m![1], m![1 # 8]>()
        .vector_init()
        .vector_inter_slice_reduce::<m![R, V], m![1]>(InterSliceReduceOpF32::Add)
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_trim::<m![1 # 4]>()
        .vector_fp_binary(FpBinaryOp::AddF, 1e-6f32)
        .vector_fp_unary(FpUnaryOp::Sqrt)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_final()
        .to_vrf(&mut device.sub);
}
";

/// A load into half of a tensor of DM.
const INTO_HALF: &str = "axes![S = 512, H = 2, B = 57600];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f8e4m3, Chip, m![S, H, B]>) {
    let mut y: DmTensor<f8e4m3, Chip, m![S / 256], m![S % 256], m![H, B]> = DmTensor::new();
    // judged
    x.view().tile::<m![H], 1, m![S, H = 1 # 2, B]>(0).to_dm_view(&mut device.tdma, y.view_mut().tile::<m![H], 1, m![H = 1 #{!} 2, B]>(0));
}
";

/// A vector of one slice that a transfer inside of DM copies into all slices of both clusters.
const TO_ALL_SLICES: &str = "axes![K = 7680, G = 2, V = 256];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f8e4m3, Chip, m![K]>) {
    let x: DmTensor<f8e4m3, Chip, m![1 # 2], m![1 # 256], m![K]> = x.to_dm(&mut device.tdma);
    // judged
    let y: DmTensor<f8e4m3, Chip, m![G], m![V], m![K]> = x.to_dm(&mut device.tdma);
}
";

/// A pass of the sub context that casts and commits.
const SUB_COMMIT: &str = "axes![A = 900, B = 8];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f8e4m3, Chip, m![A, B]>) {
    let x: DmTensor<f8e4m3, Chip, m![1 # 2], m![1 # 256], m![A, B]> = x.to_dm(&mut device.tdma);
    // judged
    let y: DmTensor<bf16, Chip, m![1 # 2], m![1 # 256], m![A, B]> = device
        .sub
        .begin(x.view())
        .fetch::<m![A], m![B]>()
        .fetch_cast::<f32>()
        .collect::<m![A], m![B]>()
        .cast::<bf16, m![B # 16]>()
        .commit_trim::<m![B]>()
        .commit();
}
";

/// The rows, each from the kernel that its shape describes.
pub(super) fn rows() -> Vec<Compared> {
    kernels()
        .iter()
        .map(|(place, vendor, text)| {
            let minor = release_of(place);
            Compared::judged_in(minor, &spelled(text, minor), place, *vendor)
        })
        .collect()
}

/// The release of a row: users' notes are about 0.6.0.
pub(super) fn release_of(place: &str) -> u16 {
    if place.starts_with("users") { 6 } else { 8 }
}

/// The place of each row, the compiler's cycles and the kernel.
pub(super) fn kernels() -> Vec<(&'static str, u64, String)> {
    let weights = "O = 4096, K = 3840";
    let scales = "R = 3840, C = 960";
    vec![
        (
            "users: load Q weights, 4 column parts",
            15_950,
            load(
                weights,
                "O, K",
                ["O / 2048", "O / 32 % 64, K / 960", "O % 32, K % 960"],
            ),
        ),
        (
            "users: load Q weights, 8 column parts",
            19_372,
            load(
                weights,
                "O, K",
                ["O / 2048", "O / 64 % 32, K / 480", "O % 64, K % 480"],
            ),
        ),
        (
            "users: load Q weights, 8 whole rows a slice",
            13_520,
            load(weights, "O, K", ["O / 2048", "O / 8 % 256", "O % 8, K"]),
        ),
        // The rate of the other unaligned rows (120, 480 and 960 bytes, to 0.3 %) gives a quarter less. Requests of 512 bytes from the
        // first byte of a run on, cut where units end, would give 4,961; but then the runs of 960 bytes would take 18,516.
        (
            "users: load 7,200 B a slice in one run",
            4_880,
            load("S = 512, B = 7200", "S, B", ["S / 256", "S % 256", "B"]),
        ),
        (
            "users: load scales in runs of 120 B",
            9_774,
            load(
                scales,
                "R, C",
                ["R / 1920", "R / 60 % 32, C / 120", "R % 60, C % 120"],
            ),
        ),
        (
            "users: load scales in runs of 480 B",
            4_961,
            load(
                scales,
                "R, C",
                ["R / 1920", "R / 15 % 128, C / 480", "R % 15, C % 480"],
            ),
        ),
        (
            "users: load 7,680 B to all slices",
            18_400,
            load("K = 7680, G = 2, V = 256", "K", ["G", "V", "K"]),
        ),
        // Copies in HBM of which 64 slices read one each: the least and the most of the notes.
        (
            "users: load 7,680 B, 64 slices each copy, least",
            5_182,
            load(
                "C = 8, V = 64, K = 7680",
                "C, K",
                ["C / 4", "C % 4, V", "K"],
            ),
        ),
        (
            "users: load 7,680 B, 64 slices each copy, most",
            5_367,
            load(
                "C = 8, V = 64, K = 7680",
                "C, K",
                ["C / 4", "C % 4, V", "K"],
            ),
        ),
        // Readers a cluster: 32 of 8 parts, 128 of 2.
        (
            "users: load 3,840 B to 32 slices a cluster",
            2_934,
            load("P = 8, G = 2, V = 32, K = 3840", "P, K", ["G", "P, V", "K"]),
        ),
        (
            "users: load 15,360 B to 128 slices a cluster",
            10_184,
            load(
                "P = 2, G = 2, V = 128, K = 15360",
                "P, K",
                ["G", "P, V", "K"],
            ),
        ),
        (
            "users: load 3,840 B to 128 slices a cluster",
            3_411,
            load(
                "P = 2, G = 2, V = 128, K = 3840",
                "P, K",
                ["G", "P, V", "K"],
            ),
        ),
        (
            "users: load 1.97 MB of weights",
            2_473,
            load(
                "R = 480, C = 4096",
                "R, C",
                ["R / 240", "R / 15 % 16, C / 256", "R % 15, C % 256"],
            ),
        ),
        (
            "0.8.1: k3 169, a scalar to 128 slices",
            940,
            load("V = 128", "1 # 32", ["1 # 2", "1 # 2, V", "1 # 32"]),
        ),
        (
            "0.8.1: k3 144, sub commit",
            2_064,
            format!("{HEAD}{SUB_COMMIT}"),
        ),
        (
            "0.8.1: into half of a tensor",
            48_676,
            format!("{HEAD}{INTO_HALF}"),
        ),
        (
            "users: store 8 pieces of 480 B",
            553,
            store(1_920, ["1 # 2", "1 # 32, O / 240", "O % 240"]),
        ),
        (
            "users: store 8 pieces of 512 B",
            377,
            store(2_048, ["1 # 2", "1 # 32, O / 256", "O % 256"]),
        ),
        (
            "users: store 16 pieces of 256 B",
            399,
            store(2_048, ["1 # 2", "1 # 16, O / 128", "O % 128"]),
        ),
        // The note says no layout. From neighbours, as 8 such pieces, it would be half as much again as the squares of its pieces.
        (
            "users: store 32 pieces of 480 B, taken as padded",
            1_653,
            store(7_680, ["1 # 2", "O / 240, 1 # 8", "O % 240"]),
        ),
        (
            "users: store 1 piece of 512 B",
            337,
            store(256, ["1 # 2", "1 # 256", "O"]),
        ),
        (
            "users: store 1 piece of 7,680 B",
            434,
            store(3_840, ["1 # 2", "1 # 256", "O"]),
        ),
        // A comment in a kernel. It is twice the squares of its pieces; 32 padded pieces from both clusters are said to take three times
        // those of one.
        (
            "users: store 16 B from each of 512 slices",
            37_000,
            store(4_096, ["O / 2048", "O / 8 % 256", "O % 8"]),
        ),
        (
            "users: store 256 padded pieces of 120 B",
            4_535,
            store(15_360, ["O / 7680", "O / 60 % 128, 1 # 2", "O % 60"]),
        ),
        (
            "users: store 128 padded pieces of 240 B",
            2_879,
            store(15_360, ["O / 7680", "O / 120 % 64, 1 # 4", "O % 120"]),
        ),
        (
            "users: store 64 padded pieces of 480 B",
            2_206,
            store(15_360, ["O / 7680", "O / 240 % 32, 1 # 8", "O % 240"]),
        ),
        (
            "users: store 32 padded pieces of 960 B",
            1_870,
            store(15_360, ["O / 7680", "O / 480 % 16, 1 # 16", "O % 480"]),
        ),
        (
            "users: store 16 padded pieces of 1,920 B",
            1_870,
            store(15_360, ["O / 7680", "O / 960 % 8, 1 # 32", "O % 960"]),
        ),
        (
            "users: store 64 padded pieces of 120 B",
            2_510,
            store(3_840, ["1 # 2", "O / 60, 1 # 4", "O % 60"]),
        ),
        (
            "users: store 32 padded pieces of 240 B",
            2_040,
            store(3_840, ["O / 1920", "O / 120 % 16, 1 # 16", "O % 120"]),
        ),
        (
            "users: 7,680 B from one slice to all, 512 times 106",
            54_272,
            format!("{HEAD}{TO_ALL_SLICES}"),
        ),
        ("0.8.1: k3 256, ring 256, 10 flits", 3_337, whole_ring(10)),
        ("users: ring 256, 60 flits", 16_135, whole_ring(60)),
        ("users: ring 256, 240 flits", 62_215, whole_ring(240)),
        (
            "0.8.1: k3 55, reduce over 8 named slices",
            347,
            format!("{HEAD}{EIGHT_NAMED}"),
        ),
    ]
}
