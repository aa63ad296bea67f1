//! Findings with the source text around them, notes and help, for people.
//!
//! Errors come first, and what says the same is shown once with its count: a reader in a hurry begins at the top and stops anywhere.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use codespan_reporting::diagnostic::{Diagnostic as Rendered, Label, Severity};
use codespan_reporting::term::termcolor::Buffer;
use codespan_reporting::term::{Config, emit_to_write_style};
use visa_analysis::{Confirmer, Diagnostic, Level, Range, visible};

use super::advice::advice_lines;
use super::alike::alike_findings;
use super::by_rule;
use super::common::{confirmed, dialect_lines, successor_files, summary_text};
use super::excerpt::{Excerpts, Source};
use super::lines::LineIndices;
use crate::outline::{Finding, Outline};
use crate::project::Failure;
use crate::wrap::wrap_text;

/// Columns that are before a note: line numbers of up to four digits and the bullet.
const GUTTER: usize = 8;

/// Further places of a fault, or of findings that say the same, that are shown.
const PLACES: usize = 3;

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
pub(crate) fn render_human(
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
    let mut findings: Vec<&Finding> = outline.written_open().collect();
    findings.sort_by_key(|finding| Reverse(finding.level));
    let groups = alike_findings(findings);
    let mut sources = Vec::new();
    let numbers = number_files(&groups, outline, &mut sources);
    let config = Config {
        start_context_lines: 2,
        ..Config::default()
    };
    let mut explained = BTreeSet::new();
    let mut notes = Notes {
        width: look.width.saturating_sub(GUTTER),
        lines: LineIndices::new(outline.texts),
        refusing: successor_files(outline),
    };
    for group in &groups {
        let Some((finding, others)) = group.split_first() else {
            continue;
        };
        let first = explained.insert(finding.diagnostic.rule);
        let notes = notes.of_finding(finding, others, first);
        let mut rendered = rendered_finding(finding, &numbers, look.width).with_notes(notes);
        let labels = rendered.labels.iter();
        let labels: Vec<_> = labels
            .map(|label| (label.file_id, label.range.clone()))
            .collect();
        let excerpts = Excerpts::new(&sources, &labels);
        for label in &mut rendered.labels {
            label.range = excerpts.shown_range(label.file_id, &label.range);
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
    if !quiet {
        text.push_str(&about_the_run(outline, look, statistics));
    }
    Ok(text)
}

/// Everything below the findings.
fn about_the_run(outline: &Outline<'_>, look: Look, statistics: bool) -> String {
    let mut text = String::new();
    let counts = if statistics {
        Some(super::statistics::render_statistics(outline))
    } else {
        by_rule::rule_table(outline)
    };
    if let Some(counts) = counts {
        text.push_str(&counts);
        text.push('\n');
    }
    let examples = outline.examples().map(|operation| {
        let start = operation.place.range.start;
        let place = format!("{}:{}:{}", operation.file, start.line, start.column);
        format!("note: {place}: {}", operation.place_and_reason())
    });
    let lines: Vec<String> = examples.chain(dialect_lines(outline)).collect();
    let lines = lines.into_iter().chain(confirmed(outline));
    for line in lines.chain(outline.not_followed_words()) {
        let wrapped = wrap_text(&visible(&line), look.width.saturating_sub(INDENT.len()));
        text.push_str(&wrapped.replace('\n', &format!("\n{INDENT}")));
        text.push('\n');
    }
    text.push_str(&summary_text(outline, look.colored));
    text.push('\n');
    text
}

/// Adds the files that the shown findings are in or refer to.
fn number_files<'a>(
    groups: &[Vec<&Finding>],
    outline: &Outline<'a>,
    sources: &mut Vec<Source<'a>>,
) -> BTreeMap<&'a str, usize> {
    let mut numbers = BTreeMap::new();
    for finding in groups.iter().filter_map(|group| group.first()) {
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

/// A finding with its places.
fn rendered_finding(
    finding: &Finding,
    numbers: &BTreeMap<&str, usize>,
    width: usize,
) -> Rendered<usize> {
    let Diagnostic {
        rule,
        message,
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
        labels.push(Label::primary(*number, renderer_range(*range)));
    }
    let other_ends = related.iter().filter(|place| place.fault.is_none());
    let here_too = related.iter().filter(|place| place.fault.is_some());
    for place in other_ends.chain(here_too.take(PLACES)) {
        if let Some(number) = numbers.get(&*place.file) {
            labels.push(
                Label::secondary(*number, renderer_range(place.range))
                    .with_message(visible(&place.message)),
            );
        }
    }
    Rendered::new(severity)
        .with_code(rule)
        .with_message(wrapped_heading(severity, rule, message, width))
        .with_labels(labels)
}

/// What is written below the places of findings.
struct Notes<'a> {
    width: usize,
    lines: LineIndices<'a>,
    /// The files whose library checks kernels itself.
    refusing: BTreeSet<&'a str>,
}

impl Notes<'_> {
    /// The notes of a finding and of the others that say the same; where it is the `first` of its rule, how to read more.
    fn of_finding(&mut self, finding: &Finding, others: &[&Finding], first: bool) -> Vec<String> {
        let diagnostic = &finding.diagnostic;
        let own = diagnostic.note_of_more_places();
        let notes = diagnostic
            .notes
            .iter()
            .filter(|note| own.as_ref() != Some(note));
        let refused = diagnostic.confirmed_by == Some(Confirmer::Library)
            && self.refusing.contains(&*diagnostic.file);
        let refused = refused.then(|| "the library itself refuses this".to_owned());
        let notes = notes
            .cloned()
            .chain(more_places(diagnostic))
            .chain(repeated_places_text(others))
            .chain(refused)
            .map(|note| ("note", note));
        let place =
            |fix: &visa_analysis::DiagnosticFix| self.lines.elsewhere_text(diagnostic, &fix.edits);
        let advice = advice_lines(diagnostic.help.as_deref(), &diagnostic.fixes, place);
        let mut lines: Vec<String> = notes
            .chain(advice)
            .map(|(word, text)| wrap_text(&format!("{word}: {}", visible(&text)), self.width))
            .collect();
        if first {
            lines.push(format!(
                "for details: `visa-lint explain {}`",
                diagnostic.rule
            ));
        }
        lines
    }
}

