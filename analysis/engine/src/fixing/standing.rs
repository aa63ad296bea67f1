//! Whether fixes may lead from one outlook to another.

use std::sync::Arc;

use super::rejections::{Rejection, brought_along};
use crate::changes::{Breakage, CountKey, FindingKey, Outlook};
use crate::report::FileReport;
use crate::rules::Level;

/// What a batch of fixes is to mend.
pub(super) struct Mended<'a> {
    /// The least level of the findings.
    pub(super) level: Option<Level>,
    /// The findings.
    pub(super) findings: Vec<&'a FindingKey>,
}

/// Why a change breaks something: less is known of a file after it.
pub(super) fn breaks(before: &Outlook, after: &Outlook) -> Option<Rejection> {
    before.breakage(after).map(|breakage| match breakage {
        Breakage::Syntax => Rejection::BreaksSyntax,
        Breakage::Unresolved => Rejection::HidesOperation,
        Breakage::Problems => Rejection::FailsCheck,
    })
}

/// Why fixes that mend something may not lead from here to there, where the reports say so; `None` if they may.
pub(super) fn rejection(
    before: &Outlook,
    after: &Outlook,
    reports: &[FileReport],
    mended: &Mended<'_>,
) -> Option<Rejection> {
    if let Some(breakage) = breaks(before, after) {
        return Some(breakage);
    }
    let in_file = mended.findings.first().map(|(file, ..)| Arc::clone(file));
    let brings = |(file, rule, _): &CountKey| {
        let mended_in = in_file.as_ref().unwrap_or(file);
        let rule = (Arc::clone(file), *rule);
        brought_along((before, after), reports, &rule, mended_in)
    };
    let worse = before.brings(after).find(|key| Some(key.2) > mended.level);
    // More may be found only where more is understood.
    let is_understood = after.unresolved() < before.unresolved();
    let sums_up =
        |level: Level| !is_understood && after.count_from(level) > before.count_from(level);
    let also = || {
        let level = mended.level.filter(|level| sums_up(*level))?;
        before.brings(after).find(|key| key.2 >= level)
    };
    if let Some(key) = worse.or_else(also) {
        return Some(brings(key));
    }
    let mut findings = mended.findings.iter();
    let left = findings.any(|key| after.count_like(key) >= before.count_like(key));
    left.then_some(Rejection::MendsNothing)
}
