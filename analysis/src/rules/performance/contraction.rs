//! MACs that stand idle, and loads of the TRF that its readers hold up.

use crate::derivation::StageDerivation;
use crate::derivation::contraction::{AlignDerivation, TrfSequencer};
use crate::hardware::FLIT_BYTES;
use crate::items::Span;
use crate::kernel::{
    AccumulationKind, Context, OperationKind, PassEnd, Stage, StageKind, TensorId,
};
use crate::mapping::{Form, Mapping};
use crate::simulation::{Changed, Engine, StageCost, what_if, what_if_stages};

use super::super::wording::at_uses;
use super::super::{Applicability, Checked, Finding, Rule, Saving, rule};
use super::{
    Costed, KERNEL_SHARE, MANY_CYCLES, saves, weighty_passes, with_estimate, with_saving, worth,
};

pub(in crate::rules) static IDLE_ROWS: Rule = rule!(
    "idle_rows",
    Performance,
    "Row utilization",
    "fewer than 8 rows multiply while the stream is repeated for weights that the others could hold",
    "The MAC array has 8 rows, and every packet of the stream reaches all of them at once, each with weights of its own. \
     Weights that stand in the time of the TRF instead of its rows make the Stream Adapter repeat each packet for them, one \
     cycle each, while the other rows stand idle. Take as many of them as make 8 into the rows. \
     Reported where that makes the whole pass a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass 500 cycles).",
);

pub(in crate::rules) static HALF_MAC_PACKET: Rule = rule!(
    "half_mac_packet",
    Performance,
    "Flit Buffer",
    "aligned packets hold one flit of the stream where two would fit",
    "A row multiplies 64 bytes a cycle, two flits. With one collected flit a packet, the upper half is zeros, and the contraction \
     takes twice the cycles. Where two neighbouring flits are reduced together, the Stream Adapter can collect both into one \
     packet. \
     Reported where that makes the whole pass a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass 500 cycles).",
    fix,
);

pub(in crate::rules) static TRF_LOAD_STALL: Rule = rule!(
    "trf_load_stall",
    Performance,
    "TRF Cache",
    "a contraction reads both bank columns of the TRF each cycle while the sub context loads it",
    "Reads of the TRF come before writes. A read of 64 bytes takes both bank columns unless the cache of four of them holds \
     it, so that a load beside it writes only in the cycles of a hit. Weights that stay the same for several cycles leave room \
     for the load; so do reads of 32 bytes or less that change columns. \
     Reported where the load waits for at least 2 % of the kernel's cycles, and at least 500.",
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&IDLE_ROWS, &HALF_MAC_PACKET, &TRF_LOAD_STALL];

pub(in super::super) fn check(checked: &Checked<'_>, findings: &mut Vec<Finding>) {
    for costed in weighty_passes(checked) {
        for (index, stage, derived) in costed.stages() {
            if let (StageKind::Align { operand, .. }, StageDerivation::Align(derived)) =
                (&stage.kind, derived)
            {
                findings.extend(two_flits(&costed, index, stage, derived));
                if let Some(operand) = operand {
                    findings.extend(more_rows(&costed, index, *operand, derived));
                }
                findings.extend(stalled_load(&costed, stage, derived));
            }
        }
    }
}

/// Two collected flits instead of one.
fn two_flits(
    costed: &Costed<'_>,
    index: usize,
    stage: &Stage,
    derived: &AlignDerivation,
) -> Option<Finding> {
    if derived.collected_flits != Some(1) {
        return None;
    }
    let packet = derived.two_flit_packet.as_ref()?;
    let input = costed.pass.input_of(index).time.get()?;
    let (outer, _) = input.form().split_at(2)?;
    // What the time repeats inside stays inside.
    let (_, tiling) = stage.output.time.get()?.form().split_at(derived.tiling?)?;
    let time = Form::multiply(&outer, &tiling)?.to_mapping();
    let changed = what_if(costed.known, costed.operation.id, |pass| {
        if let Some(stage) = pass.stages.get_mut(index) {
            stage.output.time.value = Some(time.clone());
            stage.output.packet.value = Some(packet.clone());
        }
    })?;
    let saving = worth(costed.known, &changed)?;
    let finding = Finding::new(
        &HALF_MAC_PACKET,
        stage.output.packet.span,
        format!(
            "one flit of {FLIT_BYTES} bytes fills half of the 64 that a row multiplies; two a packet take {} cycles instead of {}",
            saving.operation_after, saving.operation_before
        ),
    );
    let replaced = at_uses(&[(&stage.output.packet, packet), (&stage.output.time, &time)]);
    let words = ("align to ", "{} of {}");
    let finding = finding.suggest(words, Applicability::Maybe, stage.span, &replaced);
    Some(with_saving(finding, saving))
}

