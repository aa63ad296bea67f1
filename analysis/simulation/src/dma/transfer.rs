//! A transfer as its engines make it: packets, loops over them, and which engine serves which slice (book: DMA Sequencer
//! Internals, Homogeneous Aggregate Operation).
//!
//! Knows the order of the stream, which the compiler chooses and the book's examples show: packets of the longest run
//! innermost, then the two DMNs of an engine, its slices, and the rest outward in the order of the HBM side. What the
//! order costs is known to `hbm` and `dm`.

use std::fmt::Write as _;

use crate::derivation::dma::{CHIP_BITS, DmaDerivation, SLICE_BITS};
use crate::derivation::views::tiled_axes;
use crate::hardware::{CalibrationId, Model};
use crate::kernel::{Body, Copy, Tensor, TensorId, Tier};
use crate::transfer::{Loop, Side};

use super::super::model_calibration;
use super::dm::{DMN_SLICES, ENGINE_SLICES, SliceLoop, SliceUse, slices};
use super::hbm::{Direction, Stream, Stride};
use super::{REQUEST_BYTES, Segments};

/// The distance between two iterations of a loop on one side, in one of three units.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Step {
    /// Chips.
    pub chips: u64,
    /// Slices, numbered through the clusters of a chip.
    pub slices: u64,
    /// Bytes within a slice or an HBM.
    pub bytes: u64,
}

impl Step {
    fn of(bits: i128, tier: Tier) -> Option<Self> {
        let (chips, bits) = (bits / CHIP_BITS, bits % CHIP_BITS);
        let (slices, bits) = match tier {
            Tier::Dm => (bits / SLICE_BITS, bits % SLICE_BITS),
            _ => (0, bits),
        };
        Some(Self {
            chips: u64::try_from(chips).ok()?,
            slices: u64::try_from(slices).ok()?,
            bytes: u64::try_from(bits / 8).ok()?,
        })
    }
}

/// One side's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Place {
    /// The memory.
    pub tier: Tier,
    /// Address of the first byte, of the HBM or of each slice; `None` if unknown.
    pub base: Option<u64>,
}

/// A transfer, ready to be costed. A rule changes one and asks again.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Transfer {
    /// Where it reads.
    pub source: Place,
    /// Where it writes.
    pub target: Place,
    /// Loops around the run, outermost first.
    pub loops: Vec<Loop<Step>>,
    /// Packets of a run.
    pub packets: u64,
    /// Bytes of a packet.
    pub packet_bytes: u64,
    /// Bytes that are in a line on both sides.
    pub run_bytes: u64,
    /// The parts it falls into where its shape does not divide.
    pub segments: Option<Segments>,
    /// Bytes of a slice of the tensor in DM that a part is loaded into; `None` where the whole is.
    pub whole_bytes: Option<u64>,
    /// The constants that its cycles are made of; `None` for the book's.
    pub calibration: Option<CalibrationId>,
}

