//! Kernels of early releases, and of forms that few use, with results that arithmetic by hand gives.

#![allow(
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking, also in its helpers"
)]

use std::sync::Arc;

use visa_analysis::arrays::{Array, FileArray, FileValues};
use visa_analysis::{
    InputPlace, InputValue, Layout, RunInput, RunOutput, RunRefusal, RunReport, RunRequest,
    Workspace, dialect_line,
};

/// Runs the one kernel of a text with arrays in physical order.
fn report(text: &str, inputs: &[(&str, FileArray)]) -> RunReport {
    let result = attempt(text, inputs);
    result.unwrap_or_else(|refusal| panic!("{} {:?}", refusal.reason, refusal.place))
}

fn attempt(text: &str, inputs: &[(&str, FileArray)]) -> Result<RunReport, RunRefusal> {
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
        ..RunRequest::default()
    };
    workspace.analysis().run("kernel.rs", &request)
}

fn result(text: &str, inputs: &[(&str, FileArray)]) -> RunOutput {
    let report = report(text, inputs);
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

/// A gather by byte offsets, and a scatter back: rows 3, 1, 3 and 0 of four.
#[test]
fn gathers_of_early_releases_take_rows_by_bytes() {
    let text = "// dialect: opt-std@0.6
use furiosa_opt_std::prelude::*;
axes![V = 4, L = 64, W = 8];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, table: &HbmTensor<i32, m![1], m![V, W]>, list: &HbmTensor<i32, m![1], m![L]>) -> HbmTensor<i32, m![1], m![L, W]> {
    let rows: DmTensor<i32, m![1], m![1 # 2], m![L], m![W]> = table.dma_gather_scaled(list);
    rows.to_hbm(&mut ctx.tdma)
}
";
    let row = |at: usize| [3, 1, 3, 0][at % 4];
    let table = integers(&[4, 8], |at| at as i32);
    // A row is 32 bytes.
    let list = integers(&[64], |at| row(at) * 32);
    let output = result(text, &[("table", table), ("list", list)]);
    let expected: Vec<f64> = (0..64 * 8)
        .map(|at| f64::from(row(at / 8) * 8 + (at % 8) as i32))
        .collect();
    assert_eq!(numbers(&output), expected);
}

/// Rows 0 and 1 of the source go to rows 5 and 2; the others keep what the caller had.
#[test]
fn scatters_of_early_releases_leave_the_other_rows() {
    let text = "// dialect: opt-std@0.6
use furiosa_opt_std::prelude::*;
axes![K = 2, X = 8, W = 8];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, rows: &HbmTensor<i32, m![1], m![K, W]>, list: &HbmTensor<i32, m![1], m![K]>, out: &mut HbmTensor<i32, m![1], m![X, W]>) {
    let rows: DmTensor<i32, m![1], m![1 # 2], m![K # 256], m![W]> = rows.to_dm(&mut ctx.tdma);
    rows.dma_scatter::<m![K], _, _>(list, out);
}
";
    let rows = integers(&[2, 8], |at| 100 + at as i32);
    let list = integers(&[2], |at| [5, 2][at] * 32);
    let before = integers(&[8, 8], |at| at as i32);
    let output = result(text, &[("rows", rows), ("list", list), ("out", before)]);
    let expected: Vec<f64> = (0..64)
        .map(|at| match at / 8 {
            5 => f64::from(100 + at % 8),
            2 => f64::from(108 + at % 8),
            _ => f64::from(at),
        })
        .collect();
    assert_eq!(numbers(&output), expected);
}

/// The clusters change places.
#[test]
fn a_shuffle_of_an_early_release_moves_whole_clusters() {
    let text = "// dialect: opt-std@0.6
use furiosa_opt_std::prelude::*;
axes![C = 2, S = 256, P = 8];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![C, S, P]>) -> HbmTensor<i32, m![1], m![C, S, P]> {
    let x: DmTensor<i32, m![1], m![C], m![S], m![P]> = x.to_dm(&mut ctx.tdma);
    let y = x.view().dm_cluster_shuffle::<2>(&mut ctx.tdma, &[1, 0]);
    y.to_hbm(&mut ctx.tdma)
}
";
    let half = 256 * 8;
    let output = result(text, &[("x", integers(&[2, 256, 8], |at| at as i32))]);
    let expected: Vec<f64> = (0..2 * half)
        .map(|at| ((at + half) % (2 * half)) as f64)
        .collect();
    assert_eq!(numbers(&output), expected);
}

