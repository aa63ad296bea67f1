//! What is said about one file in another language than Rust: what its front end answers, placed in its text, suppressions applied.
//!
//! Knows places in the file and nothing of the language.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::not_followed;
use super::tally::{operation_counts, sort_diagnostics};
use crate::causes::Causes;
use crate::db::Db;
use crate::front_end::{FrontEnd, FrontEndReport, TransferSite};
use crate::inputs::{SourceFile, shown_path};
use crate::panics::{panic_words, part_of_query};
use crate::places::Places;
use crate::report::{FileReport, Problem, Range, UnresolvedPlace};
use crate::suppression;

/// Everything about one file.
pub(super) fn front_end_file_report(
    db: &dyn Db,
    file: SourceFile,
    front_end: &dyn FrontEnd,
) -> FileReport {
    let mut places = Places::new(db);
    let mut report = FileReport {
        language: Some(file.language(db)),
        ..FileReport::new(shown_path(db, file))
    };
    let found = guarded_report(db, &mut report, || front_end.report(db, file));
    report.syntax_errors = found.syntax_errors;
    report.kernels = found.kernels;
    let not_analysed = found.not_analysed.clone().map(Problem::NotAnalysed);
    report.problems.extend(not_analysed);
    let mut causes = Causes::default();
    for finding in &found.findings {
        if let Some(diagnostic) = places.diagnostic_in(file, finding) {
            causes.note_in_text(finding, &diagnostic);
            report.diagnostics.push(diagnostic);
        }
    }
    count_transfers(db, &found.transfers, file, &mut places, &mut report);
    if let Some((span, why)) = &found.not_followed {
        // It is no operation: it stands for a file in which none is recognised.
        let why = (*span, why, false);
        let place = not_followed::not_followed_place(db, file, &mut places, &mut report, why);
        report.unresolved.push(place);
    }
    sort_diagnostics(&mut report.diagnostics);
    // A front end runs all of its rules: what a name stands for was looked for.
    suppression::apply_suppressions(db, file, &|_| true, &mut report, &mut |start, end| {
        places.place(file, start, end)
    });
    sort_diagnostics(&mut report.diagnostics);
    report.diagnostics = causes.join(report.diagnostics);
    report
}

fn count_transfers(
    db: &dyn Db,
    transfers: &[TransferSite],
    file: SourceFile,
    places: &mut Places<'_>,
    report: &mut FileReport,
) {
    let mut resolved = 0;
    let mut unresolved: BTreeMap<Range, UnresolvedPlace> = BTreeMap::new();
    for transfer in transfers {
        let Some(not_known) = &transfer.unresolved else {
            resolved += 1;
            continue;
        };
        let not_known = (transfer.span, not_known, true);
        let place = not_followed::not_followed_place(db, file, places, report, not_known);
        unresolved.insert(place.range, place);
    }
    report.unresolved = unresolved.into_values().collect();
    report.operations = operation_counts(resolved, &report.unresolved);
}

/// A panic of a front end is a defect: it is caught here, so that the other files are still checked.
fn guarded_report(
    db: &dyn Db,
    report: &mut FileReport,
    ask: impl FnOnce() -> Arc<FrontEndReport>,
) -> Arc<FrontEndReport> {
    part_of_query(db, ask).unwrap_or_else(|payload| {
        let words = panic_words(&*payload);
        report.problems.push(Problem::Internal(words));
        Arc::default()
    })
}
