//! The beginning and the end of a server.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tower_lsp::ls_types::PositionEncodingKind;
use tower_lsp::ls_types::notification::Exit;
use tower_lsp::ls_types::request::{HoverRequest, Shutdown};

use super::order::{hover_at, words};
use super::support::{Client, Setup, untitled};

/// `ServerNotInitialized`.
const NOT_INITIALIZED: i64 = -32002;
const INVALID_REQUEST: i64 = -32600;

#[test]
fn utf_8_is_taken_where_it_is_offered() {
    let encoding = |setup: Setup| {
        let client = setup.in_process();
        let encoding = client.initialized.capabilities.position_encoding.clone();
        client.finish();
        encoding
    };
    assert_eq!(encoding(Setup::utf8()), Some(PositionEncodingKind::UTF8));
    assert_eq!(encoding(Setup::utf16()), Some(PositionEncodingKind::UTF16));
    let silent = Setup::utf16().with("/capabilities/general", Value::Null);
    assert_eq!(encoding(silent), Some(PositionEncodingKind::UTF16));
}

#[test]
fn places_count_as_negotiated() {
    // Before the axis: a letter of two bytes and one unit, and one of four bytes and two units.
    let text = "/* \u{e9}\u{1f600} */ axes![A = 64];\n";
    for (setup, column) in [(Setup::utf8(), 19), (Setup::utf16(), 16)] {
        let mut client = setup.in_process();
        let uri = untitled("\u{61}.rs");
        client.open(&uri, text);
        let hover = client.request::<HoverRequest>(hover_at(&uri, 0, column));
        let range = hover.as_ref().and_then(|hover| hover.range).unwrap();
        assert_eq!(
            (range.start.character, range.end.character),
            (column, column + 1)
        );
        assert!(words(hover).contains("64 values"));
        client.finish();
    }
}

#[test]
fn nothing_is_answered_before_it_began() {
    let mut client = Client::new(super::support::in_process());
    let uri = untitled("a.rs");
    let id = client.send::<HoverRequest>(hover_at(&uri, 0, 0));
    let error = client.response::<HoverRequest>(id).unwrap_err();
    assert_eq!(error.code, NOT_INITIALIZED);
    // A notification before it is dropped.
    client.open(&uri, "axes![A = 64];\n");
    let id = client.send_raw("initialize", Some(Setup::utf16().initialize));
    assert!(client.response_raw(id).is_ok());
    let hover = client.request::<HoverRequest>(hover_at(&uri, 0, 6));
    assert_eq!(hover, None);
    // There is one beginning.
    let id = client.send_raw("initialize", Some(Setup::utf16().initialize));
    let answer = client.response_raw(id);
    assert_eq!(answer.map_err(|error| error.code), Err(INVALID_REQUEST));
    client.finish();
}

#[test]
fn after_shutdown_there_is_only_exit() {
    let mut client = Setup::utf16().in_process();
    // Some clients send parameters, which the protocol does not know.
    let id = client.send_raw("shutdown", Some(json!({})));
    assert_eq!(client.response_raw(id), Ok(Value::Null));
    let id = client.send::<HoverRequest>(hover_at(&untitled("a.rs"), 0, 0));
    let error = client.response::<HoverRequest>(id).unwrap_err();
    assert_eq!(error.code, INVALID_REQUEST);
    client.notify::<Exit>(());
    client.assert_ends_with(0);
}

#[test]
fn exit_ends_the_process_though_its_input_stays_open() {
    for start in [Setup::in_process, Setup::program] {
        let mut client = start(Setup::utf16());
        client.request::<Shutdown>(());
        client.notify::<Exit>(());
        client.assert_ends_with(0);
    }
}

#[test]
fn exit_without_shutdown_is_an_error() {
    for start in [Setup::in_process, Setup::program] {
        let mut client = start(Setup::utf16());
        client.notify::<Exit>(());
        client.assert_ends_with(1);
    }
    // Also before the beginning.
    let mut client = Client::new(super::support::program());
    client.notify::<Exit>(());
    client.assert_ends_with(1);
}

#[test]
fn a_closed_input_ends_the_process() {
    for (shut_down, code) in [(false, 1), (true, 0)] {
        let mut client = Setup::utf16().program();
        if shut_down {
            client.request::<Shutdown>(());
        }
        client.wire.close();
        client.assert_ends_with(code);
    }
}

#[test]
fn exit_does_not_wait_for_what_runs() {
    let mut client = Setup::utf16().program();
    let uri = untitled("slow.rs");
    client.open(&uri, &super::order::slow_text(2_000));
    client.send::<HoverRequest>(hover_at(&uri, 6, 5));
    // What is left over tells that it was not answered before the end.
    client.ignore_errors();
    client.notify::<Exit>(());
    client.assert_ends_with(1);
}

#[cfg(unix)]
#[test]
fn the_server_ends_when_the_process_of_its_client_is_gone() {
    let mut other = Command::new("sleep").arg("600").spawn().unwrap();
    let setup = Setup::utf16().with("/processId", json!(other.id()));
    let client = setup.program();
    other.kill().unwrap();
    // Not even waited for yet: what is left of it counts as gone.
    client.assert_ends_with(1);
    other.wait().unwrap();
}

