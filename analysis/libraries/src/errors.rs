//! What libraries and their compiler say of kernels that they refuse, and how a pasted text is found among it.
//!
//! Rules are plain names here: what they mean, the rules' room knows. Numbers, paths and the mappings that a text prints are
//! passed over, since they are the kernel's and not the text's.

use super::Library;
use visa_base::names::is_word_letter;

/// Who says a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Speaker {
    /// The library: a compile error or a panic of its own code.
    Library,
    /// The vendor's compiler.
    Compiler,
}

/// A part of a text that users meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Said {
    /// Who says it.
    pub by: Speaker,
    /// The words; `…` is what differs from one text to the next.
    pub words: &'static str,
}

/// Something that a library says.
pub(super) const fn library(words: &'static str) -> Said {
    Said {
        by: Speaker::Library,
        words,
    }
}

/// Something that the compiler says.
pub(super) const fn compiler(words: &'static str) -> Said {
    Said {
        by: Speaker::Compiler,
        words,
    }
}

impl Library {
    /// What the library and its compiler say where a rule foresees it.
    pub fn errors_of(self, rule: &str) -> &'static [Said] {
        let rows = self.names().errors.iter();
        let found = rows.copied().find(|(name, _)| *name == rule);
        found.map_or(&[], |(_, said)| said)
    }

    /// The rules that have such texts.
    pub fn rules_with_errors(self) -> impl Iterator<Item = &'static str> {
        self.names().errors.iter().map(|(name, _)| *name)
    }
}

/// A text as it is compared: its words, without what a kernel put into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pasted {
    words: Vec<String>,
}

/// How well a known text fits a pasted one; the better, the larger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fit {
    /// Whether one of the two holds all of the other.
    pub whole: bool,
    /// Words that the two have in common.
    pub words: usize,
}

/// Letters of a word that is looked for by itself.
const LONG_WORD: usize = 8;

/// Words in common from which on a text is like another that it does not hold.
const ALIKE_WORDS: usize = 4;

impl Pasted {
    /// Reads a text as a terminal shows it.
    pub fn new(text: &str) -> Self {
        Self {
            words: words(&without_escapes(text)),
        }
    }

    /// Whether it says enough to be looked for in a longer text.
    fn is_telling(&self) -> bool {
        match self.words.as_slice() {
            [only] => only.len() >= LONG_WORD,
            words => words.iter().any(|word| word.len() > 3),
        }
    }

    /// How well a known text fits; `None` if it does not.
    pub fn fit(&self, known: &str) -> Option<Fit> {
        let parts: Vec<Vec<String>> = known
            .split('…')
            .map(words)
            .filter(|part| !part.is_empty())
            .collect();
        let count = parts.iter().map(Vec::len).sum();
        if count > 0 && holds_in_order(&self.words, &parts) {
            return Some(Fit {
                whole: true,
                words: count,
            });
        }
        let inside = |part: &Vec<String>| position(part, &self.words).is_some();
        if self.is_telling() && parts.iter().any(inside) {
            return Some(Fit {
                whole: true,
                words: self.words.len(),
            });
        }
        let all: Vec<String> = parts.concat();
        let common = common(&self.words, &all);
        // Two of three words in their order, and not words that any text has.
        (common >= ALIKE_WORDS && common * 3 >= all.len() * 2).then_some(Fit {
            whole: false,
            words: common,
        })
    }
}

/// A text without the sequences that colour it.
fn without_escapes(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text.chars();
    while let Some(letter) = rest.next() {
        if letter != '\u{1b}' {
            kept.push(letter);
        } else if rest.next() == Some('[') {
            rest.by_ref().find(char::is_ascii_alphabetic);
        }
    }
    kept
}

/// The words of a text in lower case, without numbers and paths.
fn words(text: &str) -> Vec<String> {
    let chunks = text.split_whitespace().filter(|chunk| !is_path(chunk));
    let words = chunks.flat_map(|chunk| chunk.split(move |letter| !is_word_letter(letter)));
    let named = words
        .filter(|word| !word.is_empty() && !word.starts_with(|first: char| first.is_ascii_digit()));
    named.map(str::to_lowercase).collect()
}

/// Whether a word is the path of a file, as compilers print it.
fn is_path(chunk: &str) -> bool {
    let bare = chunk.trim_matches(|letter: char| "`'\"(),:[]".contains(letter));
    bare.starts_with('/') && bare.len() > 1 || bare.contains(".rs:") || bare.ends_with(".rs")
}

/// Where a run of words is in others.
fn position(words: &[String], run: &[String]) -> Option<usize> {
    words.windows(run.len().max(1)).position(|own| own == run)
}

/// Whether words hold all of some runs, one behind the other.
fn holds_in_order(words: &[String], runs: &[Vec<String>]) -> bool {
    let mut rest = words;
    runs.iter().all(|run| match position(rest, run) {
        Some(at) => {
            rest = rest.get(at + run.len()..).unwrap_or_default();
            true
        }
        None => false,
    })
}

/// The words that two texts have in common in the same order.
fn common(one: &[String], other: &[String]) -> usize {
    let mut row = vec![0_usize; other.len() + 1];
    for word in one {
        let mut diagonal = 0;
        for (at, known) in other.iter().enumerate() {
            let above = row.get(at + 1).copied().unwrap_or(0);
            let left = row.get(at).copied().unwrap_or(0);
            let best = if word == known {
                diagonal + 1
            } else {
                above.max(left)
            };
            diagonal = above;
            if let Some(place) = row.get_mut(at + 1) {
                *place = best;
            }
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(text: &str, known: &str) -> Option<(bool, usize)> {
        let fit = Pasted::new(text).fit(known)?;
        Some((fit.whole, fit.words))
    }

    #[test]
    fn numbers_paths_and_colours_are_passed_over() {
        let known = "Cannot find evict target for Vrf";
        let pasted = "\u{1b}[31merror\u{1b}[0m: /src/a.rs:7:1: Cannot find evict target for Vrf (E4, size: 3932160)";
        assert_eq!(fit(pasted, known), Some((true, 6)));
        assert_eq!(fit("evict target", known), Some((true, 2)));
        assert_eq!(fit("Vrf", known), None);
        assert_eq!(fit("BeamSearch", "IR: BeamSearch failed"), Some((true, 1)));
        assert_eq!(fit("", known), None);
        assert_eq!(fit("12 13", known), None);
    }

    #[test]
    fn what_differs_may_be_anything() {
        let known = "cannot place in_rows in Time … consistently with OutTime";
        let pasted = "Transpose: cannot place in_rows in Time (A / 8, C) consistently with OutTime (C) | OutPacket (A)";
        assert_eq!(fit(pasted, known), Some((true, 8)));
        let turned = "consistently with OutTime cannot place in_rows in Time";
        // Five of eight words are in their order.
        assert_eq!(fit(turned, known), None);
    }

    #[test]
    fn a_text_that_is_nearly_known_is_alike() {
        let known = "Commit: a DM cell is left unwritten";
        assert_eq!(fit("a DM cell was left unwritten", known), Some((false, 5)));
        assert_eq!(fit("a DM cell is full", known), None);
        assert_eq!(
            fit("commit leaves: a DM cell is now left unwritten", known),
            Some((false, 7))
        );
        assert_eq!(fit("thread main panicked in a cell", known), None);
    }

    #[test]
    fn the_longest_run_in_order_is_counted() {
        let words = |text: &str| words(text);
        assert_eq!(common(&words("a b c d"), &words("a c d b")), 3);
        assert_eq!(common(&words("a b"), &words("c d")), 0);
        assert_eq!(common(&[], &words("c d")), 0);
    }
}
