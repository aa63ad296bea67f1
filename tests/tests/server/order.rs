//! The order of messages: no answer about another text than the one that was asked about, and nothing waits for slow requests.

use serde_json::json;
use tower_lsp::ls_types::notification::{Cancel, DidChangeWatchedFiles};
use tower_lsp::ls_types::request::{CodeLensRequest, HoverRequest, WorkspaceConfiguration};
use tower_lsp::ls_types::{
    CancelParams, CodeLensParams, DidChangeWatchedFilesParams, FileChangeType, FileEvent,
    HoverContents, HoverParams, NumberOrString, PartialResultParams, Uri, WorkDoneProgressParams,
};

use super::support::{Client, Setup, document, edit, place, untitled, uri_of};

/// `ContentModified`, for a request that a change overtook.
pub(crate) const CONTENT_MODIFIED: i64 = -32801;
/// `RequestCancelled`, for a request that the client took back.
pub(crate) const REQUEST_CANCELLED: i64 = -32800;

/// `ServerCancelled`, for a pull that a change overtook.
const SERVER_CANCELLED: i64 = -32802;

/// Runs attempts with ever slower requests until one shows what it is to show: how fast the machine is decides how many are needed
/// and nothing else. What never comes to pass while requests run does not with the slowest either.
fn assert_shown(mut attempt: impl FnMut(usize) -> bool) {
    let shown = (0..6).any(|number| attempt(30 << number));
    assert!(shown, "not with the slowest requests either");
}

pub(crate) fn hover_at(uri: &Uri, line: u32, character: u32) -> HoverParams {
    HoverParams {
        text_document_position_params: place(uri, line, character),
        work_done_progress_params: WorkDoneProgressParams::default(),
    }
}

/// The words of a hover.
pub(crate) fn words(hover: Option<tower_lsp::ls_types::Hover>) -> String {
    match hover.map(|hover| hover.contents) {
        Some(HoverContents::Markup(markup)) => markup.value,
        other => panic!("no hover: {other:?}"),
    }
}

/// 60 times a change of an axis's size and a hover over a use of the axis, without a pause: each answer is about the size of
/// its change. After every third the client waits, so that there are answers.
fn interleaved(mut client: Client) {
    let uri = untitled("order.rs");
    client.open(&uri, "axes![A = 100];\ntype X = m![A];\n");
    let mut asked = Vec::new();
    let mut answered = 0;
    for number in 1..=60_i32 {
        let size = format!("{}", 100 + number);
        let (start, end) = ((0, 10), (0, 13));
        client.change(&uri, 1 + number, vec![edit(start, end, &size)]);
        let id = client.send::<HoverRequest>(hover_at(&uri, 1, 12));
        asked.push((id, size));
        if number % 3 != 0 {
            continue;
        }
        let waited = asked.len() - 1;
        for (index, (id, size)) in asked.drain(..).enumerate() {
            match client.response::<HoverRequest>(id) {
                Ok(hover) => {
                    let words = words(hover);
                    assert!(words.contains(&format!("{size} values")), "{size}: {words}");
                    answered += 1;
                }
                Err(error) => {
                    assert_eq!(error.code, CONTENT_MODIFIED, "{error:?}");
                    assert!(index < waited, "nothing overtook the last hover");
                }
            }
        }
    }
    assert!(answered >= 20, "{answered} answers");
    client.finish();
}

#[test]
fn no_hover_is_stale_in_the_process() {
    for setup in Setup::both() {
        interleaved(setup.in_process());
    }
}

#[test]
fn no_hover_is_stale_over_stdio() {
    interleaved(Setup::utf16().program());
}

