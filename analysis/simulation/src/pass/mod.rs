//! Cycles of a pass, a stage at a time (book: the engines' chapters).
//!
//! Knows how many cycles each engine is busy with a stream of known shape and what latency it adds; nothing about what
//! runs beside the pass. The engines work as a pipeline: the slowest one decides, and what each output trails its input by
//! comes on top. A stream that no Switch Engine is asked for passes it at the Collect Engine's rate, which counts once.
//! Of a custom ring's set-up the book gives no figure: by the book it is named as an assumption and not counted.

mod contraction;
mod streams;
mod vector;

use crate::derivation::{EndDerivation, PassDerivation, StageDerivation};
use crate::hardware::{BANK_RUN_LIMIT, FLIT_BYTES, Model, Target};
use crate::items::Span;
use crate::kernel::{Body, CanonicalStage, Pass, PassEnd, PassSource, StageKind, StreamShape};

use super::calibrated::{Figure, pass_class, scheduled_stages};
use super::{Engine, Gap, OperationCost, StageCost, model_calibration};

/// What a pass costs (book: the Performance section of each engine).
pub fn pass_cost(
    body: &Body,
    pass: &Pass,
    derivation: &PassDerivation,
    _target: Target,
    model: Model,
) -> OperationCost {
    let mut costing = Costing {
        pass,
        derivation,
        counts_set_up: model_calibration(body, model).is_some(),
        cost: OperationCost::default(),
    };
    for (index, derived) in derivation.stages.iter().enumerate() {
        costing.stage(index, derived);
    }
    costing.end();
    costing.total();
    calibrate(body, pass, model, &mut costing.cost);
    costing.cost
}

/// Puts the schedule's figure in place of the book's, where that is asked for and the book has one.
fn calibrate(body: &Body, pass: &Pass, model: Model, cost: &mut OperationCost) {
    cost.book = cost.cycles;
    let Some((book, id)) = cost.book.zip(model_calibration(body, model)) else {
        return;
    };
    let found = scheduled_stages(pass, &cost.stages, &id.table().pass);
    let decides = found.iter().flatten().map(|stage| stage.cycles).max();
    let figure = decides.map_or_else(
        || Figure::uncalibrated(id, book),
        |cycles| Figure::of(id, pass_class(pass), cycles),
    );
    cost.cycles = Some(figure.cycles);
    cost.figure = Some(figure);
    if let Some(found) = found {
        let slowest = found.iter().enumerate();
        // Of equally slow stages the one that the figure is made of.
        cost.bottleneck = slowest
            .max_by_key(|(_, stage)| (stage.work, stage.cycles))
            .map(|(index, _)| index);
        for (stage, found) in cost.stages.iter_mut().zip(found) {
            stage.scheduled = found.more.map(|why| (found.work, why));
        }
    }
}

/// What the same pass takes if its stages are these, by the same model as before.
pub fn with_stages(
    body: &Body,
    pass: &Pass,
    before: &OperationCost,
    stages: Vec<StageCost>,
) -> OperationCost {
    let mut cost = OperationCost {
        cycles: pipeline_cycles(&stages),
        stages,
        figure: None,
        ..before.clone()
    };
    let model = match before.figure {
        Some(_) => Model::Schedule,
        None => Model::Book,
    };
    calibrate(body, pass, model, &mut cost);
    cost
}

/// Cycles of stages that work as a pipeline: the largest busy time and all latencies. `None` if one is unknown or the sum
/// exceeds 64 bits.
pub fn pipeline_cycles(stages: &[StageCost]) -> Option<u64> {
    let busy: Option<Vec<u64>> = stages.iter().map(|stage| stage.busy).collect();
    let busiest = busy?.into_iter().max().unwrap_or(0);
    stages
        .iter()
        .try_fold(busiest, |sum, stage| sum.checked_add(stage.latency))
}

/// A pass whose stages are being costed.
struct Costing<'a> {
    pass: &'a Pass,
    derivation: &'a PassDerivation,
    /// Whether the schedule has what puts tables and rings in place.
    counts_set_up: bool,
    cost: OperationCost,
}

