//! The trees of the last few item texts that a thread parsed.
//!
//! Sites, scopes, the device attribute and the lowering of one function each read its tree, one after the other, and parsing
//! is most of their cost. A tree follows from its text alone, so what is kept here is no state of the database and needs no
//! revision: the text itself is the key.

use std::cell::RefCell;
use std::sync::Arc;

use super::file::{ItemText, ParsedItem};
use crate::syntax::parse_text;

/// Trees that a thread keeps: one function with the helpers, aliases and constants that it uses.
const KEPT: usize = 16;

thread_local! {
    /// The most recently used last.
    static RECENT: RefCell<Vec<ParsedItem>> = const { RefCell::new(Vec::new()) };
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
                if recent.len() >= KEPT {
                    recent.remove(0);
                }
                let parse = parse_text(&text.text).ok();
                ParsedItem { text, parse }
            }
        };
        recent.push(parsed.clone());
        parsed
    })
}
