//! Scales a vector twice. Two multiplications ask for one ALU in a pass, which `rustc` does not see.
use furiosa_opt_std::prelude::*;

axes![A = 2048];

type Spread = DmTensor<f32, m![1], m![1 # 2], m![A / 8], m![A % 8]>;

#[device(chip = 1)]
pub fn scale(device: &mut Device, x: &HbmTensor<f32, m![1], m![A]>) -> HbmTensor<f32, m![1], m![A]> {
    let x: Spread = x.to_dm(&mut device.tdma);
    let y: Spread = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![A % 8]>()
        .collect::<m![1], m![A % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![A / 4 % 2], m![A % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 0.125)
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 1.5)
        .vector_widen_concat::<m![1], m![A % 8]>()
        .vector_final()
        .commit_trim::<m![A % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
