//! The search of one kernel: candidates tried in their order, the best of them kept, and the best two made one.

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::changes::{Outlook, Texts};
use crate::check::function_time_findings;
use crate::cost::{KernelCost, Proposal, Searched};
use crate::fixing::{Completing, complete_fixes};
use crate::items::ItemId;
use crate::places::Places;
use crate::report::{DiagnosticFix, FileEdit, Range};
use crate::rules::{Applicability, Group};

use super::joined::joined_edits;
use super::placing::{place_candidates, shifted_change};
use super::scratch::{Scratch, State};
use super::{Concerns, FOR_PAIRS, Kind, LEAST_PART, PROPOSALS, Placed, searched_candidates};

pub(super) struct Search<'a> {
    scratch: &'a mut Scratch,
    /// The kernel's number among the functions of its file.
    number: usize,
    name: String,
    limit: usize,
    tried: usize,
    /// Whether candidates were left when so many were tried.
    stopped: bool,
    /// Whether the answer is no longer wanted.
    stop: &'a dyn Fn() -> bool,
    cancelled: bool,
}

/// A candidate that was tried and is worth saying.
#[derive(Debug, Clone)]
struct Worth {
    placed: Placed,
    state: State,
    /// The texts that it changes.
    texts: Texts,
}

impl<'a> Search<'a> {
    pub(super) fn new(
        scratch: &'a mut Scratch,
        (number, name): (usize, &str),
        limit: usize,
        stop: &'a dyn Fn() -> bool,
    ) -> Self {
        Self {
            scratch,
            number,
            name: name.to_owned(),
            limit,
            tried: 0,
            stopped: false,
            stop,
            cancelled: false,
        }
    }

    /// Puts what it finds into the kernel's cost; whether it came to its end.
    pub(super) fn run(mut self, cost: &mut KernelCost) -> bool {
        self.scratch.set(Texts::new());
        let Some(own) = self.scratch.function(self.number, &self.name) else {
            return true;
        };
        let Some(before) = self.scratch.state(own, true) else {
            return true;
        };
        self.scratch.enable(|_| true);
        let mut candidates = self.of_findings(own);
        candidates.extend(place_candidates(
            self.scratch.db(),
            own,
            searched_candidates(self.scratch.db(), own, self.limit),
        ));
        // What is slow is judged by the cycles of the whole.
        self.scratch
            .enable(|group| !matches!(group, Group::Performance | Group::Style));
        let for_pairs = self.limit / FOR_PAIRS;
        let most = self.limit.saturating_sub(for_pairs);
        let mut worth = self.try_all(candidates, &before, &Texts::new(), most);
        worth.sort_by_key(|one| one.state.total);
        let mut seen = FxHashSet::default();
        worth.retain(|one| seen.insert((one.placed.kind, one.placed.about.clone())));
        // Two ways to the same saving at one place are one proposal, the first that was tried.
        let mut alike = FxHashSet::default();
        worth.retain(|one| alike.insert((one.placed.about.clone(), one.state.total)));
        worth.truncate(PROPOSALS);
        let pair = worth.first().cloned().and_then(|best| {
            let others = worth.get(1..).unwrap_or_default();
            self.pair(&best, others, &before)
        });
        if self.cancelled {
            return false;
        }
        self.scratch.set(Texts::new());
        let proposals = worth.iter().map(|one| {
            let (_, about) = &one.placed.about;
            (*about, search_proposal(&one.placed, &before, &one.state))
        });
        join(&mut cost.proposals, proposals.collect());
        cost.searched = Some(Searched {
            tried: self.tried,
            limit: self.limit,
            stopped: self.stopped,
            pair,
        });
        true
    }

    /// The fixes of findings of the group `performance`, with what they need behind them.
    fn of_findings(&self, function: ItemId) -> Vec<Placed> {
        let db = self.scratch.db();
        let mut places = Places::new(db);
        let found = function_time_findings(db, function);
        let slow = found
            .findings
            .iter()
            .filter(|finding| finding.rule.group == Group::Performance);
        let mut wanted = Vec::new();
        for finding in slow {
            for fix in &finding.fixes {
                let at = places.range(finding.span);
                if let (Some(placed), Some((file, range))) = (places.placed_fix(fix), at) {
                    wanted.push((finding.rule.name, file, range, placed));
                }
            }
        }
        if wanted.is_empty() {
            return Vec::new();
        }
        let fixes: Vec<&DiagnosticFix> = wanted.iter().map(|(.., fix)| fix).collect();
        let done = complete_fixes(db, function.file(db), &fixes, Completing::Alone);
        done.into_iter()
            .filter_map(|completed| {
                let (rule, file, range, _) = wanted.get(*completed.of.first()?)?;
                Some(Placed {
                    kind: Kind::Fix,
                    rule,
                    file: Arc::clone(file),
                    range: *range,
                    about: (Arc::clone(file), *range),
                    fix: completed.fix,
                    concerns: Concerns::All,
                })
            })
            .collect()
    }

