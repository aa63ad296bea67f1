//! Sentences about rules that are asked for by a name or by a text, and the pages of what runs find.

use visa_analysis::{Foreseen, RunRule, Speaker, find_rule, rules_nearest_to_text};

use super::pages::capitalised_sentence;
use crate::project::levels::{did_you_mean, nearest_names_clause};

/// What is said of a name or a text that finds nothing.
pub fn nothing_found_text(name: &str) -> String {
    if name.is_empty() {
        return "nothing to explain: name a rule or a group, or paste what a compiler or library printed".to_owned();
    }
    let is_name = name
        .chars()
        .all(|letter| letter.is_ascii_alphanumeric() || letter == '_');
    if is_name {
        let lower = name.to_ascii_lowercase();
        let nearest = match find_rule(&lower) {
            Some(_) => nearest_names_clause(&[lower]),
            None => did_you_mean(&lower),
        };
        return if nearest.is_empty() {
            format!(
                "no rule or group is called `{name}`; `visa-lint rules {name}` searches for words"
            )
        } else {
            format!("no rule or group is called `{name}`{nearest}")
        };
    }
    let nearest = rules_nearest_to_text(name);
    let nearest: Vec<String> = nearest.into_iter().map(str::to_owned).collect();
    let nearest = if nearest.is_empty() {
        "; `visa-lint rules` lists all of them".to_owned()
    } else {
        nearest_names_clause(&nearest)
    };
    format!("no rule matches this text{nearest}")
}

/// Who says the known text.
pub fn speaker(found: &Foreseen) -> &'static str {
    match found.said.by {
        Speaker::Compiler => "the compiler",
        Speaker::Library => "the library",
    }
}

/// What was found for a text, in a sentence.
pub fn recognised(found: &Foreseen) -> String {
    let (by, words, name) = (speaker(found), found.said.words, found.rule.name);
    let likeness = if found.alike { "like this text, " } else { "" };
    capitalised_sentence(&format!(
        "{likeness}{by} says `{words}` of what `{name}` finds."
    ))
}

/// The same in Markdown.
pub fn run_markdown(rule: &RunRule) -> String {
    let mut text = format!(
        "# `{}`\n\n{}. A finding of `visa-lint run`.\n",
        rule.name, rule.summary
    );
    for paragraph in rule.why {
        text.push_str(&format!("\n{paragraph}\n"));
    }
    for (name, kernel) in [("Wrong", rule.wrong), ("Right", rule.right)] {
        text.push_str(&format!(
            "\n## {name}\n\n```rust\n{}\n```\n",
            kernel.trim_end()
        ));
    }
    text
}

/// Whether a text has a word, or one that begins with it: `alu` is in `alu_reuse` and not in `values`.
pub fn has_word(text: &str, word: &str) -> bool {
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        // Signs, such as those of an operator, have no beginning.
        let begins = word.chars().next().is_some_and(char::is_alphanumeric);
        !begins || !before.is_some_and(char::is_alphanumeric)
    })
}
