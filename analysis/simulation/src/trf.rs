//! Reads of the tensor register file: the cache before it, the load that waits beside it, and rows that could share a read.
//!
//! Knows sequencers of reads and the schedule. Whether a number is worth a warning is for the rules to say.

use crate::derivation::contraction::{AlignDerivation, TrfSequencer};
use crate::hardware::{FLIT_BYTES, TRF_CACHE_ROWS, TRF_COLUMNS};
use crate::items::Span;
use crate::kernel::{
    AccumulationKind, Context, Engine, Operation, OperationKind, Pass, PassEnd, Stage, StageKind,
};
use crate::mapping::Mapping;

use super::{Changed, Known, OperationCost, StageCost, what_if_stages};

/// A load of the TRF that waits beside a pass that reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LoadStall {
    /// Where the load is written.
    pub load: Span,
    /// Cycles of the load without the pass.
    pub alone: u64,
    /// Cycles that it waits in addition.
    pub waits: u64,
    /// Of a million reads of the pass those that miss the cache.
    pub misses_a_million: u64,
}

/// What the load beside a pass waits because the pass reads both bank columns; `None` where it reads one at a time, or where
/// no load runs beside it. `derived` is the alignment of the pass, `cost` what the pass costs.
pub fn load_stall(
    known: Known<'_>,
    operation: &Operation,
    cost: &OperationCost,
    derived: &AlignDerivation,
) -> Option<LoadStall> {
    let sequencer = derived.sequencer.as_ref()?;
    if sequencer.reg_read_size <= FLIT_BYTES {
        return None;
    }
    let (together, alone, load) = load_beside(known, operation)?;
    // Of the cycles of both those in which the pass reads and misses.
    let mut stages = cost.stages.iter();
    let reads = stages
        .find(|stage| stage.engine == Engine::Align)?
        .busy
        .map(u128::from)?;
    let misses_a_million = misses_a_million(sequencer);
    let blocked = u128::from(misses_a_million)
        .checked_mul(reads)?
        .checked_div(u128::from(cost.cycles?))?;
    let waits = u64::try_from(u128::from(together) * blocked / 1_000_000).ok()?;
    Some(LoadStall {
        load,
        alone,
        waits,
        misses_a_million,
    })
}

/// Reads that are followed through the cache of the TRF.
const FOLLOWED_READS: u64 = 16_384;

/// Of a million reads how many miss the cache of the TRF, by the first ones: direct-mapped, four rows of two columns
/// (book: TRF Cache). A read of 64 bytes takes both columns of a row.
fn misses_a_million(sequencer: &TrfSequencer) -> u64 {
    let mut rows = [None; TRF_CACHE_ROWS];
    let all = sequencer
        .entries
        .iter()
        .fold(1_u64, |product, entry| product.saturating_mul(entry.size));
    let followed = all.clamp(1, FOLLOWED_READS);
    let mut misses = 0_u64;
    for read in 0..followed {
        let (mut rest, mut address) = (read, 0_u64);
        for entry in sequencer.entries.iter().rev() {
            let step = rest.checked_rem(entry.size).unwrap_or(0);
            address = address.wrapping_add(step.wrapping_mul(entry.stride));
            rest = rest.checked_div(entry.size).unwrap_or(0);
        }
        let row = address / (TRF_COLUMNS * FLIT_BYTES);
        let places = rows.len() as u64;
        let place = row
            .checked_rem(places)
            .and_then(|place| usize::try_from(place).ok());
        if let Some(cached) = place.and_then(|place| rows.get_mut(place))
            && *cached != Some(row)
        {
            *cached = Some(row);
            misses += 1;
        }
    }
    misses * 1_000_000 / followed
}

/// The load of the TRF by the sub context that shares most cycles with a pass: those cycles, its own, and its place.
fn load_beside(known: Known<'_>, operation: &Operation) -> Option<(u64, u64, Span)> {
    let schedule = &known.simulation.schedule;
    let own = schedule.slot(operation.id)?;
    let mut longest: Option<(u64, u64, Span)> = None;
    for operation in &known.body.operations {
        let OperationKind::Pass(pass) = &operation.kind else {
            continue;
        };
        if let PassEnd::ToTrf { span, .. } = pass.end
            && pass.context == Some(Context::Sub)
            && let Some(slot) = schedule.slot(operation.id)
        {
            let end = own.end.min(slot.end);
            let together = end.saturating_sub(own.start.max(slot.start));
            if together > 0 && longest.is_none_or(|(most, ..)| most < together) {
                longest = Some((together, slot.cycles(), span));
            }
        }
    }
    longest
}

/// The cycles of a pass whose repetitions are fewer by a factor: from the alignment on, and behind an interleaved
/// accumulator, whose packets then hold more rows, to the end.
pub fn with_more_rows(
    known: Known<'_>,
    operation: &Operation,
    index: usize,
    factor: u64,
) -> Option<Changed> {
    let OperationKind::Pass(pass) = &operation.kind else {
        return None;
    };
    let cost = known.simulation.operations.get(operation.id.0 as usize)?;
    let accumulated = pass.stages.iter().enumerate().find_map(|(number, stage)| {
        let interleaved = match &stage.kind {
            StageKind::Accumulate(kind) => *kind.get()? == AccumulationKind::Interleaved,
            _ => return None,
        };
        Some((number, stage, interleaved))
    });
    let (accumulator, stage, interleaved) = accumulated?;
    if !keeps_tiling(pass, index, stage) {
        return None;
    }
    let fewer = |stage: &StageCost| match stage.engine {
        Engine::Align | Engine::Contract => true,
        _ => interleaved && stage.stage.is_none_or(|number| number >= accumulator),
    };
    let mut stages = cost.stages.clone();
    for stage in stages.iter_mut().filter(|stage| fewer(stage)) {
        stage.busy = stage.busy.map(|busy| busy.div_ceil(factor));
    }
    what_if_stages(known, operation.id, &stages)
}

/// Whether all that the alignment repeats for is in the results.
fn keeps_tiling(pass: &Pass, index: usize, accumulate: &Stage) -> bool {
    let names = |mapping: Option<&Mapping>| mapping.map(|mapping| mapping.form().axis_names());
    let aligned = pass.stages.get(index);
    let (Some(stream), Some(aligned), Some(results)) = (
        names(pass.input_of(index).time.get()),
        aligned.and_then(|stage| names(stage.output.time.get())),
        names(accumulate.output.time.get()),
    ) else {
        return false;
    };
    aligned
        .difference(&stream)
        .all(|axis| results.contains(axis))
}
