//! The front door: what a program that reads files tells the engine, and what it may ask.
//!
//! A [`Workspace`] takes texts, packages and options; an [`Analysis`] is a snapshot of it that answers with plain data of
//! [`crate::report`]. Neither reads a file. A question that a newer edit overtakes, or that meets a defect of the engine,
//! is answered as such and never unwinds into the caller.

mod costs;
mod fixing;

use std::collections::BTreeMap;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;
use rustc_hash::FxHashSet;

use crate::budget::Budget;
use crate::check::{
    Extent, check_one, completed_file_report, file_report, file_report_without_costs, items_of,
    library_of, panic_words, parse_file, reachable_from, read_ahead, read_calls, read_items,
};
use crate::conditions::{CfgSetting, PackageFeatures};
use crate::db::AnalysisDatabase;
use crate::fixing::tool_fixes;
use crate::fixing::{Completed, Completing, Proposed, completed};
use crate::fragments::{
    Fragment, blank, doc_blocks, file_of, fragments, is_markdown, markdown_blocks, path_of,
};
use crate::inputs::{
    FileBudgets, FileCfg, Options, Package, PackageManifest, PackageManifests, ProjectRules,
    SourceFile,
};
use crate::items::{DISUSED_BY_EDIT, Dialect, ItemId};
use crate::language::{Language, ending_of, language_of};
use crate::report::{CrateLibrary, DiagnosticFix, FileReport, Problem, Report, fitted};
use crate::rules::EnabledRules;
use crate::suppression::{Allowed, allowing};

/// Bytes of text that may be out of use before the database is made anew, however little is in use: what was worked out of
/// them takes some sixty times as much.
const DISUSED_AT_LEAST: usize = 64 << 10;

/// The part of the texts in use that may be out of use as well: an eighth.
const DISUSED_PART: usize = 8;

/// The texts that are checked together, with their packages and options.
///
/// The database forgets nothing that has a name of its own: a function, a file, a path that was looked up. Each name that is typed
/// letter by letter is as many names, and each of a function keeps all that was worked out of the function. So the workspace
/// counts the text that names out of use stand for, and makes the database anew, of the same texts, when that is an eighth of the
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
    packages: Vec<Package>,
    options: Options,
    file_options: BTreeMap<Arc<str>, Options>,
    budgets: FileBudgets,
    enabled: ProjectRules,
    features: Vec<PackageFeatures>,
    cfg: FileCfg,
    manifests: PackageManifests,
}

impl Workspace {
    /// An empty workspace.
    #[must_use]
    pub fn new() -> Self {
        let mut workspace = Self::default();
        workspace.apply();
        workspace
    }

    /// An empty workspace that records which queries it executes, for tests of what an edit re-runs.
    #[must_use]
    pub fn with_event_log() -> Self {
        let mut workspace = Self {
            db: AnalysisDatabase::with_event_log(),
            ..Self::default()
        };
        workspace.apply();
        workspace
    }

    /// The queries executed since the last call, as `name(Id(..))`, in order; empty without an event log.
    #[must_use]
    pub fn take_events(&self) -> Vec<String> {
        self.db.take_events()
    }

    /// How many values the database keeps, of inputs, names and queries, for tests of what a session leaves behind. No snapshot
    /// may be alive.
    #[must_use]
    pub fn kept(&mut self) -> usize {
        self.db.kept()
    }

    /// Adds files or replaces their texts. Paths have `/` between their components.
    pub fn set_files<'a>(&mut self, files: impl IntoIterator<Item = (&'a str, &'a str)>) {
        for (path, text) in files {
            let path: Arc<str> = path.replace('\\', "/").into();
            let known = self.insert(Arc::clone(&path), text);
            if let Some(known) = known.filter(|known| **known != *text) {
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
            self.insert(Arc::clone(&path), &text);
            self.read_blocks(&path);
        }
        self.apply();
    }

