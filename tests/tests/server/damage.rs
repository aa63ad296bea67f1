//! What is no message costs itself and nothing behind it, on both kinds of stream.

use serde_json::{Value, json};
use tower_lsp::ls_types::MessageType;
use tower_lsp::ls_types::notification::LogMessage;
use tower_lsp::ls_types::request::HoverRequest;

use super::order::{hover_at, words};
use super::support::{Client, Setup, edit, untitled};

/// Both kinds of servers, so that every damage is tried on each.
const STARTS: [fn(Setup) -> Client; 2] = [Setup::in_process, Setup::program];

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// Asserts that the server answers as if nothing had happened.
fn assert_well(client: &mut Client) {
    let uri = untitled("well.rs");
    client.open(&uri, "axes![A = 64];\n");
    let hover = client.request::<HoverRequest>(hover_at(&uri, 0, 6));
    assert!(words(hover).contains("64 values"));
    client.close(&uri);
}

fn framed(body: &[u8]) -> Vec<u8> {
    let mut bytes = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
    bytes.extend_from_slice(body);
    bytes
}

#[test]
fn malformed_messages_are_complained_about_and_survived() {
    let damage: [(&str, Vec<u8>); 9] = [
        (
            "JSON that ends early",
            framed(b"{\"jsonrpc\":\"2.0\",\"method\":"),
        ),
        ("no JSON at all", framed(b"hello")),
        ("an empty body", framed(b"")),
        (
            "a body that is no UTF-8",
            framed(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}"),
        ),
        (
            "a length that is no number",
            b"Content-Length: many\r\n\r\n{}".to_vec(),
        ),
        (
            "a length below zero",
            b"Content-Length: -2\r\n\r\n{}".to_vec(),
        ),
        ("no length", b"Content-Type: text\r\n\r\n{}".to_vec()),
        (
            "no headers",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}\r\n\r\n".to_vec(),
        ),
        (
            "a length that is too small",
            b"Content-Length: 5\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"initialized\"}".to_vec(),
        ),
    ];
    for start in STARTS {
        let mut client = start(Setup::utf16());
        for (what, bytes) in &damage {
            client.wire.send_bytes(bytes);
            let complaint = client.complaint();
            assert_eq!(complaint.code, PARSE_ERROR, "{what}: {complaint:?}");
            assert_well(&mut client);
        }
        client.finish();
    }
}

#[test]
fn a_length_that_is_too_large_costs_one_message() {
    for start in STARTS {
        let mut client = start(Setup::utf16());
        let body = json!({ "jsonrpc": "2.0", "method": "$/nothing" }).to_string();
        let bytes = format!("Content-Length: {}\r\n\r\n{body}", body.len() + 30);
        client.wire.send_bytes(bytes.as_bytes());
        // What follows fills the body up; it is found again inside of it.
        let id = client.send_raw("visa/viewFileText", Some(json!({ "uri": "untitled:x" })));
        assert_eq!(client.complaint().code, PARSE_ERROR);
        assert_eq!(client.response_raw(id), Ok(Value::Null));
        assert_well(&mut client);
        client.finish();
    }
}

#[test]
fn json_that_is_no_message_is_an_invalid_request() {
    for start in STARTS {
        let mut client = start(Setup::utf16());
        for body in [
            "[]",
            "7",
            "null",
            "{}",
            "{\"method\":\"textDocument/hover\"}",
            "{\"jsonrpc\":\"1.0\",\"method\":\"x\"}",
            "{\"jsonrpc\":\"2.0\",\"method\":7}",
        ] {
            client.wire.send_bytes(&framed(body.as_bytes()));
            let complaint = client.complaint();
            assert_eq!(complaint.code, INVALID_REQUEST, "{body}: {complaint:?}");
        }
        // Whose number can be read, is answered under it.
        let body = json!({ "jsonrpc": "2.0", "id": 900, "method": ["x"] }).to_string();
        client.wire.send_bytes(&framed(body.as_bytes()));
        let answer = client.response_raw(900);
        assert_eq!(answer.map_err(|error| error.code), Err(INVALID_REQUEST));
        assert_well(&mut client);
        client.finish();
    }
}

