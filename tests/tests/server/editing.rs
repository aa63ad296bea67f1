//! Edits: after any number of them the server has the client's text, and says about it what a fresh server says.

use serde_json::{Value, json};
use tower_lsp::ls_types::{TextDocumentContentChangeEvent, Uri};

use super::support::{Client, Setup, document, edit, untitled, whole};

/// What the changes insert: pieces of kernels, ends of lines of all kinds, and letters of one to four bytes.
const PIECES: [&str; 24] = [
    "",
    "",
    "a",
    " ",
    "\n",
    "\r\n",
    "\r",
    "\u{e9}",
    "\u{4e2d}\u{6587}",
    "\u{1f600}",
    "// \u{1f980} note\r\n",
    "/*",
    "*/",
    "\"",
    "{",
    "}",
    "m![X / 4, X % 4]",
    "axes![Y = 96];\n",
    "type Z = m![Y # 128];\r\n",
    "64",
    "X",
    ".commit::<m![1 # 8]>(0)",
    "#[allow(tcp::nothing)]\n",
    "fn g(\u{fc}: u8) {}\n",
];

/// Numbers that look random and are the same in every run (xorshift).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % bound as u64).unwrap()
    }
}

/// The place of a byte, counted a letter at a time.
fn place_of(text: &str, offset: usize, utf8: bool) -> (u32, u32) {
    let (mut line, mut start) = (0, 0);
    for (index, letter) in text.char_indices() {
        let next = index + letter.len_utf8();
        if next > offset {
            break;
        }
        if letter == '\n' || letter == '\r' && !text[next..].starts_with('\n') {
            line += 1;
            start = next;
        }
    }
    let before = &text[start..offset];
    let column = if utf8 {
        before.len()
    } else {
        before.encode_utf16().count()
    };
    (line, u32::try_from(column).unwrap())
}

/// An offset between letters, and not inside of a line's end, which has no place there.
fn offset_in(text: &str, numbers: &mut Numbers, from: usize) -> usize {
    let mut offset = text.floor_char_boundary(from + numbers.below(text.len() - from + 1));
    if text[..offset].ends_with('\r') && text[offset..].starts_with('\n') {
        offset += 1;
    }
    offset.max(from)
}

/// A change of a text, applied to it.
fn random_change(
    text: &mut String,
    base: &str,
    numbers: &mut Numbers,
    utf8: bool,
) -> TextDocumentContentChangeEvent {
    if text.len() > 2 * base.len() || numbers.below(400) == 0 {
        base.clone_into(text);
        return whole(text);
    }
    let start = offset_in(text, numbers, 0);
    let end = if numbers.below(3) == 0 {
        let far = text.floor_char_boundary((start + 1 + numbers.below(40)).min(text.len()));
        let short = &text[..far];
        let end = far.max(start);
        if short.ends_with('\r') && text[end..].starts_with('\n') {
            end + 1
        } else {
            end
        }
    } else {
        start
    };
    let piece = PIECES[numbers.below(PIECES.len())];
    let change = edit(
        place_of(text, start, utf8),
        place_of(text, end, utf8),
        piece,
    );
    text.replace_range(start..end, piece);
    change
}

/// What a server says about a document: its text, diagnostics, outline, and hovers all over it.
fn said(client: &mut Client, uri: &Uri, text: &str, utf8: bool) -> Vec<Value> {
    let known = client.request_raw("visa/viewFileText", json!(document(uri)));
    assert_eq!(known, text);
    let document = json!({ "textDocument": document(uri) });
    let mut report = client.request_raw("textDocument/diagnostic", document.clone());
    if let Some(report) = report.as_object_mut() {
        report.remove("resultId");
    }
    let mut said = vec![
        report,
        client.request_raw("textDocument/documentSymbol", document),
    ];
    for offset in (0..=text.len()).step_by(97) {
        let (line, character) = place_of(text, text.floor_char_boundary(offset), utf8);
        let place = json!({
            "textDocument": { "uri": uri.as_str() },
            "position": { "line": line, "character": character },
        });
        said.push(client.request_raw("textDocument/hover", place));
    }
    said
}

