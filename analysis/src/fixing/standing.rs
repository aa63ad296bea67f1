//! What is said of all files at once, counted, and whether a change of it may be kept.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Fixable;
use super::rejections::{Rejection, brought_along};
use crate::report::{Diagnostic, FileReport};
use crate::rules::Level;

/// Open findings by file, rule and level.
pub(super) type Counts = BTreeMap<CountKey, u64>;
pub(super) type CountKey = (Arc<str>, &'static str, Level);

/// A finding's file, rule and message.
pub(super) type FindingKey = (Arc<str>, &'static str, String);

pub(super) fn finding_key(diagnostic: &Diagnostic) -> FindingKey {
    (
        Arc::clone(&diagnostic.file),
        diagnostic.rule,
        diagnostic.message.clone(),
    )
}

/// What the reports say, counted.
#[derive(Debug, Clone, Default)]
pub(super) struct Standing {
    /// Syntax errors, operations that are not understood and problems, by file.
    defects: BTreeMap<Arc<str>, [u64; 3]>,
    pub(super) counts: Counts,
    /// Open findings by what they say.
    findings: BTreeMap<FindingKey, u64>,
}

/// What a batch of fixes is to mend.
pub(super) struct Mended<'a> {
    /// The least level of the findings.
    pub(super) level: Option<Level>,
    /// The findings.
    pub(super) findings: Vec<&'a FindingKey>,
}

impl Standing {
    pub(super) fn of(reports: &[FileReport], target: &impl Fixable) -> Self {
        let mut standing = Self::default();
        for report in reports {
            let unresolved = report.operations.unresolved;
            let problems = report.problems.len() as u64;
            standing.defects.insert(
                Arc::clone(&report.path),
                [report.syntax_errors, unresolved, problems],
            );
            for diagnostic in &report.diagnostics {
                let level = target.level(diagnostic);
                if diagnostic.suppressed || level == Level::Allow {
                    continue;
                }
                let key = (Arc::clone(&diagnostic.file), diagnostic.rule, level);
                *standing.counts.entry(key).or_default() += 1;
                let findings = standing.findings.entry(finding_key(diagnostic));
                *findings.or_default() += 1;
            }
        }
        standing
    }

    /// How often the same is said as in a finding.
    pub(super) fn count_like(&self, diagnostic: &Diagnostic) -> u64 {
        let key = finding_key(diagnostic);
        self.findings.get(&key).copied().unwrap_or(0)
    }

    /// Why a change breaks something: some file has more syntax errors, operations that are not understood or problems after it.
    pub(super) fn breakage(&self, after: &Self) -> Option<Rejection> {
        let mut files = after.defects.iter();
        files.find_map(|(file, now)| {
            let before = self.defects.get(file).copied().unwrap_or_default();
            let kinds = [
                Rejection::BreaksSyntax,
                Rejection::HidesOperation,
                Rejection::FailsCheck,
            ];
            let mut kinds = kinds.into_iter().zip(now.iter().zip(before));
            kinds.find_map(|(kind, (now, before))| (*now > before).then_some(kind))
        })
    }

    /// Why fixes that mend something may not lead from here to there, where the reports say so; `None` if they may.
    pub(super) fn rejection(
        &self,
        after: &Self,
        reports: &[FileReport],
        mended: &Mended<'_>,
    ) -> Option<Rejection> {
        if let Some(breakage) = self.breakage(after) {
            return Some(breakage);
        }
        let before = |key: &CountKey| self.counts.get(key).copied().unwrap_or(0);
        let more = |key: &CountKey, count: u64| count > before(key);
        let in_file = mended.findings.first().map(|(file, ..)| Arc::clone(file));
        let brings = |(file, rule, _): &CountKey| {
            let mended_in = in_file.as_ref().unwrap_or(file);
            let rule = (Arc::clone(file), *rule);
            brought_along((self, after), reports, &rule, mended_in)
        };
        let counts = || {
            after
                .counts
                .iter()
                .filter(|(key, count)| more(key, **count))
        };
        let worse = counts().find(|(key, _)| Some(key.2) > mended.level);
        // More may be found only where more is understood.
        let is_understood = after.unresolved() < self.unresolved();
        let sums_up = |level: Level| !is_understood && after.from(level) > self.from(level);
        let also = || {
            let level = mended.level.filter(|level| sums_up(*level))?;
            counts().find(|(key, _)| key.2 >= level)
        };
        if let Some((key, _)) = worse.or_else(also) {
            return Some(brings(key));
        }
        let mut findings = mended.findings.iter();
        let left = findings.any(|key| {
            let count = |standing: &Self| standing.findings.get(*key).copied();
            count(after).unwrap_or(0) >= count(self).unwrap_or(0)
        });
        left.then_some(Rejection::MendsNothing)
    }

    /// Operations that are not understood.
    pub(super) fn unresolved(&self) -> u64 {
        self.defects
            .values()
            .map(|[_, unresolved, _]| unresolved)
            .sum()
    }

    /// How many open findings there are at a level and above it.
    fn from(&self, level: Level) -> u64 {
        from(&self.counts, level).map(|(_, count)| count).sum()
    }
}

/// The open findings at a level and above it.
pub(super) fn from(counts: &Counts, level: Level) -> impl Iterator<Item = (&CountKey, &u64)> {
    counts.iter().filter(move |((.., own), _)| *own >= level)
}
