//! A transfer: requests of the busiest engine at a rate that depends on what each slice gets.

use crate::hardware::calibration::{RATE_UNIT, Rate, TransferConstants};
use crate::hardware::{CalibrationId, Class};
use crate::kernel::Tier;

use super::super::dma::dm::ENGINE_SLICES;
use super::super::dma::{DmaCost, Half, REQUEST_BYTES, SidePattern, Step, Transfer, TransferLoop};
use super::requests::{Starts, Stride, written};
use super::{Figure, times};

/// Slices that are neighbours in one cluster.
const CLUSTER_SLICES: u64 = crate::hardware::CLUSTER_ADDRESS_SLICES;

/// The schedule's figure of a transfer with this pattern. What crosses a link or falls into several commands has no evidence.
#[must_use]
pub fn figure(transfer: &Transfer, book: &DmaCost, calibration: CalibrationId) -> Figure {
    match cycles(transfer, book, &calibration.table().transfer) {
        Some((class, cycles)) => Figure::of(calibration, class, cycles),
        None => Figure::uncalibrated(calibration, book.cycles),
    }
}

/// The class and the cycles of a transfer by some constants; `None` where no schedule shows such a transfer.
pub(super) fn cycles(
    transfer: &Transfer,
    book: &DmaCost,
    table: &TransferConstants,
) -> Option<(Class, u64)> {
    if book.link_bytes > 0 || book.segments.is_some() {
        return None;
    }
    match (transfer.source.tier, transfer.target.tier) {
        (Tier::Hbm, Tier::Dm) => load(transfer, book, table),
        (Tier::Dm, Tier::Hbm) => store(transfer, book, table),
        (Tier::Dm, Tier::Dm) => between_slices(book, table),
        _ => None,
    }
}

/// The fewest cycles of a transfer of so many whole units, shared by so many engines.
#[must_use]
pub fn least(tiers: (Tier, Tier), units: u64, engines: u64, id: CalibrationId) -> Option<u64> {
    let table = &id.table().transfer;
    let busiest = units.div_ceil(engines.max(1));
    let (start, rate) = match tiers {
        (Tier::Hbm, Tier::Dm) => {
            let (_, rate) = table.load_request.last()?;
            (table.load_start, *rate)
        }
        (Tier::Dm, Tier::Hbm) if units > 1 => (table.store_start, table.store_request),
        (Tier::Dm, Tier::Hbm) => (table.store_start_one_engine, table.store_request),
        (Tier::Dm, Tier::Dm) => (table.move_start, table.move_piece),
        _ => return None,
    };
    start.checked_add(times(rate, busiest)?)
}

const fn step(half: Half, entry: &TransferLoop) -> Step {
    match half {
        Half::Read => entry.read,
        Half::Write => entry.write,
    }
}

/// The loops of one chip over the slices of a side, and those within a slice, with their steps on the other side.
fn nests(transfer: &Transfer, dm: Half, hbm: Half) -> (Vec<Stride>, Vec<Stride>) {
    let (mut over, mut within) = (Vec::new(), Vec::new());
    for entry in &transfer.loops {
        let (here, there) = (step(dm, entry), step(hbm, entry));
        if here.chips != 0 || there.chips != 0 {
            continue;
        }
        let stride = Stride {
            size: entry.size,
            bytes: there.bytes,
        };
        if here.slices == 0 {
            within.push(stride);
        } else {
            over.push(stride);
        }
    }
    (over, within)
}

/// Requests of the busiest engine on a side in HBM; `None` beyond 64 bits.
fn busiest_requests(transfer: &Transfer, hbm: Half, within: &[Stride]) -> Option<u64> {
    let starts = Starts::of(0, within.iter().copied())?;
    let run = transfer.run_bytes;
    let base = transfer.place(hbm).base.unwrap_or(0);
    let mut most = 0;
    for points in transfer.stream(hbm)?.points {
        let requests = points.iter().try_fold(0_u64, |sum, point| {
            sum.checked_add(starts.pieces_from(base.wrapping_add(*point) % REQUEST_BYTES, run)?)
        })?;
        most = most.max(requests);
    }
    Some(most)
}

/// What one slice gets in a load, and how often each byte is read.
struct Load {
    requests: u64,
    slice_bytes: u64,
    copies: u64,
    unit_reads: u64,
}

fn load(transfer: &Transfer, book: &DmaCost, table: &TransferConstants) -> Option<(Class, u64)> {
    let (over, within) = nests(transfer, Half::Write, Half::Read);
    let product = |strides: &[Stride]| {
        let mut sizes = strides.iter().map(|stride| stride.size);
        sizes.try_fold(1_u64, u64::checked_mul)
    };
    let copied: Vec<Stride> = over.iter().copied().filter(|of| of.bytes == 0).collect();
    let copies = product(&copied)?;
    let slice_bytes = product(&within)?.checked_mul(transfer.run_bytes)?;
    let distinct = over.iter().chain(&within);
    let load = Load {
        requests: busiest_requests(transfer, Half::Read, &within)?,
        slice_bytes,
        copies,
        unit_reads: copies.checked_mul(runs_of_unit(distinct, transfer.run_bytes))?,
    };
    let (class, cycles) = if book.engines <= 1 {
        let requests = times(table.load_request_one_engine, load.requests)?;
        let cycles = table.load_start_one_engine.checked_add(requests)?;
        (Class::LoadOneEngine, cycles)
    } else {
        let (class, rate) = load.rate(transfer, table);
        let requests = times(rate, load.charged(transfer)?)?;
        let hot = table.hot_unit_read.checked_mul(load.unit_reads)?;
        (class, table.load_start.checked_add(requests.max(hot))?)
    };
    let tile = transfer
        .whole_bytes
        .is_some_and(|whole| whole > slice_bytes);
    Some((if tile { Class::LoadTile } else { class }, cycles))
}

