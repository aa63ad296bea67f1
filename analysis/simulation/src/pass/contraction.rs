//! The Contraction Engine: alignment, reduction tree, accumulator.

use crate::derivation::contraction::{AccumulateDerivation, AlignDerivation, ContractDerivation};
use crate::kernel::{AccumulationKind, Stage};

use super::super::Engine;
use super::{Costing, stage_cost, stream_iterations};

impl Costing<'_> {
    /// One aligned packet a cycle; collecting its flits costs nothing (book: Stream Adapter, Performance).
    pub(super) fn align(&mut self, index: usize, stage: &Stage, derived: &AlignDerivation) {
        let time = stream_iterations(&stage.output);
        let mut cost = stage_cost(
            Engine::Align,
            Some(index),
            time,
            "time",
            [("time", time)],
            "Stream Adapter",
        );
        let mut detail = Vec::new();
        if let Some(flits) = derived.collected_flits {
            detail.push(format!("{flits} of 2 flits"));
        }
        if let Some(sequencer) = &derived.sequencer {
            let entries: Vec<String> = sequencer
                .entries
                .iter()
                .map(|entry| format!("{}:{}", entry.size, entry.stride))
                .collect();
            detail.push(format!(
                "TRF [{}], {} bytes a read",
                entries.join(", "),
                sequencer.reg_read_size
            ));
        }
        cost.detail = detail.join(", ");
        self.push(cost, &stage.method, stage.span);
    }

    /// One packet a cycle, and a cycle of latency a level of the tree (book: Reducer, Performance).
    pub(super) fn contract(&mut self, index: usize, stage: &Stage, derived: &ContractDerivation) {
        let time = stream_iterations(self.pass.input_of(index));
        let mut cost = stage_cost(
            Engine::Contract,
            Some(index),
            time,
            "time",
            [("time", time)],
            "Spatial Reduction",
        );
        if let Some(levels) = derived.depth.or(derived.depth_limit) {
            cost.latency = u64::from(levels);
            cost.detail = format!("{levels} levels of the tree");
        } else {
            cost.busy = None;
        }
        self.push(cost, &stage.method, stage.span);
    }

    /// An output packet a cycle. The first result waits for all that it sums (book: Reducer, Performance), which is while it is
    /// fetched: only a reduction across slices waits for it as well.
    pub(super) fn accumulate(
        &mut self,
        index: usize,
        stage: &Stage,
        derived: &AccumulateDerivation,
    ) {
        let beats = stream_iterations(&stage.output);
        let mut cost = stage_cost(
            Engine::Accumulate,
            Some(index),
            beats,
            "beats",
            [("beats", beats)],
            "Temporal Reduction",
        );
        // Where the layout is refused, the ratio of the declared times is the nearest there is.
        let declared = || {
            let before = stream_iterations(self.pass.input_of(index))?;
            before
                .checked_div(beats?)
                .filter(|_| !derived.violations.is_empty())
        };
        match derived.reduced.or_else(declared) {
            Some(reduced) => {
                cost.latency = if reduced > 1 {
                    self.reduction_wait(reduced)
                } else {
                    0
                };
                let kind = match derived.kind {
                    Some(AccumulationKind::Interleaved) => "interleaved",
                    Some(AccumulationKind::Sequential) => "sequential",
                    None => "unknown layout",
                };
                cost.detail = format!("{kind}, {reduced} into one");
            }
            None => cost.busy = None,
        }
        self.push(cost, &stage.method, stage.span);
    }
}
