//! What is wrong with some operations of a body alone: a derivation without all that is about other operations.
//!
//! Knows which lists of a body's derivation are made an operation at a time. The families of rules that look at nothing else
//! find in it just what they find of these operations in the whole. What is known between operations (who lives when, what
//! empty positions hold) is that of the whole body, and has to be the same still.

use super::conventions::Conventions;
use super::memory::MemoryViolation;
use super::{BodyDerivation, OperationDerivation, library, memory, moves, provenance, tensors};
use crate::kernel::Body;

/// A copy of a body's derivation that says what is wrong with some operations alone.
pub struct PartialDerivation {
    derivation: BodyDerivation,
    /// Tensors of the whole body that get in each other's way.
    conflicts: Vec<MemoryViolation>,
}

impl PartialDerivation {
    /// That of no operation, given the whole.
    pub fn of(whole: &BodyDerivation) -> Self {
        let mut derivation = whole.clone();
        let conflicts = std::mem::take(&mut derivation.memory.violations);
        derivation.memory.moves.clear();
        derivation.memory.in_place.clear();
        derivation.provenance.claims.clear();
        derivation.provenance.padding.clear();
        derivation.tensors.violations.clear();
        derivation.tensors.repeated.clear();
        derivation.library.clear();
        // Its operations are changed, and with them what they are made of.
        derivation.contents.clear();
        Self {
            derivation,
            conflicts,
        }
    }

    /// What the families look at.
    pub const fn derivation(&self) -> &BodyDerivation {
        &self.derivation
    }

    /// Looks at some operations of a body, given by their numbers with what is derived of each, until it is asked about others.
    pub fn look_at(
        &mut self,
        body: &Body,
        operations: impl IntoIterator<Item = (usize, OperationDerivation)>,
    ) {
        let derivation = &mut self.derivation;
        derivation.memory.moves.clear();
        derivation.memory.in_place.clear();
        derivation.provenance.padding.clear();
        derivation.tensors.repeated.clear();
        derivation.library.clear();
        let limited = Conventions::of(body.dialect).has_library_limits();
        for (number, derived) in operations {
            let Some(operation) = body.operations.get(number) else {
                continue;
            };
            let moves = moves::of_operation(body, operation);
            if limited {
                let limits = library::of_operation(body, operation, &derived, &moves);
                derivation.library.extend(limits);
            }
            let allocations = &derivation.memory.allocations;
            let in_place = memory::in_place(body, allocations, &self.conflicts, operation);
            derivation.memory.in_place.extend(in_place);
            derivation.memory.moves.extend(moves);
            let padding = provenance::padding::of_operation(body, operation);
            derivation.provenance.padding.extend(padding);
            let repeated = tensors::repeated_in(operation);
            derivation.tensors.repeated.extend(repeated);
            if let Some(own) = derivation.operations.get_mut(number) {
                *own = derived;
            }
        }
    }

    /// Makes of some operations what they are in the whole.
    pub fn take_back(&mut self, whole: &BodyDerivation, operations: &[usize]) {
        for number in operations {
            let own = self.derivation.operations.get_mut(*number);
            if let (Some(own), Some(old)) = (own, whole.operations.get(*number)) {
                own.clone_from(old);
            }
        }
    }
}

/// The derivation of a body without what is wrong with single operations: what is about tensors, and about several operations.
pub fn between_operations(body: &Body, whole: &BodyDerivation) -> BodyDerivation {
    let mut between = whole.clone();
    between.memory.moves = moves::of_tensors(body);
    between.memory.in_place.clear();
    between.provenance.padding.clear();
    between.tensors.repeated = tensors::repeated_in_tensors(body);
    if Conventions::of(body.dialect).has_library_limits() {
        between.library = library::of_tensors(body, &between.memory.moves);
    }
    between
}
