//! What functions find in other files: a helper's fault belongs to the file of the helper.
//!
//! Knows which files may call each other; what is found there is asked of each function.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::items::functions_of_file;

use super::{Extent, Findings, found_in_function};
use crate::db::Db;
use crate::inputs::{Project, SourceFile};
use crate::items::{ModuleId, ModulePath, Span, crate_root, file_package};

/// Findings, operations and failures that functions of other files have in a file, because they call into it.
#[salsa::tracked(returns(clone))]
pub fn findings_from_elsewhere(db: &dyn Db, file: SourceFile) -> Arc<Findings> {
    from_elsewhere(db, file, Extent::Proposed)
}

pub(super) fn from_elsewhere(db: &dyn Db, file: SourceFile, extent: Extent) -> Arc<Findings> {
    let elsewhere = Project::try_get(db)
        .map(|project| foreign_findings(db, project, reachable_from(db, file), extent));
    Arc::new(
        elsewhere
            .and_then(|elsewhere| elsewhere.get(&file).cloned())
            .unwrap_or_default(),
    )
}

/// The files that may call each other: the crate of a lone file by its root, or, as `None`, all packages together.
pub fn reachable_from(db: &dyn Db, file: SourceFile) -> Option<ModuleId> {
    if file_package(db, file).is_some() {
        return None;
    }
    Some(crate_root(
        db,
        ModuleId::new(db, file, ModulePath::from([])),
    ))
}

/// The files by what they may call, in the order of their paths: asked once of all files, not by each of them.
#[salsa::tracked(returns(clone))]
pub(crate) fn files_by_reach(
    db: &dyn Db,
    project: Project,
) -> Arc<FxHashMap<Option<ModuleId>, Vec<SourceFile>>> {
    let mut groups: FxHashMap<_, Vec<_>> = FxHashMap::default();
    for file in project.files(db).values() {
        let among = reachable_from(db, *file);
        groups.entry(among).or_default().push(*file);
    }
    Arc::new(groups)
}

/// For each file what functions of other files find in it, among the files that may call each other.
#[salsa::tracked(returns(clone))]
fn foreign_findings(
    db: &dyn Db,
    project: Project,
    among: Option<ModuleId>,
    extent: Extent,
) -> Arc<FxHashMap<SourceFile, Findings>> {
    let mut elsewhere: FxHashMap<SourceFile, Findings> = FxHashMap::default();
    let groups = files_by_reach(db, project);
    for file in groups.get(&among).into_iter().flatten() {
        for found in functions_of_file(db, *file)
            .into_iter()
            .flat_map(|function| found_in_function(db, function, extent))
        {
            let away = |span: Span| Some(span.item.file(db)).filter(|other| other != file);
            for finding in &found.findings {
                if let Some(other) = away(finding.span) {
                    let there = elsewhere.entry(other).or_default();
                    there.findings.push(finding.clone());
                }
            }
            for operation in &found.operations {
                if let Some(other) = away(*operation) {
                    let there = elsewhere.entry(other).or_default();
                    there.operations.push(*operation);
                }
            }
            for unresolved in &found.unresolved {
                if let Some(other) = away(unresolved.operation) {
                    let there = elsewhere.entry(other).or_default();
                    there.unresolved.push(unresolved.clone());
                }
            }
        }
    }
    Arc::new(elsewhere)
}
