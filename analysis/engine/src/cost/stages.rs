//! The stage table of a pass with its mappings as text: the stream's shape behind each stage.

use super::data::StageRow;
use crate::hardware::ElementType;
use crate::mapping::Mapping;
use crate::simulation::Engine;
use crate::simulation::stage_table::{self, StageTable};

/// The rows of a pass, from its beginning to its end.
pub(super) fn stage_rows(table: &StageTable) -> Vec<StageRow> {
    table.rows.iter().map(stage_row).collect()
}

fn stage_row(row: &stage_table::StageRow) -> StageRow {
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
