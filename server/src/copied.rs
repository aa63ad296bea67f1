//! Files in an engine of their own, so that fixes can be tried on them while others go on asking.
//!
//! The engine's rounds of fixes change texts and look at the reports of each change. Here they get a copy of the files that may be
//! changed and of those that depend on them. Nothing is written to the disk.

use std::sync::Arc;

use visa_analysis::{
    Analysis, Completed, Completing, Diagnostic, FileReport, Fixable, Level, Proposed, Signatures,
    Texts, Totals, Workspace,
};

use crate::engine::{Answer, Failure};
use crate::lsp::settings::Settings;

/// Files that may be changed, and what may depend on them.
pub(crate) struct Copied<'a> {
    /// The snapshot that they are copies of: where it is overtaken or withdrawn, the rounds end.
    origin: &'a Analysis,
    /// The files that may be changed, by the engine's path.
    own: Vec<String>,
    files: Vec<String>,
    settings: Arc<Settings>,
    workspace: Workspace,
}

impl<'a> Copied<'a> {
    /// Copies some files of a snapshot with all that may depend on them.
    pub(crate) fn of(
        origin: &'a Analysis,
        settings: Arc<Settings>,
        own: &[String],
    ) -> Answer<Self> {
        let files = origin.related_files(own);
        // An edit that came between would leave files out; then it is noticed here.
        let texts = files
            .iter()
            .map(|file| Ok((file.as_str(), origin.text(file)?)));
        let texts = texts.collect::<Answer<Vec<_>>>()?;
        if !own.iter().all(|path| files.contains(path)) {
            return Err(Failure::Outdated);
        }
        let mut workspace = Workspace::new();
        settings.tell(&mut workspace);
        workspace.set_files(texts.iter().map(|(file, text)| (*file, &**text)));
        Ok(Self {
            origin,
            own: own.to_vec(),
            files,
            settings,
            workspace,
        })
    }

    /// Whether an answer is still awaited.
    pub(crate) fn is_awaited(&self) -> Answer<()> {
        match self.own.first() {
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
            self.workspace.set_file(path, text);
        }
    }

    fn reports(&self) -> Vec<FileReport> {
        // Without findings there is nothing to fix, and the rounds end.
        if self.is_awaited().is_err() {
            return Vec::new();
        }
        self.workspace.analysis().file_reports(&self.files)
    }

    fn totals(&self) -> Totals {
        self.workspace.analysis().kernel_totals(&self.files)
    }

    fn signatures(&self) -> Signatures {
        self.workspace.analysis().kernel_signatures(&self.files)
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
