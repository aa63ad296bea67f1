//! Edits of a block, as edits of the file that it is in.

use super::{DiagnosticFix, FileEdit};
use visa_syntax::fragments::Origin;

/// The fixes of a block that can be made in its file. One goes that takes away what is in front of a line, be it a quote's
/// `>` or a comment's slashes; a line that one adds gets what is in front of the line before.
pub fn fitted(fixes: Vec<DiagnosticFix>, text: &str, origin: &Origin) -> Vec<DiagnosticFix> {
    let fit = |fix: DiagnosticFix| {
        let edits: Option<Vec<FileEdit>> = fix
            .edits
            .into_iter()
            .map(|edit| fitted_edit(edit, text, origin))
            .collect();
        Some(DiagnosticFix {
            edits: edits?,
            ..fix
        })
    };
    fixes.into_iter().filter_map(fit).collect()
}

fn fitted_edit(mut edit: FileEdit, text: &str, origin: &Origin) -> Option<FileEdit> {
    let range = edit.start_byte as usize..edit.end_byte as usize;
    if origin.text.get(range.clone())? != text.get(range.clone())? {
        return None;
    }
    let in_line = |at: usize| {
        let mut lines = origin.code.iter();
        lines.find(|line| line.start <= at && at <= line.end)
    };
    let line = in_line(range.start)?;
    in_line(range.end)?;
    if edit.text.contains('\n') {
        let before = origin.text.get(..line.start)?;
        let from = before.rfind('\n').map_or(0, |at| at + 1);
        let prefix = before.get(from..)?;
        edit.text = edit.text.replace('\n', &format!("\n{prefix}"));
    }
    Some(edit)
}

#[cfg(test)]
#[path = "blocks_tests.rs"]
mod tests;
