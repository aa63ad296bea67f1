//! The fenced blocks in the doc comments of Rust files.

use std::ops::Range;

use ra_ap_syntax::ast::{self, AstNode, AstToken, CommentPlacement, CommentShape, IsString};
use ra_ap_syntax::{NodeOrToken, SyntaxToken};

use super::Code;
use super::markdown::markdown_blocks;
use crate::parse_text;

/// A line of documentation: its place in the file, and the space in front of it.
type Line = Range<usize>;

/// The Rust code of the fenced blocks in doc comments and in `#[doc = "…"]`, in the order of the text. What a string spells
/// with escapes other than those of quotes, backslashes and line breaks, and what a macro gives, is not looked into.
pub fn doc_blocks(text: &str) -> Vec<Code> {
    let body = text.strip_prefix('\u{feff}').unwrap_or(text);
    let offset = text.len() - body.len();
    if !["```", "~~~"].iter().any(|fence| body.contains(fence)) {
        return Vec::new();
    }
    let Ok(parse) = parse_text(body) else {
        return Vec::new();
    };
    let mut blocks = Vec::new();
    let mut comments = Comments::default();
    for element in parse.tree().syntax().descendants_with_tokens() {
        let token = match element {
            NodeOrToken::Token(token) => token,
            NodeOrToken::Node(node) => {
                if let Some((placement, string)) =
                    ast::Attr::cast(node).as_ref().and_then(doc_attribute)
                {
                    if comments.placement != Some(placement) {
                        blocks.extend(comments.blocks(body, offset));
                        comments.placement = Some(placement);
                    }
                    comments.string(&string);
                }
                continue;
            }
        };
        match ast::Comment::cast(token.clone()) {
            Some(comment) if comment.kind().doc.is_some() => {
                let placement = comment.kind().doc;
                if comments.placement != placement {
                    blocks.extend(comments.blocks(body, offset));
                    comments.placement = placement;
                }
                comments.add(&comment);
            }
            _ if token.kind().is_trivia() || in_attribute(&token) => {}
            _ => blocks.extend(comments.blocks(body, offset)),
        }
    }
    blocks.extend(comments.blocks(body, offset));
    blocks
}

fn in_attribute(token: &SyntaxToken) -> bool {
    let mut around = token.parent_ancestors();
    around.any(|node| ast::Attr::can_cast(node.kind()))
}

/// The string of a `#[doc = "…"]`.
fn doc_attribute(attribute: &ast::Attr) -> Option<(CommentPlacement, ast::String)> {
    let Some(ast::Meta::KeyValueMeta(meta)) = attribute.meta() else {
        return None;
    };
    if meta.path()?.as_single_name_ref()?.text() != "doc" {
        return None;
    }
    let Some(ast::Expr::Literal(literal)) = meta.expr() else {
        return None;
    };
    let ast::LiteralKind::String(string) = literal.kind() else {
        return None;
    };
    let placement = match attribute.kind() {
        ast::AttrKind::Inner => CommentPlacement::Inner,
        ast::AttrKind::Outer => CommentPlacement::Outer,
    };
    Some((placement, string))
}

/// The doc comments of one item.
#[derive(Default)]
struct Comments {
    placement: Option<CommentPlacement>,
    lines: Vec<Line>,
    /// The backslashes in strings that stand for nothing, by their places in the file.
    backslashes: Vec<usize>,
}

impl Comments {
    fn add(&mut self, comment: &ast::Comment) {
        let text = comment.text();
        let start = usize::from(comment.syntax().text_range().start());
        let prefix = comment.prefix().len();
        match comment.kind().shape {
            CommentShape::Line => self
                .lines
                .push(comment_line(text, start, prefix..text.len())),
            CommentShape::Block => {
                let end = text.len() - if text.ends_with("*/") { 2 } else { 0 };
                self.block(text, start, prefix..end.max(prefix));
            }
        }
    }

