//! Foreign text in Markdown: names, literals and messages that become no markup, whatever they hold.
//!
//! An image in a hover is loaded from wherever its address leads, so a literal that is quoted must not be able to end its quotation.
//! Knows nothing of what is quoted.

use crate::visible::visible;

/// A code span that shows a text as it is, with more back quotes around it than are in it; nothing for an empty text.
pub fn code_span(text: &str) -> String {
    let text = on_one_line(text);
    if text.trim().is_empty() {
        return String::new();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    let gap = if text.starts_with('`') || text.ends_with('`') {
        " "
    } else {
        ""
    };
    format!("{fence}{gap}{text}{gap}{fence}")
}

/// A block of code, with a fence longer than any row of back quotes in it.
pub fn code_block(language: &str, text: &str) -> String {
    let fence = "`".repeat((longest_run(text) + 1).max(3));
    format!("{fence}{language}\n{text}\n{fence}")
}

/// Words of which those in back quotes are shown as code, and nothing else means anything.
pub fn prose(text: &str) -> String {
    let text = on_one_line(text);
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        // A back quote without a partner.
        return plain(&text);
    }
    let mut out = String::new();
    for (number, part) in parts.iter().enumerate() {
        if number % 2 == 0 {
            out.push_str(&plain(part));
        } else {
            out.push_str(&code_span(part));
        }
    }
    out
}

fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '@' => out.push_str("&#64;"),
            '|' | '\\' | '`' | '*' | '_' | '[' | ']' | '~' | '#' => {
                out.push('\\');
                out.push(letter);
            }
            _ => out.push(letter),
        }
    }
    out
}

fn on_one_line(text: &str) -> String {
    let text = text.replace("\r\n", " ").replace(['\n', '\r', '\t'], " ");
    visible(&text).into_owned()
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|letter| letter != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::{code_block, code_span, prose};

    #[test]
    fn a_span_cannot_be_left() {
        assert_eq!(code_span("a"), "`a`");
        assert_eq!(code_span("a`b"), "``a`b``");
        assert_eq!(code_span("``"), "``` `` ```");
        assert_eq!(code_span(""), "");
        let image = "x` ![](http://example.org/i.png) `y";
        assert_eq!(code_span(image), format!("``{image}``"));
        assert_eq!(code_span("a\n\u{202e}b"), "`a \\u{202e}b`");
    }

    #[test]
    fn a_block_cannot_be_left() {
        assert_eq!(code_block("rust", "f()"), "```rust\nf()\n```");
        let text = "\"\n```\n![](http://example.org/i.png)\n````\n\"";
        assert_eq!(
            code_block("rust", text),
            format!("`````rust\n{text}\n`````")
        );
    }

    #[test]
    fn words_make_no_markup() {
        assert_eq!(prose("unknown method `a[0]`"), "unknown method `a[0]`");
        assert_eq!(
            prose("<script> [x](y) @all\n| *b* _c_"),
            "&lt;script&gt; \\[x\\](y) &#64;all \\| \\*b\\* \\_c\\_"
        );
        assert_eq!(prose("one ` alone"), "one \\` alone");
        // A literal that ends the quotation of a message: what follows is words, and nothing is loaded.
        assert_eq!(
            prose("`\"a` ![](http://example.org) `b\"` is not known"),
            "`\"a` !\\[\\](http://example.org) `b\"` is not known"
        );
    }
}
