//! What is kept of operations against what is worked out afresh.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::derivation::content::operation_content;
use crate::derivation::{derive_afresh, derive_body, derive_operation};
use crate::fixture_tests::fixture_texts;
use crate::hardware::{Model, Target};
use crate::items::file_functions;
use crate::kernel::Body;
use crate::schedule::{self, Conflicts, total_with_cycles};
use crate::{OperationCost, known_cost, operation_cost, simulate};
use visa_inputs::Options;
use visa_inputs::db::AnalysisDatabase;
use visa_lowering::body;

/// The bodies of the functions of a text.
fn bodies(text: &str) -> Vec<Arc<Body>> {
    let mut db = AnalysisDatabase::default();
    db.set_project([("src/lib.rs", text)], Vec::new(), Options::default());
    let file = db.file("src/lib.rs").expect("the file");
    let functions = file_functions(&db, file).into_iter();
    functions.map(|function| body(&db, function)).collect()
}

#[test]
fn what_is_kept_of_an_operation_is_what_is_derived_afresh() {
    let mut compared = 0;
    for text in fixture_texts() {
        // The same operations in other places, with other numbers of their tensors.
        let view = "{ let filler = a_parameter.view(); let _ = filler;";
        let moved = text.replace(" {\n", " { let filler = 12345;\n");
        let numbered = text
            .replace(
                "ctx: &mut Context,",
                "ctx: &mut Context, a_parameter: &HbmTensor<i8, m![1], m![1]>,",
            )
            .replace(" {\n", &format!(" {view}\n"));
        for text in [&text, &moved, &numbered, &text] {
            for body in bodies(text) {
                for operation in &body.operations {
                    let derived = derive_operation(&body, operation, Target::Rngd);
                    assert_eq!(derived, derive_afresh(&body, operation, Target::Rngd));
                    let key = operation_content(&body, operation, Target::Rngd);
                    let by = (Target::Rngd, Model::Schedule);
                    let cost = known_cost(&body, operation, &derived, by, key);
                    let afresh =
                        operation_cost(&body, operation, &derived, Target::Rngd, Model::Schedule);
                    assert_eq!(*cost, afresh);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > 2_000, "{compared}");
}

#[test]
fn a_total_with_other_cycles_is_that_of_a_schedule_with_them() {
    let mut random = StdRng::seed_from_u64(7);
    let mut compared = 0;
    for body in fixture_texts().iter().flat_map(|text| bodies(text)) {
        let derivation = derive_body(&body, Target::Rngd);
        for model in [Model::Schedule, Model::Book] {
            let simulation = simulate(&body, &derivation, Target::Rngd, model);
            if simulation.total().is_none() {
                continue;
            }
            for _ in 0..3 {
                let costs = simulation.operations.iter().map(|cost| {
                    let mut cost = OperationCost::clone(cost);
                    if random.random_bool(0.3) {
                        cost.cycles = Some(random.random_range(0..100_000));
                    }
                    Arc::new(cost)
                });
                let costs: Vec<Arc<OperationCost>> = costs.collect();
                let cycles: Vec<u64> = costs.iter().filter_map(|cost| cost.cycles).collect();
                let total = total_with_cycles(&body, &derivation, &simulation, &cycles);
                let conflicts = Conflicts::default();
                let whole = schedule::derive(&body, &derivation, &costs, model, &conflicts);
                assert_eq!(total, whole.total, "{}", body.name);
                compared += 1;
            }
        }
    }
    assert!(compared > 1_000, "{compared}");
}
