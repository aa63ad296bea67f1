//! What streams hold between the memories that a pass reads and writes: moves that wait, memory, registers of other slices, and lists
//! that a pass computes. The expected numbers come from arithmetic by hand.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, also in its helpers"
)]

use std::sync::Arc;

use visa_analysis::arrays::{FileArray, FileValues};
use visa_analysis::{
    InputPlace, InputValue, Layout, RunInput, RunOutput, RunRefusal, RunReport, RunRequest,
    Workspace, dialect_line,
};

fn attempt(
    text: &str,
    inputs: &[(&str, FileArray)],
    request: RunRequest,
) -> Result<RunReport, RunRefusal> {
    let mut workspace = Workspace::new();
    if let Some(dialect) = dialect_line(text) {
        workspace.set_dialect(dialect);
    }
    workspace.set_file("kernel.rs", text);
    let inputs = inputs.iter().map(|(name, array)| RunInput {
        place: InputPlace::Name(Arc::from(*name)),
        value: InputValue::Array(array.clone()),
        source: Arc::from(*name),
    });
    let request = RunRequest {
        inputs: inputs.collect(),
        layout: Layout::Physical,
        ..request
    };
    workspace.analysis().run("kernel.rs", &request)
}

/// The one output of a kernel that runs without findings.
fn output(text: &str, inputs: &[(&str, FileArray)]) -> RunOutput {
    let result = attempt(text, inputs, RunRequest::default());
    let report = result.unwrap_or_else(|refusal| panic!("{} {:?}", refusal.reason, refusal.place));
    assert!(report.findings.is_empty(), "{:?}", report.findings);
    report.outputs.into_iter().next().expect("an output")
}

fn floats(shape: &[usize], value: impl Fn(usize) -> f32) -> FileArray {
    let count = shape.iter().product();
    FileArray {
        shape: shape.to_vec(),
        values: FileValues::F32((0..count).map(value).collect()),
    }
}

fn integers(shape: &[usize], value: impl Fn(usize) -> i32) -> FileArray {
    let count = shape.iter().product();
    FileArray {
        shape: shape.to_vec(),
        values: FileValues::I32((0..count).map(value).collect()),
    }
}

fn numbers(output: &RunOutput) -> Vec<f64> {
    (0..output.values.len())
        .map(|at| output.values.number_at(at).expect("an element"))
        .collect()
}

/// A pass with or without a step between two orders: the elements are fetched with `A` and the halves of `K` exchanged, and stored with
/// `K` outermost.
fn reordering(step: &str) -> String {
    format!(
        "use furiosa_opt_std::prelude::*;
axes![S = 64, A = 4, K = 16];
#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, m![1], m![S, A, K]>) -> HbmTensor<f32, m![1], m![S, K, A]> {{
    let x: DmTensor<f32, m![1], m![1], m![S], m![A, K]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<f32, m![1], m![1], m![S], m![K / 8, A, K % 8]> = device
        .main
        .begin(x.view())
        .fetch::<m![K / 8, A], m![K % 8]>()
        .collect::<m![K / 8, A], m![K % 8]>()
        {step}
        .commit_trim::<m![K % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}}
"
    )
}

#[test]
fn a_stream_in_many_orders_holds_the_same_elements() {
    let scaled = ".vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![K / 8, A, K / 4 % 2], m![K % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 2.0f32)
        .vector_widen_concat::<m![K / 8, A], m![K % 8]>()
        .vector_final()";
    for (step, factor) in [("", 1.0), (scaled, 2.0)] {
        let x = floats(&[64, 4, 16], |at| at as f32);
        let found = numbers(&output(&reordering(step), &[("x", x)]));
        let expected: Vec<f64> = (0..64 * 16 * 4)
            .map(|at| {
                let (s, k, a) = (at / 64, at / 4 % 16, at % 4);
                f64::from((s * 4 + a) * 16 + k) * factor
            })
            .collect();
        assert_eq!(found, expected, "{step}");
    }
}

