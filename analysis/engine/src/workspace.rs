//! The front door: what a program that reads files tells the engine, and what it may ask.
//!
//! A [`Workspace`] takes texts, packages and options; an [`Analysis`] is a snapshot of it that answers with plain data of
//! [`crate::report`]. Neither reads a file. A question that a newer edit overtakes, or that meets a defect of the engine,
//! is answered as such and never unwinds into the caller.

mod analysis;
mod costs;
mod fixing;
mod kept;
mod reports;
mod running;
mod runs;

pub use analysis::{Analysis, Canceller};
pub use kept::{NotKept, kept_reports, reports_of_kept};

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::budget::Budget;
use crate::conditions::{CfgSetting, PackageFeatures};
use crate::db::AnalysisDatabase;
use crate::fragments::{
    Fragment, blank, doc_blocks, fragments, is_markdown, markdown_blocks, path_of,
};
use crate::inputs::{Options, Package, PackageManifest, ProjectRules, ProjectSettings};
use crate::items::{DISUSED_BY_EDIT, Dialect, Typing as _};
use crate::language::{Language, ending_of, language_of};
use crate::rules::EnabledRules;

/// Bytes of text that may be out of use before the database is made again, however little is in use: what was worked out of
/// them takes some sixty times as much.
const DISUSED_AT_LEAST: usize = 64 << 10;

/// The part of the texts in use that may be out of use as well: an eighth.
const DISUSED_PART: usize = 8;

/// The texts that are checked together, with their packages and options.
///
/// The database forgets nothing that has a name of its own: a function, a file, a path that was looked up. Each name that is typed
/// letter by letter is as many names, and each of a function keeps all that was worked out of the function. So the workspace
/// counts the text that names out of use stand for, and makes the database again, of the same texts, when that is an eighth of the
/// text in use. What is asked next is then worked out once more, which on the whole makes an edit that names something dearer by a
/// constant factor and all others by nothing.
#[derive(Default)]
pub struct Workspace {
    db: AnalysisDatabase,
    /// Bytes of the files' texts.
    used: usize,
    /// Bytes of text that is gone, while what was worked out of it is not.
    disused: usize,
    files: BTreeMap<Arc<str>, Arc<str>>,
    /// The languages of files that are not in Rust, by path; `None` for those that take no part.
    others: BTreeMap<Arc<str>, Option<Language>>,
    /// The languages that files are said to have, whatever their paths say.
    said: BTreeMap<Arc<str>, Language>,
    /// The blocks of Rust in files of other kinds and in doc comments, by the file's path.
    fragments: BTreeMap<Arc<str>, Vec<Fragment>>,
    /// Whether the blocks in doc comments are read.
    doc_comments: bool,
    settings: ProjectSettings,
}

impl Workspace {
    /// An empty workspace.
    pub fn new() -> Self {
        let mut workspace = Self::default();
        workspace.apply();
        workspace
    }

    /// An empty workspace that records which queries it executes, for tests of what an edit re-runs.
    pub fn with_event_log() -> Self {
        let mut workspace = Self {
            db: AnalysisDatabase::with_event_log(),
            ..Self::default()
        };
        workspace.apply();
        workspace
    }

    /// The queries executed since the last call, as `name(Id(..))`, in order; empty without an event log.
    pub fn take_events(&self) -> Vec<String> {
        self.db.take_events()
    }

    /// How many values the database keeps, of inputs, names and queries, for tests of what a session leaves behind. No snapshot
    /// may be alive.
    pub fn kept(&mut self) -> usize {
        self.db.kept()
    }

    /// Adds files or replaces their texts. Paths have `/` between their components.
    /// A text that comes as an `Arc` is shared.
    pub fn set_files<'a, Text: Into<Arc<str>>>(
        &mut self,
        files: impl IntoIterator<Item = (&'a str, Text)>,
    ) {
        for (path, text) in files {
            let path: Arc<str> = path.replace('\\', "/").into();
            let text: Arc<str> = text.into();
            let known = self.insert(Arc::clone(&path), Arc::clone(&text));
            if let Some(known) = known.filter(|known| *known != text) {
                self.disused += known.len() + DISUSED_BY_EDIT;
            }
            self.read_blocks(&path);
        }
        if !self.renewed() {
            self.apply();
        }
    }