impl Transfer {
    /// The transfer that was derived; `None` where its loops or its packet are unknown or impossible.
    pub fn of(body: &Body, copy: &Copy, derivation: &DmaDerivation, model: Model) -> Option<Self> {
        let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
        let place = |tensor: &Tensor| Place {
            tier: tensor.tier,
            base: tensor.address.bytes(),
        };
        let derived = derivation.transfer.as_ref()?;
        let loops = derived
            .loops
            .iter()
            .map(|one| {
                Some(Loop {
                    count: one.count,
                    source: Step::of(one.source, source.tier)?,
                    target: Step::of(one.target, target.tier)?,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        let run_bytes = derived.run.div_ceil(8);
        let packet_bytes = derivation.packet_bytes.filter(|bytes| *bytes > 0)?;
        let mut transfer = Self {
            source: place(source),
            target: place(target),
            loops,
            packets: run_bytes.div_ceil(packet_bytes),
            packet_bytes,
            run_bytes,
            segments: Segments::of(source, target),
            whole_bytes: whole_bytes(body, copy.target),
            calibration: model_calibration(body, model),
        };
        transfer.order();
        Some(transfer)
    }

    /// Puts the loops into the order of the stream.
    fn order(&mut self) {
        let by_source = match (self.source.tier, self.target.tier) {
            (Tier::Hbm, Tier::Dm) => true,
            (Tier::Dm, Tier::Hbm | Tier::Dm) => false,
            // Short packets are written in order, so that what falls into one unit of HBM is written together.
            _ => self.packet_bytes.is_multiple_of(REQUEST_BYTES),
        };
        self.loops.sort_by_key(|entry| {
            let (first, second) = if by_source {
                (entry.source, entry.target)
            } else {
                (entry.target, entry.source)
            };
            let key = |step: Step| (step.chips, step.slices, step.bytes);
            std::cmp::Reverse((key(first), key(second)))
        });
    }

    /// The memory of one side.
    pub fn place(&self, side: Side) -> Place {
        match side {
            Side::Source => self.source,
            Side::Target => self.target,
        }
    }

    /// Packets that one chip moves on a side: its chips work side by side.
    pub fn chip_packets(&self, side: Side) -> Option<u64> {
        self.loops
            .iter()
            .filter(|entry| entry.step(side).chips == 0)
            .try_fold(self.packets, |total, entry| total.checked_mul(entry.count))
    }

    /// Chips that a side spans.
    pub fn chips(&self, side: Side) -> u64 {
        self.loops
            .iter()
            .filter(|entry| entry.step(side).chips != 0)
            .fold(1, |total, entry| total.saturating_mul(entry.count))
    }

    /// Bytes that cross the busiest link between chips; 0 where each chip keeps its own.
    pub fn crossing_bytes(&self) -> Option<u64> {
        let crossing = |side: Side| {
            self.loops
                .iter()
                .filter(|entry| {
                    entry.source.chips != entry.target.chips && entry.step(side).chips != 0
                })
                .fold(1_u64, |total, entry| total.saturating_mul(entry.count))
        };
        let (read, write) = (crossing(Side::Source), crossing(Side::Target));
        let (few, many) = (read.min(write), read.max(write));
        if many <= 1 {
            return Some(0);
        }
        // All packets of one group of chips that exchange data.
        let packets = self
            .loops
            .iter()
            .filter(|entry| entry.source.chips == 0 || entry.source.chips != entry.target.chips)
            .try_fold(self.packets, |total, entry| total.checked_mul(entry.count))?;
        let bytes = u128::from(packets) * u128::from(self.packet_bytes);
        let crossed = bytes / u128::from(many) * u128::from(many - 1) / u128::from(few);
        u64::try_from(crossed).ok()
    }

    /// The loops of a chip over slices on one side.
    fn slice_loops(&self, side: Side) -> impl Iterator<Item = &Loop<Step>> {
        self.loops.iter().filter(move |entry| {
            let step = entry.step(side);
            step.chips == 0 && step.slices != 0
        })
    }

    /// The slices that a side in DM reaches; `None` if they are too many.
    pub fn slice_use(&self, side: Side) -> Option<SliceUse> {
        let loops: Vec<SliceLoop> = self
            .slice_loops(side)
            .map(|entry| SliceLoop {
                size: entry.count,
                step: entry.step(side).slices,
            })
            .collect();
        SliceUse::of(&loops)
    }

    /// The stream of a side in HBM; `None` if the other side reaches too many slices.
    pub fn stream(&self, side: Side) -> Option<Stream> {
        let other = side.other();
        let stride = |entry: &Loop<Step>| Stride {
            size: entry.count,
            bytes: entry.step(side).bytes,
        };
        let here = |entry: &&Loop<Step>| entry.step(side).chips == 0;
        let over_slices = |entry: &&Loop<Step>| {
            let step = entry.step(other);
            step.chips == 0 && step.slices != 0
        };
        let spread: Vec<&Loop<Step>> = self.loops.iter().filter(here).filter(over_slices).collect();
        let mut loops: Vec<Stride> = self
            .loops
            .iter()
            .filter(|entry| here(entry) && !over_slices(entry))
            .map(stride)
            .collect();
        loops.push(Stride {
            size: self.packets,
            bytes: self.packet_bytes,
        });
        Some(Stream {
            direction: match side {
                Side::Source => Direction::Read,
                Side::Target => Direction::Write,
            },
            base: self.place(side).base.unwrap_or(0),
            loops,
            points: points(&spread, side, other)?,
            spread: spread.into_iter().map(stride).collect(),
            packet_bytes: self.packet_bytes,
        })
    }

    /// The sequencer of one side in the book's notation, strides in bytes: `[8:2048, 8:256, 256:1]:256 @0`. Loops that
    /// engines, clusters and chips share out are in no engine's sequencer.
    pub fn configuration(&self, side: Side) -> String {
        let step = |entry: &Loop<Step>| entry.step(side);
        let spatial = |entry: &&Loop<Step>| entry.source.slices != 0 || entry.target.slices != 0;
        let local = |entry: &&Loop<Step>| entry.source.chips == 0 && entry.target.chips == 0;
        let mut text = String::from("[");
        // Writing to a string cannot fail.
        for entry in self
            .loops
            .iter()
            .filter(local)
            .filter(|entry| !spatial(entry))
        {
            let _ = write!(text, "{}:{}, ", entry.count, step(entry).bytes);
        }
        if self.packets > 1 {
            let _ = write!(text, "{}:{}, ", self.packets, self.packet_bytes);
        }
        let mut parts: Vec<(u64, u64, String)> = Vec::new();
        for entry in self.loops.iter().filter(local).filter(spatial) {
            parts.extend(engine_parts(entry, side));
        }
        parts.sort_by_key(|(place, ..)| *place);
        for (_, size, stride) in parts {
            let _ = write!(text, "{size}:{stride}, ");
        }
        let _ = write!(text, "{}:1]:{}", self.packet_bytes, self.packet_bytes);
        match self.place(side).base {
            Some(base) => {
                let _ = write!(text, " @{base}");
            }
            None => text.push_str(" @?"),
        }
        text
    }
}

/// Bytes of a slice of the tensor that a view of DM is a part of; `None` for a whole tensor.
fn whole_bytes(body: &Body, target: TensorId) -> Option<u64> {
    if body.tensor(target)?.tier != Tier::Dm || tiled_axes(body, target).is_empty() {
        return None;
    }
    let root = body.tensor(body.root(target))?;
    let elements = root.levels.element.value.as_ref()?.form().live_size();
    let bits = elements.checked_mul(root.element_type.value?.bits())?;
    Some(bits.div_ceil(8))
}

/// The first packets of each engine, in the order of the stream: slices, then the DMNs innermost.
fn points(spread: &[&Loop<Step>], side: Side, other: Side) -> Option<Vec<Vec<u64>>> {
    let nest = |step: fn(Step) -> u64, side: Side| -> Vec<SliceLoop> {
        spread
            .iter()
            .map(|entry| SliceLoop {
                size: entry.count,
                step: step(entry.step(side)),
            })
            .collect()
    };
    let numbers = slices(&nest(|step| step.slices, other))?;
    let places = slices(&nest(|step| step.bytes, side))?;
    let mut engines = std::collections::BTreeMap::<u64, Vec<(u64, u64)>>::new();
    for (number, place) in numbers.into_iter().zip(places) {
        engines
            .entry(number / ENGINE_SLICES)
            .or_default()
            .push((number, place));
    }
    let sorted = engines.into_values().map(|mut points| {
        points.sort_by_key(|(number, _)| (number % DMN_SLICES, number / DMN_SLICES));
        points.into_iter().map(|(_, place)| place).collect()
    });
    Some(sorted.collect())
}

/// The parts of a loop over slices that one engine makes: over the slices of a DMN and over its two DMNs, each with its
/// place in the stream, size and stride. A loop that does not split is written as it is.
fn engine_parts(entry: &Loop<Step>, side: Side) -> Vec<(u64, u64, String)> {
    let (over, step) = (
        entry.source.slices.max(entry.target.slices),
        entry.step(side),
    );
    let stride = |times: u64| match step.slices.saturating_mul(times) {
        0 => step.bytes.saturating_mul(times).to_string(),
        DMN_SLICES => "DMN_stride".to_owned(),
        1 => "slice_stride".to_owned(),
        slices => format!("{slices}*slice_stride"),
    };
    if over >= ENGINE_SLICES {
        return Vec::new();
    }
    let last = over.saturating_mul(entry.count - 1);
    if last < DMN_SLICES || !DMN_SLICES.is_multiple_of(over) {
        return vec![(0, entry.count, stride(1))];
    }
    let mut parts = Vec::new();
    let inner = (DMN_SLICES / over).max(1);
    if inner > 1 {
        parts.push((0, inner, stride(1)));
    }
    let dmns = entry.count.div_ceil(inner).min(ENGINE_SLICES / DMN_SLICES);
    if dmns > 1 {
        parts.push((1, dmns, stride(inner)));
    }
    parts
}
