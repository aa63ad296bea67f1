//! All safe fixes of one document at once, as the command line's `--fix` applies them.
//!
//! The engine's rounds change texts and look at the reports of each change, so they run on a copy of the files that the
//! document may depend on. Only the document itself is changed: a fix that needs another file stays a choice of its own.

use std::sync::Arc;

use similar::{ChangeTag, TextDiff};
use tower_lsp::ls_types::TextEdit;
use visa_analysis::{
    ByteRange, Completed, Completing, Diagnostic, FileReport, Fixable, Level, Proposed, Signatures,
    Texts, Totals, Trust, fix_all,
};

use super::edits::DocumentEdits;
use crate::copied::Copied;
use crate::lsp::engine::Answer;
use crate::lsp::positions::FileText;
use crate::lsp::state::Snapshot;

/// The edits that mend a document, or what one rule finds in it; none if nothing can be mended.
pub(super) fn fixed(
    snapshot: &Snapshot,
    path: &str,
    rule: Option<&str>,
) -> Answer<Vec<DocumentEdits>> {
    let file = snapshot.file(path)?;
    let settings = Arc::clone(&snapshot.view.settings);
    let copied = Copied::of(&snapshot.analysis, settings, &[path.to_owned()])?;
    let mut copy = Mended { copied, rule };
    let after = fix_all(&mut copy, Trust::Machine).texts.remove(path);
    copy.copied.is_awaited()?;
    let Some(after) = after else {
        return Ok(Vec::new());
    };
    Ok(vec![DocumentEdits {
        uri: snapshot.uri(path)?,
        version: snapshot.version(path),
        edits: line_edits(&file, &after),
    }])
}

/// A copy of files of which only the findings of a rule are to be mended, where one is named: fixes of others are not seen, and their
/// findings go on judging what is done.
struct Mended<'a> {
    copied: Copied<'a>,
    rule: Option<&'a str>,
}

impl Fixable for Mended<'_> {
    fn texts(&self) -> Texts {
        self.copied.texts()
    }

    fn replace(&mut self, texts: &Texts) {
        self.copied.replace(texts);
    }

    fn reports(&self) -> Vec<FileReport> {
        let mut reports = self.copied.reports();
        if let Some(rule) = self.rule {
            let found = reports
                .iter_mut()
                .flat_map(|report| &mut report.diagnostics);
            for other in found.filter(|found| found.rule != rule) {
                other.fixes.clear();
            }
        }
        reports
    }

    fn totals(&self) -> Totals {
        self.copied.totals()
    }

    fn signatures(&self) -> Signatures {
        self.copied.signatures()
    }

    fn level(&self, diagnostic: &Diagnostic) -> Level {
        self.copied.level(diagnostic)
    }

    fn complete(&self, wanted: &[Proposed<'_>], how: Completing) -> Vec<Completed> {
        self.copied.complete(wanted, how)
    }
}

/// The lines that differ, so that cursors and folds stay where they are.
pub(super) fn line_edits(file: &FileText, after: &str) -> Vec<TextEdit> {
    let diff = TextDiff::from_lines(&*file.text, after);
    let mut edits: Vec<(ByteRange, String)> = Vec::new();
    let mut at = 0_u32;
    for change in diff.iter_all_changes() {
        let text = change.value();
        let length = u32::try_from(text.len()).unwrap_or(u32::MAX);
        let end = at.saturating_add(length);
        let (range, new) = match change.tag() {
            ChangeTag::Equal => {
                at = end;
                continue;
            }
            ChangeTag::Delete => (ByteRange { start: at, end }, ""),
            ChangeTag::Insert => (ByteRange { start: at, end: at }, text),
        };
        at = range.end;
        match edits.last_mut() {
            Some((before, words)) if before.end == range.start => {
                before.end = range.end;
                words.push_str(new);
            }
            _ => edits.push((range, new.to_owned())),
        }
    }
    let edits = edits.into_iter().map(|(range, new_text)| TextEdit {
        range: file.range(range),
        new_text,
    });
    edits.collect()
}
