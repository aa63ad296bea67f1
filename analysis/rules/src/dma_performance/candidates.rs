//! What slows one transfer down, and what its removal would save.

mod hbm;

use crate::alternatives::mappings_alternative;
use crate::derivation::dma::DmaDerivation;
use crate::derivation::memory::{MemoryDerivation, nearest_places};
use crate::dma_performance::{
    DMA_SMALL_PACKET, DMN_NOT_INTERLEAVED, HBM_BANK_CONFLICT, HBM_MISALIGNED_READ, HBM_STACK_IDLE,
    SLICES_NOT_INTERLEAVED,
};
use crate::hardware::Model;
use crate::items::Span;
use crate::kernel::{Body, Copy, Operation, Origin, Tensor, Tier};
use crate::mapping::{Mapping, MappingKind, PaddingKind};
use crate::simulation::dma::{
    DmaCost, REQUEST_BYTES, START_CYCLES, SidePattern, Transfer,
    alternatives::{in_order_of_other, whole_units, with_tensors},
};
use crate::simulation::what_if::after_transfer;
use crate::transfer::Side;

use super::super::{Alternative, Applicability, Checked, Finding, Fix, Replacement, Rule, Saving};
use super::{is_too_large, is_worth};

/// The part of a run that padding may add: a quarter. More memory than that is no small change.
const MOST_PADDING: u64 = 4;

/// Cycles that are worth saving whatever the kernel takes; fewer must be a tenth of the kernel.
const CERTAIN_CYCLES: u64 = 1_000;

/// A cause with the cycles of the transfer without it.
struct Candidate {
    rule: &'static Rule,
    after: u64,
    span: Span,
    /// What is slow, in a clause.
    cause: String,
    /// What to do in general.
    help: &'static str,
    /// What to write, behind a few words.
    stated: Option<(&'static str, Alternative)>,
    /// What the fix that writes it is called, where this transfer may choose.
    fix: Option<String>,
}

/// A transfer with everything that is known of it.
struct Slow<'a> {
    body: &'a Body,
    memory: &'a MemoryDerivation,
    copy: &'a Copy,
    derived: &'a DmaDerivation,
    cost: &'a DmaCost,
    model: Model,
    transfer: Transfer,
    source: &'a Tensor,
    target: &'a Tensor,
}

/// The causes that no schedule counts: channels, banks and DMNs show on a chip alone.
const UNSEEN: [&Rule; 5] = [
    &HBM_BANK_CONFLICT,
    &HBM_MISALIGNED_READ,
    &HBM_STACK_IDLE,
    &DMN_NOT_INTERLEAVED,
    &SLICES_NOT_INTERLEAVED,
];

/// The finding of the cause whose removal saves the most. What a schedule cannot show is judged by the book and promises no
/// cycles.
pub(super) fn transfer_finding(
    checked: &Checked<'_>,
    operation: &Operation,
    copy: &Copy,
    derived: &DmaDerivation,
    cost: &DmaCost,
) -> Option<Finding> {
    let found = finding_by(checked, operation, copy, derived, cost, checked.model);
    if found.is_some() || checked.model == Model::Book {
        return found;
    }
    let book = DmaCost {
        cycles: cost.book_cycles,
        figure: None,
        ..cost.clone()
    };
    finding_by(checked, operation, copy, derived, &book, Model::Book)
        .filter(|found| UNSEEN.iter().any(|rule| rule.name == found.rule.name))
}