/// A kernel of many dot products, one after the other: its schedule takes long the first time that it is asked for.
pub(crate) fn slow_text(products: usize) -> String {
    use std::fmt::Write;
    let mut text = String::from(
        "use furiosa_visa_std::prelude::*;\naxes![X = 2048];\ntype Chip = m![1];\ntype Cluster = m![1 # 2];\n\
         type Slice = m![1 # 256];\n#[device(chip = 1)]\nfn kernel(ctx: &mut Context, left: &HbmTensor<bf16, Chip, m![X]>, \
         right: &HbmTensor<bf16, Chip, m![X]>) {\n",
    );
    for number in 0..products {
        let _ = write!(
            text,
            "    let left_{number}: DmTensor<bf16, Chip, Cluster, Slice, m![X]> = left.to_dm(&mut ctx.tdma, 0);\n    \
             let right_{number}: DmTensor<bf16, Chip, Cluster, Slice, m![X]> = right.to_dm(&mut ctx.tdma, 1 << 13);\n    \
             let trf_{number}: TrfTensor<bf16, Chip, Cluster, Slice, m![1], m![X]> = ctx.sub.begin(right_{number}.view())\n        \
             .fetch::<bf16, m![1], m![X]>().collect::<m![1, X / 16], m![X % 16]>().to_trf(TrfAddress::Full);\n    \
             let sum_{number}: DmTensor<bf16, Chip, Cluster, Slice, m![1 # 8]> = ctx.main.begin(left_{number}.view())\n        \
             .fetch::<bf16, m![1], m![X]>().collect::<m![X / 16], m![X % 16]>()\n        \
             .align::<m![X / 32], m![X % 32], _, _>(&trf_{number}).contract::<m![1]>()\n        \
             .accumulate::<m![1], m![1 # 8]>(AccumulationKind::Interleaved).cast::<bf16, m![1 # 16]>().commit::<m![1 # 8]>(1 << 14);\n"
        );
    }
    text + "}\n"
}

/// Opens eight documents with a slow kernel each, and asks something of each that takes long.
fn busy(client: &mut Client, products: usize) -> Vec<(Uri, i64)> {
    let text = slow_text(products);
    let documents: Vec<Uri> = (0..8)
        .map(|number| untitled(&format!("slow_{products}_{number}.rs")))
        .collect();
    for uri in &documents {
        client.open(uri, &text);
    }
    documents
        .into_iter()
        .map(|uri| {
            // Over the kernel's name: its cycles.
            let id = client.send::<HoverRequest>(hover_at(&uri, 6, 5));
            (uri, id)
        })
        .collect()
}

fn close(client: &mut Client, documents: &[(Uri, i64)]) {
    for (uri, _) in documents {
        client.close(uri);
    }
}

/// How many of the requests are not answered yet; takes the answers of all, which are right or an error of this number.
fn still_running(client: &mut Client, running: &[(Uri, i64)], error: i64) -> usize {
    let unanswered = running.iter().filter(|(_, id)| !client.is_answered(*id));
    let unanswered = unanswered.count();
    for (_, id) in running {
        match client.response::<HoverRequest>(*id) {
            Err(answer) => assert_eq!(answer.code, error, "{answer:?}"),
            Ok(hover) => assert!(words(hover).contains("kernel")),
        }
    }
    // Only now: to close one overtakes the others.
    close(client, running);
    unanswered
}

#[test]
fn cancelling_has_effect_while_eight_slow_requests_run() {
    let mut client = Setup::utf16().program();
    assert_shown(|products| {
        let mut running = busy(&mut client, products);
        // The last one: without the cancellation it would be answered last.
        let (uri, cancelled) = running.pop().unwrap();
        client.notify::<Cancel>(CancelParams {
            id: NumberOrString::Number(i32::try_from(cancelled).unwrap()),
        });
        let answer = client.response::<HoverRequest>(cancelled);
        let unanswered = still_running(&mut client, &running, CONTENT_MODIFIED);
        client.close(&uri);
        match answer {
            Err(error) => {
                assert_eq!(error.code, REQUEST_CANCELLED, "{error:?}");
                unanswered > 0
            }
            Ok(hover) => {
                assert!(words(hover).contains("kernel"));
                false
            }
        }
    });
    client.finish();
}

#[test]
fn messages_are_handled_while_eight_slow_requests_run() {
    let mut client = Setup::utf16().program();
    assert_shown(|products| {
        let running = busy(&mut client, products);
        // What needs no engine is answered as soon as it is read.
        let id = client.send_raw("visa/nothing", None);
        assert!(client.response_raw(id).is_err());
        still_running(&mut client, &running, CONTENT_MODIFIED) > 0
    });
    client.finish();
}

