//! Transfers of which both ends can be bounded and little more: collectives, memsets, the scratchpad.
//!
//! The best is a plain transfer of as many bytes by all engines; the worst pays for each request what the dearest row does. Of gathers
//! and scatters by indices there are four rows: what these say of a request counts, the ends stay as far as they are.
//! Between chips the link decides, and the worst sends everything that a chip holds to each other one.
//! What the book gives a figure of (a transfer over a link) keeps it.

use crate::hardware::CLUSTER_ADDRESS_SLICES;
use crate::hardware::CalibrationId;
use crate::hardware::calibration::{Calibration, Rate};
use crate::kernel::{
    Body, Collective, CollectiveWork, Copy, Level, RedistributionStep, Tensor, Tier,
};
use crate::mapping::{Cell, Form};

use super::super::dma::dm::ENGINE_SLICES;
use super::super::dma::{PCIE_BYTES, REQUEST_BYTES, START_CYCLES};
use super::{Figure, times};

/// What is known of a transfer beside its ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// Nothing: their middle counts.
    Middle,
    /// What few rows say of its requests.
    Rows,
}

/// The range of a collective, and what counts of it; `None` where its bytes are unknown.
#[must_use]
pub fn of_collective(
    body: &Body,
    collective: &Collective,
    calibration: CalibrationId,
) -> Option<(Figure, Taken)> {
    let table = calibration.table();
    match &collective.work {
        CollectiveWork::Gather
        | CollectiveWork::Scatter { .. }
        | CollectiveWork::GatherRows(_)
        | CollectiveWork::ScatterRows(_) => by_indices(body, collective, calibration),
        work => {
            let moved = Moved::of(body.tensor(*collective.targets.first()?)?)?;
            let chips = if crosses_chips(work) { moved.chips } else { 1 };
            let (low, high) = moved.exchanged(table, chips)?;
            Some((
                Figure::between(calibration, low, high.max(low)),
                Taken::Middle,
            ))
        }
    }
}

/// A gather or a scatter: the side in DM decides, since what is named by indices is a part of the other.
fn by_indices(
    body: &Body,
    collective: &Collective,
    calibration: CalibrationId,
) -> Option<(Figure, Taken)> {
    let table = calibration.table();
    let transfer = &table.transfer;
    let sides = collective.targets.iter().chain(&collective.sources);
    let mut sides = sides.filter_map(|id| body.tensor(*id));
    let in_dm = sides.find(|tensor| tensor.tier == Tier::Dm);
    let Some(in_dm) = in_dm else {
        let moved = Moved::of(body.tensor(*collective.targets.first()?)?)?;
        let high = moved.worst(transfer.indexed_start_most, transfer.indexed_request_most)?;
        let figure = Figure::between(calibration, moved.best(table)?.min(high), high);
        return Some((figure, Taken::Middle));
    };
    let moved = Moved::of(in_dm)?;
    let slices = busiest(in_dm.levels.slice.as_ref()?.value.as_ref()?.form());
    let requests = moved.bytes.div_ceil(REQUEST_BYTES).checked_mul(slices)?;
    let cycles = times(transfer.indexed_request, requests)?.checked_add(transfer.indexed_start)?;
    let worst = moved.worst(transfer.indexed_start_most, transfer.indexed_request_most)?;
    let figure = Figure {
        cycles,
        low: moved.best(table)?.min(cycles),
        high: worst.max(cycles),
        class: None,
        calibration,
    };
    Some((figure, Taken::Rows))
}

/// Slices of the engine that serves most of those that hold something.
fn busiest(slices: &Form) -> u64 {
    let function = slices.function();
    // A cluster has no more.
    let places = slices.size().min(CLUSTER_ADDRESS_SLICES);
    let mut most = 0;
    let mut start = 0;
    while start < places {
        let own = start..places.min(start.saturating_add(ENGINE_SLICES));
        let held = own.filter(|place| matches!(function.cell_at(*place), Cell::Index(_)));
        most = most.max(held.count() as u64);
        start = start.saturating_add(ENGINE_SLICES);
    }
    most
}

