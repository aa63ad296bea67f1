//! The kernels of `fixtures/migrate`: what the book's library and three releases of its successor write lowers to the same
//! operations, addresses apart.

use std::path::Path;

use crate::kernel::catalogue::CanonicalStage;
use crate::kernel::{Levels, Operation, PassEnd, TensorId};
use crate::libraries::{dialect_line, without_dialect_line};

use super::*;

/// Steps that one library writes out and another one implies: conversions of a fetch, the sums over time, the trim.
const IMPLIED: [CanonicalStage; 4] = [
    CanonicalStage::Fetch,
    CanonicalStage::FetchCast,
    CanonicalStage::ContractTime,
    CanonicalStage::CommitTrim,
];

fn levels(levels: &Levels) -> String {
    let levels = levels.iter().map(|(level, mapping)| {
        let mapping = mapping.value.as_ref().expect("a mapping");
        format!("{level:?} {mapping}")
    });
    levels.collect::<Vec<_>>().join("; ")
}

fn tensor(body: &Body, id: TensorId) -> String {
    let tensor = body.tensor(id).expect("a tensor");
    let scalar = tensor.element_type.value.expect("an element type");
    format!(
        "{:?} {} [{}]",
        tensor.tier,
        scalar.name(),
        levels(&tensor.levels)
    )
}

/// An operation in words: where it runs, what it reads, what each stage gives, what it makes.
fn words(body: &Body, operation: &Operation) -> String {
    let work = match &operation.kind {
        OperationKind::Copy(copy) => {
            format!(
                "copy {} to {}",
                tensor(body, copy.source),
                tensor(body, copy.target)
            )
        }
        OperationKind::Collective(_) => "a collective".to_owned(),
        OperationKind::Pass(pass) => {
            let stages = pass.stages.iter();
            let stages = stages.filter(|stage| !IMPLIED.contains(&stage.kind.canonical()));
            let stages = stages.map(|stage| {
                let output = &stage.output;
                format!(
                    "{:?} {} [{}; {}; {}]",
                    stage.kind.canonical(),
                    output.element_type.value.expect("an element type").name(),
                    shown(&output.slice),
                    shown(&output.time),
                    shown(&output.packet),
                )
            });
            let stages: Vec<String> = stages.collect();
            let made = match pass.end.written_target() {
                Some((target, _)) => tensor(body, target),
                None => "a stream".to_owned(),
            };
            let end = match pass.end {
                PassEnd::Commit { .. } => "commit",
                PassEnd::CommitView { .. } => "commit into",
                PassEnd::ToTrf { .. } => "load weights",
                PassEnd::ToVrf { .. } => "load operands",
                PassEnd::Open => "open",
            };
            format!("pass {} {end} {made}", stages.join(", "))
        }
    };
    format!("{:?}: {work}", operation.context)
}

#[test]
fn versions_lower_to_the_same_operations() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/migrate");
    let kernels = std::fs::read_dir(&folder).expect("the fixtures");
    let mut compared = 0;
    for kernel in kernels {
        let kernel = kernel.expect("a folder").path();
        let versions = ["book", "0.6", "0.8", "0.10"].map(|version| {
            let text =
                std::fs::read_to_string(kernel.join(format!("{version}.rs"))).expect("a kernel");
            let dialect = dialect_line(&text).unwrap_or_default();
            let text = without_dialect_line(&text).to_owned();
            let mut db = AnalysisDatabase::default();
            db.set_project(
                [("kernel.rs", text.as_str())],
                Vec::new(),
                Options::default(),
            );
            let file = db.file("kernel.rs").expect("the file");
            let items = file_items(&db, file);
            let functions = items.items.iter();
            let functions = functions.filter(|item| item.kind(&db) == ItemKind::Function);
            let mut operations = Vec::new();
            for function in functions {
                let table = crate::kernel::dialect::dialect_in_release(dialect);
                let body = super::super::functions::lower_for(&db, table, *function, None).0;
                assert_eq!(body.foreign, [], "{kernel:?} {version}");
                operations.push((
                    body.name.clone(),
                    body.operations
                        .iter()
                        // The hole of an exclusive tile has a kind of its own from 0.6 on.
                        .map(|operation| words(&body, operation).replace("#{!}", "#"))
                        .collect::<Vec<_>>(),
                ));
            }
            operations
        });
        let [book, others @ ..] = &versions;
        for other in others {
            assert_eq!(other, book, "{kernel:?}");
        }
        compared += 1;
    }
    assert!(compared >= 20, "{compared} kernels");
}
