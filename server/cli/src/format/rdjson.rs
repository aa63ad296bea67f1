//! The Diagnostic Format of reviewdog, which posts findings and their fixes as comments on a change request.
//!
//! Columns count bytes of UTF-8. A suggestion replaces one stretch of the finding's own file, so that a fix with several edits
//! there is written as one, with the text between them, and a fix of other files is not written.

use serde::Serialize;
use visa_analysis::{Diagnostic, DiagnosticFix, Level, Range, documentation_url};

use super::common::whole_text;
use crate::documents::json::pretty;
use crate::fingerprint::portable_path;
use crate::outline::{Finding, NotLookedAt, Outline, UNRESOLVED_OPERATION};
use crate::project::Failure;

#[derive(Serialize)]
struct Document<'a> {
    source: Source,
    diagnostics: Vec<Entry<'a>>,
}

#[derive(Serialize)]
struct Source {
    name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<String>,
}

#[derive(Serialize)]
struct Entry<'a> {
    message: String,
    location: Location,
    severity: &'static str,
    code: Code<'a>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    suggestions: Vec<Suggestion>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Related>,
}

#[derive(Serialize)]
struct Location {
    path: String,
    range: Stretch,
}

/// The end is behind the last byte.
#[derive(Serialize)]
struct Stretch {
    start: Place,
    end: Place,
}

/// Both from 1; the column in bytes.
#[derive(Serialize)]
struct Place {
    line: u32,
    column: u32,
}

#[derive(Serialize)]
struct Code<'a> {
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
}

#[derive(Serialize)]
struct Suggestion {
    range: Stretch,
    text: String,
}

#[derive(Serialize)]
struct Related {
    message: String,
    location: Location,
}

/// Renders the findings that no suppression covers, and the first operations that were not looked at.
pub(crate) fn render_rdjson(outline: &Outline<'_>) -> Result<String, Failure> {
    let findings = outline.written_open();
    let mut diagnostics: Vec<Entry<'_>> = findings
        .map(|finding| finding_entry(finding, outline))
        .collect();
    let examples = outline.examples();
    diagnostics.extend(examples.map(|operation| unresolved_entry(operation, outline)));
    pretty(&Document {
        source: Source {
            name: "visa-lint",
            url: documentation_url("index.html"),
        },
        diagnostics,
    })
}

fn finding_entry<'a>(finding: &'a Finding, outline: &Outline<'_>) -> Entry<'a> {
    let diagnostic = &finding.diagnostic;
    let related = diagnostic.related.iter().map(|related| Related {
        message: related.message.clone(),
        location: file_location(&related.file, related.range, outline),
    });
    let fixes = diagnostic.fixes.iter();
    Entry {
        message: whole_text(diagnostic),
        location: file_location(&diagnostic.file, diagnostic.range, outline),
        severity: rdjson_severity(finding.level),
        code: Code {
            value: diagnostic.rule,
            url: diagnostic.url.as_deref(),
        },
        suggestions: fixes
            .filter_map(|fix| fix_suggestion(fix, diagnostic, outline))
            .collect(),
        related_locations: related.collect(),
    }
}

fn unresolved_entry(operation: &NotLookedAt, outline: &Outline<'_>) -> Entry<'static> {
    Entry {
        message: operation.place_and_reason(),
        location: file_location(&operation.file, operation.place.range, outline),
        severity: rdjson_severity(Level::Allow),
        code: Code {
            value: UNRESOLVED_OPERATION,
            url: None,
        },
        suggestions: Vec::new(),
        related_locations: Vec::new(),
    }
}

const fn rdjson_severity(level: Level) -> &'static str {
    match level {
        Level::Deny => "ERROR",
        Level::Warn => "WARNING",
        Level::Allow => "INFO",
    }
}

fn file_location(file: &str, range: Range, outline: &Outline<'_>) -> Location {
    let text = outline.texts.get(file).copied().unwrap_or("");
    Location {
        path: portable_path(file),
        range: stretch(text, range.start.byte, range.end.byte),
    }
}

fn stretch(text: &str, start: u32, end: u32) -> Stretch {
    Stretch {
        start: byte_place(text, start),
        end: byte_place(text, end),
    }
}

/// The line and the byte in it of a byte of a text.
fn byte_place(text: &str, byte: u32) -> Place {
    let byte = (byte as usize).min(text.len());
    let before = text.as_bytes().get(..byte).unwrap_or_default();
    let lines = before.iter().filter(|byte| **byte == b'\n').count();
    let line_start = before.iter().rposition(|byte| *byte == b'\n');
    let in_line = byte.saturating_sub(line_start.map_or(0, |newline| newline.saturating_add(1)));
    let from_one =
        |number: usize| u32::try_from(number).map_or(u32::MAX, |number| number.saturating_add(1));
    Place {
        line: from_one(lines),
        column: from_one(in_line),
    }
}

/// A fix as the replacement of one stretch; none where it is of another file too, or changes nothing.
fn fix_suggestion(
    fix: &DiagnosticFix,
    diagnostic: &Diagnostic,
    outline: &Outline<'_>,
) -> Option<Suggestion> {
    let text = outline.texts.get(&*diagnostic.file).copied()?;
    let elsewhere = |edit: &visa_analysis::FileEdit| edit.file != diagnostic.file;
    if fix.edits.iter().any(elsewhere) {
        return None;
    }
    let mut edits: Vec<_> = fix.edits.iter().collect();
    edits.sort_by_key(|edit| (edit.start_byte, edit.end_byte));
    let (start, end) = (edits.first()?.start_byte, edits.last()?.end_byte);
    let mut replaced = String::new();
    let mut at = start;
    for edit in &edits {
        // Of edits that overlap it is unknown what they come to.
        replaced.push_str(text.get(at as usize..edit.start_byte as usize)?);
        replaced.push_str(&edit.text);
        at = edit.end_byte;
    }
    Some(Suggestion {
        range: stretch(text, start, end),
        text: replaced,
    })
}

#[cfg(test)]
mod tests {
    use super::byte_place;

    #[test]
    fn columns_count_bytes() {
        // `π` is two bytes.
        let text = "aπb\r\nc\n";
        let of = |byte| {
            let place = byte_place(text, byte);
            (place.line, place.column)
        };
        assert_eq!(of(0), (1, 1));
        assert_eq!(of(1), (1, 2));
        assert_eq!(of(3), (1, 4));
        assert_eq!(of(6), (2, 1));
        assert_eq!(of(8), (3, 1));
        assert_eq!(of(99), (3, 1));
    }
}
