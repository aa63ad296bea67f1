//! What the functions of a PTO file move: rows and bytes, and cycles where the settings give figures.

use std::collections::BTreeMap;

use super::analysis::{Analysis, Facts};
use super::ide::highest_ub_byte;
use super::program::{Function, Step, What};
use super::schedule::{lane_of, schedule_steps};
use super::transfers::{CopyKind, Derived};
use visa_base::numbers::thousands;
use visa_findings::TextSpan;
use visa_findings::front_end::{Amount, TimeUnit, TransferCost, TransferRow};
use visa_inputs::PtoOptions;
use visa_transfer::Transfer;

/// What the functions of a file move, in the order of the text.
pub(super) fn transfer_costs(analysis: &Analysis, options: PtoOptions) -> Vec<TransferCost> {
    let moving = analysis
        .functions()
        .filter(|(_, facts)| !facts.derived.is_empty());
    moving
        .map(|(function, facts)| transfer_cost(analysis, function, facts, options))
        .collect()
}

fn transfer_cost(
    analysis: &Analysis,
    function: &Function,
    facts: &Facts,
    options: PtoOptions,
) -> TransferCost {
    let file = &analysis.file;
    let mut times = BTreeMap::new();
    how_often(&function.steps, Some(1), &mut times);
    let rows: Vec<TransferRow> = facts
        .derived
        .iter()
        .enumerate()
        .map(|(index, derived)| {
            let often = times.get(&index).copied().flatten();
            transfer_row(analysis, derived, often, options)
        })
        .collect();
    let mut totals = BTreeMap::new();
    for kind in [
        CopyKind::GmToUb,
        CopyKind::UbToGm,
        CopyKind::UbToUb,
        CopyKind::GmToL1,
    ] {
        let of_kind = rows
            .iter()
            .filter(|row| row.direction == kind.direction_name());
        if of_kind.clone().next().is_none() {
            continue;
        }
        let all = of_kind
            .map(|row| row.bytes.known()?.checked_mul(row.times.known()?))
            .try_fold(0_u64, |sum, bytes| sum.checked_add(bytes?));
        let all = all.map_or(Amount::Unknown, Amount::Known);
        totals.insert(kind.direction_name().to_owned(), all);
    }
    let highest = highest_ub_byte(facts).and_then(|peak| u64::try_from(peak).ok());
    let unit = options.gm_bytes_per_cycle.map(|_| TimeUnit::Cycles);
    let time = rows
        .iter()
        .map(|row| row.time?.checked_mul(row.times.known()?))
        .try_fold(0_u64, |sum, time| sum.checked_add(time?));
    let place = function.name.unwrap_or_else(|| function.place(file));
    let timed: Vec<_> = facts
        .derived
        .iter()
        .zip(&rows)
        .map(|(derived, row)| derived.copy.kind.pipe().zip(row.time))
        .collect();
    // Without flags the assembler puts the order in, which is not known here.
    let scheduled = (unit.is_some() && facts.is_explicit)
        .then(|| schedule_steps(&function.steps, &timed))
        .flatten();
    let note = match (unit, &scheduled) {
        (Some(_), Some(_)) => {
            "cycles by the figures of the settings; those of the vector core are not known and count as none"
        }
        (Some(_), None) => "cycles by the figures of the settings, one transfer after the other",
        (None, _) => "no cycles: the settings give no `gm_bytes_per_cycle`",
    };
    TransferCost {
        name: function.title(file).to_owned(),
        span: TextSpan::new(place.start, place.end),
        rows,
        totals,
        peaks: highest
            .map(|peak| ("UB".to_owned(), peak))
            .into_iter()
            .collect(),
        unit,
        time: time.filter(|_| unit.is_some()),
        schedule: scheduled,
        notes: vec![note.to_owned()],
    }
}

/// How often each copy runs, by its number; `None` where the number is unknown.
fn how_often(steps: &[Step], times: Option<u64>, found: &mut BTreeMap<usize, Option<u64>>) {
    for step in steps {
        match step {
            Step::Do(action) => {
                if let What::Copy(index) = action.what {
                    found.insert(index, times);
                }
            }
            // A branch may be taken or not.
            Step::Choice { one, other, .. } => {
                how_often(one, None, found);
                how_often(other, None, found);
            }
            Step::Repeat { body, trips, .. } => {
                let all = times
                    .zip(*trips)
                    .and_then(|(times, trips)| times.checked_mul(trips));
                how_often(body, all, found);
            }
        }
    }
}

fn transfer_row(
    analysis: &Analysis,
    derived: &Derived,
    times: Option<u64>,
    options: PtoOptions,
) -> TransferRow {
    let name = analysis.file.operation(derived.operation()).name;
    let transfer = derived.transfer.as_ref();
    let number = |number: Option<i128>| {
        let number = number.and_then(|number| u64::try_from(number).ok());
        number.map_or(Amount::Unknown, Amount::Known)
    };
    let bytes = number(transfer.and_then(Transfer::moved));
    let written = number(transfer.and_then(Transfer::written));
    let mut notes: Vec<String> = derived.unknown.iter().cloned().collect();
    if let (Some(moved), Some(all)) = (bytes.known(), written.known())
        && all > moved
    {
        notes.push(format!(
            "{} bytes of padding, {} % of what is written",
            thousands(all - moved),
            u128::from(all - moved) * 100 / u128::from(all)
        ));
    }
    // Within UB other figures hold.
    let is_outside = derived.copy.kind != CopyKind::UbToUb;
    let rate = options
        .gm_bytes_per_cycle
        .filter(|&rate| rate > 0 && is_outside);
    let time = bytes.known().zip(rate).map(|(bytes, rate)| {
        bytes
            .div_ceil(rate)
            .saturating_add(options.setup_cycles.unwrap_or(0))
    });
    TransferRow {
        span: TextSpan::new(name.start, name.end),
        what: analysis.file.name(derived.operation()).to_owned(),
        direction: derived.copy.kind.direction_name().to_owned(),
        by: derived
            .copy
            .kind
            .pipe()
            .map(|pipe| pipe.trim_start_matches("PIPE_").to_owned()),
        lane: derived.copy.kind.pipe().and_then(lane_of),
        times: times.map_or(Amount::Unknown, Amount::Known),
        rows: number(transfer.and_then(Transfer::rows)),
        run: transfer.map_or(Amount::Unknown, |transfer| Amount::Known(transfer.run)),
        bytes,
        written,
        time,
        notes,
    }
}
