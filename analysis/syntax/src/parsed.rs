//! The tree of a file, and the tree of its next text where only the body of one function changed.
//!
//! A keystroke inside a function re-parses that function's body: a file of 2,000 lines takes milliseconds to parse, a
//! body takes fractions of one. A digit in a number parses nothing. The result is the tree and the number of errors that parsing the whole text would give;
//! an edit for which that is not certain is answered with none, and the caller parses the whole text.

use std::sync::Arc;

use ra_ap_syntax::ast::AstNode;
use ra_ap_syntax::{
    GreenNode, NodeOrToken, SourceFile as SourceTree, SyntaxKind, SyntaxNode, SyntaxToken,
    TextRange, TextSize,
};
use rowan::GreenToken;

use super::errors::Counted;
use super::normalise::ItemTexts;
use super::{EDITION, Unanalysed, is_deeper, nesting, parse_guarded};

/// What is in front of a body that is parsed for itself.
const HEADER: &str = "fn f()";
/// Nodes around a body that is parsed for itself: far fewer than the levels a tree may have.
const MAXIMUM_AROUND: usize = 64;

/// The tree of a file, or why there is none.
#[derive(Clone, Debug)]
pub struct ParsedFile {
    tree: Result<Tree, Unanalysed>,
    /// Bytes before the parsed text: the byte-order mark.
    offset: u32,
    /// Normalised texts of the file's items; trees that follow each other share most items, and share this.
    texts: Arc<ItemTexts>,
}

#[derive(Clone, Debug)]
enum Tree {
    /// As the parser left it.
    Whole(Counted),
    /// With the body of a function replaced.
    Edited(Edited),
}

#[derive(Clone, Debug)]
struct Edited {
    root: GreenNode,
    errors: usize,
    /// The body that was changed last with the errors in it, if they were counted.
    body: Option<(GreenNode, usize)>,
}

impl ParsedFile {
    /// Parses the text of a file.
    pub fn new(text: &str) -> Self {
        let body = text.strip_prefix('\u{feff}').unwrap_or(text);
        Self {
            tree: parse_guarded(body, |body| {
                let counted = Counted::of(body);
                (counted.parse().syntax_node(), counted)
            })
            .map(Tree::Whole),
            offset: u32::try_from(text.len() - body.len()).unwrap_or(0),
            texts: Arc::default(),
        }
    }

    /// The tree, if the file is analysed.
    pub fn tree(&self) -> Option<SourceTree> {
        match self.tree.as_ref().ok()? {
            Tree::Whole(counted) => Some(counted.parse().tree()),
            Tree::Edited(edited) => SourceTree::cast(SyntaxNode::new_root(edited.root.clone())),
        }
    }

    /// Why the file is not analysed, if it is not.
    pub fn unanalysed(&self) -> Option<Unanalysed> {
        self.tree.as_ref().err().copied()
    }

    /// Bytes of the file before offset 0 of the tree: 3 where the file opens with a byte-order mark, else 0.
    pub fn offset(&self) -> u32 {
        self.offset
    }

    /// The number of syntax errors; none for a file without a tree. Counting them walks the tree once.
    pub fn error_count(&self) -> usize {
        match &self.tree {
            Ok(Tree::Whole(counted)) => counted.error_count(),
            Ok(Tree::Edited(edited)) => edited.errors,
            Err(_) => 0,
        }
    }

    /// The normalised texts of items of this tree that were asked for.
    pub fn texts(&self) -> &ItemTexts {
        &self.texts
    }

    /// The tree after bytes of the file were replaced, if they are inside the body of one function and nothing outside of
    /// it reads differently. `errors` is the number of errors of this tree.
    pub fn edited(&self, errors: usize, start: u32, end: u32, insert: &str) -> Option<Self> {
        let range = TextRange::new(
            TextSize::new(start.checked_sub(self.offset)?),
            TextSize::new(end.checked_sub(self.offset).filter(|end| *end >= start)?),
        );
        let tree = self.tree()?;
        let root = tree.syntax();
        if !root.text_range().contains_range(range) {
            return None;
        }
        let body = body_around(root, range)?;
        let counted = match self.tree.as_ref().ok()? {
            Tree::Edited(Edited {
                body: Some((green, errors)),
                ..
            }) if std::ptr::eq(&**green, body.green()) => Some(*errors),
            _ => None,
        };
        let edited = if let Some(new) = with_number(&body, range, insert) {
            Edited {
                root: body.replace_with(new.clone()),
                errors,
                body: counted.map(|errors| (new, errors)),
            }
        } else {
            let text = body_with_replacement(&body, range, insert)?;
            let (new, body_errors) = parse_body(&text)?;
            let old_errors = match counted {
                Some(errors) => errors,
                None => parse_body(&body.text().to_string())?.1,
            };
            Edited {
                root: body.replace_with(new.clone()),
                errors: errors.checked_sub(old_errors)?.checked_add(body_errors)?,
                body: Some((new, body_errors)),
            }
        };
        u32::try_from(usize::from(edited.root.text_len())).ok()?;
        Some(Self {
            tree: Ok(Tree::Edited(edited)),
            offset: self.offset,
            texts: Arc::clone(&self.texts),
        })
    }
}

