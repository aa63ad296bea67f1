//! Kernels whose loops are not unrolled to their end: what is scheduled, and what each further run takes.

use std::sync::Arc;

use crate::check::function_simulation;
use crate::db::Db;
use crate::items::ItemId;
use crate::kernel::{Body, body};
use crate::numbers::thousands;
use crate::places::Places;
use crate::report::Range;
use crate::simulation::BodySimulation;
use crate::simulation::runs::runs;

/// A kernel whose loops are not unrolled to their end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunsRow {
    /// Cycles with the runs that are scheduled.
    pub scheduled: u64,
    /// The fewest cycles of all runs; `None` where how often a loop runs is decided at run time.
    pub low: Option<u64>,
    /// The most.
    pub high: Option<u64>,
    /// The loops.
    pub loops: Vec<LoopRow>,
}

/// A loop of which some runs are scheduled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoopRow {
    /// Its file: a helper's may be another one.
    pub file: Arc<str>,
    /// Its keyword.
    pub range: Range,
    /// Runs that are scheduled.
    pub scheduled: u64,
    /// How often it runs; `None` if that is decided at run time.
    pub runs: Option<u64>,
    /// The fewest cycles of a further run: those of its busiest context.
    pub best: u64,
    /// The most: all of its operations one after another.
    pub worst: u64,
}

impl RunsRow {
    /// `30,000 to 40,000 cycles: 2,900 with 3 runs of the loop in line 7, 350 to 410 for each further one`.
    pub fn sentence(&self) -> String {
        let between = |low: u64, high: u64| {
            if low == high {
                thousands(low)
            } else {
                format!("{} to {}", thousands(low), thousands(high))
            }
        };
        let all = match (self.low, self.high) {
            (Some(low), Some(high)) => format!("{} cycles: ", between(low, high)),
            _ => "cycles unknown: ".to_owned(),
        };
        let mut text = format!("{all}{} with ", thousands(self.scheduled));
        let mut further = Vec::new();
        let loops: Vec<String> = self
            .loops
            .iter()
            .map(|one| {
                further.push(between(one.best, one.worst));
                let line = one.range.start.line;
                let runs = if one.scheduled == 1 { "run" } else { "runs" };
                let of = one
                    .runs
                    .map_or_else(String::new, |all| format!(" of {}", thousands(all)));
                format!("{}{of} {runs} of the loop in line {line}", one.scheduled)
            })
            .collect();
        let behind = if further.len() == 1 {
            ""
        } else {
            ", in this order"
        };
        let (loops, further) = (loops.join(" and "), further.join(" and "));
        text.push_str(&format!("{loops}, {further} for each further one{behind}"));
        text
    }
}

/// What a kernel takes with each run of its loops, where nothing else keeps it from a total.
pub(crate) fn runs_of(db: &dyn Db, function: ItemId) -> Option<RunsRow> {
    let simulation = function_simulation(db, function);
    runs_row(&body(db, function), &simulation, &mut Places::new(db))
}

pub(super) fn runs_row(
    body: &Body,
    simulation: &BodySimulation,
    places: &mut Places<'_>,
) -> Option<RunsRow> {
    let found = runs(body, simulation)?;
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
