//! What the engine answers, as plain data: findings placed in files, counts, problems of the run.
//!
//! Nothing here refers to the database: a report stays good whatever happens to the workspace afterwards. Levels other
//! than a rule's own default and the words of an output format are the caller's business.

mod blocks;

use std::collections::BTreeMap;
use std::sync::Arc;

use borsh::{BorshDeserialize, BorshSerialize};
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Applicability, Confirmer, CostChange, Group, Level};
use visa_base::language::Language;
use visa_libraries::{Crate, FileLibrary};

pub use self::blocks::fitted;

/// A place in a file.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
pub struct Position {
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
    /// Byte offset in the file's UTF-8 text, its byte-order mark included.
    pub byte: u32,
}

/// A range of a file.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
pub struct Range {
    /// The first byte.
    pub start: Position,
    /// After the last byte.
    pub end: Position,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema)]
#[schemars(rename = "Span")]
pub struct FilePlace {
    /// The file.
    pub file: Arc<str>,
    /// Where in it.
    pub range: Range,
}

impl From<(Arc<str>, Range)> for FilePlace {
    fn from((file, range): (Arc<str>, Range)) -> Self {
        Self { file, range }
    }
}

/// The other end of a diagnostic.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[schemars(rename = "Related")]
pub struct RelatedPlace {
    /// What is there.
    pub message: String,
    /// The file.
    pub file: Arc<str>,
    /// Where in it.
    pub range: Range,
    /// The rule that finds the same fault there; none where something else is there.
    #[serde(skip)]
    #[borsh(skip)]
    pub fault: Option<&'static str>,
}

/// A replacement in a file.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[schemars(rename = "Edit")]
pub struct FileEdit {
    /// The file.
    pub file: Arc<str>,
    /// First byte that is replaced.
    pub start_byte: u32,
    /// After the last byte that is replaced.
    pub end_byte: u32,
    /// By what.
    pub text: String,
}

/// A code action that mends a diagnostic.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, Serialize, JsonSchema, BorshSerialize, BorshDeserialize,
)]
#[schemars(rename = "Fix")]
pub struct DiagnosticFix {
    /// What it does, as a menu entry.
    pub title: String,
    /// Whether it may be applied without looking.
    pub applicability: Applicability,
    /// Its replacements.
    pub edits: Vec<FileEdit>,
    /// What it does to the cycles of the function, once it is completed; none where that is not known, and of sure ones.
    pub cost: Option<CostChange>,
}

impl DiagnosticFix {
    /// What stands behind its title: ` (+539 % cycles)`, or nothing where that is not known or 0.
    pub fn price(&self) -> String {
        let cost = self.cost.filter(|cost| cost.percent() != 0);
        cost.map_or_else(String::new, |cost| format!(" ({cost} cycles)"))
    }

    /// What it does, with its price.
    pub fn priced_title(&self) -> String {
        format!("{}{}", self.title, self.price())
    }

    /// Whether it is known to make its function slower by more than 2 %: then it is not offered first.
    pub fn makes_slower(&self) -> bool {
        self.cost.is_some_and(CostChange::is_slower)
    }
}

/// A text that the help states, and the replacements that write it.
#[derive(Debug, Clone, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct StatedAlternative {
    /// The help's words for it.
    pub text: String,
    /// Its replacements.
    pub edits: Vec<FileEdit>,
}

