//! What an editor shows and asks beside diagnostics: every feature in both encodings, with letters of several bytes before
//! each place and lines that end as Windows ends them.

use serde_json::{Value, json};
use tower_lsp::ls_types::{
    CodeLens, CompletionItem, CompletionTextEdit, DocumentHighlight, DocumentHighlightKind, Hover,
    HoverContents, InlayHint, InlayHintLabel, Location, MarkupKind, Position,
    PrepareRenameResponse, SignatureHelp, Uri,
};

use super::support::{Client, Setup, document, untitled, uri_of};
use super::texts::{LETTERS, Text, both, kernel, versioned};

/// A client with the kernel open.
pub(super) fn open(setup: Setup, utf8: bool) -> (Client, Uri, Text) {
    open_text(setup, utf8, &kernel())
}

fn open_text(setup: Setup, utf8: bool, text: &str) -> (Client, Uri, Text) {
    let mut client = setup.in_process();
    let uri = untitled("kernel.rs");
    client.open(&uri, text);
    (client, uri, Text::new(text, utf8))
}

/// Asks about a place.
pub(super) fn ask(client: &mut Client, method: &str, uri: &Uri, position: Position) -> Value {
    client.request_raw(
        method,
        json!({ "textDocument": document(uri), "position": position }),
    )
}

/// Asks about a document.
pub(super) fn ask_of(client: &mut Client, method: &str, uri: &Uri) -> Value {
    client.request_raw(method, json!({ "textDocument": document(uri) }))
}

pub(super) fn read<T: serde::de::DeserializeOwned>(value: Value) -> T {
    serde_json::from_value(value).unwrap()
}

fn words(hover: &Hover) -> (MarkupKind, &str) {
    match &hover.contents {
        HoverContents::Markup(content) => (content.kind.clone(), &content.value),
        other => panic!("{other:?}"),
    }
}

#[test]
fn hovers() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let caret = text.caret("S = 256, |T = 4");
        let hover: Hover = read(ask(&mut client, "textDocument/hover", &uri, caret));
        assert_eq!(text.at(hover.range.unwrap()), "T");
        let (kind, words) = words(&hover);
        assert_eq!(kind, MarkupKind::Markdown);
        assert!(words.contains("`T`") && words.contains('4'), "{words}");
        let nothing = ask(
            &mut client,
            "textDocument/hover",
            &uri,
            text.caret("let| block"),
        );
        assert_eq!(nothing, Value::Null);
        client.finish();
    }
}

#[test]
fn hovers_count_uses_in_files_on_disk_and_in_unsaved_ones() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        uri_of(&path)
    };
    let axes = "/* é */ axes![Rows = 8];\r\n";
    let uses = "use crate::axes::Rows;\ntype Part = m![Rows / 4, Rows % 4];\n";
    let axes_uri = write("axes.rs", axes);
    let uses_uri = write("uses.rs", uses);
    write("lib.rs", "mod axes;\nmod uses;\ntype All = axes::Rows;\n");
    let mut client = Setup::utf16().folder(folder.path()).in_process();
    client.open(&axes_uri, axes);
    super::diagnostics::pull(&mut client, &axes_uri);
    let place = Text::new(axes, false).caret("axes![|Rows");
    let counted = |client: &mut Client| {
        let hover: Hover = read(ask(client, "textDocument/hover", &axes_uri, place));
        let (_, words) = words(&hover);
        let mut lines = words.lines().skip_while(|line| !line.starts_with("Used"));
        let title = lines.next().unwrap_or_default().to_owned();
        let files: Vec<String> = lines
            .filter_map(|line| {
                let (path, times) = line.strip_prefix("- `")?.split_once("`: ")?;
                Some(format!("{} {times}", path.rsplit('/').next()?))
            })
            .collect();
        (title, files.join(", "))
    };
    let expected = |title: &str, files: &str| (title.to_owned(), files.to_owned());
    assert_eq!(
        counted(&mut client),
        expected(
            "Used 3 times in 2 other files:",
            "uses.rs 2 times, lib.rs once"
        )
    );
    client.open(&uses_uri, &uses.replace(", Rows % 4", ""));
    assert_eq!(
        counted(&mut client),
        expected(
            "Used 2 times in 2 other files:",
            "lib.rs once, uses.rs once"
        )
    );
    client.finish();
}

