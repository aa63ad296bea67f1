//! The rows of a cost: operations, pauses and tensors with the names that the kernel gives them.

use std::sync::Arc;

use crate::db::Db;
use crate::derivation::BodyDerivation;
use crate::hardware::Class;
use crate::items::{Span, item_text};
use crate::kernel::{
    Body, Operation, OperationId, OperationKind, Origin, Pass, PassSource, Tensor, TensorId, Tier,
};
use crate::lanes::Lane;
use crate::places::Places;
use crate::report::Range;
use crate::simulation::stage_table::stage_tables;
use crate::simulation::{BodySimulation, Engine, Figure, OperationCost, StageCost, Wait, lane_of};

use super::{
    CalibratedRow, EngineRow, IdleRow, MemoryRow, OperationRow, OverfullRow, WaitRow, stages,
};

/// Characters of an operation's text that are kept.
const SOURCE_LIMIT: usize = 400;

/// Characters on either side of a method in which its statement is looked for.
const STATEMENT_LIMIT: usize = 4_000;

/// What tensors are called.
pub struct Names<'a> {
    body: &'a Body,
    derivation: &'a BodyDerivation,
}

impl<'a> Names<'a> {
    /// The names of a body's tensors.
    pub fn of(body: &'a Body, derivation: &'a BodyDerivation) -> Self {
        Self { body, derivation }
    }

    /// The variable that a tensor, or what it is a view of, is bound to; else what makes it.
    pub fn tensor(&self, id: TensorId) -> String {
        for tensor in self.body.sharing(id) {
            if let Some(name) = &tensor.name {
                return name.clone();
            }
            if let Origin::Operation(operation) = tensor.origin {
                return format!("result of operation {}", operation.0);
            }
        }
        format!("tensor {}", id.0)
    }

    fn allocation(&self, number: usize) -> Option<String> {
        let lifetime = self.derivation.memory.lifetimes.get(number)?;
        Some(self.tensor(lifetime.tensor))
    }

    fn touched(&self, operation: &Operation, writes: bool) -> Vec<usize> {
        let touches = self.derivation.memory.touches.get(operation.id.0 as usize);
        let mut numbers: Vec<usize> = touches
            .into_iter()
            .flatten()
            .filter(|touch| touch.writes == writes)
            .map(|touch| touch.allocation)
            .collect();
        numbers.dedup();
        numbers
    }

    /// What an operation does: `to_dm lhs`, `commit result`.
    pub fn operation(&self, operation: &Operation) -> String {
        match &operation.kind {
            OperationKind::Copy(copy) => format!("{} {}", copy.method, self.tensor(copy.source)),
            OperationKind::Collective(collective) => collective.sources.first().map_or_else(
                || collective.method.to_owned(),
                |source| format!("{} {}", collective.method, self.tensor(*source)),
            ),
            OperationKind::Pass(pass) => self.pass(pass),
        }
    }

    fn pass(&self, pass: &Pass) -> String {
        let method = match pass.end.canonical() {
            Some(stage) => pass.library().name_of(stage),
            None => pass.library().begin_method_name(false),
        };
        let target = pass.end.written_target().map(|(target, _)| target);
        let bound = |id: &TensorId| {
            self.body
                .tensor(*id)
                .is_some_and(|tensor| tensor.name.is_some())
        };
        let source = match &pass.source {
            PassSource::Tensor(id) => Some(*id),
            PassSource::Interleaved { tensors, .. } => tensors.first().copied(),
            PassSource::Parameter { .. } => None,
        };
        let shown = target.filter(bound).or(source).or(target);
        match shown {
            Some(id) => format!("{method} {}", self.tensor(id)),
            None => method.to_owned(),
        }
    }

    fn wait_row(&self, wait: &Wait) -> WaitRow {
        WaitRow {
            operation: wait.operation.0,
            cause: wait.cause.name(),
            tensor: wait.allocation.and_then(|number| self.allocation(number)),
        }
    }
}

