//! The table that authors draw beside a kernel: what a pass's stream looks like behind every stage, and what it costs.
//!
//! Plain data, put together from the declared shapes and the pass's cost; nothing is derived here.

use crate::hardware::{ElementType, FLIT_BYTES};
use crate::kernel::{
    Body, Operation, OperationId, OperationKind, Pass, StreamShape, TensorId, Way,
};
use crate::mapping::Mapping;

use super::{BodySimulation, Engine, OperationCost};

/// One row: the stream behind a stage. What is unknown is `None`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageRow {
    /// The method: `begin`, `fetch`, …, `commit`.
    pub method: String,
    /// The stage's number in the pass; `None` for the beginning and the end.
    pub stage: Option<usize>,
    /// The type of the elements.
    pub element_type: Option<ElementType>,
    /// The slices.
    pub slice: Option<Mapping>,
    /// The iterations; of the beginning and the end `None`: a tensor at rest has none.
    pub time: Option<Mapping>,
    /// The packet; of the beginning and the end the tensor's element.
    pub packet: Option<Mapping>,
    /// How many iterations.
    pub iterations: Option<u64>,
    /// Bytes of a packet (of an element), rounded up.
    pub bytes: Option<u64>,
    /// Flits of a packet.
    pub flits: Option<u64>,
    /// Lanes, inside the Vector Engine.
    pub lanes: Option<u64>,
    /// The engine, where the stage has a cost of its own.
    pub engine: Option<Engine>,
    /// Cycles that the engine is busy.
    pub cycles: Option<u64>,
    /// Cycles that the output trails the input.
    pub latency: u64,
}

/// The rows of one pass.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageTable {
    /// The pass.
    pub operation: OperationId,
    /// From its beginning to its end.
    pub rows: Vec<StageRow>,
}

/// The tables of all passes of a body, in program order.
pub fn stage_tables(body: &Body, simulation: &BodySimulation) -> Vec<StageTable> {
    body.operations
        .iter()
        .zip(&simulation.operations)
        .filter_map(|(operation, cost)| stage_table(body, operation, cost))
        .collect()
}

/// The table of one operation with what it costs; `None` if it is no pass.
pub fn stage_table(body: &Body, operation: &Operation, cost: &OperationCost) -> Option<StageTable> {
    match &operation.kind {
        OperationKind::Pass(pass) => Some(StageTable {
            operation: operation.id,
            rows: stage_rows(body, pass, cost),
        }),
        OperationKind::Copy(_) | OperationKind::Collective(_) => None,
    }
}

fn stage_rows(body: &Body, pass: &Pass, cost: &OperationCost) -> Vec<StageRow> {
    let mut rows = vec![at_rest("begin", &pass.begin)];
    for (index, stage) in pass.stages.iter().enumerate() {
        rows.push(stage_row(&stage.method, Some(index), &stage.output).costing(cost));
    }
    if let (Some(stage), Some((target, _))) = (pass.end.canonical(), pass.end.written_target()) {
        let method = pass.library().name_of(stage);
        rows.push(stored_row(body, pass, method, target).costing(cost));
    }
    rows
}

impl StageRow {
    /// With the cost of the stage of its number.
    fn costing(mut self, cost: &OperationCost) -> Self {
        if let Some(stage) = cost.stages.iter().find(|cost| cost.stage == self.stage) {
            self.engine = Some(stage.engine);
            self.cycles = stage.cycles();
            self.latency = stage.latency;
        }
        self
    }
}

fn stage_row(method: &str, stage: Option<usize>, shape: &StreamShape) -> StageRow {
    let element_type = shape.element_type.value;
    let packet = shape.packet.get();
    let bytes = element_type
        .zip(packet)
        .and_then(|(element_type, packet)| element_type.bytes_rounded_up(packet.size()));
    StageRow {
        method: method.to_owned(),
        stage,
        element_type,
        slice: shape.slice.value.clone(),
        time: shape.time.value.clone(),
        packet: packet.cloned(),
        iterations: shape.time.get().map(Mapping::size),
        bytes,
        flits: bytes.map(|bytes| bytes.div_ceil(FLIT_BYTES)),
        lanes: shape.way.map(Way::lanes),
        engine: None,
        cycles: None,
        latency: 0,
    }
}

/// The beginning: a tensor in DM, or the stream that the function is given.
fn at_rest(method: &str, shape: &StreamShape) -> StageRow {
    stage_row(method, None, shape)
}

fn stored_row(body: &Body, pass: &Pass, method: &str, target: TensorId) -> StageRow {
    let output = pass.output();
    let tensor = body.tensor(target);
    let element = tensor.and_then(|tensor| tensor.levels.element.value.clone());
    let element_type = output.element_type.value;
    let bytes = element_type
        .zip(element.as_ref())
        .and_then(|(element_type, element)| element_type.bytes_rounded_up(element.size()));
    StageRow {
        packet: element,
        time: None,
        iterations: None,
        bytes,
        flits: None,
        lanes: None,
        ..stage_row(method, None, output)
    }
}