#[test]
fn hovers_of_a_client_that_shows_plain_text() {
    for (setup, utf8) in both() {
        let setup = setup.with(
            "/capabilities/textDocument/hover/contentFormat",
            json!(["plaintext"]),
        );
        let (mut client, uri, text) = open(setup, utf8);
        let caret = text.caret("S = 256, |T = 4");
        let hover: Hover = read(ask(&mut client, "textDocument/hover", &uri, caret));
        let (kind, words) = words(&hover);
        assert_eq!(kind, MarkupKind::PlainText);
        assert!(!words.contains('`') && !words.contains("**"), "{words}");
        assert!(words.contains('T') && words.contains('4'), "{words}");
        client.finish();
    }
}

/// The hints of the whole document: the end of the line before each, and what it says.
fn hints(client: &mut Client, uri: &Uri, text: &Text) -> Vec<(String, String)> {
    let end = text.place(text.text.len());
    let range = json!({ "start": { "line": 0, "character": 0 }, "end": end });
    let params = json!({ "textDocument": document(uri), "range": range });
    let hints: Vec<InlayHint> = read(client.request_raw("textDocument/inlayHint", params));
    let hints = hints.into_iter().map(|hint| {
        let before = &text.text[..text.byte(hint.position)];
        let line = before.rsplit('\n').next().unwrap();
        let line = line.strip_prefix(LETTERS).unwrap().trim();
        let InlayHintLabel::String(label) = hint.label else {
            panic!("{:?}", hint.label);
        };
        (line.to_owned(), label)
    });
    hints.collect()
}

#[test]
fn inlay_hints() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let found = hints(&mut client, &uri, &text);
        let found = |line: &str| {
            let mut found = found.iter().filter(|(before, _)| before == line);
            found.next().map(|(_, label)| label.clone())
        };
        assert!(found("type Half = m![1 # 2]").unwrap().ends_with("= 2"));
        // 4 * 16 elements of 4 bytes.
        let block = "type Block = DmTensor<i32, Chip, Half, m![S], m![T, P]>";
        assert!(found(block).unwrap().ends_with("= 256 B"));
        client.finish();
    }
}

#[test]
fn inlay_hints_have_levels() {
    let count = |level: &str| {
        let options = json!({ "inlayHints": { "level": level } });
        let setup = Setup::utf16().with("/initializationOptions", options);
        let (mut client, uri, text) = open(setup, false);
        let count = hints(&mut client, &uri, &text).len();
        client.finish();
        count
    };
    assert_eq!(count("off"), 0);
    let (kernel, line) = (count("kernel"), count("line"));
    assert!(0 < kernel && kernel < line, "{kernel} {line}");
}

/// The lens of a kernel of unknown cycles names the line to mend, and its command goes there.
#[test]
fn a_lens_without_cycles_goes_to_the_line_to_mend() {
    for (setup, utf8) in both() {
        let whole = kernel().replace("to_hbm(", "to_nowhere(");
        let (mut client, uri, text) = open_text(setup, utf8, &whole);
        let lenses: Vec<CodeLens> = read(ask_of(&mut client, "textDocument/codeLens", &uri));
        let command = lenses[0].command.as_ref().unwrap();
        let place = text.range_of("to_nowhere").start;
        let words = format!("cycles unknown: mend line {} (", place.line + 1);
        assert!(command.title.starts_with(&words), "{}", command.title);
        assert!(command.title.contains("`to_nowhere`"), "{}", command.title);
        assert_eq!(command.command, "visa.goTo");
        let arguments = command.arguments.as_ref().unwrap();
        assert_eq!(*arguments, [json!(uri), json!(place)]);
        client.finish();
    }
}

#[test]
fn code_lenses() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let lenses: Vec<CodeLens> = read(ask_of(&mut client, "textDocument/codeLens", &uri));
        let [lens, run] = lenses.as_slice() else {
            panic!("{lenses:?}");
        };
        assert_eq!(lens.range.start, text.range_of("raise").start);
        assert_eq!(run.range, lens.range);
        let command = run.command.as_ref().unwrap();
        assert_eq!(command.title, "Run (random inputs, seed 0)");
        let arguments = command.arguments.as_ref().unwrap();
        assert_eq!(*arguments, [json!(uri), json!("raise")]);
        let command = lens.command.as_ref().unwrap();
        assert!(command.title.contains(" cycles"), "{}", command.title);
        assert_eq!(command.command, "visa.showTimeline");
        let arguments = command.arguments.as_ref().unwrap();
        assert_eq!(*arguments, [json!(uri), json!(lens.range.start)]);
        client.finish();
    }
    let options = json!({ "codeLens": { "enable": false } });
    let setup = Setup::utf16().with("/initializationOptions", options);
    let (mut client, uri, _) = open(setup, false);
    assert_eq!(
        ask_of(&mut client, "textDocument/codeLens", &uri),
        json!([])
    );
    client.finish();
}

