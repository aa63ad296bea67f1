use furiosa_opt_std::prelude::*;

axes![Rows = 256, Row = 256];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![Rows];
type Element = m![Row];

/// Loads a tensor, reads it once in the Tensor Unit, and stores it.
#[device(chip = 1)]
fn example(device: &mut Device, x: &HbmTensor<f32, Chip, m![Rows, Row]>) -> HbmTensor<f32, Chip, m![Rows, Row]> {
    let x: DmTensor<f32, Chip, Cluster, Slice, Element> = x.to_dm(&mut device.tdma);
    let y: DmTensor<f32, Chip, Cluster, Slice, Element> = device
        .main
        .begin(x.view())
        .fetch::<m![Row / 8], m![Row % 8]>()
        .collect::<m![Row / 4], m![Row % 8]>()
        .commit_trim::<m![Row % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
