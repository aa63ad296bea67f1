//! Settings: which `visa-lint.toml` holds for a file, and what it comes to together with the command line.
//!
//! The nearest file upward from a kernel's folder holds alone: files further up add nothing, so that a file says all that
//! there is to know. `--config` puts one file in the place of all. Options of the command line come after the file.

mod budgets;
mod dialect;
mod file;
mod options;
mod read;
pub mod show;
mod wording;
mod writing;

pub use self::dialect::{Dialect, DialectParser, DialectProblem};
pub use self::file::schema;
pub use self::options::{Model, SettingsArguments, Target};
pub use self::read::SettingsProblem;
pub use self::writing::text_allowing_rule;

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use visa_analysis::{
    CfgSetting, Diagnostic, EnabledRules, Group, Level, NkiOptions, Options, PtoOptions, Rule,
    find_rule, rules_that_are_on,
};

use self::read::{Chosen, ChosenLibrary, Configuration};
use super::Failure;
use super::levels::{Levels, Origin};
use super::paths::slashes;
use super::regular::is_meant;

/// The name of a settings file.
pub const FILE_NAME: &str = "visa-lint.toml";

/// The rule about suppressions that suppress nothing.
const UNUSED_SUPPRESSION: &str = "unused_suppression";

/// What holds for a file.
#[derive(Debug, Default)]
pub struct Settings {
    /// Of the file, its overrides and the command line, in this order.
    levels: Levels,
    library: ChosenLibrary,
    target: Option<Chosen<Target>>,
    model: Option<Chosen<Model>>,
    chips: Option<Chosen<NonZeroU64>>,
    /// The settings file, if there is one.
    configuration: Option<Arc<Configuration>>,
    /// The rules that are on by the levels, once it was asked for them.
    enabled: OnceLock<EnabledRules>,
}

impl Settings {
    /// The settings file that holds, and the folder that its patterns are relative to; none where there is none.
    pub fn file(&self) -> Option<(&Path, &Path)> {
        let file = self.configuration.as_deref()?;
        Some((&file.path, &file.root))
    }

    /// The level of a finding, `Allow` also where its rule does not run.
    pub fn level_of(&self, diagnostic: &Diagnostic) -> Level {
        self.levels.of_finding(diagnostic)
    }

    /// The level of what a rule reports as of a group, `Allow` also where it does not run.
    pub fn level_of_rule(&self, rule: &Rule, group: Group) -> Level {
        let default = default_level(rule, group);
        self.levels.level(rule.name, group, default).0
    }

    /// The rules that are run: those that may report something. Where a selection asks for unused suppressions, the rules that
    /// would be on without it are run too, since only they can say which suppressions are of use.
    pub fn enabled_rules(&self) -> EnabledRules {
        *self.enabled.get_or_init(|| {
            let on = |levels: &Levels, rule: &Rule, group| {
                levels.level(rule.name, group, default_level(rule, group)).0 != Level::Allow
            };
            let mut all = self.levels.clone();
            all.select.clear();
            let suppressions = find_rule(UNUSED_SUPPRESSION);
            let asked = suppressions.is_some_and(|rule| on(&self.levels, rule, rule.group));
            rules_that_are_on(|rule, group| {
                on(&self.levels, rule, group) || (asked && on(&all, rule, group))
            })
        })
    }

    /// What the engine needs to know.
    pub fn engine_options(&self) -> Options {
        Options {
            model: match chosen_or_default(self.model.as_ref()) {
                Model::Schedule => visa_analysis::Model::Schedule,
                Model::Book => visa_analysis::Model::Book,
            },
            library: chosen_or_default(self.library.dialect.as_ref()).library,
            release: self.library.release.as_ref().map(|(release, _)| *release),
            target: match chosen_or_default(self.target.as_ref()) {
                Target::Rngd => visa_analysis::Target::Rngd,
                Target::RngdS => visa_analysis::Target::RngdS,
            },
            chips: self.chips.as_ref().map(|(chips, _)| chips.get()),
            pto: self.pto(),
            nki: self.nki(),
        }
    }

    /// What the settings file says of the machine of PTO files.
    fn pto(&self) -> PtoOptions {
        let file = self.configuration.as_ref();
        let number = |chosen: Option<&Option<Chosen<NonZeroU64>>>| {
            let (number, _) = chosen?.as_ref()?;
            Some(number.get())
        };
        PtoOptions {
            gm_bytes_per_cycle: number(file.map(|file| &file.pto.gm_bytes_per_cycle)),
            setup_cycles: file.and_then(|file| Some(file.pto.setup_cycles.as_ref()?.0)),
        }
    }

