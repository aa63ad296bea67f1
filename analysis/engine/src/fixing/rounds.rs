//! Rounds of fixes until nothing changes, each one judged by what the engine says before and after.
//!
//! A fix was tried on the kernel as it was, and other fixes of the same round change that kernel. So a round is applied as a whole and
//! judged as a whole. If it makes anything worse, half of it is tried, which finds the harmful fix in as many steps as the logarithm of
//! their number; files that nothing harmed go ahead without it. Fixes may also undo each other. Texts that were there before are
//! recognised, so that a circle ends and the result does not depend on where the rounds stopped.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::kernels::{Signatures, Totals};
use super::rejections::{Harmed, LeftOut, Rejection, changed_signatures, slowed_kernels};
use super::standing::{Mended, breaks, rejection};
use super::steps::{Steps, as_proposed, keep_steps};
use super::{Completed, Completing, Trust};
use crate::changes::{
    Counts, FindingKey, Outlook, Texts, apply_fixes, counts_from, finding_key, fits,
};
use crate::report::{Diagnostic, DiagnosticFix, FileReport};
use crate::rules::{Applicability, Level};

/// Applications kept, after which the rounds end even if fixes are left.
const ROUNDS: usize = 500;

/// Texts that fixes are applied to, and the engine that judges them.
pub trait Fixable {
    /// The files that fixes may change.
    fn texts(&self) -> Texts;
    /// Gives some of the files new texts.
    fn replace(&mut self, texts: &Texts);
    /// What is now said about all files, those that may not be changed included.
    fn reports(&self) -> Vec<FileReport>;
    /// The level at which a finding is taken. Those at [`Level::Allow`] are not mended.
    fn level(&self, diagnostic: &Diagnostic) -> Level;
    /// Fixes of the reports, each with the file of its report, with what they need behind them. Those that are not among
    /// the answers lead nowhere.
    fn complete(&self, wanted: &[Proposed<'_>], how: Completing) -> Vec<Completed>;
    /// The cycles of the kernels in the files that are reported on, of those whose total is known.
    fn totals(&self) -> Totals;
    /// What these kernels take and give.
    fn signatures(&self) -> Signatures;
    /// Whether fixes of a rule are asked for by its name: only these may change what a kernel takes and gives.
    fn is_asked_by_name(&self, _rule: &str) -> bool {
        false
    }
}

/// A fix of a report and the report's file.
pub type Proposed<'r> = (&'r Diagnostic, &'r DiagnosticFix);

/// What became of the texts.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fixed {
    /// The files that differ from what they were, with their new texts.
    pub texts: Texts,
    /// Findings that are gone and had a fix that is trusted, counted by file and rule.
    pub fixed: u64,
    /// Other findings that are gone with them.
    pub along: u64,
    /// The fixes that are trusted and were not applied, one a finding that is left.
    pub left_out: Vec<LeftOut>,
}

impl Fixed {
    /// Adds what became of other texts.
    pub fn add(&mut self, other: Self) {
        self.texts.extend(other.texts);
        self.fixed = self.fixed.saturating_add(other.fixed);
        self.along = self.along.saturating_add(other.along);
        self.left_out.extend(other.left_out);
    }
}

/// Applies the fixes of all open findings, asks again, and so on until no fix is left that may be applied.
///
/// An application is kept only if afterwards no file has more syntax errors, operations that are not understood or
/// problems than before, no rule has more findings in a file at a level above that of the mended findings, the findings
/// that were to be mended are gone, and there are no more of their level and above unless more is understood. No kernel
/// takes or gives other tensors afterwards unless the rule is asked for by name, and fixes that are not sure make no kernel
/// slower by more than 2 %.
/// Otherwise its first half is tried, down to one fix, which is then left out; so are fixes that lead in a circle. Fixing
/// the result again changes nothing.
pub fn fix_all(target: &mut impl Fixable, trust: Trust) -> Fixed {
    apply_all(target, trust, Steps::Apart)
}

/// Applies fixes until none is left that may be applied.
pub(super) fn apply_all(target: &mut impl Fixable, trust: Trust, steps: Steps) -> Fixed {
    let original = target.texts();
    let mut rounds = Rounds::start(target, trust, steps);
    let before = rounds.outlook.counts.clone();
    let fixable = rounds.fixable();
    rounds.run();
    let (mut fixed, mut along) = (0_u64, 0_u64);
    for (key, count) in before {
        let left = rounds.outlook.counts.get(&key).copied().unwrap_or(0);
        let gone = count.saturating_sub(left);
        let own = fixable.get(&key).copied().unwrap_or(0).min(gone);
        fixed = fixed.saturating_add(own);
        along = along.saturating_add(gone.saturating_sub(own));
    }
    let left_out = rounds.left_out();
    let texts = rounds.texts.into_iter();
    Fixed {
        fixed,
        along,
        left_out,
        texts: texts
            .filter(|(path, text)| original.get(path) != Some(text))
            .collect(),
    }
}

struct Rounds<'t, T> {
    target: &'t mut T,
    trust: Trust,
    steps: Steps,
    texts: Texts,
    reports: Vec<FileReport>,
    outlook: Outlook,
    /// Fixes that were tried and taken back since something last changed.
    refused: BTreeSet<Key>,
    /// Fixes that only lead in a circle.
    circular: BTreeSet<Key>,
    /// Fixes that were taken back together with the others of their function.
    alone: BTreeSet<Key>,
    /// The applications kept, in their order.
    history: Vec<Step>,
    /// All texts that there were, of fixes that are steps of one change.
    seen: BTreeSet<Texts>,
    /// Why fixes were last taken back.
    rejections: BTreeMap<Key, Rejection>,
    /// What kernels take and give.
    signatures: Signatures,
    /// The fewest cycles that kernels had, which fixes that are not sure are judged by.
    totals: Totals,
}

