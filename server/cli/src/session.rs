//! One run's files in the engine: loaded once, checked as often as their texts change.
//!
//! Knows which files a run reports on and at which level their findings are taken; what becomes of the findings is the
//! business of the caller.

mod engine;
mod fixable;
mod kept;
mod parted;
mod paths;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::ManuallyDrop;
use std::path::PathBuf;
use std::sync::Arc;

use visa_analysis::{
    Allowed, Analysis, Applicability, CrateLibrary, Diagnostic, DiagnosticFix, Effort, FileEdit,
    FileLibrary, Group, KernelCost, LanguageCounts, Level, NotFollowed, OperationCounts, Report,
    Rule, Workspace, apply_fixes,
};

use engine::Told;
use paths::show_paths;
pub(crate) use paths::show_paths_of_cost;

use super::arguments::CheckArguments;
use super::cache::Cache;
use super::outcome::Outcome;
use super::outline::{DialectOf, Finding, NotLookedAt, Texts};
use super::output::Console;
use super::progress::Progress;
use crate::documents::json::transfers::FileTransfers;
use crate::project::Failure;
use crate::project::files::{LoadedFile, Sources, StandardInput};
use crate::project::levels::Levels;
use crate::project::notes::{write_error, write_note, write_warning};
use crate::project::parts::independent_parts;
use crate::project::settings::show::show_settings;
use crate::project::settings::{Resolver, SettingsArguments, SettingsTable};
use visa_analysis::counted;

/// What the work for one file may take.
const TIME_OF_A_FILE: std::time::Duration = std::time::Duration::from_secs(60);

/// What a command is given to read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Given<'a> {
    /// Files, folders or crates; `-` for standard input.
    pub(crate) paths: &'a [PathBuf],
    /// What standard input is.
    pub(crate) stdin: StandardInput<'a>,
    /// Where the settings come from.
    pub(crate) settings: &'a SettingsArguments,
    /// The revision of git since which files have to have changed, if not all of them are reported on.
    pub(crate) since: Option<&'a str>,
    /// Whether warnings about the run are left out.
    pub(crate) quiet: bool,
    /// Whether comments and attributes of the files allow findings.
    pub(crate) inline_allow: bool,
}

impl<'a> From<&'a CheckArguments> for Given<'a> {
    fn from(options: &'a CheckArguments) -> Self {
        Self {
            paths: &options.paths,
            stdin: if options.stdin_texts {
                StandardInput::Texts
            } else {
                StandardInput::Text(options.stdin_filename.as_deref())
            },
            settings: &options.settings,
            since: options.since.as_deref(),
            quiet: options.quiet,
            inline_allow: !options.ignoring.no_inline_allow,
        }
    }
}

/// The files of a run and the engine that holds them.
pub(crate) struct Session<'a> {
    given: Given<'a>,
    levels: Levels,
    settings: SettingsTable,
    sources: Sources,
    /// The engine's paths of the files that are not changed, since they are elsewhere than their names say.
    outside: BTreeSet<String>,
    /// The engine with all files at once, for runs that change texts or ask again. One that asks once holds a part of the files
    /// after the other. Never taken apart: the process ends after the last report, and that would only delay it.
    whole: OnceCell<ManuallyDrop<Workspace>>,
}

/// How much of a run's text a question is about.
#[derive(Debug, Clone, Copy)]
struct Part {
    bytes: usize,
    all: usize,
}

impl Part {
    /// Extrapolates a count from one part to all parts.
    const fn of_all(self, number: usize) -> usize {
        match number.saturating_mul(self.all).checked_div(self.bytes) {
            Some(all) => all,
            None => number,
        }
    }
}