/// The range of a transfer to or from the scratchpad; `None` where its bytes are unknown.
#[must_use]
pub fn of_scratchpad(body: &Body, copy: &Copy, calibration: CalibrationId) -> Option<Figure> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    if source.tier != Tier::Spm && target.tier != Tier::Spm {
        return None;
    }
    let (low, high) = Moved::of(target)?.exchanged(calibration.table(), 1)?;
    Some(Figure::between(calibration, low, high.max(low)))
}

/// The range of a transfer whose bytes cross a link between chips, or to the host, in so many cycles by the book: the link alone at
/// best, and the memories before and behind it one after another at worst. It counts as the book's.
#[must_use]
pub fn over_link(bytes: u64, cycles: u64, calibration: CalibrationId) -> Figure {
    let transfer = &calibration.table().transfer;
    let requests = bytes.div_ceil(REQUEST_BYTES);
    let moved = times(transfer.copied_to_all_request, requests)
        .and_then(|moved| moved.checked_add(transfer.load_start));
    Figure {
        high: cycles.saturating_add(moved.unwrap_or(u64::MAX)),
        ..Figure::uncalibrated(calibration, cycles)
    }
}

fn crosses_chips(work: &CollectiveWork) -> bool {
    match work {
        CollectiveWork::Shuffle(parts) | CollectiveWork::ParallelCopy { parts, .. } => {
            parts.level == Level::Chip
        }
        CollectiveWork::Redistribute { steps, asymmetric } => {
            !asymmetric
                && steps.iter().any(|step| match step {
                    RedistributionStep::Shuffle(parts)
                    | RedistributionStep::Slice { parts, .. } => parts.level == Level::Chip,
                })
        }
        _ => false,
    }
}

/// What a transfer writes.
struct Moved {
    chips: u64,
    /// Slices of a chip.
    slices: u64,
    /// Bytes of a slice; of a chip in HBM.
    bytes: u64,
}

impl Moved {
    fn of(target: &Tensor) -> Option<Self> {
        let mut moved = Self {
            chips: 1,
            slices: 1,
            bytes: 1,
        };
        let mut elements: u64 = 1;
        for (level, mapping) in target.levels.iter() {
            let size = mapping.value.as_ref()?.form().elements();
            let part = match level {
                Level::Chip => &mut moved.chips,
                Level::Cluster | Level::Slice | Level::Pe => &mut moved.slices,
                _ => &mut elements,
            };
            *part = part.checked_mul(size)?;
        }
        let bits = elements.checked_mul(target.element_type.value?.bits())?;
        moved.bytes = bits.div_ceil(8);
        Some(moved)
    }

    /// Requests of an engine that has as many slices as it can.
    fn requests(&self) -> Option<u64> {
        let slices = self.slices.min(ENGINE_SLICES);
        self.bytes.div_ceil(REQUEST_BYTES).checked_mul(slices)
    }

    /// A plain load of as many bytes.
    fn best(&self, table: &Calibration) -> Option<u64> {
        let rate = table.transfer.load_request.last()?.1;
        let requests = times(rate, self.requests()?)?;
        table.transfer.store_start_one_engine.checked_add(requests)
    }

    fn worst(&self, start: u64, request: Rate) -> Option<u64> {
        start.checked_add(times(request, self.requests()?)?)
    }

    /// Slices take what others hold; so many chips take part.
    fn exchanged(&self, table: &Calibration, chips: u64) -> Option<(u64, u64)> {
        let transfer = &table.transfer;
        let low = times(transfer.move_piece, self.requests()?)?;
        let low = transfer.store_start_one_engine.checked_add(low)?;
        let high = self.worst(transfer.load_start, transfer.copied_to_all_request)?;
        let held = self.bytes.checked_mul(self.slices)?;
        let others = chips.checked_sub(1)?;
        let link = held.checked_mul(others)?.div_ceil(PCIE_BYTES);
        Some((low, high.max(START_CYCLES.checked_add(link)?)))
    }
}
