//! SARIF 2.1.0, the standard's file for static analysis: code scanning, viewers, merging of reports.
//!
//! The rules that something is said of are described in the file. Suppressed findings are results with a suppression. Regions carry
//! lines and columns in characters and bytes as well, so that a consumer may use either.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

use serde_sarif::sarif;
use visa_analysis::{
    Applicability, Diagnostic, DiagnosticFix, FileEdit, Level, RUN_RULES, Range, Rule, RunRule,
    all_rules, documentation_url, rule_url,
};

use super::common::whole_text;
use super::lines::LineIndices;
use crate::documents::json::pretty;
use crate::fingerprint::{Fingerprint, fingerprints, portable_path};
use crate::outline::{Finding, NotLookedAt, Outline, UNRESOLVED_OPERATION};
use crate::project::Failure;
use visa_analysis::RuleTexts as _;

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// The name of our fingerprints among those of a result.
const FINGERPRINT: &str = "visaLint/v1";

/// Renders everything, suppressed findings too: they say so.
pub(crate) fn render_sarif(outline: &Outline<'_>) -> Result<String, Failure> {
    let rules = occurring(outline);
    let indices: HashMap<&str, usize> = (rules.iter())
        .enumerate()
        .map(|(index, rule)| (rule.id.as_str(), index))
        .collect();
    let mut lines = LineIndices::new(outline.texts);
    let fingerprints = fingerprints(outline.findings, outline.texts);
    let results = outline
        .findings
        .iter()
        .zip(&fingerprints)
        .filter(|(finding, _)| !finding.left_out)
        .map(|(finding, fingerprint)| finding_result(finding, fingerprint, &indices, &mut lines));
    let invocation = sarif::Invocation::builder()
        .execution_successful(outline.complete)
        .tool_execution_notifications(
            outline
                .unresolved
                .iter()
                .map(|operation| notification(operation, &indices))
                .chain(outline.left_out_words().map(left_out))
                .collect::<Vec<_>>(),
        )
        .build();
    let operations = serde_json::json!({
        "resolved": outline.operations.resolved,
        "unresolved": outline.operations.unresolved,
    });
    let run = sarif::Run::builder()
        .tool(sarif::Tool::builder().driver(driver(&rules)).build())
        .invocations(vec![invocation])
        .column_kind("unicodeCodePoints")
        .results(results.collect::<Vec<_>>())
        .properties(properties([
            ("files", outline.files.into()),
            ("kernels", outline.kernels.into()),
            ("operations", operations),
            ("notFollowed", outline.not_followed_words().into()),
        ]))
        .build();
    pretty(
        &sarif::Sarif::builder()
            .schema(SCHEMA)
            .version("2.1.0")
            .runs(vec![run])
            .build(),
    )
}

/// The rules of the findings in the catalogue's order, then those of runs. Descriptions of all rules would be many times the size of the
/// findings.
fn occurring(outline: &Outline<'_>) -> Vec<sarif::ReportingDescriptor> {
    let found = outline.written_findings();
    let mut names: HashSet<&str> = found.map(|found| found.diagnostic.rule).collect();
    if !outline.unresolved.is_empty() {
        names.insert(UNRESOLVED_OPERATION);
    }
    let checked = all_rules().filter(|rule| names.contains(rule.name));
    let executed = RUN_RULES.iter().filter(|rule| names.contains(rule.name));
    checked
        .map(rule_descriptor)
        .chain(executed.map(run_rule_descriptor))
        .collect()
}

fn driver(rules: &[sarif::ReportingDescriptor]) -> sarif::ToolComponent {
    let version = env!("CARGO_PKG_VERSION");
    let mut driver = sarif::ToolComponent::builder()
        .name("visa-lint")
        .version(version)
        .semantic_version(version)
        .rules(rules)
        .build();
    driver.information_uri = documentation_url("index.html");
    driver
}

/// Properties that the standard has no place for.
fn properties<const N: usize>(properties: [(&str, serde_json::Value); N]) -> sarif::PropertyBag {
    let properties = properties.into_iter();
    sarif::PropertyBag {
        additional_properties: properties
            .map(|(name, value)| (name.to_owned(), value))
            .collect(),
        ..Default::default()
    }
}

/// The standard's word for a level. A rule that is allowed is not enabled, and would report notes.
const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Allow => "note",
    }
}

const fn result_level(level: Level) -> sarif::ResultLevel {
    match level {
        Level::Deny => sarif::ResultLevel::Error,
        Level::Warn => sarif::ResultLevel::Warning,
        Level::Allow => sarif::ResultLevel::Note,
    }
}

