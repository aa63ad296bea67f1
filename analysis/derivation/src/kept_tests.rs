//! What is kept of operations is what is derived of whole bodies.
#![allow(clippy::expect_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use visa_inputs::Options;
use visa_inputs::db::AnalysisDatabase;
use visa_lowering::body;

use crate::content::operation_content;
use crate::conventions::Conventions;
use crate::fixture_tests::fixture_texts;
use crate::hardware::Target;
use crate::items::file_functions;
use crate::kernel::Body;
use crate::refusals::{find_refusals, operation_refusals};
use crate::{derive_afresh, derive_body, library, memory};

/// The bodies of the functions of a text.
fn bodies(text: &str) -> Vec<Arc<Body>> {
    let mut db = AnalysisDatabase::default();
    db.set_project([("src/lib.rs", text)], Vec::new(), Options::default());
    let file = db.file("src/lib.rs").expect("the file");
    let functions = file_functions(&db, file).into_iter();
    functions.map(|function| body(&db, function)).collect()
}

#[test]
fn what_is_wrong_with_operations_is_found_where_others_alike_were_looked_at() {
    let (mut faults, mut limits) = (0, 0);
    for text in fixture_texts() {
        let moved = text.replace(" {\n", " { let filler = 12345;\n");
        for text in [&text, &moved] {
            for body in bodies(text) {
                let derived = derive_body(&body, Target::Rngd);
                let moves = memory::derive_memory(&body).moves;
                let is_limited = Conventions::of(body.dialect).has_library_limits();
                let refused = library::derive_library_limits(&body, &derived.operations, &moves);
                let refused = if is_limited { refused } else { Vec::new() };
                assert_eq!(derived.memory.moves, moves, "{}", body.name);
                assert_eq!(derived.library, refused, "{}", body.name);
                faults += moves.len();
                limits += refused.len();
            }
        }
    }
    assert!(faults > 20 && limits > 20, "{faults} {limits}");
}

#[test]
fn what_is_refused_of_operations_is_found_where_others_alike_were_looked_at() {
    let (mut compared, mut refused) = (0, 0);
    for text in fixture_texts() {
        let moved = text.replace(" {\n", " { let filler = 12345;\n");
        for body in [&text, &moved].into_iter().flat_map(|text| bodies(text)) {
            for operation in &body.operations {
                let content = operation_content(&body, operation, Target::Rngd);
                let known = operation_refusals(&body, operation, Target::Rngd, content);
                let derived = derive_afresh(&body, operation, Target::Rngd);
                let afresh = find_refusals(&body, operation, &derived);
                assert_eq!(*known, afresh, "{}", body.name);
                compared += 1;
                refused += usize::from(!afresh.is_empty());
            }
        }
    }
    assert!(compared > 2_000 && refused > 50, "{compared} {refused}");
}