/// What a check of a session's files says.
#[derive(Debug)]
pub(crate) struct Checked {
    pub(crate) files: u64,
    pub(crate) kernels: u64,
    /// What was checked by language.
    pub(crate) languages: BTreeMap<visa_analysis::Language, LanguageCounts>,
    /// Functions that `cfg` leaves out.
    pub(crate) configured_out: u64,
    pub(crate) operations: OperationCounts,
    /// In the order of files, places and rules; suppressed ones included, those at level `allow` not.
    pub(crate) findings: Vec<Finding>,
    /// The crates of the files and the libraries that they are written for, with the files.
    pub(crate) libraries: BTreeMap<CrateLibrary, Vec<Arc<str>>>,
    /// Operations that were not looked at, in the order of files and places.
    pub(crate) unresolved: Vec<NotLookedAt>,
    /// Files in which no operation was looked at, as people see them, in their order.
    pub(crate) not_followed: Vec<NotFollowed>,
    /// How many findings were left out because a baseline knows them.
    pub(crate) known: u64,
    /// The engine's paths of files of which only a part parses.
    pub(crate) with_syntax_errors: Vec<Arc<str>>,
    /// Whether a file could not be checked; the words are already on standard error.
    pub(crate) failed: bool,
    /// These words.
    pub(crate) problems: Vec<String>,
}

impl Checked {
    /// The findings that no suppression in the files covers.
    pub(crate) fn unsuppressed_findings(&self) -> impl Iterator<Item = &Finding> {
        self.findings
            .iter()
            .filter(|finding| !finding.diagnostic.suppressed)
    }
}

impl<'a> Session<'a> {
    /// Reads the files that the options name and those beside them, with the settings that hold for each.
    pub(crate) fn open(given: Given<'a>, levels: &Levels) -> Result<Self, Failure> {
        let mut session = Self {
            given,
            levels: levels.clone(),
            settings: SettingsTable::default(),
            sources: Sources::default(),
            outside: BTreeSet::new(),
            whole: OnceCell::new(),
        };
        session.reload()?;
        Ok(session)
    }

    /// The same files with other settings; nothing is read again but the settings.
    pub(crate) fn read_as(mut self, given: Given<'a>) -> Result<Self, Failure> {
        let mut resolver = Resolver::new(given.settings, self.levels.clone())?;
        let files = self.sources.files.iter();
        self.settings = resolver.settings_table(files.map(|file| file.path.as_str()))?;
        self.given = given;
        self.whole = OnceCell::new();
        Ok(self)
    }

    /// Reads everything again; whether files, texts or what could be read have changed. The engine keeps what it knows of
    /// the rest. Where the settings cannot be used everything stays as it was.
    pub(crate) fn reload(&mut self) -> Result<bool, Failure> {
        let mut resolver = Resolver::new(self.given.settings, self.levels.clone())?;
        let mut sources = Sources::gather(self.given.paths, self.given.stdin, &mut resolver);
        let settings =
            resolver.settings_table(sources.files.iter().map(|file| file.path.as_str()))?;
        let all = sources.reported.len();
        if let Some(revision) = self.given.since {
            sources.report_on_changed(revision)?;
            if !self.given.quiet {
                say_since(revision, sources.reported.len(), all);
            }
        }
        if let Some(workspace) = self.whole.get_mut() {
            let known: BTreeSet<&str> = sources.files.iter().map(|file| &*file.path).collect();
            for file in &self.sources.files {
                if !known.contains(&*file.path) {
                    workspace.remove_file(&file.path);
                }
            }
            let all: Vec<&LoadedFile> = sources.files.iter().collect();
            let doc = self.given.settings.doc;
            Told::new(doc, &settings, &sources, &all).tell(workspace);
        }
        let changed = sources != self.sources
            || shown_settings(&settings, &sources) != shown_settings(&self.settings, &self.sources);
        self.settings = settings;
        self.sources = sources;
        Ok(changed)
    }

    /// Writes what holds for the files that the run reports on, and where each choice was made.
    pub(crate) fn show_settings(
        &self,
        console: Console,
        unreadable: bool,
    ) -> Result<Outcome, Failure> {
        console.print(&shown_settings(&self.settings, &self.sources))?;
        Ok(if unreadable {
            Outcome::Failed
        } else {
            Outcome::Fine
        })
    }

    /// What could not be read, in words.
    pub(crate) fn unreadable(&self) -> impl Iterator<Item = &String> {
        self.sources.errors.iter()
    }

