//! The kernel around a cursor: its cost, its stage tables, its memories over time.
//!
//! Picks from what `cost` and `simulation` hold; computes nothing of it.

use crate::cost::{KernelCost, MemoryRow, OperationRow};
use crate::db::{Db, SourceFile};
use crate::simulation::Peak;

/// The stage tables at a cursor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StageTableAnswer {
    /// The kernel.
    pub kernel: String,
    /// The operations with their stages: the one at the cursor, or all.
    pub operations: Vec<OperationRow>,
}

/// A stretch of a memory that nothing occupies while something of the kernel runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FreeRow {
    /// The memory: `dm`, `trf`, `vrf`.
    pub tier: &'static str,
    /// First byte, in the slice.
    pub address: u64,
    /// Bytes.
    pub bytes: u64,
}

/// The memories of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMapAnswer {
    /// The kernel.
    pub kernel: String,
    /// Cycles from its start to its end; `None` where something of it is unresolved.
    pub total: Option<u64>,
    /// What lies where and when.
    pub memory: Vec<MemoryRow>,
    /// The most bytes a slice that are occupied at once.
    pub peak: Option<Peak>,
    /// Bytes of each memory, a slice.
    pub capacity: Vec<(&'static str, u64)>,
    /// The stretches that are free all the time.
    pub free: Vec<FreeRow>,
}

/// The stage table at a cursor.
pub(super) fn stage_table(
    _db: &dyn Db,
    _file: SourceFile,
    _offset: u32,
) -> Option<StageTableAnswer> {
    None
}

/// What the kernel around a cursor costs.
pub(super) fn kernel_cost_at(_db: &dyn Db, _file: SourceFile, _offset: u32) -> Option<KernelCost> {
    None
}

/// The memories of the kernel around a cursor.
pub(super) fn memory_map(_db: &dyn Db, _file: SourceFile, _offset: u32) -> Option<MemoryMapAnswer> {
    None
}
