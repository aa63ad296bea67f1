//! What slows a transfer down at HBM: segments, packets of prime sizes, units that are written in parts, banks, stacks and
//! misaligned reads. Knows what the removal of each would leave; which of them is said is decided by the caller.

use crate::alternatives::mappings_alternative;
use crate::dma_performance::{
    DMA_PRIME_PACKET, DMA_SEGMENTED, HBM_BANK_CONFLICT, HBM_MISALIGNED_READ, HBM_PARTIAL_WRITE,
    HBM_STACK_IDLE,
};
use crate::numbers::thousands;
use crate::simulation::dma::alternatives::{in_stream_order, whole_units, without_gaps};
use crate::simulation::dma::{REQUEST_BYTES, START_CYCLES, SidePattern};
use crate::transfer::Side;

use super::{Candidate, MOST_PADDING, Slow, is_worth, padded_axis, whole_tensor};

impl Slow<'_> {
    pub(super) fn segmented(&self) -> Option<Candidate> {
        let segments = self.cost.segments.as_ref()?;
        let after = self.transfer.in_one_command().cost()?.cycles;
        let padded = segments.part.checked_mul(segments.parts)?;
        let mut candidate = self.cause_candidate(
            &DMA_SEGMENTED,
            after,
            format!(
                "`{}` is {} and does not divide into parts of {}, so that the last part takes {} commands of {} cycles to start",
                segments.axis,
                segments.size,
                segments.part,
                segments.commands,
                START_CYCLES
            ),
            "choose a size that divides, or hold the padding on both sides",
        );
        let sizes = (segments.size, padded);
        let held = [Side::Source, Side::Target].into_iter().find_map(|side| {
            let element = self.tensor(side).levels.element.get()?;
            let held = padded_axis(element, &segments.axis, sizes)?;
            let after = (held != *element)
                .then(|| self.with_element(side, &held))
                .flatten()?;
            Some((after, self.stated_element(side, &held)?))
        });
        if let Some((after, stated)) = held.filter(|(after, _)| *after < self.cost.cycles) {
            candidate.after = after;
            candidate.stated = Some(("hold the padding on both sides: ", stated));
        }
        Some(candidate)
    }

    pub(super) fn prime(&self) -> Option<Candidate> {
        let transfer = &self.transfer;
        let requests = transfer
            .packets
            .checked_mul(transfer.packet_bytes.div_ceil(REQUEST_BYTES))?;
        let needed = transfer.run_bytes.div_ceil(REQUEST_BYTES);
        if transfer.packets <= 1 || requests < needed.checked_mul(2)? {
            return None;
        }
        let cause = format!(
            "a run of {} bytes only divides into {}-byte packets: {} requests instead of {}",
            thousands(transfer.run_bytes),
            transfer.packet_bytes,
            thousands(requests),
            thousands(needed)
        );
        let rule = &DMA_PRIME_PACKET;
        let help = "pad the run on both sides to whole units, or move the largest packets and the rest in two transfers";
        match (self.padded_run(), transfer.in_two_commands()) {
            (Some((stated, after)), split) if split.is_none_or(|split| after <= split) => {
                Some(Candidate {
                    stated: Some(("pad the run on both sides: ", stated)),
                    ..self.cause_candidate(rule, after, cause, help)
                })
            }
            (padded, Some(split)) => Some(Candidate {
                stated: padded.map(|(stated, _)| ("pad the run on both sides: ", stated)),
                ..self.cause_candidate(rule, split, cause, help)
            }),
            (None | Some(_), None) => None,
        }
    }

    pub(super) fn partial_write(&self) -> Option<Candidate> {
        let SidePattern::Hbm(hbm) = &self.cost.write else {
            return None;
        };
        if hbm.partial_writes == 0 {
            return None;
        }
        let cause = format!(
            "{} of {} writes to HBM cover a part of a unit of {REQUEST_BYTES} bytes, a read and a write each",
            hbm.partial_writes, hbm.requests
        );
        let rule = &HBM_PARTIAL_WRITE;
        let reordered = self.reorder(rule, cause.clone());
        let moved = self.moved_candidate(rule, Side::Target, &cause);
        let best = [moved, reordered]
            .into_iter()
            .flatten()
            .min_by_key(|candidate| candidate.after);
        // A change of one mapping or address is better than padding on both sides.
        if let Some(best) = best
            && is_worth(self.cost.cycles, best.after)
        {
            return Some(best);
        }
        let run = self.transfer.run_bytes;
        let padded = run.checked_next_multiple_of(REQUEST_BYTES)?;
        if padded - run > run / MOST_PADDING {
            return None;
        }
        let (stated, after) = self.padded_run()?;
        Some(Candidate {
            stated: Some(("pad the run on both sides: ", stated)),
            ..self.cause_candidate(
                rule,
                after,
                cause,
                "pad the run on both sides to whole units",
            )
        })
    }

    /// Fewer than half of the requests are no pattern: the controller serves others of its queue first.
    pub(super) fn bank_conflict(&self) -> Option<Candidate> {
        let switches =
            [Side::Source, Side::Target]
                .into_iter()
                .find_map(|side| match self.pattern(side) {
                    SidePattern::Hbm(hbm) if hbm.row_switches > hbm.requests / 2 => {
                        Some((side, hbm.row_switches, hbm.requests))
                    }
                    _ => None,
                });
        let (side, switches, requests) = switches?;
        let (verb, preposition) = match side {
            Side::Source => ("reads", "from"),
            Side::Target => ("writes", "to"),
        };
        let cause = format!(
            "{switches} of {requests} {verb} {preposition} HBM wait 40 cycles for another row of the bank that the last one used"
        );
        let mapping = in_stream_order(self.tensor(side), side, self.derived)?;
        let after = self.with_element(side, &mapping)?;
        let lead = "lay out in HBM side by side what is moved one after the other: ";
        let mut candidate = self.cause_candidate(
            &HBM_BANK_CONFLICT,
            after,
            cause,
            "lay out in HBM side by side what is moved one after the other",
        );
        if self.is_free(side) {
            candidate.stated = self
                .stated_element(side, &mapping)
                .map(|stated| (lead, stated));
        }
        Some(candidate)
    }

    pub(super) fn misaligned_read(&self) -> Option<Candidate> {
        let SidePattern::Hbm(hbm) = &self.cost.read else {
            return None;
        };
        if hbm.misaligned_reads == 0 {
            return None;
        }
        let rule = &HBM_MISALIGNED_READ;
        let cause = format!(
            "{} of {} reads from HBM cross a boundary of {REQUEST_BYTES} bytes and take two transfers",
            hbm.misaligned_reads, hbm.requests
        );
        if let Some(moved) = self.moved_candidate(rule, Side::Source, &cause) {
            return Some(moved);
        }
        let padded = whole_units(self.source, self.derived)?;
        let after = self.with_element(Side::Source, &padded)?;
        let stated = self.stated_element(Side::Source, &padded);
        Some(Candidate {
            span: self.span(Side::Source),
            fix: Some("Pad the rows to whole units".to_owned()),
            stated: stated.map(|stated| ("start rows at whole units: ", stated)),
            ..self.cause_candidate(rule, after, cause, "start rows at whole units of HBM")
        })
    }

    pub(super) fn idle_stack(&self) -> Option<Candidate> {
        let idle = [Side::Source, Side::Target].into_iter().find(|side| {
            matches!(self.pattern(*side), SidePattern::Hbm(hbm) if hbm.stacks == 1 && hbm.channels > 1)
        })?;
        let channels = match self.pattern(idle) {
            SidePattern::Hbm(hbm) => hbm.channels,
            _ => return None,
        };
        let own = without_gaps(self.tensor(idle), &self.transfer, idle)?;
        let whole = whole_tensor(self.body, self.tensor(idle));
        let after = self.with_element(idle, &own)?;
        let mut candidate = self.cause_candidate(
            &HBM_STACK_IDLE,
            after,
            format!("bit 8 of the HBM address is the same in every request, so that {channels} of 32 channels serve it"),
            "keep what is moved together in one block, and what is left out outside of it",
        );
        if let Some(mapping) = without_gaps(whole, &self.transfer, idle) {
            let part = self.tensor(idle);
            let mut places = vec![(whole.levels.element.span, &mapping)];
            if part.id != whole.id {
                places.push((part.levels.element.span, &own));
            }
            let template = ["{}", "{}, a tile of it as {}"][places.len() - 1];
            let stated = mappings_alternative(template, self.copy.span, &places);
            let lead = "keep what is moved together in one block: ";
            candidate.stated = stated.map(|stated| (lead, stated));
        }
        Some(candidate)
    }
}
