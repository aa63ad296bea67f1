//! Files to trees, and the normalised text of items.
//!
//! It knows Rust's tokens and trees, bytes and lines; it knows no names, no mappings and no kernels.
//! Parsing never fails: a file gives a tree and a count of errors, which `rustc` reports and we do not.
//! The one exception is a file whose nesting would overflow the stack of the recursive parser; it is not analysed.

#![allow(
    unreachable_pub,
    reason = "modules are private, and `pub` is what other modules of the crate may use"
)]

mod conditional;
mod differing;
mod errors;
mod finding;
#[cfg(test)]
mod fixture_tests;
pub mod fragments;
mod lines;
mod macros;
mod nesting;
mod normal_tree;
mod normalise;
mod parsed;
mod pieces;
mod templates;

use ra_ap_syntax::{Edition, NodeOrToken, Parse, SourceFile as SourceTree, SyntaxNode};

pub use self::conditional::{Ask, CallOrigin, Conditional, modules_around};
pub use self::differing::{has_remark, parts_that_differ};
pub use self::finding::{
    VisitedNode, bound_names, child_of, green_child, green_name, green_path_name, nodes_of,
    without_raw,
};
pub use self::lines::{LineColumn, LineIndex};
pub use self::macros::{CallPlace, Copied, DefinitionKey, Expanded, MacroRules, Written};
pub use self::normal_tree::ItemSource;
pub use self::normalise::{ItemTextReader, Normalised, TokenRuns};
pub use self::parsed::ParsedFile;
pub use self::templates::{PLACEHOLDER_START, has_placeholder};

/// The edition that kernels are written in.
pub const EDITION: Edition = Edition::Edition2024;

/// Why a file is not analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unanalysed {
    /// Brackets or operators nest so deeply that a recursive parser could overflow its stack.
    TooDeeplyNested,
    /// The text is longer than offsets of 32 bits can say.
    TooLarge,
}

/// Parses a text, unless its nesting could overflow a stack.
pub fn parse_text(text: &str) -> Result<Parse<SourceTree>, Unanalysed> {
    parse_guarded(text, |text| {
        let parse = SourceTree::parse(text, EDITION);
        (parse.syntax_node(), parse)
    })
}

/// What a parser gives of a text with the root of its tree, unless the nesting could overflow a stack.
fn parse_guarded<T>(
    text: &str,
    parse: impl FnOnce(&str) -> (SyntaxNode, T),
) -> Result<T, Unanalysed> {
    if u32::try_from(text.len()).is_err() {
        return Err(Unanalysed::TooLarge);
    }
    if nesting::is_too_deep(text) {
        return Err(Unanalysed::TooDeeplyNested);
    }
    let (root, parsed) = parse(text);
    if is_deeper(&root, nesting::MAXIMUM_TREE_DEPTH) {
        // Dropping a tree recurses once a level. A tree that slipped through the scan is leaked rather than dropped.
        std::mem::forget((root, parsed));
        return Err(Unanalysed::TooDeeplyNested);
    }
    Ok(parsed)
}

/// More levels of a tree than the parser ever makes of one byte.
const LEVELS_OF_A_BYTE: usize = 32;

/// Whether a tree has more levels than some number. It walks the shared nodes, which takes no allocation a node as the nodes
/// with parents do, and leaves out those whose texts are too short for so many levels.
fn is_deeper(root: &SyntaxNode, levels: usize) -> bool {
    let green = root.green();
    let mut open = vec![green.children()];
    while let Some(children) = open.last_mut() {
        match children.next() {
            Some(NodeOrToken::Node(node)) => {
                let below = usize::from(node.text_len()).saturating_mul(LEVELS_OF_A_BYTE);
                if open.len().saturating_add(below) >= levels {
                    open.push(node.children());
                    if open.len() > levels {
                        return true;
                    }
                }
            }
            Some(NodeOrToken::Token(_)) => {}
            None => {
                open.pop();
            }
        }
    }
    false
}

#[cfg(test)]
mod tests;
