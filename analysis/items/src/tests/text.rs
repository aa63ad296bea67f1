use super::{item, one};
use crate::inputs::{line_index, syntax_error_count};
use crate::syntax::Unanalysed;
use crate::{ItemKind, Span, file_items, file_range, item_at, item_text, parse_item};
use ra_ap_syntax::ast;

/// The bytes of the file that the first occurrence of `needle` in an item's text stands for.
fn original(text: &str, kind: ItemKind, name: &str, needle: &str) -> String {
    let (db, file) = one(text);
    let item = item(&db, file, kind, name);
    let normalised = &item_text(&db, item).text;
    let start = normalised
        .find(needle)
        .unwrap_or_else(|| panic!("{needle} not in {normalised}"));
    let span = Span {
        item,
        start: u32::try_from(start).unwrap(),
        end: u32::try_from(start + needle.len()).unwrap(),
    };
    let (_, start, end) = file_range(&db, span);
    text[start as usize..end as usize].to_owned()
}

fn normalised(text: &str, kind: ItemKind, name: &str) -> String {
    let (db, file) = one(text);
    item_text(&db, item(&db, file, kind, name)).text.to_string()
}

#[test]
fn comments_and_whitespace_become_one_space() {
    let text = "/// A doc comment.\n#[device(chip = 1)]\nfn  f( // why\n  a:u8,\n)/* so */->u8 {\n\n a+ 1 // end\n}\n";
    assert_eq!(
        normalised(text, ItemKind::Function, "f"),
        "#[device(chip = 1)] fn f( a:u8, ) ->u8 { a+ 1 }"
    );
}

#[test]
fn glued_tokens_stay_glued() {
    let text = "fn f() { x::<Vec<Vec<u8>>>( a>>=1, 0..=2 ); }";
    assert_eq!(normalised(text, ItemKind::Function, "f"), text);
}

#[test]
fn comments_inside_macros_go_too() {
    let text = "axes![\n    Rows = 8, // rows\n    /* columns */ Cols = 16,\n];\n";
    assert_eq!(
        normalised(text, ItemKind::Axes, ""),
        "axes![ Rows = 8, Cols = 16, ];"
    );
    assert_eq!(original(text, ItemKind::Axes, "", "Cols = 16"), "Cols = 16");
    assert_eq!(
        original(text, ItemKind::Axes, "", "8, Cols"),
        "8, // rows\n    /* columns */ Cols"
    );
}

#[test]
fn strings_and_line_ends_are_kept() {
    let text = "const S: &str = \"a  // no\\\n  b\";\r\n\r\nfn f() {\r\n    g(1);\r\n}\r\n";
    assert_eq!(
        normalised(text, ItemKind::Constant, "S"),
        "const S: &str = \"a  // no\\\n  b\";"
    );
    assert_eq!(
        normalised(text, ItemKind::Function, "f"),
        "fn f() { g(1); }"
    );
    assert_eq!(
        original(text, ItemKind::Function, "f", "{ g(1)"),
        "{\r\n    g(1)"
    );
}

#[test]
fn non_ascii_text_and_byte_order_mark() {
    let text = "\u{feff}// größer\nfn f() { g(\"ä→\", /* ö */ name); }\n";
    assert_eq!(original(text, ItemKind::Function, "f", "name"), "name");
    assert_eq!(
        original(text, ItemKind::Function, "f", "ä→\", na"),
        "ä→\", /* ö */ na"
    );
    let (db, file) = one(text);
    let offset = u32::try_from(text.find("name").unwrap()).unwrap();
    let place = line_index(&db, file).line_column(offset);
    // `fn f() { g("ä→", /* ö */ name` has 25 characters before `name`.
    assert_eq!((place.line, place.column), (2, 26));
    let first = line_index(&db, file).line_column(3);
    assert_eq!((first.line, first.column), (1, 1));
}

#[test]
fn offsets_inside_tokens_are_kept() {
    let text = "fn f()   {   abcdef   }";
    assert_eq!(original(text, ItemKind::Function, "f", "cde"), "cde");
    assert_eq!(original(text, ItemKind::Function, "f", "def }"), "def   }");
}

#[test]
fn items_of_inline_modules_are_items() {
    let text =
        "mod a { //! inner\n #[cfg(x)] pub mod b {\n fn f() {} } fn f() {} }\nfn f() {}\nfn f() {}";
    let (db, file) = one(text);
    let items = file_items(&db, file);
    let shown: Vec<String> = items
        .items
        .iter()
        .map(|item| {
            let path = item.module_path(&db).join("::");
            let text = &item_text(&db, *item).text;
            format!(
                "{path} {:?} {} {}: {text}",
                item.kind(&db),
                item.name(&db),
                item.ordinal(&db)
            )
        })
        .collect();
    assert_eq!(
        shown,
        [
            " InlineModule a 0: mod a {}",
            "a InlineModule b 0: #[cfg(x)] pub mod b {}",
            "a::b Function f 0: fn f() {}",
            "a Function f 0: fn f() {}",
            " Function f 0: fn f() {}",
            " Function f 1: fn f() {}",
        ]
    );
    assert_eq!(
        original(text, ItemKind::InlineModule, "b", "pub mod"),
        "pub mod"
    );
}

