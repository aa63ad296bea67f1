//! Findings in the editor: pulled and pushed, in their places, with what they carry.

use std::time::Duration;

use serde_json::{Value, json};
use tower_lsp::ls_types::notification::PublishDiagnostics;
use tower_lsp::ls_types::{
    Diagnostic, DiagnosticSeverity, DiagnosticTag, NumberOrString, PublishDiagnosticsParams, Uri,
};

use super::support::{Client, Setup, document, untitled, uri_of};
use super::texts::{Text, both, kernel, spiced};

/// An axis without a size, and a suppression that suppresses nothing.
pub(crate) const BROKEN: &str =
    "axes![Q = 0];\naxes![A = 8]; // visa-lint: allow(axis_size_zero)\n";

/// An axis that is declared twice.
const TWICE: &str = "axes![\n    Q = 4,\n    Q = 8,\n];\n";

/// The report that a client pulls for a document.
pub(crate) fn report(client: &mut Client, uri: &Uri, previous: Option<&str>) -> Value {
    client.request_raw(
        "textDocument/diagnostic",
        json!({ "textDocument": document(uri), "previousResultId": previous }),
    )
}

/// The diagnostics that a client pulls for a document.
pub(crate) fn pull(client: &mut Client, uri: &Uri) -> Vec<Diagnostic> {
    let report = report(client, uri, None);
    assert_eq!(report["kind"], "full", "{report}");
    serde_json::from_value(report["items"].clone()).unwrap()
}

/// The diagnostics that a client pulls for the workspace: the address and what is new, none where nothing is.
pub(crate) fn pull_workspace(
    client: &mut Client,
    previous: &[(String, String)],
) -> Vec<(String, Option<Vec<Diagnostic>>, Value)> {
    let previous: Vec<Value> = previous
        .iter()
        .map(|(uri, value)| json!({ "uri": uri, "value": value }))
        .collect();
    let params = json!({ "previousResultIds": previous });
    let mut report = client.request_raw("workspace/diagnostic", params);
    let items = report["items"].as_array_mut().unwrap().drain(..);
    let items = items.map(|item| {
        let full = item["kind"] == "full";
        let diagnostics = full.then(|| serde_json::from_value(item["items"].clone()).unwrap());
        let uri = item["uri"].as_str().unwrap().to_owned();
        (uri, diagnostics, item["resultId"].clone())
    });
    items.collect()
}

/// The rules of diagnostics.
pub(crate) fn rules(diagnostics: &[Diagnostic]) -> Vec<&str> {
    let rules = diagnostics.iter().map(|diagnostic| match &diagnostic.code {
        Some(NumberOrString::String(rule)) => rule.as_str(),
        _ => "",
    });
    rules.collect()
}

/// What the server publishes next for a document, of a version.
pub(crate) fn published(client: &mut Client, uri: &Uri) -> PublishDiagnosticsParams {
    let published = client.notification::<PublishDiagnostics>();
    assert_eq!(published.uri, *uri);
    published
}

#[test]
fn findings_stand_where_the_client_counts_them() {
    for (setup, utf8) in both() {
        let mut client = setup.in_process();
        let uri = untitled("broken.rs");
        let text = Text::new(spiced(BROKEN), utf8);
        client.open(&uri, &text.text);
        let diagnostics = pull(&mut client, &uri);
        assert_eq!(
            rules(&diagnostics),
            ["axis_size_zero", "unused_suppression"]
        );
        let [zero, unused] = diagnostics.as_slice() else {
            panic!("{diagnostics:?}");
        };
        assert_eq!(text.at(zero.range), "0");
        assert_eq!(zero.range.start, text.caret("Q = |0"));
        assert_eq!(zero.severity, Some(DiagnosticSeverity::ERROR));
        assert_eq!(zero.source.as_deref(), Some("visa-lint"));
        // No address is made up where no release names one.
        let named = option_env!("VISA_LINT_DOCS").is_some();
        assert_eq!(zero.code_description.is_some(), named);
        assert_eq!(zero.tags, None);
        assert_eq!(unused.severity, Some(DiagnosticSeverity::WARNING));
        assert_eq!(unused.tags, Some(vec![DiagnosticTag::UNNECESSARY]));
        assert!(text.at(unused.range).contains("axis_size_zero"));
        client.finish();
    }
}

