//! What a pass inside of the Vector Engine may go on with: what the engine takes next, and what the library's types allow.
//!
//! How far the pass has come is the derivation's [`EngineState`], as for the checker; judges no shapes.

use crate::derivation::conventions::Conventions;
use crate::derivation::vector::{EngineState, Groups, stages};
use crate::hardware::{Alu, ElementType, OperationGroup, VectorOperation, operations_of};
use crate::items::Span;
use crate::kernel::catalogue::{CanonicalStage, Role, way_into, way_out_of};
use crate::kernel::dialect::{Arity, Method};
use crate::kernel::{Body, Pass, Position, VectorStage, Way};

use CanonicalStage as S;

/// A pass inside the Vector Engine.
pub(super) struct VectorState {
    engine: EngineState,
    way: Way,
    /// Whether the stash has a type of its own, so that the stream's may change before it is written.
    types_stash: bool,
    /// The element type now.
    element_type: Option<ElementType>,
    /// Whether the back half of the packet is padding, if the packet is known.
    back_is_padding: Option<bool>,
}

impl VectorState {
    /// The state of a pass that is inside the engine.
    pub(super) fn of(body: &Body, pass: &Pass) -> Option<Self> {
        let shape = pass.output();
        if !matches!(
            shape.position,
            Position::VectorInit | Position::Vector(_) | Position::VectorPair(_)
        ) {
            return None;
        }
        let engine = EngineState::after_pass(body, pass);
        let back_is_padding = shape
            .packet
            .get()
            .filter(|packet| packet.size() == 8)
            .and_then(|packet| packet.form().split_at(4))
            .map(|(outer, _)| !outer.has_terms());
        Some(Self {
            way: shape
                .way
                .or(engine.way)
                .unwrap_or_else(|| engine.reached.map_or(Way::Way8, way_out_of)),
            types_stash: Conventions::of(pass.dialect).is_successor(),
            element_type: shape.element_type.value,
            back_is_padding,
            engine,
        })
    }

    /// The operation that took an ALU.
    pub(super) fn taken_by(&self, alu: Option<Alu>) -> Option<Span> {
        self.engine.taken_by(alu?)
    }

    /// Whether an operation is one for the stream's type.
    pub(super) fn takes_type(&self, operation: &VectorOperation) -> bool {
        self.element_type
            .is_none_or(|found| found == operation.element_type)
    }

    /// Whether the engine can run a method next. Packets are not judged, but for the lanes that a trim drops.
    pub(super) fn allows_method(&self, method: &Method) -> bool {
        let Some(stage) = method.stage() else {
            return false;
        };
        let engine = &self.engine;
        let is_inside = engine.reached.is_some();
        let is_single = engine.groups == Groups::Single;
        let follows = || {
            let entered = stage.vector_stage();
            entered.is_some_and(|entered| {
                is_inside && engine.may_follow(entered) && way_into(entered) == self.way
            })
        };
        match stage {
            S::VectorBranch => engine.may_begin(),
            S::VectorUnzip => !is_inside,
            S::VectorInterReduce => {
                engine.has_place_across()
                    && engine.groups != Groups::Pair
                    && (!is_inside || follows())
            }
            S::VectorFinal => is_inside && engine.groups != Groups::Pair && self.way == Way::Way8,
            S::VectorReinterpret => is_inside,
            S::VectorStash => {
                // Where the stash is a type of its own, it keeps the type that it was written with.
                let same_type = match (engine.entered, self.element_type) {
                    _ if self.types_stash => true,
                    (Some(entered), Some(now)) => entered == now,
                    _ => true,
                };
                is_inside && engine.may_stash() && !engine.stashed && same_type
            }
            S::VectorFilter => is_single && follows(),
            S::VectorTrim => follows() && self.back_is_padding != Some(false),
            S::VectorIntraReduce if self.types_stash && engine.fresh_zip => false,
            // Where there is one division, no argument names it.
            S::VectorFpDiv if !method.has_role(Role::Operation) => {
                let mut divisions = operations_of(OperationGroup::FloatDivide);
                follows()
                    && divisions.any(|operation| {
                        self.takes_type(operation) && self.taken_by(operation.alu).is_none()
                    })
            }
            _ if method.has_role(Role::Operation) && stage != S::VectorIntraReduce => {
                follows()
                    && operations_of_method(method).any(|operation| {
                        self.takes_type(operation) && self.taken_by(operation.alu).is_none()
                    })
            }
            _ => {
                follows()
                    && self
                        .element_type
                        .is_none_or(|found| stage.takes_type(found))
            }
        }
    }
}

/// The groups that the operation of a method may be of.
pub(super) fn groups_of_method(method: &Method) -> Vec<OperationGroup> {
    let reached = method.stage().and_then(CanonicalStage::vector_stage);
    let Some(reached) = reached.filter(|_| method.has_role(Role::Operation)) else {
        return Vec::new();
    };
    match (reached, method.merges(), method.arity()) {
        (VectorStage::Fp, true, _) | (VectorStage::Fp, false, Arity::Binary) => {
            vec![OperationGroup::FloatBinary]
        }
        (VectorStage::Fp, false, Arity::Unary) => vec![OperationGroup::FloatUnary],
        (VectorStage::Fp, false, Arity::Ternary) => vec![OperationGroup::FloatTernary],
        _ => stages::operation_groups(reached).to_vec(),
    }
}

/// The operations that a method may be given.
pub(super) fn operations_of_method(
    method: &Method,
) -> impl Iterator<Item = &'static VectorOperation> {
    groups_of_method(method).into_iter().flat_map(operations_of)
}
