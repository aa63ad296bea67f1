//! Code actions: what they change, in which version, and that the finding is gone afterwards.

use serde_json::{Value, json};
use tower_lsp::ls_types::{Diagnostic, Range, Uri};

use super::diagnostics::{BROKEN, pull, rules};
use super::support::{Client, Setup, document, untitled, uri_of};
use super::texts::{Text, both, kernel, spiced, versioned};

/// The code actions at a range.
fn actions(client: &mut Client, uri: &Uri, range: Range, context: &Value) -> Vec<Value> {
    let answer = client.request_raw(
        "textDocument/codeAction",
        json!({ "textDocument": document(uri), "range": range, "context": context }),
    );
    serde_json::from_value(answer).unwrap()
}

/// The context of a menu about diagnostics.
fn about(diagnostics: &[Diagnostic]) -> Value {
    json!({ "diagnostics": diagnostics })
}

fn titles(actions: &[Value]) -> Vec<&str> {
    let titles = actions
        .iter()
        .map(|action| action["title"].as_str().unwrap());
    titles.collect()
}

/// The text that an action with an edit of one document leaves.
fn applied(text: &Text, uri: &Uri, version: i64, action: &Value) -> String {
    let edits = versioned(&action["edit"]);
    let [(edited, of, edits)] = edits.as_slice() else {
        panic!("{edits:?}");
    };
    assert_eq!((edited, *of), (uri, Some(version)));
    text.edited(edits)
}

#[test]
fn a_fix_mends_its_finding() {
    for (setup, utf8) in both() {
        for carried in [true, false] {
            let mut client = Setup {
                initialize: setup.initialize.clone(),
            }
            .in_process();
            let uri = untitled("broken.rs");
            let text = Text::new(spiced(BROKEN), utf8);
            client.open(&uri, &text.text);
            let diagnostics = pull(&mut client, &uri);
            let mut unused = diagnostics[1].clone();
            if !carried {
                // As a client does that forgets what it was given.
                unused.data = None;
            }
            let context = about(std::slice::from_ref(&unused));
            let actions = actions(&mut client, &uri, unused.range, &context);
            let fix = &actions[0];
            assert_eq!(fix["kind"], "quickfix");
            assert_eq!(fix["isPreferred"], true);
            assert_eq!(fix["diagnostics"][0]["code"], "unused_suppression");
            let mended = applied(&text, &uri, 1, fix);
            assert_eq!(mended.matches("\r\n").count(), 2);
            assert!(!mended.contains("visa-lint"), "{mended}");
            client.replace(&uri, 2, &mended);
            assert_eq!(rules(&pull(&mut client, &uri)), ["axis_size_zero"]);
            client.finish();
        }
    }
}

#[test]
fn a_name_is_proposed_and_never_preferred() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("names.rs");
    let text = Text::new(
        "axes![Tokens = 64];\ntype One = m![Token / 8];\ntype Two = m![Token % 8];\n",
        false,
    );
    client.open(&uri, &text.text);
    let diagnostics = pull(&mut client, &uri);
    assert_eq!(rules(&diagnostics), ["unknown_axis"]);
    // It is mended from each of its places, as a client asks that shows a diagnostic at the first one.
    for place in ["Token / 8", "Token % 8"] {
        let range = text.range_of(place);
        let actions = actions(&mut client, &uri, range, &about(&[]));
        let fix = &actions[0];
        assert_eq!(fix["title"], "Write `Tokens`, in all 2 places");
        assert_eq!(fix.get("isPreferred"), None, "{fix}");
        let mended = applied(&text, &uri, 1, fix);
        assert_eq!(mended, text.text.replace("Token ", "Tokens "));
    }
    client.finish();
}

