//! Reports of files as bytes, for callers that keep them from one run to the next.
//!
//! Rules are kept by name: a report whose rules this program does not have is none.

use borsh::{BorshDeserialize, BorshSerialize};

use crate::catalogue::find;
use crate::report::FileReport;

/// Why bytes hold no reports of this program, or reports cannot be kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NotKept;

/// What is kept of some files.
#[derive(BorshSerialize, BorshDeserialize)]
struct KeptReports {
    reports: Vec<FileReport>,
    /// The names of the rules of [`rule_names`], in its order; empty for a place that has none.
    rules: Vec<String>,
}

/// Where reports name rules: each finding, then each of its other places.
fn rule_names(reports: &mut [FileReport]) -> impl Iterator<Item = RuleName<'_>> {
    let diagnostics = reports
        .iter_mut()
        .flat_map(|report| &mut report.diagnostics);
    diagnostics.flat_map(|diagnostic| {
        let places = diagnostic.related.iter_mut();
        let places = places.map(|place| RuleName::Place(&mut place.fault));
        std::iter::once(RuleName::Finding(&mut diagnostic.rule)).chain(places)
    })
}

/// A rule's name in a report.
enum RuleName<'a> {
    /// Of a finding.
    Finding(&'a mut &'static str),
    /// Of another place of one.
    Place(&'a mut Option<&'static str>),
}

/// The reports as bytes, which only the same build of the program can read.
///
/// # Errors
///
/// A report has a problem, so that another run may say more, or it names a rule that is not in the catalogue.
pub fn kept_reports(mut reports: Vec<FileReport>) -> Result<Vec<u8>, NotKept> {
    if reports.iter().any(|report| !report.problems.is_empty()) {
        return Err(NotKept);
    }
    let rules = rule_names(&mut reports).map(|name| match name {
        RuleName::Finding(rule) => *rule,
        RuleName::Place(rule) => rule.unwrap_or_default(),
    });
    let rules: Vec<String> = rules.map(str::to_owned).collect();
    if rules
        .iter()
        .any(|rule| !rule.is_empty() && find(rule).is_none())
    {
        return Err(NotKept);
    }
    borsh::to_vec(&KeptReports { reports, rules }).map_err(|_| NotKept)
}

/// The reports that bytes of [`kept_reports`] hold.
///
/// # Errors
///
/// The bytes are of another shape, or name a rule that is not in the catalogue.
pub fn reports_of_kept(bytes: &[u8]) -> Result<Vec<FileReport>, NotKept> {
    let KeptReports { mut reports, rules } = borsh::from_slice(bytes).map_err(|_| NotKept)?;
    let mut rules = rules.iter();
    for name in rule_names(&mut reports) {
        let kept = rules.next().ok_or(NotKept)?;
        let known = find(kept).map(|rule| rule.name);
        match name {
            RuleName::Finding(rule) => *rule = known.ok_or(NotKept)?,
            RuleName::Place(_) if kept.is_empty() => {}
            RuleName::Place(rule) => *rule = Some(known.ok_or(NotKept)?),
        }
    }
    match rules.next() {
        None => Ok(reports),
        Some(_) => Err(NotKept),
    }
}
