//! What of a kernel differs along an axis: the tensors that come of one that has it.
//!
//! Knows operations and what they read and write; nothing of splits.

use rustc_hash::FxHashSet;

use crate::kernel::{
    Body, OperandSource, Operation, OperationKind, PassSource, Stage, StageKind, Tensor, TensorId,
};
use crate::mapping::Mapping;

/// The tensors of registers that a stage reads.
pub(super) fn operands_of(stage: &Stage) -> Vec<TensorId> {
    match &stage.kind {
        StageKind::Align {
            operand: Some(operand),
            ..
        } => vec![*operand],
        StageKind::VectorAlu(alu) => {
            let operands = alu.operands.iter().flatten();
            let registers = operands.filter_map(|operand| match operand.source {
                OperandSource::Vrf(id) => Some(id),
                _ => None,
            });
            registers.collect()
        }
        _ => Vec::new(),
    }
}

/// The tensors whose contents differ along an axis: those that come from one that has it.
pub(super) fn dependent_on(body: &Body, axis: &str) -> FxHashSet<TensorId> {
    let mut roots: FxHashSet<TensorId> = FxHashSet::default();
    let has = |tensor: &Tensor| {
        let mut levels = tensor.levels.iter();
        levels.any(|(_, level)| {
            let form = level.get().map(Mapping::form);
            form.is_some_and(|form| form.contains_axis(axis))
        })
    };
    // What no operation makes comes from outside, and is what it says.
    let outside = body.tensors.iter().filter(|tensor| {
        tensor.origin.shares().is_none()
            && !matches!(tensor.origin, crate::kernel::Origin::Operation(_))
    });
    roots.extend(outside.filter(|tensor| has(tensor)).map(|tensor| tensor.id));
    // Program order, twice for what a loop carries.
    for operation in body.operations.iter().chain(&body.operations) {
        let (read, written) = touched(operation);
        if read.iter().any(|id| roots.contains(&body.root(*id))) {
            roots.extend(written.iter().map(|id| body.root(*id)));
        }
    }
    let tensors = body.tensors.iter();
    tensors
        .filter(|tensor| roots.contains(&body.root(tensor.id)))
        .map(|tensor| tensor.id)
        .collect()
}

/// What an operation reads, and what it writes.
pub(super) fn touched(operation: &Operation) -> (Vec<TensorId>, Vec<TensorId>) {
    match &operation.kind {
        OperationKind::Copy(copy) => (vec![copy.source], vec![copy.target]),
        OperationKind::Collective(collective) => {
            (collective.sources.clone(), collective.targets.clone())
        }
        OperationKind::Pass(pass) => {
            let mut read = match &pass.source {
                PassSource::Tensor(id) => vec![*id],
                PassSource::Interleaved { tensors, .. } => tensors.clone(),
                PassSource::Parameter { .. } => Vec::new(),
            };
            read.extend(pass.stages.iter().flat_map(operands_of));
            let written = pass.end.written().map(|(target, _)| target);
            (read, written.into_iter().collect())
        }
    }
}
