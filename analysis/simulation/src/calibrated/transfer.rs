//! A transfer: requests of the busiest engine at a rate that depends on what each slice gets.
//!
//! The formulas were fitted to published schedules, which show cycles and no mechanism. The busiest engine decides, since a transfer ends
//! with its last request. Rates are kept by the size of a slice's piece, because schedules of equal bytes differ by it alone. A pattern that
//! no schedule shows gets no figure, and a range where the schedules leave one open: a number that was never seen would look as sure as
//! the others.

use crate::hardware::calibration::{RATE_UNIT, Rate, TransferConstants};
use crate::hardware::{CalibrationId, Class};
use crate::kernel::Tier;
use crate::transfer::Side;

use super::super::dma::dm::ENGINE_SLICES;
use super::super::dma::{DmaCost, REQUEST_BYTES, SidePattern, Transfer};
use super::ranges::over_link;
use super::requests::{Starts, Stride, lay_runs};
use super::{Figure, rated_cycles};

/// Slices that are neighbours in one cluster.
const CLUSTER_SLICES: u64 = crate::hardware::CLUSTER_ADDRESS_SLICES;

/// The schedule's figure of a transfer with this pattern. What falls into several commands has no evidence, and what crosses a link
/// a range.
pub fn figure(transfer: &Transfer, book: &DmaCost, calibration: CalibrationId) -> Figure {
    match transfer_cycles(transfer, book, &calibration.table().transfer) {
        Some((class, cycles)) => Figure::of(calibration, class, cycles),
        None if book.link_bytes > 0 => over_link(book.link_bytes, book.cycles, calibration),
        None => Figure::uncalibrated(calibration, book.cycles),
    }
}

/// The class and the cycles of a transfer by some constants; `None` where no schedule shows such a transfer.
pub fn transfer_cycles(
    transfer: &Transfer,
    book: &DmaCost,
    table: &TransferConstants,
) -> Option<(Class, u64)> {
    if book.link_bytes > 0 || book.segments.is_some() {
        return None;
    }
    match (transfer.source.tier, transfer.target.tier) {
        (Tier::Hbm, Tier::Dm) => load_cycles(transfer, book, table),
        (Tier::Dm, Tier::Hbm) => store_cycles(transfer, book, table),
        (Tier::Dm, Tier::Dm) => between_slices(transfer, book, table),
        _ => None,
    }
}

/// The fewest cycles of a transfer of so many whole units, shared by so many engines.
pub fn least_cycles(
    tiers: (Tier, Tier),
    units: u64,
    engines: u64,
    id: CalibrationId,
) -> Option<u64> {
    let table = &id.table().transfer;
    let busiest = units.div_ceil(engines.max(1));
    let (start, rate) = match tiers {
        (Tier::Hbm, Tier::Dm) => {
            let (_, rate) = table.load_request.last()?;
            (table.load_start, *rate)
        }
        (Tier::Dm, Tier::Hbm) if units > 1 => (table.store_start, table.store_request),
        (Tier::Dm, Tier::Hbm) => (table.store_start_one_engine, table.store_request_one_engine),
        (Tier::Dm, Tier::Dm) => (table.move_start, table.move_request.saturating_mul(2)),
        _ => return None,
    };
    start.checked_add(rated_cycles(rate, busiest)?)
}

/// The loops of one chip over the slices of a side, and those within a slice, with their steps on the other side.
fn loop_nests(transfer: &Transfer, dm: Side, hbm: Side) -> (Vec<Stride>, Vec<Stride>) {
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
    Some(busiest_engine(transfer, hbm, within)?.requests)
}

/// What an engine moves on a side in HBM.
#[derive(Debug, Clone, Copy, Default)]
struct Busiest {
    requests: u64,
    /// Slices that it serves.
    slices: u64,
    /// Those whose runs begin inside of a unit.
    inside: u64,
}

/// The engine with most requests on a side in HBM; `None` beyond 64 bits.
fn busiest_engine(transfer: &Transfer, hbm: Side, within: &[Stride]) -> Option<Busiest> {
    let starts = Starts::of(0, within.iter().copied())?;
    let run = transfer.run_bytes;
    let base = transfer.place(hbm).base.unwrap_or(0);
    let mut most = Busiest::default();
    for points in transfer.stream(hbm)?.points {
        let mut own = Busiest::default();
        for point in &points {
            let place = base.wrapping_add(*point) % REQUEST_BYTES;
            own.requests = own.requests.checked_add(starts.pieces_from(place, run)?)?;
            own.slices += 1;
            own.inside += u64::from(place != 0);
        }
        if own.requests > most.requests {
            most = own;
        }
    }
    Some(most)
}

