//! SARIF 2.1.0, the standard's file for static analysis: code scanning, viewers, merging of reports.
//!
//! The whole catalogue stands in the file as rule metadata. Suppressed findings are results with a suppression. Regions carry
//! lines and columns in characters and bytes as well, so that a consumer may use either.

mod document;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;

use visa_analysis::{
    Applicability, Diagnostic, DiagnosticFix, FileEdit, Level, Range, Rule, all_rules, rule_url,
};

use self::document::{
    ArtifactChange, ArtifactLocation, Configuration, Descriptor, Driver, Fingerprints, Fix,
    FixProperties, Help, Invocation, Location, Log, Notification, Operations, Outcome, OwnedText,
    PhysicalLocation, Region, Replacement, RuleProperties, RuleReference, Run, RunProperties,
    Suppression, Text, Tool,
};
use super::json::pretty;
use super::lines::LineIndices;
use super::whole_text;
use crate::lint::Failure;
use crate::lint::check::{Finding, NotLookedAt, Outline, UNRESOLVED_OPERATION};
use crate::lint::fingerprint::{Fingerprint, fingerprints, portable_path};

const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Renders everything, suppressed findings too: they say so.
pub(crate) fn render(outline: &Outline<'_>) -> Result<String, Failure> {
    let indices: HashMap<&str, usize> = all_rules()
        .enumerate()
        .map(|(index, rule)| (rule.name, index))
        .collect();
    let mut lines = LineIndices::new(outline.texts);
    let fingerprints = fingerprints(outline.findings, outline.texts);
    let results = outline
        .findings
        .iter()
        .zip(&fingerprints)
        .map(|(finding, fingerprint)| result(finding, fingerprint, &indices, &mut lines))
        .collect();
    let version = env!("CARGO_PKG_VERSION");
    pretty(&Log {
        schema: SCHEMA,
        version: "2.1.0",
        runs: [Run {
            tool: Tool {
                driver: Driver {
                    name: "visa-lint",
                    version,
                    semantic_version: version,
                    information_uri: env!("CARGO_PKG_REPOSITORY"),
                    rules: all_rules().map(descriptor).collect(),
                },
            },
            invocations: [Invocation {
                execution_successful: outline.complete,
                tool_execution_notifications: outline
                    .unresolved
                    .iter()
                    .map(|operation| notification(operation, &indices))
                    .collect(),
            }],
            column_kind: "unicodeCodePoints",
            results,
            properties: RunProperties {
                files: outline.files,
                kernels: outline.kernels,
                operations: Operations {
                    resolved: outline.operations.resolved,
                    unresolved: outline.operations.unresolved,
                },
            },
        }],
    })
}

/// The standard's word for a level. A rule that is allowed is not enabled, and would report notes.
const fn level_name(level: Level) -> &'static str {
    match level {
        Level::Deny => "error",
        Level::Warn => "warning",
        Level::Allow => "note",
    }
}

fn descriptor(rule: &Rule) -> Descriptor {
    let level = rule.default_level();
    Descriptor {
        id: rule.name,
        short_description: OwnedText {
            text: rule.summary().into_owned(),
        },
        full_description: OwnedText {
            text: rule.why().into_owned(),
        },
        help: help(rule),
        help_uri: rule_url(rule.name),
        default_configuration: Configuration {
            enabled: level != Level::Allow,
            level: level_name(level),
        },
        properties: RuleProperties {
            tags: [rule.group.name()],
            heading: rule.heading,
        },
    }
}

/// The plain text is for viewers without Markdown, to which kernels in one block of prose would say little.
fn help(rule: &Rule) -> Help {
    let (why, heading) = (rule.why(), rule.heading);
    let (wrong, right) = (rule.wrong.trim_end(), rule.right.trim_end());
    Help {
        text: format!("{why}\n\nStated in: {heading}"),
        markdown: format!(
            "{why}\n\nStated in: {heading}\n\nWrong:\n\n```rust\n{wrong}\n```\n\nRight:\n\n```rust\n{right}\n```\n"
        ),
    }
}

