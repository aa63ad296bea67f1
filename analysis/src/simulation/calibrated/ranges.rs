//! Transfers of which both ends can be bounded and no more: collectives, memsets, the scratchpad.
//!
//! The best is a plain transfer of as many bytes by all engines; the worst pays for each request what the dearest row does.
//! Between chips the link decides, and the worst sends everything that a chip holds to each other one.

use crate::hardware::CalibrationId;
use crate::hardware::calibration::{Calibration, Rate};
use crate::kernel::{
    Body, Collective, CollectiveWork, Copy, Level, RedistributionStep, Tensor, Tier,
};

use super::super::dma::dm::ENGINE_SLICES;
use super::super::dma::{PCIE_BYTES, REQUEST_BYTES, START_CYCLES};
use super::{Figure, times};

/// The range of a collective; `None` where its bytes are unknown.
#[must_use]
pub fn of_collective(
    body: &Body,
    collective: &Collective,
    calibration: CalibrationId,
) -> Option<Figure> {
    let moved = Moved::of(body.tensor(*collective.targets.first()?)?)?;
    let table = calibration.table();
    let (low, high) = match &collective.work {
        CollectiveWork::Gather
        | CollectiveWork::Scatter { .. }
        | CollectiveWork::GatherRows(_)
        | CollectiveWork::ScatterRows(_) => (
            moved.best(table)?,
            moved.worst(table.transfer.indexed_start, table.transfer.indexed_request)?,
        ),
        work => {
            let chips = if crosses_chips(work) { moved.chips } else { 1 };
            moved.exchanged(table, chips)?
        }
    };
    Some(Figure::between(calibration, low, high.max(low)))
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
        let dearest = transfer.copied_request.last()?.1;
        let high = self.worst(transfer.load_start, dearest)?;
        let held = self.bytes.checked_mul(self.slices)?;
        let others = chips.checked_sub(1)?;
        let link = held.checked_mul(others)?.div_ceil(PCIE_BYTES);
        Some((low, high.max(START_CYCLES.checked_add(link)?)))
    }
}
