//! Trees made of other trees equal trees of the text: of a file's text after an edit, and of the normalised text of an item.

use proptest::prelude::*;
use ra_ap_syntax::SyntaxNode;
use ra_ap_syntax::ast::{self, AstNode, HasModuleItem};

use super::{EDITION, LEVELS_OF_A_BYTE, Normalised, ParsedFile, SourceTree, is_deeper};

const TEXT: &str = "//! Kernels.
use furiosa_visa_std::prelude::*;

axes![Row = 64, Column = 32];

mod inner {
    type Tile = m![Row / 8, Column];

    /// Doubles.
    #[device(chip = 1)]
    pub(crate) fn double<'l>(ctx: &mut Context, rows: &'l Rows) -> Rows where Rows: Clone {
        // first
        let tile = rows.to_dm::<Tile, m![Row % 8 # 16]>(&mut ctx.tdma, 0x40);
        for step in 0..=4 {
            if let Some(part) = tile.get(step) { part.commit(1 << 20); } else { continue }
        }
        match tile.len() { 0 => return rows, 1.. => {}, _ => unreachable!(\"{}\", 'x') }
        axes![Local = 4];
        fn helper(x: u64) -> u64 { x * 2 }
        Rows { tile, ..rows }
    }
}

impl Rows {
    fn first(&self) -> char { r#\"a\"b\"#; b'\\n'; '{' }
    const fn second(&self) -> u8 { { let x = 1.0; x.0.1 } }
}

fn last() {}
";

/// What is typed: pieces that open, close or change what is around them.
const PIECES: &[&str] = &[
    "",
    "a",
    "x.y()",
    " ",
    "\n",
    "\r\n",
    "{",
    "}",
    "{}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    "\"",
    "'",
    "/",
    "*",
    "/*",
    "*/",
    "//",
    "///",
    "#",
    "r#",
    "r#\"",
    "\"#",
    "b'",
    "!",
    ";",
    ",",
    ".",
    "..",
    "1",
    "1.",
    "0x",
    "=>",
    "fn",
    "fn f() {}",
    "let x = ",
    "m![A / 2, ",
    "é",
    "—",
    "\u{feff}",
    "\\",
    "'a",
    "as u8",
    "return",
    "union",
    "}}",
    "} fn g() {",
    "::<",
    "=",
    "..=",
];

/// One change: where it starts and how much is deleted, in parts of a million of the text, and what is typed.
type Change = (u32, u32, usize);

fn change() -> impl Strategy<Value = Change> {
    let deleted = prop_oneof![3 => Just(0), 2 => 0..3_000_u32, 1 => 0..100_000_u32];
    (0..=1_000_000_u32, deleted, 0..PIECES.len())
}

fn boundary(text: &str, parts: u32) -> usize {
    let wanted = text.len() * parts as usize / 1_000_000;
    (0..=wanted)
        .rev()
        .find(|byte| text.is_char_boundary(*byte))
        .unwrap_or(0)
}

/// Everything that is read of a tree.
fn shown(parsed: &ParsedFile) -> String {
    let tree = parsed
        .tree()
        .map(|tree| format!("{:#?}", tree.syntax()))
        .unwrap_or_default();
    format!(
        "{tree}\n{} {:?} {}",
        parsed.offset(),
        parsed.unanalysed(),
        parsed.error_count()
    )
}

/// The items of a file, those of its inline modules included.
fn items_of(parsed: &ParsedFile) -> Vec<ast::Item> {
    let mut items: Vec<ast::Item> = parsed
        .tree()
        .into_iter()
        .flat_map(|tree| tree.items())
        .collect();
    let mut next = 0;
    while let Some(item) = items.get(next) {
        next += 1;
        if let ast::Item::Module(module) = item
            && let Some(list) = module.item_list()
        {
            items.extend(list.items());
        }
    }
    items
}

/// The number of items whose tree is made of the file's, each of which equals what the parser makes of its normalised text.
fn made_of_the_file(parsed: &ParsedFile) -> usize {
    let mut reader = parsed.texts().reader();
    let mut made = 0;
    for item in items_of(parsed) {
        let normalised = reader.normalise(item.syntax(), parsed.offset());
        let Some(tree) = normalised.source.tree() else {
            continue;
        };
        made += 1;
        let parse = SourceTree::parse(&normalised.text, EDITION);
        assert!(
            *tree == *parse.syntax_node().green(),
            "{:#?}\n{:#?}",
            ra_ap_syntax::SyntaxNode::new_root(tree),
            parse.syntax_node()
        );
    }
    made
}

/// The normalised texts of a file's items.
fn normalised(parsed: &ParsedFile) -> Vec<Normalised> {
    let mut reader = parsed.texts().reader();
    let items = items_of(parsed).into_iter();
    items
        .map(|item| reader.normalise(item.syntax(), parsed.offset()))
        .collect()
}

/// Applies an edit; the tree, and whether it was made of the one before.
fn apply(
    parsed: &ParsedFile,
    text: &mut String,
    start: usize,
    end: usize,
    piece: &str,
) -> (ParsedFile, bool) {
    text.replace_range(start..end, piece);
    let offset = |byte: usize| u32::try_from(byte).unwrap_or(u32::MAX);
    let edited = parsed.edited(parsed.error_count(), offset(start), offset(end), piece);
    let fresh = ParsedFile::new(text);
    let made = made_of_the_file(&fresh);
    if let Some(edited) = &edited {
        assert_eq!(shown(edited), shown(&fresh), "{text}");
        assert_eq!(made_of_the_file(edited), made, "{text}");
        assert_eq!(normalised(edited), normalised(&fresh), "{text}");
    }
    let reused = edited.is_some();
    (edited.unwrap_or(fresh), reused)
}

#[test]
fn numbers_typed_anywhere_leave_the_tree_of_the_whole_text() {
    let text = "fn f() { a(12, 0x1f, 1_0); t.0.1 = u. 2; [3; 4]; m![A / 8 % 0x2]; 1.5 + 6u8 + 7.min(0b1); 'x: 9; }\n";
    let parsed = ParsedFile::new(text);
    let (mut reused, mut tried) = (0, 0);
    for place in text.find('{').unwrap() + 1..text.rfind('}').unwrap() {
        let pieces = ["1", "0", "a", "x", "_", ".", " ", "16", "0x", ""];
        for (piece, length) in pieces.iter().flat_map(|piece| [(piece, 0), (piece, 1)]) {
            let mut edited = text.to_owned();
            let (_, kept) = apply(&parsed, &mut edited, place, place + length, piece);
            tried += 1;
            reused += usize::from(kept);
        }
    }
    assert!(reused * 2 > tried, "{reused} of {tried}");
}

#[test]
fn errors_of_a_body_are_known_when_a_number_in_it_was_typed() {
    let mut text = "fn f() { a(12) b; }\nfn g() { let = 3; }\n".to_owned();
    let mut parsed = ParsedFile::new(&text);
    for (find, piece) in [
        ("2)", "3"),
        ("b;", "c"),
        ("3;", "45"),
        ("let", "1"),
        ("2", ""),
    ] {
        let place = text.find(find).unwrap();
        parsed = apply(&parsed, &mut text, place, place, piece).0;
        assert_eq!(
            parsed.error_count(),
            ParsedFile::new(&text).error_count(),
            "{text}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn edits_one_after_the_other_give_the_tree_of_the_whole_text(
        mark in any::<bool>(),
        changes in prop::collection::vec(change(), 1..8),
    ) {
        let mut text = if mark { format!("\u{feff}{TEXT}") } else { TEXT.to_owned() };
        let mut parsed = ParsedFile::new(&text);
        for (start, deleted, piece) in changes {
            let from = boundary(&text, start);
            let to = boundary(&text, start.saturating_add(deleted).min(1_000_000)).max(from);
            parsed = apply(&parsed, &mut text, from, to, PIECES.get(piece).unwrap_or(&"")).0;
        }
    }
}

#[test]
fn every_piece_at_every_place_gives_the_tree_of_the_whole_text() {
    let parsed = ParsedFile::new(TEXT);
    let mut reused = 0;
    for start in (0..=TEXT.len()).filter(|byte| byte % 3 == 0) {
        // One piece a place: all of them come around.
        for piece in [
            PIECES[start % PIECES.len()],
            PIECES[(start * 7 + 5) % PIECES.len()],
        ] {
            reused += usize::from(apply(&parsed, &mut TEXT.to_owned(), start, start, piece).1);
        }
    }
    assert!(reused > TEXT.len() / 6, "{reused}");
}

/// Whether the edit `from` to `to`, which is once in the text, reuses the tree.
fn reuses(from: &str, to: &str) -> bool {
    assert_eq!(TEXT.matches(from).count(), 1, "{from}");
    let start = TEXT.find(from).unwrap_or(0);
    apply(
        &ParsedFile::new(TEXT),
        &mut TEXT.to_owned(),
        start,
        start + from.len(),
        to,
    )
    .1
}

#[test]
fn an_edit_inside_a_body_reuses_the_tree() {
    assert!(reuses("// first", "// another\n"));
    assert!(reuses("rows.to_dm", "rows."));
    assert!(reuses("m![Row % 8 # 16]", "m![Row % "));
    assert!(reuses("b'\\n'; '{'", "b'\\q'; '}'"));
}

#[test]
fn an_edit_that_changes_what_stands_outside_does_not() {
    assert!(!reuses("// first", "}"));
    assert!(!reuses("// first", "{"));
    assert!(!reuses("// first", "/*"));
    assert!(!reuses("// first", "} fn other() {"));
    assert!(!reuses("Row = 64", "Row = 6"));
    assert!(!reuses("fn last", "fn least"));
}

#[test]
fn what_nests_deeply_is_left_to_the_whole_file() {
    assert!(!reuses("// first", &"(".repeat(100)));
    let deep = format!("{}1{}", "(".repeat(190), ")".repeat(190));
    assert!(!reuses("// first", &deep));
}

/// The levels of a tree, counted node by node; each of its nodes is shallow for its text.
fn levels(node: &SyntaxNode) -> usize {
    let levels = 1 + node
        .children()
        .map(|child| levels(&child))
        .max()
        .unwrap_or(0);
    let bytes = usize::from(node.text_range().len());
    // Half of it, so that there is something to spare.
    assert!(levels <= 1 + bytes * LEVELS_OF_A_BYTE / 2, "{node:#?}");
    levels
}

#[test]
fn levels_are_counted_as_far_as_asked() {
    let mut texts = vec![TEXT.to_owned()];
    let around = [
        "fn f() { _ }",
        "fn f() { let _ = g(_); }",
        "type T = A<_>;",
        "fn f(x: _) {}",
        "static S: _ = _;",
    ];
    let inside = [
        "a", "!", "*a", "&a", "..", "(a)", "[]", "{}", "<", "|", "#", "m!", "'a", "1", "dyn A",
        "a..", "|a|a", "return", "if", "_",
    ];
    for around in around {
        texts.extend(inside.iter().map(|inside| around.replace('_', inside)));
    }
    texts.extend(
        [20, 50].map(|times| format!("fn f() {{ {}1{} }}", "-(".repeat(times), ")".repeat(times))),
    );
    for text in texts {
        let tree = SourceTree::parse(&text, EDITION).syntax_node();
        let levels = levels(&tree);
        for asked in [1, 2, 5, levels - 1, levels, levels + 1, 4_000] {
            assert_eq!(is_deeper(&tree, asked), levels > asked, "{asked} {text}");
        }
    }
}

#[test]
fn items_of_a_whole_file_are_made_of_it() {
    let parsed = ParsedFile::new(TEXT);
    let items = items_of(&parsed);
    assert_eq!(items.len(), 7);
    assert_eq!(made_of_the_file(&parsed), items.len());
}

#[test]
fn trivia_between_any_two_tokens_leave_the_tree_of_an_item() {
    let parsed = ParsedFile::new(TEXT);
    let root = parsed.tree().map(|tree| tree.syntax().clone());
    let places = root.iter().flat_map(|root| {
        root.descendants_with_tokens()
            .filter_map(ra_ap_syntax::SyntaxElement::into_token)
            .map(|token| usize::from(token.text_range().start()))
    });
    let mut tried = 0;
    for place in places {
        for trivia in ["/* c */", "// c\n", " /// d\n\n", "\n\n", "  //! e\n /**/ "] {
            let mut text = TEXT.to_owned();
            text.insert_str(place, trivia);
            tried += made_of_the_file(&ParsedFile::new(&text));
        }
    }
    assert!(tried > 5_000, "{tried}");
}

#[test]
fn statements_that_an_edit_leaves_are_normalised_as_in_the_whole_text() {
    let statements = "    let a = b /* in */ . c ( 1 ) ; // behind\n  /* before */ d(2);\n d(3); d(4);let e={ f(5) ; // inside\n g ( 6 ) };\n";
    let mut text = format!(
        "// above\nfn f() {{\n{statements}{statements}    h(7)\n}}\nfn k() {{ l(8);  m ( 9 ); }}\n"
    );
    let mut parsed = ParsedFile::new(&text);
    let places: Vec<usize> = text
        .match_indices(|letter: char| letter.is_ascii_digit())
        .map(|(place, _)| place)
        .collect();
    let mut reused = 0;
    for (number, place) in places.iter().enumerate() {
        // Each digit grows by one behind it, which moves what follows.
        let at = place + number + 1;
        let (next, kept) = apply(&parsed, &mut text, at, at, "0");
        reused += usize::from(kept);
        parsed = next;
    }
    assert_eq!(reused, places.len());
}