    /// Says what could not be read; whether there was anything.
    pub(crate) fn say_unreadable(&self) -> bool {
        for warning in self.sources.warnings.iter().filter(|_| !self.given.quiet) {
            write_warning(warning);
        }
        for error in &self.sources.errors {
            write_error(error);
        }
        !self.sources.errors.is_empty()
    }

    /// Leaves the files as they are that are links to places outside of the folders that were given, and says so.
    pub(crate) fn leave_outside_alone(&mut self) {
        self.outside = self.sources.files_outside();
        for path in &self.outside {
            write_warning(&format!(
                "`{}` is a link to a file outside of the folders that are given: it is not changed",
                self.sources.shown_path(path)
            ));
        }
    }

    /// Checks the files that the run reports on. Helps and fixes are completed where the answer carries them. What the cache has is
    /// not worked out, unless the engine holds all files already or a text came from standard input.
    pub(crate) fn check(&self, with_fixes: bool, cache: Option<&Cache>) -> Checked {
        let progress = Progress::new(self.given.quiet);
        let question = |analysis: &Analysis, paths: &[String], part: Part| {
            let advance = |items| progress.advance_items(part.of_all(items));
            if with_fixes {
                analysis.completed_file_reports_with(paths, &advance)
            } else {
                analysis.file_reports_with(paths, &advance)
            }
        };
        let is_kept = self.whole.get().is_none() && self.sources.standard_input.is_none();
        let reports = match cache.filter(|_| is_kept) {
            Some(cache) => self.kept_or_asked(cache, with_fixes, question),
            None => self.ask_all_files(question),
        };
        progress.end_bar();
        let report = Report::of_files(reports);
        let problems = report.problems.iter();
        let problems =
            problems.map(|(path, why)| format!("`{}`: {why}", self.sources.shown_path(path)));
        let problems: Vec<String> = problems.collect();
        problems.iter().for_each(|words| write_error(words));
        for path in report
            .with_syntax_errors
            .iter()
            .filter(|_| !self.given.quiet)
        {
            let language = report.language_of(path).unwrap_or_default();
            let name = language.grammar();
            write_warning(&format!(
                "`{}` does not parse as {name}: only what parses is checked",
                self.sources.shown_path(path)
            ));
        }
        let mut findings: Vec<Finding> = report
            .diagnostics
            .into_iter()
            .map(|diagnostic| self.judged_finding(diagnostic))
            .map(|diagnostic| Finding {
                level: self.level(&diagnostic),
                diagnostic,
                left_out: false,
            })
            .filter(|finding| finding.level != Level::Allow)
            .collect();
        for finding in &mut findings {
            show_paths(&mut finding.diagnostic, &self.sources);
        }
        findings.sort_by(|one, other| {
            diagnostic_key(&one.diagnostic).cmp(&diagnostic_key(&other.diagnostic))
        });
        let unresolved = report.unresolved.into_iter().map(|(file, place)| {
            let file = self.sources.shown_path(&file);
            NotLookedAt { file, place }
        });
        let mut unresolved: Vec<NotLookedAt> = unresolved.collect();
        unresolved.sort_by(|one, other| {
            (&one.file, one.place.range).cmp(&(&other.file, other.place.range))
        });
        let not_followed = report.not_followed.into_iter().map(|file| NotFollowed {
            file: self.sources.shown_path(&file.file).into(),
            ..file
        });
        let not_followed = not_followed.collect();
        Checked {
            files: report.files,
            kernels: report.kernels,
            languages: report.languages,
            configured_out: report.configured_out,
            operations: report.operations,
            findings,
            libraries: report.libraries,
            unresolved,
            not_followed,
            known: 0,
            with_syntax_errors: report.with_syntax_errors,
            failed: !report.problems.is_empty(),
            problems,
        }
    }

    /// A finding as the run takes it: allowed by its file only where files may allow something.
    fn judged_finding(&self, diagnostic: Diagnostic) -> Diagnostic {
        let suppressed = diagnostic.suppressed && self.given.inline_allow;
        Diagnostic {
            suppressed,
            ..diagnostic
        }
    }