/// A finding placed in its file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct Diagnostic {
    /// The rule's name.
    #[borsh(skip)]
    pub rule: &'static str,
    /// The group that decides its level: the rule's own, or a milder one where the same fact weighs less.
    pub group: Group,
    /// The level where no setting says otherwise.
    pub default_level: Level,
    /// The numbers compared and the mechanism in one clause.
    pub message: String,
    /// Further facts, the derived configuration among them.
    pub notes: Vec<String>,
    /// What to do.
    pub help: Option<String>,
    /// What the help states, as edits.
    pub alternatives: Vec<StatedAlternative>,
    /// The rule's page.
    pub url: Option<String>,
    /// The file.
    pub file: Arc<str>,
    /// Where in it.
    pub range: Range,
    /// The other ends, then the other places of the same fault.
    pub related: Vec<RelatedPlace>,
    /// Further places of the same fault, which `related` does not list; a note says how many.
    pub more_places: u64,
    /// For what a macro of the file writes: where the macro is called. What is allowed there is allowed.
    pub called_at: Option<Range>,
    /// Code actions; each mends all places of the fault.
    pub fixes: Vec<DiagnosticFix>,
    /// Cycles that the kernel would save by the change that the finding proposes, as predicted.
    pub saves: Option<u64>,
    /// Whether an attribute or a comment in the file allows it there.
    pub suppressed: bool,
    /// Who else finds it in the file's dialect; `None` for what visa-lint says about its own run.
    pub confirmed_by: Option<Confirmer>,
    /// For what is said once a crate: the file that it is best said in. Reports about other files of the crate say it, too, for
    /// who asks about them alone.
    pub home: Option<Arc<str>>,
}

impl Diagnostic {
    /// The note about the places of the fault that are not listed.
    pub fn note_of_more_places(&self) -> Option<String> {
        (self.more_places > 0).then(|| format!("the same in {} more places", self.more_places))
    }
}

/// How many operations were understood.
#[derive(
    Debug,
    Clone,
    Default,
    PartialEq,
    Eq,
    Hash,
    Serialize,
    JsonSchema,
    BorshSerialize,
    BorshDeserialize,
)]
#[schemars(rename = "Operations")]
pub struct OperationCounts {
    /// Operations that were lowered.
    pub resolved: u64,
    /// Operations that were not: every rule is silent about them.
    pub unresolved: u64,
    /// The unresolved ones by reason.
    #[serde(skip)]
    pub reasons: BTreeMap<String, u64>,
}

impl OperationCounts {
    /// Adds the counts of another file.
    pub fn add(&mut self, other: &Self) {
        self.resolved = self.resolved.saturating_add(other.resolved);
        self.unresolved = self.unresolved.saturating_add(other.unresolved);
        for (reason, count) in &other.reasons {
            let sum = self.reasons.entry(reason.clone()).or_default();
            *sum = sum.saturating_add(*count);
        }
    }
}

/// An operation that could not be resolved.
#[derive(Debug, Clone, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub struct UnresolvedPlace {
    /// What is there: a method, a macro, the keyword of a loop.
    pub what: String,
    /// Why.
    pub reason: String,
    /// Whether a finding says it once for all operations of its kind.
    pub said_once: bool,
    /// Whether it counts among the operations: what no kernel reaches does not.
    pub counts: bool,
    /// Where in the file.
    pub range: Range,
}

/// The library that a crate is written for.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, BorshSerialize, BorshDeserialize)]
pub struct CrateLibrary {
    /// The crate.
    pub krate: Crate,
    /// Library, release, and what decided them.
    pub library: FileLibrary,
}

/// Why a file could not be checked, or not in whole.
#[derive(Debug, Clone, PartialEq, Eq, Hash, BorshSerialize, BorshDeserialize)]
pub enum Problem {
    /// The engine holds no file of that path.
    NoSuchFile,
    /// The file's text cannot be analysed; the words say why.
    NotAnalysed(String),
    /// A newer edit overtook the question.
    Cancelled,
    /// A defect of this program: the words say which function and what went wrong.
    Internal(String),
}

impl std::fmt::Display for Problem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NoSuchFile => formatter.write_str("no such file"),
            Self::Cancelled => formatter.write_str("overtaken by a newer edit"),
            Self::NotAnalysed(why) => formatter.write_str(why),
            Self::Internal(what) => write!(formatter, "internal error: {what}"),
        }
    }
}

