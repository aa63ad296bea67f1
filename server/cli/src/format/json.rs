//! One JSON object, the same bytes for the same findings.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{
    Confirmer, Diagnostic, DiagnosticFix, LanguageCounts, NotFollowed, OperationCounts, Range,
    RelatedPlace,
};

use crate::documents::json::pretty;
use crate::outline::{DialectOf, Finding, NotLookedAt, Outline};
use crate::project::Failure;

/// What `visa-lint check --format json` prints.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    #[serde(flatten)]
    counts: Counts<'a>,
    diagnostics: Vec<Entry<'a>>,
    unresolved: Vec<Unresolved<'a>>,
    #[serde(flatten)]
    rest: Rest<'a>,
}

/// Who checked, and how much.
#[derive(Serialize, JsonSchema)]
struct Counts<'a> {
    version: u32,
    tool: Tool,
    files: u64,
    kernels: u64,
    configured_out: u64,
    operations: &'a OperationCounts,
}

/// What was not checked, and by which libraries and languages the rest was.
#[derive(Serialize, JsonSchema)]
struct Rest<'a> {
    /// Files in which no operation was looked at.
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    not_followed: &'a [NotFollowed],
    dialects: Vec<Dialect<'a>>,
    /// What was checked by language, where that is not Rust alone.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    languages: BTreeMap<&'static str, &'a LanguageCounts>,
    /// What could not be checked, and why; the exit code is then 2.
    errors: &'a [&'a str],
    /// How many findings are left out, because `--max-diagnostics` allows no more.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    /// Counts, with `--statistics`.
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Statistics<'a>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Statistics<'a> {
    rules: BTreeMap<&'static str, u64>,
    unresolved: &'a BTreeMap<String, u64>,
}

/// An operation that was not looked at.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Unresolved<'a> {
    file: &'a str,
    range: Range,
    what: &'a str,
    reason: &'a str,
}

/// The library that a crate is written for.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Dialect<'a> {
    #[serde(rename = "crate")]
    krate: &'a str,
    dialect: &'static str,
    release: Option<&'a str>,
    because: &'a str,
    /// The known release that is read, where the crate's own is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    read_as: Option<String>,
    files: &'a [String],
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Entry<'a> {
    rule: &'a str,
    group: &'static str,
    level: &'static str,
    message: &'a str,
    notes: &'a [String],
    help: Option<&'a str>,
    /// The address of the rule's page, where a release names one.
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    file: &'a str,
    range: Range,
    related: &'a [RelatedPlace],
    fixes: &'a [DiagnosticFix],
    suppressed: bool,
    confirmed_by: Option<&'static str>,
}

/// What `visa-lint check --format jsonl` prints a line.
#[derive(Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Line<'a> {
    /// A finding, suppressed ones included.
    Finding(Box<Entry<'a>>),
    /// An operation that was not looked at.
    Unresolved(Unresolved<'a>),
    /// The last line: what was checked.
    Summary(Summary<'a>),
}

/// What was checked.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Summary<'a> {
    #[serde(flatten)]
    counts: Counts<'a>,
    #[serde(flatten)]
    rest: Rest<'a>,
}

/// Whether nothing is left out, which is not written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Renders everything as a line each, suppressed findings too.
pub(crate) fn render_lines(outline: &Outline<'_>, statistics: bool) -> Result<String, Failure> {
    let findings = outline.written_findings().map(finding_json).map(Box::new);
    let unresolved = outline.unresolved.iter().map(unresolved_json);
    let summary = Summary {
        counts: counts(outline),
        rest: rest(outline, statistics),
    };
    let lines = findings
        .map(Line::Finding)
        .chain(unresolved.map(Line::Unresolved))
        .chain([Line::Summary(summary)]);
    let mut text = String::new();
    for line in lines {
        let line = serde_json::to_string(&line);
        let line = line.map_err(|error| Failure::new(format!("cannot write JSON: {error}")))?;
        text.push_str(&line);
        text.push('\n');
    }
    Ok(text)
}

/// Renders everything, suppressed findings too: they say so.
pub(crate) fn render_json(outline: &Outline<'_>, statistics: bool) -> Result<String, Failure> {
    pretty(&Document {
        counts: counts(outline),
        diagnostics: outline.written_findings().map(finding_json).collect(),
        unresolved: outline.unresolved.iter().map(unresolved_json).collect(),
        rest: rest(outline, statistics),
    })
}

fn counts<'a>(outline: &'a Outline<'_>) -> Counts<'a> {
    Counts {
        version: 1,
        tool: Tool {
            name: "visa-lint",
            version: env!("CARGO_PKG_VERSION"),
        },
        files: outline.files,
        kernels: outline.kernels,
        configured_out: outline.configured_out,
        operations: outline.operations,
    }
}

fn rest<'a>(outline: &'a Outline<'_>, statistics: bool) -> Rest<'a> {
    let languages = outline.of_languages().into_iter().flatten();
    Rest {
        not_followed: outline.not_followed,
        dialects: outline.dialects.iter().map(dialect_json).collect(),
        languages: languages
            .map(|(language, counts)| (language.name(), counts))
            .collect(),
        errors: outline.errors,
        left_out: outline.left_out(),
        statistics: statistics.then(|| Statistics {
            rules: outline.by_rule(),
            unresolved: &outline.operations.reasons,
        }),
    }
}

/// An operation that was not looked at, as the document has it.
pub(crate) fn unresolved_json(operation: &NotLookedAt) -> Unresolved<'_> {
    Unresolved {
        file: &operation.file,
        range: operation.place.range,
        what: &operation.place.what,
        reason: &operation.place.reason,
    }
}

fn dialect_json<'a>(known: &'a DialectOf<'_>) -> Dialect<'a> {
    Dialect {
        krate: &known.krate,
        dialect: known.library.dialect.library.name(),
        release: known.library.release.as_deref(),
        because: &known.library.because,
        read_as: (known.library.is_unknown).then(|| known.library.dialect.release.to_string()),
        files: &known.files,
    }
}

/// A finding, as the document has it.
pub(crate) fn finding_json(finding: &Finding) -> Entry<'_> {
    let Diagnostic {
        rule,
        group,
        message,
        notes,
        help,
        url,
        file,
        suppressed,
        confirmed_by,
        ..
    } = &finding.diagnostic;
    Entry {
        rule,
        group: group.name(),
        level: finding.level.name(),
        message,
        notes,
        help: help.as_deref(),
        url: url.as_deref(),
        file,
        range: finding.diagnostic.range,
        related: &finding.diagnostic.related,
        fixes: &finding.diagnostic.fixes,
        suppressed: *suppressed,
        confirmed_by: confirmed_by.map(Confirmer::name),
    }
}