#[test]
fn what_a_diagnostic_carries_counts_only_for_its_text() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("broken.rs");
    client.open(&uri, BROKEN);
    let unused = pull(&mut client, &uri)[1].clone();
    // The line moves down, and the client still shows the old diagnostic there.
    let text = Text::new(format!("\n{BROKEN}"), false);
    client.replace(&uri, 2, &text.text);
    let range = text.range_of("allow(axis_size_zero)");
    let actions = actions(&mut client, &uri, range, &about(&[unused]));
    let mended = applied(&text, &uri, 2, &actions[0]);
    assert_eq!(mended.trim_end(), "\naxes![Q = 0];\naxes![A = 8];");
    client.finish();
}

#[test]
fn a_finding_is_allowed_with_a_reason() {
    for (setup, utf8) in both() {
        let mut client = setup.in_process();
        let uri = untitled("zero.rs");
        let text = Text::new(spiced("axes![Q = 0];\n"), utf8);
        client.open(&uri, &text.text);
        let diagnostics = pull(&mut client, &uri);
        let context = about(&diagnostics);
        let actions = actions(&mut client, &uri, diagnostics[0].range, &context);
        let allow = actions
            .iter()
            .find(|action| action["title"] == "Allow `axis_size_zero` here, with a reason");
        let allowed = applied(&text, &uri, 1, allow.unwrap());
        let comment = " // visa-lint: allow(axis_size_zero): to be looked at\r\n";
        assert!(allowed.ends_with(comment), "{allowed}");
        client.replace(&uri, 2, &allowed);
        assert_eq!(pull(&mut client, &uri), []);
        client.finish();
    }
}

/// Two suppressions that suppress nothing, in two lines.
const TWO: &str = "axes![A = 8]; // visa-lint: allow(axis_size_zero)\n\
                   axes![B = 8]; // visa-lint: allow(axis_size_zero)\n";

#[test]
fn all_is_fixed_at_once() {
    for only in ["source.fixAll.visa", "source.fixAll", "source"] {
        for (setup, utf8) in both() {
            let mut client = setup.in_process();
            let uri = untitled("two.rs");
            let text = Text::new(spiced(TWO), utf8);
            client.open(&uri, &text.text);
            let whole = Range::default();
            let context = json!({ "diagnostics": [], "only": [only] });
            let actions = actions(&mut client, &uri, whole, &context);
            assert_eq!(actions.len(), 1, "{actions:?}");
            assert_eq!(actions[0]["kind"], "source.fixAll.visa");
            let fixed = applied(&text, &uri, 1, &actions[0]);
            let expected = spiced("axes![A = 8];\naxes![B = 8];\n");
            assert_eq!(fixed, expected);
            client.replace(&uri, 2, &fixed);
            assert_eq!(pull(&mut client, &uri), []);
            let context = json!({ "diagnostics": [], "only": [only] });
            assert_eq!(
                super::code_actions::actions(&mut client, &uri, whole, &context),
                [] as [Value; 0]
            );
            client.finish();
        }
    }
}

#[test]
fn fix_all_is_worked_out_when_it_is_chosen() {
    let client = Setup::utf16().with(
        "/capabilities/textDocument/codeAction/resolveSupport",
        json!({ "properties": ["edit"] }),
    );
    let mut client = client.in_process();
    let uri = untitled("two.rs");
    let text = Text::new(TWO, false);
    client.open(&uri, TWO);
    let context = json!({ "diagnostics": [], "only": ["source.fixAll"] });
    let found = actions(&mut client, &uri, Range::default(), &context);
    assert_eq!(found[0].get("edit"), None);
    let action = client.request_raw("codeAction/resolve", found[0].clone());
    let fixed = applied(&text, &uri, 1, &action);
    assert_eq!(fixed, "axes![A = 8];\naxes![B = 8];\n");
    // Of another text nothing is worked out.
    client.replace(&uri, 2, "axes![A = 8];\n");
    let id = client.send_raw("codeAction/resolve", Some(found[0].clone()));
    assert_eq!(client.response_raw(id).unwrap_err().code, -32801);
    client.finish();
}