/// One row an operation.
pub(super) fn operation_rows(
    db: &dyn Db,
    body: &Body,
    (simulation, calibrated): (&BodySimulation, &BodySimulation),
    names: &Names<'_>,
    places: &mut Places<'_>,
) -> Vec<OperationRow> {
    let known = simulation.total().is_some();
    let mut tables = stage_tables(body, simulation).into_iter().peekable();
    let mut rows = Vec::new();
    for (operation, cost) in body.operations.iter().zip(&simulation.operations) {
        let table = tables.next_if(|table| table.operation == operation.id);
        let Some((file, range)) = places.range(operation.span) else {
            continue;
        };
        let slot = simulation.schedule.slot(operation.id).filter(|_| known);
        let (reads, writes) = (
            names.touched(operation, false),
            names.touched(operation, true),
        );
        let called = |numbers: &[usize]| {
            let tensors = numbers
                .iter()
                .filter_map(|number| names.allocation(*number));
            tensors.collect::<Vec<_>>()
        };
        let (place, source) = statement_source(db, operation, places).unwrap_or_default();
        rows.push(OperationRow {
            id: operation.id.0,
            name: names.operation(operation),
            lane: lane_of(operation.context),
            file,
            statement: place.unwrap_or(range),
            range,
            source,
            loops: operation
                .loops
                .iter()
                .map(|frame| frame.iteration)
                .collect(),
            start: slot.map(|slot| slot.start),
            end: slot.map(|slot| slot.end),
            cycles: cost.cycles,
            calibrated: calibrated
                .operations
                .get(operation.id.0 as usize)
                .and_then(|cost| Some(calibrated_row(cost.figure.as_ref()?, cost))),
            bottleneck: bottleneck(cost),
            engines: engine_rows(cost, Some(operation)),
            waits: slot
                .map(|slot| slot.waits.iter().map(|wait| names.wait_row(wait)).collect())
                .unwrap_or_default(),
            reads: called(&reads),
            writes: called(&writes),
            reads_memory: reads,
            writes_memory: writes,
            stages: table.as_ref().map(stages::stage_rows).unwrap_or_default(),
            assumptions: cost.assumptions.clone(),
        });
    }
    rows
}

/// Puts the figures of another simulation of the same body into its rows.
pub(super) fn with_figures(
    rows: &mut [OperationRow],
    simulation: &BodySimulation,
    names: &Names<'_>,
) {
    let known = simulation.total().is_some();
    for row in rows {
        let Some(cost) = simulation.operations.get(row.id as usize) else {
            continue;
        };
        let id = OperationId(row.id);
        let slot = simulation.schedule.slot(id).filter(|_| known);
        row.start = slot.map(|slot| slot.start);
        row.end = slot.map(|slot| slot.end);
        row.cycles = cost.cycles;
        row.bottleneck = bottleneck(cost);
        row.engines = engine_rows(cost, names.body.operation(id));
        row.waits = slot
            .map(|slot| slot.waits.iter().map(|wait| names.wait_row(wait)).collect())
            .unwrap_or_default();
        row.assumptions.clone_from(&cost.assumptions);
    }
}

fn calibrated_row(figure: &Figure, cost: &OperationCost) -> CalibratedRow {
    let bounded = figure.is_bounded();
    let class = match figure.class {
        Some(class) => class.name(),
        None if bounded => "range",
        None => "uncalibrated",
    };
    let samples = figure.class.map_or(0, Class::samples);
    CalibratedRow {
        cycles: figure.cycles,
        bottleneck: bottleneck(cost),
        low: bounded.then_some(figure.low),
        high: bounded.then_some(figure.high),
        release: figure.calibration.table().release,
        class,
        samples,
        median_error: figure
            .class
            .filter(|_| samples > 0)
            .map(Class::median_error),
    }
}

fn bottleneck(cost: &OperationCost) -> Option<&'static str> {
    let stage = cost.stages.get(cost.bottleneck?)?;
    Some(stage.engine.name())
}

fn engine_rows(cost: &OperationCost, operation: Option<&Operation>) -> Vec<EngineRow> {
    let pass = operation.and_then(|operation| match &operation.kind {
        OperationKind::Pass(pass) => Some(&**pass),
        _ => None,
    });
    let stages = cost.stages.iter().enumerate();
    stages
        .map(|(index, stage)| engine_row(stage, pass, cost.bottleneck == Some(index)))
        .collect()
}