/// The next error in the client's log.
fn error_of(client: &mut Client) -> String {
    loop {
        let logged = client.notification::<LogMessage>();
        if logged.typ == MessageType::ERROR {
            return logged.message;
        }
    }
}

#[test]
fn a_change_that_cannot_be_read_is_told_and_nothing_is_said_of_its_document() {
    for start in STARTS {
        let mut client = start(Setup::utf16());
        let uri = untitled("lost.rs");
        let sizes = |client: &mut Client| {
            let hover = client.request::<HoverRequest>(hover_at(&uri, 0, 6));
            hover.map(|hover| words(Some(hover)))
        };
        client.open(&uri, "axes![A = 64];\n");
        assert!(sizes(&mut client).is_some_and(|words| words.contains("64 values")));
        let change = json!({
            "range": {
                "start": { "line": 0, "character": 10 },
                "end": { "line": 0, "character": -1 },
            },
            "text": "3",
        });
        client.notify_raw(
            "textDocument/didChange",
            json!({
                "textDocument": { "uri": uri.as_str(), "version": 2 },
                "contentChanges": [change],
            }),
        );
        assert!(error_of(&mut client).contains("untitled:lost.rs"));
        assert_eq!(sizes(&mut client), None);
        // A part of it does not help.
        client.change(&uri, 3, vec![edit((0, 0), (0, 0), "axes![B = 16];\n")]);
        assert_eq!(sizes(&mut client), None);
        client.replace(&uri, 4, "axes![A = 32];\n");
        assert!(sizes(&mut client).is_some_and(|words| words.contains("32 values")));
        client.finish();
    }
}

#[test]
fn unknown_methods_and_wrong_parameters_are_refused_one_by_one() {
    let mut client = Setup::utf16().in_process();
    let id = client.send_raw("textDocument/nothing", Some(json!({})));
    let answer = client.response_raw(id);
    assert_eq!(answer.map_err(|error| error.code), Err(METHOD_NOT_FOUND));
    let id = client.send_raw("$/nothing", Some(json!({})));
    let answer = client.response_raw(id);
    assert_eq!(answer.map_err(|error| error.code), Err(METHOD_NOT_FOUND));
    let id = client.send_raw("textDocument/hover", Some(json!({ "textDocument": 1 })));
    let answer = client.response_raw(id);
    assert_eq!(answer.map_err(|error| error.code), Err(INVALID_PARAMS));
    // Unknown notifications are passed over, those of the protocol's extensions too.
    client.notify_raw("textDocument/nothing", json!({}));
    client.notify_raw("$/nothing", json!({}));
    client.notify_raw("textDocument/didChange", json!({ "textDocument": 1 }));
    assert!(error_of(&mut client).contains("textDocument/didChange"));
    // An answer that nobody waits for.
    client.answer(&json!(12345), &json!(null));
    assert_well(&mut client);
    client.finish();
}

#[test]
fn a_message_of_gigabytes_ends_the_server_at_once_and_clearly() {
    for start in STARTS {
        let mut client = start(Setup::utf16());
        client
            .wire
            .send_bytes(b"Content-Length: 99999999999\r\n\r\n{");
        let complaint = client.complaint();
        assert!(
            complaint.message.contains("99999999999 bytes"),
            "{complaint:?}"
        );
        client.assert_ends_with(1);
    }
}

#[test]
fn deeply_nested_json_is_refused() {
    let mut client = Setup::utf16().program();
    let body = "[".repeat(1 << 20);
    client.wire.send_bytes(&framed(body.as_bytes()));
    assert_eq!(client.complaint().code, PARSE_ERROR);
    assert_well(&mut client);
    client.finish();
}

#[test]
fn addresses_that_an_editor_did_not_encode_are_read() {
    let mut client = Setup::utf16().in_process();
    let document = json!({ "uri": "file:///a[1]/b|c.rs", "languageId": "rust", "version": 1, "text": "axes![A = 64];\n" });
    client.notify_raw(
        "textDocument/didOpen",
        json!({ "textDocument": document.clone() }),
    );
    let params = json!({ "textDocument": document, "position": { "line": 0, "character": 6 } });
    let id = client.send_raw("textDocument/hover", Some(params));
    let hover = client.response_raw(id).unwrap().to_string();
    assert!(hover.contains("64 values"), "{hover}");
    client.finish();
}
