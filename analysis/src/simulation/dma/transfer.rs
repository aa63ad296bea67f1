//! A transfer as its engines make it: packets, loops over them, and which engine serves which slice (book: DMA Sequencer
//! Internals, Homogeneous Aggregate Operation).
//!
//! Knows the order of the stream, which the compiler chooses and the book's examples show: packets of the longest run
//! innermost, then the two DMNs of an engine, its slices, and the rest outward in the order of the HBM side. What the
//! order costs is known to `hbm` and `dm`.

use std::fmt::Write as _;
use std::sync::Arc;

use crate::derivation::dma::{CHIP_BITS, DmaDerivation, SLICE_BITS};
use crate::derivation::views::tiled_axes;
use crate::hardware::{CalibrationId, Model};
use crate::kernel::{Body, Copy, Tensor, TensorId, Tier};

use super::super::calibration;
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

/// A loop of a transfer.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct TransferLoop {
    /// The axis, if it has a name.
    pub axis: Option<Arc<str>>,
    /// Iterations.
    pub size: u64,
    /// On the reading side.
    pub read: Step,
    /// On the writing side.
    pub write: Step,
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
    pub loops: Vec<TransferLoop>,
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

/// A side of a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// The source.
    Read,
    /// The target.
    Write,
}

impl Transfer {
    /// The transfer that was derived; `None` where its loops or its packet are unknown or impossible.
    #[must_use]
    pub fn of(body: &Body, copy: &Copy, derivation: &DmaDerivation, model: Model) -> Option<Self> {
        let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
        let place = |tensor: &Tensor| Place {
            tier: tensor.tier,
            base: tensor.address.bytes(),
        };
        let loops = derivation
            .entries
            .iter()
            .map(|entry| {
                Some(TransferLoop {
                    axis: entry.axis.clone(),
                    size: entry.size,
                    read: Step::of(entry.read_bits, source.tier)?,
                    write: Step::of(entry.write_bits, target.tier)?,
                })
            })
            .collect::<Option<Vec<_>>>()?;
        let run_bytes = derivation.run_bits?.div_ceil(8);
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
            calibration: calibration(body, model),
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
            let first = if by_source { entry.read } else { entry.write };
            let second = if by_source { entry.write } else { entry.read };
            let key = |step: Step| (step.chips, step.slices, step.bytes);
            std::cmp::Reverse((key(first), key(second)))
        });
    }

    /// The memory of one side.
    #[must_use]
    pub fn place(&self, half: Half) -> Place {
        match half {
            Half::Read => self.source,
            Half::Write => self.target,
        }
    }

    const fn step(half: Half, entry: &TransferLoop) -> Step {
        match half {
            Half::Read => entry.read,
            Half::Write => entry.write,
        }
    }

    /// Packets that one chip moves on a side: its chips work side by side.
    #[must_use]
    pub fn chip_packets(&self, half: Half) -> Option<u64> {
        self.loops
            .iter()
            .filter(|entry| Self::step(half, entry).chips == 0)
            .try_fold(self.packets, |total, entry| total.checked_mul(entry.size))
    }

    /// Chips that a side spans.
    #[must_use]
    pub fn chips(&self, half: Half) -> u64 {
        self.loops
            .iter()
            .filter(|entry| Self::step(half, entry).chips != 0)
            .fold(1, |total, entry| total.saturating_mul(entry.size))
    }

    /// Bytes that cross the busiest link between chips; 0 where each chip keeps its own.
    #[must_use]
    pub fn crossing_bytes(&self) -> Option<u64> {
        let crossing = |half: Half| {
            self.loops
                .iter()
                .filter(|entry| {
                    entry.read.chips != entry.write.chips && Self::step(half, entry).chips != 0
                })
                .fold(1_u64, |total, entry| total.saturating_mul(entry.size))
        };
        let (read, write) = (crossing(Half::Read), crossing(Half::Write));
        let (few, many) = (read.min(write), read.max(write));
        if many <= 1 {
            return Some(0);
        }
        // All packets of one group of chips that exchange data.
        let packets = self
            .loops
            .iter()
            .filter(|entry| entry.read.chips == 0 || entry.read.chips != entry.write.chips)
            .try_fold(self.packets, |total, entry| total.checked_mul(entry.size))?;
        let bytes = u128::from(packets) * u128::from(self.packet_bytes);
        let crossed = bytes / u128::from(many) * u128::from(many - 1) / u128::from(few);
        u64::try_from(crossed).ok()
    }

    /// The loops of a chip over slices on one side.
    fn slice_loops(&self, half: Half) -> impl Iterator<Item = &TransferLoop> {
        self.loops.iter().filter(move |entry| {
            let step = Self::step(half, entry);
            step.chips == 0 && step.slices != 0
        })
    }

    /// The slices that a side in DM reaches; `None` if they are too many.
    #[must_use]
    pub fn slice_use(&self, half: Half) -> Option<SliceUse> {
        let loops: Vec<SliceLoop> = self
            .slice_loops(half)
            .map(|entry| SliceLoop {
                size: entry.size,
                step: Self::step(half, entry).slices,
            })
            .collect();
        SliceUse::of(&loops)
    }

    /// The stream of a side in HBM; `None` if the other side reaches too many slices.
    #[must_use]
    pub fn stream(&self, half: Half) -> Option<Stream> {
        let other = match half {
            Half::Read => Half::Write,
            Half::Write => Half::Read,
        };
        let stride = |entry: &TransferLoop| Stride {
            size: entry.size,
            bytes: Self::step(half, entry).bytes,
        };
        let here = |entry: &&TransferLoop| Self::step(half, entry).chips == 0;
        let over_slices = |entry: &&TransferLoop| {
            let step = Self::step(other, entry);
            step.chips == 0 && step.slices != 0
        };
        let spread: Vec<&TransferLoop> =
            self.loops.iter().filter(here).filter(over_slices).collect();
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
            direction: match half {
                Half::Read => Direction::Read,
                Half::Write => Direction::Write,
            },
            base: self.place(half).base.unwrap_or(0),
            loops,
            points: points(&spread, half, other)?,
            spread: spread.into_iter().map(stride).collect(),
            packet_bytes: self.packet_bytes,
        })
    }

    /// The sequencer of one side in the book's notation, strides in bytes: `[8:2048, 8:256, 256:1]:256 @0`. Loops that
    /// engines, clusters and chips share out are in no engine's sequencer.
    #[must_use]
    pub fn configuration(&self, half: Half) -> String {
        let step = |entry: &TransferLoop| Self::step(half, entry);
        let spatial = |entry: &&TransferLoop| entry.read.slices != 0 || entry.write.slices != 0;
        let local = |entry: &&TransferLoop| entry.read.chips == 0 && entry.write.chips == 0;
        let mut text = String::from("[");
        // Writing to a string cannot fail.
        for entry in self
            .loops
            .iter()
            .filter(local)
            .filter(|entry| !spatial(entry))
        {
            let _ = write!(text, "{}:{}, ", entry.size, step(entry).bytes);
        }
        if self.packets > 1 {
            let _ = write!(text, "{}:{}, ", self.packets, self.packet_bytes);
        }
        let mut parts: Vec<(u64, u64, String)> = Vec::new();
        for entry in self.loops.iter().filter(local).filter(spatial) {
            parts.extend(engine_parts(entry, half));
        }
        parts.sort_by_key(|(place, ..)| *place);
        for (_, size, stride) in parts {
            let _ = write!(text, "{size}:{stride}, ");
        }
        let _ = write!(text, "{}:1]:{}", self.packet_bytes, self.packet_bytes);
        match self.place(half).base {
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
fn points(spread: &[&TransferLoop], half: Half, other: Half) -> Option<Vec<Vec<u64>>> {
    let nest = |step: fn(Step) -> u64, side: Half| -> Vec<SliceLoop> {
        spread
            .iter()
            .map(|entry| SliceLoop {
                size: entry.size,
                step: step(Transfer::step(side, entry)),
            })
            .collect()
    };
    let numbers = slices(&nest(|step| step.slices, other))?;
    let places = slices(&nest(|step| step.bytes, half))?;
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
fn engine_parts(entry: &TransferLoop, half: Half) -> Vec<(u64, u64, String)> {
    let (over, step) = (
        entry.read.slices.max(entry.write.slices),
        Transfer::step(half, entry),
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
    let last = over.saturating_mul(entry.size - 1);
    if last < DMN_SLICES || !DMN_SLICES.is_multiple_of(over) {
        return vec![(0, entry.size, stride(1))];
    }
    let mut parts = Vec::new();
    let inner = (DMN_SLICES / over).max(1);
    if inner > 1 {
        parts.push((0, inner, stride(1)));
    }
    let dmns = entry.size.div_ceil(inner).min(ENGINE_SLICES / DMN_SLICES);
    if dmns > 1 {
        parts.push((1, dmns, stride(inner)));
    }
    parts
}