#[test]
fn changes_overtake_eight_slow_requests() {
    let mut client = Setup::utf16().program();
    let small = untitled("small.rs");
    client.open(&small, "// 1\n");
    let mut version = 1;
    assert_shown(|products| {
        let running = busy(&mut client, products);
        version += 1;
        let change = edit((0, 3), (0, 4), &version.to_string());
        client.change(&small, version, vec![change]);
        let asked = serde_json::to_value(document(&small)).unwrap();
        let text = client.request_raw("visa/viewFileText", asked);
        assert_eq!(text, format!("// {version}\n"));
        let mut overtaken = 0;
        for (_, id) in &running {
            match client.response::<HoverRequest>(*id) {
                Err(error) => {
                    assert_eq!(error.code, CONTENT_MODIFIED, "{error:?}");
                    overtaken += 1;
                }
                Ok(hover) => assert!(words(hover).contains("kernel")),
            }
        }
        close(&mut client, &running);
        overtaken > 0
    });
    client.finish();
}

#[test]
fn requests_about_an_unknown_document_have_empty_answers() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("nowhere.rs");
    let hover = client.request::<HoverRequest>(hover_at(&uri, 0, 0));
    assert_eq!(hover, None);
    let lenses = client.request::<CodeLensRequest>(CodeLensParams {
        text_document: document(&uri),
        work_done_progress_params: WorkDoneProgressParams::default(),
        partial_result_params: PartialResultParams::default(),
    });
    assert!(lenses.is_none_or(|lenses| lenses.is_empty()));
    client.finish();
}

#[test]
fn what_changes_on_disk_overtakes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.rs");
    std::fs::write(&path, "axes![A = 64];\n").unwrap();
    let other = folder.path().join("other.rs");
    std::fs::write(&other, "axes![B = 1];\n").unwrap();
    let mut client = Setup::utf16().folder(folder.path()).in_process();
    let uri = uri_of(&path);
    client.open(&uri, "axes![A = 64];\n");
    let mut asked = Vec::new();
    for size in 0..40 {
        asked.push(client.send::<HoverRequest>(hover_at(&uri, 0, 6)));
        std::fs::write(&other, format!("axes![B = {size}];\n")).unwrap();
        client.notify::<DidChangeWatchedFiles>(DidChangeWatchedFilesParams {
            changes: vec![FileEvent {
                uri: uri_of(&other),
                typ: FileChangeType::CHANGED,
            }],
        });
    }
    for id in asked {
        let hover = client.response::<HoverRequest>(id);
        assert!(words(hover.unwrap()).contains("64 values"));
    }
    client.finish();
}

#[test]
fn what_is_pulled_while_files_are_read_is_about_the_text_of_its_place() {
    for changes in [false, true] {
        let setup = Setup::utf16().with("/capabilities/workspace/configuration", json!(true));
        let mut client = setup.in_process();
        let uri = untitled("early.rs");
        client.open(&uri, "axes![Q = 0];\n");
        let params = json!({ "textDocument": document(&uri) });
        let early = client.send_raw("textDocument/diagnostic", Some(params));
        client.open(&untitled("other.rs"), "axes![Q = 0];\n");
        if changes {
            client.replace(&uri, 2, "axes![Q = 8];\n");
        }
        // The files are read once the client has told its settings.
        let (id, _) = client.server_request::<WorkspaceConfiguration>();
        client.answer(&id, &json!([null]));
        match client.response_raw(early) {
            Ok(report) => {
                assert!(!changes, "{report}");
                assert_eq!(report["items"].as_array().map(Vec::len), Some(1));
            }
            Err(error) => {
                assert!(changes, "{error:?}");
                assert_eq!(error.code, SERVER_CANCELLED);
                assert_eq!(error.data, Some(json!({ "retriggerRequest": true })));
            }
        }
        client.finish();
    }
}
