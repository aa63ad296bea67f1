//! The salsa database and its inputs: what the caller tells the engine (file texts, packages, options).
//!
//! It knows nothing about Rust, kernels or hardware. The database reads no files; whoever owns it hands over texts.
//! Every query of every room takes `&dyn Db`. Identifiers of salsa structs are plain data without a lifetime.

#![allow(
    missing_docs,
    reason = "salsa generates undocumented constructors and setters"
)]

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use salsa::{Durability, Setter};

use crate::budget::Budget;
use crate::conditions::{CfgSetting, PackageFeatures};
use crate::fragments::{Origin, file_of, is_fragment};
pub use crate::hardware::Target;
use crate::items::{Dialect, HeldItems, hold};
use crate::rules::EnabledRules;
use crate::syntax::{ParsedFile, parse, syntax_error_count};

/// The database as queries see it.
#[salsa::db]
pub trait Db: salsa::Database {
    /// Records work that no query of its own stands for, for tests of how much is done.
    fn note_work(&self, what: &'static str);
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
    /// The tree of the text, where whoever set the text has it at hand.
    #[default]
    #[returns(clone)]
    pub tree: Option<ParsedFile>,
    /// The items of the text, once the file has been typed into.
    #[default]
    #[returns(clone)]
    pub held: Option<Arc<HeldItems>>,
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
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackageLibrary {
    /// The library.
    pub dialect: Dialect,
    /// What names it, in a clause; none where the package does not depend on it itself, and only its release is known.
    pub named: Option<Arc<str>>,
    /// The name that paths of the package give it, where that is another one than its own.
    pub renamed: Option<Arc<str>>,
    /// The release and what says so, in a clause.
    pub release: Option<(Arc<str>, Arc<str>)>,
}

/// What is known of the libraries of a package.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PackageManifest {
    /// The package's name as in the manifest.
    pub name: Arc<str>,
    /// The libraries that it depends on, or whose release it fixes.
    pub libraries: Arc<[PackageLibrary]>,
}

/// Packages by the folder of their manifest.
pub type PackageManifests = BTreeMap<Arc<str>, PackageManifest>;

/// What the user chose for the whole project or for some of its files.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Options {
    /// The library; `None` where the crate's manifest says it, or else what its files import.
    pub dialect: Option<Dialect>,
    /// The chip.
    pub target: Target,
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
    /// All files by path.
    #[returns(clone)]
    pub files: Arc<FileMap>,
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
    pub manifests: Arc<PackageManifests>,
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
}

/// The path of a file as the caller knows it; of a block that of the file that it stands in.
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

/// The rules that are on in a file. Another level of a rule that stays on changes nothing that depends on it.
#[salsa::tracked(returns(copy))]
pub fn enabled_rules(db: &dyn Db, file: SourceFile) -> EnabledRules {
    Project::try_get(db).map_or_else(EnabledRules::default, |project| {
        let enabled = project.enabled(db);
        let own = enabled.files.get(&shown_path(db, file)).copied();
        own.unwrap_or(enabled.default)
    })
}

type EventLog = Arc<Mutex<Vec<String>>>;

/// The database. A clone is a snapshot for another thread; a write waits until all clones are dropped.
#[salsa::db]
#[derive(Clone)]
pub struct AnalysisDatabase {
    storage: salsa::Storage<Self>,
    log: Option<EventLog>,
}

#[salsa::db]
impl salsa::Database for AnalysisDatabase {}

#[salsa::db]
impl Db for AnalysisDatabase {
    fn note_work(&self, what: &'static str) {
        if let Some(log) = &self.log {
            let mut log = log.lock().unwrap_or_else(PoisonError::into_inner);
            log.push(what.to_owned());
        }
    }
}

impl Default for AnalysisDatabase {
    fn default() -> Self {
        Self {
            storage: salsa::Storage::new(None),
            log: None,
        }
    }
}

impl AnalysisDatabase {
    /// A database that records which queries it executes, for tests of what an edit re-runs.
    pub fn with_event_log() -> Self {
        Self::logging(EventLog::default())
    }

