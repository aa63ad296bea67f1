//! A half-typed mapping expression: its text around the cursor, and what it means with other text in it.

use crate::mapping::Mapping;

use super::made::Names;
use super::place::MappingPlace;

/// A half-typed mapping expression in its place.
pub(super) struct Expression<'a> {
    /// What names mean there.
    pub(super) names: Names<'a>,
    /// The text from the macro's bracket to the word under the cursor.
    pub(super) left: String,
    /// The text behind that word, to the macro's other bracket.
    pub(super) right: String,
    /// Where the expression is.
    pub(super) place: MappingPlace,
}

impl Expression<'_> {
    /// The mapping of a text in the expression's place; none if anything in it is unknown or wrong.
    pub(super) fn evaluate(&self, text: &str) -> Option<Mapping> {
        self.names.evaluate(text)
    }

    /// The whole expression with a word under the cursor.
    pub(super) fn with_word(&self, word: &str) -> Option<Mapping> {
        self.evaluate(&format!("{} {word} {}", self.left, self.right))
    }
}
