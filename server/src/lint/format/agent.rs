//! For coding agents: a line a finding with the numbers and the edits that mend it, then a line of statistics.
//!
//! `path:line:column level rule | message | help: … | fix: title: replace "x" with "y"`. Nothing is wrapped, and line
//! breaks are escaped, so that a line is always a whole finding. `maybe:` in the place of `fix:` is a proposal to look at
//! first. An edit that does not start where the finding does says where it is.

use std::fmt::Write;

use visa_analysis::{Applicability, Diagnostic, DiagnosticFix, FileEdit, Level};

use super::common::fixable;
use super::lines::LineIndices;
use crate::lint::outline::{Finding, Outline, UNRESOLVED_OPERATION};

/// Renders the findings, then the line of statistics.
pub(crate) fn render(outline: &Outline<'_>, quiet: bool) -> String {
    let mut text = String::new();
    let mut lines = LineIndices::new(outline.texts);
    for finding in outline.open() {
        text.push_str(&line(finding, outline, &mut lines));
        text.push('\n');
    }
    for operation in outline.examples().filter(|_| !quiet) {
        let start = operation.place.range.start;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{}:{}:{} note {UNRESOLVED_OPERATION} | {}",
            one_line(&operation.file),
            start.line,
            start.column,
            one_line(&operation.words())
        );
    }
    if !quiet {
        text.push_str(&statistics(outline));
        text.push('\n');
    }
    text
}

fn line(finding: &Finding, outline: &Outline<'_>, lines: &mut LineIndices<'_>) -> String {
    let diagnostic = &finding.diagnostic;
    let start = diagnostic.range.start;
    let mut line = format!(
        "{}:{}:{} {} {} | {}",
        one_line(&diagnostic.file),
        start.line,
        start.column,
        finding.level.name(),
        diagnostic.rule,
        one_line(&diagnostic.message)
    );
    // Writing to a string cannot fail.
    if let Some(help) = &diagnostic.help {
        let _ = write!(line, " | help: {}", one_line(help));
    }
    for fix in &diagnostic.fixes {
        let _ = write!(line, " | {}", described(fix, diagnostic, outline, lines));
    }
    line
}

fn described(
    fix: &DiagnosticFix,
    diagnostic: &Diagnostic,
    outline: &Outline<'_>,
    lines: &mut LineIndices<'_>,
) -> String {
    let word = match fix.applicability {
        Applicability::Machine => "fix",
        Applicability::Maybe => "maybe",
    };
    let edits: Vec<_> = fix
        .edits
        .iter()
        .map(|edit| action(edit, diagnostic, outline, lines))
        .collect();
    format!("{word}: {}: {}", one_line(&fix.title), edits.join("; "))
}

fn action(
    edit: &FileEdit,
    diagnostic: &Diagnostic,
    outline: &Outline<'_>,
    lines: &mut LineIndices<'_>,
) -> String {
    let text = outline.texts.get(&*edit.file).copied().unwrap_or("");
    let old = text
        .get(edit.start_byte as usize..edit.end_byte as usize)
        .unwrap_or("");
    let new = &edit.text;
    let mut action = match (old.is_empty(), new.is_empty()) {
        (true, _) => format!("insert {new:?}"),
        (false, true) => format!("delete {old:?}"),
        (false, false) => format!("replace {old:?} with {new:?}"),
    };
    let same_file = edit.file == diagnostic.file;
    if !same_file || edit.start_byte != diagnostic.range.start.byte {
        let place = lines.position(&edit.file, edit.start_byte);
        let file = if same_file {
            String::new()
        } else {
            format!("{}:", one_line(&edit.file))
        };
        let _ = write!(action, " at {file}{}:{}", place.line, place.column);
    }
    action
}

fn statistics(outline: &Outline<'_>) -> String {
    let at = |level: Level| {
        outline
            .open()
            .filter(|finding| finding.level == level)
            .count()
    };
    format!(
        "files={} kernels={} configured_out={} resolved={} unresolved={} deny={} warn={} suppressed={} known={} fixable={}",
        outline.files,
        outline.kernels,
        outline.configured_out,
        outline.operations.resolved,
        outline.operations.unresolved,
        at(Level::Deny),
        at(Level::Warn),
        outline
            .findings
            .len()
            .saturating_sub(outline.open().count()),
        outline.known,
        fixable(outline)
    )
}

/// The text with escapes in place of line breaks and other control characters.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        if character.is_control() {
            line.extend(character.escape_default());
        } else {
            line.push(character);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::one_line;

    #[test]
    fn a_line_stays_a_line() {
        assert_eq!(one_line("a\r\nb\tü\u{1b}"), "a\\r\\nb\\tü\\u{1b}");
    }
}
