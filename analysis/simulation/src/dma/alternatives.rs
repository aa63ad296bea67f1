//! What a transfer would cost if its tensors were laid out otherwise: the same derivation and cost, asked about changed
//! tensors, or about a changed nest of loops where the change has no single text.
//!
//! Knows the layouts that the book's advice leads to: one side in the other's order, whole units of HBM, both stacks, more
//! slices. Whether the rest of the kernel can live with one is not known here.

use crate::derivation::dma::{CHIP_BITS, DmaDerivation, SLICE_BITS};
use crate::derivation::sequencer::largest_divisor;
use crate::hardware::{DMA_PACKET_BYTES, Machine, Model};
use crate::kernel::{Body, Copy, Levels, Origin, Tensor, TensorId, Tier, Written};
use crate::mapping::{Digit, Form, Mapping, Term};
use crate::transfer::{Loop, Side};

use super::super::model_calibration;
use super::{DmaCost, REQUEST_BYTES, START_CYCLES, Step, Transfer, transfer_pattern};

/// What the transfer would cost with changed tensors; `None` where the engine cannot make it or nothing is known of it.
pub fn with_tensors(
    body: &Body,
    copy: &Copy,
    model: Model,
    change: impl FnOnce(&mut Tensor, &mut Tensor),
) -> Option<DmaCost> {
    cost_between(
        body,
        body.tensor(copy.source)?,
        body.tensor(copy.target)?,
        model,
        change,
    )
}

/// What a transfer from one tensor to another would cost.
pub fn cost_between(
    body: &Body,
    source: &Tensor,
    target: &Tensor,
    model: Model,
    change: impl FnOnce(&mut Tensor, &mut Tensor),
) -> Option<DmaCost> {
    let (mut source, mut target) = (source.clone(), target.clone());
    (source.id, target.id) = (TensorId(0), TensorId(1));
    (source.origin, target.origin) = (Origin::Parameter, Origin::Parameter);
    change(&mut source, &mut target);
    let copy = Copy {
        method: "",
        source: source.id,
        target: target.id,
        span: source.span,
    };
    let pair = Body {
        name: String::new(),
        span: body.span,
        device: body.device.clone(),
        chips: body.chips,
        dialect: body.dialect,
        machine: body.machine,
        reached_from_kernel: body.reached_from_kernel,
        tensors: vec![source, target],
        operations: Vec::new(),
        unresolved: Vec::new(),
        incomplete: Vec::new(),
        parameters: Vec::new(),
        results: Vec::new(),
        escaping: Vec::new(),
        launches: Vec::new(),
        shortened_loops: Vec::new(),
        unbounded_loops: Vec::new(),
        undecided_exits: Vec::new(),
        foreign: Vec::new(),
        register_clones: Vec::new(),
    };
    let derivation = crate::derivation::dma::derive_dma(&pair, &copy);
    if !derivation.violations.is_empty() {
        return None;
    }
    transfer_pattern(&pair, &copy, &derivation, model)
        .ok()
        .map(|(_, cost)| cost)
}

/// Cycles of a way over HBM in place of a transfer inside of DM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ThroughHbm {
    /// The store of what is not padding.
    pub store: u64,
    /// The synchronisation behind it, until a load may begin.
    pub sync: u64,
    /// The load, to where the transfer brings it.
    pub load: u64,
}

impl ThroughHbm {
    /// All of it.
    pub fn cycles(&self) -> u64 {
        let both = self.store.saturating_add(self.load);
        both.saturating_add(self.sync)
    }
}

/// What a transfer inside of DM would take over HBM, by the schedule; `None` where one of the ways is not known or not legal.
pub fn through_hbm(body: &Body, copy: &Copy, model: Model) -> Option<ThroughHbm> {
    let kernel = &model_calibration(body, model)?.table().kernel;
    let (source, target) = (body.tensor(copy.source)?, body.tensor(copy.target)?);
    if (source.tier, target.tier) != (Tier::Dm, Tier::Dm) {
        return None;
    }
    let levels = &source.levels;
    let mut digits = Vec::new();
    for level in [
        Some(&levels.element),
        levels.slice.as_ref(),
        levels.cluster.as_ref(),
    ] {
        let form = level?.get()?.form();
        digits.extend(form.digits().iter().map(Digit::unpadded));
    }
    let kept = Tensor {
        tier: Tier::Hbm,
        levels: Levels {
            cluster: None,
            slice: None,
            element: Written::new(Form::from_digits(digits)?.to_mapping(), levels.element.span),
            ..levels.clone()
        },
        ..source.clone()
    };
    let cycles =
        |source, target| Some(cost_between(body, source, target, model, |_, _| {})?.cycles);
    Some(ThroughHbm {
        store: cycles(source, &kept)?,
        sync: kernel.sync.saturating_add(kernel.after_sync),
        load: cycles(&kept, target)?,
    })
}