fn finding_by(
    checked: &Checked<'_>,
    operation: &Operation,
    copy: &Copy,
    derived: &DmaDerivation,
    cost: &DmaCost,
    model: Model,
) -> Option<Finding> {
    // Without any data it would still have to start; and what is refused need not be fast.
    let body = checked.body;
    if !is_worth(cost.cycles, START_CYCLES)
        || !derived.violations.is_empty()
        || [copy.source, copy.target]
            .iter()
            .any(|id| is_too_large(body, *id))
    {
        return None;
    }
    let slow = Slow {
        body,
        memory: &checked.derivation().memory,
        copy,
        derived,
        cost,
        model,
        transfer: Transfer::of(body, copy, derived, model)?,
        source: body.tensor(copy.source)?,
        target: body.tensor(copy.target)?,
    };
    let candidates = [
        slow.segmented(),
        slow.prime(),
        slow.partial_write(),
        slow.bank_conflict(),
        slow.misaligned_read(),
        slow.idle_stack(),
        slow.small_packet(),
        slow.one_dmn(),
        slow.one_slice(),
    ];
    let best = candidates
        .into_iter()
        .flatten()
        .filter(|candidate| is_worth(cost.cycles, candidate.after))
        .min_by_key(|candidate| candidate.after)?;
    let saved = cost.cycles.saturating_sub(best.after);
    let chosen = model == checked.model;
    if saved < CERTAIN_CYCLES && !may_show(checked, operation, saved) {
        return None;
    }
    let whole = if chosen {
        after_transfer(checked.as_known(), operation.id, best.after)
    } else {
        None
    };
    let counts = match whole {
        Some((before, after)) => before.saturating_sub(after) >= before / 10,
        // Beside the whole kernel by the other model: no more than whether it is noticeable.
        None => {
            !chosen && {
                let total = checked.simulation().total();
                total.is_some_and(|total| saved >= total / 10)
            }
        }
    };
    if saved < CERTAIN_CYCLES && !counts {
        return None;
    }
    // Without a text to write the changed kernel cannot be tried.
    let promised = best.stated.is_some() && chosen;
    let taken = if promised {
        format!("{} cycles instead of {}", cost.cycles, best.after)
    } else if !chosen {
        format!(
            "{} cycles by the book; the schedule model does not count it",
            cost.cycles
        )
    } else {
        format!("{} cycles", cost.cycles)
    };
    let mut finding = Finding::new(
        best.rule,
        best.span,
        format!("{}: the transfer takes {taken}", best.cause),
    )
    .help(best.help)
    .alternatives(
        best.stated.as_ref().map_or("", |(lead, _)| lead),
        best.stated.iter().map(|(_, stated)| stated.clone()),
    )
    .saves(Saving {
        operation_before: cost.cycles,
        operation_after: best.after,
        kernel: whole,
        simulated: promised,
    });
    if let Some((before, after)) = whole
        && before != after
        && promised
    {
        finding = finding.note(format!(
            "the kernel takes {before} cycles, {after} with the change"
        ));
    }
    if let (Some(title), Some((_, stated))) = (best.fix, best.stated) {
        finding.fixes.push(Fix {
            title,
            applicability: Applicability::Maybe,
            edits: stated.edits,
            cost: None,
        });
    }
    Some(finding)
}

/// Whether a tenth of the kernel can be saved by all runs of an operation that is so much faster. Another order of the rest may
/// save more than the operation itself does, hardly twice as much; the kernel is scheduled again only for what may show.
fn may_show(checked: &Checked<'_>, operation: &Operation, saved: u64) -> bool {
    let runs = checked.body.runs_of(operation);
    let most = saved.saturating_mul(runs).saturating_mul(2);
    let total = checked.simulation().total();
    total.is_some_and(|total| most >= total / 10)
}

