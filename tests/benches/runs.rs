//! How fast a run computes: elements a second of a mover, a function of the Vector Engine, a contraction, and a mover of elements of which
//! half are undefined, each beside a plain loop over arrays that does the same.
//! `cargo bench -p visa-tests --bench runs` prints the rates.
#![allow(
    missing_docs,
    reason = "criterion's macros generate undocumented functions"
)]

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use visa_analysis::arrays::{FileArray, FileValues};
use visa_analysis::{InputPlace, InputValue, Layout, RunInput, RunRequest, Workspace};
// The programs' allocator.
use visa_server as _;

const PATH: &str = "bench.rs";
/// Repetitions behind a rate; the fastest counts.
const REPETITIONS: usize = 7;
/// Slices of a cluster, and elements in each of them.
const SLICES: usize = 256;
const DEPTH: usize = 4_096;

/// A kernel of 256 slices of 4,096 elements that are loaded, go through one pass, and are stored.
fn kernel(element: &str, source: &str, pass: &str, output: &str) -> String {
    format!(
        "use furiosa_opt_std::prelude::*;
axes![S = {SLICES}, A = {rows}, K = 16];
type Dm<D, E> = DmTensor<D, m![1], m![1], m![S], E>;
#[device(chip = 1, pe = 4)]
pub fn kernel(device: &mut Device, x: &HbmTensor<{element}, m![1], {source}>, w: &HbmTensor<bf16, m![1], m![A, K]>) -> HbmTensor<f32, m![1], {output}> {{
    {pass}
}}
",
        rows = DEPTH / 16
    )
}

/// What is measured: its name, the kernel, and a plain loop over the same elements.
struct Measured {
    name: &'static str,
    text: String,
    words: bool,
    plain: fn(&[f32], &[f32], &mut [f32]),
}