/// How many places of a fault are not shown.
fn more_places(diagnostic: &Diagnostic) -> Option<String> {
    let related = diagnostic.related.iter();
    let listed = related.filter(|place| place.fault.is_some()).count() as u64;
    let all = listed.saturating_add(diagnostic.more_places);
    let more = all.saturating_sub(PLACES as u64);
    (more > 0).then(|| format!("here too in {PLACES} places above, and {more} more"))
}

/// How often findings say the same, and where: `4 times: also at a.rs:2:3, a.rs:9:3 and b.rs:4:5`.
fn repeated_places_text(others: &[&Finding]) -> Option<String> {
    let places = others.iter().take(PLACES).map(|other| {
        let Diagnostic { file, range, .. } = &other.diagnostic;
        format!("{file}:{}:{}", range.start.line, range.start.column)
    });
    let places: Vec<String> = places.collect();
    let (last, first) = places.split_last()?;
    let named = match (others.len().saturating_sub(PLACES), first) {
        (0, []) => last.clone(),
        (0, first) => format!("{} and {last}", first.join(", ")),
        (more, _) => format!("{} and {more} more", places.join(", ")),
    };
    Some(format!("{} times: also at {named}", others.len() + 1))
}

/// The message broken where it and what the renderer puts before it would leave the line.
fn wrapped_heading(severity: Severity, rule: &str, message: &str, width: usize) -> String {
    let word = if severity == Severity::Error {
        "error"
    } else {
        "warning"
    };
    let prefix = format!("{word}[{rule}]: ");
    let whole = format!("{prefix}{}", visible(message));
    let wrapped = wrap_text(&whole, width.saturating_sub(INDENT.len()));
    wrapped
        .strip_prefix(&prefix)
        .unwrap_or(&wrapped)
        .replace('\n', &format!("\n{INDENT}"))
}

/// A range as the renderer wants it.
fn renderer_range(range: Range) -> std::ops::Range<usize> {
    let start = range.start.byte as usize;
    start..(range.end.byte as usize).max(start)
}