    /// An empty database that goes on where this one recorded.
    #[must_use]
    pub fn emptied(&self) -> Self {
        self.log.clone().map_or_else(Self::default, Self::logging)
    }

    fn logging(log: EventLog) -> Self {
        let sink = Arc::clone(&log);
        let callback = move |event: salsa::Event| {
            if let salsa::EventKind::WillExecute { database_key } = event.kind {
                sink.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(format!("{database_key:?}"));
            }
        };
        Self {
            storage: salsa::Storage::new(Some(Box::new(callback))),
            log: Some(log),
        }
    }

    /// The queries executed since the last call, as `name(Id(..))`, in order; empty without an event log.
    pub fn take_events(&self) -> Vec<String> {
        self.log.as_ref().map_or_else(Vec::new, |log| {
            std::mem::take(&mut *log.lock().unwrap_or_else(PoisonError::into_inner))
        })
    }

    /// Sets the whole project. Files whose path is known keep their identity and get the new text if it differs.
    pub fn set_project<'a>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, &'a str)>,
        packages: Vec<Package>,
        options: Options,
    ) -> Project {
        let known = Project::try_get(self).map(|project| project.files(self));
        let mut map = FileMap::new();
        for (path, text) in files {
            let path: Arc<str> = path.replace('\\', "/").into();
            let old = known.as_ref().and_then(|known| known.get(&path).copied());
            let file = if let Some(file) = old {
                if *file.text(self) != *text {
                    self.replace_text(file, text);
                }
                file
            } else {
                new_file(self, Arc::clone(&path), text)
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

    /// Sets what packages say of libraries.
    pub fn set_manifests(&mut self, manifests: PackageManifests) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        if *project.manifests(self) != manifests {
            project.set_manifests(self).to(Arc::new(manifests));
        }
    }

    /// Sets the features of packages, and what the settings say of conditions in files.
    pub fn set_conditions(&mut self, features: Vec<PackageFeatures>, cfg: FileCfg) {
        let Some(project) = Project::try_get(self) else {
            return;
        };
        if *project.features(self) == *features && *project.cfg(self) == cfg {
            return;
        }
        project.set_features(self).to(features.into());
        project.set_cfg(self).to(Arc::new(cfg));
        // The items that are held are those that other conditions left.
        for file in project.files(self).values() {
            if file.held(self).is_some() {
                hold(self, *file, Durability::HIGH);
            }
        }
    }

    /// The file of a path, if the project has it.
    pub fn file(&self, path: &str) -> Option<SourceFile> {
        Project::try_get(self)?.files(self).get(path).copied()
    }

    /// Prepares a file for being typed into. Its items change more often than other files, so that the first edit of one of them
    /// has nothing of other files looked through; what they decide is worked out once more.
    pub fn open(&mut self, file: SourceFile) {
        if !self.is_open(file) {
            hold(self, file, Durability::MEDIUM);
        }
    }

    /// Whether a file was prepared for being typed into.
    pub fn is_open(&self, file: SourceFile) -> bool {
        file.held(self).is_some()
    }

    /// Replaces the text of one file that is typed into. Where the new one differs inside one function only, its tree is made
    /// of the old one.
    ///
    /// Returns the bytes of text that are out of use while what was worked out of them stays in the database: items whose names are
    /// gone, and what was replaced in others, with the names in it. None of remarks.
    pub fn set_text(&mut self, file: SourceFile, text: &str) -> usize {
        let old = file.text(self);
        let known = self.is_open(file);
        let (start, end, insert) = difference(&old, text);
        let tree = u32::try_from(start).ok().zip(u32::try_from(end).ok());
        let tree = tree.and_then(|(start, end)| {
            let errors = syntax_error_count(self, file);
            parse(self, file).edited(errors, start, end, insert)
        });
        file.set_text(self)
            .with_durability(Durability::LOW)
            .to(text.into());
        if tree.is_some() || file.tree(self).is_some() {
            file.set_tree(self)
                .with_durability(Durability::LOW)
                .to(tree);
        }
        // As durable as the file was: what its other items decide stays at hand.
        let left = hold(self, file, Durability::HIGH);
        match left {
            Some(left) if known => left + (end - start) + DISUSED_BY_EDIT,
            // Of a file that was not held nobody knows which items it had.
            Some(_) => old.len() + DISUSED_BY_EDIT,
            None => 0,
        }
    }

    /// How many values the database keeps, of inputs, names and queries. Waits for all snapshots to be dropped.
    pub fn kept(&mut self) -> usize {
        let database: &mut dyn salsa::Database = self;
        let kept = database.memory_usage();
        let structs = kept.structs.iter().map(salsa::IngredientInfo::count);
        let values = kept.queries.values().map(salsa::IngredientInfo::count);
        structs.chain(values).sum()
    }

    /// Replaces the text of one file among many: nothing is read of it now.
    fn replace_text(&mut self, file: SourceFile, text: &str) {
        file.set_text(self).to(text.into());
        if file.tree(self).is_some() {
            file.set_tree(self).to(None);
        }
        if file.held(self).is_some() {
            file.set_held(self).to(None);
        }
    }
}

/// A file that nobody has edited yet: what it alone decides is passed over after edits of others.
fn new_file(db: &AnalysisDatabase, path: Arc<str>, text: &str) -> SourceFile {
    SourceFile::builder(path, text.into())
        .durability(Durability::HIGH)
        .new(db)
}

/// Bytes that an edit of an item takes out of use at least: a name that was looked up and will not be again.
pub(crate) const DISUSED_BY_EDIT: usize = 16;

/// Bytes that are compared at once.
const CHUNK_BYTES: usize = 256;

/// How many bytes two texts share from an end: as chunks from there, and as the pairs of bytes behind a number of them.
fn same_bytes<'a, Pairs: Iterator<Item = (u8, u8)>>(
    one: impl Iterator<Item = &'a [u8]>,
    other: impl Iterator<Item = &'a [u8]>,
    behind: impl Fn(usize) -> Pairs,
) -> usize {
    let chunks = one.zip(other).take_while(|(one, other)| one == other);
    let whole = chunks.count() * CHUNK_BYTES;
    let pairs = behind(whole).take_while(|(one, other)| one == other);
    whole + pairs.count()
}

