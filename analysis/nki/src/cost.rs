//! What transfers move and take at least, by function.
//!
//! Knows bytes and the published figures of starts and bandwidth. The bandwidth of short payloads is not modelled.

use std::collections::BTreeMap;

use super::Analysed;
use super::names::Mode;
use super::rules::machine::{ENGINES, GENERATION_NS, START_NS, bandwidth};
use super::symbols::{Kind, Size};
use super::transfers::Transfer;
use super::types::{Generation, Space};
use visa_base::lanes::{Lane, Machine};
use visa_findings::TextSpan;
use visa_findings::front_end::{Amount, TimeUnit, TransferCost, TransferRow};

/// The costs of all functions with transfers, in the order of the file.
pub fn transfer_costs(analysed: &Analysed) -> Vec<TransferCost> {
    let followed = &analysed.followed;
    let mut places: Vec<Option<usize>> = followed
        .transfers
        .iter()
        .map(|transfer| transfer.function)
        .collect();
    places.sort_unstable();
    places.dedup();
    let mut costs: Vec<TransferCost> = places
        .into_iter()
        .map(|place| {
            let mut transfers: Vec<&Transfer> = followed
                .transfers
                .iter()
                .filter(|transfer| transfer.function == place)
                .collect();
            transfers.sort_by_key(|transfer| transfer.span);
            let function = place.and_then(|place| followed.functions.get(place));
            let first = transfers
                .first()
                .map_or_else(TextSpan::default, |transfer| transfer.callee.into());
            let name =
                function.map_or_else(|| "module".to_owned(), |function| function.name.clone());
            let span = function.map_or(first, |function| function.name_span.into());
            transfer_cost(analysed, name, span, &transfers)
        })
        .collect();
    costs.sort_by_key(|cost| cost.span);
    costs
}

/// A size as an amount: a number, or its text where it has symbols that the reader knows.
pub fn amount(size: Option<&Size>) -> Amount {
    match size {
        None => Amount::Unknown,
        Some(size) => match size.value() {
            Some(value) => u64::try_from(value).map_or(Amount::Unknown, Amount::Known),
            None if size.has_kind(Kind::Loop) || size.has_kind(Kind::Runtime) => Amount::Unknown,
            None => Amount::Symbolic(size.to_string()),
        },
    }
}

fn transfer_cost(
    analysed: &Analysed,
    name: String,
    span: TextSpan,
    transfers: &[&Transfer],
) -> TransferCost {
    let mut totals: BTreeMap<String, Option<Size>> = BTreeMap::new();
    let mut rows = Vec::with_capacity(transfers.len());
    let mut time = Some(0_u64);
    for transfer in transfers {
        let row = transfer_row(analysed, transfer);
        let times = transfer.times(&analysed.followed.loops);
        let moved = transfer
            .bytes()
            .zip(times)
            .and_then(|(bytes, times)| bytes.times(&times));
        totals
            .entry(row.direction.clone())
            .and_modify(|sum| {
                *sum = sum
                    .take()
                    .zip(moved.clone())
                    .and_then(|(sum, moved)| sum.plus(&moved));
            })
            .or_insert(moved);
        time = time
            .zip(row.time)
            .zip(row.times.known())
            .and_then(|((sum, one), times)| sum.checked_add(one.checked_mul(times)?));
        rows.push(row);
    }
    let generation = transfers
        .iter()
        .find_map(|transfer| transfer.generations.only_generation());
    let stated = generation.map_or("trn2, as no target is stated", Generation::name);
    let rate = bandwidth(
        transfers
            .first()
            .map_or(super::types::Generations::ANY, |transfer| {
                transfer.generations
            }),
    );
    TransferCost {
        name,
        span,
        rows,
        totals: totals
            .into_iter()
            .map(|(direction, sum)| (direction, amount(sum.as_ref())))
            .collect(),
        peaks: BTreeMap::new(),
        unit: Some(TimeUnit::Nanoseconds),
        time,
        schedule: None,
        notes: vec![
            format!(
                "target {stated}: {rate} bytes/ns per engine, {ENGINES} engines per core, {} GB/s",
                rate * ENGINES
            ),
            format!(
                "an instruction takes at least {START_NS} ns to start and its bytes at the bandwidth of the core; shorter payloads are slower, \
                 which is not modelled; the sum is of instructions one after another"
            ),
        ],
    }
}

/// Nanoseconds that an instruction takes at least: the later of its start and its descriptors, and its bytes at the core's bandwidth.
pub fn least_time(transfer: &Transfer) -> Option<u64> {
    let bytes = u64::try_from(transfer.bytes()?.value()?).ok()?;
    let generation = match transfer.mode.known_value() {
        Some((Mode::Hardware, _)) => GENERATION_NS,
        _ => 0,
    };
    let rate = bandwidth(transfer.generations) * ENGINES;
    START_NS.max(generation).checked_add(bytes.div_ceil(rate))
}

/// The queue that a transfer is in, where mode and engine say so.
fn queue(transfer: &Transfer) -> Option<Lane> {
    let name = match transfer.mode.known_value()?.0 {
        Mode::Software => "gpsimd",
        Mode::Static => "static",
        Mode::Hardware => transfer.engine.known_value()?.0.0,
        Mode::Unknown => return None,
    };
    Machine::Nki.lane(name)
}

/// Rows that a transfer has: the product of the extents before the line.
fn transfer_row_count(transfer: &Transfer) -> Amount {
    let moved = transfer.bytes().and_then(|bytes| bytes.value());
    match (moved, transfer.payload()) {
        (Some(bytes), Some((line, _))) if line > 0 => {
            u64::try_from(bytes / line).map_or(Amount::Unknown, Amount::Known)
        }
        _ => Amount::Unknown,
    }
}

fn transfer_row(analysed: &Analysed, transfer: &Transfer) -> TransferRow {
    let space = |space: Option<Space>| space.map_or("unknown memory", Space::name);
    let (source, destination) = (&transfer.source.tensor, &transfer.destination.tensor);
    let mut notes = Vec::new();
    if let Some(reason) = transfer.unresolved() {
        notes.push(format!("not fully known: {}", reason.text()));
    }
    if matches!(transfer.mode.known_value(), Some((Mode::Static, _))) {
        notes.push(
            "one static descriptor per instance, held in HBM; its size is not published".to_owned(),
        );
    }
    let run = transfer
        .payload()
        .and_then(|(bytes, _)| u64::try_from(bytes).ok());
    TransferRow {
        span: transfer.span.into(),
        what: transfer.callee.text_in(&analysed.text).to_owned(),
        direction: format!("{} to {}", space(source.space), space(destination.space)),
        by: transfer
            .mode
            .known_value()
            .map(|(mode, _)| mode.name().to_owned()),
        lane: queue(transfer),
        times: amount(transfer.times(&analysed.followed.loops).as_ref()),
        rows: transfer_row_count(transfer),
        run: run.map_or(Amount::Unknown, Amount::Known),
        bytes: amount(source.bytes().or_else(|| transfer.bytes()).as_ref()),
        written: amount(transfer.bytes().as_ref()),
        time: least_time(transfer),
        notes,
    }
}
