//! How the time of a check grows with the size of what is checked: texts of doubling sizes, and the exponent between neighbours. An
//! exponent of 1 is in proportion to the size. `cargo bench -p visa-tests --bench growth` prints a table. An argument is the beginning of
//! the rows that are measured.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use visa_analysis::Workspace;
// The programs' allocator.
use visa_server as _;
use visa_tests::corpus::{self, Files, Kind};

/// The file with the text that grows.
const PATH: &str = "src/lib.rs";
/// How often a size is measured; the shortest time counts.
const REPETITIONS: usize = 3;

/// Texts of growing sizes.
struct Grown {
    what: &'static str,
    sizes: &'static [usize],
    files: fn(usize) -> Files,
}

/// All of them, as the table lists them.
const ALL: [Grown; 12] = [
    Grown {
        what: "operations, right",
        sizes: &[1_250, 2_500, 5_000, 10_000],
        files: |size| alone(corpus::kernel(size, Kind::Right)),
    },
    Grown {
        what: "operations, one in ten with a fault",
        sizes: &[1_250, 2_500, 5_000, 10_000],
        files: |size| alone(corpus::kernel(size, Kind::Faulty)),
    },
    Grown {
        what: "runs of a loop, one place",
        sizes: &[512, 1_024, 2_048, 4_096],
        files: |size| alone(loop_of(size, "0")),
    },
    Grown {
        what: "runs of a loop, a place each",
        sizes: &[512, 1_024, 2_048, 4_096],
        files: |size| alone(loop_of(size, "run as u64 * 64")),
    },
    Grown {
        what: "depth of helpers called twice, with a load",
        sizes: &[4, 8, 16, 31],
        files: |size| alone(helpers(size, "let x: T = x.to_dm(&mut ctx.tdma, 0);")),
    },
    Grown {
        what: "depth of helpers called twice, without operations",
        sizes: &[4, 8, 16, 31],
        files: |size| alone(helpers(size, "")),
    },
    Grown {
        what: "depth of type aliases",
        sizes: &[125, 250, 500, 1_000],
        files: |size| alone(aliases(size)),
    },
    Grown {
        what: "files of one kernel",
        sizes: &[125, 250, 500, 1_000],
        files: files_of_kernels,
    },
    Grown {
        what: "lines of a project, faulty",
        sizes: &[5_000, 10_000, 20_000, 40_000],
        files: |size| corpus::project(size, Kind::Faulty),
    },
    Grown {
        what: "equal faults of a function",
        sizes: &[500, 1_000, 2_000, 4_000],
        files: |size| alone(faults(size)),
    },
    Grown {
        what: "terms of a mapping",
        sizes: &[8, 16, 32],
        files: |size| alone(terms(size)),
    },
    Grown {
        what: "live tensors",
        sizes: &[250, 500, 1_000, 2_000],
        files: |size| alone(live_tensors(size)),
    },
];

fn alone(text: String) -> Files {
    vec![(PATH.to_owned(), text)]
}

