//! Answers by what they are about, kept for all threads and all revisions of the sources.
//!
//! What is kept follows from its key alone, so that no edit makes it wrong: it is a shortcut, and whether an answer is at hand
//! changes no answer. Of the keys that were asked for longest ago the answers are forgotten, so that no more than twice
//! [`LIMIT`] are kept.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustc_hash::FxHashMap;

use super::content::Content;

/// Answers that are kept of what was asked for lately, and as many of what was before.
const LIMIT: usize = 4096;

/// Parts that different threads can look into at the same time.
const PARTS: usize = 16;

/// Answers by their keys.
pub struct Memo<Answer> {
    parts: [Mutex<Part<Answer>>; PARTS],
}

struct Part<Answer> {
    recent: FxHashMap<u128, Answer>,
    older: FxHashMap<u128, Answer>,
}

impl<Answer> Default for Part<Answer> {
    fn default() -> Self {
        Self {
            recent: FxHashMap::default(),
            older: FxHashMap::default(),
        }
    }
}

impl<Answer> Default for Memo<Answer> {
    fn default() -> Self {
        Self {
            parts: std::array::from_fn(|_| Mutex::default()),
        }
    }
}

impl<Answer: Clone> Memo<Answer> {
    /// The answer about a content, if it is at hand.
    pub fn get(&self, content: Content) -> Option<Answer> {
        let mut part = self.lock_part(content);
        if let Some(answer) = part.recent.get(&content.0) {
            return Some(answer.clone());
        }
        let answer = part.older.remove(&content.0)?;
        part.keep_answer(content, answer.clone());
        Some(answer)
    }

    /// Keeps the answer about a content.
    pub fn keep_answer(&self, content: Content, answer: Answer) {
        self.lock_part(content).keep_answer(content, answer);
    }

    fn lock_part(&self, content: Content) -> MutexGuard<'_, Part<Answer>> {
        let number = content.0 as usize % PARTS;
        // What a thread was in the middle of when it failed is whole: a map is changed in one step.
        let part = self.parts.get(number).unwrap_or(&self.parts[0]);
        part.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<Answer> Part<Answer> {
    fn keep_answer(&mut self, content: Content, answer: Answer) {
        if self.recent.len() >= LIMIT / PARTS {
            self.older = std::mem::take(&mut self.recent);
        }
        self.recent.insert(content.0, answer);
    }
}

#[cfg(test)]
mod tests {
    use super::{Content, LIMIT, Memo};

    #[test]
    fn what_is_asked_for_again_is_kept_and_the_rest_is_forgotten() {
        let memo = Memo::default();
        let often = Content(7);
        memo.keep_answer(often, 7);
        for number in 100..100 + 4 * LIMIT as u128 {
            memo.keep_answer(Content(number), number);
            assert_eq!(memo.get(often), Some(7), "{number}");
        }
        assert_eq!(memo.get(Content(100)), None);
        let last = 99 + 4 * LIMIT as u128;
        assert_eq!(memo.get(Content(last)), Some(last));
        let kept: usize = memo
            .parts
            .iter()
            .map(|part| {
                let part = part.lock().expect("no thread failed");
                part.recent.len() + part.older.len()
            })
            .sum();
        assert!(kept <= 2 * LIMIT, "{kept}");
    }
}
