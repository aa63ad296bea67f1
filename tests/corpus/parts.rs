//! The steps that the kernels share: norms, softmax, products with weights, sums.
use furiosa_visa_std::prelude::*;

use super::shape::*;

/// One over the square of the length of a row.
pub fn squared_length(ctx: &mut Context, x: &Rows, address: u64) -> One {
    ctx.main
        .begin(x.view())
        .fetch::<f32, m![D / 8], m![D % 8]>()
        .collect::<m![D / 8], m![D % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_stash()
        .vector_split::<m![D / 4], m![D % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), Stash)
        .vector_intra_slice_reduce::<D, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
        .vector_fp_div(FpDivBinaryOp::DivF.with_mode(BinaryArgMode::Mode10), 1.0f32)
        .vector_pad_way8::<m![1 # 8]>()
        .vector_final()
        .to_vrf(address)
}

/// Rows divided by their lengths.
pub fn normalise(ctx: &mut Context, x: &Rows, address: u64) -> Rows {
    let length = squared_length(ctx, x, 0);
    ctx.main
        .begin(x.view())
        .fetch::<f32, m![D / 8], m![D % 8]>()
        .collect::<m![D / 8], m![D % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![D / 4], m![D % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul1), &length)
        .vector_fp_unary(FpUnaryOp::Sqrt)
        .vector_concat::<m![D / 8], m![D % 8]>()
        .vector_final()
        .cast::<bf16, m![D % 8 # 16]>()
        .commit(address)
}

/// The largest score of a row.
pub fn largest(ctx: &mut Context, scores: &Scores) -> One {
    ctx.main
        .begin(scores.view())
        .fetch::<f32, m![T / 8], m![T % 8]>()
        .collect::<m![T / 8], m![T % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![T / 4], m![T % 4]>()
        .vector_intra_slice_reduce::<T, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Max)
        .vector_pad_way8::<m![1 # 8]>()
        .vector_final()
        .to_vrf(0x100)
}

/// The powers of the scores, shifted by the largest.
pub fn powers(
    ctx: &mut Context,
    scores: &Scores,
    largest: &One,
    address: u64,
) -> DmTensor<f32, Chip, Cluster, Slice, m![T]> {
    ctx.main
        .begin(scores.view())
        .fetch::<f32, m![T / 8], m![T % 8]>()
        .collect::<m![T / 8], m![T % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![T / 4], m![T % 4]>()
        .vector_fp_binary(FpBinaryOp::SubF, largest)
        .vector_fp_unary(FpUnaryOp::Exp)
        .vector_concat::<m![T / 8], m![T % 8]>()
        .vector_final()
        .commit(address)
}

/// Scores as probabilities.
pub fn softmax(ctx: &mut Context, scores: &Scores, address: u64) -> Scores {
    let largest = largest(ctx, scores);
    let powers = powers(ctx, scores, &largest, SCRATCH);
    let total: One = ctx
        .main
        .begin(powers.view())
        .fetch::<f32, m![T / 8], m![T % 8]>()
        .collect::<m![T / 8], m![T % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![T / 4], m![T % 4]>()
        .vector_intra_slice_reduce::<T, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
        .vector_pad_way8::<m![1 # 8]>()
        .vector_final()
        .to_vrf(0x120);
    ctx.main
        .begin(powers.view())
        .fetch::<f32, m![T / 8], m![T % 8]>()
        .collect::<m![T / 8], m![T % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![T / 4], m![T % 4]>()
        .vector_fp_div(FpDivBinaryOp::DivF.with_mode(BinaryArgMode::Mode01), &total)
        .vector_concat::<m![T / 8], m![T % 8]>()
        .vector_final()
        .cast::<bf16, m![T % 8 # 16]>()
        .commit(address)
}

/// A row times the weights of its slice.
pub fn widened(
    ctx: &mut Context,
    x: &Rows,
    weights: &DmTensor<bf16, Chip, Cluster, Slice, m![F, D]>,
    address: u64,
) -> Hidden {
    let weights: TrfTensor<bf16, Chip, Cluster, Slice, m![F % 8], m![F / 8, D]> = ctx
        .sub
        .begin(weights.view())
        .fetch::<bf16, m![F % 8, F / 8], m![D]>()
        .collect::<m![F % 8, F / 8, D / 16], m![D % 16]>()
        .to_trf(TrfAddress::Full);
    ctx.main
        .begin(x.view())
        .fetch::<bf16, m![F / 8], m![D]>()
        .collect::<m![F / 8, D / 16], m![D % 16]>()
        .align::<m![F / 8, D / 32], m![D % 32], _, _>(&weights)
        .contract::<m![1]>()
        .accumulate::<m![F / 8], m![F % 8]>(AccumulationKind::Interleaved)
        .cast::<bf16, m![F % 8 # 16]>()
        .commit(address)
}

/// A row of features times the weights that lead back.
pub fn narrowed(
    ctx: &mut Context,
    x: &Hidden,
    weights: &DmTensor<bf16, Chip, Cluster, Slice, m![D, F]>,
    address: u64,
) -> Rows {
    let weights: TrfTensor<bf16, Chip, Cluster, Slice, m![D % 8], m![D / 8, F]> = ctx
        .sub
        .begin(weights.view())
        .fetch::<bf16, m![D % 8, D / 8], m![F]>()
        .collect::<m![D % 8, D / 8, F / 16], m![F % 16]>()
        .to_trf(TrfAddress::Full);
    ctx.main
        .begin(x.view())
        .fetch::<bf16, m![D / 8], m![F]>()
        .collect::<m![D / 8, F / 16], m![F % 16]>()
        .align::<m![D / 8, F / 32], m![F % 32], _, _>(&weights)
        .contract::<m![1]>()
        .accumulate::<m![D / 8], m![D % 8]>(AccumulationKind::Interleaved)
        .cast::<bf16, m![D % 8 # 16]>()
        .commit(address)
}

/// Features times their own sigmoid.
pub fn swish(ctx: &mut Context, x: &Hidden, address: u64) -> Hidden {
    ctx.main
        .begin(x.view())
        .fetch::<f32, m![F / 8], m![F % 8]>()
        .collect::<m![F / 8], m![F % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_stash()
        .vector_split::<m![F / 4], m![F % 4]>()
        .vector_fp_unary(FpUnaryOp::Sigmoid)
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), Stash)
        .vector_concat::<m![F / 8], m![F % 8]>()
        .vector_final()
        .cast::<bf16, m![F % 8 # 16]>()
        .commit(address)
}

/// The sum of two rows.
pub fn sum(ctx: &mut Context, x: &Rows, y: &Rows, address: u64) -> Rows {
    let y: VrfTensor<f32, Chip, Cluster, Slice, m![D]> = ctx
        .sub
        .begin(y.view())
        .fetch::<f32, m![D / 8], m![D % 8]>()
        .collect::<m![D / 8], m![D % 8]>()
        .to_vrf(0x400);
    ctx.main
        .begin(x.view())
        .fetch::<f32, m![D / 8], m![D % 8]>()
        .collect::<m![D / 8], m![D % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![D / 4], m![D % 4]>()
        .vector_fp_binary(FpBinaryOp::AddF, &y)
        .vector_concat::<m![D / 8], m![D % 8]>()
        .vector_final()
        .cast::<bf16, m![D % 8 # 16]>()
        .commit(address)
}
