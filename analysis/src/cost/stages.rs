//! The stage table of a pass with its mappings as text: the stream's shape behind each stage.

use crate::hardware::ElementType;
use crate::mapping::Mapping;
use crate::simulation::Engine;
use crate::simulation::stage_table::{self, StageTable};

/// The stream behind one stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageRow {
    /// The method: `begin`, `fetch`, …, `commit`.
    pub method: String,
    /// The element type.
    pub element_type: Option<&'static str>,
    /// The slices' mapping.
    pub slice: Option<String>,
    /// The mapping of the iterations.
    pub time: Option<String>,
    /// The mapping of one iteration; of a tensor at rest its element.
    pub packet: Option<String>,
    /// Iterations.
    pub iterations: Option<u64>,
    /// Bytes of a packet, rounded up.
    pub packet_bytes: Option<u64>,
    /// Flits of a packet, the last one perhaps partly used.
    pub flits: Option<u64>,
    /// Lanes, inside the Vector Engine: 8 or 4.
    pub way: Option<u64>,
    /// The engine, where the stage has a cost of its own.
    pub engine: Option<&'static str>,
    /// Cycles that the engine is busy.
    pub cycles: Option<u64>,
}

/// The rows of a pass, from its beginning to its end.
pub(super) fn rows(table: &StageTable) -> Vec<StageRow> {
    table.rows.iter().map(row).collect()
}

fn row(row: &stage_table::StageRow) -> StageRow {
    let text = |mapping: &Option<Mapping>| mapping.as_ref().map(ToString::to_string);
    StageRow {
        method: row.method.clone(),
        element_type: row.element_type.map(ElementType::name),
        slice: text(&row.slice),
        time: text(&row.time),
        packet: text(&row.packet),
        iterations: row.iterations,
        packet_bytes: row.bytes,
        flits: row.flits,
        way: row.lanes,
        engine: row.engine.map(Engine::name),
        cycles: row.cycles,
    }
}
