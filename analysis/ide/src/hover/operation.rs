//! The page of a method of a chain: the stream before and behind it, what its engine is set up to do, and its cycles.

use crate::check::{body, function_derivation, function_simulation};
use crate::cost::KernelCost;
use crate::cost::rows::{Names, statement_of};
use crate::db::Db;
use crate::derivation::{BodyDerivation, EndDerivation, OperationDerivation, StageDerivation};
use crate::hardware::BANK_RUN_LIMIT;
use crate::items::{ItemId, Span};
use crate::kernel::{
    Body, Collective, Copy, Operation, OperationKind, Pass, PassEnd, PassSource, Tensor, TensorId,
};
use crate::numbers::thousands;
use crate::places::Places;
use crate::simulation::{BodySimulation, OperationCost, StageCost, StageRow, lane_of, stage_table};

use super::super::operations::{OperationAt, OperationPart, bodies_with, by_body};
use super::address::place_of;
use super::engines::{alus, engine_lines, engine_table, stream_table};
use super::lives::life_of;
use super::method::history_of;
use super::page::{Page, code, counted, markdown_table, prose};
use super::saving::{Meant, best, best_searched_saving, larger};
use super::uses::memory_name;

/// Kernels of a helper that are told apart.
const KERNELS: usize = 3;
/// Reasons for a missing figure that are shown.
const REASONS: usize = 4;