#[test]
fn what_a_fix_needs_behind_it_is_worked_out_when_it_is_chosen() {
    // The time of a reduce is mended, and behind it the widening and the element that is committed.
    let path = "fixtures/violations/intra_reduce_mapping/wrong.rs";
    let broken = visa_tests::read(&visa_tests::repository().join(path));
    let resolving = Setup::utf16().with(
        "/capabilities/textDocument/codeAction/resolveSupport",
        json!({ "properties": ["edit"] }),
    );
    let mut mended = Vec::new();
    for (setup, resolves) in [(resolving, true), (Setup::utf16(), false)] {
        let mut client = setup.in_process();
        let uri = untitled("reduce.rs");
        let text = Text::new(broken.clone(), false);
        client.open(&uri, &text.text);
        let diagnostics = pull(&mut client, &uri);
        let mut found = diagnostics.iter();
        let found =
            found.find(|found| rules(std::slice::from_ref(found)) == ["intra_reduce_mapping"]);
        let found = found.unwrap();
        // What is published says which fixes there are, and not what they write.
        let carried = &found.data.as_ref().unwrap()["fixes"];
        assert_eq!(
            carried,
            &json!([{ "title": "Write Time `m![C / 4]`", "place": "", "preferred": false, "has_price": true }])
        );
        let context = about(std::slice::from_ref(found));
        let mut offered = actions(&mut client, &uri, found.range, &context).into_iter();
        let mends = |action: &Value| {
            let title = action["title"].as_str();
            title.is_some_and(|title| title.starts_with("Write Time `m![C / 4]`"))
        };
        let mut action = offered.find(mends).unwrap();
        assert_eq!(action.get("edit").is_none(), resolves);
        if resolves {
            let chosen = action.clone();
            action = client.request_raw("codeAction/resolve", chosen.clone());
            mended.push(applied(&text, &uri, 1, &action));
            client.replace(&uri, 2, "axes![A = 8];\n");
            let id = client.send_raw("codeAction/resolve", Some(chosen));
            assert_eq!(client.response_raw(id).unwrap_err().code, -32801);
        } else {
            mended.push(applied(&text, &uri, 1, &action));
            client.replace(&uri, 2, &mended[0]);
            assert!(!rules(&pull(&mut client, &uri)).contains(&"intra_reduce_mapping"));
        }
        client.finish();
    }
    assert_eq!(mended[0], mended[1]);
    assert!(
        mended[0].contains("vector_concat::<m![1], m![C]>"),
        "{}",
        mended[0]
    );
}

#[test]
fn only_what_is_asked_for_is_offered() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("broken.rs");
    client.open(&uri, BROKEN);
    let diagnostics = pull(&mut client, &uri);
    let range = diagnostics[1].range;
    let mut kinds = |only: Value| {
        let context = json!({ "diagnostics": diagnostics, "only": only });
        let actions = actions(&mut client, &uri, range, &context);
        let kinds = actions.iter().map(|action| action["kind"].clone());
        kinds.collect::<Vec<_>>()
    };
    assert!(kinds(json!(["refactor"])).is_empty());
    assert!(!kinds(json!(["quickfix"])).contains(&json!("source.fixAll.visa")));
    assert_eq!(kinds(json!(["source.fixAll.visa"])), ["source.fixAll.visa"]);
    assert!(kinds(json!(["source.fixAll.other"])).is_empty());
    client.finish();
}

#[test]
fn a_client_without_versions_gets_plain_edits() {
    let client = Setup::utf16().with("/capabilities/workspace/workspaceEdit", json!({}));
    let mut client = client.in_process();
    let uri = untitled("broken.rs");
    client.open(&uri, BROKEN);
    let diagnostics = pull(&mut client, &uri);
    let range = diagnostics[1].range;
    let actions = actions(&mut client, &uri, range, &about(&diagnostics[1..]));
    let edits = &actions[0]["edit"]["changes"][uri.as_str()];
    let edits: Vec<_> = serde_json::from_value(edits.clone()).unwrap();
    let mended = Text::new(BROKEN, false).edited(&edits);
    assert_eq!(mended.trim_end(), "axes![Q = 0];\naxes![A = 8];");
    client.finish();
}

