//! What runs of kernels found, until the next edit.

use std::sync::{Arc, Mutex};

use visa_analysis::RunReport;

use super::lock::lock_ignoring_poison;

/// Functions whose runs are kept.
const KEPT: usize = 16;

/// What runs found, the newest first.
#[derive(Default)]
pub(crate) struct Runs {
    known: Mutex<Vec<Known>>,
}

/// The run of one function.
struct Known {
    report: Arc<RunReport>,
    /// The writes of the engine that it saw.
    writes: u64,
}

impl Runs {
    /// The runs that saw the texts after so many writes.
    pub(crate) fn known(&self, writes: u64) -> Vec<Arc<RunReport>> {
        let known = lock_ignoring_poison(&self.known);
        let current = known.iter().filter(|one| one.writes == writes);
        current.map(|one| Arc::clone(&one.report)).collect()
    }

    /// Keeps a run instead of an older one of the same function. Arrays are not kept.
    pub(crate) fn keep(&self, mut report: RunReport, writes: u64) {
        report.outputs.clear();
        let mut known = lock_ignoring_poison(&self.known);
        known.retain(|one| {
            one.writes == writes
                && (one.report.file != report.file || one.report.function != report.function)
        });
        let report = Arc::new(report);
        known.insert(0, Known { report, writes });
        known.truncate(KEPT);
    }
}