fn rule_descriptor(rule: &Rule) -> sarif::ReportingDescriptor {
    let level = rule.default_level();
    let (why, heading) = (rule.why(), rule.heading);
    let (fence, stated) = (
        rule.example_language().fence(),
        format!("Stated in: {heading}"),
    );
    sarif::ReportingDescriptor {
        help: Some(help(
            &format!("{why}\n\n{stated}"),
            (fence, rule.wrong, rule.right),
        )),
        help_uri: rule_url(rule.name),
        properties: Some(sarif::PropertyBag {
            tags: Some(vec![rule.group.name().to_owned()]),
            ..properties([("heading", heading.into())])
        }),
        ..descriptor(rule.name, level, (&rule.summary(), &why))
    }
}

/// The description of a rule that only an execution applies.
fn run_rule_descriptor(rule: &RunRule) -> sarif::ReportingDescriptor {
    let why = rule.why.join("\n\n");
    sarif::ReportingDescriptor {
        help: Some(help(&why, ("rust", rule.wrong, rule.right))),
        help_uri: documentation_url("run.html"),
        ..descriptor(rule.name, Level::Deny, (rule.summary, &why))
    }
}

fn descriptor(
    name: &str,
    level: Level,
    (summary, why): (&str, &str),
) -> sarif::ReportingDescriptor {
    let text = |text: &str| {
        sarif::MultiformatMessageString::builder()
            .text(text)
            .build()
    };
    let configuration = sarif::ReportingConfiguration::builder()
        .enabled(level != Level::Allow)
        .level(level_name(level));
    sarif::ReportingDescriptor::builder()
        .id(name)
        .short_description(text(summary))
        .full_description(text(why))
        .default_configuration(configuration.build())
        .build()
}

/// The help of a rule. Its plain text is for viewers without Markdown, to which kernels in one block of prose would say little.
fn help(why: &str, (fence, wrong, right): (&str, &str, &str)) -> sarif::MultiformatMessageString {
    let (wrong, right) = (wrong.trim_end(), right.trim_end());
    sarif::MultiformatMessageString::builder()
        .text(why)
        .markdown(format!(
            "{why}\n\nWrong:\n\n```{fence}\n{wrong}\n```\n\nRight:\n\n```{fence}\n{right}\n```\n"
        ))
        .build()
}

fn finding_result(
    finding: &Finding,
    fingerprint: &Fingerprint,
    indices: &HashMap<&str, usize>,
    lines: &mut LineIndices<'_>,
) -> sarif::Result {
    let diagnostic = &finding.diagnostic;
    let related = diagnostic.related.iter().zip(1..);
    let related: Vec<_> = related
        .map(|(related, id)| sarif::Location {
            id: Some(id),
            physical_location: Some(place_in_file(&related.file, related.range)),
            message: Some(sarif_message(related.message.clone())),
            ..Default::default()
        })
        .collect();
    let fixes = sarif_fixes(diagnostic, lines);
    let suppression = || sarif::Suppression::builder().kind("inSource").build();
    // An empty list says that there is none; no list would say that it is unknown.
    let suppressions = diagnostic
        .suppressed
        .then(suppression)
        .into_iter()
        .collect();
    let fingerprint = (FINGERPRINT.to_owned(), fingerprint.to_string());
    sarif::Result {
        rule_id: Some(diagnostic.rule.to_owned()),
        rule_index: index_of(diagnostic.rule, indices),
        level: Some(result_level(finding.level)),
        locations: Some(vec![sarif_location(&diagnostic.file, diagnostic.range)]),
        related_locations: (!related.is_empty()).then_some(related),
        partial_fingerprints: Some(BTreeMap::from([fingerprint])),
        fixes: (!fixes.is_empty()).then_some(fixes),
        suppressions: Some(suppressions),
        ..sarif::Result::builder()
            .message(sarif_message(whole_text(diagnostic)))
            .build()
    }
}

fn index_of(rule: &str, indices: &HashMap<&str, usize>) -> Option<i64> {
    i64::try_from(*indices.get(rule)?).ok()
}

fn sarif_message(text: String) -> sarif::Message {
    sarif::Message {
        text: Some(text),
        ..Default::default()
    }
}

