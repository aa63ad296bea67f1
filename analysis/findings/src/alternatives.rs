//! What a help states: texts and numbers that the author may write, each with the edits that write it.
//!
//! A help that names a text to write is made from an [`Alternative`], never typed as prose: what is said can then be done by
//! the reader of the finding, and a test does it. Knows words and edits, nothing about what they mean; whether one leads to a
//! kernel without a new error is found out in the room of each language.

use std::convert::Infallible;

use super::{Applicability, Edit, Finding, Fix, IntoReplacement, words};

/// Something that the author may write instead of what is there.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Alternative<P, V = Infallible> {
    /// The words of the help for it, with the text of each of its edits.
    pub text: String,
    /// The replacements that write it.
    pub edits: Vec<Edit<P, V>>,
}

/// The alternatives of a finding, in one sentence.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Alternatives<P, V = Infallible> {
    /// The words before them: no text to write and no number.
    pub lead: &'static str,
    /// The alternatives, the best one first.
    pub list: Vec<Alternative<P, V>>,
}

impl<P, V> Alternative<P, V> {
    /// A text in code that replaces a place.
    pub fn text(place: P, with: impl IntoReplacement<V>) -> Self {
        let edit = Edit::new(place, with);
        Self {
            text: format!("`{}`", edit.text),
            edits: vec![edit],
        }
    }
}

impl<P: Clone, V: Clone> Finding<P, V> {
    /// What to do, in words: the alternatives, or what was said in general where none of them is left.
    pub fn advice(&self) -> Option<String> {
        let Some(alternatives) = &self.alternatives else {
            return self.help.clone();
        };
        let mut texts = alternatives.list.iter().map(|one| one.text.as_str());
        let mut advice = format!("{}{}", alternatives.lead, texts.next()?);
        for text in texts {
            advice.push_str(", or ");
            advice.push_str(text);
        }
        Some(advice)
    }

    /// States alternatives behind a few words. Without any, the help says what it says.
    pub fn alternatives(
        mut self,
        lead: &'static str,
        list: impl IntoIterator<Item = Alternative<P, V>>,
    ) -> Self {
        let list: Vec<Alternative<P, V>> = list.into_iter().collect();
        if !list.is_empty() {
            self.alternatives = Some(Alternatives { lead, list });
        }
        self
    }

    /// States one more alternative, of other words than those before, and proposes it.
    pub fn or_alternative(mut self, other: Option<Alternative<P, V>>) -> Self {
        if let Some(other) = &other {
            self.fixes.push(Fix {
                title: words::capitalised_text(&other.text),
                applicability: Applicability::Maybe,
                edits: other.edits.clone(),
                cost: None,
            });
        }
        match (&mut self.alternatives, other) {
            (Some(alternatives), Some(other)) => {
                let lead = std::mem::take(&mut alternatives.lead);
                for stated in &mut alternatives.list {
                    stated.text.insert_str(0, lead);
                }
                alternatives.list.push(other);
            }
            (None, Some(other)) => return self.alternatives("", [other]),
            (_, None) => {}
        }
        self
    }

    /// Proposes a fix whose title says what it writes, and states it.
    pub fn stating(mut self, fix: Option<Fix<P, V>>) -> Self {
        let Some(fix) = fix else {
            return self;
        };
        let stated = Alternative {
            text: fix.in_words(),
            edits: fix.edits.clone(),
        };
        self.fixes.push(fix);
        self.alternatives("", [stated])
    }
}

impl<P, V> Fix<P, V> {
    /// Its title as a part of a sentence, and behind it the texts that it writes and the title does not name.
    pub fn in_words(&self) -> String {
        let text = words::uncapital(&self.title);
        let mut unsaid: Vec<&str> = Vec::new();
        for edit in &self.edits {
            let code = edit.text.trim().trim_end_matches('.');
            if !text.contains(code) && !unsaid.contains(&code) {
                unsaid.push(code);
            }
        }
        if unsaid.is_empty() {
            return text;
        }
        format!("{text}: {}", words::names_in_code(&unsaid))
    }
}