/// A side's element mapping with its parts in the order of the other side, so that the run is as long as can be. Padding
/// between the parts goes. `None` if it is in that order already, or is no mapping of plain digits.
pub fn in_order_of_other(
    tensor: &Tensor,
    side: Side,
    derivation: &DmaDerivation,
) -> Option<Mapping> {
    let element_bits = tensor.element_type.value?.bits();
    let mapping = tensor.levels.element.value.as_ref()?;
    let form = mapping.form();
    let run = derivation.run_bits()?.checked_div(element_bits)?;
    let (_, inner) = form.split_at(run)?;
    let end = match tensor.tier {
        Tier::Dm => SLICE_BITS,
        _ => CHIP_BITS,
    };
    let mut parts = Vec::new();
    for entry in derivation.loops() {
        let (own, other) = (entry.step(side), entry.step(side.other()));
        if own == 0 || own >= end {
            continue;
        }
        let place = u64::try_from(own).ok()?.checked_div(element_bits)?;
        parts.push((other, part_at(form, place, entry.count)?));
    }
    parts.sort_by_key(|(other, _)| *other);
    let digits = inner
        .remove_padding()
        .digits()
        .iter()
        .cloned()
        .chain(parts.into_iter().map(|(_, part)| part))
        .collect::<Vec<_>>();
    let ordered = Form::from_digits(digits)?;
    (ordered != form.remove_padding()).then(|| ordered.to_mapping())
}

/// The element mapping of a side in HBM in the order of the stream: packets of one step over the slices are side by side.
/// `None` where no slices are stepped over, or the mapping is not of plain digits.
pub fn in_stream_order(tensor: &Tensor, side: Side, derivation: &DmaDerivation) -> Option<Mapping> {
    let element_bits = tensor.element_type.value?.bits();
    let form = tensor.levels.element.value.as_ref()?.form();
    let run = derivation.run_bits()?.checked_div(element_bits)?;
    let packet = derivation
        .packet_bytes?
        .checked_mul(8)?
        .checked_div(element_bits)?;
    let (_, inner) = form.split_at(run)?;
    let (outer_run, packet) = inner.split_at(packet.min(run))?;
    let (mut over_slices, mut rest) = (Vec::new(), Vec::new());
    for entry in derivation.loops() {
        let (own, other) = (entry.step(side), entry.step(side.other()));
        if own == 0 || own >= CHIP_BITS {
            continue;
        }
        let place = u64::try_from(own).ok()?.checked_div(element_bits)?;
        let part = part_at(form, place, entry.count)?;
        if other >= SLICE_BITS {
            over_slices.push((other, part));
        } else {
            rest.push((other, part));
        }
    }
    if over_slices.is_empty() {
        return None;
    }
    over_slices.sort_by_key(|(other, _)| *other);
    rest.sort_by_key(|(other, _)| *other);
    let parts = |parts: Vec<(i128, Digit)>| parts.into_iter().map(|(_, part)| part);
    let digits: Vec<Digit> = packet
        .digits()
        .iter()
        .cloned()
        .chain(parts(over_slices))
        .chain(outer_run.digits().iter().cloned())
        .chain(parts(rest))
        .collect();
    let ordered = Form::from_digits(digits)?;
    (ordered != *form).then(|| ordered.to_mapping())
}

/// The part of so many values that steps by `place` elements.
fn part_at(form: &Form, place: u64, size: u64) -> Option<Digit> {
    let mut start: u64 = 1;
    for digit in form.digits() {
        let end = start.checked_mul(digit.extent)?;
        if (start..end).contains(&place) && place.is_multiple_of(start) {
            let term = digit.term.as_ref()?;
            let term = Term {
                atom: term.atom.clone(),
                stride: term.stride.checked_mul(place / start)?,
                modulo: size,
            };
            return Some(Digit::new(Some(term), size));
        }
        start = end;
    }
    None
}

/// A side's element mapping with its innermost run padded to whole units of HBM. `None` where it is whole, or where the run
/// ends within a part.
pub fn whole_units(tensor: &Tensor, derivation: &DmaDerivation) -> Option<Mapping> {
    let element_bits = tensor.element_type.value?.bits();
    let run_bits = derivation.run_bits()?;
    let (outer, inner) = tensor
        .levels
        .element
        .get()?
        .form()
        .split_at(run_bits.checked_div(element_bits)?)?;
    let padded_bits = run_bits.checked_next_multiple_of(REQUEST_BYTES * 8)?;
    if padded_bits == run_bits || padded_bits % element_bits != 0 {
        return None;
    }
    let padded = inner.pad(padded_bits / element_bits)?;
    Some(Form::multiply(&outer, &padded)?.to_mapping())
}

