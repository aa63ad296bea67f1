//! Tensors on their own: sizes of the hierarchy's levels, capacities, alignment, tiles.
//!
//! It looks at one tensor or one stream type at a time: at its mapping parameters, its address and its tile. Whether
//! two tensors get in each other's way is the question of [`super::memory`].

mod capacity;
mod parts;
mod repeated;
mod sizes;
mod tiles;

pub use capacity::{
    AlignmentViolation, CapacityViolation, OutgrownTensor, RowsViolation, bytes_of,
};
pub use parts::PartsViolation;
pub(super) use parts::{collective_fault, one_part};
pub use repeated::RepeatedAxis;
pub(super) use repeated::{
    of_operation as repeated_in, of_tensors as repeated_in_tensors, repeated_selections,
};
pub use sizes::SizeViolation;
pub use tiles::{TileViolation, tile_output};

use crate::kernel::{Body, Operation, OperationKind};

/// What was derived of the tensors of a body, each on its own.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TensorsDerivation {
    /// What the hardware cannot hold, or what is no part of its tensor.
    pub violations: Vec<TensorsViolation>,
    /// Tensors and streams that select the same digit of an axis twice.
    pub repeated: Vec<RepeatedAxis>,
}

/// What is wrong with a tensor, with its numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TensorsViolation {
    /// A level of the hierarchy has another size than the hardware.
    Size(SizeViolation),
    /// An address that is no multiple of the element's size.
    Alignment(AlignmentViolation),
    /// A tensor that does not fit its memory.
    Capacity(CapacityViolation),
    /// More rows than the MAC array has.
    Rows(RowsViolation),
    /// A tile that is no part of its tensor.
    Tile(TileViolation),
    /// A collective that names something else than parts of its tensor.
    Parts(PartsViolation),
}

/// The digits that the tensors and streams of a body select twice, which needs no engine.
pub fn repeated_axes(body: &Body) -> Vec<RepeatedAxis> {
    repeated::derive_repeated_axes(body, body.operations.iter())
}

/// Derives what each tensor violates on its own, and which digits the streams of some operations repeat.
pub(super) fn with_streams_of(body: &Body, operations: &[&Operation]) -> TensorsDerivation {
    let mut violations: Vec<TensorsViolation> = sizes::derive_sizes(body)
        .into_iter()
        .map(TensorsViolation::Size)
        .collect();
    for tensor in &body.tensors {
        violations.extend(capacity::alignment_violation(tensor).map(TensorsViolation::Alignment));
        violations.extend(capacity::row_count(body.machine, tensor).map(TensorsViolation::Rows));
        violations.extend(
            capacity::capacity_violation(body.machine, tensor).map(TensorsViolation::Capacity),
        );
        violations.extend(tiles::derive_tile(body, tensor).map(TensorsViolation::Tile));
    }
    for operation in &body.operations {
        if let OperationKind::Collective(collective) = &operation.kind {
            violations.extend(collective_fault(body, collective));
        }
    }
    TensorsDerivation {
        violations,
        repeated: repeated::derive_repeated_axes(body, operations.iter().copied()),
    }
}

/// Derives what each tensor violates on its own.
#[cfg(test)]
fn derive_tensors(body: &Body) -> TensorsDerivation {
    with_streams_of(body, &body.operations.iter().collect::<Vec<_>>())
}

#[cfg(test)]
mod tests;
