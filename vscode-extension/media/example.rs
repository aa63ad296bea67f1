use furiosa_opt_std::prelude::*;

axes![Rows = 256, Row = 256];

/// Loads a tensor, reads it once in the Tensor Unit, and stores it.
#[device(chip = 1)]
fn example(device: &mut Device, x: &HbmTensor<f32, m![1], m![Rows, Row]>) -> HbmTensor<f32, m![1], m![Rows, Row]> {
    let x: DmTensor<f32, m![1], m![1 # 2], m![Rows], m![Row]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<f32, m![1], m![1 # 2], m![Rows], m![Row]> = device
        .main
        .begin(x.view())
        .fetch::<m![Row / 8], m![Row % 8]>()
        .collect::<m![Row / 16], m![Row % 16]>()
        .commit_trim::<m![Row % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
