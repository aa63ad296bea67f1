//! The report that GitLab's Code Quality widget compares between branches: a JSON array with an object a finding.

use serde::Serialize;
use visa_analysis::{Group, Level};

use super::common::whole_text;
use crate::documents::json::pretty;
use crate::fingerprint::{Fingerprint, fingerprints, portable_path};
use crate::outline::{Finding, Outline};
use crate::project::Failure;

#[derive(Serialize)]
struct Issue<'a> {
    description: String,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location,
}

#[derive(Serialize)]
struct Location {
    path: String,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u32,
    end: u32,
}

/// Renders the findings that no suppression covers.
pub(crate) fn render_gitlab(outline: &Outline<'_>) -> Result<String, Failure> {
    let fingerprints = fingerprints(outline.findings, outline.texts);
    let issues: Vec<_> = outline
        .findings
        .iter()
        .zip(&fingerprints)
        .filter(|(finding, _)| !finding.diagnostic.suppressed && !finding.left_out)
        .map(|(finding, fingerprint)| issue(finding, fingerprint))
        .collect();
    pretty(&issues)
}

fn issue<'a>(finding: &'a Finding, fingerprint: &Fingerprint) -> Issue<'a> {
    let diagnostic = &finding.diagnostic;
    Issue {
        description: whole_text(diagnostic),
        check_name: diagnostic.rule,
        fingerprint: fingerprint.to_string(),
        severity: gitlab_severity(finding.level, diagnostic.group),
        location: Location {
            path: portable_path(&diagnostic.file),
            lines: Lines {
                begin: diagnostic.range.start.line,
                end: diagnostic.range.end.line,
            },
        },
    }
}

/// GitLab's word for a level. What fails the run is critical; of the rest, what may be wrong weighs more than what is slow,
/// and that more than what reads badly.
fn gitlab_severity(level: Level, group: Group) -> &'static str {
    match (level, group) {
        (Level::Deny, _) => "critical",
        (_, Group::Style) => "info",
        (_, Group::Performance) => "minor",
        _ => "major",
    }
}
