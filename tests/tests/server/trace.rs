//! Trace and log through the protocol.

use serde_json::json;
use tower_lsp::ls_types::notification::{LogTrace, SetTrace};
use tower_lsp::ls_types::request::HoverRequest;
use tower_lsp::ls_types::{SetTraceParams, TraceValue};

use super::order::hover_at;
use super::support::{Client, Setup, untitled};

fn set(client: &mut Client, value: TraceValue) {
    client.notify::<SetTrace>(SetTraceParams { value });
}

#[test]
fn a_client_that_traces_is_told_of_each_message() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("traced.rs");
    // Nothing is given of these.
    client.open(&uri, "axes![A = 64];\n");
    client.request::<HoverRequest>(hover_at(&uri, 0, 6));
    set(&mut client, TraceValue::Verbose);
    let id = client.send::<HoverRequest>(hover_at(&uri, 0, 6));
    assert!(client.response::<HoverRequest>(id).is_ok());
    let told = client.notification::<LogTrace>();
    let start = format!("textDocument/hover ({id}) answered in ");
    assert!(told.message.starts_with(&start), "{told:?}");
    assert!(
        told.verbose
            .is_some_and(|words| words.contains("untitled:traced.rs"))
    );
    set(&mut client, TraceValue::Messages);
    assert!(
        client
            .notification::<LogTrace>()
            .message
            .starts_with("$/setTrace took ")
    );
    let id = client.send_raw("textDocument/hover", Some(json!({})));
    assert!(client.response_raw(id).is_err());
    let told = client.notification::<LogTrace>();
    assert!(
        told.message.contains("failed in ") && told.message.contains("Invalid params"),
        "{told:?}"
    );
    assert_eq!(told.verbose, None);
    set(&mut client, TraceValue::Off);
    assert!(
        client
            .notification::<LogTrace>()
            .message
            .starts_with("$/setTrace took ")
    );
    client.request::<HoverRequest>(hover_at(&uri, 0, 6));
    client.finish();
}

#[test]
fn a_client_may_trace_from_the_beginning() {
    let mut client = Setup::utf16()
        .with("/trace", json!("messages"))
        .in_process();
    let told = client.notification::<LogTrace>();
    assert!(told.message.starts_with("initialized took "), "{told:?}");
    set(&mut client, TraceValue::Off);
    assert!(
        client
            .notification::<LogTrace>()
            .message
            .starts_with("$/setTrace took ")
    );
    client.finish();
}
