//! What the figures of a kernel take for granted, a sentence each.

use crate::derivation::conventions::Conventions;
use crate::kernel::Body;
use crate::simulation::dma::ALONE;
use crate::simulation::{BodySimulation, model_calibration};

/// What was taken for granted of a kernel, once each.
pub(super) fn kernel_assumptions(body: &Body, simulation: &BodySimulation) -> Vec<String> {
    let mut assumptions: Vec<String> = Vec::new();
    if !Conventions::of(body.dialect).is_addressed() {
        assumptions.push("the compiler puts each tensor of DM, TRF and VRF where nothing else is needed: drawn at the first bytes that are free while it lives".to_owned());
    }
    let turn = model_calibration(body, simulation.model).map(|id| id.table().kernel.turn);
    let looped = body.operations.iter().any(|one| !one.loops.is_empty());
    if let Some(turn) = turn.filter(|_| looped)
        && !Conventions::of(body.dialect).keeps_order_of_transfers()
    {
        assumptions.push(format!(
            "each turn of a loop takes {turn} cycles more and overlaps with no other: a fit to two kernels"
        ));
    }
    let all = simulation.operations.iter();
    let all = all.flat_map(|cost| &cost.assumptions);
    // What is assumed of several tensors alike is one sentence.
    let mut alone: Vec<&str> = Vec::new();
    for assumption in all {
        match assumption.strip_suffix(ALONE) {
            Some(name) if !alone.contains(&name) => alone.push(name),
            Some(_) => {}
            None if !assumptions.contains(assumption) => assumptions.push(assumption.clone()),
            None => {}
        }
    }
    match alone.as_slice() {
        [] => {}
        [name] => assumptions.push(format!("{name}{ALONE}")),
        [first @ .., last] => assumptions.push(format!(
            "{} and {last} are aligned and alone in HBM",
            first.join(", ")
        )),
    }
    assumptions
}