/// The proposals at a place.
fn proposals(client: &mut Client, uri: &Uri, position: Position) -> Vec<CompletionItem> {
    read(ask(client, "textDocument/completion", uri, position))
}

#[test]
fn completions() {
    let typed = kernel().replace("m![T, P]>;", "m![T, ]>;");
    for (setup, utf8) in both() {
        for replace in [false, true] {
            let setup = Setup {
                initialize: setup.initialize.clone(),
            }
            .with(
                "/capabilities/textDocument/completion/completionItem/insertReplaceSupport",
                json!(replace),
            );
            let (mut client, uri, text) = open_text(setup, utf8, &typed);
            let items = proposals(&mut client, &uri, text.caret("m![T, |]>;"));
            let item = items.iter().find(|item| item.label == "P").unwrap();
            let (range, new) = match item.text_edit.as_ref().unwrap() {
                CompletionTextEdit::Edit(edit) => (edit.range, &edit.new_text),
                CompletionTextEdit::InsertAndReplace(edit) => {
                    assert!(replace);
                    assert_eq!(edit.insert, edit.replace);
                    (edit.replace, &edit.new_text)
                }
            };
            let edit = tower_lsp::ls_types::TextEdit::new(range, new.clone());
            assert_eq!(text.edited(&[edit]), kernel());
            let mut orders: Vec<_> = items.iter().map(|item| &item.sort_text).collect();
            orders.dedup();
            assert_eq!(orders.len(), items.len());
            assert!(orders.is_sorted());
            client.finish();
        }
    }
}

#[test]
fn completions_without_snippets() {
    let typed = kernel().replace("        .vector_final()\r\n", "        .\r\n");
    let inserted = |snippets: bool| {
        let setup = Setup::utf16().with(
            "/capabilities/textDocument/completion/completionItem/snippetSupport",
            json!(snippets),
        );
        let (mut client, uri, text) = open_text(setup, false, &typed);
        let place = text.caret("AddFxp, 1)\r\n/* é𝄞 */         .|\r\n");
        let items = proposals(&mut client, &uri, place);
        assert!(items.iter().any(|item| item.label.contains("vector_final")));
        client.finish();
        let texts = items.into_iter().map(|item| match item.text_edit.unwrap() {
            CompletionTextEdit::Edit(edit) => edit.new_text,
            CompletionTextEdit::InsertAndReplace(edit) => edit.new_text,
        });
        texts.collect::<Vec<_>>()
    };
    assert!(inserted(true).iter().any(|text| text.contains('$')));
    assert!(inserted(false).iter().all(|text| !text.contains('$')));
}

/// Beside a server that completes all of Rust, methods are left to that one, and sizes and mappings are not.
#[test]
fn completions_without_methods() {
    let typed = kernel()
        .replace("        .vector_final()\r\n", "        .\r\n")
        .replace("m![T, P]>;", "m![T, ]>;");
    for methods in ["always", "never"] {
        let options = json!({"completion": {"methods": methods}});
        let setup = Setup::utf16().with("/initializationOptions", options);
        let (mut client, uri, text) = open_text(setup, false, &typed);
        let place = text.caret("AddFxp, 1)\r\n/* é𝄞 */         .|\r\n");
        let items = proposals(&mut client, &uri, place);
        let completed = items.iter().any(|item| item.label.contains("vector_final"));
        assert_eq!(completed, methods == "always");
        let axes = proposals(&mut client, &uri, text.caret("m![T, |]>;"));
        assert!(axes.iter().any(|item| item.label == "P"));
        client.finish();
    }
}

#[test]
fn signatures() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let caret = text.caret("fetch::<i32, m![T], |m![P]>");
        let help: SignatureHelp = read(ask(&mut client, "textDocument/signatureHelp", &uri, caret));
        let signature = &help.signatures[0];
        assert!(signature.label.contains("fetch"), "{}", signature.label);
        assert_eq!(help.active_parameter, Some(2));
        let parameters = signature.parameters.as_ref().unwrap();
        assert!(parameters.len() > 2);
        client.finish();
    }
}

