//! What an engine is told of a run.

use visa_analysis::Workspace;

use crate::project::files::{LoadedFile, Sources};
use crate::project::settings::SettingsTable;

/// Tells an engine some files of a run and what holds for them. `doc_comments` is whether their kernels are read too.
pub(super) fn fill_workspace(
    workspace: &mut Workspace,
    doc_comments: bool,
    settings: &SettingsTable,
    sources: &Sources,
    files: &[&LoadedFile],
) {
    let paths = || files.iter().map(|file| file.path.as_str());
    workspace.set_doc_comments(doc_comments);
    workspace
        .set_file_options(paths().map(|path| (path, settings.settings_of(path).engine_options())));
    workspace.set_budgets(paths().map(|path| (path, settings.settings_of(path).budgets())));
    let enabled = paths().map(|path| (path, settings.settings_of(path).enabled_rules()));
    workspace.set_enabled_rules(settings.default_rules(), enabled);
    workspace.set_packages(sources.packages.clone());
    let libraries = sources.libraries.iter();
    workspace.set_manifests(libraries.map(|(root, package)| (&**root, package.clone())));
    workspace.set_features(sources.features.clone());
    let cfg = paths().map(|path| (path, settings.settings_of(path).cfg()));
    workspace.set_cfg(cfg.filter(|(_, cfg)| !cfg.is_empty()));
    let said = sources.languages.iter();
    workspace.set_languages(said.map(|(path, language)| (path.as_str(), *language)));
    let files = files.iter();
    workspace.set_files(files.map(|file| (file.path.as_str(), file.text.as_str())));
}