/// The tag of a sum is that of the last element that it takes in: it is positive in even slices, which get 100 more.
#[test]
fn a_guard_behind_a_reduction_reads_the_last_tag() {
    let text = "use furiosa_opt_std::prelude::*;
axes![S = 64, R = 8];
type Rows = m![S];
#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<f32, m![1], m![S, R]>) -> HbmTensor<f32, m![1], m![S, 1 # 8]> {
    let x: DmTensor<f32, m![1], m![1], Rows, m![R]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<f32, m![1], m![1], Rows, m![1 # 8]> = device
        .main
        .begin(x.view())
        .fetch::<m![1], m![R]>()
        .collect::<m![1], m![R]>()
        .vector_init()
        .vector_intra_slice_tag(TagMode::Comparison([Cmp::Greater(0.0), Cmp::False, Cmp::False, Cmp::False]))
        .vector_narrow_split::<m![R / 4], m![R % 4]>()
        .vector_intra_slice_reduce::<R, m![1], m![1 # 4]>(IntraSliceReduceOpF32::Add)
        .vector_widen_pad::<m![1 # 8]>()
        .vector_clip(ClipBinaryOpF32::Add, Branched::imm(TagGuard::matches([BitReq::One, BitReq::Ignore, BitReq::Ignore, BitReq::Ignore]), 100.0))
        .vector_final()
        .commit_trim::<m![1 # 8]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";
    // Seven elements are 1, the last one is 2 in even rows and -2 in odd ones.
    let x = floats(&[64, 8], |at| match (at % 8, at / 8 % 2) {
        (7, 0) => 2.0,
        (7, _) => -2.0,
        _ => 1.0,
    });
    let output = result(text, &[("x", x)]);
    let found = numbers(&output);
    for slice in 0..64 {
        let expected = if slice % 2 == 0 { 109.0 } else { 5.0 };
        assert_eq!(found[slice * 8], expected, "slice {slice}");
    }
}

/// 2²⁴ + 1 + 1 is 2²⁴ where each step rounds, and two more where the small ones meet first: over time one by one, in a packet together.
fn contraction(release: &str, ending: &str) -> String {
    format!(
        "// dialect: opt-std@{release}
use furiosa_opt_std::prelude::*;
axes![S = 256, T = 2, K = 16];
#[device(chip = 1)]
fn kernel(ctx: &mut Context, x: &HbmTensor<bf16, m![1], m![S, T, K]>, w: &HbmTensor<bf16, m![1], m![T, K]>) -> HbmTensor<f32, m![1], m![S, 1 # 8]> {{
    let w: DmTensor<bf16, m![1], m![1 # 2], m![S], m![T, K]> = w.to_dm(&mut ctx.tdma{ending});
    let w: TrfTensor<bf16, m![1], m![1 # 2], m![S], m![1], m![T, K]> = ctx.sub.begin(w.view()).fetch::<m![T], m![K]>().collect::<m![T], m![K]>().to_trf({trf});
    let x: DmTensor<bf16, m![1], m![1 # 2], m![S], m![T, K]> = x.to_dm(&mut ctx.tdma{second});
    let y: DmTensor<f32, m![1], m![1 # 2], m![S], m![1 # 8]> = ctx
        .main
        .begin(x.view())
        .fetch::<m![T], m![K]>()
        .collect::<m![T], m![K]>()
        .contract_outer::<m![T], m![K], _, _{data}>(&w)
        .contract_packet::<m![1]>()
        .contract_time::<m![1]>()
        .contract_lane::<m![1], m![1 # 8]>(LaneMode::Interleaved)
        .commit_trim::<m![1 # 8]>()
        .commit({commit});
    y.to_hbm(&mut ctx.tdma{out})
}}
",
        trf = if ending.is_empty() { "" } else { "TrfAddress::Full" },
        second = if ending.is_empty() { "" } else { ", 64 * 1024" },
        data = if ending.is_empty() { ", _" } else { "" },
        commit = if ending.is_empty() { "" } else { "128 * 1024" },
        out = if ending.is_empty() { "" } else { ", 0" },
    )
}

#[test]
fn sums_of_early_releases_go_stage_by_stage() {
    // 2²⁴ at time 0, and 1 twice at time 1. All else is zero.
    let words = |at: usize, wanted: &[(usize, u16)]| {
        let found = wanted.iter().find(|(place, _)| *place == at);
        found.map_or(0, |(_, bits)| *bits)
    };
    let bits = |value: f32| (value.to_bits() >> 16) as u16;
    let x: Vec<u16> = (0..256 * 32)
        .map(|at| {
            words(
                at % 32,
                &[(0, bits(16_777_216.0)), (16, bits(1.0)), (17, bits(1.0))],
            )
        })
        .collect();
    let x = FileArray {
        shape: vec![256, 2, 16],
        values: FileValues::Words(x),
    };
    let w = FileArray {
        shape: vec![2, 16],
        values: FileValues::Words(vec![bits(1.0); 32]),
    };
    let inputs = [("x", x), ("w", w)];
    let one_by_one = result(&contraction("0.4", ""), &inputs);
    assert_eq!(numbers(&one_by_one)[0], 16_777_216.0);
    let by_stage = result(&contraction("0.3", ", 0"), &inputs);
    assert_eq!(numbers(&by_stage)[0], 16_777_218.0);
}

/// Two tensors whose bytes meet: what was written first is gone on the device.
#[test]
fn a_write_takes_the_bytes_of_other_tensors() {
    let text = "use furiosa_visa_std::prelude::*;
axes![S = 256, P = 64];
type Local = DmTensor<i32, m![1], m![1 # 2], m![S], m![P]>;
#[device(chip = 1)]
fn kernel(ctx: &mut Context, a: &HbmTensor<i32, m![1], m![S, P]>, b: &HbmTensor<i32, m![1], m![S, P]>, out: &mut HbmTensor<i32, m![1], m![S, P]>, rest: &mut HbmTensor<i32, m![1], m![S, P]>) {
    let a: Local = a.to_dm(&mut ctx.tdma, 0);
    let b: Local = b.to_dm(&mut ctx.tdma, 0x80);
    a.view().to_hbm_view(&mut ctx.tdma, out.view_mut());
    b.view().to_hbm_view(&mut ctx.tdma, rest.view_mut());
}
";
    let report = report(text, &[]);
    // 64 elements are 256 bytes; those from byte 128 on are taken.
    let [out, rest] = report.outputs.as_slice() else {
        panic!("{:?}", report.outputs.len());
    };
    assert_eq!((out.undefined, rest.undefined), (256 * 32, 0));
    let taken: Vec<usize> = (0..64).filter(|at| !out.defined.is_set(*at)).collect();
    assert_eq!(taken, (32..64).collect::<Vec<_>>());
    let [finding] = report.findings.as_slice() else {
        panic!("{:?}", report.findings);
    };
    assert!(
        finding.message.contains("lies over bytes of `a`"),
        "{finding:?}"
    );
}

/// A sum over a group that a size cuts across: of the 12 values of `[A, B]` in rows of four, the columns are added.
#[test]
fn a_group_that_a_size_cuts_across_is_reduced_by_its_elements() {
    let text = "use furiosa_opt_std::prelude::*;
axes![S = 64, A = 4, B = 3, P = 8];
#[device(chip = 1, pe = 1)]
pub fn kernel(device: &mut Device, x: &HbmTensor<i32, m![1], m![S, A, B, P]>) -> HbmTensor<i32, m![1], m![S, A, B, P]> {
    let x: DmTensor<i32, m![1], m![1], m![S], m![[A, B] / 4, [A, B] % 4, P]> = x.to_dm(&mut device.tdma);
    let y: DmTensor<i32, m![1], m![1], m![S], m![[A, B] % 4, [A, B] / 4, P]> = device
        .main
        .begin(x.view())
        .fetch::<m![[A, B] % 4, [A, B] / 4], m![P]>()
        .collect::<m![[A, B] % 4, [A, B] / 4], m![P]>()
        .commit_trim::<m![P]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";
    let output = result(text, &[("x", integers(&[64, 4, 3, 8], |at| at as i32))]);
    let Array::I32(found) = &output.values else {
        panic!("{:?}", output.values.kind());
    };
    assert!(
        found
            .iter()
            .enumerate()
            .all(|(at, value)| *value == at as i32)
    );
}

/// Copies that a broadcast leaves in empty positions are there on the device: a run that does not follow them ends, and finds nothing.
#[test]
fn copies_in_empty_positions_are_refused_not_reported() {
    let kernels = [
        (
            include_str!("../../fixtures/violations/claimed_replication/right_3.rs"),
            "broadcast",
        ),
        (
            include_str!("../../fixtures/violations/claimed_replication/right_5.rs"),
            "another tensor wrote",
        ),
    ];
    for (text, reason) in kernels {
        match attempt(text, &[]) {
            Ok(report) => panic!("it ran: {:?}", report.findings),
            Err(refusal) => assert!(refusal.reason.contains(reason), "{}", refusal.reason),
        }
    }
}
