//! The trees of the texts that a thread parsed last: of items, and of mappings.
//!
//! Sites, scopes, the device attribute and the lowering of one function each read its tree, one after the other, and parsing
//! is most of their cost; kernels write the same few mappings again and again. A tree follows from its text alone, so what is
//! kept here is no state of the database and needs no revision: the text itself is the key.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use ra_ap_syntax::GreenNode;
use rustc_hash::FxHashMap;

use super::file::{ItemText, ParsedItem};
use crate::mapping::{Grammar, GrammarError, SyntaxNode, parse_mapping_in};
use crate::syntax::parse_text;

/// Trees that a thread keeps: one function with the helpers, aliases and constants that it uses.
const KEPT: usize = 16;

/// Mappings that a thread keeps before it starts again.
const MAPPINGS_KEPT: usize = 1024;
/// Bytes of a mapping that is kept.
const MAPPING_LENGTH: usize = 256;

/// The tree of a mapping, and what is wrong in it.
pub(super) type ParsedMapping = (Option<SyntaxNode>, Vec<GrammarError>);

/// Trees of mappings by their text, each with the grammar that it was read by.
type ParsedMappings = FxHashMap<Box<str>, (Grammar, Rc<ParsedMapping>)>;

thread_local! {
    /// The most recently used last.
    static RECENT: RefCell<Vec<ParsedItem>> = const { RefCell::new(Vec::new()) };
    static MAPPINGS: RefCell<ParsedMappings> = RefCell::default();
}

/// The tree of a text.
pub(super) fn recently_parsed(text: Arc<ItemText>) -> ParsedItem {
    RECENT.with_borrow_mut(|recent| {
        // A kept text is alive, so that no other can have its address.
        let place = recent
            .iter()
            .rposition(|kept| Arc::ptr_eq(&kept.text, &text));
        let parsed = match place {
            Some(place) => recent.remove(place),
            None => {
                // No question comes again about a text that only this list keeps: it was replaced.
                recent.retain(|kept| Arc::strong_count(&kept.text) > 1);
                if recent.len() >= KEPT {
                    recent.remove(0);
                }
                let tree = text.source.tree().or_else(|| parsed(&text.text));
                ParsedItem { text, tree }
            }
        };
        recent.push(parsed.clone());
        parsed
    })
}

fn parsed(text: &str) -> Option<GreenNode> {
    let parse = parse_text(text).ok()?;
    Some(parse.syntax_node().green().to_owned())
}

/// The tree of the body of an `m!`.
pub(super) fn recently_parsed_mapping(text: &str, grammar: Grammar) -> Rc<ParsedMapping> {
    if text.len() > MAPPING_LENGTH {
        return Rc::new(parse_mapping_in(text, grammar));
    }
    MAPPINGS.with_borrow_mut(|mappings| {
        if let Some((kept, parsed)) = mappings.get(text)
            && *kept == grammar
        {
            return Rc::clone(parsed);
        }
        if mappings.len() >= MAPPINGS_KEPT {
            mappings.clear();
        }
        let parsed = Rc::new(parse_mapping_in(text, grammar));
        mappings.insert(text.into(), (grammar, Rc::clone(&parsed)));
        parsed
    })
}