    /// What it says of the machine and the release of NKI kernels.
    fn nki(&self) -> NkiOptions {
        let file = self.configuration.as_ref();
        NkiOptions {
            target: file.and_then(|file| Some(file.nki.target.as_ref()?.0.of_engine())),
            version: file.and_then(|file| Some(file.nki.version.as_ref()?.0)),
        }
    }

    /// What kernels may cost, the narrowest line first.
    pub fn budgets(&self) -> Arc<[visa_analysis::Budget]> {
        let file = self.configuration.iter();
        file.flat_map(|file| file.budgets.entries())
            .map(budgets::Entry::limits)
            .collect()
    }

    /// The conditions that hold and those that do not.
    pub fn cfg(&self) -> Arc<[CfgSetting]> {
        let file = self.configuration.iter();
        file.flat_map(|file| &file.cfg)
            .map(|(_, setting)| setting.clone())
            .collect()
    }
}

/// The level of what a rule reports as of a group, where no setting says otherwise.
fn default_level(rule: &Rule, group: Group) -> Level {
    if group == rule.group {
        rule.default_level()
    } else {
        group.default_level()
    }
}

/// The chosen value, or the default.
fn chosen_or_default<T: Copy + Default>(chosen: Option<&Chosen<T>>) -> T {
    chosen.map_or_else(T::default, |(value, _)| *value)
}

/// What holds for each of the files that a run loads.
#[derive(Debug, Default)]
pub struct SettingsTable {
    by_file: BTreeMap<String, Arc<Settings>>,
    /// For all others.
    default: Arc<Settings>,
}

impl SettingsTable {
    /// What holds for a file of the run, by the path that the engine knows.
    pub fn settings_of(&self, path: &str) -> &Settings {
        self.by_file.get(path).unwrap_or(&self.default)
    }

    /// The same for some of the files.
    pub fn part_of_table<'p>(&self, paths: impl Iterator<Item = &'p String>) -> Self {
        let known = paths.filter_map(|path| self.by_file.get_key_value(path));
        Self {
            by_file: known
                .map(|(path, settings)| (path.clone(), Arc::clone(settings)))
                .collect(),
            default: Arc::clone(&self.default),
        }
    }

    /// What the engine needs to know about files that no run has met.
    pub(crate) fn default_options(&self) -> Options {
        self.default.engine_options()
    }

    /// What the engine needs to know about each file.
    pub(crate) fn engine_options(&self) -> impl Iterator<Item = (&str, Options)> {
        self.by_file
            .iter()
            .map(|(path, settings)| (path.as_str(), settings.engine_options()))
    }

    /// The rules that are on in files that no run has met.
    pub fn default_rules(&self) -> EnabledRules {
        self.default.enabled_rules()
    }

    /// The rules that are on in each file.
    pub(crate) fn enabled_rules(&self) -> impl Iterator<Item = (&str, EnabledRules)> {
        self.by_file
            .iter()
            .map(|(path, settings)| (path.as_str(), settings.enabled_rules()))
    }

    /// What the kernels of each file may cost.
    pub(crate) fn budgets(&self) -> impl Iterator<Item = (&str, Arc<[visa_analysis::Budget]>)> {
        self.by_file
            .iter()
            .map(|(path, settings)| (path.as_str(), settings.budgets()))
    }

    /// The conditions that hold in each file and those that do not.
    pub(crate) fn cfg(&self) -> impl Iterator<Item = (&str, Arc<[CfgSetting]>)> {
        self.by_file
            .iter()
            .map(|(path, settings)| (path.as_str(), settings.cfg()))
            .filter(|(_, cfg)| !cfg.is_empty())
    }

    /// The files by their settings, in the order of the first file of each.
    fn sections<'a>(&'a self, files: &'a [String]) -> Vec<(&'a Settings, Vec<&'a str>)> {
        let mut sections: Vec<(&Arc<Settings>, Vec<&str>)> = Vec::new();
        let files = files
            .iter()
            .filter_map(|path| self.by_file.get_key_value(path));
        for (path, settings) in files {
            match sections
                .iter_mut()
                .find(|(known, _)| Arc::ptr_eq(known, settings))
            {
                Some((_, files)) => files.push(path),
                None => sections.push((settings, vec![path])),
            }
        }
        sections
            .into_iter()
            .map(|(settings, files)| (&**settings, files))
            .collect()
    }
}

/// What tells settings apart within a run: the settings file as people see it, and those of its overrides that apply.
type Key = (Option<Arc<str>>, Vec<usize>);

