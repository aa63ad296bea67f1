//! A workspace whose files may all be fixed.

use std::sync::Arc;

use super::Workspace;
use crate::fixing::{Completed, Completing, Fixable, Proposed, Texts};
use crate::report::{Diagnostic, FileReport};
use crate::rules::Level;

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
        let paths: Vec<String> = self.files().map(|(path, _)| path.to_string()).collect();
        self.analysis().file_reports(&paths)
    }

    fn level(&self, diagnostic: &Diagnostic) -> Level {
        diagnostic.default_level
    }

    fn complete(&self, wanted: &[Proposed<'_>], how: Completing) -> Vec<Completed> {
        let completed = self.analysis().completed_fixes(wanted, how);
        completed.unwrap_or_default()
    }
}