/// An operation that was not looked at.
fn notification(operation: &NotLookedAt, indices: &HashMap<&str, usize>) -> sarif::Notification {
    sarif::Notification {
        associated_rule: Some(sarif::ReportingDescriptorReference {
            id: Some(UNRESOLVED_OPERATION.to_owned()),
            index: index_of(UNRESOLVED_OPERATION, indices),
            ..Default::default()
        }),
        level: Some("note".into()),
        locations: Some(vec![sarif_location(&operation.file, operation.place.range)]),
        ..sarif::Notification::builder()
            .message(sarif_message(operation.place_and_reason()))
            .build()
    }
}

/// That not all findings are results.
fn left_out(words: String) -> sarif::Notification {
    sarif::Notification {
        level: Some("warning".into()),
        ..sarif::Notification::builder()
            .message(sarif_message(words))
            .build()
    }
}

fn sarif_location(file: &str, range: Range) -> sarif::Location {
    sarif::Location {
        physical_location: Some(place_in_file(file, range)),
        ..Default::default()
    }
}

fn place_in_file(file: &str, range: Range) -> sarif::PhysicalLocation {
    sarif::PhysicalLocation {
        artifact_location: Some(artifact(file)),
        region: Some(text_region(range)),
        ..Default::default()
    }
}

fn text_region(Range { start, end }: Range) -> sarif::Region {
    sarif::Region {
        start_line: Some(start.line.into()),
        start_column: Some(start.column.into()),
        end_line: Some(end.line.into()),
        end_column: Some(end.column.into()),
        byte_offset: Some(start.byte.into()),
        byte_length: Some(end.byte.saturating_sub(start.byte).into()),
        ..Default::default()
    }
}

fn sarif_fixes(diagnostic: &Diagnostic, lines: &mut LineIndices<'_>) -> Vec<sarif::Fix> {
    // A change without replacements is not a fix in the standard's sense.
    let fixes = diagnostic.fixes.iter().filter(|fix| !fix.edits.is_empty());
    fixes
        .map(|fix| sarif::Fix {
            description: Some(sarif_message(fix.priced_title())),
            artifact_changes: changes_by_file(fix, lines),
            properties: Some(properties([(
                "applicability",
                match fix.applicability {
                    Applicability::Machine => "machine",
                    Applicability::Maybe => "maybe",
                }
                .into(),
            )])),
        })
        .collect()
}

/// The edits of a fix by file; in a file, as the standard wants, in no overlap and each in terms of the old text.
fn changes_by_file(fix: &DiagnosticFix, lines: &mut LineIndices<'_>) -> Vec<sarif::ArtifactChange> {
    let mut by_file: BTreeMap<&str, Vec<&FileEdit>> = BTreeMap::new();
    for edit in &fix.edits {
        by_file.entry(&edit.file).or_default().push(edit);
    }
    let mut replacement = |file: &str, edit: &FileEdit| {
        let content = sarif::ArtifactContent::builder().text(&edit.text).build();
        sarif::Replacement::builder()
            .deleted_region(text_region(Range {
                start: lines.position(file, edit.start_byte),
                end: lines.position(file, edit.end_byte),
            }))
            .inserted_content(content)
            .build()
    };
    by_file
        .into_iter()
        .map(|(file, edits)| {
            let edits = edits.into_iter().map(|edit| replacement(file, edit));
            sarif::ArtifactChange::builder()
                .artifact_location(artifact(file))
                .replacements(edits.collect::<Vec<_>>())
                .build()
        })
        .collect()
}

/// The file as a URI: relative below the current folder, which consumers take for the repository.
fn artifact(file: &str) -> sarif::ArtifactLocation {
    sarif::ArtifactLocation {
        uri: Some(file_uri(&portable_path(file), cfg!(windows))),
        ..Default::default()
    }
}

/// `windows` tells whether `C:/` begins with a drive: elsewhere it is a folder of that name.
fn file_uri(path: &str, windows: bool) -> String {
    let drive = windows && path.as_bytes().get(1) == Some(&b':');
    let mut uri = String::from(match () {
        () if path.starts_with('/') => "file://",
        () if drive => "file:///",
        () => "",
    });
    for (at, byte) in path.bytes().enumerate() {
        let plain = byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte);
        if plain || (drive && at == 1) {
            uri.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::file_uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(
            file_uri("kernels/a b#1:ü%.rs", false),
            "kernels/a%20b%231%3A%C3%BC%25.rs"
        );
        assert_eq!(file_uri("/x/a.rs", false), "file:///x/a.rs");
        assert_eq!(file_uri("C:/x/a.rs", true), "file:///C:/x/a.rs");
        assert_eq!(file_uri("k:1.rs", false), "k%3A1.rs");
        assert_eq!(file_uri("../a.rs", false), "../a.rs");
    }
}
