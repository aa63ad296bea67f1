//! What the tests of several features share: kernels with a caret, and texts cut off anywhere.

use crate::{Analysis, Model, Options, Workspace};

/// A kernel of three operations whose numbers can be worked out by hand.
///
/// The sub context fetches in steps of 8 bytes: 4 packets of 64 bytes take 4 * 64 / 8 = 32 cycles. The main context
/// fetches 32 bytes a cycle.
pub(super) const KERNEL: &str = "\
use furiosa_visa_std::prelude::*;

axes![S = 256, T = 4, P = 16];

type Chip = m![1];
type Half = m![1 # 2];
type Block = DmTensor<i32, Chip, Half, m![S], m![T, P]>;

#[device(chip = 1)]
fn raise(ctx: &mut Context, x: &HbmTensor<i32, Chip, m![S, T, P]>) -> HbmTensor<i32, Chip, m![S, T, P]> {
    let block: Block = x.to_dm(&mut ctx.tdma, 0);
    let operand: VrfTensor<i32, Chip, Half, m![S], m![T, P]> = ctx
        .sub
        .begin(block.view())
        .fetch::<i32, m![T], m![P]>()
        .collect::<m![T, P / 8], m![P % 8]>()
        .to_vrf(0);
    let sum: Block = ctx
        .main
        .begin(block.view())
        .fetch::<i32, m![T], m![P]>()
        .collect::<m![T, P / 8], m![P % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_fxp(FxpBinaryOp::AddFxp, &operand)
        .vector_final()
        .commit(0x1000);
    sum.to_hbm(&mut ctx.tdma, 1 << 28)
}
";

/// A workspace of one file.
pub(super) fn workspace(text: &str) -> Workspace {
    workspace_by(Model::Book, text)
}

/// A workspace whose figures are of a model.
pub(super) fn workspace_by(model: Model, text: &str) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_options(Options {
        model,
        ..Options::default()
    });
    workspace.set_file("kernel.rs", text);
    workspace
}

/// The text without its `$0`, a snapshot of a workspace that holds it as `kernel.rs`, and the caret's byte.
pub(super) fn at_caret(text: &str) -> (String, Analysis, u32) {
    let at = text.find("$0").expect("a caret");
    let text = text.replacen("$0", "", 1);
    let analysis = workspace(&text).analysis();
    (text, analysis, u32::try_from(at).expect("a small text"))
}

/// Asks at every byte of a text, and of the text cut off at many places, with a byte-order mark, with other line breaks and
/// with letters of several bytes in it.
pub(super) fn everywhere(text: &str, mut ask: impl FnMut(&Analysis, u32)) {
    let mut ask_all = |text: &str, step: usize| {
        let analysis = workspace(text).analysis();
        for at in (0..=text.len() + 1).step_by(step) {
            ask(&analysis, u32::try_from(at).expect("a small text"));
        }
    };
    ask_all(text, 1);
    let others = [
        format!("\u{feff}{text}"),
        text.replace('\n', "\r\n"),
        text.replace("block", "blöck"),
        text.replace(']', ""),
        text.replace('(', ""),
        text.replace("m![", "m![ä, "),
    ];
    for other in others {
        ask_all(&other, 7);
    }
    for end in (0..text.len()).step_by(23) {
        if let Some(start) = text.get(..end) {
            ask_all(start, 41);
        }
    }
}
