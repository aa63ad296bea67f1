//! How far a pass has come in the Vector Engine: the stage, the lanes, the ALUs that are taken, the stash.
//!
//! Reads what the derivation of the pass says and the tables of the engine's stages; judges no shapes.

use crate::derivation::conventions::Conventions;
use crate::derivation::vector::{derive, stages};
use crate::hardware::{Alu, ElementType, OperationGroup, VectorOperation, operations_of};
use crate::items::Span;
use crate::kernel::catalogue::{
    CanonicalStage, Role, is_stashable, may_follow, way_into, way_out_of,
};
use crate::kernel::dialect::{Arity, Method};
use crate::kernel::{Body, Pass, Position, StageKind, VectorStage, Way};

use CanonicalStage as S;

/// A pass inside the Vector Engine.
pub(super) struct VectorState {
    /// The stage reached; none directly behind `vector_init`.
    reached: Option<VectorStage>,
    way: Way,
    is_pair: bool,
    is_zipped: bool,
    /// A reduction across slices came already.
    across: bool,
    /// Stages inside of a slice came before it.
    intra_first: bool,
    stashed: bool,
    /// Whether the stash has a type of its own, so that the stream's may change before it is written.
    types_stash: bool,
    /// The stream is what a zip made, and no operation came since.
    fresh_zip: bool,
    /// The element type with which the stages were entered.
    entered: Option<ElementType>,
    /// The element type now.
    element_type: Option<ElementType>,
    /// The ALUs that are taken, with the operations that took them.
    used: Vec<(Alu, Span)>,
    /// Whether the back half of the packet is padding, if the packet is known.
    back_is_padding: Option<bool>,
}

impl VectorState {
    /// The state of a pass that is inside the engine.
    pub(super) fn of(body: &Body, pass: &Pass) -> Option<Self> {
        let shape = pass.output();
        let (reached, is_pair) = match shape.position {
            Position::VectorInit => (None, false),
            Position::Vector(stage) => (Some(stage), false),
            Position::VectorPair(stage) => (Some(stage), true),
            _ => return None,
        };
        let is = |wanted: fn(&StageKind) -> bool| {
            pass.stages.iter().rposition(|stage| wanted(&stage.kind))
        };
        let reduced = is(|kind| matches!(kind, StageKind::VectorInterReduce { .. }));
        let entry = is(|kind| {
            matches!(
                kind,
                StageKind::VectorBranch(_) | StageKind::VectorUnzip { .. }
            )
        });
        let zip = is(|kind| matches!(kind, StageKind::VectorAlu(operation) if operation.zip));
        let stash = is(|kind| matches!(kind, StageKind::VectorStash));
        let first_entry = pass.stages.iter().position(|stage| {
            matches!(
                stage.kind,
                StageKind::VectorBranch(_) | StageKind::VectorUnzip { .. }
            )
        });
        let back_is_padding = shape
            .packet
            .get()
            .filter(|packet| packet.size() == 8)
            .and_then(|packet| packet.form().split_at(4))
            .map(|(outer, _)| !outer.has_terms());
        Some(Self {
            reached,
            way: shape
                .way
                .unwrap_or_else(|| reached.map_or(Way::Way8, way_out_of)),
            is_pair,
            is_zipped: zip.is_some() && zip > reduced,
            across: reduced.is_some(),
            intra_first: first_entry.is_some() && first_entry < reduced,
            stashed: stash.is_some() && stash > reduced,
            types_stash: Conventions::of(pass.dialect).is_successor(),
            fresh_zip: zip.is_some() && zip == is(|kind| matches!(kind, StageKind::VectorAlu(_))),
            entered: entry.and_then(|entry| pass.input_of(entry).element_type.value),
            element_type: shape.element_type.value,
            used: used_alus(body, pass, reduced),
            back_is_padding,
        })
    }

    /// The operation that took an ALU.
    pub(super) fn taken_by(&self, alu: Option<Alu>) -> Option<Span> {
        let alu = alu?;
        self.used
            .iter()
            .find(|(used, _)| *used == alu)
            .map(|(_, span)| *span)
    }

