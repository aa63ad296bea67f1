//! Blocks of Markdown and of doc comments, as texts of their own.

use proptest::prelude::*;

use super::{Code, doc_blocks, fragments, has_rust_code, is_markdown, markdown_blocks};

fn shown(text: &str, blocks: &[Code]) -> Vec<String> {
    let block = |code: &Code| {
        let lines: Vec<&str> = code.iter().map(|line| &text[line.clone()]).collect();
        lines.join("|")
    };
    blocks.iter().map(block).collect()
}

fn markdown(text: &str) -> Vec<String> {
    shown(text, &markdown_blocks(text, false))
}

fn docs(text: &str) -> Vec<String> {
    shown(text, &doc_blocks(text))
}

#[test]
fn strings_of_documentation_are_read_as_comments_are() {
    let text = r##"/// Before.
#[doc = "```"]
#[doc = " fn a() {}"]
/// fn b() {}
#[doc = "```"]
fn f() {}
#[doc = "```\nfn c() {} // x\nfn d(s: &str = \"q\") {}\n```"]
fn g() {}
mod m {
    #![doc = r#"```
fn e() { "r" }
```"#]
}
#[doc = "```\u{66}n h() {}\n```"]
#[doc(hidden)]
#[doc = include_str!("x.md")]
fn h() {}
"##;
    let expected = [
        " fn a() {}| fn b() {}",
        "fn c() {} |fn d(s: &str = |\"q|\") {}",
        "fn e() { \"r\" }",
    ];
    assert_eq!(docs(text), expected);
}

#[test]
fn the_words_behind_a_fence_decide() {
    let rust = [
        "rust",
        "rs",
        "rust,no_run",
        "rust no_run",
        "rust,should_panic",
        "rust,edition2021",
        "rust,editable",
        "rust,E0308",
        "rust {.class}",
        " rust",
    ];
    let other = [
        "",
        "text",
        "ignore",
        "rust,ignore",
        "rust,ignore-windows",
        "rust,compile_fail",
        "python",
        "toml",
        "no_run",
        "rusty",
        "console",
    ];
    for (words, is_rust) in rust
        .iter()
        .map(|words| (words, true))
        .chain(other.iter().map(|words| (words, false)))
    {
        let text = format!("Words.\n\n```{words}\nfn f() {{}}\n```\n");
        let expected: &[&str] = if is_rust { &["fn f() {}"] } else { &[] };
        assert_eq!(markdown(&text), expected, "{words}");
        assert_eq!(has_rust_code(&text), is_rust, "{words}");
    }
    // In a doc comment a fence without a language is Rust.
    let words = [
        "",
        "no_run",
        "should_panic",
        "edition2024",
        "rust",
        "E0308",
        "text",
        "ignore",
        "compile_fail",
        "custom",
    ];
    let found =
        words.map(|words| docs(&format!("/// ```{words}\n/// x\n/// ```\nfn f() {{}}")).len());
    assert_eq!(found, [1, 1, 1, 1, 1, 1, 0, 0, 0, 0]);
}

#[test]
fn fences_anywhere_are_fences() {
    assert_eq!(markdown("~~~rust\na\n```\nb\n~~~\n"), ["a|```|b"]);
    assert_eq!(
        markdown("````rust\na\n```\n````\n```rust\nb\n```"),
        ["a|```", "b"]
    );
    assert_eq!(
        markdown("- one\n\n  ```rust\n  a\n    b\n\n  c\n  ```\n- two"),
        ["a|  b|c"]
    );
    assert_eq!(
        markdown("1. > ```rust\n   > a\n   > b\n   > ```\n"),
        ["a|b"]
    );
    assert_eq!(markdown("> ```rust\n> a\n>b\n> ```\n"), ["a|b"]);
    assert_eq!(markdown("```rust\r\na\r\n\r\nb\r\n```\r\n"), ["a|b"]);
    assert_eq!(markdown("```rust\nnever closed\n"), ["never closed"]);
    assert_eq!(markdown("> ```rust\n> a\nnot quoted\n"), ["a"]);
    assert_eq!(markdown("ä ö\n```rust\nfn ü() {}\n```\n"), ["fn ü() {}"]);
    assert_eq!(markdown("```rust\n```\n"), Vec::<String>::new());
    assert_eq!(
        markdown("    ```rust\n    a\n    ```\n"),
        Vec::<String>::new()
    );
    assert_eq!(
        markdown("<!--\n```rust\na\n```\n-->\n"),
        Vec::<String>::new()
    );
    assert_eq!(
        markdown("`rust` and ```rust a``` in a line"),
        Vec::<String>::new()
    );
    assert_eq!(markdown(""), Vec::<String>::new());
}

#[test]
fn doc_comments_of_every_kind() {
    assert_eq!(docs("//! ```\n//! a\n//!   b\n//! ```\n"), ["a|  b"]);
    assert_eq!(
        docs("\u{feff}/// Words.\n///\n/// ```rust\n/// a\n///\n/// b\n/// ```\nfn f() {}"),
        ["a|b"]
    );
    assert_eq!(
        docs("struct S {\r\n    /// ```\r\n    /// a\r\n    /// ```\r\n    x: u8 }"),
        ["a"]
    );
    assert_eq!(
        docs("/** ```\n * a\n *   b\n * ```\n */\nfn f() {}"),
        ["a|  b"]
    );
    assert_eq!(docs("/**\n```\na\n```\n*/\nfn f() {}"), ["a"]);
    // An attribute or a remark between does not end the documentation, an item does.
    assert_eq!(
        docs("/// ```\n#[inline]\n// remark\n/// a\n/// ```\nfn f() {}"),
        ["a"]
    );
    assert_eq!(docs("/// ```\n/// a\nfn f() {}\n/// b\nfn g() {}"), ["a"]);
    assert_eq!(docs("//! ```\n//! a\n/// b\nfn g() {}"), ["a"]);
    for none in [
        "//// ```\n//// a\n//// ```",
        "// ```\n// a\n// ```",
        "const X: &str = \"/// ```\\n/// a\";",
    ] {
        assert_eq!(docs(none), Vec::<String>::new(), "{none}");
    }
}

/// The text of the only block.
fn only(text: &str) -> String {
    let blocks = markdown_blocks(text, false);
    let found = fragments(&text.into(), blocks);
    assert_eq!(found.len(), 1, "{text}");
    found[0].text.to_string()
}

#[test]
fn all_but_the_code_is_blank() {
    let text = "# Ü\r\n\n> ```rust\n> fn f() {}\r\n> # fn hidden() {}\n> #[inline] fn g() {}\n> #\n> ##[inline] fn x() {}\n> ```\nmore\n";
    let found = only(text);
    assert_eq!(found.len(), text.len());
    let expected = "    \r\n\n         \n  fn f() {}\r\n    fn hidden() {}\n  #[inline] fn g() {}\n   \n   #[inline] fn x() {}\n     \n    \n";
    assert_eq!(found, expected);
}

#[test]
fn statements_stand_in_a_function() {
    let found = only("Words.\n```rust\nlet x = 1;\ng(x);\n```\n");
    assert_eq!(found, "      \nfn f(){\nlet x = 1;\ng(x);\n}  \n");
    // Items alone do not.
    assert_eq!(only("```rust\nfn g() {}\n```"), "       \nfn g() {}\n   ");
    // No room at the very start of a file.
    assert_eq!(only("```rs\nlet x = 1;\n```"), "     \nlet x = 1;\n   ");
    assert!(!only("a\n\nlonger\n```rs\nlet x = 1;\n```").contains("fn f(){"));
    assert!(only("longer line\n```rs\nlet x = 1;\n```").starts_with("fn f(){    \n"));
    let open = only("words\n```rust\nlet x = 1;\n");
    assert_eq!(open.len(), "words\n```rust\nlet x = 1;\n".len());
}

#[test]
fn markdown_is_told_by_the_name() {
    for path in ["a.md", "b/README.MD", "c.markdown", "d.rs.md"] {
        assert!(is_markdown(path), "{path}");
    }
    for path in ["a.rs", "md", "a.md/b", "a.mdx", ""] {
        assert!(!is_markdown(path), "{path}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the text is: a block is as long, breaks its lines where the file does, and is the file's where it is not blank
    /// but for the function around it.
    #[test]
    fn blocks_fit_the_file(
        parts in prop::collection::vec(prop::sample::select(vec![
            "```rust", "```", "~~~", "~~~rs", "\n", "\n", "\r\n", "> ", "- ", "  ", "\t", "# ", "## ", "#", "fn f() {}", "let ä = 1;",
            "}", "/// ", "//! ", "/** ", "*/", " * ", "ü", "|", "<!--", "-->", "1. ", "[^1]: ", "    ", "````",
        ]), 0..40),
    ) {
        let text = parts.concat();
        let all = [markdown_blocks(&text, true), doc_blocks(&text)];
        for block in all.into_iter().flat_map(|blocks| fragments(&text.as_str().into(), blocks)) {
            prop_assert_eq!(block.text.len(), text.len());
            let plain = block.text.replacen("fn f(){", "       ", 1).replacen('}', " ", 1);
            let pairs = || text.bytes().zip(plain.bytes());
            prop_assert!(pairs().all(|(one, other)| (one == b'\n') == (other == b'\n')));
            for line in &block.origin.code {
                prop_assert!(text.is_char_boundary(line.start) && text.is_char_boundary(line.end));
                prop_assert!(!text[line.clone()].contains('\n'));
            }
            for pair in block.origin.code.windows(2) {
                prop_assert!(pair[0].end <= pair[1].start);
            }
        }
    }
}