#[test]
fn definitions_and_references() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let caret = text.caret("collect::<m![T, |P / 8]");
        let places: Vec<Location> = read(ask(&mut client, "textDocument/definition", &uri, caret));
        assert_eq!(places.len(), 1);
        assert_eq!(places[0].uri, uri);
        assert_eq!(text.at(places[0].range), "P");
        assert_eq!(places[0].range.start, text.range_of("P = 16").start);
        for declaration in [true, false] {
            let places: Vec<Location> = read(client.request_raw(
                "textDocument/references",
                json!({
                    "textDocument": document(&uri),
                    "position": caret,
                    "context": { "includeDeclaration": declaration },
                }),
            ));
            // `Block`, the parameter and the result of the kernel, the fetch, and twice in the collect.
            assert_eq!(places.len(), 6 + usize::from(declaration));
            assert!(places.iter().all(|place| text.at(place.range) == "P"));
        }
        client.finish();
    }
}

#[test]
fn highlights() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let caret = text.caret("collect::<m![T, |P / 8]");
        let places: Vec<DocumentHighlight> = read(ask(
            &mut client,
            "textDocument/documentHighlight",
            &uri,
            caret,
        ));
        // The declaration, and the six uses that its references are.
        assert_eq!(places.len(), 7);
        assert!(places.iter().all(|place| text.at(place.range) == "P"));
        let declared: Vec<_> = places
            .iter()
            .filter(|place| place.kind == Some(DocumentHighlightKind::WRITE))
            .collect();
        assert_eq!(declared.len(), 1);
        assert_eq!(declared[0].range.start, text.range_of("P = 16").start);
        // A word of Rust is another server's.
        let keyword = text.caret("f|n ");
        let none = ask(&mut client, "textDocument/documentHighlight", &uri, keyword);
        assert_eq!(none, Value::Null);
        client.finish();
    }
}

#[test]
fn renames() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let caret = text.caret("collect::<m![T, |P / 8]");
        let prepared = ask(&mut client, "textDocument/prepareRename", &uri, caret);
        let PrepareRenameResponse::RangeWithPlaceholder { range, placeholder } = read(prepared)
        else {
            panic!("no range");
        };
        assert_eq!((text.at(range), placeholder.as_str()), ("P", "P"));
        let edit = client.request_raw(
            "textDocument/rename",
            json!({ "textDocument": document(&uri), "position": caret, "newName": "Quad" }),
        );
        let edits = versioned(&edit);
        assert_eq!(edits.len(), 1);
        assert_eq!((&edits[0].0, edits[0].1), (&uri, Some(1)));
        // No other word of the kernel has that letter.
        assert_eq!(text.edited(&edits[0].2), text.text.replace('P', "Quad"));
        for name in ["8", "T"] {
            let params = json!({
                "textDocument": document(&uri), "position": caret, "newName": name,
            });
            let id = client.send_raw("textDocument/rename", Some(params));
            assert_eq!(client.response_raw(id).unwrap_err().code, -32803);
        }
        client.finish();
    }
}

#[test]
fn renames_across_files() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        uri_of(&path)
    };
    let axes = "/* é */ axes![A = 8];\r\n";
    let uses = "mod axes;\nuse axes::A;\ntype Part = m![A / 4];\n";
    let axes_uri = write("axes.rs", axes);
    let uses_uri = write("lib.rs", uses);
    let mut client = Setup::utf16().folder(folder.path()).in_process();
    client.open(&uses_uri, uses);
    super::diagnostics::pull(&mut client, &uses_uri);
    let place = Text::new(uses, false).caret("m![|A / 4]");
    let edit = client.request_raw(
        "textDocument/rename",
        json!({ "textDocument": document(&uses_uri), "position": place, "newName": "Bee" }),
    );
    let edits = versioned(&edit);
    assert_eq!(edits.len(), 2);
    for (uri, version, edits) in edits {
        let (before, known) = if uri == axes_uri {
            (axes, None)
        } else {
            (uses, Some(1))
        };
        assert_eq!(version, known);
        let after = Text::new(before, false).edited(&edits);
        assert_eq!(after, before.replace('A', "Bee"));
    }
    client.finish();
}

