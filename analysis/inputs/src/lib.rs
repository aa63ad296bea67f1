//! What the caller tells the engine: file texts, packages, settings; and the trees of the texts.
//!
//! It reads no files and knows no names of items, no kernels and no hardware. The owner of a database hands texts over.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]
#![allow(
    missing_docs,
    reason = "salsa generates undocumented constructors and setters"
)]

/// The database, and what queries see of it.
pub mod db {
    pub use visa_base::db::*;

    pub use crate::database::AnalysisDatabase;
}

mod database;
mod enabled;
mod front_end_options;
mod settings;
mod trees;

use std::any::Any;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::sync::Arc;

use salsa::{Durability, Setter};

use visa_base::budget::Budget;
use visa_base::conditions::{CfgSetting, PackageFeatures};
use visa_base::db::Db;
use visa_base::language::Language;
use visa_hardware::{Model, Target};
use visa_libraries::{Library, Release};
use visa_syntax::ParsedFile;
use visa_syntax::fragments::{Origin, file_of, is_fragment};

pub use self::database::AnalysisDatabase;
pub use self::enabled::{EnabledRules, RULE_CAPACITY, enabled_rules};
pub use self::front_end_options::{Generation, NkiOptions, PtoOptions};
pub use self::settings::{ProjectSettings, budget_of, file_conditions};
pub use self::trees::{line_index, parse, syntax_error_count};

/// What a later room keeps with a file and replaces together with its text. This room does not look inside.
#[derive(Clone)]
pub struct Attachment(Arc<dyn Any + Send + Sync>);

impl Attachment {
    /// Attaches a value.
    pub fn new<T: Any + Send + Sync>(value: T) -> Self {
        Self(Arc::new(value))
    }

    /// The value, if it is of the type.
    pub fn get<T: Any + Send + Sync>(&self) -> Option<Arc<T>> {
        Arc::clone(&self.0).downcast().ok()
    }
}

impl fmt::Debug for Attachment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Attachment").finish_non_exhaustive()
    }
}

/// One source file: its path as the caller names it (`/` between components) and its text.
#[salsa::input(debug)]
pub struct SourceFile {
    /// The path as the caller names it, with `/` between components.
    #[returns(clone)]
    pub path: Arc<str>,
    /// The text, decoded from UTF-8; a byte-order mark and `\r\n` are kept as they are.
    #[returns(clone)]
    pub text: Arc<str>,
    /// The language.
    #[default]
    #[returns(copy)]
    pub language: Language,
    /// The tree of the text, where the caller that set the text has it.
    #[default]
    #[returns(clone)]
    pub tree: Option<ParsedFile>,
    /// What the items' room pins of the text, once the file has been typed into.
    #[default]
    #[returns(clone)]
    pub pinned: Option<Attachment>,
    /// For a block of a file of another kind: what it was cut out of.
    #[default]
    #[returns(clone)]
    pub origin: Option<Arc<Origin>>,
}

/// A Cargo package: its name and the directory of its manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Package {
    /// The name as in the manifest (dashes allowed; paths in code write them as underscores).
    pub name: Arc<str>,
    /// The directory that holds the manifest, `""` for the directory that all paths are relative to.
    pub root: Arc<str>,
}

/// What a package's manifest and the lock file above it say of a library.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackageLibrary {
    /// The library.
    pub library: Library,
    /// What names it, in a clause; none where the package does not depend on it, and only its release is known.
    pub named: Option<Arc<str>>,
    /// Whether another package that this one depends on names it, which may hand its names on.
    pub through: bool,
    /// The name that paths of the package give it, where that is another one than its own.
    pub renamed: Option<Arc<str>>,
    /// The release and what says so, in a clause.
    pub release: Option<(Arc<str>, Arc<str>)>,
    /// Why there is no release, in a clause, where something names the library and says none.
    pub without: Option<Arc<str>>,
    /// Where the manifest names it.
    pub place: Option<ManifestPlace>,
}

/// A place in a manifest.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ManifestPlace {
    /// The manifest, as the caller names files.
    pub file: Arc<str>,
    /// The first byte, its line and its column in characters, both from 1.
    pub start: (u32, u32, u32),
    /// The same behind the last byte.
    pub end: (u32, u32, u32),
}

/// What is known of the libraries of a package.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PackageManifest {
    /// The package's name as in the manifest.
    pub name: Arc<str>,
    /// The libraries that it depends on, or whose release it fixes.
    pub libraries: Arc<[PackageLibrary]>,
    /// Why nothing is known of them, in a clause, where the manifest cannot be read.
    pub problem: Option<Arc<str>>,
}

/// What a package says of libraries. An input a package, so that another manifest of one leaves all others alone.
#[salsa::input(debug)]
pub struct PackageEntry {
    /// The folder of the manifest.
    #[returns(clone)]
    pub root: Arc<str>,
    /// What it says.
    #[returns(clone)]
    pub manifest: PackageManifest,
}

