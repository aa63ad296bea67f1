//! A search of remedies: changes of a kernel's source, each tried in a copy, and what they save of the whole schedule.
//!
//! A candidate is a complete change. It is a proposal where nothing is found in the changed files that was not before, the kernel
//! takes and gives the same tensors, and its total falls. Candidates come from the fixes of findings, from other splits of axes
//! over clusters, slices and elements ([`resplit`]), from gathering results before they are stored ([`gather`]), and, where that is a
//! move, from loads at earlier places ([`order`]); none changes what a kernel computes, and none copies by padding. How often and in
//! which order they are tried follows from the kernel alone.

mod broadcast;
mod gather;
mod joined;
mod order;
mod reorder;
mod resplit;
mod scratch;
mod split;
mod statement;
mod writing;

use std::cmp::Reverse;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::check::{
    function_derivation, function_simulation, function_time_findings, functions, panic_words,
};
use crate::cost::{KernelCost, Proposal, Searched, kernel_cost_of};
use crate::db::Db;
use crate::fixing::{Completing, Texts, completed};
use crate::inputs::SourceFile;
use crate::items::{ItemId, Span};
use crate::kernel::{Operation, body};
use crate::places::Places;
use crate::report::{DiagnosticFix, FileEdit, Problem, Range};
use crate::rules::{Applicability, Edit, Fix, Group, NamesInScope, SLOW_TRANSFER};

use self::joined::joined;
use self::scratch::{Copied, Said, Scratch, State};

/// Candidates that are tried of a kernel where nothing else is said.
pub const EFFORT: usize = 100;

/// The most that are tried, whatever is said.
pub const MOST_EFFORT: usize = 2_000;

/// Proposals that are kept of a kernel.
const PROPOSALS: usize = 5;

/// A proposal saves at least one part in so many of the kernel.
const LEAST_PART: u64 = 50;

/// The part of the effort that is kept for what goes well with the best proposal: one in so many.
const FOR_PAIRS: usize = 3;

/// Operations of the critical path whose tensors are looked at, those of the most cycles.
const OPERATIONS: usize = 8;

/// What a candidate does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// What a finding proposes.
    Fix,
    /// Another split over slices and elements.
    Split,
    /// A real axis over both clusters.
    BothClusters,
    /// Results of several slices in one before they are stored.
    Gather,
    /// Results of a slice without gaps before they are stored.
    Pack,
    /// A load at an earlier place of the program.
    Earlier,
    /// A broadcast by the switch in place of a load that copies, or the reverse.
    Broadcast,
    /// Another order of the elements of a slice.
    Order,
    /// A pass in place of a transfer that changes an order.
    Engine,
    /// Packets of more bytes.
    Packet,
}

impl Kind {
    /// Its name in JSON.
    const fn name(self) -> &'static str {
        match self {
            Self::Fix => "fix",
            Self::Split => "split",
            Self::BothClusters => "both_clusters",
            Self::Gather => "gather",
            Self::Pack => "pack",
            Self::Earlier => "earlier",
            Self::Broadcast => "broadcast",
            Self::Order => "order",
            Self::Engine => "engine",
            Self::Packet => "packet",
        }
    }
}

/// A change that is tried.
#[derive(Debug, Clone)]
struct Candidate {
    kind: Kind,
    title: String,
    /// The operation that it is for.
    span: Span,
    /// The rule that proposes it; none for what is searched.
    rule: Option<&'static str>,
    edits: Vec<Edit>,
}

/// A candidate placed in the files.
#[derive(Debug, Clone)]
struct Placed {
    kind: Kind,
    rule: &'static str,
    file: Arc<str>,
    range: Range,
    fix: DiagnosticFix,
    concerns: Concerns,
}

impl Placed {
    /// Whether it edits what other kernels may be made of, too.
    const fn reaches_others(&self) -> bool {
        match &self.concerns {
            Concerns::Naming(named) => !named.is_empty(),
            Concerns::All => true,
        }
    }
}

/// The files in which something may be found that comes of a candidate.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Concerns {
    /// The kernel's own, and those that name the items that are edited outside of it.
    Naming(Vec<Arc<str>>),
    /// All that may call each other.
    All,
}

