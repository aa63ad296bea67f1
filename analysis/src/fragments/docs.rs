//! The fenced blocks in the doc comments of Rust files.

use std::ops::Range;

use ra_ap_syntax::ast::{self, AstNode, AstToken, CommentPlacement, CommentShape};
use ra_ap_syntax::{NodeOrToken, SyntaxToken};

use super::Code;
use super::markdown::markdown_blocks;
use crate::syntax::parse_text;

/// A line of documentation: its place in the file, and the space in front of it.
type Line = Range<usize>;

/// The Rust code of the fenced blocks in doc comments, in the order of the comments. `#[doc = "…"]` is not looked into.
#[must_use]
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
        let NodeOrToken::Token(token) = element else {
            continue;
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

/// The doc comments of one item.
#[derive(Default)]
struct Comments {
    placement: Option<CommentPlacement>,
    lines: Vec<Line>,
}

impl Comments {
    fn add(&mut self, comment: &ast::Comment) {
        let text = comment.text();
        let start = usize::from(comment.syntax().text_range().start());
        let prefix = comment.prefix().len();
        match comment.kind().shape {
            CommentShape::Line => self.lines.push(line(text, start, prefix..text.len())),
            CommentShape::Block => {
                let end = text.len() - if text.ends_with("*/") { 2 } else { 0 };
                self.block(text, start, prefix..end.max(prefix));
            }
        }
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
            self.lines.push(line(text, start, from..at));
        }
    }

    /// The blocks in what was collected, which is then forgotten.
    fn blocks(&mut self, body: &str, offset: usize) -> Vec<Code> {
        let lines = std::mem::take(&mut self.lines);
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
        let blocks = blocks
            .iter()
            .map(|code| code.iter().filter_map(of_file).collect());
        blocks.collect()
    }
}

/// A line of a comment that starts somewhere in the file, without its line break.
fn line(text: &str, start: usize, range: Range<usize>) -> Line {
    let written = text
        .get(range.clone())
        .unwrap_or("")
        .trim_end_matches(['\n', '\r']);
    start + range.start..start + range.start + written.len()
}