/// Code that a condition leaves out is shown as such, to those who can tell it from a finding.
#[test]
fn code_that_is_left_out_is_shown_as_inactive() {
    let text = "axes![A = 8];\nfn a() {}\n#[cfg(any())]\nfn b() {\n    c();\n}\n#[cfg(any())]\nconst D: u8 = 1;\n";
    for (setup, utf8) in both() {
        let mut client = setup.in_process();
        let uri = untitled("inactive.rs");
        let text = Text::new(spiced(text), utf8);
        client.open(&uri, &text.text);
        let diagnostics = pull(&mut client, &uri);
        assert_eq!(rules(&diagnostics), ["inactive-code"]);
        let inactive = &diagnostics[0];
        assert!(text.at(inactive.range).contains("#[cfg(any())]"));
        assert!(text.at(inactive.range).contains("fn b()"));
        assert!(text.at(inactive.range).ends_with('}'));
        assert_eq!(inactive.severity, Some(DiagnosticSeverity::HINT));
        assert_eq!(inactive.tags, Some(vec![DiagnosticTag::UNNECESSARY]));
        assert!(inactive.message.contains("`#[cfg(any())]` does not hold"));
        client.finish();
    }
    let client = Setup::utf16().with("/capabilities/textDocument/publishDiagnostics", json!({}));
    let mut client = client.in_process();
    let uri = untitled("inactive.rs");
    client.open(&uri, text);
    assert_eq!(pull(&mut client, &uri), []);
    client.finish();
}

#[test]
fn a_finding_says_its_other_end_and_what_to_do() {
    for (setup, utf8) in both() {
        let mut client = setup.in_process();
        let uri = untitled("twice.rs");
        let text = Text::new(spiced(TWICE), utf8);
        client.open(&uri, &text.text);
        let diagnostics = pull(&mut client, &uri);
        assert_eq!(rules(&diagnostics), ["duplicate_axis"]);
        let related = diagnostics[0].related_information.as_ref().unwrap();
        assert_eq!(related[0].location.uri, uri);
        assert_eq!(related[0].location.range, text.range_of("Q"));
        assert_eq!(diagnostics[0].range.start, text.caret("|Q = 8"));
        client.finish();
    }
}

#[test]
fn a_client_without_related_places_reads_them_in_the_message() {
    let client = Setup::utf16().with("/capabilities/textDocument/publishDiagnostics", json!({}));
    let mut client = client.in_process();
    let uri = untitled("twice.rs");
    client.open(&uri, TWICE);
    let diagnostics = pull(&mut client, &uri);
    let [twice] = diagnostics.as_slice() else {
        panic!("{diagnostics:?}");
    };
    assert_eq!(twice.related_information, None);
    assert_eq!(twice.code_description, None);
    assert_eq!(twice.data, None);
    assert!(twice.message.lines().count() > 1, "{}", twice.message);
    client.finish();
}

#[test]
fn an_answer_that_did_not_change_is_not_sent_again() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("broken.rs");
    client.open(&uri, BROKEN);
    let first = report(&mut client, &uri, None);
    let id = first["resultId"].as_str().unwrap();
    let second = report(&mut client, &uri, Some(id));
    assert_eq!(second["kind"], "unchanged");
    assert_eq!(second["resultId"], first["resultId"]);
    // A blank at the end changes no finding; a line before them does.
    client.replace(&uri, 2, &format!("{BROKEN} "));
    assert_eq!(report(&mut client, &uri, Some(id))["kind"], "unchanged");
    client.replace(&uri, 3, &format!("\n{BROKEN}"));
    let moved = report(&mut client, &uri, Some(id));
    assert_eq!(moved["kind"], "full");
    assert_ne!(moved["resultId"], first["resultId"]);
    client.finish();
}

