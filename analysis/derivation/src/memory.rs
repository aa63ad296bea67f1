//! Lifetimes of tensors and what happens between them: overlaps, stale reads, lost data.
//!
//! Every tensor at rest with a place of its own is an *allocation*; views and reshapes of it share its bytes. Program
//! order decides who lives when: loops are unrolled in the body, and operations in different arms of one branching never
//! meet. An address that is no constant leaves the allocation out of every comparison of addresses.

mod allocations;
mod beside;
mod conflicts;
pub mod free;
mod in_place;
mod occupied;
mod relief;
mod sums;

pub use allocations::{Lifetime, Part, Touch};
pub use conflicts::{ConflictKind, Displaced, Elsewhere, MemoryViolation, Occupant};
pub use conflicts::{free_places, nearest_places};
pub use in_place::InPlaceCommit;
pub use relief::Relief;
pub use sums::Sum;
pub use sums::bytes_at_once;

pub use super::moves::{MoveFault, MoveKind, MoveViolation};

use std::sync::{Arc, OnceLock};

use allocations::Allocation;
use beside::Beside;

use crate::kernel::{Body, Operation};

/// Who lives when and where, and what goes wrong between tensors.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct MemoryDerivation {
    /// One entry an allocation, in the order in which they are made.
    pub lifetimes: Vec<Lifetime>,
    /// One list an operation: the allocations that it reads, then those that it writes.
    pub touches: Vec<Vec<Touch>>,
    /// Tensors that get in each other's way.
    pub violations: Vec<MemoryViolation>,
    /// Passes that commit over what they have yet to read.
    pub in_place: Vec<InPlaceCommit>,
    /// Tensors that end behind the end of their memory, and where they would fit.
    pub displaced: Vec<Displaced>,
    /// Moves that lose or invent data.
    pub moves: Vec<MoveViolation>,
    /// Who reads and writes each allocation where: what proposals of other places are worked out from.
    pub(crate) allocations: Allocations,
}

/// The allocations of a body, shared.
#[derive(Debug, Clone, Default)]
pub(crate) struct Allocations {
    list: Arc<[Allocation]>,
    /// What is beside what, worked out when a place is first looked for: a question then takes time in what is near it.
    beside: Arc<OnceLock<Beside>>,
}

impl PartialEq for Allocations {
    fn eq(&self, other: &Self) -> bool {
        self.list == other.list
    }
}

impl Eq for Allocations {}

/// Derives the memory of a body.
#[cfg(test)]
pub fn derive_memory(body: &Body) -> MemoryDerivation {
    let operations: Vec<&Operation> = body.operations.iter().collect();
    with_moves(body, super::moves::derive_moves(body), &operations)
}

/// Derives the memory of a body with the commits in place of some operations, given what is wrong with its moves.
pub(super) fn with_moves(
    body: &Body,
    moves: Vec<MoveViolation>,
    operations: &[&Operation],
) -> MemoryDerivation {
    let allocations = allocations::collect(body);
    let violations = conflicts::derive_conflicts(body, &allocations);
    MemoryDerivation {
        in_place: in_place::of_operations(body, &allocations, &violations, operations),
        violations,
        displaced: conflicts::displaced(body, &allocations),
        lifetimes: allocations
            .iter()
            .map(|allocation| allocation.lifetime(body))
            .collect(),
        touches: allocations::allocation_touches(body, &allocations),
        moves,
        allocations: Allocations {
            list: allocations.into(),
            beside: Arc::default(),
        },
    }
}

/// The commit in place of one operation, given what is between the allocations.
pub(super) fn in_place(
    body: &Body,
    allocations: &Allocations,
    violations: &[MemoryViolation],
    operation: &Operation,
) -> Option<InPlaceCommit> {
    in_place::of_operation(body, &allocations.list, violations, operation)
}

#[cfg(test)]
mod tests;
