//! Cycles of a DMA transfer (book: DMA Performance, HBM).
//!
//! Knows how the requests of a transfer spread over engines, DMNs, slices, HBM channels and banks. The loops of the
//! transfer come from its derivation; nothing here walks them element by element.
//!
//! A packet is moved in requests of up to 256 bytes. On a side in DM an engine issues one a cycle, and a DMN answers 128
//! bytes a cycle; on a side in HBM each channel serves one after the other. Sides in different memories overlap, in the same
//! memory they add up. Each command takes 500 cycles to start. Other traffic on the same memories is not known here.

pub mod alternatives;
mod channels;
pub mod dm;
pub mod hbm;
pub mod segments;
pub mod transfer;

#[cfg(test)]
mod events;
#[cfg(test)]
mod tests;

use std::cell::RefCell;

use rustc_hash::FxHashMap;

use crate::derivation::dma::DmaDerivation;
use crate::hardware::{CalibrationId, Model};
use crate::kernel::{Body, Collective, CollectiveWork, Copy, Level, Tensor, Tier};
use crate::numbers::thousands;
use crate::transfer::Side;

use super::calibrated::ranges::{of_scratchpad, over_link};
use super::calibrated::{Figure, least_transfer, transfer_figure};
use super::{Engine, Gap, OperationCost, StageCost, model_calibration};

pub use dm::{DmPattern, SliceUse};
pub use hbm::HbmPattern;
pub use segments::Segments;
#[cfg(test)]
pub use transfer::Place;
pub use transfer::{Step, Transfer};

/// Bytes of a request, and of the unit that HBM moves.
pub use crate::hardware::DMA_REQUEST_BYTES as REQUEST_BYTES;
/// Cycles before the first byte of a command.
pub use crate::hardware::DMA_START_CYCLES as START_CYCLES;
pub use crate::hardware::PCIE_BYTES;

/// How a transfer meets one of its two memories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum SidePattern {
    /// The memory of the host, which is behind the link.
    #[default]
    Host,
    /// HBM.
    Hbm(HbmPattern),
    /// Data memory.
    Dm(DmPattern),
}

impl SidePattern {
    /// Requests of a chip, over all engines.
    pub const fn requests(&self) -> u64 {
        match self {
            Self::Host => 0,
            Self::Hbm(pattern) => pattern.requests,
            Self::Dm(pattern) => pattern.requests,
        }
    }

    /// Cycles that the side is busy.
    pub fn cycles(&self) -> u64 {
        match self {
            Self::Host => 0,
            Self::Hbm(pattern) => pattern.cycles(),
            Self::Dm(pattern) => pattern.cycles(),
        }
    }

    /// Cycles that the busiest engine needs to issue its requests.
    pub const fn engine_cycles(&self) -> u64 {
        match self {
            Self::Host => 0,
            Self::Hbm(pattern) => pattern.engine_cycles,
            Self::Dm(pattern) => pattern.engine_cycles,
        }
    }
}

/// The pattern of a transfer in its two memories.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DmaCost {
    /// Requests on the reading side, over all engines of all chips.
    pub read_requests: u64,
    /// Requests on the writing side, over all engines of all chips.
    pub write_requests: u64,
    /// Engines of a chip that work on it in parallel.
    pub engines: u64,
    /// Commands that the engine with the most of them is given.
    pub commands: u64,
    /// Bytes of a packet.
    pub packet_bytes: u64,
    /// The reading side.
    pub read: SidePattern,
    /// The writing side.
    pub write: SidePattern,
    /// Bytes that cross the busiest link between chips, or to the host.
    pub link_bytes: u64,
    /// Bytes that are read or written in HBM of a chip, as often as they are.
    pub hbm_bytes: u64,
    /// How the transfer falls into commands, if it does.
    pub segments: Option<Segments>,
    /// Cycles from the start of the first command to the last byte, by the model that was asked for.
    pub cycles: u64,
    /// The same by the book.
    pub book_cycles: u64,
    /// The same by the schedule, with bounds, where that was asked for.
    pub figure: Option<Figure>,
}

