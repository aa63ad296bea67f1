//! Attention of a query row against the keys of its slice: scores, softmax, and the values that they weigh.
use furiosa_visa_std::prelude::*;

use super::parts::*;
use super::shape::*;

/// The softmax of the scores, all of it in one kernel.
#[device(chip = 1)]
pub fn attention_softmax(
    ctx: &mut Context,
    query: &HbmTensor<bf16, Chip, m![S, D]>,
    keys: &HbmTensor<bf16, Chip, m![S, T, D]>,
) -> HbmTensor<bf16, Chip, m![S, T]> {
    let query: Rows = query.to_dm(&mut ctx.tdma, ROWS);
    let keys: DmTensor<bf16, Chip, Cluster, Slice, m![T, D]> = keys.to_dm(&mut ctx.tdma, WEIGHTS);
    let keys: TrfTensor<bf16, Chip, Cluster, Slice, m![T % 8], m![T / 8, D]> = ctx
        .sub
        .begin(keys.view())
        .fetch::<bf16, m![T % 8, T / 8], m![D]>()
        .collect::<m![T % 8, T / 8, D / 16], m![D % 16]>()
        .to_trf(TrfAddress::Full);
    let scores: Scores = ctx
        .main
        .begin(query.view())
        .fetch::<bf16, m![T / 8], m![D]>()
        .collect::<m![T / 8, D / 16], m![D % 16]>()
        .align::<m![T / 8, D / 32], m![D % 32], _, _>(&keys)
        .contract::<m![1]>()
        .accumulate::<m![T / 8], m![T % 8]>(AccumulationKind::Interleaved)
        .cast::<bf16, m![T % 8 # 16]>()
        .commit(0x1000);
    let largest: One = ctx
        .main
        .begin(scores.view())
        .fetch::<f32, m![T / 8], m![T % 8]>()
        .collect::<m![T / 8], m![T % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![T / 4], m![T % 4]>()
        .vector_intra_slice_reduce::<T, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Max)
        .vector_pad_way8::<m![1 # 8]>()
        .vector_final()
        .to_vrf(0);
    let powers: DmTensor<f32, Chip, Cluster, Slice, m![T]> = ctx
        .main
        .begin(scores.view())
        .fetch::<f32, m![T / 8], m![T % 8]>()
        .collect::<m![T / 8], m![T % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![T / 4], m![T % 4]>()
        .vector_fp_binary(FpBinaryOp::SubF, &largest)
        .vector_fp_unary(FpUnaryOp::Exp)
        .vector_concat::<m![T / 8], m![T % 8]>()
        .vector_final()
        .commit(0x2000);
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
        .to_vrf(0x20);
    let probabilities: Scores = ctx
        .main
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
        .commit(0x3000);
    probabilities.to_hbm(&mut ctx.tdma, 1 << 28)
}

/// A head: the same with the values, in steps that other kernels share.
#[device(chip = 1)]
pub fn head(
    ctx: &mut Context,
    query: &HbmTensor<bf16, Chip, m![S, D]>,
    keys: &HbmTensor<bf16, Chip, m![S, T, D]>,
    values: &HbmTensor<bf16, Chip, m![S, D, T]>,
    out: &mut HbmTensor<bf16, Chip, m![S, D]>,
) {
    let query: Rows = query.to_dm(&mut ctx.tdma, ROWS);
    let query = normalise(ctx, &query, 0x400);
    let keys: DmTensor<bf16, Chip, Cluster, Slice, m![T, D]> = keys.to_dm(&mut ctx.tdma, WEIGHTS);
    let keys: TrfTensor<bf16, Chip, Cluster, Slice, m![T % 8], m![T / 8, D]> = ctx
        .sub
        .begin(keys.view())
        .fetch::<bf16, m![T % 8, T / 8], m![D]>()
        .collect::<m![T % 8, T / 8, D / 16], m![D % 16]>()
        .to_trf(TrfAddress::FirstHalf);
    let scores: Scores = ctx
        .main
        .begin(query.view())
        .fetch::<bf16, m![T / 8], m![D]>()
        .collect::<m![T / 8, D / 16], m![D % 16]>()
        .align::<m![T / 8, D / 32], m![D % 32], _, _>(&keys)
        .contract::<m![1]>()
        .accumulate::<m![T / 8], m![T % 8]>(AccumulationKind::Interleaved)
        .cast::<bf16, m![T % 8 # 16]>()
        .commit(0x1000);
    let probabilities = softmax(ctx, &scores, 0x2000);
    let values: DmTensor<bf16, Chip, Cluster, Slice, m![D, T]> =
        values.to_dm(&mut ctx.tdma, 0x10000);
    let values: TrfTensor<bf16, Chip, Cluster, Slice, m![D % 8], m![D / 8, T]> = ctx
        .sub
        .begin(values.view())
        .fetch::<bf16, m![D % 8, D / 8], m![T]>()
        .collect::<m![D % 8, D / 8, T / 16], m![T % 16]>()
        .to_trf(TrfAddress::SecondHalf);
    let weighed: Rows = ctx
        .main
        .begin(probabilities.view())
        .fetch::<bf16, m![D / 8], m![T]>()
        .collect::<m![D / 8, T / 16], m![T % 16]>()
        .align::<m![D / 8, T / 32], m![T % 32], _, _>(&values)
        .contract::<m![1]>()
        .accumulate::<m![D / 8], m![D % 8]>(AccumulationKind::Interleaved)
        .cast::<bf16, m![D % 8 # 16]>()
        .commit(0x3000);
    weighed
        .view()
        .to_hbm_view(&mut ctx.tdma, out.view_mut());
}
