//! From the text of a `visa-lint.toml` to what it means, or to what is wrong with it and where.
//!
//! Shape and types are serde's business; here names of rules and patterns are checked, all of them, so that a run names
//! every mistake of a file at once.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroU64;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::Glob;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use toml::Spanned;
use visa_analysis::{CfgSetting, Library, Release, nearest_names};

use super::budgets::Budgets;
use super::dialect::{Dialect, parse_release};
use super::file::{LevelTable, LibraryTable, SettingsFile};
use super::options::{Model, NkiTarget, Target};
use super::wording::reworded;
use crate::levels::{
    Change, Named, Origin, is_known, nearest_names_clause, unknown_name_problem, widest_first,
};
use crate::regular::{DECIDING_BYTES, read_text};

/// The problems of a settings file that are said one by one.
const SAID: usize = 20;

/// A value and where it was chosen.
pub(crate) type Chosen<T> = (T, Origin);

/// A settings file that is right in itself.
#[derive(Debug)]
pub(crate) struct Configuration {
    /// The file as people see it.
    pub(crate) shown: Arc<str>,
    /// The file on disk.
    pub(crate) path: PathBuf,
    /// The folder that its patterns are relative to.
    pub(crate) root: PathBuf,
    pub(crate) library: ChosenLibrary,
    pub(crate) target: Option<Chosen<Target>>,
    /// What cycles are made of.
    pub(crate) model: Option<Chosen<Model>>,
    pub(crate) chips: Option<Chosen<NonZeroU64>>,
    pub(crate) pto: PtoChoice,
    pub(crate) nki: NkiChoice,
    /// As written, with what it means.
    pub(crate) cfg: Vec<(Chosen<String>, CfgSetting)>,
    pub(crate) exclude: Patterns,
    pub(crate) select: Vec<Named>,
    pub(crate) ignore: Vec<Named>,
    /// In the order in which they apply.
    pub(crate) levels: Vec<Change>,
    /// In the file's order.
    pub(crate) overrides: Vec<OverriddenPaths>,
    pub(crate) budgets: Arc<Budgets>,
}

/// What is said of the machine of PTO files.
#[derive(Debug, Clone, Default)]
pub(crate) struct PtoChoice {
    pub(crate) gm_bytes_per_cycle: Option<Chosen<NonZeroU64>>,
    pub(crate) setup_cycles: Option<Chosen<u64>>,
}

/// What is said of the machine and the release of NKI kernels.
#[derive(Debug, Clone, Default)]
pub(crate) struct NkiChoice {
    pub(crate) target: Option<Chosen<NkiTarget>>,
    pub(crate) version: Option<Chosen<(u16, u16)>>,
}

/// The choice of a library, and of a release: with the library or beside it.
#[derive(Debug, Clone, Default)]
pub(crate) struct ChosenLibrary {
    pub(crate) dialect: Option<Chosen<Dialect>>,
    pub(crate) release: Option<Chosen<Release>>,
}

impl ChosenLibrary {
    /// What an option or a setting chooses alone.
    pub(crate) fn of(dialect: Option<Chosen<Dialect>>) -> Self {
        let release = dialect.as_ref().and_then(|(dialect, origin)| {
            let release = dialect.release?;
            Some((release, origin.clone()))
        });
        Self { dialect, release }
    }

    /// This choice, and where it makes none another one.
    pub(crate) fn or_other(self, other: &Self) -> Self {
        Self {
            dialect: self.dialect.or_else(|| other.dialect.clone()),
            release: self.release.or_else(|| other.release.clone()),
        }
    }
}

/// Settings for some of the files.
#[derive(Debug)]
pub(crate) struct OverriddenPaths {
    pub(crate) paths: Patterns,
    pub(crate) library: ChosenLibrary,
    /// In the order in which they apply.
    pub(crate) levels: Vec<Change>,
}

/// Patterns for paths, as `.gitignore` has them.
#[derive(Debug)]
pub(crate) struct Patterns {
    /// As written, each with its place.
    pub(crate) written: Vec<Chosen<String>>,
    matcher: Gitignore,
    root: PathBuf,
}

impl Patterns {
    /// Whether a file or one of the folders around it is meant. Files outside of the patterns' folder never are.
    pub(crate) fn matches(&self, file: &Path) -> bool {
        file.strip_prefix(&self.root).is_ok_and(|path| {
            !self.written.is_empty()
                && self
                    .matcher
                    .matched_path_or_any_parents(path, false)
                    .is_ignore()
        })
    }
}

