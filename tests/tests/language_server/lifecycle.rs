//! The beginning and the end of a server.

use tower_lsp::ls_types::PositionEncodingKind;
use tower_lsp::ls_types::notification::Exit;
use tower_lsp::ls_types::request::HoverRequest;
use tower_lsp::ls_types::{HoverParams, WorkDoneProgressParams};

use super::support::{Setup, place, untitled};

#[test]
fn utf_8_is_taken_where_it_is_offered() {
    let client = Setup::utf8().in_process();
    let encoding = client.initialized.capabilities.position_encoding.clone();
    assert_eq!(encoding, Some(PositionEncodingKind::UTF8));
    client.finish();
    let client = Setup::utf16().in_process();
    let encoding = client.initialized.capabilities.position_encoding.clone();
    assert_eq!(encoding, Some(PositionEncodingKind::UTF16));
    client.finish();
}

#[test]
fn the_program_answers_and_ends() {
    let mut client = Setup::utf16().program();
    let uri = untitled("a.rs");
    client.open(&uri, "fn f() {}\n");
    let hover = client.request::<HoverRequest>(HoverParams {
        text_document_position_params: place(&uri, 0, 3),
        work_done_progress_params: WorkDoneProgressParams::default(),
    });
    assert_eq!(hover, None);
    client.finish();
}

#[test]
fn exit_without_shutdown_is_an_error() {
    for start in [Setup::in_process, Setup::program] {
        let mut client = start(Setup::utf16());
        client.notify::<Exit>(());
        client.assert_ends_with(1);
    }
}
