//! Answers that a thread keeps by their questions.
//!
//! Kernels move the same few shapes again and again, and several engines ask the same of each. What is kept here follows from
//! the question alone, so that no revision of the sources makes it wrong.

use std::cell::RefCell;
use std::hash::Hash;

use rustc_hash::FxHashMap;

/// Answers that are kept before a thread starts again.
const LIMIT: usize = 2048;

/// Answers by their questions; kept in a thread-local variable beside the function that answers.
pub(super) struct ThreadMemo<Question, Answer>(RefCell<FxHashMap<Question, Answer>>);

impl<Question, Answer> Default for ThreadMemo<Question, Answer> {
    fn default() -> Self {
        Self(RefCell::default())
    }
}

impl<Question: Hash + Eq, Answer: Clone> ThreadMemo<Question, Answer> {
    /// The answer of a while ago, else the one that is found now.
    pub(super) fn answer_or_find(
        &self,
        question: Question,
        find: impl FnOnce(&Question) -> Answer,
    ) -> Answer {
        if let Some(known) = self.0.borrow().get(&question) {
            return known.clone();
        }
        let found = find(&question);
        let mut known = self.0.borrow_mut();
        if known.len() >= LIMIT {
            known.clear();
        }
        known.insert(question, found.clone());
        found
    }
}
