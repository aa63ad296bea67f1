//! The queries that turn bodies into diagnostics: derivation and rules a function, mapping rules an item, placement and
//! suppression a file.
//!
//! All but the last look at normalised text only, so that an edit re-runs them for the function it is in and a comment
//! re-runs none. A function in which the engine itself fails gives a problem instead of findings; the rest of the file is
//! still checked.

mod elsewhere;
mod file;
mod guesses;
mod instances;
mod not_followed;
mod other_languages;
mod releases;
mod tally;
mod unknown_release;

use std::cell::{Cell, OnceCell};
use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use rustc_hash::FxHashSet;
use salsa::plumbing::AsId;

use crate::catalogue::front_end;
use crate::changes::{self, breaks_nothing, complete_each, judged_findings, proposed_findings};
use crate::db::{Db, OutOfTime};
use crate::derivation::tensors::{RepeatedAxis, repeated_axes};
use crate::derivation::{BodyDerivation, derive_cancellable, undecided};
use crate::hardware::Model;
use crate::inputs::{SourceFile, budget_of, enabled_rules, options, parse, syntax_error_count};
use crate::items::{
    ItemId, ItemKind, Span, device_attribute, dialect, file_items, functions_of, is_left_out,
    item_text, parse_item,
};
use crate::kernel::{Body, OperationId, OperationKind, Unresolved, UnresolvedReason};
use crate::lowering::callgraph::callees_of_function;
use crate::lowering::hidden_kernels;
use crate::panics::{panic_words, part_of_query};
use crate::rules::{self, Checked, Derived, EnabledRules, Families, Finding, OwnRules as _};
use crate::simulation::{BodySimulation, simulate_watching};

/// What is known of one function or item, at places in normalised text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// What the rules found.
    pub findings: Vec<Finding>,
    /// The operations, each place once.
    pub operations: Vec<Span>,
    /// What could not be resolved, each place once.
    pub unresolved: Vec<Unresolved>,
    /// Whether it is a kernel.
    pub kernel: bool,
    /// How the engine failed, if it did.
    pub failure: Option<String>,
}

/// How far a check goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Extent {
    /// What the rules find that look at no cost, in the file's own functions alone: it waits for no other file's.
    Own,
    /// What the rules find that look at no cost, so that nothing is simulated. Fixes are as the rules propose them.
    WithoutCosts,
    /// What all rules find. Fixes are as they propose them, each for the places of its fault.
    Proposed,
    /// The same, fixes with what they need behind them, as far as they lead to a kernel that is right.
    Completed,
}

impl Extent {
    /// Whether nothing is simulated.
    pub(crate) const fn leaves_costs_out(self) -> bool {
        matches!(self, Self::Own | Self::WithoutCosts)
    }
}

pub(crate) use self::elsewhere::files_by_reach;
pub use self::elsewhere::{findings_from_elsewhere, reachable_from};
pub(crate) use self::file::library_of;
pub use self::file::{
    completed_file_report, file_report, file_report_without_costs, own_file_report,
};
pub(crate) use self::guesses::{is_guess, keep_fixes_inside};
pub use crate::lowering::body;

/// What the engines make of one function.
#[salsa::tracked(returns(clone))]
pub fn function_derivation(db: &dyn Db, function: ItemId) -> Arc<BodyDerivation> {
    let target = options(db, function.file(db)).target;
    // A change of the sources waits for what is under way: kernels of many operations take long.
    let pause = || db.pause();
    Arc::new(derive_cancellable(&body(db, function), target, &pause))
}

/// What one function costs.
#[salsa::tracked(returns(clone))]
pub fn function_simulation(db: &dyn Db, function: ItemId) -> Arc<BodySimulation> {
    simulate_function(db, function, options(db, function.file(db)).model)
}

/// What one function costs by a model that need not be the one that is chosen.
pub(crate) fn function_simulation_by(
    db: &dyn Db,
    function: ItemId,
    model: Model,
) -> Arc<BodySimulation> {
    if model == options(db, function.file(db)).model {
        return function_simulation(db, function);
    }
    simulated_otherwise(db, function, model)
}

#[salsa::tracked(returns(clone))]
fn simulated_otherwise(db: &dyn Db, function: ItemId, model: Model) -> Arc<BodySimulation> {
    simulate_function(db, function, model)
}