/// Adds to the costs of a file's kernels what a search finds, at most so many candidates a kernel. `costs` are those of the file,
/// in its order.
pub(crate) fn advise(db: &dyn Db, file: SourceFile, costs: &mut [KernelCost], effort: usize) {
    let limit = effort.min(MOST_EFFORT);
    if limit == 0 {
        return;
    }
    let all = functions(db, file);
    let kernels = all
        .iter()
        .enumerate()
        .filter(|(_, function)| body(db, **function).device.is_some());
    let mut scratch = None;
    for ((number, _), cost) in kernels.zip(costs) {
        if cost.total.is_none() {
            continue;
        }
        if scratch.is_none() {
            scratch = Copied::of(db, file).and_then(|copied| Scratch::of(&copied));
        }
        let Some(scratch) = &mut scratch else {
            return;
        };
        // Whoever asks may have lost interest: then this unwinds.
        let stop = || {
            db.unwind_if_revision_cancelled();
            false
        };
        Search::new(scratch, (number, &cost.name), limit, &stop).run(cost);
    }
}

/// A kernel with all that a search of it reads. It needs no snapshot of the project that it comes from, so that a search holds up
/// no edit; equal ones have equal answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Searchable {
    copied: Copied,
    /// The kernel's number among the functions of its file.
    number: usize,
    name: String,
}

impl Searchable {
    /// A kernel; `None` for one in a block of another text.
    pub(crate) fn of(db: &dyn Db, kernel: ItemId) -> Option<Self> {
        let file = kernel.file(db);
        let number = functions(db, file).iter().position(|one| *one == kernel)?;
        Some(Self {
            copied: Copied::of(db, file)?,
            number,
            name: kernel.name(db).to_string(),
        })
    }

