//! How many instructions a check takes, beside a bare parse of the same texts: counts, which no other load on the machine
//! changes. `cargo bench -p visa-tests --bench instructions` prints a table; `--profile profiling` builds it sooner.
//!
//! The program runs each work in a process of its own under `valgrind --tool=callgrind`, or, where that is not there, under
//! `perf stat`; what it takes to make the texts is counted alone and taken off. Where neither can count it says so and ends with
//! exit code 1. Arguments are names of works, to run only those that begin so; `VISA_PROFILES` names a folder where callgrind's
//! files are left for `callgrind_annotate`.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::{Command, ExitCode, Stdio};

use ra_ap_syntax::{Edition, SourceFile};
use visa_analysis::{Trust, Workspace, fix_all};
// The programs' allocator.
use visa_server as _;
use visa_tests::corpus::{Files, Kind, current, kernel, looped, numbers_typed, project, workspace};
use visa_tests::typing::replace;

/// Lines of a project.
const LINES: usize = 10_000;
/// The file of a kernel that is alone.
const ALONE: &str = "src/lib.rs";
/// How often a digit is typed or deleted.
const KEYS: usize = 24;

/// What is counted, with what it is a multiple of.
struct Row {
    /// The work, and what is taken off it.
    work: [String; 2],
    /// Work that it is compared with, and what is taken off that.
    beside: Option<[String; 2]>,
    /// In how many equal parts it comes.
    parts: usize,
    what: String,
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    for kind in Kind::ALL.map(Kind::name) {
        for (name, of) in [
            ("project", "the book's library"),
            ("current", "the current library"),
        ] {
            let [texts, parse, check] =
                ["texts", "parse", "check"].map(|work| format!("{work}-{name}-{kind}"));
            rows.push(Row {
                work: [check, texts.clone()],
                beside: Some([parse, texts]),
                parts: 1,
                what: format!("cold check of {LINES} lines of {of}, {kind}"),
            });
        }
        for kernel in ["50", "1000", "looped"] {
            let [texts, parse, cost, check, keys] = ["texts", "parse", "cost", "check", "keys"]
                .map(|work| format!("{work}-{kernel}-{kind}"));
            let parse = [parse, texts.clone()];
            let mut add = |work: String, off: &str, parts: usize, what: &str| {
                rows.push(Row {
                    work: [work, off.to_owned()],
                    beside: Some(parse.clone()),
                    parts,
                    what: format!("{what}, kernel of {kernel} operations, {kind}"),
                });
            };
            add(check.clone(), &texts, 1, "cold check");
            add(cost, &texts, 1, "cost");
            add(keys, &check, KEYS, "a key, until the findings");
        }
    }
    for number in [100, 200, 400] {
        let [check, complete, fix] =
            ["check", "complete", "fix"].map(|work| format!("{work}-equal{number}-faulty"));
        for (work, what) in [(complete, "fixes of a report"), (fix, "--fix")] {
            rows.push(Row {
                work: [work, check.clone()],
                beside: None,
                parts: 1,
                what: format!("{what}, {number} equal faults"),
            });
        }
    }
    rows
}

/// Passes of one function with the same fault.
fn equal_faults(number: usize) -> String {
    let body: String = (0..number)
        .map(|number| {
            format!(
                "    let y{number} = ctx.main.begin(x.view()).fetch::<i8, m![X / 32], m![X % 32]>()\
                 .collect::<m![X / 16], m![X % 16]>().commit::<m![X]>({});\n",
                number * 1024
            )
        })
        .collect();
    format!(
        "use furiosa_visa_std::prelude::*;\naxes![X = 1024];\n#[device(chip = 1)]\n\
         fn kernel(ctx: &mut Context, x: &DmTensor<i8, m![1], m![1 # 2], m![1 # 256], m![X]>) {{\n{body}}}\n"
    )
}

/// The files of a work.
fn files(texts: &str, kind: Kind) -> Files {
    let text = match texts {
        "project" => return project(LINES, kind),
        "current" => return current(LINES, kind),
        "looped" => looped(kind),
        other => match other.strip_prefix("equal") {
            Some(number) => equal_faults(number.parse().unwrap_or(0)),
            None => kernel(other.parse().unwrap_or(0), kind),
        },
    };
    vec![(ALONE.to_owned(), text)]
}

