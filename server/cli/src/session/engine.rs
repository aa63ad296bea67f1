//! What an engine is told of a run.

use std::sync::Arc;

use visa_analysis::{
    Budget, CfgSetting, EnabledRules, Language, Options, Package, PackageFeatures, PackageManifest,
    Workspace,
};

use crate::project::files::{LoadedFile, Sources};
use crate::project::settings::SettingsTable;

/// All that an engine is told of some files of a run. Equal ones have equal answers.
pub(super) struct Told<'a> {
    pub(super) common: CommonFacts<'a>,
    pub(super) files: Vec<FileFacts<'a>>,
}

/// What holds for all files of a run.
#[derive(Hash)]
pub(super) struct CommonFacts<'a> {
    /// Whether kernels in doc comments are read too.
    doc_comments: bool,
    /// The rules that are on in files without settings of their own.
    default_rules: EnabledRules,
    packages: &'a [Package],
    manifests: &'a [(Arc<str>, PackageManifest)],
    features: &'a [PackageFeatures],
}

/// What holds for one file.
#[derive(Hash)]
pub(super) struct FileFacts<'a> {
    pub(super) path: &'a str,
    text: &'a str,
    options: Options,
    budgets: Arc<[Budget]>,
    rules: EnabledRules,
    cfg: Arc<[CfgSetting]>,
    /// The language that the command line says.
    language: Option<Language>,
}

impl<'a> CommonFacts<'a> {
    /// What holds for all files of a run. `doc_comments` is whether their kernels are read too.
    pub(super) fn new(doc_comments: bool, settings: &SettingsTable, sources: &'a Sources) -> Self {
        Self {
            doc_comments,
            default_rules: settings.default_rules(),
            packages: &sources.packages,
            manifests: &sources.libraries,
            features: &sources.features,
        }
    }
}

impl<'a> FileFacts<'a> {
    /// What holds for a file of a run.
    pub(super) fn new(settings: &SettingsTable, sources: &Sources, file: &'a LoadedFile) -> Self {
        let own = settings.settings_of(&file.path);
        Self {
            path: &file.path,
            text: &file.text,
            options: own.engine_options(),
            budgets: own.budgets(),
            rules: own.enabled_rules(),
            cfg: own.cfg(),
            language: sources.languages.get(&file.path).copied(),
        }
    }
}

impl<'a> Told<'a> {
    /// What an engine is told of some files of a run.
    pub(super) fn new(
        doc_comments: bool,
        settings: &SettingsTable,
        sources: &'a Sources,
        files: &[&'a LoadedFile],
    ) -> Self {
        let facts = |file: &&'a LoadedFile| FileFacts::new(settings, sources, file);
        Self {
            common: CommonFacts::new(doc_comments, settings, sources),
            files: files.iter().map(facts).collect(),
        }
    }

    /// Tells it to an engine.
    pub(super) fn tell(self, workspace: &mut Workspace) {
        let Self { common, files } = self;
        let said = |file: &FileFacts<'a>| file.language.map(|language| (file.path, language));
        workspace.set_doc_comments(common.doc_comments);
        workspace.set_file_options(files.iter().map(|file| (file.path, file.options)));
        let budgets = |file: &FileFacts<'a>| (file.path, Arc::clone(&file.budgets));
        workspace.set_budgets(files.iter().map(budgets));
        let rules = files.iter().map(|file| (file.path, file.rules));
        workspace.set_enabled_rules(common.default_rules, rules);
        workspace.set_packages(common.packages.to_vec());
        let manifests = common.manifests.iter();
        workspace.set_manifests(manifests.map(|(root, package)| (&**root, package.clone())));
        workspace.set_features(common.features.to_vec());
        let cfg = files.iter().filter(|file| !file.cfg.is_empty());
        workspace.set_cfg(cfg.map(|file| (file.path, Arc::clone(&file.cfg))));
        workspace.set_languages(files.iter().filter_map(said));
        workspace.set_files(files.iter().map(|file| (file.path, file.text)));
    }
}