/// Packages by the folder of their manifest.
pub type PackageManifests = BTreeMap<Arc<str>, PackageManifest>;

/// The entries of packages by the folder of their manifest.
pub type PackageEntries = BTreeMap<Arc<str>, PackageEntry>;

/// What the user chose for the whole project or for some of its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The library; `None` where the crate's manifest says it, or else what its files import.
    pub library: Option<Library>,
    /// The release of the library; `None` where the lock file or the manifest says it, or else what its files look like. It does
    /// not count for a library that has no such release.
    pub release: Option<Release>,
    /// The chip.
    pub target: Target,
    /// What cycles are made of.
    pub model: Model,
    /// What is known of the machine that PTO files are for.
    pub pto: PtoOptions,
    /// What is known of the machine and the release that NKI kernels are for.
    pub nki: NkiOptions,
    /// How many chips a kernel runs on whose attribute gives no literal, and a function that no kernel reaches.
    pub chips: Option<u64>,
}

/// Files by path, in the order of their paths.
pub type FileMap = BTreeMap<Arc<str>, SourceFile>;

/// The budgets of files by path.
pub type FileBudgets = BTreeMap<Arc<str>, Arc<[Budget]>>;

/// The conditions that the settings turn on and off, by path.
pub type FileCfg = BTreeMap<Arc<str>, Arc<[CfgSetting]>>;

/// The rules that are on: in a file, and in files that have no entry of their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProjectRules {
    /// In files without an entry.
    pub default: EnabledRules,
    /// By the file's path.
    pub files: BTreeMap<Arc<str>, EnabledRules>,
}

/// All that is being checked together. There is one a database.
#[salsa::input(singleton, debug)]
pub struct Project {
    /// All files in Rust by path.
    #[returns(clone)]
    pub files: Arc<FileMap>,
    /// All files in other languages by path. No query about Rust reads them.
    #[default]
    #[returns(clone)]
    pub front_end_files: Arc<FileMap>,
    /// Files that are held and take no part, by path: Python that imports nothing of ours.
    #[default]
    #[returns(clone)]
    pub aside: Arc<BTreeSet<Arc<str>>>,
    /// The packages that the files belong to; files outside of every package are crates of their own.
    #[returns(clone)]
    pub packages: Arc<[Package]>,
    /// The user's options.
    #[returns(copy)]
    pub options: Options,
    /// The options of files that have others, by path.
    #[returns(clone)]
    pub file_options: Arc<BTreeMap<Arc<str>, Options>>,
    /// What the kernels of a file may cost, by the file's path; the first that fits a kernel holds.
    #[returns(clone)]
    pub budgets: Arc<FileBudgets>,
    /// What packages say of the libraries that kernels are written for. An input of its own: another release leaves the tree of
    /// modules alone.
    #[returns(clone)]
    pub manifests: Arc<PackageEntries>,
    /// The rules that are on.
    #[default]
    #[returns(clone)]
    pub enabled: Arc<ProjectRules>,
    /// The features of packages, where their manifests are known.
    #[default]
    #[returns(clone)]
    pub features: Arc<[PackageFeatures]>,
    /// The conditions that the settings turn on and off in a file, by the file's path.
    #[default]
    #[returns(clone)]
    pub cfg: Arc<FileCfg>,
    /// Nothing, and never changed; but as little durable as a text that is typed into. What reads it does not become less durable
    /// with the first keystroke, after which all that follows from it would have to run again.
    #[default]
    #[returns(copy)]
    pub restless: (),
}

/// The path of a file as the caller knows it; of a block that of the file that it is in.
pub fn shown_path(db: &dyn Db, file: SourceFile) -> Arc<str> {
    let path = file.path(db);
    if is_fragment(&path) {
        file_of(&path).into()
    } else {
        path
    }
}

/// The options that hold for a file: its own or the project's, or the defaults where no project was set.
pub fn options(db: &dyn Db, file: SourceFile) -> Options {
    Project::try_get(db).map_or_else(Options::default, |project| {
        let own = project.file_options(db).get(&shown_path(db, file)).copied();
        own.unwrap_or_else(|| project.options(db))
    })
}

