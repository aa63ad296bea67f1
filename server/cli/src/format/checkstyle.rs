//! XML of Checkstyle, which most services and editors that show findings can read: a `file` a checked file, an `error` a finding.

use std::collections::{BTreeMap, BTreeSet};

use quick_xml::Writer;
use quick_xml::escape::escape;
use quick_xml::events::{BytesDecl, BytesEnd, BytesStart, Event};
use visa_analysis::{Level, Position};

use super::common::whole_text;
use crate::fingerprint::portable_path;
use crate::outline::{Outline, UNRESOLVED_OPERATION};
use crate::project::Failure;
use crate::words::xml_text;

/// The version of Checkstyle whose files have this shape; readers look at its first number, if at all.
const VERSION: &str = "4.3";

/// An `error` of the file.
struct Row {
    place: Position,
    severity: &'static str,
    message: String,
    rule: &'static str,
}

/// Renders the findings that no suppression covers, and the first operations that were not looked at.
pub(crate) fn render_checkstyle(outline: &Outline<'_>) -> Result<String, Failure> {
    let xml = checkstyle_document(outline)
        .map_err(|error| Failure::new(format!("cannot write XML: {error}")))?;
    Ok(String::from_utf8_lossy(&xml).into_owned())
}

fn checkstyle_document(outline: &Outline<'_>) -> std::io::Result<Vec<u8>> {
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let root = start_element("checkstyle", &[("version", VERSION)]);
    writer.write_event(Event::Start(root))?;
    for (file, rows) in rows_by_file(outline) {
        writer.write_event(Event::Start(start_element(
            "file",
            &[("name", &portable_path(file))],
        )))?;
        for row in rows {
            writer.write_event(Event::Empty(error_element(&row)))?;
        }
        writer.write_event(Event::End(BytesEnd::new("file")))?;
    }
    writer.write_event(Event::End(BytesEnd::new("checkstyle")))?;
    let mut xml = writer.into_inner();
    xml.push(b'\n');
    Ok(xml)
}

/// The files that were asked for, each with its rows. One whose findings are all left out is not there: it would look clean.
fn rows_by_file<'a>(outline: &'a Outline<'_>) -> BTreeMap<&'a str, Vec<Row>> {
    let left_out: BTreeSet<&str> = outline
        .unsuppressed_findings()
        .filter(|finding| finding.left_out)
        .map(|finding| &*finding.diagnostic.file)
        .collect();
    let reported = outline.reported.iter().map(String::as_str);
    let mut files: BTreeMap<&str, Vec<Row>> = reported
        .filter(|file| !left_out.contains(file))
        .map(|file| (file, Vec::new()))
        .collect();
    for finding in outline.written_open() {
        let diagnostic = &finding.diagnostic;
        files.entry(&diagnostic.file).or_default().push(Row {
            place: diagnostic.range.start,
            severity: level_severity(finding.level),
            message: whole_text(diagnostic),
            rule: diagnostic.rule,
        });
    }
    for operation in outline.examples() {
        files.entry(&operation.file).or_default().push(Row {
            place: operation.place.range.start,
            severity: level_severity(Level::Allow),
            message: operation.place_and_reason(),
            rule: UNRESOLVED_OPERATION,
        });
    }
    files
}

fn error_element(row: &Row) -> BytesStart<'static> {
    let (line, column) = (row.place.line.to_string(), row.place.column.to_string());
    // Readers group by what is before the last dot.
    let source = format!("visa-lint.{}", row.rule);
    start_element(
        "error",
        &[
            ("line", &line),
            ("column", &column),
            ("severity", row.severity),
            ("message", &row.message),
            ("source", &source),
        ],
    )
}

/// The start of an element. A reader makes spaces of the line breaks in a value, unless they are escaped.
fn start_element(name: &'static str, attributes: &[(&str, &str)]) -> BytesStart<'static> {
    let mut element = BytesStart::new(name);
    for (key, value) in attributes {
        let value = xml_text(value);
        let value = escape(&value)
            .replace('\n', "&#10;")
            .replace('\r', "&#13;")
            .replace('\t', "&#9;");
        element.push_attribute((key.as_bytes(), value.as_bytes()));
    }
    element
}

const fn level_severity(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Allow => "info",
    }
}
