//! A bar on the terminal for checks that take long enough to wonder.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// How long a check may take before the bar appears.
const PATIENCE: Duration = Duration::from_millis(700);
/// Items after which the clock is read.
const STEP: usize = 16;

/// How far a check is.
pub(crate) struct Progress {
    start: Instant,
    /// Whether the bar is shown at all.
    wanted: bool,
    done: AtomicUsize,
    bar: OnceLock<ProgressBar>,
}

impl Progress {
    /// A bar that appears on standard error if that is a terminal and the check takes long.
    pub(crate) fn new(quiet: bool) -> Self {
        Self {
            start: Instant::now(),
            wanted: !quiet && !ProgressDrawTarget::stderr().is_hidden(),
            done: AtomicUsize::new(0),
            bar: OnceLock::new(),
        }
    }

    /// One more of that many items is checked.
    pub(crate) fn advance_items(&self, items: usize) {
        let done = self.done.fetch_add(1, Ordering::Relaxed) + 1;
        if !self.wanted || !done.is_multiple_of(STEP) || self.start.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_init(|| progress_bar(items as u64));
        bar.set_position(done as u64);
    }

    /// Takes the bar away.
    pub(crate) fn end_bar(&self) {
        if let Some(bar) = self.bar.get() {
            bar.finish_and_clear();
        }
    }
}

fn progress_bar(items: u64) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(Some(items), ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("checking [{bar:30}] {pos}/{len} items, {eta} left");
    if let Ok(style) = style {
        bar.set_style(style.progress_chars("=> "));
    }
    bar
}