impl Slow<'_> {
    fn pattern(&self, side: Side) -> &SidePattern {
        match side {
            Side::Source => &self.cost.read,
            Side::Target => &self.cost.write,
        }
    }

    fn tensor(&self, side: Side) -> &Tensor {
        match side {
            Side::Source => self.source,
            Side::Target => self.target,
        }
    }

    fn cause_candidate(
        &self,
        rule: &'static Rule,
        after: u64,
        cause: String,
        help: &'static str,
    ) -> Candidate {
        Candidate {
            rule,
            after,
            span: self.span(Side::Target),
            cause,
            help,
            stated: None,
            fix: None,
        }
    }

    /// The element mapping of a side as something to write; nothing where it is written nowhere.
    fn stated_element(&self, side: Side, mapping: &Mapping) -> Option<Alternative> {
        let tensor = self.tensor(side);
        mappings_alternative(
            "{}",
            self.copy.span,
            &[(tensor.levels.element.span, mapping)],
        )
    }

    /// Both sides with their run padded to whole units: what to write, and the cycles.
    fn padded_run(&self) -> Option<(Alternative, u64)> {
        let (read, write) = (
            whole_units(self.source, self.derived)?,
            whole_units(self.target, self.derived)?,
        );
        let cost = with_tensors(self.body, self.copy, self.model, |source, target| {
            source.levels.element.value = Some(read.clone());
            target.levels.element.value = Some(write.clone());
        })?;
        let places = [
            (self.span(Side::Source), &read),
            (self.span(Side::Target), &write),
        ];
        let stated = mappings_alternative("{} and {}", self.copy.span, &places)?;
        Some((stated, cost.cycles))
    }

    fn span(&self, side: Side) -> Span {
        self.tensor(side).levels.element.span
    }

    /// Cycles with a side's element mapping replaced; `None` where the engine refuses it.
    fn with_element(&self, side: Side, mapping: &Mapping) -> Option<u64> {
        let cost = with_tensors(self.body, self.copy, self.model, |source, target| {
            let changed = match side {
                Side::Source => source,
                Side::Target => target,
            };
            changed.levels.element.value = Some(mapping.clone());
        })?;
        Some(cost.cycles)
    }

    /// Whether the layout of a side is this transfer's to choose: it makes the tensor, or reads it from HBM.
    fn is_free(&self, side: Side) -> bool {
        match side {
            Side::Source => {
                self.source.tier == Tier::Hbm && !matches!(self.source.origin, Origin::View { .. })
            }
            Side::Target => matches!(self.target.origin, Origin::Operation(_)),
        }
    }

    /// The side whose reordering saves the most, with its mapping and the cycles.
    fn reordered(&self) -> Option<(Side, Mapping, u64)> {
        [Side::Target, Side::Source]
            .into_iter()
            .filter(|side| self.is_free(*side))
            .filter_map(|side| {
                let mapping = in_order_of_other(self.tensor(side), side, self.derived)?;
                let after = self.with_element(side, &mapping)?;
                Some((side, mapping, after))
            })
            .min_by_key(|(.., after)| *after)
    }

    /// The candidate that reorders a side.
    fn reorder(&self, rule: &'static Rule, cause: String) -> Option<Candidate> {
        let (side, mapping, after) = self.reordered()?;
        let help = "move the data in the order in which it is";
        let mut candidate = self.cause_candidate(rule, after, cause, help);
        let lead = match side {
            Side::Target => {
                candidate.fix = Some("Keep the source's order".to_owned());
                "keep the source's order in the target: "
            }
            Side::Source => "lay the source out in the order of the target: ",
        };
        candidate.stated = self
            .stated_element(side, &mapping)
            .map(|stated| (lead, stated));
        Some(candidate)
    }

    /// The candidate that moves a side's tensor to a whole unit.
    fn moved_candidate(&self, rule: &'static Rule, side: Side, cause: &str) -> Option<Candidate> {
        let tensor = self.tensor(side);
        let address = tensor.address.bytes()?;
        if address.is_multiple_of(REQUEST_BYTES) {
            return None;
        }
        let place = tensor.address.span;
        let next = *nearest_places(self.body, self.memory, place, REQUEST_BYTES).first()?;
        let cost = with_tensors(self.body, self.copy, self.model, |source, target| {
            let changed = match side {
                Side::Source => source,
                Side::Target => target,
            };
            changed.address.value = crate::kernel::AddressValue::Bytes(next);
        })?;
        Some(Candidate {
            span: place,
            stated: Some((
                "start at a whole unit: ",
                Alternative::text(place, Replacement::address(next)),
            )),
            fix: Some(format!("Move the tensor to `{next:#x}`")),
            ..self.cause_candidate(
                rule,
                cost.cycles,
                cause.to_owned(),
                "start at a multiple of the units of HBM",
            )
        })
    }

    fn small_packet(&self) -> Option<Candidate> {
        let bytes = self.transfer.packet_bytes;
        if bytes.is_multiple_of(REQUEST_BYTES) {
            return None;
        }
        let requests = bytes.div_ceil(REQUEST_BYTES);
        let noun = if requests == 1 { "request" } else { "requests" };
        self.reorder(
            &DMA_SMALL_PACKET,
            format!("packets of {bytes} bytes are {requests} {noun} each, and a request moves up to {REQUEST_BYTES} bytes"),
        )
    }

    fn one_dmn(&self) -> Option<Candidate> {
        let (side, slices) =
            self.crowded(|slices| slices.engine_dmns == 1 && slices.dmn_slices > 1)?;
        let (factor, spread) = self.transfer.over_more_slices(self.body.machine, side)?;
        let mapping = self.tensor(side).levels.slice.as_ref()?;
        let spread_out = spread_slices(mapping.value.as_ref()?, factor);
        let stated = spread_out.and_then(|spread| {
            mappings_alternative("{}", self.copy.span, &[(mapping.span, &spread)])
        });
        let lead = "spread the slices over both DMNs and more engines: ";
        Some(Candidate {
            span: mapping.span,
            stated: stated.map(|stated| (lead, stated)),
            ..self.cause_candidate(
                &DMN_NOT_INTERLEAVED,
                spread.cost()?.cycles,
                format!("the {slices} slices of the transfer are in one DMN of 32 slices, which moves 128 bytes a cycle"),
                "spread the slices over both DMNs and more engines",
            )
        })
    }

    fn one_slice(&self) -> Option<Candidate> {
        let (side, _) = self.crowded(|slices| slices.dmn_slices == 1)?;
        let (_, spread) = self.transfer.over_slices(self.body.machine, side)?;
        Some(Candidate {
            span: self.tensor(side).levels.slice.as_ref()?.span,
            ..self.cause_candidate(
                &SLICES_NOT_INTERLEAVED,
                spread.cost()?.cycles,
                "all requests of an engine queue on one slice of a DMN".to_owned(),
                "put a part of the element axes on slices",
            )
        })
    }

    /// The side in DM whose slices are as told, and how many slices its busiest DMN has.
    fn crowded(
        &self,
        is_crowded: impl Fn(&crate::simulation::dma::SliceUse) -> bool,
    ) -> Option<(Side, u64)> {
        [Side::Target, Side::Source]
            .into_iter()
            .find_map(|side| match self.pattern(side) {
                SidePattern::Dm(dm) if is_crowded(&dm.slices) => Some((side, dm.slices.dmn_slices)),
                _ => None,
            })
    }
}

