//! Which aliases and constants an item needs, and whether that comes back to itself.
//!
//! Values and mappings are computed along references. This graph is walked first, with a stack of its own, so that neither
//! a cycle nor a long chain reaches the recursive queries.

use std::sync::Arc;

use indexmap::IndexSet;
use ra_ap_syntax::SyntaxKind;
use ra_ap_syntax::ast::{self, AstNode, HasGenericArgs};
use rustc_hash::FxHashMap;

use super::declarations::path_segments;
use super::file::{ParsedItem, parse_item, plain_name};
use super::ids::{ItemId, ItemKind};
use super::resolve::{Namespace, Resolution, resolve_path};
use super::scopes::scope_at;
use crate::db::Db;
use crate::syntax::nodes_of;

/// References that may follow each other.
const MAXIMUM_DEPTH: u32 = 48;

/// References that are walked one below the other before a chain counts as too deep: more than may follow each other.
const MAXIMUM_CHAIN: usize = 49;

/// Items that are looked through for a way back, where a chain is too deep to be walked to its end.
const MAXIMUM_NEAREST: usize = 64;

/// Whether what an item needs can be computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ReferenceOrder {
    /// Nothing comes back.
    Sound,
    /// The item needs itself.
    Cyclic,
    /// One that it needs needs itself, but not the item.
    NeedsCyclic,
    /// More references follow each other than are followed.
    TooDeep,
}

/// Whether the references of an alias or constant can be followed.
#[salsa::tracked(returns(copy))]
pub(super) fn reference_order(db: &dyn Db, item: ItemId) -> ReferenceOrder {
    let mut walk = Walk {
        db,
        heights: FxHashMap::default(),
    };
    walk.run(item)
}

/// The aliases and constants that the text of an alias or constant names.
#[salsa::tracked(returns(clone))]
pub(super) fn item_references(db: &dyn Db, item: ItemId) -> Arc<[ItemId]> {
    if !matches!(
        item.kind(db),
        ItemKind::Alias | ItemKind::Constant | ItemKind::Static
    ) {
        return Arc::from([]);
    }
    let parsed = parse_item(db, item);
    let mut found = IndexSet::new();
    let paths = name_paths(&parsed).into_iter();
    for (path, offset) in paths.chain(paths_with_arguments(&parsed)) {
        let scope = scope_at(db, item, offset);
        // `Alias::SIZE` needs `Alias`: every prefix may be meant.
        for length in 1..=path.len() {
            let prefix: Vec<&str> = path.iter().take(length).map(|segment| &**segment).collect();
            for namespace in [Namespace::Type, Namespace::Value] {
                if let Resolution::Alias(item) | Resolution::Const(item) =
                    resolve_path(db, &scope, &prefix, namespace)
                {
                    found.insert(item);
                }
            }
        }
    }
    found.into_iter().collect()
}

type NamePathAt = (Vec<Arc<str>>, u32);

/// The paths of names after the first `=` of an item, also those in macro arguments.
fn name_paths(parsed: &ParsedItem) -> Vec<NamePathAt> {
    let mut paths: Vec<NamePathAt> = Vec::new();
    let Some(root) = parsed.root() else {
        return paths;
    };
    let mut path: Vec<Arc<str>> = Vec::new();
    let mut start = 0;
    let mut colons = 0;
    let mut after_equals = false;
    let tokens = root
        .syntax()
        .descendants_with_tokens()
        .filter_map(ra_ap_syntax::NodeOrToken::into_token);
    for token in tokens {
        match token.kind() {
            SyntaxKind::WHITESPACE => {}
            SyntaxKind::EQ => after_equals = true,
            SyntaxKind::COLON2 => colons = 2,
            // In the arguments of a macro the two colons are two tokens.
            SyntaxKind::COLON => colons += 1,
            SyntaxKind::IDENT
            | SyntaxKind::SELF_TYPE_KW
            | SyntaxKind::SELF_KW
            | SyntaxKind::SUPER_KW
            | SyntaxKind::CRATE_KW
                if after_equals =>
            {
                if colons != 2 || path.is_empty() {
                    if !path.is_empty() {
                        paths.push((std::mem::take(&mut path), start));
                    }
                    start = token.text_range().start().into();
                }
                path.push(plain_name(token.text()));
                colons = 0;
            }
            _ => {
                if !path.is_empty() {
                    paths.push((std::mem::take(&mut path), start));
                }
                colons = 0;
            }
        }
    }
    if !path.is_empty() {
        paths.push((path, start));
    }
    paths
}