/// A store that is a part of a tensor takes its part of the stream, and leaves what is beside it: the second of two rows is written
/// last, from a stream that repeats each row.
#[test]
fn a_part_of_a_tensor_takes_its_part_of_a_stream() {
    let text = "use furiosa_opt_std::prelude::*;
axes![S = 64, A = 2, K = 8];
#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, m![1], m![S, K]>, y: &HbmTensor<f32, m![1], m![S, A, K]>) -> HbmTensor<f32, m![1], m![S, A, K]> {
    let x: DmTensor<f32, m![1], m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    let mut y: DmTensor<f32, m![1], m![1], m![S], m![A, K]> = y.to_dm(&mut device.tdma);
    device
        .main
        .begin(x.view())
        .fetch::<m![1], m![K]>()
        .collect::<m![1], m![K]>()
        .commit_trim::<m![K]>()
        .commit_view(y.view_mut().tile::<m![A], 1, m![A = 1 #{!} 2, K]>(1));
    y.to_hbm(&mut device.tdma)
}
";
    let x = floats(&[64, 8], |at| -(at as f32) - 1.0);
    let y = floats(&[64, 2, 8], |at| at as f32);
    let found = numbers(&output(text, &[("x", x), ("y", y)]));
    let expected: Vec<f64> = (0..64 * 16)
        .map(|at| match at / 8 % 2 {
            1 => -f64::from(at / 16 * 8 + at % 8) - 1.0,
            _ => f64::from(at),
        })
        .collect();
    assert_eq!(found, expected);
}

/// The stream repeats eight elements 512 times in each of 64 slices, which is a mebibyte; all tensors together have 6 KiB.
#[test]
fn a_stream_counts_against_the_memory_of_a_run() {
    let text = "use furiosa_opt_std::prelude::*;
axes![S = 64, T = 512, K = 8];
#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<i32, m![1], m![S, K]>) -> HbmTensor<i32, m![1], m![S, K]> {
    let x: DmTensor<i32, m![1], m![1], m![S], m![K]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<i32, m![1], m![1], m![S], m![K]> = device
        .main
        .begin(x.view())
        .fetch::<m![T], m![K]>()
        .collect::<m![T], m![K]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![T, K / 4], m![K % 4]>()
        .vector_intra_slice_reduce::<T, m![K / 4], m![K % 4]>(IntraSliceReduceOpI32::AddSat)
        .vector_widen_concat::<m![1], m![K]>()
        .vector_final()
        .commit_trim::<m![K]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";
    let x = integers(&[64, 8], |at| at as i32);
    let limited = |max_memory| RunRequest {
        max_memory,
        ..RunRequest::default()
    };
    let refusal = attempt(text, &[("x", x.clone())], limited(1 << 20));
    let refusal = refusal.expect_err("the stream is larger than the limit");
    assert!(
        refusal
            .reason
            .contains("the tensors and streams of the run take more than 1048576 bytes"),
        "{}",
        refusal.reason
    );
    let report = attempt(text, &[("x", x)], limited(4 << 20)).expect("the stream fits");
    let expected: Vec<f64> = (0..64 * 8).map(|at| f64::from(at) * 512.0).collect();
    assert_eq!(numbers(&report.outputs[0]), expected);
}

/// A factor is in the registers of all slices. The stream is in the first one, says nothing of the others' axis, and reads its own copy.
#[test]
fn a_stream_in_one_slice_reads_the_registers_of_that_slice() {
    let text = "use furiosa_opt_std::prelude::*;
axes![H = 16, L = 64];
#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, m![1], m![H]>, s: &HbmTensor<f32, m![1], m![1 # 8]>) -> HbmTensor<f32, m![1], m![H]> {
    let x: DmTensor<f32, m![1], m![1], m![1 # 64], m![H]> = x.to_dm(&mut device.tdma);
    let s: DmTensor<f32, m![1], m![1], m![L], m![1 # 8]> = s.to_dm(&mut device.tdma);
    let s: VrfTensor<f32, m![1], m![1], m![L], m![1 # 8]> =
        device.sub.begin(s.view()).fetch::<m![1], m![1 # 8]>().collect::<m![1], m![1 # 8]>().to_vrf();
    let y: DmTensor<f32, m![1], m![1], m![1 # 64], m![H]> = device
        .main
        .begin(x.view())
        .fetch::<m![H / 8], m![H % 8]>()
        .collect::<m![H / 8], m![H % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_narrow_split::<m![H / 4], m![H % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), &s)
        .vector_widen_concat::<m![H / 8], m![H % 8]>()
        .vector_final()
        .commit_trim::<m![H % 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";
    let x = floats(&[16], |at| at as f32 + 1.0);
    let s = floats(&[8], |_| 3.0);
    let found = numbers(&output(text, &[("x", x), ("s", s)]));
    let expected: Vec<f64> = (0..16).map(|at| f64::from(at + 1) * 3.0).collect();
    assert_eq!(found, expected);
}

/// Numbers of rows become byte offsets in a pass: the numbers are the list that has to be given.
#[test]
fn numbers_that_indices_are_computed_from_are_a_list() {
    let text = "// dialect: opt-std@0.6
use furiosa_opt_std::prelude::*;
axes![V = 4, L = 64, W = 8];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, table: &HbmTensor<i32, m![1], m![V, W]>, rows: &HbmTensor<i32, m![1], m![L]>) -> HbmTensor<i32, m![1], m![L, W]> {
    let rows: DmTensor<i32, m![1], m![1 # 2], m![1 # 256], m![L]> = rows.to_dm(&mut ctx.tdma);
    let offsets: DmTensor<i32, m![1], m![1 # 2], m![1 # 256], m![L]> = ctx
        .main
        .begin(rows.view())
        .fetch::<m![L / 8], m![L % 8]>()
        .collect::<m![L / 8], m![L % 8]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Zero)
        .vector_fxp(FxpBinaryOp::MulInt, 32)
        .vector_final()
        .commit_trim::<m![L % 8]>()
        .commit();
    let list: HbmTensor<i32, m![1], m![L]> = offsets.to_hbm(&mut ctx.tdma);
    let taken: DmTensor<i32, m![1], m![1 # 2], m![L], m![W]> = table.dma_gather_scaled(&list);
    taken.to_hbm(&mut ctx.tdma)
}
";
    let table = integers(&[4, 8], |at| at as i32);
    let refusal = attempt(text, &[("table", table.clone())], RunRequest::default());
    let refusal = refusal.expect_err("the list is missing");
    assert!(
        refusal
            .reason
            .contains("the list of indices `rows` is not given"),
        "{}",
        refusal.reason
    );
    let row = |at: usize| [2, 0, 3, 3][at % 4];
    let rows = integers(&[64], row);
    let found = numbers(&output(text, &[("table", table), ("rows", rows)]));
    let expected: Vec<f64> = (0..64 * 8)
        .map(|at| f64::from(row(at / 8) * 8 + (at % 8) as i32))
        .collect();
    assert_eq!(found, expected);
}

/// A window takes the padding behind it along. It is the rest of a tensor that was copied as a whole before, so both sides hold the same.
fn window_behind(first: &str) -> String {
    format!(
        "// dialect: opt-std@0.6
use furiosa_opt_std::prelude::*;
axes![S = 256, B = 48];
type Rows = DmTensor<i32, m![1], m![1 # 2], m![S], m![B]>;
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, B]>, z: &HbmTensor<i32, m![1], m![S, B]>) -> HbmTensor<i32, m![1], m![S, B]> {{
    let x: Rows = x.to_dm(&mut ctx.tdma);
    let z: Rows = z.to_dm(&mut ctx.tdma);
    let mut y = Rows::new();
    {first}.view().to_dm_view(&mut ctx.tdma, y.view_mut());
    let window = x.view().tile::<m![B], 24, m![B = 24 # 48]>(0);
    window.to_dm_view(&mut ctx.tdma, y.view_mut().tile::<m![B], 24, m![B = 24 # 48]>(0));
    y.to_hbm(&mut ctx.tdma)
}}
"
    )
}

#[test]
fn padding_that_travels_is_undefined_where_it_changes_numbers() {
    let inputs = [
        ("x", integers(&[256, 48], |at| at as i32)),
        ("z", integers(&[256, 48], |at| -1 - at as i32)),
    ];
    let same = output(&window_behind("x"), &inputs);
    let expected: Vec<f64> = (0..256 * 48).map(f64::from).collect();
    assert_eq!(numbers(&same), expected);
    // The second half of each row comes from `z`, and the window of `x` brings its own second half along.
    let other = attempt(&window_behind("z"), &inputs, RunRequest::default());
    let other = other.expect("it runs");
    assert_eq!(other.outputs[0].undefined, 256 * 24);
    assert_eq!(other.findings.len(), 1, "{:?}", other.findings);
}