/// What is wrong with a settings file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingsProblem {
    /// The file on disk.
    pub(crate) file: PathBuf,
    /// The file as people see it.
    shown: Arc<str>,
    /// Line and column in characters, both from 1; none where it is about the file as a whole.
    place: Option<(u32, u32)>,
    /// What is in that line before the place, and what from there on.
    line: (String, String),
    /// What.
    pub words: String,
}

impl SettingsProblem {
    /// The line from 0, what is in it before the place, and what from there on.
    pub fn line(&self) -> (u32, &str, &str) {
        let line = self.place.map_or(0, |(line, _)| line.saturating_sub(1));
        (line, &self.line.0, &self.line.1)
    }
}

/// `file:line:column: words`
impl fmt::Display for SettingsProblem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { shown, words, .. } = self;
        match self.place {
            Some((line, column)) => write!(formatter, "{shown}:{line}:{column}: {words}"),
            None => formatter.write_str(words),
        }
    }
}

/// Reads a settings file. `root` is the folder that its patterns are relative to; every line of an error names the place.
pub(crate) fn read(
    path: &Path,
    shown: &str,
    root: &Path,
) -> Result<Configuration, Vec<SettingsProblem>> {
    let unreadable = |why: String| {
        vec![SettingsProblem {
            file: path.to_path_buf(),
            shown: shown.into(),
            place: None,
            line: Default::default(),
            words: format!("cannot read `{shown}`: {why}"),
        }]
    };
    let text = read_text(path, DECIDING_BYTES).map_err(unreadable)?;
    parse(&text, path, shown, root)
}

/// Reads the text of a settings file.
pub(super) fn parse(
    text: &str,
    path: &Path,
    shown: &str,
    root: &Path,
) -> Result<Configuration, Vec<SettingsProblem>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader {
        text,
        path,
        shown: shown.into(),
        root,
        lines: std::iter::once(0)
            .chain(text.match_indices('\n').map(|(at, _)| at + 1))
            .collect(),
        refused: Vec::new(),
    };
    let file: SettingsFile = toml::from_str(text).map_err(|error| {
        let words = error.message().trim_end();
        let proposed = nearest_names_clause(&nearest_to_refused(words));
        let words = reworded(words).replace('\n', "; ");
        vec![reader.problem_at(error.span(), &format!("{words}{proposed}"))]
    })?;
    let configuration = reader.configuration(file);
    if reader.refused.is_empty() {
        Ok(configuration)
    } else {
        Err(reader.problems())
    }
}

/// Serde's words about a key or a value that it does not know name it first and then all that it knows, each in backticks.
fn nearest_to_refused(words: &str) -> Vec<String> {
    if !words.starts_with("unknown ") {
        return Vec::new();
    }
    let mut names = words.split('`').skip(1).step_by(2);
    names
        .next()
        .map_or_else(Vec::new, |refused| nearest_names(refused, names))
}

struct Reader<'a> {
    text: &'a str,
    path: &'a Path,
    shown: Arc<str>,
    root: &'a Path,
    /// Where the lines of the text begin.
    lines: Vec<usize>,
    /// What is wrong, and where it begins.
    refused: Vec<(usize, Refused)>,
}

/// What is wrong at a place.
enum Refused {
    /// In words.
    Said(String),
    /// A name that is no rule and no group; `warnings` may stand there. Which names are near is looked for where it is said.
    Name(String, bool),
}

impl Refused {
    fn into_words(self) -> String {
        match self {
            Self::Said(words) => words,
            Self::Name(name, warnings) => unknown_name_problem(&name, warnings).unwrap_or_default(),
        }
    }
}

