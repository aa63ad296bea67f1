//! Statements that keep their normalised tokens while the item around them is typed into.
//!
//! It knows shared nodes and their tokens; where a statement is in its item, the code that appends it says.

use std::collections::hash_map::Entry;

use ra_ap_syntax::{GreenNode, SyntaxKind};
use rowan::GreenNodeData;
use rustc_hash::FxHashMap;

use super::normalise::Tokens;

/// Bytes of a statement that is kept; longer ones are looked into, and those inside of them are.
const PIECE_LENGTH: u32 = 4096;

/// Statements that were normalised, by the address of the shared node.
pub(super) type KnownPieces = FxHashMap<usize, Piece>;

/// The statements of an item before an edit, and those that were met after it.
pub(super) struct Pieces {
    known: KnownPieces,
    met: KnownPieces,
}

/// A statement that begins and ends with a token, and its tokens.
#[derive(Debug)]
pub(super) struct Piece {
    /// The node, kept alive so that no other has its address.
    of: GreenNode,
    tokens: Tokens,
}

impl Pieces {
    /// Those of an edited item. `known` are those that it had before.
    pub(super) fn after(known: KnownPieces) -> Self {
        Self {
            known,
            met: KnownPieces::default(),
        }
    }

    /// Those that were met.
    pub(super) fn met_pieces(self) -> KnownPieces {
        self.met
    }

    /// The tokens of a node that is a statement; none where they are to be read with those around it.
    pub(super) fn tokens(&mut self, node: &GreenNodeData) -> Option<&Tokens> {
        let kind = SyntaxKind::from(node.kind().0);
        let is_statement = matches!(kind, SyntaxKind::LET_STMT | SyntaxKind::EXPR_STMT);
        if !is_statement || u32::from(node.text_len()) > PIECE_LENGTH {
            return None;
        }
        let address = std::ptr::from_ref(node) as usize;
        let piece = match self.met.entry(address) {
            Entry::Occupied(met) => met.into_mut(),
            Entry::Vacant(place) => {
                let known = self.known.remove(&address);
                let known = known.filter(|known| std::ptr::eq(&*known.of, node));
                place.insert(match known {
                    Some(known) => known,
                    None => Piece {
                        tokens: Tokens::of_statement(node)?,
                        of: node.to_owned(),
                    },
                })
            }
        };
        Some(&piece.tokens)
    }
}
