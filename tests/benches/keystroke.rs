//! How long a keystroke takes, from the new text to the diagnostics of the file, and a hover and the hints of the file after
//! it: one of 2,000 lines in a project of 100 files; and digits typed into kernels of 50 and 1,000 operations, right and with one
//! fault in ten operations. `cargo bench -p visa-tests --bench keystroke` prints the median and the 95th percentile of each
//! thing typed, and their ratio to what the parser alone takes.

use std::hint::black_box;
use std::time::{Duration, Instant};
use visa_analysis::EditorQuestions as _;

use ra_ap_syntax::{Edition, SourceFile, TextRange, TextSize};
// The programs' allocator.
use visa_analysis::{ByteRange, HintLevel, Workspace};
use visa_server as _;
use visa_tests::corpus::{self, Kind};
use visa_tests::typing::{EDITED, Keystroke, percentile, project, replace, scripts, workspace};

/// The file of a kernel that is alone.
const KERNEL: &str = "src/lib.rs";
/// What the diagnostics of a keystroke may take: the 95th percentile.
const BUDGET: Duration = Duration::from_millis(5);
/// What a hover may take.
const HOVER: Duration = Duration::from_millis(2);
/// What the hints of the file may take.
const HINTS: Duration = Duration::from_millis(3);

/// What the parser alone takes for the keystrokes: all of the text, and only what changed.
fn bare(text: &str, keystrokes: &[Keystroke]) -> (Vec<Duration>, Vec<Duration>) {
    let parse = |text: &str| SourceFile::parse(text, Edition::Edition2024);
    let mut text = text.to_owned();
    let (mut whole, mut part) = (Vec::new(), Vec::new());
    let mut tree = parse(&text);
    for keystroke in keystrokes {
        let offset = |byte: usize| TextSize::try_from(byte).unwrap_or_default();
        let range = TextRange::new(offset(keystroke.start), offset(keystroke.end));
        let start = Instant::now();
        let next = black_box(tree.reparse(range, &keystroke.text, Edition::Edition2024));
        part.push(start.elapsed());
        text = replace(&text, keystroke);
        let start = Instant::now();
        drop(black_box(parse(&text)));
        whole.push(start.elapsed());
        tree = next;
    }
    (whole, part)
}

/// What the keystrokes take until the diagnostics of the file are there, and a hover and the hints of the file after each.
/// Not inlined, so that a profiler finds it.
#[inline(never)]
fn checked(workspace: &mut Workspace, text: &str, keystrokes: &[Keystroke]) -> [Vec<Duration>; 3] {
    let mut text = text.to_owned();
    let mut times = [const { Vec::new() }; 3];
    for keystroke in keystrokes {
        text = replace(&text, keystroke);
        let start = Instant::now();
        workspace.set_file(EDITED, &text);
        let report = workspace.analysis().check_file(EDITED);
        times[0].push(start.elapsed());
        assert!(black_box(report).operations.resolved > 100);
        let offset = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
        let analysis = workspace.analysis();
        let start = Instant::now();
        assert!(black_box(analysis.hover(EDITED, offset(keystroke.start))).is_ok());
        times[1].push(start.elapsed());
        let whole = ByteRange {
            start: 0,
            end: offset(text.len()),
        };
        let start = Instant::now();
        let hints = analysis.inlay_hints(EDITED, whole, HintLevel::Line);
        times[2].push(start.elapsed());
        assert!(hints.is_ok_and(|hints| !hints.is_empty()));
    }
    times
}

/// Digits typed into one kernel, right and with faults.
fn kernels() {
    let texts = |kind| {
        [
            ("50 operations", corpus::kernel(48, kind)),
            ("1,000 operations", corpus::kernel(1_000, kind)),
            ("1,152 operations by loops", corpus::looped(kind)),
        ]
    };
    for kind in Kind::ALL {
        for (name, text) in texts(kind) {
            let keystrokes = corpus::numbers_typed(&text);
            let (whole, _) = bare(&text, &keystrokes);
            let mut workspace = corpus::workspace(&vec![(KERNEL.to_owned(), text.clone())]);
            workspace.open_file(KERNEL);
            let mut text = text;
            let mut times = Vec::new();
            for keystroke in &keystrokes {
                text = replace(&text, keystroke);
                let start = Instant::now();
                workspace.set_file(KERNEL, &text);
                black_box(workspace.analysis().check_file(KERNEL));
                times.push(start.elapsed());
            }
            let median = percentile(&times, 50);
            let parse = percentile(&whole, 50);
            println!(
                "a digit in a kernel of {name}, {}: median {median:?}, 95th percentile {:?}; bare parse {parse:?} ({:.2} times)",
                kind.name(),
                percentile(&times, 95),
                median.as_secs_f64() / parse.as_secs_f64().max(1e-9)
            );
        }
    }
}

fn main() {
    kernels();
    let files = project();
    let text = files
        .iter()
        .find(|(path, _)| path == EDITED)
        .map_or("", |(_, text)| text);
    let mut workspace = workspace(&files);
    let start = Instant::now();
    let report = workspace.analysis().check_all();
    println!(
        "{} files, {} lines in the edited one ({} bytes), {} operations: first check {:?}",
        files.len(),
        text.lines().count(),
        text.len(),
        report.operations.resolved,
        start.elapsed()
    );
    workspace.open_file(EDITED);
    black_box(workspace.analysis().check_all());
    for (name, keystrokes) in scripts(text) {
        let (whole, part) = bare(text, &keystrokes);
        let [times, hover, hints] = checked(&mut workspace, text, &keystrokes);
        let median = |times: &[Duration]| percentile(times, 50);
        let ratio = |other: &[Duration]| {
            median(&times).as_secs_f64() / median(other).as_secs_f64().max(1e-9)
        };
        println!(
            "{name}: {} keystrokes, median {:?}, 95th percentile {:?} (may take {BUDGET:?}); \
             bare parse {:?} ({:.2} times), bare reparse {:?} ({:.1} times)",
            keystrokes.len(),
            median(&times),
            percentile(&times, 95),
            median(&whole),
            ratio(&whole),
            median(&part),
            ratio(&part),
        );
        for (what, times, budget) in [("hover", &hover, HOVER), ("hints", &hints, HINTS)] {
            let (median, most) = (median(times), percentile(times, 95));
            println!("  {what}: median {median:?}, 95th percentile {most:?} (may take {budget:?})");
        }
    }
}