fn simulate_function(db: &dyn Db, function: ItemId, model: Model) -> Arc<BodySimulation> {
    let derivation = function_derivation(db, function);
    let target = options(db, function.file(db)).target;
    let pause = || db.pause();
    let simulation = simulate_watching(&body(db, function), &derivation, target, model, &pause);
    Arc::new(simulation)
}

/// What the rules of some families find, with the fixes that need the text.
fn found_by(db: &dyn Db, checked: &Checked<'_>, families: Families) -> Vec<Finding> {
    let mut findings = judged_findings(checked, families);
    rules::add_chain_fixes(db, checked.body, &mut findings);
    findings
}

/// What the rules find in one function that look at no costs, helpers that it calls included. Fixes are as the rules propose
/// them. Only the families that have a rule that is on are run.
#[salsa::tracked(returns(clone))]
pub fn function_findings(db: &dyn Db, function: ItemId) -> Arc<Findings> {
    let found = run_guarded(db, function, || {
        let enabled = rules_for(db, function);
        let families = enabled.families().of_engines();
        let mut findings = as_checked(db, function, |checked| found_by(db, checked, families));
        in_words_of(db, function, &mut findings);
        of_body(db, function, findings)
    });
    Arc::new(found)
}

/// What the rules find in one function that look at its costs; the operations are those of [`function_findings`]. Where no such
/// rule is on, nothing is simulated.
#[salsa::tracked(returns(clone))]
pub fn function_time_findings(db: &dyn Db, function: ItemId) -> Arc<Findings> {
    if is_given_up(db, function) {
        return Arc::default();
    }
    let enabled = rules_for(db, function);
    timed(db, function, enabled.families().of_time())
}

/// As [`function_time_findings`], by all rules that look at costs, whatever the levels are.
#[salsa::tracked(returns(clone))]
pub fn all_time_findings(db: &dyn Db, function: ItemId) -> Arc<Findings> {
    if is_given_up(db, function) {
        return Arc::default();
    }
    let families = Families::ALL.of_time();
    if rules_for(db, function).families().of_time() == families {
        return function_time_findings(db, function);
    }
    timed(db, function, families)
}

/// Whether the work for a function ended before its time, as is said once: by a defect, or since it took too long.
fn is_given_up(db: &dyn Db, function: ItemId) -> bool {
    let known = function_findings(db, function);
    let is_too_long = |place: &Unresolved| place.reason == UnresolvedReason::TooLong;
    known.failure.is_some() || known.unresolved.iter().any(is_too_long)
}

fn timed(db: &dyn Db, function: ItemId, families: Families) -> Arc<Findings> {
    if families.is_empty() {
        return Arc::default();
    }
    let known = function_findings(db, function);
    let mut found = run_guarded(db, function, || {
        let mut findings = as_checked(db, function, |checked| {
            let mut findings = found_by(db, checked, families);
            let known = known.findings.iter();
            rules::drop_implied(&checked.enabled, &mut findings, |rule, place| {
                let mut known = known.clone();
                known.any(|other| (other.rule, other.span) == (rule, place))
            });
            findings
        });
        in_words_of(db, function, &mut findings);
        Findings {
            findings,
            ..Findings::default()
        }
    });
    // What is known of the function beside its costs is said already.
    found.kernel = false;
    Arc::new(found)
}

/// As [`function_findings`] and [`function_time_findings`] together, with completed fixes. It asks for neither: all rules run once.
#[salsa::tracked(returns(clone))]
pub fn completed_function_findings(db: &dyn Db, function: ItemId) -> Arc<Findings> {
    let found = run_guarded(db, function, || {
        let families = rules_for(db, function).families();
        let mut findings = as_checked(db, function, |checked| {
            // What a fix leads to is judged by all rules.
            let mut findings = proposed_findings(checked);
            rules::add_chain_fixes(db, checked.body, &mut findings);
            let is_on = |finding: &Finding| families.have_rule(finding.rule.name);
            complete_each(checked, &mut findings, is_on);
            findings
        });
        in_words_of(db, function, &mut findings);
        of_body(db, function, findings)
    });
    Arc::new(found)
}

