//! Guarded operands of an operation of the Vector Engine: three immediates and one read of a register file (library: `Branched`).
//!
//! Each element takes the first operand whose guard admits it, so that what is behind a guard that admits everything is never
//! reached.

use crate::items::Span;
use crate::kernel::{Operand, OperandSource, Pass, StageKind};

/// Immediates that one operation has room for.
pub const IMMEDIATES: usize = 3;

/// A guarded operand that the engine cannot use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotViolation {
    /// What is wrong with it.
    pub fault: SlotFault,
    /// Where it is written.
    pub span: Span,
}

/// What is wrong with a guarded operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SlotFault {
    /// Its guard admits no element.
    DeadGuard,
    /// A guard before it admits every element.
    AfterUnconditional {
        /// Where that one is written.
        earlier: Span,
    },
    /// There are more immediates than there is room for.
    TooManyImmediates {
        /// How many there are.
        count: usize,
    },
    /// It reads a register file, and others follow.
    RegisterNotLast,
}

/// What is wrong with the guarded operands of a pass.
pub fn derive_slots(pass: &Pass) -> Vec<SlotViolation> {
    let operations = pass.stages.iter().filter_map(|stage| match &stage.kind {
        StageKind::VectorAlu(operation) => Some(operation),
        _ => None,
    });
    let groups = operations.flat_map(|operation| &operation.operands);
    groups.flat_map(|group| of_group(group)).collect()
}

fn of_group(group: &[Operand]) -> Vec<SlotViolation> {
    // An operand and its constant are one slot, written at one place.
    let mut slots: Vec<&Operand> = group.iter().filter(|slot| slot.guard.is_some()).collect();
    slots.dedup_by_key(|slot| slot.span);
    let mut found = Vec::new();
    let mut unconditional: Option<Span> = None;
    for (index, slot) in slots.iter().enumerate() {
        let guard = slot.guard;
        let mut add = |fault| {
            found.push(SlotViolation {
                fault,
                span: slot.span,
            });
        };
        if let Some(earlier) = unconditional {
            add(SlotFault::AfterUnconditional { earlier });
            break;
        }
        if guard.and_then(crate::kernel::Guard::admits_none) == Some(true) {
            add(SlotFault::DeadGuard);
        }
        if reads_register(slot) && index.saturating_add(1) < slots.len() {
            add(SlotFault::RegisterNotLast);
        }
        if guard.and_then(crate::kernel::Guard::admits_all) == Some(true) {
            unconditional = Some(slot.span);
        }
    }
    let mut immediates = slots.iter().filter(|slot| !reads_register(slot));
    let count = immediates.clone().count();
    if let Some(beyond) = immediates.nth(IMMEDIATES) {
        found.push(SlotViolation {
            fault: SlotFault::TooManyImmediates { count },
            span: beyond.span,
        });
    }
    found
}

const fn reads_register(operand: &Operand) -> bool {
    matches!(operand.source, OperandSource::Vrf(_) | OperandSource::Stash)
}
