//! A file whose costs take long: what is found without them is said first.

use tower_lsp::ls_types::request::WorkspaceDiagnosticRefresh;
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity};

use serde_json::json;
use visa_tests::corpus::{self, Kind};

use super::diagnostics::{published, pull, report, rules};
use super::support::{Setup, in_process_without_costs_first, untitled};

/// Operations of the kernel: more than those of a file whose costs never take long.
const OPERATIONS: usize = 150;

/// A kernel of many operations with faults, and one whose store is slow, which its costs tell.
fn text() -> String {
    let slow = visa_tests::read(
        &visa_tests::repository().join("fixtures/violations/slow_transfer/wrong.rs"),
    );
    let large = corpus::kernel(OPERATIONS, Kind::Faulty);
    format!("{large}\nmod slow {{\n{}}}\n", slow.replace("//!", "//"))
}

/// The first answer has all errors and lacks only what costs tell.
fn comes_first(first: &[Diagnostic], all: &[Diagnostic]) {
    assert!(first.len() < all.len(), "{}", first.len());
    let errors = |diagnostics: &[Diagnostic]| {
        let errors = diagnostics.iter();
        let errors = errors.filter(|found| found.severity == Some(DiagnosticSeverity::ERROR));
        errors.count()
    };
    assert_eq!(errors(first), errors(all));
    assert!(errors(first) > 0);
    for found in first {
        assert!(all.contains(found), "{found:?}");
    }
    let late: Vec<Diagnostic> = (all.iter().filter(|found| !first.contains(found)))
        .cloned()
        .collect();
    for rule in rules(&late) {
        let group = visa_analysis::find_rule(rule).map(|known| known.group);
        assert_eq!(group, Some(visa_analysis::Group::Performance), "{rule}");
    }
}

#[test]
fn what_needs_no_costs_is_published_first() {
    let text = text();
    let mut client = Setup::utf16()
        .pushed()
        .start(in_process_without_costs_first());
    let uri = untitled("large.rs");
    client.open(&uri, &text);
    let first = published(&mut client, &uri);
    let needs_costs = |rule: &str| {
        let group = visa_analysis::find_rule(rule).map(|known| known.group);
        group == Some(visa_analysis::Group::Performance)
    };
    // The check of the workspace may be faster than that of the document: then all is said at once, and no part of it behind.
    if rules(&first.diagnostics).into_iter().any(needs_costs) {
        client.finish();
        return;
    }
    // The settings, which are read meanwhile, publish the first one again.
    let mut all = first.clone();
    while all.diagnostics == first.diagnostics {
        all = published(&mut client, &uri);
        assert_eq!(first.version, all.version);
    }
    comes_first(&first.diagnostics, &all.diagnostics);
    client.finish();
}

#[test]
fn what_needs_no_costs_is_pulled_first() {
    let text = text();
    let mut client = Setup::utf16()
        .with(
            "/capabilities/workspace/diagnostics/refreshSupport",
            json!(true),
        )
        .start(in_process_without_costs_first());
    let uri = untitled("large.rs");
    client.open(&uri, &text);
    let first = pull(&mut client, &uri);
    // The first one may be about the settings, which were read meanwhile.
    let mut all = first.clone();
    while all == first {
        let (id, ()) = client.server_request::<WorkspaceDiagnosticRefresh>();
        client.answer(&id, &json!(null));
        all = pull(&mut client, &uri);
    }
    comes_first(&first, &all);
    client.ignore("workspace/diagnostic/refresh");
    client.finish();
}

/// A client that cannot be asked to pull again is told all.
#[test]
fn a_client_without_refresh_waits_for_all() {
    let text = text();
    let mut client = Setup::utf16().in_process();
    let uri = untitled("large.rs");
    client.open(&uri, &text);
    let all = report(&mut client, &uri, None);
    let again = report(&mut client, &uri, all["resultId"].as_str());
    assert_eq!(again["kind"], "unchanged");
    client.finish();
}