/// What a transfer costs.
pub fn transfer_cost(
    body: &Body,
    copy: &Copy,
    derivation: &DmaDerivation,
    model: Model,
) -> OperationCost {
    match transfer_pattern(body, copy, derivation, model) {
        Ok((transfer, pattern)) => staged_cost(body, copy, transfer.as_ref(), pattern),
        Err(_)
            if let Some(taken) =
                model_calibration(body, model).and_then(|id| of_scratchpad(body, copy, id)) =>
        {
            super::ranged(taken)
        }
        Err(reason) => OperationCost {
            gaps: vec![Gap {
                reason: reason.to_owned(),
                span: copy.span,
            }],
            ..OperationCost::default()
        },
    }
}

/// Cycles of a load into a part of a tensor of DM if the part were a tensor of its own; `None` where it is one.
pub fn own_tensor_cycles(
    body: &Body,
    copy: &Copy,
    derivation: &DmaDerivation,
    model: Model,
) -> Option<u64> {
    let mut transfer = Transfer::of(body, copy, derivation, model)?;
    transfer.whole_bytes.take()?;
    Some(transfer.cost()?.cycles)
}

/// What a shuffle between chips costs: each chip sends all that it holds over its link. `None` for other collectives.
pub fn shuffle_cost(body: &Body, collective: &Collective, model: Model) -> Option<OperationCost> {
    match &collective.work {
        CollectiveWork::Shuffle(parts) if parts.level == Level::Chip => {}
        _ => return None,
    }
    let source = body.tensor(*collective.sources.first()?)?;
    let mut bits = source.element_type.value?.bits();
    for (level, mapping) in source.levels.iter() {
        if level != Level::Chip {
            bits = bits.checked_mul(mapping.get()?.form().live_size())?;
        }
    }
    let pattern = link_cost(bits.div_ceil(8), model_calibration(body, model));
    Some(OperationCost {
        stages: vec![start_stage(1), link_stage(pattern.link_bytes)],
        cycles: Some(pattern.cycles),
        book: Some(pattern.book_cycles),
        figure: pattern.figure,
        bottleneck: Some(1),
        assumptions: link_words(&pattern).into_iter().collect(),
        dma: Some(pattern),
        ..OperationCost::default()
    })
}

fn transfer_pattern(
    body: &Body,
    copy: &Copy,
    derivation: &DmaDerivation,
    model: Model,
) -> Result<(Option<Transfer>, DmaCost), &'static str> {
    let unknown = "the loops of the transfer are unknown";
    let (source, target) = body
        .tensor(copy.source)
        .zip(body.tensor(copy.target))
        .ok_or(unknown)?;
    if source.tier == Tier::Host || target.tier == Tier::Host {
        let bytes = host_bytes(source, target).ok_or("the size of the transfer is unknown")?;
        return Ok((None, link_cost(bytes, model_calibration(body, model))));
    }
    derivation.transfer.as_ref().ok_or(unknown)?;
    derivation
        .packet_bytes
        .ok_or("no packet of the transfer is legal")?;
    let transfer = Transfer::of(body, copy, derivation, model).ok_or(unknown)?;
    let pattern = transfer
        .cost()
        .ok_or("the transfer is larger than can be counted")?;
    Ok((Some(transfer), pattern))
}

/// Bytes of a transfer from or to the host: what the device's tensor holds on one chip.
fn host_bytes(source: &Tensor, target: &Tensor) -> Option<u64> {
    let device = if source.tier == Tier::Host {
        target
    } else {
        source
    };
    let elements = device.levels.element.value.as_ref()?.size();
    let bits = device.element_type.value?.bits();
    Some(elements.checked_mul(bits)?.div_ceil(8))
}

