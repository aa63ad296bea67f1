//! JUnit XML: a test suite a checked file, a test case a finding.
//!
//! A finding at level deny is a failure, as it fails the run; one at level warn is a test case that passed with output. A
//! file without findings is one test case that passed, so that a viewer shows that it was checked. An operation that was not
//! looked at is a test case that was skipped.

use std::collections::BTreeMap;

use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use visa_analysis::Level;

use super::common::{level_word, whole_text};
use crate::fingerprint::portable_path;
use crate::outline::{Finding, NotLookedAt, Outline, UNRESOLVED_OPERATION};
use crate::project::Failure;
use crate::words::xml_text;
use visa_analysis::counted;

/// Renders the findings that no suppression covers.
pub(crate) fn render_junit(outline: &Outline<'_>) -> Result<String, Failure> {
    let mut by_file: BTreeMap<&str, Vec<&Finding>> = outline
        .reported
        .iter()
        .map(|file| (file.as_str(), Vec::new()))
        .collect();
    let mut left_out: BTreeMap<&str, u64> = BTreeMap::new();
    for finding in outline.unsuppressed_findings() {
        let of_file = by_file.entry(&finding.diagnostic.file).or_default();
        if finding.left_out {
            *left_out.entry(&finding.diagnostic.file).or_default() += 1;
        } else {
            of_file.push(finding);
        }
    }
    let mut skipped: BTreeMap<&str, Vec<&NotLookedAt>> = BTreeMap::new();
    // Where findings say it, it is said.
    let unresolved = outline.unresolved.iter();
    for operation in unresolved.filter(|_| !outline.shows_unresolved()) {
        skipped.entry(&operation.file).or_default().push(operation);
    }
    let mut report = Report::new("visa-lint");
    for (file, findings) in by_file {
        let skipped = skipped.remove(file).unwrap_or_default();
        let left_out = left_out.remove(file).unwrap_or_default();
        report.add_test_suite(suite(&portable_path(file), &findings, &skipped, left_out));
    }
    report
        .to_string()
        .map_err(|error| Failure::new(format!("cannot write XML: {error}")))
}

fn suite(file: &str, findings: &[&Finding], skipped: &[&NotLookedAt], left_out: u64) -> TestSuite {
    let mut suite = TestSuite::new(xml_text(file));
    suite.add_test_cases(findings.iter().map(|finding| case(file, finding)));
    suite.add_test_cases(
        skipped
            .iter()
            .map(|operation| skipped_case(file, operation)),
    );
    if left_out > 0 {
        // A file whose findings are not written has not passed.
        let mut status = TestCaseStatus::skipped();
        let findings = counted(left_out, "more finding");
        status.set_message(format!("left out by --max-diagnostics: {findings}"));
        let mut case = TestCase::new("visa-lint", status);
        case.set_classname(xml_text(file));
        suite.add_test_case(case);
    } else if findings.is_empty() && skipped.is_empty() {
        let mut case = TestCase::new("visa-lint", TestCaseStatus::success());
        case.set_classname(xml_text(file));
        suite.add_test_case(case);
    }
    suite
}

fn case(file: &str, finding: &Finding) -> TestCase {
    let diagnostic = &finding.diagnostic;
    let start = diagnostic.range.start;
    let level = level_word(finding.level);
    let text = xml_text(&format!(
        "{file}:{}:{}: {level}[{}] {}",
        start.line,
        start.column,
        diagnostic.rule,
        whole_text(diagnostic)
    ));
    let mut case = if finding.level == Level::Deny {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
        status
            .set_message(xml_text(&diagnostic.message))
            .set_type(diagnostic.rule)
            .set_description(text);
        TestCase::new(case_name(finding), status)
    } else {
        let mut case = TestCase::new(case_name(finding), TestCaseStatus::success());
        case.set_system_out(text);
        case
    };
    case.set_classname(xml_text(file));
    case
}

/// An operation that was not looked at: a test that did not run.
fn skipped_case(file: &str, operation: &NotLookedAt) -> TestCase {
    let start = operation.place.range.start;
    let mut status = TestCaseStatus::skipped();
    status.set_message(xml_text(&operation.place_and_reason()));
    let name = format!("{UNRESOLVED_OPERATION} at {}:{}", start.line, start.column);
    let mut case = TestCase::new(name, status);
    case.set_classname(xml_text(file));
    case
}

/// Two cases of a file must differ in their names, or viewers merge them.
fn case_name(finding: &Finding) -> String {
    let start = finding.diagnostic.range.start;
    format!(
        "{} at {}:{}",
        finding.diagnostic.rule, start.line, start.column
    )
}
