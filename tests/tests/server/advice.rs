//! Searches in the background: what they find is shown with its edits, and nothing waits for them.

use serde_json::{Value, json};
use tower_lsp::ls_types::{Position, Range, Uri};

use super::diagnostics::pull;
use super::support::{Client, Setup, document, untitled};
use super::texts::{Text, both, versioned};

/// Each slice stores 16 elements of 4 bytes: a unit of HBM is written in four pieces.
const PIECES: &str = "use furiosa_visa_std::prelude::*;

axes![N = 4096];

type Chip = m![1];
type Cluster = m![1 # 2];
type Slice = m![N / 16];
type Elem = m![N % 16];

#[device(chip = 1)]
pub fn add_one(ctx: &mut Context, x: &HbmTensor<f32, Chip, m![N]>) -> HbmTensor<f32, Chip, m![N]> {
    let x: DmTensor<f32, Chip, Cluster, Slice, Elem> = x.to_dm(&mut ctx.tdma, 0);
    let y: DmTensor<f32, Chip, Cluster, Slice, Elem> = ctx
        .main
        .begin(x.view())
        .fetch::<f32, m![1], Elem>()
        .collect::<m![N / 8 % 2], m![N % 8]>()
        .vector_init()
        .vector_intra_slice_branch(BranchMode::Unconditional)
        .vector_split::<m![N / 4 % 4], m![N % 4]>()
        .vector_fp_binary(FpBinaryOp::AddF, 1.0f32)
        .vector_concat::<m![N / 8 % 2], m![N % 8]>()
        .vector_final()
        .commit(0x1000);
    y.to_hbm(&mut ctx.tdma, 0x4000)
}
";

const EFFORT: u64 = 12;

fn searching(setup: Setup) -> Client {
    let options = json!({ "effort": EFFORT });
    setup.with("/initializationOptions", options).in_process()
}

fn at(client: &mut Client, method: &str, uri: &Uri, place: Position) -> Value {
    let params = json!({ "textDocument": document(uri), "position": place });
    client.request_raw(method, params)
}

fn hovered(client: &mut Client, uri: &Uri, place: Position) -> String {
    let hover = at(client, "textDocument/hover", uri, place);
    hover["contents"]["value"].as_str().unwrap().to_owned()
}

fn actions(client: &mut Client, uri: &Uri, place: Position, trigger: u64) -> Vec<Value> {
    let range = Range {
        start: place,
        end: place,
    };
    let context = json!({
        "diagnostics": [], "only": ["refactor.rewrite"], "triggerKind": trigger,
    });
    let params = json!({ "textDocument": document(uri), "range": range, "context": context });
    serde_json::from_value(client.request_raw("textDocument/codeAction", params)).unwrap()
}

fn total(cost: &Value) -> u64 {
    cost["kernels"][0]["cycles"]["total"].as_u64().unwrap()
}

#[test]
fn what_a_search_finds_is_shown_and_applied() {
    for (setup, utf8) in both() {
        let mut client = searching(setup);
        let uri = untitled("pieces.rs");
        let text = Text::new(super::texts::spiced(PIECES), utf8);
        client.open(&uri, &text.text);
        pull(&mut client, &uri);
        let (store, name) = (text.caret(".to_h|bm("), text.caret("fn add_|one"));
        let first = at(&mut client, "visa/kernelCost", &uri, store);
        assert_eq!(first["kernels"][0]["searched"], Value::Null);
        let searched = at(&mut client, "visa/kernelAdvice", &uri, store);
        let kernel = &searched["kernels"][0];
        assert_eq!(total(&searched), total(&first));
        assert_eq!(kernel["searched"]["limit"], EFFORT);
        let best = &kernel["proposals"][0];
        let (saves, after) = (best["saves"].as_u64(), best["after"].as_u64());
        assert_eq!(saves.unwrap() + after.unwrap(), total(&first));
        // A client that asks without waiting is given it, too, as long as nothing changes.
        assert_eq!(at(&mut client, "visa/kernelCost", &uri, store), searched);

        let message = best["message"].as_str().unwrap();
        let place = text.caret("fn add_|one");
        let words = hovered(&mut client, &uri, place);
        assert!(words.contains(message), "{words}");

        let all = actions(&mut client, &uri, name, 1);
        let action = all
            .iter()
            .find(|action| action["title"].as_str().unwrap().starts_with(message))
            .unwrap();
        assert!(
            action["title"].as_str().unwrap().contains("(saves "),
            "{action}"
        );
        let params = json!({
            "textDocument": document(&uri), "position": name, "message": message,
        });
        let edit = client.request_raw("visa/proposalEdit", params.clone());
        assert_eq!(edit, action["edit"]);
        let edits = versioned(&edit);
        let [(edited, Some(1), edits)] = edits.as_slice() else {
            panic!("{edits:?}");
        };
        assert_eq!(edited, &uri);
        let changed = text.edited(edits);
        client.replace(&uri, 2, &changed);
        pull(&mut client, &uri);
        // The change gives what was promised, and what was found is about a text that is gone.
        let now = Text::new(changed, utf8);
        let place = now.caret("fn add_|one");
        let cost = at(&mut client, "visa/kernelCost", &uri, place);
        assert_eq!(Some(total(&cost)), after);
        assert_eq!(cost["kernels"][0]["searched"], Value::Null);
        let id = client.send_raw("visa/proposalEdit", Some(params));
        assert_eq!(client.response_raw(id).unwrap_err().code, -32801);
        client.finish();
    }
}

#[test]
fn a_saving_is_the_first_quick_fix_at_its_finding() {
    let mut client = searching(Setup::utf16());
    let uri = untitled("pieces.rs");
    let text = Text::new(PIECES.to_owned(), false);
    client.open(&uri, PIECES);
    let found = pull(&mut client, &uri);
    let [slow] = found.as_slice() else {
        panic!("{found:?}");
    };
    let store = text.caret(".to_h|bm(");
    at(&mut client, "visa/kernelAdvice", &uri, store);
    let range = json!({ "start": store, "end": store });
    let mut menu = |context: Value| -> Vec<Value> {
        let params = json!({ "textDocument": document(&uri), "range": range, "context": context });
        serde_json::from_value(client.request_raw("textDocument/codeAction", params)).unwrap()
    };
    let title = |action: &Value| action["title"].as_str().unwrap().to_owned();
    let all = menu(json!({ "diagnostics": [slow] }));
    let titles: Vec<String> = all.iter().map(title).collect();
    let first = &all[0];
    assert!(titles[0].contains("(saves "), "{titles:?}");
    assert_eq!(first["kind"], "quickfix", "{titles:?}");
    assert_eq!(first["diagnostics"][0]["code"], "slow_transfer");
    assert_eq!(first.get("isPreferred"), None, "it is to be looked at");
    // Once in a menu, and as a change of what is right where an editor asks for these alone.
    let times = titles.iter().filter(|title| **title == titles[0]).count();
    assert_eq!(times, 1, "{titles:?}");
    let allows = titles.iter().position(|title| title.starts_with("Allow"));
    assert!(allows > Some(0), "{titles:?}");
    let rewrites = menu(json!({ "diagnostics": [slow], "only": ["refactor.rewrite"] }));
    let rewrite = rewrites.iter().find(|action| title(action) == titles[0]);
    assert_eq!(rewrite.unwrap()["kind"], "refactor.rewrite");
    assert_eq!(rewrite.unwrap()["edit"], first["edit"]);
    client.finish();
}

#[test]
fn an_edit_ends_a_search_and_waits_for_none() {
    let setup = Setup::utf16().with("/initializationOptions", json!({ "effort": 2_000 }));
    let mut client = setup.in_process();
    let uri = untitled("many.rs");
    // Many kernels' worth of candidates: each store of a copy is searched.
    let stores: String = (1..40)
        .map(|number| format!("    y.view().to_hbm_view(&mut ctx.tdma, out{number}.view_mut());\n"))
        .collect();
    let outs: String = (1..40)
        .map(|number| format!(", out{number}: &mut HbmTensor<f32, Chip, m![N]>"))
        .collect();
    let many = PIECES
        .replace(
            "x: &HbmTensor<f32, Chip, m![N]>)",
            &format!("x: &HbmTensor<f32, Chip, m![N]>{outs})"),
        )
        .replace("    y.to_hbm(", &format!("{stores}    y.to_hbm("));
    let text = Text::new(many.clone(), false);
    client.open(&uri, &many);
    let before = pull(&mut client, &uri);
    let place = text.caret("fn add_|one");
    let params = json!({ "textDocument": document(&uri), "position": place });
    let search = client.send_raw("visa/kernelAdvice", Some(params));
    std::thread::sleep(std::time::Duration::from_millis(100));
    assert!(
        !client.is_answered(search),
        "the search is at its end already"
    );
    // Findings of the same text again, while it runs.
    assert_eq!(pull(&mut client, &uri), before);
    assert!(
        !client.is_answered(search),
        "findings waited for the search"
    );
    client.replace(&uri, 2, &format!("{many}\n"));
    assert_eq!(pull(&mut client, &uri), before);
    let error = client.response_raw(search).unwrap_err();
    assert_eq!(error.code, -32801, "{error:?}");
    client.finish();
}

#[test]
fn a_menu_waits_a_little_and_the_background_does_the_rest() {
    let mut client = searching(Setup::utf16());
    let uri = untitled("pieces.rs");
    let text = Text::new(PIECES.to_owned(), false);
    client.open(&uri, PIECES);
    pull(&mut client, &uri);
    let store = text.caret(".to_h|bm(");
    // An editor that asks by itself is answered at once; what it looked at is searched when it is quiet.
    actions(&mut client, &uri, store, 2);
    let since = std::time::Instant::now();
    let found = loop {
        let cost = at(&mut client, "visa/kernelCost", &uri, store);
        if !cost["kernels"][0]["searched"].is_null() || since.elapsed().as_secs() > 60 {
            break cost;
        }
        std::thread::sleep(std::time::Duration::from_millis(50));
    };
    assert_eq!(found["kernels"][0]["searched"]["limit"], EFFORT);
    assert!(!actions(&mut client, &uri, text.caret("fn add_|one"), 2).is_empty());
    client.finish();
}

#[test]
fn without_effort_only_the_rules_are_asked() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("pieces.rs");
    let text = Text::new(PIECES.to_owned(), false);
    client.open(&uri, PIECES);
    pull(&mut client, &uri);
    let cost = at(
        &mut client,
        "visa/kernelAdvice",
        &uri,
        text.caret(".to_h|bm("),
    );
    assert_eq!(cost["kernels"][0]["searched"], Value::Null);
    assert!(total(&cost) > 0);
    client.finish();
}
