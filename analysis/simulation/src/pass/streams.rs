//! The engines that move a stream: Fetch, Switch, Collect, Cast, Transpose, Commit, and the loads of register files.

use crate::derivation::cast::CastDerivation;
use crate::derivation::collect::CollectDerivation;
use crate::derivation::commit::CommitDerivation;
use crate::derivation::fetch::FetchDerivation;
use crate::derivation::sequencer::SequenceReport;
use crate::derivation::switch::SwitchDerivation;
use crate::derivation::transpose::{TransposeDerivation, TransposeMatrix};
use crate::items::Span;
use crate::kernel::{CanonicalStage, Stage, StageKind, SwitchConfig};
use crate::numbers::counted;

use super::super::{Engine, StageCost};
use super::{Costing, flits, packet_bytes, stage_cost, stream_iterations};

impl Costing<'_> {
    /// `Time * ceil(packet / fetch_size)` (book: Batching).
    pub(super) fn fetch(&mut self, index: usize, stage: &Stage, derived: &FetchDerivation) {
        let report = derived.sequence.as_ref();
        let mut cost = stage_cost(
            Engine::Fetch,
            Some(index),
            report.and_then(|report| report.cycles),
            "time * ceil(packet / fetch_size)",
            [
                ("time", stream_iterations(&stage.output)),
                ("packet", report.and_then(|report| report.packet_bytes)),
                ("fetch_size", report.and_then(|report| report.access_bytes)),
            ],
            "Batching",
        );
        cost.detail = configuration_text(report);
        self.bank_run(report.and_then(|report| report.longest_bank_run));
        if let StageKind::Fetch { table: true, .. } = stage.kind {
            self.cost.assumptions.push(
                "the book gives no figure for a table lookup: none is counted by it".to_owned(),
            );
        }
        self.push(cost, &stage.method, stage.span);
    }

    /// `ring_size * input_time * packet / 32` (book: Cycle Estimation).
    pub(super) fn switch(&mut self, index: usize, stage: &Stage, derived: &SwitchDerivation) {
        let input = self.pass.input_of(index);
        let ring = derived.ring_size.filter(|ring| *ring > 0);
        let custom = matches!(
            &stage.kind,
            StageKind::Switch(config) if matches!(config.get(), Some(SwitchConfig::CustomBroadcast { .. }))
        );
        let mut cost = stage_cost(
            Engine::Switch,
            Some(index),
            derived.cycles.filter(|_| ring.is_some()),
            "ring * time * ceil(packet / 32)",
            [
                ("ring", ring),
                ("time", stream_iterations(input)),
                ("packet", packet_bytes(input)),
            ],
            "Cycle Estimation",
        );
        if let Some(ring) = ring {
            let kind = if custom { "custom, " } else { "" };
            cost.detail = format!("{kind}rings of {ring} slices");
        }
        if custom {
            self.cost.holds_dma = true;
            self.cost.holds_sub = true;
            if !self.counts_set_up {
                self.cost.assumptions.push(
                    "the book gives no cycles of a custom ring's set-up: its total has none"
                        .to_owned(),
                );
            }
        }
        self.push(cost, &stage.method, stage.span);
    }

    /// `Time * flits a packet` (book: Packet Normalization).
    pub(super) fn collect(&mut self, index: usize, stage: &Stage, derived: &CollectDerivation) {
        let input = self.pass.input_of(index);
        let flits = derived.flits.or_else(|| flits(input));
        let time = stream_iterations(input);
        let mut cost = stage_cost(
            Engine::Collect,
            Some(index),
            checked_product(time, flits),
            "time * flits",
            [("time", time), ("flits", flits)],
            "Packet Normalization",
        );
        if let Some(flits) = flits {
            cost.detail = format!("{} a packet", counted(flits, "flit"));
        }
        self.push(cost, &stage.method, stage.span);
    }

    /// A flit a cycle (book: Packet Transformation).
    pub(super) fn cast(&mut self, index: usize, stage: &Stage, derived: &CastDerivation) {
        let input = self.pass.input_of(index);
        let (time, flits) = (stream_iterations(input), flits(input));
        let mut cost = stage_cost(
            Engine::Cast,
            Some(index),
            checked_product(time, flits),
            "time * flits",
            [("time", time), ("flits", flits)],
            "Packet Transformation",
        );
        if let (Some(from), Some(to)) = (derived.input_type, derived.output_type) {
            cost.detail = format!("{from} to {to}");
        }
        self.push(cost, &stage.method, stage.span);
    }

    /// The two formulas of double and single buffering (book: Cycle Calculation).
    pub(super) fn transpose(&mut self, index: usize, stage: &Stage, derived: &TransposeDerivation) {
        let matrix = derived.matrix.as_ref();
        let double = matrix.is_none_or(TransposeMatrix::double_buffered);
        let mut cost = stage_cost(
            stage.kind.canonical().row().engine,
            Some(index),
            matrix.and_then(TransposeMatrix::cycles),
            if double {
                "in_flits + (n - 1) * max(in_flits, out_flits) + out_flits"
            } else {
                "n * (in_flits + out_flits)"
            },
            [
                ("in_flits", matrix.map(TransposeMatrix::input_flits)),
                ("out_flits", matrix.map(|matrix| matrix.out_rows)),
                ("n", matrix.map(|matrix| matrix.iterations)),
            ],
            "Cycle Calculation",
        );
        if let Some(matrix) = matrix {
            cost.detail = format!(
                "{} x {} to {} rows, {}-buffered",
                matrix.in_rows,
                matrix.in_cols,
                matrix.out_rows,
                if double { "double" } else { "single" }
            );
        }
        self.push(cost, &stage.method, stage.span);
    }

    /// `Time * writes a packet` (book: Commit Sequencer).
    pub(super) fn commit(&mut self, span: Span, derived: &CommitDerivation) {
        let output = self.pass.output();
        let report = derived.sequence.as_ref();
        let mut cost = stage_cost(
            Engine::Commit,
            None,
            report.and_then(|report| report.cycles),
            "time * ceil(packet / commit_size)",
            [
                ("time", stream_iterations(output)),
                ("packet", report.and_then(|report| report.packet_bytes)),
                ("commit_size", report.and_then(|report| report.access_bytes)),
            ],
            "Commit Sequencer",
        );
        cost.detail = configuration_text(report);
        self.bank_run(report.and_then(|report| report.longest_bank_run));
        self.push(cost, "commit", span);
    }

    /// A load of a register file: a flit a cycle (book: Packet Normalization, "the physical unit of data transfer").
    pub(super) fn load(&mut self, span: Span, engine: Engine, stage: CanonicalStage) {
        let output = self.pass.output();
        let (time, flits) = (stream_iterations(output), flits(output));
        let cost: StageCost = stage_cost(
            engine,
            None,
            checked_product(time, flits),
            "time * flits",
            [("time", time), ("flits", flits)],
            "Packet Normalization",
        );
        self.push(cost, self.pass.library().name_of(stage), span);
    }
}

fn checked_product(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    left?.checked_mul(right?)
}

fn configuration_text(report: Option<&SequenceReport>) -> String {
    report
        .filter(|report| report.access_bytes.is_some())
        .map(SequenceReport::configuration)
        .unwrap_or_default()
}
