//! How long the cost of a kernel takes: one of 1,000 operations from nothing, and the same kernel over axes of 8 and of
//! 2^40 elements, which must not differ; kernels of 1,000 operations of several kinds, and of 1,152 by loops, right and with one
//! fault in ten operations. `cargo bench -p visa-tests --bench cost` prints the times.
#![allow(
    missing_docs,
    reason = "criterion's macros generate undocumented functions"
)]

use std::fmt::Write;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
// The programs' allocator.
use visa_analysis::{KernelCost, Workspace};
use visa_server as _;
use visa_tests::corpus::{self, Kind};

const PATH: &str = "bench.rs";
const OPERATIONS: usize = 1_000;
/// Repetitions behind a median.
const REPETITIONS: usize = 15;

/// Rounds of a load, two passes and a store, over blocks of DM in turn.
fn many_operations() -> String {
    let mut text =
        "use furiosa_visa_std::prelude::*;\naxes![S = 256, M = 16, N = 16];\n#[device(chip = 1)]\n\
                    fn k(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, M, N]>) {\n"
            .to_owned();
    for round in 0..OPERATIONS / 4 {
        let address = round % 32 * 0x1000;
        let pass = |target: &str, source: &str, address: usize| {
            format!(
                "let {target}: DmTensor<i32, m![1], m![1 # 2], m![S], m![M, N]> = ctx.main.begin({source}.view())\
                 .fetch::<i32, m![M, N / 8], m![N % 8]>().collect::<m![M, N / 8], m![N % 8]>().vector_init()\
                 .vector_intra_slice_branch(BranchMode::Unconditional).vector_fxp(FxpBinaryOp::AddFxp, {round})\
                 .vector_final().commit({address});\n"
            )
        };
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "let a{round}: DmTensor<i32, m![1], m![1 # 2], m![S], m![M, N]> = x.to_dm(&mut ctx.tdma, {address});\n{}{}\
             let _c{round}: HbmTensor<i32, m![1], m![S, M, N]> = d{round}.to_hbm(&mut ctx.tdma, {} << 28);\n",
            pass(&format!("b{round}"), &format!("a{round}"), address + 0x400),
            pass(&format!("d{round}"), &format!("b{round}"), address + 0x800),
            round % 8 + 1,
        );
    }
    text.push_str("}\n");
    text
}

/// A pass and its transfers over so many elements of an outer axis.
fn of_size(size: u64) -> String {
    format!(
        "use furiosa_visa_std::prelude::*;\naxes![S = 256, A = {size}, N = 8];\n#[device(chip = 1)]\n\
         fn k(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![A, S, N]>) {{\n\
         let a: DmTensor<i32, m![1], m![1 # 2], m![S], m![A, N]> = x.to_dm(&mut ctx.tdma, 0);\n\
         let b: DmTensor<i32, m![1], m![1 # 2], m![S], m![A, N]> = ctx.main.begin(a.view())\
         .fetch::<i32, m![A], m![N]>().collect::<m![A], m![N]>().commit(1 << 18);\n\
         let _c: HbmTensor<i32, m![1], m![A, S, N]> = b.to_hbm(&mut ctx.tdma, 1 << 28);\n}}\n"
    )
}

/// The cost of the only kernel of a text, from nothing, and the workspace, which nobody who waits for the cost gives back.
fn cost(text: &str) -> (KernelCost, Workspace) {
    let mut workspace = Workspace::new();
    workspace.set_files([(PATH, text)]);
    let costs = workspace.analysis().costs(PATH);
    let kernel = costs.ok().and_then(|mut kernels| kernels.pop());
    let kernel = black_box(kernel).unwrap_or_else(|| std::process::abort());
    (kernel, workspace)
}

/// How long something takes, without giving back what it made.
fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    let result = run();
    let time = start.elapsed();
    drop(result);
    time
}

fn median<T>(mut run: impl FnMut() -> T) -> Duration {
    let mut times: Vec<Duration> = (0..REPETITIONS).map(|_| timed(&mut run)).collect();
    times.sort();
    times.get(REPETITIONS / 2).copied().unwrap_or_default()
}

fn benchmarks(criterion: &mut Criterion) {
    let text = many_operations();
    let (kernel, _) = cost(&text);
    assert_eq!(kernel.operations.len(), OPERATIONS);
    assert!(kernel.total.is_some(), "{:?}", kernel.unresolved.first());
    let many = median(|| cost(&text));
    println!("cost of {OPERATIONS} operations: {many:?}");
    for kind in Kind::ALL {
        for (name, text) in [
            ("written one by one", corpus::kernel(OPERATIONS, kind)),
            ("by loops", corpus::looped(kind)),
        ] {
            let (kernel, _) = cost(&text);
            // A fault may leave no total.
            assert!(kernel.total.is_some() || kind == Kind::Faulty);
            let time = median(|| cost(&text));
            println!(
                "cost of {} operations {name}, {}: {time:?}",
                kernel.operations.len(),
                kind.name()
            );
        }
    }
    let (small, large) = (of_size(8), of_size(1 << 40));
    for text in [&small, &large] {
        assert_eq!(cost(text).0.operations.len(), 3);
    }
    let times = [&small, &large].map(|text| median(|| cost(text)));
    println!(
        "cost over an axis of 8: {:?}, of 2^40: {:?}",
        times[0], times[1]
    );

    criterion.bench_function("cost of 1,000 operations", |bencher| {
        bencher.iter_custom(|times| (0..times).map(|_| timed(|| cost(&text))).sum());
    });
}

criterion_group! {
    name = costs;
    config = Criterion::default().sample_size(20);
    targets = benchmarks
}
criterion_main!(costs);