#[test]
fn call_hierarchies() {
    let kernels = "
fn inner(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, T, P]>) {
    let block: Block = x.to_dm(&mut ctx.tdma, 0x2000);
}
#[device(chip = 1)]
fn outer(ctx: &mut Context, x: &HbmTensor<i32, m![1], m![S, T, P]>) {
    inner(ctx, x);
    inner(ctx, x);
}
";
    let kernels = kernel() + &super::texts::spiced(kernels);
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open_text(setup, utf8, &kernels);
        let method = "textDocument/prepareCallHierarchy";
        let items = ask(&mut client, method, &uri, text.caret("fn in|ner"));
        assert_eq!(items[0]["name"], "inner");
        let calls = client.request_raw("callHierarchy/incomingCalls", json!({ "item": items[0] }));
        assert_eq!(calls[0]["from"]["name"], "outer");
        let ranges: Vec<tower_lsp::ls_types::Range> = read(calls[0]["fromRanges"].clone());
        assert_eq!(ranges.len(), 2);
        assert!(
            ranges
                .iter()
                .all(|range| text.at(*range).starts_with("inner"))
        );
        // A client may drop what an item carries.
        let mut outer = calls[0]["from"].clone();
        outer.as_object_mut().unwrap().remove("data");
        let calls = client.request_raw("callHierarchy/outgoingCalls", json!({ "item": outer }));
        assert_eq!(calls[0]["to"]["name"], "inner");
        assert_eq!(calls[0]["fromRanges"].as_array().unwrap().len(), 2);
        client.finish();
    }
}

#[test]
fn costs_are_those_of_the_command_line() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("kernel.rs");
    std::fs::write(&path, kernel()).unwrap();
    let output = visa_tests::command(env!("CARGO_BIN_EXE_visa-lint-tested"))
        .args([
            "cost", "--model", "book", "--effort", "0", "--format", "json",
        ])
        .arg(&path)
        .output()
        .unwrap();
    let expected: Value = serde_json::from_slice(&output.stdout).unwrap();
    for (setup, utf8) in both() {
        let uri = uri_of(&path);
        let text = Text::new(kernel(), utf8);
        let caret = text.caret(".fet|ch");
        // By the schedule, which is what an editor shows where nothing else is set, the total is the calibrated one.
        let mut client = setup.clone().folder(folder.path()).in_process();
        client.open(&uri, &text.text);
        super::diagnostics::pull(&mut client, &uri);
        let scheduled = ask(&mut client, "visa/kernelCost", &uri, caret);
        let cycles = &scheduled["kernels"][0]["cycles"];
        assert_eq!(cycles["total"], cycles["calibrated"]["total"]);
        assert_eq!(
            cycles["calibrated"]["total"],
            expected["kernels"][0]["cycles"]["calibrated"]["total"]
        );
        client.finish();
        let setup = setup.with("/initializationOptions", json!({ "model": "book" }));
        let mut client = setup.folder(folder.path()).in_process();
        client.open(&uri, &text.text);
        super::diagnostics::pull(&mut client, &uri);
        let cost = ask(&mut client, "visa/kernelCost", &uri, caret);
        assert_eq!(cost, expected);
        let kernel = &expected["kernels"][0];
        let map = ask(&mut client, "visa/memoryMap", &uri, caret);
        assert_eq!(map["kernel"], "raise");
        assert_eq!(map["memory"], kernel["memory"]);
        assert_eq!(map["peak"], kernel["peak"]);
        assert_eq!(map["total"], kernel["cycles"]["total"]);
        // A slice has 512 KiB of data memory.
        let capacity = json!({ "tier": "dm", "bytes": 524_288 });
        assert!(map["capacity"].as_array().unwrap().contains(&capacity));
        let table = ask(&mut client, "visa/stageTable", &uri, caret);
        assert_eq!(table["kernel"], "raise");
        assert_eq!(table["operations"].as_array().unwrap().len(), 1);
        let pass = &table["operations"][0];
        assert!(kernel["operations"].as_array().unwrap().contains(pass));
        let nowhere = ask(&mut client, "visa/kernelCost", &uri, Position::default());
        assert!(nowhere.is_null() || nowhere["kernels"][0]["name"] == "raise");
        client.finish();
    }
}