/// An application that was kept.
struct Step {
    /// The level of what it mended.
    level: Level,
    /// What was said before it.
    counts: Counts,
    /// How many operations were not understood before it.
    unresolved: u64,
    /// The files that it changed, as they were before.
    texts: Texts,
    /// What was applied.
    keys: Vec<Key>,
}

/// The files that a candidate edits.
fn files_of(candidate: &Candidate) -> impl Iterator<Item = &Arc<str>> {
    candidate.fix.edits.iter().map(|edit| &edit.file)
}

/// Which of several fixes are tried next, where these were taken back together: those of files that nothing harmed; else one a
/// file, since fixes of different files seldom meet; else the first half. `None` where there is one a harmed file already.
fn fewer_fixes(batch: &[Candidate], harmed: &Harmed) -> Option<Vec<bool>> {
    let halved = || (0..batch.len()).map(|at| at < batch.len() / 2).collect();
    let is_harmed =
        |candidate: &Candidate| files_of(candidate).any(|file| harmed.contains_key(file));
    let count = batch
        .iter()
        .filter(|candidate| is_harmed(candidate))
        .count();
    if count == 0 {
        return Some(halved());
    }
    if count < batch.len() {
        return Some(
            batch
                .iter()
                .map(|candidate| !is_harmed(candidate))
                .collect(),
        );
    }
    let mut seen = BTreeSet::new();
    let firsts: Vec<bool> = batch
        .iter()
        .map(|candidate| {
            let is_first = files_of(candidate).all(|file| !seen.contains(file));
            seen.extend(files_of(candidate));
            is_first
        })
        .collect();
    firsts.contains(&false).then_some(firsts)
}

/// What a fix is recognised by while other fixes move its place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Key {
    finding: FindingKey,
    title: String,
    edits: Vec<(Arc<str>, String)>,
}

/// What may be applied next: a fix, or several that were completed together.
struct Candidate {
    fix: DiagnosticFix,
    level: Level,
    keys: Vec<Key>,
}