    /// Says which language files are written in, whatever their paths and texts say, by path.
    pub fn set_languages<'a>(&mut self, said: impl IntoIterator<Item = (&'a str, Language)>) {
        let said = said
            .into_iter()
            .map(|(path, language)| (path.replace('\\', "/").into(), language));
        let said: BTreeMap<Arc<str>, Language> = said.collect();
        if said == self.said {
            return;
        }
        self.said = said;
        let files: Vec<_> = self.files.clone().into_iter().collect();
        for (path, text) in files {
            self.insert(Arc::clone(&path), text);
            self.read_blocks(&path);
        }
        self.apply();
    }

    /// The language of a file; `None` for one that is not known, or takes no part.
    pub fn language(&self, path: &str) -> Option<Language> {
        match self.others.get(path) {
            Some(other) => *other,
            None => self.files.contains_key(path).then_some(Language::Rust),
        }
    }

    /// Says whether the Rust in the doc comments of files is read too, each block as a file of its own.
    pub fn set_doc_comments(&mut self, read: bool) {
        if self.doc_comments == read {
            return;
        }
        self.doc_comments = read;
        let paths: Vec<_> = self.files.keys().cloned().collect();
        for path in paths {
            self.read_blocks(&path);
        }
    }

    /// Adds a file or replaces its text. Of a file that is known, only what depends on its text runs again.
    pub fn set_file(&mut self, path: &str, text: &str) {
        self.share_file(path, text.into());
    }

    /// [`Self::set_file`] with a text that the caller keeps too. The engine holds this one and makes no copy: an edit of a large file
    /// allocates its text once.
    pub fn share_file(&mut self, path: &str, text: Arc<str>) {
        let path: Arc<str> = path.replace('\\', "/").into();
        let before = self.others.get(&path).copied();
        let known = self.insert(Arc::clone(&path), Arc::clone(&text));
        let language = self.others.get(&path).copied();
        if language.is_some() || before.is_some() {
            self.disused += known.map_or(0, |_| DISUSED_BY_EDIT);
            self.fragments.remove(&path);
            match self.db.file(&path) {
                // What was a file of the same language before keeps what is known of it.
                Some(file) if before == language => self.db.set_front_end_text(file, text),
                _ => self.apply(),
            }
            self.renewed();
            return;
        }
        if self.doc_comments || is_markdown(&path) {
            self.disused += known.map_or(0, |known| known.len() + DISUSED_BY_EDIT);
            self.read_blocks(&path);
            if !self.renewed() {
                self.apply();
            }
            return;
        }
        match self.db.file(&path) {
            Some(file) if known.is_some() => {
                if known.as_deref() != Some(&*text) {
                    self.disused += self.db.set_text(file, text);
                    self.renewed();
                }
            }
            _ => self.apply(),
        }
    }

    /// Prepares a file for being typed into, so that the first keystroke takes no longer than the next one. Does nothing for a
    /// file that is not known.
    pub fn open_file(&mut self, path: &str) {
        let path = path.replace('\\', "/");
        if self.others.contains_key(&*path) {
            return;
        }
        if let Some(file) = self.db.file(&path) {
            self.db.open(file);
        }
    }

    /// Forgets a file.
    pub fn remove_file(&mut self, path: &str) {
        let path = path.replace('\\', "/");
        self.keep_files(|known| known != path);
    }

    /// Forgets the files that are not to be kept, by their paths.
    pub fn keep_files(&mut self, keep: impl Fn(&str) -> bool) {
        let before = self.files.len();
        let (used, disused) = (&mut self.used, &mut self.disused);
        let (fragments, others) = (&mut self.fragments, &mut self.others);
        self.files.retain(|path, text| {
            let kept = keep(path);
            if !kept {
                *used -= text.len();
                *disused += text.len() + DISUSED_BY_EDIT;
                fragments.remove(path);
                others.remove(path);
            }
            kept
        });
        if self.files.len() < before && !self.renewed() {
            self.apply();
        }
    }

    /// Sets the packages that the files belong to. A file outside of all of them is a crate of its own.
    pub fn set_packages(&mut self, packages: Vec<Package>) {
        self.settings.packages = packages;
        self.apply();
    }

    /// Sets the features of packages: what is surely turned off is not judged.
    pub fn set_features(&mut self, features: Vec<PackageFeatures>) {
        self.settings.features = features;
        self.apply();
    }

    /// Sets what the settings say of conditions in files, by the file's path; the last that fits a condition holds.
    pub fn set_cfg<'a>(&mut self, cfg: impl IntoIterator<Item = (&'a str, Arc<[CfgSetting]>)>) {
        let cfg = cfg
            .into_iter()
            .map(|(path, settings)| (path.replace('\\', "/").into(), settings));
        self.settings.cfg = cfg.collect();
        self.apply();
    }

    /// Sets the dialect and the target.
    pub fn set_options(&mut self, options: Options) {
        self.settings.options = options;
        self.apply();
    }

    /// The files with their texts, sorted by path.
    pub fn files(&self) -> impl Iterator<Item = (&Arc<str>, &Arc<str>)> {
        self.files.iter()
    }

    /// Sets the options of files that have others than those of [`Self::set_options`], by path.
    pub fn set_file_options<'a>(&mut self, options: impl IntoIterator<Item = (&'a str, Options)>) {
        let options = options
            .into_iter()
            .map(|(path, options)| (path.replace('\\', "/").into(), options));
        self.settings.file_options = options.collect();
        self.apply();
    }

    /// Sets what packages say of the libraries that kernels are written for, by the folder of their manifest.
    pub fn set_manifests<'a>(
        &mut self,
        manifests: impl IntoIterator<Item = (&'a str, PackageManifest)>,
    ) {
        let manifests = manifests
            .into_iter()
            .map(|(root, manifest)| (root.replace('\\', "/").into(), manifest));
        self.settings.manifests = manifests.collect();
        self.apply();
    }

    /// Sets the dialect of all files that have no options of their own, and leaves the other options as they are.
    pub fn set_dialect(&mut self, dialect: Dialect) {
        self.settings.options.library = Some(dialect.library);
        self.settings.options.release = Some(dialect.release);
        self.apply();
    }

    /// Sets the rules that are on: in all files, and in files that have rules of their own, by path. What no rule that is on
    /// asks for is not worked out. Findings of other rules may be among those of a report anyway, where a rule of the
    /// same family is on.
    pub fn set_enabled_rules<'a>(
        &mut self,
        default: EnabledRules,
        files: impl IntoIterator<Item = (&'a str, EnabledRules)>,
    ) {
        let files = files
            .into_iter()
            .filter(|(_, enabled)| *enabled != default)
            .map(|(path, enabled)| (path.replace('\\', "/").into(), enabled));
        let files = files.collect();
        self.settings.enabled = ProjectRules { default, files };
        self.apply();
    }

    /// Sets what the kernels of files may cost, by the file's path; the first budget that fits a kernel holds.
    pub fn set_budgets<'a>(&mut self, budgets: impl IntoIterator<Item = (&'a str, Arc<[Budget]>)>) {
        let budgets = budgets
            .into_iter()
            .map(|(path, budgets)| (path.replace('\\', "/").into(), budgets));
        self.settings.budgets = budgets.collect();
        self.apply();
    }

    /// Limits what the work for one file may take, on all threads together. What takes longer is left out, and said where it
    /// is: limits that are counted come long before, and are the same on every machine.
    pub fn set_time_limit(&mut self, limit: std::time::Duration) {
        self.db.set_time_limit(limit);
    }

    /// A snapshot. The next change of the workspace waits until all snapshots are dropped, so keep none.
    pub fn analysis(&self) -> Analysis {
        Analysis {
            db: self.db.clone(),
            withdrawn: Arc::default(),
        }
    }

    /// Takes a text in; what the file had before.
    fn insert(&mut self, path: Arc<str>, text: Arc<str>) -> Option<Arc<str>> {
        let language = match self.said.get(&path) {
            Some(language) => Some(*language),
            // What has an ending of no language is taken for Rust: who names it means it.
            None if ending_of(&path).is_none() => Some(Language::Rust),
            None => language_of(&path, &text),
        };
        if language == Some(Language::Rust) {
            self.others.remove(&path);
        } else {
            self.others.insert(Arc::clone(&path), language);
        }
        self.used += text.len();
        let known = self.files.insert(path, text);
        self.used -= known.as_ref().map_or(0, |known| known.len());
        known
    }

    /// Makes the database again if too much of it is out of use; whether it did.
    fn renewed(&mut self) -> bool {
        if self.disused <= DISUSED_AT_LEAST.max(self.used / DISUSED_PART) {
            return false;
        }
        let open: Vec<Arc<str>> = (self.analysis().files().into_iter())
            .filter(|(_, file)| self.db.is_open(*file))
            .map(|(path, _)| path)
            .collect();
        // The old one goes first, so that both are never there at once.
        self.db = self.db.emptied();
        self.disused = 0;
        self.apply();
        for path in open {
            self.open_file(&path);
        }
        true
    }

    /// Finds the blocks of a file.
    fn read_blocks(&mut self, path: &Arc<str>) {
        let Some(text) = self.files.get(path) else {
            return;
        };
        let found = if self.others.contains_key(path) {
            Vec::new()
        } else if is_markdown(path) {
            let found = fragments(text, markdown_blocks(text, false));
            // One that has no blocks is known anyway.
            if found.is_empty() {
                vec![blank(text)]
            } else {
                found
            }
        } else if self.doc_comments {
            fragments(text, doc_blocks(text))
        } else {
            Vec::new()
        };
        if found.is_empty() {
            self.fragments.remove(path);
        } else {
            self.fragments.insert(Arc::clone(path), found);
        }
    }

    fn apply(&mut self) {
        let numbered = |(path, found): (&Arc<str>, &'_ Vec<Fragment>)| {
            let paths = (0..found.len()).map(|number| path_of(path, number));
            paths.collect::<Vec<String>>()
        };
        let paths: Vec<String> = self.fragments.iter().flat_map(numbered).collect();
        let blocks = self.fragments.values().flatten();
        let blocks: Vec<(&String, &Fragment)> = paths.iter().zip(blocks).collect();
        let in_rust = |path: &str| !self.others.contains_key(path) && !is_markdown(path);
        let files = self.files.iter().filter(|(path, _)| in_rust(path));
        let files = files.map(|(path, text)| (&**path, Arc::clone(text)));
        let of_blocks = blocks
            .iter()
            .map(|(path, block)| (path.as_str(), Arc::clone(&block.text)));
        self.db.set_project(
            files.chain(of_blocks),
            self.settings.packages.clone(),
            self.settings.options,
        );
        let origins = blocks
            .iter()
            .map(|(path, block)| ((*path).clone(), &block.origin));
        self.db.set_origins(origins);
        let others = self.others.iter().filter_map(|(path, language)| {
            let text = self.files.get(path)?;
            Some((&**path, (*language)?, Arc::clone(text)))
        });
        self.db.set_front_end_files(others);
        let aside = self
            .others
            .iter()
            .filter(|(_, language)| language.is_none());
        let aside = aside.map(|(path, _)| Arc::clone(path)).collect();
        self.db.set_aside(aside);
        self.db.set_settings(&self.settings);
        self.disused += self.db.hold_anew(None);
    }
}
