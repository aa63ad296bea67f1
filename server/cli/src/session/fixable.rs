//! A session as the fixer sees it: texts that change, and what is reported of them.

use visa_analysis::{
    Completed, Completing, Diagnostic, FileReport, Fixable, Level, Proposed, Signatures, Totals,
};

use super::Session;

/// Only what the run reports on may be changed, and what it does not report on may not get worse either.
impl Fixable for Session<'_> {
    fn texts(&self) -> visa_analysis::Texts {
        self.own_texts()
    }

    fn replace(&mut self, texts: &visa_analysis::Texts) {
        if let Some(workspace) = self.workspace_mut() {
            for (path, text) in texts {
                workspace.set_file(path, text);
            }
        }
        for file in &mut self.sources.files {
            if let Some(text) = texts.get(file.path.as_str()) {
                file.text = text.to_string();
            }
        }
    }

    fn reports(&self) -> Vec<FileReport> {
        let analysis = self.workspace().analysis();
        let mut reports = analysis.file_reports(&analysis.related_files(&self.sources.reported));
        for report in &mut reports {
            let found = std::mem::take(&mut report.diagnostics);
            report.diagnostics = found
                .into_iter()
                .map(|one| self.judged_finding(one))
                .collect();
        }
        reports
    }

    fn totals(&self) -> Totals {
        let analysis = self.workspace().analysis();
        analysis.kernel_totals(&analysis.related_files(&self.sources.reported))
    }

    fn signatures(&self) -> Signatures {
        let analysis = self.workspace().analysis();
        analysis.kernel_signatures(&analysis.related_files(&self.sources.reported))
    }

    fn is_asked_by_name(&self, rule: &str) -> bool {
        self.levels.select.iter().any(|named| named.name == rule)
    }

    fn level(&self, diagnostic: &Diagnostic) -> Level {
        Session::level(self, diagnostic)
    }

    fn complete(&self, wanted: &[Proposed<'_>], how: Completing) -> Vec<Completed> {
        Fixable::complete(self.workspace(), wanted, how)
    }
}