    /// The language of a file; `None` for one that is not known, or takes no part.
    #[must_use]
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
        let path: Arc<str> = path.replace('\\', "/").into();
        let before = self.others.get(&path).copied();
        let known = self.insert(Arc::clone(&path), text);
        let language = self.others.get(&path).copied();
        if language.is_some() || before.is_some() {
            self.disused += known.map_or(0, |_| DISUSED_BY_EDIT);
            self.fragments.remove(&path);
            match self.db.file(&path) {
                // What was a file of the same language before keeps what is known of it.
                Some(file) if before == language => self.db.set_neighbour_text(file, text),
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
                if known.as_deref() != Some(text) {
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
        self.packages = packages;
        self.apply();
    }

    /// Sets the features of packages: what is surely turned off is not judged.
    pub fn set_features(&mut self, features: Vec<PackageFeatures>) {
        self.features = features;
        self.apply();
    }

    /// Sets what the settings say of conditions in files, by the file's path; the last that fits a condition holds.
    pub fn set_cfg<'a>(&mut self, cfg: impl IntoIterator<Item = (&'a str, Arc<[CfgSetting]>)>) {
        let cfg = cfg
            .into_iter()
            .map(|(path, settings)| (path.replace('\\', "/").into(), settings));
        self.cfg = cfg.collect();
        self.apply();
    }

    /// Sets the dialect and the target.
    pub fn set_options(&mut self, options: Options) {
        self.options = options;
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
        self.file_options = options.collect();
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
        self.manifests = manifests.collect();
        self.apply();
    }

    /// Sets the dialect of all files that have no options of their own, and leaves the other options as they are.
    pub fn set_dialect(&mut self, dialect: Dialect) {
        self.options.library = Some(dialect.library);
        self.options.release = Some(dialect.release);
        self.apply();
    }

    /// Sets the rules that are on: in all files, and in files that have rules of their own, by path. What no rule that is on
    /// asks for is not worked out. Findings of other rules may be among those of a report all the same, where a rule of the
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
        self.enabled = ProjectRules { default, files };
        self.apply();
    }

    /// Sets what the kernels of files may cost, by the file's path; the first budget that fits a kernel holds.
    pub fn set_budgets<'a>(&mut self, budgets: impl IntoIterator<Item = (&'a str, Arc<[Budget]>)>) {
        let budgets = budgets
            .into_iter()
            .map(|(path, budgets)| (path.replace('\\', "/").into(), budgets));
        self.budgets = budgets.collect();
        self.apply();
    }

    /// A snapshot. The next change of the workspace waits until all snapshots are dropped, so keep none.
    #[must_use]
    pub fn analysis(&self) -> Analysis {
        Analysis {
            db: self.db.clone(),
            withdrawn: Arc::default(),
        }
    }

    /// Takes a text in; what the file had before.
    fn insert(&mut self, path: Arc<str>, text: &str) -> Option<Arc<str>> {
        let language = match self.said.get(&path) {
            Some(language) => Some(*language),
            // What has an ending of no language is taken for Rust: who names it means it.
            None if ending_of(&path).is_none() => Some(Language::Rust),
            None => language_of(&path, text),
        };
        if language == Some(Language::Rust) {
            self.others.remove(&path);
        } else {
            self.others.insert(Arc::clone(&path), language);
        }
        let known = self.files.insert(path, text.into());
        self.used += text.len();
        self.used -= known.as_ref().map_or(0, |known| known.len());
        known
    }

    /// Makes the database anew if too much of it is out of use; whether it did.
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
            // One that has no blocks is known all the same.
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
        let files = files.map(|(path, text)| (&**path, &**text));
        let of_blocks = blocks
            .iter()
            .map(|(path, block)| (path.as_str(), &*block.text));
        self.db
            .set_project(files.chain(of_blocks), self.packages.clone(), self.options);
        let origins = blocks
            .iter()
            .map(|(path, block)| ((*path).clone(), &block.origin));
        self.db.set_origins(origins);
        let others = self.others.iter().filter_map(|(path, language)| {
            let text = self.files.get(path)?;
            Some((&**path, (*language)?, &**text))
        });
        self.db.set_neighbours(others);
        let aside = self
            .others
            .iter()
            .filter(|(_, language)| language.is_none());
        let aside = aside.map(|(path, _)| Arc::clone(path)).collect();
        self.db.set_aside(aside);
        self.db.set_file_options(self.file_options.clone());
        self.db.set_budgets(self.budgets.clone());
        self.db.set_enabled_rules(&self.enabled);
        self.db
            .set_conditions(self.features.clone(), self.cfg.clone());
        self.db.set_manifests(&self.manifests);
    }
}

