//! What is said about one file: the findings of its items and functions, placed in its text, suppressions applied.
//!
//! Knows places in the file; what is found is asked of each item and function.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use super::elsewhere::{findings_from_elsewhere, from_elsewhere};
use super::not_followed;
use super::other_languages;
use super::releases::mismatches;
use super::tally::{OTHER_PLACES, operation_counts, sort_diagnostics};
use super::unknown_release::unknown_release;
use super::{Extent, Findings, found_in_function, found_in_items, item_findings};
use crate::catalogue::{front_end, is_rule_on};
use crate::causes::Causes;
use crate::db::Db;
use crate::findings::{Group, Level};
use crate::inputs::{SourceFile, enabled_rules, shown_path, syntax_error_count};
use crate::items::functions_of_file;
use crate::items::{
    Crate, FileLibrary, Span, all_functions, concerns_kernels, crate_of, file_items, file_library,
    is_left_out, is_template, left_out_code,
};
use crate::places::Places;
use crate::report::{
    CrateLibrary, Diagnostic, FileReport, InactiveCode, Problem, Range, UnresolvedPlace, fitted,
};
use crate::rules::{self, OwnRules as _};
use crate::suppression;
use crate::syntax::Unanalysed;

/// Everything about one file, placed in its text, suppressions applied. Fixes are as the rules propose them.
#[salsa::tracked(returns(clone))]
pub fn file_report(db: &dyn Db, file: SourceFile) -> Arc<FileReport> {
    report_of(db, file, Extent::Proposed)
}

/// As [`file_report`], without what rules find that look at costs: nothing is simulated for it. An editor shows it where the costs
/// of a file take long.
pub fn file_report_without_costs(db: &dyn Db, file: SourceFile) -> Arc<FileReport> {
    report_of(db, file, Extent::WithoutCosts)
}

/// As [`file_report_without_costs`], without what functions of other files find in it: an editor shows it while these are not known yet.
pub fn own_file_report(db: &dyn Db, file: SourceFile) -> Arc<FileReport> {
    report_of(db, file, Extent::Own)
}

/// As [`file_report`], with completed fixes.
#[salsa::tracked(returns(clone))]
pub fn completed_file_report(db: &dyn Db, file: SourceFile) -> Arc<FileReport> {
    report_of(db, file, Extent::Completed)
}

fn report_of(db: &dyn Db, file: SourceFile, extent: Extent) -> Arc<FileReport> {
    if let Some(front_end) = front_end(file.language(db)) {
        return Arc::new(other_languages::front_end_file_report(db, file, front_end));
    }
    let mut places = Places::new(db);
    let mut report = FileReport::new(shown_path(db, file));
    if is_template(db, file) {
        // The printer of the report says that the file does not parse.
        report.syntax_errors = syntax_error_count(db, file) as u64;
    }
    if !concerns_kernels(db, file) {
        return Arc::new(report);
    }
    report.syntax_errors = syntax_error_count(db, file) as u64;
    if let Some(why) = file_items(db, file).unanalysed {
        report
            .problems
            .push(Problem::NotAnalysed(unanalysed_words(why).to_owned()));
    }
    report.configured_out = file_items(db, file).left_out_functions;
    report.inactive = inactive(db, file, &mut places);
    if is_left_out(db, file) {
        report.configured_out = report
            .configured_out
            .saturating_add(all_functions(db, file).len() as u64);
        return Arc::new(report);
    }
    let causes = collect(db, file, extent, &mut places, &mut report);
    add_other_releases(db, file, &mut places, &mut report);
    report.libraries.push(library_of(db, file));
    if file_library(db, file).is_unknown {
        weigh_releases_less(&mut report.diagnostics);
    }
    sort_diagnostics(&mut report.diagnostics);
    let families = enabled_rules(db, file).families();
    let families = if extent.leaves_costs_out() {
        families.of_engines()
    } else {
        families
    };
    // What functions of other files find may be what a comment is there for.
    let judged = |name: &str| extent != Extent::Own && families.have_all_of(name);
    suppression::apply_suppressions(db, file, &judged, &mut report, &mut |start, end| {
        places.place(file, start, end)
    });
    sort_diagnostics(&mut report.diagnostics);
    one_of_all_calls(&mut report.diagnostics);
    report.diagnostics = causes.join(report.diagnostics);
    if let Some(origin) = file.origin(db) {
        let text = file.text(db);
        for diagnostic in &mut report.diagnostics {
            let fixes = std::mem::take(&mut diagnostic.fixes);
            diagnostic.fixes = fitted(fixes, &text, &origin);
        }
    }
    Arc::new(report)
}

/// Makes warnings of what the nearest known release refuses, in a file for a release that is not known: that one may take it.
fn weigh_releases_less(diagnostics: &mut [Diagnostic]) {
    let of_release = diagnostics
        .iter_mut()
        .filter(|one| one.group == Group::Toolchain && one.default_level == Level::Deny);
    for diagnostic in of_release {
        diagnostic.group = Group::Suspicious;
        diagnostic.default_level = Group::Suspicious.default_level();
        diagnostic.confirmed_by = None;
    }
}