    /// Asks something of all files that the run reports on: of all at once where the engine holds them, else part by part.
    fn ask_all_files<T>(&self, question: impl Fn(&Analysis, &[String], Part) -> Vec<T>) -> Vec<T> {
        let reported = &self.sources.reported;
        let size = |files: &[&LoadedFile]| files.iter().map(|file| file.text.len()).sum();
        let all: Vec<&LoadedFile> = self.sources.files.iter().collect();
        let all_bytes = size(&all);
        let of = |bytes| Part {
            bytes,
            all: all_bytes,
        };
        let parts = match self.whole.get() {
            Some(workspace) => return question(&workspace.analysis(), reported, of(all_bytes)),
            None => independent_parts(&self.sources.files, &self.sources.packages),
        };
        if parts.len() < 2 {
            return question(&self.workspace().analysis(), reported, of(all_bytes));
        }
        let mut answers = Vec::new();
        for part in parts {
            let files: Vec<&LoadedFile> =
                part.iter().filter_map(|at| all.get(*at).copied()).collect();
            let paths = files.iter().map(|file| &file.path);
            let paths = paths.filter(|path| reported.binary_search(path).is_ok());
            let paths: Vec<String> = paths.cloned().collect();
            if !paths.is_empty() {
                let workspace = self.engine_of(&files);
                answers.extend(question(&workspace.analysis(), &paths, of(size(&files))));
            }
        }
        answers
    }

    /// The engine with all files of the run.
    pub(crate) fn workspace(&self) -> &Workspace {
        self.whole.get_or_init(|| {
            let all: Vec<&LoadedFile> = self.sources.files.iter().collect();
            ManuallyDrop::new(self.engine_of(&all))
        })
    }

    /// The same, taken out of the session.
    pub(crate) fn into_workspace(self) -> Workspace {
        let held = self.whole.into_inner().map(ManuallyDrop::into_inner);
        held.unwrap_or_default()
    }

    /// An engine with some files.
    fn engine_of(&self, files: &[&LoadedFile]) -> Workspace {
        let mut workspace = Workspace::new();
        workspace.set_time_limit(TIME_OF_A_FILE);
        let doc = self.given.settings.doc;
        Told::new(doc, &self.settings, &self.sources, files).tell(&mut workspace);
        workspace
    }

    /// The same, to be changed.
    fn workspace_mut(&mut self) -> Option<&mut Workspace> {
        self.workspace();
        self.whole.get_mut().map(|workspace| &mut **workspace)
    }

    /// Puts other texts in the place of files of the run.
    pub(crate) fn set_texts(&mut self, texts: BTreeMap<String, String>) {
        if let Some(workspace) = self.workspace_mut() {
            for (path, text) in texts {
                workspace.set_file(&path, &text);
            }
        }
    }

    /// How many files are reported on.
    pub(crate) fn files(&self) -> usize {
        self.sources.reported.len()
    }

    /// What the kernels of the files that the run reports on cost, in the order of files and places, with the paths that
    /// people gave; whether a file could not be analysed (the words are then on standard error).
    ///
    /// Changes are searched of the kernels of one name only, where that is given.
    pub(crate) fn costs(&self, effort: Effort, named: Option<&str>) -> (Vec<KernelCost>, bool) {
        let mut costs = Vec::new();
        let mut failed = false;
        let mut answers = self.ask_all_files(|analysis, paths, _| {
            analysis.costs_with_advice_of(paths, effort, named)
        });
        answers.sort_by(|one, other| one.0.cmp(&other.0));
        for (path, answer) in answers {
            match answer {
                Ok(kernels) => costs.extend(kernels),
                Err(problem) => {
                    write_error(&format!("`{}`: {problem}", self.sources.shown_path(&path)));
                    failed = true;
                }
            }
        }
        for cost in &mut costs {
            show_paths_of_cost(cost, &|path| self.sources.shown_path(path));
        }
        (costs, failed)
    }