fn result<'a>(
    finding: &'a Finding,
    fingerprint: &Fingerprint,
    indices: &HashMap<&str, usize>,
    lines: &mut LineIndices<'_>,
) -> Outcome<'a> {
    let diagnostic = &finding.diagnostic;
    let related = diagnostic.related.iter().zip(1..);
    let suppression = diagnostic
        .suppressed
        .then_some(Suppression { kind: "inSource" });
    Outcome {
        rule_id: diagnostic.rule,
        rule_index: indices.get(diagnostic.rule).copied(),
        level: level_name(finding.level),
        message: OwnedText {
            text: whole_text(diagnostic),
        },
        locations: [Location {
            id: None,
            physical_location: place(&diagnostic.file, diagnostic.range),
            message: None,
        }],
        related_locations: related
            .map(|(related, id)| Location {
                id: Some(id),
                physical_location: place(&related.file, related.range),
                message: Some(Text {
                    text: &related.message,
                }),
            })
            .collect(),
        partial_fingerprints: Fingerprints {
            own: fingerprint.to_string(),
        },
        fixes: fixes(diagnostic, lines),
        suppressions: suppression.into_iter().collect(),
    }
}

/// An operation that was not looked at.
fn notification(operation: &NotLookedAt, indices: &HashMap<&str, usize>) -> Notification<'static> {
    Notification {
        associated_rule: RuleReference {
            id: UNRESOLVED_OPERATION,
            index: indices.get(UNRESOLVED_OPERATION).copied(),
        },
        level: "note",
        message: OwnedText {
            text: operation.words(),
        },
        locations: [Location {
            id: None,
            physical_location: place(&operation.file, operation.place.range),
            message: None,
        }],
    }
}

fn place(file: &str, range: Range) -> PhysicalLocation {
    PhysicalLocation {
        artifact_location: artifact(file),
        region: region(range),
    }
}

fn region(Range { start, end }: Range) -> Region {
    Region {
        start_line: start.line,
        start_column: start.column,
        end_line: end.line,
        end_column: end.column,
        byte_offset: start.byte,
        byte_length: end.byte.saturating_sub(start.byte),
    }
}

fn fixes<'a>(diagnostic: &'a Diagnostic, lines: &mut LineIndices<'_>) -> Vec<Fix<'a>> {
    // A change without replacements is not a fix in the standard's sense.
    let fixes = diagnostic.fixes.iter().filter(|fix| !fix.edits.is_empty());
    fixes
        .map(|fix| Fix {
            description: Text { text: &fix.title },
            artifact_changes: changes(fix, lines),
            properties: FixProperties {
                applicability: match fix.applicability {
                    Applicability::Machine => "machine",
                    Applicability::Maybe => "maybe",
                },
            },
        })
        .collect()
}

/// The edits of a fix by file; in a file, as the standard wants, in no overlap and each in terms of the old text.
fn changes<'a>(fix: &'a DiagnosticFix, lines: &mut LineIndices<'_>) -> Vec<ArtifactChange<'a>> {
    let mut by_file: BTreeMap<&str, Vec<&FileEdit>> = BTreeMap::new();
    for edit in &fix.edits {
        by_file.entry(&edit.file).or_default().push(edit);
    }
    by_file
        .into_iter()
        .map(|(file, edits)| ArtifactChange {
            artifact_location: artifact(file),
            replacements: edits
                .into_iter()
                .map(|edit| Replacement {
                    deleted_region: region(Range {
                        start: lines.position(file, edit.start_byte),
                        end: lines.position(file, edit.end_byte),
                    }),
                    inserted_content: Text { text: &edit.text },
                })
                .collect(),
        })
        .collect()
}

/// The file as a URI: relative below the current folder, which consumers take for the repository.
fn artifact(file: &str) -> ArtifactLocation {
    ArtifactLocation {
        uri: uri(&portable_path(file), cfg!(windows)),
    }
}

/// `windows` tells whether `C:/` begins with a drive: elsewhere it is a folder of that name.
fn uri(path: &str, windows: bool) -> String {
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
    use super::uri;

    #[test]
    fn paths_become_uris() {
        assert_eq!(
            uri("kernels/a b#1:ü%.rs", false),
            "kernels/a%20b%231%3A%C3%BC%25.rs"
        );
        assert_eq!(uri("/x/a.rs", false), "file:///x/a.rs");
        assert_eq!(uri("C:/x/a.rs", true), "file:///C:/x/a.rs");
        assert_eq!(uri("k:1.rs", false), "k%3A1.rs");
        assert_eq!(uri("../a.rs", false), "../a.rs");
    }
}