/// Adds what the rules find in the items and functions of a file, and in it by functions of other files.
fn collect(
    db: &dyn Db,
    file: SourceFile,
    extent: Extent,
    places: &mut Places<'_>,
    report: &mut FileReport,
) -> Causes {
    let mut collected = Collected::default();
    for item in file_items(db, file).items.iter().copied() {
        let failure = &item_findings(db, item).failure;
        report
            .problems
            .extend(failure.iter().cloned().map(Problem::Internal));
    }
    let mut take = |found: &Findings| collected.take_findings(db, file, found, places, report);
    take(&found_in_items(db, file, extent));
    for function in functions_of_file(db, file) {
        for found in found_in_function(db, function, extent) {
            take(&found);
        }
    }
    let elsewhere = match extent {
        Extent::Own => Arc::default(),
        Extent::Proposed => findings_from_elsewhere(db, file),
        Extent::WithoutCosts | Extent::Completed => from_elsewhere(db, file, extent),
    };
    take(&elsewhere);
    let mut unresolved: Vec<UnresolvedPlace> = collected.unresolved.into_values().collect();
    if !collected.follows
        && unresolved.is_empty()
        && let Some((span, why)) = not_followed::whole_file(db, file, report)
    {
        let place = not_followed::not_followed_place(db, file, places, report, (span, &why, false));
        unresolved.push(place);
    }
    report.unresolved = unresolved;
    report.operations = operation_counts(collected.operations.len(), &report.unresolved);
    collected.causes
}

/// What is known of a file so far.
#[derive(Default)]
struct Collected {
    operations: FxHashSet<Span>,
    /// Whether anything was looked at or not, here or in a file that is called.
    follows: bool,
    /// By place, each once.
    unresolved: BTreeMap<Range, UnresolvedPlace>,
    causes: Causes,
}

impl Collected {
    /// Adds the part of some findings that is in the file.
    fn take_findings(
        &mut self,
        db: &dyn Db,
        file: SourceFile,
        found: &Findings,
        places: &mut Places<'_>,
        report: &mut FileReport,
    ) {
        let here = |span: Span| span.item.file(db) == file;
        report.kernels += u64::from(found.kernel);
        self.follows |= !found.operations.is_empty() || !found.unresolved.is_empty();
        report
            .problems
            .extend(found.failure.iter().cloned().map(Problem::Internal));
        for finding in found.findings.iter().filter(|finding| here(finding.span)) {
            if let Some(diagnostic) = places.diagnostic(finding) {
                self.causes.note_cause(finding, &diagnostic);
                report.diagnostics.push(diagnostic);
            }
        }
        let operations = found.operations.iter().copied();
        self.operations
            .extend(operations.filter(|span| here(*span)));
        let unresolved = found.unresolved.iter();
        for place in unresolved.filter(|place| here(place.operation)) {
            if let Some((_, range)) = places.range(place.operation) {
                // Who calls a helper decides what is known in it: one reason is enough.
                let known = self.unresolved.entry(range);
                known.or_insert_with(|| UnresolvedPlace {
                    what: rules::text_at_span(db, place.operation),
                    reason: place.reason.reason_text(),
                    said_once: place.reason.is_said_once(),
                    counts: place.reason.counts_as_operation(),
                    range,
                });
            }
        }
    }
}

/// Adds what the file shows of other releases and libraries than its crate's.
fn add_other_releases(
    db: &dyn Db,
    file: SourceFile,
    places: &mut Places<'_>,
    report: &mut FileReport,
) {
    if let Some((finding, home)) = unknown_release(db, file) {
        let diagnostic = places.diagnostic(&finding);
        report
            .diagnostics
            .extend(diagnostic.map(|diagnostic| Diagnostic {
                home: Some(home),
                ..diagnostic
            }));
    }
    let mismatches = mismatches(db, file, places);
    let whole = enabled_rules(db, file);
    if mismatches
        .iter()
        .any(|found| is_rule_on(&whole, found.rule))
    {
        // One finding says of the whole file what each of its names would say again.
        let single = rules::migration_rule().name;
        report.diagnostics.retain(|found| found.rule != single);
    }
    report.diagnostics.extend(mismatches);
}

/// The crate of a file, and the library that it is written for.
pub(crate) fn library_of(db: &dyn Db, file: SourceFile) -> CrateLibrary {
    CrateLibrary {
        krate: Crate::clone(&crate_of(db, file)),
        library: FileLibrary::clone(&file_library(db, file)),
    }
}

/// The code of a file that conditions leave out.
fn inactive(db: &dyn Db, file: SourceFile, places: &mut Places<'_>) -> Vec<InactiveCode> {
    if is_left_out(db, file) {
        let end = u32::try_from(file.text(db).len()).unwrap_or(u32::MAX);
        return vec![InactiveCode {
            range: places.place(file, 0, end),
            condition: None,
        }];
    }
    let left_out = left_out_code(db, file).iter();
    left_out
        .map(|(bytes, condition)| InactiveCode {
            range: places.place(file, bytes.start, bytes.end),
            condition: Some(Arc::clone(condition)),
        })
        .collect()
}

/// Keeps one of what the calls of a macro have in it at one place: one that is not suppressed, if there is one. The places of the other
/// calls go with it.
fn one_of_all_calls(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.dedup_by(|later, earlier| {
        let same = (later.range, later.rule) == (earlier.range, earlier.rule);
        if same {
            if earlier.suppressed && !later.suppressed {
                std::mem::swap(later, earlier);
            }
            if later.suppressed == earlier.suppressed && earlier.related.len() < OTHER_PLACES {
                let call = later.related.pop();
                earlier.related.extend(call);
            }
        }
        same
    });
}

fn unanalysed_words(why: Unanalysed) -> &'static str {
    match why {
        Unanalysed::TooDeeplyNested => "brackets or operators are nested too deeply to be analysed",
        Unanalysed::TooLarge => "the file is larger than 4 GiB and is not analysed",
    }
}
