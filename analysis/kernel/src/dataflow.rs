//! What operations read and write, and which tensors hold different elements along an axis.

use rustc_hash::FxHashSet;

use super::{
    Body, OperandSource, Operation, OperationKind, Origin, Pass, PassSource, Stage, StageKind,
    Tensor, TensorId, Tier,
};
use crate::mapping::Mapping;

impl Stage {
    /// The tensors of registers that it reads.
    pub fn registers_read(&self) -> Vec<TensorId> {
        match &self.kind {
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
}

impl Pass {
    /// Whether its Vector Engine takes an operand from a register, which another pass filled.
    pub fn reads_registers(&self) -> bool {
        let mut computing = self.stages.iter();
        computing.any(|stage| {
            matches!(stage.kind, StageKind::VectorAlu(_)) && !stage.registers_read().is_empty()
        })
    }
}

impl Operation {
    /// The tensors and views that it reads, registers included.
    pub fn tensors_read(&self) -> Vec<TensorId> {
        match &self.kind {
            OperationKind::Copy(copy) => vec![copy.source],
            OperationKind::Collective(collective) => collective.sources.clone(),
            OperationKind::Pass(pass) => {
                let mut read = match &pass.source {
                    PassSource::Tensor(id) => vec![*id],
                    PassSource::Interleaved { tensors, .. } => tensors.clone(),
                    PassSource::Parameter { .. } => Vec::new(),
                };
                read.extend(pass.stages.iter().flat_map(Stage::registers_read));
                read
            }
        }
    }

    /// The tensors and views that it writes.
    pub fn tensors_written(&self) -> Vec<TensorId> {
        match &self.kind {
            OperationKind::Copy(copy) => vec![copy.target],
            OperationKind::Collective(collective) => collective.targets.clone(),
            OperationKind::Pass(pass) => {
                let written = pass.end.written_target();
                written.into_iter().map(|(target, _)| target).collect()
            }
        }
    }
}

/// Whether a tensor has bytes of its own that no operation of the body made: its contents come from outside.
pub fn comes_from_outside(tensor: &Tensor) -> bool {
    tensor.origin.shares().is_none() && !matches!(tensor.origin, Origin::Operation(_))
}

/// Whether a tensor is a parameter in a memory whose mapping counts each element once, so that its axes tell elements apart.
pub fn holds_each_element_once(tensor: &Tensor) -> bool {
    tensor.origin == Origin::Parameter && matches!(tensor.tier, Tier::Hbm | Tier::Host)
}

/// The tensors whose contents differ along an axis: those that come from a source that has it. An axis that no source has counts
/// copies.
pub fn tensors_varying_along(
    body: &Body,
    axis: &str,
    is_source: impl Fn(&Tensor) -> bool,
) -> FxHashSet<TensorId> {
    let has = |tensor: &Tensor| {
        let mut levels = tensor.levels.iter();
        levels.any(|(_, level)| {
            let form = level.get().map(Mapping::form);
            form.is_some_and(|form| form.contains_axis(axis))
        })
    };
    let sources = body
        .tensors
        .iter()
        .filter(|tensor| is_source(tensor) && has(tensor));
    let mut roots: FxHashSet<TensorId> = sources.map(|tensor| tensor.id).collect();
    // Program order, twice for what a loop carries.
    for operation in body.operations.iter().chain(&body.operations) {
        let read = operation.tensors_read();
        if read.iter().any(|id| roots.contains(&body.root(*id))) {
            let written = operation.tensors_written();
            roots.extend(written.iter().map(|id| body.root(*id)));
        }
    }
    let tensors = body.tensors.iter();
    tensors
        .filter(|tensor| roots.contains(&body.root(tensor.id)))
        .map(|tensor| tensor.id)
        .collect()
}
