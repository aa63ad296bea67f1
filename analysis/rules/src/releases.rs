//! Texts of libraries and compilers, and the rules that foresee them.

use super::Rule;
use crate::libraries::{Pasted, Said};

/// Rules that are named where none foresees a text.
const NEAREST: usize = 3;

/// A rule that foresees a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreseen {
    /// The rule.
    pub rule: &'static Rule,
    /// What is known of the text.
    pub said: Said,
    /// Whether it is the text, or one that is like it.
    pub alike: bool,
}

/// The rules that foresee a text of a library or a compiler, those whose known text is the longest first; rules whose text is
/// only like it are there where no other is. Numbers, paths and mappings in the text are passed over.
pub fn foreseeing(text: &str) -> Vec<Foreseen> {
    let pasted = Pasted::new(text);
    let mut found: Vec<_> = super::family_rules()
        .filter_map(|rule| {
            let texts = rule.texts().into_iter();
            let fits = texts.filter_map(|said| Some((pasted.fit(said.words)?, said)));
            let (fit, said) = fits.max_by_key(|(fit, _)| *fit)?;
            let alike = !fit.whole;
            Some((fit, Foreseen { rule, said, alike }))
        })
        .collect();
    // Rules that fit equally well keep the catalogue's order.
    found.sort_by_key(|(fit, _)| std::cmp::Reverse(*fit));
    let whole = found.iter().any(|(fit, _)| fit.whole);
    let kept = found.into_iter().filter(|(fit, _)| fit.whole || !whole);
    kept.map(|(_, foreseen)| foreseen).collect()
}

/// Rules whose names have words of a text, those with the most of them first: what to look at where no rule foresees it.
pub fn nearest_to_text(text: &str) -> Vec<&'static str> {
    let words: Vec<String> = text
        .split(|letter: char| !letter.is_alphanumeric())
        .map(str::to_lowercase)
        .collect();
    let shared = |name: &str| {
        let parts = name.split('_');
        parts
            .filter(|part| part.len() > 2 && words.iter().any(|word| word == part))
            .count()
    };
    let mut named: Vec<(usize, &str)> = super::family_rules()
        .map(|rule| (shared(rule.name), rule.name))
        .filter(|(count, _)| *count > 0)
        .collect();
    // Rules with equally many keep the catalogue's order.
    named.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let most = named.first().map_or(0, |(count, _)| *count);
    let nearest = named.into_iter().filter(|(count, _)| *count == most);
    nearest.map(|(_, name)| name).take(NEAREST).collect()
}

#[cfg(test)]
mod tests;
