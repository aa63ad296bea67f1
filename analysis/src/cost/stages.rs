//! The stage table of a pass: the stream's shape behind each stage, the table that authors write by hand.

use crate::derivation::PassDerivation;
use crate::hardware::FLIT_BYTES;
use crate::kernel::{Pass, Stage, StreamShape, Way, Written};
use crate::mapping::Mapping;
use crate::simulation::OperationCost;

/// The stream behind one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageRow {
    /// The method that makes the stage.
    pub method: String,
    /// The element type.
    pub element_type: Option<&'static str>,
    /// The slices' mapping.
    pub slice: Option<String>,
    /// The mapping of the iterations.
    pub time: Option<String>,
    /// The mapping of one iteration.
    pub packet: Option<String>,
    /// Iterations.
    pub iterations: Option<u64>,
    /// Bytes of a packet.
    pub packet_bytes: Option<u64>,
    /// Flits of a packet, the last one perhaps partly used.
    pub flits: Option<u64>,
    /// Lanes, inside the Vector Engine: 8 or 4.
    pub way: Option<u8>,
    /// Cycles that the stage's engine is busy.
    pub cycles: Option<u64>,
}

/// The rows of a pass, one a stage.
pub(super) fn rows(
    pass: &Pass,
    derivation: &PassDerivation,
    cost: &OperationCost,
) -> Vec<StageRow> {
    pass.stages
        .iter()
        .enumerate()
        .map(|(number, stage)| row(number, stage, derivation, cost))
        .collect()
}

fn row(
    number: usize,
    stage: &Stage,
    derivation: &PassDerivation,
    cost: &OperationCost,
) -> StageRow {
    let shape: &StreamShape = &stage.output;
    let way = derivation.vector.step(number).map(|step| step.way);
    let packet_bytes = shape.packet_bytes();
    StageRow {
        method: stage.method.clone(),
        element_type: shape
            .element_type
            .value
            .map(crate::hardware::ElementType::name),
        slice: text(&shape.slice),
        time: text(&shape.time),
        packet: text(&shape.packet),
        iterations: shape.time.value.as_ref().map(Mapping::size),
        packet_bytes,
        flits: packet_bytes.map(|bytes| bytes.div_ceil(FLIT_BYTES)),
        way: way.or(shape.way).map(|way| match way {
            Way::Way8 => 8,
            Way::Way4 => 4,
        }),
        cycles: cost
            .stages
            .iter()
            .find(|engine| engine.stage == Some(number))
            .and_then(|engine| engine.busy),
    }
}

fn text(mapping: &Written<Mapping>) -> Option<String> {
    mapping.value.as_ref().map(ToString::to_string)
}