/// The bytes of the old text that the new one replaces, and what stands there in it.
fn difference<'a>(old: &str, new: &'a str) -> (usize, usize, &'a str) {
    let mut start = same_bytes(
        old.as_bytes().chunks_exact(CHUNK_BYTES),
        new.as_bytes().chunks_exact(CHUNK_BYTES),
        |from| old.bytes().skip(from).zip(new.bytes().skip(from)),
    );
    while !old.is_char_boundary(start) || !new.is_char_boundary(start) {
        start -= 1;
    }
    let rest = |text: &str| text.len() - start;
    let most = rest(old).min(rest(new));
    let equal = same_bytes(
        old.as_bytes().rchunks_exact(CHUNK_BYTES),
        new.as_bytes().rchunks_exact(CHUNK_BYTES),
        |from| {
            let ends = old.bytes().rev().skip(from);
            ends.zip(new.bytes().rev().skip(from))
        },
    );
    let mut equal = equal.min(most);
    while !old.is_char_boundary(old.len() - equal) || !new.is_char_boundary(new.len() - equal) {
        equal -= 1;
    }
    let insert = new.get(start..new.len() - equal).unwrap_or("");
    (start, old.len() - equal, insert)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::difference;

    proptest! {
        #[test]
        fn a_difference_is_what_single_bytes_say(
            before in "[aé]{0,400}", old in "[aéb]{0,4}", new in "[aéb]{0,4}", after in "[aé]{0,400}",
        ) {
            let [old, new] = [old, new].map(|text| format!("{before}{text}{after}"));
            let (start, end, insert) = difference(&old, &new);
            prop_assert_eq!(format!("{}{insert}{}", &old[..start], &old[end..]), &*new);
            // Neither side can be longer: characters differ there, or one of the texts is used up.
            let inside = [&old[start..end], insert];
            if inside.iter().all(|text| !text.is_empty()) {
                prop_assert_ne!(inside[0].chars().next(), inside[1].chars().next());
                prop_assert_ne!(inside[0].chars().next_back(), inside[1].chars().next_back());
            }
        }
    }
}
