//! What is at a byte of a file: its token, the macro around it, the item and the offset in the item's normalised text.
//!
//! Knows trees and items; does not know what a name means.

use ra_ap_syntax::{SyntaxKind, SyntaxNode, SyntaxToken, TextSize, TokenAtOffset};

use crate::db::Db;
use crate::inputs::{SourceFile, parse};
use crate::items::{ItemId, SiteKind, item_at};

use super::ByteRange;

/// A place in a file's tree.
pub(super) struct Cursor {
    /// The tokens that touch the offset: one inside of a token, two at a boundary.
    pub(super) tokens: Vec<SyntaxToken>,
    /// Bytes of the file before the tree: its byte-order mark.
    base: u32,
    file: SourceFile,
}

/// A call of `m!`, `i!` or `axes!` around a place.
pub(super) struct MacroAt {
    /// Which.
    pub(super) kind: SiteKind,
    /// Its tree of tokens, delimiters included.
    pub(super) tree: SyntaxNode,
    /// What is between the delimiters, in bytes of the file.
    pub(super) body: ByteRange,
}

impl Cursor {
    /// The place of a byte; none in a file that is not analysed.
    pub(super) fn at(db: &dyn Db, file: SourceFile, offset: u32) -> Option<Self> {
        let parsed = parse(db, file);
        let root = ra_ap_syntax::ast::AstNode::syntax(&parsed.tree()?).clone();
        let base = parsed.offset();
        let end = root.text_range().end();
        let place = TextSize::from(offset.saturating_sub(base)).min(end);
        let tokens = match root.token_at_offset(place) {
            TokenAtOffset::None => Vec::new(),
            TokenAtOffset::Single(token) => vec![token],
            TokenAtOffset::Between(left, right) => vec![left, right],
        };
        Some(Self { tokens, base, file })
    }

    /// The name that touches the place.
    pub(super) fn name(&self) -> Option<&SyntaxToken> {
        self.tokens
            .iter()
            .find(|token| matches!(token.kind(), SyntaxKind::IDENT))
    }

    /// The token that touches the place and means most: a name, else a number, else what is no white space.
    pub(super) fn token(&self) -> Option<&SyntaxToken> {
        let rank = |token: &SyntaxToken| match token.kind() {
            SyntaxKind::IDENT => 3,
            SyntaxKind::INT_NUMBER => 2,
            kind if kind.is_trivia() => 0,
            _ => 1,
        };
        self.tokens.iter().max_by_key(|token| rank(token))
    }

    /// Bytes of the file that a token takes.
    pub(super) fn range_of(&self, token: &SyntaxToken) -> ByteRange {
        self.file_range(token.text_range())
    }

    /// Bytes of the file of a range of the tree.
    pub(super) fn file_range(&self, range: ra_ap_syntax::TextRange) -> ByteRange {
        ByteRange {
            start: u32::from(range.start()).saturating_add(self.base),
            end: u32::from(range.end()).saturating_add(self.base),
        }
    }

    /// The item of a module that a token is in, and the token's offset in the item's normalised text.
    pub(super) fn item(&self, db: &dyn Db, token: &SyntaxToken) -> Option<(ItemId, u32)> {
        item_at(db, self.file, self.range_of(token).start)
    }

    /// The macro of mappings around a token, the innermost.
    pub(super) fn macro_around(&self, token: &SyntaxToken) -> Option<MacroAt> {
        token.parent_ancestors().find_map(|node| {
            (node.kind() == SyntaxKind::TOKEN_TREE).then_some(())?;
            let kind = macro_kind(&node)?;
            let whole = self.file_range(node.text_range());
            let open = node
                .first_token()
                .is_some_and(|token| token.text().len() == 1);
            let close = node.last_token().is_some_and(|token| {
                matches!(
                    token.kind(),
                    SyntaxKind::R_BRACK | SyntaxKind::R_PAREN | SyntaxKind::R_CURLY
                )
            });
            let start = whole.start.saturating_add(u32::from(open));
            let body = ByteRange {
                start,
                end: whole.end.saturating_sub(u32::from(close)).max(start),
            };
            Some(MacroAt {
                kind,
                tree: node,
                body,
            })
        })
    }
}

/// The macro whose body a tree of tokens is, by the `!` and the name before it.
pub(super) fn macro_kind(tree: &SyntaxNode) -> Option<SiteKind> {
    let mut before =
        std::iter::successors(tree.first_token()?.prev_token(), SyntaxToken::prev_token)
            .filter(|token| !token.kind().is_trivia());
    before
        .next()
        .filter(|bang| bang.kind() == SyntaxKind::BANG)?;
    match before.next()?.text() {
        "m" => Some(SiteKind::Mapping),
        "i" => Some(SiteKind::Index),
        "axes" => Some(SiteKind::Axes),
        _ => None,
    }
}