    /// Tries candidates in their order, each on top of changes that are made already, until so many were tried in all.
    fn try_all(
        &mut self,
        candidates: Vec<Placed>,
        before: &State,
        made: &Texts,
        most: usize,
    ) -> Vec<Worth> {
        let mut worth = Vec::new();
        let mut base = self.scratch.original().clone();
        base.extend(
            made.iter()
                .map(|(path, text)| (Arc::clone(path), Arc::clone(text))),
        );
        let mut seen = FxHashSet::default();
        // What is said before is asked once, and only where a candidate is worth it.
        let mut said: FxHashMap<Vec<Arc<str>>, Outlook> = FxHashMap::default();
        for placed in candidates {
            if self.tried >= most {
                self.stopped = true;
                break;
            }
            if self.cancelled || (self.stop)() {
                self.cancelled = true;
                break;
            }
            let Some(changed) = Scratch::applied(&base, &placed.fix) else {
                continue;
            };
            if !seen.insert(changed.clone()) {
                continue;
            }
            self.tried += 1;
            let mut texts = made.clone();
            texts.extend(changed);
            self.scratch.set(texts.clone());
            let Some(function) = self.scratch.function(self.number, &self.name) else {
                continue;
            };
            let Some(state) = self.scratch.state(function, false) else {
                continue;
            };
            let saved = before.total.saturating_sub(state.total);
            if saved == 0 || saved < before.total / LEAST_PART || !state.gives_what(before) {
                continue;
            }
            let Some(files) = self.scratch.concerned(&placed) else {
                continue;
            };
            let after = self.scratch.said_of_files(&files);
            if !said.contains_key(&files) {
                self.scratch.set(made.clone());
                said.insert(files.clone(), self.scratch.said_of_files(&files));
                self.scratch.set(texts.clone());
            }
            if !said
                .get(&files)
                .is_some_and(|known| known.is_no_worse(&after))
            {
                continue;
            }
            if placed.reaches_others() && !self.others_are_no_slower(function, &files, made) {
                continue;
            }
            if let Some(state) = self.scratch.state(function, true) {
                worth.push(Worth {
                    placed,
                    state,
                    texts,
                });
            }
        }
        worth
    }

    /// Whether no other kernel takes longer with the change that the copy holds, which is then there again.
    fn others_are_no_slower(&mut self, own: ItemId, files: &[Arc<str>], made: &Texts) -> bool {
        let now = self.scratch.others(own, files);
        let texts = self.scratch.changed().clone();
        self.scratch.set(made.clone());
        let before = self.scratch.function(self.number, &self.name);
        let before = before.map(|own| self.scratch.others(own, files));
        self.scratch.set(texts);
        before.is_some_and(|before| {
            let mut pairs = before.iter().zip(&now);
            before.len() == now.len()
                && pairs.all(|(before, now)| match (before, now) {
                    (Some(before), Some(now)) => now <= before,
                    (Some(_), None) => false,
                    (None, _) => true,
                })
        })
    }

    /// The best proposal with the change that saves most on top of it, as one change of the author's text.
    fn pair(&mut self, best: &Worth, others: &[Worth], before: &State) -> Option<Proposal> {
        self.scratch.set(best.texts.clone());
        let function = self.scratch.function(self.number, &self.name)?;
        let mut candidates: Vec<Placed> = others
            .iter()
            .filter_map(|other| shifted_change(&best.placed, &other.placed))
            .collect();
        let found = searched_candidates(self.scratch.db(), function, self.limit);
        candidates.extend(place_candidates(self.scratch.db(), function, found));
        let mut second = self.try_all(candidates, &best.state, &best.texts, self.limit);
        second.sort_by_key(|one| one.state.total);
        let second = second.into_iter().next()?;
        let mut edits = Vec::new();
        for (path, text) in self.scratch.original() {
            let own = |fix: &DiagnosticFix| {
                let own = fix.edits.iter().filter(|edit| edit.file == *path);
                let mut own: Vec<FileEdit> = own.cloned().collect();
                own.sort_by_key(|edit| (edit.start_byte, edit.end_byte));
                own.dedup();
                own
            };
            let (first, then) = (own(&best.placed.fix), own(&second.placed.fix));
            if !first.is_empty() || !then.is_empty() {
                edits.extend(joined_edits(text, &first, &then)?);
            }
        }
        let both = Placed {
            fix: DiagnosticFix {
                title: format!(
                    "{}; then {}",
                    best.placed.fix.title,
                    lowered(&second.placed.fix.title)
                ),
                applicability: Applicability::Maybe,
                edits,
                cost: None,
            },
            ..best.placed.clone()
        };
        // What is promised is what comes of the edits that are handed out.
        let texts = Scratch::applied(self.scratch.original(), &both.fix)?;
        self.scratch.set(texts);
        let function = self.scratch.function(self.number, &self.name)?;
        let state = self.scratch.state(function, true)?;
        (state.total == second.state.total).then(|| search_proposal(&both, before, &state))
    }
}

fn search_proposal(placed: &Placed, before: &State, after: &State) -> Proposal {
    let saved = before.total.saturating_sub(after.total);
    let apart = before.bounds.zip(after.bounds);
    Proposal {
        rule: placed.rule,
        message: placed.fix.title.clone(),
        help: None,
        saves: Some(saved),
        file: Arc::clone(&placed.file),
        range: placed.range,
        by: Some(placed.kind.name()),
        total: Some((before.total, after.total)),
        is_certain: apart.is_none_or(|((low, _), (_, high))| high < low),
        edits: placed.fix.edits.clone(),
    }
}

/// A title within a sentence.
fn lowered(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}

/// The searched proposals, each with the operation that it is for, and those in words that say something else, the best first.
fn join(proposals: &mut Vec<Proposal>, searched: Vec<(Range, Proposal)>) {
    // Words stay where nothing was found at their place that saves as much.
    proposals.retain(|one| {
        let mut here = searched
            .iter()
            .filter(|(about, other)| (other.rule, *about) == (one.rule, one.range));
        !here.any(|(_, other)| one.saves.is_none() || other.saves >= one.saves)
    });
    proposals.extend(searched.into_iter().map(|(_, proposal)| proposal));
    // Whole changes come before words, which may ask for another result.
    proposals.sort_by_key(|one| {
        (
            one.edits.is_empty(),
            Reverse(one.saves),
            one.range,
            one.rule,
        )
    });
    proposals.truncate(PROPOSALS);
}