/// The element mapping of a side in HBM with what is unused between its packets put outermost, so that the packets fill
/// both stacks. `None` where the packets leave no gap of whole units, or the gap ends within a part.
pub fn without_gaps(tensor: &Tensor, transfer: &Transfer, side: Side) -> Option<Mapping> {
    let element_bits = tensor.element_type.value?.bits();
    let step = transfer
        .loops
        .iter()
        .map(|entry| entry.step(side).bytes)
        .filter(|bytes| *bytes > 0)
        .min()?;
    let packet = transfer.run_bytes;
    if packet == 0 || step <= packet || !step.is_multiple_of(packet) {
        return None;
    }
    let elements = packet.checked_mul(8)?.checked_div(element_bits)?;
    let (outer, inner) = tensor.levels.element.get()?.form().split_at(elements)?;
    let (rest, gap) = outer.split_at(step / packet)?;
    let moved = Form::multiply(&gap, &Form::multiply(&rest, &inner)?)?;
    Some(moved.to_mapping())
}

impl Transfer {
    /// With the slices of a side spread over the cluster, the same distance apart: by how many slices, and the transfer.
    /// `None` where they are spread already.
    pub fn over_more_slices(&self, machine: Machine, side: Side) -> Option<(u64, Self)> {
        let mut spread = self.clone();
        let reached = self
            .loops
            .iter()
            .map(|entry| {
                entry
                    .step(side)
                    .slices
                    .saturating_mul(entry.count.saturating_sub(1))
            })
            .fold(0, u64::saturating_add)
            .checked_add(1)?
            .checked_next_power_of_two()?;
        let factor = machine
            .slices
            .checked_div(reached)
            .filter(|factor| *factor > 1)?;
        for entry in &mut spread.loops {
            entry.step_mut(side).slices *= factor;
        }
        Some((factor, spread))
    }

    /// With the largest loop within a slice of a side spread over slices instead: over how many, and the transfer.
    pub fn over_slices(&self, machine: Machine, side: Side) -> Option<(u64, Self)> {
        let mut spread = self.clone();
        // The packets of a run are one more loop within the slice.
        let bytes = Step {
            bytes: self.packet_bytes,
            ..Step::default()
        };
        spread.loops.push(Loop {
            count: std::mem::replace(&mut spread.packets, 1),
            source: bytes,
            target: bytes,
        });
        let inside = |entry: &Loop<Step>| {
            entry.step(side).slices == 0 && entry.source.chips == 0 && entry.target.chips == 0
        };
        let index = (0..spread.loops.len())
            .filter(|index| spread.loops.get(*index).is_some_and(inside))
            .max_by_key(|index| spread.loops.get(*index).map(|entry| entry.count))?;
        let entry = spread.loops.get_mut(index)?;
        let slices =
            largest_divisor(entry.count, machine.slices, 1).filter(|slices| *slices > 1)?;
        let rest = entry.count / slices;
        let mut outer = *entry;
        outer.count = slices;
        outer.source.bytes = outer.source.bytes.checked_mul(rest)?;
        outer.target.bytes = outer.target.bytes.checked_mul(rest)?;
        let step = outer.step_mut(side);
        step.bytes = 0;
        step.slices = (machine.slices / slices.next_power_of_two()).max(1);
        entry.count = rest;
        spread.loops.push(outer);
        Some((slices, spread))
    }

    /// With half of the readers of a region at a second one that holds the same. `None` where no region has an even number of readers.
    pub fn over_two_regions(&self) -> Option<Self> {
        let mut parted = self.clone();
        let is_copied = |entry: &Loop<Step>| {
            let stays = entry.source == Step::default();
            stays && entry.target.slices > 0 && entry.count.is_multiple_of(2)
        };
        let index = self.loops.iter().position(is_copied)?;
        let reach = self.loops.iter().try_fold(self.run_bytes, |reach, entry| {
            let last = entry.count.saturating_sub(1);
            reach.checked_add(entry.source.bytes.checked_mul(last)?)
        })?;
        let entry = parted.loops.get_mut(index)?;
        entry.count /= 2;
        let mut halves = *entry;
        halves.count = 2;
        halves.source.bytes = reach.checked_next_multiple_of(REQUEST_BYTES)?;
        halves.target.slices = entry.target.slices.checked_mul(entry.count)?;
        parted.loops.push(halves);
        Some(parted)
    }

    /// In two commands, one of the largest packets and one of what they leave: cycles of both.
    pub fn in_two_commands(&self) -> Option<u64> {
        let (whole, rest) = (
            self.run_bytes / DMA_PACKET_BYTES,
            self.run_bytes % DMA_PACKET_BYTES,
        );
        if whole == 0 || rest == 0 {
            return None;
        }
        let cycles = |packets: u64, bytes: u64| {
            let part = Self {
                packets,
                packet_bytes: bytes,
                run_bytes: packets.checked_mul(bytes)?,
                ..self.clone()
            };
            Some(part.cost()?.cycles)
        };
        cycles(whole, DMA_PACKET_BYTES)?.checked_add(cycles(1, rest)?)
    }

    /// In one command, as if its shape divided over the engines.
    pub fn in_one_command(&self) -> Self {
        Self {
            segments: None,
            ..self.clone()
        }
    }
}

/// Cycles of a transfer that are no start-up.
pub fn data_cycles(cost: &DmaCost) -> u64 {
    cost.cycles
        .saturating_sub(START_CYCLES.saturating_mul(cost.commands))
}