impl<'t, T: Fixable> Rounds<'t, T> {
    fn start(target: &'t mut T, trust: Trust, steps: Steps) -> Self {
        let mut rounds = Self {
            texts: target.texts(),
            target,
            trust,
            steps,
            reports: Vec::new(),
            outlook: Outlook::default(),
            refused: BTreeSet::new(),
            circular: BTreeSet::new(),
            alone: BTreeSet::new(),
            history: Vec::new(),
            seen: BTreeSet::new(),
            rejections: BTreeMap::new(),
            signatures: Signatures::new(),
            totals: Totals::new(),
        };
        rounds.reports = rounds.reports_now();
        rounds.outlook = rounds.counted(&rounds.reports);
        if steps == Steps::Apart {
            rounds.signatures = rounds.target.signatures();
            if trust == Trust::Maybe {
                rounds.totals = rounds.target.totals();
            }
        }
        rounds
    }

    /// What is said of the texts that the target has now.
    fn reports_now(&self) -> Vec<FileReport> {
        let mut reports = self.target.reports();
        if self.steps == Steps::Migration {
            keep_steps(&mut reports, &self.target.texts());
        }
        reports
    }

    /// The level at which a finding is taken.
    fn level(&self, found: &Diagnostic) -> Level {
        match self.steps {
            Steps::Apart => self.target.level(found),
            Steps::Migration => Level::Deny,
        }
    }