#[test]
fn suppressed_findings_are_not_shown() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("quiet.rs");
    client.open(&uri, "axes![Q = 0]; // visa-lint: allow(axis_size_zero)\n");
    assert_eq!(pull(&mut client, &uri), []);
    client.finish();
}

#[test]
fn the_workspace_is_pulled_with_what_was_known_before() {
    let folder = tempfile::tempdir().unwrap();
    let [one, two, fine] = ["one.rs", "two.rs", "fine.rs"].map(|name| folder.path().join(name));
    std::fs::write(&one, BROKEN).unwrap();
    std::fs::write(&two, BROKEN).unwrap();
    std::fs::write(&fine, "axes![A = 8];\n").unwrap();
    let mut client = Setup::utf16().folder(folder.path()).in_process();
    let first = pull_workspace(&mut client, &[]);
    let uris: Vec<&str> = first.iter().map(|(uri, _, _)| uri.as_str()).collect();
    assert_eq!(uris, [uri_of(&one).as_str(), uri_of(&two).as_str()]);
    for (_, diagnostics, _) in &first {
        let diagnostics = diagnostics.as_ref().unwrap();
        assert_eq!(rules(diagnostics), ["axis_size_zero", "unused_suppression"]);
    }
    // An open document's text wins over the disk.
    let open = uri_of(&two);
    client.open(&open, "axes![A = 8];\n");
    let known: Vec<(String, String)> = first
        .iter()
        .map(|(uri, _, id)| (uri.clone(), id.as_str().unwrap().to_owned()))
        .collect();
    let second = pull_workspace(&mut client, &known);
    assert_eq!(second.len(), 2, "{second:?}");
    assert_eq!(second[0].0, uri_of(&one).as_str());
    assert_eq!(second[0].1, None);
    assert_eq!(second[1].0, open.as_str());
    assert_eq!(second[1].1, Some(Vec::new()));
    client.finish();
}

#[test]
fn a_client_that_does_not_pull_is_told() {
    for (setup, utf8) in both() {
        let mut client = setup.pushed().in_process();
        assert_eq!(client.initialized.capabilities.diagnostic_provider, None);
        let uri = untitled("broken.rs");
        let text = Text::new(spiced(BROKEN), utf8);
        client.open(&uri, &text.text);
        let told = published(&mut client, &uri);
        assert_eq!(told.version, Some(1));
        assert_eq!(
            rules(&told.diagnostics),
            ["axis_size_zero", "unused_suppression"]
        );
        assert_eq!(told.diagnostics[0].range.start, text.caret("Q = |0"));
        client.replace(&uri, 2, "axes![Q = 8];\n");
        let told = published(&mut client, &uri);
        assert_eq!((told.version, told.diagnostics), (Some(2), Vec::new()));
        client.replace(&uri, 3, BROKEN);
        // A check of the workspace that begins with a change tells nothing of it once more.
        let told = published(&mut client, &uri);
        assert_eq!((told.version, told.diagnostics.len()), (Some(3), 2));
        // What is said of a document that is no file goes with it.
        client.close(&uri);
        let told = published(&mut client, &uri);
        assert_eq!((told.version, told.diagnostics), (None, Vec::new()));
        client.finish();
    }
}

#[test]
fn a_document_that_is_opened_again_is_told_of_again() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("broken.rs");
    std::fs::write(&file, BROKEN).unwrap();
    let mut client = Setup::utf16().pushed().folder(folder.path()).in_process();
    let uri = uri_of(&file);
    for _ in 0..3 {
        client.open(&uri, BROKEN);
        // The file was told of before, with the same findings, and the version is the same each time.
        let told = loop {
            let told = published(&mut client, &uri);
            if told.version.is_some() {
                break told;
            }
        };
        assert_eq!((told.version, told.diagnostics.len()), (Some(1), 2));
        client.close(&uri);
    }
    client.finish();
}