#[test]
fn a_client_that_knows_commands_only_is_offered_nothing() {
    let client = Setup::utf16().with("/capabilities/textDocument/codeAction", json!({}));
    let mut client = client.in_process();
    let uri = untitled("broken.rs");
    client.open(&uri, BROKEN);
    let answer = client.request_raw(
        "textDocument/codeAction",
        json!({
            "textDocument": document(&uri),
            "range": Range::default(),
            "context": { "diagnostics": [] },
        }),
    );
    assert_eq!(answer, Value::Null);
    client.finish();
}

#[test]
fn files_that_are_not_open_have_no_version() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.rs");
    std::fs::write(&path, BROKEN).unwrap();
    let mut client = Setup::utf16().folder(folder.path()).in_process();
    let uri = uri_of(&path);
    let diagnostics = pull(&mut client, &uri);
    let text = Text::new(BROKEN, false);
    let range = diagnostics[1].range;
    let actions = actions(&mut client, &uri, range, &about(&diagnostics[1..]));
    assert!(titles(&actions).len() > 1);
    let edits = versioned(&actions[0]["edit"]);
    assert_eq!(edits[0].1, None);
    let mended = text.edited(&edits[0].2);
    assert_eq!(mended.trim_end(), "axes![Q = 0];\naxes![A = 8];");
    client.finish();
}

#[test]
fn a_refactoring_leaves_the_kernel_as_it_is() {
    for (setup, utf8) in both() {
        let mut client = setup.in_process();
        let uri = untitled("kernel.rs");
        let text = Text::new(kernel(), utf8);
        client.open(&uri, &text.text);
        assert_eq!(pull(&mut client, &uri), []);
        let part = text.range_of("m![T, P / 8]");
        let context = json!({ "diagnostics": [], "only": ["refactor.extract"] });
        let actions = actions(&mut client, &uri, part, &context);
        assert_eq!(actions[0]["kind"], "refactor.extract");
        let extracted = applied(&text, &uri, 1, &actions[0]);
        let line = extracted
            .lines()
            .find(|line| line.contains("type ") && line.contains("m![T, P / 8]"));
        assert!(line.is_some(), "{extracted}");
        assert_eq!(extracted.matches("m![T, P / 8]").count(), 1);
        // Every line ends as the file's do.
        let ends = extracted.matches("\r\n").count();
        assert_eq!(ends, extracted.matches('\n').count());
        client.replace(&uri, 2, &extracted);
        assert_eq!(pull(&mut client, &uri), []);
        client.finish();
    }
}