/// A snapshot of a workspace. Clones are cheap; each thread needs its own.
#[derive(Clone)]
pub struct Analysis {
    db: AnalysisDatabase,
    /// Whether no answer is awaited any more; clones share it.
    withdrawn: Arc<AtomicBool>,
}

/// Cancels the questions to one snapshot and its clones: they are answered with [`Problem::Cancelled`]. What runs on the
/// snapshot itself stops at its next query, what runs on a clone at its next item.
pub struct Canceller {
    token: salsa::CancellationToken,
    withdrawn: Arc<AtomicBool>,
}

impl Canceller {
    /// Cancels what is asked and will be asked.
    pub fn cancel(&self) {
        self.withdrawn.store(true, Ordering::SeqCst);
        self.token.cancel();
    }
}

impl Analysis {
    /// The findings in one file, from its own functions and from those of other files that call into it. Fixes are as the
    /// rules propose them, without what they need behind them: see [`Analysis::completed_fixes`].
    #[must_use]
    pub fn check_file(&self, path: &str) -> FileReport {
        self.report_of_file(path, Extent::Proposed)
    }

    /// As [`Analysis::check_file`], without what rules find that look at costs: for editors, where these take long.
    #[must_use]
    pub fn check_file_without_costs(&self, path: &str) -> FileReport {
        self.report_of_file(path, Extent::WithoutCosts)
    }

    /// As [`Analysis::check_file`], with all fixes and helps completed: each leads to a kernel without a new fault.
    #[must_use]
    pub fn check_file_completed(&self, path: &str) -> FileReport {
        self.report_of_file(path, Extent::Completed)
    }

    fn report_of_file(&self, path: &str, extent: Extent) -> FileReport {
        let answer = |file| {
            let answer = self.guarded(|db| {
                let report = match extent {
                    Extent::WithoutCosts => file_report_without_costs(db, file),
                    Extent::Proposed => file_report(db, file),
                    Extent::Completed => completed_file_report(db, file),
                };
                FileReport::clone(&report)
            });
            answer.unwrap_or_else(|problem| FileReport::new(path.into()).problem(problem))
        };
        let mut answers = self.parts(path).into_iter().map(answer);
        let Some(mut report) = answers.next() else {
            let report = FileReport::new(path.into());
            if self.is_aside(path) {
                return FileReport {
                    language: None,
                    ..report
                };
            }
            return report.problem(Problem::NoSuchFile);
        };
        answers.for_each(|other| report.add(other));
        report
    }