/// The rules to be run on a function: those of its file, and of the files of helpers that it calls, as far as they hold in the
/// function's dialect.
#[salsa::tracked(returns(copy))]
fn rules_for(db: &dyn Db, function: ItemId) -> EnabledRules {
    let body = body(db, function);
    let items = items_in(&body);
    let mut files: FxHashSet<SourceFile> = items.into_iter().map(|item| item.file(db)).collect();
    files.insert(function.file(db));
    let rules = files.into_iter().map(|file| enabled_rules(db, file));
    let rules = rules.reduce(EnabledRules::or).unwrap_or_default();
    rules.holding_in(body.dialect)
}

/// The rules to be run on the items of a file: those of it that hold in its dialect.
#[salsa::tracked(returns(copy))]
fn rules_of_items(db: &dyn Db, file: SourceFile) -> EnabledRules {
    enabled_rules(db, file).holding_in(dialect(db, file))
}

/// The items in which something of a body is written.
fn items_in(body: &Body) -> FxHashSet<ItemId> {
    let mut items = FxHashSet::default();
    let mut last = None;
    let mut note = |span: Span| {
        // Nearly all of a body is written in one item.
        if last != Some(span.item) {
            last = Some(span.item);
            items.insert(span.item);
        }
    };
    for tensor in &body.tensors {
        changes::values::places_of_tensor(tensor, &mut note);
    }
    for operation in &body.operations {
        note(operation.span);
        changes::values::places_of_operation(operation, &mut note);
        if let OperationKind::Pass(pass) = &operation.kind {
            pass.stages.iter().for_each(|stage| note(stage.span));
        }
    }
    let unresolved = body.unresolved.iter();
    unresolved.for_each(|place| note(place.operation));
    items
}

/// Writes the fixes of a function's findings as its author would, and says which of them reach out of it.
pub(crate) fn in_words_of(db: &dyn Db, function: ItemId, findings: &mut [Finding]) {
    instances::lessen(db, function, findings);
    rules::name_in_scope(db, function, findings);
    let fixes = findings.iter_mut().flat_map(|finding| &mut finding.fixes);
    keep_fixes_inside(db, function, fixes);
}

/// What is found in one function.
fn found_in_function(db: &dyn Db, function: ItemId, extent: Extent) -> Vec<Arc<Findings>> {
    if extent.leaves_costs_out() {
        return vec![function_findings(db, function)];
    }
    let found = vec![
        function_findings(db, function),
        function_time_findings(db, function),
    ];
    // A finding whose fixes were rejected keeps only its general help.
    let offers = |finding: &Finding| {
        !finding.fixes.is_empty() || finding.alternatives.is_some() || finding.help.is_some()
    };
    let mut findings = found.iter().flat_map(|found| &found.findings);
    if extent == Extent::Completed && findings.any(offers) {
        return vec![completed_function_findings(db, function)];
    }
    found
}

/// What is derived of a function, as the rules ask for it.
struct DerivedOf<'db> {
    db: &'db dyn Db,
    function: ItemId,
    derivation: OnceCell<Arc<BodyDerivation>>,
    simulation: OnceCell<Arc<BodySimulation>>,
}

impl Derived for DerivedOf<'_> {
    fn derivation(&self) -> &BodyDerivation {
        // Every rule about engines asks: none of them runs long after its time.
        self.db.pause();
        let derive = || function_derivation(self.db, self.function);
        self.derivation.get_or_init(derive)
    }

    fn simulation(&self) -> &BodySimulation {
        let simulate = || function_simulation(self.db, self.function);
        self.simulation.get_or_init(simulate)
    }

    fn repeated_axes(&self) -> Vec<RepeatedAxis> {
        if rules_for(self.db, self.function)
            .families()
            .needs_derivation()
        {
            self.derivation().tensors.repeated.clone()
        } else {
            repeated_axes(&body(self.db, self.function))
        }
    }
}