/// A kernel with calls of other releases, in the newest one.
const OTHER_RELEASES: &str = "use furiosa_opt_std::prelude::*;
axes![S = 256, B = 32];
#[device(chip = 1)]
fn copy(device: &mut Device, x: &HbmTensor<i8, m![1], m![S, B]>) -> HbmTensor<i8, m![1], m![S, B]> {
    let x: DmTensor<i8, m![1], m![1 # 2], m![S], m![B]> = x.to_dm(&mut device.tdma, 0);
    let y: DmTensor<i8, m![1], m![1 # 2], m![S], m![B]> = device
        .main
        .begin(x.view())
        .fetch::<i32, m![1], m![B]>()
        .collect::<m![1], m![B]>()
        .commit_trim::<m![B]>()
        .commit();
    y.to_hbm(&mut device.tdma)
}
";

#[test]
fn calls_of_other_releases_are_written_as_the_crates_has_them() {
    for (place, title, after) in [
        (
            "to_dm",
            "Write `to_dm(&mut device.tdma)`",
            OTHER_RELEASES.replace("tdma, 0)", "tdma)"),
        ),
        (
            "fetch",
            "Write `fetch::<m![1], m![B]>().fetch_cast::<i32>()`",
            OTHER_RELEASES.replace(
                "fetch::<i32, m![1], m![B]>()",
                "fetch::<m![1], m![B]>()\n        .fetch_cast::<i32>()",
            ),
        ),
    ] {
        let mut client = Setup::utf16().in_process();
        let uri = untitled("releases.rs");
        let text = Text::new(OTHER_RELEASES, false);
        client.open(&uri, &text.text);
        let diagnostics = pull(&mut client, &uri);
        let mut found = rules(&diagnostics);
        found.retain(|rule| *rule == "other_release_api");
        assert_eq!(found.len(), 2);
        let actions = actions(&mut client, &uri, text.range_of(place), &about(&[]));
        let fix = actions.iter().find(|action| action["title"] == title);
        let fix = fix.unwrap_or_else(|| panic!("{:?}", titles(&actions)));
        assert_eq!(fix["kind"], "quickfix");
        assert_eq!(applied(&text, &uri, 1, fix), after);
        client.finish();
    }
}

/// A client that asks for edits when they are chosen, makes files and opens documents, as VS Code does.
fn able() -> Setup {
    Setup::utf16()
        .with(
            "/capabilities/textDocument/codeAction/resolveSupport",
            json!({ "properties": ["edit"] }),
        )
        .with(
            "/capabilities/workspace/workspaceEdit/resourceOperations",
            json!(["create"]),
        )
        .with(
            "/capabilities/window/showDocument",
            json!({ "support": true }),
        )
}

#[test]
fn all_findings_of_a_rule_are_fixed_and_no_others() {
    let mut client = able().in_process();
    let uri = untitled("two.rs");
    // Two suppressions that suppress nothing, and the clusters of a tensor, for which one is too few; both have a sure fix.
    let clusters = "fn f(x: &DmTensor<i8, m![1], m![1], m![1 # 256], m![A]>) {}\n";
    let broken = format!("use furiosa_visa_std::prelude::*;\n{TWO}{clusters}");
    let text = Text::new(broken, false);
    client.open(&uri, &text.text);
    let found = pull(&mut client, &uri);
    let before = rules(&found);
    assert_eq!(
        before
            .iter()
            .filter(|rule| **rule == "unused_suppression")
            .count(),
        2
    );
    assert!(before.contains(&"cluster_size"), "{before:?}");
    let range = text.range_of("allow(axis_size_zero)");
    let found = actions(&mut client, &uri, range, &about(&[]));
    let all = found
        .iter()
        .find(|action| action["title"] == "Fix all `unused_suppression` in this file")
        .unwrap_or_else(|| panic!("{:?}", titles(&found)));
    assert_eq!((&all["kind"], all.get("edit")), (&json!("quickfix"), None));
    let chosen = client.request_raw("codeAction/resolve", all.clone());
    let mended = applied(&text, &uri, 1, &chosen);
    let expected = "use furiosa_visa_std::prelude::*;\naxes![A = 8];\naxes![B = 8];\n";
    assert_eq!(mended, format!("{expected}{clusters}"));
    // All at once is offered in the same menu, as editors hide source actions there.
    let all = found
        .iter()
        .find(|action| action["title"] == "Fix all safe problems in this file");
    assert_eq!(all.unwrap()["kind"], "quickfix");
    // Of another text nothing is worked out, and of a rule with one finding nothing is offered.
    client.replace(&uri, 2, &mended);
    let id = client.send_raw("codeAction/resolve", Some(found[0].clone()));
    assert_eq!(client.response_raw(id).unwrap_err().code, -32801);
    let found = actions(
        &mut client,
        &uri,
        Text::new(mended, false).range_of("m![1], m![1 # 256]"),
        &about(&[]),
    );
    assert!(
        titles(&found)
            .iter()
            .all(|title| !title.starts_with("Fix all `")),
        "{:?}",
        titles(&found)
    );
    client.finish();
}

/// The words that menu entries begin with: what is done.
const VERBS: [&str; 22] = [
    "Add", "Allow", "Declare", "Explain", "Fetch", "Fix", "Keep", "Make", "Move", "Narrow", "Pad",
    "Place", "Put", "Remove", "Rename", "Replace", "Shuffle", "Split", "Use", "Widen", "Write",
    "Insert",
];

#[test]
fn entries_are_imperative_and_in_the_order_of_what_is_meant() {
    // What mends, what mends more, what changes something right, what leaves it wrong, what makes the kernel slower.
    let place = |title: &str| match title {
        _ if title.contains("(+") && title.ends_with(" % cycles)") => 7,
        _ if title.starts_with("Fix all `") => 1,
        _ if title.starts_with("Fix all") => 2,
        _ if title.starts_with("Allow") && title.ends_with("with a reason") => 4,
        _ if title.starts_with("Allow") => 5,
        _ if title.starts_with("Explain") => 6,
        _ => 0,
    };
    let folder = visa_tests::repository().join("fixtures/violations");
    let mut wrong: Vec<_> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().path().join("wrong.rs"))
        .filter(|path| path.is_file())
        .collect();
    wrong.sort();
    // Every fifth fixture: all of them take too long for what they add.
    let mut seen = 0;
    for path in wrong.iter().step_by(5) {
        let mut client = able().in_process();
        let text = visa_tests::read(path);
        let uri = untitled("wrong.rs");
        client.open(&uri, &text);
        for diagnostic in pull(&mut client, &uri).iter().take(3) {
            let context = json!({ "diagnostics": [diagnostic], "only": ["quickfix"] });
            let found = actions(&mut client, &uri, diagnostic.range, &context);
            let titles = titles(&found);
            for title in &titles {
                let verb = title.split(' ').next().unwrap();
                assert!(VERBS.contains(&verb), "{title}: {}", path.display());
                assert!(!title.ends_with('.'), "{title}");
            }
            let places: Vec<i32> = titles.iter().map(|title| place(title)).collect();
            assert!(places.is_sorted(), "{titles:?}");
            // At most one entry is the one to take without looking, and it is the first.
            let preferred: Vec<usize> = (0..found.len())
                .filter(|at| found[*at]["isPreferred"] == true)
                .collect();
            assert!(
                preferred.is_empty() || preferred == [0],
                "{titles:?}: {preferred:?}"
            );
            seen += titles.len();
        }
        client.finish();
    }
    assert!(seen > 60, "{seen}");
}

#[test]
fn a_rule_is_explained_by_a_page_from_the_server() {
    let mut client = able().in_process();
    let uri = untitled("zero.rs");
    client.open(&uri, "axes![Q = 0];\n");
    let diagnostics = pull(&mut client, &uri);
    let found = actions(
        &mut client,
        &uri,
        diagnostics[0].range,
        &about(&diagnostics),
    );
    let explain = found.last().unwrap();
    assert_eq!(explain["title"], "Explain `axis_size_zero`");
    let command = &explain["command"];
    assert_eq!(command["command"], "visa.explainRule");
    let offered = &client.initialized.capabilities.execute_command_provider;
    let offered = &offered.as_ref().unwrap().commands;
    assert_eq!(*offered, ["visa.explainRule", "visa.runKernel"]);
    // The client opens what the server writes.
    let id = client.send_raw("workspace/executeCommand", Some(command.clone()));
    let (asked, shown) = client.server_request::<tower_lsp::ls_types::request::ShowDocument>();
    client.answer(&asked, &json!({ "success": true }));
    assert_eq!(client.response_raw(id), Ok(Value::Null));
    let path = shown.uri.to_file_path().unwrap().into_owned();
    assert!(path.ends_with("axis_size_zero.md"), "{}", path.display());
    let page = std::fs::read_to_string(&path).unwrap();
    assert!(page.starts_with("# axis_size_zero\n"), "{page}");
    // The same as a request, and what is no rule.
    let answer = client.request_raw(
        "visa/rulePage",
        json!({ "rule": "axis_size_zero", "textDocument": document(&uri) }),
    );
    assert_eq!(answer["markdown"], page.as_str());
    let id = client.send_raw("visa/rulePage", Some(json!({ "rule": "axis_size_zer" })));
    let refused = client.response_raw(id).unwrap_err();
    assert_eq!(
        refused.message,
        "no rule or group is called `axis_size_zer`; did you mean `axis_size_zero`?"
    );
    for params in [
        json!({ "command": "visa.other", "arguments": ["axis_size_zero"] }),
        json!({ "command": "visa.explainRule", "arguments": [] }),
        json!({ "command": "visa.explainRule", "arguments": ["../axis_size_zero"] }),
    ] {
        let id = client.send_raw("workspace/executeCommand", Some(params));
        assert!(client.response_raw(id).is_err());
    }
    client.finish();
    assert!(!path.exists(), "the page goes with the server");
}

#[test]
fn a_client_that_opens_no_documents_is_told_where_the_page_is() {
    let mut client = Setup::utf16().in_process();
    let params = json!({ "command": "visa.explainRule", "arguments": ["axis_size_zero"] });
    client.request_raw("workspace/executeCommand", params);
    let told = client.notification::<tower_lsp::ls_types::notification::ShowMessage>();
    assert!(
        told.message
            .starts_with("the page of `axis_size_zero` is in "),
        "{}",
        told.message
    );
    client.finish();
}

#[test]
fn links_of_findings_lead_to_pages_that_the_client_opens() {
    let setup = Setup::utf16().with(
        "/capabilities/experimental",
        json!({ "visaRulePages": "visa-rule" }),
    );
    let mut client = setup.in_process();
    let uri = untitled("zero.rs");
    client.open(&uri, "axes![Q = 0];\n");
    let found = pull(&mut client, &uri);
    let link = found[0].code_description.as_ref().unwrap();
    assert_eq!(link.href.as_str(), "visa-rule:/axis_size_zero.md");
    client.finish();
}

/// A project with a settings file, or none: the folder, and the menu at the finding of its kernel.
fn settings_menu(settings: Option<&str>, setup: Setup) -> (tempfile::TempDir, Vec<Value>) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    };
    write(
        "Cargo.toml",
        "[package]\nname = \"zero\"\nversion = \"0.1.0\"\n",
    );
    let kernel = write("src/lib.rs", "axes![Q = 0];\n");
    if let Some(text) = settings {
        write("visa-lint.toml", text);
    }
    let mut client = setup.folder(folder.path()).in_process();
    let uri = uri_of(&kernel);
    client.open(&uri, "axes![Q = 0];\n");
    let diagnostics = pull(&mut client, &uri);
    let found = actions(
        &mut client,
        &uri,
        diagnostics[0].range,
        &about(&diagnostics),
    );
    client.finish();
    (folder, found)
}

