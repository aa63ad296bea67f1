//! A search of remedies: changes of a kernel's source, each tried in a copy, and what they save of the whole schedule.
//!
//! A candidate is a complete change. It is a proposal where nothing is found in the changed files that was not before, the kernel
//! takes and gives the same tensors, and its total falls. Candidates come from the fixes of findings, from other splits of axes
//! over clusters, slices and elements ([`resplit`]), from gathering results before they are stored ([`gather`]), and, where that is a
//! move, from loads at earlier places ([`order`]); none changes what a kernel computes, and none copies by padding. How often and in
//! which order they are tried follows from the kernel alone.

mod broadcast;
mod direct;
mod fuse;
mod gather;
mod joined;
mod levels;
mod merge;
mod onchip;
mod order;
mod placing;
mod reorder;
mod resplit;
mod ring;
mod scratch;
mod search;
mod slots;
mod split;
mod statement;
mod unread;
mod writing;

use std::cmp::Reverse;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::check::{function_derivation, function_simulation};
use crate::cost::{KernelCost, Searched, kernel_cost_of};
use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::functions_of_file;
use crate::items::{ItemId, Span};
use crate::kernel::Operation;
use crate::lowering::body;
use crate::panics::answer_or_problem;
use crate::report::{DiagnosticFix, Problem, Range};
use crate::rules::Edit;

use self::scratch::{Copied, Scratch};
use self::search::Search;

/// Candidates that are tried of a kernel where nothing else is said.
pub const EFFORT: usize = 100;

/// The most that are tried, whatever is said.
pub const MOST_EFFORT: usize = 2_000;

/// Operations that the candidates of a kernel have together at most, where that bounds a search: each candidate is derived and scheduled
/// as a whole.
const BOUNDED_OPERATIONS: usize = 10_000;

/// Candidates that are tried of a kernel however many operations it has.
const LEAST_EFFORT: usize = 10;

/// How far changes of a kernel are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    most: usize,
    is_bounded: bool,
}

impl Effort {
    /// At most so many changes of a kernel; of one of more than 100 operations fewer, so that a search takes no longer than of that one,
    /// but 10.
    pub const fn bounded(most: usize) -> Self {
        Self {
            most,
            is_bounded: true,
        }
    }

    /// How many changes are tried of a kernel of so many operations.
    fn tried_at_most(self, operations: usize) -> usize {
        let most = self.most.min(MOST_EFFORT);
        if !self.is_bounded {
            return most;
        }
        let share = BOUNDED_OPERATIONS / operations.max(1);
        share.max(LEAST_EFFORT).min(most)
    }
}

/// At most so many changes of a kernel, whatever it has.
impl From<usize> for Effort {
    fn from(most: usize) -> Self {
        Self {
            most,
            is_bounded: false,
        }
    }
}

/// Candidates that are tried of all kernels of a file, unless more may be tried of one: each reads the whole file again.
const EFFORT_OF_A_FILE: usize = 1_000;

/// Proposals that are kept of a kernel.
const PROPOSALS: usize = 5;

/// A proposal saves at least one part in so many of the kernel.
const LEAST_PART: u64 = 50;

/// The part of the effort that is kept for what goes well with the best proposal: one in so many.
const FOR_PAIRS: usize = 3;

/// Candidates that are worked out for each that may be tried.
const CANDIDATES_OF_A_TRIAL: usize = 4;

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
    /// A ring of the switch and a sum in time in place of a reduction across slices.
    Ring,
    /// Nothing in place of what nothing reads.
    Unread,
    /// One pass in place of two.
    Fuse,
    /// One load in place of several of one tensor.
    Merge,
    /// Padding behind the pieces of what the kernel keeps in HBM for itself.
    Slots,
    /// A transfer inside of DM in place of one by HBM.
    OnChip,
    /// A pass that ends in the VRF in place of a commit and a pass that brings it there.
    Direct,
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
            Self::Ring => "ring",
            Self::Unread => "unread",
            Self::Fuse => "fuse",
            Self::Direct => "direct",
            Self::Slots => "slots",
            Self::Merge => "merge",
            Self::OnChip => "on_chip",
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
    /// What is shown of it.
    file: Arc<str>,
    range: Range,
    /// The operation that it is for.
    about: (Arc<str>, Range),
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