/// The expression with a whole axis padded, from the first size to the second.
fn padded_axis(mapping: &Mapping, axis: &str, sizes: (u64, u64)) -> Option<Mapping> {
    let padded = mapping.rewritten(&|part| match part.kind() {
        MappingKind::Axis(own) if own.name() == axis && own.size() == sizes.0 => {
            part.pad_to(sizes.1, PaddingKind::Top).map(Some)
        }
        MappingKind::Product(_) => Ok(None),
        // What is cut further keeps its cuts.
        _ => Ok(Some(part.clone())),
    });
    padded.ok()
}

/// The tensor that a view is taken of.
fn whole_tensor<'a>(body: &'a Body, tensor: &'a Tensor) -> &'a Tensor {
    let mut current = tensor;
    // A view is made after what it is taken of, so the chain ends; the bound holds for any input.
    for _ in 0..=body.tensors.len() {
        let Origin::View { of, .. } = current.origin else {
            break;
        };
        let Some(base) = body.tensor(of) else { break };
        current = base;
    }
    current
}

/// A slice mapping with its slices so many apart.
fn spread_slices(slices: &Mapping, factor: u64) -> Option<Mapping> {
    let gap = Mapping::identity()
        .pad_to(factor, crate::mapping::PaddingKind::Top)
        .ok()?;
    let live = slices.form().remove_padding();
    let spread = crate::mapping::Form::multiply(&live, gap.form())?;
    Some(spread.to_mapping())
}