#[test]
fn an_offset_finds_its_item() {
    let text = "fn f() {}\n// between\nfn  g() {}";
    let (db, file) = one(text);
    let g = item(&db, file, ItemKind::Function, "g");
    assert_eq!(item_at(&db, file, 25), Some((g, 3)));
    assert_eq!(item_at(&db, file, 12), None);
}

#[test]
fn items_parse_again() {
    let (db, file) = one("#[inline]\npub fn f<T>(x: T) -> T { x }\naxes! { A = 1 }\n");
    let function = parse_item(&db, item(&db, file, ItemKind::Function, "f"));
    let node = function.cast::<ast::Fn>().unwrap();
    let body = function.span(ast::AstNode::syntax(&node.body().unwrap()));
    assert_eq!(
        &function.text.text[body.start as usize..body.end as usize],
        "{ x }"
    );
    let axes = parse_item(&db, item(&db, file, ItemKind::Axes, ""));
    assert!(axes.cast::<ast::MacroCall>().is_some());
}

#[test]
fn broken_files_keep_what_parses() {
    let (db, file) = one("fn f( { m![A, ] \nfn g() {}\ntype X = m![A / ;\n");
    assert!(syntax_error_count(&db, file) > 0);
    assert!(!file_items(&db, file).items.is_empty());
    for text in [
        "", "\u{feff}", "\r\n", "}}}}", "((((", "axes![", "m![", "\"", "'", "/*", "#", "r#\"",
        "fn", "\0",
    ] {
        let (db, file) = one(text);
        assert_eq!(file_items(&db, file).unanalysed, None, "{text:?}");
    }
}

#[test]
fn deep_nesting_is_refused_not_followed() {
    let deep = [
        "(".repeat(100_000),
        format!("fn f() {{ {} }}", "[".repeat(100_000)),
        format!("fn f() {{ x = {}1; }}", "-".repeat(100_000)),
        format!("fn f() {{ x = {}; }}", vec!["1"; 100_000].join("+")),
        format!("fn f() {{ x{}; }}", ".a::<B, C>()".repeat(100_000)),
        format!("fn f() {{ {} {{}} }}", "if a {} else ".repeat(100_000)),
        format!("type X = {}u8;", "&".repeat(100_000)),
        format!("type X = {}u8;", "A<".repeat(100_000)),
        format!("use {};", vec!["a"; 100_000].join("::")),
        format!("fn f() {{ {} }}", "return ".repeat(100_000)),
        format!("fn f() {{ {} }}", "'a: loop ".repeat(100_000)),
        format!("fn f() {{ {} 1 }}", "|| ".repeat(100_000)),
        format!("x![{}]", "{".repeat(100_000)),
    ];
    for text in deep {
        let (db, file) = one(&text);
        let items = file_items(&db, file);
        let head: String = text.chars().take(30).collect();
        assert_eq!(
            items.unanalysed,
            Some(Unanalysed::TooDeeplyNested),
            "{head}"
        );
        assert!(items.items.is_empty());
    }
}

#[test]
fn long_is_not_deep() {
    let statements = "    let x = a.b(&c, -1) + d[0] * 2;\n".repeat(5_000);
    let chain = ".fetch::<bf16, m![A / 2, B], m![[C, D] # 32 % 8 = 3]>()".repeat(300);
    let wide = [
        format!("fn f() {{\n{statements}}}"),
        format!("fn f() {{ x{chain}; }}"),
        format!("const A: [i32; 9] = [{}];", "-1, ".repeat(50_000)),
        "fn f() { if a { b } match c { d => e, } }\n".repeat(5_000),
        format!(
            "fn f() {{ match c {{ {} }} }}",
            "A::B => { x } ".repeat(5_000)
        ),
        format!("text! {{ {} }}", "a + b . c ".repeat(5_000)),
        format!(
            "fn f() {{ let c = '('; let s = \"(\"; {} }}",
            "g('\\'', '[', b'{', \"\\\"((\", r#\"\"((\"#); /* ( */ // (\n".repeat(1_000)
        ),
    ];
    for text in wide {
        let (db, file) = one(&text);
        let head: String = text.chars().take(30).collect();
        assert_eq!(file_items(&db, file).unanalysed, None, "{head}");
    }
}
