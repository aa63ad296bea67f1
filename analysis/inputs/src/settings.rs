//! What the settings say of one file: its conditions, and the limits of its kernels.

use std::sync::Arc;

use super::{Project, SourceFile, shown_path};
use visa_base::budget::Budget;
use visa_base::conditions::{Conditions, PackageFeatures};
use visa_base::db::Db;

/// What is known of the conditions in a file: its settings, and the features of the nearest package around it.
#[salsa::tracked(returns(clone))]
pub fn conditions(db: &dyn Db, file: SourceFile) -> Arc<Conditions> {
    let Some(project) = Project::try_get(db) else {
        return Arc::default();
    };
    let path = shown_path(db, file);
    let around = |package: &&PackageFeatures| {
        package.root.is_empty()
            || path
                .strip_prefix(&*package.root)
                .is_some_and(|rest| rest.starts_with('/'))
    };
    let packages = project.features(db);
    let package = packages
        .iter()
        .filter(around)
        .max_by_key(|package| package.root.len());
    Arc::new(Conditions {
        settings: project.cfg(db).get(&path).cloned().unwrap_or_default(),
        features: package.map(|package| Arc::new(package.features.clone())),
    })
}

/// The budget of a kernel of a file: the first that fits.
pub fn budget_of(db: &dyn Db, file: SourceFile, kernel: &str) -> Option<Budget> {
    let budgets = Project::try_get(db)?.budgets(db);
    let own = budgets.get(&shown_path(db, file))?.iter();
    own.clone().find(|budget| budget.is_for(kernel)).cloned()
}
