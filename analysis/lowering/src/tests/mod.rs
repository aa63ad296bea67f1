//! Small functions and what they lower to, derived by hand.

mod book;
mod broken;
mod collectives;
mod control_flow;
mod dialects;
mod helpers;
mod homonyms;
mod host;
mod incremental;
mod inference;
mod language;
mod lost;
mod migrated;
mod operands;

use std::sync::Arc;

use crate::db::AnalysisDatabase;
use crate::inputs::Options;
use crate::items::{ItemKind, file_items, item_text};
use crate::kernel::{Body, Operation, OperationKind, Pass, UnresolvedReason, Written};
use crate::mapping::Mapping;

const PRELUDE: &str = "use furiosa_visa_std::prelude::*;\n";

/// The body of the function of that name in a file of that text.
fn lower_in(text: &str, name: &str) -> (AnalysisDatabase, Arc<Body>) {
    let mut db = AnalysisDatabase::default();
    let text = format!("{PRELUDE}{text}");
    db.set_project(
        [("kernel.rs", text.as_str())],
        Vec::new(),
        Options::default(),
    );
    let file = db.file("kernel.rs").expect("the file");
    let function = file_items(&db, file)
        .items
        .iter()
        .copied()
        .find(|item| item.kind(&db) == ItemKind::Function && &*item.name(&db) == name)
        .expect("the function");
    let body = super::body(&db, function);
    (db, body)
}

/// What a place says in the normalised text.
fn text_at(db: &AnalysisDatabase, span: crate::items::Span) -> String {
    let text = item_text(db, span.item);
    text.text[span.start as usize..span.end as usize].to_owned()
}

fn shown(written: &Written<Mapping>) -> String {
    written
        .value
        .as_ref()
        .map_or_else(|| "?".to_owned(), ToString::to_string)
}

fn passes(body: &Body) -> Vec<&Pass> {
    body.operations
        .iter()
        .filter_map(|operation| match &operation.kind {
            OperationKind::Pass(pass) => Some(&**pass),
            _ => None,
        })
        .collect()
}

fn methods(operations: &[Operation]) -> Vec<String> {
    operations
        .iter()
        .map(|operation| match &operation.kind {
            OperationKind::Copy(copy) => copy.method.to_owned(),
            OperationKind::Collective(collective) => collective.method.to_owned(),
            OperationKind::Pass(pass) => format!("pass of {}", pass.stages.len()),
        })
        .collect()
}

fn reasons(body: &Body) -> Vec<UnresolvedReason> {
    body.unresolved
        .iter()
        .map(|entry| entry.reason.clone())
        .collect()
}
