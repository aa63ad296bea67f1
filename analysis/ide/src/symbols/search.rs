//! Declarations of all files by a part of their names.

use std::sync::Arc;

use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::items::file_items;
use crate::names::{answer_place, place_of};
use crate::{SymbolKind, WorkspaceSymbol};

use super::declared::{Declared, item_declarations};

/// Symbols that are answered, at most.
const MAXIMUM_SYMBOLS: usize = 1_000;

/// How well a name fits a query, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    /// Letter by letter.
    Exact,
    /// But for upper and lower case.
    ExactLetters,
    /// The name starts with the query.
    Start,
    /// The query is in the name.
    Inside,
    /// The query's letters are in the name in their order.
    Scattered,
}

/// The declarations of all files that fit a query, the best first. The letters of the query have to be in the name in their
/// order; upper and lower case do not matter.
pub(crate) fn workspace_symbols(db: &dyn Db, query: &str) -> Vec<WorkspaceSymbol> {
    let Some(project) = Project::try_get(db) else {
        return Vec::new();
    };
    let query = query.trim();
    let lower = query.to_lowercase();
    let mut found = Vec::new();
    for file in project.files(db).values() {
        for entry in file_declarations(db, *file).iter() {
            if let Some(fit) = name_fit(&entry.name, query, &lower) {
                found.push((fit, entry.name.chars().count(), found.len(), entry.clone()));
            }
        }
    }
    // Files come in the order of their paths, declarations in that of the text: equal names keep it.
    found.sort_by(|one, other| {
        (one.0, one.1, &one.3.name, one.2).cmp(&(other.0, other.1, &other.3.name, other.2))
    });
    found
        .into_iter()
        .filter_map(|(.., entry)| {
            Some(WorkspaceSymbol {
                name: entry.name.to_string(),
                kind: entry.kind,
                container: container(db, &entry),
                place: answer_place(db, place_of(db, entry.selection)?),
            })
        })
        .take(MAXIMUM_SYMBOLS)
        .collect()
}

/// The kernels, functions, axes and aliases of a file.
#[salsa::tracked(returns(clone))]
fn file_declarations(db: &dyn Db, file: SourceFile) -> Arc<[Declared]> {
    file_items(db, file)
        .items
        .iter()
        .flat_map(|item| item_declarations(db, *item).to_vec())
        .filter(|entry| entry.kind != SymbolKind::Constant)
        .collect()
}

/// The function or the inline module around a declaration.
fn container(db: &dyn Db, entry: &Declared) -> Option<String> {
    let function = entry.container.as_ref().filter(|name| !name.is_empty());
    if let Some(function) = function {
        return Some(function.to_string());
    }
    let path = entry.item.module_path(db);
    (!path.is_empty()).then(|| path.join("::"))
}

fn name_fit(name: &str, query: &str, lower: &str) -> Option<Fit> {
    if name == query {
        return Some(Fit::Exact);
    }
    let letters = name.to_lowercase();
    if letters == lower {
        return Some(Fit::ExactLetters);
    }
    if letters.starts_with(lower) {
        return Some(Fit::Start);
    }
    if letters.contains(lower) {
        return Some(Fit::Inside);
    }
    let mut rest = letters.chars();
    lower
        .chars()
        .all(|wanted| rest.any(|letter| letter == wanted))
        .then_some(Fit::Scattered)
}