/// Finds the settings of files, and reads each settings file once.
#[derive(Debug)]
pub struct Resolver {
    arguments: SettingsArguments,
    /// Of the command line.
    levels: Levels,
    here: PathBuf,
    /// The file of `--config`.
    only: Option<Arc<Configuration>>,
    by_folder: HashMap<PathBuf, Option<Arc<Configuration>>>,
    known: HashMap<Key, Arc<Settings>>,
    /// What held before, by the settings file: it goes on where the file is now wrong.
    earlier: Configurations,
    read: Configurations,
    problems: Vec<SettingsProblem>,
}

/// Settings files that are right in themselves, by their path.
pub(crate) type Configurations = HashMap<PathBuf, Arc<Configuration>>;

impl Resolver {
    /// Reads the file of `--config`, which has to be right.
    pub fn new(arguments: &SettingsArguments, levels: Levels) -> Result<Self, Failure> {
        let here = std::env::current_dir().unwrap_or_default();
        let resolver = Self::from_folder(here, arguments, levels, Configurations::new());
        match settings_failure(&resolver.problems) {
            Some(failure) => Err(failure),
            None => Ok(resolver),
        }
    }

    /// A resolver for paths that are meant from a folder. Of settings files that are wrong, the file of `--config` too, what
    /// they said `earlier` goes on, if that is known; [`Self::problems`] then tells what is wrong.
    pub(crate) fn from_folder(
        here: PathBuf,
        arguments: &SettingsArguments,
        levels: Levels,
        earlier: Configurations,
    ) -> Self {
        let mut resolver = Self {
            arguments: arguments.clone(),
            levels,
            here,
            only: None,
            by_folder: HashMap::new(),
            known: HashMap::new(),
            earlier,
            read: Configurations::new(),
            problems: Vec::new(),
        };
        if let Some(path) = &arguments.config {
            // A file from elsewhere speaks of the project that it is used in.
            let root = resolver.here.clone();
            resolver.only = resolver.read(&root.join(path), &slashes(path), &root);
        }
        resolver
    }

    /// What would hold for a file if its settings file, with patterns relative to a folder, had a text; `levels` come after it.
    /// None where that text is wrong.
    pub fn with_text(
        text: &str,
        (path, root): (&Path, &Path),
        levels: Levels,
        file: &Path,
    ) -> Option<Arc<Settings>> {
        let isolated = SettingsArguments::default();
        let folder = root.to_path_buf();
        let mut resolver = Self::from_folder(folder, &isolated, levels, Configurations::new());
        let configuration = read::parse(text, path, &slashes(path), root).ok()?;
        resolver.only = Some(Arc::new(configuration));
        Some(resolver.settings_of(file))
    }

    /// The language that the options say files have.
    pub(crate) fn language(&self) -> Option<visa_analysis::Language> {
        self.arguments.language
    }

    /// What is wrong with the settings files that were met.
    pub(crate) fn problems(&self) -> &[SettingsProblem] {
        &self.problems
    }

    /// The settings files that hold for something that was asked about.
    pub(crate) fn configurations(self) -> Configurations {
        self.read
    }

    /// Whether a file stays unchecked. One that is named by itself does only where the user says so.
    pub(crate) fn excludes(&mut self, file: &Path, named: bool) -> bool {
        if named && !self.arguments.force_exclude {
            return false;
        }
        let configuration = self.configuration_of(file);
        configuration.is_some_and(|configuration| configuration.exclude.matches(file))
    }

