//! Edits of a block of Markdown, made in its file.

use super::fitted;
use crate::Applicability;
use crate::report::{DiagnosticFix, FileEdit};
use visa_syntax::fragments::{fragments, markdown_blocks};

/// An edit of the only block of a Markdown file, made in the file.
fn edited(text: &str, from: &str, to: &str) -> Option<String> {
    let block = fragments(&text.into(), markdown_blocks(text, false)).remove(0);
    let start = text.find(from).unwrap();
    let byte = |at: usize| u32::try_from(at).unwrap();
    let fix = DiagnosticFix {
        title: String::new(),
        applicability: Applicability::Machine,
        edits: vec![FileEdit {
            file: "a.md".into(),
            start_byte: byte(start),
            end_byte: byte(start + from.len()),
            text: to.to_owned(),
        }],
        cost: None,
    };
    let fix = fitted(vec![fix], &block.text, &block.origin).pop()?;
    let edit = &fix.edits[0];
    let mut text = text.to_owned();
    text.replace_range(edit.start_byte as usize..edit.end_byte as usize, &edit.text);
    Some(text)
}

#[test]
fn edits_keep_what_is_in_front_of_lines() {
    let quoted = "> ```rust\n> let a = 1;\n> let b = 2;\n> ```\n";
    assert_eq!(
        edited(quoted, "1", "3").as_deref(),
        Some("> ```rust\n> let a = 3;\n> let b = 2;\n> ```\n")
    );
    assert_eq!(
        edited(quoted, "1;", "1;\nlet c;").as_deref(),
        Some("> ```rust\n> let a = 1;\n> let c;\n> let b = 2;\n> ```\n")
    );
    // The quote's mark would go.
    assert_eq!(edited(quoted, "1;\n> let b", "x"), None);
    assert_eq!(edited(quoted, "> let b = 2;\n", ""), None);
    let listed = "- x\n  ```rust\n  a(1);\n  b(2);\n  ```\n";
    assert_eq!(
        edited(listed, "1", "\n  1\n").as_deref(),
        Some("- x\n  ```rust\n  a(\n    1\n  );\n  b(2);\n  ```\n")
    );
    let plain = "```rust\na(1);\nb(2);\n```\n";
    assert_eq!(
        edited(plain, "1);\nb(", "1,\n").as_deref(),
        Some("```rust\na(1,\n2);\n```\n")
    );
    // A hidden line's mark is no code.
    assert_eq!(edited("```rust\n# a(1);\n```\n", "# a", "b"), None);
    assert_eq!(
        edited("```rust\n# a(1);\n```\n", "1", "2").as_deref(),
        Some("```rust\n# a(2);\n```\n")
    );
    // Outside of the code nothing is changed.
    assert_eq!(edited(plain, "```rust", "x"), None);
}
