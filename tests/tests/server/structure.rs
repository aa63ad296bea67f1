//! What an editor asks of a document's structure: symbols, foldings, selections, tokens.

use serde_json::{Value, json};
use tower_lsp::ls_types::{DocumentSymbol, FoldingRange, Location, Position, SelectionRange};

use super::features::{ask_of, open, read};
use super::support::{Setup, document, untitled};
use super::texts::{Text, both};

#[test]
fn symbols() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let symbols: Vec<DocumentSymbol> =
            read(ask_of(&mut client, "textDocument/documentSymbol", &uri));
        for name in ["S", "P", "Chip", "Block", "raise"] {
            let symbol = find(&symbols, name).unwrap_or_else(|| panic!("no {name}"));
            assert_eq!(text.at(symbol.selection_range), name);
        }
        let found = client.request_raw("workspace/symbol", json!({ "query": "rai" }));
        assert_eq!(found[0]["name"], "raise");
        let location: Location = read(found[0]["location"].clone());
        assert_eq!(location.uri, uri);
        assert!(text.at(location.range).contains("raise"));
        client.finish();
    }
}

/// The symbol of a name, at any depth.
fn find<'s>(symbols: &'s [DocumentSymbol], name: &str) -> Option<&'s DocumentSymbol> {
    let mut symbols = symbols.iter();
    symbols.find_map(|symbol| {
        if symbol.name == name {
            return Some(symbol);
        }
        find(symbol.children.as_deref().unwrap_or_default(), name)
    })
}

#[test]
fn symbols_of_a_client_that_knows_no_trees() {
    let setup = Setup::utf16().with("/capabilities/textDocument/documentSymbol", json!({}));
    let (mut client, uri, text) = open(setup, false);
    let symbols = ask_of(&mut client, "textDocument/documentSymbol", &uri);
    let symbols = symbols.as_array().unwrap();
    let raise = symbols.iter().find(|symbol| symbol["name"] == "raise");
    let location: Location = read(raise.unwrap()["location"].clone());
    assert!(text.at(location.range).ends_with('}'));
    client.finish();
}

#[test]
fn foldings() {
    for (setup, utf8) in both() {
        for lines in [false, true] {
            let setup = Setup {
                initialize: setup.initialize.clone(),
            }
            .with(
                "/capabilities/textDocument/foldingRange/lineFoldingOnly",
                json!(lines),
            );
            let (mut client, uri, text) = open(setup, utf8);
            let foldings: Vec<FoldingRange> =
                read(ask_of(&mut client, "textDocument/foldingRange", &uri));
            let chain = text.range_of(".main").start.line;
            let folding = foldings.iter().find(|folding| folding.start_line == chain);
            let folding = folding.unwrap_or_else(|| panic!("{foldings:?}"));
            let last = text.range_of(".commit").start.line;
            assert!(folding.end_line <= last && folding.end_line + 1 >= last);
            assert_eq!(folding.start_character.is_none(), lines);
            for folding in &foldings {
                assert!(folding.start_line < folding.end_line);
            }
            client.finish();
        }
    }
}

#[test]
fn semantic_tokens() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let capabilities = serde_json::to_value(&client.initialized.capabilities).unwrap();
        let types = capabilities["semanticTokensProvider"]["legend"]["tokenTypes"].clone();
        let types: Vec<String> = read(types);
        let whole = ask_of(&mut client, "textDocument/semanticTokens/full", &uri);
        let tokens = decoded(&text, &whole["data"], &types);
        for token in [
            ("P", "typeParameter", 1),
            ("P", "typeParameter", 0),
            ("256", "number", 0),
            ("/", "operator", 0),
        ] {
            let known = |(text, kind, bits): &(String, String, u64)| {
                (text.as_str(), kind.as_str(), *bits) == token
            };
            assert!(tokens.iter().any(known), "no {token:?} in {tokens:?}");
        }
        let range = text.range_of("axes![S = 256, T = 4, P = 16];");
        let part = client.request_raw(
            "textDocument/semanticTokens/range",
            json!({ "textDocument": document(&uri), "range": range }),
        );
        let part = decoded(&text, &part["data"], &types);
        assert_eq!(part.as_slice(), &tokens[..part.len()]);
        assert!(part.iter().any(|(text, _, _)| text == "256"));
        assert!(part.len() < tokens.len());
        // Beside an empty list an editor would take no other server's.
        let plain = untitled("plain.rs");
        client.open(&plain, "fn main() { println!(\"{}\", 1 / 2); }\n");
        let none = ask_of(&mut client, "textDocument/semanticTokens/full", &plain);
        assert_eq!(none, Value::Null);
        let range = json!({ "start": Position::new(0, 0), "end": Position::new(1, 0) });
        let params = json!({ "textDocument": document(&plain), "range": range });
        let none = client.request_raw("textDocument/semanticTokens/range", params);
        assert_eq!(none, Value::Null);
        client.finish();
    }
}

/// The tokens as text, kind and modifiers.
fn decoded(text: &Text, data: &Value, types: &[String]) -> Vec<(String, String, u64)> {
    let data: Vec<u32> = read(data.clone());
    let mut place = Position::default();
    let tokens = data.chunks(5).map(|token| {
        if token[0] > 0 {
            place = Position::new(place.line + token[0], 0);
        }
        place.character += token[1];
        let end = Position::new(place.line, place.character + token[2]);
        let words = &text.text[text.byte(place)..text.byte(end)];
        (
            words.to_owned(),
            types[token[3] as usize].clone(),
            u64::from(token[4]),
        )
    });
    tokens.collect()
}

#[test]
fn selections() {
    for (setup, utf8) in both() {
        let (mut client, uri, text) = open(setup, utf8);
        let places = [text.caret("collect::<m![T, |P / 8]"), text.caret("rai|se")];
        let params = json!({ "textDocument": document(&uri), "positions": places });
        let selections: Vec<SelectionRange> =
            read(client.request_raw("textDocument/selectionRange", params));
        assert_eq!(selections.len(), 2);
        let mut grown: Vec<&str> = Vec::new();
        let mut selection = Some(&selections[0]);
        while let Some(inner) = selection {
            grown.push(text.at(inner.range));
            selection = inner.parent.as_deref();
        }
        assert_eq!(grown[0], "P");
        assert!(grown.contains(&"P / 8"), "{grown:?}");
        assert!(grown.windows(2).all(|pair| pair[1].contains(pair[0])));
        assert_eq!(*grown.last().unwrap(), text.text);
        client.finish();
    }
}
