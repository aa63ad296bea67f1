//! Transfers without loops of their own: collectives, memsets, the scratchpad.
//!
//! Reads and writes by indices, and what slices take from each other by a fixed plan, have rows. Of all others the figure is that of a
//! plain transfer of as many bytes, as the nearest that has rows, with a range around it: the best is shared by all engines, the worst
//! pays for each request what the dearest row does.
//! Between chips the link decides, and the worst sends everything that a chip holds to each other one.
//! What the book gives a figure of (a transfer over a link) keeps it.

use crate::hardware::calibration::{Rate, TransferConstants};
use crate::hardware::{CLUSTER_ADDRESS_SLICES, CalibrationId, Class};
use crate::kernel::{
    Body, Collective, CollectiveWork, Copy, Level, RedistributionStep, Tensor, TensorId, Tier,
};
use crate::mapping::{Cell, Form};
use crate::numbers::thousands;

use super::super::dma::dm::ENGINE_SLICES;
use super::super::dma::{PCIE_BYTES, REQUEST_BYTES, START_CYCLES};
use super::{Figure, rated_cycles};

/// A figure, and in a sentence what is taken for it where rows do not settle it.
pub type Taken = (Figure, Option<String>);

/// How far a figure of the nearest rows may be from a transfer that is larger than those: in percent above it.
const LARGER: u64 = 60;

/// The figure of a collective; `None` where its bytes are unknown.
pub fn of_collective(
    body: &Body,
    collective: &Collective,
    calibration: CalibrationId,
) -> Option<Taken> {
    match &collective.work {
        CollectiveWork::Gather | CollectiveWork::GatherRows(_) => {
            gather_figure(body, collective, calibration)
        }
        CollectiveWork::Scatter { .. } | CollectiveWork::ScatterRows(_) => {
            scatter_figure(body, collective, calibration)
        }
        work => {
            let target = body.tensor(*collective.targets.first()?)?;
            let chips = crosses_chips(work);
            if !chips
                && !matches!(work, CollectiveWork::Fill { .. })
                && let Some(figure) = within_dm(body, collective, calibration)
            {
                return Some((figure, None));
            }
            let moved = Moved::of(target)?;
            let chips = if chips { moved.chips } else { 1 };
            let figure = moved.unsettled(chips, calibration)?;
            let words = match work {
                CollectiveWork::Fill { .. } => "fill",
                _ => "move by a plan",
            };
            Some((figure, Some(unsettled_words(words, &figure))))
        }
    }
}

fn unsettled_words(what: &str, figure: &Figure) -> String {
    format!(
        "no schedule of a {what} is public: {} cycles are taken, as of a plain transfer, and {} to {} are likely",
        thousands(figure.cycles),
        thousands(figure.low),
        thousands(figure.high)
    )
}

/// What slices of DM take from each other by a fixed plan: a transfer from DM to DM whose slices have one run each.
fn within_dm(body: &Body, collective: &Collective, calibration: CalibrationId) -> Option<Figure> {
    let of = |id: &TensorId| {
        let tensor = body.tensor(*id).filter(|tensor| tensor.tier == Tier::Dm)?;
        let slices = busiest_engine_slices(tensor.levels.slice.as_ref()?.value.as_ref()?.form());
        let requests = Moved::of(tensor)?.bytes.div_ceil(REQUEST_BYTES);
        Some((slices, requests.checked_mul(slices)?))
    };
    let (runs, read) = of(collective.sources.first()?)?;
    let (_, written) = of(collective.targets.first()?)?;
    let moved = super::transfer::Moved {
        // What is left out of is not read.
        read: read.min(written),
        written,
        runs,
        copies: 1,
    };
    let cycles = moved.cycles(&calibration.table().transfer)?;
    Some(Figure::of(calibration, Class::BetweenSlices, cycles))
}

/// The side of a collective that is in DM, else its target.
fn moved_side<'a>(body: &'a Body, collective: &Collective) -> Option<&'a Tensor> {
    let sides = collective.targets.iter().chain(&collective.sources);
    let mut sides = sides.filter_map(|id| body.tensor(*id));
    let in_dm = sides.find(|tensor| tensor.tier == Tier::Dm);
    in_dm.or_else(|| body.tensor(*collective.targets.first()?))
}