/// Applies random batches of changes; at intervals, and at the end, the server must know the text and say what a fresh
/// server says.
fn edited(setup: fn() -> Setup, start: fn(Setup) -> Client, batches: usize, seed: u64) {
    let base =
        visa_tests::read(&visa_tests::repository().join("fixtures/kernels/right/dot_product.rs"));
    let utf8 = std::ptr::fn_addr_eq(setup, Setup::utf8 as fn() -> Setup);
    let mut numbers = Numbers(seed);
    let mut client = start(setup());
    let uri = untitled("edited.rs");
    let mut text = base.clone();
    client.open(&uri, &text);
    for batch in 1..=batches {
        let changes = (0..1 + numbers.below(4))
            .map(|_| random_change(&mut text, &base, &mut numbers, utf8))
            .collect();
        client.change(&uri, i32::try_from(1 + batch).unwrap(), changes);
        if batch % 50 == 0 {
            // What was answered before is what later answers are built on.
            let known = client.request_raw("visa/viewFileText", json!(document(&uri)));
            assert_eq!(known, text, "after {batch} batches");
            let asked = json!({ "textDocument": document(&uri) });
            client.request_raw("textDocument/diagnostic", asked);
        }
        if batch % 500 == 0 || batch == batches {
            let mut fresh = setup().in_process();
            fresh.open_version(&uri, i32::try_from(1 + batch).unwrap(), &text);
            let expected = said(&mut fresh, &uri, &text, utf8);
            fresh.finish();
            let found = said(&mut client, &uri, &text, utf8);
            for (found, expected) in found.iter().zip(&expected) {
                assert_eq!(found, expected, "after {batch} batches, of\n{text}");
            }
            assert_eq!(found.len(), expected.len());
        }
    }
    client.finish();
}

#[test]
fn edits_lead_where_a_fresh_start_begins_in_utf_16() {
    edited(Setup::utf16, Setup::in_process, 3_000, 0x5eed);
}

#[test]
fn edits_lead_where_a_fresh_start_begins_in_utf_8() {
    edited(Setup::utf8, Setup::in_process, 3_000, 0xbead);
}

#[test]
fn ten_thousand_batches_of_edits_lead_where_a_fresh_start_begins_over_stdio() {
    edited(Setup::utf16, Setup::program, 10_000, 0xfeed);
}

#[test]
fn changes_of_one_notification_apply_one_after_the_other() {
    let mut client = Setup::utf16().in_process();
    let uri = untitled("changes.rs");
    client.open(&uri, "one\r\ntwo\r\n");
    let changes = vec![
        edit((0, 0), (0, 3), "\u{1f600}"),
        // The second counts in what the first left.
        edit((0, 2), (1, 0), " "),
        edit((0, 3), (0, 99), "three\nfour"),
        edit((9, 9), (9, 9), "end"),
    ];
    client.change(&uri, 2, changes);
    let text = client.request_raw("visa/viewFileText", json!(document(&uri)));
    assert_eq!(text, "\u{1f600} three\nfour\r\nend");
    client.change(&uri, 3, vec![whole("x"), edit((0, 1), (0, 1), "y")]);
    let text = client.request_raw("visa/viewFileText", json!(document(&uri)));
    assert_eq!(text, "xy");
    client.finish();
}

#[test]
fn a_closed_document_has_the_text_on_disk_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a b.rs");
    std::fs::write(&path, "// on disk\n").unwrap();
    let mut client = Setup::utf16().folder(folder.path()).in_process();
    let uri = super::support::uri_of(&path);
    let text = |client: &mut Client| client.request_raw("visa/viewFileText", json!(document(&uri)));
    client.open(&uri, "// open\n");
    assert_eq!(text(&mut client), "// open\n");
    // Findings are shown when the folder has been read: from then on the file is one of the workspace.
    client.request_raw(
        "textDocument/diagnostic",
        json!({ "textDocument": document(&uri) }),
    );
    client.change(&uri, 2, vec![edit((0, 3), (0, 7), "changed")]);
    assert_eq!(text(&mut client), "// changed\n");
    client.close(&uri);
    assert_eq!(text(&mut client), "// on disk\n");
    // Opened again, however its address is written.
    let spelled: Uri = uri.as_str().replace("a%20b", "%61%20b").parse().unwrap();
    client.open(&spelled, "// again\n");
    assert_eq!(text(&mut client), "// again\n");
    std::fs::remove_file(&path).unwrap();
    client.close(&spelled);
    assert_eq!(text(&mut client), Value::Null);
    client.finish();
}

#[test]
fn a_closed_document_outside_of_all_folders_is_forgotten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("loose.rs");
    std::fs::write(&path, "// on disk\n").unwrap();
    let mut client = Setup::utf16().in_process();
    let uri = super::support::uri_of(&path);
    client.open(&uri, "// open\n");
    client.close(&uri);
    // The text on disk may be in place until the neighbours of open documents have been read again.
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60);
    loop {
        let text = client.request_raw("visa/viewFileText", json!(document(&uri)));
        if text == Value::Null {
            break;
        }
        assert_eq!(text, "// on disk\n");
        assert!(std::time::Instant::now() < end, "the document stays");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    client.finish();
}

#[test]
fn a_change_of_a_document_that_is_not_open_is_a_warning_in_the_log() {
    let mut client = Setup::utf16().in_process();
    client.change(&untitled("nowhere.rs"), 1, vec![whole("x")]);
    let logged = client.notification::<tower_lsp::ls_types::notification::LogMessage>();
    assert!(logged.message.contains("untitled:nowhere.rs"), "{logged:?}");
    client.finish();
}