/// The answer about one file.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct FileReport {
    /// The file.
    pub path: Arc<str>,
    /// The language that it is written in; `None` where it takes no part, so that it is not counted.
    pub language: Option<Language>,
    /// Its crate and the library that this one is written for; blocks of a text may have several.
    pub libraries: Vec<CrateLibrary>,
    /// Syntax errors. `rustc` words them; what parses is checked anyway.
    pub syntax_errors: u64,
    /// Functions with `#[device]`.
    pub kernels: u64,
    /// Functions that `cfg` surely leaves out: they are not judged.
    pub configured_out: u64,
    /// The code with functions that `cfg` surely leaves out, in the order of the file.
    pub inactive: Vec<InactiveCode>,
    /// Operations of the functions that are in the file.
    pub operations: OperationCounts,
    /// Findings in the file, in the order of their places and rules, suppressed ones included.
    pub diagnostics: Vec<Diagnostic>,
    /// Operations that could not be resolved, in the order of their places.
    pub unresolved: Vec<UnresolvedPlace>,
    /// What went wrong.
    pub problems: Vec<Problem>,
}

/// Code that a condition leaves out.
#[derive(Debug, Clone, PartialEq, Eq, BorshSerialize, BorshDeserialize)]
pub struct InactiveCode {
    /// Where it is.
    pub range: Range,
    /// The attribute with the condition; none where the whole file is left out by another one.
    pub condition: Option<Arc<str>>,
}

impl FileReport {
    /// An empty answer about the file of that path.
    pub fn new(path: Arc<str>) -> Self {
        Self {
            path,
            language: Some(Language::Rust),
            libraries: Vec::new(),
            syntax_errors: 0,
            kernels: 0,
            configured_out: 0,
            inactive: Vec::new(),
            operations: OperationCounts::default(),
            diagnostics: Vec::new(),
            unresolved: Vec::new(),
            problems: Vec::new(),
        }
    }

    /// Adds the answer about another block of the same file.
    pub fn add(&mut self, other: Self) {
        let sum = |one: &mut u64, other: u64| *one = one.saturating_add(other);
        sum(&mut self.syntax_errors, other.syntax_errors);
        sum(&mut self.kernels, other.kernels);
        sum(&mut self.configured_out, other.configured_out);
        self.inactive.extend(other.inactive);
        self.operations.add(&other.operations);
        for library in other.libraries {
            if !self.libraries.contains(&library) {
                self.libraries.push(library);
            }
        }
        self.diagnostics.extend(other.diagnostics);
        self.diagnostics
            .sort_by(|one, other| (one.range, one.rule).cmp(&(other.range, other.rule)));
        self.unresolved.extend(other.unresolved);
        self.unresolved.sort_by_key(|place| place.range);
        for problem in other.problems {
            if !self.problems.contains(&problem) {
                self.problems.push(problem);
            }
        }
    }

    /// The same with something that went wrong.
    pub fn problem(mut self, problem: Problem) -> Self {
        self.problems.push(problem);
        self
    }
}

/// A file in which no operation was looked at.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "NotFollowedFile")]
pub struct NotFollowed {
    /// The file.
    pub file: Arc<str>,
    /// How many operations in it are known; none where it takes part and nothing in it is recognised.
    pub operations: u64,
    /// Why most of them were not looked at.
    pub reason: String,
}

impl NotFollowed {
    /// What is said of a file, if nothing of it was looked at.
    fn of(file: &FileReport) -> Option<Self> {
        let OperationCounts {
            resolved,
            unresolved,
            reasons,
        } = &file.operations;
        if file.language.is_none() || *resolved > 0 {
            return None;
        }
        // Of reasons that are as frequent the first by name.
        let most = reasons.iter().rev().max_by_key(|(_, count)| **count);
        let most = most.map(|(reason, _)| reason);
        let reason = most.or_else(|| file.unresolved.first().map(|place| &place.reason))?;
        Some(Self {
            file: Arc::clone(&file.path),
            operations: *unresolved,
            reason: reason.clone(),
        })
    }
}

/// What was checked of one language.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[schemars(rename = "OfLanguage")]
pub struct LanguageCounts {
    /// Files.
    pub files: u64,
    /// Kernels.
    pub kernels: u64,
    /// Operations.
    pub operations: OperationCounts,
}

