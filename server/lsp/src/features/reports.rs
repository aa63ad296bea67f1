//! Reports of files for the features that need one.

use visa_analysis::{FileReport, Problem};

use crate::project::engine::{Answer, Failure};
use crate::state::Snapshot;

/// The report of a file.
pub(super) fn checked_report(snapshot: &Snapshot, path: &str) -> Answer<FileReport> {
    let report = snapshot.analysis.check_file(path);
    is_whole(&report)?;
    Ok(report)
}

/// Fails where a report is none: it was overtaken, or there is no such file.
pub(super) fn is_whole(report: &FileReport) -> Answer<()> {
    for problem in &report.problems {
        match problem {
            Problem::Cancelled => return Err(Failure::Overtaken),
            Problem::NoSuchFile => return Err(Failure::NoSuchFile),
            Problem::NotAnalysed(_) | Problem::Internal(_) => {}
        }
    }
    Ok(())
}