/// Repeated packets for weights that idle rows could hold.
fn more_rows(
    costed: &Costed<'_>,
    index: usize,
    operand: TensorId,
    derived: &AlignDerivation,
) -> Option<Finding> {
    let row = costed.known.body.tensor(operand)?.levels.row.as_ref()?;
    let rows = row.get()?.size();
    let all = costed.known.body.machine.rows;
    let tiling = derived.tiling?;
    let factor = [8, 4, 2].into_iter().find(|factor| {
        rows.checked_mul(*factor).is_some_and(|rows| rows <= all) && tiling.is_multiple_of(*factor)
    })?;
    let changed = with_rows(costed, index, factor)?;
    let saving = worth(costed.known, &changed)?;
    let finding = Finding::new(
        &IDLE_ROWS,
        row.span,
        format!(
            "{rows} of {all} rows multiply, {} % of the MACs are idle, and each packet is repeated {tiling} times for weights that \
             {} rows could hold",
            (all - rows) * 100 / all,
            rows * factor
        ),
    )
    .related(
        costed.pass.stages.get(index)?.output.time.span,
        "repeated inside this time",
    )
    .help("take a part of what the time repeats into the rows of the load");
    Some(with_estimate(finding, saving))
}

/// The cycles of a pass whose repetitions are fewer by a factor: from the alignment on, and behind an interleaved
/// accumulator, whose packets then hold more rows, to the end.
fn with_rows(costed: &Costed<'_>, index: usize, factor: u64) -> Option<Changed> {
    let accumulated = costed
        .pass
        .stages
        .iter()
        .enumerate()
        .find_map(|(number, stage)| {
            let interleaved = match &stage.kind {
                StageKind::Accumulate(kind) => *kind.get()? == AccumulationKind::Interleaved,
                _ => return None,
            };
            Some((number, stage, interleaved))
        });
    let (accumulator, stage, interleaved) = accumulated?;
    if !keeps_tiling(costed, index, stage) {
        return None;
    }
    let fewer = |stage: &StageCost| match stage.engine {
        Engine::Align | Engine::Contract => true,
        _ => interleaved && stage.stage.is_none_or(|number| number >= accumulator),
    };
    let mut stages = costed.cost.stages.clone();
    for stage in stages.iter_mut().filter(|stage| fewer(stage)) {
        stage.busy = stage.busy.map(|busy| busy.div_ceil(factor));
    }
    what_if_stages(costed.known, costed.operation.id, &stages)
}

/// Whether all that the alignment repeats for is in the results.
fn keeps_tiling(costed: &Costed<'_>, index: usize, accumulate: &Stage) -> bool {
    let names = |mapping: Option<&Mapping>| mapping.map(|mapping| mapping.form().axis_names());
    let aligned = costed.pass.stages.get(index);
    let (Some(stream), Some(aligned), Some(results)) = (
        names(costed.pass.input_of(index).time.get()),
        aligned.and_then(|stage| names(stage.output.time.get())),
        names(accumulate.output.time.get()),
    ) else {
        return false;
    };
    aligned
        .difference(&stream)
        .all(|axis| results.contains(axis))
}

/// Reads that are followed through the cache of the TRF.
const FOLLOWED_READS: u64 = 16_384;

/// Of a million reads how many miss the cache of the TRF, by the first ones: direct-mapped, four rows of two columns
/// (book: TRF Cache). A read of 64 bytes takes both columns of a row.
fn misses_a_million(sequencer: &TrfSequencer) -> u64 {
    let mut rows: [Option<u64>; 4] = [None; 4];
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
        let row = address / (2 * FLIT_BYTES);
        let index = usize::try_from(row % 4).unwrap_or(0);
        if let Some(cached) = rows.get_mut(index)
            && *cached != Some(row)
        {
            *cached = Some(row);
            misses += 1;
        }
    }
    misses * 1_000_000 / followed
}

/// The load of the TRF by the sub context that shares most cycles with a pass: those cycles, its own, and its place.
fn load_beside(costed: &Costed<'_>) -> Option<(u64, u64, Span)> {
    let schedule = &costed.known.simulation.schedule;
    let own = schedule.slot(costed.operation.id)?;
    let mut longest: Option<(u64, u64, Span)> = None;
    for operation in &costed.known.body.operations {
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

/// A load of the TRF that runs beside reads of both columns.
fn stalled_load(costed: &Costed<'_>, stage: &Stage, derived: &AlignDerivation) -> Option<Finding> {
    let sequencer = derived.sequencer.as_ref()?;
    if sequencer.reg_read_size <= FLIT_BYTES {
        return None;
    }
    let total = costed.known.simulation.total()?;
    let (together, after, load) = load_beside(costed)?;
    // Of the cycles of both those in which the pass reads and misses.
    let mut stages = costed.cost.stages.iter();
    let reads = stages
        .find(|stage| stage.engine == Engine::Align)?
        .busy
        .map(u128::from)?;
    let share = misses_a_million(sequencer);
    let blocked = u128::from(share)
        .checked_mul(reads)?
        .checked_div(u128::from(costed.cost.cycles?))?;
    let stalled = u64::try_from(u128::from(together) * blocked / 1_000_000).ok()?;
    let before = after.checked_add(stalled)?;
    if stalled < MANY_CYCLES || !saves(total.checked_add(stalled)?, total, KERNEL_SHARE) {
        return None;
    }
    let finding = Finding::new(
        &TRF_LOAD_STALL,
        stage.span,
        format!(
            "each read takes 64 bytes, both bank columns of the TRF, and {} % miss the cache: the load beside it, {after} cycles \
             alone, waits about {stalled} more",
            share / 10_000
        ),
    )
    .related(load, "this load writes the TRF at the same time")
    .help("repeat a packet less often, or read half as much at a time, so that the load finds a free column");
    Some(finding.saves(Saving {
        operation_before: before,
        operation_after: after,
        kernel: None,
        simulated: false,
    }))
}