#[cfg(unix)]
#[test]
fn a_server_for_a_process_that_is_gone_says_why_it_ends() {
    use std::io::Write;
    let mut other = Command::new("true").spawn().unwrap();
    let process = other.id();
    other.wait().unwrap();
    let mut server = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"))
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let hello = json!({
        "jsonrpc": "2.0", "id": 1, "method": "initialize",
        "params": { "processId": process, "capabilities": {}, "rootUri": null },
    });
    let hello = hello.to_string();
    let mut input = server.stdin.take().unwrap();
    write!(input, "Content-Length: {}\r\n\r\n{hello}", hello.len()).unwrap();
    input.flush().unwrap();
    let ended = server.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(1));
    let said = String::from_utf8(ended.stderr).unwrap();
    let words = format!("error: the server ends, because no process {process} runs");
    assert!(said.starts_with(&words), "{said}");
    drop(input);
}

#[test]
fn the_client_that_lives_is_no_reason_to_end() {
    let setup = Setup::utf16().with("/processId", json!(std::process::id()));
    let mut client = setup.program();
    std::thread::sleep(Duration::from_millis(300));
    client.request::<Shutdown>(());
    client.notify::<Exit>(());
    client.assert_ends_with(0);
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"))
        .arg("lsp")
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap(),
        String::from_utf8(output.stderr).unwrap(),
    )
}

#[test]
fn the_arguments_of_the_program() {
    let version = format!("visa-lsp {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&["--version"]), (Some(0), version, String::new()));
    let (code, out, err) = run(&["--help"]);
    assert_eq!((code, err.as_str()), (Some(0), ""));
    assert!(out.contains("Usage: visa-lsp"));
    let (code, out, err) = run(&["--nothing"]);
    assert_eq!((code, out.as_str()), (Some(2), ""));
    assert!(
        err.starts_with("error: unexpected argument '--nothing'"),
        "{err}"
    );
    // Editors pass it. The input is closed: the server ends at once, without `shutdown`.
    assert_eq!(run(&["--stdio"]), (Some(1), String::new(), String::new()));
}

/// A copy or a link under the server's name is the server, as in the extension for VS Code.
#[cfg(unix)]
#[test]
fn the_name_of_the_program_chooses_the_server() {
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("visa-lsp");
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_visa-lint-tested"), &link).unwrap();
    let output = visa_tests::command(link).arg("--version").output().unwrap();
    let version = format!("visa-lsp {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(String::from_utf8(output.stdout).unwrap(), version);
}

/// Tasks of an extension that holds the server alone.
#[test]
fn the_server_checks_files_as_the_linter_does() {
    let kernel = visa_tests::repository().join("fixtures/kernels/faulty/gate.rs");
    let arguments = ["check", "--format", "short", kernel.to_str().unwrap()];
    let (code, out, _) = run(&arguments);
    let linter = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"))
        .args(arguments)
        .output()
        .unwrap();
    assert_eq!((code, linter.status.code()), (Some(1), Some(1)));
    assert!(out.contains("error[alu_reuse]"), "{out}");
    assert_eq!(out, String::from_utf8(linter.stdout).unwrap());
    let (code, _, err) = run(&["check", "--nothing"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("--nothing"), "{err}");
}

#[test]
fn the_linter_runs_the_same_server() {
    let mut command = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"));
    command.args(["lsp", "--stdio"]);
    let mut client = Setup::utf16().start(super::support::started(command));
    let uri = untitled("a.rs");
    client.open(&uri, "axes![A = 64];\n");
    let hover = client.request::<HoverRequest>(hover_at(&uri, 0, 6));
    assert!(words(hover).contains("64 values"));
    client.finish();
}

/// The extension sends all that it declares, with its defaults: none of it is complained about.
#[test]
fn settings_of_the_extension_are_known() {
    let manifest = visa_tests::repository().join("vscode-extension/package.json");
    let manifest: Value = serde_json::from_str(&visa_tests::read(&manifest)).unwrap();
    let declared = manifest["contributes"]["configuration"]["properties"]
        .as_object()
        .unwrap();
    let mut options = json!({});
    for (key, property) in declared {
        let pointer = key.replacen("visa.", "/", 1).replace('.', "/");
        let mut place = &mut options;
        for name in pointer.split('/').skip(1) {
            if !place.is_object() {
                *place = json!({});
            }
            place = &mut place[name];
        }
        *place = property["default"].clone();
    }
    assert!(declared.len() > 10 && options["inlayHints"]["level"] == "kernel");
    let setup = Setup::utf16().with("/initializationOptions", options);
    let mut client = setup.in_process();
    let uri = untitled("a.rs");
    client.open(&uri, "axes![A = 64];\n");
    let hover = client.request::<HoverRequest>(hover_at(&uri, 0, 6));
    assert!(words(hover).contains("64 values"));
    client.finish();
}