    /// What the functions of the files in other languages than Rust move, in the order of files; whether
    /// a file could not be analysed (the words are then on standard error).
    pub(crate) fn transfer_costs(&self) -> (Vec<FileTransfers>, bool) {
        let mut failed = false;
        let mut answers = self.ask_all_files(|analysis, paths, _| {
            let ask = |path: &String| (path.clone(), analysis.transfer_costs(path));
            paths.iter().map(ask).collect()
        });
        answers.sort_by(|one, other| one.0.cmp(&other.0));
        let mut costs = Vec::new();
        for (path, answer) in answers {
            let shown = self.sources.shown_path(&path);
            match answer {
                Ok(functions) if functions.is_empty() => {}
                Ok(functions) => {
                    let text = self.sources.files.iter().find(|file| file.path == path);
                    let text = text.map_or_else(String::new, |file| file.text.clone());
                    costs.push(FileTransfers {
                        file: shown,
                        text,
                        functions,
                    });
                }
                Err(problem) => {
                    write_error(&format!("`{shown}`: {problem}"));
                    failed = true;
                }
            }
        }
        (costs, failed)
    }

    /// The level of a finding whose paths are still the engine's.
    pub(crate) fn level(&self, diagnostic: &Diagnostic) -> Level {
        self.settings
            .settings_of(&diagnostic.file)
            .level_of(diagnostic)
    }

    /// Whether findings that a rule reports as of a group in a file would be among those of a check.
    pub(crate) fn runs_rule(&self, rule: &Rule, group: Group, path: &str) -> bool {
        self.settings.settings_of(path).level_of_rule(rule, group) != Level::Allow
    }

    /// The engine's paths of the files that the run reports on.
    pub(crate) fn reported_paths(&self) -> impl Iterator<Item = &str> {
        self.sources.reported.iter().map(String::as_str)
    }

    /// Whether the run reports on a file, by the engine's path.
    pub(crate) fn is_reported(&self, path: &str) -> bool {
        let mut reported = self.reported_paths();
        reported.any(|own| own == path)
    }

    /// The libraries of the crates that the run reports on, by names that people know.
    pub(crate) fn libraries_of_crates(&self) -> BTreeMap<String, FileLibrary> {
        let analysis = self.workspace().analysis();
        let libraries = self.reported_paths().filter_map(|path| {
            let known = analysis.library_of(path).ok()?;
            let name = match &known.krate.package {
                Some(package) => package.to_string(),
                None => self.sources.shown_path(&known.krate.root),
            };
            Some((name, known.library))
        });
        libraries.collect()
    }

    /// The folders of the packages that have files that the run reports on.
    pub(crate) fn package_roots(&self) -> impl Iterator<Item = &str> {
        let roots = self.sources.libraries.iter().map(|(root, _)| &**root);
        roots.filter(|root| {
            let below = |path: &str| {
                let rest = path.strip_prefix(root);
                rest.is_some_and(|rest| rest.starts_with('/'))
            };
            self.reported_paths().any(below)
        })
    }

    /// The engine's paths of all files that were read.
    pub(crate) fn loaded_paths(&self) -> impl Iterator<Item = &str> {
        self.sources.files.iter().map(|file| file.path.as_str())
    }

    /// The path as people gave it.
    pub(crate) fn shown_path(&self, path: &str) -> String {
        self.sources.shown_path(path)
    }

