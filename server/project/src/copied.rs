//! Files in an engine of their own, so that other texts can be tried while others go on asking.
//!
//! Rounds of fixes and the trials of coding agents change texts and look at the reports of each change. Here they get a copy of a
//! snapshot's files, told the same settings. Nothing is written to the disk, and nothing has to be taken back: the copy is dropped.

use std::sync::Arc;

use visa_analysis::{
    Analysis, Completed, Completing, Diagnostic, FileReport, Fixable, Level, Options, Proposed,
    Signatures, Texts, Totals, Workspace,
};

use crate::engine::{Answer, Failure, TIME_OF_A_FILE};
use crate::settings::Dialect;
use crate::workspace_settings::Settings;

/// Files that are checked before the copy asks again whether an answer is awaited.
const FILES_AT_ONCE: usize = 16;

/// Copied files, and what may depend on them.
pub struct Copied<'a> {
    /// The snapshot that they are copies of: where it is overtaken or withdrawn, the work on the copy ends.
    origin: &'a Analysis,
    /// A file of the snapshot, to ask that by.
    known: Option<String>,
    /// The files that may be changed, by the engine's path.
    own: Vec<String>,
    /// The rule whose findings are to be mended; all where none is named.
    rule: Option<String>,
    files: Vec<String>,
    settings: Arc<Settings>,
    workspace: Workspace,
}

impl<'a> Copied<'a> {
    /// Copies some files of a snapshot with all that may depend on them.
    pub fn of(origin: &'a Analysis, settings: Arc<Settings>, own: &[String]) -> Answer<Self> {
        let files = origin.related_files(own);
        // An edit that came between would leave files out; then it is noticed here.
        if !own.iter().all(|path| files.contains(path)) {
            return Err(Failure::Outdated);
        }
        let mut copied = Self::with_files(origin, settings, files)?;
        copied.own = own.to_vec();
        Ok(copied)
    }

    /// Copies all files of a snapshot and gives some of them other texts. A path that is not known is a new file.
    pub fn with_texts(
        origin: &'a Analysis,
        settings: Arc<Settings>,
        texts: impl IntoIterator<Item = (String, String)>,
    ) -> Answer<Self> {
        let files = settings.loaded.iter().map(ToString::to_string).collect();
        let mut copied = Self::with_files(origin, settings, files)?;
        for (path, text) in texts {
            copied.workspace.set_file(&path, &text);
        }
        Ok(copied)
    }

    fn with_files(
        origin: &'a Analysis,
        settings: Arc<Settings>,
        files: Vec<String>,
    ) -> Answer<Self> {
        let texts = files
            .iter()
            .map(|file| Ok((file.as_str(), origin.text(file)?)));
        let texts = texts.collect::<Answer<Vec<_>>>()?;
        let mut workspace = Workspace::new();
        workspace.set_time_limit(TIME_OF_A_FILE);
        settings.tell_engine(&mut workspace);
        workspace.set_files(texts);
        Ok(Self {
            origin,
            known: files.first().cloned(),
            own: Vec::new(),
            rule: None,
            files,
            settings,
            workspace,
        })
    }

    /// The same copy, of which only the findings of a rule are to be mended, where one is named: fixes of others are not seen, and
    /// their findings go on judging what is done.
    pub fn mending(self, rule: Option<&str>) -> Self {
        let rule = rule.map(str::to_owned);
        Self { rule, ..self }
    }

    /// Reads a file as for another library or release than the settings say.
    pub fn read_as(&mut self, path: &str, dialect: Dialect) {
        let table = &self.settings.table;
        let own = Options {
            library: dialect.library,
            release: dialect.release,
            ..table.settings_of(path).engine_options()
        };
        let others = table.engine_options().filter(|(other, _)| *other != path);
        let all: Vec<(&str, Options)> = others.chain([(path, own)]).collect();
        self.workspace.set_file_options(all);
    }

    /// A snapshot of the copy, for questions that take no long time.
    pub fn analysis(&self) -> Analysis {
        self.workspace.analysis()
    }

    /// What is found in files of the copy, as long as somebody awaits it.
    pub fn file_reports(&self, files: &[String]) -> Answer<Vec<FileReport>> {
        let analysis = self.analysis();
        let mut reports = Vec::new();
        for some in files.chunks(FILES_AT_ONCE) {
            self.is_awaited()?;
            reports.extend(analysis.file_reports(some));
        }
        Ok(reports)
    }

    /// Whether an answer is still awaited.
    pub fn is_awaited(&self) -> Answer<()> {
        match &self.known {
            Some(path) => Ok(self.origin.text(path).map(|_| ())?),
            None => Ok(()),
        }
    }
}

impl Fixable for Copied<'_> {
    fn texts(&self) -> Texts {
        let files = self.workspace.files();
        files
            .filter(|(path, _)| self.own.iter().any(|own| *own == ***path))
            .map(|(path, text)| (Arc::clone(path), Arc::clone(text)))
            .collect()
    }

    fn replace(&mut self, texts: &Texts) {
        for (path, text) in texts {
            self.workspace.share_file(path, Arc::clone(text));
        }
    }

    fn reports(&self) -> Vec<FileReport> {
        // Without findings there is nothing to fix, and the rounds end.
        let mut reports = self.file_reports(&self.files).unwrap_or_default();
        if let Some(rule) = &self.rule {
            let found = reports.iter_mut();
            let found = found.flat_map(|report| &mut report.diagnostics);
            let others = found.filter(|found| found.rule != rule);
            others.for_each(|other| other.fixes.clear());
        }
        reports
    }

    fn totals(&self) -> Totals {
        self.analysis().kernel_totals(&self.files)
    }

    fn signatures(&self) -> Signatures {
        self.analysis().kernel_signatures(&self.files)
    }

    fn level(&self, diagnostic: &Diagnostic) -> Level {
        self.settings
            .table
            .settings_of(&diagnostic.file)
            .level_of(diagnostic)
    }

    fn complete(&self, wanted: &[Proposed<'_>], how: Completing) -> Vec<Completed> {
        self.workspace.complete(wanted, how)
    }
}
