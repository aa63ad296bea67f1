//! Tests of items, one file a question.

mod conditions;
mod constants;
mod expressions;
mod incremental;
mod mappings;
mod modules;
mod names;
mod ordinary;
mod releases;
mod robust;
mod text;

use super::{ItemId, ItemKind, ModuleId, ModulePath, Resolution, ScopeRef, file_items};
use crate::db::AnalysisDatabase;
use crate::inputs::{Options, Package, SourceFile};

/// A database of files; the packages are given by name and root.
fn project(files: &[(&str, &str)], packages: &[(&str, &str)]) -> AnalysisDatabase {
    let mut db = AnalysisDatabase::with_event_log();
    let packages = packages
        .iter()
        .map(|(name, root)| Package {
            name: (*name).into(),
            root: (*root).into(),
        })
        .collect();
    db.set_project(files.iter().copied(), packages, Options::default());
    db
}

fn one(text: &str) -> (AnalysisDatabase, SourceFile) {
    let db = project(&[("kernel.rs", text)], &[]);
    let file = db.file("kernel.rs").unwrap();
    (db, file)
}

/// The item of a name (or, for one without a name, the first of the kind).
fn item(db: &AnalysisDatabase, file: SourceFile, kind: ItemKind, name: &str) -> ItemId {
    let items = file_items(db, file);
    let found = items
        .items
        .iter()
        .find(|item| item.kind(db) == kind && &*item.name(db) == name);
    *found.unwrap_or_else(|| panic!("no {kind:?} {name}"))
}

fn module(db: &AnalysisDatabase, path: &str, inside: &[&str]) -> ModuleId {
    let file = db.file(path).unwrap();
    let inside: ModulePath = inside.iter().map(|name| (*name).into()).collect();
    ModuleId::new(db, file, inside)
}

fn scope(db: &AnalysisDatabase, path: &str, inside: &[&str]) -> ScopeRef {
    ScopeRef::module(module(db, path, inside))
}

/// A short form of a resolution for assertions: `axis A = 8`, `alias Slice`, `external`, …
fn show(db: &AnalysisDatabase, resolution: &Resolution) -> String {
    match resolution {
        Resolution::Axis(axis) => match axis.size {
            Some(size) => format!("axis {} = {size}", axis.name),
            None => format!("axis {}", axis.name),
        },
        Resolution::Alias(item) => format!("alias {}", item.name(db)),
        Resolution::Const(item) => format!("const {}", item.name(db)),
        Resolution::Function(item) => format!("fn {}", item.name(db)),
        Resolution::Type(item) => format!("type {}", item.name(db)),
        Resolution::Module(module) => {
            format!("module {}{:?}", module.file(db).path(db), module.path(db))
        }
        Resolution::Parameter(name) => format!("parameter {name}"),
        Resolution::Prelude(path) => format!("library {path}"),
        Resolution::External => "external".to_owned(),
        Resolution::Unknown {
            has_unresolved_glob: true,
        } => "unknown, perhaps from a glob".to_owned(),
        Resolution::Unknown {
            has_unresolved_glob: false,
        } => "unknown".to_owned(),
    }
}