fn in_settings(found: &[Value]) -> Option<&Value> {
    found.iter().find(|action| {
        let title = action["title"].as_str().unwrap();
        title.starts_with("Allow") && title.contains("visa-lint.toml")
    })
}

#[test]
fn a_rule_is_allowed_in_the_settings_file() {
    let before = "# Ours.\n[levels]\nperformance = \"warn\" # all of them\n";
    let (folder, found) = settings_menu(Some(before), able());
    let action = in_settings(&found).unwrap();
    let name = folder.path().file_name().unwrap().to_str().unwrap();
    assert_eq!(
        action["title"],
        format!("Allow `axis_size_zero` in `{name}/visa-lint.toml`")
    );
    let edits = versioned(&action["edit"]);
    let [(edited, None, edits)] = edits.as_slice() else {
        panic!("{edits:?}");
    };
    assert_eq!(*edited, uri_of(&folder.path().join("visa-lint.toml")));
    let after = Text::new(before, false).edited(edits);
    assert_eq!(after, format!("{before}axis_size_zero = \"allow\"\n"));
}

#[test]
fn a_settings_file_is_made_where_there_is_none() {
    let (folder, found) = settings_menu(None, able());
    let action = in_settings(&found).unwrap();
    assert!(action["title"].as_str().unwrap().contains(" in a new `"));
    let changes = action["edit"]["documentChanges"].as_array().unwrap();
    let uri = uri_of(&folder.path().join("visa-lint.toml"));
    assert_eq!(
        (&changes[0]["kind"], &changes[0]["uri"]),
        (&json!("create"), &json!(uri.as_str()))
    );
    assert_eq!(changes[1]["textDocument"]["uri"], uri.as_str());
    assert_eq!(
        changes[1]["edits"][0]["newText"],
        "[levels]\naxis_size_zero = \"allow\"\n"
    );
    // A client that makes no files is not asked to.
    let (_folder, found) = settings_menu(None, Setup::utf16());
    assert_eq!(in_settings(&found), None);
}

