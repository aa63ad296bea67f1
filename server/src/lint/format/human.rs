//! Findings with the source text around them, notes and help, for people.

use std::collections::{BTreeMap, BTreeSet};

use codespan_reporting::diagnostic::{Diagnostic as Rendered, Label, Severity};
use codespan_reporting::files::SimpleFiles;
use codespan_reporting::term::termcolor::Buffer;
use codespan_reporting::term::{Config, emit_to_write_style};
use visa_analysis::{Diagnostic, Level, Range};

use super::{summary, wrap};
use crate::lint::Failure;
use crate::lint::check::{Finding, Outline};

type Files<'a> = SimpleFiles<&'a str, &'a str>;

/// Renders the findings, then the statistics if asked for, then one line that sums up.
pub(crate) fn render(
    outline: &Outline<'_>,
    colored: bool,
    quiet: bool,
    statistics: bool,
) -> Result<String, Failure> {
    let mut buffer = if colored {
        Buffer::ansi()
    } else {
        Buffer::no_color()
    };
    let mut files = Files::new();
    let numbers = number_files(outline, &mut files);
    let config = Config {
        start_context_lines: 2,
        ..Config::default()
    };
    let mut explained = BTreeSet::new();
    for finding in outline.open() {
        let rendered = rendered(finding, &numbers, explained.insert(finding.diagnostic.rule));
        emit_to_write_style(&mut buffer, &config, &files, &rendered)
            .map_err(|error| Failure::new(format!("cannot render a finding: {error}")))?;
    }
    let mut text = String::from_utf8_lossy(buffer.as_slice()).into_owned();
    if statistics && !quiet {
        text.push_str(&super::statistics::render(outline));
        text.push('\n');
    }
    if !quiet {
        text.push_str(&summary(outline));
        text.push('\n');
    }
    Ok(text)
}

/// Adds the files that findings stand in or refer to.
fn number_files<'a>(outline: &Outline<'a>, files: &mut Files<'a>) -> BTreeMap<&'a str, usize> {
    let mut numbers = BTreeMap::new();
    let findings = outline
        .findings
        .iter()
        .filter(|finding| !finding.diagnostic.suppressed);
    for finding in findings {
        let related = finding
            .diagnostic
            .related
            .iter()
            .map(|related| &related.file);
        for path in std::iter::once(&finding.diagnostic.file).chain(related) {
            if let Some((name, text)) = outline.texts.get_key_value(&**path) {
                numbers
                    .entry(name.as_str())
                    .or_insert_with(|| files.add(name.as_str(), text));
            }
        }
    }
    numbers
}

fn rendered(finding: &Finding, numbers: &BTreeMap<&str, usize>, first: bool) -> Rendered<usize> {
    let Diagnostic {
        rule,
        message,
        notes,
        help,
        fixes,
        related,
        file,
        range,
        ..
    } = &finding.diagnostic;
    let severity = if finding.level == Level::Deny {
        Severity::Error
    } else {
        Severity::Warning
    };
    let mut labels = Vec::new();
    if let Some(number) = numbers.get(&**file) {
        labels.push(Label::primary(*number, bytes(*range)));
    }
    for place in related {
        if let Some(number) = numbers.get(&*place.file) {
            labels.push(Label::secondary(*number, bytes(place.range)).with_message(&place.message));
        }
    }
    let mut lines: Vec<String> = notes
        .iter()
        .map(|note| wrap(&format!("note: {note}")))
        .collect();
    lines.extend(help.iter().map(|help| wrap(&format!("help: {help}"))));
    lines.extend(fixes.iter().map(|fix| wrap(&format!("fix: {}", fix.title))));
    if first {
        lines.push(format!("`visa-lint explain {rule}` tells more"));
    }
    Rendered::new(severity)
        .with_code(rule)
        .with_message(message)
        .with_labels(labels)
        .with_notes(lines)
}

/// A range as the renderer wants it.
fn bytes(range: Range) -> std::ops::Range<usize> {
    let start = range.start.byte as usize;
    start..(range.end.byte as usize).max(start)
}