#[test]
fn an_unknown_document_has_empty_answers() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("nowhere.rs");
    let hover = ask(&mut client, "textDocument/hover", &uri, Position::default());
    assert_eq!(hover, Value::Null);
    assert_eq!(
        ask_of(&mut client, "textDocument/codeLens", &uri),
        Value::Null
    );
    assert_eq!(
        ask(&mut client, "visa/kernelCost", &uri, Position::default()),
        Value::Null
    );
    client.finish();
}

#[test]
fn no_place_of_half_typed_code_is_too_odd_to_be_asked_about() {
    let half = kernel()
        .replace("m![T, P]>;", "m![T, ")
        .replace(".commit(0x1000);", ".");
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open_text(setup, utf8, &half);
        let places = (0..=text.text.len()).step_by(29);
        let places = places.filter(|byte| text.text.is_char_boundary(*byte));
        for place in places.map(|byte| text.place(byte)) {
            for method in [
                "textDocument/hover",
                "textDocument/completion",
                "textDocument/signatureHelp",
                "textDocument/definition",
                "textDocument/prepareCallHierarchy",
                "visa/kernelCost",
                "visa/memoryMap",
                "visa/stageTable",
            ] {
                ask(&mut client, method, &uri, place);
            }
            let range = json!({ "start": place, "end": place });
            let context = json!({ "diagnostics": [] });
            let params = json!({
                "textDocument": document(&uri), "range": range, "context": context,
            });
            client.request_raw("textDocument/codeAction", params);
            let params = json!({ "textDocument": document(&uri), "positions": [place] });
            client.request_raw("textDocument/selectionRange", params);
        }
        for method in [
            "textDocument/documentSymbol",
            "textDocument/foldingRange",
            "textDocument/semanticTokens/full",
            "textDocument/codeLens",
            "textDocument/diagnostic",
        ] {
            ask_of(&mut client, method, &uri);
        }
        client.finish();
    }
}

#[test]
fn every_row_of_the_completions_has_its_words() {
    let setup = Setup::utf16().with(
        "/capabilities/textDocument/completion/completionItem/labelDetailsSupport",
        json!(true),
    );
    let (mut client, uri, text) = open(setup, false);
    let numbers = proposals(&mut client, &uri, text.caret("m![T, P / |8]"));
    // 16 values by 8 are 2.
    let eight = numbers.iter().find(|item| item.label == "8").unwrap();
    let details = eight.label_details.as_ref().unwrap();
    assert_eq!(details.detail, None);
    assert!(details.description.as_ref().unwrap().starts_with("= 2"));
    let methods = proposals(&mut client, &uri, text.caret(".|collect"));
    let details = methods
        .iter()
        .map(|item| item.label_details.as_ref().unwrap());
    let signatures: Vec<&str> = details
        .map(|details| details.detail.as_deref().unwrap())
        .collect();
    assert!(
        signatures.iter().any(|words| words.starts_with("::<")),
        "{signatures:?}"
    );
    client.finish();
    // A client that does not show them is not sent them.
    let (mut client, uri, text) = open(Setup::utf16(), false);
    let numbers = proposals(&mut client, &uri, text.caret("m![T, P / |8]"));
    assert!(numbers.iter().all(|item| item.label_details.is_none()));
    client.finish();
}

#[test]
fn whole_declarations_are_for_editors_that_know_snippets() {
    let text = "use furiosa_visa_std::prelude::*;\nkern\n";
    for knows in [true, false] {
        let setup = Setup::utf16().with(
            "/capabilities/textDocument/completion/completionItem/snippetSupport",
            json!(knows),
        );
        let mut client = setup.in_process();
        let uri = untitled("new.rs");
        client.open(&uri, text);
        let found = proposals(&mut client, &uri, Text::new(text, false).caret("kern|"));
        let labels: Vec<&str> = found.iter().map(|item| item.label.as_str()).collect();
        assert_eq!(labels, if knows { vec!["kernel"] } else { vec![] });
        client.finish();
    }
}

#[test]
fn the_example_of_the_extension_has_the_fault_that_it_shows() {
    let path = visa_tests::repository().join("vscode-extension/media/example.rs");
    let text = visa_tests::read(&path);
    let mut client = Setup::utf16().in_process();
    let uri = untitled("example.rs");
    client.open(&uri, &text);
    let found = super::diagnostics::pull(&mut client, &uri);
    let rules = super::diagnostics::rules(&found);
    assert_eq!(rules, ["collect_time_mismatch"], "{found:#?}");
    client.finish();
}
