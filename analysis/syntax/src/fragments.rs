//! Rust inside of texts of other kinds: the fenced blocks of Markdown files and of doc comments.
//!
//! A block becomes a text of its own that is as long as the whole file: what is not the block's code is blank. Each byte of
//! the code is where it is in the file, so that places, suppressions and fixes need no translation. Nothing here
//! knows what the code means.

mod docs;
mod markdown;
#[cfg(test)]
mod tests;

use std::ops::Range;
use std::sync::Arc;

use ra_ap_syntax::SourceFile as SourceTree;

use crate::parse_text;

pub use self::docs::doc_blocks;
pub use self::markdown::markdown_blocks;

/// What is between the path of a file and the number of a block in it: no path holds it.
const MARK: char = '\0';

/// The code of a block: bytes of the file, line by line and without what is in front of a line.
pub type Code = Vec<Range<usize>>;

/// The text of a block, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fragment {
    /// As long as the file; blank outside of the block's code.
    pub text: Arc<str>,
    /// Where it comes from.
    pub origin: Arc<Origin>,
}

/// What a block was cut out of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The text of the file.
    pub text: Arc<str>,
    /// The block's code.
    pub code: Code,
}

impl Origin {
    /// Whether a byte is code of the block.
    pub fn holds_byte(&self, byte: u32) -> bool {
        let byte = byte as usize;
        self.code
            .iter()
            .any(|line| line.start <= byte && byte <= line.end)
    }
}

/// Whether a path is that of a Markdown file.
pub fn is_markdown(path: &str) -> bool {
    let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
    name.rsplit_once('.').is_some_and(|(_, extension)| {
        ["md", "markdown"]
            .iter()
            .any(|known| extension.eq_ignore_ascii_case(known))
    })
}

/// Whether a Markdown file has any fenced Rust code.
pub fn has_rust_code(markdown: &str) -> bool {
    !markdown_blocks(markdown, false).is_empty()
}

/// The blocks of a text, each as a text of its own. Their origins share the text.
pub fn fragments(text: &Arc<str>, blocks: Vec<Code>) -> Vec<Fragment> {
    let fragment = |code: Code| Fragment {
        text: blanked(text, &code).into(),
        origin: Arc::new(Origin {
            text: Arc::clone(text),
            code,
        }),
    };
    blocks.into_iter().map(fragment).collect()
}

/// A text of the same length without code: what a Markdown file without any has.
pub fn blank(text: &Arc<str>) -> Fragment {
    Fragment {
        text: blanked(text, &Code::new()).into(),
        origin: Arc::new(Origin {
            text: Arc::clone(text),
            code: Code::new(),
        }),
    }
}

/// The path under which the engine holds a block.
pub fn path_of(path: &str, number: usize) -> String {
    format!("{path}{MARK}{number:08}")
}

/// Whether the engine holds a block under a path.
pub fn is_fragment(path: &str) -> bool {
    path.contains(MARK)
}

/// The path of the file that a path is of, be it one of a block or of a file.
pub fn file_of(path: &str) -> &str {
    path.split(MARK).next().unwrap_or(path)
}

/// The text with spaces in the place of all that is no code. Code that reads as the body of a function, as rustdoc takes it, is
/// made one in the space around it.
fn blanked(text: &str, code: &[Range<usize>]) -> String {
    let mut bytes: Vec<u8> = text
        .bytes()
        .map(|byte| {
            if matches!(byte, b'\n' | b'\r') {
                byte
            } else {
                b' '
            }
        })
        .collect();
    for range in code {
        let (Some(from), Some(to)) = (
            text.as_bytes().get(range.clone()),
            bytes.get_mut(range.clone()),
        ) else {
            continue;
        };
        to.copy_from_slice(from);
    }
    hide_marks(&mut bytes, code);
    let plain = String::from_utf8(bytes.clone()).unwrap_or_default();
    let errors = errors_of(&plain);
    if errors == 0 || !wrap_in_function(&mut bytes, code) {
        return plain;
    }
    match String::from_utf8(bytes) {
        Ok(wrapped) if errors_of(&wrapped) < errors => wrapped,
        _ => plain,
    }
}

/// The number of syntax errors; one for a text that cannot be parsed.
fn errors_of(text: &str) -> usize {
    parse_text(text).map_or(1, |parse: ra_ap_syntax::Parse<SourceTree>| {
        parse.errors().len()
    })
}

/// Takes away what rustdoc takes away: `# ` in front of a line that readers do not see, and the first of two `#`.
fn hide_marks(bytes: &mut [u8], code: &[Range<usize>]) {
    for range in code {
        let Some(line) = bytes.get_mut(range.clone()) else {
            continue;
        };
        let Some(first) = line.iter().position(|byte| !matches!(byte, b' ' | b'\t')) else {
            continue;
        };
        let rest = line.get(first..).unwrap_or_default();
        let hidden = match rest {
            [b'#', b'#', ..] | [b'#', b' ', ..] => true,
            [b'#', rest @ ..] => rest.iter().all(u8::is_ascii_whitespace),
            _ => false,
        };
        if hidden && let Some(mark) = line.get_mut(first) {
            *mark = b' ';
        }
    }
}

/// Writes the head of a function into the space before the code and its brace behind it; whether there is room.
fn wrap_in_function(bytes: &mut [u8], code: &[Range<usize>]) -> bool {
    const HEAD: &[u8] = b"fn f(){";
    let (Some(start), Some(end)) = (
        code.first().map(|line| line.start),
        code.last().map(|line| line.end),
    ) else {
        return false;
    };
    let Some(before) = bytes.get_mut(..start) else {
        return false;
    };
    let mut lines = before.rsplit_mut(|byte| matches!(byte, b'\n' | b'\r'));
    let Some(room) = lines.find(|line| line.len() >= HEAD.len()) else {
        return false;
    };
    if let Some(room) = room.get_mut(..HEAD.len()) {
        room.copy_from_slice(HEAD);
    }
    let behind = bytes.get_mut(end..).unwrap_or_default();
    // Nothing behind: the parser takes the brace as missing, and all that is in it.
    if let Some(brace) = behind.iter_mut().find(|byte| **byte == b' ') {
        *brace = b'}';
    }
    true
}

/// Bytes of a text by lines: each without its line break, empty ones left out.
fn lines_of(text: &str, range: Range<usize>) -> impl Iterator<Item = Range<usize>> + '_ {
    let part = text.get(range.clone()).unwrap_or("");
    let mut start = range.start;
    part.split_inclusive('\n').filter_map(move |line| {
        let from = start;
        start += line.len();
        let written = line.trim_end_matches(['\n', '\r']).len();
        (written > 0).then_some(from..from + written)
    })
}
