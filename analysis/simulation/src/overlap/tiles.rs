//! Tiles of one tensor that wait for each other: in the vendor's schedule who reads one waits for all earlier writes of the tensor.
//!
//! Judged by the same schedule with each tile a tensor. Knows no words.

use std::sync::Arc;

use crate::derivation::OperationDerivation;
use crate::derivation::memory::Part;
use crate::kernel::{Operation, OperationId, OperationKind, Origin, Tier};

use super::super::dma::own_tensor_cycles;
use super::super::schedule::{Variation, operations_conflict};
use super::super::{Slot, WaitCause};
use super::{Overlap, SHARE};

/// Tiles that are looked at: no author writes more tensors in place of one.
const MOST_TILES: usize = 64;

/// A tensor of which an operation reads a tile and waits for writes of other tiles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedTensor {
    /// The allocation, as a number in the list of lifetimes.
    pub allocation: usize,
    /// The operation that waits longest for what it does not need.
    pub reader: OperationId,
    /// The write of another tile that it waits for.
    pub writer: OperationId,
    /// Cycles of the body as it is, and if each tile were a tensor of its own.
    pub total: (u64, u64),
}

impl Overlap<'_> {
    /// The tensors whose tiles wait for each other for a noticeable time and would save as much as tensors of their own. Empty without a total, and by the
    /// book; without those whose loads say so already, since they are charged for more than their bytes.
    pub fn shared_tensors(&self) -> Vec<SharedTensor> {
        let Some(total) = self.simulation.total() else {
            return Vec::new();
        };
        let mut found: Vec<(u64, SharedTensor)> = Vec::new();
        for slot in &self.simulation.schedule.slots {
            let Some((writer, allocation)) = self.other_tile(slot) else {
                continue;
            };
            let waits = slot.start.saturating_sub(self.needed_end(slot));
            let shared = SharedTensor {
                allocation,
                reader: slot.operation,
                writer,
                total: (total, total),
            };
            let mut known = found.iter_mut();
            match known.find(|(_, known)| known.allocation == allocation) {
                Some(known) if known.0 >= waits => {}
                Some(known) => *known = (waits, shared),
                None => found.push((waits, shared)),
            }
        }
        let judged = found.into_iter().filter_map(|(waits, mut shared)| {
            // A schedule is worked out for the few that wait long.
            if waits < (total / SHARE).max(1) || self.is_charged(shared.allocation) {
                return None;
            }
            shared.total = self.with_own_tensors(shared.allocation)?;
            Some(shared)
        });
        judged.collect()
    }

    /// The body's total, and the same if each tile of a tensor were a tensor of its own: loads into one are then charged for its
    /// bytes alone, and no tile waits for another. `None` where that is not possible or saves little.
    pub fn with_own_tensors(&self, allocation: usize) -> Option<(u64, u64)> {
        let before = self.simulation.total()?;
        if !self.is_of_tiles(allocation) {
            return None;
        }
        let mut costs = self.simulation.operations.clone();
        for (operation, cost) in self.body.operations.iter().zip(&mut costs) {
            if self.written_allocation(operation.id) == Some(allocation)
                && let Some(cycles) = self.own_tensor_cycles(operation)
            {
                Arc::make_mut(cost).cycles = Some(cycles);
            }
        }
        let apart = [allocation];
        let variation = Variation {
            apart: &apart,
            ..Variation::default()
        };
        let after = self.total_with(&costs, variation)?;
        (before.saturating_sub(after) >= (before / SHARE).max(1)).then_some((before, after))
    }

    /// Whether a tensor is loaded by tiles.
    fn is_charged(&self, allocation: usize) -> bool {
        let mut operations = self.body.operations.iter();
        operations.any(|operation| {
            self.written_allocation(operation.id) == Some(allocation)
                && self.own_tensor_cycles(operation).is_some()
        })
    }

    /// The first operation that writes a tensor.
    pub fn first_write(&self, allocation: usize) -> Option<&Operation> {
        let mut operations = self.body.operations.iter();
        operations.find(|operation| self.written_allocation(operation.id) == Some(allocation))
    }

    /// Cycles of a load into a tile if the tile were a tensor.
    fn own_tensor_cycles(&self, operation: &Operation) -> Option<u64> {
        let derived = self.derivation.operations.get(operation.id.0 as usize)?;
        match (&operation.kind, derived) {
            (OperationKind::Copy(copy), OperationDerivation::Copy(derived)) => {
                own_tensor_cycles(self.body, copy, derived, self.simulation.model)
            }
            _ => None,
        }
    }

    /// Whether a tensor in DM that the body makes is written and read by tiles only, always the same: each could be a tensor.
    fn is_of_tiles(&self, allocation: usize) -> bool {
        let memory = &self.derivation.memory;
        let lifetime = memory.lifetimes.get(allocation);
        let tensor = lifetime.and_then(|lifetime| self.body.tensor(lifetime.tensor));
        let made = tensor.is_some_and(|tensor| {
            tensor.tier == Tier::Dm && matches!(tensor.origin, Origin::New | Origin::FromAddress)
        });
        if !made || lifetime.is_some_and(|lifetime| lifetime.outlives_body) {
            return false;
        }
        let touches = memory.touches.iter().flatten();
        let mut parts: Vec<&Part> = Vec::new();
        for touch in touches.filter(|touch| touch.allocation == allocation) {
            if !parts.contains(&&touch.part) {
                parts.push(&touch.part);
            }
            if parts.len() > MOST_TILES {
                return false;
            }
        }
        parts.len() > 1
            && parts.iter().enumerate().all(|(index, part)| {
                let mut others = parts.iter().skip(index + 1);
                others.all(|other| part.is_apart_from(other))
            })
    }

    /// The write that an operation waits for last, and its tensor, where the operation reads none of its bytes.
    fn other_tile(&self, slot: &Slot) -> Option<(OperationId, usize)> {
        let first = slot.waits.first()?;
        let other = first.cause == WaitCause::ReadAfterWrite
            && !operations_conflict(self.derivation, first.operation, slot.operation);
        let allocation = first.allocation.filter(|_| other)?;
        Some((first.operation, allocation))
    }

    /// When everything has ended that an operation waits for and needs.
    fn needed_end(&self, slot: &Slot) -> u64 {
        let waits = slot.waits.iter();
        let needed = waits.filter(|wait| {
            wait.cause == WaitCause::Context
                || operations_conflict(self.derivation, wait.operation, slot.operation)
        });
        let ends = needed.filter_map(|wait| self.simulation.schedule.slot(wait.operation));
        ends.map(|before| before.end).max().unwrap_or(0)
    }
}