/// A transfer whose link decides. No schedule of one is public.
fn link_cost(bytes: u64, calibration: Option<CalibrationId>) -> DmaCost {
    let cycles = START_CYCLES.saturating_add(bytes.div_ceil(PCIE_BYTES));
    DmaCost {
        engines: 1,
        commands: 1,
        link_bytes: bytes,
        cycles,
        book_cycles: cycles,
        figure: calibration.map(|id| over_link(bytes, cycles, id)),
        ..DmaCost::default()
    }
}

/// Transfers whose costs a thread keeps: the runs of a loop are alike.
const KEPT_COSTS: usize = 256;

thread_local! {
    static COSTS: RefCell<FxHashMap<Transfer, Option<DmaCost>>> = RefCell::default();
}

impl Transfer {
    /// What the transfer costs; `None` where it is larger than can be counted.
    pub fn cost(&self) -> Option<DmaCost> {
        let costed = self.wherever_in_slices();
        let kept = COSTS.with_borrow(|costs| costs.get(&costed).cloned());
        kept.unwrap_or_else(|| {
            let cost = costed.derive_cost();
            COSTS.with_borrow_mut(|costs| {
                if costs.len() >= KEPT_COSTS {
                    costs.clear();
                }
                costs.insert(costed, cost.clone());
            });
            cost
        })
    }

    /// As far as its cost goes: a slice answers alike wherever in it the bytes are, and a kernel uses many addresses.
    fn wherever_in_slices(&self) -> Self {
        let mut costed = self.clone();
        for place in [&mut costed.source, &mut costed.target] {
            if place.tier == Tier::Dm {
                place.base = None;
            }
        }
        costed
    }

    fn derive_cost(&self) -> Option<DmaCost> {
        let slices = |side: Side| match self.place(side).tier {
            Tier::Dm => self.slice_use(side).map(Some),
            _ => Some(None),
        };
        let (read_slices, write_slices) = (slices(Side::Source)?, slices(Side::Target)?);
        // The engines of the side that reaches more of them make the transfer.
        let shared = [&read_slices, &write_slices]
            .into_iter()
            .flatten()
            .max_by_key(|slices| slices.engines);
        let (engines, share) = shared.map_or((1, (1, 1)), |slices| {
            (slices.engines, (slices.engine_share, slices.iterations))
        });
        let pattern = |side: Side, slices: Option<SliceUse>| -> Option<SidePattern> {
            let packets = self.chip_packets(side)?;
            Some(match (self.place(side).tier, slices) {
                (Tier::Dm, Some(slices)) => {
                    let busiest =
                        (u128::from(packets) * u128::from(share.0)).div_ceil(share.1.max(1).into());
                    let busiest = u64::try_from(busiest).ok()?;
                    SidePattern::Dm(DmPattern::of(slices, packets, busiest, self.packet_bytes)?)
                }
                (Tier::Hbm, _) => SidePattern::Hbm(self.stream(side)?.pattern()?),
                _ => return None,
            })
        };
        let (read, write) = (
            pattern(Side::Source, read_slices)?,
            pattern(Side::Target, write_slices)?,
        );
        let link_bytes = self.crossing_bytes()?;
        let mut hbm_bytes: u64 = 0;
        for side in [Side::Source, Side::Target] {
            if self.place(side).tier == Tier::Hbm {
                let bytes = self.chip_packets(side)?.checked_mul(self.packet_bytes)?;
                hbm_bytes = hbm_bytes.checked_add(bytes)?;
            }
        }
        let (commands, cycles) = self.total(&read, &write, link_bytes)?;
        let cost = DmaCost {
            read_requests: read.requests().saturating_mul(self.chips(Side::Source)),
            write_requests: write.requests().saturating_mul(self.chips(Side::Target)),
            engines,
            commands,
            packet_bytes: self.packet_bytes,
            read,
            write,
            link_bytes,
            hbm_bytes,
            segments: self.segments.clone(),
            cycles,
            book_cycles: cycles,
            figure: None,
        };
        let figure = self.calibration.map(|id| transfer_figure(self, &cost, id));
        Some(DmaCost {
            cycles: figure.map_or(cycles, |figure| figure.cycles),
            figure,
            ..cost
        })
    }

