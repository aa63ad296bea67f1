//! One function that was to run.

use visa_analysis::{FilePlace, RunRefusal, RunReport};

/// A function that was to run, and what came of it.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) function: String,
    pub(crate) file: String,
    pub(crate) seed: u64,
    pub(crate) result: Result<RunReport, RunRefusal>,
}

impl Ran {
    /// Whether there is something to report.
    pub(crate) fn is_wrong(&self) -> bool {
        self.result
            .as_ref()
            .map_or(true, |report| !report.findings.is_empty())
    }

    /// Why it did not run, with the place, in a line.
    pub(super) fn refusal(&self) -> Option<String> {
        let refusal = self.result.as_ref().err()?;
        let place = match &refusal.place {
            Some(FilePlace { file, range }) => {
                format!("{file}:{}:{}", range.start.line, range.start.column)
            }
            None => self.file.clone(),
        };
        Some(format!(
            "{place}: `{}` did not run: {}",
            self.function, refusal.reason
        ))
    }
}
