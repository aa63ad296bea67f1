//! MACs that are idle, and loads of the TRF that its readers hold up.

use crate::alternatives::SuggestMappings as _;
use crate::derivation::StageDerivation;
use crate::derivation::contraction::AlignDerivation;
use crate::hardware::FLIT_BYTES;
use crate::kernel::{Stage, StageKind, TensorId};
use crate::mapping::Form;
use crate::simulation::trf::{LoadStall, load_stall, with_more_rows};
use crate::simulation::what_if;

use super::super::wording::at_uses;
use super::super::{Applicability, Checked, Finding, Rule, Saving, rule};
use super::{
    Costed, KERNEL_SHARE, MANY_CYCLES, saves_percent, weighty_passes, with_estimate, with_saving,
    worth,
};

pub(crate) static IDLE_ROWS: Rule = rule!(
    "idle_rows",
    Performance,
    Contraction,
    "Row utilization",
    "fewer than 8 rows multiply while the stream is repeated for weights that the others could hold",
    "The MAC array has 8 rows, and every packet of the stream reaches all of them at once, each with weights of its \
     own. If weights are in the time of the TRF instead of its rows, the Stream Adapter repeats each packet for them. \
     Each repetition takes a cycle, while the other rows are idle. Take as many of them as make 8 into the rows. \
     Reported where that makes the whole pass a tenth faster and the kernel 2 % and 100 cycles (without a total, the \
     pass 500 cycles).",
);

pub(crate) static HALF_MAC_PACKET: Rule = rule!(
    "half_mac_packet",
    Performance,
    Contraction,
    "Flit Buffer",
    "aligned packets hold one flit of the stream where two would fit",
    "A row multiplies 64 bytes a cycle, two flits. With one collected flit a packet, the upper half is zeros, and the contraction \
     takes twice the cycles. Where two neighbouring flits are reduced together, the Stream Adapter can collect both into one \
     packet. \
     Reported where that makes the whole pass a tenth faster and the kernel 2 % and 100 cycles (without a total, the pass 500 cycles).",
    fix,
);

pub(crate) static TRF_LOAD_STALL: Rule = rule!(
    "trf_load_stall",
    Performance,
    Contraction,
    "TRF Cache",
    "a contraction reads both bank columns of the TRF each cycle while the sub context loads it",
    "Reads of the TRF come before writes. A read of 64 bytes takes both bank columns unless the cache of four of them \
     holds it. So a simultaneous load writes only in the cycles of a hit. Weights that stay the same for several \
     cycles leave room for the load; so do reads of 32 bytes or less that change columns. Reported where the load \
     waits for at least 2 % of the kernel's cycles, and at least 500.",
);

/// The family's rules.
pub(in super::super) const RULES: &[&Rule] = &[&IDLE_ROWS, &HALF_MAC_PACKET, &TRF_LOAD_STALL];

pub(in super::super) fn check_contraction_performance(
    checked: &Checked<'_>,
    findings: &mut Vec<Finding>,
) {
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
    let counts: Vec<u64> = costed.known.body.machine.row_counts().collect();
    let mut factors = counts.into_iter().rev().filter(|count| *count > 1);
    let factor = factors.find(|factor| {
        rows.checked_mul(*factor).is_some_and(|rows| rows <= all) && tiling.is_multiple_of(*factor)
    })?;
    let changed = with_more_rows(costed.known, costed.operation, index, factor)?;
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

/// A load of the TRF that runs beside reads of both columns.
fn stalled_load(costed: &Costed<'_>, stage: &Stage, derived: &AlignDerivation) -> Option<Finding> {
    let total = costed.known.simulation.total()?;
    let LoadStall {
        load,
        alone: after,
        waits: stalled,
        misses_a_million: share,
    } = load_stall(costed.known, costed.operation, costed.cost, derived)?;
    let before = after.checked_add(stalled)?;
    if stalled < MANY_CYCLES || !saves_percent(total.checked_add(stalled)?, total, KERNEL_SHARE) {
        return None;
    }
    let finding = Finding::new(
        &TRF_LOAD_STALL,
        stage.span,
        format!(
            "each read takes 64 bytes, both bank columns of the TRF, and {} % miss the cache: the simultaneous load, {after} \
             cycles alone, waits about {stalled} more",
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
