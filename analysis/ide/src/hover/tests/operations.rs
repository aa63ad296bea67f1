//! Methods of chains.

use crate::EditorQuestions as _;
use expect_test::expect;

use crate::testing::at_caret;

use super::{check_hover, kernel_at};

#[test]
fn a_transfer_has_two_sides() {
    check_hover(
        &kernel_at("x.$0to_dm"),
        &expect![[r#"
            **`to_dm`**: 565 cycles

            Operation `to_dm x` in context dma: 565 cycles, decided by `read`

            |  | tensor   | memory   | bytes   | mapping   |
            | :-- | :-- | :-- | :-- | :-- |
            | from | `x` | HBM | 65,536 bytes a chip | `i32, m![1], m![S, T, P]` |
            | to | `block` | DM | `0x0..0x100`, 256 bytes a slice | `i32, m![1], m![1 # 2], m![S], m![T, P]` |

            Sequencer `[256:(256, 4194304)]`, packets of 256 bytes

            | engine   | formula   | pattern   |   cycles |
            | :-- | :-- | :-- | --: |
            | `start` | `500 * commands` with commands 1 |  | 500 |
            | `read` | `max(alone_cycles, channel_cycles)` with requests 256, engines 4, alone_cycles 65, channels 32, channel_cycles 43 | `[32:256, 2:8192, 256:1]:256 @?` | 65 |
            | `write` | `max(engine_cycles, dmn_cycles)` with requests 256, engines 4, engine_cycles 64, dmn_cycles 64 | `[32:slice_stride, 2:DMN_stride, 256:1]:256 @0` | 64 |

            Assumes

            - `x` is aligned and alone in HBM

            Runs from cycle 0 to 565 of `raise`
        "#]],
    );
}

#[test]
fn a_beginning_shows_the_whole_pass() {
    check_hover(
        &kernel_at(".main\n        .$0begin"),
        &expect![[r#"
            **`begin`**: 6 stages after it, 9 cycles

            Operation `commit sum` in context main: 9 cycles, 8 of `fetch` and 1 of latency

            | stage   | type   | time   | packet   |   steps |   bytes |   flits |   way |   cycles |
            | :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
            | `begin` | i32 | `m![1]` | `m![T, P]` | 1 | 256 | 8 |  |  |
            | `fetch` | i32 | `m![T]` | `m![P]` | 4 | 64 | 2 |  | 8 |
            | `collect` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 |  | 8 |
            | `vector_init` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 | 8 |  |
            | `vector_intra_slice_branch` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 | 8 | 8 |
            | `vector_fxp` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 | 8 | 8 |
            | `vector_final` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 |  |  |
            | `commit` | i32 |  | `m![T, P]` |  | 256 |  |  | 8 |

            Runs from cycle 597 to 606 of `raise`
        "#]],
    );
}

#[test]
fn a_fetch_has_its_sequencer() {
    check_hover(
        &kernel_at(".fet$0ch"),
        &expect![[r#"
            **`fetch`**: 4 x 64 bytes, 32 cycles

            Operation `to_vrf operand` in context sub: 32 cycles, decided by `fetch`

            | stage   | type   | time   | packet   |   steps |   bytes |   flits |   way |   cycles |
            | :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
            | `begin` | i32 | `m![1]` | `m![T, P]` | 1 | 256 | 8 |  |  |
            | `fetch` | i32 | `m![T]` | `m![P]` | 4 | 64 | 2 |  | 32 |

            Sequencer `[64:1], 8 bytes an access`  
            Cycles 32 = `time * ceil(packet / fetch_size)` with time 4, packet 64, fetch_size 8 (book: Batching)

            256 bytes contiguous, 32 accesses

            Runs from cycle 565 to 597 of `raise`
        "#]],
    );
}

#[test]
fn a_vector_stage_has_its_alus() {
    check_hover(
        &kernel_at(".vector_fxp$0("),
        &expect![[r#"
            **`vector_fxp`**: 8 x 32 bytes, 8 cycles, 1 of latency

            Operation `commit sum` in context main: 9 cycles, 8 of `fetch` and 1 of latency

            | stage   | type   | time   | packet   |   steps |   bytes |   flits |   way |   cycles |
            | :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
            | `vector_intra_slice_branch` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 | 8 | 8 |
            | `vector_fxp` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 | 8 | 8 |

            Set-up `8 lanes, FxpAdd`  
            Cycles 8 = `packets` with packets 8 (book: Vector Engine: Performance)

            ALUs used so far: FxpAdd  
            Free from here on: FxpLshift, FxpMul, FxpRshift; FpFma, FpFpu, FpExp, FpMul0, FpMul1; ReduceAccTree; ReduceFpDiv; ClipAdd, ClipMax, ClipMin

            Runs from cycle 597 to 606 of `raise`
        "#]],
    );
}

#[test]
fn a_commit_has_its_place() {
    check_hover(
        &kernel_at(".$0commit"),
        &expect![[r#"
            **`commit`**: 256 bytes, 8 cycles

            Operation `commit sum` in context main: 9 cycles, 8 of `fetch` and 1 of latency

            | stage   | type   | time   | packet   |   steps |   bytes |   flits |   way |   cycles |
            | :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
            | `vector_final` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 |  |  |
            | `commit` | i32 |  | `m![T, P]` |  | 256 |  |  | 8 |

            Sequencer `[64:1], 32 bytes an access`  
            Cycles 8 = `time * ceil(packet / commit_size)` with time 8, packet 32, commit_size 32 (book: Commit Sequencer)

            Stores `sum` in DM at `0x1000..0x1100`, 256 bytes a slice  
            256 bytes contiguous, 8 accesses

            Runs from cycle 597 to 606 of `raise`
        "#]],
    );
}

#[test]
fn a_load_of_a_register_file_has_its_place() {
    check_hover(
        &kernel_at(".$0to_vrf"),
        &expect![[r#"
            **`to_vrf`**: 256 bytes, 8 cycles

            Operation `to_vrf operand` in context sub: 32 cycles, decided by `fetch`

            | stage   | type   | time   | packet   |   steps |   bytes |   flits |   way |   cycles |
            | :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
            | `collect` | i32 | `m![T, P / 8]` | `m![P % 8]` | 8 | 32 | 1 |  | 8 |
            | `to_vrf` | i32 |  | `m![T, P]` |  | 256 |  |  | 8 |

            Cycles 8 = `time * flits` with time 8, flits 1 (book: Packet Normalization)

            Stores `operand` in the VRF at `0x0..0x100`, 256 bytes a slice

            Runs from cycle 565 to 597 of `raise`
        "#]],
    );
}

#[test]
fn a_helper_is_told_by_kernel() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 32];
type Row = DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>;
fn keep(ctx: &mut Context, x: &Row, at: u64) -> Row {
    ctx.sub.begin(x.view()).fetch::<i8, m![1], m![A]>().com$0mit(at)
}
#[device(chip = 1)]
fn once(ctx: &mut Context, x: &Row) { let y = keep(ctx, x, 0x1000); }
#[device(chip = 1)]
fn twice(ctx: &mut Context, x: &Row) { let y = keep(ctx, x, 0x1000); let z = keep(ctx, x, 0x2000); }
",
        &expect![[r#"
            **`commit`**: 32 bytes, 4 cycles

            Operation `commit y` in context sub: 4 cycles, decided by `fetch`

            | stage   | type   | time   | packet   |   steps |   bytes |   flits |   way |   cycles |
            | :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
            | `fetch` | i8 | `m![1]` | `m![A]` | 1 | 32 | 1 |  | 4 |
            | `commit` | i8 |  | `m![A]` |  | 32 |  |  | 4 |

            Sequencer `[32:1], 8 bytes an access`  
            Cycles 4 = `time * ceil(packet / commit_size)` with time 1, packet 32, commit_size 8 (book: Commit Sequencer)

            Stores `y` in DM at `0x1000..0x1020`, 32 bytes a slice  
            32 bytes contiguous, 4 accesses

            Called from several kernels:

            - Runs from cycle 0 to 4 of `once`
            - Runs from cycle 0 to 4 of `twice`, the first of 2 calls; all of them take 8 cycles
        "#]],
    );
}

#[test]
fn a_loop_says_how_often_it_runs() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 32];
type Row = DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>;
#[device(chip = 1)]
fn again(ctx: &mut Context, x: &Row) {
    for i in 0..3 {
        let y: Row = ctx.sub.begin(x.view()).$0fetch::<i8, m![1], m![A]>().commit(0x1000);
    }
}
",
        &expect![[r#"
            **`fetch`**: 1 x 32 bytes, 4 cycles

            Operation `commit y` in context sub: 4 cycles, decided by `fetch`

            | stage   | type   | time   | packet   |   steps |   bytes |   flits |   way |   cycles |
            | :-- | :-- | :-- | :-- | --: | --: | --: | --: | --: |
            | `begin` | i8 | `m![1]` | `m![A]` | 1 | 32 | 1 |  |  |
            | `fetch` | i8 | `m![1]` | `m![A]` | 1 | 32 | 1 |  | 4 |

            Sequencer `[32:1], 8 bytes an access`  
            Cycles 4 = `time * ceil(packet / fetch_size)` with time 1, packet 32, fetch_size 8 (book: Batching)

            32 bytes contiguous, 4 accesses

            Runs from cycle 0 to 4 of `again`, the first run in a loop of 3; all of them take 12 cycles
        "#]],
    );
}

#[test]
fn what_cannot_be_followed_says_why() {
    check_hover(
        "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 32];
#[device(chip = 1)]
fn odd(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, A]>) {
    let y: DmTensor<i8, m![1], m![1 # 2], m![S], m![A]> = x.to_dm(&mut ctx.tdma, 0);
    let z = ctx.main.begin(y.view()).fetch::<i8, m![1], m![A]>().$0splash();
}
",
        &expect![[r#"
            **`splash`**: not followed

            Because

            - unknown method `splash`
        "#]],
    );
}

#[test]
fn a_custom_switch_says_whom_it_holds() {
    let text = include_str!("../../../../../fixtures/kernels/right/switches.rs");
    let at = text
        .find(".switch::<m![M / 2, Y, Q / 2, Z]")
        .expect("a custom ring");
    let (before, behind) = text.split_at(at + 1);
    let (_, analysis, at) = at_caret(&format!("{before}$0{behind}"));
    let page = analysis.hover("kernel.rs", at).expect("an answer");
    let page = page.expect("a page").markdown;
    // Rings of 8 slices, 16 packets of one flit each.
    assert!(
        page.contains(
            "Cycles 128 = `ring * time * ceil(packet / 32)` with ring 8, time 16, packet 32"
        ),
        "{page}"
    );
    assert!(page.contains("Meanwhile no DMA transfer starts."), "{page}");
    assert!(page.contains("Meanwhile the sub context waits."), "{page}");
}

/// The slices are between the rows, so that 32 bytes are written at a time: what it costs and what would save most are the first
/// lines behind the heading, of the operation and of its kernel.
#[test]
fn cause_and_saving_come_first() {
    let text = include_str!("../../../../../fixtures/violations/hbm_partial_write/wrong.rs");
    let paragraphs = |caret: &str| {
        let place = caret.replace("$0", "");
        let (_, analysis, at) = at_caret(&text.replacen(&place, caret, 1));
        let page = analysis
            .hover("kernel.rs", at)
            .expect("an answer")
            .expect("a page");
        let parts: Vec<String> = page.markdown.split("\n\n").map(str::to_owned).collect();
        parts
    };
    let operation = paragraphs("local.$0to_hbm");
    assert!(operation[0].starts_with("**`to_hbm`**: "), "{operation:?}");
    let lines: Vec<&str> = operation[1].lines().collect();
    assert!(
        lines[0].starts_with("Operation `to_hbm local` in context dma: "),
        "{lines:?}"
    );
    assert!(
        lines[1].starts_with("Would save ") && lines[1].contains(" cycles: "),
        "{lines:?}"
    );
    let kernel = paragraphs("fn $0store");
    let lines: Vec<&str> = kernel[1].lines().collect();
    assert!(
        lines[0].starts_with("Most of it: `to_hbm local`, "),
        "{kernel:?}"
    );
    assert!(
        lines[1].starts_with("Would save ") && lines[1].contains(", line 11: "),
        "{kernel:?}"
    );
}

/// In the arguments of a macro an operation has the page that it has without the macro.
#[test]
fn arguments_of_macros_have_the_pages_of_their_operations() {
    let page = |pass: &str| {
        let text = format!(
            "use furiosa_opt_std::prelude::*;
axes![S = 256, K = 64];
macro_rules! same {{ ($($t:tt)*) => {{ $($t)* }}; }}
#[device(chip = 1, pe = 4)]
fn k(device: &mut Device, x: &HbmTensor<i32, m![1], m![S, K]>) -> HbmTensor<i32, m![1], m![S, K]> {{
    let x: DmTensor<i32, m![1], m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<i32, m![1], m![1], m![S], m![K]> = {pass};
    y.to_hbm(&mut device.tdma)
}}
"
        );
        let (_, analysis, at) = at_caret(&text);
        let page = analysis.hover("kernel.rs", at).expect("an answer");
        page.expect("a page").markdown
    };
    let chain = "device.main.begin(x.view()).fetch::<m![K / 8], m![K % 8]>().col$0lect::<m![K / 8], m![K % 8]>().commit()";
    let plain = page(chain);
    assert!(plain.contains("collect"), "{plain}");
    assert_eq!(page(&format!("same!({chain})")), plain);
}