impl Load {
    /// Requests that the schedule counts: those of the whole tensor, where a part of one is loaded.
    fn charged(&self, transfer: &Transfer) -> Option<u64> {
        let whole = transfer.whole_bytes.unwrap_or(0).max(self.slice_bytes);
        let requests = u128::from(self.requests) * u128::from(whole);
        u64::try_from(requests.div_ceil(u128::from(self.slice_bytes.max(1)))).ok()
    }

    fn rate(&self, transfer: &Transfer, table: &TransferConstants) -> (Class, Rate) {
        let plain = between(table.load_request, self.slice_bytes);
        let copied = between(table.copied_request, self.copies);
        let small = self.slice_bytes <= table.copied_small_bytes;
        if self.copies >= table.copied_to_all {
            return (Class::LoadCopies, copied.max(plain));
        }
        if self.copies > 1 && !small {
            let first = table
                .copied_request
                .first()
                .map_or(1, |(copies, _)| *copies);
            let rate = if self.copies >= first {
                copied.max(plain)
            } else {
                between(&[(1, plain), (first, copied.max(plain))], self.copies)
            };
            return (Class::LoadCopies, rate);
        }
        let class = match () {
            () if self.copies > 1 => Class::LoadCopies,
            () if transfer.run_bytes < table.small_packet_bytes => Class::LoadSmallPackets,
            () if small => Class::LoadSmall,
            () => Class::LoadLarge,
        };
        (class, plain)
    }
}

/// Runs that begin in one unit of HBM and are read apart.
fn runs_of_unit<'a>(strides: impl Iterator<Item = &'a Stride>, run: u64) -> u64 {
    let mut inside: Vec<&Stride> = strides
        .filter(|stride| stride.bytes > 0 && stride.bytes < REQUEST_BYTES)
        .collect();
    inside.sort_by_key(|stride| stride.bytes);
    let mut reach = run;
    let mut runs: u64 = 1;
    for stride in inside {
        if reach >= REQUEST_BYTES {
            break;
        }
        let here = stride.size.min(REQUEST_BYTES.div_ceil(stride.bytes));
        runs = runs.saturating_mul(here);
        reach = reach.max(stride.bytes.saturating_mul(here));
    }
    runs
}

/// The rate of a table at a value: between two entries it changes evenly with the logarithm of the value.
fn between(table: &[(u64, Rate)], at: u64) -> Rate {
    let behind = table.iter().position(|(value, _)| *value >= at);
    let entry = |index: usize| table.get(index).copied();
    let Some(behind) = behind else {
        return table.last().map_or(RATE_UNIT, |(_, rate)| *rate);
    };
    let Some(after) = entry(behind) else {
        return RATE_UNIT;
    };
    let Some(before) = behind.checked_sub(1).and_then(entry) else {
        return after.1;
    };
    let share = (at as f64 / before.0 as f64).ln() / (after.0 as f64 / before.0 as f64).ln();
    let rate = (after.1 as f64 / before.1 as f64).powf(share) * before.1 as f64;
    rate.round() as Rate
}

fn store(transfer: &Transfer, book: &DmaCost, table: &TransferConstants) -> Option<(Class, u64)> {
    let (over, within) = nests(transfer, Half::Read, Half::Write);
    let run = transfer.run_bytes;
    // Copies that HBM lacks are not written.
    let strides: Vec<Stride> = over
        .iter()
        .chain(&within)
        .copied()
        .filter(|stride| stride.bytes > 0)
        .collect();
    let base = transfer.target.base.unwrap_or(0);
    let aligned =
        run.is_multiple_of(REQUEST_BYTES) && Starts::of(base, strides.iter().copied())?.aligned();
    if aligned {
        let requests = busiest_requests(transfer, Half::Write, &within)?;
        let start = if book.engines <= 1 {
            table.store_start_one_engine
        } else {
            table.store_start
        };
        let cycles = start.checked_add(times(table.store_request, requests)?)?;
        return Some((Class::StoreAligned, cycles));
    }
    let units = written(base, &strides, run)?;
    if units.pieces == 1 {
        return Some((Class::StoreScattered, table.single_piece));
    }
    let rate = if run < table.tiny_piece_bytes {
        table.tiny_piece
    } else {
        table.scattered_piece
    };
    let scattered = table
        .scattered_start
        .checked_add(times(rate, units.squares)?)?;
    if !is_strided(transfer) {
        return Some((Class::StoreScattered, scattered));
    }
    let strided = times(table.strided_piece, units.runs)?.checked_add(table.strided_start)?;
    Some((Class::StoreStrided, scattered.max(strided)))
}

/// Whether the slices that are read have others between them.
fn is_strided(transfer: &Transfer) -> bool {
    let steps = transfer.loops.iter().filter_map(|entry| {
        let slices = entry.read.slices;
        (entry.size > 1 && slices > 0 && slices < CLUSTER_SLICES).then_some(slices)
    });
    steps
        .min()
        .is_some_and(|least| least > 1 && least < ENGINE_SLICES)
}

fn between_slices(book: &DmaCost, table: &TransferConstants) -> Option<(Class, u64)> {
    let pieces = |side: &SidePattern| match side {
        SidePattern::Dm(pattern) => pattern.engine_cycles,
        _ => 0,
    };
    let pieces = pieces(&book.read).max(pieces(&book.write));
    let cycles = table
        .move_start
        .checked_add(times(table.move_piece, pieces)?)?;
    Some((Class::BetweenSlices, cycles))
}
