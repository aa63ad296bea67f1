//! All safe fixes of one document at once, as the command line's `--fix` applies them.
//!
//! The engine's rounds change texts and look at the reports of each change, so they run on a copy of the files that the
//! document may depend on. Only the document itself is changed: a fix that needs another file stays a choice of its own.

use std::sync::Arc;

use similar::{ChangeTag, TextDiff};
use tower_lsp::ls_types::TextEdit;
use visa_analysis::{ByteRange, Trust, fix_all};

use super::edits::DocumentEdits;
use crate::positions::FileText;
use crate::project::copied::Copied;
use crate::project::engine::Answer;
use crate::state::Snapshot;

/// The edits that mend a document, or what one rule finds in it; none if nothing can be mended.
pub(super) fn fixed(
    snapshot: &Snapshot,
    path: &str,
    rule: Option<&str>,
) -> Answer<Vec<DocumentEdits>> {
    let file = snapshot.file(path)?;
    let settings = Arc::clone(&snapshot.view.settings);
    let copy = Copied::of(&snapshot.analysis, settings, &[path.to_owned()])?;
    let mut copy = copy.mending(rule);
    let after = fix_all(&mut copy, Trust::Machine).texts.remove(path);
    copy.is_awaited()?;
    let Some(after) = after else {
        return Ok(Vec::new());
    };
    Ok(vec![DocumentEdits {
        uri: snapshot.uri(path)?,
        version: snapshot.version(path),
        edits: line_edits(&file, &after),
    }])
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