    /// Commands of the engine with the most of them, and cycles of the whole.
    fn total(
        &self,
        read: &SidePattern,
        write: &SidePattern,
        link_bytes: u64,
    ) -> Option<(u64, u64)> {
        let (reads, writes) = (read.cycles(), write.cycles());
        let both = if self.source.tier == self.target.tier {
            reads.checked_add(writes)?
        } else {
            reads.max(writes)
        };
        let data = both.max(link_bytes.div_ceil(PCIE_BYTES));
        let Some(segments) = &self.segments else {
            return Some((1, data.checked_add(START_CYCLES)?));
        };
        let part = |cycles: u64, of: u64, whole: u64| {
            u64::try_from((u128::from(cycles) * u128::from(of)).div_ceil(whole.max(1).into())).ok()
        };
        let commands = segments.commands;
        if segments.by_engine {
            // The engines differ, and the book adds their reads and writes up (Example 6).
            let engine = read.engine_cycles().checked_add(write.engine_cycles())?;
            let last = part(engine, segments.remainder, segments.part)?
                .checked_add(START_CYCLES.checked_mul(commands)?)?;
            let total = data.max(engine).checked_add(START_CYCLES)?.max(last);
            return Some((commands, total));
        }
        let commands = commands.checked_add(1)?;
        let whole = segments.parts.checked_mul(segments.part)?;
        let total =
            part(data, segments.size, whole)?.checked_add(START_CYCLES.checked_mul(commands)?)?;
        Some((commands, total))
    }
}

/// Words the pattern as stages: the start, the two sides, the link.
fn staged_cost(
    body: &Body,
    copy: &Copy,
    transfer: Option<&Transfer>,
    pattern: DmaCost,
) -> OperationCost {
    let mut stages = vec![start_stage(pattern.commands)];
    if let Some(transfer) = transfer {
        let read = side_stage(Engine::DmaRead, &pattern.read, pattern.engines);
        let write = side_stage(Engine::DmaWrite, &pattern.write, pattern.engines);
        stages.push(StageCost {
            detail: transfer.configuration(Side::Source),
            ..read
        });
        stages.push(StageCost {
            detail: transfer.configuration(Side::Target),
            ..write
        });
    }
    if pattern.link_bytes > 0 {
        stages.push(link_stage(pattern.link_bytes));
    }
    let bottleneck = stages
        .iter()
        .enumerate()
        .rev()
        .max_by_key(|(_, stage)| stage.busy)
        .map(|(index, _)| index);
    OperationCost {
        cycles: Some(pattern.cycles),
        book: Some(pattern.book_cycles),
        figure: pattern.figure,
        bottleneck,
        assumptions: transfer_assumptions(body, copy, transfer, &pattern),
        stages,
        dma: Some(pattern),
        ..OperationCost::default()
    }
}

/// Cycles of a transfer of so many bytes in whole units, shared by so many engines: the fewest that they need. `None` between
/// memories of which no such figure is known.
pub fn least_cycles(
    body: &Body,
    model: Model,
    tiers: (Tier, Tier),
    bytes: u64,
    engines: u64,
) -> Option<u64> {
    let units = bytes.div_ceil(REQUEST_BYTES);
    match model_calibration(body, model) {
        Some(id) => least_transfer(tiers, units, engines, id),
        None => {
            let channels = u128::from(units) * u128::from(hbm::TRANSFER_THIRDS);
            let channels = u64::try_from(channels.div_ceil(3 * hbm::CHANNELS as u128)).ok()?;
            let data = units.div_ceil(engines.max(1)).max(channels);
            START_CYCLES.checked_add(data)
        }
    }
}