    /// The open findings of the files that the run reports on by the engine's path: their first bytes and rules.
    pub(crate) fn open_findings(&self) -> BTreeMap<Arc<str>, Vec<Allowed<'static>>> {
        let analysis = self.workspace().analysis();
        let report = analysis.check_files(&self.sources.reported);
        let mut open: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for diagnostic in report.diagnostics {
            if !diagnostic.suppressed && self.level(&diagnostic) != Level::Allow {
                let finding = (diagnostic.range.start.byte, diagnostic.rule);
                open.entry(diagnostic.file).or_default().push(finding);
            }
        }
        open
    }

    /// The comments that allow findings of a file, given by its engine's path.
    pub(crate) fn allowing(
        &self,
        path: &str,
        wanted: &[Allowed<'_>],
        reason: &str,
    ) -> Vec<DiagnosticFix> {
        self.workspace().analysis().allowing(path, wanted, reason)
    }

    /// The texts that edits with paths as people see them make of the files that the run reports on.
    pub(crate) fn edited(&self, edits: &[FileEdit]) -> Result<visa_analysis::Texts, Failure> {
        let texts = self.own_texts();
        let known: BTreeMap<String, &Arc<str>> = texts
            .keys()
            .map(|path| (self.shown_path(path), path))
            .collect();
        let placed = edits.iter().map(|edit| match known.get(&*edit.file) {
            Some(file) => Ok(FileEdit {
                file: Arc::clone(file),
                ..edit.clone()
            }),
            None => Err(Failure::new(format!(
                "the change edits `{}`, which is not among the files that are given",
                edit.file
            ))),
        });
        let change = DiagnosticFix {
            title: String::new(),
            applicability: Applicability::Maybe,
            edits: placed.collect::<Result<_, _>>()?,
            cost: None,
        };
        Ok(apply_fixes(&texts, [&change]).texts)
    }

    /// The path of standard input's text, if that was read.
    pub(crate) fn standard_input(&self) -> Option<&str> {
        self.sources.standard_input.as_deref()
    }

    /// The texts of the files that the run reports on and may change, by the engine's path.
    pub(crate) fn own_texts(&self) -> visa_analysis::Texts {
        let files = self.workspace().files();
        files
            .filter(|(path, _)| {
                let reported = &self.sources.reported;
                let found = reported.binary_search_by(|other| other.as_str().cmp(path));
                found.is_ok() && !self.outside.contains(&***path)
            })
            .map(|(path, text)| (Arc::clone(path), Arc::clone(text)))
            .collect()
    }

    /// The crates of a report by names that people know, with their libraries.
    pub(crate) fn dialects<'c>(
        &self,
        libraries: &'c BTreeMap<CrateLibrary, Vec<Arc<str>>>,
    ) -> Vec<DialectOf<'c>> {
        let of = |(known, files): (&'c CrateLibrary, &Vec<Arc<str>>)| DialectOf {
            krate: match &known.krate.package {
                Some(package) => package.to_string(),
                None => self.sources.shown_path(&known.krate.root),
            },
            library: &known.library,
            files: files
                .iter()
                .map(|file| self.sources.shown_path(file))
                .collect(),
        };
        libraries.iter().map(of).collect()
    }

    /// The files that the run reports on, as people see them.
    pub(crate) fn reported(&self) -> Vec<String> {
        let reported = self.sources.reported.iter();
        reported.map(|path| self.sources.shown_path(path)).collect()
    }

    /// The same, to be kept.
    pub(crate) fn shown_texts(&self) -> visa_analysis::Texts {
        let texts = self.texts().into_iter();
        texts
            .map(|(path, text)| (path.into(), text.into()))
            .collect()
    }

    /// The texts of all files by the path that people see.
    pub(crate) fn texts(&self) -> Texts<'_> {
        self.sources
            .files
            .iter()
            .map(|file| (self.sources.shown_path(&file.path), file.text.as_str()))
            .collect()
    }
}

/// Says how much of a run `--since` leaves.
fn say_since(revision: &str, changed: usize, all: usize) {
    let differ = match changed {
        0 => return write_note(&format!("no file has changed since `{revision}`")),
        1 => "has",
        _ => "have",
    };
    let all = counted(all as u64, "file");
    write_note(&format!(
        "{changed} of {all} {differ} changed since `{revision}`; only what has changed is checked"
    ));
}

fn diagnostic_key(diagnostic: &Diagnostic) -> (&str, visa_analysis::Range, &str, &str) {
    (
        &diagnostic.file,
        diagnostic.range,
        diagnostic.rule,
        &diagnostic.message,
    )
}

/// What `--show-settings` prints.
fn shown_settings(settings: &SettingsTable, sources: &Sources) -> String {
    show_settings(settings, &sources.reported, |path| sources.shown_path(path))
}
