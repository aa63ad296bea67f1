//! A workspace whose files may all be fixed.

use std::sync::Arc;

use super::Workspace;
use crate::changes::Texts;
use crate::fixing::{Completed, Completing, Fixable, Proposed, Signatures, Totals};
use crate::report::{Diagnostic, FileReport};
use crate::rules::Level;

impl Workspace {
    fn paths(&self) -> Vec<String> {
        self.files().map(|(path, _)| path.to_string()).collect()
    }
}

/// All files may be changed, and rules have their default levels.
impl Fixable for Workspace {
    fn texts(&self) -> Texts {
        self.files()
            .map(|(path, text)| (Arc::clone(path), Arc::clone(text)))
            .collect()
    }

    fn replace(&mut self, texts: &Texts) {
        for (path, text) in texts {
            self.set_file(path, text);
        }
    }

    fn reports(&self) -> Vec<FileReport> {
        self.analysis().file_reports(&self.paths())
    }

    fn totals(&self) -> Totals {
        self.analysis().kernel_totals(&self.paths())
    }

    fn signatures(&self) -> Signatures {
        self.analysis().kernel_signatures(&self.paths())
    }

    fn level(&self, diagnostic: &Diagnostic) -> Level {
        diagnostic.default_level
    }

    fn complete(&self, wanted: &[Proposed<'_>], how: Completing) -> Vec<Completed> {
        let completed = self.analysis().completed_fixes(wanted, how);
        completed.unwrap_or_default()
    }
}
