//! The Vector Engine: a packet of eight lanes a cycle, and one of four lanes where the stream is narrow.
//!
//! A split makes two narrow packets of a flit, so that the narrow part takes twice the cycles; a trim makes one. Two
//! groups share the lanes: each packet of a pair counts twice.

use crate::hardware::Alu;
use crate::kernel::{Position, Stage, StageKind, StreamShape, Way};

use super::super::Engine;
use super::{Costing, stage_cost, stream_iterations};

impl Costing<'_> {
    /// A packet a cycle, a cycle of latency an ALU, and what a reduction waits for (book: Vector Engine, Performance;
    /// Intra-Slice Reduce, Latency; Inter-Slice Block, Performance).
    pub(super) fn vector(&mut self, index: usize, stage: &Stage) {
        let Some(step) = self.derivation.vector.step_at(index) else {
            // Entry, exit and stash hand the stream on.
            return;
        };
        let before = passed_packets(self.pass.input_of(index));
        let after = passed_packets(&stage.output);
        let packets = before.zip(after).map(|(before, after)| before.max(after));
        let heading = match stage.kind {
            StageKind::VectorIntraReduce { .. } => "Intra-Slice Reduce",
            StageKind::VectorInterReduce { .. } => "Inter-Slice Block",
            _ => "Vector Engine: Performance",
        };
        let mut cost = stage_cost(
            Engine::Vector,
            Some(index),
            packets,
            "packets",
            [("packets", packets)],
            heading,
        );
        cost.latency = u64::from(step.alu.is_some());
        let lanes = match step.way {
            Way::Way8 => 8,
            Way::Way4 => 4,
        };
        cost.detail = format!("{}, {lanes} lanes", stage.method);
        let reduces = matches!(
            stage.kind,
            StageKind::VectorIntraReduce { .. } | StageKind::VectorInterReduce { .. }
        );
        if reduces {
            match step.reduced {
                Some(reduced) if reduced > 1 => {
                    let awaited = match stage.kind {
                        StageKind::VectorInterReduce { .. } => reduced,
                        _ => self.reduction_wait(reduced),
                    };
                    cost.latency = cost.latency.saturating_add(awaited);
                    cost.detail = format!("{}, {reduced} into one", cost.detail);
                }
                Some(_) => {}
                None => cost.busy = None,
            }
        } else if let Some(alu) = step.alu {
            cost.detail = format!("{}, {}", cost.detail, alu_name(alu));
        }
        self.push(cost, &stage.method, stage.span);
    }
}

/// Packets that pass, those of both groups.
fn passed_packets(shape: &StreamShape) -> Option<u64> {
    let groups = match shape.position {
        Position::VectorPair(_) => 2,
        _ => 1,
    };
    stream_iterations(shape)?.checked_mul(groups)
}

fn alu_name(alu: Alu) -> String {
    format!("{alu:?}")
}