impl AnalysisDatabase {
    /// Sets the whole project. Files whose path is known keep their identity and get the new text if it differs. A text that comes as an
    /// `Arc` is shared.
    pub fn set_project<'a, Text: AsRef<str> + Into<Arc<str>>>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, Text)>,
        packages: Vec<Package>,
        options: Options,
    ) -> Project {
        let known = Project::try_get(self).map(|project| project.files(self));
        let mut map = FileMap::new();
        for (path, text) in files {
            let path: Arc<str> = path.replace('\\', "/").into();
            let old = known.as_ref().and_then(|known| known.get(&path).copied());
            let file = if let Some(file) = old {
                if *file.text(self) != *text.as_ref() {
                    self.replace_text(file, text.into());
                }
                file
            } else {
                new_file(self, Arc::clone(&path), text.into())
            };
            map.insert(path, file);
        }
        let (files, packages) = (Arc::new(map), Arc::from(packages));
        match Project::try_get(self) {
            Some(project) => {
                if project.files(self) != files {
                    project.set_files(self).to(files);
                }
                if project.packages(self) != packages {
                    project.set_packages(self).to(packages);
                }
                if project.options(self) != options {
                    project.set_options(self).to(options);
                }
                project
            }
            None => {
                let (options_of, budgets, manifests) = Default::default();
                Project::builder(files, packages, options, options_of, budgets, manifests)
                    .durability(Durability::HIGH)
                    .restless_durability(Durability::LOW)
                    .new(self)
            }
        }
    }

    /// Sets what blocks were cut out of, by the paths under which they are held.
    pub fn set_origins<'a>(
        &mut self,
        origins: impl IntoIterator<Item = (String, &'a Arc<Origin>)>,
    ) {
        for (path, origin) in origins {
            let Some(file) = self.file(&path) else {
                continue;
            };
            if file.origin(self).as_ref() != Some(origin) {
                file.set_origin(self).to(Some(Arc::clone(origin)));
            }
        }
    }

    /// Sets the options of files that have others than the project.
    pub fn set_file_options(&mut self, options: BTreeMap<Arc<str>, Options>) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        if *project.file_options(self) != options {
            project.set_file_options(self).to(Arc::new(options));
        }
    }

    /// Sets the rules that are on.
    pub fn set_enabled_rules(&mut self, enabled: &ProjectRules) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        if *project.enabled(self) != *enabled {
            project.set_enabled(self).to(Arc::new(enabled.clone()));
        }
    }

    /// Sets what the kernels of files may cost.
    pub fn set_budgets(&mut self, budgets: FileBudgets) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        if *project.budgets(self) != budgets {
            project.set_budgets(self).to(Arc::new(budgets));
        }
    }

    /// Sets what packages say of libraries. Of a package that says the same as before nothing runs again.
    pub fn set_manifests(&mut self, manifests: &PackageManifests) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        let known = project.manifests(self);
        let mut entries = PackageEntries::new();
        for (root, manifest) in manifests {
            let entry = match known.get(root) {
                Some(entry) => {
                    if entry.manifest(self) != *manifest {
                        entry.set_manifest(self).to(manifest.clone());
                    }
                    *entry
                }
                None => PackageEntry::builder(Arc::clone(root), manifest.clone())
                    .durability(Durability::HIGH)
                    .new(self),
            };
            entries.insert(Arc::clone(root), entry);
        }
        if *known != entries {
            project.set_manifests(self).to(Arc::new(entries));
        }
    }

    /// Sets the files in other languages than Rust. Files whose path and language are known keep their identity. A text that comes as an
    /// `Arc` is shared.
    pub fn set_front_end_files<'a, Text: AsRef<str> + Into<Arc<str>>>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, Language, Text)>,
    ) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        let known = project.front_end_files(self);
        let mut map = FileMap::new();
        for (path, language, text) in files {
            let path: Arc<str> = path.into();
            let old = known.get(&path).copied();
            let file = match old.filter(|old| old.language(self) == language) {
                Some(file) => {
                    if *file.text(self) != *text.as_ref() {
                        self.replace_text(file, text.into());
                    }
                    file
                }
                None => SourceFile::builder(Arc::clone(&path), text.into())
                    .language(language)
                    .durability(Durability::HIGH)
                    .new(self),
            };
            map.insert(path, file);
        }
        if *known != map {
            project.set_front_end_files(self).to(Arc::new(map));
        }
    }

    /// Sets which files are held and take no part.
    pub fn set_aside(&mut self, paths: BTreeSet<Arc<str>>) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        if *project.aside(self) != paths {
            project.set_aside(self).to(Arc::new(paths));
        }
    }

    /// Replaces the text of one file in another language than Rust that is typed into. The database shares the text.
    pub fn set_front_end_text(&mut self, file: SourceFile, text: Arc<str>) {
        file.set_text(self)
            .with_durability(Durability::LOW)
            .to(text);
    }

    /// The file of a path, if the project has it.
    pub fn file(&self, path: &str) -> Option<SourceFile> {
        let project = Project::try_get(self)?;
        let own = project.files(self).get(path).copied();
        own.or_else(|| project.front_end_files(self).get(path).copied())
    }

    /// Replaces the text of one file among many: nothing is read of it now.
    fn replace_text(&mut self, file: SourceFile, text: Arc<str>) {
        file.set_text(self).to(text);
        if file.tree(self).is_some() {
            file.set_tree(self).to(None);
        }
        if file.pinned(self).is_some() {
            file.set_pinned(self).to(None);
        }
    }
}

/// A file that was not edited yet: what it alone decides is passed over after edits of others.
fn new_file(db: &AnalysisDatabase, path: Arc<str>, text: Arc<str>) -> SourceFile {
    SourceFile::builder(path, text)
        .durability(Durability::HIGH)
        .new(db)
}