fn start_stage(commands: u64) -> StageCost {
    StageCost {
        engine: Engine::DmaStart,
        stage: None,
        busy: Some(0),
        scheduled: None,
        latency: START_CYCLES.saturating_mul(commands),
        formula: "500 * commands",
        inputs: vec![("commands", commands)],
        detail: String::new(),
        heading: "Startup Latency",
    }
}

fn link_stage(bytes: u64) -> StageCost {
    StageCost {
        engine: Engine::Pcie,
        stage: None,
        busy: Some(bytes.div_ceil(PCIE_BYTES)),
        scheduled: None,
        latency: 0,
        formula: "bytes / 30",
        inputs: vec![("bytes", bytes)],
        detail: String::new(),
        heading: "Inter-Chip Transfers",
    }
}

fn side_stage(engine: Engine, pattern: &SidePattern, engines: u64) -> StageCost {
    let (formula, inputs, heading) = match pattern {
        SidePattern::Host => ("0", Vec::new(), "Inter-Chip Transfers"),
        SidePattern::Hbm(hbm) => (
            "max(alone_cycles, channel_cycles)",
            vec![
                ("requests", hbm.requests),
                ("engines", engines),
                ("alone_cycles", hbm.alone_cycles),
                ("channels", hbm.channels),
                ("channel_cycles", hbm.channel_cycles),
            ],
            "High-Bandwidth Memory (HBM)",
        ),
        SidePattern::Dm(dm) => (
            "max(engine_cycles, dmn_cycles)",
            vec![
                ("requests", dm.requests),
                ("engines", engines),
                ("engine_cycles", dm.engine_cycles),
                ("dmn_cycles", dm.dmn_cycles),
            ],
            "Optimizing DMA Performance",
        ),
    };
    StageCost {
        engine,
        stage: None,
        busy: Some(pattern.cycles()),
        scheduled: None,
        latency: 0,
        formula,
        inputs,
        detail: String::new(),
        heading,
    }
}

/// What is taken for a transfer over a link, of which no schedule is public.
fn link_words(pattern: &DmaCost) -> Option<String> {
    let figure = pattern.figure.filter(|_| pattern.link_bytes > 0)?;
    Some(format!(
        "no schedule of a transfer over a link is public: {} at best, the link alone; {} at worst, the memories before and behind it \
         one after another; the best is the book's and is taken",
        thousands(figure.low),
        thousands(figure.high)
    ))
}

/// What is assumed of a tensor of HBM whose address is not known, behind its name.
pub const ALONE: &str = " is aligned and alone in HBM";

/// What the figures take for granted.
fn transfer_assumptions(
    body: &Body,
    copy: &Copy,
    transfer: Option<&Transfer>,
    pattern: &DmaCost,
) -> Vec<String> {
    let mut assumptions: Vec<String> = link_words(pattern).into_iter().collect();
    let Some(transfer) = transfer else {
        assumptions.push(
            "the link to the host moves as many bytes a cycle as one between chips".to_owned(),
        );
        return assumptions;
    };
    for (side, id) in [(Side::Source, copy.source), (Side::Target, copy.target)] {
        let place = transfer.place(side);
        if place.tier == Tier::Hbm && place.base.is_none() {
            let name = body.tensor(id).and_then(|tensor| tensor.name.clone());
            let name = name.map_or_else(|| "the tensor".to_owned(), |name| format!("`{name}`"));
            assumptions.push(format!("{name}{ALONE}"));
        }
    }
    for side in [&pattern.read, &pattern.write] {
        if let SidePattern::Hbm(hbm) = side
            && hbm.walked < hbm.requests
        {
            assumptions.push(format!(
                "the pattern of HBM is alike throughout: estimated from {} of {} requests",
                thousands(hbm.walked),
                thousands(hbm.requests)
            ));
        }
    }
    if transfer.source.tier == Tier::Hbm && transfer.target.tier == Tier::Hbm {
        assumptions.push("one engine of the chip makes the transfer".to_owned());
    }
    if pattern.segments.is_some() {
        assumptions.push("the compiler cuts the transfer into the fewest commands".to_owned());
    }
    assumptions
}