/// Asks something of a function as the rules see it.
pub fn as_checked<T>(db: &dyn Db, function: ItemId, ask: impl FnOnce(&Checked<'_>) -> T) -> T {
    let body = body(db, function);
    let derived = DerivedOf {
        db,
        function,
        derivation: OnceCell::new(),
        simulation: OnceCell::new(),
    };
    let file = function.file(db);
    let budget = body
        .device
        .as_ref()
        .and_then(|_| budget_of(db, file, &body.name));
    let tried = Cell::new(0);
    let answer = ask(&Checked {
        body: &body,
        derived: &derived,
        target: options(db, file).target,
        model: options(db, file).model,
        only: None,
        budget: budget.as_ref(),
        enabled: rules_for(db, function),
        tried: &tried,
    });
    for _ in 0..tried.get() {
        db.note_work("derived_again");
    }
    answer
}

/// What the mapping rules find in one item, whether a kernel reaches it or not. Fixes are as the rules propose them.
#[salsa::tracked(returns(clone))]
pub fn item_findings(db: &dyn Db, item: ItemId) -> Arc<Findings> {
    Arc::new(run_guarded(db, item, || {
        let families = rules_of_items(db, item.file(db)).families();
        let mut findings = rules::check_item(db, item, families);
        let unresolved = hidden_kernels(db, item).to_vec();
        if rules::reports_unresolved(families) {
            findings.extend(rules::hidden_findings(db, &unresolved));
        }
        Findings {
            findings,
            unresolved,
            ..Findings::default()
        }
    }))
}

/// What the mapping rules find in the items of a file, those of one cause with one fix.
fn united_item_findings(db: &dyn Db, file: SourceFile) -> Findings {
    let mut of_items = Findings::default();
    for item in file_items(db, file).items.iter().copied() {
        let found = item_findings(db, item);
        of_items.findings.extend(found.findings.iter().cloned());
        of_items.unresolved.extend(found.unresolved.iter().cloned());
    }
    rules::unite_fixes(&mut of_items.findings);
    of_items
}

/// The same with the fixes that the functions of the file take.
#[salsa::tracked(returns(clone))]
fn completed_item_findings(db: &dyn Db, file: SourceFile) -> Arc<Findings> {
    let Some(first) = file_items(db, file).items.first().copied() else {
        return Arc::default();
    };
    Arc::new(run_guarded(db, first, || {
        let mut found = united_item_findings(db, file);
        changes::keep_what_holds(db, file, &mut found.findings, &|function, mappings| {
            as_checked(db, function, |checked| breaks_nothing(checked, mappings))
        });
        changes::state_fixes(&mut found.findings, true);
        found
    }))
}

/// What the mapping rules find in the items of a file, the fixes of a fault as one, each with what it states.
pub(crate) fn found_in_items(db: &dyn Db, file: SourceFile, extent: Extent) -> Arc<Findings> {
    let mut found = united_item_findings(db, file);
    if extent == Extent::Completed && found.findings.iter().any(changes::is_tried) {
        return completed_item_findings(db, file);
    }
    changes::state_fixes(&mut found.findings, false);
    Arc::new(found)
}

/// The items of a file and the functions in their blocks, each with the bytes of its text: what [`check_one`] is asked about,
/// so that other threads find the answers at hand.
pub(crate) fn items_of(db: &dyn Db, file: SourceFile) -> Vec<(usize, ItemId)> {
    let items = file_items(db, file);
    let mut found = Vec::new();
    if is_left_out(db, file) {
        return found;
    }
    for item in items.items.iter().copied() {
        let inside = functions_of(db, item);
        let inside = inside.into_iter().filter(|function| *function != item);
        let all = [item].into_iter().chain(inside);
        found.extend(all.map(|item| (item_text(db, item).text.len(), item)));
    }
    found
}

/// Parses a file, so that a question about many files finds it ready.
pub(crate) fn parse_file(db: &dyn Db, file: SourceFile) {
    let _ = parse(db, file);
}

/// Works out what the report of a file takes longest for beside its items, likewise.
pub(crate) fn read_ahead(db: &dyn Db, file: SourceFile) {
    match front_end(file.language(db)) {
        Some(front_end) => {
            let _ = front_end.report(db, file);
        }
        None => {
            let _ = syntax_error_count(db, file);
        }
    }
}

/// Reads the items of a file, likewise.
pub(crate) fn read_items(db: &dyn Db, file: SourceFile) {
    let _ = items_of(db, file);
}

/// Reads what the functions among some items call, likewise. Kernels reach themselves: where there is nothing else, nothing asks.
pub(crate) fn read_calls(db: &dyn Db, items: &[(usize, ItemId)]) {
    let functions = items.iter().map(|(_, item)| *item);
    let functions = functions.filter(|item| item.kind(db) == ItemKind::Function);
    let functions: Vec<ItemId> = functions.collect();
    if functions
        .iter()
        .all(|function| device_attribute(db, *function).is_some())
    {
        return;
    }
    for function in functions {
        let _ = callees_of_function(db, function);
    }
}

/// Runs the queries of one item, all of them together: they share its tree.
pub(crate) fn check_one(db: &dyn Db, item: ItemId, extent: Extent) {
    if item.parent(db).is_none() {
        let _ = item_findings(db, item);
    }
    if item.kind(db) == ItemKind::Function {
        let _ = found_in_function(db, item, extent);
    }
}

/// The findings of a function, including its unresolved operations.
fn of_body(db: &dyn Db, function: ItemId, mut findings: Vec<Finding>) -> Findings {
    let body = body(db, function);
    let enabled = rules_for(db, function);
    let families = enabled.families();
    // What only the engines could not decide is left open for rules about engines, and said where one of them is on.
    let (open, undecided): (Vec<OperationId>, Vec<Unresolved>) =
        if families.needs_derivation() || rules::asks_for_undecided(&enabled) {
            let derivation = function_derivation(db, function);
            undecided(&body, &derivation).into_iter().unzip()
        } else {
            Default::default()
        };
    if rules::reports_unresolved(families) {
        findings.extend(rules::not_looked_at(db, &body, &undecided));
    }
    // A place counts as resolved where all its runs are.
    let incomplete = body.incomplete.iter().chain(&open);
    let incomplete = incomplete.filter_map(|id| body.operation(*id));
    let mut seen: FxHashSet<Span> = incomplete.map(|operation| operation.span).collect();
    let operations = body
        .operations
        .iter()
        .map(|operation| operation.span)
        .filter(|span| seen.insert(*span))
        .collect();
    let mut seen = FxHashSet::default();
    let unresolved = body
        .unresolved
        .iter()
        .cloned()
        .chain(undecided)
        .filter(|place| seen.insert(place.operation))
        .collect();
    Findings {
        findings,
        operations,
        unresolved,
        kernel: body.device.is_some(),
        failure: None,
    }
}

/// Runs the rooms on one function or item. A panic is a defect: it is caught here, so that the others are still checked. So is
/// what takes longer than a file may.
fn run_guarded(db: &dyn Db, item: ItemId, run: impl FnOnce() -> Findings) -> Findings {
    let (file, revision) = (item.file(db).as_id(), db.zalsa().current_revision());
    let clock = db.file_times().start(file.as_bits(), revision);
    let found = part_of_query(db, run);
    drop(clock);
    found.unwrap_or_else(|payload| {
        if payload.is::<OutOfTime>() {
            db.file_times().note_ended();
            return beyond_time(db, item);
        }
        Findings {
            failure: Some(panic_words(&*payload)),
            ..Findings::default()
        }
    })
}

/// What is said of a function or item that takes longer than a file may.
fn beyond_time(db: &dyn Db, item: ItemId) -> Findings {
    let place = name_of(db, item);
    let families = rules_of_items(db, item.file(db)).families();
    let said = rules::reports_unresolved(families);
    let findings = said.then(|| rules::beyond_time(db, place));
    Findings {
        findings: findings.into_iter().collect(),
        unresolved: vec![Unresolved::at(UnresolvedReason::TooLong, place)],
        kernel: item.kind(db) == ItemKind::Function && device_attribute(db, item).is_some(),
        ..Findings::default()
    }
}

/// The name of a function; all of another item.
fn name_of(db: &dyn Db, item: ItemId) -> Span {
    let parsed = parse_item(db, item);
    let name = parsed
        .cast::<ast::Fn>()
        .and_then(|function| function.name());
    name.map_or_else(
        || parsed.text.full_span(),
        |name| parsed.span(name.syntax()),
    )
}

#[cfg(test)]
mod promised_tests;

#[cfg(test)]
mod tests;
