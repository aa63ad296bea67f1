//! One application of fixes to texts.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use crate::report::{DiagnosticFix, FileEdit};

/// Texts of files by path.
pub type Texts = BTreeMap<Arc<str>, Arc<str>>;

/// What one application of fixes gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Application {
    /// The files that change, with their new texts.
    pub texts: Texts,
    /// Which of the fixes were applied, by index, ascending.
    pub applied: Vec<usize>,
}

/// Applies fixes to texts: all edits of a fix or none of them. A fix is left out where it meets one that was taken before
/// it, edits a file that is not among the texts, does not fit its text, or changes nothing.
///
/// Bytes outside of the edits stay as they are. Line breaks in what is inserted become those of the file.
pub fn apply_fixes<'f>(
    texts: &Texts,
    fixes: impl IntoIterator<Item = &'f DiagnosticFix>,
) -> Application {
    let mut taken: BTreeMap<&Arc<str>, Vec<&FileEdit>> = BTreeMap::new();
    let mut applied = Vec::new();
    for (index, fix) in fixes.into_iter().enumerate() {
        let Some(edits) = own_edits(texts, fix) else {
            continue;
        };
        let meets = edits.iter().any(|edit| {
            let others = taken.get(&edit.file).into_iter().flatten();
            others.into_iter().any(|other| meet(edit, other))
        });
        if meets {
            continue;
        }
        for edit in edits {
            taken.entry(&edit.file).or_default().push(edit);
        }
        applied.push(index);
    }
    let texts = taken.into_iter().filter_map(|(path, mut edits)| {
        let text = texts.get(path)?;
        edits.sort_by_key(|edit| (edit.start_byte, edit.end_byte));
        Some((Arc::clone(path), edited(text, &edits)))
    });
    Application {
        texts: texts.collect(),
        applied,
    }
}

/// Whether a fix can be applied at all: its edits fit the texts, do not meet each other and change something.
pub(crate) fn fits(texts: &Texts, fix: &DiagnosticFix) -> bool {
    own_edits(texts, fix).is_some()
}

/// The edits of a fix, if they fit the texts, do not meet each other and change something. An edit that is written twice
/// counts once.
fn own_edits<'f>(texts: &Texts, fix: &'f DiagnosticFix) -> Option<Vec<&'f FileEdit>> {
    let mut changes = false;
    for edit in &fix.edits {
        let replaced = texts.get(&edit.file)?.get(bytes(edit))?;
        changes |= replaced != edit.text;
    }
    let mut edits: Vec<&FileEdit> = fix.edits.iter().collect();
    // In the order of their places only neighbours can meet.
    edits.sort_by_key(|edit| (&edit.file, edit.start_byte, edit.end_byte));
    edits.dedup();
    let apart = edits
        .iter()
        .zip(edits.iter().skip(1))
        .all(|(one, other)| !meet(one, other));
    (changes && apart).then_some(edits)
}

fn bytes(edit: &FileEdit) -> Range<usize> {
    edit.start_byte as usize..edit.end_byte as usize
}

/// Whether two edits share bytes, or one inserts where the other starts or ends: their order would decide what comes out.
fn meet(one: &FileEdit, other: &FileEdit) -> bool {
    if one.file != other.file {
        return false;
    }
    let start = one.start_byte.max(other.start_byte);
    let end = one.end_byte.min(other.end_byte);
    let inserts = |edit: &FileEdit| edit.start_byte == edit.end_byte;
    start < end || (start == end && (inserts(one) || inserts(other)))
}

/// What is inserted into a text, with the line breaks that the text has.
pub fn with_line_breaks_of<'i>(text: &str, inserted: &'i str) -> Cow<'i, str> {
    let carriage_returns = text
        .find('\n')
        .is_some_and(|at| text.get(..at).is_some_and(|line| line.ends_with('\r')));
    if carriage_returns && inserted.contains('\n') {
        Cow::Owned(inserted.replace("\r\n", "\n").replace('\n', "\r\n"))
    } else {
        Cow::Borrowed(inserted)
    }
}

/// The text with edits that are sorted, fit the text and do not meet.
fn edited(text: &str, edits: &[&FileEdit]) -> Arc<str> {
    let mut result = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        let range = bytes(edit);
        result.push_str(text.get(done..range.start).unwrap_or_default());
        result.push_str(&with_line_breaks_of(text, &edit.text));
        done = range.end;
    }
    result.push_str(text.get(done..).unwrap_or_default());
    result.into()
}
