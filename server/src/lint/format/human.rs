//! Findings with the source text around them, notes and help, for people.

use std::collections::{BTreeMap, BTreeSet};

use codespan_reporting::diagnostic::{Diagnostic as Rendered, Label, Severity};
use codespan_reporting::term::termcolor::Buffer;
use codespan_reporting::term::{Config, emit_to_write_style};
use visa_analysis::{Diagnostic, Level, Range};

use super::advice::advice;
use super::common::{confirmed, dialects, summary};
use super::excerpt::{Excerpts, Source};
use crate::lint::outline::{Finding, Outline};
use crate::lint::words::printable;
use crate::lint::wrap::wrap;
use crate::project::Failure;

/// Columns that are before a note: line numbers of up to four digits and the bullet.
const GUTTER: usize = 8;

/// What is before the further lines of a message.
const INDENT: &str = "  ";

/// How the paper looks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Look {
    /// Whether escapes of a terminal may be written.
    pub(crate) colored: bool,
    /// Columns of a line; source text takes what it takes.
    pub(crate) width: usize,
}

/// Renders the findings, then the statistics if asked for, then where something was not looked at, then what sums up.
pub(crate) fn render(
    outline: &Outline<'_>,
    look: Look,
    quiet: bool,
    statistics: bool,
) -> Result<String, Failure> {
    let mut buffer = if look.colored {
        Buffer::ansi()
    } else {
        Buffer::no_color()
    };
    let mut sources = Vec::new();
    let numbers = number_files(outline, &mut sources);
    let config = Config {
        start_context_lines: 2,
        ..Config::default()
    };
    let mut explained = BTreeSet::new();
    for finding in outline.written_open() {
        let first = explained.insert(finding.diagnostic.rule);
        let mut rendered = rendered(finding, &numbers, first, look.width);
        let labels = rendered.labels.iter();
        let labels: Vec<_> = labels
            .map(|label| (label.file_id, label.range.clone()))
            .collect();
        let excerpts = Excerpts::new(&sources, &labels);
        for label in &mut rendered.labels {
            label.range = excerpts.shown(label.file_id, &label.range);
        }
        emit_to_write_style(&mut buffer, &config, &excerpts, &rendered)
            .map_err(|error| Failure::new(format!("cannot render a finding: {error}")))?;
    }
    let mut text = String::from_utf8_lossy(buffer.as_slice()).into_owned();
    if !look.colored {
        text = text
            .lines()
            .flat_map(|line| [line.trim_end(), "\n"])
            .collect();
    }
    if let Some(words) = outline.left_out_words() {
        text.push_str(&words);
        text.push('\n');
    }
    if statistics && !quiet {
        text.push_str(&super::statistics::render(outline));
        text.push('\n');
    }
    if !quiet {
        for operation in outline.examples() {
            let start = operation.place.range.start;
            let place = format!("{}:{}:{}", operation.file, start.line, start.column);
            let line = format!("note: {place}: {}", operation.words()).replace('\n', " ");
            let wrapped = wrap(&printable(&line), look.width.saturating_sub(INDENT.len()));
            text.push_str(&wrapped.replace('\n', &format!("\n{INDENT}")));
            text.push('\n');
        }
        for line in dialects(outline).into_iter().chain(confirmed(outline)) {
            let wrapped = wrap(&printable(&line), look.width.saturating_sub(INDENT.len()));
            text.push_str(&wrapped.replace('\n', &format!("\n{INDENT}")));
            text.push('\n');
        }
        text.push_str(&summary(outline, look.colored));
        text.push('\n');
    }
    Ok(text)
}

/// Adds the files that findings are in or refer to.
fn number_files<'a>(
    outline: &Outline<'a>,
    sources: &mut Vec<Source<'a>>,
) -> BTreeMap<&'a str, usize> {
    let mut numbers = BTreeMap::new();
    for finding in outline.written_open() {
        let related = finding
            .diagnostic
            .related
            .iter()
            .map(|related| &related.file);
        for path in std::iter::once(&finding.diagnostic.file).chain(related) {
            if let Some((name, text)) = outline.texts.get_key_value(&**path) {
                numbers.entry(name.as_str()).or_insert_with(|| {
                    sources.push(Source::new(name, text));
                    sources.len() - 1
                });
            }
        }
    }
    numbers
}

fn rendered(
    finding: &Finding,
    numbers: &BTreeMap<&str, usize>,
    first: bool,
    width: usize,
) -> Rendered<usize> {
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
            labels.push(
                Label::secondary(*number, bytes(place.range))
                    .with_message(printable(&place.message)),
            );
        }
    }
    let notes = notes.iter().map(|note| ("note", note.clone()));
    let mut lines: Vec<String> = notes
        .chain(advice(help.as_deref(), fixes))
        .map(|(word, text)| {
            let line = format!("{word}: {}", printable(&text));
            wrap(&line, width.saturating_sub(GUTTER))
        })
        .collect();
    if first {
        lines.push(format!("`visa-lint explain {rule}` tells more"));
    }
    Rendered::new(severity)
        .with_code(rule)
        .with_message(heading(severity, rule, message, width))
        .with_labels(labels)
        .with_notes(lines)
}

/// The message broken where it and what the renderer puts before it would leave the line.
fn heading(severity: Severity, rule: &str, message: &str, width: usize) -> String {
    let word = if severity == Severity::Error {
        "error"
    } else {
        "warning"
    };
    let prefix = format!("{word}[{rule}]: ");
    let whole = format!("{prefix}{}", printable(message).replace('\n', " "));
    let wrapped = wrap(&whole, width.saturating_sub(INDENT.len()));
    wrapped
        .strip_prefix(&prefix)
        .unwrap_or(message)
        .replace('\n', &format!("\n{INDENT}"))
}

/// A range as the renderer wants it.
fn bytes(range: Range) -> std::ops::Range<usize> {
    let start = range.start.byte as usize;
    start..(range.end.byte as usize).max(start)
}
