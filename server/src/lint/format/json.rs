//! One JSON object, the same bytes for the same findings.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use visa_analysis::{Applicability, Confirmer, Diagnostic, NotFollowed};

use crate::json::{Range, pretty, range};
use crate::lint::outline::{DialectOf, Finding, NotLookedAt, Outline};
use crate::project::Failure;

/// What `visa-lint check --format json` prints.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Document<'a> {
    version: u32,
    tool: Tool,
    files: u64,
    kernels: u64,
    configured_out: u64,
    operations: Operations,
    diagnostics: Vec<Entry<'a>>,
    unresolved: Vec<Unresolved<'a>>,
    /// Files of which no operation was looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_followed: Vec<NotFollowedFile<'a>>,
    dialects: Vec<Dialect<'a>>,
    /// What was checked by language, where that is not Rust alone.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    languages: BTreeMap<&'static str, OfLanguage>,
    /// What could not be checked, and why; the exit code is then 2.
    errors: &'a [&'a str],
    /// How many findings are not among `diagnostics`, because `--max-diagnostics` allows no more.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Statistics<'a>>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Tool {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Operations {
    resolved: u64,
    unresolved: u64,
}

/// What was checked of one language.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OfLanguage {
    files: u64,
    kernels: u64,
    operations: Operations,
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

/// A file of which no operation was looked at.
#[derive(Serialize, JsonSchema)]
pub(crate) struct NotFollowedFile<'a> {
    file: &'a str,
    /// How many operations it has.
    operations: u64,
    /// Why most of them were not looked at.
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
    related: Vec<Related<'a>>,
    fixes: Vec<Fix<'a>>,
    suppressed: bool,
    confirmed_by: Option<&'static str>,
}

#[derive(Serialize, JsonSchema)]
struct Related<'a> {
    message: &'a str,
    file: &'a str,
    range: Range,
}

#[derive(Serialize, JsonSchema)]
struct Fix<'a> {
    title: &'a str,
    applicability: &'static str,
    edits: Vec<Edit<'a>>,
    /// What it does to the cycles of the function; `null` where that is not known, and of sure fixes.
    cost: Option<FixCost>,
}

#[derive(Serialize, JsonSchema)]
struct FixCost {
    /// Cycles before.
    before: u64,
    /// Cycles after.
    after: u64,
}

#[derive(Serialize, JsonSchema)]
struct Edit<'a> {
    file: &'a str,
    start_byte: u32,
    end_byte: u32,
    text: &'a str,
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
    version: u32,
    tool: Tool,
    files: u64,
    kernels: u64,
    configured_out: u64,
    operations: Operations,
    /// Files of which no operation was looked at.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_followed: Vec<NotFollowedFile<'a>>,
    dialects: Vec<Dialect<'a>>,
    /// What was checked by language, where that is not Rust alone.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    languages: BTreeMap<&'static str, OfLanguage>,
    /// What could not be checked, and why; the exit code is then 2.
    errors: &'a [&'a str],
    /// How many findings have no line, because `--max-diagnostics` allows no more.
    #[serde(skip_serializing_if = "is_zero")]
    left_out: u64,
    /// Counts, with `--statistics`.
    #[serde(skip_serializing_if = "Option::is_none")]
    statistics: Option<Statistics<'a>>,
}

/// Whether nothing is left out, which is not written.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde gives a reference")]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// Renders everything as a line each, suppressed findings too.
pub(crate) fn render_lines(outline: &Outline<'_>, statistics: bool) -> Result<String, Failure> {
    let findings = outline.written().map(entry).map(Box::new);
    let unresolved = outline.unresolved.iter().map(unresolved);
    let whole = document(outline, statistics);
    let summary = Summary {
        version: whole.version,
        tool: whole.tool,
        files: whole.files,
        kernels: whole.kernels,
        configured_out: whole.configured_out,
        operations: whole.operations,
        not_followed: whole.not_followed,
        dialects: whole.dialects,
        languages: whole.languages,
        errors: whole.errors,
        left_out: whole.left_out,
        statistics: whole.statistics,
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
pub(crate) fn render(outline: &Outline<'_>, statistics: bool) -> Result<String, Failure> {
    pretty(&document(outline, statistics))
}

fn document<'a>(outline: &Outline<'a>, statistics: bool) -> Document<'a> {
    Document {
        version: 1,
        tool: Tool {
            name: "visa-lint",
            version: env!("CARGO_PKG_VERSION"),
        },
        files: outline.files,
        kernels: outline.kernels,
        configured_out: outline.configured_out,
        operations: Operations {
            resolved: outline.operations.resolved,
            unresolved: outline.operations.unresolved,
        },
        diagnostics: outline.written().map(entry).collect(),
        unresolved: outline.unresolved.iter().map(unresolved).collect(),
        not_followed: outline.not_followed.iter().map(not_followed).collect(),
        dialects: outline.dialects.iter().map(dialect).collect(),
        languages: languages(outline),
        errors: outline.errors,
        left_out: outline.left_out(),
        statistics: statistics.then(|| Statistics {
            rules: outline.by_rule(),
            unresolved: &outline.operations.reasons,
        }),
    }
}

/// What was checked by language, where that is not Rust alone.
fn languages(outline: &Outline<'_>) -> BTreeMap<&'static str, OfLanguage> {
    let counts = outline.of_languages().into_iter().flatten();
    let counts = counts.map(|(language, counts)| {
        let of_language = OfLanguage {
            files: counts.files,
            kernels: counts.kernels,
            operations: Operations {
                resolved: counts.operations.resolved,
                unresolved: counts.operations.unresolved,
            },
        };
        (language.name(), of_language)
    });
    counts.collect()
}

/// An operation that was not looked at, as the document has it.
pub(crate) fn unresolved(operation: &NotLookedAt) -> Unresolved<'_> {
    Unresolved {
        file: &operation.file,
        range: range(operation.place.range),
        what: &operation.place.what,
        reason: &operation.place.reason,
    }
}

fn not_followed(file: &NotFollowed) -> NotFollowedFile<'_> {
    NotFollowedFile {
        file: &file.file,
        operations: file.operations,
        reason: &file.reason,
    }
}

fn dialect<'a>(known: &'a DialectOf<'_>) -> Dialect<'a> {
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
pub(crate) fn entry(finding: &Finding) -> Entry<'_> {
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
        range: range(finding.diagnostic.range),
        related: finding
            .diagnostic
            .related
            .iter()
            .map(|related| Related {
                message: &related.message,
                file: &related.file,
                range: range(related.range),
            })
            .collect(),
        fixes: finding.diagnostic.fixes.iter().map(fix).collect(),
        suppressed: *suppressed,
        confirmed_by: confirmed_by.map(Confirmer::name),
    }
}

fn fix(fix: &visa_analysis::DiagnosticFix) -> Fix<'_> {
    Fix {
        title: &fix.title,
        applicability: match fix.applicability {
            Applicability::Machine => "machine",
            Applicability::Maybe => "maybe",
        },
        edits: fix
            .edits
            .iter()
            .map(|edit| Edit {
                file: &edit.file,
                start_byte: edit.start_byte,
                end_byte: edit.end_byte,
                text: &edit.text,
            })
            .collect(),
        cost: fix.cost.map(|cost| FixCost {
            before: cost.before,
            after: cost.after,
        }),
    }
}