    /// What the kernel costs, with what a search of at most so many candidates proposes; `None` where it has no total. `stop` is
    /// asked before each candidate.
    ///
    /// # Errors
    ///
    /// [`Problem::Cancelled`] once `stop` says so, [`Problem::Internal`] where the engine failed.
    pub fn search(
        &self,
        effort: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<KernelCost>, Problem> {
        let search = || {
            let mut scratch = Scratch::of(&self.copied)?;
            let function = scratch.function(self.number, &self.name)?;
            let mut cost = kernel_cost_of(scratch.db(), function)?;
            cost.total?;
            let limit = effort.min(MOST_EFFORT);
            let kernel = (self.number, self.name.as_str());
            let done = Search::new(&mut scratch, kernel, limit, stop).run(&mut cost);
            Some(done.then_some(cost))
        };
        match std::panic::catch_unwind(AssertUnwindSafe(search)) {
            Ok(Some(None)) => Err(Problem::Cancelled),
            Ok(found) => Ok(found.flatten()),
            Err(payload) => Err(Problem::Internal(panic_words(&*payload))),
        }
    }
}

struct Search<'a> {
    scratch: &'a mut Scratch,
    /// The kernel's number among the functions of its file.
    number: usize,
    name: String,
    limit: usize,
    tried: usize,
    /// Whether candidates were left when so many were tried.
    stopped: bool,
    /// Whether nobody waits for the answer any more.
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
    fn new(
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
    fn run(mut self, cost: &mut KernelCost) -> bool {
        self.scratch.set(Texts::new());
        let Some(own) = self.scratch.function(self.number, &self.name) else {
            return true;
        };
        let Some(before) = self.scratch.state(own, true) else {
            return true;
        };
        self.scratch.enable(|_| true);
        let mut candidates = self.of_findings(own);
        candidates.extend(placed(
            self.scratch.db(),
            own,
            searched(self.scratch.db(), own),
        ));
        // What is slow is judged by the cycles of the whole.
        self.scratch
            .enable(|group| !matches!(group, Group::Performance | Group::Style));
        let for_pairs = self.limit / FOR_PAIRS;
        let most = self.limit.saturating_sub(for_pairs);
        let mut worth = self.try_all(candidates, &before, &Texts::new(), most);
        worth.sort_by_key(|one| one.state.total);
        let mut seen = FxHashSet::default();
        worth.retain(|one| seen.insert((one.placed.kind, one.placed.range)));
        // Two ways to the same saving at one place are one proposal, the first that was tried.
        let mut alike = FxHashSet::default();
        worth.retain(|one| alike.insert((one.placed.range, one.state.total)));
        worth.truncate(PROPOSALS);
        let pair = worth.first().cloned().and_then(|best| {
            let others = worth.get(1..).unwrap_or_default();
            self.pair(&best, others, &before)
        });
        if self.cancelled {
            return false;
        }
        self.scratch.set(Texts::new());
        let proposals: Vec<Proposal> = worth
            .iter()
            .map(|one| proposal(&one.placed, &before, &one.state))
            .collect();
        join(&mut cost.proposals, proposals);
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
                if let (Some(placed), Some((file, range))) = (places.fix(fix), at) {
                    wanted.push((finding.rule.name, file, range, placed));
                }
            }
        }
        if wanted.is_empty() {
            return Vec::new();
        }
        let fixes: Vec<&DiagnosticFix> = wanted.iter().map(|(.., fix)| fix).collect();
        let done = completed(db, function.file(db), &fixes, Completing::Alone);
        done.into_iter()
            .filter_map(|completed| {
                let (rule, file, range, _) = wanted.get(*completed.of.first()?)?;
                Some(Placed {
                    kind: Kind::Fix,
                    rule,
                    file: Arc::clone(file),
                    range: *range,
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
        let mut said: FxHashMap<Vec<Arc<str>>, Said> = FxHashMap::default();
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
            let after = self.scratch.said(&files);
            if !said.contains_key(&files) {
                self.scratch.set(made.clone());
                said.insert(files.clone(), self.scratch.said(&files));
                self.scratch.set(texts.clone());
            }
            if !said
                .get(&files)
                .is_some_and(|known| after.adds_nothing_to(known))
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
            .filter_map(|other| shifted(&best.placed, &other.placed))
            .collect();
        let found = searched(self.scratch.db(), function);
        candidates.extend(placed(self.scratch.db(), function, found));
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
                edits.extend(joined(text, &first, &then)?);
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
            },
            ..best.placed.clone()
        };
        // What is promised is what comes of the edits that are handed out.
        let texts = Scratch::applied(self.scratch.original(), &both.fix)?;
        self.scratch.set(texts);
        let function = self.scratch.function(self.number, &self.name)?;
        let state = self.scratch.state(function, true)?;
        (state.total == second.state.total).then(|| proposal(&both, before, &state))
    }
}

/// Another change of the author's text, placed in the text that the first left; `None` where the two meet.
fn shifted(first: &Placed, other: &Placed) -> Option<Placed> {
    let mut edits = Vec::new();
    for edit in &other.fix.edits {
        let mut by: i64 = 0;
        for made in first.fix.edits.iter().filter(|made| made.file == edit.file) {
            if made.end_byte <= edit.start_byte && made.start_byte < edit.start_byte.max(1) {
                let length = i64::try_from(made.text.len()).ok()?;
                by += length - i64::from(made.end_byte - made.start_byte);
            } else if made.start_byte < edit.end_byte || made.start_byte == edit.start_byte {
                return None;
            }
        }
        let moved = |byte: u32| u32::try_from(i64::from(byte) + by).ok();
        edits.push(FileEdit {
            start_byte: moved(edit.start_byte)?,
            end_byte: moved(edit.end_byte)?,
            ..edit.clone()
        });
    }
    Some(Placed {
        fix: DiagnosticFix {
            edits,
            ..other.fix.clone()
        },
        ..other.clone()
    })
}

/// The candidates for the operations of the critical path, those of the most cycles first.
fn searched(db: &dyn Db, function: ItemId) -> Vec<Candidate> {
    let body = body(db, function);
    let simulation = function_simulation(db, function);
    let derivation = function_derivation(db, function);
    let mut path: Vec<(u64, &Operation)> = simulation
        .schedule
        .critical_path()
        .into_iter()
        .filter_map(|id| {
            let cost = simulation.operations.get(id.0 as usize)?;
            Some((cost.cycles?, body.operation(id)?))
        })
        .collect();
    path.sort_by_key(|(cycles, operation)| (Reverse(*cycles), operation.id));
    let mut seen = FxHashSet::default();
    path.retain(|(_, operation)| seen.insert(operation.span));
    path.truncate(OPERATIONS);
    let of = |operation: &Operation| -> Vec<Candidate> {
        let gathers = gather::candidates(db, &body, &derivation, operation);
        let splits = resplit::candidates(db, function, &body, operation);
        let mut others = broadcast::candidates(db, &body, operation);
        others.extend(reorder::candidates(db, &body, &derivation, operation));
        alternating(alternating(gathers, others), splits)
    };
    let mut found: Vec<Candidate> = path
        .iter()
        .flat_map(|(_, operation)| of(operation))
        .collect();
    // Few, and in dialects whose compiler orders transfers itself there is none.
    found.splice(0..0, order::candidates(db, function, &body));
    found
}

/// One of each in turn, so that a limit leaves neither out.
fn alternating(one: Vec<Candidate>, other: Vec<Candidate>) -> Vec<Candidate> {
    let (mut one, mut other) = (one.into_iter(), other.into_iter());
    let mut both = Vec::new();
    loop {
        let next = [one.next(), other.next()];
        if next.iter().all(Option::is_none) {
            return both;
        }
        both.extend(next.into_iter().flatten());
    }
}

/// Candidates placed in their files. What a macro writes is not changed.
fn placed(db: &dyn Db, function: ItemId, candidates: Vec<Candidate>) -> Vec<Placed> {
    let names = NamesInScope::of(db, function);
    let mut places = Places::new(db);
    let owner = function.owner(db);
    let place = |candidate: Candidate| {
        let edited = candidate.edits.iter().map(|edit| edit.span.item);
        let outside = edited.filter(|item| *item != owner);
        let mut named: Vec<Arc<str>> = outside.map(|item| item.name(db)).collect();
        named.sort();
        named.dedup();
        let fix = names.fix(Fix {
            title: candidate.title,
            applicability: Applicability::Maybe,
            edits: candidate.edits,
        })?;
        let (file, range) = places.range(candidate.span)?;
        let mut fix = places.fix(&fix)?;
        lay_out(db, function.file(db), &mut fix);
        Some(Placed {
            kind: candidate.kind,
            rule: candidate.rule.unwrap_or(SLOW_TRANSFER.name),
            file,
            range,
            fix,
            concerns: Concerns::Naming(named),
        })
    };
    candidates.into_iter().filter_map(place).collect()
}

/// Statements that are put before one get its indentation, and those that are taken away take their line along.
fn lay_out(db: &dyn Db, file: SourceFile, fix: &mut DiagnosticFix) {
    let text = file.text(db);
    for edit in &mut fix.edits {
        let before = text.get(..edit.start_byte as usize).unwrap_or_default();
        let line = before.rsplit('\n').next().unwrap_or_default();
        if edit.text.is_empty() {
            let after = text.get(edit.end_byte as usize..).unwrap_or_default();
            let rest = after.split_inclusive('\n').next().unwrap_or_default();
            if line.trim().is_empty() && rest.trim().is_empty() {
                let length = |text: &str| u32::try_from(text.len()).unwrap_or(0);
                edit.start_byte -= length(line);
                edit.end_byte += length(rest);
            }
        } else if edit.text.contains('\n') {
            let is_space = |letter: &char| letter.is_whitespace();
            let spaces: String = line.chars().take_while(is_space).collect();
            let mut laid_out = String::new();
            for statement in edit.text.split_inclusive('\n') {
                // What is broken over lines is indented already.
                let begins = !laid_out.is_empty() && !statement.starts_with([' ', '\t']);
                laid_out.push_str(if begins { &spaces } else { "" });
                laid_out.push_str(statement);
            }
            if laid_out.ends_with('\n') {
                laid_out.push_str(&spaces);
            }
            edit.text = laid_out;
        }
    }
}

fn proposal(placed: &Placed, before: &State, after: &State) -> Proposal {
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

/// The searched proposals with those in words that say something else, the best first.
fn join(proposals: &mut Vec<Proposal>, searched: Vec<Proposal>) {
    let known: FxHashSet<(&'static str, Range)> =
        searched.iter().map(|one| (one.rule, one.range)).collect();
    proposals.retain(|one| !known.contains(&(one.rule, one.range)));
    proposals.extend(searched);
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
