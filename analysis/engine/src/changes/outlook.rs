//! What reports say before and after a change, counted and compared.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::findings::Level;
use crate::report::{Diagnostic, FileReport};

/// A finding's file, rule and message: what stays of it while edits move its place.
pub type FindingKey = (Arc<str>, &'static str, String);

/// The file, rule and message of a finding.
pub fn finding_key(diagnostic: &Diagnostic) -> FindingKey {
    (
        Arc::clone(&diagnostic.file),
        diagnostic.rule,
        diagnostic.message.clone(),
    )
}

/// Findings by file, rule and level.
pub type Counts = BTreeMap<CountKey, u64>;
/// What findings are counted by: file, rule and level.
pub type CountKey = (Arc<str>, &'static str, Level);

/// What a file has more of than before, so that less is known of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breakage {
    /// Syntax errors.
    Syntax,
    /// Operations that cannot be followed.
    Unresolved,
    /// Problems of the check.
    Problems,
}

/// What reports say, counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outlook {
    /// Syntax errors, operations that cannot be followed and problems, by file.
    defects: BTreeMap<Arc<str>, [u64; 3]>,
    pub(crate) counts: Counts,
    /// Findings by what they say.
    findings: BTreeMap<FindingKey, u64>,
}

impl Outlook {
    /// Counts what reports say. Only findings that have a level count.
    pub fn new<'r>(
        reports: impl IntoIterator<Item = &'r FileReport>,
        level: impl Fn(&Diagnostic) -> Option<Level>,
    ) -> Self {
        let mut outlook = Self::default();
        for report in reports {
            let unresolved = report.operations.unresolved;
            let problems = report.problems.len() as u64;
            outlook.defects.insert(
                Arc::clone(&report.path),
                [report.syntax_errors, unresolved, problems],
            );
            for diagnostic in &report.diagnostics {
                if let Some(level) = level(diagnostic) {
                    outlook.count(diagnostic, level);
                }
            }
        }
        outlook
    }

    /// Counts a finding at a level.
    pub fn count(&mut self, diagnostic: &Diagnostic, level: Level) {
        let key = (Arc::clone(&diagnostic.file), diagnostic.rule, level);
        *self.counts.entry(key).or_default() += 1;
        *self.findings.entry(finding_key(diagnostic)).or_default() += 1;
    }

    /// How often the same is said as in a finding.
    pub(crate) fn count_like(&self, key: &FindingKey) -> u64 {
        self.findings.get(key).copied().unwrap_or(0)
    }

    /// What some file has more of after a change, so that less is known of it.
    pub(crate) fn breakage(&self, after: &Self) -> Option<Breakage> {
        let mut files = after.defects.iter();
        files.find_map(|(file, now)| {
            let before = self.defects.get(file).copied().unwrap_or_default();
            let kinds = [Breakage::Syntax, Breakage::Unresolved, Breakage::Problems];
            let mut kinds = kinds.into_iter().zip(now.iter().zip(before));
            kinds.find_map(|(kind, (now, before))| (*now > before).then_some(kind))
        })
    }

    /// Where a rule finds more after a change than before it.
    pub(crate) fn brings<'a>(&'a self, after: &'a Self) -> impl Iterator<Item = &'a CountKey> {
        let counts = after.counts.iter().filter(|(key, count)| {
            let before = self.counts.get(*key).copied().unwrap_or(0);
            **count > before
        });
        counts.map(|(key, _)| key)
    }

    /// Whether nothing is said more often after a change.
    pub(crate) fn is_no_worse(&self, after: &Self) -> bool {
        self.breakage(after).is_none() && self.brings(after).next().is_none()
    }

    /// The findings that are not among those of an outlook, each as often as it is not.
    pub fn without_known<T>(
        &self,
        findings: impl IntoIterator<Item = T>,
        diagnostic: impl Fn(&T) -> &Diagnostic,
    ) -> Vec<T> {
        let mut known = self.findings.clone();
        let mut new: Vec<T> = findings.into_iter().collect();
        new.retain(|one| {
            let count = known.get_mut(&finding_key(diagnostic(one)));
            let is_known = count.as_ref().is_some_and(|count| **count > 0);
            if let Some(count) = count {
                *count = count.saturating_sub(1);
            }
            !is_known
        });
        new
    }

    /// Operations that cannot be followed.
    pub(crate) fn unresolved(&self) -> u64 {
        let files = self.defects.values();
        files.map(|[_, unresolved, _]| unresolved).sum()
    }

    /// How many findings there are at a level and above it.
    pub(crate) fn count_from(&self, level: Level) -> u64 {
        counts_from(&self.counts, level)
            .map(|(_, count)| count)
            .sum()
    }
}

/// The counts at a level and above it.
pub fn counts_from(counts: &Counts, level: Level) -> impl Iterator<Item = (&CountKey, &u64)> {
    counts.iter().filter(move |((.., own), _)| *own >= level)
}
