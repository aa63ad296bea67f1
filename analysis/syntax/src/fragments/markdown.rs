//! The fenced blocks of Markdown.

use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use super::{Code, lines_of};

/// The Rust code of fenced blocks, a list of lines each, in the order of the text. A fence that names no language is Rust in a
/// doc comment and something else in a Markdown file; `unnamed_is_rust` tells which.
pub fn markdown_blocks(text: &str, unnamed_is_rust: bool) -> Vec<Code> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_TASKLISTS;
    let mut blocks = Vec::new();
    let mut open: Option<Code> = None;
    for (event, range) in Parser::new_ext(text, options).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                open = is_rust(&info, unnamed_is_rust).then(Code::new);
            }
            Event::Text(_) => {
                if let Some(code) = &mut open {
                    add_lines(text, range, code);
                }
            }
            Event::End(TagEnd::CodeBlock) => {
                blocks.extend(open.take().filter(|code| !code.is_empty()));
            }
            _ => {}
        }
    }
    blocks
}

/// Adds the lines of a range; what goes on in a line joins what is there of it.
fn add_lines(text: &str, range: Range<usize>, code: &mut Code) {
    for line in lines_of(text, range) {
        match code.last_mut() {
            Some(last) if last.end == line.start => last.end = line.end,
            _ => code.push(line),
        }
    }
}

/// Whether the words behind a fence say that its code is Rust that is meant to compile, as rustdoc reads them.
fn is_rust(info: &str, unnamed_is_rust: bool) -> bool {
    let (mut rust, mut attribute, mut other) = (false, false, false);
    // What is in braces are classes for the page.
    let info = info.split('{').next().unwrap_or("");
    let words = info.split(|character: char| character == ',' || character.is_whitespace());
    for word in words.filter(|word| !word.is_empty()) {
        match word {
            "rust" | "rs" | "Rust" => rust = true,
            "ignore" | "compile_fail" => return false,
            word if word.starts_with("ignore-") => return false,
            "should_panic" | "no_run" | "test_harness" | "standalone" | "standalone_crate" => {
                attribute = true;
            }
            word if word.starts_with("edition") => attribute = true,
            word if is_error_code(word) => attribute = true,
            _ => other = true,
        }
    }
    rust || (unnamed_is_rust && !other) || (attribute && unnamed_is_rust)
}

/// `E0382`.
fn is_error_code(word: &str) -> bool {
    word.strip_prefix('E')
        .is_some_and(|digits| digits.len() == 4 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}