/// Parts of a request that requests are counted in, where one counts once and a half.
const PARTS: u64 = 2 * REQUEST_BYTES;

/// What one slice gets in a load, and how often each byte is read.
struct Load {
    /// The busiest engine.
    engine: Busiest,
    slice_bytes: u64,
    /// Slices that get the same, and the different pieces that slices get.
    copies: u64,
    pieces: u64,
    unit_reads: u64,
    /// Whether runs begin inside of a unit.
    crosses: bool,
    /// Whether each slice gets one run that is longer than those whose pieces count.
    is_one_run: bool,
}

fn load_cycles(
    transfer: &Transfer,
    book: &DmaCost,
    table: &TransferConstants,
) -> Option<(Class, u64)> {
    let (over, within) = loop_nests(transfer, Side::Target, Side::Source);
    let product = |strides: &[Stride]| {
        let mut sizes = strides.iter().map(|stride| stride.size);
        sizes.try_fold(1_u64, u64::checked_mul)
    };
    let (copied, distinct): (Vec<Stride>, Vec<Stride>) =
        over.iter().copied().partition(|of| of.bytes == 0);
    let copies = product(&copied)?;
    let slice_bytes = product(&within)?.checked_mul(transfer.run_bytes)?;
    let base = transfer.source.base.unwrap_or(0);
    let starts = Starts::of(base, over.iter().chain(&within).copied())?;
    let long = transfer.run_bytes > table.crossing_run_bytes;
    let all = over.iter().chain(&within);
    let load = Load {
        engine: busiest_engine(transfer, Side::Source, &within)?,
        slice_bytes,
        copies,
        pieces: product(&distinct)?,
        crosses: !starts.aligned(),
        is_one_run: long && slice_bytes == transfer.run_bytes,
        unit_reads: copies.checked_mul(runs_of_unit(all, transfer.run_bytes))?,
    };
    let (class, rate) = load.rate(transfer, table);
    let requests = load.taking(transfer, rate, load.request_parts()?)?;
    let hot = table.hot_unit_read.checked_mul(load.unit_reads)?;
    let several = table.load_start.checked_add(requests.max(hot))?;
    let (class, cycles) = if book.engines <= 1 {
        let pieces = load.engine.requests.checked_mul(PARTS)?;
        let requests = load.taking(transfer, table.load_request_one_engine, pieces)?;
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
    /// The parts of requests that the busiest engine takes. Of a long run a request across a boundary counts once and a half, of others
    /// each piece.
    fn request_parts(&self) -> Option<u64> {
        if !(self.crosses && self.is_one_run) {
            return self.engine.requests.checked_mul(PARTS);
        }
        let halves = self.engine.slices.checked_mul(2)?;
        self.slice_bytes
            .checked_mul(halves.checked_add(self.engine.inside)?)
    }

    /// Requests of a slice.
    fn requests(&self) -> u64 {
        if self.crosses && self.is_one_run {
            return self.slice_bytes.div_ceil(REQUEST_BYTES);
        }
        let slices = self.engine.slices.max(1);
        (self.engine.requests + slices / 2) / slices
    }

    /// Cycles of so many parts of requests, at a rate: those of the whole tensor, where a part of one is loaded.
    fn taking(&self, transfer: &Transfer, rate: Rate, parts: u64) -> Option<u64> {
        let whole = transfer.whole_bytes.unwrap_or(0).max(self.slice_bytes);
        let parts = u128::from(parts) * u128::from(whole);
        let cycles = parts.div_ceil(u128::from(self.slice_bytes.max(1)));
        let unit = u128::from(RATE_UNIT) * u128::from(PARTS);
        let cycles = cycles.checked_mul(u128::from(rate))?;
        u64::try_from((cycles + unit / 2) / unit).ok()
    }

    fn rate(&self, transfer: &Transfer, table: &TransferConstants) -> (Class, Rate) {
        let requests = self.requests();
        let most = table.load_request.last().map_or(0, |(most, _)| *most);
        let plain = if self.crosses && requests >= most {
            table.crossing_request
        } else {
            rate_between(table.load_request, requests)
        };
        let small = self.slice_bytes <= table.copied_small_bytes;
        let copied = plain.max(rate_between(table.copied_request, self.pieces));
        let ends = if small {
            let (few, many) = table.copied_small;
            [(few, plain), (many, copied)]
        } else {
            [(1, plain), (table.copied_most, copied)]
        };
        let rate = rate_between(&ends, self.copies);
        let class = match () {
            () if self.copies > 1 => Class::LoadCopies,
            () if transfer.run_bytes < table.small_packet_bytes => Class::LoadSmallPackets,
            () if self.crosses && self.is_one_run => Class::LoadCrossing,
            () if small => Class::LoadSmall,
            () => Class::LoadLarge,
        };
        (class, rate)
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
fn rate_between(table: &[(u64, Rate)], at: u64) -> Rate {
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

fn store_cycles(
    transfer: &Transfer,
    book: &DmaCost,
    table: &TransferConstants,
) -> Option<(Class, u64)> {
    let (over, within) = loop_nests(transfer, Side::Source, Side::Target);
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
        let (start, request) = if book.engines <= 1 {
            (table.store_start_one_engine, table.store_request_one_engine)
        } else {
            (table.store_start, table.store_request)
        };
        let cycles = start.checked_add(rated_cycles(request, requests)?)?;
        return Some((Class::StoreAligned, cycles));
    }
    let units = lay_runs(base, &strides, run)?;
    if units.pieces == 1 {
        return Some((Class::StoreScattered, table.single_piece));
    }
    let rate = if run < table.tiny_piece_bytes {
        table.tiny_piece
    } else {
        table.scattered_piece
    };
    // Whole units are shared by the engines, as where there are no others.
    let whole = rated_cycles(
        table.store_request,
        units.whole.div_ceil(book.engines.max(1)),
    )?;
    let partial = rated_cycles(rate, units.squares.checked_sub(units.whole)?)?;
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
    let strided =
        rated_cycles(table.strided_piece, units.runs)?.checked_add(table.strided_start)?;
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

/// From DM to DM: the requests of the busiest engine, read and written, or its runs where these take longer.
fn between_slices(
    transfer: &Transfer,
    book: &DmaCost,
    table: &TransferConstants,
) -> Option<(Class, u64)> {
    let (SidePattern::Dm(read), SidePattern::Dm(written)) = (&book.read, &book.write) else {
        return None;
    };
    let copies = cluster_copies(transfer);
    let requests_of_run = transfer
        .packet_bytes
        .div_ceil(REQUEST_BYTES)
        .checked_mul(transfer.packets)?;
    let moved = Moved {
        read: read.engine_cycles,
        written: written.engine_cycles,
        runs: read.engine_cycles.div_ceil(requests_of_run.max(1)),
        copies,
    };
    let class = if copies > 1 {
        Class::MoveCopies
    } else {
        Class::BetweenSlices
    };
    Some((class, moved.cycles(table)?))
}

/// What the busiest engine does in a transfer from DM to DM.
#[derive(Debug, Clone, Copy)]
pub(super) struct Moved {
    /// Requests that it reads.
    pub(super) read: u64,
    /// Requests that it writes.
    pub(super) written: u64,
    /// Runs that it reads.
    pub(super) runs: u64,
    /// Slices of a cluster that get the same.
    pub(super) copies: u64,
}

impl Moved {
    /// Its cycles; `None` beyond 64 bits.
    pub(super) fn cycles(self, table: &TransferConstants) -> Option<u64> {
        let further = self.copies.saturating_sub(1);
        let requests = self.read.checked_add(self.written)?;
        let copied = table.move_copy.checked_mul(further)?;
        let requests = rated_cycles(table.move_request, requests)?
            .checked_add(rated_cycles(copied, self.written)?)?;
        let runs = rated_cycles(table.move_run, self.runs)?;
        table.move_start.checked_add(requests.max(runs))
    }
}

/// Slices of one cluster that a transfer gives the same bytes.
fn cluster_copies(transfer: &Transfer) -> u64 {
    let copied = transfer.loops.iter().filter(|entry| {
        let (read, write) = (entry.source, entry.target);
        let in_place = read.chips == 0 && read.slices == 0 && read.bytes == 0 && write.chips == 0;
        in_place && (1..CLUSTER_SLICES).contains(&write.slices)
    });
    copied.fold(1, |product: u64, entry| {
        // A loop may go on in the other cluster.
        let own = CLUSTER_SLICES.div_ceil(entry.target.slices);
        product.saturating_mul(entry.count.min(own))
    })
}
