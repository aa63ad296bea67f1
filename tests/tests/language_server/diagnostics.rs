//! Findings in the editor: pulled, pushed, related, tagged.

use serde_json::json;
use tower_lsp::ls_types::{Diagnostic, DiagnosticSeverity, DiagnosticTag, NumberOrString, Uri};

use super::support::{Client, Setup, document, untitled};

/// A line with letters of two and four bytes before the finding, and a second finding behind it.
const BROKEN: &str =
    "/* é𝄞 */ axes![Q = 0];\r\naxes![A = 8]; // visa-lint: allow(axis_size_zero): é\r\n";

/// The diagnostics that a client pulls for a document.
pub(crate) fn pull(client: &mut Client, uri: &Uri) -> Vec<Diagnostic> {
    let report = client.request_raw(
        "textDocument/diagnostic",
        json!({ "textDocument": document(uri) }),
    );
    assert_eq!(report["kind"], "full", "{report}");
    serde_json::from_value(report["items"].clone()).unwrap()
}

/// The rules of diagnostics.
pub(crate) fn rules(diagnostics: &[Diagnostic]) -> Vec<&str> {
    let rules = diagnostics.iter().map(|diagnostic| match &diagnostic.code {
        Some(NumberOrString::String(rule)) => rule.as_str(),
        _ => "",
    });
    rules.collect()
}

#[test]
fn findings_stand_where_the_client_counts_them() {
    // Before the size: `/* é𝄞 */ axes![` is 18 bytes with letters of two and four bytes, which are one and two units.
    for (setup, column) in [(Setup::utf8(), 22), (Setup::utf16(), 19)] {
        let mut client = setup.in_process();
        let uri = untitled("broken.rs");
        client.open(&uri, BROKEN);
        let diagnostics = pull(&mut client, &uri);
        assert_eq!(
            rules(&diagnostics),
            ["axis_size_zero", "unused_suppression"]
        );
        let (zero, unused) = (&diagnostics[0], &diagnostics[1]);
        println!(
            "{column} {}",
            serde_json::to_string_pretty(&diagnostics).unwrap()
        );
        assert_eq!(zero.severity, Some(DiagnosticSeverity::ERROR));
        assert_eq!(unused.severity, Some(DiagnosticSeverity::WARNING));
        assert_eq!(unused.tags, Some(vec![DiagnosticTag::UNNECESSARY]));
        client.finish();
    }
}
