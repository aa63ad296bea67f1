//! A transfer: requests of the busiest engine at a rate that depends on what each slice gets.

use crate::hardware::calibration::{RATE_UNIT, Rate, TransferConstants};
use crate::hardware::{CalibrationId, Class};
use crate::kernel::Tier;
use crate::transfer::{Loop, Side};

use super::super::dma::dm::ENGINE_SLICES;
use super::super::dma::{DmaCost, REQUEST_BYTES, SidePattern, Step, Transfer};
use super::ranges::over_link;
use super::requests::{Starts, Stride, written};
use super::{Figure, times};

/// Slices that are neighbours in one cluster.
const CLUSTER_SLICES: u64 = crate::hardware::CLUSTER_ADDRESS_SLICES;

/// The schedule's figure of a transfer with this pattern. What falls into several commands has no evidence, and what crosses a link
/// a range.
#[must_use]
pub fn figure(transfer: &Transfer, book: &DmaCost, calibration: CalibrationId) -> Figure {
    match cycles(transfer, book, &calibration.table().transfer) {
        Some((class, cycles)) => Figure::of(calibration, class, cycles),
        None if book.link_bytes > 0 => over_link(book.link_bytes, book.cycles, calibration),
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
        (Tier::Dm, Tier::Dm) => between_slices(transfer, book, table),
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

/// The loops of one chip over the slices of a side, and those within a slice, with their steps on the other side.
fn nests(transfer: &Transfer, dm: Side, hbm: Side) -> (Vec<Stride>, Vec<Stride>) {
    let (mut over, mut within) = (Vec::new(), Vec::new());
    for entry in &transfer.loops {
        let (here, there) = (entry.step(dm), entry.step(hbm));
        if here.chips != 0 || there.chips != 0 {
            continue;
        }
        let stride = Stride {
            size: entry.count,
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
fn busiest_requests(transfer: &Transfer, hbm: Side, within: &[Stride]) -> Option<u64> {
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
    /// Slices of one cluster that get the same.
    cluster_copies: u64,
    unit_reads: u64,
    /// Whether runs that are longer than rows settle begin inside of a unit.
    crosses: bool,
}

fn load(transfer: &Transfer, book: &DmaCost, table: &TransferConstants) -> Option<(Class, u64)> {
    let (over, within) = nests(transfer, Side::Target, Side::Source);
    let product = |strides: &[Stride]| {
        let mut sizes = strides.iter().map(|stride| stride.size);
        sizes.try_fold(1_u64, u64::checked_mul)
    };
    let copied: Vec<Stride> = over.iter().copied().filter(|of| of.bytes == 0).collect();
    let copies = product(&copied)?;
    let slice_bytes = product(&within)?.checked_mul(transfer.run_bytes)?;
    let base = transfer.source.base.unwrap_or(0);
    let starts = Starts::of(base, over.iter().chain(&within).copied())?;
    let distinct = over.iter().chain(&within);
    let load = Load {
        requests: busiest_requests(transfer, Side::Source, &within)?,
        slice_bytes,
        copies,
        cluster_copies: cluster_copies(transfer),
        crosses: transfer.run_bytes > table.crossing_run_bytes && !starts.aligned(),
        unit_reads: copies.checked_mul(runs_of_unit(distinct, transfer.run_bytes))?,
    };
    let (class, rate) = load.rate(transfer, table);
    let charged = load.charged(transfer)?;
    let requests = times(rate, charged)?;
    let hot = table.hot_unit_read.checked_mul(load.unit_reads)?;
    let several = table.load_start.checked_add(requests.max(hot))?;
    let (class, cycles) = if book.engines <= 1 {
        let requests = times(table.load_request_one_engine, charged)?;
        let alone = table.load_start_one_engine.checked_add(requests)?;
        // The rows are of slices of one DMN. An engine of which both serve takes no longer than each of several.
        let cycles = if one_dmn(book) {
            alone
        } else {
            alone.min(several)
        };
        (Class::LoadOneEngine, cycles)
    } else {
        (class, several)
    };
    let tile = transfer
        .whole_bytes
        .is_some_and(|whole| whole > slice_bytes);
    Some((if tile { Class::LoadTile } else { class }, cycles))
}

/// Whether one DMN of an engine serves all slices that are written.
const fn one_dmn(book: &DmaCost) -> bool {
    match &book.write {
        SidePattern::Dm(pattern) => pattern.slices.engine_dmns <= 1,
        _ => false,
    }
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
        let small = self.slice_bytes <= table.copied_small_bytes;
        let rate = if small {
            plain
        } else {
            let copied = plain.max(table.copied_request);
            between(&[(1, plain), (table.copied_most, copied)], self.copies)
        };
        // Rows are of half of a cluster's slices and of all.
        let all = plain.max(table.copied_to_all_request);
        let ends = [(table.copied_to_all / 2, rate), (table.copied_to_all, all)];
        let rate = between(&ends, self.cluster_copies);
        let class = match () {
            () if self.copies > 1 => Class::LoadCopies,
            () if transfer.run_bytes < table.small_packet_bytes => Class::LoadSmallPackets,
            () if self.crosses => Class::LoadCrossing,
            () if small => Class::LoadSmall,
            () => Class::LoadLarge,
        };
        (class, rate)
    }
}

/// Slices of one cluster that a load gives the same bytes.
fn cluster_copies(transfer: &Transfer) -> u64 {
    let copied = transfer.loops.iter().filter(|entry| {
        let (read, write) = (entry.source, entry.target);
        let in_place = read.chips == 0 && read.bytes == 0 && write.chips == 0;
        in_place && (1..CLUSTER_SLICES).contains(&write.slices)
    });
    copied.fold(1, |product: u64, entry| {
        // A loop may go on in the other cluster.
        let own = CLUSTER_SLICES.div_ceil(entry.target.slices);
        product.saturating_mul(entry.count.min(own))
    })
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
    let (over, within) = nests(transfer, Side::Source, Side::Target);
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
        let requests = busiest_requests(transfer, Side::Target, &within)?;
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
    // Whole units are shared by the engines, as where there are no others.
    let whole = times(
        table.store_request,
        units.whole.div_ceil(book.engines.max(1)),
    )?;
    let partial = times(rate, units.squares.checked_sub(units.whole)?)?;
    let scattered = table
        .scattered_start
        .checked_add(partial)?
        .checked_add(whole)?
        .max(table.single_piece);
    if !is_strided(transfer) {
        let class = if reads_both_clusters(transfer) {
            Class::StoreBothClusters
        } else {
            Class::StoreScattered
        };
        return Some((class, scattered));
    }
    let strided = times(table.strided_piece, units.runs)?.checked_add(table.strided_start)?;
    Some((Class::StoreStrided, scattered.max(strided)))
}

/// Whether slices of more than one cluster are read.
fn reads_both_clusters(transfer: &Transfer) -> bool {
    let mut loops = transfer.loops.iter();
    loops.any(|entry| {
        let last = entry.count.saturating_sub(1);
        entry.source.slices.saturating_mul(last) >= CLUSTER_SLICES
    })
}

/// Whether the slices that are read have others between them.
fn is_strided(transfer: &Transfer) -> bool {
    let steps = transfer.loops.iter().filter_map(|entry| {
        let slices = entry.source.slices;
        (entry.count > 1 && slices > 0 && slices < CLUSTER_SLICES).then_some(slices)
    });
    steps
        .min()
        .is_some_and(|least| least > 1 && least < ENGINE_SLICES)
}

/// From DM to DM: the requests of the busiest cluster, those of copies at a rate that grows with their number.
fn between_slices(
    transfer: &Transfer,
    book: &DmaCost,
    table: &TransferConstants,
) -> Option<(Class, u64)> {
    let of_cluster = |side: Side, pattern: &SidePattern| {
        let requests = match pattern {
            SidePattern::Dm(pattern) => pattern.requests,
            _ => 0,
        };
        requests.div_ceil(clusters(transfer, side))
    };
    let pieces = of_cluster(Side::Source, &book.read).max(of_cluster(Side::Target, &book.write));
    let copies = transfer.loops.iter().filter(|entry| {
        let (read, write) = (entry.source, entry.target);
        read.chips == 0 && read.slices == 0 && read.bytes == 0 && write.slices > 0
    });
    let copies = copies.fold(1, |product: u64, entry| product.saturating_mul(entry.count));
    let rates = [
        (1, table.move_piece),
        (table.move_copies_most, table.move_copied_piece),
    ];
    let cycles = table
        .move_start
        .checked_add(times(between(&rates, copies), pieces)?)?;
    let class = if copies > 1 {
        Class::MoveCopies
    } else {
        Class::BetweenSlices
    };
    Some((class, cycles))
}

/// Clusters of a chip that a side reaches.
fn clusters(transfer: &Transfer, side: Side) -> u64 {
    let last = |entry: &Loop<Step>| {
        let step = entry.step(side);
        let last = entry.count.saturating_sub(1);
        step.slices.saturating_mul(last)
    };
    let reach: u64 = transfer.loops.iter().map(last).fold(0, u64::saturating_add);
    if reach >= CLUSTER_SLICES { 2 } else { 1 }
}