/// Adds to the costs of a file's kernels what a search finds, at most so many candidates a kernel, of the kernels of one name only
/// where that is given. Of a file with many kernels those that take longest are searched. `costs` are those of the file, in its order.
pub(crate) fn advise(
    db: &dyn Db,
    file: SourceFile,
    costs: &mut [KernelCost],
    (effort, named): (Effort, Option<&str>),
) {
    if effort.most == 0 {
        return;
    }
    let all = functions_of_file(db, file);
    let kernels = all
        .iter()
        .enumerate()
        .filter(|(_, function)| body(db, **function).device.is_some());
    let numbers = kernels.map(|(number, _)| number);
    let mut kernels: Vec<(usize, &mut KernelCost)> = numbers
        .zip(costs)
        .filter(|(_, cost)| cost.total.is_some() && named.is_none_or(|named| *named == *cost.name))
        .collect();
    kernels.sort_by_key(|(_, cost)| Reverse(cost.total));
    let mut left = EFFORT_OF_A_FILE.max(effort.most.min(MOST_EFFORT));
    let mut scratch = None;
    for (number, cost) in kernels {
        if left == 0 {
            cost.searched = Some(Searched::not_at_all());
            continue;
        }
        if scratch.is_none() {
            scratch = Copied::of(db, file).and_then(|copied| Scratch::of(&copied));
        }
        let Some(scratch) = &mut scratch else {
            return;
        };
        // The caller may have lost interest: then this unwinds.
        let stop = || {
            db.unwind_if_revision_cancelled();
            false
        };
        let name = cost.name.clone();
        let operations = all
            .get(number)
            .map(|function| body(db, *function).operations.len());
        let limit = effort.tried_at_most(operations.unwrap_or(0));
        let search = Search::new(scratch, (number, &name), limit.min(left), &stop);
        search.run(cost);
        let tried = cost.searched.as_ref().map_or(0, |searched| searched.tried);
        left = left.saturating_sub(tried);
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
    pub fn of(db: &dyn Db, kernel: ItemId) -> Option<Self> {
        let file = kernel.file(db);
        let number = functions_of_file(db, file)
            .iter()
            .position(|one| *one == kernel)?;
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
        match answer_or_problem(search)? {
            Some(None) => Err(Problem::Cancelled),
            found => Ok(found.flatten()),
        }
    }
}

/// The candidates for the operations of the critical path, those of the most cycles first, until there are enough for a search that tries
/// at most `limit` of them: others may be the same change, or none.
fn searched_candidates(db: &dyn Db, function: ItemId, limit: usize) -> Vec<Candidate> {
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
        let gathers = gather::gather_candidates(db, &body, &derivation, operation);
        let splits = resplit::resplit_candidates(db, function, &body, operation);
        let mut others = broadcast::broadcast_candidates(db, &body, operation);
        others.extend(reorder::reorder_candidates(
            db,
            &body,
            &derivation,
            operation,
        ));
        others.extend(ring::ring_candidates(db, &body, &derivation, operation));
        others.extend(fuse::fuse_candidates(db, &body, operation));
        others.extend(direct::direct_candidates(db, &body, operation));
        others.extend(onchip::onchip_candidates(db, &body, operation));
        others.extend(slots::slot_candidates(db, &body, operation));
        others.extend(merge::merge_candidates(db, &body, &derivation, operation));
        alternating(alternating(gathers, others), splits)
    };
    let mut found = unread::unread_candidates(db, &body, &derivation);
    // Few, and in dialects whose compiler orders transfers itself there is none.
    found.extend(order::earlier_load_candidates(db, function, &body));
    let enough = limit.saturating_mul(CANDIDATES_OF_A_TRIAL);
    for (_, operation) in path {
        if found.len() > enough {
            break;
        }
        found.extend(of(operation));
    }
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

#[cfg(test)]
mod tests {
    use super::Effort;

    #[test]
    fn a_bounded_search_tries_fewer_changes_of_large_kernels() {
        let tried = |operations| Effort::bounded(100).tried_at_most(operations);
        assert_eq!([0, 1, 100].map(tried), [100; 3]);
        assert_eq!([200, 400, 1_000, 5_000].map(tried), [50, 25, 10, 10]);
        assert_eq!(Effort::bounded(4).tried_at_most(1_000), 4);
        assert_eq!(Effort::from(100).tried_at_most(1_000), 100);
    }
}