impl LanguageCounts {
    fn add(&mut self, file: &FileReport) {
        self.files += 1;
        self.kernels = self.kernels.saturating_add(file.kernels);
        self.operations.add(&file.operations);
    }
}

/// The answer about several files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// How many files were checked.
    pub files: u64,
    /// What was checked by language; nothing of a language without files.
    pub languages: BTreeMap<Language, LanguageCounts>,
    /// The crates of the files and their libraries, each once, with its files in their order.
    pub libraries: BTreeMap<CrateLibrary, Vec<Arc<str>>>,
    /// Functions with `#[device]`.
    pub kernels: u64,
    /// Functions that `cfg` surely leaves out: they are not judged.
    pub configured_out: u64,
    /// Operations of all functions.
    pub operations: OperationCounts,
    /// All findings, in the order of files, places and rules, suppressed ones included.
    pub diagnostics: Vec<Diagnostic>,
    /// Operations that could not be resolved with their files, in the order of files and places.
    pub unresolved: Vec<(Arc<str>, UnresolvedPlace)>,
    /// Files in which no operation was looked at, in their order.
    pub not_followed: Vec<NotFollowed>,
    /// What went wrong, by file.
    pub problems: Vec<(Arc<str>, Problem)>,
    /// Files with syntax errors: what parses of them was checked.
    pub with_syntax_errors: Vec<Arc<str>>,
    /// The languages of those of them that are not in Rust.
    other_syntax: BTreeMap<Arc<str>, Language>,
}

impl Report {
    /// Joins the answers about files; sorts them by path.
    pub fn of_files(mut files: Vec<FileReport>) -> Self {
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let mut report = Self::default();
        for file in files {
            if let Some(language) = file.language {
                let counts = report.languages.entry(language).or_default();
                counts.add(&file);
                report.files += 1;
            }
            report.not_followed.extend(NotFollowed::of(&file));
            let path = file.path;
            for library in file.libraries {
                let files = report.libraries.entry(library).or_default();
                files.push(Arc::clone(&path));
            }
            if file.syntax_errors > 0 {
                report.with_syntax_errors.push(Arc::clone(&path));
                let other = file.language.filter(|language| language.has_front_end());
                let other = other.map(|language| (Arc::clone(&path), language));
                report.other_syntax.extend(other);
            }
            report.kernels = report.kernels.saturating_add(file.kernels);
            report.configured_out = report.configured_out.saturating_add(file.configured_out);
            report.operations.add(&file.operations);
            report.diagnostics.extend(file.diagnostics);
            let unresolved = file.unresolved.into_iter();
            report
                .unresolved
                .extend(unresolved.map(|place| (Arc::clone(&path), place)));
            report.problems.extend(
                file.problems
                    .into_iter()
                    .map(|problem| (Arc::clone(&path), problem)),
            );
        }
        report.say_once();
        report
    }

    /// The language of a file with syntax errors, where that is not Rust.
    pub fn language_of(&self, path: &str) -> Option<Language> {
        self.other_syntax.get(path).copied()
    }

    /// That a library or its release is not known is in the reports of all its crate's files: here the best place is kept.
    fn say_once(&mut self) {
        let said_in = |diagnostic: &Diagnostic| {
            let home = diagnostic.home.as_ref()?;
            Some((Arc::clone(home), diagnostic.file != *home))
        };
        let mut best: BTreeMap<Arc<str>, (bool, Arc<str>)> = BTreeMap::new();
        for diagnostic in &self.diagnostics {
            if let Some((home, elsewhere)) = said_in(diagnostic) {
                let place = (elsewhere, Arc::clone(&diagnostic.file));
                let known = best.entry(home).or_insert_with(|| place.clone());
                *known = place.min(known.clone());
            }
        }
        self.diagnostics.retain(|diagnostic| {
            let Some((home, elsewhere)) = said_in(diagnostic) else {
                return true;
            };
            best.get(&home) == Some(&(elsewhere, Arc::clone(&diagnostic.file)))
        });
    }
}