#[test]
fn nothing_is_offered_that_would_not_allow_the_rule() {
    // An override has the last word, and so has the editor.
    let overridden =
        "[levels]\n\n[[overrides]]\npaths = [\"src/**\"]\nlevels = { axis_size_zero = \"warn\" }\n";
    let (_folder, found) = settings_menu(Some(overridden), able());
    assert_eq!(in_settings(&found), None);
    let editor = able().with(
        "/initializationOptions/levels",
        json!({ "axis_size_zero": "warn" }),
    );
    let (_folder, found) = settings_menu(Some("[levels]\n"), editor);
    assert_eq!(in_settings(&found), None);
}

/// Rows of 128 bytes that the kernel loads itself: longer ones, which the fix writes, are loaded in packets of 16 bytes.
const STARVED: &str = "use furiosa_visa_std::prelude::*;
axes![S = 256, T = 64, P = 32];
#[device(chip = 1)]
fn reorder(ctx: &mut Context, x: &HbmTensor<i8, m![1], m![S, T, P # 128]>) -> HbmTensor<i8, m![1], m![S, T, P]> {
    let x: DmTensor<i8, m![1], m![1 # 2], m![S], m![T, P # 128]> = x.to_dm(&mut ctx.tdma, 0);
    let y: DmTensor<i8, m![1], m![1 # 2], m![S], m![T, P]> = ctx
        .main
        .begin(x.view())
        .fetch::<i8, m![T], m![P]>()
        .collect::<m![T], m![P]>()
        .commit(0x8000);
    y.to_hbm(&mut ctx.tdma, 1 << 28)
}
";

#[test]
fn a_fix_that_makes_the_kernel_slower_is_the_last_entry_with_its_price() {
    let resolving = Setup::utf16().with(
        "/capabilities/textDocument/codeAction/resolveSupport",
        json!({ "properties": ["edit"] }),
    );
    for (setup, resolves) in [(resolving, true), (Setup::utf16(), false)] {
        let mut client = setup.in_process();
        let uri = untitled("starved.rs");
        client.open(&uri, STARVED);
        let diagnostics = pull(&mut client, &uri);
        let mut found = diagnostics.iter();
        let found = found.find(|found| rules(std::slice::from_ref(found)) == ["bank_starvation"]);
        let found = found.unwrap();
        let context = about(std::slice::from_ref(found));
        let menu = actions(&mut client, &uri, found.range, &context);
        let titles = titles(&menu);
        let last = titles.last().unwrap();
        assert!(
            last.starts_with("Write Element") && last.contains(" (+"),
            "{titles:?}"
        );
        assert!(last.ends_with(" % cycles)"), "{last}");
        assert!(!titles[0].starts_with("Write Element"), "{titles:?}");
        let mut action = menu.last().unwrap().clone();
        assert_eq!(action.get("edit").is_none(), resolves);
        if resolves {
            action = client.request_raw("codeAction/resolve", action);
        }
        assert!(!versioned(&action["edit"]).is_empty());
        client.finish();
    }
}