    /// What holds for each of the files; fails where a settings file that was met is wrong.
    pub fn settings_table<'a>(
        &mut self,
        files: impl IntoIterator<Item = &'a str>,
    ) -> Result<SettingsTable, Failure> {
        let table = self.by_file(files);
        match settings_failure(&std::mem::take(&mut self.problems)) {
            Some(failure) => Err(failure),
            None => Ok(table),
        }
    }

    /// What holds for each of the files, whatever is wrong with their settings files; for others what holds for one file.
    pub(crate) fn lenient_table<'a>(
        &mut self,
        files: impl IntoIterator<Item = &'a str>,
        other: &Path,
    ) -> SettingsTable {
        let table = self.by_file(files);
        SettingsTable {
            default: self.settings_of(other),
            ..table
        }
    }

    fn by_file<'a>(&mut self, files: impl IntoIterator<Item = &'a str>) -> SettingsTable {
        let by_file = files
            .into_iter()
            .map(|file| (file.to_owned(), self.settings_of(Path::new(file))))
            .collect();
        let default = Settings {
            levels: self.levels.clone(),
            ..Settings::default()
        };
        SettingsTable {
            by_file,
            default: Arc::new(default),
        }
    }

    /// What holds for one file, an absolute path.
    fn settings_of(&mut self, file: &Path) -> Arc<Settings> {
        let configuration = self.configuration_of(file);
        let applied: Vec<usize> = configuration
            .iter()
            .flat_map(|configuration| configuration.overrides.iter().enumerate())
            .filter(|(_, entry)| entry.paths.matches(file))
            .map(|(index, _)| index)
            .collect();
        let shown = configuration.as_ref().map(|file| Arc::clone(&file.shown));
        let key = (shown, applied);
        if let Some(known) = self.known.get(&key) {
            return Arc::clone(known);
        }
        let settings = Arc::new(self.settings(configuration, &key.1));
        self.known.insert(key, Arc::clone(&settings));
        settings
    }

    fn settings(&self, file: Option<Arc<Configuration>>, applied: &[usize]) -> Settings {
        let mut levels = Levels::default();
        if let Some(file) = &file {
            levels.select.clone_from(&file.select);
            levels.ignore.clone_from(&file.ignore);
            levels.changes.clone_from(&file.levels);
            let overrides = applied
                .iter()
                .filter_map(|index| file.overrides.get(*index));
            levels
                .changes
                .extend(overrides.flat_map(|entry| entry.levels.iter().cloned()));
        }
        let of_file = file.as_deref();
        let target = option(self.arguments.target, "target");
        let model = option(self.arguments.model, "model");
        Settings {
            levels: self.levels.after(levels),
            library: self.library(of_file, applied),
            target: target.or_else(|| of_file.and_then(|file| file.target.clone())),
            model: model.or_else(|| of_file.and_then(|file| file.model.clone())),
            chips: option(self.arguments.chips, "chips")
                .or_else(|| of_file.and_then(|file| file.chips.clone())),
            configuration: file,
            enabled: OnceLock::new(),
        }
    }

    /// The choice of the command line or the editor, then those of the overrides, the last one first, then that of the file.
    fn library(&self, file: Option<&Configuration>, applied: &[usize]) -> ChosenLibrary {
        let chosen = ChosenLibrary::of(option(self.arguments.dialect, "dialect"));
        let Some(file) = file else {
            return chosen;
        };
        let overrides = applied.iter().rev();
        let overrides = overrides.filter_map(|index| file.overrides.get(*index));
        let choices = overrides.map(|entry| &entry.library).chain([&file.library]);
        choices.fold(chosen, ChosenLibrary::or_other)
    }

    /// The settings file that holds for a file.
    fn configuration_of(&mut self, file: &Path) -> Option<Arc<Configuration>> {
        if self.only.is_some() || self.arguments.isolated {
            return self.only.clone();
        }
        let mut passed = Vec::new();
        let mut found = None;
        for folder in file.ancestors().skip(1) {
            if let Some(known) = self.by_folder.get(folder) {
                found.clone_from(known);
                break;
            }
            passed.push(folder.to_path_buf());
            // One that cannot be looked at counts: to go on without it would be a guess.
            if is_meant(&folder.join(FILE_NAME)) {
                found = self.read_in(folder);
                break;
            }
        }
        for folder in passed {
            self.by_folder.insert(folder, found.clone());
        }
        found
    }

    fn read_in(&mut self, folder: &Path) -> Option<Arc<Configuration>> {
        let path = folder.join(FILE_NAME);
        let shown = slashes(path.strip_prefix(&self.here).unwrap_or(&path));
        self.read(&path, &shown, folder)
    }

    fn read(&mut self, path: &Path, shown: &str, root: &Path) -> Option<Arc<Configuration>> {
        let configuration = match read::read(path, shown, root) {
            Ok(configuration) => Arc::new(configuration),
            Err(problems) => {
                self.problems.extend(problems);
                Arc::clone(self.earlier.get(path)?)
            }
        };
        let kept = Arc::clone(&configuration);
        self.read.insert(path.to_path_buf(), kept);
        Some(configuration)
    }
}

/// The failure of a run whose settings files are wrong, if they are.
fn settings_failure(problems: &[SettingsProblem]) -> Option<Failure> {
    let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
    (!messages.is_empty()).then(|| Failure::several(messages))
}

/// A value that the command line gives.
fn option<T>(value: Option<T>, name: &'static str) -> Option<Chosen<T>> {
    value.map(|value| (value, Origin::Option(name)))
}
