//! Loops whose turns could overlap: the compiler schedules each turn for itself, and what is written out has no turns.
//!
//! Judged by the same schedule without the loop's limits. Knows no words.

use crate::derivation::conventions::Conventions;
use crate::items::Span;
use crate::kernel::OperationId;

use super::super::model_calibration;
use super::super::schedule::Variation;
use super::Overlap;

/// What writing a loop out saves at least: one part in so many of the whole. It makes the kernel longer.
const WORTH: u64 = 10;

/// Turns that are looked at: no author writes more out, by hand or by a macro.
const MOST_TURNS: u64 = 64;

/// A loop that costs time only because it is one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SerialLoop {
    /// The `for` or `while` keyword.
    pub span: Span,
    /// How many turns it has.
    pub turns: u64,
    /// The first operation inside.
    pub first: OperationId,
    /// Cycles of the body as it is, and with the turns written out.
    pub total: (u64, u64),
}

impl Overlap<'_> {
    /// The loops of which a noticeable time would be saved if their turns were written out, each alone. Empty without a total, and
    /// where turns overlap anyway.
    pub fn serial_loops(&self) -> Vec<SerialLoop> {
        let Some(before) = self.simulation.total() else {
            return Vec::new();
        };
        // Only a schedule that has turns at all is another one without them.
        let has_turns = model_calibration(self.body, self.simulation.model).is_some()
            && !Conventions::of(self.body.dialect).keeps_order_of_transfers();
        if !has_turns {
            return Vec::new();
        }
        let mut loops: Vec<(Span, u64, OperationId)> = Vec::new();
        for operation in &self.body.operations {
            for frame in &operation.loops {
                let turns = frame.count.filter(|turns| (2..=MOST_TURNS).contains(turns));
                let is_new = loops.iter().all(|(span, ..)| *span != frame.span);
                // Of a loop of which only the first turns are looked at nothing is known.
                let is_whole = !self.body.shortened_loops.contains(&frame.span);
                if let Some(turns) = turns.filter(|_| is_new && is_whole) {
                    loops.push((frame.span, turns, operation.id));
                }
            }
        }
        let judged = loops.into_iter().filter_map(|(span, turns, first)| {
            let variation = Variation {
                written_out: Some(span),
                conflicts: Some(&self.simulation.conflicts),
                ..Variation::default()
            };
            let after = self.total_with(&self.simulation.operations, variation)?;
            let is_worth = before.saturating_sub(after) >= (before / WORTH).max(1);
            is_worth.then_some(SerialLoop {
                span,
                turns,
                first,
                total: (before, after),
            })
        });
        judged.collect()
    }
}
