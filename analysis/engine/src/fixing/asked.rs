//! Fixes that are asked for: from what a report says of a fix back to the function whose rule proposed it, and there to
//! what the fix needs behind it.
//!
//! Knows findings of functions and items and their places in files; how a fix is completed is the business of
//! [`crate::changes`].

use rustc_hash::FxHashMap;

use super::Trust;
use crate::changes::{Seed, complete_one, complete_together, proposed_findings};
use crate::check::{
    Extent, as_checked, files_by_reach, findings_from_elsewhere, found_in_items, function_findings,
    function_time_findings, is_guess, keep_fixes_inside, reachable_from,
};
use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::items::functions_of_file;
use crate::items::{ItemId, Span};
use crate::places::Places;
use crate::report::{DiagnosticFix, FileEdit, fitted};
use crate::rules::{self, Applicability, Finding, Fix, NamesInScope, Rule};

/// How several fixes are completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Completing {
    /// Each for itself, as if it was the only one.
    Alone,
    /// To be made together, as far as what comes of them is trusted.
    Together(Trust),
}

/// A fix with what it needs behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Completed {
    /// Which of the fixes it makes, by their numbers.
    pub of: Vec<usize>,
    /// The fix.
    pub fix: DiagnosticFix,
}

/// A finding's rule and place, which no two of a function share.
type Place = (&'static Rule, Span);

/// What a fix is recognised by.
type Key = (String, Vec<FileEdit>);

fn fix_key(fix: &DiagnosticFix) -> Key {
    (fix.title.clone(), fix.edits.clone())
}

/// Completes fixes of a file's report. Those that are not among the answers lead to no kernel that is right.
pub(crate) fn complete_fixes(
    db: &dyn Db,
    file: SourceFile,
    wanted: &[&DiagnosticFix],
    how: Completing,
) -> Vec<Completed> {
    if file.language(db).has_front_end() {
        // Other front ends propose fixes that need nothing behind them.
        let whole = wanted.iter().enumerate().map(|(number, fix)| Completed {
            of: vec![number],
            fix: (*fix).clone(),
        });
        return whole.collect();
    }
    let mut asked = Asked {
        db,
        file,
        places: Places::new(db),
        wanted: FxHashMap::default(),
        how,
        done: Vec::new(),
    };
    for (number, fix) in wanted.iter().enumerate() {
        asked.wanted.entry(fix_key(fix)).or_default().push(number);
    }
    asked.in_functions(functions_of_file(db, file));
    asked.in_items();
    asked.complete_callers();
    let mut done = asked.done;
    // What no rule of a kernel proposes needs nothing behind it.
    for numbers in asked.wanted.into_values() {
        let fix = numbers.first().and_then(|number| wanted.get(*number));
        done.extend(fix.map(|fix| Completed {
            of: numbers,
            fix: (*fix).clone(),
        }));
    }
    done.sort_by(|one, other| one.of.cmp(&other.of));
    done
}

struct Asked<'a> {
    db: &'a dyn Db,
    file: SourceFile,
    places: Places<'a>,
    /// The numbers of the fixes whose rule is not found yet.
    wanted: FxHashMap<Key, Vec<usize>>,
    how: Completing,
    done: Vec<Completed>,
}

