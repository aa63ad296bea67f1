//! What operations cost: the book's own figures, and an independent walk over every access and flit.

mod discrete_events;
mod figures;
mod formulas;
mod kept;
mod kernels;

use std::sync::Arc;

use crate::db::AnalysisDatabase;
use crate::derivation::derive_body;
use crate::hardware::{Model, Target};
use crate::items::{ItemKind, file_items};
use crate::kernel::Body;
use crate::{BodySimulation, Engine, OperationCost, StageCost, simulate};
use visa_inputs::Options;
use visa_lowering::body;

/// One function with everything that is known of it.
struct Function {
    body: Arc<Body>,
    simulation: BodySimulation,
}

/// The functions of a text, in order.
fn functions(text: &str) -> Vec<Function> {
    let mut db = AnalysisDatabase::default();
    let text = format!("use furiosa_visa_std::prelude::*;\n{text}");
    db.set_project(
        [("kernel.rs", text.as_str())],
        Vec::new(),
        Options::default(),
    );
    let items = db.file("kernel.rs").map(|file| file_items(&db, file));
    items
        .iter()
        .flat_map(|items| items.items.iter().copied())
        .filter(|item| item.kind(&db) == ItemKind::Function)
        .map(|function| {
            let body = body(&db, function);
            let derived = derive_body(&body, Target::Rngd);
            let simulation = simulate(&body, &derived, Target::Rngd, Model::Book);
            Function { body, simulation }
        })
        .collect()
}

/// The stages of an engine in an operation.
fn stages(cost: &OperationCost, engine: Engine) -> Vec<&StageCost> {
    cost.stages
        .iter()
        .filter(|stage| stage.engine == engine)
        .collect()
}

/// The cycles that the only stage of an engine is busy.
#[track_caller]
fn busy(cost: &OperationCost, engine: Engine) -> Option<u64> {
    let stages = stages(cost, engine);
    assert_eq!(stages.len(), 1, "{engine:?}: {cost:?}");
    stages.first()?.busy
}

/// The value of an input of the only stage of an engine.
#[track_caller]
fn input(cost: &OperationCost, engine: Engine, name: &str) -> Option<u64> {
    let stages = stages(cost, engine);
    assert_eq!(stages.len(), 1, "{engine:?}: {cost:?}");
    let mut inputs = stages.first()?.inputs.iter();
    inputs
        .find(|(input, _)| *input == name)
        .map(|(_, value)| *value)
}