fn measured() -> Vec<Measured> {
    let moved = "let x: Dm<f32, m![A, K]> = x.to_dm(&mut device.tdma);
    let y: Dm<f32, m![K, A]> = x.to_dm(&mut device.tdma);
    y.to_hbm(&mut device.tdma)";
    let half = "let mut all: Dm<f32, m![A, K]> = DmTensor::new();
    x.view().tile::<m![A], 128, m![A = 128 # 256, K]>(0).to_dm_view(&mut device.tdma, all.view_mut().tile::<m![A], 128, m![A = 128 #{!} 256, K]>(0));
    let y: Dm<f32, m![K, A]> = all.to_dm(&mut device.tdma);
    y.to_hbm(&mut device.tdma)";
    let scaled = "let x: Dm<f32, m![A, K]> = x.to_dm(&mut device.tdma);
    let y: Dm<f32, m![A, K]> = device.main.begin(x.view()).fetch::<m![A, K / 8], m![K % 8]>().collect::<m![A, K / 8], m![K % 8]>()
        .vector_init().vector_intra_slice_tag(TagMode::Zero).vector_narrow_split::<m![A, K / 4], m![K % 4]>()
        .vector_fp_binary(FpBinaryOp::MulF(FpMulAlu::Mul0), 1.5f32)
        .vector_widen_concat::<m![A, K / 8], m![K % 8]>().vector_final().commit_trim::<m![K % 8]>().commit();
    y.to_hbm(&mut device.tdma)";
    let summed = "let w: Dm<bf16, m![A, K]> = w.to_dm(&mut device.tdma);
    let w: TrfTensor<bf16, m![1], m![1], m![S], m![1], m![A, K]> = device.sub.begin(w.view()).fetch::<m![A], m![K]>().collect::<m![A], m![K]>().to_trf();
    let x: Dm<bf16, m![A, K]> = x.to_dm(&mut device.tdma);
    let y: Dm<f32, m![1 # 8]> = device.main.begin(x.view()).fetch::<m![A], m![K]>().collect::<m![A], m![K]>()
        .contract_outer::<m![A / 2], m![A % 2, K], _, _, _>(&w).contract_packet::<m![1]>().contract_time::<m![1]>()
        .contract_lane::<m![1], m![1 # 8]>(LaneMode::Interleaved).commit_trim::<m![1 # 8]>().commit();
    y.to_hbm(&mut device.tdma)";
    let transposed: fn(&[f32], &[f32], &mut [f32]) = |x, _, y| {
        for (from, to) in x.chunks(DEPTH).zip(y.chunks_mut(DEPTH)) {
            for (at, value) in from.iter().enumerate() {
                to[at % 16 * (DEPTH / 16) + at / 16] = *value;
            }
        }
    };
    vec![
        Measured {
            name: "a mover that transposes",
            text: kernel("f32", "m![S, A, K]", moved, "m![S, K, A]"),
            words: false,
            plain: transposed,
        },
        Measured {
            name: "the same with half of the elements undefined",
            text: kernel("f32", "m![S, A, K]", half, "m![S, K, A]"),
            words: false,
            plain: transposed,
        },
        Measured {
            name: "a multiplication",
            text: kernel("f32", "m![S, A, K]", scaled, "m![S, A, K]"),
            words: false,
            plain: |x, _, y| {
                for (from, to) in x.iter().zip(y) {
                    *to = from * 1.5;
                }
            },
        },
        Measured {
            name: "a contraction",
            text: kernel("bf16", "m![S, A, K]", summed, "m![S, 1 # 8]"),
            words: true,
            plain: |x, w, y| {
                for (row, to) in x.chunks(DEPTH).zip(y) {
                    *to = row.iter().zip(w).fold(0.0, |sum, (a, b)| sum + a * b);
                }
            },
        },
    ]
}

/// The shortest of some times, in seconds.
fn shortest(mut run: impl FnMut()) -> f64 {
    let times = (0..REPETITIONS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    times.fold(f64::INFINITY, f64::min)
}

fn benchmarks(criterion: &mut Criterion) {
    let count = SLICES * DEPTH;
    let numbers: Vec<f32> = (0..count).map(|at| (at % 1_000) as f32 * 0.25).collect();
    for one in measured() {
        let mut workspace = Workspace::new();
        workspace.set_files([(PATH, one.text.as_str())]);
        let values = if one.words {
            let words = numbers.iter().map(|value| (value.to_bits() >> 16) as u16);
            FileValues::Words(words.collect())
        } else {
            FileValues::F32(numbers.clone())
        };
        let request = RunRequest {
            inputs: vec![RunInput {
                place: InputPlace::Position(0),
                value: InputValue::Array(FileArray {
                    shape: vec![SLICES, DEPTH / 16, 16],
                    values,
                }),
                source: Arc::from("x"),
            }],
            layout: Layout::Physical,
            ..RunRequest::default()
        };
        let analysis = workspace.analysis();
        let report = analysis.run(PATH, &request);
        assert!(
            report.is_ok_and(|report| !report.outputs.is_empty()),
            "{} does not run",
            one.name
        );
        let mut results = vec![0.0_f32; count];
        let plain = shortest(|| {
            (one.plain)(black_box(&numbers), &numbers[..DEPTH], &mut results);
            black_box(&results);
        });
        let run = shortest(|| {
            black_box(analysis.run(PATH, black_box(&request)).is_ok());
        });
        let rate = |seconds: f64| count as f64 / seconds / 1e6;
        println!(
            "{}: {:.0} M elements a second with loading and storing, {:.0} M in a plain loop alone ({:.1} times)",
            one.name,
            rate(run),
            rate(plain),
            run / plain
        );
        criterion.bench_function(one.name, |bencher| {
            bencher.iter(|| black_box(analysis.run(PATH, black_box(&request)).is_ok()));
        });
    }
}

criterion_group! {
    name = runs;
    config = Criterion::default().sample_size(10);
    targets = benchmarks
}
criterion_main!(runs);
