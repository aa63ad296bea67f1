//! How long a keystroke takes, from the new text to the diagnostics of the file: one of 2,000 lines in a project of 100
//! files. `cargo bench -p visa-tests --bench keystroke` prints the median and the 95th percentile of each thing typed, and
//! their ratio to what the parser alone takes.

use std::hint::black_box;
use std::time::{Duration, Instant};

use ra_ap_syntax::{Edition, SourceFile, TextRange, TextSize};
use visa_analysis::Workspace;
use visa_tests::typing::{EDITED, Keystroke, project, scripts, workspace};

/// What the diagnostics of a keystroke may take: the 95th percentile.
const BUDGET: Duration = Duration::from_millis(5);

/// Sorted times.
struct Times(Vec<Duration>);

impl Times {
    fn new(mut times: Vec<Duration>) -> Self {
        times.sort();
        Self(times)
    }

    fn percentile(&self, percent: usize) -> Duration {
        let last = self.0.len().saturating_sub(1);
        let place = (self.0.len() * percent / 100).min(last);
        self.0.get(place).copied().unwrap_or_default()
    }
}

fn edited(text: &str, keystroke: &Keystroke) -> String {
    let (before, after) = (text.get(..keystroke.start), text.get(keystroke.end..));
    [
        before.unwrap_or(""),
        keystroke.text.as_str(),
        after.unwrap_or(""),
    ]
    .concat()
}

/// What the parser alone takes for the keystrokes: all of the text, and only what changed.
fn bare(text: &str, keystrokes: &[Keystroke]) -> (Times, Times) {
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
        text = edited(&text, keystroke);
        let start = Instant::now();
        drop(black_box(parse(&text)));
        whole.push(start.elapsed());
        tree = next;
    }
    (Times::new(whole), Times::new(part))
}

/// What the keystrokes take until the diagnostics of the file are there. Not inlined, so that a profiler finds it.
#[inline(never)]
fn checked(workspace: &mut Workspace, text: &str, keystrokes: &[Keystroke]) -> Times {
    let mut text = text.to_owned();
    let mut times = Vec::new();
    for keystroke in keystrokes {
        text = edited(&text, keystroke);
        let start = Instant::now();
        workspace.set_file(EDITED, &text);
        let report = workspace.analysis().check_file(EDITED);
        times.push(start.elapsed());
        assert!(black_box(report).operations.resolved > 100);
    }
    Times::new(times)
}

fn main() {
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
    for (name, keystrokes) in scripts(text) {
        let (whole, part) = bare(text, &keystrokes);
        let times = checked(&mut workspace, text, &keystrokes);
        let ratio = |other: &Times| {
            times.percentile(50).as_secs_f64() / other.percentile(50).as_secs_f64().max(1e-9)
        };
        println!(
            "{name}: {} keystrokes, median {:?}, 95th percentile {:?} (may take {BUDGET:?}); \
             bare parse {:?} ({:.2} times), bare reparse {:?} ({:.1} times)",
            keystrokes.len(),
            times.percentile(50),
            times.percentile(95),
            whole.percentile(50),
            ratio(&whole),
            part.percentile(50),
            ratio(&part),
        );
    }
}