/// The body of the outermost function around a range, between whose braces the range is.
fn body_around(root: &SyntaxNode, range: TextRange) -> Option<SyntaxNode> {
    let element = root.covering_element(range);
    let node = element
        .as_node()
        .cloned()
        .or_else(|| element.as_token()?.parent())?;
    let mut around = 0;
    let mut body = None;
    for node in node.ancestors() {
        around += 1;
        let of_function = || {
            node.parent()
                .is_some_and(|parent| parent.kind() == SyntaxKind::FN)
        };
        if node.kind() == SyntaxKind::BLOCK_EXPR && of_function() {
            around = 0;
            body = Some(node);
        }
    }
    let body = body.filter(|_| around <= MAXIMUM_AROUND)?;
    let whole = body.text_range();
    let one = TextSize::of('{');
    let inside = range.start() >= whole.start().checked_add(one)?
        && range.end() <= whole.end().checked_sub(one)?;
    let closed = body
        .last_token()
        .is_some_and(|last| last.kind() == SyntaxKind::R_CURLY);
    // The token before could read on into the body (`'` does): these end in front of a brace whatever follows it.
    let before = body.first_token()?.prev_token()?;
    let before = before.text().chars().next_back()?;
    let ends = before.is_ascii_whitespace()
        || before.is_ascii_alphanumeric()
        || matches!(before, ')' | '>' | ']' | '/');
    (inside && closed && ends).then_some(body)
}

/// The body with one number in it written otherwise, where that is all that a replacement does: no token begins or ends
/// elsewhere then, all nodes and errors are the same.
fn with_number(body: &SyntaxNode, range: TextRange, insert: &str) -> Option<GreenNode> {
    // A tree of its own, whose root is the body.
    let whole = body.clone_subtree();
    let range = range.checked_sub(body.text_range().start())?;
    let token = match whole.covering_element(range) {
        NodeOrToken::Token(token) => token,
        NodeOrToken::Node(node) if range.is_empty() => {
            // Between two tokens, one of which may be the number.
            let mut touching = node.token_at_offset(range.start());
            touching.find(|token| token.kind() == SyntaxKind::INT_NUMBER)?
        }
        NodeOrToken::Node(_) => return None,
    };
    // The number of a field is no literal.
    let parent = token.parent().map(|parent| parent.kind());
    let is_literal = matches!(parent, Some(SyntaxKind::LITERAL | SyntaxKind::TOKEN_TREE));
    let ends = |next: Option<SyntaxToken>| {
        next.is_some_and(|next| {
            let kind = next.kind();
            kind == SyntaxKind::WHITESPACE
                || matches!(next.text(), "," | ";" | "(" | ")" | "[" | "]")
        })
    };
    if !is_literal || !ends(token.prev_token()) || !ends(token.next_token()) {
        return None;
    }
    let place: std::ops::Range<usize> = range.checked_sub(token.text_range().start())?.into();
    let mut text = token.text().to_owned();
    text.get(place.clone())?;
    text.replace_range(place, insert);
    if !is_plain_number(token.text()) || !is_plain_number(&text) {
        return None;
    }
    let kind = rowan::SyntaxKind(token.kind().into());
    Some(token.replace_with(GreenToken::new(kind, &text)))
}

/// Whether a text is digits, or digits of base 16 behind `0x`: one token that has no error, whatever the digits.
fn is_plain_number(text: &str) -> bool {
    let (digits, is_digit): (&str, fn(&u8) -> bool) = match text.strip_prefix("0x") {
        Some(digits) => (digits, u8::is_ascii_hexdigit),
        None => (text, u8::is_ascii_digit),
    };
    digits.as_bytes().first().is_some_and(is_digit)
        && digits.bytes().all(|byte| byte == b'_' || is_digit(&byte))
}

/// The text of a body with a range of the file replaced.
fn body_with_replacement(body: &SyntaxNode, range: TextRange, insert: &str) -> Option<String> {
    let range = range.checked_sub(body.text_range().start())?;
    let mut text = body.text().to_string();
    let range: std::ops::Range<usize> = range.into();
    if !text.is_char_boundary(range.start) || !text.is_char_boundary(range.end) {
        return None;
    }
    text.replace_range(range, insert);
    Some(text)
}

/// The tree of a body and the errors in it; none for a text that is not just one body, or that nests deeply.
fn parse_body(body: &str) -> Option<(GreenNode, usize)> {
    let text = [HEADER, body].concat();
    if nesting::is_deep(&text) {
        return None;
    }
    let parse = SourceTree::parse(&text, EDITION);
    if is_deeper(&parse.syntax_node(), nesting::MAXIMUM_TREE_DEPTH / 2) {
        // Dropping a tree recurses once a level.
        std::mem::forget(parse);
        return None;
    }
    let root = parse.syntax_node();
    let function = root
        .first_child_or_token()?
        .into_node()
        .filter(|node| node.kind() == SyntaxKind::FN && node.text_range() == root.text_range())?;
    let block = function
        .last_child()
        .filter(|node| node.kind() == SyntaxKind::BLOCK_EXPR)?;
    let own_braces = usize::from(block.text_range().start()) == HEADER.len()
        && block.last_token().is_some_and(|last| closes(&block, &last));
    own_braces.then(|| (block.green().to_owned(), parse.errors().len()))
}

/// Whether a token is the brace that ends a block.
fn closes(block: &SyntaxNode, last: &ra_ap_syntax::SyntaxToken) -> bool {
    last.kind() == SyntaxKind::R_CURLY
        && last
            .parent()
            .is_some_and(|list| list.parent().as_ref() == Some(block))
}
