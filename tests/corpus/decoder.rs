//! A decoder: blocks of a norm, a feed-forward part and a sum, one behind the other in a loop over the layers.
use furiosa_visa_std::prelude::*;

use super::parts::*;
use super::shape::*;

/// All layers, with the weights of each loaded when its turn comes.
#[device(chip = 1)]
pub fn decoder(
    ctx: &mut Context,
    x: &HbmTensor<bf16, Chip, m![S, D]>,
    up: &HbmTensor<bf16, Chip, m![L, S, F, D]>,
    down: &HbmTensor<bf16, Chip, m![L, S, D, F]>,
    out: &mut HbmTensor<bf16, Chip, m![L, S, D]>,
) {
    for layer in 0..4usize {
        let rows: Rows = x.to_dm(&mut ctx.tdma, ROWS);
        let normal = normalise(ctx, &rows, 0x400);
        let up: DmTensor<bf16, Chip, Cluster, Slice, m![F, D]> = up
            .view()
            .tile::<m![L], 1, m![1 # 4, S, F, D]>(layer)
            .to_dm(&mut ctx.tdma, WEIGHTS);
        let hidden = widened(ctx, &normal, &up, 0x800);
        let hidden = swish(ctx, &hidden, 0x1000);
        let down: DmTensor<bf16, Chip, Cluster, Slice, m![D, F]> = down
            .view()
            .tile::<m![L], 1, m![1 # 4, S, D, F]>(layer)
            .to_dm(&mut ctx.tdma, 0x20000);
        let change = narrowed(ctx, &hidden, &down, 0x2000);
        let next = sum(ctx, &rows, &change, 0x3000);
        next.view().to_hbm_view(
            &mut ctx.tdma,
            out.view_mut().tile::<m![L], 1, m![1 # 4, S, D]>(layer),
        );
    }
}

/// Rows scaled in two buffers in turn, a block of them at a time.
#[device(chip = 1)]
pub fn blocks(
    ctx: &mut Context,
    x: &HbmTensor<i32, Chip, m![T / 8, S, T % 8, L]>,
    out: &mut HbmTensor<i32, Chip, m![T / 8, S, T % 8, L]>,
) {
    for block in 0..8usize {
        let address = if block % 2 == 0 { 0x0000 } else { 0x1000 };
        let rows: DmTensor<i32, Chip, Cluster, Slice, m![T % 8, L]> = x
            .view()
            .tile::<m![T / 8], 1, m![1 # 8, S, T % 8, L]>(block)
            .to_dm(&mut ctx.tdma, address);
        let raised: DmTensor<i32, Chip, Cluster, Slice, m![T % 8, L]> = ctx
            .main
            .begin(rows.view())
            .fetch::<i32, m![T / 2 % 4], m![T % 2, L]>()
            .collect::<m![T / 2 % 4], m![T % 2, L]>()
            .vector_init()
            .vector_intra_slice_branch(BranchMode::Unconditional)
            .vector_fxp(FxpBinaryOp::AddFxp, 1)
            .vector_fxp(FxpBinaryOp::MulInt, 3)
            .vector_final()
            .commit(address + 0x4000);
        raised.view().to_hbm_view(
            &mut ctx.tdma,
            out.view_mut()
                .tile::<m![T / 8], 1, m![1 # 8, S, T % 8, L]>(block),
        );
    }
}