impl Asked<'_> {
    /// Completes what rules propose in functions.
    fn in_functions(&mut self, functions: impl IntoIterator<Item = ItemId>) {
        for function in functions {
            if self.wanted.is_empty() {
                return;
            }
            let found = [
                function_findings(self.db, function),
                function_time_findings(self.db, function),
            ];
            let mut proposed = Vec::new();
            for finding in found.iter().flat_map(|found| &found.findings) {
                for fix in &finding.fixes {
                    if let Some(numbers) = self.take_numbers(fix) {
                        proposed.push(((finding.rule, finding.span), fix, numbers));
                    }
                }
            }
            if !proposed.is_empty() {
                self.complete_function(function, &proposed);
            }
        }
    }

    /// The numbers of a fix that is asked for; it is not looked for any more.
    fn take_numbers(&mut self, fix: &Fix) -> Option<Vec<usize>> {
        let placed = self.placed_fix(fix)?;
        self.wanted.remove(&fix_key(&placed))
    }

    /// A fix as a report says it.
    fn placed_fix(&mut self, fix: &Fix) -> Option<DiagnosticFix> {
        let placed = self.places.placed_fix(fix)?;
        match self.file.origin(self.db) {
            None => Some(placed),
            Some(origin) => fitted(vec![placed], &self.file.text(self.db), &origin).pop(),
        }
    }

    /// Completes fixes of findings of a function, given by rule and place with the numbers of the fixes that were asked for.
    /// What they lead to is judged by all rules, also by those that are off.
    fn complete_function(&mut self, function: ItemId, proposed: &[(Place, &Fix, Vec<usize>)]) {
        let (db, how) = (self.db, self.how);
        let names = NamesInScope::of(db, function);
        let made = as_checked(db, function, |checked| {
            let mut findings = proposed_findings(checked);
            rules::add_chain_fixes(db, checked.body, &mut findings);
            let numbers: FxHashMap<Place, usize> = findings
                .iter()
                .enumerate()
                .map(|(number, finding)| ((finding.rule, finding.span), number))
                .collect();
            let seeds: Vec<(usize, Seed)> = proposed
                .iter()
                .enumerate()
                .filter_map(|(number, (place, fix, _))| {
                    let at = *numbers.get(place)?;
                    let found = findings.get(at)?;
                    let own = (0..found.fixes.len()).find(|own| {
                        same_fix(db, &names, function, found, *own).as_ref() == Some(*fix)
                    });
                    Some((number, (at, own?)))
                })
                .collect();
            match how {
                Completing::Alone => seeds
                    .iter()
                    .filter_map(|(number, seed)| {
                        Some((vec![*number], complete_one(checked, &findings, *seed)?))
                    })
                    .collect::<Vec<(Vec<usize>, Fix)>>(),
                Completing::Together(trust) => {
                    let trusted = |fix: &Fix| {
                        trust.takes(fix.applicability)
                            && (trust.takes(Applicability::Maybe)
                                || !is_guess(db, function, &fix.edits))
                    };
                    let places: Vec<Seed> = seeds.iter().map(|(_, seed)| *seed).collect();
                    let made = complete_together(checked, &findings, &places, trusted);
                    let numbered = made.into_iter().map(|made| {
                        let of = made.of.iter().filter_map(|place| seeds.get(*place));
                        (of.map(|(number, _)| *number).collect(), made.fix)
                    });
                    numbered.collect()
                }
            }
        });
        for (of, fix) in made {
            let Some(fix) = in_words(db, &names, function, fix) else {
                continue;
            };
            let numbers = of.iter().filter_map(|number| proposed.get(*number));
            let mut of: Vec<usize> = numbers.flat_map(|(.., numbers)| numbers).copied().collect();
            of.sort_unstable();
            let placed = self.placed_fix(&fix);
            self.done.extend(placed.map(|fix| Completed { of, fix }));
        }
    }

    /// Completes what rules propose for mappings, wherever they are written.
    fn in_items(&mut self) {
        if self.wanted.is_empty() {
            return;
        }
        let proposed = found_in_items(self.db, self.file, Extent::Proposed);
        let mut taken: Vec<(&Finding, &Fix, Vec<usize>)> = Vec::new();
        for finding in &proposed.findings {
            for fix in &finding.fixes {
                if let Some(numbers) = self.take_numbers(fix) {
                    taken.push((finding, fix, numbers));
                }
            }
        }
        if taken.is_empty() {
            return;
        }
        let completed = found_in_items(self.db, self.file, Extent::Completed);
        for (finding, fix, of) in taken {
            let mut same = completed
                .findings
                .iter()
                .filter(|other| (other.rule, other.span) == (finding.rule, finding.span));
            // A fix may have got more to do.
            let holds = |other: &&Fix| {
                other.title.starts_with(&fix.title)
                    && fix.edits.iter().all(|edit| other.edits.contains(edit))
            };
            let completed = same.find_map(|other| other.fixes.iter().find(holds));
            let placed = completed.and_then(|fix| self.placed_fix(fix));
            self.done.extend(placed.map(|fix| Completed { of, fix }));
        }
    }

    /// Completes what rules propose in functions of other files that call into this one.
    fn complete_callers(&mut self) {
        let Some(project) = Project::try_get(self.db) else {
            return;
        };
        if self.wanted.is_empty()
            || findings_from_elsewhere(self.db, self.file)
                .findings
                .is_empty()
        {
            return;
        }
        let among = reachable_from(self.db, self.file);
        let (groups, own) = (files_by_reach(self.db, project), self.file);
        let others = groups.get(&among).into_iter().flatten();
        for file in others.filter(|file| **file != own) {
            self.in_functions(functions_of_file(self.db, *file));
        }
    }
}

/// A fix of a finding as the function's findings say it.
fn same_fix(
    db: &dyn Db,
    names: &NamesInScope<'_>,
    function: ItemId,
    found: &Finding,
    fix: usize,
) -> Option<Fix> {
    in_words(db, names, function, found.fixes.get(fix)?.clone())
}

/// A fix in the words of the function's author.
fn in_words(db: &dyn Db, names: &NamesInScope<'_>, function: ItemId, fix: Fix) -> Option<Fix> {
    let mut fix = names.fix_in_scope(fix)?;
    keep_fixes_inside(db, function, [&mut fix]);
    Some(fix)
}