    /// The lines of a string. A line that `\n` ends goes on in the same line of the file, so that a remark would swallow what
    /// follows: it is left out.
    fn string(&mut self, string: &ast::String) {
        let Some(inside) = string.text_range_between_quotes() else {
            return;
        };
        let token = string.syntax().text_range().start();
        let range = usize::from(inside.start() - token)..usize::from(inside.end() - token);
        let (text, start) = (string.text(), usize::from(token));
        let Some(written) = text.get(range.clone()) else {
            return;
        };
        let mut from = range.start;
        let mut lines = Vec::new();
        let mut backslashes = Vec::new();
        let mut letters = written.char_indices();
        while let Some((at, letter)) = letters.next() {
            let at = range.start + at;
            if letter == '\n' {
                lines.push(comment_line(text, start, from..at));
                from = at + 1;
            } else if letter == '\\' && !string.is_raw() {
                match letters.next() {
                    Some((_, 'n')) => {
                        let line = text.get(from..at).unwrap_or("");
                        let end = line.find("//").unwrap_or(line.len());
                        lines.push(start + from..start + from + end);
                        from = at + 2;
                    }
                    Some((_, '"' | '\'' | '\\')) => backslashes.push(start + at),
                    _ => return,
                }
            }
        }
        lines.push(comment_line(text, start, from..range.end));
        self.lines.append(&mut lines);
        self.backslashes.append(&mut backslashes);
    }

    /// The lines of a block comment, without the column of stars that many have.
    fn block(&mut self, text: &str, start: usize, range: Range<usize>) {
        let inside = text.get(range.clone()).unwrap_or("");
        let starred = inside
            .lines()
            .skip(1)
            .filter(|line| !line.trim().is_empty())
            .all(|line| line.trim_start().starts_with('*'));
        let mut at = range.start;
        for (number, written) in inside.split_inclusive('\n').enumerate() {
            let mut from = at;
            at += written.len();
            if number > 0
                && starred
                && let Some(star) = written.find('*')
            {
                from += star + 1;
            }
            self.lines.push(comment_line(text, start, from..at));
        }
    }

    /// The blocks in what was collected, which is then forgotten.
    fn blocks(&mut self, body: &str, offset: usize) -> Vec<Code> {
        let lines = std::mem::take(&mut self.lines);
        let backslashes = std::mem::take(&mut self.backslashes);
        let text = |line: &Line| body.get(line.clone()).unwrap_or("");
        let indent = |line: &Line| {
            let text = text(line);
            text.len() - text.trim_start_matches([' ', '\t']).len()
        };
        let written = lines.iter().filter(|line| !text(line).trim().is_empty());
        let shared = written.map(indent).min().unwrap_or(0);
        let mut markdown = String::new();
        // Where each line starts in the Markdown and in the file.
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for line in &lines {
            let from = line.start + shared.min(indent(line));
            starts.push((markdown.len(), from));
            markdown.push_str(body.get(from..line.end).unwrap_or(""));
            markdown.push('\n');
        }
        let place = |at: usize| {
            let after = starts.partition_point(|(start, _)| *start <= at);
            let (start, from) = starts.get(after.checked_sub(1)?)?;
            Some(from + (at - start) + offset)
        };
        let of_file = |line: &Range<usize>| {
            let start = place(line.start)?;
            Some(start..start + line.len())
        };
        let blocks = markdown_blocks(&markdown, true);
        let blocks = blocks.iter().map(|code| code.iter().filter_map(of_file));
        let pieces = |line| line_without_bytes(line, &backslashes, offset);
        blocks.map(|code| code.flat_map(pieces).collect()).collect()
    }
}

/// A line of code without some of its bytes.
fn line_without_bytes(line: Range<usize>, bytes: &[usize], offset: usize) -> Vec<Range<usize>> {
    let mut pieces = Vec::new();
    let mut from = line.start;
    let inside = bytes.iter().map(|byte| byte + offset);
    for byte in inside.filter(|byte| line.contains(byte)) {
        pieces.push(from..byte);
        from = byte + 1;
    }
    pieces.push(from..line.end);
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// A line of a comment that starts somewhere in the file, without its line break.
fn comment_line(text: &str, start: usize, range: Range<usize>) -> Line {
    let written = text
        .get(range.clone())
        .unwrap_or("")
        .trim_end_matches(['\n', '\r']);
    start + range.start..start + range.start + written.len()
}
