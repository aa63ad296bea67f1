//! Runs of kernels: the command behind the lens, its findings until the next edit, and what a hover says of values.

use serde_json::json;
use tower_lsp::ls_types::notification::ShowMessage;
use tower_lsp::ls_types::{CodeLens, DiagnosticSeverity, MessageType};

use super::diagnostics::pull;
use super::features::ask;
use super::support::{Setup, document, edit, untitled};

/// The source of what runs find.
const SOURCE: &str = "visa-lint run";

#[test]
fn a_run_shows_its_findings_until_the_next_edit() {
    let kernel = visa_analysis::find_run_rule("run_undefined").unwrap().wrong;
    let mut client = Setup::utf16().in_process();
    let uri = untitled("kernel.rs");
    client.open(&uri, kernel);
    let asked = json!({ "textDocument": document(&uri) });
    let lenses: Vec<CodeLens> =
        serde_json::from_value(client.request_raw("textDocument/codeLens", asked)).unwrap();
    let run = lenses.last().unwrap().command.as_ref().unwrap();
    assert_eq!(run.command, "visa.runKernel");
    let before = pull(&mut client, &uri);
    assert!(
        before
            .iter()
            .all(|found| found.source.as_deref() != Some(SOURCE))
    );

    let params = json!({ "command": run.command, "arguments": run.arguments });
    client.request_raw("workspace/executeCommand", params);
    let told = client.notification::<ShowMessage>();
    assert_eq!(told.typ, MessageType::WARNING);
    assert!(
        told.message.starts_with("`kernel` ran: 1 finding; "),
        "{}",
        told.message
    );
    let found = pull(&mut client, &uri);
    let of_run: Vec<_> = found
        .iter()
        .filter(|found| found.source.as_deref() == Some(SOURCE))
        .collect();
    let [found] = of_run.as_slice() else {
        panic!("{found:?}");
    };
    assert_eq!(found.severity, Some(DiagnosticSeverity::ERROR));
    let store = kernel
        .lines()
        .position(|line| line.contains("x.to_hbm"))
        .unwrap() as u32;
    assert_eq!(found.range.start.line, store);
    let hover = ask(&mut client, "textDocument/hover", &uri, found.range.start);
    let words = hover.to_string();
    assert!(words.contains("In the last run: f32"), "{words}");

    client.change(&uri, 2, vec![edit((0, 0), (0, 0), "// changed\n")]);
    let after = pull(&mut client, &uri);
    assert!(
        after
            .iter()
            .all(|found| found.source.as_deref() != Some(SOURCE))
    );
    client.finish();
}

#[test]
fn a_run_that_is_refused_says_why() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("kernel.rs");
    client.open(&uri, "fn f() {}\n");
    let params = json!({ "command": "visa.runKernel", "arguments": [uri, "kernel"] });
    client.request_raw("workspace/executeCommand", params);
    let told = client.notification::<ShowMessage>();
    assert_eq!(told.typ, MessageType::WARNING);
    assert!(
        told.message.starts_with("`kernel` did not run: "),
        "{}",
        told.message
    );
    let params = json!({ "command": "visa.runKernel", "arguments": [uri] });
    let id = client.send_raw("workspace/executeCommand", Some(params));
    assert!(client.response_raw(id).is_err());
    client.finish();
}