/// The paths with generic arguments on the way, as the code that follows them reads them: `super::<u8>::inner::A`.
fn paths_with_arguments(parsed: &ParsedItem) -> Vec<NamePathAt> {
    if !parsed.text.text.contains('<') {
        return Vec::new();
    }
    let root = parsed.root();
    let paths = root.into_iter().flat_map(|root| {
        nodes_of(
            root.syntax(),
            |met| met.kind == SyntaxKind::PATH && met.parent_kind() != SyntaxKind::PATH,
            |met| met.kind != SyntaxKind::TOKEN_TREE,
        )
    });
    let paths = paths.filter_map(ast::Path::cast);
    let cut = paths.filter(|path| {
        let before = path.qualifier().into_iter();
        let mut before = before.flat_map(|path| path.segments().collect::<Vec<_>>());
        before.any(|segment| segment.generic_arg_list().is_some())
    });
    let whole = cut.map(|path| {
        let start = path.syntax().text_range().start().into();
        (path_segments(&path), start)
    });
    whole.collect()
}

struct Walk<'a> {
    db: &'a dyn Db,
    /// The longest chain of references from an item; none while the item is on the stack.
    heights: FxHashMap<ItemId, Option<u32>>,
}

impl Walk<'_> {
    fn run(&mut self, start: ItemId) -> ReferenceOrder {
        let mut order = ReferenceOrder::Sound;
        let mut stack = vec![(start, item_references(self.db, start), 0_usize, 0_u32)];
        self.heights.insert(start, None);
        while let Some((item, children, next, height)) = stack.last_mut() {
            let Some(child) = children.get(*next).copied() else {
                let (item, height) = (*item, *height);
                self.heights.insert(item, Some(height));
                stack.pop();
                if let Some((_, _, _, above)) = stack.last_mut() {
                    *above = (*above).max(height.saturating_add(1));
                }
                if height >= MAXIMUM_DEPTH && order == ReferenceOrder::Sound {
                    order = ReferenceOrder::TooDeep;
                }
                continue;
            };
            *next += 1;
            match self.heights.get(&child) {
                // The walk reaches everything that the start needs, so a cycle through the start shows here.
                _ if child == start => return ReferenceOrder::Cyclic,
                Some(None) => order = ReferenceOrder::NeedsCyclic,
                Some(Some(below)) => *height = (*height).max(below.saturating_add(1)),
                // Each item of a long chain would walk all of it.
                None if stack.len() > MAXIMUM_CHAIN => {
                    return if self.comes_back(start) {
                        ReferenceOrder::Cyclic
                    } else {
                        ReferenceOrder::TooDeep
                    };
                }
                None => {
                    self.heights.insert(child, None);
                    stack.push((child, item_references(self.db, child), 0, 0));
                }
            }
        }
        order
    }

    /// Whether an item is among the nearest that it needs.
    fn comes_back(&self, start: ItemId) -> bool {
        let mut seen = IndexSet::from([start]);
        let mut next = 0;
        while next < MAXIMUM_NEAREST
            && let Some(&at) = seen.get_index(next)
        {
            for needed in item_references(self.db, at).iter() {
                if *needed == start {
                    return true;
                }
                seen.insert(*needed);
            }
            next += 1;
        }
        false
    }
}
