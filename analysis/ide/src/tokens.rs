//! The meaning of the tokens in the macros of mappings.
//!
//! Only names that mean an axis or an alias are named: a constant of an escape is ordinary Rust. The tokens of an item are kept
//! with places in its normalised text, so that an edit elsewhere asks for none of them again.

#[cfg(test)]
mod tests;

use std::sync::Arc;

use ra_ap_syntax::ast::AstNode;
use ra_ap_syntax::{NodeOrToken, SyntaxKind, SyntaxNode, SyntaxToken, WalkEvent};

use crate::db::Db;
use crate::inputs::SourceFile;
use crate::items::{
    ItemId, ItemKind, Namespace, Resolution, SiteKind, Span, file_items, parse_item, resolve_path,
    scope_at, token_map,
};

use super::cursor::macro_kind;
use super::names::{Occurrence, Role};
use super::{ByteRange, SemanticToken, TokenKind};

/// A token in the normalised text of an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct ItemToken {
    start: u32,
    end: u32,
    kind: TokenKind,
    declaration: bool,
}

/// The tokens in the macros of a file that start in a range, in the order of the text.
pub(super) fn semantic_tokens(
    db: &dyn Db,
    file: SourceFile,
    range: Option<ByteRange>,
) -> Vec<SemanticToken> {
    let map = token_map(db, file);
    let wanted =
        |start: u32, end: u32| range.is_none_or(|range| start < range.end && range.start < end);
    let mut tokens: Vec<SemanticToken> = Vec::new();
    for item in &file_items(db, file).items {
        let Some((start, end)) = map.item_range(*item) else {
            continue;
        };
        if !wanted(start, end) {
            continue;
        }
        for token in item_tokens(db, *item).iter() {
            let span = Span {
                item: *item,
                start: token.start,
                end: token.end,
            };
            let Some((start, end)) = map.range(span) else {
                continue;
            };
            if start < end && wanted(start, end) {
                tokens.push(SemanticToken {
                    range: ByteRange { start, end },
                    kind: token.kind,
                    declaration: token.declaration,
                });
            }
        }
    }
    tokens.sort_unstable_by_key(|token| token.range);
    tokens.dedup_by(|later, earlier| later.range.start < earlier.range.end);
    tokens
}

/// The tokens in the macros of an item.
#[salsa::tracked(returns(clone))]
fn item_tokens(db: &dyn Db, item: ItemId) -> Arc<[ItemToken]> {
    let mut tokens = Vec::new();
    let parsed = parse_item(db, item);
    let root = parsed.root();
    // A template is no code: what its names mean is decided where it is used.
    if let Some(root) = root.filter(|_| item.kind(db) != ItemKind::MacroDefinition) {
        let mut preorder = root.syntax().preorder();
        while let Some(event) = preorder.next() {
            let WalkEvent::Enter(node) = event else {
                continue;
            };
            match node.kind() {
                SyntaxKind::MACRO_RULES | SyntaxKind::MACRO_DEF => preorder.skip_subtree(),
                SyntaxKind::TOKEN_TREE if macro_kind(&node).is_some() => {
                    push_macro_tokens(db, item, &node, &mut tokens);
                    preorder.skip_subtree();
                }
                _ => {}
            }
        }
    }
    tokens.into()
}

/// The tokens of one macro's arguments, those of macros inside of it included.
fn push_macro_tokens(db: &dyn Db, item: ItemId, tree: &SyntaxNode, tokens: &mut Vec<ItemToken>) {
    for element in tree.descendants_with_tokens() {
        let NodeOrToken::Token(token) = element else {
            continue;
        };
        if let Some((kind, declaration)) = token_meaning(db, item, &token) {
            let range = token.text_range();
            tokens.push(ItemToken {
                start: range.start().into(),
                end: range.end().into(),
                kind,
                declaration,
            });
        }
    }
}

fn token_meaning(db: &dyn Db, item: ItemId, token: &SyntaxToken) -> Option<(TokenKind, bool)> {
    match token.kind() {
        SyntaxKind::IDENT => name_meaning(db, item, token),
        SyntaxKind::INT_NUMBER | SyntaxKind::BANG if in_padding(token) => {
            Some((TokenKind::Padding, false))
        }
        SyntaxKind::INT_NUMBER => Some((TokenKind::Number, false)),
        SyntaxKind::L_CURLY | SyntaxKind::R_CURLY => {
            in_padding(token).then_some((TokenKind::Padding, false))
        }
        SyntaxKind::SLASH | SyntaxKind::PERCENT | SyntaxKind::EQ | SyntaxKind::POUND => {
            is_operator(token).then_some((TokenKind::Operator, false))
        }
        _ => None,
    }
}

/// Whether a token is in the braces of `#{0}` or `#{!}`, or is one of them.
fn in_padding(token: &SyntaxToken) -> bool {
    let Some(tree) = token.parent() else {
        return false;
    };
    let before = tree
        .first_token()
        .filter(|open| open.kind() == SyntaxKind::L_CURLY);
    let before = before.and_then(|open| {
        std::iter::successors(open.prev_token(), SyntaxToken::prev_token)
            .find(|token| !token.kind().is_trivia())
    });
    let inside = || {
        let kinds: Vec<SyntaxKind> = tree
            .children_with_tokens()
            .map(|element| element.kind())
            .filter(|kind| !kind.is_trivia())
            .collect();
        matches!(
            kinds.as_slice(),
            [
                SyntaxKind::L_CURLY,
                SyntaxKind::INT_NUMBER | SyntaxKind::BANG,
                SyntaxKind::R_CURLY
            ]
        )
    };
    before.is_some_and(|before| before.kind() == SyntaxKind::POUND) && inside()
}

/// Whether a sign is an operator of a mapping or the `=` of an axis: not in braces, where Rust has its own.
fn is_operator(token: &SyntaxToken) -> bool {
    let trees = token
        .parent_ancestors()
        .take_while(|node| node.kind() == SyntaxKind::TOKEN_TREE);
    for tree in trees {
        match macro_kind(&tree) {
            Some(SiteKind::Index) => return !after_colon(token, &tree),
            Some(_) => return true,
            None => {}
        }
        let brace = tree
            .first_token()
            .is_some_and(|open| open.kind() == SyntaxKind::L_CURLY);
        if brace {
            return false;
        }
    }
    false
}

/// Whether a token of an `i!` belongs to the value of an entry, which is ordinary Rust.
fn after_colon(token: &SyntaxToken, tree: &SyntaxNode) -> bool {
    std::iter::successors(token.prev_token(), SyntaxToken::prev_token)
        .take_while(|before| before.text_range().start() > tree.text_range().start())
        .filter(|before| before.parent().as_ref() == Some(tree))
        .find_map(|before| match before.kind() {
            SyntaxKind::COLON => Some(true),
            SyntaxKind::COMMA => Some(false),
            _ => None,
        })
        .unwrap_or(false)
}

fn name_meaning(db: &dyn Db, item: ItemId, token: &SyntaxToken) -> Option<(TokenKind, bool)> {
    let occurrence = Occurrence::of(token)?;
    match occurrence.role {
        Role::AxisDeclaration => return Some((TokenKind::Axis, true)),
        Role::Tree { ours: true } => {}
        _ => return None,
    }
    let scope = scope_at(db, item, token.text_range().start().into());
    let path: Vec<&str> = occurrence.path.iter().map(|segment| &**segment).collect();
    match resolve_path(db, &scope, &path, Namespace::Type) {
        Resolution::Axis(_) => Some((TokenKind::Axis, false)),
        Resolution::Alias(_) => Some((TokenKind::Alias, false)),
        _ => None,
    }
}