    /// Completes fixes that findings of this snapshot's reports propose: what follows from each is found and mended along.
    /// A fix that is not among the answers leads to no kernel that is right.
    ///
    /// # Errors
    ///
    /// A newer edit overtook the question, or the engine failed.
    pub fn completed_fixes(
        &self,
        wanted: &[Proposed<'_>],
        how: Completing,
    ) -> Result<Vec<Completed>, Problem> {
        let mut of_files: BTreeMap<(&str, usize), Vec<usize>> = BTreeMap::new();
        for (number, (diagnostic, _)) in wanted.iter().enumerate() {
            let byte = diagnostic.range.start.byte;
            let parts = self.parts(&diagnostic.file);
            let holds = |file: &SourceFile| {
                let origin = file.origin(&self.db);
                origin.is_some_and(|origin| origin.holds(byte))
            };
            let part = parts.iter().position(holds).unwrap_or(0);
            of_files
                .entry((&diagnostic.file, part))
                .or_default()
                .push(number);
        }
        let of_files: Vec<_> = of_files.into_iter().collect();
        let answers =
            of_files
                .into_par_iter()
                .map_with(self.clone(), |analysis, ((path, part), numbers)| {
                    let fixes = numbers.iter().filter_map(|number| wanted.get(*number));
                    let fixes: Vec<&DiagnosticFix> = fixes.map(|(_, fix)| *fix).collect();
                    let file = analysis.parts(path).get(part).copied();
                    let answers = match file {
                        Some(file) => analysis.guarded(|db| completed(db, file, &fixes, how))?,
                        None => Vec::new(),
                    };
                    let numbered = answers.into_iter().map(|answer| Completed {
                        of: answer
                            .of
                            .iter()
                            .filter_map(|own| numbers.get(*own).copied())
                            .collect(),
                        fix: answer.fix,
                    });
                    Ok(numbered.collect::<Vec<_>>())
                });
        let answers: Result<Vec<_>, Problem> = answers.collect();
        Ok(answers?.concat())
    }

    /// The crate of a file, and the library that it is written for.
    ///
    /// # Errors
    ///
    /// There is no such file, a newer edit overtook the question, or the engine failed.
    pub fn library_of(&self, path: &str) -> Result<CrateLibrary, Problem> {
        let parts = self.parts(path);
        let file = parts.first().copied().ok_or(Problem::NoSuchFile)?;
        if file.language(&self.db).is_neighbour() {
            return Err(Problem::NotAnalysed(
                "only kernels in Rust are written for a library".to_owned(),
            ));
        }
        self.guarded(|db| library_of(db, file))
    }

    /// What the engine holds of a file: the file itself, then the blocks in it.
    fn parts(&self, path: &str) -> Vec<SourceFile> {
        let Some(project) = crate::inputs::Project::try_get(&self.db) else {
            return Vec::new();
        };
        if let Some(file) = project.neighbours(&self.db).get(path) {
            return vec![*file];
        }
        let files = project.files(&self.db);
        let from = (std::ops::Bound::Included(path), std::ops::Bound::Unbounded);
        files
            .range::<str, _>(from)
            .take_while(|(held, _)| file_of(held) == path)
            .map(|(_, file)| *file)
            .collect()
    }

    /// The findings in all files.
    #[must_use]
    pub fn check_all(&self) -> Report {
        let mut paths: Vec<String> = self
            .files()
            .iter()
            .map(|(path, _)| file_of(path).to_owned())
            .collect();
        paths.dedup();
        paths.extend(
            self.neighbours()
                .iter()
                .map(std::string::ToString::to_string),
        );
        self.check_files(&paths)
    }

    /// The findings in some of the files, checked in parallel on the current pool of threads.
    #[must_use]
    pub fn check_files(&self, paths: &[String]) -> Report {
        Report::of_files(self.file_reports(paths))
    }

    /// As [`Analysis::check_files`], a report a file, in the order of the paths.
    #[must_use]
    pub fn file_reports(&self, paths: &[String]) -> Vec<FileReport> {
        self.file_reports_with(paths, &|_| {})
    }

    /// As [`Analysis::file_reports`], for callers that show how far it is: they are shown, on any thread, how many items are
    /// to be checked each time one more of them is.
    pub fn file_reports_with(
        &self,
        paths: &[String],
        checked: &(dyn Fn(usize) + Sync),
    ) -> Vec<FileReport> {
        self.reports_of_files(paths, checked, Extent::Proposed)
    }

    /// As [`Analysis::file_reports_with`], with all fixes and helps completed: each leads to a kernel without a new fault.
    pub fn completed_file_reports_with(
        &self,
        paths: &[String],
        checked: &(dyn Fn(usize) + Sync),
    ) -> Vec<FileReport> {
        self.reports_of_files(paths, checked, Extent::Completed)
    }

    fn reports_of_files(
        &self,
        paths: &[String],
        checked: &(dyn Fn(usize) + Sync),
        extent: Extent,
    ) -> Vec<FileReport> {
        // Files into items, then items on all threads, also those of one large file: what a file's report asks of its own
        // items and of other files is then at hand. A failure shows again, with its file, where the report is asked for.
        // Which files belong together is a question about all of them at once, which would read them one after the other.
        let files = self.files();
        // Which modules there are is one question about all files, which would parse them one after the other.
        for prepare in [parse_file, read_items] {
            files
                .par_iter()
                .with_max_len(1)
                .for_each_with(self.clone(), |analysis, (_, file)| {
                    let _ = analysis.guarded(|db| prepare(db, *file));
                });
        }
        let wanted: FxHashSet<_> = paths
            .iter()
            .flat_map(|path| self.parts(path))
            .filter(|file| !file.language(&self.db).is_neighbour())
            .filter_map(|file| self.guarded(|db| reachable_from(db, file)).ok())
            .collect();
        let mut items: Vec<(usize, ItemId)> = files
            .into_par_iter()
            .map_with(self.clone(), |analysis, (_, file)| {
                let items = analysis.guarded(|db| {
                    let judged = wanted.contains(&reachable_from(db, file));
                    if judged {
                        let items = items_of(db, file);
                        // What kernels reach is another question about all of them.
                        read_calls(db, &items);
                        items
                    } else {
                        Vec::new()
                    }
                });
                items.unwrap_or_default()
            })
            .flatten_iter()
            .collect();
        // The longest first: one that begins last would keep one thread busy and the others waiting.
        items.sort_by_key(|(bytes, _)| std::cmp::Reverse(*bytes));
        let total = items.len();
        let (validating, judging) = (self.clone(), self.clone());
        rayon::join(
            || {
                // What the reports take longest for themselves needs no item.
                paths
                    .par_iter()
                    .for_each_with(validating, |analysis, path| {
                        for file in analysis.parts(path) {
                            let _ = analysis.guarded(|db| read_ahead(db, file));
                        }
                    });
            },
            || {
                items.into_par_iter().with_max_len(1).for_each_with(
                    judging,
                    |analysis, (_, item)| {
                        let _ = analysis.guarded(|db| check_one(db, item, extent));
                        checked(total);
                    },
                );
            },
        );
        paths
            .par_iter()
            .map_with(self.clone(), |analysis, path| {
                analysis.report_of_file(path, extent)
            })
            .collect()
    }

    /// The files whose findings may depend on some files, those themselves included: what may call each other.
    #[must_use]
    pub fn related_files(&self, wanted: &[String]) -> Vec<String> {
        let groups: FxHashSet<_> = wanted
            .iter()
            .flat_map(|path| self.parts(path))
            .filter(|file| !file.language(&self.db).is_neighbour())
            .filter_map(|file| self.guarded(|db| reachable_from(db, file)).ok())
            .collect();
        let related = self.files().into_iter().filter(|(_, file)| {
            let group = self.guarded(|db| reachable_from(db, *file));
            group.is_ok_and(|group| groups.contains(&group))
        });
        let mut paths: Vec<String> = related.map(|(path, _)| file_of(&path).to_owned()).collect();
        // Blocks follow the file that they are in.
        paths.dedup();
        // A file in another language says all of itself.
        let alone = |path: &&String| {
            let mut parts = self.parts(path).into_iter();
            parts.any(|file| file.language(&self.db).is_neighbour())
        };
        paths.extend(wanted.iter().filter(alone).cloned());
        paths
    }

    /// The edits that make comments of a file allow some of its findings, given by first byte and rule, each its own fix.
    /// The reason follows the names in new comments.
    #[must_use]
    pub fn allowing(&self, path: &str, wanted: &[Allowed<'_>], reason: &str) -> Vec<DiagnosticFix> {
        let of_part = |file: SourceFile| {
            let origin = file.origin(&self.db);
            let here: Vec<Allowed<'_>> = match &origin {
                None => wanted.to_vec(),
                Some(origin) => wanted
                    .iter()
                    .copied()
                    .filter(|(byte, _)| origin.holds(*byte))
                    .collect(),
            };
            let found = self.guarded(|db| allowing(db, file, &here, reason));
            let found = found.unwrap_or_default();
            match origin {
                None => found,
                Some(origin) => fitted(found, &file.text(&self.db), &origin),
            }
        };
        self.parts(path).into_iter().flat_map(of_part).collect()
    }

    /// The edits that give the attributes of a file the tool of the library that it is written for.
    #[must_use]
    pub fn tool_fixes(&self, path: &str) -> Vec<DiagnosticFix> {
        let of_part = |file: SourceFile| match file.origin(&self.db) {
            // A block of another text registers nothing.
            Some(_) => Vec::new(),
            None => self.guarded(|db| tool_fixes(db, file)).unwrap_or_default(),
        };
        self.parts(path).into_iter().flat_map(of_part).collect()
    }

    /// The text of a file as this snapshot knows it.
    ///
    /// # Errors
    ///
    /// There is no such file, or a newer edit overtook the question.
    pub fn text(&self, path: &str) -> Result<Arc<str>, Problem> {
        let file = self
            .parts(path)
            .first()
            .copied()
            .ok_or(Problem::NoSuchFile)?;
        self.guarded(|db| match file.origin(db) {
            Some(origin) => Arc::clone(&origin.text),
            None => file.text(db),
        })
    }

    /// What cancels the questions to this snapshot and its clones from another thread.
    #[must_use]
    pub fn canceller(&self) -> Canceller {
        Canceller {
            token: salsa::Database::cancellation_token(&self.db),
            withdrawn: Arc::clone(&self.withdrawn),
        }
    }

    /// The file of a path.
    pub(crate) fn file(&self, path: &str) -> Option<SourceFile> {
        self.db.file(path)
    }

    /// Whether a file is held and takes no part.
    pub(crate) fn is_aside(&self, path: &str) -> bool {
        let project = crate::inputs::Project::try_get(&self.db);
        project.is_some_and(|project| project.aside(&self.db).contains(path))
    }

    /// The files in Rust, and the blocks in others.
    fn files(&self) -> Vec<(Arc<str>, SourceFile)> {
        let project = crate::inputs::Project::try_get(&self.db);
        let files = project
            .map(|project| project.files(&self.db))
            .unwrap_or_default();
        files
            .iter()
            .map(|(path, file)| (Arc::clone(path), *file))
            .collect()
    }

    /// The files in other languages.
    fn neighbours(&self) -> Vec<Arc<str>> {
        let project = crate::inputs::Project::try_get(&self.db);
        let files = project
            .map(|project| project.neighbours(&self.db))
            .unwrap_or_default();
        files.keys().cloned().collect()
    }

    /// The language of a file that the engine holds; `None` for one that takes no part.
    ///
    /// # Errors
    ///
    /// There is no such file.
    pub fn language(&self, path: &str) -> Result<Option<Language>, Problem> {
        match self.parts(path).first() {
            Some(file) => self.guarded(|db| Some(file.language(db))),
            None if self.is_aside(path) => Ok(None),
            None => Err(Problem::NoSuchFile),
        }
    }

    /// Answers a question; a cancellation or a panic becomes a problem.
    pub(crate) fn guarded<T>(
        &self,
        ask: impl FnOnce(&AnalysisDatabase) -> T,
    ) -> Result<T, Problem> {
        if self.withdrawn.load(Ordering::SeqCst) {
            return Err(Problem::Cancelled);
        }
        let asked = std::panic::catch_unwind(AssertUnwindSafe(|| {
            // Also a question that asks no query notices that it is overtaken.
            salsa::Database::unwind_if_revision_cancelled(&self.db);
            ask(&self.db)
        }));
        asked.map_err(|payload| {
            if payload.is::<salsa::Cancelled>() {
                Problem::Cancelled
            } else {
                Problem::Internal(panic_words(&*payload))
            }
        })
    }
}