impl Reader<'_> {
    fn configuration(&mut self, file: SettingsFile) -> Configuration {
        let overrides = file.overrides.into_iter().map(|entry| {
            if entry.paths.get_ref().is_empty() {
                self.refuse_span(
                    &entry.paths.span(),
                    "an override without paths changes nothing",
                );
            } else if entry.changes_nothing() {
                self.refuse_span(
                    &entry.paths.span(),
                    "an override without `levels`, `dialect` or `library` changes nothing",
                );
            }
            OverriddenPaths {
                paths: self.patterns(entry.paths.into_inner()),
                library: self.library(entry.dialect, entry.library),
                levels: self.levels(entry.levels),
            }
        });
        let overrides = overrides.collect();
        Configuration {
            library: self.library(file.dialect, file.library),
            target: file.target.map(|value| self.chosen(value)),
            model: file.model.map(|value| self.chosen(value)),
            chips: file.chips.map(|value| self.chosen(value)),
            pto: PtoChoice {
                gm_bytes_per_cycle: file.pto.gm_bytes_per_cycle.map(|value| self.chosen(value)),
                setup_cycles: file.pto.setup_cycles.map(|value| self.chosen(value)),
            },
            nki: NkiChoice {
                target: file.nki.target.map(|value| self.chosen(value)),
                version: file.nki.version.and_then(|value| self.nki_version(value)),
            },
            cfg: self.cfg(file.cfg),
            exclude: self.patterns(file.exclude),
            select: self.read_names(file.select.unwrap_or_default()),
            ignore: self.read_names(file.ignore),
            levels: self.levels(file.levels),
            overrides,
            budgets: Arc::new(self.budgets(file.budgets)),
            shown: Arc::clone(&self.shown),
            path: self.path.to_path_buf(),
            root: self.root.to_path_buf(),
        }
    }

    /// The library and its release; a release that does not go with the library is refused.
    fn library(&mut self, dialect: Option<Spanned<Dialect>>, table: LibraryTable) -> ChosenLibrary {
        let mut chosen = ChosenLibrary::of(dialect.map(|dialect| self.chosen(dialect)));
        let Some(version) = table.version else {
            return chosen;
        };
        let named = chosen.dialect.as_ref().and_then(|(named, _)| named.library);
        let problem = match (parse_release(version.get_ref()), named) {
            (Err(problem), _) => problem,
            (Ok(release), Some(library)) if Library::having(release) != library => {
                let name = library.crate_name();
                format!("`dialect` chooses `{name}`, which has no release {release}")
            }
            (Ok(release), _) => match &chosen.release {
                Some((other, _)) if *other != release => {
                    format!("`dialect` chooses release {other}, and this is {release}")
                }
                _ => {
                    chosen.release = Some((release, self.origin(&version.span())));
                    return chosen;
                }
            },
        };
        self.refuse_span(&version.span(), &problem);
        chosen
    }

    /// A release of NKI: two numbers.
    fn nki_version(&mut self, written: Spanned<String>) -> Option<Chosen<(u16, u16)>> {
        let span = written.span();
        let (text, origin) = self.chosen(written);
        let number = |text: &str| text.parse::<u16>().ok();
        let numbers = text.split_once('.');
        let numbers = numbers.and_then(|(one, two)| number(one).zip(number(two)));
        if numbers.is_none() {
            let problem = format!("`{text}` is not a release of NKI: two numbers, such as `0.6`");
            self.refuse_span(&span, &problem);
        }
        Some((numbers?, origin))
    }

    fn chosen<T>(&self, value: Spanned<T>) -> Chosen<T> {
        let origin = self.origin(&value.span());
        (value.into_inner(), origin)
    }

    fn cfg(&mut self, written: Vec<Spanned<String>>) -> Vec<(Chosen<String>, CfgSetting)> {
        let mut settings = Vec::new();
        for condition in written {
            match CfgSetting::parse(condition.get_ref()) {
                Ok(setting) => settings.push((self.chosen(condition), setting)),
                Err(problem) => self.refuse_span(&condition.span(), &problem),
            }
        }
        settings
    }

    fn patterns(&mut self, written: Vec<Spanned<String>>) -> Patterns {
        let mut builder = GitignoreBuilder::new(self.root);
        for pattern in &written {
            let text = pattern.get_ref();
            let path = text.strip_prefix('!').unwrap_or(text);
            if path.trim().trim_matches('/').is_empty() || text.starts_with('#') {
                self.refuse_span(&pattern.span(), "the pattern matches nothing");
            } else if let Err(error) = builder.add_line(None, text) {
                self.refuse_span(&pattern.span(), &pattern_problem(text, &error));
            } else if let Err(error) = Glob::new(path) {
                // As in `.gitignore`, a bracket that nothing closes was taken, for a pattern that matches nothing.
                let words = format!("`{text}` is not a pattern: {}", error.kind());
                self.refuse_span(&pattern.span(), &words);
            }
        }
        Patterns {
            matcher: builder.build().unwrap_or_else(|_| Gitignore::empty()),
            root: self.root.to_path_buf(),
            written: written
                .into_iter()
                .map(|pattern| self.chosen(pattern))
                .collect(),
        }
    }

    fn read_names(&mut self, names: Vec<Spanned<String>>) -> Vec<Named> {
        for name in &names {
            self.refuse_unknown(name, false);
        }
        names
            .into_iter()
            .map(|name| {
                let (name, origin) = self.chosen(name);
                Named { name, origin }
            })
            .collect()
    }

    /// The changes of a table.
    fn levels(&mut self, table: LevelTable) -> Vec<Change> {
        let mut changes = Vec::new();
        for (name, level) in table {
            self.refuse_unknown(&name, true);
            let (name, origin) = self.chosen(name);
            changes.push(Change {
                name,
                level: level.into(),
                origin,
            });
        }
        widest_first(&mut changes);
        changes
    }

    fn budgets(&mut self, table: BTreeMap<Spanned<String>, super::file::BudgetEntry>) -> Budgets {
        let mut budgets = Budgets::default();
        for (pattern, entry) in table {
            let span = pattern.span();
            let (pattern, origin) = self.chosen(pattern);
            if let Err(error) = budgets.add(&pattern, entry.0, origin) {
                self.refuse_span(&span, &format!("`{pattern}` is not a pattern: {error}"));
            }
        }
        budgets
    }

    fn refuse_span(&mut self, span: &Range<usize>, problem: &str) {
        self.refused
            .push((span.start, Refused::Said(problem.to_owned())));
    }

    fn refuse_unknown(&mut self, name: &Spanned<String>, warnings: bool) {
        if !is_known(name.get_ref(), warnings) {
            let refused = Refused::Name(name.get_ref().clone(), warnings);
            self.refused.push((name.span().start, refused));
        }
    }

    /// What is wrong, in the order of the text: the first ones, and how many more there are.
    fn problems(&mut self) -> Vec<SettingsProblem> {
        let mut refused = std::mem::take(&mut self.refused);
        refused.sort_by_key(|(start, _)| *start);
        let further = refused.len().saturating_sub(SAID);
        let first = refused.into_iter().take(SAID);
        let mut problems: Vec<SettingsProblem> = first
            .map(|(start, refused)| self.problem_at(Some(start..start), &refused.into_words()))
            .collect();
        if further > 0 {
            let further = visa_analysis::thousands(further as u64);
            problems.push(self.problem_at(None, &format!("{further} more problems")));
        }
        problems
    }

    fn problem_at(&self, span: Option<Range<usize>>, words: &str) -> SettingsProblem {
        SettingsProblem {
            file: self.path.to_path_buf(),
            shown: Arc::clone(&self.shown),
            words: match span {
                Some(_) => words.to_owned(),
                None => format!("{}: {words}", self.shown),
            },
            line: span.as_ref().map_or_else(Default::default, |span| {
                let (before, after) = self.text.split_at_checked(span.start).unwrap_or_default();
                let before = before.rsplit('\n').next().unwrap_or_default();
                let after = after.lines().next().unwrap_or_default();
                (before.to_owned(), after.to_owned())
            }),
            place: span.map(|span| self.position(span.start)),
        }
    }

    fn origin(&self, span: &Range<usize>) -> Origin {
        Origin::File {
            path: Arc::clone(&self.shown),
            line: self.position(span.start).0,
        }
    }

    /// Line and column in characters of a byte, both from 1.
    fn position(&self, byte: usize) -> (u32, u32) {
        let line = self.lines.partition_point(|start| *start <= byte) - 1;
        let start = self.lines.get(line).copied().unwrap_or_default();
        let before = self.text.get(start..byte).unwrap_or_default();
        let column = before.chars().count();
        let number =
            |count: usize| u32::try_from(count).map_or(u32::MAX, |count| count.saturating_add(1));
        (number(line), number(column))
    }
}

/// What the pattern library says, without the pattern that it repeats.
fn pattern_problem(pattern: &str, error: &ignore::Error) -> String {
    let words = match error {
        ignore::Error::Glob { err, .. } => err.clone(),
        other => other.to_string(),
    };
    format!("`{pattern}` is not a pattern: {words}")
}
