//! Adds 1 to each element; `copied` claims copies of the sum that nobody makes.
use furiosa_opt_std::prelude::*;

axes![S = 64, K = 8, X = 4];

type Chip = m![1];
type Cluster = m![1];

fn sum(device: &mut Device, x: &DmTensor<f32, Chip, Cluster, m![S], m![K]>) -> DmTensor<f32, Chip, Cluster, m![S], m![K]> {
    device
        .main
        .begin(x.view())
        .fetch::<m![K / 8], m![K % 8]>()
        .collect::<m![K / 8], m![K % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_clip(ClipBinaryOpF32::Add, 1.0)
        .vector_final()
        .commit_trim::<m![K % 8]>()
        .commit()
}

#[device(chip = 1, pe = 1)]
pub fn plus_one(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, K]>) -> HbmTensor<f32, Chip, m![S, K]> {
    let x: DmTensor<f32, Chip, Cluster, m![S], m![K]> = x.to_dm(&mut device.tdma);
    let y = sum(device, &x);
    y.to_hbm(&mut device.tdma)
}

#[device(chip = 1, pe = 1)]
pub fn copied(device: &mut Device, x: &HbmTensor<f32, Chip, m![S, K]>) -> HbmTensor<f32, Chip, m![X, S, K]> {
    let x: DmTensor<f32, Chip, Cluster, m![S], m![K]> = x.to_dm(&mut device.tdma);
    let y = sum(device, &x);
    y.to_hbm(&mut device.tdma)
}

#[device(chip = 1, pe = 1)]
pub fn turned(device: &mut Device, x: &HbmTensor<bf16, Chip, m![S, K]>) -> HbmTensor<bf16, Chip, m![K, S]> {
    x.to_hbm(&mut device.tdma)
}
