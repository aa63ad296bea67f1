//! The settings of a project as one value, and what they say of one file: its conditions, and the limits of its kernels.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::{
    FileBudgets, FileCfg, Options, Package, PackageManifests, Project, ProjectRules, SourceFile,
    shown_path,
};
use visa_base::budget::Budget;
use visa_base::conditions::{Conditions, PackageFeatures};
use visa_base::db::Db;

/// All that a project is told beside the texts of its files. A copy of a project that leaves one of these out answers otherwise, so
/// that they are read and told together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectSettings {
    /// The packages that the files belong to.
    pub packages: Vec<Package>,
    /// The options of files that have none of their own.
    pub options: Options,
    /// The options of other files, by path.
    pub file_options: BTreeMap<Arc<str>, Options>,
    /// The budgets of kernels, by the file's path.
    pub budgets: FileBudgets,
    /// The rules that are on.
    pub enabled: ProjectRules,
    /// The features of packages.
    pub features: Vec<PackageFeatures>,
    /// The conditions that the settings turn on and off, by path.
    pub cfg: FileCfg,
    /// The libraries that packages name, by the folder of their manifest.
    pub manifests: PackageManifests,
}

impl ProjectSettings {
    /// The settings that a project was told.
    pub fn read(db: &dyn Db, project: Project) -> Self {
        let manifests = project.manifests(db);
        let manifests = manifests
            .iter()
            .map(|(root, entry)| (Arc::clone(root), entry.manifest(db)));
        Self {
            packages: project.packages(db).to_vec(),
            options: project.options(db),
            file_options: (*project.file_options(db)).clone(),
            budgets: (*project.budgets(db)).clone(),
            enabled: (*project.enabled(db)).clone(),
            features: project.features(db).to_vec(),
            cfg: (*project.cfg(db)).clone(),
            manifests: manifests.collect(),
        }
    }
}

/// What is known of the conditions in a file: its settings, and the features of the nearest package around it.
#[salsa::tracked(returns(clone))]
pub fn file_conditions(db: &dyn Db, file: SourceFile) -> Arc<Conditions> {
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