    /// Fixes with what they need behind them.
    fn completed(&self, wanted: &[Proposed<'_>], how: Completing) -> Vec<Completed> {
        match self.steps {
            Steps::Apart => self.target.complete(wanted, how),
            Steps::Migration => as_proposed(wanted),
        }
    }

    /// What reports say of what is to be mended and judged.
    fn counted(&self, reports: &[FileReport]) -> Outlook {
        Outlook::new(reports, |found| {
            let level = self.level(found);
            (!found.suppressed && level != Level::Allow).then_some(level)
        })
    }

    /// The open findings that have a fix that is trusted.
    fn fixable(&self) -> Counts {
        let fixable = self.reports.iter().map(|report| {
            let with_fix = |found: &&Diagnostic| self.trust.trusted_fixes(found).next().is_some();
            let diagnostics = report.diagnostics.iter().filter(with_fix).cloned();
            FileReport {
                diagnostics: diagnostics.collect(),
                ..FileReport::new(Arc::clone(&report.path))
            }
        });
        self.counted(&fixable.collect::<Vec<_>>()).counts
    }

    /// Rounds until nothing changes. What was taken for a circle is tried again from where the rounds ended, as a user who fixes
    /// the result would; where that leads back to an end that is known, it was one.
    fn run(&mut self) {
        let mut left = ROUNDS;
        let mut ends = BTreeSet::from([self.texts.clone()]);
        loop {
            left = self.run_once(left);
            let known = !ends.insert(self.texts.clone());
            if known || left == 0 || self.circular.is_empty() {
                return;
            }
            self.refused.clear();
            self.circular.clear();
            self.alone.clear();
            self.history.clear();
        }
    }

    /// As many rounds as are left until nothing changes; how many are left then.
    fn run_once(&mut self, mut left: usize) -> usize {
        let mut changed = false;
        while left > 0 {
            let batch = self.candidates();
            if !batch.is_empty() {
                let applied = self.attempt_batch(batch);
                changed |= applied;
                left -= usize::from(applied);
            } else if changed {
                // What was taken back before the change may be kept now.
                changed = false;
                self.refused.clear();
            } else {
                break;
            }
        }
        left
    }

    /// The fixes of the highest level that has any, one a finding, completed; without those that meet an earlier one.
    fn candidates(&mut self) -> Vec<Candidate> {
        for level in [Level::Deny, Level::Warn] {
            loop {
                let candidates = self.candidates_at(level);
                let fixes = candidates.iter().map(|candidate| &candidate.fix);
                let applied = apply_fixes(&self.texts, fixes).applied;
                if !applied.is_empty() {
                    let numbered = candidates.into_iter().enumerate();
                    return numbered
                        .filter(|(index, _)| applied.binary_search(index).is_ok())
                        .map(|(_, candidate)| candidate)
                        .collect();
                }
                if candidates.is_empty() {
                    break;
                }
                // None of them changes anything.
                let keys = candidates.into_iter().flat_map(|candidate| candidate.keys);
                self.refused.extend(keys);
            }
        }
        Vec::new()
    }

    /// The next fix of every finding at a level, completed. What leads nowhere is refused, until one is left or none.
    fn candidates_at(&mut self, level: Level) -> Vec<Candidate> {
        loop {
            let reports = std::mem::take(&mut self.reports);
            let diagnostics = reports.iter().flat_map(|report| &report.diagnostics);
            let mended = diagnostics
                .filter(|diagnostic| !diagnostic.suppressed && self.level(diagnostic) == level);
            let proposed: Vec<(Proposed<'_>, Key)> = mended
                .filter_map(|diagnostic| self.next_fix(diagnostic))
                .collect();
            let (alone, together): (Vec<_>, Vec<_>) = proposed
                .iter()
                .partition(|(_, key)| self.alone.contains(key));
            let mut candidates = Vec::new();
            let mut refused: BTreeSet<Key> = proposed.iter().map(|(_, key)| key.clone()).collect();
            for (proposed, how) in [
                (together, Completing::Together(self.trust)),
                (alone, Completing::Alone),
            ] {
                if proposed.is_empty() {
                    continue;
                }
                let wanted: Vec<Proposed<'_>> = proposed.iter().map(|(fix, _)| *fix).collect();
                for Completed { of, fix } in self.completed(&wanted, how) {
                    let keys = of.iter().filter_map(|number| proposed.get(*number));
                    let keys: Vec<Key> = keys.map(|(_, key)| key.clone()).collect();
                    if self.trust.takes(fix.applicability) && fits(&self.texts, &fix) {
                        for key in &keys {
                            refused.remove(key);
                        }
                        candidates.push(Candidate { fix, level, keys });
                    }
                }
            }
            self.reports = reports;
            let nothing_left = refused.is_empty();
            for key in refused {
                let known = self.rejections.entry(key.clone());
                known.or_insert(Rejection::LeadsNowhere);
                self.refused.insert(key);
            }
            if !candidates.is_empty() || nothing_left {
                return candidates;
            }
        }
    }

    /// The fix of a finding that is tried next.
    fn next_fix<'r>(&self, diagnostic: &'r Diagnostic) -> Option<(Proposed<'r>, Key)> {
        let mut fixes = self
            .trust
            .trusted_fixes(diagnostic)
            .filter(|fix| fits(&self.texts, fix));
        fixes.find_map(|fix| {
            let key = Key::of(diagnostic, fix);
            let fresh = !self.refused.contains(&key) && !self.circular.contains(&key);
            fresh.then_some(((diagnostic, fix), key))
        })
    }

    /// Applies as many of the fixes as can be kept, at least trying the first. Whether the texts changed.
    fn attempt_batch(&mut self, mut batch: Vec<Candidate>) -> bool {
        loop {
            let fixes = batch.iter().map(|candidate| &candidate.fix);
            let changed = apply_fixes(&self.texts, fixes).texts;
            self.target.replace(&changed);
            let reports = self.reports_now();
            let standing = self.counted(&reports);
            let said = self.said_against(&changed, &batch, &reports, &standing);
            let harmed = match said {
                Some(_) => Harmed::new(),
                None => self.harmed(&batch),
            };
            let Some(rejection) = said.or_else(|| harmed.values().next().cloned()) else {
                return self.keep_application(changed, batch, reports, standing);
            };
            let kept = self.present_texts(&changed);
            self.target.replace(&kept);
            if batch.len() < 2 {
                self.refuse_batch(batch, |_| rejection.clone());
                return false;
            }
            match fewer_fixes(&batch, &harmed) {
                Some(keeps) => {
                    let mut keeps = keeps.into_iter();
                    batch.retain(|_| keeps.next() == Some(true));
                }
                // One a file, and each file is harmed: none is kept.
                None => {
                    self.refuse_batch(batch, |candidate| {
                        let own = files_of(candidate).find_map(|file| harmed.get(file));
                        own.unwrap_or(&rejection).clone()
                    });
                    return false;
                }
            }
        }
    }

    /// Notes that fixes were taken back, with the reason of each.
    fn refuse_batch(&mut self, batch: Vec<Candidate>, why: impl Fn(&Candidate) -> Rejection) {
        for candidate in batch {
            let rejection = why(&candidate);
            let keys = candidate.keys;
            let rejections = keys.iter().map(|key| (key.clone(), rejection.clone()));
            self.rejections.extend(rejections);
            // Of several that are taken back together, some may be kept one by one.
            if keys.len() > 1 {
                self.alone.extend(keys);
            } else {
                self.refused.extend(keys);
            }
        }
    }

    /// Why fixes that led to these texts may not be kept by what is found in them; `None` if they may.
    fn said_against(
        &mut self,
        changed: &Texts,
        batch: &[Candidate],
        reports: &[FileReport],
        outlook: &Outlook,
    ) -> Option<Rejection> {
        if self.steps == Steps::Migration {
            let breakage = breaks(&self.outlook, outlook);
            return breakage.or_else(|| (!self.is_new(changed)).then_some(Rejection::Circle));
        }
        let findings = batch.iter().flat_map(|candidate| &candidate.keys);
        let mended = Mended {
            level: batch.iter().map(|candidate| candidate.level).min(),
            findings: findings.map(|key| &key.finding).collect(),
        };
        rejection(&self.outlook, outlook, reports, &mended)
    }

    /// The files with kernels that fixes may not leave so: they take or give other tensors, or take longer.
    fn harmed(&mut self, batch: &[Candidate]) -> Harmed {
        if self.steps == Steps::Migration {
            return Harmed::new();
        }
        let findings = batch.iter().flat_map(|candidate| &candidate.keys);
        let mut rules = findings.map(|key| key.finding.1);
        // What is spelt as in another release is understood only when it is rewritten.
        let is_respelled = |rule: &str| rule == "other_release_api";
        let are_asked = rules.all(|rule| is_respelled(rule) || self.target.is_asked_by_name(rule));
        let mut harmed = Harmed::new();
        if is_unsure(batch) {
            harmed = slowed_kernels(&self.totals, &self.target.totals());
        }
        if !are_asked {
            harmed.extend(changed_signatures(
                &self.signatures,
                &self.target.signatures(),
            ));
        }
        harmed
    }

    /// What kernels take, give and cost from now on is what they do after fixes that were kept.
    fn settle_kernels(&mut self, are_unsure: bool) {
        self.signatures = self.target.signatures();
        if self.trust != Trust::Maybe {
            return;
        }
        for (kernel, total) in self.target.totals() {
            let known = self.totals.entry(kernel).or_insert(total);
            // What a sure fix costs is not taken from the next one's allowance; a saving is not given away again.
            *known = if are_unsure { total.min(*known) } else { total };
        }
    }

    /// Whether there never were these texts, so that steps of one change cannot lead around.
    fn is_new(&mut self, changed: &Texts) -> bool {
        let mut texts = self.texts.clone();
        self.seen.insert(texts.clone());
        texts.extend(
            changed
                .iter()
                .map(|(path, text)| (Arc::clone(path), Arc::clone(text))),
        );
        self.seen.insert(texts)
    }

    /// The present texts of files that are to change.
    fn present_texts(&self, changed: &Texts) -> Texts {
        let kept = changed.keys().filter_map(|path| {
            let text = self.texts.get(path)?;
            Some((Arc::clone(path), Arc::clone(text)))
        });
        kept.collect()
    }

    /// Keeps an application, unless it closes a circle: then all that led around is taken back. Whether the texts
    /// changed.
    fn keep_application(
        &mut self,
        changed: Texts,
        batch: Vec<Candidate>,
        reports: Vec<FileReport>,
        outlook: Outlook,
    ) -> bool {
        let are_unsure = is_unsure(&batch);
        let levels = batch.iter().map(|candidate| candidate.level);
        self.history.push(Step {
            level: levels.min().unwrap_or(Level::Deny),
            unresolved: self.outlook.unresolved(),
            counts: std::mem::take(&mut self.outlook.counts),
            texts: self.present_texts(&changed),
            keys: batch
                .into_iter()
                .flat_map(|candidate| candidate.keys)
                .collect(),
        });
        self.texts.extend(changed);
        self.reports = reports;
        self.outlook = outlook;
        if self.steps == Steps::Migration {
            return true;
        }
        let Some(circle) = self.circle() else {
            self.settle_kernels(are_unsure);
            return true;
        };
        let around = self.history.split_off(circle);
        for key in around.first().into_iter().flat_map(|first| &first.keys) {
            self.circular.insert(key.clone());
            self.rejections.insert(key.clone(), Rejection::Circle);
        }
        for step in around.into_iter().rev() {
            self.texts.extend(
                step.texts
                    .iter()
                    .map(|(path, text)| (Arc::clone(path), Arc::clone(text))),
            );
            self.target.replace(&step.texts);
        }
        self.reports = self.reports_now();
        self.outlook = self.counted(&self.reports);
        self.signatures = self.target.signatures();
        false
    }

    /// The fixes that are trusted and were not applied: of each finding that is left the first.
    fn left_out(&self) -> Vec<LeftOut> {
        let found = self.reports.iter().flat_map(|report| &report.diagnostics);
        let open = found
            .filter(|found| !found.suppressed && self.level(found) > Level::Allow)
            .filter(|found| self.texts.contains_key(&found.file));
        let left_out = |found: &Diagnostic| {
            let fix = self.trust.trusted_fixes(found).next()?;
            let rejected = self.rejections.get(&Key::of(found, fix)).cloned();
            let other = || {
                let mut edited = fix.edits.iter().map(|edit| &edit.file);
                let other = edited.find(|file| !self.texts.contains_key(*file))?;
                Some(Rejection::OtherFile(Arc::clone(other)))
            };
            Some(LeftOut {
                rule: found.rule,
                title: fix.title.clone(),
                file: Arc::clone(&found.file),
                line: found.range.start.line,
                why: rejected.or_else(other)?,
            })
        };
        open.filter_map(left_out).collect()
    }
}

/// Whether some of the fixes are not sure to be meant.
fn is_unsure(batch: &[Candidate]) -> bool {
    let mut fixes = batch.iter().map(|candidate| &candidate.fix);
    fixes.any(|fix| fix.applicability != Applicability::Machine)
}

impl<T> Rounds<'_, T> {
    /// The first step that leads back to where it started, as far as its own level and those above it are concerned.
    fn circle(&self) -> Option<usize> {
        let mut level = Level::Deny;
        let mut circle = None;
        for (index, step) in self.history.iter().enumerate().rev() {
            level = level.min(step.level);
            let same =
                counts_from(&step.counts, level).eq(counts_from(&self.outlook.counts, level));
            if same && step.unresolved <= self.outlook.unresolved() {
                circle = Some(index);
            }
        }
        circle
    }
}

impl Key {
    fn of(diagnostic: &Diagnostic, fix: &DiagnosticFix) -> Self {
        let edits = fix.edits.iter();
        Self {
            finding: finding_key(diagnostic),
            title: fix.title.clone(),
            edits: edits
                .map(|edit| (Arc::clone(&edit.file), edit.text.clone()))
                .collect(),
        }
    }
}
