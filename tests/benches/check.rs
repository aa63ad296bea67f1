//! How long a check takes: of a file of 2,000 lines from nothing, beside a bare parse of the same text, and again after an
//! edit inside one function; and of projects of 10,000 lines, right and with one fault in ten operations.
//! `cargo bench -p visa-tests --bench check` prints the times and the ratios.
#![allow(
    missing_docs,
    reason = "criterion's macros generate undocumented functions"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, criterion_group, criterion_main};
// The programs' allocator.
use visa_analysis::Workspace;
use visa_server as _;
use visa_tests::corpus::{self, Kind};
use visa_tests::{read, repository};

const PATH: &str = "bench.rs";
const LINES: usize = 2_000;
const PROJECT_LINES: usize = 10_000;
/// Repetitions behind the ratio; the median counts.
const REPETITIONS: usize = 15;

/// The shipped dot product, in as many modules as make 2,000 lines.
fn text() -> String {
    let kernel = read(&repository().join("fixtures/kernels/right/dot_product.rs"));
    let body: String = kernel
        .lines()
        .filter(|line| !line.starts_with("//!") && !line.starts_with("#!["))
        .map(|line| format!("    {line}\n"))
        .collect();
    let mut text = String::new();
    let mut number = 0;
    while text.lines().count() < LINES {
        text.push_str(&format!("mod kernel_{number} {{\n{body}}}\n"));
        number += 1;
    }
    text
}

fn workspace(text: &str) -> Workspace {
    let mut workspace = Workspace::new();
    workspace.set_files([(PATH, text)]);
    workspace
}

/// Checks, and makes sure that something was there to check.
fn check(workspace: &Workspace) {
    let report = workspace.analysis().check_file(PATH);
    assert!(
        report.operations.resolved > 50 && report.operations.unresolved == 0,
        "{:?}",
        report.operations
    );
    assert_eq!(black_box(report).diagnostics.len(), 0);
}

/// The text with an address of its middle kernel changed from run to run.
fn edited(text: &str, run: usize) -> String {
    let middle = text.len() / 2;
    let middle = (middle..text.len())
        .find(|byte| text.is_char_boundary(*byte))
        .unwrap_or(0);
    let (before, after) = text.split_at(middle);
    let digits = if run.is_multiple_of(2) {
        "(&mut ctx.tdma, 64 * 1024"
    } else {
        "(&mut ctx.tdma, 32 * 2048"
    };
    format!("{before}{}", after.replacen("(&mut ctx.tdma, 0", digits, 1))
}

fn median(mut run: impl FnMut(usize)) -> Duration {
    let mut times: Vec<Duration> = (0..REPETITIONS)
        .map(|number| {
            let start = Instant::now();
            run(number);
            start.elapsed()
        })
        .collect();
    times.sort();
    times.get(REPETITIONS / 2).copied().unwrap_or_default()
}

/// Checks of whole projects, beside bare parses of the same texts.
fn projects() {
    for kind in Kind::ALL {
        let files = corpus::project(PROJECT_LINES, kind);
        let bare = median(|_| {
            for (_, text) in &files {
                black_box(ra_ap_syntax::SourceFile::parse(
                    text,
                    ra_ap_syntax::Edition::Edition2024,
                ));
            }
        });
        let found = corpus::workspace(&files).analysis().check_all();
        assert_eq!(found.diagnostics.is_empty(), kind == Kind::Right);
        let whole = median(|_| {
            black_box(corpus::workspace(&files).analysis().check_all());
        });
        println!(
            "project of {PROJECT_LINES} lines, {}: {} files, {} findings, check {:.1} times a bare parse of {bare:?}",
            kind.name(),
            files.len(),
            found.diagnostics.len(),
            whole.as_secs_f64() / bare.as_secs_f64().max(f64::EPSILON)
        );
    }
}

fn benchmarks(criterion: &mut Criterion) {
    projects();
    let text = text();
    let parse = |text: &str| {
        black_box(ra_ap_syntax::SourceFile::parse(
            text,
            ra_ap_syntax::Edition::Edition2024,
        ));
    };
    let mut edits = workspace(&text);
    check(&edits);
    let bare = median(|_| parse(&text));
    let whole = median(|_| check(&workspace(&text)));
    let again = median(|run| {
        edits.set_file(PATH, &edited(&text, run));
        black_box(edits.analysis().check_file(PATH));
    });
    let ratio = whole.as_secs_f64() / bare.as_secs_f64().max(f64::EPSILON);
    println!(
        "{} lines: bare parse {bare:?}, check {whole:?} ({ratio:.1} times), check after an edit {again:?}",
        text.lines().count()
    );

    criterion.bench_function("parse 2,000 lines", |bencher| {
        bencher.iter(|| parse(&text));
    });
    criterion.bench_function("check 2,000 lines", |bencher| {
        bencher.iter(|| check(&workspace(&text)));
    });
    criterion.bench_function("check after an edit in one function", |bencher| {
        let mut run = 0;
        bencher.iter(|| {
            run += 1;
            edits.set_file(PATH, &edited(&text, run));
            black_box(edits.analysis().check_file(PATH))
        });
    });
}

criterion_group! {
    name = checks;
    config = Criterion::default().sample_size(20);
    targets = benchmarks
}
criterion_main!(checks);