#[test]
fn the_rest_of_the_workspace_is_told_when_there_is_time() {
    let folder = tempfile::tempdir().unwrap();
    let [axes, kernel] = ["axes.rs", "lib.rs"].map(|name| folder.path().join(name));
    std::fs::write(&axes, "use furiosa_visa_std::prelude::*;\naxes![A = 8];\n").unwrap();
    let text =
        "mod axes;\nuse axes::A;\nuse furiosa_visa_std::prelude::*;\ntype Part = m![A / 4];\n";
    std::fs::write(&kernel, text).unwrap();
    let mut client = Setup::utf16().pushed().folder(folder.path()).in_process();
    let axes = uri_of(&axes);
    client.open(&axes, "use furiosa_visa_std::prelude::*;\naxes![A = 8];\n");
    assert_eq!(published(&mut client, &axes).diagnostics, []);
    // Ten positions do not fall into groups of four.
    client.replace(
        &axes,
        2,
        "use furiosa_visa_std::prelude::*;\naxes![A = 10];\n",
    );
    assert_eq!(published(&mut client, &axes).version, Some(2));
    let told = published(&mut client, &uri_of(&kernel));
    assert_eq!(told.version, None);
    assert_eq!(rules(&told.diagnostics), ["stride_indivisible"]);
    // The disk's text holds again once the document is closed.
    client.close(&axes);
    let told = published(&mut client, &uri_of(&kernel));
    assert_eq!(told.diagnostics, []);
    client.finish();
}

#[test]
fn only_the_last_version_is_told() {
    let mut client = Setup::utf16().pushed().in_process();
    let uri = untitled("typed.rs");
    client.open(&uri, BROKEN);
    let last = 40;
    for version in 2..=last {
        let size = version % 2;
        client.replace(&uri, version, &format!("axes![Q = {size}];\n"));
    }
    let mut version = 0;
    while version < last {
        let told = published(&mut client, &uri);
        let next = told.version.unwrap();
        assert!(next > version, "{next} after {version}");
        version = next;
        let wrong = usize::from(version % 2 == 0);
        if version > 1 {
            assert_eq!(told.diagnostics.len(), wrong, "version {version}");
        }
    }
    assert!(!client.comes_within(
        "textDocument/publishDiagnostics",
        Duration::from_millis(400)
    ));
    client.finish();
}

#[test]
fn what_depends_on_a_document_is_told_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let part = "use furiosa_visa_std::prelude::*;
axes![Q = 0];
pub fn inner(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![crate::S]>) {}
";
    let caller = "mod part;
fn outer(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S]>) {
    part::inner(ctx, x);
}
";
    let caller = kernel() + caller;
    std::fs::write(folder.path().join("part.rs"), part).unwrap();
    std::fs::write(folder.path().join("lib.rs"), &caller).unwrap();
    std::fs::write(folder.path().join("alone.rs"), BROKEN).unwrap();
    let [part, caller_uri] = ["part.rs", "lib.rs"].map(|name| uri_of(&folder.path().join(name)));
    for supported in [false, true] {
        let setup = Setup::utf16().with(
            "/capabilities/textDocument/diagnostic/relatedDocumentSupport",
            json!(supported),
        );
        let mut client = setup.folder(folder.path()).in_process();
        client.open(&caller_uri, &caller);
        let told = report(&mut client, &caller_uri, None);
        assert_eq!(told["items"], json!([]));
        let related = &told["relatedDocuments"];
        if supported {
            let related = related.as_object().unwrap();
            assert_eq!(related.keys().collect::<Vec<_>>(), [part.as_str()]);
            let report = &related[part.as_str()];
            assert_eq!(report["items"][0]["code"], "axis_size_zero");
        } else {
            assert_eq!(*related, Value::Null);
        }
        client.finish();
    }
}