/// The configuration, and why the schedule counts more than the formula.
fn stage_detail(stage: &StageCost) -> String {
    match stage.scheduled {
        Some((_, why)) if stage.detail.is_empty() => why.to_owned(),
        Some((_, why)) => format!("{}, {why}", stage.detail),
        None => stage.detail.clone(),
    }
}

fn engine_row(stage: &StageCost, pass: Option<&Pass>, is_slowest: bool) -> EngineRow {
    let asked = stage.stage.zip(pass);
    let asked = asked.and_then(|(index, pass)| pass.stages.get(index));
    EngineRow {
        engine: Engine::name(stage.engine),
        method: asked.map(|stage| stage.method.clone()),
        cycles: stage.cycles(),
        is_slowest,
        latency: stage.latency,
        formula: stage.formula,
        inputs: stage.inputs.clone(),
        detail: stage_detail(stage),
        heading: stage.heading,
    }
}

/// The statement around the operation's first method: its place, and its text, cut where it is long.
fn statement_source(
    db: &dyn Db,
    operation: &Operation,
    places: &mut Places<'_>,
) -> Option<(Option<Range>, String)> {
    let around = statement_of(db, operation.span)?;
    let text = item_text(db, around.item);
    let (start, end) = (around.start as usize, around.end as usize);
    let (head, tail) = text
        .text
        .get(start..end)?
        .split_at_checked((operation.span.start as usize).checked_sub(start)?)?;
    let place = places.range(around);
    Some((place.map(|(_, range)| range), shortened_source(head, tail)))
}

/// The statement around a method.
pub fn statement_of(db: &dyn Db, method: Span) -> Option<Span> {
    let text = item_text(db, method.item);
    let (before, after) = text.text.split_at_checked(method.start as usize)?;
    let start = statement_start(before, STATEMENT_LIMIT);
    let head = before.get(start..)?;
    let first = start.checked_add(head.len() - head.trim_start().len())?;
    let last = before
        .len()
        .checked_add(statement_end(after, STATEMENT_LIMIT))?;
    Some(Span {
        start: u32::try_from(first).ok()?,
        end: u32::try_from(last).ok()?,
        ..method
    })
}

/// The text of a statement that is on both sides of a method, cut where it is long.
fn shortened_source(before: &str, after: &str) -> String {
    let cut = before.char_indices().rev().nth(SOURCE_LIMIT - 1);
    let before = before.get(cut.map_or(0, |(at, _)| at)..);
    let cut = |text: &str| text.char_indices().nth(SOURCE_LIMIT).map(|(at, _)| at);
    let mut source = before.unwrap_or_default().to_owned();
    source.push_str(
        after
            .get(..cut(after).unwrap_or(after.len()))
            .unwrap_or_default(),
    );
    source.truncate(cut(&source).unwrap_or(source.len()));
    source.trim().to_owned()
}

/// Where the statement begins that a text breaks off in: behind the last `;`, the last block, or the brace around it.
fn statement_start(text: &str, limit: usize) -> usize {
    let (mut depth, mut next) = (0_u32, ' ');
    for (at, letter) in text.char_indices().rev().take(limit) {
        match letter {
            '}' if depth == 0 && (next.is_alphabetic() || next == '_') => return at + 1,
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '{' | ';' if depth == 0 => return at + 1,
            _ => {}
        }
        if !letter.is_whitespace() {
            next = letter;
        }
    }
    text.char_indices()
        .rev()
        .take(limit)
        .last()
        .map_or(0, |(at, _)| at)
}

/// Where the statement ends that a text begins in.
fn statement_end(text: &str, limit: usize) -> usize {
    let mut depth = 0_u32;
    for (at, letter) in text.char_indices().take(limit) {
        match letter {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' if depth > 0 => depth -= 1,
            ';' if depth == 0 => return at + 1,
            '}' => return at,
            _ => {}
        }
    }
    text.char_indices()
        .nth(limit)
        .map_or(text.len(), |(at, _)| at)
}

/// The pauses of all contexts.
pub(super) fn idle_rows(simulation: &BodySimulation, names: &Names<'_>) -> Vec<IdleRow> {
    Lane::VIRTUAL_ISA
        .into_iter()
        .flat_map(|lane| simulation.schedule.idle(lane))
        .map(|idle| IdleRow {
            lane: idle.lane,
            start: idle.start,
            end: idle.end,
            until: idle.until.map(|operation| operation.0),
            wait: idle.wait.as_ref().map(|wait| names.wait_row(wait)),
        })
        .collect()
}