/// Does one work. What it leaves is given back by the end of the process.
fn run(name: &str) {
    let parts: Vec<&str> = name.split('-').collect();
    let [what, texts, kind] = parts.as_slice() else {
        return;
    };
    let kind = if *kind == "right" {
        Kind::Right
    } else {
        Kind::Faulty
    };
    let files = files(texts, kind);
    let mut workspace = workspace(&files);
    match *what {
        "parse" => {
            for (_, text) in &files {
                black_box(SourceFile::parse(text, Edition::Edition2024));
            }
        }
        "check" => check(&mut workspace),
        "cost" => {
            black_box(workspace.analysis().costs(ALONE).is_ok());
        }
        "keys" => {
            check(&mut workspace);
            typed(&mut workspace, &files);
        }
        "complete" => {
            check(&mut workspace);
            black_box(workspace.analysis().check_file_completed(ALONE));
        }
        "fix" => {
            check(&mut workspace);
            black_box(fix_all(&mut workspace, Trust::Machine).fixed);
        }
        _ => {}
    }
    black_box(&workspace);
    std::process::exit(0);
}

fn check(workspace: &mut Workspace) {
    workspace.open_file(ALONE);
    black_box(workspace.analysis().check_all());
}

fn typed(workspace: &mut Workspace, files: &Files) {
    let Some((_, text)) = files.first() else {
        return;
    };
    let keys = numbers_typed(text);
    let mut text = text.clone();
    for key in keys.iter().cycle().take(KEYS) {
        text = replace(&text, key);
        workspace.set_file(ALONE, &text);
        black_box(workspace.analysis().check_file(ALONE));
    }
}

/// What counts the instructions of a process.
#[derive(Clone, Copy)]
enum Counter {
    Callgrind,
    Perf,
}

impl Counter {
    /// The one that is there and works.
    fn find() -> Option<Self> {
        let works = |counter: &Self| counter.count("nothing").is_some();
        [Self::Callgrind, Self::Perf].into_iter().find(works)
    }

    fn count(self, work: &str) -> Option<u64> {
        let program = std::env::current_exe().ok()?;
        let mut command = match self {
            Self::Callgrind => {
                let file = std::env::var("VISA_PROFILES")
                    .map_or("/dev/null".to_owned(), |folder| {
                        format!("{folder}/{work}.callgrind")
                    });
                let mut command = Command::new("valgrind");
                command.args(["--tool=callgrind", &format!("--callgrind-out-file={file}")]);
                command
            }
            Self::Perf => {
                let mut command = Command::new("perf");
                command.args(["stat", "-x,", "-e", "instructions:u"]);
                command
            }
        };
        let done = command
            .arg(program)
            .args(["--one", work])
            .env("RAYON_NUM_THREADS", "1")
            .stdout(Stdio::null())
            .output()
            .ok()?;
        let told = String::from_utf8_lossy(&done.stderr);
        if !done.status.success() {
            return None;
        }
        told.lines().find_map(|line| match self {
            Self::Callgrind => line.split_once("Collected :")?.1.trim().parse().ok(),
            Self::Perf => {
                let (count, rest) = line.split_once(',')?;
                rest.contains("instructions").then(|| count.parse().ok())?
            }
        })
    }

    /// What a work takes beyond what is taken off. `known` are counts of before.
    fn beyond(self, [work, off]: &[String; 2], known: &mut BTreeMap<String, u64>) -> Option<u64> {
        let mut count = |work: &String| {
            if let Some(count) = known.get(work) {
                return Some(*count);
            }
            let count = self.count(work)?;
            known.insert(work.clone(), count);
            Some(count)
        };
        Some(count(work)?.saturating_sub(count(off)?))
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [one, work] = arguments.as_slice()
        && one == "--one"
    {
        run(work);
        return ExitCode::SUCCESS;
    }
    let Some(counter) = Counter::find() else {
        eprintln!(
            "no instructions are counted: neither `valgrind` nor a `perf` that can count is there"
        );
        return ExitCode::FAILURE;
    };
    let wanted: Vec<&String> = arguments
        .iter()
        .filter(|name| !name.starts_with('-'))
        .collect();
    let mut known = BTreeMap::new();
    println!("million instructions | beside a bare parse | what");
    for row in rows() {
        let named = |name: &&String| {
            row.work
                .first()
                .is_some_and(|work| work.starts_with(name.as_str()))
        };
        if !wanted.is_empty() && !wanted.iter().any(named) {
            continue;
        }
        let Some(count) = counter.beyond(&row.work, &mut known) else {
            eprintln!("`{}` failed", row.what);
            return ExitCode::FAILURE;
        };
        let count = count as f64 / row.parts as f64;
        let beside = row
            .beside
            .as_ref()
            .and_then(|work| counter.beyond(work, &mut known));
        let ratio = beside.map_or("-".to_owned(), |other| {
            format!("{:.2}", count / other as f64)
        });
        println!("{:20.2} | {ratio:>19} | {}", count / 1e6, row.what);
    }
    ExitCode::SUCCESS
}
