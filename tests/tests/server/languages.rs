//! Documents in PTO and NKI: findings, a fix applied, a hover and a rename, as in kernels of Rust.

use serde_json::{Value, json};
use visa_analysis::Applicability;
use visa_tests::hints::applied;
use visa_tests::{check_text, read, repository};

use super::diagnostics::{pull, rules};
use super::support::{Client, document, untitled};
use super::texts::{Text, both, versioned};

/// The wrong kernel of a rule, with letters of several bytes before everything else.
fn wrong(rule: &str, ending: &str, lead: &str) -> String {
    let text = read(&repository().join(format!("fixtures/violations/{rule}/wrong.{ending}")));
    assert!(!text.is_empty(), "{rule}");
    format!("{lead} größe 大\n{text}").replace('\n', "\r\n")
}

fn ask(client: &mut Client, method: &str, params: Value) -> Value {
    client.request_raw(method, params)
}

#[test]
fn documents_in_pto_and_nki_are_served() {
    let documents = [
        (
            "k.pto",
            wrong("pto_store_order", "pto", "//"),
            "pto_store_order",
            "pto.|mte_ub_gm",
            "rows",
        ),
        (
            "k.py",
            wrong("nki_engine_ignored", "py", "#"),
            "nki_engine_ignored",
            "nisa.dma_|copy",
            "bytes",
        ),
    ];
    for (name, written, rule, place, words) in documents {
        for (setup, utf8) in both() {
            let mut client = setup.in_process();
            let uri = untitled(name);
            let text = Text::new(&written, utf8);
            client.open(&uri, &text.text);
            let found = pull(&mut client, &uri);
            assert!(rules(&found).contains(&rule), "{:?}", rules(&found));
            let finding = found
                .iter()
                .find(|finding| rules(std::slice::from_ref(finding)) == [rule])
                .unwrap();
            // The editor's fix writes what the check proposes.
            let actions = ask(
                &mut client,
                "textDocument/codeAction",
                json!({
                    "textDocument": document(&uri),
                    "range": finding.range,
                    "context": { "diagnostics": [finding], "only": ["quickfix"] },
                }),
            );
            let report = check_text(name, &written);
            let proposed = report
                .diagnostics
                .iter()
                .find(|finding| finding.rule == rule)
                .and_then(|finding| finding.fixes.first())
                .unwrap();
            assert_eq!(proposed.applicability, Applicability::Machine);
            let action = actions
                .as_array()
                .unwrap()
                .iter()
                .find(|action| action["title"] == json!(proposed.title))
                .unwrap_or_else(|| panic!("{actions}"));
            let edits = versioned(&action["edit"]);
            assert_eq!((&edits[0].0, edits[0].1), (&uri, Some(1)));
            let mended = text.edited(&edits[0].2);
            assert_eq!(mended, applied(&written, &proposed.edits));
            client.replace(&uri, 2, &mended);
            let left = pull(&mut client, &uri);
            assert!(!rules(&left).contains(&rule), "{:?}", rules(&left));
            // A hover tells what is moved.
            let text = Text::new(&mended, utf8);
            let hover = ask(
                &mut client,
                "textDocument/hover",
                json!({ "textDocument": document(&uri), "position": text.caret(place) }),
            );
            let shown = hover["contents"]["value"].as_str().unwrap_or_default();
            assert!(shown.contains(words), "{hover}");
            client.finish();
        }
    }
}

#[test]
fn values_of_pto_are_renamed() {
    for (setup, utf8) in both() {
        let mut client = setup.in_process();
        let uri = untitled("k.pto");
        let written = wrong("pto_padding_disabled", "pto", "//");
        let text = Text::new(&written, utf8);
        client.open(&uri, &text.text);
        let caret = text.caret("%u|b = pto.castptr");
        let edit = ask(
            &mut client,
            "textDocument/rename",
            json!({ "textDocument": document(&uri), "position": caret, "newName": "tile" }),
        );
        let edits = versioned(&edit);
        let renamed = text.edited(&edits[0].2);
        assert_eq!(renamed, written.replace("%ub", "%tile"));
        let id = client.send_raw(
            "textDocument/rename",
            Some(json!({ "textDocument": document(&uri), "position": caret, "newName": "gm" })),
        );
        assert_eq!(client.response_raw(id).unwrap_err().code, -32803);
        client.finish();
    }
}