impl Costing<'_> {
    fn stage(&mut self, index: usize, derived: &StageDerivation) {
        let Some(stage) = self.pass.stages.get(index) else {
            return;
        };
        match derived {
            StageDerivation::Fetch(derived) => self.fetch(index, stage, derived),
            StageDerivation::Switch(derived) => self.switch(index, stage, derived),
            StageDerivation::Collect(derived) => self.collect(index, stage, derived),
            StageDerivation::Align(derived) => self.align(index, stage, derived),
            StageDerivation::Contract(derived) => self.contract(index, stage, derived),
            StageDerivation::Accumulate(derived) => self.accumulate(index, stage, derived),
            // Adapters, trims and the first half of a temporal reduction are part of what follows or precedes them.
            StageDerivation::Step(_) => {}
            StageDerivation::Cast(derived) => self.cast(index, stage, derived),
            StageDerivation::Transpose(derived) => self.transpose(index, stage, derived),
            StageDerivation::Vector => self.vector(index, stage),
        }
    }

    fn end(&mut self) {
        match (&self.pass.end, &self.derivation.end) {
            (
                PassEnd::Commit { span, .. } | PassEnd::CommitView { span, .. },
                EndDerivation::Commit(derived),
            ) => self.commit(*span, derived),
            (PassEnd::ToTrf { span, .. }, _) => {
                self.load(*span, Engine::TrfLoad, CanonicalStage::ToTrf);
            }
            (PassEnd::ToVrf { span, .. }, _) => {
                self.load(*span, Engine::VrfLoad, CanonicalStage::ToVrf);
            }
            _ => {
                let output = self.pass.output().time.span;
                self.gap(
                    "the stream does not end in this function".to_owned(),
                    output,
                );
            }
        }
    }

    /// Cycles that a reduction over time adds to a pass: its input comes meanwhile, so that only what follows on it alone, a
    /// reduction across slices, waits for so much.
    fn reduction_wait(&self, reduced: u64) -> u64 {
        let mut stages = self.pass.stages.iter();
        let across = stages.any(|stage| matches!(stage.kind, StageKind::VectorInterReduce { .. }));
        if across { reduced } else { 0 }
    }

    /// Notes why a figure is missing. What follows from the first unknown shape is not told again.
    fn gap(&mut self, reason: String, span: Span) {
        if self.cost.gaps.is_empty() {
            self.cost.gaps.push(Gap { reason, span });
        }
    }

    /// Adds a stage; without its cycles it is a gap.
    fn push(&mut self, stage: StageCost, method: &str, span: Span) {
        if stage.busy.is_none() {
            self.gap(
                format!("the cycles of `{method}` cannot be worked out"),
                span,
            );
        }
        self.cost.stages.push(stage);
    }

    /// The bank pattern of a fetch or commit: from 64 accesses on the compiler lets no transfer start beside it (book:
    /// Compiler scheduling behavior).
    fn bank_run(&mut self, run: Option<u64>) {
        if run.is_some_and(|run| run >= BANK_RUN_LIMIT) {
            self.cost.holds_dma = true;
        }
    }

    fn total(&mut self) {
        if let PassSource::Parameter { .. } = self.pass.source {
            let begin = self.pass.begin.time.span;
            self.gap("the stream begins in another function".to_owned(), begin);
        }
        let stages = &self.cost.stages;
        self.cost.bottleneck = (0..stages.len())
            .rev()
            .max_by_key(|index| stages.get(*index).and_then(|stage| stage.busy));
        if self.cost.gaps.is_empty() {
            self.cost.cycles = pipeline_cycles(stages);
        }
        if self.cost.cycles.is_none() {
            let begin = self.pass.begin.time.span;
            self.gap("its cycles exceed 64 bits".to_owned(), begin);
        }
    }
}

/// A stage's cost without latency and detail; the inputs are those of the formula, `None` if one is unknown.
fn stage_cost<const N: usize>(
    engine: Engine,
    stage: Option<usize>,
    busy: Option<u64>,
    formula: &'static str,
    inputs: [(&'static str, Option<u64>); N],
    heading: &'static str,
) -> StageCost {
    StageCost {
        engine,
        stage,
        busy,
        scheduled: None,
        latency: 0,
        formula,
        inputs: inputs
            .into_iter()
            .filter_map(|(name, value)| Some((name, value?)))
            .collect(),
        detail: String::new(),
        heading,
    }
}

/// Iterations of a stream.
fn stream_iterations(shape: &StreamShape) -> Option<u64> {
    Some(shape.time.get()?.size())
}

/// Bytes of a packet, rounded up.
fn packet_bytes(shape: &StreamShape) -> Option<u64> {
    shape
        .element_type
        .get()?
        .bytes_rounded_up(shape.packet.get()?.size())
}

/// Flits of a packet.
fn flits(shape: &StreamShape) -> Option<u64> {
    Some(packet_bytes(shape)?.div_ceil(FLIT_BYTES))
}
