//! Kernels that macros hide: calls of macros that are given `#[device]` functions, or that write them.
//!
//! What a macro makes of its tokens is not known, so that kernels in them are not looked at: here is where. Bodies of
//! `macro_rules!` are templates; it is their calls that stand for kernels. Templates of other files are not looked for.

use std::sync::Arc;

use ra_ap_syntax::ast::{self, AstNode, HasName};
use ra_ap_syntax::{NodeOrToken, SyntaxElement, SyntaxKind, SyntaxNode, T, WalkEvent};
use rustc_hash::FxHashSet;

use crate::db::Db;
use crate::items::{ItemId, ItemKind, file_items, item_text, parse_item};
use crate::syntax::without_raw;

use crate::kernel::{Unresolved, UnresolvedReason};

/// The name of the attribute of kernels.
const DEVICE: &str = "device";

/// The calls in an item, those in its blocks included.
#[salsa::tracked(returns(clone))]
pub fn hidden_kernels(db: &dyn Db, item: ItemId) -> Arc<[Unresolved]> {
    let text = item_text(db, item);
    let bang = text.text.split_once('!');
    let Some((_, behind)) = bang.filter(|_| item.kind(db) != ItemKind::MacroDefinition) else {
        return Arc::from([]);
    };
    let templates = templates(db, item);
    // What a macro is given is behind its sign: an attribute of the item itself is not.
    if !names_attribute(behind) && templates.is_empty() {
        return Arc::from([]);
    }
    let parsed = parse_item(db, item);
    let Some(root) = parsed.root() else {
        return Arc::from([]);
    };
    let mut found = Vec::new();
    let mut preorder = root.syntax().preorder();
    while let Some(event) = preorder.next() {
        let WalkEvent::Enter(node) = event else {
            continue;
        };
        if matches!(node.kind(), SyntaxKind::MACRO_RULES | SyntaxKind::MACRO_DEF) {
            preorder.skip_subtree();
        } else if let Some(call) = ast::MacroCall::cast(node)
            && let Some(name) = call.path().and_then(|path| path.segment()?.name_ref())
        {
            let given = call
                .token_tree()
                .is_some_and(|tree| has_device(tree.syntax()));
            if given || templates.contains(without_raw(name.text())) {
                let reason = UnresolvedReason::Macro(name.text().to_string());
                let name = parsed.span(name.syntax());
                let place = match call.excl_token() {
                    Some(bang) => name.span_to(parsed.text.span_of(bang.text_range())),
                    None => name,
                };
                found.push(Unresolved::at(reason, place));
            }
        }
    }
    found.into()
}

/// Whether `[device` is in a text, as it is in an attribute: most kernels have a variable of that name.
fn names_attribute(text: &str) -> bool {
    text.match_indices(DEVICE).any(|(at, _)| {
        let before = text.get(..at).unwrap_or("").trim_end();
        before.ends_with(['[', ':'])
    })
}

/// The macros of the item's file whose bodies have kernels.
fn templates(db: &dyn Db, item: ItemId) -> FxHashSet<String> {
    let items = file_items(db, item.file(db));
    let macros = items.items.iter().copied();
    let macros = macros.filter(|item| item.kind(db) == ItemKind::MacroDefinition);
    macros
        .filter(|item| item_text(db, *item).text.contains(DEVICE))
        .filter_map(|item| {
            let root = parse_item(db, item).root()?;
            let rules = root
                .syntax()
                .descendants()
                .find_map(ast::MacroRules::cast)?;
            let name = rules.name()?.text().to_string();
            has_device(rules.syntax()).then_some(name)
        })
        .collect()
}

/// Whether `#[device …]` is among the tokens of a tree.
fn has_device(tree: &SyntaxNode) -> bool {
    let trees = tree
        .descendants()
        .filter(|node| node.kind() == SyntaxKind::TOKEN_TREE);
    trees.into_iter().any(|attribute| {
        let mut inside = attribute
            .children_with_tokens()
            .filter(|element| !element.kind().is_trivia());
        let opens = inside.next().is_some_and(|first| first.kind() == T!['[']);
        // The name may be a path.
        let named = inside
            .take_while(|element| matches!(element.kind(), SyntaxKind::IDENT | T![:] | T![::]))
            .filter_map(NodeOrToken::into_token)
            .last()
            .is_some_and(|name| name.text() == DEVICE);
        opens && named && element_before(&attribute).is_some_and(|before| before.kind() == T![#])
    })
}

fn element_before(tree: &SyntaxNode) -> Option<SyntaxElement> {
    let first = tree.prev_sibling_or_token();
    std::iter::successors(first, SyntaxElement::prev_sibling_or_token)
        .find(|element| !element.kind().is_trivia())
}