/// The tensors, in the order in which they are made.
pub(super) fn memory_rows(
    body: &Body,
    simulation: &BodySimulation,
    names: &Names<'_>,
    places: &mut Places<'_>,
) -> Vec<MemoryRow> {
    simulation
        .memory
        .occupancies
        .iter()
        .map(|occupancy| {
            let tensor = body.tensor(occupancy.tensor);
            let place = tensor.and_then(|tensor| places.range(tensor.span));
            MemoryRow {
                tensor: names.tensor(occupancy.tensor),
                tier: tier_name(occupancy.tier),
                address: occupancy.address,
                assumed_address: occupancy.assumed_address,
                bytes: occupancy.bytes,
                shape: tensor.map(shape_text).unwrap_or_default(),
                from: occupancy.from,
                to: occupancy.to,
                file: place.as_ref().map(|(file, _)| Arc::clone(file)),
                range: place.map(|(_, range)| range),
            }
        })
        .collect()
}

/// The memories whose peaks are above their sizes.
pub fn overfull_rows(simulation: &BodySimulation) -> Vec<OverfullRow> {
    let overfull = simulation.memory.overfull.iter();
    overfull
        .map(|one| OverfullRow {
            tier: tier_name(one.tier),
            bytes: one.bytes,
            capacity: one.capacity,
            rule: one.rule(),
            sentence: one.sentence(),
        })
        .collect()
}

fn shape_text(tensor: &Tensor) -> String {
    let levels = tensor.levels.iter().map(|(_, mapping)| {
        let value = mapping.value.as_ref();
        value.map_or_else(|| "?".to_owned(), |mapping| format!("m![{mapping}]"))
    });
    let element_type = tensor.element_type.value.map_or("?", |kind| kind.name());
    let parts: Vec<String> = std::iter::once(element_type.to_owned())
        .chain(levels)
        .collect();
    parts.join(", ")
}

/// The name of a memory in tables and JSON.
pub const fn tier_name(tier: Tier) -> &'static str {
    match tier {
        Tier::Host => "host",
        Tier::Hbm => "hbm",
        Tier::Dm => "dm",
        Tier::Trf => "trf",
        Tier::Vrf => "vrf",
        Tier::Spm => "spm",
    }
}

#[cfg(test)]
mod tests {
    use super::{SOURCE_LIMIT, shortened_source, statement_end, statement_start};

    fn around<'a>(text: &'a str, method: &str) -> &'a str {
        let at = text.find(method).unwrap();
        let (before, after) = text.split_at(at);
        let (start, end) = (
            statement_start(before, SOURCE_LIMIT),
            at + statement_end(after, SOURCE_LIMIT),
        );
        text[start..end].trim()
    }

    #[test]
    fn the_statement_around_a_method() {
        let text = "{ for i in 0 .. 8 { f (i) ; } let a : D < m ! [{ T } , X] > = x . to_dm (& mut c , { 0 }) ; \
                    if p { y . begin () . commit (0) } z . to_hbm (1) }";
        assert_eq!(
            around(text, "to_dm"),
            "let a : D < m ! [{ T } , X] > = x . to_dm (& mut c , { 0 }) ;"
        );
        assert_eq!(around(text, "begin"), "y . begin () . commit (0)");
        assert_eq!(around(text, "to_hbm"), "z . to_hbm (1)");
    }

    #[test]
    fn long_statements_are_cut_between_characters() {
        let text = format!("{}m{}", "ä".repeat(1000), "ö".repeat(1000));
        let (before, after) = text.split_at(text.find('m').unwrap());
        assert_eq!(before.len() - statement_start(before, SOURCE_LIMIT), 800);
        assert_eq!(statement_end(after, SOURCE_LIMIT), 799);
        assert_eq!(shortened_source(before, after), "ä".repeat(400));
        assert_eq!(
            shortened_source("  ä", after),
            format!("ä{}", &after[..1 + 396 * 2])
        );
        assert_eq!(shortened_source(" let x = ", "m(1) "), "let x = m(1)");
    }
}
