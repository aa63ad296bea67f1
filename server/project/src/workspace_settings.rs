//! What holds for each file: the client's settings over those of `visa-lint.toml`, and which files are checked.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

use visa_analysis::{Package, PackageFeatures, Workspace};

use super::client_settings::ClientSettings;
use super::files::Sources;
use super::libraries::Libraries;
use super::paths::{self, slashes};
use super::settings::show::show_settings;
use super::settings::{Configurations, Resolver, SettingsProblem, SettingsTable};

/// What the client wants, and what the disk says.
#[derive(Debug, Default)]
pub struct Settings {
    /// The client's settings.
    pub client: ClientSettings,
    /// What holds for each file that was read.
    pub table: SettingsTable,
    /// What is wrong with settings files, by the engine's path.
    pub problems: BTreeMap<Arc<str>, Vec<SettingsProblem>>,
    /// The files that are checked, by the engine's path.
    pub reported: BTreeSet<Arc<str>>,
    /// Those of them that are checked only because they were open when the folders were read.
    pub only_open: BTreeSet<Arc<str>>,
    /// The documents that were open when the folders were read.
    known: BTreeSet<Arc<str>>,
    /// The files that were read, those that only give names among them.
    pub loaded: BTreeSet<Arc<str>>,
    /// The packages that they belong to.
    packages: Vec<Package>,
    /// What these say of the libraries that kernels are written for.
    libraries: Libraries,
    /// Their features.
    features: Vec<PackageFeatures>,
    /// The settings files that are right, to fall back on.
    configurations: Configurations,
}

/// What a reading of the disk starts from.
#[derive(Debug)]
pub struct Wanted {
    /// The workspace's folders.
    pub roots: Vec<PathBuf>,
    /// The open documents that are files, with their texts.
    pub open: BTreeMap<PathBuf, String>,
    /// The client's settings.
    pub client: ClientSettings,
    /// What held before.
    pub before: Arc<Settings>,
}

impl Wanted {
    /// A folder in which no document is open, for those who have no settings of their own.
    pub fn of_folder(root: PathBuf, before: Arc<Settings>) -> Self {
        Self {
            roots: vec![root],
            open: BTreeMap::new(),
            client: ClientSettings::default(),
            before,
        }
    }
}

/// What was read.
#[derive(Debug)]
pub struct Reading {
    /// What holds for each file.
    pub settings: Settings,
    /// The files.
    pub sources: Sources,
    /// What tells this reading from others: files, texts and what holds for them.
    pub stamp: u64,
}

impl Settings {
    /// What holds before anything was read: the client's settings alone.
    pub fn unread(client: ClientSettings) -> Self {
        Self {
            client,
            ..Self::default()
        }
    }

    /// Reads what is below the folders and around the open documents. Takes as long as the disk does.
    pub fn read(wanted: Wanted) -> Reading {
        let here = wanted.roots.first().cloned().unwrap_or_default();
        // A document that is on no disk is as a new file of the first folder.
        let untitled = here.join("untitled.rs");
        let mut resolver = Resolver::from_folder(
            here,
            &wanted.client.arguments,
            wanted.client.levels.clone(),
            wanted.before.configurations.clone(),
        );
        let open: BTreeSet<String> = wanted.open.keys().map(|path| slashes(path)).collect();
        let sources = Sources::around_folders(&wanted.roots, wanted.open, &mut resolver);
        let files = sources.files.iter().map(|file| file.path.as_str());
        let table = resolver.lenient_table(files, &untitled);
        let mut problems: BTreeMap<Arc<str>, Vec<SettingsProblem>> = BTreeMap::new();
        for problem in resolver.problems() {
            let file = slashes(&problem.file).into();
            problems.entry(file).or_default().push(problem.clone());
        }
        let stamp = stamp(&sources, &open, &table, resolver.problems());
        let paths = sources.files.iter().map(|file| file.path.as_str().into());
        let settings = Self {
            client: wanted.client,
            table,
            problems,
            reported: sources
                .reported
                .iter()
                .map(|path| path.as_str().into())
                .collect(),
            only_open: sources
                .only_open
                .iter()
                .map(|path| path.as_str().into())
                .collect(),
            known: open.iter().map(|path| path.as_str().into()).collect(),
            loaded: paths.collect(),
            packages: sources.packages.clone(),
            libraries: sources.libraries.clone(),
            features: sources.features.clone(),
            configurations: resolver.configurations(),
        };
        Reading {
            settings,
            sources,
            stamp,
        }
    }

    /// Whether a file is checked. Documents that are no files always are.
    pub fn reports(&self, path: &str) -> bool {
        !paths::is_file_path(path) || self.reported.contains(path)
    }

    /// Whether a document is open that the reading did not know: whether it is checked is said by the next one.
    pub fn awaits_document(&self, path: &str) -> bool {
        paths::is_source(path) && !self.reported.contains(path) && !self.known.contains(path)
    }

    /// Tells an engine what it needs to know about the files.
    pub fn tell_engine(&self, workspace: &mut Workspace) {
        workspace.set_options(self.table.default_options());
        workspace.set_file_options(self.table.engine_options());
        workspace.set_budgets(self.table.budgets());
        workspace.set_enabled_rules(self.table.default_rules(), self.table.enabled_rules());
        workspace.set_packages(self.packages.clone());
        let libraries = self.libraries.iter();
        workspace.set_manifests(libraries.map(|(root, package)| (&**root, package.clone())));
        workspace.set_features(self.features.clone());
        workspace.set_cfg(self.table.cfg());
    }
}

/// What tells one reading from another. The texts of open documents are not read, and so are no part of it.
fn stamp(
    sources: &Sources,
    open: &BTreeSet<String>,
    table: &SettingsTable,
    problems: &[SettingsProblem],
) -> u64 {
    let mut hasher = DefaultHasher::new();
    for file in &sources.files {
        file.path.hash(&mut hasher);
        if !open.contains(&file.path) {
            file.text.hash(&mut hasher);
        }
    }
    sources.reported.hash(&mut hasher);
    // Documents that are not checked, and are known not to be.
    let unchecked = open.iter().filter(|path| !sources.reported.contains(path));
    unchecked.for_each(|path| path.hash(&mut hasher));
    for package in &sources.packages {
        (&package.name, &package.root).hash(&mut hasher);
    }
    sources.libraries.hash(&mut hasher);
    sources.features.hash(&mut hasher);
    show_settings(table, &sources.reported, |path| sources.shown_path(path)).hash(&mut hasher);
    for problem in problems {
        problem.to_string().hash(&mut hasher);
    }
    hasher.finish()
}