/// What all texts begin with: a block of HBM and a tensor of 64 bytes a slice.
const HEAD: &str = "use furiosa_visa_std::prelude::*;
axes![S = 256, A = 64];
type H = HbmTensor<i8, m![1], m![S, A]>;
type T = DmTensor<i8, m![1], m![1 # 2], m![S], m![A]>;
";

fn kernel(body: &str) -> String {
    format!("{HEAD}#[device(chip = 1)]\nfn kernel(ctx: &mut Context, x: &H) {{\n{body}}}\n")
}

fn loop_of(runs: usize, address: &str) -> String {
    kernel(&format!(
        "    for run in 0..{runs}usize {{\n        let t: T = x.to_dm(&mut ctx.tdma, {address});\n    }}\n"
    ))
}

/// Functions each of which calls the next one twice; the last one has a body of its own.
fn helpers(depth: usize, last: &str) -> String {
    let mut text = format!("{HEAD}#[device(chip = 1)] ");
    for level in 0..depth {
        let next = level + 1;
        let _ = writeln!(
            text,
            "fn f{level}(ctx: &mut Context, x: &H) {{ f{next}(ctx, x); f{next}(ctx, x); }}"
        );
    }
    text + &format!("fn f{depth}(ctx: &mut Context, x: &H) {{ {last} }}\n")
}

fn aliases(depth: usize) -> String {
    let mut text = kernel(&format!(
        "    let t: T{depth} = x.to_dm(&mut ctx.tdma, 0);\n"
    ));
    text.push_str("type T0 = T;\n");
    for number in 1..=depth {
        let _ = writeln!(text, "type T{number} = T{};", number - 1);
    }
    text
}

fn files_of_kernels(files: usize) -> Files {
    let module = |number: usize| (format!("src/m{number}.rs"), loop_of(2, "0"));
    let mut all: Files = (0..files).map(module).collect();
    let modules: String = (0..files)
        .map(|number| format!("mod m{number};\n"))
        .collect();
    all.push((PATH.to_owned(), modules));
    all
}

fn faults(count: usize) -> String {
    let line = "    let t: DmTensor<i8, m![1], m![1 # 2], m![S], m![A / 2]> = x.to_dm(&mut ctx.tdma, 0);\n";
    kernel(&line.repeat(count))
}

fn terms(count: usize) -> String {
    let axes: Vec<String> = (0..count).map(|axis| format!("A{axis}")).collect();
    let sizes = axes.join(" = 2, ");
    let mapping = axes.join(", ");
    format!(
        "use furiosa_visa_std::prelude::*;\naxes![{sizes} = 2];\n#[device(chip = 1)]\n\
         fn kernel(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![{mapping}]>) {{\n    \
         let t: HbmTensor<i8, m![1], m![{mapping}]> = x.to_hbm(&mut ctx.tdma, 1 << 34);\n}}\n"
    )
}

fn live_tensors(count: usize) -> String {
    let mut body = String::new();
    for tensor in 0..count {
        let _ = writeln!(
            body,
            "    let t{tensor}: T = x.to_dm(&mut ctx.tdma, {});",
            tensor * 64
        );
    }
    for tensor in 0..count {
        let _ = writeln!(
            body,
            "    let h{tensor}: H = t{tensor}.to_hbm(&mut ctx.tdma, {});",
            (tensor + 1) << 14
        );
    }
    kernel(&body)
}

/// The shortest time of a check from nothing, and what it said: operations, those not followed, findings.
fn measured(files: &Files) -> (Duration, [u64; 3]) {
    let mut said = [0; 3];
    let mut shortest = Duration::MAX;
    for _ in 0..REPETITIONS {
        let workspace: Workspace = corpus::workspace(files);
        let started = Instant::now();
        let report = black_box(workspace.analysis().check_all());
        shortest = shortest.min(started.elapsed());
        said = [
            report.operations.resolved,
            report.operations.unresolved,
            report.diagnostics.len() as u64,
        ];
    }
    (shortest, said)
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    let wanted: Vec<&String> = wanted
        .iter()
        .filter(|word| !word.starts_with('-'))
        .collect();
    println!("      size | milliseconds | exponent | operations, not followed, findings | of what");
    let is_wanted = |what: &str| {
        wanted.is_empty()
            || wanted
                .iter()
                .any(|beginning| what.starts_with(beginning.as_str()))
    };
    for Grown { what, sizes, files } in ALL.into_iter().filter(|grown| is_wanted(grown.what)) {
        let mut before: Option<(usize, Duration)> = None;
        for size in sizes {
            let (took, [followed, not, found]) = measured(&files(*size));
            let exponent = before.map_or("-".to_owned(), |(smaller, time)| {
                let times = took.as_secs_f64() / time.as_secs_f64();
                let exponent = times.ln() / (*size as f64 / smaller as f64).ln();
                format!("{exponent:.2}")
            });
            before = Some((*size, took));
            let said = format!("{followed}, {not}, {found}");
            println!(
                "{size:>10} | {:12.2} | {exponent:>8} | {said:>34} | {what}",
                took.as_secs_f64() * 1e3
            );
        }
    }
}