    /// Whether an operation is one for the stream's type.
    pub(super) fn takes_type(&self, operation: &VectorOperation) -> bool {
        self.element_type
            .is_none_or(|found| found == operation.element_type)
    }

    /// Whether the engine can run a method next. Packets are not judged, but for the lanes that a trim drops.
    pub(super) fn allows(&self, method: &Method) -> bool {
        let Some(stage) = method.stage() else {
            return false;
        };
        let follows = || {
            let entered = stage.vector_stage();
            entered.is_some_and(|entered| {
                self.reached
                    .is_some_and(|from| may_follow(from, entered) && way_into(entered) == self.way)
            })
        };
        match stage {
            S::VectorBranch => {
                self.reached.is_none()
                    || (self.reached == Some(VectorStage::InterSliceReduce) && !self.intra_first)
            }
            S::VectorUnzip => self.reached.is_none(),
            S::VectorInterReduce => {
                !self.across && !self.is_pair && (self.reached.is_none() || follows())
            }
            S::VectorFinal => self.reached.is_some() && !self.is_pair && self.way == Way::Way8,
            S::VectorReinterpret => self.reached.is_some(),
            S::VectorStash => {
                // Where the stash is a type of its own, it keeps the type that it was written with.
                let same_type = match (self.entered, self.element_type) {
                    _ if self.types_stash => true,
                    (Some(entered), Some(now)) => entered == now,
                    _ => true,
                };
                self.reached.is_some_and(is_stashable)
                    && !self.stashed
                    && !self.is_zipped
                    && same_type
            }
            S::VectorFilter => !self.is_zipped && follows(),
            S::VectorTrim => follows() && self.back_is_padding != Some(false),
            S::VectorIntraReduce if self.types_stash && self.fresh_zip => false,
            // Where there is one division, no argument names it.
            S::VectorFpDiv if !method.has(Role::Operation) => {
                let mut divisions = operations_of(OperationGroup::FloatDivide);
                follows()
                    && divisions.any(|operation| {
                        self.takes_type(operation) && self.taken_by(operation.alu).is_none()
                    })
            }
            _ if method.has(Role::Operation) && stage != S::VectorIntraReduce => {
                follows()
                    && operations(method).any(|operation| {
                        self.takes_type(operation) && self.taken_by(operation.alu).is_none()
                    })
            }
            _ => follows() && self.element_type.is_none_or(|found| stage.takes(found)),
        }
    }
}

/// The ALUs of a pass with the operations that took them, since the last reduction across slices.
fn used_alus(body: &Body, pass: &Pass, reduced: Option<usize>) -> Vec<(Alu, Span)> {
    let derived = derive(body, pass);
    let steps = derived
        .steps
        .iter()
        .filter(|step| reduced.is_none_or(|reduced| step.stage > reduced));
    steps
        .filter_map(|step| {
            let stage = pass.stages.get(step.stage)?;
            let span = match &stage.kind {
                StageKind::VectorAlu(operation) => operation.operation_span,
                _ => stage.span,
            };
            Some((step.alu?, span))
        })
        .collect()
}

/// The groups that the operation of a method may be of.
pub(super) fn groups(method: &Method) -> Vec<OperationGroup> {
    let reached = method.stage().and_then(CanonicalStage::vector_stage);
    let Some(reached) = reached.filter(|_| method.has(Role::Operation)) else {
        return Vec::new();
    };
    match (reached, method.merges(), method.arity()) {
        (VectorStage::Fp, true, _) | (VectorStage::Fp, false, Arity::Binary) => {
            vec![OperationGroup::FloatBinary]
        }
        (VectorStage::Fp, false, Arity::Unary) => vec![OperationGroup::FloatUnary],
        (VectorStage::Fp, false, Arity::Ternary) => vec![OperationGroup::FloatTernary],
        _ => stages::groups(reached).to_vec(),
    }
}

/// The operations that a method may be given.
pub(super) fn operations(method: &Method) -> impl Iterator<Item = &'static VectorOperation> {
    groups(method).into_iter().flat_map(operations_of)
}
