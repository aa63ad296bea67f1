//! Pairs of kernels that differ in one thing alone, and what it costs.

use super::{Compared, cost, current};

/// A pass of 256 narrow packets that does something with them.
fn pass(stages: &str, element: &str) -> String {
    format!(
        "use furiosa_opt_std::prelude::*;
axes![S = 256, H = 1024];
type Chip = m![1];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<bf16, Chip, m![S, H]>) {{
    let x: DmTensor<bf16, Chip, m![1 # 2], m![S], m![H]> = x.to_dm(&mut device.tdma);
    // judged
    let y: DmTensor<f32, Chip, m![1 # 2], m![S], m![{element}]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![H]>()
        .fetch_cast::<f32>()
        .collect::<m![H / 8], m![H % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![H / 4], m![H % 4]>()
        {stages}
        .vector_final()
        .commit_trim::<m![{element}]>()
        .commit();
}}
"
    )
}

#[test]
fn a_reduction_costs_nothing() {
    let scaled = pass(
        ".vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2f32)
        .vector_widen_concat::<m![H / 8], m![H % 8]>()",
        "H",
    )
    .replace("commit_trim::<m![H]>", "commit_trim::<m![H % 8]>");
    let summed = pass(
        ".vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2f32)
        .vector_intra_slice_reduce::<H, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
        .vector_widen_pad::<m![1 # 8]>()",
        "1 # 8",
    );
    // 256 narrow packets and the constant of the Vector Engine: rmsnorm's two passes.
    for (name, text) in [("scaled", &scaled), ("summed", &summed)] {
        assert_eq!(Compared::judged(text, name, 537).ours, 537, "{name}");
    }
}

#[test]
fn copies_of_a_load_cost_what_they_move() {
    let load = |axes: &str, hbm: &str, slice: &str| {
        let text = format!(
            "use furiosa_opt_std::prelude::*;
axes![{axes}];
type Chip = m![1];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<bf16, Chip, m![{hbm}]>) {{
    // judged
    let y: DmTensor<bf16, Chip, m![1 # 2], m![{slice}], m![K]> = x.to_dm(&mut device.tdma);
}}
"
        );
        Compared::judged(&text, slice, 1).ours
    };
    let copied = |bytes: u64| load(&format!("V = 256, K = {}", bytes / 2), "K", "V");
    let distinct = |bytes: u64| load(&format!("V = 256, K = {}", bytes / 2), "V, K", "V");
    // The rows of gemv: the same bytes a slice, each slice its own or all of them alike.
    assert_eq!((distinct(4_096), copied(4_096)), (2_277, 10_069));
    // Twice the bytes are twice the requests: 64 slices of 8 requests, at 9.297 each.
    assert_eq!(copied(4_096) - copied(2_048), 4_760);
    for bytes in [32, 256, 1_024, 2_048, 8_192] {
        assert!(copied(bytes) > distinct(bytes), "{bytes}");
    }
}

#[test]
fn a_partial_write_costs_by_the_pieces_of_a_unit() {
    let store = |slices: &str, element: &str| {
        let text = format!(
            "use furiosa_opt_std::prelude::*;
axes![O = 2048];
type Chip = m![1];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<bf16, Chip, m![O]>) -> HbmTensor<bf16, Chip, m![O]> {{
    let x: DmTensor<bf16, Chip, m![1 # 2], m![{slices}], m![{element}]> = x.to_dm(&mut device.tdma);
    // judged
    x.to_hbm(&mut device.tdma)
}}
"
        );
        Compared::judged(&text, slices, 1).ours
    };
    // 16 units of 256 bytes. In 16 pieces each: 430 + 2.2 * 16 * 256; in 4: 430 + 2.2 * 16 * 16.
    assert_eq!(store("O / 8", "O % 8"), 9_441);
    assert_eq!(store("1 # 4, O / 32", "O % 32"), 993);
    // Whole: one engine has them all, 333 + 2.2 * 16.
    assert_eq!(store("1 # 16, O / 128", "O % 128"), 368);
}

#[test]
fn what_the_tables_do_not_settle_is_the_books_figure() {
    let text = "use furiosa_opt_std::prelude::*;
axes![O = 2048];
type Chip = m![1];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<bf16, Chip, m![O]>) -> HbmTensor<bf16, Chip, m![O]> {
    x.to_hbm(&mut device.tdma)
}
";
    let cost = cost(text, current());
    let row = &cost.operations[0];
    let found = row.calibrated.as_ref().expect("a figure");
    assert_eq!(found.class, "uncalibrated");
    assert_eq!((found.low, found.high, found.samples), (None, None, 0));
    let book = cost.book.as_ref().expect("the book's figures");
    assert_eq!(Some(found.cycles), book.operations[0].cycles);
}

/// Two loads of which the larger is waited for longer, and a pass behind each, in two orders of statements.
#[test]
fn the_order_of_statements_changes_nothing() {
    let pass = |to: &str, from: &str, axis: &str| {
        format!(
            "    let {to}: DmTensor<f32, Chip, m![1 # 2], m![S], m![{axis}]> = device.main.begin({from}.view()).fetch::<m![1], m![{axis}]>().collect::<m![{axis} / 8], m![{axis} % 8]>().vector_init().vector_intra_slice_tag(TagMode::Zero).vector_narrow_split::<m![{axis} / 4], m![{axis} % 4]>().vector_fp_unary(FpUnaryOp::Sigmoid).vector_widen_concat::<m![{axis} / 8], m![{axis} % 8]>().vector_final().commit_trim::<m![{axis} % 8]>().commit();\n"
        )
    };
    let (large, small) = (pass("y", "a", "N"), pass("z", "b", "M"));
    let total = |passes: &str| {
        let text = format!(
            "use furiosa_opt_std::prelude::*;
axes![S = 256, N = 1024, M = 16];
type Chip = m![1];
#[device(chip = 1)]
pub fn kernel(device: &mut Device, a: &HbmTensor<f32, Chip, m![S, N]>, b: &HbmTensor<f32, Chip, m![S, M]>) -> (HbmTensor<f32, Chip, m![S, N]>, HbmTensor<f32, Chip, m![S, M]>) {{
    let a: DmTensor<f32, Chip, m![1 # 2], m![S], m![N]> = a.to_dm(&mut device.tdma);
    let b: DmTensor<f32, Chip, m![1 # 2], m![S], m![M]> = b.to_dm(&mut device.tdma);
{passes}    (y.to_hbm(&mut device.tdma), z.to_hbm(&mut device.tdma))
}}
"
        );
        cost(&text, current()).total
    };
    // The four transfers one after the other, 549 + 27 / 16 * 1,024, 549 + 2.45 * 64, 437 + 2.2 * 1,024 and 430 + 2.2 * 64 * 16; the passes
    // run beside them. In the order of the source the pass over `a` would wait for `b`, and its store for both.
    let sum = 1_003 + 2_277 + 706 + 2_690 + 2_683 + 600;
    for passes in [format!("{large}{small}"), format!("{small}{large}")] {
        assert_eq!(total(&passes), Some(sum));
    }
}