/// The page of the operations that a method stands for, with what a search found of the kernels; `None` if there are none.
pub(super) fn operation_page(
    db: &dyn Db,
    found: &[OperationAt],
    known: &[&KernelCost],
) -> Option<String> {
    let bodies = by_body(found);
    let mut groups: Vec<(String, Vec<String>)> = Vec::new();
    for runs in bodies.iter().take(KERNELS) {
        let (text, when) = described_method(db, runs, known)?;
        match groups.iter_mut().find(|(other, _)| *other == text) {
            Some((_, places)) => places.push(when),
            None => groups.push((text, vec![when])),
        }
    }
    let mut parts: Vec<String> = Vec::new();
    for (text, places) in groups {
        let mut page = Page::headed(text);
        match places.as_slice() {
            [only] => page.add(only.clone()),
            several => page.add_list("Called from several kernels:", several),
        };
        parts.push(page.into_markdown());
    }
    if bodies.len() > KERNELS {
        parts.push(format!("And in {} more kernels.", bodies.len() - KERNELS));
    }
    (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"))
}

/// The page of a method that could not be followed: why. `None` where nothing is known to be wrong.
pub(super) fn unresolved_page(
    db: &dyn Db,
    item: ItemId,
    offset: u32,
    method: &str,
) -> Option<String> {
    let here = |span: Span| span.item == item && span.start <= offset && offset < span.end;
    let mut reasons: Vec<String> = Vec::new();
    for function in bodies_with(db, item, offset).into_iter().take(KERNELS) {
        for place in &body(db, function).unresolved {
            let reason = prose(&place.reason.reason_text());
            if here(place.span) && !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
    }
    if reasons.is_empty() {
        return None;
    }
    let mut page = Page::headed(format!("**{}**: not followed", code(method)));
    page.add_list("Because", &reasons);
    Some(page.into_markdown())
}

/// What a page looks at: an operation with all that is known of it.
struct Known<'a> {
    /// What would save most of its statement.
    saving: Option<String>,
    body: &'a Body,
    derivation: &'a BodyDerivation,
    simulation: &'a BodySimulation,
    names: Names<'a>,
    operation: &'a Operation,
    cost: &'a OperationCost,
}

/// What the method does in its first run in a body, and when it runs.
fn described_method(
    db: &dyn Db,
    runs: &[OperationAt],
    known: &[&KernelCost],
) -> Option<(String, String)> {
    let at = runs.first()?;
    let body = body(db, at.function);
    let derivation = function_derivation(db, at.function);
    let simulation = function_simulation(db, at.function);
    let operation = body.operation(at.operation)?;
    let cost = simulation.operations.get(at.operation.0 as usize)?;
    let alike = simulation
        .operations
        .iter()
        .filter(|other| other.cycles == cost.cycles);
    let meant = statement_of(db, operation.span).map(|statement| Meant {
        statement,
        cycles: cost.cycles.filter(|_| alike.count() == 1),
    });
    let by_rules =
        meant.and_then(|meant| best(db, at.function, Some(meant), operation.span.item.file(db)));
    let by_search = best_searched_saving(&mut Places::new(db), operation.span, known);
    let saving = larger(by_rules, by_search);
    let known = Known {
        saving,
        body: &body,
        derivation: &derivation,
        simulation: &simulation,
        names: Names::of(&body, &derivation),
        operation,
        cost,
    };
    let text = match &known.operation.kind {
        OperationKind::Pass(pass) => known.pass(pass, at.part),
        OperationKind::Copy(copy) => known.copy(copy),
        OperationKind::Collective(collective) => known.collective(collective),
    };
    let history = history_of(&body, known.operation, at.part);
    let mut page = Page::headed(text);
    page.add_lines(&history);
    Some((page.into_markdown(), known.when(runs)))
}

impl Known<'_> {
    fn pass(&self, pass: &Pass, part: OperationPart) -> String {
        let rows = stage_table(self.body, self.operation, self.cost)
            .map(|table| table.rows)
            .unwrap_or_default();
        // The rows of a pass: its beginning, a row a stage, its end.
        let (method, shown) = match part {
            OperationPart::Start => {
                let interleaved = matches!(pass.source, PassSource::Interleaved { .. });
                (
                    pass.library().begin_method_name(interleaved),
                    rows.as_slice(),
                )
            }
            OperationPart::Stage(stage) => {
                let method = pass.stages.get(stage).map_or("", |stage| &stage.method);
                (method, rows.get(stage..stage + 2).unwrap_or_default())
            }
            OperationPart::End => (
                rows.last().map_or("", |row| &row.method),
                rows.get(rows.len().saturating_sub(2)..).unwrap_or_default(),
            ),
        };
        let engine = self.cost.stages.iter().find(|cost| match part {
            OperationPart::Start => false,
            OperationPart::Stage(stage) => cost.stage == Some(stage),
            OperationPart::End => cost.stage.is_none(),
        });
        let mut page = Page::headed(match part {
            OperationPart::Start => format!(
                "**{}**: {} after it, {}",
                code(method),
                counted(pass.stages.len() as u64, "stage"),
                cycles_words(self.cost)
            ),
            _ => method_headline(method, shown.last(), engine, part),
        });
        page.add_lines(&self.cause());
        page.add(stream_table(shown));
        page.add_lines(&engine.map(engine_lines).unwrap_or_default());
        page.add_lines(&self.engine_remarks(pass, part));
        page.add(self.remaining_remarks());
        page.into_markdown()
    }

    /// What some engines have to say beside their cycles.
    fn engine_remarks(&self, pass: &Pass, part: OperationPart) -> Vec<String> {
        let derived = self.derivation.operations.get(self.operation.id.0 as usize);
        let Some(OperationDerivation::Pass(derived)) = derived else {
            return Vec::new();
        };
        let mut lines = Vec::new();
        let sequence = match part {
            OperationPart::Start => None,
            OperationPart::Stage(stage) => match derived.stages.get(stage) {
                Some(StageDerivation::Fetch(fetch)) => fetch.sequence.as_ref(),
                Some(StageDerivation::Vector) => {
                    lines.extend(alus(&derived.vector, stage));
                    None
                }
                _ => None,
            },
            OperationPart::End => {
                lines.extend(end_target(pass).and_then(|target| self.stored(target)));
                match &derived.end {
                    EndDerivation::Commit(commit) => commit.sequence.as_ref(),
                    _ => None,
                }
            }
        };
        if let Some(sequence) = sequence {
            let contiguous = sequence
                .contiguous_bytes
                .map(|bytes| format!("{} contiguous", counted(bytes, "byte")));
            let accesses = sequence
                .accesses
                .map(|accesses| thousands(accesses) + " accesses");
            let facts: Vec<String> = contiguous.into_iter().chain(accesses).collect();
            if !facts.is_empty() {
                lines.push(facts.join(", "));
            }
            if let Some(run) = sequence
                .longest_bank_run
                .filter(|run| *run >= BANK_RUN_LIMIT)
            {
                lines.push(format!(
                    "{} accesses to one bank in a row: from {BANK_RUN_LIMIT} on no DMA transfer starts during it",
                    thousands(run)
                ));
            }
        }
        lines
    }

    /// Where the end of a pass puts its tensor.
    fn stored(&self, target: TensorId) -> Option<String> {
        let tensor = self.body.tensor(target)?;
        let place = place_of(self.body, self.derivation, target);
        let mut words = format!(
            "Stores {} in {}",
            code(&self.names.tensor(target)),
            memory_name(tensor.tier)
        );
        match life_of(self.body, self.derivation, self.simulation, target) {
            // Where the compiler chooses addresses, the time says what an address would.
            Some(life) => {
                words.push_str(&place.map_or_else(String::new, |size| format!(": {size}")));
                words.push_str(&format!(", {life}"));
            }
            None => {
                words.push_str(&place.map_or_else(String::new, |place| format!(" at {place}")));
            }
        }
        Some(words)
    }

    fn copy(&self, copy: &Copy) -> String {
        let mut page = Page::headed(format!(
            "**{}**: {}",
            code(copy.method),
            cycles_words(self.cost)
        ));
        page.add_lines(&self.cause());
        let sides = [("from", copy.source), ("to", copy.target)];
        let rows: Vec<Vec<String>> = sides
            .into_iter()
            .filter_map(|(side, id)| {
                let tensor = self.body.tensor(id)?;
                Some(vec![
                    side.to_owned(),
                    code(&self.names.tensor(id)),
                    memory_name(tensor.tier).to_owned(),
                    place_of(self.body, self.derivation, id).unwrap_or_default(),
                    levels_text(tensor),
                ])
            })
            .collect();
        page.add(markdown_table(
            &["", "tensor", "memory", "bytes", "mapping"],
            5,
            &rows,
        ));
        if let Some(OperationDerivation::Copy(derived)) =
            self.derivation.operations.get(self.operation.id.0 as usize)
            && let Some(bytes) = derived.packet_bytes
        {
            page.add_lines(&[format!(
                "Sequencer {}, packets of {}",
                code(&derived.configuration()),
                counted(bytes, "byte")
            )]);
        }
        page.add(
            life_of(self.body, self.derivation, self.simulation, copy.target)
                .map(|life| format!("{} is {life}.", code(&self.names.tensor(copy.target)))),
        );
        page.add(engine_table(&self.cost.stages));
        page.add(self.remaining_remarks());
        page.into_markdown()
    }

    fn collective(&self, collective: &Collective) -> String {
        let mut page = Page::headed(format!(
            "**{}**: {}",
            code(collective.method),
            cycles_words(self.cost)
        ));
        page.add_lines(&self.cause());
        let called = |ids: &[TensorId]| {
            let names: Vec<String> = ids.iter().map(|id| code(&self.names.tensor(*id))).collect();
            names.join(", ")
        };
        page.add(format!(
            "From {} to {}.",
            called(&collective.sources),
            called(&collective.targets)
        ));
        page.add(engine_table(&self.cost.stages));
        page.add(self.remaining_remarks());
        page.into_markdown()
    }

    /// What the whole operation costs and what decides it, and what would save most of it: the first lines that a reader wants.
    fn cause(&self) -> Vec<String> {
        let lane = lane_of(self.operation.context).name();
        let mut line = format!(
            "Operation {} in context {lane}: {}",
            code(&self.names.operation(self.operation)),
            cycles_words(self.cost)
        );
        line.push_str(&self.decided());
        std::iter::once(line).chain(self.saving.clone()).collect()
    }

    /// Why the cycles are unknown, what the operation holds, and what its cycles assume.
    fn remaining_remarks(&self) -> String {
        let mut page = Page::default();
        let reasons: Vec<String> = self
            .cost
            .gaps
            .iter()
            .take(REASONS)
            .map(|gap| prose(&gap.reason))
            .collect();
        page.add_list("Unknown, because", &reasons);
        if self.cost.holds_dma {
            page.add("Meanwhile no DMA transfer starts.".to_owned());
        }
        if self.cost.holds_sub {
            page.add("Meanwhile the sub context waits.".to_owned());
        }
        page.add_list("Assumes", &distinct(&self.cost.assumptions));
        page.into_markdown()
    }

    /// What the cycles of the operation are made of: the slowest engine's, and latencies.
    fn decided(&self) -> String {
        let slowest = self.cost.bottleneck;
        let slowest = slowest.and_then(|index| self.cost.stages.get(index));
        let (Some(cycles), Some(slowest)) = (self.cost.cycles, slowest) else {
            return String::new();
        };
        let engine = code(slowest.engine.name());
        // Of a pass the slowest engine and all latencies add up; the sides of a transfer may overlap.
        let is_pass = matches!(self.operation.kind, OperationKind::Pass(_));
        match slowest.cycles().and_then(|busy| cycles.checked_sub(busy)) {
            Some(rest) if rest > 0 && is_pass => format!(
                ", {} of {engine} and {} {}",
                thousands(cycles - rest),
                thousands(rest),
                if self.cost.figure.is_some() {
                    "once a pass"
                } else {
                    "of latency"
                }
            ),
            _ => format!(", decided by {engine}"),
        }
    }

    /// When it runs, and how often.
    fn when(&self, runs: &[OperationAt]) -> String {
        let kernel = code(&self.body.name);
        let slot = self.simulation.schedule.slot(self.operation.id);
        let mut words = match slot.filter(|_| self.simulation.total().is_some()) {
            Some(slot) => format!(
                "Runs from cycle {} to {} of {kernel}",
                thousands(slot.start),
                thousands(slot.end)
            ),
            None if self.body.device.is_some() => {
                format!("In {kernel}, which has no schedule: a part of it is unknown")
            }
            None => format!("In {kernel}, which no kernel reaches"),
        };
        if let Some(often) = self.often(runs.len()) {
            words.push_str(&format!(", {often}"));
            let all: Option<u64> = runs.iter().try_fold(0_u64, |sum, run| {
                let cost = self.simulation.operations.get(run.operation.0 as usize)?;
                sum.checked_add(cost.cycles?)
            });
            // Of a loop whose runs stand for more the sum says nothing.
            if let Some(all) = all.filter(|_| self.simulation.total().is_some()) {
                words.push_str(&format!("; all of them take {}", counted(all, "cycle")));
            }
        }
        words
    }

    /// The runs that this one is the first of: of a loop, or of calls of a helper.
    fn often(&self, runs: usize) -> Option<String> {
        let loops: Vec<String> = self
            .operation
            .loops
            .iter()
            .map(|frame| frame.count.map_or_else(|| "unknown".to_owned(), thousands))
            .collect();
        match (loops.is_empty(), runs) {
            (true, 0 | 1) => None,
            (true, calls) => Some(format!("the first of {calls} calls")),
            (false, _) => Some(format!("the first run in a loop of {}", loops.join(" x "))),
        }
    }
}

