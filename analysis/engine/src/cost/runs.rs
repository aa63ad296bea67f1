//! Kernels whose loops are not unrolled to their end: what is scheduled, and what each further run takes.

use super::data::{LoopRow, RunsRow};
use crate::check::function_simulation;
use crate::db::Db;
use crate::items::ItemId;
use crate::kernel::Body;
use crate::lowering::body;
use crate::places::Places;
use crate::simulation::BodySimulation;
use crate::simulation::runs::body_runs;

/// What a kernel takes with each run of its loops, where nothing else keeps it from a total.
pub fn runs_of(db: &dyn Db, function: ItemId) -> Option<RunsRow> {
    let simulation = function_simulation(db, function);
    runs_row(&body(db, function), &simulation, &mut Places::new(db))
}

pub(super) fn runs_row(
    body: &Body,
    simulation: &BodySimulation,
    places: &mut Places<'_>,
) -> Option<RunsRow> {
    let found = body_runs(body, simulation)?;
    let loops = found.loops.iter().map(|one| {
        let (file, range) = places.range(one.span)?;
        Some(LoopRow {
            file,
            range,
            scheduled: one.scheduled,
            runs: one.runs,
            best: one.best,
            worst: one.worst,
        })
    });
    Some(RunsRow {
        scheduled: found.scheduled,
        low: found.between.map(|(low, _)| low),
        high: found.between.map(|(_, high)| high),
        loops: loops.collect::<Option<_>>()?,
    })
}