/// A gather: the side in DM decides, since what is named by indices is a part of the other.
fn gather_figure(
    body: &Body,
    collective: &Collective,
    calibration: CalibrationId,
) -> Option<Taken> {
    let transfer = &calibration.table().transfer;
    let side = moved_side(body, collective)?;
    let moved = Moved::of(side)?;
    let slices = match (side.tier, &side.levels.slice) {
        (Tier::Dm, Some(slices)) => busiest_engine_slices(slices.value.as_ref()?.form()),
        _ => 1,
    };
    let requests = moved.bytes.div_ceil(REQUEST_BYTES).checked_mul(slices)?;
    let cycles =
        rated_cycles(transfer.gather_request, requests)?.checked_add(transfer.gather_start)?;
    let one_row = indices(body, collective) == Some(1) && side.tier == Tier::Dm;
    let figure = Figure::of(calibration, Class::Gather, cycles);
    if one_row {
        return Some((figure, None));
    }
    let figure = figure.up_to(LARGER);
    let words = format!(
        "no schedule of a gather of several rows is public: it is counted as one row of as many requests, and {} to {} cycles are likely",
        thousands(figure.low),
        thousands(figure.high)
    );
    Some((figure, Some(words)))
}

/// A scatter: rows of up to some bytes take the same, and of larger ones there are no rows.
fn scatter_figure(
    body: &Body,
    collective: &Collective,
    calibration: CalibrationId,
) -> Option<Taken> {
    let transfer = &calibration.table().transfer;
    let figure = Figure::of(calibration, Class::Scatter, transfer.scatter);
    let moved = Moved::of(moved_side(body, collective)?)?;
    let bytes = moved.bytes.checked_mul(moved.slices)?;
    if bytes <= transfer.scatter_bytes {
        return Some((figure, None));
    }
    let figure = figure.up_to(LARGER);
    let words = format!(
        "no schedule of a scatter of more than {} bytes is public: it is counted as one of these, and {} to {} cycles are likely",
        thousands(transfer.scatter_bytes),
        thousands(figure.low),
        thousands(figure.high)
    );
    Some((figure, Some(words)))
}

/// How many indices a gather reads; `None` where that is unknown.
fn indices(body: &Body, collective: &Collective) -> Option<u64> {
    let indices = body.tensor(*collective.sources.get(1)?)?;
    let mut levels = indices.levels.iter();
    levels.try_fold(1_u64, |count, (_, mapping)| {
        count.checked_mul(mapping.value.as_ref()?.form().live_size())
    })
}

/// Slices of the engine that serves most of those that hold something.
fn busiest_engine_slices(slices: &Form) -> u64 {
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

/// The figure of a transfer to or from the scratchpad; `None` where its bytes are unknown.
pub fn of_scratchpad(body: &Body, copy: &Copy, calibration: CalibrationId) -> Option<Taken> {
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    if source.tier != Tier::Spm && target.tier != Tier::Spm {
        return None;
    }
    let figure = Moved::of(target)?.unsettled(1, calibration)?;
    Some((
        figure,
        Some(unsettled_words("move of the scratchpad", &figure)),
    ))
}

/// The range of a transfer whose bytes cross a link between chips, or to the host, in so many cycles by the book: the link alone at
/// best, and the memories before and behind it one after another at worst. It counts as the book's.
pub fn over_link(bytes: u64, cycles: u64, calibration: CalibrationId) -> Figure {
    let transfer = &calibration.table().transfer;
    let requests = bytes.div_ceil(REQUEST_BYTES);
    let moved = rated_cycles(dearest(transfer), requests)
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

    /// What a plain transfer of as many bytes takes by all engines, with the ends of its range; so many chips take part.
    fn unsettled(&self, chips: u64, calibration: CalibrationId) -> Option<Figure> {
        let transfer = &calibration.table().transfer;
        let requests = self.requests()?;
        let plain = transfer.move_start.checked_add(rated_cycles(
            transfer.move_request,
            requests.checked_mul(2)?,
        )?)?;
        let best = rated_cycles(transfer.move_request, requests)?;
        let best = transfer.store_start_one_engine.checked_add(best)?;
        let worst = rated_cycles(dearest(transfer), requests)?.checked_add(transfer.load_start)?;
        let held = self.bytes.checked_mul(self.slices)?;
        let link = held
            .checked_mul(chips.checked_sub(1)?)?
            .div_ceil(PCIE_BYTES);
        let link = START_CYCLES.checked_add(link)?;
        let cycles = if chips > 1 { plain.max(link) } else { plain };
        Some(Figure {
            cycles,
            low: best.min(cycles),
            high: worst.max(link).max(cycles),
            class: None,
            calibration,
        })
    }
}

/// The dearest request that is known.
fn dearest(transfer: &TransferConstants) -> Rate {
    let rates = transfer.copied_request.iter().map(|(_, rate)| *rate);
    rates.max().unwrap_or(0)
}