/// Words, each once.
pub(super) fn distinct<'a>(all: impl IntoIterator<Item = &'a String>) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    for words in all {
        if !told.contains(words) {
            told.push(words.clone());
        }
    }
    told
}

/// The cycles, or that they are unknown.
fn cycles_words(cost: &OperationCost) -> String {
    cost.cycles.map_or_else(
        || "cycles unknown".to_owned(),
        |cycles| counted(cycles, "cycle"),
    )
}

/// The method with the stream behind it and its engine's cycles.
fn method_headline(
    method: &str,
    row: Option<&StageRow>,
    engine: Option<&StageCost>,
    part: OperationPart,
) -> String {
    let mut words: Vec<String> = Vec::new();
    if let Some(row) = row {
        let packet = row.bytes.map(|bytes| counted(bytes, "byte"));
        match (row.iterations, packet) {
            (Some(iterations), Some(packet)) => {
                words.push(format!("{} x {packet}", thousands(iterations)));
            }
            (None, Some(packet)) if part == OperationPart::End => words.push(packet),
            _ => {}
        }
    }
    if let Some(engine) = engine {
        words.push(match engine.cycles() {
            Some(busy) => counted(busy, "cycle"),
            None => "cycles unknown".to_owned(),
        });
        if engine.latency > 0 {
            words.push(format!("{} of latency", thousands(engine.latency)));
        }
    }
    if words.is_empty() {
        return format!("**{}**", code(method));
    }
    format!("**{}**: {}", code(method), words.join(", "))
}

fn end_target(pass: &Pass) -> Option<TensorId> {
    match pass.end {
        PassEnd::Commit { target, .. }
        | PassEnd::CommitView { target, .. }
        | PassEnd::ToTrf { target, .. }
        | PassEnd::ToVrf { target, .. } => Some(target),
        PassEnd::Open => None,
    }
}

/// The levels of a tensor with its type.
fn levels_text(tensor: &Tensor) -> String {
    let levels = tensor
        .levels
        .iter()
        .map(|(_, written)| match &written.value {
            Some(mapping) => format!("m![{mapping}]"),
            None => "?".to_owned(),
        });
    let kind = tensor.element_type.value.map_or("?", |kind| kind.name());
    let parts: Vec<String> = std::iter::once(kind.to_owned()).chain(levels).collect();
    code(&parts.join(", "))
}
